"""Evaluation at named values: unknown, missing, doubled and out-of-range ones and false premises are refused.

What depends on names only (which symbols are derived, which ranges and premises apply) is planned once and kept.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy as sp
from flint import arb, ctx, fmpq

from spec.language import ball, families
from spec.language import functions as fn
from spec.language.assumption import Assumption
from spec.language.ball import PRECISIONS, Ball, Value, is_sure
from spec.language.errors import MissingValue, OutOfRange, PremiseNotMet
from spec.language.exact import exact_value
from spec.language.formula import Formula, compiled
from spec.language.quantity import Quantity, Vocabulary, unknown

if TYPE_CHECKING:
    from spec.language.theorem import Theorem

Check: TypeAlias = Callable[[Mapping[str, Value]], None]


@dataclass(frozen=True)
class Plan:
    """What evaluation needs for one expression and one set of given names.

    Attributes
    ----------
    expr
        The expression over the given names.
    bounds
        Name by name the open interval of floats that lies in the range, and whether only integers do.
    ranges, premises
        The checks of every value's range, and of the premises.
    quick
        The expression compiled at the first precision.
    """

    expr: sp.Expr
    bounds: tuple[tuple[str, float, float, bool], ...]
    ranges: tuple[Check, ...]
    premises: tuple[Check, ...]
    quick: Formula

    def __call__(self, values: Mapping[str, Value]) -> Ball:
        """Check the values and enclose the expression: floats and integers inside their ranges at once."""
        balls = []
        for name, low, high, whole in self.bounds:
            value: Any = values[name]
            plain = type(value) is int or (type(value) is float and not whole)
            if not (plain and low < value < high):
                return self._careful(values)
            balls.append(arb(value))
        for check in self.premises:
            check(values)
        before = ctx.prec
        ctx.prec = PRECISIONS[0]
        try:
            result = self.quick(balls, values)
        finally:
            ctx.prec = before
        return Ball(result) if is_sure(result) else ball.evaluate(self.expr, values)

    def _careful(self, values: Mapping[str, Value]) -> Ball:
        for check in (*self.ranges, *self.premises):
            check(values)
        return ball.evaluate(self.expr, values)


@lru_cache(maxsize=4096)
def plan(theorem: "Theorem", expr: sp.Expr, given: frozenset[str]) -> Plan:
    """Return the plan of an expression over a theorem's symbols for the names that have values.

    Raises
    ------
    UnknownName, MissingValue
    """
    vocabulary = theorem.vocabulary
    known = [q.name for q in theorem.quantities]
    known += sorted({s.name for s in expr.free_symbols | resolve(vocabulary, expr).free_symbols} - set(known))
    for name in sorted(given):
        if name not in known:
            raise unknown(f"symbol of {theorem.slug}", name, known)
    for name in sorted(given):
        definition = vocabulary[name].definition
        parts = [] if definition is None else sorted(s.name for s in definition.free_symbols)
        if parts and all(part in given for part in parts):
            raise MissingValue(f"a value for {name} or for its parts, not both", f"{name} and {parts}", "drop one")
    resolved = resolve(vocabulary, expr, given)
    missing = sorted({s.name for s in resolved.free_symbols} - given)
    if missing:
        raise MissingValue(
            f"a value for every symbol of {theorem.slug}",
            f"none for {', '.join(missing)}",
            f"known: {', '.join(known)}",
        )
    names = tuple(sorted(given))
    before = ctx.prec
    ctx.prec = PRECISIONS[0]
    try:
        quick = compiled(resolved, names, PRECISIONS[0])
    finally:
        ctx.prec = before
    return Plan(
        resolved,
        tuple((name, *_open_interval(vocabulary[name]), vocabulary[name].integer) for name in names),
        (*(_range_check(vocabulary[name], vocabulary.atom(name)) for name in names), _length_check(theorem, given)),
        tuple(_premise_check(vocabulary, a, given) for a in theorem.assumptions if a.premise is not None),
        quick,
    )


def _open_interval(quantity: Quantity) -> tuple[float, float]:
    """Return the open interval whose floats and integers lie in a range; an empty one where its ends are no floats."""
    interval = quantity.range
    if not all(end.is_number and (end.is_infinite or sp.Rational(float(end)) == end) for end in interval.ends):
        return math.inf, -math.inf
    low, high = map(float, interval.ends)
    if not (interval.low_open or math.isinf(low)):
        low = math.nextafter(low, -math.inf)
    if not (interval.high_open or math.isinf(high)):
        high = math.nextafter(high, math.inf)
    return low, high


def resolve(vocabulary: Vocabulary, expr: sp.Expr, given: frozenset[str] = frozenset(), depth: int = -1) -> sp.Expr:
    """Replace derived symbols that have no value by their definitions (`depth` times; -1: all the way).

    An entry at a free index stands for any one of its family: it takes the value of the symbol itself.
    """
    free = {s for s in expr.free_symbols if s.name not in given}
    expr = expr.xreplace({e: e.args[0] for e in expr.atoms(fn.Entry) if e.args[1] in free})
    while depth:
        swaps: dict[sp.Basic, sp.Expr] = {}
        for entry in expr.atoms(fn.Entry):
            definition = vocabulary[entry.args[0].name].definition
            if entry.args[0].name not in given and definition is not None:
                swaps[entry] = at_index(vocabulary, definition, entry.args[1])
        if not swaps:
            derived = {s: vocabulary[s.name].definition for s in expr.free_symbols if s.name not in given}
            swaps = {s: definition for s, definition in derived.items() if definition is not None}
        if not swaps:
            return expr
        expr = expr.xreplace(swaps)
        depth -= 1
    return expr


def at_index(vocabulary: Vocabulary, definition: sp.Expr, index: sp.Expr) -> sp.Expr:
    """Return the definition of an indexed symbol at an index: its indexed parts get the same index."""
    return definition.xreplace({s: fn.Entry(s, index) for s in definition.free_symbols if vocabulary[s.name].indexed})


def _range_check(quantity: Quantity, symbol: sp.Symbol) -> Check:
    """Return the check of a symbol's values: in range, integer where it must be, a sequence only where it is indexed.

    Relations are decided in ball arithmetic; a ball that lies partly outside is refused as one wholly outside is.
    """
    interval = quantity.range
    relations = interval.relations(symbol)
    low, high = _open_interval(quantity)

    def refuse(value: Any, state: str) -> None:
        needed = f"{quantity.name} in {interval} ({quantity.meaning})"
        raise OutOfRange(needed, f"{value}{state}", "give a value in its range, all of it if it is a ball")

    def one(value: Any, values: Mapping[str, Value]) -> None:
        if (type(value) is int or (type(value) is float and not quantity.integer)) and low < value < high:
            return
        number = ball.exact(value, quantity.name)
        for relation in relations:
            known = {s.name for s in relation.free_symbols} <= {quantity.name, *values}
            if known and (verdict := holds(relation, {**values, quantity.name: value})) is not True:
                refuse(value, "" if verdict is False else " (undecided)")
        if quantity.integer and (not hasattr(number, "q") or number.q != 1):
            raise OutOfRange(f"an integer for {quantity.name}", value, "round it up or down as the statement needs")

    def check(values: Mapping[str, Value]) -> None:
        value: Any = values[quantity.name]
        if ball.is_list(value):
            if not quantity.indexed:
                raise OutOfRange(f"one number for {quantity.name}", value, "only indexed symbols take a sequence")
            for entry in value:
                one(entry.item() if hasattr(entry, "item") else entry, values)
        else:
            one(value.item() if hasattr(value, "item") else value, values)

    return check


def _length_check(theorem: "Theorem", given: frozenset[str]) -> Check:
    """Return the check of lists' lengths by what runs over them in the theorem's bounds, read by this one or not."""
    bounds = sp.Tuple(*(resolve(theorem.vocabulary, claim.bound, given) for claim in theorem.claims))
    known = {
        name: tuple(length for length in several if {s.name for s in length.free_symbols} <= given)
        for name, several in families.lengths(bounds).items()
        if name in given
    }
    wanted = {name: several for name, several in known.items() if several}
    counts = {s.name for several in wanted.values() for length in several for s in length.free_symbols}

    def check(values: Mapping[str, Value]) -> None:
        lists = {name: several for name, several in wanted.items() if ball.is_list(values[name])}
        if lists:
            families.check(lists, {name: ball.entries(values[name], name) for name in counts | set(lists)})

    return check


def _premise_check(vocabulary: Vocabulary, assumption: Assumption, given: frozenset[str]) -> Check:
    relation = assumption.premise
    assert relation is not None
    sides = (resolve(vocabulary, side, given) for side in relation.args)
    resolved = relation.func(*sides, evaluate=False)

    def check(values: Mapping[str, Value]) -> None:
        verdict = holds(resolved, values)
        if verdict is not True:
            state = "false" if verdict is False else "undecided"
            raise PremiseNotMet(f"{assumption.name}: {relation}", state, "the theorem says nothing at these values")

    return check


def _exact(difference: sp.Expr, values: Mapping[str, Value]) -> sp.Rational | None:
    """Return a rational function at rational values, None of others."""
    if not difference.is_rational_function() or any(ball.is_list(v) for v in values.values()):
        return None
    if not all(isinstance(ball.entries(value, name), int | float | fmpq) for name, value in values.items()):
        return None
    found = exact_value(difference, values)
    return found if found is not None and found.is_Rational else None


def holds(relation: sp.Rel, values: Mapping[str, Value]) -> bool | None:
    """Decide a relation at values in ball arithmetic: True, False, or None where the enclosures do not tell.

    What rationals leave open, since a ball around 1/3 − 1/3 is none of 0, they decide exactly.
    """
    names = {s.name for s in relation.free_symbols}
    named = {name: value for name, value in values.items() if name in names}
    difference = ball.evaluate(relation.lhs - relation.rhs, named).arb
    if difference.contains(0) and not difference.is_exact():
        exact = _exact(relation.lhs - relation.rhs, named)
        difference = difference if exact is None else arb(fmpq(int(exact.p), int(exact.q)))
    if isinstance(relation, sp.Eq | sp.Ne):
        equal = True if difference == 0 else (False if difference < 0 or difference > 0 else None)
        return equal if isinstance(relation, sp.Eq) or equal is None else not equal
    if isinstance(relation, sp.Ge | sp.Gt):
        difference = -difference
    if isinstance(relation, sp.Lt | sp.Gt):
        return True if difference < 0 else (False if difference >= 0 else None)
    return True if difference <= 0 else (False if difference > 0 else None)
