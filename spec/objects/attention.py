"""Attention: tokens, scores, softmax means, and how the means move."""

import sympy as sp

from spec.language.dimension import DEPTH, STATE
from spec.language.functions import Ratio, SumOver, inner, norm, token_norm
from spec.language.template import Statement
from spec.symbols import VOCABULARY, K_mat, Q_mat, V_mat, d_k, direction, i, j, n, omega, x, y

_function = VOCABULARY.function
_define = VOCABULARY.define

# Objects of the field: what matrices do to tokens, and what is made of it.
token = _function("token", r"\operatorname{token}", "token i of a state", STATE, vector=True, arity=2)
longest = _function(
    "longest", r"\operatorname{longest}", "the index of a longest token of a state", vector=False, integer=True
)
query = _function("query", r"\operatorname{query}", "Q times a token", vector=True, arity=2)
key = _function("key", r"\operatorname{key}", "K times a token", vector=True, arity=2)
visible = _function(
    "visible", r"\operatorname{visible}", "1 where token i looks at token j, else 0", vector=False, arity=2
)
mix = _function(
    "mix",
    r"\operatorname{mix}",
    "every token's softmax mean of the tokens it looks at, by Q and K",
    STATE,
    vector=True,
    arity=3,
)
mix_slope = _function(
    "mix_slope",
    r"D\operatorname{mix}",
    "derivative of the softmax means at a state, in a direction",
    STATE,
    vector=True,
    arity=4,
)
attends = _function("attends", "P", "softmax weight that token i gives to token j, by Q and K", vector=False, arity=5)
sought = _function(
    "sought", "u", "KᵀQ/√d_k times token i: its score with a token is their product", STATE**-1, vector=True, arity=4
)
heading = _function("heading", r"\operatorname{heading}", "a unit vector along a vector", vector=True)
leader = _function(
    "leader",
    r"\operatorname{leader}",
    "the row of the means that the other tokens move most, at a state, in a direction",
    vector=False,
    arity=4,
    integer=True,
)
value = _function("value", r"\operatorname{value}", "V times every token", STATE, vector=True, arity=2)
output = _function("output", r"\operatorname{output}", "O times every token", STATE / DEPTH, vector=True, arity=2)

_token_range, _key_range = (sp.Le(i, n - 1, evaluate=False),), (sp.Le(j, n - 1, evaluate=False),)


