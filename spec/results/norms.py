"""Norms and inner products: triangle, Cauchy–Schwarz, tokens."""

import sympy as sp

from spec.language.functions import SumOver, inner, norm, token_norm
from spec.language.template import Instance, Statement, Template
from spec.results.parameters import FIRST_, SECOND_, a_, b_, c_, f_, g_, k_, le, m_, v1_, v2_, v3_, v4_, z_
from spec.symbols import j, n, omega, v

TRIANGLE = Template(
    name="triangle",
    reference="triangle inequality",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(le(norm(v1_ + v2_), norm(v1_) + norm(v2_))),
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
    conclusion=Statement(le(norm(v1_ + v2_ + v3_), norm(v1_) + norm(v2_) + norm(v3_))),
    equality=Instance({v1_: 2, v2_: 3, v3_: 1}, {}),
    valid=Instance({v1_: 2, v2_: -3, v3_: 1}, {}),
    invalid=None,
    elementary=True,
)
TOKEN_TRIANGLE = Template(
    name="token-triangle",
    reference="triangle inequality of the largest token norm",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(le(token_norm(v1_ + v2_), token_norm(v1_) + token_norm(v2_))),
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
    conclusion=Statement(le(token_norm(v1_), norm(v1_))),
    equality=Instance({v1_: 2}, {}),
    valid=Instance({v1_: -3}, {}),
    invalid=None,
    elementary=True,
)

CAUCHY_SCHWARZ = Template(
    name="cauchy-schwarz",
    reference="Cauchy–Schwarz inequality",
    parameters=(v1_, v2_),
    hypotheses=(),
    conclusion=Statement(le(sp.Abs(inner(v1_, v2_)), norm(v1_) * norm(v2_))),
    equality=Instance({v1_: 2, v2_: -3}, {}),
    valid=Instance({v1_: 2, v2_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
)
DUAL_NORM = Template(
    name="dual-norm",
    reference="the norm of a vector is its largest product with a unit vector",
    parameters=(v1_, c_),
    hypotheses=(Statement(le(inner(omega, v1_), c_ * norm(omega)), (omega,)),),
    conclusion=Statement(le(norm(v1_), c_)),
    equality=Instance({v1_: 2, c_: 2}, {}),
    valid=Instance({v1_: 2, c_: 3}, {}),
    invalid=Instance({v1_: 2, c_: 1}, {}),
    elementary=True,
)
ALL_TOKENS = Template(
    name="all-tokens",
    reference="n tokens, none longer than the longest",
    parameters=(v1_,),
    hypotheses=(),
    conclusion=Statement(le(norm(v1_), sp.sqrt(n) * token_norm(v1_))),
    equality=Instance({v1_: 2}, {n: 1}),
    valid=Instance({v1_: 2}, {n: 4}),
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
    whole=(k_,),
)
_sum_f, _sum_g, _product = (SumOver(part, j, k_) for part in (f_(j), g_(j), f_(j) * g_(j)))
_square_f, _square_g = (SumOver(part(j) ** 2, j, k_) for part in (f_, g_))
GRAM = Template(
    name="gram",
    reference="Gram determinant of f, g and the vector of ones",
    parameters=(f_, g_, k_),
    hypotheses=(),
    conclusion=Statement(
        le(
            k_ * _product**2 + _sum_f**2 * _square_g + _sum_g**2 * _square_f,
            k_ * _square_f * _square_g + 2 * _sum_f * _sum_g * _product,
        )
    ),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, 2 * j + 1), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j**2), k_: sp.Integer(3)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
SQUARE_ADDED = Template(
    name="square-added",
    reference="a square is nonnegative",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(sp.Ge(a_, 0, evaluate=False)), Statement(sp.Ge(b_, 0, evaluate=False))),
    conclusion=Statement(le(0, a_ + c_**2 + b_)),
    equality=Instance({a_: sp.Integer(0), b_: sp.Integer(0), c_: v}, {v: 0}),
    valid=Instance({a_: 1, b_: 2, c_: v}, {v: -3}),
    invalid=Instance({a_: -1, b_: -2, c_: v}, {v: 1}),
    elementary=True,
)
TRIANGLE_4 = Template(
    name="triangle-4",
    reference="triangle inequality, thrice",
    parameters=(v1_, v2_, v3_, v4_),
    hypotheses=(),
    conclusion=Statement(le(norm(v1_ + v2_ + v3_ + v4_), norm(v1_) + norm(v2_) + norm(v3_) + norm(v4_))),
    equality=Instance({v1_: 2, v2_: 3, v3_: 1, v4_: 1}, {}),
    valid=Instance({v1_: 2, v2_: -3, v3_: 1, v4_: 1}, {}),
    invalid=None,
    elementary=True,
)
CAUCHY_4 = Template(
    name="cauchy-4",
    reference="Cauchy–Schwarz inequality for four numbers",
    parameters=(*FIRST_, *SECOND_),
    hypotheses=(),
    conclusion=Statement(
        le(
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
        Statement(le(z_**2, a_ * b_)),
        Statement(sp.Ge(a_, 0, evaluate=False)),
        Statement(sp.Ge(b_, 0, evaluate=False)),
    ),
    conclusion=Statement(le(z_ + c_ * m_, sp.sqrt(a_ + c_**2) * sp.sqrt(b_ + m_**2))),
    equality=Instance({z_: 2, a_: 1, b_: 4, c_: 3, m_: 6}, {}),
    valid=Instance({z_: 1, a_: 1, b_: 4, c_: 3, m_: 1}, {}),
    invalid=Instance({z_: 3, a_: 1, b_: 4, c_: 3, m_: 6}, {}),
    elementary=True,
)
