"""How a head of attention moves with each of its four blocks, the others held.

Q and K move the scores, which move the weights, which move the means; V and O act on means that stay.
"""

from typing import NamedTuple

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.language.functions import Entry, Ratio, inner, norm, token_norm
from spec.language.proof import Fact, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
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
    ball,
    d_k,
    h,
    i,
    j,
    key,
    longest,
    mix,
    n,
    omega,
    output,
    query,
    rho_K,
    rho_Q,
    score,
    token,
    value,
    visible,
    x,
)


class _Side(NamedTuple):
    """Q or K: the block that moves, what it meets in a score, and the constant that comes out."""

    name: str
    moving: sp.Symbol
    moved: sp.Symbol
    held: sp.Symbol
    action: sp.Function
    meets: sp.Function
    token: sp.Symbol
    met: sp.Symbol
    ball: str
    radius: sp.Symbol
    constant: sp.Symbol

    @property
    def pairs(self) -> tuple[tuple[sp.Symbol, sp.Symbol], tuple[sp.Symbol, sp.Symbol]]:
        """(Q, K) before and after."""
        before = (Q_mat, K_mat)
        return before, tuple(self.moved if block == self.moving else block for block in before)


_radius, _row, _column = sp.Le(token_norm(x), R), sp.Le(i, n - 1), sp.Le(j, n - 1)
_in_ball = {block: sp.Le(ball(block, h), 1) for block in (Q_mat, K_mat, V_mat, O_mat)}
_mixed = mix(x, Q_mat, K_mat)
_values = value(V_mat, _mixed)
_head = output(O_mat, _values)
_SIDES = (
    _Side("query", Q_mat, Q_alt, K_mat, query, key, i, j, "key-ball", rho_K, L_Q),
    _Side("key", K_mat, K_alt, Q_mat, key, query, j, i, "query-ball", rho_Q, L_K),
)


def _scores(side: _Side) -> tuple[Fact, ...]:
    """Return the steps to: scores move by at most |ΔQ| ρ_K R²/√d_k."""
    step = norm(side.moving - side.moved)
    moves = side.action(side.moving, token(x, side.token)) - side.action(side.moved, token(x, side.token))
    met = side.meets(side.held, token(x, side.met))
    before, after = (score(x, *pair, i, j) for pair in side.pairs)
    blocks = (side.moving, side.moved, side.held)
    return (
        inequality(
            f"{side.name}-moves",
            sp.Le(norm(moves), step * R),
            use(f"{side.name}-change", x=token(x, side.token)),
            use("token-size", i=side.token),
            free=(x, side.moving, side.moved, side.token),
            given=(_radius, sp.Le(side.token, n - 1)),
        ),
        inequality(
            f"{side.name}-meets",
            sp.Le(norm(met), Entry(side.radius, h) * R),
            use(side.ball, x=token(x, side.met)),
            use("token-size", i=side.met),
            free=(x, side.held, side.met, h),
            given=(_radius, _in_ball[side.held], sp.Le(side.met, n - 1)),
        ),
        cited(
            f"{side.name}-product",
            results.CAUCHY_SCHWARZ,
            {results.v1_: moves, results.v2_: met},
            free=(x, *blocks, i, j),
        ),
        identity(
            f"{side.name}-score", sp.Eq(before - after, inner(moves, met) / sp.sqrt(d_k)), free=(x, *blocks, i, j)
        ),
        inequality(
            f"{side.name}-scores",
            sp.Le(sp.Abs(before - after), _shift(side)),
            use(f"{side.name}-score"),
            use(f"{side.name}-product"),
            use(f"{side.name}-moves"),
            use(f"{side.name}-meets"),
            free=(x, *blocks, h, i, j),
            given=(_radius, _in_ball[side.held], _row, _column),
        ),
    )


def _shift(side: _Side) -> sp.Expr:
    return norm(side.moving - side.moved) * Entry(side.radius, h) * R**2 / sp.sqrt(d_k)


