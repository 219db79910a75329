"""Times as they come from a caller, checked and laid out one row an instance."""

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_real_floating
from impl.errors import DegenerateGrid, ShapeMismatch


def real_times(times: Float[Tensor, "*instances M"]) -> Float[Tensor, "*instances M"]:
    """Return times in float64.

    Raises
    ------
    NotRealFloating, ShapeMismatch
        If they are no tensor of real floating point numbers, or have no dimension.
    """
    require_real_floating("times", times, 1)
    return times.to(torch.float64)


def spread(times: Float[Tensor, "*#instances M"], instances: tuple[int, ...]) -> Float[Tensor, "*instances M"]:
    """Return one row of times an instance.

    Raises
    ------
    ShapeMismatch
        If there is neither one row for all instances nor one for each.
    """
    try:
        return times.expand(*instances, times.shape[-1])
    except RuntimeError:
        found = tuple(times.shape), instances
        raise ShapeMismatch("times of one instance or of each", found, "match the instances") from None


def inner_times(
    times: Float[Tensor, "*#instances M"], path_times: Float[Tensor, "*instances J+1"]
) -> Float[Tensor, "*instances M"]:
    """Return times at which a path with these breakpoints has values, contiguous rows on their device.

    Raises
    ------
    DegenerateGrid
        If a time lies outside [0, T] or is not a number.
    NotRealFloating, ShapeMismatch
        If they are no times, or do not fit the instances.
    """
    rows = spread(real_times(times).to(path_times), tuple(path_times.shape[:-1])).contiguous()
    if not ((rows >= 0) & (rows <= path_times[..., -1:])).all():
        end = path_times.flatten()[-1].item()
        raise DegenerateGrid(f"times in [0, {end}]", times.tolist(), "sample inside the path's depth")
    return rows


def require_refined(times: Float[Tensor, "*instances M"], path_times: Float[Tensor, "*instances J+1"]) -> None:
    """Refuse sorted times that miss a breakpoint of the path.

    Raises
    ------
    DegenerateGrid
        If one is missing.
    """
    near = torch.searchsorted(times, path_times.contiguous()).clamp(max=times.shape[-1] - 1)
    if not torch.equal(times.gather(-1, near), path_times):
        raise DegenerateGrid("breakpoints that contain the path's own", times.tolist(), "use refine")
