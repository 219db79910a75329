"""Fields behind a normalisation: no state has to be bounded for their range and their Lipschitz constants."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import Ratio, gauge, inner, norm, token_norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.attention import longest, token
from spec.objects.flow import F
from spec.objects.normalisation import axis, centred, deviation, gain, normed, scaled, shift, shortest
from spec.symbols import VOCABULARY, L_x, M, R_norm, d, e, eps_norm, gamma_max, i, j, n, r_norm, vartheta, x, y


def secant(least: sp.Expr) -> sp.Expr:
    """Return the Lipschitz constant over states whose tokens are, after centring, at least so long."""
    return gamma_max * sp.sqrt(d) / sp.sqrt(least**2 + d * eps_norm)


def _long(state: sp.Expr, least: sp.Expr) -> sp.Rel:
    return sp.Ge(norm(centred(token(state, shortest(state)))), least, evaluate=False)


_row = sp.Le(i, n - 1)
_both = (sp.Ge(norm(centred(x)), e, evaluate=False), sp.Ge(norm(centred(y)), e, evaluate=False))
_lost = (2 - norm(axis(d)) ** 2) * inner(axis(d), x - y) ** 2
_scaled_change, _change = scaled(x) - scaled(y), normed(x) - normed(y)
_rise = (deviation(x) - deviation(y)) * (deviation(x) * norm(scaled(x)) ** 2 - deviation(y) * norm(scaled(y)) ** 2)
_field_change = F(normed(x), vartheta) - F(normed(y), vartheta)
_apart, _admissible = sp.Gt(norm(x - y), 0), sp.Le(gauge(vartheta), 1)
_far = (_long(x, r_norm), _long(y, r_norm))

_RANGE = (
    identity(
        "scaled-length",
        sp.Eq(norm(centred(x)) ** 2, deviation(x) ** 2 * norm(scaled(x)) ** 2),
        use("scaling"),
        free=(x,),
    ),
    inequality("scaled-size", sp.Le(norm(scaled(x)), sp.sqrt(d)), use("scaled-length"), use("deviation"), free=(x,)),
    cited("shifted", results.TRIANGLE, {results.v1_: gain(scaled(x)), results.v2_: shift(d)}, free=(x,)),
    identity(
        "token-is",
        sp.Eq(norm(token(normed(x), i)), norm(gain(scaled(token(x, i))) + shift(d))),
        use("normalisation"),
        free=(x, i),
        given=(_row,),
    ),
    inequality(
        "token-range",
        sp.Le(norm(token(normed(x), i)), R_norm),
        use("token-is"),
        use("shifted", x=token(x, i)),
        use("gain-bounded", omega=scaled(token(x, i))),
        use("scaled-size", x=token(x, i)),
        use("shift-bounded"),
        free=(x, i),
        given=(_row,),
        unfold=(R_norm,),
    ),
    inequality(
        "range",
        sp.Le(token_norm(normed(x)), R_norm),
        use("longest-token", x=normed(x)),
        use("longest-index", x=normed(x)),
        use("token-range", i=longest(normed(x))),
        free=(x,),
    ),
)
_ONE_TOKEN = (
    identity(
        "centred-change",
        sp.Eq(norm(centred(x) - centred(y)) ** 2, norm(x - y) ** 2 - _lost),
        use("centring"),
        use("centring", x=y),
        free=(x, y),
    ),
    identity(
        "apart",
        sp.Eq(norm(centred(x) - centred(y)) ** 2, deviation(x) * deviation(y) * norm(_scaled_change) ** 2 + _rise),
        use("scaling"),
        use("scaling", x=y),
        free=(x, y),
    ),
    inequality(
        "rise",
        sp.Ge(_rise, 0, evaluate=False),
        use("scaled-length"),
        use("scaled-length", x=y),
        use("deviation"),
        use("deviation", x=y),
        free=(x, y),
    ),
    inequality(
        "secant",
        sp.Le(deviation(x) * deviation(y) * norm(_scaled_change) ** 2, norm(x - y) ** 2),
        use("centred-change"),
        use("axis-length"),
        use("apart"),
        use("rise"),
        free=(x, y),
    ),
    inequality(
        "deviation-least",
        sp.Ge(deviation(x), sp.sqrt(e**2 + d * eps_norm) / sp.sqrt(d), evaluate=False),
        use("deviation"),
        free=(x, e),
        given=_both[:1],
    ),
    inequality(
        "scaled-secant",
        sp.Le(norm(_scaled_change), sp.sqrt(d) / sp.sqrt(e**2 + d * eps_norm) * norm(x - y)),
        use("secant"),
        use("deviation-least"),
        use("deviation-least", x=y),
        free=(x, y, e),
        given=_both,
    ),
)
_ALL_TOKENS = (
    identity(
        "token-change",
        sp.Eq(
            norm(token(normed(x), i) - token(normed(y), i)), norm(gain(scaled(token(x, i))) - gain(scaled(token(y, i))))
        ),
        use("normalisation"),
        use("normalisation", x=y),
        free=(x, y, i),
        given=(_row,),
    ),
    inequality(
        "token-secant",
        sp.Le(norm(token(_change, i)), secant(e) * norm(token(x - y, i))),
        use("token-linear", x=normed(x), y=normed(y)),
        use("token-change"),
        use("gain-linear", hid=scaled(token(x, i)), hid_alt=scaled(token(y, i))),
        use("gain-bounded", omega=scaled(token(x, i)) - scaled(token(y, i))),
        use("shortest-token"),
        use("shortest-token", x=y),
        use("scaled-secant", x=token(x, i), y=token(y, i)),
        use("token-linear"),
        free=(x, y, i, e),
        given=(_row, _long(x, e), _long(y, e)),
    ),
    inequality(
        "token-squared",
        sp.Le(norm(token(_change, i)) ** 2, secant(e) ** 2 * norm(token(x - y, i)) ** 2),
        use("token-secant"),
        free=(x, y, i, e),
        given=(_row, _long(x, e), _long(y, e)),
    ),
    cited(
        "tokens",
        results.SUM_BELOW,
        {
            results.f_: sp.Lambda(j, norm(token(_change, j)) ** 2),
            results.g_: sp.Lambda(j, secant(e) ** 2 * norm(token(x - y, j)) ** 2),
            results.k_: n,
        },
        use("token-squared", i=j),
        free=(x, y, e),
        given=(_long(x, e), _long(y, e)),
    ),
    cited(
        "one-constant",
        results.SUM_LINEAR,
        {
            results.f_: sp.Lambda(j, norm(token(x - y, j)) ** 2),
            results.g_: sp.Lambda(j, sp.Integer(0)),
            results.a_: secant(e) ** 2,
            results.b_: sp.Integer(0),
            results.k_: n,
        },
        free=(x, y, e),
    ),
    inequality(
        "state-secant",
        sp.Le(norm(_change), secant(e) * norm(x - y)),
        use("frobenius", x=_change),
        use("tokens"),
        use("one-constant"),
        use("frobenius", x=x - y),
        free=(x, y, e),
        given=(_long(x, e), _long(y, e)),
    ),
)
_STATES = (
    inequality(
        "lipschitz",
        sp.Le(Ratio(norm(_change), norm(x - y)), gamma_max / sp.sqrt(eps_norm)),
        use("state-secant", e=sp.Integer(0)),
        free=(x, y),
        given=(_apart,),
    ),
    inequality(
        "local",
        sp.Le(Ratio(norm(_change), norm(x - y)), secant(r_norm)),
        use("state-secant", e=r_norm),
        free=(x, y),
        given=(_apart, *_far),
    ),
    inequality(
        "field-range",
        sp.Le(norm(F(normed(x), vartheta)), M),
        use("range"),
        use("normed-field-bounded", x=normed(x)),
        free=(x, vartheta),
        given=(_admissible,),
    ),
    inequality(
        "field-change",
        sp.Le(norm(_field_change), L_x * norm(_change)),
        use("range"),
        use("range", x=y),
        use("normed-field-lipschitz", x=normed(x), y=normed(y)),
        free=(x, y, vartheta),
        given=(_admissible,),
    ),
    inequality(
        "field-lipschitz",
        sp.Le(Ratio(norm(_field_change), norm(x - y)), L_x * gamma_max / sp.sqrt(eps_norm)),
        use("field-change"),
        use("lipschitz"),
        free=(x, y, vartheta),
        given=(_apart, _admissible),
    ),
    inequality(
        "field-local",
        sp.Le(Ratio(norm(_field_change), norm(x - y)), L_x * secant(r_norm)),
        use("field-change"),
        use("local"),
        free=(x, y, vartheta),
        given=(_apart, *_far, _admissible),
    ),
)
_DEFINITIONS = (
    "centring", "axis-length", "deviation", "scaling", "gain-linear", "normalisation", "shortest-token",
    "longest-token", "longest-index", "token-linear", "frobenius",
)  # fmt: skip
FACTS = (
    assumed(H.GAIN_BOUNDED),
    assumed(H.SHIFT_BOUNDED),
    assumed(H.NORMED_FIELD_BOUNDED),
    assumed(H.NORMED_FIELD_LIPSCHITZ),
    *(definition(name, VOCABULARY) for name in _DEFINITIONS),
    *_RANGE,
    *_ONE_TOKEN,
    *_ALL_TOKENS,
    *_STATES,
)


def _claim(name: str, meaning: str, computed_by: str) -> Claim:
    statement = next(f for f in FACTS if f.name == name).statement
    left, right = statement.relation.args
    measured = Measured(meaning, left, computed_by)
    return Claim(name, measured, "<=", right, (name,), tight=True, free=statement.free, given=statement.given)


_quotient = "impl.field.measured:quotient"
THEOREM = Theorem(
    slug="field/norm-field",
    title="Fields behind a normalisation",
    source="mfc2026",
    assumptions=(H.GAIN_BOUNDED, H.SHIFT_BOUNDED, H.NORMED_FIELD_BOUNDED, H.NORMED_FIELD_LIPSCHITZ),
    facts=FACTS,
    claims=(
        _claim("range", "longest normalised token", "impl.field.measured:longest"),
        _claim("lipschitz", "|norm(x) − norm(y)| / |x − y|", _quotient),
        _claim("local", "|norm(x) − norm(y)| / |x − y| away from constant tokens", _quotient),
        _claim("field-range", "|F(norm(x); ϑ)|", "impl.field.measured:size"),
        _claim("field-lipschitz", "|F(norm(x); ϑ) − F(norm(y); ϑ)| / |x − y|", _quotient),
        _claim("field-local", "|F(norm(x); ϑ) − F(norm(y); ϑ)| / |x − y| away from constant tokens", _quotient),
    ),
    vocabulary=VOCABULARY,
)
