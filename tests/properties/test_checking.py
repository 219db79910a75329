"""The one place that compares: verdicts to the last digit, and assertions that fail when they should."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given

from properties import checking
from properties.checking import (
    HOLDS,
    UNDECIDED,
    UNMET,
    VIOLATED,
    Batch,
    Exhibit,
    Need,
    NotFiniteMeasurement,
    Property,
    judge,
)
from properties.descriptor import Descriptor, Integer, Space
from spec.language.assumption import Assumptions
from spec.language.ball import Ball, evaluate
from spec.language.functions import Ratio
from spec.language.proof import argued
from spec.language.quantity import Vocabulary
from spec.language.theorem import Claim, Measured, Theorem

VOCABULARY = Vocabulary()
a = VOCABULARY.symbol("a", "a", "a number")
b = VOCABULARY.symbol("b", "b", "another")
w = VOCABULARY.variable("w", "w", "a real number")
REGISTER = Assumptions()
ABOVE = REGISTER.add("above", "a ≥ b.", premise=sp.Ge(a, b, evaluate=False))
SMALL = REGISTER.add("small", "w is small.")
LEMMA = argued("lemma", sp.Le(w, a, evaluate=False), "toy", free=(w,))


def claims(relation: str = "<=", bound: sp.Expr = a, *, tight: bool = False) -> Theorem:
    claim = Claim("claim", Measured("w", w, "toy:toy"), relation, bound, ("lemma",), tight, (w,))
    return Theorem("toys/checked", "Checked", "toy", (SMALL,), (claim,), (LEMMA,), VOCABULARY)


def verdict(measured: Any, error: Any, value: Any, relation: str = "<=", bound: sp.Expr = a) -> tuple[str, float, bool]:
    one = claims(relation, bound)
    found = judge(one, one.headline, Batch([measured], [error], {"a": value}))
    return found.verdict[0], found.ratio[0], found.trivial[0]


@pytest.mark.parametrize(
    ("measured", "error", "value", "expected"),
    [
        (1.0, 0.0, 1.0, HOLDS),
        (0.5, 0.5, 1.0, HOLDS),
        (0.5, 0.6, 1.0, UNDECIDED),
        (1.5, 0.5, 1.0, UNDECIDED),
        (1.5, 0.4, 1.0, VIOLATED),
        (math.nextafter(1, 2), 0.0, 1.0, VIOLATED),
        (1.0, 2.0**-60, 1.0, UNDECIDED),
        (1.0 - 2.0**-53, 2.0**-53, 1.0, HOLDS),
        (1.0 + 2.0**-52, 2.0**-60, 1.0, VIOLATED),
        (1.0, 0.0, math.inf, HOLDS),
        (1.0, math.inf, 1.0, UNDECIDED),
        (-1.0, 0.0, 0.0, HOLDS),
        (np.float64(2.0), np.float64(0.0), 1.0, VIOLATED),
    ],
)
def test_floats_are_compared_exactly(measured: float, error: float, value: float, expected: str) -> None:
    """measured + error and measured − error are not rounded before they meet the bound."""
    assert verdict(measured, error, value)[0] == expected


def test_the_outer_end_of_the_bound_counts() -> None:
    third = a / 3
    above, below = math.nextafter(1 / 3, 1), 1 / 3
    assert Fraction(below) < Fraction(1, 3) < Fraction(above)
    assert verdict(below, 0.0, 1, bound=third)[0] == HOLDS
    assert verdict(above, 0.0, 1, bound=third)[0] == HOLDS
    assert verdict(math.nextafter(above, 1), 0.0, 1, bound=third)[0] == VIOLATED
    assert verdict(below, 0.0, 1, ">=", third)[0] == HOLDS
    assert verdict(math.nextafter(below, 0), 0.0, 1, ">=", third)[0] == VIOLATED


@pytest.mark.parametrize(
    ("measured", "error", "value", "expected"),
    [
        (1.0, 0.0, 1.0, HOLDS),
        (1.5, 0.5, 1.0, HOLDS),
        (0.9, 0.2, 1.0, UNDECIDED),
        (0.5, 0.4, 1.0, VIOLATED),
        (math.nextafter(1, 0), 0.0, 1.0, VIOLATED),
    ],
)
def test_lower_bounds(measured: float, error: float, value: float, expected: str) -> None:
    assert verdict(measured, error, value, ">=")[0] == expected


@pytest.mark.parametrize(
    ("measured", "error", "bound", "expected"),
    [
        (1.0, 0.0, a, HOLDS),
        (1.0 + 2.0**-52, 2.0**-52, a, HOLDS),
        (1.0 + 2.0**-51, 2.0**-52, a, VIOLATED),
        (1 / 3, 0.0, a / 3, UNDECIDED),
        (1 / 3, 2.0**-53, a / 3, HOLDS),
        (0.34, 0.001, a / 3, VIOLATED),
        (Fraction(1, 3), 0, a / 3, HOLDS),
        (Fraction(1, 3) + Fraction(1, 10**400), 0, a / 3, VIOLATED),
        (Ball(evaluate(sp.Rational(1, 3) + 0 * a, {}).arb), 0, a / 3, UNDECIDED),
        (Fraction(34, 100), 0, a / 3, VIOLATED),
    ],
)
def test_identities(measured: Any, error: float, bound: sp.Expr, expected: str) -> None:
    assert verdict(measured, error, 1, "=", bound)[0] == expected


@pytest.mark.parametrize(
    ("measured", "value", "bound", "expected"),
    [
        (1, 1, a, HOLDS),
        (10**30 + 1, 10**30, a, VIOLATED),
        (10**30, 10**30, a, HOLDS),
        (Fraction(1, 3), 1, a / 3, HOLDS),
        (Fraction(1, 3), "0.999", a / 3, VIOLATED),
        (sp.sqrt(2), 2, sp.sqrt(a), HOLDS),
        (sp.sqrt(2) + sp.Rational(1, 10**9), 2, sp.sqrt(a), VIOLATED),
        (sp.exp(-2), 2, sp.exp(-a), HOLDS),
        (0, 0, a, HOLDS),
        (1, math.inf, a, HOLDS),
        (Ball(evaluate(sp.pi + 0 * a, {}).arb), 3, a, VIOLATED),
        (Ball(evaluate(sp.pi + 0 * a, {}).arb), 4, a, HOLDS),
        (Ball(evaluate(sp.pi + 0 * a, {}).arb), sp.pi, a, UNDECIDED),
    ],
)
def test_exact_numbers_are_decided_exactly(measured: Any, value: Any, bound: sp.Expr, expected: str) -> None:
    assert verdict(measured, 0, value, bound=bound)[0] == expected


def test_ratios_and_trivial_instances() -> None:
    assert verdict(0.5, 0.0, 1.0) == (HOLDS, 0.5, False)
    assert verdict(0.0, 0.0, 0.0) == (HOLDS, 0.0, True)
    assert verdict(0, 0, 0) == (HOLDS, 1.0, True)
    assert verdict(1.0, 0.0, math.inf)[2]
    assert verdict(1, 0, math.inf)[2]
    assert verdict(2.0, 0.0, 0.0)[1] == math.inf
    assert verdict(2.0, 0.0, 1.0, ">=") == (HOLDS, 0.5, False)
    assert verdict(0.0, 0.0, 0.0, ">=") == (HOLDS, 1.0, True)
    assert verdict(Fraction(1, 4), 0, 1)[1] == pytest.approx(0.25, rel=1e-15)


def test_undefined_bounds_are_no_evidence() -> None:
    """0/0 is no bound: nothing holds against it."""
    for measured in (0.0, 0, 5.0):
        found, ratio, trivial = verdict(measured, 0, 0, bound=Ratio(a, a))
        assert (found, trivial) == (UNDECIDED, True)
        assert math.isnan(ratio)


@pytest.mark.parametrize(
    ("measured", "error"),
    [
        (math.nan, 0.0),
        (math.inf, 0.0),
        (-math.inf, 0.0),
        (1.0, math.nan),
        (1.0, -1e-9),
        (sp.oo, 0),
        (Ball(evaluate(sp.oo + 0 * a, {}).arb), 0),
    ],
)
def test_what_is_no_measurement_is_refused(measured: Any, error: float) -> None:
    with pytest.raises(NotFiniteMeasurement):
        verdict(measured, error, 1.0)


def test_premises_that_fail_are_counted_apart() -> None:
    premised = replace(claims(bound=a - b), assumptions=(ABOVE,))
    found = judge(premised, premised.headline, Batch([0.5, 0.5], [0.0, 0.0], {"a": [2.0, 1.0], "b": 1.5}))
    assert found.verdict == [HOLDS, UNMET]


def test_batches_give_each_instance_its_values() -> None:
    arrays = {"a": np.array([3.0, 4.0]), "L": np.array([[1.0, 2.0], [3.0, 4.0]])}
    batch = Batch([1.0, 2.0], [0.0, 0.0], {**arrays, "T": 5, "K": [6, 7]})
    assert len(batch) == 2
    assert batch.at(1) == {"a": 4.0, "L": [3.0, 4.0], "T": 5, "K": 7}
    assert type(batch.at(0)["a"]) is float


def test_the_worst_is_a_violation_before_a_large_ratio() -> None:
    one = claims()
    found = judge(one, one.headline, Batch([0.99, 0.2, 0.5], [0.0, 0.0, 0.0], {"a": [1.0, 0.1, 1.0]}))
    assert found.worst == 1
    assert judge(one, one.headline, Batch([], [], {"a": []})).verdict == []


def test_mutants_take_the_place_of_the_bound() -> None:
    one = claims()
    assert judge(one, one.headline, Batch([1.0], [0.0], {"a": 1.0}), a / 2).verdict == [VIOLATED]


# Assertions.

SPACE = Space({"batch": Integer(1, 3)})


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    return {"claim": Batch(np.full(descriptor["batch"], 0.5), np.zeros(descriptor["batch"]), {"a": 1.0})}


def toy(theorem: Theorem, **changes: Any) -> Property:
    """Return a property of a theorem that no register knows."""
    parts: dict[str, Any] = {
        "slug": theorem.slug,
        "space": SPACE,
        "check": check,
        "exhibits": (Exhibit("full", lambda: {"claim": Batch([1, Fraction(1, 2)], [0, 0], {"a": 1})}),),
        "sharp": {"claim": "full"},
        "needs": {"small": Need(lambda: ({"claim": Batch([2], [0], {"a": 1})}, {"small": False}))},
    }
    made = Property(**{**parts, **changes})
    made.__dict__["theorem"] = theorem
    return made


GOOD = toy(claims(tight=True))
FIRST = SPACE.sample("toy", 0)


def batch(measured: list[Any], error: float = 0.0, value: Any = 1) -> Mapping[str, Batch]:
    return {"claim": Batch(measured, [error] * len(measured), {"a": value})}


@given(SPACE.strategy())
def test_a_good_property_holds(descriptor: Descriptor) -> None:
    checking.assert_holds(GOOD, descriptor)
    assert GOOD.descriptor(0, 1) == GOOD.descriptor(0, 1)


def test_a_good_property_passes() -> None:
    checking.assert_exhibits_hold(GOOD)
    checking.assert_sharp(GOOD)
    checking.assert_need(GOOD, "small")
    checking.assert_every_assumption_has_its_need(GOOD)
    assert checking.sharp_ratio(GOOD, "claim") == 1.0
    assert checking.judged(GOOD, check(FIRST))["claim"].verdict[0] == HOLDS


def test_a_violation_fails_with_its_replay() -> None:
    wrong = toy(claims(), check=lambda _: batch([0.5, 2.0], 0.0, 1.0))
    with pytest.raises(AssertionError, match=r"ratio 2, instance 1 of .*replay: mfc verify toys/checked --instance"):
        checking.assert_holds(wrong, FIRST)


def test_nothing_measured_fails() -> None:
    with pytest.raises(AssertionError, match="measures nothing"):
        checking.assert_holds(toy(claims(), check=lambda _: {}), FIRST)


@pytest.mark.parametrize("measured", [[2], [Ball(evaluate(sp.pi + 0 * a, {}).arb)], []])
def test_exhibits_that_do_not_hold_fail(measured: list[Any]) -> None:
    exhibit = Exhibit("wrong", lambda: batch(measured, 0, sp.pi if measured and measured[0] != 2 else 1))
    with pytest.raises(AssertionError):
        checking.assert_exhibits_hold(toy(claims(), exhibits=(exhibit,)))


def test_no_exhibits_fail() -> None:
    with pytest.raises(AssertionError, match="no exact instances"):
        checking.assert_exhibits_hold(toy(claims(), exhibits=()))


@pytest.mark.parametrize(
    ("measured", "value", "reached"), [([Fraction(98, 100)], 1, True), ([0], 0, False), ([Fraction(1, 3)], 1, False)]
)
def test_sharpness_is_what_is_promised(measured: list[Any], value: Any, reached: bool) -> None:
    """Tight claims promise 0.99, others half; 0 against 0 reaches nothing."""
    exhibits = (Exhibit("full", lambda: batch(measured, 0, value)),)
    loose, tight = toy(claims(), exhibits=exhibits), toy(claims(tight=True), exhibits=exhibits)
    if reached:
        checking.assert_sharp(loose)
    else:
        with pytest.raises(AssertionError, match="reaches"):
            checking.assert_sharp(loose)
    with pytest.raises(AssertionError, match="reaches"):
        checking.assert_sharp(tight)


def test_claims_without_a_sharp_instance_fail() -> None:
    with pytest.raises(KeyError):
        checking.assert_sharp(toy(claims(), sharp={}))


@pytest.mark.parametrize(
    ("measured", "met"),
    [
        (Fraction(1, 2), {"small": False}),
        (2, {"small": True}),
        (2, {}),
    ],
)
def test_a_need_is_a_violation_where_the_assumption_alone_fails(measured: Any, met: dict[str, bool]) -> None:
    two = replace(claims(), assumptions=(SMALL, replace(SMALL, name="other")))
    needs = {"small": Need(lambda: (batch([measured]), {"other": True, **met}))}
    shown = checking.need_is_shown(toy(two, needs=needs), "small")
    assert shown is (measured == 2 and met.get("small") is not True)
    if not shown:
        with pytest.raises(AssertionError, match="does not show the need of small"):
            checking.assert_need(toy(two, needs=needs), "small")


@pytest.mark.parametrize("met", [{}, {"other": False}])
def test_a_need_verifies_every_other_assumption(met: dict[str, bool]) -> None:
    two = replace(claims(), assumptions=(SMALL, replace(SMALL, name="other")))
    needs = {"small": Need(lambda: (batch([2]), met))}
    assert not checking.need_is_shown(toy(two, needs=needs), "small")
    assert checking.need_is_shown(toy(two, needs=needs, structural={"other": "fixes the objects"}), "small")


def test_a_need_may_be_that_nothing_is_defined() -> None:
    assert checking.need_is_shown(toy(claims(), needs={"small": Need(undefined="w is not there")}), "small")
    assert not checking.need_is_shown(toy(claims(), needs={"small": Need()}), "small")


def test_every_assumption_has_a_need_or_a_reason() -> None:
    with pytest.raises(AssertionError, match="small"):
        checking.assert_every_assumption_has_its_need(toy(claims(), needs={}))
    with pytest.raises(AssertionError, match="stray"):
        checking.assert_every_assumption_has_its_need(toy(claims(), structural={"stray": "?"}))
    checking.assert_every_assumption_has_its_need(toy(claims(), needs={}, structural={"small": "fixes the objects"}))
    assert checking.measurements([batch([1, 2])], "claim") == [(1, 0.0, {"a": 1}), (2, 0.0, {"a": 1})]
    assert checking.measurements([batch([1])], "other") == []
