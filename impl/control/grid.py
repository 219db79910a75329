"""Grids of depth: the one place that turns a step count into times."""

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count, require_number
from impl.errors import DegenerateGrid


def check_grid(T: float, K: int) -> None:
    """Refuse a grid without steps, or depth that is negative or not finite.

    Raises
    ------
    DegenerateGrid
        If ``K`` is not an integer, ``K < 1``, or ``T`` is negative or not finite: ``ε = T/K`` is undefined.
    """
    require_count("number of layers K", K, 1, error=DegenerateGrid)
    check_depth(T)


def check_depth(T: float) -> None:
    """Refuse depth that is negative or not finite.

    Raises
    ------
    DegenerateGrid
        If ``T`` is not a number, ``T < 0`` or ``T`` is not finite.
    """
    require_number("depth T", T, 0.0, ends="[)", error=DegenerateGrid)


def grid(T: float, K: int, device: torch.device | str | None = None) -> Float[Tensor, "K+1"]:
    """Return the times ``t_k = T·(k/K)`` of a grid (Depth), in float64.

    The quotient is rounded once, so ``t_k`` depends on the rational ``k/K`` alone: grids of nested step counts share
    their common times bit for bit, and a jump at a grid time of one is at a grid time of the other. (``floor(t·K)``
    finds a wrong cell for most K: for 343 of 1 … 512 with ``t = k·(1/K)``, for 471 with t summed up.)

    Raises
    ------
    DegenerateGrid
        See ``check_grid``.
    """
    check_grid(T, K)
    return torch.arange(K + 1, dtype=torch.float64, device=device) / K * T
