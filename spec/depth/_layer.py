"""What the Euler theorems share: the flow's motion within a layer, and how a layer carries the error on."""

import sympy as sp

from spec import results
from spec.language.functions import norm
from spec.language.proof import cited, identity, inequality, use
from spec.objects.flow import F, X, Xhat, theta, zeta
from spec.symbols import K, L_x, M, T, b, eps, k, s, t, u, zeta_bar

DEPTHS = (sp.Le(s, t), sp.Le(t, T))
LAYER = (sp.Le(k, K - 1),)
LAYERS = (sp.Le(k, K),)
HERE, THERE = k * eps, k * eps + eps
ERROR, NEXT = norm(X(HERE) - Xhat(k)), norm(X(THERE) - Xhat(k + 1))


def velocity(depth: sp.Expr) -> sp.Expr:
    """Return the flow's velocity ζ(t)F(X(t); θ(t))."""
    return zeta(depth) * F(X(depth), theta(depth))


# What changes in the velocity from depth s to depth t: the schedule, the state, the control.
BY_SCHEDULE = (zeta(t) - zeta(s)) * F(X(t), theta(t))
BY_STATE = zeta(s) * (F(X(t), theta(t)) - F(X(s), theta(t)))
BY_CONTROL = zeta(s) * (F(X(s), theta(t)) - F(X(s), theta(s)))

# The next error is the error before it, what the field makes of it, and the truncation.
TRUNCATION = X(THERE) - X(HERE) - eps * velocity(HERE)
PROPAGATED = eps * zeta(HERE) * (F(X(HERE), theta(HERE)) - F(Xhat(k), theta(HERE)))

MOTION = (
    inequality(
        "speed",
        sp.Le(norm(velocity(u)), zeta_bar * M),
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
        {results.f_: sp.Lambda(u, velocity(u)), results.g_: sp.Lambda(u, zeta_bar * M), results.a_: s, results.b_: t},
        use("speed", u=u),
        free=(s, t),
        given=DEPTHS,
    ),
    identity(
        "distance-is-integral",
        sp.Eq(norm(X(t) - X(s)), norm(sp.Integral(velocity(u), (u, s, t)))),
        use("flow", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
    ),
    identity("distance-value", sp.Eq(sp.Integral(zeta_bar * M, (u, s, t)), zeta_bar * M * (t - s)), free=(s, t)),
    inequality(
        "distance",
        sp.Le(norm(X(t) - X(s)), zeta_bar * M * (t - s)),
        use("distance-integral", s=s, t=t),
        use("distance-is-integral", s=s, t=t),
        use("distance-value", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
    ),
    cited(
        "velocity-change",
        results.TRIANGLE_3,
        {results.v1_: BY_SCHEDULE, results.v2_: BY_STATE, results.v3_: BY_CONTROL},
        free=(s, t),
    ),
    inequality(
        "by-state",
        sp.Le(norm(BY_STATE), zeta_bar**2 * L_x * M * (t - s)),
        use("schedule-bounded", t=s),
        use("flow-in-range", t=t),
        use("flow-in-range", t=s),
        use("control-admissible", t=t),
        use("field-lipschitz", x=X(t), y=X(s), vartheta=theta(t)),
        use("distance", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
    ),
    identity(
        "truncation-is-integral",
        sp.Eq(norm(X(t) - X(s) - (t - s) * velocity(s)), norm(sp.Integral(velocity(u) - velocity(s), (u, s, t)))),
        use("flow", s=s, t=t),
        free=(s, t),
        given=DEPTHS,
    ),
)
LAYER_INSIDE = inequality("layer-inside", sp.Le(THERE, T), free=(k,), given=LAYER, unfold=(eps,))
PROPAGATION = inequality(
    "propagation",
    sp.Le(norm(PROPAGATED), eps * b * ERROR),
    use("layer-inside", k=k),
    use("schedule-bounded", t=HERE),
    use("flow-in-range", t=HERE),
    use("layers-in-range", k=k),
    use("control-admissible", t=HERE),
    use("field-lipschitz", x=X(HERE), y=Xhat(k), vartheta=theta(HERE)),
    free=(k,),
    given=LAYER,
    unfold=(b,),
)
SPLIT = (
    cited(
        "split",
        results.TRIANGLE_3,
        {results.v1_: X(HERE) - Xhat(k), results.v2_: PROPAGATED, results.v3_: TRUNCATION},
        free=(k,),
    ),
    identity(
        "decomposition",
        sp.Eq(NEXT, norm(X(HERE) - Xhat(k) + PROPAGATED + TRUNCATION)),
        use("transformer", k=k),
        free=(k,),
        given=LAYER,
    ),
)
