"""The parameters of templates, and what their test instances are written with."""

from typing import Any

import sympy as sp

from spec.language.functions import Ratio, SumOver, expectation, phi1, probability, quantile
from spec.objects.risk import sees
from spec.symbols import i, j, v, w

z_, k_, c_, a_, b_, m_, w_ = sp.symbols("z_ k_ c_ a_ b_ m_ w_")
v1_, v2_, v3_, v4_ = sp.symbols("v1_ v2_ v3_ v4_")
f_, g_, p_, q_ = (sp.Function(name) for name in ("f_", "g_", "p_", "q_"))
half, third = sp.Rational(1, 2), sp.Rational(1, 3)


def le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    """Return left ≤ right, kept as written."""
    return sp.Le(left, right, evaluate=False)


def grown(a: sp.Expr, c: sp.Expr, m: sp.Expr, z: sp.Expr) -> sp.Expr:
    """Return a e^{cz} + m z φ₁(cz): the solution of E' = cE + m, E(0) = a, at z."""
    return a * sp.exp(c * z) + m * z * phi1(c * z)


def constant(value: sp.Expr) -> sp.Lambda:
    """Return the constant function of an index."""
    return sp.Lambda(i, value)


# Test instances of probability statements have constant deviations, known before the sample.
certain: dict[Any, Any] = {
    expectation: sp.Lambda(w, w),
    quantile: sp.Lambda((w, v), w),
    sees: sp.Lambda(w, sp.Integer(0)),
}
happens: dict[Any, Any] = {**certain, probability: sp.Lambda((w, v), sp.Integer(1))}
never: dict[Any, Any] = {**certain, probability: sp.Lambda((w, v), sp.Integer(0))}


def softmax_mean(weights: Any, scores: Any, values: Any, k: sp.Expr) -> sp.Expr:
    """Return the mean of values under weights times e^score, normalised."""
    weight = weights(j) * sp.exp(scores(j))
    return Ratio(SumOver(weight * values(j), j, k), SumOver(weight, j, k))


FIRST_, SECOND_ = sp.symbols("l1_ l2_ l3_ l4_"), sp.symbols("r1_ r2_ r3_ r4_")
