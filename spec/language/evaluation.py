"""Evaluation at named values: unknown, missing, doubled and out-of-range ones and false premises are refused.

What depends on names only (which symbols are derived, which ranges and premises apply) is planned once and kept.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy as sp

from spec.language import ball
from spec.language import functions as fn
from spec.language.assumption import Assumption
from spec.language.ball import Value
from spec.language.errors import MissingValue, OutOfRange, PremiseNotMet
from spec.language.quantity import Quantity, Vocabulary, unknown

if TYPE_CHECKING:
    from spec.language.theorem import Theorem

Check: TypeAlias = Callable[[Mapping[str, Value]], None]


@dataclass(frozen=True)
class Plan:
    """What evaluation needs for one expression and one set of given names."""

    expr: sp.Expr
    checks: tuple[Check, ...]


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
    ranges = (_range_check(vocabulary[name], vocabulary.atom(name)) for name in sorted(given))
    premises = (_premise_check(vocabulary, a, given) for a in theorem.assumptions if a.premise is not None)
    return Plan(resolved, (*ranges, *premises))


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

    Floats and integers against numeric ends are compared at once; all else is decided in ball arithmetic.
    """
    interval = quantity.range
    static = interval.low.is_number and interval.high.is_number
    low, high = (float(interval.low), float(interval.high)) if static else (-math.inf, math.inf)
    relations = interval.relations(symbol)

    def refuse(value: Any) -> None:
        raise OutOfRange(f"{quantity.name} in {interval} ({quantity.meaning})", value, "give a value in its range")

    def quick(value: float) -> bool:
        return low < value < high or (
            (value == low and not interval.low_open) or (value == high and not interval.high_open)
        )

    def one(value: Any, values: Mapping[str, Value]) -> None:
        plain = type(value) is float or type(value) is int
        if plain and static:
            if not quick(value):
                refuse(value)
        else:
            for relation in relations:
                known = {s.name for s in relation.free_symbols} <= {quantity.name, *values}
                if known and holds(relation, {**values, quantity.name: value}) is False:
                    refuse(value)
        if quantity.integer:
            number = ball.exact(value, quantity.name)
            if not hasattr(number, "q") or number.q != 1:
                raise OutOfRange(f"an integer for {quantity.name}", value, "round it up or down as the statement needs")

    def check(values: Mapping[str, Value]) -> None:
        value: Any = values[quantity.name]
        if isinstance(value, list | tuple) or getattr(value, "ndim", 0) != 0:
            if not quantity.indexed:
                raise OutOfRange(f"one number for {quantity.name}", value, "only indexed symbols take a sequence")
            for entry in value:
                one(entry.item() if hasattr(entry, "item") else entry, values)
        else:
            one(value.item() if hasattr(value, "item") else value, values)

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


def holds(relation: sp.Rel, values: Mapping[str, Value]) -> bool | None:
    """Decide a relation at values in ball arithmetic: True, False, or None where the enclosures do not tell."""
    names = {s.name for s in relation.free_symbols}
    difference = ball.evaluate(relation.lhs - relation.rhs, {k: v for k, v in values.items() if k in names})
    low, high = difference.lower, difference.upper
    if isinstance(relation, sp.Eq):
        return True if low == high == 0 else (False if low > 0 or high < 0 else None)
    if isinstance(relation, sp.Ge | sp.Gt):
        low, high = -high, -low
    strict = isinstance(relation, sp.Lt | sp.Gt)
    if high < 0 or (high == 0 and not strict):
        return True
    return False if low > 0 or (low == 0 and strict) else None
