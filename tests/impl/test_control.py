"""Paths in depth: exact values at single times, and exact norms."""

import math

import pytest
import torch

from impl.checks import all_finite
from impl.control import Path, grid
from impl.errors import ControlOutOfClass, DegenerateGrid, NotFinite, ShapeMismatch

F64 = torch.float64
U = torch.finfo(F64).eps / 2


def tensor(*values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=F64)


def cells(*values: float, T: float = 1.0) -> Path:
    return Path.constant_on_cells(tensor(*values).unsqueeze(-1), T)


@pytest.mark.parametrize("T", [1.0, 0.7, 3.0, 1e-3])
def test_grid_samples_find_their_own_cell_for_every_step_count(T):
    wrong = []
    for K in range(1, 513):
        path = cells(*range(K), T=T)
        if not torch.equal(path.sample_grid(K).squeeze(-1), torch.arange(K, dtype=F64)):
            wrong.append(K)
    assert wrong == []


def test_the_floor_of_a_time_finds_a_wrong_cell_so_the_check_above_can_fail():
    wrong = [K for K in range(1, 513) if any(math.floor(k * (1 / K) * K) != k for k in range(K))]
    assert len(wrong) > 300


@pytest.mark.parametrize("T", [1.0, 0.7])
@pytest.mark.parametrize("factor", [2, 3, 7, 10])
def test_nested_grids_share_their_times_bit_for_bit(T, factor):
    assert all(torch.equal(grid(T, factor * K)[::factor], grid(T, K)) for K in range(1, 200))


@pytest.mark.parametrize("K", [0, -3, 2.0, True, None])
def test_a_grid_needs_an_integer_number_of_layers(K):
    with pytest.raises(DegenerateGrid, match="K >= 1"):
        grid(1.0, K)


@pytest.mark.parametrize("T", [-1.0, float("inf"), float("nan")])
def test_a_grid_needs_finite_depth(T):
    with pytest.raises(DegenerateGrid, match="T >= 0"):
        grid(T, 3)


@pytest.mark.parametrize("times", [[0.4], [0.0], [0.0, 0.7, 0.4, 1.0], [0.1, 1.0], [0.0, float("nan")]])
def test_times_run_from_zero_and_never_decrease(times):
    J = len(times) - 1
    with pytest.raises(DegenerateGrid):
        Path(tensor(*times), torch.zeros(J, 1, 1, dtype=F64), torch.zeros(J + 1, 1, dtype=F64))


def test_shapes_and_finiteness_are_checked():
    with pytest.raises(ShapeMismatch):
        Path(tensor(0, 1), torch.zeros(2, 1, 1, dtype=F64), torch.zeros(2, 1, dtype=F64))
    with pytest.raises(ShapeMismatch, match="degree at most 2; found 3"):
        Path(tensor(0, 1), torch.zeros(1, 4, 1, dtype=F64), torch.zeros(2, 1, dtype=F64))
    with pytest.raises(ShapeMismatch, match="degree at most 2; found 3"):
        Path.from_powers(torch.ones(4, 1, dtype=F64), 1.0)
    with pytest.raises(NotFinite):
        cells(1.0, float("nan"))
    with pytest.raises(DegenerateGrid, match="one final time"):
        Path.with_jumps(tensor([0, 1], [0, 2]), torch.zeros(2, 1, 1, 1, dtype=F64))


def test_a_path_is_right_continuous_and_ends_in_its_left_limit():
    path = cells(1.0, 2.0)
    assert path.sample(tensor(0, 0.25, 0.5, 1)).squeeze(-1).tolist() == [1, 1, 2, 2]


def test_a_cell_of_length_zero_carries_no_value():
    path = Path.with_jumps(tensor(0, 0.5, 0.5, 1), tensor([[1.0]], [[9.0]], [[2.0]]))
    assert path.sample(tensor(0.25, 0.5, 0.75)).squeeze(-1).tolist() == [1, 2, 2]
    assert (path.variation().item(), path.sup().item(), path.lipschitz().item()) == (1, 2, float("inf"))


def test_a_spike_is_sampled_and_counts_in_the_variation_but_not_in_the_flow():
    path = Path.with_jumps(grid(1.0, 2), torch.zeros(2, 1, 1, dtype=F64), tensor([0.0], [1.0], [0.0]))
    assert path.sample_grid(2).squeeze(-1).tolist() == [0, 1]
    assert path.average_cells(2).squeeze(-1).tolist() == [0, 0]
    assert (path.variation().item(), path.sup().item(), path.lipschitz().item()) == (2, 1, float("inf"))


