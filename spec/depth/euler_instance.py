"""Euler's error with every layer's own constants: the recursion itself, unrolled, without shared worst cases."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth._layer import ERROR, HERE, LAYER, LAYER_INSIDE, LAYERS, NEXT, PROPAGATED, SPLIT
from spec.depth.trajectory_range import THEOREM as TRAJECTORY_RANGE
from spec.language.functions import Entry, Recurrence, norm
from spec.language.proof import assumed, cited, definition, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.flow import X, Xhat
from spec.symbols import VOCABULARY, K, L_k, e, eps, j, k, tau_k, zeta_k

_step = (1 + eps * Entry(zeta_k, j) * Entry(L_k, j)) * e + Entry(tau_k, j)


def _unrolled(count: sp.Expr) -> sp.Expr:
    return Recurrence(_step, e, j, count, sp.Integer(0))


FACTS = (
    assumed(H.LAYER_SCHEDULE),
    assumed(H.LAYER_LIPSCHITZ),
    assumed(H.LAYER_TRUNCATION),
    TRAJECTORY_RANGE.premise("flow-in-range", "flow"),
    TRAJECTORY_RANGE.premise("layers-in-range", "layers"),
    definition("transformer", VOCABULARY),
    definition("start", VOCABULARY),
    LAYER_INSIDE,
    inequality(
        "propagation",
        sp.Le(norm(PROPAGATED), eps * Entry(zeta_k, k) * Entry(L_k, k) * ERROR),
        use("layer-inside", k=k),
        use("flow-in-range", t=HERE),
        use("layers-in-range", k=k),
        use("layer-schedule", k=k),
        use("layer-lipschitz", x=X(HERE), y=Xhat(k), k=k),
        free=(k,),
        given=LAYER,
    ),
    *SPLIT,
    inequality(
        "step",
        sp.Le(NEXT, _step.xreplace({j: k, e: ERROR})),
        use("decomposition", k=k),
        use("split", k=k),
        use("propagation", k=k),
        use("layer-truncation", k=k),
        free=(k,),
        given=LAYER,
    ),
    cited(
        "next-value",
        results.RECURRENCE_STEP,
        {results.f_: sp.Lambda((e, j), _step), results.a_: sp.Integer(0), results.k_: k},
        free=(k,),
    ),
    induction(
        "recursion",
        sp.Le(ERROR, _unrolled(k)),
        k,
        K,
        use("start"),
        use("step", k=k),
        use("next-value", k=k),
    ),
    cited(
        "all-layers",
        results.RECURRENCE_MONOTONE,
        {results.f_: sp.Lambda((e, j), _step), results.a_: sp.Integer(0), results.k_: k, results.c_: K},
        free=(k,),
        given=LAYERS,
    ),
)
THEOREM = Theorem(
    slug="depth/euler-instance",
    title="Depth error with every layer's own constants",
    source="mfc2026",
    assumptions=(
        H.INPUTS_BOUNDED,
        H.FIELD_GROWTH,
        H.SCHEDULE_BOUNDED,
        H.CONTROL_ADMISSIBLE,
        H.LAYER_SCHEDULE,
        H.LAYER_LIPSCHITZ,
        H.LAYER_TRUNCATION,
    ),
    uses=(TRAJECTORY_RANGE,),
    facts=FACTS,
    claims=(
        Claim(
            "unrolled",
            Measured("depth error |X(t_k) − X̂_k|", ERROR, "impl.flow:depth_error"),
            "<=",
            _unrolled(K),
            ("recursion", "all-layers"),
            tight=True,
            free=(k,),
            given=LAYERS,
        ),
    ),
    vocabulary=VOCABULARY,
)
