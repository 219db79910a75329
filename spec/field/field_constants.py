"""The constants of the whole Transformer field: its size, and how it moves with the state and with the control.

Heads are added to the perceptron one by one; blocks change one by one, while the others stay in their balls.
"""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field._assembly import (
    BETWEEN_CONTROLS,
    CLASS,
    CONSTANTS,
    CONTROL_FACTS,
    HEAD,
    HEAD_BLOCKS,
    HEAD_RANGE,
    MEANS,
    MLP,
    MLP_BLOCKS,
    MOVED,
    OTHER_CLASS,
    RADIUS,
    TRANSFER,
)
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.field.attention_lipschitz import THEOREM as ATTENTION_LIPSCHITZ
from spec.field.attention_parameters import THEOREM as ATTENTION_PARAMETERS
from spec.field.mlp_constants import THEOREM as MLP_CONSTANTS
from spec.language.functions import Entry, Ratio, norm, token_norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.attention import mix
from spec.objects.blocks import assembled
from spec.objects.flow import F
from spec.symbols import L_A, VOCABULARY, L_theta, L_x, M, R, g_x, h, heads, j, m_x, rho_OV, varphi, vartheta, x, y

__all__ = ["CONSTANTS", "FACTS", "THEOREM"]

_both_radii = (RADIUS, sp.Le(token_norm(y), R))


_own = HEAD.at(vartheta)


def _steps(control: sp.Expr) -> sp.Lambda:
    return sp.Lambda(j, assembled(x, control, j))


_GROWTH = (
    inequality(
        "head-size",
        sp.Le(token_norm(HEAD.of(x, vartheta)), Entry(rho_OV, h) * R),
        use("V-in-class"),
        use("O-in-class"),
        use("transfer-tokens", x=mix(x, _own["Q_mat"], _own["K_mat"]), V_mat=_own["V_mat"], O_mat=_own["O_mat"]),
        use("mean-size", Q_mat=_own["Q_mat"], K_mat=_own["K_mat"]),
        free=(x, vartheta, h),
        given=(RADIUS, CLASS, HEAD_RANGE),
    ),
    identity(
        "head-added",
        sp.Eq(token_norm(assembled(x, vartheta, h + 1) - assembled(x, vartheta, h)), token_norm(HEAD.of(x, vartheta))),
        use("next-head"),
        free=(x, vartheta, h),
        given=(HEAD_RANGE,),
    ),
    cited(
        "heads-size",
        results.TOKEN_PARTIAL_SUMS,
        {results.f_: _steps(vartheta), results.g_: sp.Lambda(j, TRANSFER * R), results.k_: heads},
        use("head-added", h=j),
        use("head-size", h=j),
        free=(x, vartheta),
        given=(RADIUS, CLASS),
    ),
    identity(
        "field-tokens",
        sp.Eq(token_norm(F(x, vartheta)), token_norm(assembled(x, vartheta, heads))),
        use("whole-field"),
        free=(x, vartheta),
    ),
    identity(
        "mlp-tokens",
        sp.Eq(token_norm(assembled(x, vartheta, 0)), token_norm(MLP.of(x, vartheta))),
        use("mlp-first"),
        free=(x, vartheta),
    ),
    cited(
        "transfers",
        results.SUM_SCALED,
        {
            results.p_: sp.Lambda(j, TRANSFER),
            results.f_: sp.Lambda(j, TRANSFER * R),
            results.g_: sp.Lambda(j, sp.Integer(1)),
            results.c_: R,
            results.k_: heads,
        },
    ),
    inequality(
        "growth",
        sp.Le(token_norm(F(x, vartheta)), CONSTANTS[g_x] * R + CONSTANTS[m_x]),
        use("field-tokens"),
        use("mlp-tokens"),
        use("heads-size"),
        use("transfers"),
        *MLP.members(vartheta),
        use("mlp-size", **MLP.at(vartheta)),
        free=(x, vartheta),
        given=(RADIUS, CLASS),
    ),
    cited("all-tokens", results.ALL_TOKENS, {results.v1_: F(x, vartheta)}, free=(x, vartheta)),
    inequality(
        "bound",
        sp.Le(norm(F(x, vartheta)), CONSTANTS[M]),
        use("all-tokens"),
        use("growth"),
        free=(x, vartheta),
        given=(RADIUS, CLASS),
    ),
)

_apart = sp.Gt(norm(x - y), 0)
_between_states = (x, y, vartheta)


def _state_change(depth: sp.Expr) -> sp.Expr:
    return assembled(x, vartheta, depth) - assembled(y, vartheta, depth)


