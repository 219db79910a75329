"""What is said wrongly: statements with one number moved, one hypothesis or one condition of a parameter gone.

A number moves by a fiftieth both ways; one that counts or indexes, by one. One of the two ways makes a true statement
stronger, so one of them has to be caught.
"""

from collections.abc import Callable, Iterator
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from spec.language.functions import Unit
from spec.language.nodes import Binder
from spec.language.template import Statement

SHARE = sp.Rational(1, 50)
Site = tuple[str, tuple[Statement, ...]]


def _moved(value: sp.Number, *, counts: bool) -> tuple[sp.Expr, ...]:
    if counts:
        return value - 1, value + 1
    return (-SHARE, SHARE) if value == 0 else (value * (1 - SHARE), value * (1 + SHARE))


def _rewrites(e: Any, counts: bool, wrap: Callable[[Any], Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if isinstance(e, sp.Number):
        yield str(e), tuple(wrap(value) for value in _moved(e, counts=counts))
        return
    if isinstance(e, Unit) or (isinstance(e, sp.Pow) and isinstance(e.base, Unit)):  # a dimension of the number 1
        return
    for at, part in enumerate(e.args):
        inside = counts or isinstance(e, AppliedUndef) or (isinstance(e, Binder | ExprWithLimits) and at > 0)

        def again(value: Any, at: int = at) -> Any:
            return wrap(e.func(*(value if i == at else a for i, a in enumerate(e.args))))

        if not isinstance(part, sp.Tuple) or isinstance(e, ExprWithLimits):
            yield from _rewrites(part, inside, again)


def moved_numbers(statement: Statement) -> Iterator[Site]:
    """Yield every number of the relation with the statements that have it moved one way and the other."""
    relation = statement.relation
    for at, side in enumerate(relation.args):

        def again(value: Any, at: int = at) -> Statement:
            sides = (value if i == at else a for i, a in enumerate(relation.args))
            return Statement(relation.func(*sides, evaluate=False), statement.free, statement.given)

        for number, (text, both) in enumerate(_rewrites(side, False, again)):
            yield f"{text} ({'left' if at == 0 else 'right'}, number {number})", both


def scaled_sides(statement: Statement) -> Site:
    """Return the statement with its right side a fiftieth nearer to what refutes it (both ways, for an equality)."""
    relation, (left, right) = statement.relation, statement.relation.args
    if relation.rel_op == "==":
        sides = (right * (1 - SHARE), right * (1 + SHARE))
    else:
        sides = (right + (-1 if relation.rel_op in ("<=", "<") else 1) * SHARE * sp.Abs(right, evaluate=False),)
    made = tuple(relation.func(left, side, evaluate=False) for side in sides)
    return "right side", tuple(Statement(one, statement.free, statement.given) for one in made)


def without_guards(statement: Statement) -> Iterator[Site]:
    """Yield the statement without each of its guards."""
    for at, guard in enumerate(statement.given):
        rest = (*statement.given[:at], *statement.given[at + 1 :])
        yield f"guard {guard}", (Statement(statement.relation, statement.free, rest),)
