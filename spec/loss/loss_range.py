"""The range of cross-entropy on the box: both ends, and how far they are apart."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import SumOver
from spec.language.proof import assumed, cited, definition, identity, inequality, monotone, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss._box import IN_BOX, WEIGHT, WEIGHTS
from spec.objects.loss import entry, highest, label, loss, lowest, outcome
from spec.symbols import VOCABULARY, B, C, M_ell, i, j, kappa, logit, vartheta, w

LOW = sp.log(1 + (C - 1) * kappa)
HIGH = 2 * B + sp.log(kappa + C - 1)
_loss, _of_sample = loss(logit, label(i)), loss(outcome(vartheta, j), label(j))
_mass = SumOver(WEIGHT, j, C)
_largest, _least = entry(logit, highest(logit)), entry(logit, lowest(logit))


def _above(h: sp.Expr) -> sp.Expr:
    """Return the least sum of weights whose largest logit this is."""
    return sp.exp(h) + (C - 1) * kappa * sp.exp(h)


def _below(h: sp.Expr) -> sp.Expr:
    """Return the largest sum of weights whose least logit this is."""
    return sp.exp(h) + (C - 1) * sp.exp(h) / kappa


_sum = {results.f_: sp.Lambda(j, WEIGHT), results.k_: C}

FACTS = (
    assumed(H.BOUNDED_LOGITS),
    *WEIGHTS,
    definition("cross-entropy", VOCABULARY),
    definition("highest", VOCABULARY),
    definition("lowest", VOCABULARY),
    definition("label-high", VOCABULARY),
    definition("label-low", VOCABULARY),
    cited(
        "mass-above",
        results.SUM_BUT_ONE_ABOVE,
        {**_sum, results.a_: highest(logit), results.c_: kappa * sp.exp(_largest)},
        use("highest", omega=logit),
        use("weight-ratio", logit=logit, j=j, k=highest(logit)),
        free=(logit,),
        given=(IN_BOX,),
    ),
    cited(
        "mass-below",
        results.SUM_BUT_ONE_BELOW,
        {**_sum, results.a_: lowest(logit), results.c_: sp.exp(_least) / kappa},
        use("lowest", omega=logit),
        use("weight-ratio", logit=logit, j=lowest(logit), k=j),
        free=(logit,),
        given=(IN_BOX,),
    ),
    monotone("log-above", sp.log(w), w, _above(_largest), _mass, free=(logit,)),
    monotone(
        "log-below", sp.log(w), w, _mass, _below(_least), use("mass-above", logit=logit), free=(logit,), given=(IN_BOX,)
    ),
    identity("log-least-mass", sp.Eq(sp.log(_above(w)), w + LOW), free=(w,)),
    identity("log-largest-mass", sp.Eq(sp.log(_below(w)), w + HIGH), free=(w,), unfold=(kappa,)),
    inequality(
        "low",
        sp.Ge(_loss, LOW),
        use("cross-entropy", logit=logit, i=i),
        use("label-high", omega=logit, i=i),
        use("mass-above", logit=logit),
        use("log-above", logit=logit),
        use("log-least-mass", w=_largest),
        free=(logit, i),
        given=(IN_BOX,),
    ),
    inequality(
        "high",
        sp.Le(_loss, HIGH),
        use("cross-entropy", logit=logit, i=i),
        use("label-low", omega=logit, i=i),
        use("mass-below", logit=logit),
        use("log-below", logit=logit),
        use("log-largest-mass", w=_least),
        free=(logit, i),
        given=(IN_BOX,),
    ),
    cited("quotient", results.LOG_QUOTIENT, {results.a_: kappa + C - 1, results.b_: 1 + (C - 1) * kappa}),
    inequality(
        "width",
        sp.Le(_of_sample - LOW, M_ell),
        use("bounded-logits", vartheta=vartheta, j=j),
        use("high", logit=outcome(vartheta, j), i=j),
        use("quotient"),
        free=(vartheta, j),
        unfold=(M_ell,),
    ),
)
_measured = Measured("loss ℓ(h, y)", _loss, "impl.readout:cross_entropy")
THEOREM = Theorem(
    slug="loss/loss-range",
    title="Range of cross-entropy on the box",
    source="mfc2026",
    assumptions=(H.BOUNDED_LOGITS,),
    facts=FACTS,
    claims=(
        Claim("low", _measured, ">=", LOW, ("low",), tight=True, free=(logit, i), given=(IN_BOX,)),
        Claim("high", _measured, "<=", HIGH, ("high",), tight=True, free=(logit, i), given=(IN_BOX,)),
        Claim(
            "width",
            Measured("a sample's loss above the least one on the box", _of_sample - LOW, "impl.readout:cross_entropy"),
            "<=",
            M_ell,
            ("width",),
            tight=True,
            free=(vartheta, j),
        ),
    ),
    vocabulary=VOCABULARY,
)
