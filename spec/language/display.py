"""Enclosures in decimals, rounded outward: what is printed is never on the wrong side of what is known."""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import flint

DIGITS = 6
LONGEST_EXPONENT = 2**15
"""Binary exponents beyond this one are told by the decimal logarithm: their integers are too long to divide."""

Arb = Any


def interval(ball: Arb) -> str:
    """Return an enclosure as one number where that is exact, else as the interval of its two ends, rounded outward."""
    low, high = at_least(ball), at_most(ball)
    return low if low == high else f"[{low}, {high}]"


def at_most(ball: Arb) -> str:
    """Return a decimal number that no number of an enclosure exceeds."""
    return "undefined" if ball.is_nan() else _decimal(ball.upper(), up=True)


def at_least(ball: Arb) -> str:
    """Return a decimal number that no number of an enclosure falls below."""
    return "undefined" if ball.is_nan() else _decimal(ball.lower(), up=False)


def _decimal(end: Arb, *, up: bool) -> str:
    """Return an exact number in six digits, rounded up or down."""
    if not end.is_finite():
        return "infinite" if end > 0 else "-infinite"
    mantissa, exponent = (int(part) for part in end.man_exp())
    if abs(exponent) > LONGEST_EXPONENT:
        return _by_logarithm(end, exponent, up=up)
    context = Context(
        DIGITS, ROUND_CEILING if up else ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, capitals=0, clamp=0, traps=[]
    )
    # A quotient of integers, which enter exactly, is rounded once.
    value = context.divide(Decimal(mantissa << max(exponent, 0)), Decimal(1 << max(-exponent, 0)))
    return _written(value) if value else "0"


def _written(value: Decimal) -> str:
    size = value.adjusted()
    if -5 < size < DIGITS:
        return f"{value.normalize():f}"
    return f"{value.scaleb(-size, Context(DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX)).normalize():f}e{size:+03d}"


def _by_logarithm(end: Arb, exponent: int, *, up: bool) -> str:
    """Return ±10^x, x rounded so that the number moves up or down."""
    outward = up == bool(end > 0)
    before = flint.ctx.prec
    flint.ctx.prec = 64 + exponent.bit_length()
    try:
        logarithm = abs(end).log() / flint.arb(10).log()
        text = at_most(logarithm) if outward else at_least(logarithm)
    finally:
        flint.ctx.prec = before
    return f"{'' if end > 0 else '-'}10^{text}"
