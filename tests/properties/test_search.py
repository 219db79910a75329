import math

import pytest
import torch

from properties.field.search import (
    AttentionInstance,
    EmptyRow,
    _directional,
    all_visible,
    attention,
    causal,
    jacobian_norm,
    random_mask,
    search_attention,
)
from spec.language.errors import ConditionError

EPS = torch.finfo(torch.float64).eps


def _crossed_pair(s: float) -> AttentionInstance:
    """Tokens +-e whose queries look across: for s >= 1/sqrt 2 the norm is 2s exactly."""
    tokens = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    scores = s * torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    return AttentionInstance(tokens, scores, all_visible(2))


def _finite_difference_norm(instance: AttentionInstance) -> float:
    x, step = instance.tokens, EPS ** (1 / 3)
    columns = []
    for direction in torch.eye(x.numel(), dtype=torch.float64):
        shift = step * direction.reshape(x.shape)
        ahead = attention(x + shift, instance.scores, instance.visible)
        behind = attention(x - shift, instance.scores, instance.visible)
        columns.append((ahead - behind).flatten() / (2 * step))
    return float(torch.linalg.matrix_norm(torch.stack(columns, dim=1), ord=2))


@pytest.mark.parametrize("s", [1.0, 3.0, 10.0])
def test_crossed_pair_has_norm_twice_s(s: float) -> None:
    # a backward-stable singular value of a 4x4 matrix is off by at most a few dozen eps of itself
    assert abs(_crossed_pair(s).norm() - 2 * s) <= 64 * EPS * 2 * s


def test_crossed_pair_below_its_threshold_is_not_twice_s() -> None:
    assert _crossed_pair(0.3).norm() == pytest.approx((0.3 + math.sqrt(4.09)) / 2, rel=64 * EPS)


@pytest.mark.parametrize("mask", [all_visible(3), causal(3), random_mask(3, 5)])
def test_norm_agrees_with_central_differences(mask: torch.Tensor) -> None:
    value, instance = search_attention(3, 2, 1.5, mask, restarts=4, steps=20, seed=1)
    # a central difference with step eps^(1/3) errs by about eps^(2/3) times third derivatives, of size (2s)^3 at most
    assert abs(_finite_difference_norm(instance) - value) <= (2 * 1.5) ** 3 * 2 * 3 * EPS ** (2 / 3)


def test_directional_derivative_agrees_with_automatic_differentiation() -> None:
    generator = torch.Generator().manual_seed(3)
    x, b = (torch.randn(4, 3, generator=generator, dtype=torch.float64) for _ in range(2))
    A = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    mask = causal(4)
    expected = torch.einsum("iajb,jb->ia", torch.func.jacrev(attention)(x, A, mask), b)
    found = _directional(x[None], A[None], mask, b[None])[0]
    # two orders of the same few dozen products: rounding of their sum of magnitudes
    size = float((1 + x.norm() ** 2 * A.norm()) * b.norm()) * (1 + float(x.norm()))
    assert float((found - expected).norm()) <= 64 * EPS * size
    wrong = _directional(x[None], A.mT[None], mask, b[None])[0]
    assert float((wrong - expected).norm()) > 64 * EPS * size


@pytest.mark.parametrize("s", [0.0, 0.4, 2.0])
def test_instance_stays_in_its_balls_and_carries_the_value(s: float) -> None:
    value, instance = search_attention(4, 3, s, None, restarts=8, steps=30, seed=2)
    # projections divide by a rounded norm or rebuild a matrix from its singular vectors: a few eps times the width
    assert float(instance.tokens.norm(dim=1).max()) <= 1 + 16 * EPS
    assert float(torch.linalg.matrix_norm(instance.scores, ord=2)) <= s * (1 + 64 * EPS)
    assert instance.norm() == pytest.approx(value, rel=64 * EPS)


