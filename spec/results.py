"""Every result that proofs cite, once: elementary ones of the reals and of normed spaces, and published ones by number.

A template's parameters end in an underscore. Vectors in its test instances are real numbers, where norms are absolute
values.
"""

import sympy as sp

from spec.language.functions import SumOver, geom, norm, phi1, token_norm
from spec.language.template import Instance, Statement, Template
from spec.symbols import j, s, u

z_, k_, c_, a_, b_, m_, w_ = sp.symbols("z_ k_ c_ a_ b_ m_ w_")
v1_, v2_, v3_ = sp.symbols("v1_ v2_ v3_")
f_, g_ = sp.Function("f_"), sp.Function("g_")
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
    reference="the solution of E' = cE + m lies above its tangents",
    parameters=(a_, c_, m_, z_, w_),
    hypotheses=tuple(Statement(sp.Ge(v, 0, evaluate=False)) for v in (a_, c_, m_, z_, w_)),
    conclusion=Statement(_le((1 + c_ * w_) * grown(a_, c_, m_, z_) + m_ * w_, grown(a_, c_, m_, z_ + w_))),
    equality=Instance({a_: 2, c_: sp.Integer(0), m_: 3, z_: _half, w_: 1}, {}),
    valid=Instance({a_: 2, c_: _half, m_: 3, z_: _half, w_: 1}, {}),
    invalid=Instance({a_: -2, c_: 1, m_: sp.Integer(0), z_: _half, w_: 1}, {}),
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
