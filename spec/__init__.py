"""What is claimed: assumptions, bounds and proofs, written with sympy and evaluated in ball arithmetic."""

from spec.language.registry import slugs, theorem, theorems

__all__ = ["slugs", "theorem", "theorems"]
