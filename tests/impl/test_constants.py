"""Numbers for spec's symbols: certified slopes, the constants of fields of every shape, and what is refused."""

import math

import numpy as np
import pytest
import torch

from impl.constants import (
    NAMES,
    activation_slope,
    constants_of_class,
    constants_of_control,
    norms_rounded_up,
)
from impl.errors import NotCertified, ShapeMismatch
from impl.field.activation import ACTIVATIONS, Activation
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.standing import Assumed, Certified, Measured

STEEPEST = {"tanh": 1.0, "gelu": 1.12890414518515, "gelu-tanh": 1.12899306865877, "silu": 1.09983932012886, "relu": 1.0}
LAYOUT = Layout(4, 2, 3, 5)


def theta(layout: Layout, *instances: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*instances, layout.parameter_count, generator=generator, dtype=torch.float64) / 2


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_are_upper_bounds_within_a_billionth(name: str) -> None:
    found = activation_slope(name)
    assert isinstance(found, Certified)
    assert STEEPEST[name] <= found.value <= STEEPEST[name] + 1e-9


def test_an_unknown_activation_is_not_certified() -> None:
    with pytest.raises(NotCertified, match="cube"):
        activation_slope("cube")
    with pytest.raises(NotCertified, match="gelu"):  # another function under a registered name
        activation_slope(Activation("gelu", torch.sin, smooth=True))
    field = TransformerField(LAYOUT, Activation("cube", lambda x: x**3, smooth=True))
    with pytest.raises(NotCertified):
        constants_of_control(field, theta(LAYOUT, 1), 1.0, 2)


def test_a_field_without_perceptron_needs_no_activation() -> None:
    layout = Layout(4, 2, 3, 0)
    field = TransformerField(layout, Activation("cube", lambda x: x**3, smooth=True))
    found = constants_of_control(field, theta(layout, 1), 1.0, 2)
    assert all(np.isfinite(found[name]).all() for name in NAMES)
    assert found["m_x"] == 0


@pytest.mark.parametrize("layout", [Layout(4, 0, 0, 0), Layout(4, 2, 3, 0)], ids=str)
def test_a_class_of_zero_blocks_moves_nothing(layout: Layout) -> None:
    radii = {name: np.zeros(layout.heads) for name in layout.shapes}
    found = constants_of_class(TransformerField(layout), radii, 1.0, 2)
    assert {name: float(value) for name, value in found.items()} == dict.fromkeys(NAMES, 0.0)


@pytest.mark.parametrize("layout", [LAYOUT, Layout(4, 0, 0, 5), Layout(4, 2, 3, 0)], ids=str)
def test_constants_have_the_shape_of_the_instances(layout: Layout) -> None:
    found = constants_of_control(TransformerField(layout), theta(layout, 3, 2), np.ones((3, 2)), 4)
    assert {name: value.shape for name, value in found.items()} == dict.fromkeys(NAMES, (3, 2))


def test_linear_perceptron_by_hand() -> None:
    field = TransformerField(Layout(2, 0, 0, 2), "relu")
    radii = {"W1": np.array([3.0]), "b1": np.array([5.0]), "W2": np.array([7.0]), "b2": np.array([11.0])}
    found = constants_of_class(field, radii, 2.0, 4)
    assert {name: float(found[name][0]) for name in ("M", "L_x", "g_x", "m_x")} == {
        "M": 2 * (21 * 2 + 46), "L_x": 21, "g_x": 21, "m_x": 46
    }  # fmt: skip
    exact = 2 * math.sqrt((7 * 2) ** 2 + 7**2 + (3 * 2 + 5) ** 2 + 1)
    assert exact <= found["L_theta"][0] <= exact * (1 + 2.0**-50)


def test_products_of_blocks_sharpen_the_constants() -> None:
    control, field = theta(LAYOUT, 8), TransformerField(LAYOUT)
    norms = norms_rounded_up(LAYOUT, control)
    factors = {name: norm for name, norm in norms.items() if name in LAYOUT.shapes}
    sharp, blunt = (constants_of_class(field, radii, 1.0, 4) for radii in (norms, factors))
    assert all((sharp[name] < blunt[name]).all() for name in ("M", "L_x", "L_theta", "g_x"))
    assert np.array_equal(sharp["m_x"], blunt["m_x"])


