"""Finite sums and weighted means."""

import sympy as sp

from spec.language.functions import Ratio, SumOver, norm, token_norm
from spec.language.template import Instance, Statement, Template
from spec.results.parameters import a_, b_, c_, constant, f_, g_, k_, le, m_, p_, q_, third
from spec.symbols import j

SUM_STEP = Template(
    name="sum-step",
    reference="definition of the sum",
    parameters=(f_, k_),
    hypotheses=(),
    conclusion=Statement(sp.Eq(SumOver(f_(j), j, k_ + 1), SumOver(f_(j), j, k_) + f_(k_), evaluate=False)),
    equality=Instance({f_: sp.Lambda(j, j**2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(0)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
SUM_BOUND = Template(
    name="sum-bound",
    reference="k summands, each at most c",
    parameters=(f_, c_, k_),
    hypotheses=(Statement(le(f_(j), c_), (j,), (sp.Ge(j, 0, evaluate=False), le(j, k_ - 1))),),
    conclusion=Statement(le(SumOver(f_(j), j, k_), k_ * c_)),
    equality=Instance({f_: sp.Lambda(j, sp.Integer(2)), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
_summands = (sp.Ge(j, 0, evaluate=False), le(j, k_ - 1))
WEIGHTED_MEAN = Template(
    name="weighted-mean",
    reference="a mean is at most the largest of its terms",
    parameters=(f_, g_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(f_(j), 0, evaluate=False), (j,), _summands),
        Statement(sp.Gt(SumOver(f_(j), j, k_), 0, evaluate=False)),
        Statement(le(g_(j), c_), (j,), _summands),
    ),
    conclusion=Statement(le(Ratio(SumOver(f_(j) * g_(j), j, k_), SumOver(f_(j), j, k_)), c_)),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, sp.Integer(2)), c_: 2, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, -j), c_: 1, k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j), c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)

SUM_BELOW = Template(
    name="sum-below",
    reference="monotonicity of the sum",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(le(f_(j), g_(j)), (j,), _summands),),
    conclusion=Statement(le(SumOver(f_(j), j, k_), SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, j), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, -j), g_: sp.Lambda(j, j), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), g_: sp.Lambda(j, -j), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
_index = (
    Statement(sp.Eq(sp.ceiling(a_), a_, evaluate=False)),
    Statement(sp.Ge(a_, 0, evaluate=False)),
    Statement(le(a_, k_ - 1)),
)
SUM_BUT_ONE_ABOVE = Template(
    name="sum-but-one-above",
    reference="k summands, each at least c but for the one that is kept",
    parameters=(f_, a_, c_, k_),
    hypotheses=(*_index, Statement(le(c_, f_(j)), (j,), (*_summands, sp.Ne(j, a_, evaluate=False)))),
    conclusion=Statement(le(f_(a_) + (k_ - 1) * c_, SumOver(f_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, (j - 1) ** 2), a_: 1, c_: 1, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: 2, c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
SUM_BUT_ONE_BELOW = Template(
    name="sum-but-one-below",
    reference="k summands, each at most c but for the one that is kept",
    parameters=(f_, a_, c_, k_),
    hypotheses=(*_index, Statement(le(f_(j), c_), (j,), (*_summands, sp.Ne(j, a_, evaluate=False)))),
    conclusion=Statement(le(SumOver(f_(j), j, k_), f_(a_) + (k_ - 1) * c_)),
    equality=Instance({f_: sp.Lambda(j, 1 - (j - 1) ** 2), a_: 1, c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, c_: 2, k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: sp.Integer(0), c_: 1, k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
SUM_BUT_TWO_ABOVE = Template(
    name="sum-but-two-above",
    reference="k summands, each at least c but for the two that are kept",
    parameters=(f_, a_, b_, c_, k_),
    hypotheses=(
        *_index,
        *(statement.at({a_: b_}) for statement in _index),
        Statement(sp.Ne(a_, b_, evaluate=False)),
        Statement(le(c_, f_(j)), (j,), (*_summands, sp.Ne(j, a_, evaluate=False), sp.Ne(j, b_, evaluate=False))),
    ),
    conclusion=Statement(le(f_(a_) + f_(b_) + (k_ - 2) * c_, SumOver(f_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, (j - 1) ** 2), a_: 1, b_: sp.Integer(0), c_: 1, k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), a_: 1, b_: sp.Integer(0), c_: sp.Integer(1), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, j), a_: 1, b_: sp.Integer(1), c_: sp.Integer(0), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
SUM_MONOTONE = Template(
    name="sum-monotone",
    reference="nonnegative summands",
    parameters=(f_, k_, c_),
    hypotheses=(
        Statement(le(k_, c_)),
        Statement(sp.Ge(f_(j), 0, evaluate=False), (j,), (sp.Ge(j, 0, evaluate=False), le(j, c_ - 1))),
    ),
    conclusion=Statement(le(SumOver(f_(j), j, k_), SumOver(f_(j), j, c_))),
    equality=Instance({f_: sp.Lambda(j, j), k_: sp.Integer(3), c_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, j), k_: sp.Integer(2), c_: sp.Integer(5)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 1 + j), k_: sp.Integer(3), c_: sp.Integer(2)}, {}),
    elementary=True,
    whole=(k_, c_),
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
    whole=(k_,),
)
MEAN_CHANGE = Template(
    name="mean-change",
    reference="means of numbers that differ by at most c",
    parameters=(f_, g_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(k_, 1, evaluate=False)),
        Statement(le(sp.Abs(f_(j) - g_(j)), c_), (j,), (sp.Ge(j, 0, evaluate=False), le(j, k_ - 1))),
    ),
    conclusion=Statement(le(sp.Abs(SumOver(f_(j), j, k_) / k_ - SumOver(g_(j), j, k_) / k_), c_)),
    equality=Instance({f_: sp.Lambda(j, j + 2), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 2 * j), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 9 * j), g_: sp.Lambda(j, j), c_: sp.Integer(2), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
COMBINED_SUM = Template(
    name="combined-sum",
    reference="monotonicity and linearity of the sum",
    parameters=(f_, g_, q_, a_, b_, m_, k_),
    hypotheses=(Statement(le(m_ * f_(j), a_ * g_(j) + b_ * q_(j)), (j,), _summands),),
    conclusion=Statement(le(m_ * SumOver(f_(j), j, k_), a_ * SumOver(g_(j), j, k_) + b_ * SumOver(q_(j), j, k_))),
    equality=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: constant(1), a_: 2, b_: -2, m_: 2, k_: sp.Integer(3)}, {}
    ),
    valid=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: constant(1), a_: 2, b_: 1, m_: 2, k_: sp.Integer(3)}, {}
    ),
    invalid=Instance(
        {f_: sp.Lambda(j, j), g_: sp.Lambda(j, j + 1), q_: constant(1), a_: 2, b_: -3, m_: 2, k_: sp.Integer(3)}, {}
    ),
    elementary=True,
    whole=(k_,),
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
    whole=(k_,),
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
    valid=Instance({**_shares, f_: sp.Lambda(j, 1 - j), c_: -2 * third, a_: 2, b_: 3, m_: -1}, {}),
    invalid=Instance({**_shares, f_: sp.Lambda(j, 3 * j), c_: 4, a_: 2, b_: 3, m_: 1}, {}),
    elementary=True,
    whole=(k_,),
)
WEIGHTED_CAUCHY = Template(
    name="weighted-cauchy",
    reference="Cauchy–Schwarz inequality for sums with weights",
    parameters=(p_, f_, g_, k_),
    hypotheses=(Statement(sp.Ge(p_(j), 0, evaluate=False), (j,), _summands),),
    conclusion=Statement(
        le(
            SumOver(p_(j) * f_(j) * g_(j), j, k_) ** 2,
            SumOver(p_(j) * f_(j) ** 2, j, k_) * SumOver(p_(j) * g_(j) ** 2, j, k_),
        )
    ),
    equality=Instance({**_shares, f_: sp.Lambda(j, j + 1), g_: sp.Lambda(j, 2 * j + 2)}, {}),
    valid=Instance({**_shares, f_: sp.Lambda(j, j + 1), g_: sp.Lambda(j, 1 - j)}, {}),
    invalid=Instance({p_: sp.Lambda(j, 1 - j), f_: sp.Lambda(j, 1 + j), g_: constant(1), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
MEAN_SQUARE = Template(
    name="mean-square",
    reference="the square of a mean is at most the mean of the squares",
    parameters=(f_, k_),
    hypotheses=(),
    conclusion=Statement(le(SumOver(f_(j), j, k_) ** 2, k_ * SumOver(f_(j) ** 2, j, k_))),
    equality=Instance({f_: constant(2), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(4)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
_above = SumOver(sp.Max(f_(j), 0), j, k_)
SIGN_SPLIT = Template(
    name="sign-split",
    reference="the squares of numbers of one sign sum to at most the square of their sum",
    parameters=(f_, k_),
    hypotheses=(),
    conclusion=Statement(le(SumOver(f_(j) ** 2, j, k_), _above**2 + (_above - SumOver(f_(j), j, k_)) ** 2)),
    equality=Instance({f_: sp.Lambda(j, 1 - j), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 2 - j), k_: sp.Integer(4)}, {}),
    invalid=None,
    elementary=True,
    whole=(k_,),
)
PARTIAL_SUMS = Template(
    name="partial-sums",
    reference="triangle inequality, once a step",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(le(norm(f_(j + 1) - f_(j)), g_(j)), (j,), _summands),),
    conclusion=Statement(le(norm(f_(k_)), norm(f_(0)) + SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j + 1), g_: constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), g_: constant(sp.Integer(2)), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 2 * j), g_: constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
TOKEN_PARTIAL_SUMS = Template(
    name="token-partial-sums",
    reference="triangle inequality of the largest token norm, once a step",
    parameters=(f_, g_, k_),
    hypotheses=(Statement(le(token_norm(f_(j + 1) - f_(j)), g_(j)), (j,), _summands),),
    conclusion=Statement(le(token_norm(f_(k_)), token_norm(f_(0)) + SumOver(g_(j), j, k_))),
    equality=Instance({f_: sp.Lambda(j, j + 1), g_: constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    valid=Instance({f_: sp.Lambda(j, 1 - j), g_: constant(sp.Integer(2)), k_: sp.Integer(3)}, {}),
    invalid=Instance({f_: sp.Lambda(j, 2 * j), g_: constant(sp.Integer(1)), k_: sp.Integer(3)}, {}),
    elementary=True,
    whole=(k_,),
)
