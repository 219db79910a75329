"""How fast a head of attention moves with its state: the norm of its derivative over K_R, under any mask."""

from typing import Any

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field._attention_rows import IN_BALLS, OWN, ROW, ROW_FACTS, SIZE, STEP, combined, total
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.language.functions import Entry, Ratio, norm, token_norm
from spec.language.proof import Fact, Use, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.attention import heading, leader, led, mix, mix_slope, reach_of, token, value
from spec.objects.blocks import ball
from spec.symbols import (
    L_A,
    VOCABULARY,
    K_mat,
    Q_mat,
    R,
    V_mat,
    base,
    direction,
    h,
    i,
    j,
    k_A,
    n,
    rho_V,
    sigma_A,
    v,
    x,
    y,
)

_slope = mix_slope(x, Q_mat, K_mat, direction)
_row, _key = token(_slope, i), token(_slope, j)
_leader = leader(x, Q_mat, K_mat, direction)
_way = heading(token(_slope, _leader))
_reach = reach_of(x, Q_mat, K_mat, _way, _leader, j)
_lead = led(x, Q_mat, K_mat, direction, _leader)
_at = (x, direction, Q_mat, K_mat)
_free, _free_value = (*_at, h), (*_at, V_mat, h)
_in_ball = sp.Le(ball(V_mat, h), 1)
_moving = (*IN_BALLS, _in_ball, sp.Gt(norm(direction), 0))
_apart = (IN_BALLS[0], sp.Le(token_norm(y), R), *IN_BALLS[1:], sp.Gt(norm(x - y), 0))
_constant, _lip, _value = Entry(k_A, h), Entry(L_A, h), Entry(rho_V, h)
_steps, _length = total(STEP), norm(direction)
_reaches, _squares = total(_reach), total(_reach**2)
_quotient = Ratio(norm(value(V_mat, _slope)), _length)
_secant = Ratio(norm(mix(x, Q_mat, K_mat) - mix(y, Q_mat, K_mat)), norm(x - y))
_closed = SIZE + sp.sqrt(n * (1 + SIZE**2 / 2))
_published = sp.sqrt(3) * sp.sqrt(SIZE**2 * (4 * n + 1) + n)
_share = sp.sqrt((7 * n + 4) / (3 * (7 * n + 2)))

_ROWS = (
    definition("heading-unit", VOCABULARY),
    definition("heading-along", VOCABULARY),
    definition("leader", VOCABULARY),
    definition("leader-index", VOCABULARY),
    definition("frobenius", VOCABULARY),
    inequality(
        "row-length", sp.Le(norm(_row), SIZE * OWN + led(*_at[:1], *_at[2:], direction, i)),
        use("heading-unit", x=_row), use("heading-along", x=_row), use("row", omega=heading(_row)),
        free=(*_free, i), given=(*IN_BALLS, ROW),
    ),
    inequality(
        "row-led", sp.Le(norm(_row), SIZE * OWN + _lead), use("row-length"), use("leader"),
        free=(*_free, i), given=(*IN_BALLS, ROW),
    ),
    combined(
        "rows", norm(_key) ** 2, ((1, (SIZE * STEP + _lead) ** 2),), use("row-led", i=j), free=_free, given=IN_BALLS
    ),
    cited(
        "rows-expanded", results.AFFINE_SQUARES,
        {results.f_: sp.Lambda(j, STEP), results.b_: SIZE, results.c_: _lead, results.k_: n}, free=_free,
    ),
    inequality(
        "slope", sp.Le(norm(_slope) ** 2, SIZE**2 * _length**2 + 2 * SIZE * _lead * _steps + n * _lead**2),
        use("frobenius", x=_slope), use("rows"), use("rows-expanded"), use("frobenius", x=direction),
        free=_free, given=IN_BALLS,
    ),
)  # fmt: skip

