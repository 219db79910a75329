"""Bad input of paths, fields and flows is refused by name, by the Transformer and by the reference flow alike."""

import math

import numpy as np
import pytest
import torch

from impl.control import Path, grid
from impl.errors import DegenerateGrid, NotFinite, NotRealFloating, ShapeMismatch, UnknownChoice
from impl.field.abstract import (
    GrimReaperField,
    LinearField,
    LogisticField,
    RotatingField,
    SaturatingField,
    ZeroField,
)
from impl.field.attention import Mask, causal
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import depth_error, reference_flow, step_weights, transformer
from impl.flow.batch import Batch, require_flow
from spec.language.errors import ConditionError, OutOfRange

D = torch.float64
LAYOUT = Layout(2, 1, 2, 3)
FIELD = TransformerField(LAYOUT)
CONTROL = Path.constant(torch.full((LAYOUT.parameter_count,), 0.5, dtype=D), 1.0)
X0 = torch.ones(1, 2, 2, dtype=D)


def layered(field=FIELD, control=CONTROL, schedule=None, x0=X0, **more):
    return transformer(field, control, schedule, x0, 3, 1.0, **more)


def integrated(field=FIELD, control=CONTROL, schedule=None, x0=X0, **more):
    return reference_flow(field, control, schedule, x0, 1.0, 3, **more).states


def test_good_input_passes():
    assert layered().isfinite().all()
    assert integrated().isfinite().all()
    assert depth_error(FIELD, CONTROL, None, X0, 4, 1.0, records=2).value >= 0


@pytest.mark.parametrize("option", ["record", "on_divergence"])
@pytest.mark.parametrize("word", ["foo", "al", None, True])
def test_options_are_words_that_exist(option, word):
    with pytest.raises(UnknownChoice, match=f"{option} among"):
        layered(**{option: word})


def test_a_word_that_is_nearly_right_is_answered():
    with pytest.raises(UnknownChoice, match=r"did you mean \['all'\]"):
        layered(record="al")


@pytest.mark.parametrize("convert", [torch.Tensor.cfloat, torch.Tensor.long, torch.Tensor.bool, torch.Tensor.numpy])
def test_states_controls_and_schedules_are_real_floating_point_tensors(convert):
    layers, weights = CONTROL.sample_grid(3), torch.ones(3)
    for call in (
        lambda: layered(x0=convert(X0)),
        lambda: layered(control=convert(layers)),
        lambda: layered(schedule=convert(weights)),
        lambda: FIELD(convert(X0), layers[0]),
        lambda: FIELD(X0, convert(layers[0])),
        lambda: Path.constant(convert(layers[0]), 1.0),
        lambda: Path.piecewise_linear(convert(layers), 1.0),
        lambda: Path.from_powers(convert(layers), 1.0),
        lambda: require_flow(CONTROL, None, convert(X0), 1.0, 1e-9, 64, "raise"),
    ):
        with pytest.raises(NotRealFloating):
            call()


def test_states_without_values_or_tokens_are_refused():
    for flow in (layered, integrated):
        with pytest.raises(NotRealFloating, match="meta"):
            flow(x0=X0.to("meta"))
        with pytest.raises(NotFinite):
            flow(x0=X0 * math.nan)
        with pytest.raises(ShapeMismatch, match="tokens n >= 1"):
            flow(x0=X0[:, :0])
    with pytest.raises(ShapeMismatch, match="tokens n >= 1"):
        FIELD(X0[:, :0], CONTROL.sample_grid(1)[0])


def test_layers_that_overflow_in_the_states_precision_are_refused():
    huge = Path.constant(torch.full((LAYOUT.parameter_count,), 1e300, dtype=D), 1.0)
    with pytest.raises(NotFinite, match="layer values"):
        layered(control=huge, x0=X0.float())


@pytest.mark.parametrize("tokens", [1, 3])
def test_masks_fit_the_tokens(tokens):
    field = TransformerField(LAYOUT, mask=causal(tokens))
    theta = CONTROL.sample_grid(1)[0]
    for call in (lambda: layered(field), lambda: integrated(field), lambda: field(X0, theta)):
        with pytest.raises(ShapeMismatch, match=f"states of {tokens} tokens"):
            call()


def test_padding_fits_the_batch():
    x0 = torch.randn(3, 2, 2, 2, dtype=D, generator=torch.Generator().manual_seed(0))
    keys = torch.tensor([True, False])
    shared, own = (TransformerField(LAYOUT, mask=Mask(keys=part)) for part in (keys, keys.expand(3, 2, 2)))
    assert torch.equal(layered(shared, x0=x0), layered(own, x0=x0))
    wide = Layout(16, 1, 16, 3)  # evaluated batch first
    x, theta = torch.ones(2, 40, 16, dtype=D), torch.ones(wide.parameter_count, dtype=D)
    assert not TransformerField(wide).prefers_batch_last(40)
    assert TransformerField(wide, mask=Mask(keys=torch.ones(40) > 0))(x, theta).isfinite().all()
    for wrong in (keys.expand(2, 3, 2), keys.expand(2, 2)):
        with pytest.raises(ShapeMismatch, match="padding"):
            layered(TransformerField(LAYOUT, mask=Mask(keys=wrong)), x0=x0)


def test_abstract_fields_fit_their_tokens():
    with pytest.raises(ShapeMismatch, match="states of 1 tokens"):
        SaturatingField()(torch.ones(3, 1), torch.ones(1))
    with pytest.raises(ShapeMismatch, match="states of 2 tokens"):
        Batch.of(LinearField(n=2), torch.ones(1, 3, 1))


