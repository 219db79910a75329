"""The standard problem: 256 different controls, constant on 32 cells, of a small Transformer field."""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from impl.control import Path, grid
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import ReferenceFlow, euler_kernel, reference_flow, transformer
from impl.flow.batch import Batch
from impl.flow.cells import Cells
from impl.flow.dop853 import DOP853
from impl.flow.stages import integrate


@dataclass(frozen=True)
class Problem:
    """Field, layers, states, and the contenders of the project itself.

    Scale 0.5 leaves one step a cell an error near 1e-11: accuracy is at stake, chaos is not.
    """

    field: TransformerField
    layers: Tensor
    x0: Tensor
    T: float = 1.0

    @classmethod
    def standard(cls, instances: int = 256, cells: int = 32, scale: float = 0.5, device: str = "cpu") -> "Problem":
        """Draw the problem from a fixed seed."""
        field = TransformerField(Layout(width=4, heads=2, head_width=2, hidden=8), activation="tanh")
        g = torch.Generator().manual_seed(2606)
        layers = scale * torch.randn(instances, cells, field.parameter_count, generator=g, dtype=torch.float64)
        x0 = torch.randn(instances, 1, 4, 4, generator=g, dtype=torch.float64)
        return cls(field, layers.to(device), x0.to(device))

    @property
    def K(self) -> int:  # noqa: N802
        """Number of cells."""
        return self.layers.shape[-2]

    @cached_property
    def control(self) -> Path:
        """The controls as paths."""
        return Path.constant_on_cells(self.layers, self.T)

    @cached_property
    def _laid_out(self) -> tuple[Batch, Cells, Tensor, Tensor]:
        batch = Batch.of(self.field, self.x0, self.control.instances)
        one = Path.constant(torch.ones(1, dtype=torch.float64, device=self.x0.device), self.T)
        cells = Cells.of(batch, self.control, one, grid(self.T, self.K, self.x0.device))
        weights = torch.full((self.K, 1, 1), self.T / self.K, dtype=torch.float64, device=self.x0.device)
        return batch, cells, batch.last(self.layers), weights

    def euler(self) -> Tensor:
        """Run the Transformer through its public entry."""
        return transformer(self.field, self.layers, None, self.x0, self.K, self.T)

    def euler_kernel(self) -> None:
        """Run the Transformer's kernel alone."""
        batch, _, layers, weights = self._laid_out
        for _ in euler_kernel(self.field, batch.x, layers, weights):
            pass

    def euler_bmm(self) -> Tensor:
        """Run the Transformer as one writes it by hand, with batched matrix products."""
        x, step = self.x0[:, 0], self.T / self.K
        for k in range(self.K):
            x = x + step * by_hand(self.field, x, self.layers[:, k])
        return x

    def plain(self, substeps: int = 1) -> Tensor:
        """Integrate the flow without an error, layout included."""
        batch = Batch.of(self.field, self.x0, self.control.instances)
        one = Path.constant(torch.ones(1, dtype=torch.float64, device=self.x0.device), self.T)
        cells = Cells.of(batch, self.control, one, grid(self.T, self.K, self.x0.device))
        return batch.restore(integrate(self.field, batch, cells, substeps, DOP853).states)

    def reference(self) -> ReferenceFlow:
        """Integrate the flow with its error."""
        return reference_flow(self.field, self.control, None, self.x0, self.T, self.K, max_substeps=2)

    @cached_property
    def truth(self) -> Tensor:
        """Final states from 8 steps a cell."""
        return self.plain(8)[:, -1, 0]

    def plain_error(self) -> float:
        """Largest final error of one step a cell."""
        return self.distance(self.plain()[:, -1, 0])

    def reference_error(self) -> float:
        """Largest error that the reference flow states."""
        return float(self.reference().error.max())

    def distance(self, final: Tensor) -> float:
        """Largest distance of final states to the truth."""
        return float((final - self.truth).flatten(1).norm(dim=1).max())


def by_hand(field: TransformerField, x: Tensor, theta: Tensor) -> Tensor:
    """Evaluate the field with batched matrix products; ``x`` (B, n, d), ``theta`` (B, p)."""
    b = field.layout.unpack(theta)
    h = x.unsqueeze(1)
    q, k, v = (h @ b[name].mT for name in "QKV")
    weight = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
    mlp = torch.tanh(x @ b["W1"].mT + b["b1"].unsqueeze(1)) @ b["W2"].mT + b["b2"].unsqueeze(1)
    return (weight @ v @ b["O"].mT).sum(1) + mlp
