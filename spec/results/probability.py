"""Expectations, tails and quantiles."""

import sympy as sp

from spec.language.functions import SumOver, expectation, norm, probability, quantile
from spec.language.template import Instance, Statement, Template
from spec.objects.risk import fixed
from spec.results.parameters import a_, b_, c_, certain, constant, f_, half, happens, k_, le, m_, never, third, w_, z_
from spec.symbols import i, j, v, varphi, vartheta, w

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
        Statement(le(a_, f_(j)), (j,)),
        Statement(le(f_(j), a_ + w_), (j,)),
        Statement(sp.Eq(expectation(f_(j)), m_, evaluate=False), (j,), fixed(j)),
        Statement(
            sp.Eq(
                sp.log(expectation(sp.exp(v * SumOver(f_(j), j, k_)))),
                SumOver(sp.log(expectation(sp.exp(v * f_(j)))), j, k_),
                evaluate=False,
            ),
            (v,),
            fixed(v),
        ),
    ),
    conclusion=Statement(le(probability(c_ * (b_ - m_), z_), sp.exp(-2 * k_ * z_**2 / w_**2))),
    equality=Instance(
        {
            f_: constant(half),
            b_: half,
            m_: half,
            k_: sp.Integer(2),
            a_: 0,
            w_: 1,
            z_: sp.Integer(0),
            c_: sp.Integer(1),
        },
        happens,
    ),
    valid=Instance(
        {f_: constant(half), b_: half, m_: half, k_: sp.Integer(2), a_: 0, w_: 1, z_: half, c_: sp.Integer(-1)},
        never,
    ),
    invalid=Instance(
        {
            f_: constant(sp.Integer(1)),
            b_: sp.Integer(1),
            m_: half,
            k_: sp.Integer(2),
            a_: 0,
            w_: 1,
            z_: half,
            c_: sp.Integer(1),
        },
        happens,
    ),
    fixed=(m_, k_, a_, w_, z_, c_),
    whole=(k_,),
)
TWO_SIDED = Template(
    name="two-sided",
    reference="|D| ≥ s means D ≥ s or −D ≥ s",
    parameters=(c_, z_),
    hypotheses=(),
    conclusion=Statement(le(probability(sp.Abs(c_), z_), probability(c_, z_) + probability(-c_, z_))),
    equality=Instance({c_: v, z_: sp.Integer(2)}, {**never, v: 1}),
    valid=Instance({c_: v, z_: sp.Integer(-2)}, {**happens, v: 1}),
    invalid=None,
    elementary=True,
)
QUANTILE_OF_TAIL = Template(
    name="quantile-of-tail",
    reference="definition of the quantile",
    parameters=(a_, z_, c_),
    hypotheses=(Statement(le(probability(a_, w), c_), (w,), (sp.Gt(w, z_, evaluate=False), *fixed(w))),),
    conclusion=Statement(le(quantile(a_, c_), z_)),
    equality=Instance({a_: half, z_: half, c_: third}, never),
    valid=Instance({a_: half, z_: sp.Integer(1), c_: third}, never),
    invalid=Instance({a_: sp.Integer(2), z_: sp.Integer(1), c_: third}, happens),
    elementary=True,
    fixed=(z_, c_),
)
QUANTILE_SHIFT = Template(
    name="quantile-shift",
    reference="definition of the quantile",
    parameters=(a_, b_, z_, c_),
    hypotheses=(Statement(le(a_, z_ + b_)),),
    conclusion=Statement(le(quantile(a_, c_), z_ + quantile(b_, c_))),
    equality=Instance({a_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(1), c_: third}, certain),
    valid=Instance({a_: sp.Integer(2), b_: sp.Integer(2), z_: sp.Integer(1), c_: third}, certain),
    invalid=Instance({a_: sp.Integer(4), b_: sp.Integer(2), z_: sp.Integer(1), c_: third}, certain),
    elementary=True,
    fixed=(z_, c_),
)
UNION_BOUND = Template(
    name="union-bound",
    reference="k events of probability at most c/k each; i runs over indices that do not see the sample, b does",
    parameters=(f_, k_, b_, z_, c_),
    hypotheses=(
        Statement(le(quantile(f_(i), c_ / k_), z_), (i,), (le(i, k_ - 1), *fixed(i))),
        Statement(le(b_, k_ - 1)),
    ),
    conclusion=Statement(le(quantile(f_(b_), c_), z_)),
    equality=Instance(
        {f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(2), c_: third}, certain
    ),
    valid=Instance({f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(1), z_: sp.Integer(2), c_: third}, certain),
    invalid=Instance(
        {f_: sp.Lambda(i, i), k_: sp.Integer(3), b_: sp.Integer(2), z_: sp.Integer(1), c_: third}, certain
    ),
    elementary=True,
    fixed=(k_, c_),
    whole=(k_, b_),
)
EXPECTATION_CHANGE = Template(
    name="expectation-change",
    reference="means of numbers that differ by at most c",
    parameters=(a_, b_, c_),
    hypotheses=(Statement(le(sp.Abs(a_ - b_), c_)),),
    conclusion=Statement(le(sp.Abs(expectation(a_) - expectation(b_)), c_)),
    equality=Instance({a_: 3, b_: 2, c_: 1}, {expectation(3): 3, expectation(2): 2}),
    valid=Instance({a_: 3, b_: 2, c_: 2}, {expectation(3): 3, expectation(2): 2}),
    invalid=Instance({a_: 3, b_: 1, c_: 1}, {expectation(3): 3, expectation(1): 1}),
    elementary=True,
    fixed=(c_,),
)
OUTCOME_BY_OUTCOME = Template(
    name="outcome-by-outcome",
    reference="what depends on the sample is, outcome by outcome, one of the things that are fixed",
    parameters=(f_,),
    hypotheses=(Statement(le(f_(vartheta, varphi), 0), (vartheta, varphi), fixed(vartheta, varphi)),),
    conclusion=Statement(le(f_(vartheta, varphi), 0), (vartheta, varphi)),
    equality=Instance({f_: sp.Lambda((vartheta, varphi), sp.Integer(0))}, certain),
    valid=Instance({f_: sp.Lambda((vartheta, varphi), -norm(vartheta))}, certain),
    invalid=Instance({f_: sp.Lambda((vartheta, varphi), norm(vartheta) - 1)}, certain),
    elementary=True,
    fixed=(f_,),
)
