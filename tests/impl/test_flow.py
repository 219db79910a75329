"""The Transformer and the reference flow: identities, order, errors that dominate, and what happens off the road."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
import torch

from benchmarks.reference_error import measure
from impl.control import Path, grid
from impl.errors import DegenerateGrid, Diverged, NotFinite, ShapeMismatch
from impl.field.base import KernelField
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import depth_error, reference_flow, transformer
from impl.flow.batch import Batch
from impl.flow.cells import Cells
from impl.flow.dop853 import DOP853
from impl.flow.stages import integrate
from impl.flow.tableau import OrderConditionFailed, Tableau, rooted_trees

F64 = torch.float64
U = torch.finfo(F64).eps / 2
EULER = Tableau("Euler", 1, ({},), {0: 1.0}, {}, 0)


@dataclass(frozen=True)
class Scalar(KernelField):
    """A field on one token of width 1 or 2, by its name."""

    name: str
    width: int = 1
    parameter_count: int = 1

    def kernel(self, x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        match self.name:
            case "linear":
                return theta * x
            case "logistic":
                return theta * x * (1 - x)
            case "square":
                return x * x
            case "rotation":
                return theta * torch.stack([-x[:, 1], x[:, 0]], dim=1)
            case "relu":
                return theta - x.relu()
            case "constant":
                return theta + 0 * x
        raise AssertionError


def state(*values: float) -> torch.Tensor:
    return torch.tensor([[list(values)]], dtype=F64)


def control(*values: float, T: float = 1.0) -> Path:
    return Path.constant_on_cells(torch.tensor(values, dtype=F64).unsqueeze(-1), T)


def random_problem(B: int, K: int, seed: int, scale: float = 0.3, particles: int = 3):
    field = TransformerField(Layout(4, 2, 2, 8), activation="tanh")
    g = torch.Generator().manual_seed(seed)
    layers = scale * torch.randn(B, K, field.parameter_count, generator=g, dtype=F64)
    return field, layers, torch.randn(B, particles, 4, 4, generator=g, dtype=F64)


# -- the Transformer ---------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("K", [1, 2, 8])
def test_a_flow_that_blows_up_never_has_a_finite_error(K):
    arguments = Scalar("square"), control(0.0, T=0.8), None, state(2.0), 0.8, K
    with pytest.raises(Diverged):
        reference_flow(*arguments)
    flow = reference_flow(*arguments, on_divergence="inf")
    assert flow.error.isposinf()
    assert not flow.states.isnan().any()
    depth = depth_error(*arguments[:4], K, 0.8, on_divergence="inf")
    assert depth.value.isposinf()
    assert depth.error.isposinf()


def test_one_diverging_instance_leaves_the_others_alone():
    x0 = torch.cat([state(2.0), state(0.5)]).unsqueeze(1)
    flow = reference_flow(Scalar("square"), control(0.0, T=0.8), None, x0, 0.8, 4, on_divergence="inf")
    assert flow.error[0].isposinf()
    assert abs(flow.states[1, -1].item() - 0.5 / (1 - 0.4)) <= flow.error[1] + 4 * U
    assert flow.error[1] < 1e-9


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


# -- the tableau -------------------------------------------------------------------------------------------------------


def test_rooted_trees_are_counted():
    assert [len(rooted_trees(k)) for k in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_a_changed_coefficient_or_a_claimed_order_fails():
    assert EULER.order == 1
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(EULER, order=2)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, order=9)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, embedded_order=6)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, b=DOP853.b | {11: DOP853.b[11] + 1e-11})
    with pytest.raises(OrderConditionFailed, match="explicit"):
        replace(EULER, a=({0: 1.0},))


# -- the reference flow ------------------------------------------------------------------------------------------------


def fixed_steps(field, path: Path, x0: torch.Tensor, T: float, m: int) -> torch.Tensor:
    batch = Batch.of(field, x0)
    cells = Cells.of(batch, path, Path.constant(torch.ones(1, dtype=F64), T), grid(T, 1))
    return batch.restore(integrate(field, batch, cells, m, DOP853).states)[-1]


def test_the_error_falls_with_order_eight():
    exact = 0.2 * math.exp(4) / (0.8 + 0.2 * math.exp(4))
    errors = [
        abs(fixed_steps(Scalar("logistic"), control(1.0, T=4.0), state(0.2), 4.0, m).item() - exact) for m in (2, 4, 8)
    ]
    slopes = [math.log2(a / b) for a, b in pairwise(errors)]
    assert slopes[-1] == pytest.approx(8, abs=1)


@pytest.mark.parametrize("rate", [-30.0, -1.0, -1e-3, 0.0, 1.0, 8.0])
@pytest.mark.parametrize("budget", [2, 64])
def test_the_error_dominates_on_linear_flows(rate, budget):
    flow = reference_flow(Scalar("linear"), control(rate), None, state(0.7), 1.0, 3, max_substeps=budget)
    exact = torch.tensor([0.7 * math.exp(rate * k / 3) for k in range(4)], dtype=F64)
    rounding = 2 * U * (2 + abs(rate)) * exact  # of the closed form: its argument and three operations
    assert ((flow.states.flatten() - exact).abs() <= flow.errors.flatten() + rounding).all()


@pytest.mark.parametrize("rate", [-3.0, 0.5, 10.0])
@pytest.mark.parametrize("budget", [2, 64])
def test_the_error_dominates_on_logistic_flows(rate, budget):
    flow = reference_flow(Scalar("logistic"), control(rate), None, state(0.2), 1.0, 3, max_substeps=budget)
    growth = torch.tensor([math.exp(rate * k / 3) for k in range(4)], dtype=F64)
    exact = 0.2 * growth / (0.8 + 0.2 * growth)
    rounding = 2 * U * (5 + abs(rate)) * exact
    assert ((flow.states.flatten() - exact).abs() <= flow.errors.flatten() + rounding).all()


@pytest.mark.parametrize("rate", [0.1, 3.0, 40.0])
@pytest.mark.parametrize("budget", [2, 64])
def test_the_error_dominates_on_rotations(rate, budget):
    field = Scalar("rotation", width=2)
    flow = reference_flow(field, control(rate), None, state(1.0, 0.0), 1.0, 3, max_substeps=budget)
    angles = [rate * k / 3 for k in range(4)]
    exact = torch.tensor([[math.cos(a), math.sin(a)] for a in angles], dtype=F64)
    rounding = 2 * U * (2 + abs(rate))
    assert ((flow.states.view(4, 2) - exact).norm(dim=-1) <= flow.errors.flatten() + rounding).all()


def test_a_kink_of_the_field_shows_in_the_error():
    # x' = 1 - relu(x) from -c: a ramp to 0, then 1 - e^{-(t-c)}; the kink lies at c, inside a cell.
    c = torch.linspace(0.1, 0.9, 60, dtype=F64)
    flow = reference_flow(Scalar("relu"), control(1.0), None, -c[:, None, None, None], 1.0, 1)
    ratio = (flow.states[:, -1].flatten() + torch.expm1(c - 1)).abs() / flow.error
    assert (ratio <= 1).double().mean() > 0.8
    assert flow.error.median() > 1e4 * reference_flow(Scalar("linear"), control(-1.0), None, state(1.0), 1.0, 1).error


def test_controls_that_jump_off_the_grid_and_schedules_that_change_sign_are_exact():
    # x' = ζθ with θ = 1, then -2 from t = 0.3, and ζ = 1 - 2t: cells of degree one, so order 8 is exact.
    path = Path.with_jumps(torch.tensor([0, 0.3, 1], dtype=F64), torch.tensor([[[1.0]], [[-2.0]]], dtype=F64))
    zeta = Path.piecewise_linear(torch.tensor([[1.0], [-1.0]], dtype=F64), 1.0)
    flow = reference_flow(Scalar("constant"), path, zeta, state(0.0), 1.0, torch.tensor([0.3, 0.7, 1.0], dtype=F64))
    exact = torch.tensor([0.21, 0.21, 0.21 + 0.42], dtype=F64)
    assert ((flow.states.flatten() - exact).abs() <= flow.errors.flatten() + 4 * U).all()
    assert flow.error < 1e-13


def test_every_instance_has_its_own_jump_times():
    field, layers, x0 = random_problem(6, 3, 9)
    g = torch.Generator().manual_seed(0)
    inner = torch.rand(6, 2, generator=g, dtype=F64).sort(-1).values
    times = torch.cat([torch.zeros(6, 1, dtype=F64), inner, torch.ones(6, 1, dtype=F64)], dim=-1)
    paths = Path.with_jumps(times, layers.unsqueeze(-2))
    whole = reference_flow(field, paths, None, x0, 1.0, 4)
    for i in range(6):
        path = Path.with_jumps(times[i], layers[i].unsqueeze(-2))
        one = reference_flow(field, path, None, x0[i], 1.0, 4)
        assert ((whole.states[i] - one.states).flatten(-2).norm(dim=-1) <= whole.errors[i] + one.errors).all()


def test_a_spike_at_every_grid_time_is_seen_by_the_transformer_alone():
    K, T = 8, 1.0
    spikes = Path.with_jumps(grid(T, K), torch.zeros(K, 1, 1, dtype=F64), torch.ones(K + 1, 1, dtype=F64))
    error = depth_error(Scalar("constant"), spikes, None, state(0.0), K, T)
    assert abs(error.value.item() - T) <= error.error.item() < 1e-12


def test_only_instances_above_the_tolerance_are_refined():
    field, layers, x0 = random_problem(8, 4, 10)
    layers[3] *= 2
    path = Path.constant_on_cells(layers, 1.0)
    flow = reference_flow(field, path, None, x0, 1.0, 4, tolerance=1e-10)
    assert flow.substeps[3] > 2
    assert flow.substeps.float().median() == 2
    assert (flow.error < 1e-10).all()
    assert reference_flow(field, path, None, x0, 1.0, 4, max_substeps=2).error[3] > 1e-10


def test_the_error_dominates_the_truth_on_random_instances():
    findings = measure(12, seed=3)
    assert not any(found.below.any() for found in findings.values())
    assert max(found.ratio.max() for found in findings.values()) > 1e-3


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
