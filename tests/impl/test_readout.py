"""Readouts and cross-entropy."""

import math

import pytest
import torch
from torch.func import jacrev

from impl.errors import LabelNotInSimplex, LogitsOutOfBox, ShapeMismatch
from impl.readout import (
    PooledReadout,
    TokenReadout,
    check_box,
    check_labels,
    cross_entropy,
    curvature,
    residual,
    smooth,
    token_cross_entropy,
    token_residual,
)


def test_extreme_logits_neither_overflow_nor_cancel():
    logits = torch.tensor([1200.0, 1198.5, -50.0], dtype=torch.float64)
    tail = math.log1p(math.exp(-1.5))  # exp(-1250) is 0 in float64
    for label, expected in ((1, 1.5 + tail), (2, 1250 + tail)):
        assert math.isclose(cross_entropy(logits, torch.tensor(label)), expected, rel_tol=4 * 2**-52)
        found = residual(logits, torch.tensor(label))
        assert bool(found.isfinite().all())
        assert abs(float(found.sum())) <= 4 * 2**-52
    assert f"{cross_entropy(logits, torch.tensor(1)):.8f}".startswith("1.7014132")
    assert f"{cross_entropy(logits, torch.tensor(2)):.8f}".startswith("1250.2014132")
    assert math.isinf(float(-torch.log(logits.softmax(0))[2]))  # the naive form fails here


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_class_labels_and_their_vectors_agree(draw, dtype):
    logits, labels = draw(5, 4, dtype=dtype), torch.tensor([0, 3, 1, 1, 2])
    hot = torch.nn.functional.one_hot(labels, 4)
    for soft in (hot.double(), hot.to(torch.bfloat16)):
        assert torch.equal(cross_entropy(logits, labels), cross_entropy(logits, soft))
        assert torch.equal(residual(logits, labels), residual(logits, soft))
    assert cross_entropy(logits, labels).dtype == dtype
    reference = torch.nn.functional.cross_entropy(logits.double(), labels, reduction="none")
    # Shift, exponentials, sum, logarithm and difference: below 32 roundings of numbers below 8.
    assert (
        float((cross_entropy(logits, labels).double() - reference).abs().max()) <= 32 * 8 * torch.finfo(dtype).eps / 2
    )


def test_residuals_are_gradients(draw):
    logits, labels = draw(3, 4), torch.tensor([[0, 1, 3], [2, -100, 1]])
    soft = smooth(torch.tensor([0, 3, 1]), 4, 0.3)
    assert torch.allclose(jacrev(lambda h: cross_entropy(h, soft).sum())(logits), residual(logits, soft), atol=1e-15)
    assert not torch.allclose(residual(logits, soft), residual(logits, torch.tensor([0, 3, 1])), atol=1e-15)
    tokens, labelled = draw(2, 3, 4), labels >= 0
    found = token_residual(tokens, labels, labelled)
    assert torch.allclose(jacrev(lambda h: token_cross_entropy(h, labels, labelled).sum())(tokens), found, atol=1e-15)
    assert bool((found[1, 1] == 0).all())


def test_only_labelled_tokens_count(draw):
    logits, labelled = draw(2, 3, 4), torch.tensor([[True, False, False], [True, True, False]])
    labels = torch.tensor([[1, -100, -100], [0, 2, -100]])
    loss = token_cross_entropy(logits, labels, labelled)
    assert torch.equal(loss[0], cross_entropy(logits[0, 0], labels[0, 0]))
    assert torch.allclose(loss[1], cross_entropy(logits[1, :2], labels[1, :2]).mean(), atol=1e-15)
    assert not torch.allclose(loss[1], cross_entropy(logits[1, :2], labels[1, :2]).sum() / 3)
    soft = smooth(labels.clamp(min=0), 4, 0.0)
    assert torch.equal(token_cross_entropy(logits, soft, labelled), loss)


def test_pooling_ignores_padding_and_is_lipschitz(draw):
    readout = PooledReadout(draw(3, 4), draw(3))
    x, visible = draw(2, 5, 4), torch.tensor([[True, True, True, False, False], [True] * 5])
    found = readout(x, visible)
    assert torch.allclose(found[0], readout(x[0, :3]), atol=1e-14)
    assert torch.allclose(found[1], readout(x[1]), atol=1e-14)
    assert not torch.allclose(found[0], readout(x[0]), atol=1e-14)
    exact = float(torch.linalg.matrix_norm(jacrev(readout)(x[0]).flatten(1), 2))
    assert math.isclose(readout.lipschitz(5), exact, rel_tol=1e-14)
    assert (readout.classes, readout.width) == (3, 4)


