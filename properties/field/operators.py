"""What may stand in a block's place: operators that keep one of a block's two balls and leave the other.

A matrix that acts on every token meets both balls at its spectral norm: ``|Ax − Ay| <= ρ|x − y|`` on whole states, and
no token grows by more than ρ. The proofs rest on each for itself, so an operator that meets one alone shows its need.
Gathering meets the first: the length of a state does not tell how it is spread over the tokens. A kink meets the
second: numbers do not grow, but between some of them differences do.
"""

from typing import Any

import sympy as sp

Rows = tuple[tuple[Any, ...], ...]

GATHER: Rows = (tuple(sp.Rational(1, 2) for _ in range(4)), *((0, 0, 0, 0) for _ in range(3)))
"""A block on four stacked tokens of width 1: equal ones become one that is twice as long. Spectral norm 1."""
FOUR: Rows = ((1,), (1,), (1,), (1,))
NEAR: Rows = ((sp.Rational(3, 4),),)
"""Four tokens of length 1; a number next to 1 that the kink drives away from it."""
STEEPEST = 2
"""The kink's largest slope."""


def kink(w: sp.Expr) -> sp.Expr:
    """Return ``min(|w|, max(0, 2|w| − 1))``: at most |w|, with slope 2 between ½ and 1."""
    return sp.Min(abs(w), sp.Max(0, 2 * abs(w) - 1))


def acted(block: sp.Matrix, state: sp.Matrix, *, kinked: bool = False) -> sp.Matrix:
    """Return what a block makes of every token; of all of them stacked, if it is as wide as that."""
    state = state.applyfunc(kink) if kinked else state
    if block.cols == state.cols:
        return state * block.T
    stacked = block * sp.Matrix(list(state))
    return stacked.reshape(state.rows, block.rows // state.rows)


def joined(output: sp.Matrix, value: sp.Matrix) -> sp.Matrix:
    """Return the product of two blocks, the first of which may act on stacked tokens."""
    if output.cols == value.rows:
        return output * value
    return output * sp.kronecker_product(sp.eye(output.cols // value.rows), value)


def token_growth(block: sp.Matrix, width: int, spectral: sp.Expr) -> sp.Expr:
    """Return how much longer a block can make the longest of tokens of a width, from its spectral norm.

    A block on stacked tokens has width 1 here: its longest row, entries added up, is what it can make of ±1.
    """
    if block.cols == width:
        return spectral
    assert width == 1
    return sp.Max(*(sum(map(abs, block.row(i)), sp.Integer(0)) for i in range(block.rows)))
