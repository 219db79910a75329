"""Every named assumption of the theory, once."""

import sympy as sp

from spec import symbols as S
from spec.language.assumption import Assumption, Assumptions
from spec.language.functions import Entry, SumOver, expectation, gauge, norm, token_norm
from spec.language.template import Statement

ASSUMPTIONS = Assumptions()
_add = ASSUMPTIONS.add

_F, _theta, _zeta = S.F, S.theta, S.zeta
_loss = S.loss(S.outcome(S.vartheta, S.j), S.label(S.j))
_depths = (sp.Le(S.s, S.t, evaluate=False), sp.Le(S.t, S.T, evaluate=False))


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


def _in_range(*states: sp.Expr) -> tuple[sp.Rel, ...]:
    return tuple(_le(token_norm(state), S.R_T) for state in states)


def _equal(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Eq(left, right, evaluate=False)


def _fixed(*things: sp.Expr) -> tuple[sp.Rel, ...]:
    """Say that things are fixed before the sample."""
    return tuple(_equal(S.sees(thing), 0) for thing in things)


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
BOUNDED_LOGITS: Assumption = _add(
    "bounded-logits",
    "Logits lie in the box [−B, B]^C: those of every sample, under every control that is considered.",
    Statement(_le(S.peak(S.outcome(S.vartheta, S.j)), S.B), (S.vartheta, S.j)),
)
CONTROL_FIXED: Assumption = _add(
    "control-fixed",
    "Controls are fixed before the sample, each by its index: a control sees the sample only if its index does.",
    Statement(_equal(S.sees(S.member(S.i)), 0), (S.i,), _fixed(S.i)),
)
SAMPLES_INDEPENDENT: Assumption = _add(
    "samples-independent",
    "The samples are independent: so are the losses of a fixed control, whose cumulant generating functions add up.",
    Statement(
        _equal(
            sp.log(expectation(sp.exp(S.v * SumOver(_loss, S.j, S.N)))),
            SumOver(sp.log(expectation(sp.exp(S.v * _loss))), S.j, S.N),
        ),
        (S.vartheta, S.v),
        _fixed(S.vartheta),
    ),
)
SAMPLES_FROM_POPULATION: Assumption = _add(
    "samples-from-population",
    "Every sample is drawn from the population: the expected loss of a fixed control is its risk.",
    Statement(_equal(expectation(_loss), S.J(S.vartheta)), (S.vartheta, S.j), _fixed(S.vartheta)),
)


def _of_head(*blocks: sp.Expr) -> tuple[sp.Rel, ...]:
    """Say that blocks lie in the balls of head h."""
    return tuple(_le(S.ball(block, S.h), 1) for block in blocks)


_weights = S.weight(S.x, S.Q_mat, S.K_mat, S.i, S.j)
VISIBLE_KEY: Assumption = _add(
    "visible-key",
    "Every token looks at one token at least.",
    Statement(
        sp.Gt(SumOver(_weights, S.j, S.n), 0, evaluate=False), (S.x, S.Q_mat, S.K_mat, S.i), (_le(S.i, S.n - 1),)
    ),
)
QUERY_BALL: Assumption = _add(
    "query-ball",
    "Q_h lies in its ball: |Q_h v| ≤ ρ_Q |v|.",
    Statement(
        _le(norm(S.query(S.Q_mat, S.x)), Entry(S.rho_Q, S.h) * norm(S.x)), (S.x, S.Q_mat, S.h), _of_head(S.Q_mat)
    ),
)
KEY_BALL: Assumption = _add(
    "key-ball",
    "K_h lies in its ball: |K_h v| ≤ ρ_K |v|.",
    Statement(_le(norm(S.key(S.K_mat, S.x)), Entry(S.rho_K, S.h) * norm(S.x)), (S.x, S.K_mat, S.h), _of_head(S.K_mat)),
)
VALUE_BALL: Assumption = _add(
    "value-ball",
    "V_h lies in its ball: no token grows by more than ρ_V under V_h.",
    Statement(
        _le(token_norm(S.value(S.V_mat, S.x)), Entry(S.rho_V, S.h) * token_norm(S.x)),
        (S.x, S.V_mat, S.h),
        _of_head(S.V_mat),
    ),
)
OUTPUT_BALL: Assumption = _add(
    "output-ball",
    "O_h lies in its ball: |O_h x − O_h y| ≤ ρ_O |x − y|.",
    Statement(
        _le(norm(S.output(S.O_mat, S.x) - S.output(S.O_mat, S.y)), Entry(S.rho_O, S.h) * norm(S.x - S.y)),
        (S.x, S.y, S.O_mat, S.h),
        _of_head(S.O_mat),
    ),
)


def _transfer(state: sp.Expr) -> sp.Expr:
    return S.output(S.O_mat, S.value(S.V_mat, state))


TRANSFER_TOKENS: Assumption = _add(
    "transfer-tokens",
    "The product O_h V_h lies in its ball: no token grows by more than ρ_OV under it.",
    Statement(
        _le(token_norm(_transfer(S.x)), Entry(S.rho_OV, S.h) * token_norm(S.x)),
        (S.x, S.V_mat, S.O_mat, S.h),
        _of_head(S.V_mat, S.O_mat),
    ),
)
TRANSFER_BALL: Assumption = _add(
    "transfer-ball",
    "The product O_h V_h lies in its ball: |O_h V_h x − O_h V_h y| ≤ ρ_OV |x − y|.",
    Statement(
        _le(norm(_transfer(S.x) - _transfer(S.y)), Entry(S.rho_OV, S.h) * norm(S.x - S.y)),
        (S.x, S.y, S.V_mat, S.O_mat, S.h),
        _of_head(S.V_mat, S.O_mat),
    ),
)
CONTROL_VARIATION: Assumption = _add(
    "control-bounded-variation",
    "The control is L_c-Lipschitz up to a part of pointwise variation V_θ: what it changes within the layers' cells beyond "
    "L_c times the depth passed sums to at most V_θ.",
    Statement(_le(SumOver(Entry(S.W_theta, S.j), S.j, S.K), S.V_theta)),
)
SCHEDULE_VARIATION: Assumption = _add(
    "schedule-bounded-variation",
    "The schedule is L_ζ-Lipschitz up to a part of pointwise variation V_ζ: what it changes within the layers' cells beyond "
    "L_ζ times the depth passed sums to at most V_ζ.",
    Statement(_le(SumOver(Entry(S.W_zeta, S.j), S.j, S.K), S.V_zeta)),
)
_layer, _layer_depth = (_le(S.k, S.K - 1),), S.k * S.eps
LAYER_SCHEDULE: Assumption = _add(
    "layer-schedule",
    "Each layer has its own bound of the schedule: |ζ(t_k)| ≤ |ζ|_(k).",
    Statement(_le(sp.Abs(_zeta(_layer_depth)), Entry(S.zeta_k, S.k)), (S.k,), _layer),
)
LAYER_LIPSCHITZ: Assumption = _add(
    "layer-lipschitz",
    "Each layer's field is Lipschitz in the state on K_{R_T} with a constant L_(k) of its own.",
    Statement(
        _le(norm(_F(S.x, _theta(_layer_depth)) - _F(S.y, _theta(_layer_depth))), Entry(S.L_k, S.k) * norm(S.x - S.y)),
        (S.x, S.y, S.k),
        (*_in_range(S.x, S.y), *_layer),
    ),
)
LAYER_TRUNCATION: Assumption = _add(
    "layer-truncation",
    "Each layer, started on the flow, misses it by at most τ_(k).",
    Statement(
        _le(
            norm(
                S.X(_layer_depth + S.eps)
                - S.X(_layer_depth)
                - S.eps * _zeta(_layer_depth) * _F(S.X(_layer_depth), _theta(_layer_depth))
            ),
            Entry(S.tau_k, S.k),
        ),
        (S.k,),
        _layer,
    ),
)
CONTROL_IN_CUBE: Assumption = _add(
    "control-in-cube",
    "The control takes values in the cube [−ρ, ρ]^p.",
    Statement(_le(sp.Abs(S.coord(S.t)), S.rho), (S.t,), (_le(S.t, S.T),)),
)
