"""Constants of flow instances: what the theorems' symbols are on their fields and paths.

Exact for abstract fields; for Transformer fields the bounds of `field/`, over the smallest product of balls that holds
the control. Everything is rounded up.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from impl.constants import constants_of_class, constants_of_control, norms_rounded_up
from impl.control import Path, grid
from impl.field.base import Field
from impl.field.known import KnownField
from impl.field.transformer import TransformerField
from impl.rounding import directed

Floats: TypeAlias = npt.NDArray[np.float64]
ROUNDED = 4096
"""Operations behind a norm of up to 4,000 coordinates, a slope, a sum over the layers, or a product of such."""


@dataclass(frozen=True)
class Constants:
    """What the theorems' symbols are on each instance; arrays of length `batch`.

    `L_zeta`, `L_c` are the largest slopes between jumps, `V_zeta`, `V_theta` sum the jumps within the layers' cells;
    `Z` is the larger of ∫|ζ| and its step sum; `R_T` is the radius of `trajectory-range` for that Z.
    """

    zeta_bar: Floats
    L_zeta: Floats
    V_zeta: Floats
    L_c: Floats
    V_theta: Floats
    Z: Floats
    R_0: Floats
    R_T: Floats
    g_x: Floats
    m_x: Floats
    M: Floats
    L_x: Floats
    L_theta: Floats
    norms: Mapping[str, Floats]
    """Norms that no value of the control exceeds: of its blocks on a Transformer field, else of itself as ``theta``."""

    def named(self, *names: str) -> dict[str, Floats]:
        """Return some of them by the theory's names."""
        return {name: getattr(self, name) for name in names}


def up(value: Tensor | Floats) -> Floats:
    """Return nonnegative computed numbers rounded up; exact zeros stay."""
    computed = torch.as_tensor(value, dtype=torch.float64)
    return torch.where(computed > 0, directed(computed, ROUNDED), computed).numpy()


def constants(field: Field, control: Path, schedule: Path, x0: Tensor, K: int, T: float) -> Constants:
    """Return every constant of a batch; M, L_x, L_θ on the ball of radius R_T and over the class of the control."""
    slope_theta, jumps_theta = slope_and_jumps(control, K, T)
    slope_zeta, jumps_zeta = slope_and_jumps(schedule, K, T)
    steps = schedule.sample_grid(K)[..., 0].abs().sum(1) * (T / K)
    passed = up(torch.maximum(schedule.integral_abs(), steps))
    inputs = up(x0.norm(dim=-1).flatten(1).amax(1))
    of_field = _of_known(field, control) if isinstance(field, KnownField) else _of_class(field, control, x0.shape[-2])
    radius = up(grown(inputs, of_field.g_x, of_field.m_x, passed))
    bound, slope, in_control = of_field.at(radius)
    return Constants(
        up(schedule.sup()), slope_zeta, jumps_zeta, slope_theta, jumps_theta, passed, inputs, radius,
        of_field.g_x, of_field.m_x, bound, slope, in_control, of_field.norms,
    )  # fmt: skip


def grown(start: Floats, growth: Floats, offset: Floats, passed: Floats) -> Floats:
    """Return ``R_0 e^{gZ} + m Z φ₁(gZ)``, to a few roundings."""
    z = growth * passed
    ratio = np.divide(np.expm1(z), z, out=np.ones_like(z), where=z > 0)
    found: Floats = start * np.exp(z) + offset * passed * ratio
    return found


def slope_and_jumps(path: Path, K: int, T: float) -> tuple[Floats, Floats]:
    """Return the largest slope between jumps, and the sum of the jumps that the layers' cells ``[t_k, t_{k+1})`` see.

    A jump *into* a grid time lies outside them. Breakpoints are distinct here.
    """
    lengths, c, nodes = path.times.diff(dim=-1), path.coefficients, path.node_values
    degree = c.shape[-2] - 1
    steepest = degree * c.diff(dim=-2).norm(dim=-1).amax(-1) if degree else torch.zeros_like(lengths)
    into = (nodes[..., 1:, :] - c[..., -1, :]).norm(dim=-1)
    seen = ~torch.isin(path.times[..., 1:], grid(T, K))
    out_of = (c[..., 0, :] - nodes[..., :-1, :]).norm(dim=-1)
    return up((steepest / lengths).amax(-1)), up((into * seen + out_of).sum(-1))


@dataclass(frozen=True)
class _OfField:
    """Growth on the whole space, and (M, L_x, L_θ) as functions of the radius."""

    g_x: Floats
    m_x: Floats
    norms: Mapping[str, Floats]
    at: Callable[[Floats], tuple[Floats, Floats, Floats]]


def _of_known(field: KnownField, control: Path) -> _OfField:
    """Return an abstract field's own constants, at each instance's radii."""
    sup = up(control.sup())

    def many(radius: Floats) -> list[dict[str, float]]:
        pairs = zip(radius.tolist(), sup.tolist(), strict=True)
        exact = [replace(field, radius=r, control_radius=c).constants for r, c in pairs]
        return [{n: math.nextafter(float(v), math.inf) if v else 0.0 for n, v in row.items()} for row in exact]

    def columns(rows: list[dict[str, float]], *names: str) -> tuple[Floats, ...]:
        return tuple(np.array([row[name] for row in rows]) for name in names)

    def at(radius: Floats) -> tuple[Floats, Floats, Floats]:
        bound, slope, in_control = columns(many(radius), "M", "L_x", "L_theta")
        return bound, slope, in_control

    growth, offset = columns(many(np.ones_like(sup)), "g", "m_0")
    return _OfField(growth, offset, {"theta": sup}, at)


def _of_class(field: Field, control: Path, n: int) -> _OfField:
    """Return a Transformer field's constants on the smallest product of balls that holds a control.

    A path's norms lie below its coefficients'; node values count where they are none of these.
    """
    assert isinstance(field, TransformerField)
    nodes = control.node_values
    if torch.equal(nodes[:, 1:], control.coefficients[..., -1, :]):
        nodes = nodes[:, :1]
    values = torch.cat([control.coefficients.flatten(1, 2), nodes], 1)
    # A product of blocks on the way between two values may exceed it at both: only the blocks' own norms bound a path.
    norms = norms_rounded_up(field.layout, values, products=False)
    radii = {name: norm.max(axis=1) for name, norm in norms.items()}

    def at(radius: Floats) -> tuple[Floats, Floats, Floats]:
        found = constants_of_class(field, radii, radius, n, ("M", "L_x", "L_theta"))
        return found["M"], found["L_x"], found["L_theta"]

    growth = constants_of_class(field, radii, 1.0, n, ("g_x", "m_x"))
    return _OfField(growth["g_x"], growth["m_x"], radii, at)


def layer_slopes(field: Field, control: Path, constants_: Constants, K: int, n: int) -> Floats:
    """Return every layer's own Lipschitz constant on the ball of radius R_T, ``(batch, K)``."""
    if isinstance(field, KnownField):
        return np.repeat(constants_.L_x[:, None], K, axis=1)
    assert isinstance(field, TransformerField)
    found = constants_of_control(field, control.sample_grid(K), constants_.R_T[:, None], n, ("L_x",))
    return found["L_x"]
