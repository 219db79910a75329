"""The depth error that the theory bounds: ``max_k |X_k − X(t_k)|``, with its own error."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count
from impl.control import Path, check_grid
from impl.errors import DegenerateGrid
from impl.euclidean import length
from impl.field.base import Field
from impl.flow.euler import OnDivergence, transformer
from impl.flow.reference import reference_flow
from impl.flow.rounding import field_roundings
from impl.rounding import unit_roundoff


@dataclass(frozen=True, eq=False)
class DepthError:
    """Measured distance between Transformer and flow. Standing: *measured*.

    Attributes
    ----------
    value : Tensor
        ``(*instances)``: ``max |X_k − X(t_k)|`` over recorded layers and particles, Frobenius (State); infinite where
        either diverged.
    error : Tensor
        ``(*instances)``: bound on the error of ``value`` (State): reference flow plus rounding of the layers.
    steps, step_errors : Tensor
        ``(*instances, R+1, P)``: the same for each recorded layer and particle.
    """

    value: Float[Tensor, "*instances"]
    error: Float[Tensor, "*instances"]
    steps: Float[Tensor, "*instances R+1 P"]
    step_errors: Float[Tensor, "*instances R+1 P"]


def depth_error(
    field: Field,
    control: Path,
    schedule: Path | None,
    x0: Float[Tensor, "*instances P n d"],
    K: int,
    T: float,
    *,
    records: int | None = None,
    tolerance: float = 1e-9,
    max_substeps: int = 64,
    on_divergence: OnDivergence = "raise",
) -> DepthError:
    """Measure the left side of ``euler-pathwise`` for every instance.

    The Transformer runs in the dtype of ``x0``, the reference flow in float64.

    Parameters
    ----------
    field, control, schedule, x0, K, T, on_divergence
        As for ``transformer``.
    records : int or None
        Number R of equidistant layers to compare, a divisor of K; None for all. Each costs the reference flow a cell.
    tolerance, max_substeps
        As for ``reference_flow``.

    Raises
    ------
    DegenerateGrid, ShapeMismatch, NotFinite, Diverged
        As there; ``DegenerateGrid`` also if ``records`` does not divide K.
    """
    check_grid(T, K)
    records = K if records is None else records
    require_count("number of recorded layers", records, 1, error=DegenerateGrid)
    if K % records:
        raise DegenerateGrid(f"a number of recorded layers that divides K={K}", records, "choose a divisor")
    layered = transformer(field, control, schedule, x0, K, T, record="all", on_divergence=on_divergence)
    flow = reference_flow(
        field,
        control,
        schedule,
        x0,
        T,
        records,
        tolerance=tolerance,
        max_substeps=max_substeps,
        on_divergence=on_divergence,
    )
    layered = layered.to(torch.float64)
    every = slice(None, None, K // records)
    steps = length(layered[..., every, :, :, :] - flow.states, (-2, -1))
    steps = torch.where(torch.isfinite(steps), steps, torch.inf)
    rounding = layer_rounding(field, layered, flow.growth, flow.stretch, x0.dtype)
    errors = flow.errors + rounding[..., every, :]
    errors = torch.where(torch.isfinite(errors), errors, torch.inf)
    zero = torch.zeros((*steps.shape[:-2], 1), dtype=steps.dtype, device=steps.device)
    value, error = (torch.cat([part.flatten(-2), zero], -1).amax(-1) for part in (steps, errors))
    return DepthError(value, error, steps, errors)


def layer_rounding(
    field: Field,
    states: Float[Tensor, "*instances K+1 P n d"],
    growth: Float[Tensor, "*instances P"],
    stretch: Float[Tensor, "*instances P"],
    dtype: torch.dtype,
) -> Float[Tensor, "*instances K+1 P"]:
    r"""Allow for the rounding of ``X_0, …, X_K`` as computed in ``dtype`` (State).

    A layer is computed with error at most ``ρ_k = u(|X_{k+1}| + (c + 3)|X_{k+1} − X_k| + c ε|ζ_k|L|X_k|)``: the last
    addition; weight, product and the field's c roundings; the rounding of its argument. Since
    ``e_{k+1} ≤ (1 + ε|ζ_k|L) e_k + ρ_k`` amplifies by at most G in all, ``e_k ≤ G Σ_{j<k} ρ_j``. For G and ``∫|ζ|L``
    serve what the reference flow measured; the last term is summed with the largest state.

    Parameters
    ----------
    field : Field
        The Transformer's field.
    states : Tensor
        Its states.
    growth : Tensor
        Amplification ``G >= 1`` (pure).
    stretch : Tensor
        ``∫|ζ|L`` (pure).
    dtype : torch.dtype
        In which they were computed.
    """
    u, c = unit_roundoff(dtype), field_roundings(field, states.shape[-2], dtype)
    norm = length(states, (-2, -1))
    moved = length(states.diff(dim=-4), (-2, -1))
    layers = (norm[..., 1:, :] + (c + 3) * moved).cumsum(-2)
    argument = c * stretch.unsqueeze(-2) * norm.amax(-2, keepdim=True)
    out = torch.zeros_like(norm)
    out[..., 1:, :] = u * growth.unsqueeze(-2) * (layers + argument)
    return out
