"""Flows of many instances: layouts in memory, leading shapes, single instances, and the rounding that they carry."""

import math
from dataclasses import dataclass

import pytest
import torch

from impl.control import Path, grid
from impl.errors import Diverged
from impl.field.attention import Mask
from impl.field.base import KernelField
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import reference_flow, transformer
from impl.flow.batch import Batch
from impl.flow.cells import Cells
from impl.flow.depth import layer_rounding
from impl.flow.dop853 import DOP853
from impl.flow.rounding import Sentinel, field_roundings
from impl.flow.stages import integrate

F64 = torch.float64
U = torch.finfo(F64).eps / 2


@dataclass(frozen=True)
class Power(KernelField):
    """``F(x; θ) = θ x^k``."""

    k: int
    width: int = 1
    parameter_count: int = 1

    def kernel(self, x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return theta * x**self.k


class Bare:
    """A field that says nothing of memory."""

    width = parameter_count = 1

    def kernel(self, x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return theta * x


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def wide(B: int, K: int, scale: float) -> tuple[TransformerField, torch.Tensor, torch.Tensor]:
    """Instances that are evaluated batch first: 8 tokens of width 8."""
    field = TransformerField(Layout(8, 2, 4, 16), activation="tanh")
    assert not field.prefers_batch_last(8)
    return field, scale * normal(B, K, field.parameter_count, seed=1), normal(B, 3, 8, 8, seed=2)


def test_batch_first_instances_can_be_refined_alone():
    field, layers, x0 = wide(4, 2, 0.2)
    layers[2] *= 2
    path = Path.constant_on_cells(layers, 1.0)
    flow = reference_flow(field, path, None, x0, 1.0, 2, tolerance=1e-9, max_substeps=16)
    assert flow.substeps[2] > 2  # selected rows of a view are a view of other strides
    assert int(flow.substeps.min()) < int(flow.substeps[2])
    for i in range(4):
        one = reference_flow(field, Path.constant_on_cells(layers[i], 1.0), None, x0[i], 1.0, 2, max_substeps=16)
        apart = (flow.states[i] - one.states).flatten(-2).norm(dim=-1)
        assert (apart <= flow.errors[i] + one.errors).all()
        assert one.substeps == flow.substeps[i]


def test_both_memory_layouts_give_one_flow():
    field, layers, x0 = wide(2, 3, 0.1)
    path = Path.constant_on_cells(layers, 1.0)
    schedule = Path.constant(torch.ones(1, dtype=F64), 1.0)
    last = Batch.of(field, x0, path.instances)
    assert not last.contiguous
    flows = []
    for batch in (last, Batch(last.x.contiguous(), last.instances, True)):
        done = integrate(field, batch, Cells.of(batch, path, schedule, grid(1.0, 3)), 2, DOP853)
        flows.append(batch.restore(done.states))
        assert done.sentinel is None
        assert (done.local > 0).all()
    assert flows[0].shape == (2, 4, 3, 8, 8)
    assert (flows[0] - flows[1]).abs().max() <= 6 * 12 * 300 * U * flows[0].abs().max()


def test_a_field_that_says_nothing_has_its_batch_last():
    assert Batch.of(Bare(), normal(2, 3, 4, 1)).contiguous


def test_controls_lie_in_memory_as_the_states_do():
    rows = normal(5, 4, 3, seed=3)
    for contiguous in (True, False):
        found = Batch(normal(1, 1, 5, 2), torch.Size([5]), contiguous).last(rows)
        assert torch.equal(found, rows.permute(1, 2, 0).unsqueeze(-1))
        assert found.is_contiguous() == contiguous
        assert (found.data_ptr() == rows.data_ptr()) != contiguous  # a view where nothing need be moved


def test_the_reference_flow_is_not_differentiated():
    x0, rate = normal(2, 3, 1, 1).requires_grad_(), normal(2, 1, 1).requires_grad_()
    path = Path.constant_on_cells(rate, 1.0)
    batch = Batch.of(Bare(), x0, path.instances)
    cells = Cells.of(batch, path, Path.constant(torch.ones(1, dtype=F64), 1.0), grid(1.0, 1))
    done = integrate(Bare(), batch, cells, 1, DOP853)
    assert not done.states.requires_grad
    assert transformer(Power(1), rate, None, x0, 1, 1.0).requires_grad


@pytest.mark.parametrize("record", ["last", "all"])
def test_every_leading_shape_counts(record):
    layers, weights, x0 = normal(5, 4, 1), normal(3, 5, 4), normal(3, 1, 2, 1, 1)
    whole = transformer(Power(1), layers, weights, x0, 4, 1.0, record=record)
    for a in range(3):
        for b in range(5):
            one = transformer(Power(1), layers[b], weights[a, b], x0[a, 0], 4, 1.0, record=record)
            assert torch.equal(whole[a, b], one)
    shared = transformer(Power(1), layers[0], weights, x0[0, 0], 4, 1.0)
    assert shared.shape == (3, 5, 2, 1, 1)
    assert torch.equal(shared[1, 2], transformer(Power(1), layers[0], weights[1, 2], x0[0, 0], 4, 1.0))


@pytest.mark.parametrize("record", ["last", "all"])
def test_divergence_is_seen_whatever_is_recorded(record):
    one = torch.ones(64, 1, dtype=F64)
    with pytest.raises(Diverged) as caught:
        transformer(Power(2), one, None, torch.full((1, 1, 1), 2.0, dtype=F64), 64, 0.8, record=record)
    assert 40 < caught.value.step <= 64  # not before the flow's own blow-up at 0.5


def test_the_first_recorded_time_after_a_blow_up_is_reported():
    x0 = torch.tensor([0.5, 2.0, 1.0], dtype=F64)[:, None, None, None]
    path = Path.constant(torch.ones(1, dtype=F64), 0.8)
    with pytest.raises(Diverged, match="1 of 3 instances not finite at recorded time 3") as caught:
        reference_flow(Power(2), path, None, x0, 0.8, 4)
    assert caught.value.step == 3  # 0.6: the second instance blows up at 0.5


def test_instances_have_their_own_recorded_times():
    rates, x0 = torch.tensor([[[0.5]], [[-1.0]]], dtype=F64), torch.ones(2, 1, 1, 1, dtype=F64)
    times = torch.tensor([[0.0, 0.3, 1.0], [0.9, 0.2, 0.2]], dtype=F64)
    flow = reference_flow(Power(1), Path.constant_on_cells(rates, 1.0), None, x0, 1.0, times)
    exact = (rates[:, 0] * times).exp()
    assert torch.equal(flow.times, times)
    assert flow.errors.shape == (2, 3, 1)
    assert ((flow.states.flatten(1) - exact).abs() <= flow.errors.flatten(1) + 4 * U * exact).all()
    assert flow.errors[0, 0] == 0
    assert flow.errors[1, 0] > flow.errors[1, 1] > 0


@pytest.mark.parametrize(("budget", "taken"), [(2, 2), (3, 2), (4, 4), (15, 8), (16, 16)])
def test_steps_are_doubled_within_the_budget(budget, taken):
    path = Path.constant(torch.tensor([200.0], dtype=F64), 1.0)
    x0 = torch.full((1, 1, 1), 1e-80, dtype=F64)
    assert reference_flow(Power(1), path, None, x0, 1.0, 1, max_substeps=budget).substeps == taken


def test_shared_cells_serve_the_instances_that_are_refined():
    path, x0 = Path.constant(torch.ones(1, dtype=F64), 1.0), torch.tensor([0.01, 0.9], dtype=F64)[:, None, None, None]
    flow = reference_flow(Power(2), path, None, x0, 1.0, 1, tolerance=1e-8)
    assert flow.substeps[0] == 2 < flow.substeps[1]
    exact = (x0 / (1 - x0)).flatten()
    assert ((flow.states[:, -1].flatten() - exact).abs() <= flow.error + 8 * U * exact).all()


def test_nothing_is_known_beyond_a_tenth_of_the_state():
    rates = torch.linspace(0, 30, 301, dtype=F64)
    path = Path.constant(rates[:, None], 1.0)
    flow = reference_flow(Power(1), path, None, torch.ones(301, 1, 1, 1, dtype=F64), 1.0, 1, max_substeps=2)
    share = flow.error / flow.states[:, -1].flatten()
    assert share.isposinf().any()
    assert 0.05 < float(share[share.isfinite()].max()) <= 0.1


def test_masks_of_instances_are_refined_with_their_whole_batch():
    keys = torch.ones(3, 1, 8, dtype=torch.bool)
    keys[0, :, 3:], keys[2, :, 5:] = False, False
    field, layers, x0 = wide(3, 2, 0.2)
    layers[2] *= 2
    path, x0 = Path.constant_on_cells(layers, 1.0), x0[:, :1]
    flow = reference_flow(field.masked(Mask(None, keys)), path, None, x0, 1.0, 2, max_substeps=8)
    assert flow.substeps.tolist() == [int(flow.substeps[2])] * 3
    assert flow.substeps[2] > 2
    for i in range(3):
        one = field.masked(Mask(None, keys[i, 0]))
        alone = reference_flow(one, Path.constant_on_cells(layers[i], 1.0), None, x0[i], 1.0, 2, max_substeps=8)
        apart = (flow.states[i] - alone.states).flatten(-2).norm(dim=-1)
        assert (apart <= flow.errors[i] + alone.errors).all()


def test_growth_and_stretch_are_those_of_a_linear_flow():
    rates = torch.tensor([[[2.0]], [[-3.0]]], dtype=F64)
    zeta = Path.piecewise_linear(torch.tensor([[1.0], [-1.0]], dtype=F64), 1.0)  # 1 − 2t: ∫|ζ| = ½, in either sign
    flow = reference_flow(Power(1), Path.constant_on_cells(rates, 1.0), zeta, torch.ones(2, 1, 1, 1, dtype=F64), 1.0, 2)
    # Perturbations of relative size √u measure slopes to about √u.
    assert flow.growth.flatten().tolist() == pytest.approx([math.exp(0.5), math.exp(0.75)], rel=1e-7)
    assert flow.stretch.flatten().tolist() == pytest.approx([1.0, 1.5], rel=1e-7)


def test_local_errors_are_carried_as_perturbations_grow():
    path = Path.constant_on_cells(torch.tensor([[1.0], [3.0]], dtype=F64), 1.0)
    batch = Batch.of(Power(1), torch.ones(1, 1, 1, dtype=F64))
    cells = Cells.of(batch, path, Path.constant(torch.ones(1, dtype=F64), 1.0), grid(1.0, 2))
    watch = integrate(Power(1), batch, cells, 4, DOP853, watch_rounding=True).sentinel
    assert isinstance(watch, Sentinel)
    total = watch.carry(torch.tensor([[[5.0]], [[7.0]]], dtype=F64)).flatten().tolist()
    assert total == pytest.approx([0, 5 * math.exp(0.5), (5 * math.exp(0.5) + 7) * math.exp(1.5)], rel=1e-6)
    roundings = (field_roundings(Power(1), 1) + 13) * float(abs(DOP853.weights).sum())
    states = [1, math.exp(0.5), math.exp(2)]
    for cell, rate in enumerate((1, 3)):
        speed = sum(rate * states[cell] * math.exp(rate * r / 8) / 8 for r in range(4))
        argument = 4 * rate * states[cell] / 8
        allowed = U * (4 * states[cell + 1] + roundings * (speed + argument))
        assert float(watch.sources[cell]) == pytest.approx(allowed, rel=1e-6)


def test_layers_are_allowed_the_rounding_of_their_terms():
    field, states = Power(1, width=2, parameter_count=6), normal(3, 5, 2, 4, 2)
    growth, stretch = normal(3, 2).exp(), normal(3, 2).exp()
    found = layer_rounding(field, states, growth, stretch, torch.float32)
    c, u = 2 * (4 + 2 + 3), 2.0**-24
    assert found.shape == (3, 5, 2)
    for b in range(3):
        for p in range(2):
            path, total = states[b, :, p], 0.0
            largest = max(float(x.norm()) for x in path)
            assert found[b, 0, p] == 0
            for k in range(4):
                total += float(path[k + 1].norm()) + (c + 3) * float((path[k + 1] - path[k]).norm())
                allowed = u * float(growth[b, p]) * (total + c * float(stretch[b, p]) * largest)
                assert float(found[b, k + 1, p]) == pytest.approx(allowed, rel=1e-13)


def test_sums_of_sixteen_bits_are_accumulated_in_more():
    field = Power(1, width=2, parameter_count=6)
    assert field_roundings(field, 4) == field_roundings(field, 4, torch.float32) == 18
    assert field_roundings(field, 4, torch.bfloat16) == 12 + 18 * 2.0**-16
