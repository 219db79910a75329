"""Euler's error for controls and schedules with jumps: jumps cost their variation, but at grid times they are free."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth._layer import (
    BY_CONTROL,
    BY_SCHEDULE,
    ERROR,
    HERE,
    LAYER,
    LAYER_INSIDE,
    LAYERS,
    MOTION,
    NEXT,
    PROPAGATION,
    SPLIT,
    THERE,
    TRUNCATION,
    velocity,
)  # fmt: skip
from spec.depth.trajectory_range import THEOREM as TRAJECTORY_RANGE
from spec.language.functions import Entry, SumOver, geom, norm, phi1
from spec.language.proof import assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.flow import X, theta
from spec.symbols import (
    VOCABULARY,
    A,
    K,
    L_c,
    L_theta,
    L_zeta,
    M,
    T,
    V_theta,
    V_zeta,
    W_theta,
    W_zeta,
    b,
    eps,
    j,
    k,
    s,
    t,
    u,
    zeta_bar,
)

_cell = (*LAYER, sp.Ge(u, HERE), sp.Lt(u, THERE))
_at = {s: HERE, t: u}
_growth = 1 + eps * b


def _jump(layer: sp.Expr) -> sp.Expr:
    """Return what jumps within a layer's cell add to the velocity."""
    return zeta_bar * L_theta * Entry(W_theta, layer) + M * Entry(W_zeta, layer)


def _jumps(count: sp.Expr) -> sp.Expr:
    return SumOver(_jump(j), j, count)


def _bound(count: sp.Expr) -> sp.Expr:
    return eps * _growth ** (count - 1) * _jumps(count) + A * eps**2 / 2 * geom(eps * b, count)


_variation = zeta_bar * L_theta * V_theta + M * V_zeta
_recursion = eps * _growth ** (K - 1) * _variation + A * eps**2 / 2 * geom(eps * b, K)
_closed = (_variation * sp.exp(b * T) + A * T * phi1(b * T) / 2) * eps

