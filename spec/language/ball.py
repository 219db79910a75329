"""Ball arithmetic for expressions: values are enclosures, decimal text enters exactly, the upper end comes out.

sympy's lambdify turns 1/3 into a float, so a compiler of our own writes Python over `flint.arb`; it is compiled once for
each expression and precision.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import flint
import sympy as sp

from spec.language import functions as fn
from spec.language.errors import MissingValue, OutOfRange

Number: TypeAlias = "int | float | str | Fraction | Ball | sp.Expr"
Value: TypeAlias = "Number | Sequence[Number]"

PRECISIONS = (64, 128, 256, 1024, 4096)
ACCURACY_BITS = 50


@dataclass(frozen=True)
class Ball:
    """An enclosure of a real number, or of the statement that it is infinite or undefined."""

    arb: Any

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

    def __str__(self) -> str:
        if not self.is_finite:
            return "infinite"
        if math.isinf(self.upper) or (self.upper == self.lower == 0 and self.arb != 0):
            return f"10^{self.log10_upper:.6g}"
        return f"{self.upper:.6g}"


def _directed(end: Any, towards: float) -> float:
    value = float(end)
    if math.isinf(value):
        value = value if value == towards or not end.is_finite() else math.copysign(1.7976931348623157e308, value)
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
        return compiled(value, (), flint.ctx.prec)([], [])
    raise OutOfRange(f"a number for {name}", repr(value), "give an integer, a float, decimal text or a fraction")


def _from_text(text: str, name: str) -> Fraction | float:
    try:
        return float(text) if text.strip().lstrip("+-").lower() in {"inf", "infinity", "nan"} else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise OutOfRange(f"a number for {name}", repr(text), "write it as 3, 0.1, 1e-3 or 1/3") from None


def evaluate(expr: sp.Expr, values: Mapping[str, Value]) -> Ball:
    """Enclose an expression at values of its free symbols, at rising precision until about 15 digits are sure."""
    names = tuple(sorted(s.name for s in expr.free_symbols))
    missing = [name for name in names if name not in values]
    if missing:
        raise MissingValue("a value for every symbol", f"none for {', '.join(missing)}", "add them")
    before = flint.ctx.prec
    try:
        for precision in PRECISIONS:
            flint.ctx.prec = precision
            result = compiled(expr, names, precision)(*_arguments(names, values))
            if not result.is_finite() or result.rel_accuracy_bits() >= ACCURACY_BITS or result == 0:
                break
    finally:
        flint.ctx.prec = before
    return Ball(result)


def _arguments(names: tuple[str, ...], values: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    balls: list[Any] = []
    rationals: list[Any] = []
    for name in names:
        value = values[name]
        if isinstance(value, list | tuple) or (hasattr(value, "ndim") and value.ndim):
            entries = [exact(v, name) for v in value]
            rationals.append(entries)
            balls.append([flint.arb(v) for v in entries])
        elif type(value) is float and math.isfinite(value):
            rationals.append(value)
            balls.append(flint.arb(value))
        else:
            entry = exact(value, name)
            rationals.append(entry)
            balls.append(flint.arb(entry))
    return balls, rationals


@lru_cache(maxsize=4096)
def compiled(expr: sp.Expr, names: tuple[str, ...], precision: int) -> Callable[[list[Any], list[Any]], Any]:
    """Compile an expression to a function of (balls, rationals), each a list in the order of `names`."""
    writer = _Writer(names)
    body = writer.ball(expr)
    source = f"def f(a, r):\n    return {body}\n"
    scope = dict(_RUNTIME, **writer.constants)
    exec(compile(source, f"<ball {expr}>", "exec"), scope)
    return scope["f"]


class _Writer:
    """Writes an expression as Python source over flint."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.position = {name: i for i, name in enumerate(names)}
        self.constants: dict[str, Any] = {}
        self.bound: dict[str, str] = {}

    def constant(self, value: Any) -> str:
        key = f"c{len(self.constants)}"
        self.constants[key] = value
        return key

    def ball(self, e: sp.Expr) -> str:
        if e.is_Rational:
            return self.constant(flint.arb(flint.fmpq(int(e.p), int(e.q))))
        if e in _NAMED:
            return self.constant(_NAMED[e]())
        if e.is_Symbol:
            return self.bound.get(e.name) or f"a[{self.position[e.name]}]"
        if isinstance(e, fn.Unit):
            return self.constant(flint.arb(1))
        if isinstance(e, fn.Entry):
            return f"_entry({self.ball(e.args[0])}, {self.integer(e.args[1])})"
        if isinstance(e, sp.Add | sp.Mul):
            return "(" + (" + " if isinstance(e, sp.Add) else " * ").join(self.ball(a) for a in e.args) + ")"
        if isinstance(e, sp.Pow):
            return self.power(e)
        if isinstance(e, fn.Ratio):
            return f"({self.ball(e.args[0])} / {self.ball(e.args[1])})"
        if isinstance(e, sp.Max | sp.Min):
            return f"{'_max' if isinstance(e, sp.Max) else '_min'}([{', '.join(self.ball(a) for a in e.args)}])"
        if isinstance(e, sp.ceiling | sp.floor):
            return f"_round({self.rational(e.args[0])}, {self.ball(e.args[0])}, {isinstance(e, sp.ceiling)})"
        if isinstance(e, fn.geom):
            return f"_geom({self.ball(e.args[0])}, {self.integer(e.args[1])})"
        if isinstance(e, fn.SumOver | fn.MaxOver | fn.Recurrence):
            return self.binder(e)
        name = type(e).__name__
        if name in _UNARY:
            return f"{_UNARY[name]}({self.ball(e.args[0])})"
        raise OutOfRange("an expression that has a value", f"{name}: {e}", "bounds hold registered functions only")

    def power(self, e: sp.Pow) -> str:
        base, power = e.base, e.exp
        if power.is_Integer:
            return f"_power({self.ball(base)}, {int(power)})"
        if power.is_Rational and power.q == 2:
            return f"_power(_sqrt({self.ball(base)}), {int(power.p)})"
        if power.is_integer:
            return f"_power({self.ball(base)}, {self.integer(power)})"
        return f"({self.ball(base)} ** {self.ball(power)})"

    def binder(self, e: sp.Expr) -> str:
        saved = dict(self.bound)
        variables = []
        for symbol in e.bound_symbols:
            self.bound[symbol.name] = f"v{len(self.bound)}"
            variables.append(self.bound[symbol.name])
        body = self.ball(e.args[0])
        self.bound = saved
        if isinstance(e, fn.SumOver):
            return f"_sum(lambda {variables[0]}: {body}, {self.integer(e.args[2])})"
        if isinstance(e, fn.Recurrence):
            inside = f"lambda {variables[0]}, {variables[1]}: {body}"
            return f"_iterate({inside}, {self.integer(e.args[3])}, {self.ball(e.args[4])})"
        low, high = (self.integer(a) for a in e.args[2:4])
        top, slope = (self.ball(a) for a in e.args[4:6])
        return f"_largest(lambda {variables[0]}: {body}, {low}, {high}, {top}, {slope})"

    def integer(self, e: sp.Expr) -> str:
        if e.is_Integer:
            return str(int(e))
        if e.is_Symbol:
            return self.bound.get(e.name) or f"_integer(r[{self.position[e.name]}], {e.name!r})"
        if isinstance(e, sp.Add | sp.Mul):
            return "(" + (" + " if isinstance(e, sp.Add) else " * ").join(self.integer(a) for a in e.args) + ")"
        raise OutOfRange("an integer expression", e, "indices and counts are integer polynomials")

    def rational(self, e: sp.Expr) -> str:
        """Write an exact rational evaluation, `None` where a part is irrational."""
        if e.is_Rational:
            return self.constant(flint.fmpq(int(e.p), int(e.q)))
        if e.is_Symbol and e.name not in self.bound:
            return f"_q(r[{self.position[e.name]}])"
        if isinstance(e, sp.Add | sp.Mul):
            fold = "_qsum" if isinstance(e, sp.Add) else "_qproduct"
            return f"{fold}([{', '.join(self.rational(a) for a in e.args)}])"
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            return f"_qpower({self.rational(e.base)}, {int(e.exp)})"
        if isinstance(e, fn.Ratio):
            return f"_qproduct([{self.rational(e.args[0])}, _qpower({self.rational(e.args[1])}, -1)])"
        return "None"


