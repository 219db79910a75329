"""Flow instances: fields, controls, schedules and inputs that satisfy the assumptions by construction.

Every instance comes with the constants that the theorems speak of: exact for abstract fields, from `impl.constants` for
Transformer fields; Lipschitz constants, variations and radii of its own paths, rounded up. A batch is built once for all
theorems that draw the same descriptor.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from impl.constants import constants_of_class
from impl.control import Path
from impl.field.abstract import LinearField, RotatingField, SaturatingField, TimeDrivenField
from impl.field.attention import causal
from impl.field.base import Field
from impl.field.known import KnownField
from impl.field.layout import Layout
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.flow import ReferenceFlow, layer_rounding, reference_flow, transformer
from impl.rounding import directed
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size

Floats = npt.NDArray[np.float64]

FIELDS = ("linear", "time-driven", "saturating", "rotating", "transformer", "causal", "attention", "mlp")
FLOW = Space(
    {
        "batch": Integer(24, 32),
        "field": Choice(FIELDS),
        "activation": Choice(("tanh", "gelu", "gelu-tanh", "silu", "relu")),
        "control": Choice(("constant", "linear", "jumps")),
        "schedule": Choice(("constant", "linear", "jumps")),
        "n": size(1, 4, 8, 16),
        "d": size(1, 4, 8, 16),
        "heads": size(1, 2, 3, 4),
        "K": size(1, 16, 32, 128),
        "particles": Integer(1, 2),
        "T": Real(0.05, 2.0, log=True),
        "growth": Real(0.05, 2.0, log=True),
        "push": Real(0.05, 3.0, log=True),
        "alignment": Real(0.0, 1.0),
        "inputs": Real(0.0, 2.0),
    }
)
TOLERANCE = 1e-9
ROUNDED = 64
"""Operations behind a norm or a slope of a path: sums over a few hundred coordinates in pairs, a root, a quotient."""


@dataclass(frozen=True)
class Constants:
    """What the theorems' symbols are on each instance; arrays of length `batch`.

    `zeta_bar`, `L_zeta`, `V_zeta`, `L_c`, `V_theta` describe the paths (L the largest slope between jumps, V the sum of
    the jumps); `Z_flow` is ∫|ζ| and `Z_layers` its step sum; R_0 and R_T are token radii.
    """

    zeta_bar: Floats
    L_zeta: Floats
    V_zeta: Floats
    L_c: Floats
    V_theta: Floats
    Z_flow: Floats
    Z_layers: Floats
    R_0: Floats
    R_T: Floats
    g_x: Floats
    m_x: Floats
    M: Floats
    L_x: Floats
    L_theta: Floats


@dataclass(frozen=True, eq=False)
class Flows:
    """A batch of flows and Transformers with everything that depth theorems measure.

    Attributes
    ----------
    layers : (batch, K+1, P, n, d) Tensor
        The Transformer's states (State).
    flow : ReferenceFlow
        The flow at the same depths, with its error.
    rounding : (batch, K+1, P) Tensor
        Rounding allowance of the layers (State).
    """

    descriptor: Descriptor
    field: Field
    control: Path
    schedule: Path
    x0: Tensor
    layers: Tensor
    flow: ReferenceFlow
    rounding: Tensor
    constants: Constants

    @property
    def K(self) -> int:  # noqa: N802
        """Number of layers."""
        return int(self.descriptor["K"])

    @property
    def T(self) -> float:  # noqa: N802
        """Depth."""
        return float(self.descriptor["T"])

    def depth_errors(self) -> tuple[Floats, Floats]:
        """Return max over layers and particles of |X(t_k) − X̂_k| and its error, instance by instance (State)."""
        steps = (self.layers - self.flow.states).flatten(-2).norm(dim=-1)
        return steps.flatten(1).amax(1).numpy(), (self.flow.errors + self.rounding).flatten(1).amax(1).numpy()

    def token_radii(self) -> tuple[Floats, Floats, Floats]:
        """Return the largest token norm of the flow, of the layers, and the error of both (State)."""
        flow, layers = (x.norm(dim=-1).flatten(1).amax(1).numpy() for x in (self.flow.states, self.layers))
        return flow, layers, (self.flow.errors + self.rounding).flatten(1).amax(1).numpy()


def up(value: Tensor) -> Floats:
    """Return a nonnegative computed number rounded up."""
    return directed(value.double(), ROUNDED).numpy()


def torch_generator(descriptor: Descriptor, stream: str) -> torch.Generator:
    """Return a torch generator for one named stream of a descriptor."""
    return torch.Generator().manual_seed(int(descriptor.generator(stream).integers(2**62)))


def build_field(descriptor: Descriptor) -> Field:
    """Return the field of a descriptor; abstract fields get the growth rate as their exact slope."""
    n, d, growth = descriptor["n"], descriptor["d"], descriptor["growth"]
    match descriptor["field"]:
        case "linear":
            return LinearField(n=n, d=d, growth=growth)
        case "time-driven":
            return TimeDrivenField(n=n, d=d)
        case "rotating":
            return RotatingField(n=n, d=2 * ((d + 1) // 2), speed=growth)
        case "saturating":
            return SaturatingField(bound=descriptor["push"], slope=growth)
    heads = 0 if descriptor["field"] == "mlp" else descriptor["heads"]
    hidden = 0 if descriptor["field"] == "attention" else 2 * d
    layout = Layout(d, heads, max(1, d // max(1, heads)), hidden)
    mask = causal(n) if descriptor["field"] == "causal" else None
    return TransformerField(layout, descriptor["activation"], mask=mask)


def build_control(descriptor: Descriptor, field: Field) -> Path:
    """Return controls of norm about `push`: constant, linear on a coarse grid, or with jumps at times of their own."""
    generator = torch_generator(descriptor, "control")
    batch, p, T = descriptor["batch"], field.parameter_count, descriptor["T"]

    def vectors(count: int) -> Tensor:
        raw = torch.randn(batch, count, p, generator=generator, dtype=torch.float64)
        steady = raw[:, :1] if isinstance(field, KnownField) else raw[:, :1] * 0.9
        raw = descriptor["alignment"] * steady + (1 - descriptor["alignment"]) * raw
        return raw * (descriptor["push"] / math.sqrt(p))

    return _path(descriptor["control"], vectors, T, batch, generator)


def build_schedule(descriptor: Descriptor) -> Path:
    """Return schedules of size about 1, of either sign: constant, linear, or with jumps at times of their own."""
    generator = torch_generator(descriptor, "schedule")
    batch, T = descriptor["batch"], descriptor["T"]

    def values(count: int) -> Tensor:
        return 2 * torch.rand(batch, count, 1, generator=generator, dtype=torch.float64) - 0.5

    return _path(descriptor["schedule"], values, T, batch, generator)


def _path(kind: str, values: Callable[[int], Tensor], T: float, batch: int, generator: torch.Generator) -> Path:
    if kind == "constant":
        return Path.constant(values(1)[:, 0], T)
    if kind == "linear":
        return Path.piecewise_linear(values(3), T)
    inner = torch.rand(batch, 2, generator=generator, dtype=torch.float64).sort(dim=1).values * T
    times = torch.cat([torch.zeros(batch, 1, dtype=torch.float64), inner, torch.full((batch, 1), T, dtype=torch.float64)], 1)
    return Path.with_jumps(times, values(3).unsqueeze(-2))


def build_inputs(descriptor: Descriptor, field: Field) -> Tensor:
    """Return inputs (batch, P, n, d) of token norm about `inputs`."""
    generator = torch_generator(descriptor, "inputs")
    n = field.tokens if isinstance(field, KnownField) else descriptor["n"]
    shape = (descriptor["batch"], descriptor["particles"], n, field.width)
    raw = torch.randn(shape, generator=generator, dtype=torch.float64)
    return raw * (descriptor["inputs"] / math.sqrt(field.width))


def constants(field: Field, control: Path, schedule: Path, x0: Tensor, K: int, T: float) -> Constants:
    """Return every constant of a batch, rounded up; M, L_x, L_θ on the ball of radius R_T and the class of the control."""
    jumps_theta, slope_theta = _jumps_and_slope(control)
    jumps_zeta, slope_zeta = _jumps_and_slope(schedule)
    samples = schedule.sample_grid(K)[..., 0].abs()
    inputs = up(x0.norm(dim=-1).flatten(1).amax(1))
    flow_time, layer_time = up(schedule.integral_abs()), up(samples.sum(1) * (T / K))
    of_field = _known(field, control) if isinstance(field, KnownField) else _class(field, control, x0.shape[-2])
    growth, offset = of_field.growth
    passed = np.maximum(flow_time, layer_time)
    radius = up(torch.from_numpy(_range(inputs, growth, offset, passed)))
    bound, slope, in_control = of_field.at(radius)
    return Constants(
        up(schedule.sup()), slope_zeta, jumps_zeta, slope_theta, jumps_theta, flow_time, layer_time, inputs, radius,
        growth, offset, bound, slope, in_control,
    )  # fmt: skip


def _range(inputs: Floats, growth: Floats, offset: Floats, passed: Floats) -> Floats:
    """Return R_T as `trajectory-range` defines it, in floats; its caller rounds up."""
    z = growth * passed
    ratio = np.divide(np.expm1(z), z, out=np.ones_like(z), where=z > 0)
    found: Floats = inputs * np.exp(z) + offset * passed * ratio
    return found


def _jumps_and_slope(path: Path) -> tuple[Floats, Floats]:
    """Return the sum of the jumps (of the values at breakpoints too) and the largest slope between them."""
    ends = path.coefficients[..., 0, :], path.coefficients[..., -1, :]
    lengths = path.times.diff(dim=-1)
    changes = (ends[1] - ends[0]).norm(dim=-1)
    slope = torch.where(lengths > 0, changes / lengths.clamp(min=1e-300), 0.0)
    total = path.variation() - torch.where(lengths > 0, changes, 0.0).sum(-1)
    rough = total > 1e-12 * (1 + path.sup())
    return np.where(rough.numpy(), up(total.clamp(min=0)), 0.0), up(slope.amax(-1))


@dataclass(frozen=True)
class _OfField:
    growth: tuple[Floats, Floats]
    at: Callable[[Floats], tuple[Floats, Floats, Floats]]


def _known(field: KnownField, control: Path) -> _OfField:
    """Return the constants of an abstract field, evaluated in its own exact formulas at each instance's radii."""
    sup = up(control.sup())

    def one(radius: float, control_radius: float) -> dict[str, float]:
        kind = type(field)
        fields = {k: getattr(field, k) for k in field.__dataclass_fields__ if k not in ("radius", "control_radius")}
        found = kind(**fields, radius=radius, control_radius=control_radius).constants  # type: ignore[arg-type]
        return {name: math.nextafter(float(value), math.inf) if value else 0.0 for name, value in found.items()}

    def many(radius: Floats) -> list[dict[str, float]]:
        return [one(float(r), float(c)) for r, c in zip(radius, sup, strict=True)]

    def column(rows: list[dict[str, float]], name: str) -> Floats:
        return np.array([row[name] for row in rows])

    start = many(np.ones_like(sup))

    def at(radius: Floats) -> tuple[Floats, Floats, Floats]:
        rows = many(radius)
        return column(rows, "M"), column(rows, "L_x"), column(rows, "L_theta")

    return _OfField((column(start, "g"), column(start, "m_0")), at)


