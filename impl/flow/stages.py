r"""Fixed Runge–Kutta steps on every cell, all instances at once, and what the embedded methods say of their errors.

*Local errors.* Where the solution is analytic with radius of convergence r (Depth), a method of order p misses a step
of length h by about ``C(h/r)^{p+1}``. Two embedded methods of orders q < p thus show the ratio of the series,

.. math:: θ = (E_p/E_q)^{1/(p-q)} ≈ h/r,

and by it what the method itself, of order P, leaves: ``E_p θ^{P−p}``. Three cases are told apart by θ:

- ``θ <= 1/5``: the series converges, and that is the local error.
- Above, it is not seen to converge: only the embedded methods are believed, and the local error is ``E_p + E_q``.
- Above ½, where the next terms are as large as the first, and with ``E_p + E_q`` above 1e-4 of the state, the step has
  gone over something it did not see; how that grows inside the step is unknown, and the local error is infinite. (Below
  1e-4 it may be a kink of the field, on which no step converges.)

These are estimates. The ratio knows the constants C of neither method; both limits on θ and the share of 1e-4 were
chosen for DOP853 by measurement, not derived; ``python -m benchmarks.reference_error 1000 SEED`` puts them to the test.
"""

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

CONVERGENT = 0.2
"""Largest ratio of a series that is believed to converge."""
DIVERGENT = 0.5
"""Ratio above which nothing but a negligible error can be bounded."""
NEGLIGIBLE = 1e-4
"""Share of the state that an error may have there."""


@dataclass(frozen=True)
class Integration:
    """States at the cells' ends, and what is known about their errors.

    Attributes
    ----------
    states : Tensor
        ``(M+1, n, d, B, P)`` (State).
    local : Tensor
        ``(M, B, P)``: estimated local errors, summed over a cell's steps (State); infinite if one is not resolved.
    sentinel : Sentinel or None
        What watched rounding, where it was asked for.
    """

    states: Float[Tensor, "M+1 n d B P"]
    local: Float[Tensor, "M B P"]
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
        self.observed = first.new_empty(3, first.numel())
        self.squares = self.logical(self.observed.view(3, *first.shape))

    def logical(self, x: Float[Tensor, "..."]) -> Float[Tensor, "*times n d B P"]:
        """View memory as states in the kernel's layout."""
        return x if self.contiguous else x.movedim((-2, -1), (-4, -3))

    def stage_state(self, start: Float[Tensor, "size"], i: int) -> Float[Tensor, "n d B P"]:
        """State ``x + Σ_j a_ij w_j F_j`` at which stage i > 0 evaluates the field."""
        torch.addmv(start, self.products[i], self.rows[i], out=self.point.view(-1))
        return self.state

    def advance(self, start: Float[Tensor, "size"], end: Float[Tensor, "size"]) -> None:
        """Write ``x + Σ_i b_i w_i F_i`` into ``end``; the sum comes first, so that only one addition rounds like x."""
        increment = self.point.view(-1)
        torch.mv(self.slopes.mT, self.weights, out=increment)
        torch.add(start, increment, out=end)

    def observe(self, end: Float[Tensor, "size"], out: Float[Tensor, "3 B P"]) -> None:
        """Write ``|·|²`` of both embedded errors of the step just taken, and of its end, into ``out``."""
        torch.mm(self.differences, self.slopes, out=self.observed[:2])
        self.observed[2].copy_(end)
        self.observed.mul_(self.observed)
        torch.sum(self.squares, (1, 2), out=out)


def local_error(
    fine: Float[Tensor, "*batch"], coarse: Float[Tensor, "*batch"], scale: Float[Tensor, "*batch"], tableau: Tableau
) -> Float[Tensor, "*batch"]:
    """Estimate a method's local error from those of its embedded methods (see above).

    Parameters
    ----------
    fine, coarse : Tensor
        Local errors of the embedded methods (State).
    scale : Tensor
        Size of the state (State).
    tableau : Tableau
        The method.

    Returns
    -------
    Tensor
        The local error (State), infinite where the step is not resolved, never nan.
    """
    p, q = tableau.orders
    ratio = torch.where(fine > 0, fine / coarse, fine) ** (1 / (p - q))  # 0/0: nothing moves
    plain = fine + coarse
    low = torch.where((ratio > DIVERGENT) & (plain > NEGLIGIBLE * scale), torch.inf, plain)
    local = torch.where(ratio > CONVERGENT, low, fine * ratio ** (tableau.order - p))
    return torch.where(local.isnan(), torch.inf, local)


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
    observed = batch.x.new_empty(cells.lengths.shape[0], substeps, 3, B, P)
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
            work.observe(end, observed[cell, r])
            current = work.logical(states[cell + 1])
        if sentinel is not None:
            sentinel.close_cell(current)
    fine, coarse, after = observed.sqrt().unbind(2)
    before = torch.cat([size(batch.x)[None], after.flatten(0, 1)[:-1]]).view_as(after)
    local = local_error(fine, coarse, torch.maximum(before, after), tableau).sum(1)
    return Integration(work.logical(states), local, sentinel)


def _schedule(zeta: Float[Tensor, "r+1 b 1"], local: Float[Tensor, "S 1 1"]) -> Float[Tensor, "S b 1"]:
    points = list(zeta.unbind(0))
    while len(points) > 1:
        points = [(1 - local) * a + local * b for a, b in pairwise(points)]
    return points[0].expand(local.shape[0], *points[0].shape[-2:])