def _ends(f: Callable[[Any], Any], x: Any) -> Any:
    """Enclose an increasing function over a ball that contains 0, by its two ends."""
    return f(x.lower()).union(f(x.upper()))


def _phi1(z: Any) -> Any:
    if z == 0:
        return flint.arb(1)
    if not z.is_finite() and z > 0:
        return flint.arb("inf")
    return _ends(_phi1, z) if z.contains(0) and not z.is_exact() else z.expm1() / z


def _geom(z: Any, k: int) -> Any:
    if z == 0:
        return flint.arb(k)
    if z.contains(0) and not z.is_exact():
        return _ends(lambda end: _geom(end, k), z)
    return ((z.log1p() * k).expm1()) / z


def _sqrt(x: Any) -> Any:
    """Enclose the root; a ball that dips below 0 by rounding is cut at 0 (its argument is nonnegative by its range)."""
    if x.contains(0) and not x.is_exact() and x.upper() >= 0:
        return flint.arb(0).union(x.upper().sqrt())
    return x.sqrt()


def _power(x: Any, k: int) -> Any:
    return flint.arb(1) if k == 0 else x**k


def _max(parts: list[Any]) -> Any:
    largest = parts[0]
    for part in parts[1:]:
        largest = largest.max(part)
    return largest


def _min(parts: list[Any]) -> Any:
    return -_max([-part for part in parts])


