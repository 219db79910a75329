"""Softmax and cross-entropy."""

import sympy as sp

from spec.language.functions import SumOver, norm
from spec.language.template import Instance, Statement, Template
from spec.objects.loss import label, loss, peak, softmax
from spec.results.parameters import a_, b_, c_, f_, g_, half, k_, le, p_, q_, softmax_mean, v1_, v2_
from spec.results.sums import _summands
from spec.symbols import j, logit, u, v

SOFTMAX_CHANGE = Template(
    name="softmax-change",
    reference="nesterov2005, Theorem 1 and Lemma 3: softmax has constant 1 from the max norm to the sum norm",
    parameters=(p_, f_, g_, q_, a_, c_, k_),
    hypotheses=(
        Statement(sp.Ge(p_(j), 0, evaluate=False), (j,), _summands),
        Statement(sp.Gt(SumOver(p_(j) * sp.exp(f_(j)), j, k_), 0, evaluate=False)),
        Statement(le(sp.Abs(f_(j) - g_(j)), c_), (j,), _summands),
        Statement(le(sp.Abs(q_(j)), a_), (j,), _summands),
    ),
    conclusion=Statement(le(sp.Abs(softmax_mean(p_, f_, q_, k_) - softmax_mean(p_, g_, q_, k_)), a_ * c_)),
    equality=Instance(
        {
            p_: sp.Lambda(j, sp.Integer(1)),
            f_: sp.Lambda(j, j),
            g_: sp.Lambda(j, 2 * j),
            q_: sp.Lambda(j, sp.Integer(0)),
            a_: sp.Integer(0),
            c_: 2,
            k_: sp.Integer(3),
        },
        {},
    ),
    valid=Instance(
        {
            p_: sp.Lambda(j, j),
            f_: sp.Lambda(j, j),
            g_: sp.Lambda(j, 2 * j),
            q_: sp.Lambda(j, -j),
            a_: 2,
            c_: 2,
            k_: sp.Integer(3),
        },
        {},
    ),
    invalid=Instance(
        {
            p_: sp.Lambda(j, sp.Integer(1)),
            f_: sp.Lambda(j, sp.Integer(0)),
            g_: sp.Lambda(j, 2 * j),
            q_: sp.Lambda(j, 2 * j - 1),
            a_: 1,
            c_: half,
            k_: sp.Integer(2),
        },
        {},
    ),
    whole=(k_,),
)
_chance = {
    loss: sp.Lambda((u, v), sp.log(1 + sp.exp(u)) - u * v),
    softmax: sp.Lambda(u, sp.exp(u) / (1 + sp.exp(u))),
    label: sp.Lambda(u, u),
    peak: sp.Lambda(u, sp.Abs(u)),
}
LOSS_SECANT = Template(
    name="loss-secant",
    reference="mean value theorem: ∇ℓ(·, y) = softmax − y, and a box is convex",
    parameters=(v1_, v2_, b_, c_, k_),
    hypotheses=(
        Statement(le(peak(v1_), b_)),
        Statement(le(peak(v2_), b_)),
        Statement(le(norm(softmax(logit) - label(k_)), c_), (logit,), (le(peak(logit), b_),)),
    ),
    conclusion=Statement(le(sp.Abs(loss(v1_, label(k_)) - loss(v2_, label(k_))), c_ * norm(v1_ - v2_))),
    equality=Instance({v1_: sp.Integer(1), v2_: sp.Integer(1), b_: 2, c_: 1, k_: sp.Integer(0)}, _chance),
    valid=Instance({v1_: sp.Integer(1), v2_: sp.Integer(0), b_: 2, c_: 1, k_: sp.Integer(0)}, _chance),
    invalid=Instance({v1_: sp.Integer(1), v2_: sp.Integer(0), b_: 2, c_: half, k_: sp.Integer(0)}, _chance),
    elementary=True,
    whole=(k_,),
)
