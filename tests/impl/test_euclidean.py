"""Lengths at every scale of floating point numbers, and what relied on squares that over- or underflowed."""

import math

import pytest
import torch
from torch.func import jacrev, vmap

from impl.constants import norms_rounded_up
from impl.control import Path
from impl.euclidean import length, unit
from impl.field.layout import Layout
from impl.field.measured import quotient
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms, product_norm, project
from impl.field.transformer import TransformerField
from impl.flow.rounding import size
from impl.rounding import field_rounding

D = torch.float64
SCALES = [1e-300, 1e-200, 1e-160, 1.0, 1e160, 1e200, 1e300]
BIAS = Layout(2, 0, 0, 1)  # W1 (1, 2), b1 (1,), W2 (2, 1), b2 (2,)


@pytest.mark.parametrize("scale", SCALES)
def test_lengths_of_every_scale(scale):
    x = torch.tensor([[3.0, 4.0], [0.0, -12.0]], dtype=D) * scale
    assert torch.allclose(length(x) / scale, torch.tensor([5.0, 12.0], dtype=D), rtol=1e-15)
    assert math.isclose(float(length(x, (0, 1))) / scale, 13.0, rel_tol=1e-15)
    assert math.isclose(float(size(x[..., None])[0]) / scale, 13.0, rel_tol=1e-15)


def test_lengths_are_those_of_torch_bit_for_bit(draw):
    x = draw(1000, 7)
    assert torch.equal(length(x), x.norm(dim=-1))
    scaled, power = unit(x, -1)
    assert torch.equal(scaled * power, x)
    assert ((scaled.abs().amax(-1) >= 1) & (scaled.abs().amax(-1) < 2)).all()


@pytest.mark.parametrize("dtype", [D, torch.float32, torch.bfloat16])
def test_lengths_of_extremes(dtype):
    tiny = torch.finfo(dtype).smallest_normal
    x = torch.tensor([[0.0, 0.0], [math.inf, 1.0], [math.nan, 1.0], [tiny, 0.0], [-1 / tiny, 0.0]], dtype=dtype)
    found = length(x).double()
    assert found[0] == 0
    assert found[1] == math.inf
    assert found[2].isnan()
    assert found[3:].tolist() == [tiny, 1 / tiny]
    assert length(torch.zeros(3, 0)).tolist() == [0.0] * 3
    assert length(torch.zeros(0, 3)).shape == (0,)


def test_lengths_are_differentiable_twice_and_mapped():
    x = torch.tensor([3.0, 4.0], dtype=D)
    assert torch.allclose(jacrev(jacrev(length))(x), jacrev(jacrev(torch.linalg.vector_norm))(x), atol=1e-15)
    assert torch.allclose(vmap(jacrev(length))(x[None]), (x / 5)[None], atol=1e-15)
    assert torch.equal(torch.func.grad(length)(torch.zeros(2, dtype=D)), torch.zeros(2, dtype=D))


@pytest.mark.parametrize("scale", SCALES)
def test_projection_reaches_the_sphere_at_every_scale(scale):
    theta = BIAS.pack({name: torch.full(shape, scale, dtype=D) for name, shape in BIAS.shapes.items()})
    radius = scale * 1e-8
    found = project(BIAS, theta, dict.fromkeys(BIAS.shapes, radius))
    for norm in block_norms(BIAS, found).values():
        assert math.isclose(float(norm), radius, rel_tol=1e-14)
    assert torch.equal(project(BIAS, theta, dict.fromkeys(BIAS.shapes, 2 * scale)), theta)


def test_projection_of_a_rise_below_its_square():
    theta = torch.zeros(BIAS.parameter_count, dtype=D)
    theta[2] = 1e-200
    assert project(BIAS, theta, {"b1": 1e-210})[2] == 1e-210


@pytest.mark.parametrize("scale", SCALES)
def test_paths_of_every_scale_have_their_constants(scale):
    nodes = torch.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]], dtype=D) * scale
    path = Path.piecewise_linear(nodes, 2.0)
    for found in (path.lipschitz(), path.variation(), path.sup()):
        assert math.isclose(float(found) / scale, 5.0, rel_tol=1e-15)
    sign_change = Path.piecewise_linear(torch.tensor([[-scale], [scale]], dtype=D), 2.0)
    assert math.isclose(float(sign_change.integral_abs()) / scale, 1.0, rel_tol=1e-14)
    assert Path.constant_on_cells(nodes, 2.0).lipschitz() == math.inf
    assert not path.energy().isnan()


def test_powers_are_taken_in_double_precision():
    path = Path.from_powers(torch.tensor([[0.0], [1.0], [1.0]], dtype=D), 0.7)
    assert math.isclose(float(path.sup()), 0.7 + 0.7**2, rel_tol=1e-15)  # float32 would err by 1e-8


@pytest.mark.parametrize("token", [1e-200, 1e160, 1e200, 1e308])
@pytest.mark.parametrize("kind", ["root mean square", "layer"])
def test_normalisations_of_every_scale(kind, token):
    gain = torch.ones(4, dtype=D)
    norm = RMSNorm(gain) if kind == "root mean square" else LayerNorm(gain, torch.zeros(4, dtype=D))
    x = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=D)[None, :, None] * token
    expected = x / max(token, math.sqrt(1e-5))
    assert torch.allclose(norm.kernel(x), expected, rtol=1e-10, atol=0)  # ε_norm is lost beside token² >= 1e320


def test_an_offset_below_the_precision_gives_no_quotient_of_zeros():
    norm = RMSNorm(torch.ones(4), 1e-50)
    assert torch.equal(norm.kernel(torch.zeros(1, 4, 1)), torch.zeros(1, 4, 1))
    layout = Layout(4, 0, 0, 3)
    norms = block_norms(layout, torch.ones(layout.parameter_count, dtype=D))
    field = TransformerField(layout, normalisation=norm)
    assert field_rounding(field, 1, 1.0, norms, torch.float32) == math.inf
    assert field_rounding(field, 1, 1.0, norms, D) < math.inf


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_products_of_opposite_scales_are_measured(scale):
    left, right = torch.eye(3, dtype=D) * scale, torch.eye(3, dtype=D) / scale
    assert math.isclose(float(product_norm(left, right)), 1.0, rel_tol=1e-14)
    assert product_norm(torch.eye(3, dtype=D) * 1e200, torch.eye(3, dtype=D) * 1e200) == math.inf


def test_certified_norms_of_huge_and_tiny_blocks_are_bounds():
    layout = Layout(3, 1, 3, 0)
    for q, k, a in ((1e200, 1e200, math.inf), (1e200, 0.0, 0.0), (1e-200, 1e-200, 0.0), (1e200, 1e-200, 3**-0.5)):
        eye = torch.eye(3, dtype=D)[None]
        found = norms_rounded_up(layout, layout.pack({"Q": q * eye, "K": k * eye, "V": eye, "O": eye}))
        assert a <= found["A"][0] <= a * (1 + 1e-11) + 1e-300


def test_quotients_of_near_states_are_numbers():
    x = torch.ones(1, 3, dtype=D)
    assert quotient(lambda z: 2 * z, x * 1e-200, x * 3e-200) == pytest.approx(2.0, rel=1e-14)
