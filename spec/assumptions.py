"""Every named assumption of the theory, once."""

import sympy as sp

from spec import symbols as S
from spec.language.assumption import Assumption, Assumptions
from spec.language.functions import Entry, SumOver, expectation, gauge, inner, norm, token_norm
from spec.language.template import Statement
from spec.objects.attention import key, output, query, value, weight
from spec.objects.blocks import ball
from spec.objects.cover import coord
from spec.objects.flow import F, X, theta, zeta
from spec.objects.loss import label, loss, outcome, outcome_eps, peak, readout
from spec.objects.normalisation import gain, shift
from spec.objects.perceptron import inward, outward, sigma
from spec.objects.risk import J_N, J, J_epsN, fixed, input_of, member, near, nearest, sees, sup_dist, trained, value_of

ASSUMPTIONS = Assumptions()
_add = ASSUMPTIONS.add

_F, _theta, _zeta = F, theta, zeta
_loss = loss(outcome(S.vartheta, S.j), label(S.j))
_depths = (sp.Le(S.s, S.t, evaluate=False), sp.Le(S.t, S.T, evaluate=False))


def _le(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


def _in_range(*states: sp.Expr) -> tuple[sp.Rel, ...]:
    return tuple(_le(token_norm(state), S.R_T) for state in states)


def _equal(left: sp.Expr, right: sp.Expr) -> sp.Rel:
    return sp.Eq(left, right, evaluate=False)


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
    Statement(_le(token_norm(X(0)), S.R_0)),
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
    Statement(_le(peak(outcome(S.vartheta, S.j)), S.B), (S.vartheta, S.j)),
)
SAMPLES_BOUNDED: Assumption = _add(
    "samples-bounded",
    "The inputs of all samples lie in K_{R_0}.",
    Statement(_le(token_norm(input_of(S.j)), S.R_0), (S.j,)),
)
CONTROLS_ADMISSIBLE: Assumption = _add(
    "controls-admissible",
    "All controls that are compared take values in Θ.",
    Statement(_le(gauge(value_of(S.vartheta, S.t)), 1), (S.vartheta, S.t), (_le(S.t, S.T),)),
)
CONTROLS_LIPSCHITZ: Assumption = _add(
    "controls-lipschitz",
    "All controls that are spoken of are Lipschitz in depth with constant L_c.",
    Statement(
        _le(norm(value_of(S.vartheta, S.t) - value_of(S.vartheta, S.s)), S.L_c * (S.t - S.s)),
        (S.vartheta, S.s, S.t),
        _depths,
    ),
)
CONTROL_FIXED: Assumption = _add(
    "control-fixed",
    "Controls are fixed before the sample, each by its index: a control sees the sample only if its index does.",
    Statement(_equal(sees(member(S.i)), 0), (S.i,), fixed(S.i)),
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
        fixed(S.vartheta, S.v),
    ),
)
SAMPLES_FROM_POPULATION: Assumption = _add(
    "samples-from-population",
    "Every sample is drawn from the population: the expected loss of a fixed control is its risk.",
    Statement(_equal(expectation(_loss), J(S.vartheta)), (S.vartheta, S.j), fixed(S.vartheta, S.j)),
)


def _of_head(*blocks: sp.Expr) -> tuple[sp.Rel, ...]:
    """Say that blocks lie in the balls of head h."""
    return tuple(_le(ball(block, S.h), 1) for block in blocks)


