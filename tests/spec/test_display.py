"""What is printed lies on the sound side: the text, read as an exact fraction, against the enclosure's exact ends."""

import json
import math
from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spec
from mfc import show
from spec.language import display
from spec.language.ball import Ball

HUGE = 2000
"""Binary exponents well beyond those of floats."""
mantissas = st.integers(-(2**70), 2**70)
exponents = st.one_of(st.integers(-1100, 1000), st.integers(-HUGE, HUGE), st.just(-1074))
numbers = st.builds(lambda m, e: Fraction(m) * Fraction(2) ** e, mantissas, exponents)


def dyadic(value: Fraction) -> flint.arb:
    """Return a dyadic number as the exact ball that it is."""
    exponent = value.denominator.bit_length() - 1
    mantissa = flint.fmpz(value.numerator)
    return flint.arb((mantissa, -exponent))


def around(middle: Fraction, radius: Fraction) -> flint.arb:
    return flint.arb(mid=dyadic(middle), rad=dyadic(radius))


def exact(end: flint.arb) -> Fraction:
    mantissa, exponent = (int(part) for part in end.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


@given(numbers)
def test_what_is_printed_is_on_the_sound_side(value: Fraction) -> None:
    ball = Ball(dyadic(value))
    below, above = Fraction(ball.text(">=")), Fraction(ball.text("<="))
    assert below <= value <= above
    assert above - below <= abs(value) * Fraction(11, 10**6)  # six digits: the last one moves by at most 1e-5
    assert ball.text("exists") == ball.text("<=")
    assert str(ball) == (ball.text("<=") if below == above else f"[{ball.text('>=')}, {ball.text('<=')}]")


@given(numbers, st.integers(-HUGE, HUGE))
def test_intervals_hold_the_whole_ball(middle: Fraction, size: int) -> None:
    ball = Ball(around(middle, Fraction(2) ** size))
    low, high = (Fraction(end) for end in str(ball).strip("[]").split(", "))
    assert low <= exact(ball.arb.lower()) < exact(ball.arb.upper()) <= high


@given(numbers)
def test_ends_that_are_floats_are_on_the_sound_side_too(value: Fraction) -> None:
    """What JSON holds."""
    ball = Ball(dyadic(value))
    assert ball.lower == -math.inf or Fraction(ball.lower) <= value
    assert ball.upper == math.inf or value <= Fraction(ball.upper)
    nearest = math.nextafter(ball.lower, math.inf)
    assert nearest >= ball.upper  # no float lies between


def test_rounding_to_the_nearest_would_be_caught() -> None:
    """The twin: ordinary formatting of 1/3 and of the least float."""
    third = Ball(flint.arb(1) / 3)
    assert Fraction(f"{third.upper:.6g}") < Fraction(1, 3) < Fraction(third.text("<="))
    least = Ball(dyadic(Fraction(2) ** -1080))
    assert Fraction(f"{least.upper:.6g}") > Fraction(2) ** -1080 >= Fraction(least.text(">="))


@pytest.mark.parametrize(
    ("ball", "below", "above", "both"),
    [
        (flint.arb(0), "0", "0", "0"),
        (flint.arb(-2.5), "-2.5", "-2.5", "-2.5"),
        (flint.arb(100000), "100000", "100000", "100000"),
        (flint.arb(1000000), "1e+06", "1e+06", "1e+06"),
        (flint.arb(9999995), "9.99999e+06", "1e+07", "[9.99999e+06, 1e+07]"),
        (flint.arb(2) ** -13, "0.00012207", "0.000122071", "[0.00012207, 0.000122071]"),
        (flint.arb(2) ** -14, "6.10351e-05", "6.10352e-05", "[6.10351e-05, 6.10352e-05]"),
        (flint.arb("inf"), "infinite", "infinite", "infinite"),
        (-flint.arb("inf"), "-infinite", "-infinite", "-infinite"),
        (flint.arb(0, math.inf), "-infinite", "infinite", "[-infinite, infinite]"),
        (flint.arb("nan"), "undefined", "undefined", "undefined"),
        (flint.arb(2) ** 40000, "10^12041.1", "10^12041.2", "[10^12041.1, 10^12041.2]"),
        (-(flint.arb(2) ** -40000), "-10^-12041.1", "-10^-12041.2", "[-10^-12041.1, -10^-12041.2]"),
    ],
)
def test_numbers_as_they_are_written(ball: flint.arb, below: str, above: str, both: str) -> None:
    assert (display.at_least(ball), display.at_most(ball), display.interval(ball)) == (below, above, both)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exponent", [-(10**30), -40001, 40001, 123456789, 10**30])
def test_powers_of_ten_are_on_the_sound_side(sign: int, exponent: int) -> None:
    """±2^e against ±10^x: e·log 2 against x·log 10, at 200 bits."""
    before = flint.ctx.prec
    number = flint.arb((sign, exponent))
    for text, up in ((display.at_most(number), True), (display.at_least(number), False)):
        power = Fraction(text.removeprefix("-").removeprefix("10^"))
        flint.ctx.prec = 200
        moved = flint.arb(flint.fmpq(power.numerator, power.denominator)) * flint.arb(10).log()
        larger = moved > exponent * flint.arb(2).log()
        flint.ctx.prec = before
        assert text.startswith("-") == (sign < 0)
        assert larger == (up == (sign > 0))


def test_claims_are_shown_on_the_side_of_their_relation() -> None:
    """log(1 + 2e^{−200000}) lies below every positive float: a bound from below says less than it, never more."""
    theorem = spec.theorem("loss/loss-range")
    values = {"B": "100000", "C": "3"}
    low = theorem.claim("low")
    value = show.as_json(theorem, low, values)["value"]
    assert json.loads(json.dumps(value)) == {"lower": 0.0, "upper": 5e-324, "text": "10^-86858.6"}
    printed = "\n".join(show._lines(theorem, low, values))
    assert "value      ≥ 10^-86858.6   in [0.0, 5e-324]\n           10^-86858.6 from" in printed
