"""The largest curvature of cross-entropy on the box."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import Ratio, inner, norm
from spec.language.proof import Fact, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss._box import CLASS, IN_BOX, SHARE, SHARES
from spec.objects.loss import entry, highest, outcome, softmax, variance
from spec.symbols import VOCABULARY, C, L_soft, j, k, kappa, logit, omega, v, vartheta, w

_shares = softmax(logit)
_first = highest(_shares)
_largest, _at_largest, _value = entry(_shares, _first), entry(omega, _first), entry(omega, j)
_second = 1 - _largest - (C - 2) * kappa * _largest
_gap, _others = _largest - L_soft, 1 + (C - 2) * kappa
_unit, _peaked = sp.Eq(norm(omega), 1), sp.Gt(_largest, L_soft)
_steep = sp.Eq(w * (L_soft - _second), v**2 * L_soft)
_central, _mean = sp.Eq(v * _largest, _gap * _at_largest), Ratio(_gap * _at_largest, _largest)
_by_value, _by_share = SHARE * _value**2 - L_soft * _value**2, -2 * v * SHARE * _value + (v**2 - w) * SHARE


def _linear(name: str, f: sp.Expr, g: sp.Expr, a: sp.Expr, b: sp.Expr, free: tuple[sp.Basic, ...]) -> Fact:
    at = {results.f_: sp.Lambda(j, f), results.g_: sp.Lambda(j, g), results.a_: a, results.b_: b, results.k_: C}
    return cited(name, results.SUM_LINEAR, at, free=(logit, omega, *free))


FACTS = (
    assumed(H.BOUNDED_LOGITS),
    *SHARES,
    definition("inner-entries", VOCABULARY),
    definition("highest", VOCABULARY),
    definition("highest-entry", VOCABULARY),
    definition("variance", VOCABULARY),
    definition("square", VOCABULARY),
    cited(
        "two-and-rest",
        results.SUM_BUT_TWO_ABOVE,
        {
            results.f_: sp.Lambda(j, SHARE),
            results.a_: _first,
            results.b_: k,
            results.c_: kappa * _largest,
            results.k_: C,
        },
        use("highest", omega=_shares),
        use("share-ratio", logit=logit, j=j, k=_first),
        free=(logit, k),
        given=(IN_BOX, sp.Le(k, C - 1), sp.Ne(k, _first)),
    ),
    inequality(
        "not-largest",
        sp.Le(SHARE, _second),
        use("softmax-sum", logit=logit),
        use("two-and-rest", logit=logit, k=j),
        free=(logit, j),
        given=(IN_BOX, CLASS, sp.Ne(j, _first)),
    ),
    identity("scale", sp.Eq(L_soft * (1 + _others), 1), unfold=(L_soft,)),
    inequality("second-gap", sp.Eq(L_soft - _second, _gap * _others), use("scale"), free=(logit,)),
    inequality(
        "class",
        sp.Le(_by_value + _by_share, 0),
        use("softmax-positive", logit=logit, j=j),
        use("not-largest", logit=logit, j=j),
        use("second-gap", logit=logit),
        free=(logit, omega, j, v, w),
        given=(IN_BOX, CLASS, sp.Ne(j, _first), _peaked, _steep),
    ),
    cited(
        "classes",
        results.SUM_BUT_ONE_BELOW,
        {results.f_: sp.Lambda(j, _by_value + _by_share), results.a_: _first, results.c_: 0, results.k_: C},
        use("highest", omega=_shares),
        use("class", logit=logit, omega=omega, j=j, v=v, w=w),
        free=(logit, omega, v, w),
        given=(IN_BOX, _peaked, _steep),
    ),
    _linear("sum", _by_value, _by_share, 1, 1, (v, w)),
    _linear("sum-by-value", SHARE * _value**2, _value**2, 1, -L_soft, ()),
    _linear("sum-by-share", SHARE * _value, SHARE, -2 * v, v**2 - w, (v, w)),
    identity("length", sp.Eq(norm(omega) ** 2, inner(omega, omega)), free=(omega,)),
    inequality(
        "about-mean",
        sp.Le(
            variance(_shares, omega) - L_soft,
            _largest * (_at_largest - v) ** 2 - L_soft * _at_largest**2 + w * (1 - _largest),
        ),
        use("variance", logit=logit, omega=omega),
        use("square", omega=omega, omega_alt=_shares),
        use("inner-entries", omega=_shares, omega_alt=omega),
        use("inner-entries", omega=omega, omega_alt=omega),
        use("length", omega=omega),
        use("softmax-sum", logit=logit),
        use("classes", logit=logit, omega=omega, v=v, w=w),
        use("sum", logit=logit, omega=omega, v=v, w=w),
        use("sum-by-value", logit=logit, omega=omega),
        use("sum-by-share", logit=logit, omega=omega, v=v, w=w),
        free=(logit, omega, v, w),
        given=(IN_BOX, _unit, _peaked, _steep),
    ),
    inequality(
        "others",
        sp.Le(w * (1 - _largest) * _gap, v**2 * L_soft**2),
        use("scale"),
        free=(logit, v, w),
        given=(_peaked, _steep),
    ),
    inequality(
        "peaked",
        sp.Le(variance(_shares, omega), L_soft),
        use("others", logit=logit, v=v, w=w),
        use("about-mean", logit=logit, omega=omega, v=v, w=w),
        free=(logit, omega, v, w),
        given=(IN_BOX, _unit, _peaked, _steep, _central),
    ),
    inequality(
        "flat-class",
        sp.Le(SHARE * _value**2, _largest * _value**2),
        use("highest-entry", omega=_shares, j=j),
        free=(logit, omega, j),
        given=(CLASS,),
    ),
    cited(
        "flat-classes",
        results.SUM_BELOW,
        {
            results.f_: sp.Lambda(j, SHARE * _value**2),
            results.g_: sp.Lambda(j, _largest * _value**2),
            results.k_: C,
        },
        use("flat-class", logit=logit, omega=omega, j=j),
        free=(logit, omega),
    ),
    _linear("flat-sum", _value**2, 0, _largest, 0, ()),
    inequality(
        "flat",
        sp.Le(variance(_shares, omega), _largest),
        use("variance", logit=logit, omega=omega),
        use("square", omega=omega, omega_alt=_shares),
        use("inner-entries", omega=omega, omega_alt=omega),
        use("length", omega=omega),
        use("flat-classes", logit=logit, omega=omega),
        use("flat-sum", logit=logit, omega=omega),
        free=(logit, omega),
        given=(_unit,),
    ),
    cited(
        "curvature",
        results.CASES,
        {
            results.f_: sp.Lambda(w, variance(_shares, omega)),
            results.z_: _largest,
            results.c_: L_soft,
            results.b_: L_soft,
        },
        use("flat", logit=logit, omega=omega),
        use("second-gap", logit=logit),
        use("peaked", logit=logit, omega=omega, v=_mean, w=Ratio(_mean**2 * L_soft, L_soft - _second)),
        free=(logit, omega),
        given=(IN_BOX, _unit),
    ),
    inequality("half", sp.Le(L_soft, sp.Rational(1, 2)), unfold=(L_soft,)),
    inequality(
        "of-samples",
        sp.Le(variance(softmax(outcome(vartheta, j)), omega), L_soft),
        use("bounded-logits", vartheta=vartheta, j=j),
        use("curvature", logit=outcome(vartheta, j), omega=omega),
        free=(vartheta, j, omega),
        given=(_unit,),
    ),
)
_measured = Measured("curvature ⟨ω, ∇²ℓ(h) ω⟩ along a unit vector", variance(_shares, omega), "impl.readout:curvature")
THEOREM = Theorem(
    slug="loss/hessian-upper",
    title="Largest curvature of cross-entropy on the box",
    source="mfc2026",
    assumptions=(H.BOUNDED_LOGITS,),
    facts=FACTS,
    claims=(
        Claim(
            "curvature", _measured, "<=", L_soft, ("curvature",), tight=True, free=(logit, omega), given=(IN_BOX, _unit)
        ),
        Claim(
            "half", _measured, "<=", sp.Rational(1, 2), ("curvature", "half"),
            tight=True, free=(logit, omega), given=(IN_BOX, _unit),
        ),
        Claim(
            "of-samples",
            Measured(
                "curvature of a sample's loss along a unit vector",
                variance(softmax(outcome(vartheta, j)), omega),
                "impl.readout:curvature",
            ),
            "<=",
            L_soft,
            ("of-samples",),
            tight=True,
            free=(vartheta, j, omega),
            given=(_unit,),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
