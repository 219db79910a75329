"""The Transformer and its depth error: identities, shapes, order, rounding, and what happens off the road."""

import math

import pytest
import torch
from flow_instances import F64, Scalar, U, control, random_problem, state

from impl.control import Path, grid
from impl.errors import DegenerateGrid, Diverged, NotFinite, ShapeMismatch
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import depth_error, reference_flow, transformer


def test_layers_are_residual_steps():
    field, layers, x0 = random_problem(5, 7, 0)
    zeta = torch.linspace(-1, 1, 7, dtype=F64)
    x = x0
    for k in range(7):
        x = x + 0.5 / 7 * zeta[k] * field(x, layers[:, k])
    result = transformer(field, layers, zeta, x0, 7, 0.5)
    assert (result - x).abs().max() <= 7 * 300 * U * x.abs().max()


def test_paths_and_their_samples_give_the_same_layers():
    field, layers, x0 = random_problem(5, 6, 1)
    path, zeta = (
        Path.constant_on_cells(layers, 1.0),
        Path.piecewise_linear(torch.tensor([[1.0], [-2.0]], dtype=F64), 1.0),
    )
    by_path = transformer(field, path, zeta, x0, 12, 1.0, record="all")
    by_values = transformer(field, layers.repeat_interleave(2, -2), zeta.sample_grid(12)[:, 0], x0, 12, 1.0)
    assert torch.equal(by_path[:, -1], by_values)
    assert torch.equal(by_path[:, 0], x0)
    assert by_path.shape == (5, 13, 3, 4, 4)


def test_leading_dimensions_broadcast():
    field, layers, x0 = random_problem(6, 4, 2)
    whole = transformer(field, layers.view(2, 3, 4, -1), torch.ones(3, 4, dtype=F64), x0[0], 4, 1.0)
    one = transformer(field, layers[4], None, x0[0], 4, 1.0)
    assert whole.shape == (2, 3, 3, 4, 4)
    assert (whole[1, 1] - one).abs().max() <= 4 * 300 * U * one.abs().max()


def test_wide_states_use_the_other_memory_layout():
    field = TransformerField(Layout(32, 2, 16, 32), activation="tanh")
    g = torch.Generator().manual_seed(3)
    layers = 0.1 * torch.randn(3, field.parameter_count, generator=g, dtype=F64)
    x0 = torch.randn(5, 16, 32, generator=g, dtype=F64)
    assert not field.prefers_batch_last(16)
    error = depth_error(field, Path.constant_on_cells(layers, 1.0), None, x0, 3, 1.0)
    x = x0
    for k in range(3):
        x = x + 1 / 3 * field(x, layers[k])
    assert (transformer(field, layers, None, x0, 3, 1.0) - x).abs().max() < 3 * 2000 * U * x.abs().max()
    assert error.value > 1e-3 > 1e-9 > error.error


def test_depth_zero_is_the_identity_with_the_identity_as_gradient_and_error_zero():
    field, layers, x0 = random_problem(2, 3, 4)
    x0.requires_grad_()
    out = transformer(field, layers, None, x0, 3, 0.0)
    (gradient,) = torch.autograd.grad(out.sum(), x0)
    assert torch.equal(out, x0)
    assert torch.equal(gradient, torch.ones_like(x0))
    error = depth_error(field, Path.constant_on_cells(layers, 0.0), None, x0.detach(), 3, 0.0)
    assert torch.equal(error.value, torch.zeros(2, dtype=F64))


def test_no_particles_are_no_problem():
    field, layers, x0 = random_problem(2, 3, 5)
    path = Path.constant_on_cells(layers, 1.0)
    assert transformer(field, path, None, x0[:, :0], 3, 1.0).shape == (2, 0, 4, 4)
    assert reference_flow(field, path, None, x0[:, :0], 1.0, 3).error.tolist() == [0, 0]


def test_gradients_pass_through_the_layers():
    field, layers, x0 = random_problem(2, 3, 6)
    layers.requires_grad_()
    (gradient,) = torch.autograd.grad(transformer(field, layers, None, x0, 3, 1.0).square().sum(), layers)
    direction = torch.randn(layers.shape, generator=torch.Generator().manual_seed(0), dtype=F64)
    h = 1e-5  # central differences: h² against u/h

    def risk(s: float) -> torch.Tensor:
        return transformer(field, layers.detach() + s * direction, None, x0, 3, 1.0).square().sum()

    slope = (risk(h) - risk(-h)) / (2 * h)
    assert (slope - (gradient * direction).sum()).abs() < 1e-7 * slope.abs()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_low_precision_runs_and_its_depth_error_carries_its_rounding(dtype):
    field, layers, x0 = random_problem(4, 16, 7)
    low = layers.to(dtype)
    path = Path.constant_on_cells(low, 1.0)
    measured = depth_error(field, path, None, x0.to(dtype), 16, 1.0)
    exact = depth_error(field, path.to(F64), None, x0.to(dtype).to(F64), 16, 1.0)
    assert transformer(field, low, None, x0.to(dtype), 16, 1.0).dtype == dtype
    assert ((measured.value - exact.value).abs() <= measured.error + exact.error).all()
    assert (measured.error > 1e3 * exact.error).all()


