r"""What rounding does to a flow: sources along the way, amplified as the flow itself amplifies perturbations.

*One step.* With unit roundoff u, a step ``x⁺ = x + Σ_i b_i w_i F_i`` is computed with error at most

.. math:: u\,|x^+| + γ_{s+1}\,|b|_1\,\max_i|w_iF_i| + |b|_1\max_i|w_i|\,|\hat F_i - F_i|,

the last sum included. A field whose sums have at most ℓ terms, six of them nested, none longer than d (projections), n
(softmax, mixing) or p/d (the other side of a block with a side of length d), is computed with error at most
``c u (|F| + L|x|)``, ``c = 2(n + d + p/d)``: the rounding of its sums, and of the argument at which it is evaluated;
L is the local Lipschitz constant. So a cell of m steps contributes at most

.. math:: ρ = u\,[\,m\,|x| + (c + s + 1)\,|b|_1 \textstyle∫|ζ|\,(|F| + L|x|)\,].

*Growth.* Errors obey ``r ↦ e^{μ∫ζ} r + ρ`` with the logarithmic norm μ of ``D_xF``. Here μ and L are *measured* along
one perturbation that evolves with the flow, and so turns towards the direction that grows most; decay is not credited,
``e^{max(0, ·)}``. Sums are of absolute values, where actual rounding errors partly cancel. Cancellation *inside* F
beyond the factor above is not seen: the allowance is *measured*, like the reference flow's error itself.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from impl.euclidean import length
from impl.field.base import Field
from impl.flow.batch import Batch
from impl.flow.cells import Cells
from impl.flow.tableau import Tableau
from impl.rounding import unit_roundoff


def field_roundings(field: Field, n: int, dtype: torch.dtype = torch.float64) -> float:
    """Count the roundings ``c`` of one field evaluation: twice the longest of its nested sums.

    Sums of 16-bit numbers are accumulated in float32, so there only the terms and the result of each of the six nested
    sums are rounded in the dtype itself.
    """
    terms = 2 * (n + field.width + field.parameter_count / field.width)
    if torch.finfo(dtype).bits > 16:
        return terms
    return 12 + terms * unit_roundoff(torch.float32) / unit_roundoff(dtype)


def size(x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "*batch"]:
    """Frobenius norm of each particle."""
    return length(x, (0, 1))


class Sentinel:
    """A perturbation carried along, and the rounding that it implies for every cell.

    Parameters
    ----------
    field, batch, cells, tableau, substeps
        The integration that it accompanies.
    """

    def __init__(self, field: Field, batch: Batch, cells: Cells, tableau: Tableau, substeps: int) -> None:
        x = batch.x
        self.field = field
        self.unit = unit_roundoff(x.dtype)
        self.steps = substeps
        self.roundings = (field_roundings(field, x.shape[0]) + tableau.stages + 1) * tableau.weight_sum
        self.signed, self.absolute = cells.schedule_integrals(substeps)
        # Any direction that no symmetry of the field prefers: a fixed, aperiodic pattern of entries.
        pattern = torch.arange(1, x.shape[0] * x.shape[1] + 1, dtype=x.dtype, device=x.device).mul(0.6180339887498949)
        self.direction = (pattern.frac() - 0.5).view(*x.shape[:2], 1, 1).expand_as(x).contiguous()
        self.direction = self.direction / size(self.direction)
        self.before = size(x)
        self.stretch = torch.zeros_like(self.before)
        self.exponent, self.source = torch.zeros_like(self.before), torch.zeros_like(self.before)
        self.sources: list[Float[Tensor, "B P"]] = []
        self.exponents: list[Float[Tensor, "B P"]] = []

    def look(self, cell: int, substep: int, x: Tensor, slope: Tensor, theta: Tensor) -> None:
        """Measure growth and Lipschitz constant at a step's start, and turn the perturbation."""
        scale = self.unit**0.5 * torch.where(self.before > 0, self.before, 1.0)
        change = (self.field.kernel(x + scale * self.direction, theta) - slope) / scale
        rate, lipschitz = (self.direction * change).sum((0, 1)), size(change)
        signed, absolute = self.signed[cell, substep], self.absolute[cell, substep]
        # A step on which ζ changes sign grows by either sign of the rate.
        forward, backward = (absolute + signed) / 2, (absolute - signed) / 2
        self.exponent = self.exponent + forward * rate.clamp(min=0) + backward * (-rate).clamp(min=0)
        self.source = self.source + absolute * (size(slope) + lipschitz * self.before)
        self.stretch = self.stretch + absolute * lipschitz
        turned = self.direction + signed * change
        length = size(turned)
        self.direction = torch.where((length > 0) & torch.isfinite(length), turned / length, self.direction)

    def close_cell(self, x: Tensor) -> None:
        """Note a cell that ends in ``x``: what rounding adds there, and by how much it amplifies."""
        after = size(x)
        self.sources.append(self.unit * (self.steps * torch.maximum(self.before, after) + self.roundings * self.source))
        self.exponents.append(self.exponent)
        self.exponent, self.source = torch.zeros_like(after), torch.zeros_like(after)
        self.before = after

    @property
    def growth(self) -> Float[Tensor, "B P"]:
        """Amplification over the whole depth."""
        return torch.stack(self.exponents).sum(0).exp()

    def carry(self, local: Float[Tensor, "M B P"]) -> Float[Tensor, "M+1 B P"]:
        """Sum local errors of every cell, each amplified from its cell on."""
        total = [torch.zeros_like(self.stretch)]
        for source, exponent in zip(local, self.exponents, strict=True):
            total.append((total[-1] + source) * exponent.exp())
        return torch.stack(total)
