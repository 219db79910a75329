"""Enclosures: what enters, what comes out, and values beyond floats."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from spec.language.ball import Ball, evaluate, exact, is_sure
from spec.language.errors import MissingValue, OutOfRange
from spec.language.functions import Entry, MaxOver, SumOver, norm, phi1

a, b, n = sp.Symbol("a", nonnegative=True), sp.Symbol("b", real=True), sp.Symbol("n", integer=True, positive=True)
L, j = sp.Symbol("L", nonnegative=True), sp.Symbol("j", integer=True)


def arb(value: object) -> flint.arb:
    return flint.arb(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        (" -2 ", Fraction(-2)),
        (0.1, Fraction(0.1)),
        (7, Fraction(7)),
        (Fraction(2, 7), Fraction(2, 7)),
        (sp.Rational(2, 7), Fraction(2, 7)),
        (np.float64(0.1), Fraction(0.1)),
        (np.int64(5), Fraction(5)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
    ],
)
def test_numbers_enter_exactly(value: object, number: Fraction) -> None:
    entered = exact(value)
    assert Fraction(int(entered.p), int(entered.q)) == number


@pytest.mark.parametrize("value", [True, False, math.nan, "nan", "one", "1/0", "", None, [1], object(), 1j, a])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(OutOfRange, match="a number for depth"):
        exact(value, "depth")


def test_infinities_and_enclosures_enter() -> None:
    assert exact(math.inf) == arb("inf")
    assert exact("-inf") == -arb("inf")
    assert exact(Ball(arb(1) / 3)).overlaps(arb(1) / 3)
    assert exact(sp.sqrt(2)).overlaps(arb(2).sqrt())


def test_ends_are_directed() -> None:
    third = evaluate(sp.Rational(1, 3) + a, {"a": 0})
    assert Fraction(third.lower) < Fraction(1, 3) < Fraction(third.upper)
    assert math.nextafter(third.lower, 1) == third.upper


@given(st.fractions(min_value=-(10**9), max_value=10**9))
def test_ends_enclose_every_fraction(fraction: Fraction) -> None:
    found = evaluate(b, {"b": fraction})
    assert Fraction(found.lower) <= fraction <= Fraction(found.upper)
    assert math.nextafter(math.nextafter(found.lower, math.inf), math.inf) >= found.upper


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back_as_they_are(value: float) -> None:
    found = evaluate(b, {"b": value})
    assert found.lower == found.upper == value


@pytest.mark.parametrize(
    ("power", "upper", "lower", "text"),
    [
        (sp.Integer(10) ** 400, math.inf, 1.7976931348623157e308, "[9.99999e+399, 1.00001e+400]"),
        (-(sp.Integer(10) ** 400), -1.7976931348623157e308, -math.inf, "[-1.00001e+400, -9.99999e+399]"),
        (sp.Integer(2) ** 2000, math.inf, 1.7976931348623157e308, "[1.14813e+602, 1.14814e+602]"),
        (sp.Integer(10) ** -400, 5e-324, 0.0, "[9.99999e-401, 1.00001e-400]"),
        (sp.Integer(10) ** -320, math.nextafter(1e-320, 1), 1e-320, "[9.99999e-321, 1.00001e-320]"),
        (-(sp.Integer(10) ** -400), 0.0, -5e-324, "[-1.00001e-400, -9.99999e-401]"),
        (sp.Rational(1, 4), 0.25, 0.25, "0.25"),
        (sp.Integer(0), 0.0, 0.0, "0"),
    ],
)
def test_values_beyond_floats(power: sp.Expr, upper: float, lower: float, text: str) -> None:
    found = evaluate(b, {"b": power})
    assert found.upper == upper
    assert found.lower == lower
    assert str(found) == text


def test_infinite_and_undefined_are_said_in_words() -> None:
    assert str(Ball(arb("inf"))) == "infinite"
    assert str(Ball(arb("nan"))) == "undefined"
    assert Ball(arb("nan")).upper == math.inf
    assert Ball(arb("nan")).lower == -math.inf
    assert not Ball(arb("inf")).is_finite
    assert Ball(arb("inf")).upper == math.inf


def test_logarithms_of_what_is_beyond_floats() -> None:
    huge = evaluate(sp.exp(a), {"a": 10**6})
    assert huge.is_finite
    assert huge.upper == math.inf
    assert huge.log10_upper == pytest.approx(10**6 / math.log(10), rel=1e-12)
    assert str(huge) == "[10^434294, 10^434295]"


def test_precision_rises_until_the_digits_are_sure() -> None:
    cancelling = evaluate((1 + a) ** 2 - 1 - 2 * a - a**2 + sp.exp(-600) * a, {"a": 1})
    assert 0 < cancelling.lower <= cancelling.upper
    assert cancelling.upper == pytest.approx(math.exp(-600), rel=1e-12)


def test_precision_is_restored() -> None:
    before = flint.ctx.prec
    evaluate(sp.exp(-1000) + a - a, {"a": 1})
    with pytest.raises(OutOfRange):
        evaluate(norm(b), {"b": 1})
    assert flint.ctx.prec == before


def test_missing_values_are_named() -> None:
    with pytest.raises(MissingValue, match="none for b"):
        evaluate(a + b, {"a": 1})


def test_sequences_enter_entry_by_entry() -> None:
    total = SumOver(Entry(L, j) * 2, j, n)
    assert evaluate(total, {"L": ["0.1", 0.5, 1], "n": 3}).upper == pytest.approx(3.2)
    assert evaluate(total, {"L": np.array([1.0, 2.0]), "n": 2}).upper == 6
    assert evaluate(total, {"L": 1, "n": 4}).upper == 8
    for others in ([1, 2], [1, 2, 3, 9], []):
        with pytest.raises(MissingValue, match=f"needs 3 values of L; found {len(others)}; give n values"):
            evaluate(total, {"L": others, "n": 3})
    with pytest.raises(OutOfRange, match="one number for L"):
        evaluate(total + L, {"L": [1, 2], "n": 2})


def test_counts_are_integers() -> None:
    total = SumOver(j, j, n)
    assert (
        evaluate(total, {"n": 4}).upper == evaluate(total, {"n": 4.0}).upper == evaluate(total, {"n": "4"}).upper == 6
    )
    for wrong in (2.5, "5/2", Ball(arb(2)), math.inf):
        with pytest.raises(OutOfRange, match="an integer for n"):
            evaluate(total, {"n": wrong})


@pytest.mark.parametrize(
    "expr", [norm(b), sp.Heaviside(a), sp.Integral(sp.exp(a**2), (a, 0, 1)), SumOver(j, j, sp.sqrt(n)), sp.zoo * b]
)
def test_what_has_no_value_is_refused(expr: sp.Expr) -> None:
    with pytest.raises(OutOfRange):
        evaluate(expr, {"a": 1, "b": 1, "n": 2})


@pytest.mark.parametrize(
    ("ball", "sure"),
    [
        (arb(1), True),
        (arb(0), True),
        (arb("inf"), True),
        (arb("nan"), False),
        (arb(1) / 3, True),
        (arb("0.1 +/- 0.01"), False),
        (arb("0 +/- 1e-30"), False),
        (arb("0 +/- inf"), False),
    ],
)
def test_sure_means_digits_zero_or_infinity(ball: flint.arb, sure: bool) -> None:
    flint.ctx.prec = 64
    try:
        assert is_sure(ball) is sure
    finally:
        flint.ctx.prec = 53


def test_enclosures_as_values_give_enclosures() -> None:
    flint.ctx.prec = 53
    found = evaluate(phi1(b), {"b": Ball(arb("0 +/- 0.5"))})
    assert found.lower <= 2 * (1 - math.exp(-0.5)) <= 1 <= 2 * (math.exp(0.5) - 1) <= found.upper
    assert found.upper < 1.4


def test_exact_powers_do_not_overflow() -> None:
    """Counts like (2R)^d leave 64-bit integers behind; here they stay exact."""
    count = evaluate((2 * a) ** n, {"a": 3, "n": 30})
    assert Fraction(count.lower) <= 6**30 <= Fraction(count.upper)
    assert 6**30 == 221073919720733357899776
    assert evaluate((2 * a) ** n, {"a": np.int64(3), "n": np.int64(30)}).upper == float(6**30)
    assert str(evaluate((1 + 2 * a) ** n, {"a": 1000, "n": 1000})) == "[1.76639e+3301, 1.7664e+3301]"
    assert evaluate(sp.ceiling((2 * a) ** 30), {"a": 3}).lower <= 6**30


def test_maxima_take_integers() -> None:
    top = MaxOver(j * (5 - j), j, 1, n, 5, 2)
    assert evaluate(top, {"n": 4}).upper == 6
