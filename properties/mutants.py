"""Mutants of a bound, and what catches each: an instance, a sharp ratio that falls short, or a refuted proof fact.

A mutant is the bound with a summand dropped, a factor halved or dropped, or a symbol replaced by another of its
dimension and role; derived symbols are unfolded, so constants deep inside are mutated too.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from properties.checking import VIOLATED, Property, exhibit_batches, judge_one, measurements
from spec.language import families, smt
from spec.language import functions as fn
from spec.language.errors import ConditionError
from spec.language.quantity import Quantity
from spec.language.theorem import Claim, Theorem

BY_INSTANCE, BY_SHARPNESS, BY_PROOF, EQUIVALENT, SURVIVED = "instance", "sharpness", "proof", "equivalent", "survived"
TRIES = 400


@dataclass(frozen=True)
class Mutant:
    """A mutated bound and the change in words."""

    claim: str
    change: str
    expr: sp.Expr


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    caught: str
    detail: str


def mutants(theorem: Theorem, claim: Claim, given: frozenset[str] = frozenset()) -> list[Mutant]:
    """Return the mutants of a claim's bound, without repetitions; derived symbols are unfolded unless given.

    A symbol is replaced only by one that has a value too: given, or of the bound where nothing is given.
    """
    whole = theorem.unfolded(claim.bound, given)
    valued = given or {s.name for s in whole.free_symbols}
    found: dict[sp.Expr, str] = {whole / 2: "halve the bound", whole * 2: "double the bound"}
    for path, node in _walk(whole, ()):
        for change, new in _changes(theorem, node, valued):
            mutated = _replace(whole, path, new)
            if mutated != whole and mutated not in found:
                found[mutated] = f"{change} in {sp.sstr(node)}"
    return [Mutant(claim.name, change, expr) for expr, change in found.items()]


def _walk(e: sp.Expr, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], sp.Expr]]:
    yield path, e
    for i, part in enumerate(e.args):
        fixed = isinstance(e, fn.SumOver | fn.MaxOver | fn.Recurrence) and i > 0
        if isinstance(part, sp.Expr) and not fixed and not isinstance(e, fn.Entry | fn.Unit):
            yield from _walk(part, (*path, i))


def _replace(e: sp.Expr, path: tuple[int, ...], new: sp.Expr) -> sp.Expr:
    if not path:
        return new
    args = list(e.args)
    args[path[0]] = _replace(args[path[0]], path[1:], new)
    return e.func(*args)


def _changes(theorem: Theorem, node: sp.Expr, valued: Collection[str]) -> Iterator[tuple[str, sp.Expr]]:
    if isinstance(node, sp.Add):
        for term in node.args:
            yield f"drop the term {sp.sstr(term)}", node - term
            yield f"halve the term {sp.sstr(term)}", node - term / 2
    if isinstance(node, sp.Mul):
        for factor in node.args:
            if factor != -1 and not factor.is_Number:
                yield f"drop the factor {sp.sstr(factor)}", node / factor
    if isinstance(node, sp.Pow) and node.exp.is_Number and not node.base.is_Number:
        yield "drop the power", node.base
    if node.is_Symbol and node.name in theorem.vocabulary:
        mine = theorem.vocabulary[node.name]
        for other in theorem.quantities:
            alike = (other.dimension, other.integer, other.indexed) == (mine.dimension, mine.integer, mine.indexed)
            if alike and other.name != node.name and other.name in valued:
                yield f"{other.name} for {node.name}", theorem.vocabulary.atom(other.name)


def fate(
    prop: Property,
    mutant: Mutant,
    evidence: Sequence[tuple[Any, Any, dict[str, Any]]],
    sharp: Sequence[tuple[Any, Any, dict[str, Any]]],
) -> Outcome:
    """Return what catches a mutant: an instance that violates it, the sharp one that it loosens, or a refuted fact."""
    theorem, claim = prop.theorem, prop.theorem.claim(mutant.claim)
    text = f"{mutant.claim}: {mutant.change}"
    if text in prop.equivalent:
        return Outcome(mutant, EQUIVALENT, prop.equivalent[text])
    reached: float | None = None  # stays None where the mutant speaks of symbols without a value: no evidence
    for measured, error, values in sharp:
        row = _safe(theorem, claim, mutant.expr, measured, error, values)
        if row is None:
            continue
        if row[0] == VIOLATED:
            return Outcome(mutant, BY_INSTANCE, f"sharp instance, ratio {row[1]:.4g}")
        reached = max(reached or 0.0, row[1] if math.isfinite(row[1]) else 0.0)
    if reached is not None and reached < claim.promised:
        return Outcome(mutant, BY_SHARPNESS, f"the sharp instance reaches only {reached:.4g}")
    for measured, error, values in evidence:
        row = _safe(theorem, claim, mutant.expr, measured, error, values)
        if row is not None and row[0] == VIOLATED:
            return Outcome(mutant, BY_INSTANCE, f"ratio {row[1]:.4g}")
    refuted = _refuted(theorem, claim, mutant)
    return Outcome(mutant, BY_PROOF, refuted) if refuted else Outcome(mutant, SURVIVED, f"sharp ratio {reached}")


def _safe(
    theorem: Theorem, claim: Claim, expr: sp.Expr, measured: Any, error: Any, values: Mapping[str, Any]
) -> tuple[str, float] | None:
    known = {q.name for q in theorem.quantities} | {s.name for s in expr.free_symbols}
    try:
        used = {name: value for name, value in values.items() if name in known}
        verdict, _, ratio, trivial = judge_one(theorem, claim, expr, measured, error, used)
    except ConditionError:
        return None
    return verdict, 0.0 if trivial else ratio


def _refuted(theorem: Theorem, claim: Claim, mutant: Mutant) -> str:
    """Look for exact, in-range values at which a link before the bound surely exceeds the mutant (by balls)."""
    facts = {f.name: f for f in theorem.facts}
    links = [
        side
        for name in claim.spine
        for side in (facts[name].statement.relation.lhs, facts[name].statement.relation.rhs)
    ]
    generator = np.random.Generator(np.random.Philox(key=len(mutant.change)))
    for link in reversed(links):
        if smt.canonical(link) == smt.canonical(claim.bound):
            continue
        left_names, right_names = theorem.constants(link), theorem.constants(mutant.expr)
        if left_names is None or right_names is None:
            continue
        sides = [theorem.unfolded(e) for e in (link, mutant.expr)]
        listed = {e.args[0].name for side in sides for e in side.atoms(fn.Entry)}
        for _ in range(TRIES):
            values = _random_values({q.name: q for q in [*left_names, *right_names]}, listed, generator)
            for name, lengths in families.lengths(sp.Tuple(*sides)).items():
                values[name] = values[name][: families.expected(lengths, values)]
            try:
                left, right = (theorem.evaluate_expression(side, values) for side in sides)
            except ConditionError:
                continue
            if left.arb < right.arb if claim.relation == ">=" else left.arb > right.arb:
                return f"{sp.sstr(link)} passes the mutant at {values}"
    return ""


def _random_values(
    quantities: Mapping[str, Quantity], listed: set[str], generator: np.random.Generator
) -> dict[str, Any]:
    """Draw exact, in-range values, several for the listed ones; ends that are no numbers are checked on evaluation."""
    values: dict[str, Any] = {}
    for name, quantity in sorted(quantities.items()):
        low = float(quantity.range.low) if quantity.range.low.is_number else 0.0
        high = float(quantity.range.high) if quantity.range.high.is_number else math.inf
        count = 6 if name in listed else 1
        drawn: list[Any]
        if quantity.integer:
            drawn = [int(max(low, 0)) + int(j) for j in generator.integers(0, 6, count)]
        elif math.isfinite(high) and math.isfinite(low):
            drawn = [
                Fraction(low) + Fraction(int(j), 1000) * Fraction(high - low)
                for j in generator.integers(1, 1000, count)
            ]
        else:
            drawn = [Fraction(max(low, 0.0)) + Fraction(10.0 ** float(x)) for x in generator.uniform(-2, 2, count)]
        values[name] = drawn if name in listed else drawn[0]
    return values


def outcomes(
    prop: Property,
    claim: Claim,
    evidence: Sequence[tuple[Any, Any, dict[str, Any]]],
    sharp: Sequence[tuple[Any, Any, dict[str, Any]]],
) -> list[Outcome]:
    """Return the fate of every mutant of a claim."""
    given = frozenset(sharp[0][2]) if sharp else frozenset()
    return [fate(prop, mutant, evidence, sharp) for mutant in mutants(prop.theorem, claim, given)]


def assert_mutants_are_caught(prop: Property, descriptors: int = 4) -> None:
    """Assert that every mutant is caught or is listed as equivalent, and that every listed one exists."""
    batches = [e.build() for e in prop.exhibits] + [prop.check(prop.descriptor(0, i)) for i in range(descriptors)]
    survivors, planted = [], set()
    for claim in prop.theorem.claims:
        sharp = measurements([exhibit_batches(prop, prop.sharp[claim.name])], claim.name)
        for outcome in outcomes(prop, claim, measurements(batches, claim.name), sharp):
            planted.add(f"{claim.name}: {outcome.mutant.change}")
            if outcome.caught == SURVIVED:
                survivors.append(f"{claim.name}: {outcome.mutant.change} ({outcome.detail})")
    assert not survivors, f"{prop.slug}: {len(survivors)} mutants survive:\n" + "\n".join(survivors)
    assert set(prop.equivalent) <= planted, f"{prop.slug}: no such mutants: {set(prop.equivalent) - planted}"
