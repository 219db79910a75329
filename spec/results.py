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
from spec.symbols import (
    base, direction, e, i, j, k, label, logit, loss, m, mix, mix_slope, n, omega, peak, s, sees, softmax, t, u, v, w,
)  # fmt: skip

z_, k_, c_, a_, b_, m_, w_ = sp.symbols("z_ k_ c_ a_ b_ m_ w_")
v1_, v2_, v3_, v4_ = sp.symbols("v1_ v2_ v3_ v4_")
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
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
GEOMETRIC_STEP = Template(
    name="geometric-step",
    reference="definition of the geometric sum",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(k_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq(geom(z_, k_ + 1), (1 + z_) * geom(z_, k_) + 1, evaluate=False)),
    equality=Instance({z_: sp.Integer(0), k_: sp.Integer(2)}, {}),
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
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
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
GRONWALL_SOURCE = Template(
    name="gronwall-source",
    reference="khalil2002, Lemma A.1, for λ(t) = ∫_0^t g and μ = c, integrated by parts",
    parameters=(f_, g_, c_, b_),
    hypotheses=(
        Statement(sp.Ge(b_, 0, evaluate=False)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(
            _le(f_(s), sp.Integral(c_ * f_(u) + g_(u), (u, 0, s))), (s,), (sp.Ge(s, 0, evaluate=False), _le(s, b_))
        ),
    ),
    conclusion=Statement(_le(f_(b_), sp.Integral(sp.exp(c_ * (b_ - u)) * g_(u), (u, 0, b_)))),
    equality=Instance(
        {f_: sp.Lambda(u, sp.exp(u) - 1), g_: sp.Lambda(u, sp.Integer(1)), c_: sp.Integer(1), b_: sp.Integer(2)}, {}
    ),
    valid=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, 1 + u), c_: sp.Integer(1), b_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(u, 3 + u), g_: sp.Lambda(u, u), c_: sp.Integer(1), b_: sp.Integer(1)}, {}),
)
EXPONENTIAL_INTEGRAL = Template(
    name="exponential-integral",
    reference="definition of φ₁",
    parameters=(c_, b_),
    hypotheses=(),
    conclusion=Statement(sp.Eq(sp.Integral(sp.exp(c_ * (b_ - u)), (u, 0, b_)), b_ * phi1(c_ * b_), evaluate=False)),
    equality=Instance({c_: sp.Integer(0), b_: v}, {v: 2}),
    valid=Instance({c_: sp.Integer(0), b_: v}, {v: -2}),
    invalid=None,
    elementary=True,
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
    parameters=(f_, b_, m_, k_, a_, w_, z_, c_),
    hypotheses=(
        Statement(sp.Ge(k_, 1, evaluate=False)),
        Statement(sp.Eq(b_, SumOver(f_(j), j, k_) / k_, evaluate=False)),
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
    conclusion=Statement(_le(probability(c_ * (b_ - m_), z_), sp.exp(-2 * k_ * z_**2 / w_**2))),
    equality=Instance(
        {f_: _constant(_half), b_: _half, m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: sp.Integer(0), c_: sp.Integer(1)},
        _happens,
    ),
    valid=Instance(
        {f_: _constant(_half), b_: _half, m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: _half, c_: sp.Integer(-1)}, _never
    ),
    invalid=Instance(
        {f_: _constant(sp.Integer(1)), b_: sp.Integer(1), m_: _half, k_: sp.Integer(2), a_: 0, w_: 1, z_: _half, c_: sp.Integer(1)},
        _happens,
    ),
    fixed=(m_, k_, a_, w_, z_, c_),
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
    fixed=(z_, c_),
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
    fixed=(z_, c_),
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
    fixed=(k_, c_),
    whole=(k_, b_),
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

SUM_BELOW = Template(
    name="sum-below",
    reference="monotonicity of the sum",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(_le(f_(j), g_(j)), (j,), _summands),),
    conclusion=Statement(_le(SumOver(f_(j), j, k_), SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, -j), g_: sp.Lambda(j, j), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, -j), k_: sp.Integer(3)}, {}),
    elementary=True,
)
_index = (Statement(sp.Eq(sp.ceiling(a_), a_, evaluate=False)), Statement(sp.Ge(a_, 0, evaluate=False)), Statement(_le(a_, k_ - 1)))  # fmt: skip
SUM_BUT_ONE_ABOVE = Template(
    name="sum-but-one-above",
    reference="k summands, each at least c but for the one that is kept",
    parameters=(f_, a_, c_, k_),
    hypotheses=(*_index, Statement(_le(c_, f_(j)), (j,), (*_summands, sp.Ne(j, a_, evaluate=False)))),
    conclusion=Statement(_le(f_(a_) + (k_ - 1) * c_, SumOver(f_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, (j - 1) ** 2), a_: 1, c_: 1, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: 2, c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
)
SUM_BUT_ONE_BELOW = Template(
    name="sum-but-one-below",
    reference="k summands, each at most c but for the one that is kept",
    parameters=(f_, a_, c_, k_),
    hypotheses=(*_index, Statement(_le(f_(j), c_), (j,), (*_summands, sp.Ne(j, a_, evaluate=False)))),
    conclusion=Statement(_le(SumOver(f_(j), j, k_), f_(a_) + (k_ - 1) * c_)),
    equality=Instance({f_: sp.Lambda(j, 1 - (j - 1) ** 2), a_: 1, c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, c_: 2, k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: sp.Integer(0), c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
)
SUM_BUT_TWO_ABOVE = Template(
    name="sum-but-two-above",
    reference="k summands, each at least c but for the two that are kept",
    parameters=(f_, a_, b_, c_, k_),
    hypotheses=(
        *_index,
        *(statement.at({a_: b_}) for statement in _index),
        Statement(sp.Ne(a_, b_, evaluate=False)),
        Statement(_le(c_, f_(j)), (j,), (*_summands, sp.Ne(j, a_, evaluate=False), sp.Ne(j, b_, evaluate=False))),
    ),
    conclusion=Statement(_le(f_(a_) + f_(b_) + (k_ - 2) * c_, SumOver(f_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, (j - 1) ** 2), a_: 1, b_: sp.Integer(0), c_: 1, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, b_: sp.Integer(0), c_: sp.Integer(1), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: 1, b_: sp.Integer(1), c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    elementary=True,
)
LOG_QUOTIENT = Template(
    name="log-quotient",
    reference="logarithm of a quotient",
    parameters=(a_, b_),
    hypotheses=(Statement(sp.Gt(a_, 0, evaluate=False)), Statement(sp.Gt(b_, 0, evaluate=False))),
    conclusion=Statement(sp.Eq(sp.log(a_ / b_), sp.log(a_) - sp.log(b_), evaluate=False)),
    equality=Instance({a_: 3, b_: 2}, {}),
    valid=Instance({a_: _half, b_: 2}, {}),
    invalid=Instance({a_: -3, b_: -2}, {}),
    elementary=True,
)
PEAK = Template(
    name="peak",
    reference="an integer sequence that rises up to c/m and falls after it is largest next to it",
    parameters=(f_, a_, b_, c_, m_, k_),
    hypotheses=(
        Statement(_le(f_(j), f_(m)), (j, m), (_le(a_, j), _le(j, m), _le(m, b_), _le(m * m_, c_))),
        Statement(_le(f_(m), f_(j)), (j, m), (_le(a_, j), _le(j, m), _le(m, b_), _le(c_, j * m_))),
        Statement(sp.Eq(sp.ceiling(k_), k_, evaluate=False)),
        Statement(_le(a_, k_)),
        Statement(_le(k_, b_)),
    ),
    conclusion=Statement(_le(f_(k_), MaxOver(f_(m), m, a_, b_, c_, m_))),
    equality=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(1)}, {}),
    valid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: sp.Integer(0), m_: 1, k_: sp.Integer(1)}, {}),
    elementary=True,
)
MAX_BELOW = Template(
    name="max-below",
    reference="a maximum is one of its terms",
    parameters=(f_, a_, b_, c_, m_, z_),
    hypotheses=(Statement(_le(a_, b_)), Statement(_le(f_(m), z_), (m,), (_le(a_, m), _le(m, b_)))),
    conclusion=Statement(_le(MaxOver(f_(m), m, a_, b_, c_, m_), z_)),
    equality=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: sp.Integer(1)}, {}),
    valid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: _half}, {}),
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
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
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
CEILING_MONOTONE = Template(
    name="ceiling-monotone",
    reference="definition of the ceiling",
    parameters=(a_, b_),
    hypotheses=(Statement(_le(a_, b_)),),
    conclusion=Statement(_le(sp.ceiling(a_), sp.ceiling(b_))),
    equality=Instance({a_: w, b_: v}, {w: _third, v: _half}),
    valid=Instance({a_: w, b_: v}, {w: _half, v: 1 + _half}),
    invalid=Instance({a_: w, b_: v}, {w: 1 + _half, v: _half}),
    elementary=True,
)
PIECEWISE_LIPSCHITZ = Template(
    name="piecewise-lipschitz",
    reference="triangle inequality, cell by cell",
    parameters=(f_, z_, k_, a_),
    hypotheses=(
        Statement(sp.Ge(z_, 0, evaluate=False)),
        Statement(
            _le(sp.Abs(f_(t) - f_(s)), a_ * (t - s)),
            (k, s, t),
            (_le(k * z_, s), _le(s, t), _le(t, k * z_ + z_), _le(k, k_ - 1)),
        ),
    ),
    conclusion=Statement(_le(sp.Abs(f_(t) - f_(s)), a_ * (t - s)), (s, t), (_le(s, t), _le(t, k_ * z_))),
    equality=Instance({f_: sp.Lambda(u, 2 * u), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {s: 0, t: 2}),
    valid=Instance({f_: sp.Lambda(u, -u), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, u**2), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {}),
    elementary=True,
    whole=(k_,),
)
FROM_ABOVE = Template(
    name="from-above",
    reference="a number that is at most b + w for every w > 0 is at most b",
    parameters=(a_, b_),
    hypotheses=(Statement(_le(a_, b_ + w), (w,), (sp.Gt(w, 0, evaluate=False),)),),
    conclusion=Statement(_le(a_, b_)),
    equality=Instance({a_: u, b_: v}, {u: 2, v: 2}),
    valid=Instance({a_: u, b_: v}, {u: 1, v: 2}),
    invalid=Instance({a_: u, b_: v}, {u: 3, v: 2}),
    elementary=True,
)
EXPECTATION_CHANGE = Template(
    name="expectation-change",
    reference="means of numbers that differ by at most c",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(_le(sp.Abs(a_ - b_), c_)),),
    conclusion=Statement(_le(sp.Abs(expectation(a_) - expectation(b_)), c_)),
    equality=Instance({a_: 3, b_: 2, c_: 1}, {expectation(3): 3, expectation(2): 2}),
    valid=Instance({a_: 3, b_: 2, c_: 2}, {expectation(3): 3, expectation(2): 2}),
    invalid=Instance({a_: 3, b_: 1, c_: 1}, {expectation(3): 3, expectation(1): 1}),
    elementary=True,
    fixed=(c_,),
)
MEAN_CHANGE = Template(
    name="mean-change",
    reference="means of numbers that differ by at most c",
    parameters=(f_, g_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(k_, 1, evaluate=False)),
        Statement(_le(sp.Abs(f_(j) - g_(j)), c_), (j,), (sp.Ge(j, 0, evaluate=False), _le(j, k_ - 1))),
    ),
    conclusion=Statement(_le(sp.Abs(SumOver(f_(j), j, k_) / k_ - SumOver(g_(j), j, k_) / k_), c_)),
    equality=Instance({f_: sp.Lambda(j, j + 2), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 2 * j), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 9 * j), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    elementary=True,
)
CASES = Template(
    name="cases",
    reference="what holds on both sides of a number holds",
    parameters=(f_, z_, c_, b_),
    hypotheses=(
        Statement(_le(f_(z_), b_), (), (_le(z_, c_),)),
        Statement(_le(f_(z_), b_), (), (sp.Lt(c_, z_, evaluate=False),)),
    ),
    conclusion=Statement(_le(f_(z_), b_)),
    equality=Instance({f_: sp.Lambda(v, v), z_: _half, c_: _half, b_: _half}, {}),
    valid=Instance({f_: sp.Lambda(v, v), z_: _half, c_: _half, b_: 1}, {}),
    invalid=Instance({f_: sp.Lambda(v, v), z_: _half, c_: _half, b_: _third}, {}),
    elementary=True,
)
_chance = {
    loss: sp.Lambda((u, v), sp.log(1 + sp.exp(u)) - u * v), softmax: sp.Lambda(u, sp.exp(u) / (1 + sp.exp(u))),
    label: sp.Lambda(u, u), peak: sp.Lambda(u, sp.Abs(u)),
}  # fmt: skip
LOSS_SECANT = Template(
    name="loss-secant",
    reference="mean value theorem: ∇ℓ(·, y) = softmax − y, and a box is convex",
    parameters=(v1_, v2_, b_, c_, k_),
    hypotheses=(
        Statement(_le(peak(v1_), b_)),
        Statement(_le(peak(v2_), b_)),
        Statement(_le(norm(softmax(logit) - label(k_)), c_), (logit,), (_le(peak(logit), b_),)),
    ),
    conclusion=Statement(_le(sp.Abs(loss(v1_, label(k_)) - loss(v2_, label(k_))), c_ * norm(v1_ - v2_))),
    equality=Instance({v1_: sp.Integer(1), v2_: sp.Integer(1), b_: 2, c_: 1, k_: sp.Integer(0)}, _chance),
    valid=Instance({v1_: sp.Integer(1), v2_: sp.Integer(0), b_: 2, c_: 1, k_: sp.Integer(0)}, _chance),
    invalid=Instance({v1_: sp.Integer(1), v2_: sp.Integer(0), b_: 2, c_: _half, k_: sp.Integer(0)}, _chance),
    elementary=True,
)
TRANSITIVE = Template(
    name="transitive",
    reference="transitivity of the order",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(_le(a_, b_)), Statement(_le(b_, c_))),
    conclusion=Statement(_le(a_, c_)),
    equality=Instance({a_: 1, b_: 1, c_: 1}, {}),
    valid=Instance({a_: 1, b_: 2, c_: 3}, {}),
    invalid=Instance({a_: 3, b_: 2, c_: 1}, {}),
    elementary=True,
)
PRODUCTS = Template(
    name="products",
    reference="larger factors, larger product",
    parameters=(a_, b_, c_, m_),
    hypotheses=(
        Statement(_le(a_, b_)),
        Statement(_le(c_, m_)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(sp.Ge(b_, 0, evaluate=False)),
    ),
    conclusion=Statement(_le(a_ * c_, b_ * m_)),
    equality=Instance({a_: 2, b_: 2, c_: 3, m_: 3}, {}),
    valid=Instance({a_: -1, b_: 2, c_: 1, m_: 3}, {}),
    invalid=Instance({a_: 2, b_: 3, c_: -3, m_: -3}, {}),
    elementary=True,
)
INTEGER_CASES = Template(
    name="integer-cases",
    reference="an integer is at most c or at least c + 1",
    parameters=(a_, b_, z_, c_),
    hypotheses=(
        Statement(sp.Eq(sp.ceiling(z_), z_, evaluate=False)),
        Statement(sp.Eq(sp.ceiling(c_), c_, evaluate=False)),
        Statement(_le(a_, b_), (), (_le(z_, c_),)),
        Statement(_le(a_, b_), (), (_le(c_ + 1, z_),)),
    ),
    conclusion=Statement(_le(a_, b_)),
    equality=Instance({a_: 1, b_: 1, z_: sp.Integer(2), c_: sp.Integer(3)}, {}),
    valid=Instance({a_: 1, b_: 2, z_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    invalid=Instance({a_: 2, b_: 1, z_: sp.Rational(5, 2), c_: sp.Integer(2)}, {}),
    elementary=True,
)
LOG_POWER = Template(
    name="log-power",
    reference="the logarithm increases and turns powers into products",
    parameters=(a_, z_, k_),
    hypotheses=(
        Statement(sp.Gt(a_, 0, evaluate=False)),
        Statement(sp.Gt(z_, 0, evaluate=False)),
        Statement(_le(a_, z_**k_)),
    ),
    conclusion=Statement(_le(sp.log(a_), k_ * sp.log(z_))),
    equality=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 9, v: 3}),
    valid=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 5, v: 3}),
    invalid=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 10, v: 3}),
    elementary=True,
)
_halved = {mix: sp.Lambda((u, v, w), u**2 / 2), mix_slope: sp.Lambda((u, v, w, s), u * s)}
MEANS_SECANT = Template(
    name="means-secant",
    reference="mean value inequality: the means are differentiable, by the quotient rule, and a ball is convex",
    parameters=(v1_, v2_, v3_, v4_, b_, c_),
    hypotheses=(
        Statement(_le(token_norm(v1_), b_)),
        Statement(_le(token_norm(v2_), b_)),
        Statement(
            _le(norm(mix_slope(base, v3_, v4_, direction)), c_ * norm(direction)),
            (base, direction),
            (_le(token_norm(base), b_),),
        ),
    ),
    conclusion=Statement(_le(norm(mix(v1_, v3_, v4_) - mix(v2_, v3_, v4_)), c_ * norm(v1_ - v2_))),
    equality=Instance({v1_: 1, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 2}, _halved),
    valid=Instance({v1_: 2, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 2}, _halved),
    invalid=Instance({v1_: 2, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 1}, _halved),
    elementary=True,
)
COMBINED_SUM = Template(
    name="combined-sum",
    reference="monotonicity and linearity of the sum",
    parameters=(f_, g_, q_, a_, b_, m_, k_),
    hypotheses=(Statement(_le(m_ * f_(j), a_ * g_(j) + b_ * q_(j)), (j,), _summands),),
    conclusion=Statement(_le(m_ * SumOver(f_(j), j, k_), a_ * SumOver(g_(j), j, k_) + b_ * SumOver(q_(j), j, k_))),
    equality=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: _constant(1), a_: 2, b_: -2, m_: 2, k_: sp.Integer(3)}, {}
    ),
    valid=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: _constant(1), a_: 2, b_: 1, m_: 2, k_: sp.Integer(3)}, {}
    ),
    invalid=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: _constant(1), a_: 2, b_: -3, m_: 2, k_: sp.Integer(3)}, {}
    ),
    elementary=True,
)
SUM_SCALED = Template(
    name="sum-scaled",
    reference="a factor goes out of a sum",
    parameters=(p_, f_, g_, c_, k_),
    hypotheses=(Statement(sp.Eq(p_(j) * c_, f_(j), evaluate=False), (j,), _summands),),
    conclusion=Statement(sp.Eq(SumOver(p_(j) * g_(j), j, k_) * c_, SumOver(f_(j) * g_(j), j, k_), evaluate=False)),
    equality=Instance(
        {p_: sp.Lambda(j, j), f_: sp.Lambda(j, 2 * j), g_: sp.Lambda(j, 1 - j), c_: 2, k_: sp.Integer(4)}, {}
    ),
    valid=Instance({p_: sp.Lambda(j, j), f_: sp.Lambda(j, 3 * j), g_: sp.Lambda(j, j), c_: 3, k_: sp.Integer(2)}, {}),
    invalid=Instance({p_: sp.Lambda(j, j), f_: sp.Lambda(j, 3 * j), g_: sp.Lambda(j, j), c_: 2, k_: sp.Integer(2)}, {}),
    elementary=True,
)
_shares = {p_: sp.Lambda(j, j / 3), k_: sp.Integer(3)}
_total = Statement(sp.Eq(SumOver(p_(j), j, k_), 1, evaluate=False))
QUADRATIC_MEAN = Template(
    name="quadratic-mean",
    reference="mean of a square, about the mean",
    parameters=(p_, f_, c_, a_, b_, m_, k_),
    hypotheses=(_total, Statement(sp.Eq(SumOver(p_(j) * f_(j), j, k_), c_, evaluate=False))),
    conclusion=Statement(
        sp.Eq(
            SumOver(p_(j) * (a_ + b_ * (f_(j) - c_) + m_ * (f_(j) - c_) ** 2), j, k_),
            a_ + m_ * (SumOver(p_(j) * f_(j) ** 2, j, k_) - c_**2),
            evaluate=False,
        )
    ),
    equality=Instance({**_shares, f_: sp.Lambda(j, 3 * j), c_: 5, a_: 2, b_: 3, m_: 1}, {}),
    valid=Instance({**_shares, f_: sp.Lambda(j, 1 - j), c_: -2 * _third, a_: 2, b_: 3, m_: -1}, {}),
    invalid=Instance({**_shares, f_: sp.Lambda(j, 3 * j), c_: 4, a_: 2, b_: 3, m_: 1}, {}),
    elementary=True,
)
WEIGHTED_CAUCHY = Template(
    name="weighted-cauchy",
    reference="Cauchy–Schwarz inequality for sums with weights",
    parameters=(p_, f_, g_, k_),
    hypotheses=(Statement(sp.Ge(p_(j), 0, evaluate=False), (j,), _summands),),
    conclusion=Statement(
        _le(
            SumOver(p_(j) * f_(j) * g_(j), j, k_) ** 2,
            SumOver(p_(j) * f_(j) ** 2, j, k_) * SumOver(p_(j) * g_(j) ** 2, j, k_),
        )
    ),
    equality=Instance({**_shares, f_: sp.Lambda(j, j + 1), g_: sp.Lambda(j, 2 * j + 2)}, {}),
    valid=Instance({**_shares, f_: sp.Lambda(j, j + 1), g_: sp.Lambda(j, 1 - j)}, {}),
    invalid=Instance({p_: sp.Lambda(j, 1 - j), f_: sp.Lambda(j, 1 + j), g_: _constant(1), k_: sp.Integer(3)}, {}),
    elementary=True,
)
MEAN_SQUARE = Template(
    name="mean-square",
    reference="the square of a mean is at most the mean of the squares",
    parameters=(f_, k_),
    hypotheses=(),
    conclusion=Statement(_le(SumOver(f_(j), j, k_) ** 2, k_ * SumOver(f_(j) ** 2, j, k_))),
    equality=Instance({f_: _constant(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(4)}, {}),
    invalid=None,
    elementary=True,
)
_above = SumOver(sp.Max(f_(j), 0), j, k_)
SIGN_SPLIT = Template(
    name="sign-split",
    reference="the squares of numbers of one sign sum to at most the square of their sum",
    parameters=(f_, k_),
    hypotheses=(),
    conclusion=Statement(_le(SumOver(f_(j) ** 2, j, k_), _above**2 + (_above - SumOver(f_(j), j, k_)) ** 2)),
    equality=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 2 - j), k_: sp.Integer(4)}, {}),
    invalid=None,
    elementary=True,
)
AFFINE_SQUARES = Template(
    name="affine-squares",
    reference="squares of b f + c, multiplied out and summed",
    parameters=(f_, b_, c_, k_),
    hypotheses=(),
    conclusion=Statement(
        sp.Eq(
            SumOver((b_ * f_(j) + c_) ** 2, j, k_),
            b_**2 * SumOver(f_(j) ** 2, j, k_) + 2 * b_ * c_ * SumOver(f_(j), j, k_) + k_ * c_**2,
            evaluate=False,
        )
    ),
    equality=Instance({f_: sp.Lambda(j, j), b_: 2, c_: 3, k_: sp.Integer(4)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), b_: 2, c_: -3, k_: sp.Integer(3)}, {}),
    invalid=None,
    elementary=True,
)
_sum_f, _sum_g, _product = (SumOver(part, j, k_) for part in (f_(j), g_(j), f_(j) * g_(j)))
_square_f, _square_g = (SumOver(part(j) ** 2, j, k_) for part in (f_, g_))
GRAM = Template(
    name="gram",
    reference="Gram determinant of f, g and the vector of ones",
    parameters=(f_, g_, k_),
    hypotheses=(),
    conclusion=Statement(
        _le(
            k_ * _product**2 + _sum_f**2 * _square_g + _sum_g**2 * _square_f,
            k_ * _square_f * _square_g + 2 * _sum_f * _sum_g * _product,
        )
    ),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, 2 * j + 1), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j**2), k_: sp.Integer(3)}, {}),
    invalid=None,
    elementary=True,
)
SQUARE_ADDED = Template(
    name="square-added",
    reference="a square is nonnegative",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(sp.Ge(a_, 0, evaluate=False)), Statement(sp.Ge(b_, 0, evaluate=False))),
    conclusion=Statement(_le(0, a_ + c_**2 + b_)),
    equality=Instance({a_: sp.Integer(0), b_: sp.Integer(0), c_: v}, {v: 0}),
    valid=Instance({a_: 1, b_: 2, c_: v}, {v: -3}),
    invalid=Instance({a_: -1, b_: -2, c_: v}, {v: 1}),
    elementary=True,
)
PARTIAL_SUMS = Template(
    name="partial-sums",
    reference="triangle inequality, once a step",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(_le(norm(f_(j + 1) - f_(j)), g_(j)), (j,), _summands),),
    conclusion=Statement(_le(norm(f_(k_)), norm(f_(0)) + SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j + 1), g_: _constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), g_: _constant(sp.Integer(2)), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 2 * j), g_: _constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    elementary=True,
)
TOKEN_PARTIAL_SUMS = Template(
    name="token-partial-sums",
    reference="triangle inequality of the largest token norm, once a step",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(_le(token_norm(f_(j + 1) - f_(j)), g_(j)), (j,), _summands),),
    conclusion=Statement(_le(token_norm(f_(k_)), token_norm(f_(0)) + SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j + 1), g_: _constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), g_: _constant(sp.Integer(2)), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 2 * j), g_: _constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    elementary=True,
)
TRIANGLE_4 = Template(
    name="triangle-4",
    reference="triangle inequality, thrice",
    parameters=(v1_, v2_, v3_, v4_),
    hypotheses=(),
    conclusion=Statement(_le(norm(v1_ + v2_ + v3_ + v4_), norm(v1_) + norm(v2_) + norm(v3_) + norm(v4_))),
    equality=Instance({v1_: 2, v2_: 3, v3_: 1, v4_: 1}, {}),
    valid=Instance({v1_: 2, v2_: -3, v3_: 1, v4_: 1}, {}),
    invalid=None,
    elementary=True,
)
FIRST_, SECOND_ = sp.symbols("l1_ l2_ l3_ l4_"), sp.symbols("r1_ r2_ r3_ r4_")
CAUCHY_4 = Template(
    name="cauchy-4",
    reference="Cauchy–Schwarz inequality for four numbers",
    parameters=(*FIRST_, *SECOND_),
    hypotheses=(),
    conclusion=Statement(
        _le(
            sum((a * b for a, b in zip(FIRST_, SECOND_, strict=True)), sp.Integer(0)),
            sp.sqrt(sum((a**2 for a in FIRST_), sp.Integer(0))) * sp.sqrt(sum((b**2 for b in SECOND_), sp.Integer(0))),
        )
    ),
    equality=Instance(dict(zip((*FIRST_, *SECOND_), (1, 2, 3, 4, 2, 4, 6, 8), strict=True)), {}),
    valid=Instance(dict(zip((*FIRST_, *SECOND_), (1, 2, 3, 4, 1, -1, 1, 1), strict=True)), {}),
    invalid=None,
    elementary=True,
)
CAUCHY_JOINED = Template(
    name="cauchy-joined",
    reference="Cauchy–Schwarz inequality, with one term more",
    parameters=(z_, a_, b_, c_, m_),
    hypotheses=(
        Statement(_le(z_**2, a_ * b_)),
        Statement(sp.Ge(a_, 0, evaluate=False)),
        Statement(sp.Ge(b_, 0, evaluate=False)),
    ),
    conclusion=Statement(_le(z_ + c_ * m_, sp.sqrt(a_ + c_**2) * sp.sqrt(b_ + m_**2))),
    equality=Instance({z_: 2, a_: 1, b_: 4, c_: 3, m_: 6}, {}),
    valid=Instance({z_: 1, a_: 1, b_: 4, c_: 3, m_: 1}, {}),
    invalid=Instance({z_: 3, a_: 1, b_: 4, c_: 3, m_: 6}, {}),
    elementary=True,
)
