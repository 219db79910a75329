"""Integrals, Gronwall inequalities, paths between two points.

Functions under integrals are bounded and measurable. A citation shows it of what it puts there: the theory's functions
are by declaration, and what they are put together to exists at every point of the closed interval, with denominators
and logarithms of continuous functions only.
"""

import sympy as sp

from spec.language.functions import norm, phi1, token_norm
from spec.language.template import Instance, Statement, Template
from spec.objects.attention import mix, mix_slope
from spec.results.parameters import a_, b_, c_, f_, g_, grown, k_, le, m_, v1_, v2_, v3_, v4_, z_
from spec.symbols import base, direction, k, s, t, u, v, w

INTEGRAL_BOUND = Template(
    name="integral-bound",
    reference="monotonicity of the integral of bounded measurable functions",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(le(a_, b_)),
        Statement(le(norm(f_(u)), g_(u)), (u,), (le(a_, u), le(u, b_))),
    ),
    conclusion=Statement(le(norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
TOKEN_INTEGRAL_BOUND = Template(
    name="token-integral-bound",
    reference="monotonicity of the integral of bounded measurable functions, in the largest token norm",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(le(a_, b_)),
        Statement(le(token_norm(f_(u)), g_(u)), (u,), (le(a_, u), le(u, b_))),
    ),
    conclusion=Statement(le(token_norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
INTEGRAL_MONOTONE = Template(
    name="integral-monotone",
    reference="monotonicity of the integral of bounded measurable functions",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(le(a_, b_)),
        Statement(le(f_(u), g_(u)), (u,), (le(a_, u), le(u, b_))),
    ),
    conclusion=Statement(le(sp.Integral(f_(u), (u, a_, b_)), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, -u), g_: sp.Lambda(u, u), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
GRONWALL = Template(
    name="gronwall",
    reference="khalil2002, Lemma A.1, with λ = a + m∫_0^t g and μ = cg, in the time ∫_0^t g; f, g bounded, measurable",
    parameters=(f_, g_, a_, c_, m_, b_),
    hypotheses=(
        Statement(sp.Ge(b_, 0, evaluate=False)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(sp.Ge(g_(u), 0, evaluate=False), (u,), (sp.Ge(u, 0, evaluate=False), le(u, b_))),
        Statement(
            le(f_(s), a_ + sp.Integral(g_(u) * (c_ * f_(u) + m_), (u, 0, s))),
            (s,),
            (sp.Ge(s, 0, evaluate=False), le(s, b_)),
        ),
    ),
    conclusion=Statement(le(f_(b_), grown(a_, c_, m_, sp.Integral(g_(u), (u, 0, b_))))),
    equality=Instance(
        {f_: sp.Lambda(u, sp.exp(u)), g_: sp.Lambda(u, sp.Integer(1)), a_: 1, c_: 1, m_: sp.Integer(0), b_: 2}, {}
    ),
    valid=Instance({f_: sp.Lambda(u, 1 + u), g_: sp.Lambda(u, u + 1), a_: 1, c_: 1, m_: 2, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 3 + u), g_: sp.Lambda(u, u), a_: 1, c_: 1, m_: sp.Integer(0), b_: 1}, {}),
)
GRONWALL_SOURCE = Template(
    name="gronwall-source",
    reference="khalil2002, Lemma A.1, for λ(t) = ∫_0^t g and μ = c, integrated by parts; f, g bounded, measurable",
    parameters=(f_, g_, c_, b_),
    hypotheses=(
        Statement(sp.Ge(b_, 0, evaluate=False)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(
            le(f_(s), sp.Integral(c_ * f_(u) + g_(u), (u, 0, s))), (s,), (sp.Ge(s, 0, evaluate=False), le(s, b_))
        ),
    ),
    conclusion=Statement(le(f_(b_), sp.Integral(sp.exp(c_ * (b_ - u)) * g_(u), (u, 0, b_)))),
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
CELL_INTEGRAL_BOUND = Template(
    name="cell-integral-bound",
    reference="monotonicity of the integral of bounded measurable functions; the end carries no mass",
    parameters=(f_, g_, a_, b_),
    hypotheses=(
        Statement(le(a_, b_)),
        Statement(le(norm(f_(u)), g_(u)), (u,), (le(a_, u), sp.Lt(u, b_, evaluate=False))),
    ),
    conclusion=Statement(le(norm(sp.Integral(f_(u), (u, a_, b_))), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u - 2), g_: sp.Lambda(u, sp.Integer(2)), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    elementary=True,
)
PIECEWISE_LIPSCHITZ = Template(
    name="piecewise-lipschitz",
    reference="triangle inequality, cell by cell",
    parameters=(f_, z_, k_, a_),
    hypotheses=(
        Statement(sp.Ge(z_, 0, evaluate=False)),
        Statement(
            le(sp.Abs(f_(t) - f_(s)), a_ * (t - s)),
            (k, s, t),
            (le(k * z_, s), le(s, t), le(t, k * z_ + z_), le(k, k_ - 1)),
        ),
    ),
    conclusion=Statement(le(sp.Abs(f_(t) - f_(s)), a_ * (t - s)), (s, t), (le(s, t), le(t, k_ * z_))),
    equality=Instance({f_: sp.Lambda(u, 2 * u), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {s: 0, t: 2}),
    valid=Instance({f_: sp.Lambda(u, -u), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, u**2), z_: sp.Integer(1), k_: sp.Integer(2), a_: 2}, {}),
    elementary=True,
    whole=(k_,),
)
_halved = {mix: sp.Lambda((u, v, w), u**2 / 2), mix_slope: sp.Lambda((u, v, w, s), u * s)}
MEANS_SECANT = Template(
    name="means-secant",
    reference="mean value inequality: the means are differentiable, by the quotient rule, and a ball is convex",
    parameters=(v1_, v2_, v3_, v4_, b_, c_),
    hypotheses=(
        Statement(le(token_norm(v1_), b_)),
        Statement(le(token_norm(v2_), b_)),
        Statement(
            le(norm(mix_slope(base, v3_, v4_, direction)), c_ * norm(direction)),
            (base, direction),
            (le(token_norm(base), b_),),
        ),
    ),
    conclusion=Statement(le(norm(mix(v1_, v3_, v4_) - mix(v2_, v3_, v4_)), c_ * norm(v1_ - v2_))),
    equality=Instance({v1_: 1, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 2}, _halved),
    valid=Instance({v1_: 2, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 2}, _halved),
    invalid=Instance({v1_: 2, v2_: 1, v3_: 0, v4_: 0, b_: 2, c_: 1}, _halved),
    elementary=True,
)
