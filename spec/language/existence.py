"""What must hold for an expression to exist, wherever its parts stand: denominators, roots, logarithms, integrals.

An inverse that does not exist is some number, which nobody knows: what is true of it is true whatever it is. sympy
cancels before it asks, so whatever it may cancel is shown to exist first, inside sums, maxima and integrals too.
"""

from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.core.function import AppliedUndef

from spec.language import functions as fn
from spec.language.binding import AROUND, Scope, bound_by, places
from spec.language.errors import ProofError


def existence(expr: sp.Basic, scope: Scope = AROUND) -> list[tuple[sp.Rel, Scope]]:
    """Return what must hold for an expression to exist, and where, apart from what the signs of its symbols give."""
    return [(condition, at) for part, at in places(expr, scope) for condition, _ in _own(part)]


def _own(e: sp.Basic) -> Iterator[tuple[sp.Rel, bool]]:
    """Yield what one node owes, and whether the node grows without bound where that fails in the limit."""
    if isinstance(e, fn.Ratio):
        owed = [(sp.Ne(e.args[1], 0, evaluate=False), True)]
    elif isinstance(e, sp.log):
        owed = [(sp.Gt(e.args[0], 0, evaluate=False), True)]
    elif isinstance(e, sp.Pow):
        owed = [] if e.exp.is_nonnegative else [(sp.Ne(e.base, 0, evaluate=False), True)]
        owed += [] if e.exp.is_integer else [(sp.Ge(e.base, 0, evaluate=False), False)]
    else:
        owed = []
    return ((condition, pole) for condition, pole in owed if condition.func(*condition.args) != sp.true)


def check_bounded(expr: sp.Basic) -> None:
    """Check that every integrand is bounded where it exists.

    Functions of the theory are measurable, and bounded on bounded sets. What exists at every point of a closed interval
    is bounded there if its denominators and logarithms are of functions that are continuous.

    Raises
    ------
    ProofError
        If a denominator or a logarithm is of a function that need not be continuous.
    """
    for node, _ in places(expr):
        if isinstance(node, sp.Integral):
            check_continuous(node.function, bound_by(node))


def check_continuous(body: sp.Basic, over: Iterable[sp.Symbol]) -> None:
    """Check that the denominators and logarithms of a function of some variables are continuous in them."""
    over = set(over)
    for part, _ in places(body):
        for condition, pole in _own(part):
            steps = condition.lhs.atoms(AppliedUndef, sp.ceiling, sp.floor)
            if pole and (jumps := [step for step in steps if step.free_symbols & over]):
                raise ProofError(
                    f"denominators and logarithms that are continuous in {', '.join(sorted(map(str, over)))}",
                    f"{jumps[0]} in {part}",
                    "bound it first: what is never 0 may still come arbitrarily near",
                )
