"""The Transformer field as it is assembled, its constants, and how it moves with its blocks, one after the other."""

from collections.abc import Callable
from typing import NamedTuple

import sympy as sp

from spec import results
from spec.language.functions import Entry, SumOver, Unit, gauge, norm, token_norm
from spec.language.proof import Fact, Use, cited, identity, inequality, use
from spec.objects.attention import head
from spec.objects.blocks import (
    assembled,
    block_b1,
    block_b2,
    block_K,
    block_O,
    block_Q,
    block_V,
    block_W1,
    block_W2,
    head_distance,
    mlp_distance,
)
from spec.objects.flow import F
from spec.objects.perceptron import mlp
from spec.symbols import (
    L_A,
    L_K,
    L_O,
    L_Q,
    L_V,
    L_W1,
    L_W2,
    K_alt,
    K_mat,
    L_b1,
    L_b2,
    L_head,
    L_mlp,
    L_theta,
    L_x,
    M,
    O_alt,
    O_mat,
    Q_alt,
    Q_mat,
    R,
    V_alt,
    V_mat,
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
    g_x,
    h,
    heads,
    j,
    m_x,
    n,
    rho_OV,
    rho_W1,
    rho_W2,
    s_1,
    varphi,
    vartheta,
    x,
)

RADIUS, CLASS, OTHER_CLASS = sp.Le(token_norm(x), R), sp.Le(gauge(vartheta), 1), sp.Le(gauge(varphi), 1)
HEAD_RANGE = sp.Le(h, heads - 1)
TRANSFER, MEANS, BLOCKS = Entry(rho_OV, j), Entry(L_A, j), Entry(L_head, j)
CONSTANTS = {
    g_x: SumOver(TRANSFER, j, heads) + rho_W2 * rho_W1,
    m_x: rho_W2 * beta_1 + beta_2,
    L_x: SumOver(TRANSFER * MEANS, j, heads) + rho_W2 * rho_W1 * s_1,
    L_theta: sp.sqrt(SumOver(BLOCKS**2, j, heads) + L_mlp**2),
}
CONSTANTS[M] = sp.sqrt(n) * (CONSTANTS[g_x] * R + CONSTANTS[m_x])
"""The field's constants on K_R × Θ."""


class Block(NamedTuple):
    """A block of a control and the claim that says how the field moves with it."""

    name: str
    variable: sp.Symbol
    other: sp.Symbol
    of: sp.Function
    constant: sp.Symbol
    claim: str
    beside: tuple[str, ...]
    unit: Unit


HEAD_BLOCKS = (
    Block("Q", Q_mat, Q_alt, block_Q, L_Q, "query", ("K", "V", "O"), Unit(1, 0, 1)),
    Block("K", K_mat, K_alt, block_K, L_K, "key", ("Q", "V", "O"), Unit(1, 0, 1)),
    Block("V", V_mat, V_alt, block_V, L_V, "value", ("O",), Unit(0, 0, 1)),
    Block("O", O_mat, O_alt, block_O, L_O, "output", ("V",), Unit(0, 1, 1)),
)
MLP_BLOCKS = (
    Block("W1", W1_mat, W1_alt, block_W1, L_W1, "first-matrix", ("W2",), Unit(1, 0, 1)),
    Block("b1", b1_vec, b1_alt, block_b1, L_b1, "first-bias", ("W2",), Unit(0, 0, 1)),
    Block("W2", W2_mat, W2_alt, block_W2, L_W2, "second-matrix", ("W1", "b1"), Unit(-1, 1, 1)),
    Block("b2", b2_vec, b2_alt, block_b2, L_b2, "second-bias", (), Unit(-1, 1, 1)),
)


class Part(NamedTuple):
    """A head, or the perceptron: its blocks with the indices that they take, and its constant in all of them."""

    name: str
    blocks: tuple[Block, ...]
    indices: tuple[sp.Symbol, ...]
    value: Callable[..., sp.Expr]
    constant: sp.Symbol

    def of(self, state: sp.Expr, *controls: sp.Symbol) -> sp.Expr:
        """Return the part at a state under a control; with four controls, each block is from its own."""
        owners = controls if len(controls) > 1 else controls * len(self.blocks)
        blocks = zip(self.blocks, owners, strict=True)
        return self.value(state, *(block.of(owner, *self.indices) for block, owner in blocks))

    def at(self, control: sp.Symbol) -> dict[str, sp.Expr]:
        """Return the blocks of a control, by the names of their variables."""
        return {block.variable.name: block.of(control, *self.indices) for block in self.blocks}

    def members(self, control: sp.Symbol) -> tuple[Use, ...]:
        """Return what says that every block of a control of the class lies in its ball."""
        return tuple(use(f"{block.name}-in-class", vartheta=control) for block in self.blocks)

    def factor(self, constant: sp.Symbol) -> sp.Expr:
        """Return a constant of this part."""
        return Entry(constant, *self.indices) if self.indices else constant


HEAD = Part("head", HEAD_BLOCKS, (h,), head, L_head)
MLP = Part("mlp", MLP_BLOCKS, (), mlp, L_mlp)
MOVED, BETWEEN_CONTROLS = sp.Gt(norm(vartheta - varphi), 0), (x, vartheta, varphi)


