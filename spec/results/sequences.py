"""Geometric sums, powers and recursions."""

import sympy as sp

from spec.language.functions import Recurrence, geom, phi1
from spec.language.template import Instance, Statement, Template
from spec.results.parameters import a_, b_, c_, f_, grown, half, k_, le, m_, w_, z_
from spec.symbols import e, j

GEOMETRIC_STEP = Template(
    name="geometric-step",
    reference="definition of the geometric sum",
    parameters=(z_, k_),
    hypotheses=(),
    conclusion=Statement(sp.Eq(geom(z_, k_ + 1), (1 + z_) * geom(z_, k_) + 1, evaluate=False)),
    equality=Instance({z_: sp.Integer(0), k_: sp.Integer(2)}, {}),
    valid=Instance({z_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
GEOMETRIC_EXPONENTIAL = Template(
    name="geometric-exponential",
    reference="1 + z ≤ e^z, summed",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)),),
    conclusion=Statement(le(geom(z_, k_), k_ * phi1(k_ * z_))),
    equality=Instance({z_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    valid=Instance({z_: half, k_: sp.Integer(4)}, {}),
    invalid=Instance({z_: -half, k_: sp.Integer(4)}, {}),
    elementary=True,
    whole=(k_,),
)
GEOMETRIC_MONOTONE = Template(
    name="geometric-monotone",
    reference="nonnegative summands",
    parameters=(z_, k_, c_),
    hypotheses=(
        Statement(sp.Ge(z_, 0, evaluate=False)),
        Statement(le(k_, c_)),
    ),
    conclusion=Statement(le(geom(z_, k_), geom(z_, c_))),
    equality=Instance({z_: half, k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({z_: half, k_: sp.Integer(2), c_: sp.Integer(5)}, {}),
    invalid=Instance({z_: half, k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
    whole=(k_, c_),
)


GROWTH_STEP = Template(
    name="growth-step",
    reference="the solution of E' = cE + m increases and lies above its tangents",
    parameters=(a_, c_, m_, z_, w_, b_),
    hypotheses=(
        *(Statement(sp.Ge(v, 0, evaluate=False)) for v in (a_, c_, m_, z_, w_)),
        Statement(le(z_ + w_, b_)),
    ),
    conclusion=Statement(le((1 + c_ * w_) * grown(a_, c_, m_, z_) + m_ * w_, grown(a_, c_, m_, b_))),
    equality=Instance({a_: 2, c_: sp.Integer(0), m_: 3, z_: half, w_: 1, b_: half + 1}, {}),
    valid=Instance({a_: 2, c_: half, m_: 3, z_: half, w_: 1, b_: 2}, {}),
    invalid=Instance({a_: 2, c_: 1, m_: 3, z_: half, w_: 1, b_: 1}, {}),
    elementary=True,
)
GROWTH_MONOTONE = Template(
    name="growth-monotone",
    reference="the solution of E' = cE + m increases",
    parameters=(a_, c_, m_, z_, w_),
    hypotheses=(*(Statement(sp.Ge(v, 0, evaluate=False)) for v in (a_, c_, m_)), Statement(le(z_, w_))),
    conclusion=Statement(le(grown(a_, c_, m_, z_), grown(a_, c_, m_, w_))),
    equality=Instance({a_: 2, c_: 1, m_: 3, z_: half, w_: half}, {}),
    valid=Instance({a_: 2, c_: 1, m_: 3, z_: -1, w_: half}, {}),
    invalid=Instance({a_: 2, c_: 1, m_: 3, z_: 1, w_: half}, {}),
    elementary=True,
)
POWER_STEP = Template(
    name="power-step",
    reference="definition of the power",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)),),
    conclusion=Statement(sp.Eq((1 + z_) ** (k_ + 1), (1 + z_) ** k_ + z_ * (1 + z_) ** k_, evaluate=False)),
    equality=Instance({z_: half, k_: sp.Integer(2)}, {}),
    valid=Instance({z_: sp.Integer(3), k_: sp.Integer(-1)}, {}),
    invalid=None,
    elementary=True,
)
POWER_MONOTONE = Template(
    name="power-monotone",
    reference="powers of a number that is at least 1",
    parameters=(z_, k_, c_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(le(k_, c_))),
    conclusion=Statement(le((1 + z_) ** k_, (1 + z_) ** c_)),
    equality=Instance({z_: half, k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({z_: half, k_: sp.Integer(-1), c_: sp.Integer(5)}, {}),
    invalid=Instance({z_: half, k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
)
POWER_EXPONENTIAL = Template(
    name="power-exponential",
    reference="1 + z ≤ e^z, to the power k",
    parameters=(z_, k_),
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(sp.Ge(k_, 0, evaluate=False))),
    conclusion=Statement(le((1 + z_) ** k_, sp.exp(k_ * z_))),
    equality=Instance({z_: half, k_: sp.Integer(0)}, {}),
    valid=Instance({z_: half, k_: sp.Integer(4)}, {}),
    invalid=Instance({z_: half, k_: sp.Integer(-4)}, {}),
    elementary=True,
)
_path = Recurrence(f_(e, j), e, j, k_, a_)
RECURRENCE_STEP = Template(
    name="recurrence-step",
    reference="definition of the recurrence",
    parameters=(f_, a_, k_),
    hypotheses=(),
    conclusion=Statement(sp.Eq(_path.xreplace({k_: k_ + 1}), f_(_path, k_), evaluate=False)),
    equality=Instance({f_: sp.Lambda((e, j), 2 * e + j), a_: sp.Integer(1), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda((e, j), -e), a_: sp.Integer(1), k_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
RECURRENCE_MONOTONE = Template(
    name="recurrence-monotone",
    reference="steps that do not go down, from a nonnegative start",
    parameters=(f_, a_, k_, c_),
    hypotheses=(
        Statement(sp.Ge(a_, 0, evaluate=False)),
        Statement(le(k_, c_)),
        Statement(le(e, f_(e, j)), (e, j), (sp.Ge(e, 0, evaluate=False), sp.Ge(j, 0, evaluate=False))),
    ),
    conclusion=Statement(le(_path, _path.xreplace({k_: c_}))),
    equality=Instance({f_: sp.Lambda((e, j), e + j), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({f_: sp.Lambda((e, j), 2 * e + j), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(4)}, {}),
    invalid=Instance({f_: sp.Lambda((e, j), e / 2), a_: sp.Integer(1), k_: sp.Integer(2), c_: sp.Integer(4)}, {}),
    elementary=True,
    whole=(k_, c_),
)