def _class(field: Field, control: Path, n: int) -> _OfField:
    """Return the constants of a Transformer field over the smallest product of balls that holds the control."""
    assert isinstance(field, TransformerField)
    norms = block_norms(field.layout, control.coefficients)
    nodes = block_norms(field.layout, control.node_values)
    count = control.coefficients.shape[-1]
    del count
    radii = {
        name: np.maximum(up(value.flatten(1, 2).amax(1)), up(nodes[name].amax(1))) for name, value in norms.items()
    }

    def at(radius: Floats) -> tuple[Floats, Floats, Floats]:
        found = constants_of_class(field, radii, radius, n)
        return found["M"], found["L_x"], found["L_theta"]

    start = constants_of_class(field, radii, np.ones(len(control.times)), n)
    return _OfField((start["g_x"], start["m_x"]), at)


@lru_cache(maxsize=4)
def flows(descriptor: Descriptor) -> Flows:
    """Return the batch of a descriptor of `FLOW`."""
    field = build_field(descriptor)
    control, schedule, x0 = build_control(descriptor, field), build_schedule(descriptor), build_inputs(descriptor, field)
    return measured(descriptor, field, control, schedule, x0)


def measured(descriptor: Descriptor, field: Field, control: Path, schedule: Path, x0: Tensor) -> Flows:
    """Run Transformer and flow, and collect the constants."""
    K, T = descriptor["K"], descriptor["T"]
    layers = transformer(field, control, schedule, x0, K, T, record="all")
    flow = reference_flow(field, control, schedule, x0, T, K, tolerance=TOLERANCE)
    rounding = layer_rounding(field, layers, flow.growth, flow.stretch, x0.dtype)
    found = constants(field, control, schedule, x0, K, T)
    return Flows(descriptor, field, control, schedule, x0, layers, flow, rounding, found)
