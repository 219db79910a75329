"""One row of the softmax means: what its derivative is made of, and how far each token can move it.

With P the weights, m their mean of the tokens x_j, u = KᵀQ x_i/√d_k and a unit vector ω, t_j = ⟨ω, x_j − m⟩:
⟨ω, row i of the derivative⟩ ≤ s|Δ_i| + Σ_j v_j|Δ_j|, v_j = P_j |ω + t_j u|.
"""

from typing import Any, TypeAlias

import sympy as sp

from spec import results
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.language.functions import Entry, SumOver, Unit, inner, norm, token_norm
from spec.language.proof import Fact, Use, cited, definition, identity, inequality, use
from spec.objects.attention import attends, mix, mix_slope, reach_of, score_slope, sought, token, weight
from spec.objects.blocks import ball
from spec.symbols import VOCABULARY, K_mat, Q_mat, R, direction, h, i, j, k_A, n, omega, rho_A, s_A, sigma_A, x

Scalar: TypeAlias = "sp.Expr | int"
Terms: TypeAlias = "tuple[tuple[Scalar, Scalar], ...]"

ROW, KEY = sp.Le(i, n - 1), sp.Le(j, n - 1)
IN_BALLS = (sp.Le(token_norm(x), R), sp.Le(ball(Q_mat, h), 1), sp.Le(ball(K_mat, h), 1))
_unit = sp.Eq(norm(omega), 1)
_free, _means, _here = (x, Q_mat, K_mat, i), (x, Q_mat, K_mat, i, omega), (sp.Le(token_norm(x), R), ROW, _unit)
_whole = (*_means, h), (*IN_BALLS, ROW, _unit)
SIZE, _sigma, _constant = Entry(s_A, h), Entry(sigma_A, h), Entry(k_A, h)

_p = attends(x, Q_mat, K_mat, i, j)
_weight = weight(x, Q_mat, K_mat, i, j)
_total = SumOver(_weight, j, n)
_at = inner(omega, token(x, j))
_mean = inner(omega, token(mix(x, Q_mat, K_mat), i))
_t = _at - _mean
_u = sought(x, Q_mat, K_mat, i)
_U, _g = norm(_u), inner(omega, _u)
_step = token(direction, j)
OWN, STEP = norm(token(direction, i)), norm(_step)
_own = score_slope(token(direction, i), token(x, j), Q_mat, K_mat)
_other = score_slope(token(x, i), _step, Q_mat, K_mat)
REACH = reach_of(x, Q_mat, K_mat, omega, i, j)
_reach = norm(omega + _t * _u)


def total(body: sp.Expr) -> sp.Expr:
    """Return the sum over the tokens j."""
    return SumOver(body, j, n)


def _over(body: Scalar) -> sp.Lambda:
    return sp.Lambda(j, body)


_weighing: dict[Any, Any] = {results.p_: _over(_p), results.k_: n}


def combined(name: str, body: sp.Expr, terms: Terms, *uses: Use, factor: Scalar = 1, **more: Any) -> Fact:
    """State m Σf ≤ a Σg + b Σq from m f ≤ a g + b q; f is the body, m the factor, (a, g) and (b, q) are the terms."""
    (a, g), (b, q) = (*terms, (0, 0))[:2]
    at = {results.f_: _over(body), results.g_: _over(g), results.q_: _over(q), results.k_: n}
    at |= {results.a_: a, results.b_: b, results.m_: factor}
    return cited(name, results.COMBINED_SUM, at, *uses, **more)


def _quadratic(name: str, a: Scalar, b: Scalar, m: Scalar) -> Fact:
    at = _weighing | {results.f_: _over(_at), results.c_: _mean, results.a_: a, results.b_: b, results.m_: m}
    return cited(name, results.QUADRATIC_MEAN, at, use("weights-sum"), use("mean"), free=_means, given=(ROW,))


_WEIGHTS = (
    definition("mask", VOCABULARY),
    definition("mixing", VOCABULARY),
    definition("attends", VOCABULARY),
    inequality(
        "weights", sp.Ge(_p, 0), use("mask"), use("visible-key"), use("attends"), free=(*_free, j), given=(ROW, KEY)
    ),
    *(
        cited(
            name,
            results.SUM_SCALED,
            _weighing | {results.f_: _over(_weight), results.g_: _over(body), results.c_: _total},
            use("attends"),
            free=free,
            given=(ROW,),
        )
        for name, body, free in (("scaled-weights", 1, _free), ("scaled-tokens", _at, _means))
    ),
    inequality("weights-sum", sp.Eq(total(_p), 1), use("visible-key"), use("scaled-weights"), free=_free, given=(ROW,)),
    inequality(
        "mean", sp.Eq(total(_p * _at), _mean), use("visible-key"), use("scaled-tokens"), use("mixing"),
        free=_means, given=(ROW,),
    ),
)  # fmt: skip

