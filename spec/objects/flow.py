"""The flow and the Transformer: paths, field, control, schedule, and what defines them."""

import sympy as sp

from spec.language.dimension import CONTROL, DEPTH, STATE
from spec.language.functions import Entry, norm
from spec.language.template import Statement
from spec.symbols import VOCABULARY, K, L_c, L_zeta, T, W_theta, W_zeta, eps, k, s, t, u

_function = VOCABULARY.function
_define = VOCABULARY.define

# Objects of the theory.
X = _function("X", "X", "the flow", STATE, vector=True)
Xhat = _function("Xhat", r"\hat X", "the Transformer", STATE, vector=True)
F = _function("F", "F", "the field", STATE / DEPTH, vector=True, arity=2)
theta = _function("theta", r"\theta", "the control", CONTROL, vector=True)
zeta = _function("zeta", r"\zeta", "the depth schedule", vector=False)

_given_depths = (sp.Le(s, t, evaluate=False), sp.Le(t, T, evaluate=False))
FLOW = _define(
    "flow",
    Statement(
        sp.Eq(X(t) - X(s), sp.Integral(zeta(u) * F(X(u), theta(u)), (u, s, t)), evaluate=False), (s, t), _given_depths
    ),
)
TRANSFORMER = _define(
    "transformer",
    Statement(
        sp.Eq(Xhat(k + 1), Xhat(k) + eps * zeta(k * eps) * F(Xhat(k), theta(k * eps)), evaluate=False),
        (k,),
        (sp.Le(k, K - 1, evaluate=False),),
    ),
)
START = _define("start", Statement(sp.Eq(norm(Xhat(0) - X(0)), 0, evaluate=False)))
_in_cell = (sp.Le(k, K - 1, evaluate=False), sp.Ge(u, k * eps, evaluate=False), sp.Lt(u, k * eps + eps, evaluate=False))
CONTROL_IN_CELL = _define(
    "control-in-cell",
    Statement(
        sp.Le(norm(theta(u) - theta(k * eps)), L_c * (u - k * eps) + Entry(W_theta, k), evaluate=False),
        (k, u),
        _in_cell,
    ),
)
SCHEDULE_IN_CELL = _define(
    "schedule-in-cell",
    Statement(
        sp.Le(sp.Abs(zeta(u) - zeta(k * eps)), L_zeta * (u - k * eps) + Entry(W_zeta, k), evaluate=False),
        (k, u),
        _in_cell,
    ),
)