_slack = (
    (n * _constant**2 - _reaches**2) * _length**2
    - _constant**2 * _steps**2
    - _lead * (n * _lead - 2 * _reaches * _steps)
)
_paired: dict[Any, Any] = {results.f_: sp.Lambda(j, _reach), results.g_: sp.Lambda(j, STEP), results.k_: n}
_aware = (  # the leading row's bounds
    use("heading-unit", x=token(_slope, _leader)),
    use("leader-index"),
)
_LEAD = (
    inequality(
        "lead-squares", sp.Le(_squares, _constant**2), *_aware, use("row-squares", i=_leader, omega=_way),
        free=_free, given=IN_BALLS,
    ),
    inequality(
        "lead-mass", sp.Le(_reaches, sp.sqrt(1 + SIZE**2)), *_aware, use("row-mass", i=_leader, omega=_way),
        free=_free, given=IN_BALLS,
    ),
    cited(
        "lead-cauchy", results.WEIGHTED_CAUCHY,
        {results.p_: sp.Lambda(j, sp.Integer(1)), **_paired},
        free=_at,
    ),
    inequality(
        "lead", sp.Le(sp.Abs(_lead), _constant * _length),
        use("lead-cauchy"), use("lead-squares"), use("frobenius", x=direction),
        free=_free, given=IN_BALLS,
    ),
    cited("steps-squared", results.MEAN_SQUARE, {results.f_: sp.Lambda(j, STEP), results.k_: n}, free=(direction,)),
    inequality(
        "steps", sp.Le(_steps, sp.sqrt(n) * _length), use("steps-squared"), use("frobenius", x=direction),
        free=(direction,),
    ),
    cited(
        "gram", results.GRAM,
        _paired, free=_at,
    ),
    inequality(
        "gram-lead", sp.Ge(_slack, 0),
        use("gram"), use("lead-squares"), use("steps-squared"), use("frobenius", x=direction),
        free=_free, given=IN_BALLS,
    ),
)  # fmt: skip

_kappa = sp.sqrt(n) * _constant
_root = (_kappa + sp.sqrt(_kappa**2 + 4 * SIZE * (SIZE + sp.sqrt(1 + SIZE**2)))) / 2
_gain = _lip - _kappa
_margin = _lip * _gain - SIZE**2  # of s λ below it
_spare = _margin - SIZE * _reaches
_near = SIZE**2 - _gain**2
_rest = (_lip**2 - SIZE**2) * _length**2 - 2 * SIZE * _lead * _steps - n * _lead**2
_product, _below = SIZE * _lead * _steps, _margin * _length**2
_square = _gain * sp.sqrt(n) * _lead - SIZE * _constant * _steps
_left = _spare * (2 * _product - _spare * _length**2 - 2 * SIZE * _reaches * _length**2)
_above = (*IN_BALLS, sp.Ge(_product, _below))
_close = (*IN_BALLS, sp.Le(_gain, SIZE))


def _either(
    name: str, bound: sp.Expr, at: sp.Expr, between: sp.Expr, one: Use, other: Use, given: tuple[sp.Rel, ...]
) -> Fact:
    """State 0 ≤ bound, which holds where at ≤ between and where at ≥ between."""
    values = {results.f_: sp.Lambda(v, sp.Integer(0)), results.z_: at, results.c_: between, results.b_: bound}
    return cited(name, results.CASES, values, one, other, free=_free, given=given)


