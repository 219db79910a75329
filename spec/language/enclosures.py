"""Enclosures of the theory's functions: sharp where a plain formula would divide 0 by 0 or lose digits."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import flint

from spec.language.errors import MissingValue, OutOfRange, TooLarge

Arb = Any

LONGEST = 10_000
"""Terms of a sum or steps of a recurrence that are carried out one by one."""
FEW = 64
"""Integers around a peak that are tried one by one."""


def _ends(f: Callable[[Arb], Arb], x: Arb) -> Arb:
    """Enclose an increasing function over a ball by its two ends."""
    return f(x.lower()).union(f(x.upper()))


def phi1(z: Arb) -> Arb:
    """Enclose (e^z − 1)/z; a ball that holds 0 is enclosed by its ends."""
    value = z.expm1() / z
    if value.is_finite() or z.is_nan():
        return value
    if z == 0:
        return flint.arb(1)
    if z == flint.arb("inf"):
        return z
    return _ends(phi1, z) if z.is_finite() and not z.is_exact() and z.contains(0) else value


def geom(z: Arb, k: int) -> Arb:
    """Enclose ((1+z)^k − 1)/z, k terms of a geometric sum."""
    if k <= 0:
        return flint.arb(0)
    value = (z.log1p() * k).expm1() / z
    if value.is_finite() or z.is_nan():
        return value
    if z == 0:
        return flint.arb(k)
    if z == flint.arb("inf"):
        return z if k > 1 else flint.arb(1)
    if z.is_finite() and not z.is_exact() and z.contains(0) and z > -1:
        return _ends(lambda end: geom(end, k), z)
    return (power(1 + z, k) - 1) / z


def sqrt(x: Arb) -> Arb:
    """Enclose a root; a ball that dips below 0 by rounding is cut at 0 (its value is nonnegative by its range)."""
    value = x.sqrt()
    return value if value.is_finite() else _cut(x, value, lambda end: end.sqrt())


def root(x: Arb, k: int) -> Arb:
    """Enclose the k-th root, cut at 0 like a square root."""
    value = x.root(k) if x != 0 or not x.is_exact() else flint.arb(0)
    return value if value.is_finite() else _cut(x, value, lambda end: end.root(k))


def _cut(x: Arb, value: Arb, f: Callable[[Arb], Arb]) -> Arb:
    dips = x.is_finite() and not x.is_exact() and x.contains(0)
    return flint.arb(0).union(f(x.upper())) if dips else value


def power(x: Arb, k: int) -> Arb:
    """Enclose an integer power; flint gives up on balls centred at 0."""
    if k == 0:
        return flint.arb(1)
    value = x**k
    if k > 0 and not value.is_finite() and x.mid() == 0 and x.is_finite():
        end = abs(x).upper() ** k
        return end.union(-end if k % 2 else flint.arb(0))
    return value


def real_power(x: Arb, y: Arb) -> Arb:
    """Enclose a real power of a nonnegative base."""
    return flint.arb(0) if x == 0 and y > 0 else x**y


def maximum(parts: list[Arb]) -> Arb:
    """Enclose the largest of several values."""
    largest = parts[0]
    for part in parts[1:]:
        largest = largest.max(part)
    return largest


def minimum(parts: list[Arb]) -> Arb:
    """Enclose the smallest of several values."""
    return -maximum([-part for part in parts])


def steps(count: int, what: str, around: int = 1) -> int:
    """Return a number of terms or steps that is carried out one by one, `around` times.

    Raises
    ------
    TooLarge
    """
    most = LONGEST // max(around, 1)
    if count > most:
        size = str(count) if count < 10**12 else f"{Decimal(count):.3e}"
        raise TooLarge(
            f"at most {most} terms or steps, {what} <= {most}",
            f"{what} = {size}",
            "take a bound in closed form, if there is one",
        )
    return count


def total(body: Callable[[int], Arb], count: int) -> Arb:
    """Enclose Σ_{i<count} body(i)."""
    return sum((body(i) for i in range(count)), flint.arb(0))


def repeated(body: Callable[[int], Arb], count: int) -> Arb:
    """Enclose Σ_{i<count} body(i) of a body that is the same for every i."""
    return count * body(0) if count > 0 else flint.arb(0)


def iterate(step: Callable[[Arb, int], Arb], count: int, initial: Arb) -> Arb:
    """Enclose the value after `count` steps."""
    value = initial
    for k in range(count):
        value = step(value, k)
    return value


def largest(body: Callable[[Any], Arb], low: int, high: int, top: Arb, slope: Arb, smooth: bool = True) -> Arb:
    """Enclose the maximum over low ≤ m ≤ high of a body that rises while m·slope ≤ top and falls after.

    Where an enclosed peak leaves many integers m, a smooth body is enclosed over the interval that they span.

    Raises
    ------
    TooLarge
        If it leaves many, and the body counts with them.
    """
    if flint.arb(high) * slope <= top:
        return body(high)
    peak = top / slope
    if not peak.is_finite():
        return flint.arb("nan")
    first = max(low, min(high, int(peak.lower().floor().unique_fmpz())))
    last = max(low, min(high, int(peak.upper().ceil().unique_fmpz())))
    if smooth and last - first >= FEW:
        return body(flint.arb(first).union(flint.arb(last)))
    steps(last - first, "integers around the peak of a maximum")
    return maximum([body(m) for m in range(first, last + 1)])


def entry(values: Any, index: int, name: str) -> Arb:
    """Return one entry of an indexed symbol; a single value stands for all."""
    if not isinstance(values, list):
        return values
    if not 0 <= index < len(values):
        raise MissingValue(f"a value of {name} for index {index}", f"{len(values)} values", "give one for each")
    return values[index]


def integer(value: Any, name: str) -> int:
    """Return a value as an integer.

    Raises
    ------
    OutOfRange
        If it is not one.
    """
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    if isinstance(value, flint.fmpq) and value.q == 1:
        return int(value.p)
    raise OutOfRange(f"an integer for {name}", value, "round it yourself, up or down as the statement needs")


def rational(value: Any) -> Any:
    """Return a value as an exact rational, None where it is an enclosure."""
    if isinstance(value, float) and math.isfinite(value):
        return flint.fmpq(*value.as_integer_ratio())
    if isinstance(value, int):
        return flint.fmpq(value)
    return value if isinstance(value, flint.fmpq) else None


def rational_sum(parts: list[Any]) -> Any:
    """Add exact rationals; None if a part is not one."""
    return None if any(p is None for p in parts) else sum(parts, flint.fmpq(0))


def rational_product(parts: list[Any]) -> Any:
    """Multiply exact rationals; None if a part is not one."""
    return None if any(p is None for p in parts) else math.prod(parts, start=flint.fmpq(1))


def rational_power(base: Any, k: int) -> Any:
    """Raise an exact rational to an integer power; None if it is not one, or would divide by 0."""
    return None if base is None or (k < 0 and base == 0) else base**k


def rounded(exact: Any, ball: Arb, up: bool) -> Arb:
    """Enclose a ceiling (or a floor) by exact rationals where there are."""
    if exact is not None:
        return flint.arb(exact.ceil() if up else exact.floor())
    return ball.ceil() if up else ball.floor()
