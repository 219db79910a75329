"""Flow instances: fields, controls, schedules and inputs that satisfy the assumptions by construction.

A batch is built once for all theorems that draw the same descriptor; every instance comes with its constants.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from impl.control import Path, grid
from impl.field.abstract import LinearField, RotatingField, SaturatingField, TimeDrivenField
from impl.field.attention import causal
from impl.field.base import Field
from impl.field.known import KnownField
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import ReferenceFlow, layer_rounding, reference_flow, transformer
from impl.flow.cash_karp import CASH_KARP
from impl.flow.dop853 import DOP853
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.flow_constants import Constants, Floats, constants

FIELDS = ("driven", "linear", "velocity", "rotating", "saturating", "mlp", "attention", "causal", "block")
FLOW = Space(
    {
        "batch": Integer(24, 32),
        "field": Choice(FIELDS),
        "activation": Choice(("tanh", "gelu", "gelu-tanh", "silu", "relu")),
        "control": Choice(("constant", "linear", "curve")),
        "schedule": Choice(("one", "constant", "linear")),
        "n": size(1, 4, 8, 16),
        "d": size(1, 4, 8, 16),
        "heads": size(1, 2, 3, 4),
        "K": size(1, 12, 32, 128),
        "particles": Integer(1, 3),
        "C": size(2, 5, 50, 1000),
        "readout": Choice(("pooled", "token")),
        "T": Real(0.2, 3.0, log=True),
        "growth": Real(0.05, 3.0, log=True),
        "push": Real(0.05, 3.0, log=True),
        "alignment": Real(0.0, 1.0),
        "inputs": Real(0.0, 2.0),
        "confidence": Real(0.05, 8.0, log=True),
    }
)
JUMPS = Space(
    {
        **FLOW.domains,
        "field": Choice(("driven", "linear", "saturating", "mlp", "causal")),
        "control": Choice(("jumps", "cells", "spikes", "linear")),
        "schedule": Choice(("one", "constant", "jumps", "linear")),
    }
)
SUBSTEPS, TOLERANCE = 16, 1e-4
"""Steps a cell are doubled up to this number where the flow's error is larger than this (State).

