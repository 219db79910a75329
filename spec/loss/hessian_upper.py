"""The largest curvature of cross-entropy on the box."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import Ratio, inner, norm
from spec.language.proof import Fact, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss._box import CLASS, IN_BOX, SHARE, SHARES
from spec.symbols import (
    VOCABULARY, C, L_soft, entry, highest, j, k, kappa, logit, lower, omega, outcome, softmax,
    upper, v, variance, vartheta, w,
)  # fmt: skip

_shares = softmax(logit)
_first = highest(_shares)
_largest, _least = entry(_shares, _first), kappa * entry(_shares, _first)
_second = 1 - _largest - (C - 2) * _least
_ends = (sp.Ge(lower, 0), sp.Le(lower, w), sp.Le(w, upper), sp.Lt(upper, L_soft))
_other = (IN_BOX, CLASS, sp.Ne(j, _first))
_value = entry(omega, j)
_of_largest = {results.f_: sp.Lambda(j, SHARE), results.a_: _first, results.c_: _least, results.k_: C}

_chord = (L_soft - lower - upper + w) * Ratio(1, L_soft - lower) * Ratio(1, L_soft - upper)
_unit, _apart = sp.Eq(norm(omega), 1), sp.Lt(_second, L_soft)
_top_value = entry(omega, _first)
_slope = L_soft**2 * Ratio(1, L_soft - _least) * Ratio(1, L_soft - _second)
_by_value = SHARE * _value**2 - L_soft * _value**2
_by_share = -2 * v * SHARE * _value + v**2 * (1 - _slope) * SHARE
_remainder = _slope * (1 - _largest) + (C - 1) * (_slope * (L_soft - _least - _second) - L_soft)


_others = 1 + (C - 2) * kappa
_gap, _peaked = _largest - L_soft, sp.Gt(_largest, L_soft)
_balanced = sp.Eq(v * _largest, _gap * _top_value)


def _curve(share: sp.Expr) -> sp.Expr:
    return Ratio(L_soft**2, L_soft - share) - L_soft


_curves = _curve(_second) + (C - 2) * _curve(_least)


def _linear(name: str, f: sp.Expr, g: sp.Expr, a: sp.Expr, b: sp.Expr) -> Fact:
    at = {results.f_: sp.Lambda(j, f), results.g_: sp.Lambda(j, g), results.a_: a, results.b_: b, results.k_: C}
    return cited(name, results.SUM_LINEAR, at, free=(logit, omega, v))


FACTS = (
    assumed(H.BOUNDED_LOGITS),
    *SHARES,
    definition("inner-entries", VOCABULARY),
    definition("highest", VOCABULARY),
    definition("highest-entry", VOCABULARY),
    definition("variance", VOCABULARY),
    definition("square", VOCABULARY),
    cited(
        "largest-and-rest",
        results.SUM_BUT_ONE_ABOVE,
        _of_largest,
        use("highest", omega=_shares),
        use("share-ratio", logit=logit, j=j, k=_first),
        free=(logit,),
        given=(IN_BOX,),
    ),
    cited(
        "largest-two-and-rest",
        results.SUM_BUT_TWO_ABOVE,
        {**_of_largest, results.b_: k},
        use("highest", omega=_shares),
        use("share-ratio", logit=logit, j=j, k=_first),
        free=(logit, k),
        given=(IN_BOX, sp.Le(k, C - 1), sp.Ne(k, _first)),
    ),
    inequality(
        "not-largest",
        sp.Le(SHARE, _second),
        use("softmax-sum", logit=logit),
        use("largest-two-and-rest", logit=logit, k=j),
        free=(logit, j),
        given=_other,
    ),
    inequality(
        "parabola",
        sp.Le(w * (_value - v) ** 2 - L_soft * _value**2, v**2 * (Ratio(L_soft**2, L_soft - w) - L_soft)),
        free=(omega, j, v, w),
        given=(sp.Ge(w, 0), sp.Lt(w, L_soft)),
    ),
    inequality(
        "chord",
        sp.Le(Ratio(1, L_soft - w), _chord),
        free=(w, lower, upper),
        given=_ends,
    ),
    inequality(
        "class",
        sp.Le(
            w * (_value - v) ** 2 - L_soft * _value**2,
            v**2 * (L_soft**2 * _chord - L_soft),
        ),
        use("parabola", omega=omega, j=j, v=v, w=w),
        use("chord", w=w, lower=lower, upper=upper),
        free=(omega, j, v, w, lower, upper),
        given=_ends,
    ),
    cited(
        "rest",
        results.SUM_BUT_ONE_BELOW,
        {
            results.f_: sp.Lambda(j, _by_value + _by_share),
            results.a_: _first,
            results.c_: v**2 * (_slope * (L_soft - _least - _second) - L_soft),
            results.k_: C,
        },
        use("highest", omega=_shares),
        use("softmax-positive", logit=logit, j=_first),
        use("share-ratio", logit=logit, j=j, k=_first),
        use("not-largest", logit=logit, j=j),
        use("class", omega=omega, j=j, v=v, w=SHARE, lower=_least, upper=_second),
        free=(logit, omega, v),
        given=(IN_BOX, _apart),
    ),
    _linear("sum", _by_value, _by_share, 1, 1),
    _linear("sum-by-value", SHARE * _value**2, _value**2, 1, -L_soft),
    _linear("sum-by-share", SHARE * _value, SHARE, -2 * v, v**2 * (1 - _slope)),
    identity("length", sp.Eq(norm(omega) ** 2, inner(omega, omega)), free=(omega,)),
    inequality(
        "two-values",
        sp.Le(
            variance(_shares, omega) - L_soft,
            _largest * (_top_value - v) ** 2 - L_soft * _top_value**2 + v**2 * _remainder,
        ),
        use("variance", logit=logit, omega=omega),
        use("square", omega=omega, omega_alt=_shares),
        use("inner-entries", omega=_shares, omega_alt=omega),
        use("inner-entries", omega=omega, omega_alt=omega),
        use("length", omega=omega),
        use("softmax-sum", logit=logit),
        use("largest-and-rest", logit=logit),
        use("rest", logit=logit, omega=omega, v=v),
        use("sum", logit=logit, omega=omega, v=v),
        use("sum-by-value", logit=logit, omega=omega, v=v),
        use("sum-by-share", logit=logit, omega=omega, v=v),
        free=(logit, omega, v),
        given=(IN_BOX, _unit, _apart),
    ),
    identity("scale", sp.Eq(L_soft * (1 + _others), 1), unfold=(L_soft,)),
    inequality(
        "second-gap",
        sp.Eq(L_soft - _second, _gap * _others),
        use("scale"),
        free=(logit,),
    ),
    inequality(
        "least-gap",
        sp.Ge(L_soft - _least, _gap * _others),
        use("softmax-sum", logit=logit),
        use("largest-and-rest", logit=logit),
        use("second-gap", logit=logit),
        free=(logit,),
        given=(IN_BOX,),
    ),
    inequality("apart", _apart, use("second-gap", logit=logit), free=(logit,), given=(_peaked,)),
    identity(
        "remainder",
        sp.Eq(v**2 * _remainder, v**2 * _curves),
        free=(logit, v),
        given=(sp.Lt(_least, L_soft), _apart),
    ),
    inequality(
        "two-curves",
        sp.Le(
            variance(_shares, omega) - L_soft,
            _largest * (_top_value - v) ** 2 - L_soft * _top_value**2 + v**2 * _curves,
        ),
        use("apart", logit=logit),
        use("least-gap", logit=logit),
        use("two-values", logit=logit, omega=omega, v=v),
        use("remainder", logit=logit, v=v),
        free=(logit, omega, v),
        given=(IN_BOX, _unit, _peaked),
    ),
    inequality(
        "from-second",
        sp.Le(_others * _gap * _curve(_second), _second * L_soft),
        use("second-gap", logit=logit),
        free=(logit,),
        given=(_peaked,),
    ),
    inequality(
        "from-least",
        sp.Le(_others * _gap * _curve(_least), _least * L_soft),
        use("highest", omega=_shares),
        use("softmax-positive", logit=logit, j=_first),
        use("least-gap", logit=logit),
        free=(logit,),
        given=(IN_BOX, _peaked),
    ),
    inequality(
        "balance",
        sp.Le((_largest + _curves) * _gap, _largest**2),
        use("scale"),
        use("least-gap", logit=logit),
        use("apart", logit=logit),
        use("from-second", logit=logit),
        use("from-least", logit=logit),
        free=(logit,),
        given=(IN_BOX, _peaked),
    ),
    inequality(
        "weighed",
        sp.Le(v**2 * (_largest + _curves), _gap * _top_value**2),
        use("least-gap", logit=logit),
        use("apart", logit=logit),
        use("balance", logit=logit),
        free=(logit, omega, v),
        given=(IN_BOX, _peaked, _balanced),
    ),
    inequality(
        "peaked",
        sp.Le(variance(_shares, omega), L_soft),
        use("weighed", logit=logit, omega=omega, v=v),
        use("two-curves", logit=logit, omega=omega, v=v),
        free=(logit, omega, v),
        given=(IN_BOX, _unit, _peaked, _balanced),
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
    _linear("flat-sum", _value**2, 0, _largest, 0),
    inequality(
        "flat",
        sp.Le(variance(_shares, omega), _largest),
        use("variance", logit=logit, omega=omega),
        use("square", omega=omega, omega_alt=_shares),
        use("inner-entries", omega=omega, omega_alt=omega),
        use("length", omega=omega),
        use("flat-classes", logit=logit, omega=omega),
        use("flat-sum", logit=logit, omega=omega, v=0),
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
        use("peaked", logit=logit, omega=omega, v=Ratio(_gap * _top_value, _largest)),
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
