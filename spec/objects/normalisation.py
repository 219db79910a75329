"""Normalisation of tokens: LayerNorm and RMSNorm in one."""

import sympy as sp

from spec.language.dimension import STATE
from spec.language.functions import inner, norm
from spec.language.template import Statement
from spec.objects.attention import token
from spec.symbols import VOCABULARY, d, eps_norm, hid, hid_alt, i, j, n, x

_function = VOCABULARY.function
_define = VOCABULARY.define


_token_range, _key_range = (sp.Le(i, n - 1, evaluate=False),), (sp.Le(j, n - 1, evaluate=False),)
normed = _function("normed", r"\operatorname{norm}", "a state normalised token by token", STATE, vector=True)
axis = _function(
    "axis",
    "a",
    "what a normalisation takes out of tokens of width d: the unit vector (1, …, 1)/√d in LayerNorm, 0 in RMSNorm",
    vector=True,
)
centred = _function("centred", r"\operatorname{centred}", "a token without its part along the axis", STATE, vector=True)
deviation = _function(
    "deviation",
    r"\operatorname{dev}",
    "what a token is divided by: the root of ε plus its mean square after centring",
    STATE,
    vector=False,
)
scaled = _function("scaled", r"\operatorname{scaled}", "a token centred and divided by its deviation", vector=True)
gain = _function(
    "gain", r"\operatorname{gain}", "a scaled token times the gains, coordinate by coordinate", STATE, vector=True
)
shift = _function("shift", r"\beta", "what a normalisation adds to tokens of width d", STATE, vector=True)
shortest = _function(
    "shortest",
    r"\operatorname{shortest}",
    "the index of a token that is shortest after centring",
    vector=False,
    integer=True,
)
CENTRING = _define("centring", Statement(sp.Eq(centred(x), x - inner(axis(d), x) * axis(d), evaluate=False), (x,)))
AXIS_LENGTH = _define("axis-length", Statement(sp.Le(norm(axis(d)), 1, evaluate=False)))
GAIN_LINEAR = _define(
    "gain-linear",
    Statement(sp.Eq(norm(gain(hid) - gain(hid_alt)), norm(gain(hid - hid_alt)), evaluate=False), (hid, hid_alt)),
)
DEVIATION = _define(
    "deviation", Statement(sp.Eq(deviation(x), sp.sqrt(norm(centred(x)) ** 2 / d + eps_norm), evaluate=False), (x,))
)
SCALING = _define("scaling", Statement(sp.Eq(centred(x), deviation(x) * scaled(x), evaluate=False), (x,)))
NORMALISATION = _define(
    "normalisation",
    Statement(sp.Eq(token(normed(x), i), gain(scaled(token(x, i))) + shift(d), evaluate=False), (x, i), _token_range),
)
SHORTEST_TOKEN = _define(
    "shortest-token",
    Statement(
        sp.Le(norm(centred(token(x, shortest(x)))), norm(centred(token(x, i))), evaluate=False), (x, i), _token_range
    ),
)
