"""The field as an assembly of blocks, and the norm of a control."""

import sympy as sp

from spec.language.dimension import DEPTH, STATE
from spec.language.functions import SumOver, Unit, gauge, norm
from spec.language.template import Statement
from spec.objects.attention import head, key, output, query, value
from spec.objects.flow import F
from spec.objects.perceptron import inward, mlp
from spec.symbols import (
    VOCABULARY,
    K_alt,
    K_mat,
    O_alt,
    O_mat,
    Q_alt,
    Q_mat,
    V_alt,
    V_mat,
    W1_alt,
    W1_mat,
    h,
    heads,
    j,
    varphi,
    vartheta,
    x,
)

_function = VOCABULARY.function
_define = VOCABULARY.define

ball = _function(
    "ball", r"\operatorname{ball}", "norm of a block of head h over the radius of its ball", vector=False, arity=2
)
block_Q = _function("block_Q", "Q", "the block Q of head h", STATE**-1, vector=True, arity=2)
block_K = _function("block_K", "K", "the block K of head h", STATE**-1, vector=True, arity=2)
block_V = _function("block_V", "V", "the block V of head h", vector=True, arity=2)
block_O = _function("block_O", "O", "the block O of head h", DEPTH**-1, vector=True, arity=2)
block_W1 = _function("block_W1", "W_1", "the block W1", STATE**-1, vector=True)
block_b1 = _function("block_b1", "b_1", "the block b1", vector=True)
block_W2 = _function("block_W2", "W_2", "the block W2", STATE / DEPTH, vector=True)
block_b2 = _function("block_b2", "b_2", "the block b2", STATE / DEPTH, vector=True)
assembled = _function("assembled", "F", "the field with its first h heads", STATE / DEPTH, vector=True, arity=3)
for _name, _of, _mats in (
    ("query-change", query, (Q_mat, Q_alt)),
    ("key-change", key, (K_mat, K_alt)),
    ("value-change", value, (V_mat, V_alt)),
    ("output-change", output, (O_mat, O_alt)),
    ("inward-change", inward, (W1_mat, W1_alt)),
):
    _define(
        _name,
        Statement(
            sp.Le(norm(_of(_mats[0], x) - _of(_mats[1], x)), norm(_mats[0] - _mats[1]) * norm(x), evaluate=False),
            (x, *_mats),
        ),
    )

_head_blocks = {Unit(1, 0, 1): (block_Q, block_K), Unit(0, 0, 1): (block_V,), Unit(0, 1, 1): (block_O,)}
_mlp_blocks = {Unit(1, 0, 1): (block_W1,), Unit(0, 0, 1): (block_b1,), Unit(-1, 1, 1): (block_W2, block_b2)}


def _head_at(state: sp.Expr, control: sp.Expr, index: sp.Expr) -> sp.Expr:
    return head(state, *(block(control, index) for block in (block_Q, block_K, block_V, block_O)))


def _mlp_at(state: sp.Expr, control: sp.Expr) -> sp.Expr:
    return mlp(state, *(block(control) for block in (block_W1, block_b1, block_W2, block_b2)))


_head_range = (sp.Le(h, heads - 1, evaluate=False),)
_define("mlp-first", Statement(sp.Eq(assembled(x, vartheta, 0), _mlp_at(x, vartheta), evaluate=False), (x, vartheta)))
_define(
    "next-head",
    Statement(
        sp.Eq(assembled(x, vartheta, h + 1), assembled(x, vartheta, h) + _head_at(x, vartheta, h), evaluate=False),
        (x, vartheta, h),
        _head_range,
    ),
)
_define("whole-field", Statement(sp.Eq(F(x, vartheta), assembled(x, vartheta, heads), evaluate=False), (x, vartheta)))
for _block in (block_Q, block_K, block_V, block_O):
    _name = f"{_block.__name__.removeprefix('block_')}-in-class"
    _define(
        _name,
        Statement(sp.Le(ball(_block(vartheta, h), h), gauge(vartheta), evaluate=False), (vartheta, h), _head_range),
    )
for _block in (block_W1, block_b1, block_W2, block_b2):
    _name = f"{_block.__name__.removeprefix('block_')}-in-class"
    _define(_name, Statement(sp.Le(gauge(_block(vartheta)), gauge(vartheta), evaluate=False), (vartheta,)))


def head_distance(control: sp.Expr, other: sp.Expr, index: sp.Expr) -> sp.Expr:
    """Return the squared distance of two controls in the blocks of one head."""
    blocks = [(unit, block) for unit, group in _head_blocks.items() for block in group]
    return sum(
        ((unit * norm(block(control, index) - block(other, index))) ** 2 for unit, block in blocks), sp.Integer(0)
    )


def mlp_distance(control: sp.Expr, other: sp.Expr) -> sp.Expr:
    """Return the squared distance of two controls in the blocks of the MLP."""
    blocks = [(unit, block) for unit, group in _mlp_blocks.items() for block in group]
    return sum(((unit * norm(block(control) - block(other))) ** 2 for unit, block in blocks), sp.Integer(0))


_define(
    "control-norm",
    Statement(
        sp.Eq(
            norm(vartheta - varphi) ** 2,
            SumOver(head_distance(vartheta, varphi, j), j, heads) + mlp_distance(vartheta, varphi),
            evaluate=False,
        ),
        (vartheta, varphi),
    ),
)