_weights = weight(S.x, S.Q_mat, S.K_mat, S.i, S.j)
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
    Statement(_le(norm(query(S.Q_mat, S.x)), Entry(S.rho_Q, S.h) * norm(S.x)), (S.x, S.Q_mat, S.h), _of_head(S.Q_mat)),
)
KEY_BALL: Assumption = _add(
    "key-ball",
    "K_h lies in its ball: |K_h v| ≤ ρ_K |v|.",
    Statement(_le(norm(key(S.K_mat, S.x)), Entry(S.rho_K, S.h) * norm(S.x)), (S.x, S.K_mat, S.h), _of_head(S.K_mat)),
)
SCORE_BALL: Assumption = _add(
    "score-ball",
    "The product Q_hᵀK_h/√d_k lies in its ball: |⟨Q_h v, K_h w⟩|/√d_k ≤ ρ_A |v||w|.",
    Statement(
        _le(
            sp.Abs(inner(query(S.Q_mat, S.x), key(S.K_mat, S.y))) / sp.sqrt(S.d_k),
            Entry(S.rho_A, S.h) * norm(S.x) * norm(S.y),
        ),
        (S.x, S.y, S.Q_mat, S.K_mat, S.h),
        _of_head(S.Q_mat, S.K_mat),
    ),
)
VALUE_BALL: Assumption = _add(
    "value-ball",
    "V_h lies in its ball: no token grows by more than ρ_V under V_h.",
    Statement(
        _le(token_norm(value(S.V_mat, S.x)), Entry(S.rho_V, S.h) * token_norm(S.x)),
        (S.x, S.V_mat, S.h),
        _of_head(S.V_mat),
    ),
)
OUTPUT_TOKENS: Assumption = _add(
    "output-tokens",
    "O_h lies in its ball: no token grows by more than ρ_O under O_h.",
    Statement(
        _le(token_norm(output(S.O_mat, S.x)), Entry(S.rho_O, S.h) * token_norm(S.x)),
        (S.x, S.O_mat, S.h),
        _of_head(S.O_mat),
    ),
)
OUTPUT_BALL: Assumption = _add(
    "output-ball",
    "O_h lies in its ball: |O_h x − O_h y| ≤ ρ_O |x − y|.",
    Statement(
        _le(norm(output(S.O_mat, S.x) - output(S.O_mat, S.y)), Entry(S.rho_O, S.h) * norm(S.x - S.y)),
        (S.x, S.y, S.O_mat, S.h),
        _of_head(S.O_mat),
    ),
)


