"""Attention is no longer than its longest value."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import Entry, inner, norm, token_norm
from spec.language.proof import assumed, cited, definition, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.attention import longest, mix, token, value, weight
from spec.objects.blocks import ball
from spec.symbols import VOCABULARY, K_mat, Q_mat, R, V_mat, h, i, j, n, omega, rho_V, x

_mixed = mix(x, Q_mat, K_mat)
_size = token_norm(x)
_row = sp.Le(i, n - 1)
_radius = sp.Le(_size, R)
_in_ball = sp.Le(ball(V_mat, h), 1)

FACTS = (
    assumed(H.VISIBLE_KEY),
    assumed(H.VALUE_BALL),
    definition("mask", VOCABULARY),
    definition("mixing", VOCABULARY),
    definition("token-size", VOCABULARY),
    definition("longest-token", VOCABULARY),
    definition("longest-index", VOCABULARY),
    cited("test", results.CAUCHY_SCHWARZ, {results.v1_: omega, results.v2_: token(x, j)}, free=(x, j, omega)),
    inequality(
        "tested-token",
        sp.Le(inner(omega, token(x, j)), _size * norm(omega)),
        use("test", x=x, j=j, omega=omega),
        use("token-size", x=x, i=j),
        free=(x, j, omega),
        given=(sp.Le(j, n - 1),),
    ),
    cited(
        "mean",
        results.WEIGHTED_MEAN,
        {
            results.f_: sp.Lambda(j, weight(x, Q_mat, K_mat, i, j)),
            results.g_: sp.Lambda(j, inner(omega, token(x, j))),
            results.c_: _size * norm(omega),
            results.k_: n,
        },
        use("mask", i=i, j=j),
        use("visible-key", x=x, Q_mat=Q_mat, K_mat=K_mat, i=i),
        use("tested-token", x=x, j=j, omega=omega),
        free=(x, Q_mat, K_mat, i, omega),
        given=(_row,),
    ),
    inequality(
        "tested-row",
        sp.Le(inner(omega, token(_mixed, i)), _size * norm(omega)),
        use("mixing", x=x, Q_mat=Q_mat, K_mat=K_mat, i=i, omega=omega),
        use("mean", x=x, Q_mat=Q_mat, K_mat=K_mat, i=i, omega=omega),
        free=(x, Q_mat, K_mat, i, omega),
        given=(_row,),
    ),
    cited(
        "row",
        results.DUAL_NORM,
        {results.v1_: token(_mixed, i), results.c_: _size},
        use("tested-row", x=x, Q_mat=Q_mat, K_mat=K_mat, i=i, omega=omega),
        free=(x, Q_mat, K_mat, i),
        given=(_row,),
    ),
    inequality(
        "mixing-bounded",
        sp.Le(token_norm(_mixed), _size),
        use("longest-index", x=_mixed),
        use("longest-token", x=_mixed),
        use("row", x=x, Q_mat=Q_mat, K_mat=K_mat, i=longest(_mixed)),
        free=(x, Q_mat, K_mat),
    ),
    inequality(
        "mean-size",
        sp.Le(token_norm(_mixed), R),
        use("mixing-bounded", x=x, Q_mat=Q_mat, K_mat=K_mat),
        free=(x, Q_mat, K_mat),
        given=(_radius,),
    ),
    inequality(
        "attention",
        sp.Le(token_norm(value(V_mat, _mixed)), Entry(rho_V, h) * R),
        use("value-ball", x=_mixed, V_mat=V_mat, h=h),
        use("mean-size", x=x, Q_mat=Q_mat, K_mat=K_mat),
        free=(x, Q_mat, K_mat, V_mat, h),
        given=(_radius, _in_ball),
    ),
)
THEOREM = Theorem(
    slug="field/attention-bounded",
    title="Attention is no longer than its longest value",
    source="mfc2026",
    assumptions=(H.VISIBLE_KEY, H.VALUE_BALL),
    facts=FACTS,
    claims=(
        Claim(
            "attention",
            Measured("longest token of Attn_h(x)", token_norm(value(V_mat, _mixed)), "impl.field.measured:longest"),
            "<=",
            Entry(rho_V, h) * R,
            ("attention",),
            tight=True,
            free=(x, Q_mat, K_mat, V_mat, h),
            given=(_radius, _in_ball),
        ),
        Claim(
            "mixing",
            Measured("longest token of the softmax means", token_norm(_mixed), "impl.field.measured:longest"),
            "<=",
            R,
            ("mean-size",),
            tight=True,
            free=(x, Q_mat, K_mat),
            given=(_radius,),
        ),
    ),
    vocabulary=VOCABULARY,
)
