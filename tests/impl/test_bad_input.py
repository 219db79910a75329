"""Bad input is refused by name before anything is computed: classes of controls, fields, readouts."""

import math

import numpy as np
import pytest
import torch

from impl.constants import activation_slope, constants_of_class, constants_of_control
from impl.errors import (
    ControlOutOfClass,
    FullyMaskedRow,
    LabelNotInSimplex,
    LogitsOutOfBox,
    NotCertified,
    NotFinite,
    NotRealFloating,
    ShapeMismatch,
    UnknownActivation,
)
from impl.field.activation import activation
from impl.field.attention import Mask, causal
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms, project
from impl.field.slopes import attention_slope, means_secant
from impl.field.transformer import TransformerField
from impl.readout import (
    PooledReadout,
    TokenReadout,
    check_box,
    check_labels,
    check_visible,
    cross_entropy,
    residual,
    smooth,
)
from impl.rounding import field_rounding, gamma
from spec.language.errors import ConditionError, OutOfRange

D = torch.float64
LAYOUT = Layout(4, 1, 4, 3)
FIELD = TransformerField(LAYOUT)
META = torch.zeros(LAYOUT.parameter_count, device="meta")


def control(value: float = 0.5, dtype: torch.dtype = D) -> torch.Tensor:
    return torch.full((LAYOUT.parameter_count,), value, dtype=dtype)


@pytest.mark.parametrize("R", [-1.0, math.nan, [1.0, 2.0], "1", 1j, torch.tensor(-1.0), None], ids=str)
def test_radii_of_states_are_checked(R):
    with pytest.raises(ShapeMismatch, match="R"):
        constants_of_control(FIELD, control(), R, 2)


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", True, None, math.nan])
def test_numbers_of_tokens_are_checked(n):
    for call in (
        lambda: constants_of_control(FIELD, control(), 1.0, n),
        lambda: field_rounding(FIELD, n, 1.0, block_norms(LAYOUT, control()), D),
        lambda: causal(n),
    ):
        with pytest.raises(ShapeMismatch, match="n"):
            call()
    assert constants_of_control(FIELD, control(), 1.0, np.int64(2)) == constants_of_control(FIELD, control(), 1.0, 2)


@pytest.mark.parametrize(
    ("theta", "error"),
    [
        (control(dtype=torch.complex128), NotRealFloating),
        (control().long(), NotRealFloating),
        (META, NotRealFloating),
        (np.ones(LAYOUT.parameter_count), NotRealFloating),
        (control(math.nan), NotFinite),
        (control(math.inf), NotFinite),
        (control()[:-1], ShapeMismatch),
        (torch.tensor(1.0), ShapeMismatch),
    ],
)
def test_controls_are_checked_before_they_are_measured(theta, error):
    for call in (
        lambda: constants_of_control(FIELD, theta, 1.0, 2),
        lambda: block_norms(LAYOUT, theta),
        lambda: project(LAYOUT, theta, {"b1": 1.0}),
    ):
        with pytest.raises(error):
            call()


def test_leaves_and_half_precision_just_work():
    theta, R = control().requires_grad_(), torch.tensor(1.0, requires_grad=True)
    plain = constants_of_control(FIELD, control(), 1.0, 2)
    assert constants_of_control(FIELD, theta, R, 2) == plain
    radii = {name: norm.bfloat16().requires_grad_() for name, norm in block_norms(LAYOUT, control()).items()}
    assert all(np.isfinite(value) for value in constants_of_class(FIELD, radii, 1.0, 2).values())
    norm = LayerNorm(torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True))
    assert constants_of_control(TransformerField(LAYOUT, normalisation=norm), theta, R, 2)["g_x"] == 0


@pytest.mark.parametrize("bad", [-1.0, math.nan, 1j, "1", torch.zeros((), device="meta"), np.ones((2, 3))], ids=str)
def test_radii_of_blocks_are_checked(bad):
    radii = {name: norm for name, norm in block_norms(LAYOUT, control()).items() if name in LAYOUT.shapes}
    with pytest.raises(ShapeMismatch):
        constants_of_class(FIELD, radii | {"W1": bad, "b1": np.ones(5)}, 1.0, 2)
    with pytest.raises((ControlOutOfClass, ShapeMismatch)):
        project(LAYOUT, control(), {"W1": bad})


def test_slopes_of_what_is_no_activation_are_not_certified():
    with pytest.raises(NotCertified, match="None"):
        activation_slope(None)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_gains_and_shifts_are_finite(bad):
    wrong, good = torch.tensor([1.0, bad]), torch.ones(2)
    for make in (lambda: RMSNorm(wrong), lambda: LayerNorm(wrong, good), lambda: LayerNorm(good, wrong)):
        with pytest.raises(NotFinite):
            make()
    with pytest.raises(NotFinite, match="the shift"):
        LayerNorm(good.double(), torch.full((2,), 1e300, dtype=D)).to(torch.device("cpu"), torch.float32)
    with pytest.raises(NotRealFloating):
        RMSNorm(torch.ones(2, dtype=torch.int64))


@pytest.mark.parametrize("x_bound", [-1.0, math.nan, "1", 1j])
def test_bounds_of_states_are_checked_before_rounding(x_bound):
    with pytest.raises(ShapeMismatch, match="x_bound"):
        field_rounding(FIELD, 2, x_bound, block_norms(LAYOUT, control()), D)


def test_norms_and_precisions_are_checked_before_rounding():
    norms = block_norms(LAYOUT, control())
    for wrong in ({}, norms | {"Q": -norms["Q"]}, norms | {"W1": norms["W1"] * math.nan}):
        with pytest.raises(ShapeMismatch):
            field_rounding(FIELD, 2, 1.0, wrong, D)
    with pytest.raises(NotRealFloating):
        field_rounding(FIELD, 2, 1.0, norms, torch.int64)
    with pytest.raises(OutOfRange):
        gamma(-1)


