"""Every result that proofs cite, once: elementary ones of the reals and of normed spaces, and published ones by number.

A template's parameters end in an underscore. Vectors in its test instances are real numbers, where norms are absolute
values.
"""

import sympy as sp

from spec.language.functions import geom, norm, phi1
from spec.language.template import Instance, Statement, Template
from spec.symbols import u

z_, k_, c_, a_, b_ = sp.symbols("z_ k_ c_ a_ b_")
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
    hypotheses=(Statement(sp.Ge(z_, 0, evaluate=False)), Statement(_le(k_, c_)), Statement(sp.Ge(k_, 0, evaluate=False))),
    conclusion=Statement(_le(geom(z_, k_), geom(z_, c_))),
    equality=Instance({z_: _half, k_: sp.Integer(2), c_: sp.Integer(2)}, {}),
    valid=Instance({z_: _half, k_: sp.Integer(2), c_: sp.Integer(5)}, {}),
    invalid=Instance({z_: _half, k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
)
