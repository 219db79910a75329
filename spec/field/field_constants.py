"""The constants of the whole Transformer field: its size, and how it moves with the state and with the control.

Heads are added to the perceptron one by one; blocks change one by one, while the others stay in their balls.
"""

from typing import NamedTuple

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.field.attention_bounded import THEOREM as ATTENTION_BOUNDED
from spec.field.attention_lipschitz import THEOREM as ATTENTION_LIPSCHITZ
from spec.field.attention_parameters import THEOREM as ATTENTION_PARAMETERS
from spec.field.mlp_constants import THEOREM as MLP_CONSTANTS
from spec.language.functions import Entry, Ratio, SumOver, Unit, gauge, norm, token_norm
from spec.language.proof import Fact, Use, assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import (
    VOCABULARY, F, K_alt, K_mat, L_A, L_b1, L_b2, L_head, L_K, L_mlp, L_O, L_Q, L_V, L_W1, L_W2, M, O_alt, O_mat, Q_alt,
    Q_mat, R, V_alt, V_mat, W1_alt, W1_mat, W2_alt, W2_mat, assembled, b1_alt, b1_vec, b2_alt, b2_vec, beta_1, beta_2,
    block_b1, block_b2, block_K, block_O, block_Q, block_V, block_W1, block_W2, g_x, h, head, head_distance, heads, j,
    L_theta, L_x, m_x, mix, mlp, mlp_distance, n, rho_OV, rho_W1, rho_W2, s_1, varphi, vartheta, x, y,
)

_transfer, _lip = Entry(rho_OV, j), Entry(L_A, j)
_size_of_mlp = rho_W2 * (rho_W1 * R + beta_1) + beta_2
CONSTANTS = {
    g_x: SumOver(_transfer, j, heads) + rho_W2 * rho_W1,
    m_x: rho_W2 * beta_1 + beta_2,
    L_x: SumOver(_transfer * _lip, j, heads) + rho_W2 * rho_W1 * s_1,
    L_theta: sp.sqrt(SumOver(Entry(L_head, j) ** 2, j, heads) + L_mlp**2),
}
CONSTANTS[M] = sp.sqrt(n) * (CONSTANTS[g_x] * R + CONSTANTS[m_x])


class _Block(NamedTuple):
    """A block: its variable and the other one, its value in a control, its constant, the claim that gives it, its unit."""

    name: str
    variable: sp.Symbol
    other: sp.Symbol
    of: sp.Function
    constant: sp.Symbol
    claim: str
    beside: tuple[str, ...]
    unit: Unit


_HEAD = (
    _Block("Q", Q_mat, Q_alt, block_Q, L_Q, "query", ("K", "V", "O"), Unit(1, 0, 1)),
    _Block("K", K_mat, K_alt, block_K, L_K, "key", ("Q", "V", "O"), Unit(1, 0, 1)),
    _Block("V", V_mat, V_alt, block_V, L_V, "value", ("O",), Unit(0, 0, 1)),
    _Block("O", O_mat, O_alt, block_O, L_O, "output", ("V",), Unit(0, 1, 1)),
)
_MLP = (
    _Block("W1", W1_mat, W1_alt, block_W1, L_W1, "first-matrix", ("W2",), Unit(1, 0, 1)),
    _Block("b1", b1_vec, b1_alt, block_b1, L_b1, "first-bias", ("W2",), Unit(0, 0, 1)),
    _Block("W2", W2_mat, W2_alt, block_W2, L_W2, "second-matrix", ("W1", "b1"), Unit(-1, 1, 1)),
    _Block("b2", b2_vec, b2_alt, block_b2, L_b2, "second-bias", (), Unit(-1, 1, 1)),
)
_radius, _class = sp.Le(token_norm(x), R), sp.Le(gauge(vartheta), 1)
_both_radii, _both_classes = (_radius, sp.Le(token_norm(y), R)), (_class, sp.Le(gauge(varphi), 1))
_head_range = sp.Le(h, heads - 1)