def test_blow_up_is_reported_with_its_step():
    x0 = state(2.0)
    one = control(0.0, T=0.8)
    assert round(transformer(Scalar("square"), one, None, x0, 8, 0.8).item(), 2) == 177.18
    for K in (64, 512):
        with pytest.raises(Diverged, match="not finite after step") as caught:
            transformer(Scalar("square"), one, None, x0, K, 0.8)
        path = transformer(Scalar("square"), one, None, x0, K, 0.8, record="all", on_divergence="inf").flatten()
        assert not path.isnan().any()
        assert int(path.isfinite().sum()) == caught.value.step > K * 0.5 / 0.8


def test_degenerate_inputs_are_refused():
    field, layers, x0 = random_problem(2, 3, 8)
    path = Path.constant_on_cells(layers, 1.0)
    for K in (0, -1, 2.5):
        with pytest.raises(DegenerateGrid):
            transformer(field, path, None, x0, K, 1.0)
    with pytest.raises(DegenerateGrid):
        transformer(field, layers, None, x0, 3, -1.0)
    with pytest.raises(DegenerateGrid, match="control on"):
        transformer(field, path, None, x0, 3, 2.0)
    with pytest.raises(DegenerateGrid, match="recorded time"):
        reference_flow(field, path, None, x0, 1.0, torch.tensor([1.5]))
    with pytest.raises(DegenerateGrid, match="max_substeps"):
        reference_flow(field, path, None, x0, 1.0, 3, max_substeps=1)
    with pytest.raises(DegenerateGrid, match="divides"):
        depth_error(field, path, None, x0, 3, 1.0, records=2)
    with pytest.raises(ShapeMismatch, match="3, p"):
        transformer(field, layers[:, :2], None, x0, 3, 1.0)
    with pytest.raises(ShapeMismatch, match="schedule"):
        transformer(field, layers, torch.ones(2), x0, 3, 1.0)
    with pytest.raises(ShapeMismatch, match="scalar schedule"):
        transformer(field, layers, Path.constant(torch.ones(2), 1.0), x0, 3, 1.0)
    with pytest.raises(ShapeMismatch, match="length"):
        transformer(field, layers[..., :5], None, x0, 3, 1.0)
    with pytest.raises(ShapeMismatch, match="states"):
        transformer(field, layers, None, x0[..., :2], 3, 1.0)
    with pytest.raises(ShapeMismatch, match="broadcast"):
        transformer(field, layers, None, x0[:1].expand(3, -1, -1, -1), 3, 1.0)
    with pytest.raises(NotFinite, match="states"):
        transformer(field, layers, None, x0 / 0, 3, 1.0)
    with pytest.raises(NotFinite, match="layer"):
        transformer(field, layers / 0, None, x0, 3, 1.0)


def test_a_spike_at_every_grid_time_is_seen_by_the_transformer_alone():
    K, T = 8, 1.0
    spikes = Path.with_jumps(grid(T, K), torch.zeros(K, 1, 1, dtype=F64), torch.ones(K + 1, 1, dtype=F64))
    error = depth_error(Scalar("constant"), spikes, None, state(0.0), K, T)
    assert abs(error.value.item() - T) <= error.error.item() < 1e-12


def test_the_depth_error_carries_the_rounding_of_many_small_layers():
    # x' = b x, bT = 1e-3, K = 20000: rounding is of the size of the truncation error, and the verdict must know.
    b, K = 1e-3, 20_000
    measured = depth_error(Scalar("linear"), control(b), None, state(1.0), K, 1.0, records=8)
    exact = math.exp(b) - math.exp(K * math.log1p(b / K))
    bound = 0.5 * b * b / K * math.exp(b) * (math.expm1(b) / b)
    assert abs(measured.value.item() - exact) <= measured.error.item()
    assert measured.error.item() > 0.01 * bound


def test_the_depth_error_is_of_first_order():
    field, layers, x0 = random_problem(4, 4, 11)
    path = Path.constant_on_cells(layers, 1.0)
    errors = [depth_error(field, path, None, x0, K, 1.0).value for K in (64, 128)]
    assert torch.log2(errors[0] / errors[1]).median().item() == pytest.approx(1, abs=0.05)
