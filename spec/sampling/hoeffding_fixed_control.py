"""Hoeffding's inequality for one control that is fixed before the sample, as a radius."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import probability, quantile
from spec.language.proof import Fact, assumed, cited, definition, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss.loss_range import LOW
from spec.loss.loss_range import THEOREM as LOSS_RANGE
from spec.objects.loss import label, loss, outcome
from spec.objects.risk import J_N, J, fixed, member
from spec.symbols import VOCABULARY, M_ell, N, delta, i, j, level, w

(FIXED,) = fixed(i)

_loss = loss(outcome(member(i), j), label(j))
_difference = J_N(member(i)) - J(member(i))
_deviation = sp.Abs(_difference)
_share = sp.sqrt(sp.log(2 / level) / (2 * N))  # the radius, for losses in a range of width 1
_threshold = _share * w  # w is any width above M_ℓ, so that a constant loss needs no case of its own
_wider = (FIXED, *fixed(w), sp.Gt(w, M_ell, evaluate=False))
RADIUS = M_ell * _share.xreplace({level: delta})


def _one_side(name: str, side: int) -> Fact:
    return cited(
        name,
        results.HOEFFDING,
        {
            results.f_: sp.Lambda(j, _loss),
            results.b_: J_N(member(i)),
            results.m_: J(member(i)),
            results.k_: N,
            results.a_: LOW,
            results.w_: w,
            results.z_: _threshold,
            results.c_: sp.Integer(side),
        },
        use("log-level"),
        use("control-fixed", i=i),
        use("empirical-risk", vartheta=member(i)),
        use("bounded-logits", vartheta=member(i), j=j),
        use("loss-low", logit=outcome(member(i), j), i=j),
        use("loss-width", vartheta=member(i), j=j),
        use("samples-from-population", vartheta=member(i), j=j),
        use("samples-independent", vartheta=member(i)),
        free=(i, level, w),
        given=_wider,
    )


FACTS = (
    assumed(H.CONTROL_FIXED),
    assumed(H.SAMPLES_INDEPENDENT),
    assumed(H.SAMPLES_FROM_POPULATION),
    assumed(H.BOUNDED_LOGITS),
    definition("empirical-risk", VOCABULARY),
    LOSS_RANGE.premise("loss-low", "low"),
    LOSS_RANGE.premise("loss-width", "width"),
    cited("log-level", results.LOG_ABOVE, {results.z_: 2 / level}, free=(level,)),
    _one_side("above", 1),
    _one_side("below", -1),
    cited(
        "two-sided",
        results.TWO_SIDED,
        {results.c_: _difference, results.z_: _threshold},
        use("log-level"),
        free=(i, level, w),
    ),
    inequality(
        "tail",
        sp.Le(probability(_deviation, _threshold), level),
        use("log-level"),
        use("two-sided"),
        use("above"),
        use("below"),
        free=(i, level, w),
        given=_wider,
    ),
    cited(
        "any-level",
        results.QUANTILE_OF_TAIL,
        {results.a_: _deviation, results.z_: M_ell * _share, results.c_: level},
        use("log-level"),
        use("tail", w=w / _share),
        free=(i, level),
        given=(FIXED,),
    ),
    inequality(
        "radius",
        sp.Le(quantile(_deviation, delta), RADIUS),
        use("log-level", level=delta),
        use("any-level", level=delta),
        free=(i,),
        given=(FIXED,),
    ),
)


def _measured(failure: sp.Symbol) -> Measured:
    return Measured("quantile of |J_N(ϑ) − J(ϑ)|", quantile(_deviation, failure), "impl.sampling:deviation_quantile")


THEOREM = Theorem(
    slug="sampling/hoeffding-fixed-control",
    title="The sampling error of one fixed control",
    source="mfc2026",
    assumptions=(H.CONTROL_FIXED, H.SAMPLES_INDEPENDENT, H.SAMPLES_FROM_POPULATION, H.BOUNDED_LOGITS),
    uses=(LOSS_RANGE,),
    facts=FACTS,
    claims=(
        Claim("radius", _measured(delta), "<=", RADIUS, ("radius",), tight=True, free=(i,), given=(FIXED,)),
        Claim(
            "any-level", _measured(level), "<=", M_ell * _share, ("any-level",),
            tight=True, free=(i, level), given=(FIXED,),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
