"""Hoeffding's inequality for one control that is fixed before the sample, as a radius."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import SumOver, probability, quantile
from spec.language.proof import Fact, argued, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import VOCABULARY, J, J_N, M_ell, N, delta, i, j, label, loss, member, outcome, sees, w, vartheta

# A bound for every level: δ is quantified like an index, within its range.
LEVEL = (sp.Gt(delta, 0, evaluate=False), sp.Lt(delta, 1, evaluate=False))
FIXED = sp.Eq(sees(i), 0, evaluate=False)
RADIUS = M_ell * sp.sqrt(sp.log(2 / delta) / (2 * N))

_loss, _risk = loss(outcome(member(i), j), label(j)), J(member(i))
_deviation = SumOver(_loss, j, N) / N - _risk
_share = RADIUS / M_ell
_wider = sp.Gt(w, M_ell, evaluate=False)


def _one_side(name: str, side: int) -> Fact:
    """Apply Hoeffding's inequality with a width above the loss's own: a constant loss needs no case of its own."""
    at = {
        results.f_: sp.Lambda(j, _loss), results.m_: _risk, results.k_: N, results.a_: 0, results.w_: w,
        results.z_: _share * w, results.c_: sp.Integer(side),
    }  # fmt: skip
    return cited(
        name,
        results.HOEFFDING,
        at,
        use("log-level"),
        use("control-fixed", i=i),
        use("loss-range-low", vartheta=member(i), j=j),
        use("loss-range-high", vartheta=member(i), j=j),
        use("samples-from-population", vartheta=member(i), j=j),
        use("samples-independent", vartheta=member(i)),
        free=(i, w, delta),
        given=(FIXED, _wider, *LEVEL),
    )


FACTS = (
    assumed(H.CONTROL_FIXED),
    assumed(H.SAMPLES_INDEPENDENT),
    assumed(H.SAMPLES_FROM_POPULATION),
    definition("empirical-risk", VOCABULARY),
    argued("loss-range-low", sp.Ge(loss(outcome(vartheta, j), label(j)), 0), "x", free=(vartheta, j)),
    argued("loss-range-high", sp.Le(loss(outcome(vartheta, j), label(j)), M_ell), "x", free=(vartheta, j)),
    cited("log-level", results.LOG_ABOVE, {results.z_: 2 / delta}, free=(delta,), given=LEVEL),
    inequality("share-positive", sp.Gt(_share, 0, evaluate=False), use("log-level"), free=(delta,), given=LEVEL),
    _one_side("above", 1),
    _one_side("below", -1),
    cited("two-sided", results.TWO_SIDED, {results.c_: _deviation, results.z_: _share * w}, free=(i, w, delta)),
    identity(
        "is-empirical-risk",
        sp.Eq(
            probability(sp.Abs(J_N(member(i)) - _risk), _share * w),
            probability(sp.Abs(_deviation), _share * w),
        ),
        use("empirical-risk", vartheta=member(i)),
        free=(i, w, delta),
        given=LEVEL,
    ),
    inequality(
        "tail",
        sp.Le(probability(sp.Abs(J_N(member(i)) - _risk), _share * w), delta),
        use("is-empirical-risk"),
        use("two-sided"),
        use("above"),
        use("below"),
        free=(i, w, delta),
        given=(FIXED, _wider, *LEVEL),
    ),
    cited(
        "radius",
        results.QUANTILE_OF_TAIL,
        {results.a_: sp.Abs(J_N(member(i)) - _risk), results.z_: RADIUS, results.c_: delta},
        use("share-positive"),
        use("tail", w=w / _share),
        free=(i, delta),
        given=(FIXED, *LEVEL),
    ),
)
_measured = Measured(
    "(1−δ)-quantile of |J_N(ϑ) − J(ϑ)|", quantile(sp.Abs(J_N(member(i)) - _risk), delta), "impl.sampling:quantile"
)
THEOREM = Theorem(
    slug="sampling/hoeffding-fixed-control",
    title="The sampling error of one fixed control",
    source="mfc2026",
    assumptions=(H.CONTROL_FIXED, H.SAMPLES_INDEPENDENT, H.SAMPLES_FROM_POPULATION),
    facts=FACTS,
    claims=(
        Claim("radius", _measured, "<=", RADIUS, ("radius",), tight=True, free=(i, delta), given=(FIXED, *LEVEL)),
    ),
    vocabulary=VOCABULARY,
)
