"""Covers: a coordinate of a control, followed by a centre that moves up or down in every cell."""

import sympy as sp

from spec.language.dimension import CONTROL
from spec.language.functions import norm
from spec.language.template import Statement
from spec.objects.flow import theta
from spec.symbols import VOCABULARY, L_c, cell, cells, k, r_inf, rho, s, t

_function = VOCABULARY.function
_define = VOCABULARY.define

# Covers: a coordinate of a control, followed by a centre that moves up or down in every cell.
coord = _function("coord", "f", "a coordinate of the control", CONTROL, vector=False)
centre = _function("centre", "g", "the coordinate's centre, before it is clipped to the cube", CONTROL, vector=False)
turn = _function("turn", r"\sigma", "1 where the centre moves up in a cell, -1 where it moves down", vector=False)
_moving = (sp.Ge(t, k * cell), sp.Le(t, k * cell + cell), sp.Le(k, cells - 1))
COORDINATE = _define(
    "coordinate", Statement(sp.Le(sp.Abs(coord(t) - coord(s)), norm(theta(t) - theta(s)), evaluate=False), (s, t))
)
CENTRE_START = _define(
    "centre-start",
    Statement(
        sp.Eq(centre(0), r_inf * (2 * sp.Max(1, sp.ceiling((coord(0) + rho) / (2 * r_inf))) - 1) - rho, evaluate=False)
    ),
)
CENTRE_SLOPE = _define(
    "centre-slope",
    Statement(sp.Eq(centre(t) - centre(k * cell), turn(k) * L_c * (t - k * cell), evaluate=False), (k, t), _moving),
)
TURN = _define("turn", Statement(sp.Eq(turn(k) ** 2, 1, evaluate=False), (k,)))
TURN_TOWARDS = _define(
    "turn-towards",
    Statement(
        sp.Ge(turn(k) * (coord(k * cell + cell) - centre(k * cell)), 0, evaluate=False), (k,), (sp.Le(k, cells - 1),)
    ),
)
