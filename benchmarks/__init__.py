"""Benchmarks: speed and accuracy against peers, and slow checks."""
