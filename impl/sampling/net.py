"""Centres of a cover of Lipschitz functions, and a packing that bounds their number from below."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np
import numpy.typing as npt

from impl.checks import require_number
from impl.errors import ControlOutOfClass, TooLarge

Floats = npt.NDArray[np.float64]

LARGEST = 10_000_000
"""Most rows, in all cells, through which zigzags are counted."""


@dataclass(frozen=True)
class Net:
    """The centres of ``sampling/covering-lipschitz`` for one coordinate.

    Parameters
    ----------
    rho : float
        Half the height of the strip ``[−ρ, ρ]`` (Control).
    r : float
        Radius ``r > 0`` in the largest coordinate (Control).
    L_c : float
        Lipschitz constant (Control / Depth).
    T : float
        Depth.

    Raises
    ------
    ControlOutOfClass
        If r is not positive, or another number is negative; or one is not finite.
    """

    rho: float
    r: float
    L_c: float
    T: float

    def __post_init__(self) -> None:
        for name, ends in ("rho", "[)"), ("r", "()"), ("L_c", "[)"), ("T", "[)"):
            require_number(name, getattr(self, name), 0.0, ends=ends, error=ControlOutOfClass)

    @property
    def cells(self) -> int:
        """Number of cells on which a centre has one slope."""
        return max(1, ceil(Fraction(self.L_c) * Fraction(self.T) / Fraction(self.r)))

    @property
    def nodes(self) -> Floats:
        """The ends of the cells, (cells + 1,)."""
        return np.linspace(0.0, self.T, self.cells + 1)

    def centre(self, values: Floats) -> Floats:
        """Return the centres at the nodes, clipped to the strip, of functions given there, (..., cells + 1)."""
        return np.clip(self.unclipped(values), -self.rho, self.rho)

    def unclipped(self, values: Floats) -> Floats:
        """Return the centre at the nodes before it is clipped: it starts near the function and moves towards it."""
        found = np.empty_like(values)
        start = np.maximum(1.0, np.ceil((values[..., 0] + self.rho) / (2 * self.r)))
        found[..., 0] = self.r * (2 * start - 1) - self.rho
        step = self.L_c * self.T / self.cells
        for k in range(self.cells):
            found[..., k + 1] = found[..., k] + np.where(values[..., k + 1] >= found[..., k], step, -step)
        return found


def packing_number(rho: float, r: float, L_c: float, T: float) -> int:
    """Return a number of L_c-Lipschitz functions into ``[−ρ, ρ]`` that lie more than 2r apart, sup over the depth.

    No ball of radius r holds two of them, so no fewer balls cover: a lower bound of the covering number. Zigzags on
    rows of spacing ``s = L_c T/n > r``, a row up or down in each of n cells; functions that part are 2s apart at the
    next node, and starts lie 2s apart. For ``p`` coordinates take the p-th power. Integer arithmetic.

    Parameters
    ----------
    rho, r, L_c, T : float
        As for ``Net``.

    Raises
    ------
    ControlOutOfClass
        As for ``Net``.
    TooLarge
        If there are more than ``LARGEST`` rows in all cells.
    """
    Net(rho, r, L_c, T)
    height, radius, rise = 2 * Fraction(rho), Fraction(r), Fraction(L_c) * Fraction(T)
    n = ceil(rise / radius) - 1
    if n < 1:  # constants, a little more than 2r apart: as many as intervals of length 2r are needed
        return max(1, ceil(height / (2 * radius)))
    rows = floor(height / (rise / n)) + 1
    if rows * n > LARGEST:
        raise TooLarge(f"at most {LARGEST} rows in all cells", rows * n, "take a larger radius")
    paths = [1 - row % 2 for row in range(rows)]
    for _ in range(n):
        paths = [sum(paths[max(row - 1, 0) : row]) + sum(paths[row + 1 : row + 2]) for row in range(rows)]
    return max(1, sum(paths))
