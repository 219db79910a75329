"""How a head of attention moves with each of its four blocks, the others held.

Q and K move the scores, which move the weights, which move the means; V and O act on means that stay.
"""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field._attention_moves import (
    COLUMN,
    HEAD,
    IN_BALL,
    MIXED,
    RADIUS,
    ROW,
    SIDES,
    VALUES,
    mean_facts,
    quotient,
    score_facts,
)
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.language.functions import Entry, inner, norm, token_norm
from spec.language.proof import assumed, cited, definition, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.attention import key, query, score, token, value
from spec.symbols import (
    L_K,
    L_O,
    L_Q,
    L_V,
    VOCABULARY,
    K_alt,
    K_mat,
    O_alt,
    O_mat,
    Q_alt,
    Q_mat,
    R,
    V_alt,
    V_mat,
    h,
    i,
    j,
    omega,
    rho_A,
    rho_OV,
    x,
)

FACTS = (
    assumed(H.VISIBLE_KEY),
    assumed(H.QUERY_BALL),
    assumed(H.KEY_BALL),
    assumed(H.OUTPUT_TOKENS),
    assumed(H.OUTPUT_BALL),
    assumed(H.TRANSFER_BALL),
    ATTENTION_BOUNDED.premise("mean-size", "mixing"),
    ATTENTION_BOUNDED.premise("value-size", "attention"),
    definition("mask", VOCABULARY),
    definition("mixing", VOCABULARY),
    definition("token-size", VOCABULARY),
    definition("longest-token", VOCABULARY),
    definition("longest-index", VOCABULARY),
    definition("token-linear", VOCABULARY),
    definition("query-change", VOCABULARY),
    definition("key-change", VOCABULARY),
    definition("value-change", VOCABULARY),
    definition("output-change", VOCABULARY),
    cited("test", results.CAUCHY_SCHWARZ, {results.v1_: omega, results.v2_: token(x, j)}, free=(x, j, omega)),
    inequality(
        "tested-token",
        sp.Le(sp.Abs(inner(omega, token(x, j))), R * norm(omega)),
        use("test"),
        use("token-size", i=j),
        free=(x, j, omega),
        given=(RADIUS, COLUMN),
    ),
    *(fact for side in SIDES for fact in (*score_facts(side), *mean_facts(side))),
    cited(
        "score-product",
        results.CAUCHY_SCHWARZ,
        {results.v1_: query(Q_mat, token(x, i)), results.v2_: key(K_mat, token(x, j))},
        free=(x, Q_mat, K_mat, i, j),
    ),
    inequality(
        "scores",
        sp.Le(sp.Abs(score(x, Q_mat, K_mat, i, j)), Entry(rho_A, h) * R**2),
        use("score-product"),
        use("key-meets"),
        use("query-meets"),
        free=(x, Q_mat, K_mat, h, i, j),
        given=(RADIUS, IN_BALL[Q_mat], IN_BALL[K_mat], ROW, COLUMN),
        unfold=(rho_A,),
    ),
    inequality(
        "head",
        sp.Le(token_norm(HEAD), Entry(rho_OV, h) * R),
        use("output-tokens", x=VALUES),
        use("value-size"),
        free=(x, Q_mat, K_mat, V_mat, O_mat, h),
        given=(RADIUS, IN_BALL[V_mat], IN_BALL[O_mat]),
        unfold=(rho_OV,),
    ),
    cited("mean-tokens", results.ALL_TOKENS, {results.v1_: MIXED}, free=(x, Q_mat, K_mat)),
    inequality(
        "value",
        sp.Le(quotient(V_mat, V_alt), Entry(L_V, h)),
        use("output-ball", x=VALUES, y=value(V_alt, MIXED)),
        use("value-change", x=MIXED),
        use("mean-tokens"),
        use("mean-size"),
        free=(x, Q_mat, K_mat, V_mat, V_alt, O_mat, h),
        given=(RADIUS, IN_BALL[O_mat], sp.Gt(norm(V_mat - V_alt), 0)),
        unfold=(L_V,),
    ),
    cited("value-tokens", results.ALL_TOKENS, {results.v1_: VALUES}, free=(x, Q_mat, K_mat, V_mat)),
    inequality(
        "output",
        sp.Le(quotient(O_mat, O_alt), Entry(L_O, h)),
        use("output-change", x=VALUES),
        use("value-tokens"),
        use("value-size"),
        free=(x, Q_mat, K_mat, V_mat, O_mat, O_alt, h),
        given=(RADIUS, IN_BALL[V_mat], sp.Gt(norm(O_mat - O_alt), 0)),
        unfold=(L_O,),
    ),
)


def _claim(name: str, moving: sp.Symbol, moved: sp.Symbol, constant: sp.Symbol, *balls: sp.Symbol) -> Claim:
    fact = next(f for f in FACTS if f.name == name)
    return Claim(
        name,
        Measured(f"|ΔF_h| / |Δ{constant.name[2:]}|", quotient(moving, moved), "impl.field.measured:quotient"),
        "<=",
        Entry(constant, h),
        (name,),
        tight=True,
        free=fact.statement.free,
        given=(RADIUS, *(IN_BALL[block] for block in balls), sp.Gt(norm(moving - moved), 0)),
    )


def _size(name: str, meaning: str, computed_by: str) -> Claim:
    statement = next(f for f in FACTS if f.name == name).statement
    measured = Measured(meaning, statement.relation.lhs, f"impl.field.measured:{computed_by}")
    bound = statement.relation.rhs
    return Claim(name, measured, "<=", bound, (name,), tight=True, free=statement.free, given=statement.given)


THEOREM = Theorem(
    slug="field/attention-parameters",
    title="How a head of attention moves with its blocks",
    source="mfc2026",
    assumptions=(
        H.VISIBLE_KEY,
        H.QUERY_BALL,
        H.KEY_BALL,
        H.VALUE_BALL,
        H.OUTPUT_TOKENS,
        H.OUTPUT_BALL,
        H.TRANSFER_BALL,
    ),
    uses=(ATTENTION_BOUNDED,),
    facts=FACTS,
    claims=(
        _claim("query", Q_mat, Q_alt, L_Q, K_mat, V_mat, O_mat),
        _claim("key", K_mat, K_alt, L_K, Q_mat, V_mat, O_mat),
        _claim("value", V_mat, V_alt, L_V, O_mat),
        _claim("output", O_mat, O_alt, L_O, V_mat),
        _size("scores", "a score of head h", "scores"),
        _size("head", "longest token of O_h Attn_h(x)", "longest"),
    ),
    vocabulary=VOCABULARY,
)
