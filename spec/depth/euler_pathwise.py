"""Euler's error along one trajectory: the Transformer against its flow, at every layer."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth.trajectory_range import THEOREM as TRAJECTORY_RANGE
from spec.language.functions import geom, norm, phi1
from spec.language.proof import assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import (
    VOCABULARY, A, F, K, L_c, L_theta, L_x, L_zeta, M, T, X, Xhat, b, eps, k, s, t, theta, u, zeta, zeta_bar,
)  # fmt: skip


def _velocity(depth: sp.Expr) -> sp.Expr:
    return zeta(depth) * F(X(depth), theta(depth))


_depths = (sp.Le(s, t), sp.Le(t, T))
_layer = (sp.Le(k, K - 1),)
_here, _there = k * eps, k * eps + eps
_error, _next = norm(X(_here) - Xhat(k)), norm(X(_there) - Xhat(k + 1))

# What changes in the velocity from depth s to depth t: the schedule, the state, the control.
_by_schedule = (zeta(t) - zeta(s)) * F(X(t), theta(t))
_by_state = zeta(s) * (F(X(t), theta(t)) - F(X(s), theta(t)))
_by_control = zeta(s) * (F(X(s), theta(t)) - F(X(s), theta(s)))

# The next error is the error before it, what the field makes of it, and the truncation.
_truncation = X(_there) - X(_here) - eps * _velocity(_here)
_propagated = eps * zeta(_here) * (F(X(_here), theta(_here)) - F(Xhat(k), theta(_here)))

FACTS = (
    assumed(H.SCHEDULE_BOUNDED),
    assumed(H.SCHEDULE_LIPSCHITZ),
    assumed(H.CONTROL_ADMISSIBLE),
    assumed(H.CONTROL_LIPSCHITZ),
    assumed(H.FIELD_BOUNDED),
    assumed(H.FIELD_LIPSCHITZ),
    assumed(H.FIELD_LIPSCHITZ_CONTROL),
    TRAJECTORY_RANGE.premise("flow-in-range", "flow"),
    TRAJECTORY_RANGE.premise("layers-in-range", "layers"),
    definition("flow", VOCABULARY),
    definition("transformer", VOCABULARY),
    definition("start", VOCABULARY),
    inequality(
        "speed",
        sp.Le(norm(_velocity(u)), zeta_bar * M),
        use("schedule-bounded", t=u),
        use("flow-in-range", t=u),
        use("control-admissible", t=u),
        use("field-bounded", x=X(u), vartheta=theta(u)),
        free=(u,),
        given=(sp.Le(u, T),),
    ),
    cited(
        "distance-integral",
        results.INTEGRAL_BOUND,
        {results.f_: sp.Lambda(u, _velocity(u)), results.g_: sp.Lambda(u, zeta_bar * M), results.a_: s, results.b_: t},
        use("speed", u=u),
        free=(s, t),
        given=_depths,
    ),
    identity(
        "distance-is-integral",
        sp.Eq(norm(X(t) - X(s)), norm(sp.Integral(_velocity(u), (u, s, t)))),
        use("flow", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    identity("distance-value", sp.Eq(sp.Integral(zeta_bar * M, (u, s, t)), zeta_bar * M * (t - s)), free=(s, t)),
    inequality(
        "distance",
        sp.Le(norm(X(t) - X(s)), zeta_bar * M * (t - s)),
        use("distance-integral", s=s, t=t),
        use("distance-is-integral", s=s, t=t),
        use("distance-value", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    cited(
        "velocity-change",
        results.TRIANGLE_3,
        {results.v1_: _by_schedule, results.v2_: _by_state, results.v3_: _by_control},
        free=(s, t),
    ),
    inequality(
        "by-schedule",
        sp.Le(norm(_by_schedule), L_zeta * M * (t - s)),
        use("schedule-lipschitz", s=s, t=t),
        use("flow-in-range", t=t),
        use("control-admissible", t=t),
        use("field-bounded", x=X(t), vartheta=theta(t)),
        free=(s, t),
        given=_depths,
    ),
    inequality(
        "by-state",
        sp.Le(norm(_by_state), zeta_bar**2 * L_x * M * (t - s)),
        use("schedule-bounded", t=s),
        use("flow-in-range", t=t),
        use("flow-in-range", t=s),
        use("control-admissible", t=t),
        use("field-lipschitz", x=X(t), y=X(s), vartheta=theta(t)),
        use("distance", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    inequality(
        "by-control",
        sp.Le(norm(_by_control), zeta_bar * L_theta * L_c * (t - s)),
        use("schedule-bounded", t=s),
        use("flow-in-range", t=s),
        use("control-admissible", t=t),
        use("control-admissible", t=s),
        use("field-lipschitz-control", x=X(s), vartheta=theta(t), varphi=theta(s)),
        use("control-lipschitz", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    inequality(
        "velocity-lipschitz",
        sp.Le(norm(_velocity(t) - _velocity(s)), A * (t - s)),
        use("velocity-change", s=s, t=t),
        use("by-schedule", s=s, t=t),
        use("by-state", s=s, t=t),
        use("by-control", s=s, t=t),
        free=(s, t),
        given=_depths,
        unfold=(A,),
    ),
    cited(
        "truncation-integral",
        results.INTEGRAL_BOUND,
        {
            results.f_: sp.Lambda(u, _velocity(u) - _velocity(s)),
            results.g_: sp.Lambda(u, A * (u - s)),
            results.a_: s,
            results.b_: t,
        },
        use("velocity-lipschitz", s=s, t=u),
        free=(s, t),
        given=_depths,
    ),
    identity(
        "truncation-is-integral",
        sp.Eq(norm(X(t) - X(s) - (t - s) * _velocity(s)), norm(sp.Integral(_velocity(u) - _velocity(s), (u, s, t)))),
        use("flow", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    identity("truncation-value", sp.Eq(sp.Integral(A * (u - s), (u, s, t)), A * (t - s) ** 2 / 2), free=(s, t)),
    inequality("layer-inside", sp.Le(_there, T), free=(k,), given=_layer, unfold=(eps,)),
    inequality(
        "truncation",
        sp.Le(norm(_truncation), A * eps**2 / 2),
        use("layer-inside", k=k),
        use("truncation-integral", s=_here, t=_there),
        use("truncation-is-integral", s=_here, t=_there),
        use("truncation-value", s=_here, t=_there),
        free=(k,),
        given=_layer,
    ),
    inequality(
        "propagation",
        sp.Le(norm(_propagated), eps * b * _error),
        use("layer-inside", k=k),
        use("schedule-bounded", t=_here),
        use("flow-in-range", t=_here),
        use("layers-in-range", k=k),
        use("control-admissible", t=_here),
        use("field-lipschitz", x=X(_here), y=Xhat(k), vartheta=theta(_here)),
        free=(k,),
        given=_layer,
        unfold=(b,),
    ),
    cited(
        "split",
        results.TRIANGLE_3,
        {results.v1_: X(_here) - Xhat(k), results.v2_: _propagated, results.v3_: _truncation},
        free=(k,),
    ),
    identity(
        "decomposition",
        sp.Eq(_next, norm(X(_here) - Xhat(k) + _propagated + _truncation)),
        use("transformer", k=k),
        free=(k,),
        given=_layer,
    ),
    inequality(
        "step",
        sp.Le(_next, (1 + eps * b) * _error + A * eps**2 / 2),
        use("decomposition", k=k),
        use("split", k=k),
        use("propagation", k=k),
        use("truncation", k=k),
        free=(k,),
        given=_layer,
    ),
    cited("geometric-sum", results.GEOMETRIC_STEP, {results.z_: eps * b, results.k_: k}, free=(k,)),
    induction(
        "recursion",
        sp.Le(_error, A * eps**2 / 2 * geom(eps * b, k)),
        k,
        K,
        use("start"),
        use("step", k=k),
        use("geometric-sum", k=k),
    ),
    cited(
        "last-layer",
        results.GEOMETRIC_MONOTONE,
        {results.z_: eps * b, results.k_: k, results.c_: K},
        free=(k,),
        given=(sp.Le(k, K),),
    ),
    inequality(
        "all-layers",
        sp.Le(A * eps**2 / 2 * geom(eps * b, k), A * eps**2 / 2 * geom(eps * b, K)),
        use("last-layer", k=k),
        free=(k,),
        given=(sp.Le(k, K),),
    ),
    cited("exponential", results.GEOMETRIC_EXPONENTIAL, {results.z_: eps * b, results.k_: K}),
    inequality(
        "closed-form",
        sp.Le(A * eps**2 / 2 * geom(eps * b, K), A * T * phi1(b * T) / 2 * eps),
        use("exponential"),
        unfold=(eps,),
    ),
)
_measured = Measured("depth error |X(t_k) − X̂_k|", _error, "impl.flow:depth_error")
THEOREM = Theorem(
    slug="depth/euler-pathwise",
    title="First-order depth error along a trajectory",
    source="mfc2026",
    assumptions=(
        H.INPUTS_BOUNDED, H.FIELD_GROWTH, H.SCHEDULE_BOUNDED, H.SCHEDULE_LIPSCHITZ, H.CONTROL_ADMISSIBLE,
        H.CONTROL_LIPSCHITZ, H.FIELD_BOUNDED, H.FIELD_LIPSCHITZ, H.FIELD_LIPSCHITZ_CONTROL,
    ),  # fmt: skip
    uses=(TRAJECTORY_RANGE,),
    facts=FACTS,
    claims=(
        Claim(
            "recursion", _measured, "<=", A * eps**2 / 2 * geom(eps * b, K), ("recursion", "all-layers"),
            tight=True, free=(k,), given=(sp.Le(k, K),),
        ),
        Claim(
            "closed-form", _measured, "<=", A * T * phi1(b * T) / 2 * eps, ("recursion", "all-layers", "closed-form"),
            tight=True, free=(k,), given=(sp.Le(k, K),),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
