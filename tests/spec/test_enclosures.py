"""The theory's functions at their corners: at and around 0, beyond floats, on wide balls, where 0/0 would stand."""

import math
from collections.abc import Callable, Iterator

import flint
import mpmath
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from spec.language import enclosures
from spec.language.ball import Ball, evaluate
from spec.language.errors import MissingValue, OutOfRange
from spec.language.functions import MaxOver, geom, phi1

mpmath.mp.dps = 200
z, t, n = sp.Symbol("z", real=True), sp.Symbol("t", nonnegative=True), sp.Symbol("n", integer=True, positive=True)
C, B, m = sp.Symbol("C", integer=True, positive=True), sp.Symbol("B", nonnegative=True), sp.Symbol("m", integer=True)
INFINITE, UNDEFINED = flint.arb("inf"), flint.arb("nan")


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    flint.ctx.prec = 64
    yield
    flint.ctx.prec = 53


@pytest.mark.parametrize(
    ("at", "upper"),
    [
        (0, 1.0),
        (0.0, 1.0),
        (-0.0, 1.0),
        (1e-17, 1.0 + 5e-18),
        ("1e-400", 1.0),
        (-1e-17, 1.0),
        (1, math.e - 1),
        (-1e6, 1e-6),
        (-math.inf, 0.0),
        (800, math.inf),
        (math.inf, math.inf),
    ],
)
def test_phi1_has_no_corner_at_0(at: object, upper: float) -> None:
    found = evaluate(phi1(z), {"z": at})
    assert found.upper == pytest.approx(upper, rel=1e-15)
    assert not found.arb.is_nan()


@pytest.mark.parametrize(
    ("growth", "text"),
    [
        (0, "2"),
        ("1e-17", "[2, 2.00001]"),
        (400, "[6.81593e+344, 6.81594e+344]"),
        (800, "[9.29139e+691, 9.2914e+691]"),
        (10**6, "[10^868582, 10^868583]"),
    ],
)
def test_growth_over_depth_at_small_and_large_rates(growth: object, text: str) -> None:
    """(e^{LT} − 1)/L at T = 2: 2 at L = 0, and no overflow at L = 400 and beyond, where it is e^{2L}/L."""
    found = evaluate(t * phi1(z * t), {"z": growth, "t": 2})
    assert str(found) == text
    assert found.is_finite


def test_small_rates_keep_all_digits() -> None:
    found = evaluate(phi1(z) - 1, {"z": "1e-30"})
    assert found.upper == pytest.approx(5e-31, rel=1e-14)


@given(st.fractions(-50, 50), st.integers(0, 9))
def test_phi1_and_geom_enclose_the_truth(at: sp.Rational, terms: int) -> None:
    truth = mpmath.mpf(at.numerator) / at.denominator
    rising = evaluate(phi1(z), {"z": at})
    exact = mpmath.expm1(truth) / truth if truth else mpmath.mpf(1)
    assert mpmath.mpf(rising.lower) <= exact <= mpmath.mpf(rising.upper)
    summed = evaluate(geom(z, n), {"z": at, "n": terms + 1})
    exact = sum((1 + truth) ** power for power in range(terms + 1))
    assert mpmath.mpf(summed.lower) <= exact <= mpmath.mpf(summed.upper)


@pytest.mark.parametrize(
    ("at", "terms", "upper"),
    [(0, 5, 5.0), ("1e-400", 5, 5.0), (1, 3, 7.0), (-1, 3, 1.0), (-2, 3, 1.0), (-2, 2, 0.0), ("1e-20", 10**6, 1e6)],
)
def test_geometric_sums_at_their_corners(at: object, terms: int, upper: float) -> None:
    assert evaluate(geom(z, n), {"z": at, "n": terms}).upper == pytest.approx(upper, rel=1e-13)


def test_geometric_sums_of_infinite_ratios() -> None:
    assert enclosures.geom(INFINITE, 1) == 1
    assert enclosures.geom(INFINITE, 2) == INFINITE
    assert enclosures.geom(flint.arb(3), 0) == 0


@pytest.mark.parametrize(
    "f", [enclosures.phi1, lambda x: enclosures.geom(x, 3), enclosures.sqrt, lambda x: enclosures.root(x, 3), abs]
)
def test_undefined_stays_undefined(f: Callable[[flint.arb], flint.arb]) -> None:
    assert f(UNDEFINED).is_nan()


@pytest.mark.parametrize("f", [enclosures.phi1, lambda x: enclosures.geom(x, 3)])
def test_wide_balls_around_0_are_enclosed_by_their_ends(f: Callable[[flint.arb], flint.arb]) -> None:
    wide = f(flint.arb("0 +/- 0.5"))
    for inside in (-0.5, -1e-9, 0, 0.25, 0.5):
        assert wide.contains(f(flint.arb(inside)).mid())
    assert wide.upper() < 10
    assert not f(flint.arb("0 +/- inf")).is_finite()


