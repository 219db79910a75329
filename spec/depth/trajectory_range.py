"""Flow and Transformer stay in a compact set, derived from the field's growth: there all constants are taken."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import SumOver, token_norm
from spec.language.proof import assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.flow import F, X, Xhat, theta, zeta
from spec.results import grown
from spec.symbols import R_0, R_T, VOCABULARY, K, T, Z, eps, g_x, j, k, m_x, s, t, u, zeta_bar


def _radius(time: sp.Expr) -> sp.Expr:
    return grown(R_0, g_x, m_x, time)


def _rate(depth: sp.Expr) -> sp.Expr:
    return sp.Abs(zeta(depth))


def _velocity(depth: sp.Expr) -> sp.Expr:
    return zeta(depth) * F(X(depth), theta(depth))


_inside = (sp.Le(t, T),)
_layer = (sp.Le(k, K - 1),)
_here = k * eps
_increment = eps * zeta(_here) * F(Xhat(k), theta(_here))
_speed = _rate(u) * (g_x * token_norm(X(u)) + m_x)

# The time that has passed at depth t of the flow, and before layer k.
_time = sp.Integral(_rate(u), (u, 0, t))
_layered_sum = SumOver(_rate(j * eps), j, k)
_layered_time = eps * _layered_sum

FACTS = (
    assumed(H.INPUTS_BOUNDED),
    assumed(H.FIELD_GROWTH),
    assumed(H.SCHEDULE_BOUNDED),
    assumed(H.CONTROL_ADMISSIBLE),
    definition("flow", VOCABULARY),
    definition("transformer", VOCABULARY),
    definition("start", VOCABULARY),
    inequality(
        "speed",
        sp.Le(token_norm(_velocity(u)), _speed),
        use("control-admissible", t=u),
        use("field-growth", x=X(u), vartheta=theta(u)),
        free=(u,),
        given=(sp.Le(u, T),),
    ),
    cited(
        "path-integral",
        results.TOKEN_INTEGRAL_BOUND,
        {results.f_: sp.Lambda(u, _velocity(u)), results.g_: sp.Lambda(u, _speed), results.a_: 0, results.b_: t},
        use("speed", u=u),
        free=(t,),
        given=_inside,
    ),
    identity(
        "path-is-integral",
        sp.Eq(token_norm(X(t) - X(0)), token_norm(sp.Integral(_velocity(u), (u, 0, t)))),
        use("flow", s=0, t=t),
        free=(t,),
        given=_inside,
    ),
    cited("from-input", results.TOKEN_TRIANGLE, {results.v1_: X(0), results.v2_: X(t) - X(0)}, free=(t,)),
    inequality(
        "integral-form",
        sp.Le(token_norm(X(t)), R_0 + sp.Integral(_speed, (u, 0, t))),
        use("inputs-bounded"),
        use("path-integral", t=t),
        use("path-is-integral", t=t),
        use("from-input", t=t),
        free=(t,),
        given=_inside,
    ),
    cited(
        "gronwall",
        results.GRONWALL,
        {
            results.f_: sp.Lambda(u, token_norm(X(u))),
            results.g_: sp.Lambda(u, _rate(u)),
            results.a_: R_0,
            results.c_: g_x,
            results.m_: m_x,
            results.b_: t,
        },
        use("integral-form", t=s),
        free=(t,),
        given=_inside,
    ),
    cited(
        "time-integral",
        results.INTEGRAL_MONOTONE,
        {results.f_: sp.Lambda(u, _rate(u)), results.g_: sp.Lambda(u, zeta_bar), results.a_: 0, results.b_: t},
        use("schedule-bounded", t=u),
        free=(t,),
        given=_inside,
    ),
    identity("time-value", sp.Eq(sp.Integral(zeta_bar, (u, 0, t)), zeta_bar * t), free=(t,)),
    inequality(
        "time",
        sp.Le(_time, Z),
        use("time-integral", t=t),
        use("time-value", t=t),
        free=(t,),
        given=_inside,
        unfold=(Z,),
    ),
    cited(
        "flow-within-time",
        results.GROWTH_MONOTONE,
        {results.a_: R_0, results.c_: g_x, results.m_: m_x, results.z_: _time, results.w_: Z},
        use("time", t=t),
        free=(t,),
        given=_inside,
    ),
    inequality("layer-inside", sp.Le(_here, T), free=(k,), given=_layer, unfold=(eps,)),
    identity(
        "layer",
        sp.Eq(token_norm(Xhat(k + 1)), token_norm(Xhat(k) + _increment)),
        use("transformer", k=k),
        free=(k,),
        given=_layer,
    ),
    cited("split", results.TOKEN_TRIANGLE, {results.v1_: Xhat(k), results.v2_: _increment}, free=(k,)),
    inequality(
        "step",
        sp.Le(token_norm(Xhat(k + 1)), (1 + g_x * eps * _rate(_here)) * token_norm(Xhat(k)) + m_x * eps * _rate(_here)),
        use("layer-inside", k=k),
        use("control-admissible", t=_here),
        use("field-growth", x=Xhat(k), vartheta=theta(_here)),
        use("layer", k=k),
        use("split", k=k),
        free=(k,),
        given=_layer,
    ),
    cited("next-sum", results.SUM_STEP, {results.f_: sp.Lambda(j, _rate(j * eps)), results.k_: k}, free=(k,)),
    cited(
        "growth",
        results.GROWTH_STEP,
        {
            results.a_: R_0,
            results.c_: g_x,
            results.m_: m_x,
            results.z_: _layered_time,
            results.w_: eps * _rate(_here),
            results.b_: _layered_time.xreplace({k: k + 1}),
        },
        use("next-sum", k=k),
        free=(k,),
    ),
    cited("start-token", results.TOKEN_BELOW_FROBENIUS, {results.v1_: Xhat(0) - X(0)}),
    cited("start-split", results.TOKEN_TRIANGLE, {results.v1_: X(0), results.v2_: Xhat(0) - X(0)}),
    inequality(
        "first-layer",
        sp.Le(token_norm(Xhat(0)), R_0),
        use("inputs-bounded"),
        use("start"),
        use("start-token"),
        use("start-split"),
    ),
    induction(
        "recursion",
        sp.Le(token_norm(Xhat(k)), _radius(_layered_time)),
        k,
        K,
        use("first-layer"),
        use("step", k=k),
        use("growth", k=k),
    ),
    cited(
        "layered-time-sum",
        results.SUM_BOUND,
        {results.f_: sp.Lambda(j, _rate(j * eps)), results.c_: zeta_bar, results.k_: k},
        use("layer-inside", k=j),
        use("schedule-bounded", t=j * eps),
        free=(k,),
        given=(sp.Le(k, K),),
    ),
    inequality(
        "layered-time",
        sp.Le(_layered_time, Z),
        use("layered-time-sum", k=k),
        free=(k,),
        given=(sp.Le(k, K),),
        unfold=(eps, Z),
    ),
    cited(
        "layers-within-time",
        results.GROWTH_MONOTONE,
        {results.a_: R_0, results.c_: g_x, results.m_: m_x, results.z_: _layered_time, results.w_: Z},
        use("layered-time", k=k),
        free=(k,),
        given=(sp.Le(k, K),),
    ),
    definition("R_T", VOCABULARY),
)
THEOREM = Theorem(
    slug="depth/trajectory-range",
    title="Trajectories stay in a compact set",
    source="mfc2026",
    assumptions=(H.INPUTS_BOUNDED, H.FIELD_GROWTH, H.SCHEDULE_BOUNDED, H.CONTROL_ADMISSIBLE),
    facts=FACTS,
    claims=(
        Claim(
            "flow",
            Measured("largest token norm of the flow |X(t)|_tok", token_norm(X(t)), "impl.flow:reference_flow"),
            "<=",
            R_T,
            ("gronwall", "flow-within-time", "R_T"),
            tight=True,
            free=(t,),
            given=_inside,
        ),
        Claim(
            "layers",
            Measured("largest token norm of the layers |X̂_k|_tok", token_norm(Xhat(k)), "impl.flow:transformer"),
            "<=",
            R_T,
            ("recursion", "layers-within-time", "R_T"),
            tight=True,
            free=(k,),
            given=(sp.Le(k, K),),
        ),
    ),
    vocabulary=VOCABULARY,
)
