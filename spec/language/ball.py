"""Ball arithmetic for expressions: values are enclosures, decimal text enters exactly, the upper end comes out."""

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import flint
import sympy as sp

from spec.language import display, families
from spec.language import functions as fn
from spec.language.errors import MissingValue, NotOneNumber, OutOfRange, TooLarge
from spec.language.formula import compiled

Number: TypeAlias = "int | float | str | Fraction | Ball | sp.Expr"
Value: TypeAlias = "Number | Sequence[Number]"

PRECISIONS = (64, 128, 256, 1024, 4096)
ACCURACY_BITS = 50
LONGEST_EXPONENT = 100_000
"""Decimal text is an exact fraction: that of a longer exponent takes too long to write down."""


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

    def text(self, relation: str = "=") -> str:
        """Return it in six decimals, rounded outward: the end that a bound of this relation states, or both.

        Of a bound from above (`<=`, `exists`) the upper end, of one from below (`>=`) the lower end, else the interval
        of both, or one number where it is exact.
        """
        ends = {"<=": display.at_most, "exists": display.at_most, ">=": display.at_least}
        return ends.get(relation, display.interval)(self.arb)

    def __str__(self) -> str:
        return self.text()


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
    TooLarge
        If it is decimal text with an exponent that is too long.
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
    exponent = re.search(r"e([+-]?[\d_]+)\s*$", text, re.IGNORECASE)
    if exponent and len(digits := exponent[1].strip("+-").replace("_", "").lstrip("0")) <= 18:
        exponent = None if int(digits or "0") <= LONGEST_EXPONENT else exponent
    if exponent:
        raise TooLarge(f"an exponent of at most {LONGEST_EXPONENT} for {name}", text, "give an enclosure, or inf")
    try:
        return float(text) if text.strip().lstrip("+-").lower() in {"inf", "infinity", "nan"} else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise OutOfRange(f"a number for {name}", repr(text), "write it as 3, 0.1, 1e-3 or 1/3") from None


def evaluate(expr: sp.Expr, values: Mapping[str, Value]) -> Ball:
    """Enclose an expression at values of its free symbols, at rising precision until about 15 digits are sure.

    An indexed symbol takes a list of its entries, as many as are counted, or one number for all of them.

    Raises
    ------
    MissingValue, OutOfRange, TooLarge
    """
    return evaluate_all({"": expr}, values)[""]


def evaluate_all(exprs: Mapping[str, sp.Expr], values: Mapping[str, Value]) -> dict[str, Ball]:
    """Enclose several expressions at the same values, which are read once; each as `evaluate` does.

    Raises
    ------
    MissingValue, OutOfRange, TooLarge
    """
    together = tuple(exprs.values())
    names, single, lengths = _read(together)
    if not values.keys() >= set(names):
        missing = [name for name in names if name not in values]
        raise MissingValue("a value for every symbol", f"none for {', '.join(missing)}", "add them")
    given = {name: entries(values[name], name) for name in names}
    if several := sorted(name for name in single if type(given[name]) is list):
        raise OutOfRange(f"one number for {', '.join(several)}", "several", "its entries enter one by one")
    families.check(lengths, given)
    found: dict[str, Ball] = {}
    waiting = exprs
    before = flint.ctx.prec
    try:
        for precision in PRECISIONS:
            flint.ctx.prec = precision
            balls = [[*map(flint.arb, e)] if type(e) is list else flint.arb(e) for e in given.values()]
            for key, expr in waiting.items():
                found[key] = Ball(compiled(expr, names, precision)(balls, given))
            waiting = {key: expr for key, expr in waiting.items() if not is_sure(found[key].arb)}
            if not waiting:
                break
    finally:
        flint.ctx.prec = before
    return found


@lru_cache(maxsize=4096)
def _read(exprs: tuple[sp.Expr, ...]) -> tuple[tuple[str, ...], frozenset[str], families.Lengths]:
    """Return the names of the symbols, in order, those that are not only named entry by entry, and lists' lengths."""
    whole = sp.Tuple(*exprs)
    bare = whole.xreplace(dict.fromkeys(whole.atoms(fn.Entry), sp.Integer(0)))
    names = tuple(sorted(s.name for s in whole.free_symbols))
    return names, frozenset(s.name for s in bare.free_symbols), families.lengths(whole)


def entries(value: Any, name: str) -> Any:
    """Return a number, or a list of them, as it enters; finite floats and integers are exact as they are."""
    kind = type(value)
    if kind is int or (kind is float and math.isfinite(value)):
        return value
    if is_list(value):
        return [entries(v, name) if type(v) is float else exact(v, name) for v in value]
    return exact(value, name)


def is_list(value: Any) -> bool:
    """Say whether a value lists entries: a list, a tuple or an array with axes."""
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) != 0


def is_sure(result: Any) -> bool:
    """Say whether an enclosure is fine enough: of about 15 digits, or exactly 0, or exactly infinite."""
    if result.is_finite() and result != 0:
        return bool(result.rel_accuracy_bits() >= ACCURACY_BITS)
    return bool(result.is_exact())