_BLOCK = (
    inequality("root", sp.Eq(_lip * _gain, SIZE * (SIZE + sp.sqrt(1 + SIZE**2))), free=(h,), unfold=(L_A,)),
    inequality("root-above", sp.Ge(_gain, 0), free=(h,), unfold=(L_A,)),
    inequality(
        "far", sp.Le((_lip**2 - (SIZE + _kappa) ** 2) * _length**2, _rest), use("lead"), use("steps"),
        free=_free, given=IN_BALLS,
    ),
    inequality(
        "low", sp.Le(0, _near * _rest), use("lead"), use("root-above"),
        free=_free, given=(*_close, sp.Le(_product, _below)),
    ),
    inequality("spare", sp.Ge(_spare, 0), use("root"), use("lead-mass"), free=_free, given=IN_BALLS),
    inequality("left", sp.Ge(_left, 0), use("spare"), free=_free, given=_above),
    cited(
        "parts", results.SQUARE_ADDED, {results.a_: SIZE**2 * _slack, results.b_: _left, results.c_: _square},
        use("gram-lead"), use("left"),
        free=_free, given=_above,
    ),
    inequality("high", sp.Le(0, _near * _rest), use("parts"), free=_free, given=_above),
    _either("near", _near * _rest, _product, _below, use("low"), use("high"), _close),
    inequality("close", sp.Le(0, _rest), use("near"), use("far"), use("root-above"), free=_free, given=_close),
    _either("rest", _rest, _gain, SIZE, use("close"), use("far"), IN_BALLS),
    inequality(
        "means-slope", sp.Le(norm(_slope), _lip * _length), use("slope"), use("rest"), free=_free, given=IN_BALLS
    ),
)  # fmt: skip
_CLOSED = (
    inequality(
        "triangle", sp.Le(norm(_slope), (SIZE + _kappa) * _length), use("slope"), use("lead"), use("steps"),
        free=_free, given=IN_BALLS,
    ),
    inequality("constant-below", sp.Le(_constant**2, 1 + SIZE**2 / 2), free=(h,), unfold=(k_A, sigma_A)),
    inequality("closed", sp.Le(SIZE + _kappa, _closed), use("constant-below"), free=(h,)),
    inequality("below-published", sp.Le(_value * _closed, _value * _share * _published), free=(h,)),
)  # fmt: skip
_CLAIMED = (
    definition("value-token", VOCABULARY),
    definition("token-alone", VOCABULARY),
    inequality(
        "value-size", sp.Le(norm(token(value(V_mat, x), i)), _value * norm(token(x, i))),
        use("value-token"), use("token-alone"), use("value-ball", x=token(x, i)),
        free=(x, V_mat, h, i), given=(_in_ball,),
    ),
    combined(
        "values-squared", norm(token(value(V_mat, x), j)) ** 2, ((_value**2, norm(token(x, j)) ** 2),),
        use("value-size", i=j),
        free=(x, V_mat, h), given=(_in_ball,),
    ),
    inequality(
        "values", sp.Le(norm(value(V_mat, x)), _value * norm(x)),
        use("values-squared"), use("frobenius"), use("frobenius", x=value(V_mat, x)),
        free=(x, V_mat, h), given=(_in_ball,),
    ),
    inequality(
        "attention", sp.Le(_quotient, _value * _root), use("values", x=_slope), use("means-slope"),
        free=_free_value, given=_moving, unfold=(L_A,),
    ),
    identity("attention-constant", sp.Eq(_value * _root, _value * _lip), free=(h,), unfold=(L_A,)),
    inequality(
        "closed-form", sp.Le(_quotient, _value * _closed), use("values", x=_slope), use("triangle"), use("closed"),
        free=_free_value, given=_moving,
    ),
    cited(
        "secant", results.MEANS_SECANT,
        {results.v1_: x, results.v2_: y, results.v3_: Q_mat, results.v4_: K_mat, results.b_: R, results.c_: _lip},
        use("means-slope", x=base),
        free=(x, y, Q_mat, K_mat, h), given=_apart[:-1],
    ),
    inequality(
        "means", sp.Le(_secant, _root), use("secant"), free=(x, y, Q_mat, K_mat, h), given=_apart, unfold=(L_A,)
    ),
    identity("means-constant", sp.Eq(_root, _lip), free=(h,), unfold=(L_A,)),
)  # fmt: skip
_ASSUMED = (assumed(H.VISIBLE_KEY), assumed(H.SCORE_BALL), assumed(H.VALUE_BALL))
FACTS = (*_ASSUMED, *ROW_FACTS, *_ROWS, *_LEAD, *_BLOCK, *_CLOSED, *_CLAIMED)


_slope_of_head = Measured("|D_x Attn_h(x) Δ| / |Δ|", _quotient, "impl.field.slopes:attention_slope")


def _claim(name: str, bound: sp.Expr, *spine: str, tight: bool = False) -> Claim:
    return Claim(name, _slope_of_head, "<=", bound, spine, tight=tight, free=_free_value, given=_moving)


THEOREM = Theorem(
    slug="field/attention-lipschitz",
    title="Attention's Lipschitz constant in the state",
    source="mfc2026",
    assumptions=(H.VISIBLE_KEY, H.SCORE_BALL, H.VALUE_BALL),
    uses=(ATTENTION_BOUNDED,),
    facts=FACTS,
    claims=(
        _claim("attention", _value * _lip, "attention", "attention-constant", tight=True),
        _claim("closed-form", _value * _closed, "closed-form", tight=True),
        _claim("published", _value * _share * _published, "closed-form", "below-published"),
        Claim(
            "means",
            Measured("|mix(x) − mix(y)| / |x − y| of head h", _secant, "impl.field.slopes:means_secant"),
            "<=", _lip, ("means", "means-constant"), tight=True, free=(x, y, Q_mat, K_mat, h), given=_apart,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
