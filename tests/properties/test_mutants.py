"""Mutants of a bound: which are made, and what catches each; a bound that is checked too loosely lets some survive."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from properties import mutants
from properties.checking import Batch, Exhibit, Property
from properties.descriptor import Integer, Space
from properties.mutants import BY_INSTANCE, BY_PROOF, BY_SHARPNESS, EQUIVALENT, SURVIVED
from spec.language.dimension import DEPTH, PURE
from spec.language.functions import Entry, SumOver, Unit
from spec.language.proof import argued, inequality
from spec.language.quantity import Vocabulary, at_least, between
from spec.language.theorem import Claim, Measured, Theorem

VOCABULARY = Vocabulary()
a = VOCABULARY.symbol("a", "a", "a number")
b = VOCABULARY.symbol("b", "b", "another")
T = VOCABULARY.symbol("T", "T", "a depth", DEPTH)
n = VOCABULARY.symbol("n", "n", "a count", PURE, at_least(1), integer=True)
share = VOCABULARY.symbol("share", "s", "a share", PURE, between(0, 1))
L = VOCABULARY.symbol("L", "L", "numbers by index", PURE, indexed=True)
both = VOCABULARY.symbol("both", "c", "both", PURE, definition=a + b)
w = VOCABULARY.variable("w", "w", "a real number")
j = VOCABULARY.variable("j", "j", "an index", PURE, at_least(0), integer=True)
LINK = inequality("link", sp.Le(a, a + b, evaluate=False))
LEMMA = argued("lemma", sp.Le(w, a, evaluate=False), "toy", free=(w,))


def theorem(bound: sp.Expr, *, tight: bool = True, spine: tuple[str, ...] = ("lemma", "link")) -> Theorem:
    claim = Claim("claim", Measured("w", w, "toy:toy"), "<=", bound, spine, tight, (w,))
    return Theorem("toys/mutated", "Mutated", "toy", (), (claim,), (LEMMA, LINK), VOCABULARY)


def changes(bound: sp.Expr, *given: str) -> dict[str, sp.Expr]:
    one = theorem(bound)
    return {m.change: m.expr for m in mutants.mutants(one, one.headline, frozenset(given))}


def toy(one: Theorem, measured: list[Any], values: dict[str, Any], **changes: Any) -> Property:
    exhibit = Exhibit("full", lambda: {"claim": Batch(measured, [0] * len(measured), values)})
    space = Space({"batch": Integer(1, 1)})
    parts: dict[str, Any] = {"exhibits": (exhibit,), "sharp": {"claim": "full"}, **changes}
    made = Property(one.slug, space, lambda _: {}, **parts)
    made.__dict__["theorem"] = one
    return made


def fates(prop: Property) -> dict[str, str]:
    claim = prop.theorem.headline
    batches = [e.build() for e in prop.exhibits]
    evidence = mutants.measurements(batches, claim.name)
    sharp = mutants.measurements([prop.exhibits[0].build()], claim.name)
    return {o.mutant.change: o.caught for o in mutants.outcomes(prop, claim, evidence, sharp)}


def test_bounds_are_halved_and_doubled() -> None:
    made = changes(a)
    assert made["halve the bound"] == a / 2
    assert made["double the bound"] == 2 * a


def test_terms_and_factors_are_dropped() -> None:
    made = changes(a + 2 * b * share)
    assert made[f"drop the term a in {a + 2 * b * share}"] == 2 * b * share
    assert made[f"halve the term a in {a + 2 * b * share}"] == a / 2 + 2 * b * share
    assert made[f"drop the factor b in {2 * b * share}"] == a + 2 * share
    assert "drop the factor 2" not in " ".join(made)


def test_powers_are_dropped_deep_inside() -> None:
    assert changes(sp.exp(a**2) + 1)["drop the power in a**2"] == sp.exp(a) + 1


def test_symbols_are_swapped_for_like_ones_only() -> None:
    made = changes(a * T / (T + T * n) + b * sp.exp(-share))
    swapped = {change for change in made if " for " in change}
    assert swapped == {f"{new} for {old} in {old}" for old in (a, b, share) for new in (a, b, share) if old != new}


def test_derived_symbols_are_unfolded_unless_given() -> None:
    assert f"drop the term 2*a in {2 * a + 2 * b}" in changes(2 * both)
    assert not any("term" in change for change in changes(2 * both, "both"))


def test_only_symbols_with_values_take_the_place_of_others() -> None:
    assert any("b for a" in change for change in changes(a + b))
    assert not any("b for a" in change for change in changes(a + b, "a"))


def test_what_a_node_runs_over_and_units_stay() -> None:
    made = changes(SumOver(Entry(L, j) * a, j, n) * Unit(0, 0, 0))
    assert all(expr.atoms(SumOver) for change, expr in made.items() if "SumOver" not in change and "sum(" not in change)
    assert not any("for n" in change for change in made)


def test_mutants_do_not_repeat() -> None:
    made = mutants.mutants(theorem(a + b), theorem(a + b).headline)
    assert len({m.expr for m in made}) == len(made)
    assert all(m.expr != a + b for m in made)


def test_instances_and_sharpness_catch() -> None:
    found = fates(toy(theorem(2 * a), [6, Fraction(1, 2)], {"a": [3, Fraction(1, 4)]}))
    assert found["halve the bound"] == BY_INSTANCE
    assert found["double the bound"] == BY_SHARPNESS
    assert found[f"drop the factor a in {2 * a}"] == BY_INSTANCE


def test_a_loose_exhibit_lets_mutants_survive() -> None:
    loose = toy(theorem(2 * a, tight=False, spine=()), [Fraction(3, 2)], {"a": 1}, equivalent={})
    assert fates(loose)["double the bound"] == BY_SHARPNESS
    assert fates(loose)[f"drop the factor a in {2 * a}"] == SURVIVED
    with pytest.raises(AssertionError, match="1 mutants survive:\nclaim: drop the factor a"):
        mutants.assert_mutants_are_caught(loose, descriptors=0)


def test_zeros_catch_nothing() -> None:
    """Where both sides are 0, neither a doubled bound nor a halved one is caught."""
    found = fates(toy(theorem(2 * a, tight=False), [0], {"a": 0}))
    assert found["double the bound"] == BY_SHARPNESS
    assert found["halve the bound"] == BY_SHARPNESS


def test_a_link_of_the_proof_catches() -> None:
    """Without b the bound is below a + b, which the proof has shown to be needed on the way."""
    chained = theorem(a + b + share, spine=("lemma", "link"))
    prop = toy(chained, [1], {"a": 1, "b": 0, "share": 0})
    found = fates(prop)
    assert found[f"drop the term share in {a + b + share}"] == SURVIVED
    assert found[f"drop the term b in {a + b + share}"] == BY_PROOF
    assert found[f"drop the term a in {a + b + share}"] == BY_INSTANCE


def test_equivalent_mutants_are_listed_with_reasons_and_exist() -> None:
    change = f"claim: drop the factor a in {2 * a}"
    one = theorem(2 * a, tight=False, spine=())
    listed = toy(one, [Fraction(3, 2)], {"a": 1}, equivalent={change: "a = 1 here"})
    assert fates(listed)[change.removeprefix("claim: ")] == EQUIVALENT
    mutants.assert_mutants_are_caught(listed, descriptors=0)
    stray = toy(one, [Fraction(3, 2)], {"a": 1}, equivalent={change: "a = 1 here", "claim: nothing": "?"})
    with pytest.raises(AssertionError, match="no such mutants"):
        mutants.assert_mutants_are_caught(stray, descriptors=0)


def test_mutants_without_a_value_are_no_evidence() -> None:
    """A mutant that is undefined or out of range on an instance is neither caught nor cleared there."""
    one = theorem(a + b)
    mutant = mutants.Mutant("claim", "by hand", sp.log(a) + T)
    prop = toy(one, [1], {"a": 1, "b": 0})
    sharp = mutants.measurements([prop.exhibits[0].build()], "claim")
    assert mutants.fate(prop, mutant, sharp, sharp).caught == SURVIVED


def test_random_values_lie_in_their_ranges() -> None:
    generator = np.random.Generator(np.random.Philox(key=1))
    for _ in range(50):
        drawn = mutants._random_values({q.name: q for q in VOCABULARY if q.role == "constant"}, {"L"}, generator)
        assert drawn["n"] >= 1
        assert 0 <= drawn["share"] <= 1
        assert drawn["a"] >= 0
        assert len(drawn["L"]) == 6