FACTS = (
    assumed(H.SCHEDULE_BOUNDED),
    assumed(H.SCHEDULE_VARIATION),
    assumed(H.CONTROL_ADMISSIBLE),
    assumed(H.CONTROL_VARIATION),
    assumed(H.FIELD_BOUNDED),
    assumed(H.FIELD_LIPSCHITZ),
    assumed(H.FIELD_LIPSCHITZ_CONTROL),
    TRAJECTORY_RANGE.premise("flow-in-range", "flow"),
    TRAJECTORY_RANGE.premise("layers-in-range", "layers"),
    definition("flow", VOCABULARY),
    definition("transformer", VOCABULARY),
    definition("start", VOCABULARY),
    definition("schedule-in-cell", VOCABULARY),
    definition("control-in-cell", VOCABULARY),
    *MOTION,
    LAYER_INSIDE,
    inequality(
        "by-schedule",
        sp.Le(norm(BY_SCHEDULE.xreplace(_at)), M * (L_zeta * (u - HERE) + Entry(W_zeta, k))),
        use("layer-inside", k=k),
        use("schedule-in-cell", k=k, u=u),
        use("flow-in-range", t=u),
        use("control-admissible", t=u),
        use("field-bounded", x=X(u), vartheta=theta(u)),
        free=(k, u),
        given=_cell,
    ),
    inequality(
        "by-control",
        sp.Le(norm(BY_CONTROL.xreplace(_at)), zeta_bar * L_theta * (L_c * (u - HERE) + Entry(W_theta, k))),
        use("layer-inside", k=k),
        use("schedule-bounded", t=HERE),
        use("flow-in-range", t=HERE),
        use("control-admissible", t=u),
        use("control-admissible", t=HERE),
        use("field-lipschitz-control", x=X(HERE), vartheta=theta(u), varphi=theta(HERE)),
        use("control-in-cell", k=k, u=u),
        free=(k, u),
        given=_cell,
    ),
    inequality(
        "velocity-in-cell",
        sp.Le(norm(velocity(u) - velocity(HERE)), A * (u - HERE) + _jump(k)),
        use("layer-inside", k=k),
        use("velocity-change", s=HERE, t=u),
        use("by-schedule", k=k, u=u),
        use("by-state", s=HERE, t=u),
        use("by-control", k=k, u=u),
        free=(k, u),
        given=_cell,
        unfold=(A,),
    ),
    cited(
        "truncation-integral",
        results.CELL_INTEGRAL_BOUND,
        {
            results.f_: sp.Lambda(u, velocity(u) - velocity(HERE)),
            results.g_: sp.Lambda(u, A * (u - HERE) + _jump(k)),
            results.a_: HERE,
            results.b_: THERE,
        },
        use("velocity-in-cell", k=k, u=u),
        free=(k,),
        given=LAYER,
    ),
    identity(
        "truncation-value",
        sp.Eq(sp.Integral(A * (u - HERE) + _jump(k), (u, HERE, THERE)), A * eps**2 / 2 + eps * _jump(k)),
        free=(k,),
    ),
    inequality(
        "truncation",
        sp.Le(norm(TRUNCATION), A * eps**2 / 2 + eps * _jump(k)),
        use("layer-inside", k=k),
        use("truncation-integral", k=k),
        use("truncation-is-integral", s=HERE, t=THERE),
        use("truncation-value", k=k),
        free=(k,),
        given=LAYER,
    ),
    PROPAGATION,
    *SPLIT,
    inequality(
        "step",
        sp.Le(NEXT, _growth * ERROR + A * eps**2 / 2 + eps * _jump(k)),
        use("decomposition", k=k),
        use("split", k=k),
        use("propagation", k=k),
        use("truncation", k=k),
        free=(k,),
        given=LAYER,
    ),
    cited("geometric-sum", results.GEOMETRIC_STEP, {results.z_: eps * b, results.k_: k}, free=(k,)),
    cited("next-sum", results.SUM_STEP, {results.f_: sp.Lambda(j, _jump(j)), results.k_: k}, free=(k,)),
    cited("next-power", results.POWER_STEP, {results.z_: eps * b, results.k_: k - 1}, free=(k,)),
    cited(
        "no-decay", results.POWER_MONOTONE, {results.z_: eps * b, results.k_: sp.Integer(0), results.c_: k}, free=(k,)
    ),
    inequality("new-jump", sp.Le(eps * _jump(k), eps * _growth**k * _jump(k)), use("no-decay", k=k), free=(k,)),
    induction(
        "recursion",
        sp.Le(ERROR, _bound(k)),
        k,
        K,
        use("start"),
        use("step", k=k),
        use("geometric-sum", k=k),
        use("next-sum", k=k),
        use("next-power", k=k),
        use("new-jump", k=k),
    ),
    cited(
        "all-jumps",
        results.SUM_MONOTONE,
        {results.f_: sp.Lambda(j, _jump(j)), results.k_: k, results.c_: K},
        free=(k,),
        given=LAYERS,
    ),
    cited(
        "last-power",
        results.POWER_MONOTONE,
        {results.z_: eps * b, results.k_: k - 1, results.c_: K - 1},
        free=(k,),
        given=LAYERS,
    ),
    cited(
        "last-layer",
        results.GEOMETRIC_MONOTONE,
        {results.z_: eps * b, results.k_: k, results.c_: K},
        free=(k,),
        given=LAYERS,
    ),
    inequality(
        "all-layers",
        sp.Le(_bound(k), _bound(K)),
        use("all-jumps", k=k),
        use("last-power", k=k),
        use("last-layer", k=k),
        free=(k,),
        given=LAYERS,
    ),
    cited(
        "sum-of-jumps",
        results.SUM_LINEAR,
        {
            results.f_: sp.Lambda(j, Entry(W_theta, j)),
            results.g_: sp.Lambda(j, Entry(W_zeta, j)),
            results.a_: zeta_bar * L_theta,
            results.b_: M,
            results.k_: K,
        },
    ),
    inequality(
        "variation",
        sp.Le(_jumps(K), _variation),
        use("sum-of-jumps"),
        use("control-bounded-variation"),
        use("schedule-bounded-variation"),
    ),
    inequality("by-variation", sp.Le(_bound(K), _recursion), use("variation")),
    cited("exponential", results.GEOMETRIC_EXPONENTIAL, {results.z_: eps * b, results.k_: K}),
    cited("one-power-more", results.POWER_MONOTONE, {results.z_: eps * b, results.k_: K - 1, results.c_: K}),
    cited("power", results.POWER_EXPONENTIAL, {results.z_: eps * b, results.k_: K}),
    inequality(
        "closed-form",
        sp.Le(_recursion, _closed),
        use("exponential"),
        use("one-power-more"),
        use("power"),
        unfold=(eps,),
    ),
)
_measured = Measured("depth error |X(t_k) − X̂_k|", ERROR, "impl.flow:depth_error")
THEOREM = Theorem(
    slug="depth/euler-bounded-variation",
    title="First-order depth error for controls and schedules with jumps",
    source="mfc2026",
    assumptions=(
        H.INPUTS_BOUNDED, H.FIELD_GROWTH, H.SCHEDULE_BOUNDED, H.SCHEDULE_VARIATION, H.CONTROL_ADMISSIBLE,
        H.CONTROL_VARIATION, H.FIELD_BOUNDED, H.FIELD_LIPSCHITZ, H.FIELD_LIPSCHITZ_CONTROL,
    ),
    uses=(TRAJECTORY_RANGE,),
    facts=FACTS,
    claims=(
        Claim(
            "recursion", _measured, "<=", _recursion, ("recursion", "all-layers", "by-variation"),
            tight=True, free=(k,), given=LAYERS,
        ),
        Claim(
            "closed-form", _measured, "<=", _closed, ("recursion", "all-layers", "by-variation", "closed-form"),
            tight=True, free=(k,), given=LAYERS,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