def test_linear_paths_are_exact_at_nodes_and_have_their_exact_norms():
    path = Path.piecewise_linear(tensor([0.0, 0.0], [3.0, 4.0], [0.1, 0.2]), 2.0)
    assert torch.equal(path.sample(grid(2.0, 2)), path.node_values)
    assert path.lipschitz().item() == 5.0
    assert path.sup().item() == 5.0
    assert abs(path.variation().item() - (5 + (2.9**2 + 3.8**2) ** 0.5)) < 16 * U
    assert path.sample(tensor(0.5)).tolist() == [[1.5, 2.0]]


def test_a_linear_path_may_jump_at_a_repeated_time():
    path = Path.piecewise_linear(tensor([0.0], [1.0], [3.0], [3.0]), 1.0, tensor(0, 0.5, 0.5, 1))
    assert path.sample(tensor(0.25, 0.5)).squeeze(-1).tolist() == [0.5, 3.0]
    assert path.variation().item() == 3.0


def test_quadratic_paths_are_polynomials_in_t():
    path = Path.from_powers(tensor([1.0], [-4.0], [3.0]), 2.0)
    t = tensor(0.0, 0.3, 1.1, 2.0)
    assert torch.allclose(path.sample(t).squeeze(-1), 1 - 4 * t + 3 * t * t, rtol=0, atol=64 * U)
    assert path.lipschitz().item() == 8.0
    with pytest.raises(ControlOutOfClass, match="degree at most 1; found 2"):
        path.variation()
    assert path.sup().item() >= 5.0


def test_constant_and_lower_degrees_from_powers():
    assert Path.from_powers(tensor([2.0]), 3.0).sample(tensor(1.0)).item() == 2.0
    assert Path.from_powers(tensor([2.0], [1.0]), 3.0).sample(tensor(1.0)).item() == 3.0
    assert Path.constant(tensor(2.0), 3.0).lipschitz().item() == 0.0


def test_integrals_of_absolute_values_cut_at_sign_changes():
    assert Path.piecewise_linear(tensor([-1.0], [1.0]), 2.0).integral_abs().item() == 1.0
    assert cells(-1.0, 0.0, 2.0, T=3.0).integral_abs().item() == 3.0
    parabola = Path.from_powers(tensor([3 / 16], [-1.0], [1.0]), 1.0)  # roots 1/4, 3/4
    s = (torch.arange(200_000, dtype=F64) + 0.5) / 200_000
    midpoint = (3 / 16 - s + s * s).abs().mean().item()  # rule's error <= (1/24)·2·h² plus kinks h²
    assert abs(parabola.integral_abs().item() - midpoint) < 4 / 200_000**2 + 200 * U
    with pytest.raises(ShapeMismatch, match=r"scalar.*found 2"):
        Path.constant(tensor(1.0, 2.0), 1.0).integral_abs()


def test_energy_is_the_integral_of_the_square():
    assert abs(Path.piecewise_linear(tensor([0.0], [3.0]), 2.0).energy().item() - 6.0) < 16 * U
    assert abs(Path.from_powers(tensor([0.0], [0.0], [1.0]), 1.0).energy().item() - 0.2) < 4 * U
    assert cells(1.0, 2.0).energy().item() == 2.5


def test_cell_averages_are_integrals():
    linear = Path.piecewise_linear(tensor([0.0], [6.0]), 1.0)
    assert torch.allclose(linear.average_cells(3).squeeze(-1), tensor(1.0, 3.0, 5.0), rtol=0, atol=16 * U)
    off_grid = Path.with_jumps(tensor(0, 0.3, 1), tensor([[1.0]], [[2.0]]))
    assert torch.allclose(off_grid.average_cells(2).squeeze(-1), tensor(1.4, 2.0), rtol=0, atol=8 * U)
    assert cells(0.1, 0.7, 0.3).average_cells(3).squeeze(-1).tolist() == [0.1, 0.7, 0.3]
    assert cells(1.0, 2.0, T=0.0).average_cells(2).shape == (2, 1)


def test_refinement_keeps_every_value():
    g = torch.Generator().manual_seed(0)
    path = Path.with_jumps(tensor(0, 0.3, 1), torch.randn(5, 2, 3, 2, generator=g, dtype=F64))
    times = torch.rand(5, 4, generator=g, dtype=F64)
    fine = path.refine(times)
    t = torch.rand(50, generator=g, dtype=F64)
    scale = path.coefficients.abs().amax()
    assert fine.times.shape == (5, 7)
    assert cells(1.0).refine(tensor(0, 1)).times.tolist() == [0, 1]
    assert cells(1.0, T=0.0).refine(tensor(0, 0)).times.tolist() == [0, 0]
    assert torch.allclose(
        fine.sample(t), path.sample(t), rtol=0, atol=64 * U * scale.item() / times.sort().values.diff().min()
    )


