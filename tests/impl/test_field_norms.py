"""Block norms and the projection onto products of balls."""

import math

import pytest
import torch

from impl.errors import ControlOutOfClass
from impl.field.layout import Layout
from impl.field.norms import block_norms, project, spectral
from impl.rounding import gamma, singular_value_rounding

LAYOUT = Layout(4, 2, 3, 5)


def test_norms_are_those_of_the_definition(draw):
    theta = draw(6, LAYOUT.parameter_count)
    norms, blocks = block_norms(LAYOUT, theta), LAYOUT.unpack(theta)
    allowed = singular_value_rounding(5, 5, torch.float64) * 2
    for name in ("Q", "K", "V", "O", "W1", "W2"):
        gram = torch.linalg.eigvalsh(blocks[name].mT @ blocks[name])[..., -1].sqrt()
        assert torch.allclose(norms[name], gram, rtol=allowed + gamma(10), atol=0)
    for name in ("b1", "b2"):
        assert torch.allclose(norms[name], blocks[name].square().sum(-1).sqrt(), rtol=gamma(10), atol=0)
    assert torch.allclose(norms["OV"], torch.linalg.matrix_norm(blocks["O"] @ blocks["V"], 2), rtol=allowed, atol=0)
    scores = blocks["Q"].mT @ blocks["K"] / math.sqrt(3)
    assert torch.allclose(norms["A"], torch.linalg.matrix_norm(scores, 2), rtol=allowed, atol=0)
    assert norms["Q"].shape == (6, 2)
    assert norms["W1"].shape == (6,)
    assert bool((norms["OV"] < norms["O"] * norms["V"]).all())


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (2, 2), (2, 5), (5, 2), (3, 4)], ids=str)
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_spectral_norms_hold_the_decomposition_at_every_scale(draw, shape, scale):
    block = draw(50, *shape)
    block[0] = block[0, :1, :1]  # rank one, equal singular vectors
    exact = torch.linalg.svdvals(block)[..., 0]
    allowed = 3 * singular_value_rounding(5, 5, torch.float64)
    assert torch.allclose(spectral(block * scale) / scale, exact, rtol=allowed, atol=0)


def test_norms_without_products(draw):
    theta = draw(3, LAYOUT.parameter_count)
    norms, every = block_norms(LAYOUT, theta, products=False), block_norms(LAYOUT, theta)
    assert norms.keys() == every.keys() - {"OV", "A"}
    assert all(torch.equal(norm, every[name]) for name, norm in norms.items())


def test_zero_blocks_have_norm_zero():
    norms = block_norms(LAYOUT, torch.zeros(LAYOUT.parameter_count, dtype=torch.float64))
    assert all(bool((norm == 0).all()) for norm in norms.values())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_lower_precisions_are_promoted(draw, dtype):
    theta = draw(2, LAYOUT.parameter_count, dtype=dtype)
    low, high = block_norms(LAYOUT, theta), block_norms(LAYOUT, theta.double())
    for name, norm in low.items():
        assert norm.dtype == torch.float32
        # Products first round d terms; then the singular value.
        assert torch.allclose(
            norm.double(), high[name], rtol=2 * singular_value_rounding(5, 5, torch.float32), atol=1e-5
        )


def test_layouts_without_heads_have_no_head_norms(draw):
    assert block_norms(Layout(3, 0, 0, 2), draw(17)).keys() == {"W1", "b1", "W2", "b2"}


RADII = {"Q": 0.5, "V": 0.0, "W1": 1.0, "b1": 0.25, "O": 1e9}


def test_projection_is_the_nearest_point(draw):
    theta = draw(6, LAYOUT.parameter_count)
    found = project(LAYOUT, theta, RADII)
    norms = block_norms(LAYOUT, found)
    for name, radius in RADII.items():
        assert bool((norms[name] <= radius * (1 + singular_value_rounding(5, 5, torch.float64))).all())
    # Variational inequality at random points of the class: ⟨θ − Pθ, ϑ − Pθ⟩ <= 0, up to roundings of the inner product.
    for _ in range(20):
        other = project(LAYOUT, 3 * draw(6, LAYOUT.parameter_count), RADII)
        gap = theta - found
        for name in RADII:
            block, step = LAYOUT.unpack(gap)[name].flatten(1), LAYOUT.unpack(other - found)[name].flatten(1)
            slack = 2 * singular_value_rounding(5, 5, torch.float64) * block.norm(dim=1) * 10
            assert bool(((block * step).sum(1) <= slack).all())
    assert bool(((theta - found).flatten(1).norm(dim=1) > 0.1).all())


def test_projection_keeps_what_is_inside(draw):
    theta = draw(3, LAYOUT.parameter_count)
    assert torch.equal(project(LAYOUT, theta, dict.fromkeys(LAYOUT.shapes, 1e3)), theta)
    assert torch.equal(project(LAYOUT, theta, {}), theta)
    on_the_sphere = torch.linalg.svd(LAYOUT.unpack(theta)["Q"], full_matrices=False)[1][..., 0]
    assert torch.equal(project(LAYOUT, theta, {"Q": on_the_sphere}), theta)
    free = LAYOUT.unpack(project(LAYOUT, theta, RADII))["K"]
    assert torch.equal(free, LAYOUT.unpack(theta)["K"])


def test_radii_may_differ_between_instances(draw):
    theta = draw(2, LAYOUT.parameter_count)
    radii = {"Q": torch.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=torch.float64), "b2": torch.tensor([0.5, 0.0])}
    norms = block_norms(LAYOUT, project(LAYOUT, theta, radii))
    assert torch.allclose(norms["Q"], radii["Q"], rtol=1e-13)
    assert torch.allclose(norms["b2"], radii["b2"].double(), rtol=1e-13)


def test_projection_works_in_bfloat16(draw):
    theta = draw(2, LAYOUT.parameter_count, dtype=torch.bfloat16)
    found = project(LAYOUT, theta, {"Q": 0.5, "b1": 0.0})
    assert found.dtype == torch.bfloat16
    # Rounding every entry to bfloat16 moves a block by at most u times its Frobenius norm, √rank times the radius.
    assert float(block_norms(LAYOUT, found)["Q"].max()) <= 0.5 * (1 + 3**0.5 * 2**-8) * (1 + 2**-20)
    assert float(block_norms(LAYOUT, found)["b1"].max()) == 0


def test_radii_are_checked(draw):
    theta = draw(LAYOUT.parameter_count)
    for radii in ({"Q": -1.0}, {"Q": math.nan}, {"W3": 1.0}):
        with pytest.raises(ControlOutOfClass):
            project(LAYOUT, theta, radii)
