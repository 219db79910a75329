"""The language that theorems are written in: dimensions, symbols, balls, assumptions, proofs."""
