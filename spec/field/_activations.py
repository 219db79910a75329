"""Slopes of the registered activations and the steps that bound them.

SiLU and the tanh form of GELU are gates σ(w) = ½w(1 + tanh q(w)), whose slope rises to its maximum and falls after it.
The maximum has no closed form: it lies between two rationals, and ball arithmetic bounds the slope there.
"""

from dataclasses import dataclass

import sympy as sp

from spec import results
from spec.language.proof import Fact, Use, cited, identity, inequality, monotone, use
from spec.symbols import v, w


@dataclass(frozen=True)
class Gate:
    """A gate's argument q, its steepest point between two rationals, and a rational that its slope stays below."""

    name: str
    q: sp.Expr
    low: sp.Rational
    high: sp.Rational
    top: sp.Rational

    @property
    def tanh(self) -> sp.Lambda:
        """Return tanh q."""
        return sp.Lambda(w, sp.tanh(self.q))

    @property
    def rate(self) -> sp.Lambda:
        """Return q'."""
        return sp.Lambda(w, sp.diff(self.q, w))

    @property
    def slope(self) -> sp.Lambda:
        """Return σ' = ½(1 + tanh q) + ½w q'(1 − tanh² q)."""
        return sp.Lambda(w, (1 + self.tanh(w)) / 2 + w * self.rate(w) * (1 - self.tanh(w) ** 2) / 2)

    @property
    def drive(self) -> sp.Lambda:
        """Return q' + ½w q'': the slope rises where this exceeds the drag, and falls where it does not."""
        return sp.Lambda(w, self.rate(w) + w * sp.diff(self.q, w, 2) / 2)

    @property
    def drag(self) -> sp.Lambda:
        """Return w q'² tanh q."""
        return sp.Lambda(w, w * self.rate(w) ** 2 * self.tanh(w))


SILU = Gate(
    "silu", w / 2, sp.Rational("2.3993572805154"), sp.Rational("2.3993572805155"), sp.Rational("1.099839320129")
)
GELU_TANH = Gate(
    "gelu-tanh",
    sp.sqrt(2 / sp.pi) * (w + sp.Rational("0.044715") * w**3),
    sp.Rational("1.4185040087908"),
    sp.Rational("1.4185040087909"),
    sp.Rational("1.12899306866"),
)
GELU = sp.Lambda(w, (1 + sp.erf(w / sp.sqrt(2))) / 2 + w * sp.exp(-(w**2) / 2) / sp.sqrt(2 * sp.pi))
GELU_TOP = (1 + sp.erf(1)) / 2 + sp.exp(-1) / sp.sqrt(sp.pi)
TANH = sp.Lambda(w, 1 - sp.tanh(w) ** 2)


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


_right, _left = (sp.Ge(v, 0, evaluate=False),), (_le(v, 0),)


def gate_facts(gate: Gate) -> tuple[Fact, ...]:
    """Return the steps to |σ'| ≤ top."""
    name, y, f = gate.name, gate.tanh, gate.slope
    positive = inequality(f"{name}-positive", _le(0, f(v)), use(f"{name}-range", w=v), free=(v,), given=_right)
    return (
        identity(f"{name}-square", sp.Eq(y(w) ** 2, 1 - 1 / sp.cosh(gate.q) ** 2), free=(w,)),
        inequality(f"{name}-range", sp.Le(y(w) ** 2, 1), use(f"{name}-square"), free=(w,)),
        *_side(gate, "before", gate.low, 1, (v, gate.low), (*_right, _le(v, gate.low))),
        *_side(gate, "after", gate.high, -1, (gate.high, v), (_le(gate.high, v),)),
        *_between(gate),
        _cases(
            f"{name}-from-low",
            f,
            gate.high,
            gate.top,
            f"{name}-bounded-between",
            f"{name}-bounded-after",
            (_le(gate.low, v),),
        ),
        _cases(f"{name}-bounded-right", f, gate.low, gate.top, f"{name}-bounded-before", f"{name}-from-low", _right),
        *_whole(name, f, gate.top, positive),
    )


def _side(
    gate: Gate, side: str, end: sp.Rational, sign: int, ends: tuple[sp.Expr, sp.Expr], given: tuple[sp.Rel, ...]
) -> tuple[Fact, ...]:
    """Return the steps on one side: there the slope rises (falls), since the drag has not (has) overtaken the drive."""
    name, y, f = gate.name, gate.tanh, gate.slope
    return (
        inequality(f"{name}-turn-{side}", _le(sign * gate.drag(end), sign * gate.drive(end))),
        monotone(f"{name}-tanh-{side}", y(w), w, *ends, use(f"{name}-range"), free=(v,)),
        inequality(
            f"{name}-{side}",
            _le(sign * gate.drag(v), sign * gate.drive(v)),
            use(f"{name}-turn-{side}"),
            use(f"{name}-tanh-{side}"),
            free=(v,),
            given=given,
        ),
        monotone(
            f"{name}-slope-{side}",
            sign * f(w),
            w,
            *ends,
            use(f"{name}-range"),
            use(f"{name}-{side}", v=w),
            free=(v,),
            given=given[:-1],
        ),
        cited(
            f"{name}-bounded-{side}",
            results.TRANSITIVE,
            {results.a_: f(v), results.b_: f(end), results.c_: gate.top},
            use(f"{name}-slope-{side}"),
            free=(v,),
            given=given,
        ),
    )