def _one_block(part: Part, at: int, given: tuple[sp.Rel, ...]) -> tuple[Fact, sp.Expr]:
    """Return the step for one block, with the change that it makes: those before it have moved, those after it not."""
    block, owners = part.blocks[at], (varphi,) * at + (vartheta,) * (4 - at)
    ends = tuple(block.of(control, *part.indices) for control in (vartheta, varphi))
    values = {b.variable.name: b.of(owner, *part.indices) for b, owner in zip(part.blocks, owners, strict=True)}
    there = part.value(x, *{**values, block.variable.name: block.variable}.values())
    owner_of = dict(zip((b.name for b in part.blocks), owners, strict=True))
    fact = cited(
        f"{part.name}-{block.name}",
        results.QUOTIENTS,
        {
            results.f_: sp.Lambda(block.variable, there),
            results.v1_: ends[0],
            results.v2_: ends[1],
            results.c_: part.factor(block.constant),
        },
        *(use(f"{name}-in-class", vartheta=owner_of[name]) for name in block.beside),
        use(block.claim, **values, **{block.other.name: ends[1]}),
        free=(*BETWEEN_CONTROLS, *part.indices),
        given=given,
    )
    return fact, part.of(x, *owners) - part.of(x, *owners[:at], varphi, *owners[at + 1 :])


def _all_blocks(part: Part, distance: sp.Expr, *given: sp.Rel) -> tuple[Fact, ...]:
    """Return the steps to: a part moves by at most its constant times the distance of its blocks."""
    free, given = (*BETWEEN_CONTROLS, *part.indices), (RADIUS, CLASS, OTHER_CLASS, *given)
    moves, changes = zip(*(_one_block(part, at, given) for at in range(4)), strict=True)
    first = [part.factor(block.constant) / block.unit for block in part.blocks]
    second = [
        block.unit * norm(block.of(vartheta, *part.indices) - block.of(varphi, *part.indices)) for block in part.blocks
    ]
    change = norm(part.of(x, vartheta) - part.of(x, varphi))
    total = sum((a * b for a, b in zip(first, second, strict=True)), sp.Integer(0))
    bound = part.factor(part.constant) * sp.sqrt(distance)
    vectors = (results.v1_, results.v2_, results.v3_, results.v4_)
    numbers = dict(zip((*results.FIRST_, *results.SECOND_), (*first, *second), strict=True))
    return (
        *moves,
        cited(f"{part.name}-triangle", results.TRIANGLE_4, dict(zip(vectors, changes, strict=True)), free=free),
        cited(f"{part.name}-cauchy", results.CAUCHY_4, numbers, free=free),
        inequality(
            f"{part.name}-moves",
            sp.Le(change, total),
            use(f"{part.name}-triangle"),
            *(use(fact.name) for fact in moves),
            free=free,
            given=given,
        ),
        cited(
            f"{part.name}-control",
            results.TRANSITIVE,
            {results.a_: change, results.b_: total, results.c_: bound},
            use(f"{part.name}-moves"),
            use(f"{part.name}-cauchy"),
            free=free,
            given=given,
            unfold=(part.constant,),
        ),
    )


def _change(depth: sp.Expr) -> sp.Expr:
    return assembled(x, vartheta, depth) - assembled(x, varphi, depth)


_distance = head_distance(vartheta, varphi, j)
_numbers = {results.f_: sp.Lambda(j, BLOCKS), results.g_: sp.Lambda(j, sp.sqrt(_distance)), results.k_: heads}
CONTROL_FACTS = (
    *_all_blocks(HEAD, head_distance(vartheta, varphi, h), HEAD_RANGE),
    *_all_blocks(MLP, mlp_distance(vartheta, varphi)),
    identity(
        "head-added-control",
        sp.Eq(norm(_change(h + 1) - _change(h)), norm(HEAD.of(x, vartheta) - HEAD.of(x, varphi))),
        use("next-head"),
        use("next-head", vartheta=varphi),
        free=(*BETWEEN_CONTROLS, h),
        given=(HEAD_RANGE,),
    ),
    cited(
        "heads-control",
        results.PARTIAL_SUMS,
        {
            results.f_: sp.Lambda(j, _change(j)),
            results.g_: sp.Lambda(j, BLOCKS * sp.sqrt(_distance)),
            results.k_: heads,
        },
        use("head-added-control", h=j),
        use("head-control", h=j),
        free=BETWEEN_CONTROLS,
        given=(RADIUS, CLASS, OTHER_CLASS),
    ),
    identity(
        "field-control",
        sp.Eq(norm(F(x, vartheta) - F(x, varphi)), norm(_change(heads))),
        use("whole-field"),
        use("whole-field", vartheta=varphi),
        free=BETWEEN_CONTROLS,
    ),
    identity(
        "mlp-first-control",
        sp.Eq(norm(_change(sp.Integer(0))), norm(MLP.of(x, vartheta) - MLP.of(x, varphi))),
        use("mlp-first"),
        use("mlp-first", vartheta=varphi),
        free=BETWEEN_CONTROLS,
    ),
    cited(
        "heads-cauchy",
        results.WEIGHTED_CAUCHY,
        {results.p_: sp.Lambda(j, sp.Integer(1)), **_numbers},
        free=(vartheta, varphi),
    ),
    cited(
        "all-cauchy",
        results.CAUCHY_JOINED,
        {
            results.z_: SumOver(BLOCKS * sp.sqrt(_distance), j, heads),
            results.a_: SumOver(BLOCKS**2, j, heads),
            results.b_: SumOver(_distance, j, heads),
            results.c_: L_mlp,
            results.m_: sp.sqrt(mlp_distance(vartheta, varphi)),
        },
        use("heads-cauchy"),
        free=(vartheta, varphi),
    ),
)