def test_fields_of_other_packages_need_no_such_method():
    class Foreign:
        width, parameter_count = 2, 1

        def kernel(self, x, theta):
            return x

    assert Batch.of(Foreign(), X0).x.shape == (2, 2, 1, 1)


@pytest.mark.parametrize("bad", [math.nan, math.inf, "1", 1j, True])
def test_constants_of_abstract_fields_are_numbers(bad):
    for make in (
        lambda: LinearField(growth=bad),
        lambda: RotatingField(speed=bad),
        lambda: SaturatingField(bound=bad),
        lambda: SaturatingField(slope=bad),
        lambda: GrimReaperField(bound=bad),
        lambda: ZeroField(radius=bad),
        lambda: ZeroField(control_radius=bad),
        lambda: ZeroField(n=bad),
        lambda: ZeroField(controls=bad),
        lambda: LinearField().exact_flow(X0[..., :1, :1], X0[..., 0, :1], bad),
        lambda: LogisticField().exact_flow(X0, X0, bad),
    ):
        with pytest.raises(ConditionError):
            make()


@pytest.mark.parametrize("T", [math.nan, -1.0, math.inf, "1", 1j, True, None])
def test_depths_are_checked(T):
    for call in (
        lambda: grid(T, 3),
        lambda: Path.constant(torch.ones(1), T),
        lambda: step_weights(None, 3, T, X0),
        lambda: require_flow(CONTROL, None, X0, T, 1e-9, 64, "raise"),
    ):
        with pytest.raises(DegenerateGrid, match="T >= 0"):
            call()


def test_numbers_of_layers_are_of_any_integral_type():
    assert torch.equal(grid(1.0, np.int64(3)), grid(1.0, 3))
    with pytest.raises(DegenerateGrid):
        step_weights(None, 0, 1.0, X0)
    for records in (True, 2.0, 0, 3):
        with pytest.raises(DegenerateGrid):
            depth_error(FIELD, CONTROL, None, X0, 4, 1.0, records=records)


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, math.inf])
def test_times_lie_in_the_depth(bad):
    times = torch.tensor([0.0, bad, 1.0], dtype=D)
    for call in (CONTROL.sample, CONTROL.refine, CONTROL.on):
        with pytest.raises(DegenerateGrid, match="times in"):
            call(times)


def test_times_fit_the_path():
    jump = Path.constant_on_cells(torch.ones(2, 1, dtype=D), 1.0)
    with pytest.raises(DegenerateGrid, match="the path's own"):
        jump.on(torch.tensor([0.0, 1.0], dtype=D))
    assert jump.on(torch.tensor([0.0, 0.25, 0.5, 1.0], dtype=D)).sup() == 1
    with pytest.raises(DegenerateGrid, match="end in T"):
        Path.piecewise_linear(torch.ones(2, 1), 1.0, torch.tensor([0.0, 2.0]))
    batch = Path.constant(torch.ones(3, 1, dtype=D), 1.0)
    for call in (
        lambda: batch.sample(torch.zeros(2, 1)),
        lambda: Path.piecewise_linear(torch.ones(3, 2, 1), 1.0, torch.tensor([[0.0, 1.0]] * 2)),
        lambda: Path.with_jumps(torch.tensor([0.0, 1.0]), torch.ones(2, 1, 1)),
        lambda: Path.with_jumps(torch.tensor([[0.0, 1.0]] * 2), torch.ones(3, 1, 1, 1)),
        lambda: Path.constant(torch.tensor(1.0), 1.0),
        lambda: Path.constant_on_cells(torch.ones(2), 1.0),
        lambda: CONTROL.sample(torch.tensor(0.5)),
    ):
        with pytest.raises(ShapeMismatch):
            call()
    with pytest.raises(NotRealFloating):
        batch.sample(torch.zeros(1) * 1j)
    with pytest.raises(NotRealFloating, match="meta"):
        batch.to(device="meta")


@pytest.mark.parametrize("tolerance", [math.nan, -1.0, "1", True])
def test_tolerances_are_checked(tolerance):
    with pytest.raises(DegenerateGrid, match="tolerance >= 0"):
        require_flow(CONTROL, None, X0, 1.0, tolerance, 64, "raise")


@pytest.mark.parametrize("most", [math.nan, 2.5, 1, True, "4"])
def test_numbers_of_substeps_are_checked(most):
    with pytest.raises(DegenerateGrid, match="max_substeps"):
        require_flow(CONTROL, None, X0, 1.0, 1e-9, most, "raise")


def test_a_reference_flow_is_given_paths_and_options_that_exist():
    require_flow(CONTROL, CONTROL.project(lambda c: c[..., :1]), X0, 1.0, math.inf, np.int64(2), "inf")
    with pytest.raises(UnknownChoice):
        require_flow(CONTROL, None, X0, 1.0, 1e-9, 64, "foo")
    for control, schedule in ((CONTROL.sample_grid(3), None), (None, None), (CONTROL, torch.ones(3))):
        with pytest.raises(NotRealFloating, match="a Path"):
            require_flow(control, schedule, X0, 1.0, 1e-9, 64, "raise")
    with pytest.raises(ShapeMismatch, match="scalar"):
        require_flow(CONTROL, CONTROL, X0, 1.0, 1e-9, 64, "raise")


def test_durations_are_numbers():
    with pytest.raises(OutOfRange, match="duration"):
        ZeroField().exact_flow(X0, X0, math.nan)
