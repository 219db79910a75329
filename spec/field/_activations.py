"""Slopes of the registered activations and the steps that bound them.

SiLU and the tanh form of GELU are gates σ(w) = ½w(1 + tanh q(w)), whose slope rises to its maximum and falls after it.
The maximum has no closed form: it lies between two rationals, and ball arithmetic bounds the slope there.
"""

from dataclasses import dataclass

import sympy as sp

from spec import results
from spec.language.proof import Fact, cited, identity, inequality, monotone, use
from spec.symbols import v, w

Slope = sp.Lambda


@dataclass(frozen=True)
class Gate:
    """A gate's argument q, its steepest point between two rationals, and a rational that its slope stays below."""

    name: str
    q: sp.Expr
    low: sp.Rational
    high: sp.Rational
    top: sp.Rational

    @property
    def tanh(self) -> Slope:
        """Return tanh q."""
        return sp.Lambda(w, sp.tanh(self.q))

    @property
    def rate(self) -> Slope:
        """Return q'."""
        return sp.Lambda(w, sp.diff(self.q, w))

    @property
    def slope(self) -> Slope:
        """Return σ' = ½(1 + tanh q) + ½w q'(1 − tanh² q)."""
        return sp.Lambda(w, (1 + self.tanh(w)) / 2 + w * self.rate(w) * (1 - self.tanh(w) ** 2) / 2)

    @property
    def drive(self) -> Slope:
        """Return q' + ½w q'': the slope rises where this exceeds w q'² tanh q, and falls where it does not."""
        return sp.Lambda(w, self.rate(w) + w * sp.diff(self.q, w, 2) / 2)

    @property
    def pull(self) -> Slope:
        """Return w q'² over the drive: it increases, as tanh q does."""
        return sp.Lambda(w, w * self.rate(w) ** 2 / self.drive(w))


def _point(text: str) -> sp.Rational:
    return sp.Rational(text)


SILU = Gate("silu", w / 2, _point("2.3993572805154"), _point("2.3993572805155"), _point("1.099839320129"))
GELU_TANH = Gate(
    "gelu-tanh",
    sp.sqrt(2 / sp.pi) * (w + _point("0.044715") * w**3),
    _point("1.4185040087908"),
    _point("1.4185040087909"),
    _point("1.12899306866"),
)
GELU: Slope = sp.Lambda(w, (1 + sp.erf(w / sp.sqrt(2))) / 2 + w * sp.exp(-(w**2) / 2) / sp.sqrt(2 * sp.pi))
GELU_TOP = (1 + sp.erf(1)) / 2 + sp.exp(-1) / sp.sqrt(sp.pi)
TANH: Slope = sp.Lambda(w, 1 - sp.tanh(w) ** 2)


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


_right = (sp.Ge(v, 0, evaluate=False),)


def gate_facts(gate: Gate) -> tuple[Fact, ...]:
    """Return the steps to |σ'| ≤ top."""
    return (*_turning(gate), *_bounded(gate), *_whole(gate.name, gate.slope, gate.top, (gate.low, gate.high), _positive(gate)))


def _turning(gate: Gate) -> tuple[Fact, ...]:
    """The slope rises up to `low` and falls from `high` on."""
    name, low, high, y = gate.name, gate.low, gate.high, gate.tanh
    force = sp.Lambda(w, w * gate.rate(w) ** 2 * y(w))
    straight = sp.diff(gate.q, w, 2) == 0
    known = (use(f"{name}-range"),) if straight else ()  # else sympy writes the slope over cosh², which is positive
    facts = [
        identity(f"{name}-square", sp.Eq(y(w) ** 2, 1 - 1 / sp.cosh(gate.q) ** 2), free=(w,)),
        inequality(f"{name}-range", sp.Le(y(w) ** 2, 1), use(f"{name}-square"), free=(w,)),
            ]
    for side, end, given in (("before", low, (*_right, _le(v, low))), ("after", high, (_le(high, v),))):
        ends = (v, end) if side == "before" else (end, v)
        sign = 1 if side == "before" else -1
        facts += [
            inequality(f"{name}-turn-{side}", _le(sign * gate.pull(end) * y(end), sign)),
            monotone(f"{name}-tanh-{side}", y(w), w, *ends, free=(v,)),
            inequality(
                f"{name}-{side}",
                _le(sign * force(v), sign * gate.drive(v)),
                use(f"{name}-turn-{side}"),
                use(f"{name}-tanh-{side}"),
                free=(v,),
                given=given,
            ),
            monotone(
                f"{name}-slope-{side}",
                sign * gate.slope(w),
                w,
                *ends,
                *known,
                use(f"{name}-{side}", v=w),
                free=(v,),
                given=given[:-1],
            ),
        ]
    return tuple(facts)