class _Part(NamedTuple):
    """A head, or the perceptron: its blocks, the index they take, its value at a state."""

    name: str
    blocks: tuple[_Block, ...]
    index: tuple[sp.Symbol, ...]
    value: object
    constant: sp.Expr

    def at(self, control: sp.Symbol) -> dict[str, sp.Expr]:
        """Return the values of the blocks in a control, by the names of their variables."""
        return {block.variable.name: block.of(control, *self.index) for block in self.blocks}

    def of(self, state: sp.Expr, *controls: sp.Symbol) -> sp.Expr:
        """Return the part at a state; each block may come from a control of its own."""
        controls = controls * (len(self.blocks) if len(controls) == 1 else 1)
        return self.value(state, *(b.of(c, *self.index) for b, c in zip(self.blocks, controls, strict=True)))

    def members(self, control: sp.Symbol) -> tuple[Use, ...]:
        """Return: every block of a control of the class lies in its ball."""
        return tuple(use(f"{block.name}-in-class", vartheta=control) for block in self.blocks)


_head = _Part("head", _HEAD, (h,), head, Entry(L_head, h))
_mlp = _Part("mlp", _MLP, (), mlp, L_mlp)
_own = _head.at(vartheta)


def _steps(control: sp.Expr) -> sp.Lambda:
    return sp.Lambda(j, assembled(x, control, j))


