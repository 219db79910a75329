"""Euler's error along one trajectory: the Transformer against its flow, at every layer."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth._layer import (
    BY_CONTROL,
    BY_SCHEDULE,
    DEPTHS,
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
from spec.language.functions import Ratio, geom, norm, phi1
from spec.language.proof import assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.flow import X, theta
from spec.symbols import VOCABULARY, A, K, L_c, L_theta, L_zeta, M, T, b, eps, k, s, t, u, zeta_bar

_apart = (sp.Lt(s, t), sp.Le(t, T))

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
    *MOTION,
    inequality(
        "by-schedule",
        sp.Le(norm(BY_SCHEDULE), L_zeta * M * (t - s)),
        use("schedule-lipschitz", s=s, t=t),
        use("flow-in-range", t=t),
        use("control-admissible", t=t),
        use("field-bounded", x=X(t), vartheta=theta(t)),
        free=(s, t),
        given=DEPTHS,
    ),
    inequality(
        "by-control",
        sp.Le(norm(BY_CONTROL), zeta_bar * L_theta * L_c * (t - s)),
        use("schedule-bounded", t=s),
        use("flow-in-range", t=s),
        use("control-admissible", t=t),
        use("control-admissible", t=s),
        use("field-lipschitz-control", x=X(s), vartheta=theta(t), varphi=theta(s)),
        use("control-lipschitz", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
    ),
    inequality(
        "velocity-lipschitz",
        sp.Le(norm(velocity(t) - velocity(s)), A * (t - s)),
        use("velocity-change", s=s, t=t),
        use("by-schedule", s=s, t=t),
        use("by-state", s=s, t=t),
        use("by-control", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
        unfold=(A,),
    ),
    inequality(
        "velocity",
        sp.Le(Ratio(norm(velocity(t) - velocity(s)), t - s), A),
        use("velocity-lipschitz", s=s, t=t),
        free=(s, t),
        given=_apart,
    ),
    cited(
        "truncation-integral",
        results.INTEGRAL_BOUND,
        {
            results.f_: sp.Lambda(u, velocity(u) - velocity(s)),
            results.g_: sp.Lambda(u, A * (u - s)),
            results.a_: s,
            results.b_: t,
        },
        use("velocity-lipschitz", s=s, t=u),
        free=(s, t),
        given=DEPTHS,
    ),
    identity("truncation-value", sp.Eq(sp.Integral(A * (u - s), (u, s, t)), A * (t - s) ** 2 / 2), free=(s, t)),
    LAYER_INSIDE,
    inequality(
        "truncation",
        sp.Le(norm(TRUNCATION), A * eps**2 / 2),
        use("layer-inside", k=k),
        use("truncation-integral", s=HERE, t=THERE),
        use("truncation-is-integral", s=HERE, t=THERE),
        use("truncation-value", s=HERE, t=THERE),
        free=(k,),
        given=LAYER,
    ),
    PROPAGATION,
    *SPLIT,
    inequality(
        "step",
        sp.Le(NEXT, (1 + eps * b) * ERROR + A * eps**2 / 2),
        use("decomposition", k=k),
        use("split", k=k),
        use("propagation", k=k),
        use("truncation", k=k),
        free=(k,),
        given=LAYER,
    ),
    cited("geometric-sum", results.GEOMETRIC_STEP, {results.z_: eps * b, results.k_: k}, free=(k,)),
    induction(
        "recursion",
        sp.Le(ERROR, A * eps**2 / 2 * geom(eps * b, k)),
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
        given=LAYERS,
    ),
    inequality(
        "all-layers",
        sp.Le(A * eps**2 / 2 * geom(eps * b, k), A * eps**2 / 2 * geom(eps * b, K)),
        use("last-layer", k=k),
        free=(k,),
        given=LAYERS,
    ),
    cited("exponential", results.GEOMETRIC_EXPONENTIAL, {results.z_: eps * b, results.k_: K}),
    inequality(
        "closed-form",
        sp.Le(A * eps**2 / 2 * geom(eps * b, K), A * T * phi1(b * T) / 2 * eps),
        use("exponential"),
        unfold=(eps,),
    ),
)
_measured = Measured("depth error |X(t_k) − X̂_k|", ERROR, "impl.flow:depth_error")
THEOREM = Theorem(
    slug="depth/euler-pathwise",
    title="First-order depth error along a trajectory",
    source="mfc2026",
    assumptions=(
        H.INPUTS_BOUNDED, H.FIELD_GROWTH, H.SCHEDULE_BOUNDED, H.SCHEDULE_LIPSCHITZ, H.CONTROL_ADMISSIBLE,
        H.CONTROL_LIPSCHITZ, H.FIELD_BOUNDED, H.FIELD_LIPSCHITZ, H.FIELD_LIPSCHITZ_CONTROL,
    ),
    uses=(TRAJECTORY_RANGE,),
    facts=FACTS,
    claims=(
        Claim(
            "recursion", _measured, "<=", A * eps**2 / 2 * geom(eps * b, K), ("recursion", "all-layers"),
            tight=True, free=(k,), given=LAYERS,
        ),
        Claim(
            "closed-form", _measured, "<=", A * T * phi1(b * T) / 2 * eps, ("recursion", "all-layers", "closed-form"),
            tight=True, free=(k,), given=LAYERS,
        ),
        Claim(
            "velocity",
            Measured(
                "change of the velocity with depth |v(t) − v(s)|/(t − s), v = ζF(X; θ)",
                Ratio(norm(velocity(t) - velocity(s)), t - s),
                "impl.flow:reference_flow",
            ),
            "<=", A, ("velocity",), tight=True, free=(s, t), given=_apart,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