def _sum(body: Callable[[int], Any], count: int) -> Any:
    return sum((body(i) for i in range(count)), flint.arb(0))


def _iterate(step: Callable[[Any, int], Any], count: int, initial: Any) -> Any:
    value = initial
    for k in range(count):
        value = step(value, k)
    return value


def _largest(body: Callable[[int], Any], low: int, high: int, top: Any, slope: Any) -> Any:
    if flint.arb(high) * slope <= top:
        return body(high)
    peak = top / slope
    if not peak.is_finite():
        return flint.arb("nan")
    first = max(low, min(high, int(peak.lower().floor().unique_fmpz())))
    last = max(low, min(high, int(peak.upper().ceil().unique_fmpz())))
    return _max([body(m) for m in range(first, last + 1)])


def _entry(values: Any, index: int) -> Any:
    return values[index] if isinstance(values, list) else values


def _integer(value: Any, name: str) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, flint.fmpq) and value.q == 1:
        return int(value.p)
    raise OutOfRange(f"an integer for {name}", value, "round it yourself, up or down as the statement needs")


def _q(value: Any) -> Any:
    if isinstance(value, float):
        return flint.fmpq(*value.as_integer_ratio())
    return value if isinstance(value, flint.fmpq) else None


def _qsum(parts: list[Any]) -> Any:
    return None if any(p is None for p in parts) else sum(parts, flint.fmpq(0))


def _qproduct(parts: list[Any]) -> Any:
    return None if any(p is None for p in parts) else math.prod(parts, start=flint.fmpq(1))


def _qpower(base: Any, k: int) -> Any:
    return None if base is None or (k < 0 and base == 0) else base**k


def _round(rational: Any, ball: Any, up: bool) -> Any:
    if rational is not None:
        return flint.arb(rational.ceil() if up else rational.floor())
    return ball.ceil() if up else ball.floor()


_NAMED: dict[Any, Callable[[], Any]] = {
    sp.pi: flint.arb.pi,
    sp.E: flint.arb.const_e,
    sp.oo: lambda: flint.arb("inf"),
    sp.S.EulerGamma: flint.arb.const_euler,
}
_UNARY = {
    "exp": "_m('exp')", "log": "_m('log')", "erf": "_m('erf')", "sinh": "_m('sinh')", "cosh": "_m('cosh')",
    "tanh": "_m('tanh')", "sin": "_m('sin')", "cos": "_m('cos')", "atan": "_m('atan')", "Abs": "abs", "phi1": "_phi1",
}  # fmt: skip
_RUNTIME: dict[str, Any] = {
    "_m": lru_cache(lambda name: getattr(flint.arb, name)),
    **{f.__name__: f for f in (
        _phi1, _geom, _sqrt, _power, _max, _min, _sum, _iterate, _largest, _entry, _integer, _q, _qsum, _qproduct,
        _qpower, _round,
    )},
}  # fmt: skip
