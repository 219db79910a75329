"""Order of the reals: logarithms, ceilings, maxima, cases."""

import sympy as sp

from spec.language.functions import MaxOver, Ratio, norm
from spec.language.template import Instance, Statement, Template
from spec.results.parameters import a_, b_, c_, f_, half, k_, le, m_, third, v1_, v2_, z_
from spec.symbols import j, m, u, v, w

LOG_ABOVE = Template(
    name="log-above",
    reference="log z lies above 1 − 1/z, which touches it at 1",
    parameters=(z_,),
    hypotheses=(Statement(sp.Gt(z_, 0, evaluate=False)),),
    conclusion=Statement(le(1 - 1 / z_, sp.log(z_))),
    equality=Instance({z_: u}, {u: 1}),
    valid=Instance({z_: u}, {u: 2}),
    invalid=None,
    elementary=True,
)
QUOTIENTS = Template(
    name="quotients",
    reference="a bound on difference quotients is a Lipschitz constant",
    parameters=(f_, v1_, v2_, c_),
    hypotheses=(
        Statement(
            le(Ratio(norm(f_(v1_) - f_(v2_)), norm(v1_ - v2_)), c_), (), (sp.Gt(norm(v1_ - v2_), 0, evaluate=False),)
        ),
    ),
    conclusion=Statement(le(norm(f_(v1_) - f_(v2_)), c_ * norm(v1_ - v2_))),
    equality=Instance({f_: sp.Lambda(u, 2 * u), v1_: 3, v2_: 1, c_: 2}, {}),
    valid=Instance({f_: sp.Lambda(u, 1 - u), v1_: 3, v2_: 1, c_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, 2 * u), v1_: 3, v2_: 1, c_: 1}, {}),
    elementary=True,
)
LOG_QUOTIENT = Template(
    name="log-quotient",
    reference="logarithm of a quotient",
    parameters=(a_, b_),
    hypotheses=(Statement(sp.Gt(a_, 0, evaluate=False)), Statement(sp.Gt(b_, 0, evaluate=False))),
    conclusion=Statement(sp.Eq(sp.log(a_ / b_), sp.log(a_) - sp.log(b_), evaluate=False)),
    equality=Instance({a_: 3, b_: 2}, {}),
    valid=Instance({a_: half, b_: 2}, {}),
    invalid=Instance({a_: -3, b_: -2}, {}),
    elementary=True,
)
PEAK = Template(
    name="peak",
    reference="an integer sequence that rises up to c/m and falls after it is largest next to it",
    parameters=(f_, a_, b_, c_, m_, k_),
    hypotheses=(
        Statement(le(f_(j), f_(m)), (j, m), (le(a_, j), le(j, m), le(m, b_), le(m * m_, c_))),
        Statement(le(f_(m), f_(j)), (j, m), (le(a_, j), le(j, m), le(m, b_), le(c_, j * m_))),
        Statement(sp.Eq(sp.ceiling(k_), k_, evaluate=False)),
        Statement(le(a_, k_)),
        Statement(le(k_, b_)),
    ),
    conclusion=Statement(le(f_(k_), MaxOver(f_(m), m, a_, b_, c_, m_))),
    equality=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(1)}, {}),
    valid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, k_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: sp.Integer(0), m_: 1, k_: sp.Integer(1)}, {}),
    elementary=True,
)
MAX_BELOW = Template(
    name="max-below",
    reference="a maximum is one of its terms",
    parameters=(f_, a_, b_, c_, m_, z_),
    hypotheses=(Statement(le(a_, b_)), Statement(le(f_(m), z_), (m,), (le(a_, m), le(m, b_)))),
    conclusion=Statement(le(MaxOver(f_(m), m, a_, b_, c_, m_), z_)),
    equality=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: sp.Integer(1)}, {}),
    valid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: sp.Integer(2)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j * (2 - j)), a_: 0, b_: 2, c_: 1, m_: 1, z_: half}, {}),
    elementary=True,
)
CEILING_MONOTONE = Template(
    name="ceiling-monotone",
    reference="definition of the ceiling",
    parameters=(a_, b_),
    hypotheses=(Statement(le(a_, b_)),),
    conclusion=Statement(le(sp.ceiling(a_), sp.ceiling(b_))),
    equality=Instance({a_: w, b_: v}, {w: third, v: half}),
    valid=Instance({a_: w, b_: v}, {w: half, v: 1 + half}),
    invalid=Instance({a_: w, b_: v}, {w: 1 + half, v: half}),
    elementary=True,
)
FROM_ABOVE = Template(
    name="from-above",
    reference="a number that is at most b + w for every w > 0 is at most b",
    parameters=(a_, b_),
    hypotheses=(Statement(le(a_, b_ + w), (w,), (sp.Gt(w, 0, evaluate=False),)),),
    conclusion=Statement(le(a_, b_)),
    equality=Instance({a_: u, b_: v}, {u: 2, v: 2}),
    valid=Instance({a_: u, b_: v}, {u: 1, v: 2}),
    invalid=Instance({a_: u, b_: v}, {u: 3, v: 2}),
    elementary=True,
)
CASES = Template(
    name="cases",
    reference="what holds on both sides of a number holds",
    parameters=(f_, z_, c_, b_),
    hypotheses=(
        Statement(le(f_(z_), b_), (), (le(z_, c_),)),
        Statement(le(f_(z_), b_), (), (sp.Lt(c_, z_, evaluate=False),)),
    ),
    conclusion=Statement(le(f_(z_), b_)),
    equality=Instance({f_: sp.Lambda(v, v), z_: half, c_: half, b_: half}, {}),
    valid=Instance({f_: sp.Lambda(v, v), z_: half, c_: half, b_: 1}, {}),
    invalid=Instance({f_: sp.Lambda(v, v), z_: half, c_: half, b_: third}, {}),
    elementary=True,
)
TRANSITIVE = Template(
    name="transitive",
    reference="transitivity of the order",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(le(a_, b_)), Statement(le(b_, c_))),
    conclusion=Statement(le(a_, c_)),
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
        Statement(le(a_, b_)),
        Statement(le(c_, m_)),
        Statement(sp.Ge(c_, 0, evaluate=False)),
        Statement(sp.Ge(b_, 0, evaluate=False)),
    ),
    conclusion=Statement(le(a_ * c_, b_ * m_)),
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
        Statement(le(a_, b_), (), (le(z_, c_),)),
        Statement(le(a_, b_), (), (le(c_ + 1, z_),)),
    ),
    conclusion=Statement(le(a_, b_)),
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
        Statement(le(a_, z_**k_)),
    ),
    conclusion=Statement(le(sp.log(a_), k_ * sp.log(z_))),
    equality=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 9, v: 3}),
    valid=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 5, v: 3}),
    invalid=Instance({a_: w, z_: v, k_: sp.Integer(2)}, {w: 10, v: 3}),
    elementary=True,
)
