"""Control and schedule on their common cells, laid out for the kernels."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from impl.control import Path, bernstein, measures
from impl.flow.batch import Batch


@dataclass(frozen=True)
class Cells:
    """Cells on which control and schedule are polynomials; the instance dimension is 1 where all share them.

    Attributes
    ----------
    times : Tensor
        Breakpoints ``(b, M+1)`` (Depth).
    lengths : Tensor
        Lengths ``(M, b, 1)``; zero where an instance has fewer cells.
    theta : Tensor
        Bernstein coefficients ``(M, q+1, p, b, 1)`` of the control.
    zeta : Tensor
        Bernstein coefficients ``(M, r+1, b, 1)`` of the schedule.
    """

    times: Float[Tensor, "b M+1"]
    lengths: Float[Tensor, "M b 1"]
    theta: Float[Tensor, "M q+1 p b 1"]
    zeta: Float[Tensor, "M r+1 b 1"]

    @classmethod
    def of(cls, batch: Batch, control: Path, schedule: Path, records: Float[Tensor, "*instances R"]) -> "Cells":
        """Cut [0, T] at every breakpoint of control and schedule and at every time to be recorded."""
        own = [batch.rows(times, 1) for times in (control.times, schedule.times, records.to(control.times))]
        rows = max(times.shape[0] for times in own)
        own = [times.expand(rows, -1) for times in own]
        times = measures.distinct(torch.cat(own, dim=-1))
        coefficients, values = (
            measures.restrict_to(breaks, batch.rows(path.coefficients, 3).expand(rows, -1, -1, -1), times)
            for breaks, path in zip(own[:2], (control, schedule), strict=True)
        )
        values = values.squeeze(-1)
        return cls(
            times,
            times.diff(dim=-1).mT.unsqueeze(-1).contiguous(),
            batch.last(coefficients),
            values.movedim(0, -1).unsqueeze(-1).contiguous(),
        )

    def select(self, rows: Tensor) -> "Cells":
        """Keep some instances."""
        if self.times.shape[0] == 1:
            return self
        return Cells(self.times[rows], self.lengths[:, rows], self.theta[..., rows, :], self.zeta[..., rows, :])

    def schedule_integrals(self, substeps: int) -> tuple[Float[Tensor, "M m b 1"], Float[Tensor, "M m b 1"]]:
        """``∫ζ`` and ``∫|ζ|`` over every substep of every cell (Depth)."""
        ends = torch.linspace(0, 1, substeps + 1, dtype=self.zeta.dtype, device=self.zeta.device)[:, None, None]
        whole = self.zeta.movedim(1, -1).unsqueeze(-1).unsqueeze(1).expand(-1, substeps, -1, -1, -1, -1)
        scalar = bernstein.restrict(whole, ends[:-1], ends[1:])
        length = self.lengths.unsqueeze(1) / substeps
        return bernstein.mean(scalar)[..., 0] * length, bernstein.mean_absolute(scalar) * length


def interpolate(coefficients: Float[Tensor, "q+1 *rest"], s: float) -> Float[Tensor, "*rest"]:
    """Value of a Bernstein polynomial at ``s`` by repeated linear interpolation; exact at both ends."""
    points = list(coefficients.unbind(0))
    while len(points) > 1:
        points = [torch.lerp(a, b, s) for a, b in pairwise(points)]
    return points[0]
