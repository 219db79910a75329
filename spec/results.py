"""Every result that proofs cite, once: elementary ones of the reals and of normed spaces, and published ones by number.

A template's parameters end in an underscore. Vectors in its test instances are real numbers, where norms are absolute
values.
"""

from typing import Any

import sympy as sp

from spec.language.functions import (
    MaxOver,
    Ratio,
    Recurrence,
    SumOver,
    expectation,
    geom,
    inner,
    norm,
    phi1,
    probability,
    quantile,
    token_norm,
)
from spec.language.template import Instance, Statement, Template
from spec.symbols import e, i, j, m, n, omega, s, sees, u, v, w

z_, k_, c_, a_, b_, m_, w_ = sp.symbols("z_ k_ c_ a_ b_ m_ w_")
v1_, v2_, v3_ = sp.symbols("v1_ v2_ v3_")
f_, g_, p_, q_ = (sp.Function(name) for name in ("f_", "g_", "p_", "q_"))
_half, _third = sp.Rational(1, 2), sp.Rational(1, 3)


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


TRIANGLE = Template(
    name="triangle",
    reference="triangle inequality",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(_le(norm(v1_ + v2_), norm(v1_) + norm(v2_))),
    equality=Instance({v1_: 2, v2_: 3}, {}),
    valid=Instance({v1_: 2, v2_: -3}, {}),
    invalid=None,
    elementary=True,
)
TRIANGLE_3 = Template(
    name="triangle-3",
    reference="triangle inequality, twice",
    parameters=(v1_, v2_, v3_),
    hypotheses=(),
    conclusion=Statement(_le(norm(v1_ + v2_ + v3_), norm(v1_) + norm(v2_) + norm(v3_))),
    equality=Instance({v1_: 2, v2_: 3, v3_: 1}, {}),
    valid=Instance({v1_: 2, v2_: -3, v3_: 1}, {}),
    invalid=None,
    elementary=True,
)
INTEGRAL_BOUND = Template(
    name="integral-bound",
    reference="monotonicity of the integral",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(_le(a_, b_)),
        Statement(_le(norm(f_(u)), g_(u)), (u,), (_le(a_, u), _le(u, b_))),
    ),
    conclusion=Statement(_le(norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 1), g_: sp.Lambda(u, sp.Integer(1)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
GEOMETRIC_STEP = Template(
    name="geometric-step",
    reference="definition of the geometric sum",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(k_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq(geom(z_, k_ + 1), (1 + z_) * geom(z_, k_) + 1, evaluate=False)),
    equality=Instance({z_: _half, k_: sp.Integer(0)}, {}),
    valid=Instance({z_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    invalid=None,
    elementary=True,
)
GEOMETRIC_EXPONENTIAL = Template(
    name="geometric-exponential",
    reference="1 + z ≤ e^z, summed",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(sp.Ge(k_, 0, evaluate=False))),
    conclusion=Statement(_le(geom(z_, k_), k_ * phi1(k_ * z_))),
    equality=Instance({z_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    valid=Instance({z_: _half, k_: sp.Integer(4)}, {}),
    invalid=Instance({z_: -_half, k_: sp.Integer(4)}, {}),
    elementary=True,
)
GEOMETRIC_MONOTONE = Template(
    name="geometric-monotone",
    reference="nonnegative summands",
    parameters=(z_, k_, c_),
    hypotheses=(
        Statement(sp.Ge(z_, 0, evaluate=False)),
        Statement(_le(k_, c_)),
        Statement(sp.Ge(k_, 0, evaluate=False)),
    ),
    conclusion=Statement(_le(geom(z_, k_), geom(z_, c_))),
    equality=Instance({z_: _half, k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({z_: _half, k_: sp.Integer(2), c_: sp.Integer(5)}, {}),
    invalid=Instance({z_: _half, k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
)
TOKEN_TRIANGLE = Template(
    name="token-triangle",
    reference="triangle inequality of the largest token norm",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(_le(token_norm(v1_ + v2_), token_norm(v1_) + token_norm(v2_))),
    equality=Instance({v1_: 2, v2_: 3}, {}),
    valid=Instance({v1_: 2, v2_: -3}, {}),
    invalid=None,
    elementary=True,
)
TOKEN_BELOW_FROBENIUS = Template(
    name="token-below-frobenius",
    reference="one token's norm is at most that of all tokens",
    parameters=(v1_,),
    hypotheses=(),
    conclusion=Statement(_le(token_norm(v1_), norm(v1_))),
    equality=Instance({v1_: 2}, {}),
    valid=Instance({v1_: -3}, {}),
    invalid=None,
    elementary=True,
)
TOKEN_INTEGRAL_BOUND = Template(
    name="token-integral-bound",
    reference="monotonicity of the integral, in the largest token norm",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(_le(a_, b_)),
        Statement(_le(token_norm(f_(u)), g_(u)), (u,), (_le(a_, u), _le(u, b_))),
    ),
    conclusion=Statement(_le(token_norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 1), g_: sp.Lambda(u, sp.Integer(1)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
INTEGRAL_MONOTONE = Template(
    name="integral-monotone",
    reference="monotonicity of the integral",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(_le(a_, b_)),
        Statement(_le(f_(u), g_(u)), (u,), (_le(a_, u), _le(u, b_))),
    ),
    conclusion=Statement(_le(sp.Integral(f_(u), (u, a_, b_)), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, -u), g_: sp.Lambda(u, u), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
SUM_STEP = Template(
    name="sum-step",
    reference="definition of the sum",
    parameters=(f_, k_),
    hypotheses=(Statement(sp.Ge(k_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq(SumOver(f_(j), j, k_ + 1), SumOver(f_(j), j, k_) + f_(k_), evaluate=False)),
    equality=Instance({f_: sp.Lambda(j, j**2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
)
SUM_BOUND = Template(
    name="sum-bound",
    reference="k summands, each at most c",
    parameters=(f_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(k_, 0, evaluate=False)),
        Statement(_le(f_(j), c_), (j,), (sp.Ge(j, 0, evaluate=False), _le(j, k_ - 1))),
    ),
    conclusion=Statement(_le(SumOver(f_(j), j, k_), k_ * c_)),
    equality=Instance({f_: sp.Lambda(j, sp.Integer(2)), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    elementary=True,
)


def grown(a: sp.Expr, c: sp.Expr, m: sp.Expr, z: sp.Expr) -> sp.Expr:
    """Return a e^{cz} + m z φ₁(cz): the solution of E' = cE + m, E(0) = a, at z."""
    return a * sp.exp(c * z) + m * z * phi1(c * z)


GROWTH_STEP = Template(
    name="growth-step",
    reference="the solution of E' = cE + m increases and lies above its tangents",
    parameters=(a_, c_, m_, z_, w_, b_),
    hypotheses=(
        *(Statement(sp.Ge(v, 0, evaluate=False)) for v in (a_, c_, m_, z_, w_)),
        Statement(_le(z_ + w_, b_)),
    ),
    conclusion=Statement(_le((1 + c_ * w_) * grown(a_, c_, m_, z_) + m_ * w_, grown(a_, c_, m_, b_))),
    equality=Instance({a_: 2, c_: sp.Integer(0), m_: 3, z_: _half, w_: 1, b_: _half + 1}, {}),
    valid=Instance({a_: 2, c_: _half, m_: 3, z_: _half, w_: 1, b_: 2}, {}),
    invalid=Instance({a_: 2, c_: 1, m_: 3, z_: _half, w_: 1, b_: 1}, {}),
    elementary=True,
)
GROWTH_MONOTONE = Template(
    name="growth-monotone",
    reference="the solution of E' = cE + m increases",
    parameters=(a_, c_, m_, z_, w_),
    hypotheses=(*(Statement(sp.Ge(v, 0, evaluate=False)) for v in (a_, c_, m_)), Statement(_le(z_, w_))),
    conclusion=Statement(_le(grown(a_, c_, m_, z_), grown(a_, c_, m_, w_))),
    equality=Instance({a_: 2, c_: 1, m_: 3, z_: _half, w_: _half}, {}),
    valid=Instance({a_: 2, c_: 1, m_: 3, z_: -1, w_: _half}, {}),
    invalid=Instance({a_: 2, c_: 1, m_: 3, z_: 1, w_: _half}, {}),
    elementary=True,
)
GRONWALL = Template(
    name="gronwall",
    reference="khalil2002, Lemma A.1, for λ(t) = a + m∫_0^t g and μ = cg, in the time ∫_0^t g",
    parameters=(f_, g_, a_, c_, m_, b_),
    hypotheses=(
        Statement(sp.Ge(b_, 0, evaluate=False)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(sp.Ge(g_(u), 0, evaluate=False), (u,), (sp.Ge(u, 0, evaluate=False), _le(u, b_))),
        Statement(
            _le(f_(s), a_ + sp.Integral(g_(u) * (c_ * f_(u) + m_), (u, 0, s))),
            (s,),
            (sp.Ge(s, 0, evaluate=False), _le(s, b_)),
        ),
    ),
    conclusion=Statement(_le(f_(b_), grown(a_, c_, m_, sp.Integral(g_(u), (u, 0, b_))))),
    equality=Instance(
        {f_: sp.Lambda(u, sp.exp(u)), g_: sp.Lambda(u, sp.Integer(1)), a_: 1, c_: 1, m_: sp.Integer(0), b_: 2}, {}
    ),
    valid=Instance({f_: sp.Lambda(u, 1 + u), g_: sp.Lambda(u, u + 1), a_: 1, c_: 1, m_: 2, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 3 + u), g_: sp.Lambda(u, u), a_: 1, c_: 1, m_: sp.Integer(0), b_: 1}, {}),
)


def _constant(value: sp.Expr) -> sp.Lambda:
    return sp.Lambda(i, value)


# Test instances of probability statements have constant deviations, known before the sample.
_certain: dict[Any, Any] = {
    expectation: sp.Lambda(w, w), quantile: sp.Lambda((w, v), w), sees: sp.Lambda(w, sp.Integer(0)),
}  # fmt: skip
_happens: dict[Any, Any] = {**_certain, probability: sp.Lambda((w, v), sp.Integer(1))}
_never: dict[Any, Any] = {**_certain, probability: sp.Lambda((w, v), sp.Integer(0))}

HOEFFDING = Template(
    name="hoeffding",
    reference="hoeffding1963, Theorem 2; for c = −1 applied to the negatives",
    parameters=(f_, m_, k_, a_, w_, z_, c_),
    hypotheses=(
        Statement(sp.Ge(k_, 1, evaluate=False)),
        Statement(sp.Gt(w_, 0, evaluate=False)),
        Statement(sp.Ge(z_, 0, evaluate=False)),
        Statement(sp.Eq(c_**2, 1, evaluate=False)),
        Statement(_le(a_, f_(j)), (j,)),
        Statement(_le(f_(j), a_ + w_), (j,)),
        Statement(sp.Eq(expectation(f_(j)), m_, evaluate=False), (j,)),
        Statement(
            sp.Eq(
                sp.log(expectation(sp.exp(v * SumOver(f_(j), j, k_)))),
                SumOver(sp.log(expectation(sp.exp(v * f_(j)))), j, k_),
                evaluate=False,
            ),
            (v,),
        ),
    ),
    conclusion=Statement(
        _le(probability(c_ * (SumOver(f_(j), j, k_) / k_ - m_), z_), sp.exp(-2 * k_ * z_**2 / w_**2))
    ),
    equality=Instance(
        {f_: _constant(_half), m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: sp.Integer(0), c_: sp.Integer(1)},
        _happens,
    ),
    valid=Instance(
        {f_: _constant(_half), m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: _half, c_: sp.Integer(-1)}, _never
    ),
    invalid=Instance(
        {f_: _constant(sp.Integer(1)), m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: _half, c_: sp.Integer(1)},
        _happens,
    ),
)
TWO_SIDED = Template(
    name="two-sided",
    reference="|D| ≥ s means D ≥ s or −D ≥ s",
    parameters=(c_, z_),
    hypotheses=(),
    conclusion=Statement(_le(probability(sp.Abs(c_), z_), probability(c_, z_) + probability(-c_, z_))),
    equality=Instance({c_: v, z_: sp.Integer(2)}, {**_never, v: 1}),
    valid=Instance({c_: v, z_: sp.Integer(-2)}, {**_happens, v: 1}),
    invalid=None,
    elementary=True,
)
QUANTILE_OF_TAIL = Template(
    name="quantile-of-tail",
    reference="definition of the quantile",
    parameters=(a_, z_, c_),
    hypotheses=(Statement(_le(probability(a_, w), c_), (w,), (sp.Gt(w, z_, evaluate=False),)),),
    conclusion=Statement(_le(quantile(a_, c_), z_)),
    equality=Instance({a_: _half, z_: _half, c_: _third}, _never),
    valid=Instance({a_: _half, z_: sp.Integer(1), c_: _third}, _never),
    invalid=Instance({a_: sp.Integer(2), z_: sp.Integer(1), c_: _third}, _happens),
    elementary=True,
)
QUANTILE_SHIFT = Template(
    name="quantile-shift",
    reference="definition of the quantile",
    parameters=(a_, b_, z_, c_),
    hypotheses=(Statement(_le(a_, z_ + b_)),),
    conclusion=Statement(_le(quantile(a_, c_), z_ + quantile(b_, c_))),
    equality=Instance({a_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(1), c_: _third}, _certain),
    valid=Instance({a_: sp.Integer(2), b_: sp.Integer(2), z_: sp.Integer(1), c_: _third}, _certain),
    invalid=Instance({a_: sp.Integer(4), b_: sp.Integer(2), z_: sp.Integer(1), c_: _third}, _certain),
    elementary=True,
)
UNION_BOUND = Template(
    name="union-bound",
    reference="k events of probability at most c/k each; i runs over indices that do not see the sample, b does",
    parameters=(f_, k_, b_, z_, c_),
    hypotheses=(
        Statement(_le(quantile(f_(i), c_ / k_), z_), (i,), (_le(i, k_ - 1), sp.Eq(sees(i), 0, evaluate=False))),
        Statement(_le(b_, k_ - 1)),
    ),
    conclusion=Statement(_le(quantile(f_(b_), c_), z_)),
    equality=Instance({f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(2), c_: _third}, _certain),
    valid=Instance({f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(1), z_: sp.Integer(2), c_: _third}, _certain),
    invalid=Instance({f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(1), c_: _third}, _certain),
    elementary=True,
)  # fmt: skip
LOG_ABOVE = Template(
    name="log-above",
    reference="log z lies above 1 − 1/z, which touches it at 1",
    parameters=(z_,),
    hypotheses=(Statement(sp.Gt(z_, 0, evaluate=False)),),
    conclusion=Statement(_le(1 - 1 / z_, sp.log(z_))),
    equality=Instance({z_: u}, {u: 1}),
    valid=Instance({z_: u}, {u: 2}),
    invalid=None,
    elementary=True,
)

CAUCHY_SCHWARZ = Template(
    name="cauchy-schwarz",
    reference="Cauchy–Schwarz inequality",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(_le(sp.Abs(inner(v1_, v2_)), norm(v1_) * norm(v2_))),
    equality=Instance({v1_: 2, v2_: -3}, {}),
    valid=Instance({v1_: 2, v2_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
)
DUAL_NORM = Template(
    name="dual-norm",
    reference="the norm of a vector is its largest product with a unit vector",
    parameters=(v1_, c_),
    hypotheses=(Statement(_le(inner(omega, v1_), c_ * norm(omega)), (omega,)),),
    conclusion=Statement(_le(norm(v1_), c_)),
    equality=Instance({v1_: 2, c_: 2}, {}),
    valid=Instance({v1_: 2, c_: 3}, {}),
    invalid=Instance({v1_: 2, c_: 1}, {}),
    elementary=True,
)
_summands = (sp.Ge(j, 0, evaluate=False), _le(j, k_ - 1))
WEIGHTED_MEAN = Template(
    name="weighted-mean",
    reference="a mean is at most the largest of its terms",
    parameters=(f_, g_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(f_(j), 0, evaluate=False), (j,), _summands),
        Statement(sp.Gt(SumOver(f_(j), j, k_), 0, evaluate=False)),
        Statement(_le(g_(j), c_), (j,), _summands),
    ),
    conclusion=Statement(_le(Ratio(SumOver(f_(j) * g_(j), j, k_), SumOver(f_(j), j, k_)), c_)),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, sp.Integer(2)), c_: 2, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, -j), c_: 1, k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j), c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
)


def softmax_mean(weights: Any, scores: Any, values: Any, k: sp.Expr) -> sp.Expr:
    """Return the mean of values under weights times e^score, normalised."""
    weight = weights(j) * sp.exp(scores(j))
    return Ratio(SumOver(weight * values(j), j, k), SumOver(weight, j, k))


SOFTMAX_CHANGE = Template(
    name="softmax-change",
    reference="nesterov2005, Theorem 1 and Lemma 3: softmax has Lipschitz constant 1 from the largest entry's norm to the sum's",
    parameters=(p_, f_, g_, q_, a_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(p_(j), 0, evaluate=False), (j,), _summands),
        Statement(sp.Gt(SumOver(p_(j) * sp.exp(f_(j)), j, k_), 0, evaluate=False)),
        Statement(_le(sp.Abs(f_(j) - g_(j)), c_), (j,), _summands),
        Statement(_le(sp.Abs(q_(j)), a_), (j,), _summands),
    ),
    conclusion=Statement(_le(sp.Abs(softmax_mean(p_, f_, q_, k_) - softmax_mean(p_, g_, q_, k_)), a_ * c_)),
    equality=Instance(
        {p_: sp.Lambda(j, sp.Integer(1)), f_: sp.Lambda(j, j), g_: sp.Lambda(j, 2 * j), q_: sp.Lambda(j, sp.Integer(0)), a_: sp.Integer(0), c_: 2, k_: sp.Integer(3)}, {}
    ),
    valid=Instance(
        {p_: sp.Lambda(j, j), f_: sp.Lambda(j, j), g_: sp.Lambda(j, 2 * j), q_: sp.Lambda(j, -j), a_: 2, c_: 2, k_: sp.Integer(3)}, {}
    ),
    invalid=Instance(
        {p_: sp.Lambda(j, sp.Integer(1)), f_: sp.Lambda(j, sp.Integer(0)), g_: sp.Lambda(j, 2 * j), q_: sp.Lambda(j, 2 * j - 1), a_: 1, c_: _half, k_: sp.Integer(2)}, {}
    ),
)  # fmt: skip
ALL_TOKENS = Template(
    name="all-tokens",
    reference="n tokens, none longer than the longest",
    parameters=(v1_,),
    hypotheses=(),
    conclusion=Statement(_le(norm(v1_), sp.sqrt(n) * token_norm(v1_))),
    equality=Instance({v1_: 2}, {n: 1}),
    valid=Instance({v1_: 2}, {n: 4}),
    invalid=None,
    elementary=True,
)
QUOTIENTS = Template(
    name="quotients",
    reference="a bound on difference quotients is a Lipschitz constant",
    parameters=(f_, v1_, v2_, c_),
    hypotheses=(
        Statement(
            _le(Ratio(norm(f_(v1_) - f_(v2_)), norm(v1_ - v2_)), c_), (), (sp.Gt(norm(v1_ - v2_), 0, evaluate=False),)
        ),
    ),
    conclusion=Statement(_le(norm(f_(v1_) - f_(v2_)), c_ * norm(v1_ - v2_))),
    equality=Instance({f_: sp.Lambda(u, 2 * u), v1_: 3, v2_: 1, c_: 2}, {}),
    valid=Instance({f_: sp.Lambda(u, 1 - u), v1_: 3, v2_: 1, c_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), v1_: 3, v2_: 1, c_: 1}, {}),
    elementary=True,
)

_whole = sp.Eq(sp.ceiling(k_), k_, evaluate=False)
_integers = (_le(a_, j), _le(j, b_))
PEAK = Template(
    name="peak",
    reference="an integer sequence that rises up to c/m and falls after it is largest next to it",
    parameters=(f_, a_, b_, c_, m_, k_),
    hypotheses=(
        Statement(_le(f_(i), f_(j)), (i, j), (_le(a_, i), _le(i, j), _le(j, b_), _le(j * m_, c_))),
        Statement(_le(f_(j), f_(i)), (i, j), (_le(a_, i), _le(i, j), _le(j, b_), _le(c_, i * m_))),
        Statement(_whole),
        Statement(_le(a_, k_)),
        Statement(_le(k_, b_)),
    ),
    conclusion=Statement(_le(f_(k_), MaxOver(f_(m), m, a_, b_, c_, m_))),
    equality=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(1)}, {}),
    valid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: sp.Integer(0), m_: 1, k_: sp.Integer(1)}, {}),
    elementary=True,
)
CELL_INTEGRAL_BOUND = Template(
    name="cell-integral-bound",
    reference="monotonicity of the integral; the end of the interval carries no mass",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(_le(a_, b_)),
        Statement(_le(norm(f_(u)), g_(u)), (u,), (_le(a_, u), sp.Lt(u, b_, evaluate=False))),
    ),
    conclusion=Statement(_le(norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 1), g_: sp.Lambda(u, sp.Integer(1)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
SUM_MONOTONE = Template(
    name="sum-monotone",
    reference="nonnegative summands",
    parameters=(f_, k_, c_),
    hypotheses=(
        Statement(_le(k_, c_)),
        Statement(sp.Ge(f_(j), 0, evaluate=False), (j,), (sp.Ge(j, 0, evaluate=False), _le(j, c_ - 1))),
    ),
    conclusion=Statement(_le(SumOver(f_(j), j, k_), SumOver(f_(j), j, c_))),
    equality=Instance({f_: sp.Lambda(j, j), k_: sp.Integer(3), c_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), k_: sp.Integer(2), c_: sp.Integer(5)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 1 + j), k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
)
SUM_LINEAR = Template(
    name="sum-linear",
    reference="linearity of the sum",
    parameters=(f_, g_, a_, b_, k_),
    hypotheses=(),
    conclusion=Statement(
        sp.Eq(
            SumOver(a_ * f_(j) + b_ * g_(j), j, k_),
            a_ * SumOver(f_(j), j, k_) + b_ * SumOver(g_(j), j, k_),
            evaluate=False,
        )
    ),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j**2), a_: 2, b_: 3, k_: sp.Integer(4)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, 1 - j), a_: 2, b_: -3, k_: sp.Integer(2)}, {}),
    invalid=None,
    elementary=True,
)
POWER_STEP = Template(
    name="power-step",
    reference="definition of the power",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq((1 + z_) ** (k_ + 1), (1 + z_) ** k_ + z_ * (1 + z_) ** k_, evaluate=False)),
    equality=Instance({z_: _half, k_: sp.Integer(2)}, {}),
    valid=Instance({z_: sp.Integer(3), k_: sp.Integer(-1)}, {}),
    invalid=None,
    elementary=True,
)
POWER_MONOTONE = Template(
    name="power-monotone",
    reference="powers of a number that is at least 1",
    parameters=(z_, k_, c_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(_le(k_, c_))),
    conclusion=Statement(_le((1 + z_) ** k_, (1 + z_) ** c_)),
    equality=Instance({z_: _half, k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({z_: _half, k_: sp.Integer(-1), c_: sp.Integer(5)}, {}),
    invalid=Instance({z_: _half, k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
)
POWER_EXPONENTIAL = Template(
    name="power-exponential",
    reference="1 + z ≤ e^z, to the power k",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(sp.Ge(k_, 0, evaluate=False))),
    conclusion=Statement(_le((1 + z_) ** k_, sp.exp(k_ * z_))),
    equality=Instance({z_: _half, k_: sp.Integer(0)}, {}),
    valid=Instance({z_: _half, k_: sp.Integer(4)}, {}),
    invalid=Instance({z_: _half, k_: sp.Integer(-4)}, {}),
    elementary=True,
)
_path = Recurrence(f_(e, j), e, j, k_, a_)
RECURRENCE_STEP = Template(
    name="recurrence-step",
    reference="definition of the recurrence",
    parameters=(f_, a_, k_),
    hypotheses=(Statement(sp.Ge(k_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq(_path.xreplace({k_: k_ + 1}), f_(_path, k_), evaluate=False)),
    equality=Instance({f_: sp.Lambda((e, j), 2 * e + j), a_: sp.Integer(1), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda((e, j), -e), a_: sp.Integer(1), k_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
)
RECURRENCE_MONOTONE = Template(
    name="recurrence-monotone",
    reference="steps that do not go down, from a nonnegative start",
    parameters=(f_, a_, k_, c_),
    hypotheses=(
        Statement(sp.Ge(a_, 0, evaluate=False)),
        Statement(sp.Ge(k_, 0, evaluate=False)),
        Statement(_le(k_, c_)),
        Statement(_le(e, f_(e, j)), (e, j), (sp.Ge(e, 0, evaluate=False), sp.Ge(j, 0, evaluate=False))),
    ),
    conclusion=Statement(_le(_path, _path.xreplace({k_: c_}))),
    equality=Instance({f_: sp.Lambda((e, j), e + j), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({f_: sp.Lambda((e, j), 2 * e + j), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(4)}, {}),
    invalid=Instance({f_: sp.Lambda((e, j), e / 2), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(4)}, {}),
    elementary=True,
)
BERNOULLI = Template(
    name="bernoulli",
    reference="Bernoulli's inequality",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(sp.Ge(k_, 1, evaluate=False))),
    conclusion=Statement(_le(1 + k_ * (z_ - 1), z_**k_)),
    equality=Instance({z_: u, k_: v}, {u: 3, v: 1}),
    valid=Instance({z_: u, k_: v}, {u: _half, v: 3}),
    invalid=Instance({z_: u, k_: v}, {u: 3, v: _half}),
    elementary=True,
)
