"""How the perceptron moves with the state and with each of its blocks, and how steep the activations are."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field._activations import GELU, GELU_TANH, GELU_TOP, SILU, TANH, gate_facts, gelu_facts
from spec.language.functions import Ratio, gauge, norm, token_norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.perceptron import inward, mlp, outward, sigma, spread_1, spread_2
from spec.symbols import (
    L_W1,
    L_W2,
    VOCABULARY,
    L_b1,
    L_b2,
    R,
    W1_alt,
    W1_mat,
    W2_alt,
    W2_mat,
    b1_alt,
    b1_vec,
    b2_alt,
    b2_vec,
    beta_1,
    beta_2,
    rho_W1,
    rho_W2,
    s_1,
    v,
    w,
    x,
    y,
)

_before = inward(W1_mat, x) + spread_1(b1_vec)
_after = sigma(_before)
_output = mlp(x, W1_mat, b1_vec, W2_mat, b2_vec)
_radius = sp.Le(token_norm(x), R)
_blocks = (W1_mat, b1_vec, W2_mat, b2_vec)
_in_ball = {block: sp.Le(gauge(block), 1) for block in _blocks}
_size = rho_W2 * (rho_W1 * R + beta_1) + beta_2


def _quotient(moving: sp.Symbol, moved: sp.Symbol) -> sp.Expr:
    """Return |ΔF| / |Δ|, for the state or for a block."""
    return Ratio(norm(_output - _output.xreplace({moving: moved})), norm(moving - moved))


def _moves(moving: sp.Symbol, moved: sp.Symbol) -> sp.Rel:
    return sp.Gt(norm(moving - moved), 0)


def _moved(expr: sp.Expr, moving: sp.Symbol, moved: sp.Symbol) -> sp.Expr:
    return expr.xreplace({moving: moved})


FACTS = (
    assumed(H.INWARD_BALL),
    assumed(H.INWARD_TOKENS),
    assumed(H.OUTWARD_BALL),
    assumed(H.OUTWARD_TOKENS),
    assumed(H.FIRST_BIAS_BALL),
    assumed(H.SECOND_BIAS_BALL),
    assumed(H.ACTIVATION_LIPSCHITZ),
    assumed(H.ACTIVATION_CONTRACTS),
    definition("inward-change", VOCABULARY),
    definition("outward-change", VOCABULARY),
    definition("first-bias-change", VOCABULARY),
    definition("second-bias-change", VOCABULARY),
    definition("first-bias-size", VOCABULARY),
    definition("second-bias-size", VOCABULARY),
    inequality(
        "state",
        sp.Le(_quotient(x, y), rho_W2 * rho_W1 * s_1),
        use("outward-ball", hid=_after, hid_alt=_moved(_after, x, y)),
        use("activation-lipschitz", hid=_before, hid_alt=_moved(_before, x, y)),
        use("inward-ball"),
        free=(x, y, *_blocks),
        given=(_in_ball[W1_mat], _in_ball[W2_mat], _moves(x, y)),
    ),
    cited("state-tokens", results.ALL_TOKENS, {results.v1_: x}, free=(x,)),
    inequality(
        "first-matrix",
        sp.Le(_quotient(W1_mat, W1_alt), L_W1),
        use("outward-ball", hid=_after, hid_alt=_moved(_after, W1_mat, W1_alt)),
        use("activation-lipschitz", hid=_before, hid_alt=_moved(_before, W1_mat, W1_alt)),
        use("inward-change"),
        use("state-tokens"),
        free=(x, *_blocks, W1_alt),
        given=(_radius, _in_ball[W2_mat], _moves(W1_mat, W1_alt)),
        unfold=(L_W1,),
    ),
    inequality(
        "first-bias",
        sp.Le(_quotient(b1_vec, b1_alt), L_b1),
        use("outward-ball", hid=_after, hid_alt=_moved(_after, b1_vec, b1_alt)),
        use("activation-lipschitz", hid=_before, hid_alt=_moved(_before, b1_vec, b1_alt)),
        use("first-bias-change"),
        free=(x, *_blocks, b1_alt),
        given=(_in_ball[W2_mat], _moves(b1_vec, b1_alt)),
        unfold=(L_b1,),
    ),
    cited(
        "before-tokens",
        results.TOKEN_TRIANGLE,
        {results.v1_: inward(W1_mat, x), results.v2_: spread_1(b1_vec)},
        free=(x, W1_mat, b1_vec),
    ),
    cited("after-tokens", results.ALL_TOKENS, {results.v1_: _after}, free=(x, W1_mat, b1_vec)),
    inequality(
        "hidden-size",
        sp.Le(token_norm(_after), rho_W1 * R + beta_1),
        use("activation-contracts", hid=_before),
        use("before-tokens"),
        use("inward-tokens"),
        use("first-bias-size"),
        use("first-bias-ball"),
        free=(x, W1_mat, b1_vec),
        given=(_radius, _in_ball[W1_mat], _in_ball[b1_vec]),
    ),
    cited(
        "output-tokens",
        results.TOKEN_TRIANGLE,
        {results.v1_: outward(W2_mat, _after), results.v2_: spread_2(b2_vec)},
        free=(x, *_blocks),
    ),
    inequality(
        "size",
        sp.Le(token_norm(_output), _size),
        use("output-tokens"),
        use("outward-tokens", hid=_after),
        use("hidden-size"),
        use("second-bias-size"),
        use("second-bias-ball"),
        free=(x, *_blocks),
        given=(_radius, *_in_ball.values()),
    ),
    inequality(
        "second-matrix",
        sp.Le(_quotient(W2_mat, W2_alt), L_W2),
        use("outward-change", hid=_after),
        use("after-tokens"),
        use("hidden-size"),
        free=(x, *_blocks, W2_alt),
        given=(_radius, _in_ball[W1_mat], _in_ball[b1_vec], _moves(W2_mat, W2_alt)),
        unfold=(L_W2,),
    ),
    inequality(
        "second-bias",
        sp.Le(_quotient(b2_vec, b2_alt), L_b2),
        use("second-bias-change"),
        free=(x, *_blocks, b2_alt),
        given=(_moves(b2_vec, b2_alt),),
        unfold=(L_b2,),
    ),
    identity("tanh-square", sp.Eq(sp.tanh(v) ** 2, 1 - 1 / sp.cosh(v) ** 2), free=(v,)),
    inequality("tanh", sp.Le(sp.Abs(TANH(v)), 1), use("tanh-square"), free=(v,)),
    *gelu_facts(),
    *gate_facts(GELU_TANH),
    *gate_facts(SILU),
    inequality(
        "relu",
        sp.Le(Ratio(sp.Abs(sp.Max(v, 0) - sp.Max(w, 0)), sp.Abs(v - w)), 1),
        free=(v, w),
        given=(sp.Gt(sp.Abs(v - w), 0),),
    ),
)


def _block_claim(name: str, moving: sp.Symbol, moved: sp.Symbol, bound: sp.Expr) -> Claim:
    fact = next(f for f in FACTS if f.name == name)
    what = {x: "state", W1_mat: "W1", b1_vec: "b1", W2_mat: "W2", b2_vec: "b2"}[moving]
    return Claim(
        name,
        Measured(f"|ΔF| / |Δ{what}| of the MLP", _quotient(moving, moved), "impl.field.measured:quotient"),
        "<=",
        bound,
        (name,),
        tight=True,
        free=fact.statement.free,
        given=fact.statement.given,
    )


def _slope_claim(name: str, slope: sp.Lambda, top: sp.Expr) -> Claim:
    measured = Measured(f"|σ'| of {name}", sp.Abs(slope(v)), "impl.field.measured:slope")
    return Claim(name, measured, "<=", top, (name,), tight=True, free=(v,))


_relu = next(f for f in FACTS if f.name == "relu").statement
THEOREM = Theorem(
    slug="field/mlp-constants",
    title="How the perceptron moves with the state and with its blocks",
    source="mfc2026",
    assumptions=(
        H.INWARD_BALL,
        H.INWARD_TOKENS,
        H.OUTWARD_BALL,
        H.OUTWARD_TOKENS,
        H.FIRST_BIAS_BALL,
        H.SECOND_BIAS_BALL,
        H.ACTIVATION_LIPSCHITZ,
        H.ACTIVATION_CONTRACTS,
    ),
    facts=FACTS,
    claims=(
        _block_claim("state", x, y, rho_W2 * rho_W1 * s_1),
        _block_claim("first-matrix", W1_mat, W1_alt, L_W1),
        _block_claim("first-bias", b1_vec, b1_alt, L_b1),
        _block_claim("second-matrix", W2_mat, W2_alt, L_W2),
        _block_claim("second-bias", b2_vec, b2_alt, L_b2),
        Claim(
            "size",
            Measured("longest token of the MLP's output", token_norm(_output), "impl.field.measured:longest"),
            "<=",
            _size,
            ("size",),
            tight=True,
            free=(x, *_blocks),
            given=(_radius, *_in_ball.values()),
        ),
        _slope_claim("tanh", TANH, sp.Integer(1)),
        _slope_claim("gelu", GELU, GELU_TOP),
        _slope_claim("gelu-tanh", GELU_TANH.slope, GELU_TANH.top),
        _slope_claim("silu", SILU.slope, SILU.top),
        Claim(
            "relu",
            Measured("|Δσ| / |Δw| of ReLU", _relu.relation.lhs, "impl.field.measured:quotient"),
            "<=",
            sp.Integer(1),
            ("relu",),
            tight=True,
            free=(v, w),
            given=_relu.given,
        ),
    ),
    vocabulary=VOCABULARY,
)
