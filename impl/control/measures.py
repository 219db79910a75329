"""Exact norms of piecewise polynomials: Lipschitz constant, pointwise variation, supremum, integrals."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from impl.control import bernstein
from impl.errors import ControlOutOfClass, ShapeMismatch
from impl.euclidean import length

Times = Float[Tensor, "*instances J+1"]
Cells = Float[Tensor, "*instances J q+1 p"]
Nodes = Float[Tensor, "*instances J+1 p"]
Scalars = Float[Tensor, "*instances"]


def take(source: Float[Tensor, "..."], index: Int[Tensor, "*instances M"], dim: int) -> Float[Tensor, "..."]:
    """Gather whole slices of ``source`` along ``dim`` (negative), whose leading dimensions are those of ``index``."""
    shape = (*index.shape[:-1], index.shape[-1], *source.shape[dim:][1:])
    return source.gather(dim, index.reshape(*index.shape, *([1] * (-dim - 1))).expand(shape))


def distinct(times: Float[Tensor, "*instances M"]) -> Float[Tensor, "*instances J+1"]:
    """Sorted times without repetitions, the last repeated so that all instances have the longest's length."""
    sorted_times = times.sort(dim=-1).values
    repeated = torch.zeros_like(sorted_times, dtype=torch.bool)
    repeated[..., 1:] = sorted_times[..., 1:] == sorted_times[..., :-1]
    unique = torch.where(repeated, sorted_times[..., -1:], sorted_times).sort(dim=-1).values
    count = int((~repeated).sum(-1).max()) if repeated.numel() else times.shape[-1]
    return unique[..., : max(count, 2)].contiguous()


def restrict_to(
    times: Times, cells: Cells, new: Float[Tensor, "*instances M+1"]
) -> Float[Tensor, "*instances M q+1 p"]:
    """Coefficients on the cells between consecutive ``new`` times, each of which lies in one cell of ``times``."""
    if new.shape == times.shape and torch.equal(new, times):
        return cells
    start, end = new[..., :-1].contiguous(), new[..., 1:]
    cell = (torch.searchsorted(times.contiguous(), start, right=True) - 1).clamp(max=times.shape[-1] - 2)
    origin, length = times.gather(-1, cell), times.diff(dim=-1).gather(-1, cell)
    scale = torch.where(length > 0, length, 1.0)
    a, b = ((start - origin) / scale).clamp(0, 1), ((end - origin) / scale).clamp(0, 1)
    return bernstein.restrict(take(cells, cell, -3), a, b)


def _neighbours(times: Times) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Positive cell on the left and on the right of every node, and whether there is one."""
    positive = times.diff(dim=-1) > 0
    cells = positive.shape[-1]
    index = torch.arange(cells, device=times.device).expand(positive.shape)
    left = torch.where(positive, index, -1).cummax(-1).values
    right = torch.where(positive, index, cells).flip(-1).cummin(-1).values.flip(-1)
    end = torch.ones_like(left[..., :1])
    left = torch.cat([-end, left], dim=-1)
    right = torch.cat([right, cells * end], dim=-1)
    return left.clamp(min=0), right.clamp(max=cells - 1), left >= 0, right < cells


def right_limits(times: Times, cells: Cells) -> Nodes:
    """Value at each node of the right-continuous path: the right limit; at T the left limit (T=0: the last cell's)."""
    left, right, _, has_right = _neighbours(times.contiguous())
    after, before = take(cells[..., 0, :], right, -2), take(cells[..., -1, :], left, -2)
    whole = (times[..., -1:] > 0).unsqueeze(-1)
    last = torch.where(whole, before, cells[..., -1:, -1, :])
    return torch.where(has_right.unsqueeze(-1), after, last)


def _steps(times: Times, cells: Cells, nodes: Nodes) -> Float[Tensor, "*instances J+1"]:
    """Size of the jump into plus the jump out of every node, counted once at each distinct time."""
    left, right, has_left, has_right = _neighbours(times)
    inward = length(take(cells[..., -1, :], left, -2) - nodes) * has_left
    outward = length(take(cells[..., 0, :], right, -2) - nodes) * has_right
    own = torch.ones_like(times, dtype=torch.bool)
    own[..., :-1] = times.diff(dim=-1) > 0
    return torch.where(own, inward + outward, 0.0)


def lipschitz(times: Times, cells: Cells, nodes: Nodes) -> Scalars:
    """Lipschitz constant: the largest end derivative (of degree at most 1 in s, so its norm peaks at an end)."""
    duration = times.diff(dim=-1)
    degree = cells.shape[-2] - 1
    if degree == 0:
        slope = torch.zeros_like(duration, dtype=cells.dtype)
    else:
        slope = degree * length(cells.diff(dim=-2)).amax(-1) / torch.where(duration > 0, duration, 1.0)
    slope = torch.where(duration > 0, slope, 0.0).amax(-1)
    return torch.where((_steps(times, cells, nodes) > 0).any(-1), torch.inf, slope).to(cells.dtype)


def variation(times: Times, cells: Cells, nodes: Nodes) -> Scalars:
    """Pointwise variation: chords of the cells plus the jumps into and out of every node.

    Raises
    ------
    ControlOutOfClass
        If the degree is 2: a bent cell's variation is an arc length, which is not computed.
    """
    if cells.shape[-2] > 2:
        raise ControlOutOfClass("degree at most 1", cells.shape[-2] - 1, "use lipschitz() · T, or linear cells")
    chord = length(cells[..., -1, :] - cells[..., 0, :])
    within = torch.where(times.diff(dim=-1) > 0, chord, 0.0).sum(-1)
    return within + _steps(times, cells, nodes).sum(-1)


def sup(times: Times, cells: Cells, nodes: Nodes) -> Scalars:
    """Supremum of the norm over every time: the norm is convex, so a linear cell's peaks at an end."""
    inside = torch.where(times.diff(dim=-1) > 0, length(cells).amax(-1), 0.0).amax(-1)
    own = torch.ones_like(times, dtype=torch.bool)
    own[..., :-1] = times.diff(dim=-1) > 0
    return torch.maximum(inside, torch.where(own, length(nodes), 0.0).amax(-1))


def integral_abs(times: Times, cells: Cells) -> Scalars:
    """Integral of the absolute value of a scalar path.

    Raises
    ------
    ShapeMismatch
        If the path has more than one coordinate.
    """
    if cells.shape[-1] != 1:
        raise ShapeMismatch("a scalar path (p = 1)", cells.shape[-1], "use energy() for vectors")
    return (bernstein.mean_absolute(cells) * times.diff(dim=-1).to(cells.dtype)).sum(-1)


def energy(times: Times, cells: Cells) -> Scalars:
    """Integral of the squared norm."""
    return (bernstein.mean_square(cells) * times.diff(dim=-1).to(cells.dtype)).sum(-1)
