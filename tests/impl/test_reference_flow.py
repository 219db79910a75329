"""The reference flow: order, jumps, kinks, refinement, blow-up."""

import math
from itertools import pairwise

import pytest
import torch
from flow_instances import F64, Scalar, U, control, random_problem, state

from impl.control import Path, grid
from impl.errors import Diverged
from impl.flow import depth_error, reference_flow
from impl.flow.batch import Batch
from impl.flow.cells import Cells
from impl.flow.dop853 import DOP853
from impl.flow.stages import integrate


def fixed_steps(field, path: Path, x0: torch.Tensor, T: float, m: int) -> torch.Tensor:
    batch = Batch.of(field, x0)
    cells = Cells.of(batch, path, Path.constant(torch.ones(1, dtype=F64), T), grid(T, 1))
    return batch.restore(integrate(field, batch, cells, m, DOP853).states)[-1]


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


def test_only_instances_above_the_tolerance_are_refined():
    field, layers, x0 = random_problem(8, 4, 10)
    layers[3] *= 2
    path = Path.constant_on_cells(layers, 1.0)
    flow = reference_flow(field, path, None, x0, 1.0, 4, tolerance=1e-10)
    assert flow.substeps[3] > 2
    assert flow.substeps.float().median() == 2
    assert (flow.error < 1e-10).all()
    assert reference_flow(field, path, None, x0, 1.0, 4, max_substeps=2).error[3] > 1e-10