def _transfer(state: sp.Expr) -> sp.Expr:
    return output(S.O_mat, value(S.V_mat, state))


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
    "The control is L_c-Lipschitz up to a part of pointwise variation V_θ: what it changes within the layers' cells "
    "beyond L_c times the depth passed sums to at most V_θ.",
    Statement(_le(SumOver(Entry(S.W_theta, S.j), S.j, S.K), S.V_theta)),
)
SCHEDULE_VARIATION: Assumption = _add(
    "schedule-bounded-variation",
    "The schedule is L_ζ-Lipschitz up to a part of pointwise variation V_ζ: what it changes within the layers' cells "
    "beyond L_ζ times the depth passed sums to at most V_ζ.",
    Statement(_le(SumOver(Entry(S.W_zeta, S.j), S.j, S.K), S.V_zeta)),
)
READOUT_LIPSCHITZ: Assumption = _add(
    "readout-lipschitz",
    "The readout is Lipschitz on K_{R_T} with constant L_H.",
    Statement(_le(norm(readout(S.x) - readout(S.y)), S.L_H * norm(S.x - S.y)), (S.x, S.y), _in_range(S.x, S.y)),
)
BOUNDED_LAYERED_LOGITS: Assumption = _add(
    "bounded-layered-logits",
    "The logits of the Transformer lie in the box [−B, B] too.",
    Statement(_le(peak(outcome_eps(S.vartheta, S.j)), S.B), (S.vartheta, S.j)),
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
                X(_layer_depth + S.eps)
                - X(_layer_depth)
                - S.eps * _zeta(_layer_depth) * _F(X(_layer_depth), _theta(_layer_depth))
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
    Statement(_le(sp.Abs(coord(S.t)), S.rho), (S.t,), (_le(S.t, S.T),)),
)
CLASS_COVERED: Assumption = _add(
    "class-covered",
    "Every control of the class is r-close, in the sup norm, to one of the centres.",
    Statement(_le(sup_dist(S.vartheta, member(nearest(S.vartheta))), S.r), (S.vartheta,)),
)
DEPTH_UNIFORM: Assumption = _add(
    "depth-uniform",
    "The depth error of the empirical risk is at most Δ_ε for every control of the class.",
    Statement(_le(sp.Abs(J_epsN(S.vartheta) - J_N(S.vartheta)), S.Delta_eps), (S.vartheta,)),
)
SAMPLING_UNIFORM: Assumption = _add(
    "sampling-uniform",
    "The sample is one of those where the sampling error is at most Δ_N for every control of the class.",
    Statement(_le(sp.Abs(J_N(S.vartheta) - J(S.vartheta)), S.Delta_N), (S.vartheta,)),
)
TRAINED: Assumption = _add(
    "trained",
    "Training comes within `gap` of the least empirical risk of the Transformer over the class.",
    Statement(_le(J_epsN(trained(S.eps)), J_epsN(S.vartheta) + S.gap), (S.vartheta,)),
)
CLASS_APPROXIMATES: Assumption = _add(
    "class-approximates",
    "The class comes within η of the infimum: some control of it has a risk below inf J + η + w, whatever w > 0.",
    Statement(_le(J(near(S.w)), S.J_star + S.eta + S.w), (S.w,), (sp.Gt(S.w, 0, evaluate=False),)),
)
INWARD_BALL: Assumption = _add(
    "inward-ball",
    "W1 lies in its ball: |W1 x − W1 y| ≤ ρ_W1 |x − y|.",
    Statement(
        _le(norm(inward(S.W1_mat, S.x) - inward(S.W1_mat, S.y)), S.rho_W1 * norm(S.x - S.y)),
        (S.x, S.y, S.W1_mat),
        _admissible(S.W1_mat),
    ),
)
INWARD_TOKENS: Assumption = _add(
    "inward-tokens",
    "W1 lies in its ball: no token grows by more than ρ_W1 under it.",
    Statement(
        _le(token_norm(inward(S.W1_mat, S.x)), S.rho_W1 * token_norm(S.x)), (S.x, S.W1_mat), _admissible(S.W1_mat)
    ),
)
OUTWARD_BALL: Assumption = _add(
    "outward-ball",
    "W2 lies in its ball: |W2 z − W2 z'| ≤ ρ_W2 |z − z'|.",
    Statement(
        _le(norm(outward(S.W2_mat, S.hid) - outward(S.W2_mat, S.hid_alt)), S.rho_W2 * norm(S.hid - S.hid_alt)),
        (S.hid, S.hid_alt, S.W2_mat),
        _admissible(S.W2_mat),
    ),
)
OUTWARD_TOKENS: Assumption = _add(
    "outward-tokens",
    "W2 lies in its ball: no token's hidden values grow by more than ρ_W2 under it.",
    Statement(
        _le(token_norm(outward(S.W2_mat, S.hid)), S.rho_W2 * token_norm(S.hid)),
        (S.hid, S.W2_mat),
        _admissible(S.W2_mat),
    ),
)
FIRST_BIAS_BALL: Assumption = _add(
    "first-bias-ball",
    "b1 lies in its ball: |b1| ≤ β_1.",
    Statement(_le(norm(S.b1_vec), S.beta_1), (S.b1_vec,), _admissible(S.b1_vec)),
)
SECOND_BIAS_BALL: Assumption = _add(
    "second-bias-ball",
    "b2 lies in its ball: |b2| ≤ β_2.",
    Statement(_le(norm(S.b2_vec), S.beta_2), (S.b2_vec,), _admissible(S.b2_vec)),
)
ACTIVATION_LIPSCHITZ: Assumption = _add(
    "activation-lipschitz",
    "The activation is Lipschitz with constant s_1.",
    Statement(_le(norm(sigma(S.hid) - sigma(S.hid_alt)), S.s_1 * norm(S.hid - S.hid_alt)), (S.hid, S.hid_alt)),
)
ACTIVATION_CONTRACTS: Assumption = _add(
    "activation-contracts",
    "The activation lies below the identity: |σ(w)| ≤ |w|, so σ(0) = 0.",
    Statement(_le(token_norm(sigma(S.hid)), token_norm(S.hid)), (S.hid,)),
)
GAIN_BOUNDED: Assumption = _add(
    "gain-bounded",
    "No gain of the normalisation exceeds γ_max in absolute value: |γ ⊙ v| ≤ γ_max |v|.",
    Statement(_le(norm(gain(S.omega)), S.gamma_max * norm(S.omega)), (S.omega,)),
)
SHIFT_BOUNDED: Assumption = _add(
    "shift-bounded",
    "The normalisation's shift is no longer than β_norm.",
    Statement(_le(norm(shift(S.d)), S.beta_norm)),
)


def _normalised(*states: sp.Expr) -> tuple[sp.Rel, ...]:
    return tuple(_le(token_norm(state), S.R_norm) for state in states)


NORMED_FIELD_BOUNDED: Assumption = _add(
    "normed-field-bounded",
    "The field behind a normalisation is bounded by M on K_R × Θ, R = γ_max √d + β_norm.",
    Statement(_le(norm(_F(S.x, S.vartheta)), S.M), (S.x, S.vartheta), (*_normalised(S.x), *_admissible(S.vartheta))),
)
NORMED_FIELD_LIPSCHITZ: Assumption = _add(
    "normed-field-lipschitz",
    "The field behind a normalisation is Lipschitz in the state on K_R, R = γ_max √d + β_norm, uniformly over Θ, with "
    "constant L_x.",
    Statement(
        _le(norm(_F(S.x, S.vartheta) - _F(S.y, S.vartheta)), S.L_x * norm(S.x - S.y)),
        (S.x, S.y, S.vartheta),
        (*_normalised(S.x, S.y), *_admissible(S.vartheta)),
    ),
)
