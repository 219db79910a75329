"""Controls θ and schedules ζ in depth."""

from impl.control.grid import check_depth, check_grid, grid
from impl.control.path import Path

__all__ = ["Path", "check_depth", "check_grid", "grid"]