_GROWTH = (
    inequality(
        "head-size",
        sp.Le(token_norm(_head.of(x, vartheta)), Entry(rho_OV, h) * R),
        use("V-in-class"),
        use("O-in-class"),
        use("transfer-tokens", x=mix(x, _own["Q_mat"], _own["K_mat"]), V_mat=_own["V_mat"], O_mat=_own["O_mat"]),
        use("mean-size", Q_mat=_own["Q_mat"], K_mat=_own["K_mat"]),
        free=(x, vartheta, h),
        given=(_radius, _class, _head_range),
    ),
    identity(
        "head-added",
        sp.Eq(token_norm(assembled(x, vartheta, h + 1) - assembled(x, vartheta, h)), token_norm(_head.of(x, vartheta))),
        use("next-head"),
        free=(x, vartheta, h),
        given=(_head_range,),
    ),
    cited(
        "heads-size",
        results.TOKEN_PARTIAL_SUMS,
        {results.f_: _steps(vartheta), results.g_: sp.Lambda(j, _transfer * R), results.k_: heads},
        use("head-added", h=j),
        use("head-size", h=j),
        free=(x, vartheta),
        given=(_radius, _class),
    ),
    identity(
        "field-tokens",
        sp.Eq(token_norm(F(x, vartheta)), token_norm(assembled(x, vartheta, heads))),
        use("whole-field"),
        free=(x, vartheta),
    ),
    identity(
        "mlp-tokens",
        sp.Eq(token_norm(assembled(x, vartheta, 0)), token_norm(_mlp.of(x, vartheta))),
        use("mlp-first"),
        free=(x, vartheta),
    ),
    cited(
        "transfers",
        results.SUM_SCALED,
        {
            results.p_: sp.Lambda(j, _transfer),
            results.f_: sp.Lambda(j, _transfer * R),
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
        *_mlp.members(vartheta),
        use("mlp-size", **_mlp.at(vartheta)),
        free=(x, vartheta),
        given=(_radius, _class),
    ),
    cited("all-tokens", results.ALL_TOKENS, {results.v1_: F(x, vartheta)}, free=(x, vartheta)),
    inequality(
        "bound",
        sp.Le(norm(F(x, vartheta)), CONSTANTS[M]),
        use("all-tokens"),
        use("growth"),
        free=(x, vartheta),
        given=(_radius, _class),
    ),
)

_apart = sp.Gt(norm(x - y), 0)
_between_states = (x, y, vartheta)


def _state_change(depth: sp.Expr) -> sp.Expr:
    return assembled(x, vartheta, depth) - assembled(y, vartheta, depth)


_STATE = (
    inequality(
        "head-state",
        sp.Le(norm(_head.of(x, vartheta) - _head.of(y, vartheta)), Entry(rho_OV, h) * Entry(L_A, h) * norm(x - y)),
        *_head.members(vartheta),
        use(
            "transfer-ball",
            x=mix(x, _own["Q_mat"], _own["K_mat"]),
            y=mix(y, _own["Q_mat"], _own["K_mat"]),
            V_mat=_own["V_mat"],
            O_mat=_own["O_mat"],
        ),
        use("means", Q_mat=_own["Q_mat"], K_mat=_own["K_mat"]),
        free=(*_between_states, h),
        given=(*_both_radii, _class, _head_range, _apart),
    ),
    identity(
        "head-added-state",
        sp.Eq(norm(_state_change(h + 1) - _state_change(h)), norm(_head.of(x, vartheta) - _head.of(y, vartheta))),
        use("next-head"),
        use("next-head", x=y),
        free=(*_between_states, h),
        given=(_head_range,),
    ),
    cited(
        "heads-state",
        results.PARTIAL_SUMS,
        {
            results.f_: sp.Lambda(j, _state_change(j)),
            results.g_: sp.Lambda(j, _transfer * _lip * norm(x - y)),
            results.k_: heads,
        },
        use("head-added-state", h=j),
        use("head-state", h=j),
        free=_between_states,
        given=(*_both_radii, _class, _apart),
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
        sp.Eq(norm(_state_change(sp.Integer(0))), norm(_mlp.of(x, vartheta) - _mlp.of(y, vartheta))),
        use("mlp-first"),
        use("mlp-first", x=y),
        free=_between_states,
    ),
    cited(
        "transfers-state",
        results.SUM_SCALED,
        {
            results.p_: sp.Lambda(j, _transfer),
            results.f_: sp.Lambda(j, _transfer * norm(x - y)),
            results.g_: sp.Lambda(j, _lip),
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
        *(_mlp.members(vartheta)),
        use("mlp-state", **_mlp.at(vartheta)),
        free=_between_states,
        given=(*_both_radii, _class, _apart),
    ),
)
_moved = sp.Gt(norm(vartheta - varphi), 0)
_between_controls = (x, vartheta, varphi)


def _part_facts(part: _Part, distance: sp.Expr, given: tuple[sp.Rel, ...]) -> tuple[Fact, ...]:
    """Return the steps to: a part moves by at most its constant times the distance of its blocks."""
    free = (*_between_controls, *part.index)
    steps, facts, products = [], [], []
    for at, block in enumerate(part.blocks):
        controls = [varphi] * at + [vartheta] * (3 - at)
        before, after = (part.of(x, *controls[:at], own, *controls[at:]) for own in (vartheta, varphi))
        mixed = [block.variable if b is block else b.of(c, *part.index) for b, c in zip(part.blocks, (*controls[:at], vartheta, *controls[at:]), strict=True)]
        ends = [block.of(control, *part.index) for control in (vartheta, varphi)]
        values = {b.variable.name: value for b, value in zip(part.blocks, mixed, strict=True)}
        values |= {block.variable.name: ends[0], block.other.name: ends[1]}
        constant = Entry(block.constant, *part.index) if part.index else block.constant
        steps.append(before - after)
        products.append((constant / block.unit, block.unit * norm(ends[0] - ends[1])))
        owner = dict(zip((b.name for b in part.blocks), (*controls[:at], vartheta, *controls[at:]), strict=True))
        facts.append(
            cited(
                f"{part.name}-{block.name}",
                results.QUOTIENTS,
                {results.f_: sp.Lambda(block.variable, part.value(x, *mixed)), results.v1_: ends[0], results.v2_: ends[1], results.c_: constant},
                *(use(f"{name}-in-class", vartheta=owner[name]) for name in block.beside),
                use(block.claim, **values),
                free=free,
                given=given,
            )
        )
    parameters = (results.v1_, results.v2_, results.v3_, results.v4_)
    sides = list(zip(*products, strict=True))
    change, total = norm(part.of(x, vartheta) - part.of(x, varphi)), sum((a * b for a, b in products), sp.Integer(0))
    pairs = dict(zip((*results.FIRST_, *results.SECOND_), [value for side in sides for value in side], strict=True))
    return (
        *facts,
        cited(f"{part.name}-triangle", results.TRIANGLE_4, dict(zip(parameters, steps, strict=True)), free=free),
        cited(f"{part.name}-cauchy", results.CAUCHY_4, pairs, free=free),
        inequality(
            f"{part.name}-moves",
            sp.Le(change, total),
            use(f"{part.name}-triangle"),
            *(use(f"{part.name}-{block.name}") for block in part.blocks),
            free=free,
            given=given,
        ),
        cited(
            f"{part.name}-control",
            results.TRANSITIVE,
            {results.a_: change, results.b_: total, results.c_: part.constant * sp.sqrt(distance)},
            use(f"{part.name}-moves"),
            use(f"{part.name}-cauchy"),
            free=free,
            given=given,
            unfold=(L_head if part.index else L_mlp,),
        ),
    )


def _control_change(depth: sp.Expr) -> sp.Expr:
    return assembled(x, vartheta, depth) - assembled(x, varphi, depth)


_distances = SumOver(head_distance(vartheta, varphi, j), j, heads)
_pairs = {results.f_: sp.Lambda(j, Entry(L_head, j)), results.g_: sp.Lambda(j, sp.sqrt(head_distance(vartheta, varphi, j)))}
_sum = SumOver(Entry(L_head, j) * sp.sqrt(head_distance(vartheta, varphi, j)), j, heads)
_CONTROL = (
    *_part_facts(_head, head_distance(vartheta, varphi, h), (_radius, *_both_classes, _head_range)),
    *_part_facts(_mlp, mlp_distance(vartheta, varphi), (_radius, *_both_classes)),
    identity(
        "head-added-control",
        sp.Eq(norm(_control_change(h + 1) - _control_change(h)), norm(_head.of(x, vartheta) - _head.of(x, varphi))),
        use("next-head"),
        use("next-head", vartheta=varphi),
        free=(*_between_controls, h),
        given=(_head_range,),
    ),
    cited(
        "heads-control",
        results.PARTIAL_SUMS,
        {
            results.f_: sp.Lambda(j, _control_change(j)),
            results.g_: sp.Lambda(j, Entry(L_head, j) * sp.sqrt(head_distance(vartheta, varphi, j))),
            results.k_: heads,
        },
        use("head-added-control", h=j),
        use("head-control", h=j),
        free=_between_controls,
        given=(_radius, *_both_classes),
    ),
    identity(
        "field-control",
        sp.Eq(norm(F(x, vartheta) - F(x, varphi)), norm(_control_change(heads))),
        use("whole-field"),
        use("whole-field", vartheta=varphi),
        free=_between_controls,
    ),
    identity(
        "mlp-first-control",
        sp.Eq(norm(_control_change(sp.Integer(0))), norm(_mlp.of(x, vartheta) - _mlp.of(x, varphi))),
        use("mlp-first"),
        use("mlp-first", vartheta=varphi),
        free=_between_controls,
    ),
    cited("heads-cauchy", results.WEIGHTED_CAUCHY, {results.p_: sp.Lambda(j, sp.Integer(1)), **_pairs, results.k_: heads}, free=(vartheta, varphi)),
    cited(
        "all-cauchy",
        results.CAUCHY_JOINED,
        {
            results.z_: _sum,
            results.a_: SumOver(Entry(L_head, j) ** 2, j, heads),
            results.b_: _distances,
            results.c_: L_mlp,
            results.m_: sp.sqrt(mlp_distance(vartheta, varphi)),
        },
        use("heads-cauchy"),
        free=(vartheta, varphi),
    ),
    inequality(
        "control",
        sp.Le(Ratio(norm(F(x, vartheta) - F(x, varphi)), norm(vartheta - varphi)), CONSTANTS[L_theta]),
        use("field-control"),
        use("mlp-first-control"),
        use("heads-control"),
        use("mlp-control"),
        use("all-cauchy"),
        use("control-norm"),
        free=_between_controls,
        given=(_radius, *_both_classes, _moved),
    ),
)
FACTS = (
    assumed(H.VISIBLE_KEY),
    assumed(H.TRANSFER_TOKENS),
    assumed(H.TRANSFER_BALL),
    ATTENTION_BOUNDED.premise("mean-size", "mixing"),
    ATTENTION_LIPSCHITZ.premise("means", "means"),
    *(ATTENTION_PARAMETERS.premise(block.claim, block.claim) for block in _HEAD),
    MLP_CONSTANTS.premise("mlp-size", "size"),
    MLP_CONSTANTS.premise("mlp-state", "state"),
    *(MLP_CONSTANTS.premise(block.claim, block.claim) for block in _MLP),
    definition("mlp-first", VOCABULARY),
    definition("next-head", VOCABULARY),
    definition("whole-field", VOCABULARY),
    *(definition(f"{block.name}-in-class", VOCABULARY) for block in (*_HEAD, *_MLP)),
    definition("control-norm", VOCABULARY),
    *_GROWTH,
    *_STATE,
    *_CONTROL,
)
from spec.language.checker import Checker
c=Checker(FACTS,VOCABULARY)
if __name__=="__main__":
    for f in FACTS:
        r=c.check(f); print(r.name,r.status,r.detail)
