"""How much the risk can change with the control: in a weighted distance over the depth, and in the sup norm."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth._each_flow import EACH, INPUTS, OF_EACH
from spec.depth.trajectory_range import THEOREM as TRAJECTORY_RANGE
from spec.language.functions import norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss.gradient_bound import THEOREM as GRADIENT_BOUND
from spec.objects.flow import F, zeta
from spec.objects.loss import label, loss, outcome, readout
from spec.objects.risk import J_N, J, fixed, flow_of, sup_dist, value_of
from spec.symbols import (
    G_BC,
    L_H,
    L_J,
    VOCABULARY,
    B,
    D_exp,
    L_ell,
    L_theta,
    N,
    T,
    b,
    j,
    r,
    s,
    t,
    u,
    varphi,
    vartheta,
    zeta_bar,
)

_controls, _pair = (vartheta, varphi), (vartheta, varphi, j)
_within = (sp.Le(t, T),)


def _state(control: sp.Expr, depth: sp.Expr) -> sp.Expr:
    return flow_of(control, j, depth)


def _velocity(control: sp.Expr) -> sp.Expr:
    return zeta(u) * F(_state(control, u), value_of(control, u))


def _apart(depth: sp.Expr) -> sp.Expr:
    return norm(_state(vartheta, depth) - _state(varphi, depth))


def _loss(control: sp.Expr, sample: sp.Expr) -> sp.Expr:
    return loss(outcome(control, sample), label(sample))


_change = norm(value_of(vartheta, u) - value_of(varphi, u))
_by_state = zeta(u) * (F(_state(vartheta, u), value_of(vartheta, u)) - F(_state(varphi, u), value_of(vartheta, u)))
_by_control = zeta(u) * (F(_state(varphi, u), value_of(vartheta, u)) - F(_state(varphi, u), value_of(varphi, u)))
_rate = b * _apart(u) + zeta_bar * L_theta * _change
_weight = sp.exp(b * (T - u))
_weighted = sp.Integral(_weight * _change, (u, 0, T))
_factor = L_ell * L_H * zeta_bar * L_theta
WEIGHTED = _factor * _weighted
_near, _near_by_weight = (sp.Le(sup_dist(vartheta, varphi), r),), (sp.Le(_weighted, D_exp),)
_population, _sample = sp.Abs(J(vartheta) - J(varphi)), sp.Abs(J_N(vartheta) - J_N(varphi))

FACTS = (
    assumed(H.SAMPLES_BOUNDED),
    assumed(H.SCHEDULE_BOUNDED),
    assumed(H.CONTROLS_ADMISSIBLE),
    assumed(H.FIELD_LIPSCHITZ),
    assumed(H.FIELD_LIPSCHITZ_CONTROL),
    assumed(H.READOUT_LIPSCHITZ),
    assumed(H.BOUNDED_LOGITS),
    GRADIENT_BOUND.premise("gradient"),
    definition("risk", VOCABULARY),
    definition("empirical-risk", VOCABULARY),
    definition("sup-dist", VOCABULARY),
    definition("flow-of", VOCABULARY),
    definition("start-of", VOCABULARY),
    definition("outcome-of", VOCABULARY),
    *INPUTS,
    TRAJECTORY_RANGE.premise(
        "in-range", "flow", *map(use, ("controls-admissible", "input", "flow-of")), at=OF_EACH, free=EACH
    ),
    cited("split", results.TRIANGLE, {results.v1_: _by_state, results.v2_: _by_control}, free=(*_pair, u)),
    inequality(
        "velocity-change",
        sp.Le(norm(_velocity(vartheta) - _velocity(varphi)), _rate),
        use("schedule-bounded", t=u),
        use("controls-admissible", vartheta=vartheta, t=u),
        use("controls-admissible", vartheta=varphi, t=u),
        use("in-range", vartheta=vartheta, t=u),
        use("in-range", vartheta=varphi, t=u),
        use("field-lipschitz", x=_state(vartheta, u), y=_state(varphi, u), vartheta=value_of(vartheta, u)),
        use(
            "field-lipschitz-control",
            x=_state(varphi, u),
            vartheta=value_of(vartheta, u),
            varphi=value_of(varphi, u),
        ),
        use("split"),
        free=(*_pair, u),
        given=(sp.Le(u, T),),
        unfold=(b,),
    ),
    identity(
        "difference",
        sp.Eq(_apart(t), norm(sp.Integral(_velocity(vartheta) - _velocity(varphi), (u, 0, t)))),
        use("flow-of", vartheta=vartheta, j=j, s=0, t=t),
        use("flow-of", vartheta=varphi, j=j, s=0, t=t),
        use("start-of", vartheta=vartheta, j=j),
        use("start-of", vartheta=varphi, j=j),
        free=(*_pair, t),
        given=_within,
    ),
    cited(
        "change-integral",
        results.INTEGRAL_BOUND,
        {
            results.f_: sp.Lambda(u, _velocity(vartheta) - _velocity(varphi)),
            results.g_: sp.Lambda(u, _rate),
            results.a_: 0,
            results.b_: t,
        },
        use("velocity-change", u=u),
        free=(*_pair, t),
        given=_within,
    ),
    inequality(
        "integral-form",
        sp.Le(_apart(t), sp.Integral(_rate, (u, 0, t))),
        use("difference"),
        use("change-integral"),
        free=(*_pair, t),
        given=_within,
    ),
    cited(
        "gronwall",
        results.GRONWALL_SOURCE,
        {
            results.f_: sp.Lambda(u, _apart(u)),
            results.g_: sp.Lambda(u, zeta_bar * L_theta * _change),
            results.c_: b,
            results.b_: T,
        },
        use("integral-form", t=s),
        free=_pair,
    ),
    identity(
        "weights",
        sp.Eq(sp.Integral(_weight * zeta_bar * L_theta * _change, (u, 0, T)), zeta_bar * L_theta * _weighted),
        free=_controls,
    ),
    identity(
        "logits",
        sp.Eq(
            norm(outcome(vartheta, j) - outcome(varphi, j)),
            norm(readout(_state(vartheta, T)) - readout(_state(varphi, T))),
        ),
        use("outcome-of", vartheta=vartheta, j=j),
        use("outcome-of", vartheta=varphi, j=j),
        free=_pair,
    ),
    cited(
        "secant",
        results.LOSS_SECANT,
        {
            results.v1_: outcome(vartheta, j),
            results.v2_: outcome(varphi, j),
            results.b_: B,
            results.c_: G_BC,
            results.k_: j,
        },
        use("bounded-logits", vartheta=vartheta, j=j),
        use("bounded-logits", vartheta=varphi, j=j),
        use("gradient", i=j),
        free=_pair,
    ),
    inequality(
        "loss-change",
        sp.Le(sp.Abs(_loss(vartheta, j) - _loss(varphi, j)), WEIGHTED),
        use("in-range", vartheta=vartheta, t=T),
        use("in-range", vartheta=varphi, t=T),
        use("readout-lipschitz", x=_state(vartheta, T), y=_state(varphi, T)),
        use("gronwall"),
        use("weights"),
        use("logits"),
        use("secant"),
        free=_pair,
        unfold=(L_ell,),
    ),
    cited(
        "mean-over-population",
        results.EXPECTATION_CHANGE,
        {results.a_: _loss(vartheta, N), results.b_: _loss(varphi, N), results.c_: WEIGHTED},
        use("loss-change", j=N),
        free=_controls,
        given=fixed(*_controls),
    ),
    inequality(
        "population-fixed",
        sp.Le(_population - WEIGHTED, 0),
        use("risk", vartheta=vartheta),
        use("risk", vartheta=varphi),
        use("mean-over-population"),
        free=_controls,
        given=fixed(*_controls),
    ),
    cited(
        "population-any",
        results.OUTCOME_BY_OUTCOME,
        {results.f_: sp.Lambda(_controls, _population - WEIGHTED)},
        use("population-fixed"),
    ),
    inequality("population", sp.Le(_population, WEIGHTED), use("population-any"), free=_controls),
    cited(
        "mean-over-sample",
        results.MEAN_CHANGE,
        {
            results.f_: sp.Lambda(j, _loss(vartheta, j)),
            results.g_: sp.Lambda(j, _loss(varphi, j)),
            results.c_: WEIGHTED,
            results.k_: N,
        },
        use("loss-change", j=j),
        free=_controls,
    ),
    inequality(
        "sample",
        sp.Le(_sample, WEIGHTED),
        use("empirical-risk", vartheta=vartheta),
        use("empirical-risk", vartheta=varphi),
        use("mean-over-sample"),
        free=_controls,
    ),
    inequality("by-weight", sp.Le(WEIGHTED, _factor * D_exp), free=_controls, given=_near_by_weight),
    inequality(
        "each-depth",
        sp.Le(_weight * _change, _weight * r),
        use("sup-dist", u=u),
        free=(*_controls, u),
        given=(sp.Le(u, T), *_near),
    ),
    cited(
        "depths",
        results.INTEGRAL_MONOTONE,
        {
            results.f_: sp.Lambda(u, _weight * _change),
            results.g_: sp.Lambda(u, _weight * r),
            results.a_: 0,
            results.b_: T,
        },
        use("each-depth", u=u),
        free=_controls,
        given=_near,
    ),
    identity("radius-out", sp.Eq(sp.Integral(_weight * r, (u, 0, T)), r * sp.Integral(_weight, (u, 0, T)))),
    cited("growth", results.EXPONENTIAL_INTEGRAL, {results.c_: b, results.b_: T}),
    inequality(
        "by-sup",
        sp.Le(WEIGHTED, L_J * r),
        use("depths"),
        use("radius-out"),
        use("growth"),
        free=_controls,
        given=_near,
        unfold=(L_J,),
    ),
)


def _measured(what: str, expression: sp.Expr) -> Measured:
    return Measured(f"change of {what} between two controls", expression, "impl.sampling:risk")


_risks = (("population", _measured("the risk", _population)), ("sample", _measured("the empirical risk", _sample)))
THEOREM = Theorem(
    slug="transport/control-continuity",
    title="The risk is Lipschitz in the control",
    source="mfc2026",
    assumptions=(
        H.SAMPLES_BOUNDED,
        H.FIELD_GROWTH,
        H.SCHEDULE_BOUNDED,
        H.CONTROLS_ADMISSIBLE,
        H.FIELD_LIPSCHITZ,
        H.FIELD_LIPSCHITZ_CONTROL,
        H.READOUT_LIPSCHITZ,
        H.BOUNDED_LOGITS,
    ),
    uses=(GRADIENT_BOUND, TRAJECTORY_RANGE),
    facts=FACTS,
    claims=(
        *(
            Claim(name, measured, "<=", L_J * r, (name, "by-sup"), tight=True, free=_controls, given=_near)
            for name, measured in _risks
        ),
        *(
            Claim(
                f"{name}-weighted",
                measured,
                "<=",
                _factor * D_exp,
                (name, "by-weight"),
                tight=True,
                free=_controls,
                given=_near_by_weight,
            )
            for name, measured in _risks
        ),
    ),
    vocabulary=VOCABULARY,
)