def _bounded(gate: Gate) -> tuple[Fact, ...]:
    """The slope stays below `top` left of the steepest point, right of it, and between."""
    name, y, f = gate.name, gate.tanh, gate.slope
    sides = (("before", gate.low, (*_right, _le(v, gate.low))), ("after", gate.high, (_le(gate.high, v),)))
    facts: list[Fact] = []
    for side, end, given in sides:
        facts += [
            cited(
                f"{name}-bounded-{side}",
                results.TRANSITIVE,
                {results.a_: f(v), results.b_: f(end), results.c_: gate.top},
                use(f"{name}-slope-{side}"),
                free=(v,),
                given=given,
            ),
        ]
    return (*facts, *_between(gate))


def _between(gate: Gate) -> tuple[Fact, ...]:
    name, low, high, y, f = gate.name, gate.low, gate.high, gate.tanh, gate.slope
    weight, gap = sp.Lambda(w, w * gate.rate(w)), sp.Lambda(w, 1 - y(w) ** 2)
    between = (1 + y(high)) / 2 + weight(high) * gap(low) / 2
    given = (_le(low, v), _le(v, high))
    return (
        monotone(f"{name}-tanh-above", y(w), w, low, v, free=(v,)),
        monotone(f"{name}-tanh-below", y(w), w, v, high, free=(v,)),
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
        inequality(f"{name}-piece", _le(f(v), between), use(f"{name}-tanh-below"), use(f"{name}-product"), free=(v,), given=given),
        cited(
            f"{name}-bounded-between",
            results.TRANSITIVE,
            {results.a_: f(v), results.b_: between, results.c_: gate.top},
            use(f"{name}-piece"),
            free=(v,),
            given=given,
        ),
    )


def _positive(gate: Gate) -> Fact:
    return inequality(
        f"{gate.name}-positive",
        _le(0, gate.slope(v)),
        use(f"{gate.name}-range", w=v),
        free=(v,),
        given=_right,
    )


def _cases(name: str, f: Slope, at: sp.Expr, top: sp.Expr, below: str, above: str, given: tuple[sp.Rel, ...]) -> Fact:
    values = {results.f_: f, results.z_: v, results.c_: at, results.b_: top}
    return cited(name, results.CASES, values, use(below), use(above), free=(v,), given=given)


def _whole(name: str, f: Slope, top: sp.Expr, steepest: tuple[sp.Expr, ...], positive: Fact, *at_least_1: Fact) -> tuple[Fact, ...]:
    """Put the pieces together: on the right half 0 ≤ σ' ≤ top, and σ'(−w) = 1 − σ'(w) gives the left one."""
    size = sp.Lambda(w, sp.Abs(f(w)))
    left, right = (_le(v, 0),), _right
    last = f"{name}-bounded-after"
    facts: list[Fact] = []
    if len(steepest) == 2:
        last = f"{name}-from-low"
        facts.append(_cases(last, f, steepest[1], top, f"{name}-bounded-between", f"{name}-bounded-after", (_le(steepest[0], v),)))
    return (
        *facts,
        *at_least_1,
        _cases(f"{name}-bounded-right", f, steepest[0], top, f"{name}-bounded-before", last, right),
        positive,
        inequality(f"{name}-right", _le(size(v), top), use(positive.name), use(f"{name}-bounded-right"), free=(v,), given=right),
        inequality(
            f"{name}-left",
            _le(size(v), top),
            *(use(fact.name) for fact in at_least_1),
            use(positive.name, v=-v),
            use(f"{name}-bounded-right", v=-v),
            free=(v,),
            given=left,
        ),
        _cases(f"{name}", size, sp.Integer(0), top, f"{name}-left", f"{name}-right", ()),
    )


def gelu_facts() -> tuple[Fact, ...]:
    """Return the steps to |GELU'| ≤ GELU'(√2)."""
    root = sp.sqrt(2)
    half = sp.Lambda(w, sp.erf(w / root))
    facts: list[Fact] = []
    for side, sign, ends, given in (("before", 1, (v, root), _right), ("after", -1, (root, v), ())):
        facts += [
            monotone(f"gelu-slope-{side}", sign * GELU(w), w, *ends, free=(v,), given=given),
            inequality(
                f"gelu-bounded-{side}",
                _le(GELU(v), GELU_TOP),
                use(f"gelu-slope-{side}"),
                free=(v,),
                given=(*given, _le(*ends)),
            ),
        ]
    positive = inequality("gelu-positive", _le(0, GELU(v)), use("gelu-half"), free=(v,), given=_right)
    return (*facts, monotone("gelu-half", half(w), w, 0, v, free=(v,)), *_whole("gelu", GELU, GELU_TOP, (root,), positive, inequality("gelu-top", _le(1, GELU_TOP))))