def test_search_finds_the_crossed_pair() -> None:
    value, _ = search_attention(2, 3, 3.0, None, restarts=16, steps=200, seed=0)
    # the start is the maximiser up to noise; 200 steps of a cosine schedule return to it within a thousandth
    assert value >= 6.0 * (1 - 1e-3)


def test_search_climbs() -> None:
    short, _ = search_attention(3, 3, 1.0, None, restarts=8, steps=1, seed=4)
    long, _ = search_attention(3, 3, 1.0, None, restarts=8, steps=150, seed=4)
    assert long > short


def test_same_seed_same_answer_other_seed_another() -> None:
    first, a = search_attention(3, 2, 1.0, None, restarts=4, steps=5, seed=7)
    second, b = search_attention(3, 2, 1.0, None, restarts=4, steps=5, seed=7)
    other, _ = search_attention(3, 2, 1.0, None, restarts=4, steps=5, seed=8)
    assert first == second
    assert torch.equal(a.tokens, b.tokens)
    assert first != other


def test_one_token_is_the_identity() -> None:
    value, _ = search_attention(1, 3, 5.0, None, restarts=4, steps=5, seed=0)
    assert value == pytest.approx(1.0, rel=16 * EPS)


def test_one_visible_key_for_all_gives_root_n() -> None:
    mask = torch.zeros(4, 4, dtype=torch.bool)
    mask[:, 0] = True
    value, _ = search_attention(4, 2, 3.0, mask, restarts=4, steps=5, seed=0)
    assert value == pytest.approx(2.0, rel=16 * EPS)


def test_unit_radii_suffice() -> None:
    _, instance = search_attention(3, 2, 1.0, None, restarts=4, steps=5, seed=0)
    R = 4.0  # a power of two: the rescaled scores are the same floats
    value = jacobian_norm(R * instance.tokens[None], instance.scores[None] / R**2, instance.visible)
    assert float(value[0]) == pytest.approx(instance.norm(), rel=64 * EPS)
    unscaled = jacobian_norm(R * instance.tokens[None], instance.scores[None], instance.visible)
    assert float(unscaled[0]) > 1.1 * instance.norm()


def test_without_compactness_the_derivative_grows() -> None:
    one = torch.ones(1, 1, dtype=torch.float64)
    for r in (1.0, 10.0, 100.0):
        x = torch.tensor([[0.0], [r]], dtype=torch.float64)
        jacobian = torch.func.jacrev(attention)(x, one, all_visible(2))
        assert float(jacobian[0, 0, 0, 0]) == pytest.approx(0.5 + r**2 / 4, rel=64 * EPS)


@pytest.mark.parametrize("seed", range(8))
def test_random_masks_leave_a_key_in_every_row(seed: int) -> None:
    mask = random_mask(5, seed)
    assert bool(mask.any(dim=1).all())
    assert not bool(mask.all())


def test_invalid_mask_without_a_key_is_refused() -> None:
    mask = all_visible(3)
    mask[1] = False
    with pytest.raises(EmptyRow, match="row 1"):
        search_attention(3, 2, 1.0, mask, restarts=1, steps=1, seed=0)


@pytest.mark.parametrize(
    ("n", "d", "s", "restarts", "steps"),
    [
        (0, 2, 1.0, 1, 1),
        (2, 0, 1.0, 1, 1),
        (2, 2, -1.0, 1, 1),
        (2, 2, math.inf, 1, 1),
        (2, 2, 1.0, 0, 1),
        (2, 2, 1.0, 1, 0),
    ],
)
def test_invalid_sizes_are_refused(n: int, d: int, s: float, restarts: int, steps: int) -> None:
    with pytest.raises(ConditionError):
        search_attention(n, d, s, None, restarts, steps, seed=0)


def test_invalid_mask_shape_is_refused() -> None:
    with pytest.raises(ConditionError, match="shape"):
        search_attention(3, 2, 1.0, all_visible(2), restarts=1, steps=1, seed=0)
