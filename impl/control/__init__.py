"""Controls θ and schedules ζ in depth."""

from impl.checks import all_finite
from impl.control.grid import check_depth, check_grid, grid
from impl.control.path import Path

__all__ = ["Path", "all_finite", "check_depth", "check_grid", "grid"]