def test_padding_may_differ_between_instances_and_particles(draw):
    readout, x = PooledReadout(draw(3, 4), draw(3)), draw(2, 3, 5, 4)
    visible = torch.rand(2, 3, 5, generator=torch.Generator().manual_seed(1)) < 0.5
    visible[..., 0], visible[1, 2] = True, False
    found = readout(x, visible)
    for a in range(2):
        for b in range(3):
            seen = x[a, b, visible[a, b]].mean(0) if visible[a, b].any() else torch.zeros(4, dtype=torch.float64)
            assert torch.allclose(found[a, b], readout.weight @ seen + readout.bias, atol=1e-14)
    tokens = TokenReadout(readout.weight, readout.bias)(x)
    assert torch.allclose(tokens[1, 2, 3], readout.weight @ x[1, 2, 3] + readout.bias, atol=1e-14)
    labels = torch.randint(3, (2, 3, 5), generator=torch.Generator().manual_seed(2))
    loss, slope = token_cross_entropy(tokens, labels, visible), token_residual(tokens, labels, visible)
    for a in range(2):
        for b in range(3):
            one, by_hand = visible[a, b], cross_entropy(tokens[a, b], labels[a, b])
            assert torch.allclose(loss[a, b], by_hand[one].sum() / max(int(one.sum()), 1), atol=1e-14)
            assert torch.allclose(
                slope[a, b, one], residual(tokens[a, b], labels[a, b])[one] / max(int(one.sum()), 1), atol=1e-14
            )


def test_curvature_is_the_second_derivative(draw):
    logits, direction = draw(2, 3, 4), draw(2, 3, 4)
    found = curvature(logits, direction)
    for a in range(2):
        for b in range(3):
            bend = jacrev(jacrev(lambda h: cross_entropy(h, torch.tensor(1))))(logits[a, b])
            assert torch.allclose(found[a, b], direction[a, b] @ bend @ direction[a, b], atol=1e-14)


def test_token_readout_is_lipschitz_whatever_the_tokens(draw):
    readout = TokenReadout(draw(3, 4), draw(3))
    jacobian = jacrev(readout)(draw(5, 4)).reshape(15, 20)
    assert math.isclose(readout.lipschitz(5), float(torch.linalg.matrix_norm(jacobian, 2)), rel_tol=1e-14)
    assert readout.to(torch.device("cpu"), torch.float32).weight.dtype == torch.float32


def test_zero_readouts_have_constant_zero():
    assert PooledReadout(torch.zeros(2, 3, dtype=torch.bfloat16), torch.zeros(2)).lipschitz(4) == 0


def test_readouts_are_checked(draw):
    with pytest.raises(ShapeMismatch, match="C >= 2"):
        PooledReadout(draw(1, 3), draw(1))
    for wrong in (draw(3), draw(2, 1)):
        with pytest.raises(ShapeMismatch):
            TokenReadout(draw(2, 3), wrong)
    with pytest.raises(ShapeMismatch):
        TokenReadout(draw(2, 3, 1), draw(2))
    with pytest.raises(AttributeError):
        PooledReadout(draw(2, 3), draw(2)).bias = draw(2)


def test_labels_are_checked():
    check_labels(torch.tensor([0, 2]), 3)
    check_labels(torch.full((7,), 1 / 7, dtype=torch.bfloat16), 7)
    for wrong in (
        torch.tensor([0, 3]),
        torch.tensor([-1]),
        torch.tensor([0.5, 0.4, 0.0]),
        torch.tensor([1.5, -0.5, 0.0]),
    ):
        with pytest.raises(LabelNotInSimplex):
            check_labels(wrong, 3)
    with pytest.raises(LabelNotInSimplex):
        check_labels(torch.tensor([math.nan, 0.5, 0.5]), 3)
    with pytest.raises(ShapeMismatch):
        check_labels(torch.tensor([0.5, 0.5]), 3)
    with pytest.raises(ShapeMismatch, match="C >= 2"):
        check_labels(torch.tensor([0]), 1)


def test_smoothing_mixes_with_the_uniform_label():
    assert smooth(torch.tensor([0]), 4, 0.5, torch.float32).dtype == torch.float32
    found = smooth(torch.tensor([2, 0]), 4, 0.5)
    assert torch.equal(found, torch.tensor([[0.125, 0.125, 0.625, 0.125], [0.625, 0.125, 0.125, 0.125]]).double())
    with pytest.raises(LabelNotInSimplex):
        smooth(torch.tensor([0]), 4, 1.5)
    with pytest.raises(LabelNotInSimplex):
        smooth(torch.tensor([4]), 4, 0.5)


def test_the_box_is_checked():
    check_box(torch.tensor([5.0, -5.0]), 5.0)
    for wrong in (torch.tensor([7.3, 0.0]), torch.tensor([math.nan, 0.0])):
        with pytest.raises(LogitsOutOfBox, match="raise B"):
            check_box(wrong, 5.0)