def _means(side: _Side) -> tuple[Fact, ...]:
    """Return the steps to: means move by at most R times what scores move by, token by token, the head with them."""
    before, after = side.pairs
    means = tuple(mix(x, *pair) for pair in side.pairs)
    rows = tuple(token(mean, i) for mean in means)
    change = means[0] - means[1]
    free = (x, side.moving, side.moved, side.held, h)
    given = (_radius, _in_ball[side.held])
    new = dict(zip(("Q_mat", "K_mat"), after, strict=True))
    return (
        cited(
            f"{side.name}-means",
            results.SOFTMAX_CHANGE,
            {
                results.p_: sp.Lambda(j, visible(i, j)),
                results.f_: sp.Lambda(j, score(x, *before, i, j)),
                results.g_: sp.Lambda(j, score(x, *after, i, j)),
                results.q_: sp.Lambda(j, inner(omega, token(x, j))),
                results.a_: R * norm(omega),
                results.c_: _shift(side),
                results.k_: n,
            },
            use("mask"),
            use("visible-key"),
            use(f"{side.name}-scores"),
            use("tested-token"),
            free=(*free, i, omega),
            given=(*given, _row),
        ),
        identity(
            f"{side.name}-row",
            sp.Eq(inner(omega, rows[0] - rows[1]), inner(omega, rows[0]) - inner(omega, rows[1])),
            free=(*free[:-1], i, omega),
        ),
        inequality(
            f"{side.name}-tested",
            sp.Le(inner(omega, rows[0] - rows[1]), _shift(side) * R * norm(omega)),
            use("mixing"),
            use("mixing", **new),
            use(f"{side.name}-row"),
            use(f"{side.name}-means"),
            free=(*free, i, omega),
            given=(*given, _row),
        ),
        cited(
            f"{side.name}-token",
            results.DUAL_NORM,
            {results.v1_: rows[0] - rows[1], results.c_: _shift(side) * R},
            use(f"{side.name}-tested"),
            free=(*free, i),
            given=(*given, _row),
        ),
        inequality(
            f"{side.name}-mixing",
            sp.Le(token_norm(change), _shift(side) * R),
            use("longest-index", x=change),
            use("longest-token", x=change),
            use("token-linear", x=means[0], y=means[1], i=longest(change)),
            use(f"{side.name}-token", i=longest(change)),
            free=free,
            given=given,
        ),
        cited(f"{side.name}-tokens", results.ALL_TOKENS, {results.v1_: change}, free=free[:-1]),
        inequality(
            side.name,
            sp.Le(_quotient(side.moving, side.moved), Entry(side.constant, h)),
            use("transfer-ball", x=means[0], y=means[1]),
            use(f"{side.name}-tokens"),
            use(f"{side.name}-mixing"),
            free=(*free, V_mat, O_mat),
            given=(*given, _in_ball[V_mat], _in_ball[O_mat], sp.Gt(norm(side.moving - side.moved), 0)),
            unfold=(side.constant,),
        ),
    )


def _quotient(moving: sp.Symbol, moved: sp.Symbol) -> sp.Expr:
    """Return |ΔF| / |Δblock|."""
    return Ratio(norm(_head - _head.xreplace({moving: moved})), norm(moving - moved))


FACTS = (
    assumed(H.VISIBLE_KEY),
    assumed(H.QUERY_BALL),
    assumed(H.KEY_BALL),
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
        given=(_radius, _column),
    ),
    *(fact for side in _SIDES for fact in (*_scores(side), *_means(side))),
    cited("mean-tokens", results.ALL_TOKENS, {results.v1_: _mixed}, free=(x, Q_mat, K_mat)),
    inequality(
        "value",
        sp.Le(_quotient(V_mat, V_alt), Entry(L_V, h)),
        use("output-ball", x=_values, y=value(V_alt, _mixed)),
        use("value-change", x=_mixed),
        use("mean-tokens"),
        use("mean-size"),
        free=(x, Q_mat, K_mat, V_mat, V_alt, O_mat, h),
        given=(_radius, _in_ball[O_mat], sp.Gt(norm(V_mat - V_alt), 0)),
        unfold=(L_V,),
    ),
    cited("value-tokens", results.ALL_TOKENS, {results.v1_: _values}, free=(x, Q_mat, K_mat, V_mat)),
    inequality(
        "output",
        sp.Le(_quotient(O_mat, O_alt), Entry(L_O, h)),
        use("output-change", x=_values),
        use("value-tokens"),
        use("value-size"),
        free=(x, Q_mat, K_mat, V_mat, O_mat, O_alt, h),
        given=(_radius, _in_ball[V_mat], sp.Gt(norm(O_mat - O_alt), 0)),
        unfold=(L_O,),
    ),
)


def _claim(name: str, moving: sp.Symbol, moved: sp.Symbol, constant: sp.Symbol, *balls: sp.Symbol) -> Claim:
    fact = next(f for f in FACTS if f.name == name)
    return Claim(
        name,
        Measured(f"|ΔF_h| / |Δ{constant.name[2:]}|", _quotient(moving, moved), "impl.field.measured:quotient"),
        "<=",
        Entry(constant, h),
        (name,),
        tight=True,
        free=fact.statement.free,
        given=(_radius, *(_in_ball[block] for block in balls), sp.Gt(norm(moving - moved), 0)),
    )


THEOREM = Theorem(
    slug="field/attention-parameters",
    title="How a head of attention moves with its blocks",
    source="mfc2026",
    assumptions=(H.VISIBLE_KEY, H.QUERY_BALL, H.KEY_BALL, H.VALUE_BALL, H.OUTPUT_BALL, H.TRANSFER_BALL),
    uses=(ATTENTION_BOUNDED,),
    facts=FACTS,
    claims=(
        _claim("query", Q_mat, Q_alt, L_Q, K_mat, V_mat, O_mat),
        _claim("key", K_mat, K_alt, L_K, Q_mat, V_mat, O_mat),
        _claim("value", V_mat, V_alt, L_V, O_mat),
        _claim("output", O_mat, O_alt, L_O, V_mat),
    ),
    vocabulary=VOCABULARY,
)
