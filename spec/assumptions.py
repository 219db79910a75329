"""Every named assumption of the theory, once."""

import sympy as sp

from spec import symbols as S
from spec.language.assumption import Assumption, Assumptions
from spec.language.functions import gauge, norm, token_norm
from spec.language.template import Statement

ASSUMPTIONS = Assumptions()
_add = ASSUMPTIONS.add

_F, _theta, _zeta = S.F, S.theta, S.zeta
_depths = (sp.Le(S.s, S.t, evaluate=False), sp.Le(S.t, S.T, evaluate=False))


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


def _in_range(*states: sp.Expr) -> tuple[sp.Rel, ...]:
    return tuple(_le(token_norm(state), S.R_T) for state in states)


def _admissible(*controls: sp.Expr) -> tuple[sp.Rel, ...]:
    return tuple(_le(gauge(control), 1) for control in controls)


SCHEDULE_BOUNDED: Assumption = _add(
    "schedule-bounded",
    "The depth schedule is bounded: |ζ(t)| ≤ ζ̄ on [0, T].",
    Statement(_le(sp.Abs(_zeta(S.t)), S.zeta_bar), (S.t,), (_le(S.t, S.T),)),
)
SCHEDULE_LIPSCHITZ: Assumption = _add(
    "schedule-lipschitz",
    "The depth schedule is Lipschitz in depth with constant L_ζ.",
    Statement(_le(sp.Abs(_zeta(S.t) - _zeta(S.s)), S.L_zeta * (S.t - S.s)), (S.s, S.t), _depths),
)
CONTROL_ADMISSIBLE: Assumption = _add(
    "control-admissible",
    "The control takes values in Θ, convex, compact, containing 0.",
    Statement(_le(gauge(_theta(S.t)), 1), (S.t,), (_le(S.t, S.T),)),
)
CONTROL_LIPSCHITZ: Assumption = _add(
    "control-lipschitz",
    "The control is Lipschitz in depth with constant L_c.",
    Statement(_le(norm(_theta(S.t) - _theta(S.s)), S.L_c * (S.t - S.s)), (S.s, S.t), _depths),
)
INPUTS_BOUNDED: Assumption = _add(
    "inputs-bounded",
    "Inputs lie in K_{R_0}: every token has norm at most R_0.",
    Statement(_le(token_norm(S.X(0)), S.R_0)),
)
FIELD_GROWTH: Assumption = _add(
    "field-growth",
    "The field grows at most linearly, token by token: |F_i(x;ϑ)| ≤ g|x|_tok + m for ϑ ∈ Θ.",
    Statement(
        _le(token_norm(_F(S.x, S.vartheta)), S.g_x * token_norm(S.x) + S.m_x),
        (S.x, S.vartheta),
        _admissible(S.vartheta),
    ),
)
FIELD_BOUNDED: Assumption = _add(
    "field-bounded",
    "The field is bounded by M on K_{R_T} × Θ.",
    Statement(_le(norm(_F(S.x, S.vartheta)), S.M), (S.x, S.vartheta), (*_in_range(S.x), *_admissible(S.vartheta))),
)
FIELD_LIPSCHITZ: Assumption = _add(
    "field-lipschitz",
    "The field is Lipschitz in the state on K_{R_T}, uniformly over Θ, with constant L_x.",
    Statement(
        _le(norm(_F(S.x, S.vartheta) - _F(S.y, S.vartheta)), S.L_x * norm(S.x - S.y)),
        (S.x, S.y, S.vartheta),
        (*_in_range(S.x, S.y), *_admissible(S.vartheta)),
    ),
)
FIELD_LIPSCHITZ_CONTROL: Assumption = _add(
    "field-lipschitz-control",
    "The field is Lipschitz in the control on Θ, uniformly over K_{R_T}, with constant L_θ.",
    Statement(
        _le(norm(_F(S.x, S.vartheta) - _F(S.x, S.varphi)), S.L_theta * norm(S.vartheta - S.varphi)),
        (S.x, S.vartheta, S.varphi),
        (*_in_range(S.x), *_admissible(S.vartheta, S.varphi)),
    ),
)