def score(state: sp.Expr, Q: sp.Expr, K: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return the score ⟨Q x_i, K x_j⟩/√d_k."""
    return inner(query(Q, token(state, asking)), key(K, token(state, asked))) / sp.sqrt(d_k)


def weight(state: sp.Expr, Q: sp.Expr, K: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return the weight of a key before it is normalised: e^score where it is visible, else 0."""
    return visible(asking, asked) * sp.exp(score(state, Q, K, asking, asked))


def head(state: sp.Expr, Q: sp.Expr, K: sp.Expr, V: sp.Expr, O: sp.Expr) -> sp.Expr:  # noqa: E741
    """Return O Attn(x; Q, K, V)."""
    return output(O, value(V, mix(state, Q, K)))


def _mean_of(payload: sp.Expr) -> sp.Expr:
    weights = weight(x, Q_mat, K_mat, i, j)
    return Ratio(SumOver(weights * payload, j, n), SumOver(weights, j, n))


MIXING = _define(
    "mixing",
    Statement(
        sp.Eq(inner(omega, token(mix(x, Q_mat, K_mat), i)), _mean_of(inner(omega, token(x, j))), evaluate=False),
        (x, Q_mat, K_mat, i, omega),
        _token_range,
    ),
)


def score_slope(asking: sp.Expr, asked: sp.Expr, Q: sp.Expr, K: sp.Expr) -> sp.Expr:
    """Return ⟨Q a, K b⟩/√d_k for two tokens a and b."""
    return inner(query(Q, asking), key(K, asked)) / sp.sqrt(d_k)


def reach_of(state: sp.Expr, Q: sp.Expr, K: sp.Expr, way: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return what token j can move row i of the means by, along `way`: P_ij |ω + ⟨ω, x_j − mix_i⟩ u_i|."""
    offset = inner(way, token(state, asked)) - inner(way, token(mix(state, Q, K), asking))
    return attends(state, Q, K, asking, asked) * norm(way + offset * sought(state, Q, K, asking))


def led(state: sp.Expr, Q: sp.Expr, K: sp.Expr, step: sp.Expr, asking: sp.Expr) -> sp.Expr:
    """Return Σ_j of what token j can move row i by, along the way it goes, times the length of its own step."""
    way = heading(token(mix_slope(state, Q, K, step), asking))
    return SumOver(reach_of(state, Q, K, way, asking, j) * norm(token(step, j)), j, n)


_offset = inner(omega, token(x, j)) - inner(omega, token(mix(x, Q_mat, K_mat), i))
_scores_move = score_slope(token(direction, i), token(x, j), Q_mat, K_mat) + score_slope(
    token(x, i), token(direction, j), Q_mat, K_mat
)
_row_moves = SumOver(
    attends(x, Q_mat, K_mat, i, j) * (inner(omega, token(direction, j)) + _offset * _scores_move), j, n
)
ATTENDS = _define(
    "attends",
    Statement(
        sp.Eq(
            attends(x, Q_mat, K_mat, i, j) * SumOver(weight(x, Q_mat, K_mat, i, j), j, n),
            weight(x, Q_mat, K_mat, i, j),
            evaluate=False,
        ),
        (x, Q_mat, K_mat, i, j),
        (*_token_range, *_key_range),
    ),
)
MEANS_MOVE = _define(
    "means-move",
    Statement(
        sp.Eq(inner(omega, token(mix_slope(x, Q_mat, K_mat, direction), i)), _row_moves, evaluate=False),
        (x, direction, Q_mat, K_mat, i, omega),
        _token_range,
    ),
)
SOUGHT = _define(
    "sought",
    Statement(
        sp.Eq(inner(y, sought(x, Q_mat, K_mat, i)), score_slope(token(x, i), y, Q_mat, K_mat), evaluate=False),
        (x, y, Q_mat, K_mat, i),
    ),
)
HEADING_UNIT = _define("heading-unit", Statement(sp.Eq(norm(heading(x)), 1, evaluate=False), (x,)))
HEADING_ALONG = _define("heading-along", Statement(sp.Eq(inner(x, heading(x)), norm(x), evaluate=False), (x,)))
LEADER = _define(
    "leader",
    Statement(
        sp.Le(
            led(x, Q_mat, K_mat, direction, i),
            led(x, Q_mat, K_mat, direction, leader(x, Q_mat, K_mat, direction)),
            evaluate=False,
        ),
        (x, direction, Q_mat, K_mat, i),
        _token_range,
    ),
)
LEADER_INDEX = _define(
    "leader-index",
    Statement(sp.Le(leader(x, Q_mat, K_mat, direction), n - 1, evaluate=False), (x, direction, Q_mat, K_mat)),
)
VALUE_TOKEN = _define(
    "value-token",
    Statement(
        sp.Eq(norm(token(value(V_mat, x), i)), token_norm(value(V_mat, token(x, i))), evaluate=False), (x, V_mat, i)
    ),
)
TOKEN_ALONE = _define(
    "token-alone", Statement(sp.Eq(token_norm(token(x, i)), norm(token(x, i)), evaluate=False), (x, i))
)
MASK = _define("mask", Statement(sp.Ge(visible(i, j), 0, evaluate=False), (i, j)))
TOKEN_SIZE = _define(
    "token-size", Statement(sp.Le(norm(token(x, i)), token_norm(x), evaluate=False), (x, i), _token_range)
)
LONGEST_TOKEN = _define(
    "longest-token", Statement(sp.Eq(token_norm(x), norm(token(x, longest(x))), evaluate=False), (x,))
)
LONGEST_INDEX = _define("longest-index", Statement(sp.Le(longest(x), n - 1, evaluate=False), (x,)))
TOKEN_LINEAR = _define(
    "token-linear", Statement(sp.Eq(norm(token(x - y, i)), norm(token(x, i) - token(y, i)), evaluate=False), (x, y, i))
)
FROBENIUS = _define(
    "frobenius", Statement(sp.Eq(norm(x) ** 2, SumOver(norm(token(x, j)) ** 2, j, n), evaluate=False), (x,))
)