def test_norms_are_rounded_up() -> None:
    control = theta(LAYOUT, 8)
    up, found = norms_rounded_up(LAYOUT, control), block_norms(LAYOUT, control)
    assert all((up[name] >= norm.numpy()).all() for name, norm in found.items())
    assert all((up[name] <= norm.numpy() * (1 + 1e-11)).all() for name, norm in found.items())


def test_bfloat16_controls_are_bounded_in_float64() -> None:
    found = norms_rounded_up(LAYOUT, theta(LAYOUT, 1).bfloat16())
    assert {value.dtype for value in found.values()} == {np.dtype(np.float64)}


@pytest.mark.parametrize(
    "normalisation",
    [
        RMSNorm(torch.full((4,), 2.0, dtype=torch.float64), 0.1),
        LayerNorm(torch.full((4,), 2.0, dtype=torch.float64), torch.ones(4, dtype=torch.float64), 0.1),
    ],
    ids=["rms", "layer"],
)
def test_behind_a_normalisation_states_are_not_bounded(normalisation: RMSNorm | LayerNorm) -> None:
    field, control = TransformerField(LAYOUT, "tanh", normalisation=normalisation), theta(LAYOUT, 2)
    found = constants_of_control(field, control, math.inf, 3)
    generator = torch.Generator().manual_seed(1)
    x = 10 * torch.randn(2, 50, 3, 4, generator=generator, dtype=torch.float64)
    y = x + 0.1 * torch.randn(x.shape, generator=generator, dtype=torch.float64)
    at_x, at_y = field(x, control), field(y, control)
    apart = (at_x - at_y).flatten(2).norm(dim=-1) / (x - y).flatten(2).norm(dim=-1)
    assert np.array_equal(found["g_x"], np.zeros(2))
    assert (at_x.norm(dim=-1).amax((1, 2)).numpy() <= found["m_x"]).all()
    assert (at_x.flatten(2).norm(dim=-1).amax(1).numpy() <= found["M"]).all()
    assert (apart.amax(1).numpy() <= found["L_x"]).all()


def test_growth_needs_no_radius() -> None:
    found = constants_of_control(TransformerField(LAYOUT), theta(LAYOUT, 2), math.inf, 3, ("g_x", "m_x"))
    assert set(found) == {"g_x", "m_x"}
    assert all(np.isfinite(value).all() for value in found.values())


def test_an_infinite_radius_gives_infinite_constants() -> None:
    found = constants_of_control(TransformerField(LAYOUT), theta(LAYOUT, 1), math.inf, 3)
    assert {name: math.isinf(found[name][0]) for name in NAMES} == {
        "M": True, "L_x": True, "L_theta": True, "g_x": False, "m_x": False
    }  # fmt: skip


def test_zero_blocks_give_zero_constants() -> None:
    found = constants_of_control(TransformerField(LAYOUT), torch.zeros(1, LAYOUT.parameter_count), 1.0, 4)
    assert [float(found[name][0]) for name in ("M", "L_x", "g_x", "m_x")] == [0, 0, 0, 0]
    assert 2 <= found["L_theta"][0] <= 2 * (1 + 2.0**-50)  # b2 moves all of 4 tokens


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("b2", None),
        ("W3", np.array([1.0])),
        ("W1", np.array([-1.0])),
        ("W1", np.array([math.nan])),
        ("Q", np.array([[1.0, 1.0, 1.0]])),
    ],
    ids=["missing", "unknown", "negative", "not a number", "another head"],
)
def test_radii_that_do_not_fit_are_refused(change: str, value: np.ndarray | None) -> None:
    radii = {name: norm for name, norm in norms_rounded_up(LAYOUT, theta(LAYOUT, 1)).items() if name in LAYOUT.shapes}
    broken = {name: radius for name, radius in radii.items() if name != change}
    if value is not None:
        broken[change] = value
    with pytest.raises(ShapeMismatch):
        constants_of_class(TransformerField(LAYOUT), broken, 1.0, 4)


def test_an_unknown_normalisation_is_not_certified() -> None:
    class Doubling:
        width = 4

        def kernel(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    with pytest.raises(NotCertified, match="Doubling"):
        constants_of_control(TransformerField(LAYOUT, normalisation=Doubling()), theta(LAYOUT, 1), 1.0, 4)


def test_standings_are_three_types() -> None:
    kinds = [Certified(1.0, "field/mlp-constants"), Measured(1.0, "search"), Assumed(1.0, "given")]
    assert len({type(kind) for kind in kinds}) == 3
    assert [kind.value for kind in kinds] == [1.0] * 3
