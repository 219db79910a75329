"""The flow of any control from any sample stays in K_{R_T}: `trajectory-range`, where several flows are compared."""

import sympy as sp

from spec import results
from spec.language.functions import token_norm
from spec.language.proof import cited, definition, identity, inequality, use
from spec.objects.flow import F, zeta
from spec.objects.risk import flow_of, input_of, value_of
from spec.symbols import R_0, R_T, VOCABULARY, T, Z, g_x, j, m_x, s, t, u, vartheta, zeta_bar

_free, _within = (vartheta, j, t), (sp.Le(t, T),)
_rate = sp.Abs(zeta(u))
_velocity = zeta(u) * F(flow_of(vartheta, j, u), value_of(vartheta, u))
_speed = _rate * (g_x * token_norm(flow_of(vartheta, j, u)) + m_x)
_time = sp.Integral(_rate, (u, 0, t))
_moved = flow_of(vartheta, j, t) - flow_of(vartheta, j, 0)

RANGE = (
    inequality(
        "speed",
        sp.Le(token_norm(_velocity), _speed),
        use("controls-admissible", t=u),
        use("field-growth", x=flow_of(vartheta, j, u), vartheta=value_of(vartheta, u)),
        free=(vartheta, j, u),
        given=(sp.Le(u, T),),
    ),
    cited(
        "path-integral",
        results.TOKEN_INTEGRAL_BOUND,
        {results.f_: sp.Lambda(u, _velocity), results.g_: sp.Lambda(u, _speed), results.a_: 0, results.b_: t},
        use("speed", u=u),
        free=_free,
        given=_within,
    ),
    identity(
        "path-is-integral",
        sp.Eq(token_norm(_moved), token_norm(sp.Integral(_velocity, (u, 0, t)))),
        use("flow-of", s=0, t=t),
        free=_free,
        given=_within,
    ),
    identity(
        "input",
        sp.Eq(token_norm(flow_of(vartheta, j, 0)), token_norm(input_of(j))),
        use("start-of"),
        free=(vartheta, j),
    ),
    cited(
        "from-input", results.TOKEN_TRIANGLE, {results.v1_: flow_of(vartheta, j, 0), results.v2_: _moved}, free=_free
    ),
    inequality(
        "range-integral",
        sp.Le(token_norm(flow_of(vartheta, j, t)), R_0 + sp.Integral(_speed, (u, 0, t))),
        use("samples-bounded"),
        use("input"),
        use("path-integral"),
        use("path-is-integral"),
        use("from-input"),
        free=_free,
        given=_within,
    ),
    cited(
        "range-gronwall",
        results.GRONWALL,
        {
            results.f_: sp.Lambda(u, token_norm(flow_of(vartheta, j, u))),
            results.g_: sp.Lambda(u, _rate),
            results.a_: R_0,
            results.c_: g_x,
            results.m_: m_x,
            results.b_: t,
        },
        use("range-integral", t=s),
        free=_free,
        given=_within,
    ),
    cited(
        "time-integral",
        results.INTEGRAL_MONOTONE,
        {results.f_: sp.Lambda(u, _rate), results.g_: sp.Lambda(u, zeta_bar), results.a_: 0, results.b_: t},
        use("schedule-bounded", t=u),
        free=(t,),
        given=_within,
    ),
    identity("time-value", sp.Eq(sp.Integral(zeta_bar, (u, 0, t)), zeta_bar * t), free=(t,)),
    inequality("time", sp.Le(_time, Z), use("time-integral"), use("time-value"), free=(t,), given=_within, unfold=(Z,)),
    cited(
        "within-time",
        results.GROWTH_MONOTONE,
        {results.a_: R_0, results.c_: g_x, results.m_: m_x, results.z_: _time, results.w_: Z},
        use("time"),
        free=(t,),
        given=_within,
    ),
    definition("R_T", VOCABULARY),
    inequality(
        "flows-in-range",
        sp.Le(token_norm(flow_of(vartheta, j, t)), R_T),
        use("range-gronwall"),
        use("within-time"),
        use("R_T"),
        free=_free,
        given=_within,
    ),
)