_scaled = Unit(state=2) * _u
_SIZES = (
    definition("token-size", VOCABULARY),
    definition("sought", VOCABULARY),
    ATTENTION_BOUNDED.premise("mean-size", "mixing"),
    cited("test", results.CAUCHY_SCHWARZ, {results.v1_: omega, results.v2_: token(x, j)}, free=(x, j, omega)),
    inequality(
        "tested-token", sp.Le(sp.Abs(_at), R), use("test"), use("token-size", i=j),
        free=(x, j, omega), given=(sp.Le(token_norm(x), R), KEY, _unit),
    ),
    inequality(
        "tested-mean", sp.Le(sp.Abs(_mean), R),
        use("mean-size"),
        use("tested-token", x=mix(x, Q_mat, K_mat), j=i),
        free=_means, given=_here,
    ),
    identity("sought-square", sp.Eq(inner(_scaled, _u), Unit(state=2) * _U**2), free=_free),
    inequality(
        "sought-size", sp.Le(_U, Entry(rho_A, h) * R),
        use("sought", y=_scaled),
        use("sought-square"),
        use("score-ball", x=token(x, i), y=_scaled),
        use("token-size"),
        free=(*_free, h), given=(*IN_BALLS, ROW),
    ),
    inequality(
        "score-size", sp.Le(_U * R, SIZE), use("sought-size"), free=(*_free, h), given=(*IN_BALLS, ROW), unfold=(s_A,)
    ),
    inequality("above-size", sp.Le(SIZE, _sigma), free=(h,), unfold=(sigma_A,)),
)  # fmt: skip

_OWN = (
    inequality(
        "own-score", sp.Le(sp.Abs(_own), Entry(rho_A, h) * R * OWN),
        use("score-ball", x=token(direction, i), y=token(x, j)),
        use("token-size", i=j),
        free=(x, direction, Q_mat, K_mat, i, j, h), given=(*IN_BALLS, KEY),
    ),
    cited(
        "own-cauchy", results.WEIGHTED_CAUCHY,
        _weighing | {results.f_: _over(_t), results.g_: _over(_own)},
        use("weights"),
        free=(*_means, direction), given=(ROW,),
    ),
    _quadratic("deviation", 0, 0, 1),
    combined("square", _p * _at**2, ((R**2, _p),), use("weights"), use("tested-token"), free=_means, given=_here),
    inequality(
        "deviation-below", sp.Le(total(_p * _t**2), R**2), use("deviation"), use("square"), use("weights-sum"),
        free=_means, given=_here,
    ),
    combined("deviation-above", 0, ((1, _p * _t**2),), use("weights"), factor=0, free=_means, given=(ROW,)),
    combined(
        "own-square", _p * _own**2, (((Entry(rho_A, h) * R * OWN) ** 2, _p),), use("weights"), use("own-score"),
        free=(*_free, direction, h), given=(*IN_BALLS, ROW),
    ),
    inequality(
        "own-part", sp.Le(total(_p * _t * _own), SIZE * OWN),
        use("own-cauchy"), use("deviation-above"), use("deviation-below"), use("own-square"), use("weights-sum"),
        free=(*_whole[0], direction), given=_whole[1], unfold=(s_A,),
    ),
)  # fmt: skip

_KEYS = (
    definition("means-move", VOCABULARY),
    cited(
        "key-test", results.CAUCHY_SCHWARZ, {results.v1_: omega + _t * _u, results.v2_: _step},
        free=(*_means, direction, j),
    ),
    identity(
        "key-product", sp.Eq(inner(omega + _t * _u, _step), inner(omega, _step) + _t * inner(_u, _step)),
        free=(*_means, direction, j),
    ),
    inequality(
        "key", sp.Le(inner(omega, _step) + _t * _other, _reach * STEP),
        use("key-test"), use("key-product"), use("sought", y=_step),
        free=(*_means, direction, j),
    ),
    combined(
        "row-sum", _p * (inner(omega, _step) + _t * (_own + _other)), ((1, _p * _t * _own), (1, REACH * STEP)),
        use("weights"), use("key"),
        free=(*_means, direction), given=(ROW,),
    ),
    inequality(
        "row", sp.Le(inner(omega, token(mix_slope(x, Q_mat, K_mat, direction), i)), SIZE * OWN + total(REACH * STEP)),
        use("means-move"), use("row-sum"), use("own-part"),
        free=(*_whole[0], direction), given=_whole[1],
    ),
)  # fmt: skip
ROW_FACTS = (*_WEIGHTS, *_SIZES, *_OWN, *_KEYS)