def test_roots_at_0_and_of_balls_that_dip_below() -> None:
    assert enclosures.sqrt(flint.arb(0)) == 0
    assert enclosures.root(flint.arb(0), 3) == 0
    dipping = flint.arb("1e-30 +/- 2e-30")
    assert enclosures.sqrt(dipping).contains(0)
    assert enclosures.sqrt(dipping).upper() < 2e-15
    assert enclosures.root(dipping, 3).upper() < 2e-10
    assert enclosures.sqrt(flint.arb(-1)).is_nan()
    assert enclosures.sqrt(INFINITE) == INFINITE


@pytest.mark.parametrize("power", [sp.Rational(1, 3), sp.Rational(2, 3), sp.Rational(1, 2), sp.Rational(3, 2), n, t])
def test_powers_of_zero_are_zero(power: sp.Expr) -> None:
    base = sp.Symbol("base", nonnegative=True)
    found = evaluate(base**power, {"base": 0, "n": 2, "t": "0.5"})
    assert found.lower == found.upper == 0


def test_powers_zero_are_one() -> None:
    assert enclosures.power(flint.arb(0), 0) == 1
    assert evaluate(z**n, {"z": 0, "n": 1}).upper == 0


def test_zero_over_zero_is_undefined_and_not_a_number_to_rely_on() -> None:
    found = evaluate(t / z, {"t": 0, "z": 0})
    assert str(found) == "undefined"
    assert found.upper == math.inf


def test_maxima_and_minima_of_overlapping_balls() -> None:
    low, high = flint.arb("0.4 +/- 0.2"), flint.arb("0.7 +/- 0.2")
    assert enclosures.maximum([low, high]).contains(high)
    assert enclosures.maximum([low, high]).lower() >= 0.49
    assert enclosures.minimum([low, high]).upper() <= 0.61


def test_bounds_with_minima_have_values() -> None:
    clipped = sp.Min(2 * z, sp.Rational(3, 4))
    assert [evaluate(clipped, {"z": at}).upper for at in ("0.25", "3/8", 1)] == [0.5, 0.75, 0.75]


KAPPA = sp.exp(-2 * B)
FLOOR = m + (C - m) * KAPPA
BODY = 1 + (1 - KAPPA) / FLOOR - C * KAPPA / FLOOR**2
TOP = MaxOver(BODY, m, 1, C - 1, C * KAPPA * (1 + KAPPA), (1 - KAPPA) ** 2)


def looped(classes: int, box: object) -> Ball:
    """The maximum by its definition: a loop over all m."""
    values = [evaluate(BODY, {"m": at, "C": classes, "B": box}) for at in range(1, classes)]
    return max(values, key=lambda ball: ball.upper)


@pytest.mark.parametrize("classes", [2, 3, 7, 40])
@pytest.mark.parametrize("box", [0, "1e-300", "1e-30", "1e-9", "0.01", "0.5", 1, 3, 20, 400, 10**6])
def test_maxima_agree_with_their_loop(classes: int, box: object) -> None:
    found, reference = evaluate(TOP, {"C": classes, "B": box}), looped(classes, box)
    assert found.is_finite
    assert found.lower <= reference.upper
    assert found.upper >= reference.lower
    assert found.upper - found.lower <= 1e-12


@given(st.integers(2, 60), st.floats(0, 30))
def test_maxima_agree_with_their_loop_everywhere(classes: int, box: float) -> None:
    found, reference = evaluate(TOP, {"C": classes, "B": box}), looped(classes, box)
    assert found.lower <= reference.upper
    assert found.upper >= reference.lower


def test_maxima_of_huge_ranges_are_quick() -> None:
    found = evaluate(TOP, {"C": 50257, "B": "1e-9"})
    assert found.is_finite
    assert evaluate(TOP, {"C": 10**15, "B": 2}).is_finite


def test_a_wrong_reduction_would_show() -> None:
    wrong = MaxOver(BODY, m, 1, C - 1, C * KAPPA * (1 + KAPPA) / 4, (1 - KAPPA) ** 2)
    assert evaluate(wrong, {"C": 40, "B": 1}).upper < looped(40, 1).lower


def test_entries_and_integers_are_checked() -> None:
    assert enclosures.entry([1, 2], 1, "L") == 2
    assert enclosures.entry(5, 9, "L") == 5
    for index in (-1, 2):
        with pytest.raises(MissingValue, match="value of L"):
            enclosures.entry([1, 2], index, "L")
    assert enclosures.integer(3.0, "n") == 3
    with pytest.raises(OutOfRange):
        enclosures.integer(flint.fmpq(1, 2), "n")


