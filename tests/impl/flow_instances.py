"""Small fields, states and controls that the tests of flows share."""

from dataclasses import dataclass

import torch

from impl.control import Path
from impl.field.base import KernelField
from impl.field.layout import Layout
from impl.field.transformer import TransformerField

F64 = torch.float64
U = torch.finfo(F64).eps / 2


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
