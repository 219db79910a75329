"""Dimensions as types: State, Depth and Control with rational powers; logits, nats and probabilities are pure."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from spec.language import functions as fn
from spec.language.errors import DimensionMismatch


@dataclass(frozen=True)
class Dimension:
    """A product of rational powers of the three base dimensions."""

    state: Fraction = Fraction(0)
    depth: Fraction = Fraction(0)
    control: Fraction = Fraction(0)

    def __mul__(self, other: "Dimension") -> "Dimension":
        return Dimension(self.state + other.state, self.depth + other.depth, self.control + other.control)

    def __truediv__(self, other: "Dimension") -> "Dimension":
        return self * other**-1

    def __pow__(self, power: Fraction | int) -> "Dimension":
        p = Fraction(power)
        return Dimension(self.state * p, self.depth * p, self.control * p)

    def __str__(self) -> str:
        parts = [
            name if power == 1 else f"{name}^{power}"
            for name, power in (("State", self.state), ("Depth", self.depth), ("Control", self.control))
            if power
        ]
        return "·".join(parts) or "1"


PURE = Dimension()
STATE = Dimension(state=Fraction(1))
DEPTH = Dimension(depth=Fraction(1))
CONTROL = Dimension(control=Fraction(1))

_PURE_FUNCTIONS = (
    sp.exp, sp.log, sp.erf, sp.sinh, sp.cosh, sp.tanh, sp.sin, sp.cos, sp.atan, sp.ceiling, sp.floor,
    fn.phi1, fn.geom,
)  # fmt: skip
_TRANSPARENT = (sp.Abs, fn.norm, fn.token_norm, fn.expectation, fn.quantile)


def dimension_of(expr: sp.Expr, of_name: Callable[[str], Dimension]) -> Dimension | None:
    """Return the dimension of an expression, or None for an exact zero, which has every dimension.

    Parameters
    ----------
    expr : sympy expression
    of_name : callable
        Dimension of a registered symbol or function, by its name.

    Raises
    ------
    DimensionMismatch
        If summands differ, or an exponent, logarithm or exponential has an argument that is not pure.
    """

    def pure(part: sp.Expr, what: str) -> None:
        found = walk(part)
        if found not in (None, PURE):
            raise DimensionMismatch(f"a pure number as {what}", f"{part} of dimension {found}", "scale it first")

    def common(parts: tuple[sp.Expr, ...], whole: sp.Expr) -> Dimension | None:
        found = [(part, walk(part)) for part in parts]
        known = [(part, dim) for part, dim in found if dim is not None]
        for part, dim in known:
            if dim != known[0][1]:
                raise DimensionMismatch(
                    "summands of one dimension",
                    f"{known[0][0]}: {known[0][1]} beside {part}: {dim} in {whole}",
                    "check the factors of both",
                )
        return known[0][1] if known else None

    def product(parts: tuple[sp.Expr, ...]) -> Dimension | None:
        total = PURE
        for part in parts:
            dim = walk(part)
            if dim is None:
                return None
            total = total * dim
        return total

    def walk(e: sp.Expr) -> Dimension | None:
        if e.is_Number or e.is_NumberSymbol:
            return None if e == 0 else PURE
        if e.is_Symbol:
            return of_name(e.name)
        if isinstance(e, fn.Unit):
            return Dimension(*(Fraction(int(a.p), int(a.q)) for a in e.args))
        if isinstance(e, fn.Entry):
            return walk(e.args[0])
        if isinstance(e, sp.Add | sp.Max | sp.Min | sp.Rel):
            return common(e.args, e)
        if isinstance(e, sp.Mul):
            return product(e.args)
        if isinstance(e, fn.inner):
            return product(e.args)
        if isinstance(e, sp.Pow):
            base = walk(e.base)
            pure(e.exp, "an exponent")
            if base in (None, PURE):
                return base
            if not e.exp.is_Rational:
                raise DimensionMismatch("a pure base under a symbolic exponent", e, "divide by a reference value")
            return base ** Fraction(int(e.exp.p), int(e.exp.q))
        if isinstance(e, _PURE_FUNCTIONS):
            for part in e.args:
                pure(part, f"an argument of {type(e).__name__}")
            return PURE
        if isinstance(e, _TRANSPARENT):
            return walk(e.args[0])
        if isinstance(e, fn.gauge | fn.probability):
            return PURE
        if isinstance(e, fn.Ratio):
            top, bottom = walk(e.args[0]), walk(e.args[1])
            return None if top is None else top / (bottom or PURE)
        if isinstance(e, fn.SumOver | fn.MaxOver):
            return walk(e.args[0])
        if isinstance(e, fn.Recurrence):
            return common((e.args[0], e.args[4]), e)
        if isinstance(e, sp.Integral):
            total = walk(e.function)
            for limit in e.limits:
                width = walk(limit[0])
                total = None if total is None or width is None else total * width
            return total
        if isinstance(e, sp.core.function.AppliedUndef):
            return of_name(e.func.__name__)
        raise DimensionMismatch("an expression of known dimension", f"{type(e).__name__}: {e}", "register its rule")

    return walk(sp.sympify(expr))