@pytest.mark.parametrize("sizes", [(2.5, 1, 1, 1), (math.nan, 1, 1, 1), (True, 1, 1, 1), (0, 1, 1, 1), (2, 1, 1, -1)])
def test_layouts_are_checked(sizes):
    with pytest.raises(ShapeMismatch):
        Layout(*sizes)
    assert Layout(*np.int64((2, 1, 1, 1))) == Layout(2, 1, 1, 1)


def test_parts_of_a_field_are_checked():
    for sigma in (None, 3):
        with pytest.raises(UnknownActivation):
            TransformerField(LAYOUT, sigma)
        with pytest.raises(UnknownActivation):
            activation(sigma)
    for more in ({"mask": np.ones((2, 2), bool)}, {"normalisation": 1.0}, {"mask": torch.ones(2, 2)}):
        with pytest.raises(ShapeMismatch):
            TransformerField(LAYOUT, **more)
    blocks = LAYOUT.unpack(control())
    with pytest.raises(ShapeMismatch, match="batch"):
        LAYOUT.pack(blocks | {"b1": blocks["b1"].expand(2, 3)})


def test_masks_are_checked():
    for make in (Mask, lambda: Mask(keys=torch.tensor(True)), lambda: Mask(causal(2).to("meta"))):
        with pytest.raises(ShapeMismatch):
            make()


def test_slopes_of_attention_are_checked():
    x, block = torch.ones(1, 2, 3, dtype=D), torch.ones(1, 2, 3, dtype=D)
    with pytest.raises(NotFinite, match="Q"):
        attention_slope(x, block * math.nan, block, block)
    for y in (x, x[:, :1]):
        with pytest.raises(ShapeMismatch, match="different states"):
            means_secant(x, y, block, block)


def test_labels_are_classes_or_probabilities():
    with pytest.raises(LabelNotInSimplex, match="integers"):
        smooth(torch.tensor([[0.9, 0.1]]), 2, 0.1)
    with pytest.raises(NotRealFloating):
        smooth(torch.tensor([0]), 2, 0.1, torch.int64)
    for labels in (torch.tensor([True]), torch.tensor([1j]), torch.zeros(1, device="meta"), [0]):
        with pytest.raises(LabelNotInSimplex):
            check_labels(labels, 2)
    for C in (2.5, math.nan, True, 1, "2"):
        with pytest.raises(ShapeMismatch, match="C >= 2"):
            check_labels(torch.tensor([0]), C)
    with pytest.raises(ShapeMismatch):
        check_labels(torch.tensor(1.0), 2)
    check_labels(torch.zeros(0, 3), 3)
    check_labels(torch.zeros(0, dtype=torch.int64), 3)
    with pytest.raises(ShapeMismatch):
        check_labels(torch.zeros(0, 2), 3)


@pytest.mark.parametrize("B", [math.inf, math.nan, -1.0, "5", None])
def test_boxes_are_checked(B):
    with pytest.raises(LogitsOutOfBox, match="B"):
        check_box(torch.zeros(2), B)
    check_box(torch.zeros(0, 2), 5)
    for logits in (torch.zeros(2, dtype=torch.complex64), torch.zeros(2, device="meta"), torch.tensor([0])):
        with pytest.raises(NotRealFloating):
            check_box(logits, 5)


def test_a_class_without_chance_costs_nothing_unless_it_is_labelled():
    logits = torch.tensor([0.0, -math.inf], dtype=D)
    for label, loss in ((0, 0.0), (1, math.inf)):
        assert cross_entropy(logits, torch.tensor(label)) == loss
        assert cross_entropy(logits, torch.eye(2, dtype=D)[label]) == loss
    assert cross_entropy(logits, torch.tensor([0.5, 0.5])) == math.inf


@pytest.mark.parametrize("labels", [torch.zeros(1, dtype=torch.int64), torch.ones(3, 1), torch.zeros(3) * 1j], ids=str)
def test_labels_fit_their_logits(labels):
    for f in (cross_entropy, residual):
        with pytest.raises(ShapeMismatch):
            f(torch.zeros(3, 2), labels)
        with pytest.raises(NotRealFloating):
            f(torch.zeros(3, 2, dtype=torch.int64), torch.zeros(3, dtype=torch.int64))


def test_readouts_refuse_states_and_tokens_that_are_none():
    readout = PooledReadout(torch.ones(2, 4), torch.ones(2))
    for x in (torch.ones(0, 4), torch.ones(3, 5), torch.ones(4), torch.ones(3, 4).long()):
        with pytest.raises(ConditionError):
            readout(x)
    for visible in (torch.ones(3), torch.ones(1, dtype=torch.bool), torch.ones(2, 3, dtype=torch.bool)):
        with pytest.raises(ShapeMismatch, match="visible"):
            readout(torch.ones(3, 4), visible)
    for n in (0, 0.5, True, -1):
        for each in (readout, TokenReadout(readout.weight, readout.bias)):
            with pytest.raises(OutOfRange):
                each.lipschitz(n)
    for wrong in (torch.full((2, 4), math.nan), torch.ones(2, 4).long()):
        with pytest.raises((NotFinite, NotRealFloating)):
            PooledReadout(wrong, torch.ones(2))
    check_visible(torch.tensor([[True, False]]))
    with pytest.raises(FullyMaskedRow, match=r"none at \[1\]"):
        check_visible(torch.tensor([[True, False], [False, False]]))