_reaching = (
    identity("length", sp.Eq(_reach**2, norm(omega) ** 2 + 2 * _t * _g + _t**2 * _U**2), free=(*_means, j)),
    cited("slant", results.CAUCHY_SCHWARZ, {results.v1_: omega, results.v2_: _u}, free=_means),
)
_MASS = (
    cited(
        "mass-cauchy", results.WEIGHTED_CAUCHY,
        _weighing | {results.f_: _over(_reach), results.g_: _over(1)},
        use("weights"),
        free=_means, given=(ROW,),
    ),
    _quadratic("mass-mean", 1, 2 * _g, _U**2),
    combined(
        "mass-below", _p * _reach**2, ((1, _p * (1 + 2 * _g * _t + _U**2 * _t**2)),), use("length"),
        free=_means, given=(_unit,),
    ),
    inequality(
        "row-mass", sp.Le(total(REACH), sp.sqrt(1 + SIZE**2)),
        use("mass-cauchy"), use("mass-below"), use("mass-mean"), use("square"), use("score-size"), use("weights-sum"),
        free=_whole[0], given=_whole[1],
    ),
)  # fmt: skip

_crossed, _even = total(_p**2 * _t), total(_p**2 * (1 + _U**2 * _t**2))


def _one_sign(sign: int) -> tuple[Fact, ...]:
    """Bound Σ_j P_j²(1 ± |u| t_j)²."""
    end = "up" if sign > 0 else "down"
    share = _p * (1 + sign * _U * _t)
    positive, squares = total(sp.Max(share, 0)), total(share**2)
    high, low = 1 + _U * (R - sign * _mean), sp.Max(1 - _U * (R + sign * _mean), 0)
    return (
        combined(
            f"turned-{end}", _p**2 * (1 + _U**2 * _t**2), ((1, share**2), (-2 * sign * _U, _p**2 * _t)), free=_means
        ),
        cited(f"signs-{end}", results.SIGN_SPLIT, {results.f_: _over(share), results.k_: n}, free=_means),
        _quadratic(f"shares-{end}", 1, sign * _U, 0),
        inequality(
            f"chord-{end}",
            sp.Le(2 * R * sp.Max(1 + sign * _U * _t, 0), (R + sign * _at) * high + (R - sign * _at) * low),
            use("tested-token"), use("tested-mean"),
            free=(*_means, j), given=(*_here, KEY),
        ),
        combined(
            f"chords-{end}", sp.Max(share, 0), ((R * (high + low), _p), (sign * (high - low), _p * _at)),
            use("weights"), use(f"chord-{end}"),
            factor=2 * R, free=_means, given=_here,
        ),
        combined(
            f"short-{end}", sp.Max(share, 0), ((1 + 2 * _U * R, _p),),
            use("weights"), use("tested-token"), use("tested-mean"),
            free=_means, given=_here,
        ),
        inequality(
            f"positive-{end}", sp.Le(8 * _sigma * positive, (1 + 2 * _sigma) ** 2),
            use(f"chords-{end}"), use(f"short-{end}"), use("weights-sum"), use("mean"),
            use("score-size"), use("above-size"),
            free=_whole[0], given=_whole[1],
        ),
        inequality(
            f"squares-{end}", sp.Le(squares, _constant**2),
            use(f"signs-{end}"), use(f"shares-{end}"), use(f"positive-{end}"),
            free=_whole[0], given=_whole[1], unfold=(k_A,),
        ),
    )  # fmt: skip


_SQUARES = (
    combined(
        "angle", REACH**2, ((1, _p**2 * (1 + _U**2 * _t**2)), (2 * _g, _p**2 * _t)), use("length"),
        free=_means, given=(_unit,),
    ),
    *_one_sign(1),
    *_one_sign(-1),
    inequality(
        "row-squares", sp.Le(total(REACH**2), _constant**2),
        use("angle"), use("slant"), use("turned-up"), use("turned-down"), use("squares-up"), use("squares-down"),
        free=_whole[0], given=_whole[1],
    ),
)  # fmt: skip
ROW_FACTS = (*_WEIGHTS, *_SIZES, *_OWN, *_KEYS, *_reaching, *_MASS, *_SQUARES)
