"""Compiles expressions to Python over `flint.arb`, once for each expression and precision.

sympy's lambdify turns 1/3 into a float, and then an enclosure misses the truth; here constants enter exactly.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import flint
import sympy as sp

from spec.language import enclosures
from spec.language import functions as fn
from spec.language.errors import OutOfRange
from spec.language.nodes import Binder

Formula: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], Any]

_NAMED: dict[Any, Callable[[], Any]] = {
    sp.pi: flint.arb.pi,
    sp.E: flint.arb.const_e,
    sp.oo: lambda: flint.arb("inf"),
    sp.S.EulerGamma: flint.arb.const_euler,
}
_METHODS = {f: f.__name__ for f in (sp.exp, sp.log, sp.erf, sp.sinh, sp.cosh, sp.tanh, sp.sin, sp.cos, sp.atan)}
_RUNTIME: dict[str, Any] = {f"_{name}": value for name, value in vars(enclosures).items()}


@lru_cache(maxsize=4096)
def compiled(expr: sp.Expr, names: tuple[str, ...], precision: int) -> Formula:
    """Compile an expression to a function of balls, in the order of `names`, and of exact values by name.

    `flint.ctx.prec` must be `precision`, here and when the function is called.
    """
    writer = _Writer(names)
    body = writer.ball(expr)
    constants = "".join(f", {name}={name}" for name in writer.constants)
    unpacked = f"    {', '.join(f'x{i}' for i in range(len(names)))}, = a\n" if names else ""
    scope = dict(_RUNTIME, _arb=flint.arb, **writer.constants)
    exec(compile(f"def f(a, v{constants}):\n{unpacked}    return {body}\n", f"<ball {expr}>", "exec"), scope)
    formula: Formula = scope["f"]
    return formula


class _Writer:
    """Writes an expression as Python source over flint."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.position = {name: i for i, name in enumerate(names)}
        self.constants: dict[str, Any] = {}
        self.bound: dict[str, str] = {}
        self.counted: set[str] = set()
        self.around = "1"
        self.fresh = 0

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
            return f"_arb({self.bound[e.name]})" if e.name in self.bound else f"x{self.position[e.name]}"
        if isinstance(e, fn.Unit):
            return self.constant(flint.arb(1))
        if isinstance(e, fn.Entry):
            return f"_entry({self.ball(e.args[0])}, {self.integer(e.args[1])}, {e.args[0].name!r})"
        if isinstance(e, sp.Add):
            return "(" + " + ".join(self.ball(a) for a in e.args) + ")"
        if isinstance(e, sp.Mul | sp.Pow):
            return self.product(e)
        if isinstance(e, fn.Ratio):
            return f"({self.ball(e.args[0])} / {self.ball(e.args[1])})"
        if isinstance(e, sp.Max | sp.Min):
            name = "_maximum" if isinstance(e, sp.Max) else "_minimum"
            return f"{name}([{', '.join(self.ball(a) for a in e.args)}])"
        if isinstance(e, sp.ceiling | sp.floor):
            return f"_rounded({self.rational(e.args[0])}, {self.ball(e.args[0])}, {isinstance(e, sp.ceiling)})"
        if isinstance(e, fn.geom):
            return f"_geom({self.ball(e.args[0])}, {self.integer(e.args[1])})"
        if isinstance(e, fn.phi1):
            return f"_phi1({self.ball(e.args[0])})"
        if isinstance(e, sp.Abs):
            return f"abs({self.ball(e.args[0])})"
        if isinstance(e, Binder):
            return self.binder(e)
        if isinstance(e, sp.log) and e.args[0].is_Add and sp.S.One in e.args[0].args:
            return f"{self.ball(e.args[0] - 1)}.log1p()"  # a sum near 1 keeps the digits of what it adds
        if type(e) in _METHODS:
            return f"{self.ball(e.args[0])}.{_METHODS[type(e)]}()"
        what = f"{type(e).__name__}: {e}"
        raise OutOfRange("an expression that has a value", what, "bounds hold registered functions only")

    def product(self, e: sp.Expr) -> str:
        """Write a product or a power with its denominators gathered."""
        above: list[str] = []
        below: list[str] = []
        for factor in sp.Mul.make_args(e):
            inverted = isinstance(factor, sp.Pow) and factor.exp.is_Rational and factor.exp.is_negative
            (below if inverted else above).append(self.power(1 / factor if inverted else factor))
        numerator = " * ".join(above) or self.constant(flint.arb(1))
        return f"({numerator} / ({' * '.join(below)}))" if below else f"({numerator})"

    def power(self, e: sp.Expr) -> str:
        if not isinstance(e, sp.Pow):
            return self.ball(e)
        base, power = self.ball(e.base), e.exp
        if power == 2 and e.base.is_Symbol:
            return f"{base} * {base}"
        if power.is_Rational:
            rooted = base if power.q == 1 else f"_sqrt({base})" if power.q == 2 else f"_root({base}, {int(power.q)})"
            return rooted if power.p == 1 else f"_power({rooted}, {int(power.p)})"
        if power.is_integer:
            return f"_power({base}, {self.integer(power)})"
        return f"_real_power({base}, {self.ball(power)})"

    def binder(self, e: sp.Expr) -> str:
        low, high = (self.integer(a) for a in e.span)
        saved, around, changing = dict(self.bound), self.around, self.changing(e)
        if not isinstance(e, fn.MaxOver):
            self.around = f"{around} * max(1, {high})" if changing == "True" else around
        variables = []
        for symbol in e.bound_symbols:
            self.fresh += 1
            variables.append(f"b{self.fresh}")
            self.bound[symbol.name] = variables[-1]
        inside = f"lambda {', '.join(variables)}: {self.ball(e.args[0])}"
        self.bound, self.around = saved, around
        steps = f"_steps({high}, {sp.sstr(e.span[1])!r}, {around})"
        if isinstance(e, fn.SumOver):
            carried_out, at_once = f"_total({inside}, {steps})", f"_repeated({inside}, {high})"
            return carried_out if changing == "True" else f"({carried_out} if {changing} else {at_once})"
        if isinstance(e, fn.Recurrence):
            return f"_iterate({inside}, {steps}, {self.ball(e.args[4])})"
        top, slope = (self.ball(a) for a in e.args[4:6])
        return f"_largest({inside}, {low}, {high}, {top}, {slope}, {variables[-1] not in self.counted})"

    def changing(self, e: sp.Expr) -> str:
        """Write whether a body changes with the index: in entries that are given one by one, or elsewhere."""
        index = e.bound_symbols[-1]
        families = [a for a in e.args[0].atoms(fn.Entry) if index in a.args[1].free_symbols]
        if isinstance(e, fn.Recurrence) or index in e.args[0].xreplace(dict.fromkeys(families, sp.S.Zero)).free_symbols:
            return "True"
        names = sorted({self.ball(a.args[0]) for a in families})
        return f"any(isinstance(x, list) for x in ({', '.join(names)},))" if names else "False"

    def integer(self, e: sp.Expr) -> str:
        if e.is_Integer:
            return str(int(e))
        if e.is_Symbol:
            self.counted |= {self.bound[e.name]} if e.name in self.bound else set()
            return self.bound.get(e.name) or f"_integer(v[{e.name!r}], {e.name!r})"
        if isinstance(e, sp.Add | sp.Mul):
            return "(" + (" + " if isinstance(e, sp.Add) else " * ").join(self.integer(a) for a in e.args) + ")"
        if isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp.is_positive:
            return f"({self.integer(e.base)} ** {int(e.exp)})"
        raise OutOfRange("an integer expression", e, "indices and counts are integer polynomials")

    def rational(self, e: sp.Expr) -> str:
        """Write an exact rational evaluation, `None` where a part is irrational."""
        if e.is_Rational:
            return self.constant(flint.fmpq(int(e.p), int(e.q)))
        if e.is_Symbol:
            self.counted |= {self.bound[e.name]} if e.name in self.bound else set()
            return f"_rational({self.bound.get(e.name) or f'v[{e.name!r}]'})"
        if isinstance(e, sp.Add | sp.Mul):
            fold = "_rational_sum" if isinstance(e, sp.Add) else "_rational_product"
            return f"{fold}([{', '.join(self.rational(a) for a in e.args)}])"
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            return f"_rational_power({self.rational(e.base)}, {int(e.exp)})"
        if isinstance(e, fn.Ratio):
            return f"_rational_product([{self.rational(e.args[0])}, _rational_power({self.rational(e.args[1])}, -1)])"
        return "None"