_STATE = (
    inequality(
        "head-state",
        sp.Le(norm(HEAD.of(x, vartheta) - HEAD.of(y, vartheta)), Entry(rho_OV, h) * Entry(L_A, h) * norm(x - y)),
        *HEAD.members(vartheta),
        use(
            "transfer-ball",
            x=mix(x, _own["Q_mat"], _own["K_mat"]),
            y=mix(y, _own["Q_mat"], _own["K_mat"]),
            V_mat=_own["V_mat"],
            O_mat=_own["O_mat"],
        ),
        use("means", Q_mat=_own["Q_mat"], K_mat=_own["K_mat"]),
        free=(*_between_states, h),
        given=(*_both_radii, CLASS, HEAD_RANGE, _apart),
    ),
    identity(
        "head-added-state",
        sp.Eq(norm(_state_change(h + 1) - _state_change(h)), norm(HEAD.of(x, vartheta) - HEAD.of(y, vartheta))),
        use("next-head"),
        use("next-head", x=y),
        free=(*_between_states, h),
        given=(HEAD_RANGE,),
    ),
    cited(
        "heads-state",
        results.PARTIAL_SUMS,
        {
            results.f_: sp.Lambda(j, _state_change(j)),
            results.g_: sp.Lambda(j, TRANSFER * MEANS * norm(x - y)),
            results.k_: heads,
        },
        use("head-added-state", h=j),
        use("head-state", h=j),
        free=_between_states,
        given=(*_both_radii, CLASS, _apart),
    ),
    identity(
        "field-state",
        sp.Eq(norm(F(x, vartheta) - F(y, vartheta)), norm(_state_change(heads))),
        use("whole-field"),
        use("whole-field", x=y),
        free=_between_states,
    ),
    identity(
        "mlp-first-state",
        sp.Eq(norm(_state_change(sp.Integer(0))), norm(MLP.of(x, vartheta) - MLP.of(y, vartheta))),
        use("mlp-first"),
        use("mlp-first", x=y),
        free=_between_states,
    ),
    cited(
        "transfers-state",
        results.SUM_SCALED,
        {
            results.p_: sp.Lambda(j, TRANSFER),
            results.f_: sp.Lambda(j, TRANSFER * norm(x - y)),
            results.g_: sp.Lambda(j, MEANS),
            results.c_: norm(x - y),
            results.k_: heads,
        },
        free=(x, y),
    ),
    inequality(
        "state",
        sp.Le(Ratio(norm(F(x, vartheta) - F(y, vartheta)), norm(x - y)), CONSTANTS[L_x]),
        use("field-state"),
        use("mlp-first-state"),
        use("heads-state"),
        use("transfers-state"),
        use("W1-in-class"),
        use("W2-in-class"),
        use("mlp-state", **MLP.at(vartheta)),
        free=_between_states,
        given=(*_both_radii, CLASS, _apart),
    ),
)
FACTS = (
    assumed(H.TRANSFER_TOKENS),
    assumed(H.TRANSFER_BALL),
    ATTENTION_BOUNDED.premise("mean-size", "mixing"),
    ATTENTION_LIPSCHITZ.premise("means", "means"),
    *(ATTENTION_PARAMETERS.premise(block.claim, block.claim) for block in HEAD_BLOCKS),
    MLP_CONSTANTS.premise("mlp-size", "size"),
    MLP_CONSTANTS.premise("mlp-state", "state"),
    *(MLP_CONSTANTS.premise(block.claim, block.claim) for block in MLP_BLOCKS),
    definition("mlp-first", VOCABULARY),
    definition("next-head", VOCABULARY),
    definition("whole-field", VOCABULARY),
    *(definition(f"{block.name}-in-class", VOCABULARY) for block in (*HEAD_BLOCKS, *MLP_BLOCKS)),
    definition("control-norm", VOCABULARY),
    *_GROWTH,
    *_STATE,
    *CONTROL_FACTS,
    inequality(
        "control",
        sp.Le(Ratio(norm(F(x, vartheta) - F(x, varphi)), norm(vartheta - varphi)), CONSTANTS[L_theta]),
        use("field-control"),
        use("mlp-first-control"),
        use("heads-control"),
        use("mlp-control"),
        use("all-cauchy"),
        use("control-norm"),
        free=BETWEEN_CONTROLS,
        given=(RADIUS, CLASS, OTHER_CLASS, MOVED),
    ),
)
_ASSUMPTIONS = (
    H.VISIBLE_KEY, H.QUERY_BALL, H.KEY_BALL, H.SCORE_BALL, H.VALUE_BALL, H.OUTPUT_BALL,
    H.TRANSFER_TOKENS, H.TRANSFER_BALL, H.INWARD_BALL, H.INWARD_TOKENS, H.OUTWARD_BALL, H.OUTWARD_TOKENS,
    H.FIRST_BIAS_BALL, H.SECOND_BIAS_BALL, H.ACTIVATION_LIPSCHITZ, H.ACTIVATION_CONTRACTS,
)  # fmt: skip
_measured = "impl.field.measured"
_state_quotient = Ratio(norm(F(x, vartheta) - F(y, vartheta)), norm(x - y))
_control_quotient = Ratio(norm(F(x, vartheta) - F(x, varphi)), norm(vartheta - varphi))
_at_one_control = (True, (x, vartheta), (RADIUS, CLASS))
THEOREM = Theorem(
    slug="field/field-constants",
    title="The constants of the Transformer field",
    source="mfc2026",
    assumptions=_ASSUMPTIONS,
    uses=(ATTENTION_BOUNDED, ATTENTION_LIPSCHITZ, ATTENTION_PARAMETERS, MLP_CONSTANTS),
    facts=FACTS,
    claims=(
        Claim(
            "bound",
            Measured("|F(x; ϑ)| on K_R × Θ", norm(F(x, vartheta)), f"{_measured}:size"),
            "<=",
            CONSTANTS[M],
            ("bound",),
            *_at_one_control,
        ),
        Claim(
            "state",
            Measured("|ΔF| / |Δx|", _state_quotient, f"{_measured}:quotient"),
            "<=",
            CONSTANTS[L_x],
            ("state",),
            tight=True,
            free=_between_states,
            given=(*_both_radii, CLASS, _apart),
        ),
        Claim(
            "control",
            Measured("|ΔF| / |Δϑ|", _control_quotient, f"{_measured}:quotient"),
            "<=",
            CONSTANTS[L_theta],
            ("control",),
            tight=True,
            free=BETWEEN_CONTROLS,
            given=(RADIUS, CLASS, OTHER_CLASS, MOVED),
        ),
        Claim(
            "growth",
            Measured("longest token of F(x; ϑ)", token_norm(F(x, vartheta)), f"{_measured}:longest"),
            "<=",
            CONSTANTS[g_x] * R + CONSTANTS[m_x],
            ("growth",),
            *_at_one_control,
        ),
    ),
    vocabulary=VOCABULARY,
)