def _between(gate: Gate) -> tuple[Fact, ...]:
    """Return the steps between the two rationals: every part of the slope is at most its value at one of them."""
    name, low, high, y, f = gate.name, gate.low, gate.high, gate.tanh, gate.slope
    weight, gap = sp.Lambda(w, w * gate.rate(w)), sp.Lambda(w, 1 - y(w) ** 2)
    between = (1 + y(high)) / 2 + weight(high) * gap(low) / 2
    given = (_le(low, v), _le(v, high))
    return (
        monotone(f"{name}-tanh-above", y(w), w, low, v, use(f"{name}-range"), free=(v,)),
        monotone(f"{name}-tanh-below", y(w), w, v, high, use(f"{name}-range"), free=(v,)),
        inequality(f"{name}-gap", _le(gap(v), gap(low)), use(f"{name}-tanh-above"), free=(v,), given=given[:1]),
        cited(
            f"{name}-product",
            results.PRODUCTS,
            {results.a_: weight(v), results.b_: weight(high), results.c_: gap(v), results.m_: gap(low)},
            use(f"{name}-range", w=v),
            use(f"{name}-gap"),
            free=(v,),
            given=given,
        ),
        inequality(
            f"{name}-piece",
            _le(f(v), between),
            use(f"{name}-tanh-below"),
            use(f"{name}-product"),
            free=(v,),
            given=given,
        ),
        cited(
            f"{name}-bounded-between",
            results.TRANSITIVE,
            {results.a_: f(v), results.b_: between, results.c_: gate.top},
            use(f"{name}-piece"),
            free=(v,),
            given=given,
        ),
    )


def gelu_facts() -> tuple[Fact, ...]:
    """Return the steps to |GELU'| ≤ GELU'(√2): GELU'' has the sign of 2 − w²."""
    root = sp.sqrt(2)
    facts: list[Fact] = []
    for side, sign, ends, given in (("before", 1, (v, root), _right), ("after", -1, (root, v), ())):
        here = (*given, _le(*ends))
        facts += [
            monotone(f"gelu-slope-{side}", sign * GELU(w), w, *ends, free=(v,), given=given),
            inequality(
                f"gelu-bounded-{side}", _le(GELU(v), GELU_TOP), use(f"gelu-slope-{side}"), free=(v,), given=here
            ),
        ]
    return (
        *facts,
        _cases("gelu-bounded-right", GELU, root, GELU_TOP, "gelu-bounded-before", "gelu-bounded-after", _right),
        monotone("gelu-half", sp.erf(w / root), w, 0, v, free=(v,)),
        inequality("gelu-top", _le(1, GELU_TOP)),
        *_whole(
            "gelu",
            GELU,
            GELU_TOP,
            inequality("gelu-positive", _le(0, GELU(v)), use("gelu-half"), free=(v,), given=_right),
            use("gelu-top"),
        ),
    )


def _cases(
    name: str, f: sp.Lambda, at: sp.Expr, top: sp.Expr, below: str, above: str, given: tuple[sp.Rel, ...] = ()
) -> Fact:
    """Return f ≤ top from what holds below a number and above it."""
    values = {results.f_: f, results.z_: v, results.c_: at, results.b_: top}
    return cited(name, results.CASES, values, use(below), use(above), free=(v,), given=given)


def _whole(name: str, f: sp.Lambda, top: sp.Expr, positive: Fact, *top_above_1: Use) -> tuple[Fact, ...]:
    """Return the steps from 0 ≤ σ' ≤ top on the right half to |σ'| ≤ top: σ'(−w) = 1 − σ'(w)."""
    size = sp.Lambda(w, sp.Abs(f(w)))
    return (
        positive,
        inequality(
            f"{name}-right",
            _le(size(v), top),
            use(positive.name),
            use(f"{name}-bounded-right"),
            free=(v,),
            given=_right,
        ),
        inequality(
            f"{name}-left",
            _le(size(v), top),
            *top_above_1,
            use(positive.name, v=-v),
            use(f"{name}-bounded-right", v=-v),
            free=(v,),
            given=_left,
        ),
        _cases(name, size, sp.Integer(0), top, f"{name}-left", f"{name}-right"),
    )
