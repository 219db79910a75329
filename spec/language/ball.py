"""Ball arithmetic for expressions: values are enclosures, decimal text enters exactly, the upper end comes out."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import flint
import sympy as sp

from spec.language import functions as fn
from spec.language.errors import MissingValue, NotOneNumber, OutOfRange
from spec.language.formula import compiled

Number: TypeAlias = "int | float | str | Fraction | Ball | sp.Expr"
Value: TypeAlias = "Number | Sequence[Number]"

PRECISIONS = (64, 128, 256, 1024, 4096)
ACCURACY_BITS = 50


@dataclass(frozen=True)
class Ball:
    """An enclosure of a real number, or of the statement that it is infinite or undefined.

    It is no single float: take `upper` (what counts for an upper bound), `lower` (for a lower one), or `mid`, the float
    nearest its middle, to plot or print.
    """

    arb: Any

    @property
    def mid(self) -> float:
        """The float nearest the middle: for plots, never for claims; inf where infinite, NaN where there is none."""
        return float(self.arb.mid()) if self.is_finite or self.arb.is_exact() else math.nan

    @property
    def upper(self) -> float:
        """The upper end, rounded up to a float; inf where the value is infinite, undefined or beyond floats."""
        return math.inf if self.arb.is_nan() else _directed(self.arb.upper(), math.inf)

    @property
    def lower(self) -> float:
        """The lower end, rounded down to a float; -inf where the value is undefined."""
        return -math.inf if self.arb.is_nan() else _directed(self.arb.lower(), -math.inf)

    @property
    def is_finite(self) -> bool:
        """Whether the enclosure is finite (its ends may still lie beyond floats)."""
        return bool(self.arb.is_finite())

    @property
    def log10_upper(self) -> float:
        """The decimal logarithm of the upper end of a positive value, for values beyond floats."""
        return Ball(self.arb.log() / flint.arb(10).log()).upper

    def __float__(self) -> float:
        raise NotOneNumber("one end of an enclosure", f"a ball, {self}", "take .upper, .lower or .mid of it")

    def __str__(self) -> str:
        if self.arb.is_nan():
            return "undefined"
        if not self.is_finite:
            return "infinite"
        if self.arb > 0 and not sys.float_info.min <= self.upper <= sys.float_info.max:
            return f"10^{self.log10_upper:.6g}"
        return f"{self.upper:.6g}"


def _directed(end: Any, towards: float) -> float:
    value = float(end)
    if math.isinf(value):
        value = value if value == towards or not end.is_finite() else math.copysign(sys.float_info.max, value)
    exact = flint.arb(value)
    if not exact.is_finite():
        return value
    wrong_side = exact < end if towards > 0 else exact > end
    return math.nextafter(value, towards) if wrong_side else value


def exact(value: Number, name: str = "value") -> Any:
    """Return a number as it enters: an `fmpq` for rationals and decimal text, an `arb` for enclosures and infinities.

    Raises
    ------
    OutOfRange
        If it is not a number.
    """
    if isinstance(value, Ball):
        return value.arb
    if isinstance(value, bool):
        raise OutOfRange(f"a number for {name}", value, "give an integer, a float, decimal text or a fraction")
    if hasattr(value, "item") and not isinstance(value, sp.Basic):
        value = value.item()
    if isinstance(value, str):
        value = _from_text(value, name)
    if isinstance(value, int):
        return flint.fmpq(value)
    if isinstance(value, float):
        if math.isnan(value):
            raise OutOfRange(f"a number for {name}", value, "find where the NaN comes from")
        if math.isinf(value):
            return flint.arb("inf") if value > 0 else -flint.arb("inf")
        return flint.fmpq(*value.as_integer_ratio())
    if isinstance(value, Fraction):
        return flint.fmpq(value.numerator, value.denominator)
    if isinstance(value, sp.Rational):
        return flint.fmpq(int(value.p), int(value.q))
    if isinstance(value, sp.Expr) and not value.free_symbols:
        return compiled(value, (), flint.ctx.prec)((), {})
    raise OutOfRange(f"a number for {name}", repr(value), "give an integer, a float, decimal text or a fraction")


def _from_text(text: str, name: str) -> Fraction | float:
    try:
        return float(text) if text.strip().lstrip("+-").lower() in {"inf", "infinity", "nan"} else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise OutOfRange(f"a number for {name}", repr(text), "write it as 3, 0.1, 1e-3 or 1/3") from None


def evaluate(expr: sp.Expr, values: Mapping[str, Value]) -> Ball:
    """Enclose an expression at values of its free symbols, at rising precision until about 15 digits are sure.

    Raises
    ------
    MissingValue, OutOfRange
    """
    names, single = _names(expr)
    missing = [name for name in names if name not in values]
    if missing:
        raise MissingValue("a value for every symbol", f"none for {', '.join(missing)}", "add them")
    entries = {name: _entries(values[name], name) for name in names}
    if several := sorted(name for name in single if isinstance(entries[name], list)):
        raise OutOfRange(f"one number for {', '.join(several)}", "several", "its entries enter one by one")
    before = flint.ctx.prec
    try:
        for precision in PRECISIONS:
            flint.ctx.prec = precision
            balls = [list(map(flint.arb, e)) if isinstance(e, list) else flint.arb(e) for e in entries.values()]
            result = compiled(expr, names, precision)(balls, entries)
            if is_sure(result):
                break
    finally:
        flint.ctx.prec = before
    return Ball(result)


@lru_cache(maxsize=4096)
def _names(expr: sp.Expr) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the names of an expression's symbols, in order, and those that are not only named entry by entry."""
    bare = expr.xreplace(dict.fromkeys(expr.atoms(fn.Entry), sp.Integer(0)))
    return tuple(sorted(s.name for s in expr.free_symbols)), frozenset(s.name for s in bare.free_symbols)


def _entries(value: Any, name: str) -> Any:
    if isinstance(value, list | tuple) or (hasattr(value, "ndim") and value.ndim):
        return [exact(v, name) for v in value]
    return exact(value, name)


def is_sure(result: Any) -> bool:
    """Say whether an enclosure is fine enough: of about 15 digits, or exactly 0, or exactly infinite."""
    if result.is_finite() and result != 0:
        return bool(result.rel_accuracy_bits() >= ACCURACY_BITS)
    return bool(result.is_exact())