def test_projection_keeps_the_whole_path_in_a_ball_and_its_lipschitz_constant():
    g = torch.Generator().manual_seed(1)
    path = Path.piecewise_linear(3 * torch.randn(7, 5, 3, generator=g, dtype=F64), 1.0)
    ball = path.project(lambda v: v / v.norm(dim=-1, keepdim=True).clamp(min=1))
    assert (ball.sample(torch.rand(90, generator=g, dtype=F64)).norm(dim=-1) <= 1 + 8 * U).all()
    assert (ball.lipschitz() <= path.lipschitz()).all()
    assert (path.sup() > 1).any()


def test_sampling_outside_the_depth_is_refused():
    with pytest.raises(DegenerateGrid, match="times in"):
        cells(1.0).sample(tensor(1.5))


def test_values_in_other_dtypes_keep_times_in_float64():
    path = cells(1.0, 2.0).to(dtype=torch.float32)
    assert (path.coefficients.dtype, path.times.dtype, path.sample_grid(2).dtype) == (torch.float32, F64, torch.float32)


def test_instances_have_their_own_norms_samples_and_means():
    g = torch.Generator().manual_seed(2)
    times = torch.cat([torch.zeros(3, 4, 1), torch.rand(3, 4, 2, generator=g).sort(-1).values, torch.ones(3, 4, 1)], -1)
    times = times.to(F64)
    times[0, 0, 1:3] = times[0, 0, 2]  # a cell without length
    for degree in (0, 1, 2):
        c = torch.randn(3, 4, 3, degree + 1, 1, generator=g, dtype=F64)
        t, whole = torch.rand(3, 4, 5, generator=g, dtype=F64), Path.with_jumps(times, c)
        measured = ["lipschitz", "sup", "integral_abs", "energy", *(["variation"] if degree < 2 else [])]
        for a in range(3):
            for b in range(4):
                one = Path.with_jumps(times[a, b], c[a, b])
                assert torch.equal(whole.node_values[a, b], one.node_values)
                assert torch.equal(whole.sample(t)[a, b], one.sample(t[a, b]))
                assert torch.allclose(whole.average_cells(4)[a, b], one.average_cells(4), rtol=0, atol=64 * U)
                for name in measured:
                    assert torch.allclose(getattr(whole, name)()[a, b], getattr(one, name)(), rtol=16 * U, atol=0)


def test_norms_of_jumping_cells_are_those_of_their_values():
    c = tensor([[1.0], [2.0]], [[7.0], [8.0]], [[-3.0], [-1.0]])
    path = Path.with_jumps(tensor(0, 0.25, 0.25, 1), c)  # the second cell has no length
    assert path.variation().item() == 1 + 5 + 2
    assert path.sup().item() == 3.0
    assert path.lipschitz().item() == math.inf
    assert path.integral_abs().item() == 0.25 * 1.5 + 0.75 * 2
    assert abs(path.energy().item() - (0.25 * 7 / 3 + 0.75 * 13 / 3)) < 16 * U
    steep = Path.piecewise_linear(tensor([0.0], [1.0], [4.0], [4.0]), 1.0, tensor(0, 0.5, 1, 1))
    assert steep.lipschitz().item() == 6.0
    assert steep.node_values.shape == (4, 1)


def test_a_path_keeps_its_shape_and_cannot_be_changed():
    path = Path.from_powers(torch.ones(2, 3, 5, dtype=F64), 2.0)
    assert (path.instances, path.degree, path.parameter_count, path.T) == ((2,), 2, 5, 2.0)
    assert path.to() is path.to(dtype=F64) is path.to(device=path.times.device) is path
    with pytest.raises(AttributeError):
        path.times = path.times
    with pytest.raises(ShapeMismatch):
        Path(tensor(0, 1), torch.zeros(1, 1, 1, dtype=F64), torch.zeros(1, 1, dtype=F64))
    with pytest.raises(ShapeMismatch, match="degree"):
        Path(tensor(0, 1), torch.zeros(1, 0, 1, dtype=F64), torch.zeros(2, 1, dtype=F64))
    with pytest.raises(NotFinite):
        Path(tensor(0, 1), torch.zeros(1, 1, 1, dtype=F64), torch.full((2, 1), math.inf, dtype=F64))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_finite_numbers_are_finite_whatever_their_sum(draw, bad):
    huge = torch.full((8,), 1e308, dtype=torch.float64)
    assert not torch.isfinite(huge.sum())
    for values in (draw(5, 3), torch.empty(0, 4), huge, -huge, huge.clamp(max=3e38).float(), torch.tensor(7)):
        assert all_finite(values)
    for values in (draw(5, 3), huge.clone()):
        values.view(-1)[2] = bad
        assert not all_finite(values)
    assert not all_finite(torch.tensor([math.inf, -math.inf]))
