"""How softmax means, and the head with them, move with Q and with K: the steps are the same for both."""

from typing import NamedTuple

import sympy as sp

from spec import results
from spec.language.functions import Entry, Ratio, inner, norm, token_norm
from spec.language.proof import Fact, cited, identity, inequality, use
from spec.objects.attention import key, longest, mix, output, query, score, token, value, visible
from spec.objects.blocks import ball
from spec.symbols import L_K, L_Q, K_alt, K_mat, O_mat, Q_alt, Q_mat, R, V_mat, d_k, h, i, j, n, omega, rho_K, rho_Q, x


class Side(NamedTuple):
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


RADIUS, ROW, COLUMN = sp.Le(token_norm(x), R), sp.Le(i, n - 1), sp.Le(j, n - 1)
IN_BALL = {block: sp.Le(ball(block, h), 1) for block in (Q_mat, K_mat, V_mat, O_mat)}
MIXED = mix(x, Q_mat, K_mat)
VALUES = value(V_mat, MIXED)
HEAD = output(O_mat, VALUES)
SIDES = (
    Side("query", Q_mat, Q_alt, K_mat, query, key, i, j, "key-ball", rho_K, L_Q),
    Side("key", K_mat, K_alt, Q_mat, key, query, j, i, "query-ball", rho_Q, L_K),
)


def score_facts(side: Side) -> tuple[Fact, ...]:
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
            given=(RADIUS, sp.Le(side.token, n - 1)),
        ),
        inequality(
            f"{side.name}-meets",
            sp.Le(norm(met), Entry(side.radius, h) * R),
            use(side.ball, x=token(x, side.met)),
            use("token-size", i=side.met),
            free=(x, side.held, side.met, h),
            given=(RADIUS, IN_BALL[side.held], sp.Le(side.met, n - 1)),
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
            given=(RADIUS, IN_BALL[side.held], ROW, COLUMN),
        ),
    )


def _shift(side: Side) -> sp.Expr:
    return norm(side.moving - side.moved) * Entry(side.radius, h) * R**2 / sp.sqrt(d_k)


def mean_facts(side: Side) -> tuple[Fact, ...]:
    """Return the steps to: means move by at most R times what scores move by, token by token, the head with them."""
    before, after = side.pairs
    means = tuple(mix(x, *pair) for pair in side.pairs)
    rows = tuple(token(mean, i) for mean in means)
    change = means[0] - means[1]
    free = (x, side.moving, side.moved, side.held, h)
    given = (RADIUS, IN_BALL[side.held])
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
            use("visible-key", Q_mat=after[0], K_mat=after[1]),
            use(f"{side.name}-scores"),
            use("tested-token"),
            free=(*free, i, omega),
            given=(*given, ROW),
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
            given=(*given, ROW),
        ),
        cited(
            f"{side.name}-token",
            results.DUAL_NORM,
            {results.v1_: rows[0] - rows[1], results.c_: _shift(side) * R},
            use(f"{side.name}-tested"),
            free=(*free, i),
            given=(*given, ROW),
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
            sp.Le(quotient(side.moving, side.moved), Entry(side.constant, h)),
            use("transfer-ball", x=means[0], y=means[1]),
            use(f"{side.name}-tokens"),
            use(f"{side.name}-mixing"),
            free=(*free, V_mat, O_mat),
            given=(*given, IN_BALL[V_mat], IN_BALL[O_mat], sp.Gt(norm(side.moving - side.moved), 0)),
            unfold=(side.constant,),
        ),
    )


def quotient(moving: sp.Symbol, moved: sp.Symbol) -> sp.Expr:
    """Return |ΔF| / |Δblock|."""
    return Ratio(norm(HEAD - HEAD.xreplace({moving: moved})), norm(moving - moved))
