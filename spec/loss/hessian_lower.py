"""No saturation on the box: the Hessian of cross-entropy is bounded below off the constant direction."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import inner, norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss._box import IN_BOX
from spec.loss._corner import CORNER, total
from spec.objects.loss import on_top, ones, outcome, softmax, square, top, variance
from spec.symbols import VOCABULARY, C, j, kappa, logit, omega, p_min, vartheta

_mean = inner(softmax(logit), omega)
_steepest = 2 * _mean * omega - square(omega)
_top, _part = top(_steepest), on_top(_steepest, omega)
_count, _total = norm(_top) ** 2, total(_steepest)
_sum, _squares = inner(_top, omega), norm(_part) ** 2
_variance = variance(softmax(logit), omega)
_squeeze = (kappa + C - 1) ** 2
_bound = C * p_min * (1 - p_min) / (C - 1)
_direction = (sp.Eq(inner(ones(C), omega), 0), sp.Eq(norm(omega), 1))
_given = (IN_BOX, *_direction)
_free = (logit, omega)

FACTS = (
    assumed(H.BOUNDED_LOGITS),
    *CORNER,
    definition("variance", VOCABULARY),
    definition("squares", VOCABULARY),
    definition("top-squares", VOCABULARY),
    definition("top-values", VOCABULARY),
    definition("top-part", VOCABULARY),
    definition("one-left", VOCABULARY),
    definition("top-not-all", VOCABULARY),
    definition("top-whole", VOCABULARY),
    identity(
        "towards-mean",
        sp.Eq(inner(_steepest, softmax(logit)), 2 * _mean**2 - inner(softmax(logit), square(omega))),
        free=_free,
    ),
    identity(
        "towards-ones",
        sp.Eq(inner(ones(C), _steepest), 2 * _mean * inner(ones(C), omega) - inner(ones(C), square(omega))),
        free=_free,
    ),
    identity("towards-top", sp.Eq(inner(_top, _steepest), 2 * _mean * _sum - inner(_top, square(omega))), free=_free),
    inequality(
        "concave",
        sp.Ge(_total * _variance, kappa + (1 - kappa) * (_squares - 2 * _mean * _sum) + _total * _mean**2),
        use("variance", logit=logit, omega=omega),
        use("support", logit=logit, omega=_steepest),
        use("corner", omega=_steepest),
        use("towards-mean", logit=logit, omega=omega),
        use("towards-ones", logit=logit, omega=omega),
        use("towards-top", logit=logit, omega=omega),
        use("squares", omega=omega),
        use("top-squares", omega=_steepest, omega_alt=omega),
        free=_free,
        given=_given,
    ),
    cited("cauchy-schwarz", results.CAUCHY_SCHWARZ, {results.v1_: _top, results.v2_: _part}, free=_free),
    inequality(
        "top-sum",
        sp.Le(_sum**2, _count * _squares),
        use("top-values", omega=_steepest, omega_alt=omega),
        use("cauchy-schwarz", logit=logit, omega=omega),
        free=_free,
    ),
    inequality(
        "floor",
        sp.Ge(_total * _variance, kappa),
        use("concave", logit=logit, omega=omega),
        use("top-sum", logit=logit, omega=omega),
        free=_free,
        given=_given,
    ),
    inequality(
        "two-below",
        sp.Le(C * kappa, _squeeze * _variance),
        use("floor", logit=logit, omega=omega),
        free=_free,
        given=(*_given, sp.Le(_count, C - 2)),
    ),
    identity(
        "rest", sp.Eq(norm(omega - _part) ** 2, norm(omega) ** 2 - 2 * inner(omega, _part) + _squares), free=_free
    ),
    inequality(
        "all-but-one",
        sp.Eq(_squares, 1 - _sum**2),
        use("one-left", omega=_steepest, omega_alt=omega),
        use("top-part", omega=_steepest, omega_alt=omega),
        use("rest", logit=logit, omega=omega),
        free=_free,
        given=(*_direction, sp.Le(C - 1, _count)),
    ),
    inequality(
        "one-sum",
        sp.Le(C * _sum**2, C - 1),
        use("top-not-all", omega=_steepest),
        use("all-but-one", logit=logit, omega=omega),
        use("top-sum", logit=logit, omega=omega),
        free=_free,
        given=(*_direction, sp.Le(C - 1, _count)),
    ),
    inequality(
        "one-concave",
        sp.Ge((kappa + C - 1) * _variance, 1 - (1 - kappa) * (_sum**2 + 2 * _mean * _sum) + (kappa + C - 1) * _mean**2),
        use("top-not-all", omega=_steepest),
        use("all-but-one", logit=logit, omega=omega),
        use("concave", logit=logit, omega=omega),
        free=_free,
        given=(*_given, sp.Le(C - 1, _count)),
    ),
    inequality(
        "one-below",
        sp.Le(C * kappa, _squeeze * _variance),
        use("one-sum", logit=logit, omega=omega),
        use("one-concave", logit=logit, omega=omega),
        free=_free,
        given=(*_given, sp.Le(C - 1, _count)),
    ),
    cited(
        "least",
        results.INTEGER_CASES,
        {results.a_: C * kappa, results.b_: _squeeze * _variance, results.z_: _count, results.c_: C - 2},
        use("top-whole", omega=_steepest),
        use("two-below", logit=logit, omega=omega),
        use("one-below", logit=logit, omega=omega),
        free=_free,
        given=_given,
    ),
    inequality(
        "curvature",
        sp.Ge(_variance, _bound),
        use("least", logit=logit, omega=omega),
        free=_free,
        given=_given,
        unfold=(p_min,),
    ),
    inequality("least-share", sp.Ge(_bound, p_min), unfold=(p_min,)),
    inequality(
        "of-samples",
        sp.Ge(variance(softmax(outcome(vartheta, j)), omega), _bound),
        use("bounded-logits", vartheta=vartheta, j=j),
        use("curvature", logit=outcome(vartheta, j), omega=omega),
        free=(vartheta, j, omega),
        given=_direction,
    ),
)
_measured = Measured("curvature ⟨ω, ∇²ℓ(h) ω⟩ along a unit vector that sums to 0", _variance, "impl.readout:curvature")
THEOREM = Theorem(
    slug="loss/hessian-lower",
    title="Least curvature of cross-entropy on the box: no saturation",
    source="mfc2026",
    assumptions=(H.BOUNDED_LOGITS,),
    facts=FACTS,
    claims=(
        Claim("curvature", _measured, ">=", _bound, ("curvature",), tight=True, free=_free, given=_given),
        Claim(
            "least-share", _measured, ">=", p_min, ("curvature", "least-share"),
            tight=True, free=_free, given=_given,
        ),
        Claim(
            "of-samples",
            Measured(
                "curvature of a sample's loss along a unit vector that sums to 0",
                variance(softmax(outcome(vartheta, j)), omega),
                "impl.readout:curvature",
            ),
            ">=",
            _bound,
            ("of-samples",),
            tight=True,
            free=(vartheta, j, omega),
            given=_direction,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
