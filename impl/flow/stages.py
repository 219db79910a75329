"""Fixed Runge–Kutta steps on every cell, all instances at once, and how perturbations grow along the way."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from impl.field.base import Field
from impl.flow.batch import Batch
from impl.flow.cells import Cells, interpolate
from impl.flow.rounding import Sentinel, size
from impl.flow.tableau import Tableau


@dataclass(frozen=True)
class Integration:
    """States at the cells' ends, and what is known about their errors.

    Attributes
    ----------
    states : Tensor
        ``(M+1, n, d, B, P)`` (State).
    embedded : Tensor
        ``(M, B, P)``: local error of the embedded method, summed over a cell's steps (State).
    sentinel : Sentinel or None
        What watched rounding, where it was asked for.
    """

    states: Float[Tensor, "M+1 n d B P"]
    embedded: Float[Tensor, "M B P"]
    sentinel: Sentinel | None


class Stages:
    """Buffers of one batch: ``w_i F_i`` of all stages in one matrix, so that a stage's state is one product.

    Parameters
    ----------
    batch : Batch
        Fixes shape and memory layout.
    tableau : Tableau
        The method.
    """

    def __init__(self, batch: Batch, tableau: Tableau) -> None:
        self.tableau = tableau
        self.contiguous = batch.contiguous
        first = batch.x if batch.contiguous else batch.x.movedim((0, 1), (-2, -1))
        self.slopes = first.new_zeros(tableau.stages, first.numel())
        self.views = [self.logical(row.view(first.shape)) for row in self.slopes]
        rows = torch.as_tensor(tableau.matrix, dtype=first.dtype, device=first.device)
        self.rows = [rows[i, :i] for i in range(tableau.stages)]
        self.products = [self.slopes[:i].mT for i in range(tableau.stages)]
        self.weights = torch.as_tensor(tableau.weights, dtype=first.dtype, device=first.device)
        self.differences = torch.as_tensor(tableau.differences, dtype=first.dtype, device=first.device)
        self.point = first.new_empty(first.shape)  # contiguous, whatever the layout of `first`
        self.state = self.logical(self.point)

    def logical(self, x: Float[Tensor, "..."]) -> Float[Tensor, "*times n d B P"]:
        """View memory as states in the kernel's layout."""
        return x if self.contiguous else x.movedim((-2, -1), (-4, -3))

    def stage_state(self, start: Float[Tensor, "size"], i: int) -> Float[Tensor, "n d B P"]:
        """State ``x + Σ_j a_ij w_j F_j`` at which stage i > 0 evaluates the field."""
        torch.addmv(start, self.products[i], self.rows[i], out=self.point.view(-1))
        return self.state

    def advance(self, start: Float[Tensor, "size"], end: Float[Tensor, "size"]) -> None:
        """Write ``x + Σ_i b_i w_i F_i`` into ``end``."""
        torch.addmv(start, self.slopes.mT, self.weights, out=end)

    def embedded(self) -> Float[Tensor, "B P"]:
        """Local error ``|Σ_i e_i w_i F_i|`` of the embedded method in the step just taken."""
        torch.mv(self.slopes.mT, self.differences, out=self.point.view(-1))
        return size(self.state)


@torch.no_grad()
def integrate(
    field: Field, batch: Batch, cells: Cells, substeps: int, tableau: Tableau, *, watch_rounding: bool = False
) -> Integration:
    """Take ``substeps`` equal steps on every cell.

    Parameters
    ----------
    field, batch, cells
        The flow's data; nothing is validated and nothing synchronises.
    substeps : int
        Steps a cell.
    tableau : Tableau
        The method.
    watch_rounding : bool
        Whether to follow a perturbation (one more field evaluation a step) and return the rounding allowance.
    """
    work = Stages(batch, tableau)
    n, d, B, P = batch.x.shape
    shape = (cells.lengths.shape[0] + 1, *((n, d, B, P) if batch.contiguous else (B, P, n, d)))
    states = batch.x.new_empty(shape)
    work.logical(states[0]).copy_(batch.x)
    times = [(r + c) / substeps for r in range(substeps) for c in tableau.nodes.tolist()]
    local = torch.tensor(times, dtype=batch.x.dtype, device=batch.x.device)[:, None, None]
    constant = cells.theta.shape[1] == 1
    embedded = batch.x.new_zeros(cells.lengths.shape[0], B, P)
    sentinel = Sentinel(field, batch, cells, tableau, substeps) if watch_rounding else None
    for cell in range(cells.lengths.shape[0]):
        weights = (_schedule(cells.zeta[cell], local) * (cells.lengths[cell] / substeps)).unbind(0)
        theta = cells.theta[cell, 0]
        end = states[cell + 1].view(-1)
        end.copy_(states[cell].view(-1))
        current = work.logical(states[cell])
        for r in range(substeps):
            for i in range(tableau.stages):
                at = r * tableau.stages + i
                if not constant:
                    theta = interpolate(cells.theta[cell], times[at])
                x = work.stage_state(end, i) if i else current
                slope = field.kernel(x, theta)
                if sentinel is not None and i == 0:
                    sentinel.look(cell, r, x, slope, theta)
                torch.mul(slope, weights[at], out=work.views[i])
            work.advance(end, end)
            embedded[cell] += work.embedded()
            current = work.logical(states[cell + 1])
        if sentinel is not None:
            sentinel.close_cell(current)
    return Integration(work.logical(states), embedded, sentinel)


def _schedule(zeta: Float[Tensor, "r+1 b 1"], local: Float[Tensor, "S 1 1"]) -> Float[Tensor, "S b 1"]:
    points = list(zeta.unbind(0))
    while len(points) > 1:
        points = [(1 - local) * a + local * b for a, b in pairwise(points)]
    return points[0].expand(local.shape[0], *points[0].shape[-2:])
