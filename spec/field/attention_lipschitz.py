"""How fast a head of attention moves with its state: the norm of its derivative over K_R, under any mask."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field._attention_rows import IN_BALLS, KEY, OWN, REACH, ROW, ROW_FACTS, SIZE, STEP, combined, total
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.language.functions import Entry, Ratio, norm, token_norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import (
    VOCABULARY, K_mat, L_A, Q_mat, R, V_mat, ball, base, direction, h, heading, i, j, k_A, leader, led, mix, mix_slope, n,
    omega, reach_of, rho_V, s_A, token, value, x, y,
)  # fmt: skip

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
        "rows", norm(_key) ** 2, 1, (SIZE * STEP + _lead) ** 2, 0, 0, use("row-led", i=j), free=_free, given=IN_BALLS
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
        {results.p_: sp.Lambda(j, sp.Integer(1)), results.f_: sp.Lambda(j, _reach), results.g_: sp.Lambda(j, STEP), results.k_: n},
        free=_at,
    ),
    inequality(
        "lead", sp.Le(sp.Abs(_lead), _constant * _length),
        use("lead-cauchy"), use("lead-squares"), use("frobenius", x=direction),
        free=_free, given=IN_BALLS,
    ),
    cited("steps-squared", results.MEAN_SQUARE, {results.f_: sp.Lambda(j, STEP), results.k_: n}, free=(direction,)),
    inequality(
        "steps", sp.Le(_steps, sp.sqrt(n) * _length), use("steps-squared"), use("frobenius", x=direction), free=(direction,)
    ),
    cited(
        "gram", results.GRAM,
        {results.f_: sp.Lambda(j, _reach), results.g_: sp.Lambda(j, STEP), results.k_: n}, free=_at,
    ),
    inequality(
        "gram-lead",
        sp.Le(n * _lead**2 + _constant**2 * _steps**2 + _reaches**2 * _length**2, n * _constant**2 * _length**2 + 2 * _reaches * _steps * _lead),
        use("gram"), use("lead-squares"), use("steps-squared"), use("frobenius", x=direction),
        free=_free, given=IN_BALLS,
    ),
)  # fmt: skip

_kappa = sp.sqrt(n) * _constant
_gain = _lip - _kappa
_margin = _lip * _gain - SIZE**2  # of s λ below it
_spare = _margin - SIZE * _reaches
_near = SIZE**2 - _gain**2
_rest = (_lip**2 - SIZE**2) * _length**2 - 2 * SIZE * _lead * _steps - n * _lead**2
_slack = (n * _constant**2 - _reaches**2) * _length**2 - n * _lead**2 - _constant**2 * _steps**2 + 2 * _steps * _reaches * _lead
_low, _high = (form(SIZE * _lead * _steps, _margin * _length**2) for form in (sp.Le, sp.Ge))
_close = sp.Lt(_gain, SIZE)
_BLOCK = (
    inequality("root", sp.Eq(_lip * _gain, SIZE * (SIZE + sp.sqrt(1 + SIZE**2))), free=(h,), unfold=(L_A,)),
    inequality("root-above", sp.Ge(_gain, 0), free=(h,), unfold=(L_A,)),
    inequality(
        "far", sp.Ge(_rest, 0), use("lead"), use("steps"), free=_free, given=(*IN_BALLS, sp.Ge(_gain, SIZE)),
    ),
    inequality(
        "low", sp.Ge(_rest, 0), use("lead"), use("root-above"), free=_free, given=(*IN_BALLS, _close, _low),
    ),
    identity(
        "block",
        sp.Eq(
            _near * _rest,
            SIZE**2 * _slack
            + (_gain * sp.sqrt(n) * _lead - SIZE * _constant * _steps) ** 2
            + _spare * (2 * SIZE * _lead * _steps - _spare * _length**2 - 2 * SIZE * _reaches * _length**2),
        ),
        free=_free,
    ),
    inequality("spare", sp.Ge(_spare, 0), use("root"), use("lead-mass"), free=_free, given=IN_BALLS),
    inequality(
        "spared", sp.Ge(_spare * (2 * SIZE * _lead * _steps - _spare * _length**2 - 2 * SIZE * _reaches * _length**2), 0),
        use("spare"),
        free=_free, given=(*IN_BALLS, _high),
    ),
    inequality(
        "high", sp.Ge(_rest, 0), use("block"), use("gram-lead"), use("spared"), use("root-above"),
        free=_free, given=(*IN_BALLS, _close, _high),
    ),
    inequality(
        "means-slope", sp.Le(norm(_slope), _lip * _length),
        use("slope"), use("far"), use("low"), use("high"),
        free=_free, given=IN_BALLS,
    ),
)  # fmt: skip
FACTS = (assumed(H.VISIBLE_KEY), assumed(H.SCORE_BALL), assumed(H.VALUE_BALL), *ROW_FACTS, *_ROWS, *_LEAD, *_BLOCK)