def test_exact_rationals_fall_back_where_they_must() -> None:
    half = flint.fmpq(1, 2)
    assert enclosures.rational(0.5) == half
    assert enclosures.rational(3) == 3
    assert enclosures.rational(math.inf) is None
    assert enclosures.rational(flint.arb(1)) is None
    assert enclosures.rational_sum([half, half]) == 1
    assert enclosures.rational_sum([half, None]) is None
    assert enclosures.rational_product([half, 4]) == 2
    assert enclosures.rational_product([None]) is None
    assert enclosures.rational_power(half, -2) == 4
    assert enclosures.rational_power(flint.fmpq(0), -1) is None
    assert enclosures.rational_power(None, 2) is None
    assert enclosures.rounded(half, flint.arb("0.5 +/- 0.9"), True) == 1
    assert enclosures.rounded(None, flint.arb("0.5 +/- 0.9"), False).contains(-1)


@pytest.mark.parametrize(("power", "low", "high"), [(1, -0.5, 0.5), (2, 0, 0.25), (3, -0.125, 0.125), (4, 0, 0.0625)])
def test_powers_of_balls_around_0_are_enclosed(power: int, low: float, high: float) -> None:
    """Flint itself gives up on balls centred at 0."""
    found = enclosures.power(flint.arb(0, 0.5), power)
    assert found.contains(low)
    assert found.contains(high)
    assert low - 1e-6 < found.lower()  # radii have 30 bits
    assert found.upper() < high + 1e-6
    assert evaluate(z**power, {"z": Ball(flint.arb(0, 0.5))}).upper < high + 1e-6


def test_powers_of_balls_elsewhere_are_those_of_their_ends() -> None:
    found = enclosures.power(flint.arb(2, 0.5), 3)
    assert found.contains(1.5**3)
    assert found.contains(2.5**3)
    assert enclosures.power(flint.arb(0, 0.5), 0) == 1
    assert not enclosures.power(flint.arb(0, 0.5), -1).is_finite()
    assert enclosures.power(flint.arb(0), 3) == 0


def test_geometric_sums_of_balls_around_minus_1_are_enclosed() -> None:
    found = enclosures.geom(flint.arb(-1, 0.5), 3)
    for inside in (-1.5, -1.0, -0.5):
        assert found.contains(1 + (1 + inside) + (1 + inside) ** 2)
    assert found.is_finite()


def test_what_no_ball_can_hold_is_not_finite() -> None:
    for huge in (enclosures.phi1(flint.arb(10) ** 40), enclosures.geom(flint.arb(10) ** 30, 10**40)):
        assert Ball(huge).upper == math.inf


def test_sums_and_iterations_run_as_often_as_they_say() -> None:
    assert enclosures.total(flint.arb, 4) == 6
    assert enclosures.total(flint.arb, 0) == 0
    assert enclosures.iterate(lambda value, k: 2 * value + k, 3, flint.arb(1)) == 12
    assert enclosures.iterate(lambda value, k: 2 * value + k, 0, flint.arb(1)) == 1


def test_maxima_look_at_both_sides_of_a_peak_between_integers() -> None:
    """−(m − x)² rises while 2m ≤ 2x: the larger of its neighbours counts, wherever the ends of the range are."""
    for peak, best in (("2.4", "-0.16"), ("2.6", "-0.16"), ("0.5", "-0.25"), ("9", "-16")):
        at = flint.arb(flint.fmpq(*map(int, sp.Rational(peak).as_numer_denom())))
        found = enclosures.largest(lambda m, at=at: -((m - at) ** 2), 1, 5, 2 * at, flint.arb(2))
        assert found.overlaps(flint.arb(flint.fmpq(*map(int, sp.Rational(best).as_numer_denom()))))


def test_a_peak_that_is_not_known_gives_no_number() -> None:
    assert enclosures.largest(flint.arb, 1, 5, flint.arb(1), flint.arb(0, 0.5)).is_nan()


def test_real_powers() -> None:
    assert enclosures.real_power(flint.arb(4), flint.arb("0.5")) == 2
    assert enclosures.real_power(flint.arb(0), flint.arb("0.5")) == 0
    assert enclosures.real_power(flint.arb(0), flint.arb(0)) == 1
    for negative in (flint.arb(-1), flint.arb("-0.5"), flint.arb(0, 0.5)):
        assert not enclosures.real_power(flint.arb(0), negative).is_finite()
    assert enclosures.real_power(flint.arb(-1), flint.arb("0.5")).is_nan()