Elsewhere two steps leave an error that is orders of magnitude below the depth error.
"""


def reference(
    field: Field, control: Path, schedule: Path, x0: Tensor, T: float, K: int, tolerance: float = TOLERANCE
) -> ReferenceFlow:
    """Return the flow at ``t_0, …, t_K``; on cells up to 1/16 order 5 is exact enough."""
    method = CASH_KARP if 16 * T <= K else DOP853
    return reference_flow(
        field, control, schedule, x0, T, K, tolerance=tolerance, max_substeps=SUBSTEPS, tableau=method
    )


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

    field: Field
    control: Path
    schedule: Path
    K: int
    T: float
    layers: Tensor
    flow: ReferenceFlow
    rounding: Tensor
    constants: Constants

    def depth_errors(self) -> tuple[Floats, Floats]:
        """Return max over layers and particles of |X(t_k) − X̂_k| and its error, instance by instance (State)."""
        steps = (self.layers - self.flow.states).flatten(-2).norm(dim=-1)
        return steps.flatten(1).amax(1).numpy(), (self.flow.errors + self.rounding).flatten(1).amax(1).numpy()

    def token_radii(self) -> tuple[Floats, Floats, Floats]:
        """Return the largest token norm of the flow, of the layers, and the error of both (State)."""
        flow, layers = (x.norm(dim=-1).flatten(1).amax(1).numpy() for x in (self.flow.states, self.layers))
        return flow, layers, (self.flow.errors + self.rounding).flatten(1).amax(1).numpy()


@lru_cache(maxsize=4)
def flows(descriptor: Descriptor) -> Flows:
    """Return the batch of a descriptor of `FLOW` or `JUMPS`."""
    field = build_field(descriptor)
    schedule, x0 = build_schedule(descriptor), build_inputs(descriptor, field)
    return measured(field, build_control(descriptor, field), schedule, x0, descriptor["K"], descriptor["T"])


def measured(field: Field, control: Path, schedule: Path, x0: Tensor, K: int, T: float) -> Flows:
    """Run Transformer and flow, and collect the constants."""
    layers = transformer(field, control, schedule, x0, K, T, record="all")
    flow = reference(field, control, schedule, x0, T, K)
    rounding = layer_rounding(field, layers, flow.growth, flow.stretch, x0.dtype)
    found = constants(field, control, schedule, x0, K, T)
    return Flows(field, control, schedule, K, T, layers, flow, rounding, found)


def torch_generator(descriptor: Descriptor, stream: str) -> torch.Generator:
    """Return a torch generator for one named stream of a descriptor."""
    return torch.Generator().manual_seed(int(descriptor.generator(stream).integers(2**62)))


def build_field(descriptor: Descriptor) -> Field:
    """Return the field of a descriptor; abstract fields get the growth rate as their exact slope."""
    n, d, growth = descriptor["n"], descriptor["d"], descriptor["growth"]
    match descriptor["field"]:
        case "linear" | "velocity":
            return LinearField(n=n, d=d, growth=growth)
        case "driven":
            return TimeDrivenField(n=n, d=d)
        case "rotating":
            return RotatingField(n=n, d=2 * ((d + 1) // 2), speed=growth)
        case "saturating":
            return SaturatingField(bound=descriptor["push"], slope=growth)
    heads = 0 if descriptor["field"] == "mlp" else descriptor["heads"]
    hidden = 2 * d if descriptor["field"] in ("mlp", "block") else 0
    layout = Layout(d, heads, max(1, d // max(1, heads)), hidden)
    return TransformerField(
        layout, descriptor["activation"], mask=causal(n) if descriptor["field"] == "causal" else None
    )


def build_control(descriptor: Descriptor, field: Field) -> Path:
    """Return controls of norm about `push`.

    For the field "velocity" they make the velocity ``A t`` from 0 under ``ζ = 1``: Euler's worst case at every growth.
    """
    generator, T = torch_generator(descriptor, "control"), descriptor["T"]
    batch, p, push = descriptor["batch"], field.parameter_count, descriptor["push"]

    def vectors(count: int) -> Tensor:
        raw = torch.randn(batch, count, p, generator=generator, dtype=torch.float64)
        raw = descriptor["alignment"] * raw[:, :1] + (1 - descriptor["alignment"]) * raw
        return raw * (push / math.sqrt(p))

    if descriptor["field"] == "velocity" and descriptor["control"] != "jumps":
        rise, zero = vectors(1)[:, 0] / T, torch.zeros(batch, p, dtype=torch.float64)
        return Path.from_powers(torch.stack([zero, rise, -descriptor["growth"] / 2 * rise], 1), T)
    return _path(descriptor["control"], vectors, descriptor, generator)


def build_schedule(descriptor: Descriptor) -> Path:
    """Return schedules of size about 1, of either sign."""
    generator, batch = torch_generator(descriptor, "schedule"), descriptor["batch"]

    def values(count: int) -> Tensor:
        return 2 * torch.rand(batch, count, 1, generator=generator, dtype=torch.float64) - 0.5

    if descriptor["field"] == "velocity":
        return Path.constant(torch.ones(batch, 1, dtype=torch.float64), descriptor["T"])
    kind, still = descriptor["schedule"], descriptor["control"] in ("constant", "cells")
    if descriptor["field"] == "driven" and still and kind in ("one", "constant"):
        kind = "linear"  # else bound and error are both 0, which rounding cannot decide: that is an exhibit
    if kind == "one":
        return Path.constant(torch.ones(batch, 1, dtype=torch.float64), descriptor["T"])
    return _path(kind, values, descriptor, generator)


def _path(kind: str, values: Callable[[int], Tensor], descriptor: Descriptor, generator: torch.Generator) -> Path:
    """Return a path: smooth, or with jumps at times of its own, at the layers', or with values that stand out."""
    T, K = descriptor["T"], descriptor["K"]
    match kind:
        case "constant":
            return Path.constant(values(1)[:, 0], T)
        case "linear":
            return Path.piecewise_linear(values(3), T)
        case "curve":
            return Path.from_powers(values(3) * torch.tensor([[1.0], [1 / T], [1 / T**2]], dtype=torch.float64), T)
        case "cells":
            return Path.constant_on_cells(values(K), T)
        case "spikes":
            cells = values(K)
            nodes = torch.cat([0.8 * cells, cells[:, -1:]], 1)
            return Path.with_jumps(grid(T, K).expand(len(cells), -1), cells.unsqueeze(-2), nodes)
    batch = descriptor["batch"]
    inner = torch.rand(batch, 2, generator=generator, dtype=torch.float64).sort(dim=1).values
    ends = torch.tensor([[0.0, 1.0]], dtype=torch.float64).expand(batch, -1)
    times, pieces = torch.cat([ends[:, :1], inner, ends[:, 1:]], 1) * T, values(6)
    return Path.with_jumps(times, torch.stack([pieces[:, :3], pieces[:, 3:]], 2))


def build_inputs(descriptor: Descriptor, field: Field) -> Tensor:
    """Return inputs (batch, P, n, d) of token norm about `inputs`; 0 for the field "velocity"."""
    generator = torch_generator(descriptor, "inputs")
    n = field.tokens if isinstance(field, KnownField) else descriptor["n"]
    shape = (descriptor["batch"], descriptor["particles"], n, field.width)
    raw = torch.randn(shape, generator=generator, dtype=torch.float64)
    return raw * (0 if descriptor["field"] == "velocity" else descriptor["inputs"] / math.sqrt(field.width))
