"""The perceptron: what its blocks do to tokens."""

import sympy as sp

from spec.language.dimension import DEPTH, STATE
from spec.language.functions import norm, token_norm
from spec.language.template import Statement
from spec.symbols import VOCABULARY, W2_alt, W2_mat, b1_alt, b1_vec, b2_alt, b2_vec, hid, n

_function = VOCABULARY.function
_define = VOCABULARY.define

inward = _function("inward", r"\operatorname{inward}", "W1 times every token", vector=True, arity=2)
sigma = _function("sigma", r"\sigma", "the activation, entry by entry", vector=True)
outward = _function(
    "outward", r"\operatorname{outward}", "W2 times every token's hidden values", STATE / DEPTH, vector=True, arity=2
)
spread_1 = _function("spread_1", r"\operatorname{spread}", "b1 at every token", vector=True)
spread_2 = _function("spread_2", r"\operatorname{spread}", "b2 at every token", STATE / DEPTH, vector=True)


def mlp(state: sp.Expr, W1: sp.Expr, b1: sp.Expr, W2: sp.Expr, b2: sp.Expr) -> sp.Expr:
    """Return W2 σ(W1 x + b1) + b2, token by token."""
    return outward(W2, sigma(inward(W1, state) + spread_1(b1))) + spread_2(b2)


_define(
    "outward-change",
    Statement(
        sp.Le(norm(outward(W2_mat, hid) - outward(W2_alt, hid)), norm(W2_mat - W2_alt) * norm(hid), evaluate=False),
        (W2_mat, W2_alt, hid),
    ),
)
_define(
    "first-bias-change",
    Statement(
        sp.Eq(norm(spread_1(b1_vec) - spread_1(b1_alt)), sp.sqrt(n) * norm(b1_vec - b1_alt), evaluate=False),
        (b1_vec, b1_alt),
    ),
)
_define(
    "second-bias-change",
    Statement(
        sp.Eq(norm(spread_2(b2_vec) - spread_2(b2_alt)), sp.sqrt(n) * norm(b2_vec - b2_alt), evaluate=False),
        (b2_vec, b2_alt),
    ),
)
_define("first-bias-size", Statement(sp.Eq(token_norm(spread_1(b1_vec)), norm(b1_vec), evaluate=False), (b1_vec,)))
_define("second-bias-size", Statement(sp.Eq(token_norm(spread_2(b2_vec)), norm(b2_vec), evaluate=False), (b2_vec,)))
