"""Inputs of a flow, checked once and laid out for the kernels."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_choice, require_count, require_finite, require_number, require_real_floating
from impl.control import Path, check_depth
from impl.errors import DegenerateGrid, NotRealFloating, ShapeMismatch
from impl.field.base import Field

Control = Path | Float[Tensor, "*instances K p"]
Schedule = Path | Float[Tensor, "*instances K"] | None
ON_DIVERGENCE = ("raise", "inf")


@dataclass(frozen=True)
class Batch:
    """Initial states in the kernel's layout, with what is needed to lay results back.

    Attributes
    ----------
    x : Tensor
        States ``(n, d, B, P)``: B instances in one dimension, P particles.
    instances : torch.Size
        Leading shape of the caller's instances.
    contiguous : bool
        Whether the memory has the batch last, too.
    """

    x: Float[Tensor, "n d B P"]
    instances: torch.Size
    contiguous: bool

    @classmethod
    def of(cls, field: Field, x0: Float[Tensor, "*instances P n d"], *leading: torch.Size) -> "Batch":
        """Check initial states and broadcast them against the leading shapes of controls and schedules.

        Raises
        ------
        ShapeMismatch
            If the width is not the field's, dimensions or tokens are missing, leading shapes do not broadcast, or
            the field's mask does not fit.
        NotRealFloating, NotFinite
            If the states are no finite real floating point numbers.
        """
        require_real_floating("initial states", x0)
        if x0.ndim < 3 or x0.shape[-1] != field.width:
            raise ShapeMismatch(
                f"states (*instances, particles, n, {field.width})", tuple(x0.shape), "add the missing dimensions"
            )
        require_finite("initial states", x0)
        try:
            instances = torch.Size(np.broadcast_shapes(x0.shape[:-3], *leading))
        except ValueError:
            found = [tuple(shape) for shape in (x0.shape[:-3], *leading)]
            raise ShapeMismatch(
                "leading dimensions that broadcast", found, "give one instance or as many as the others"
            ) from None
        particles, n, d = x0.shape[-3:]
        require_count("number of tokens n", n, 1, error=ShapeMismatch)
        fit = getattr(field, "require_fit", None)  # fields of other packages need not have one
        if fit is not None:
            fit(n, (*instances, particles))
        rows = x0.expand(*instances, particles, n, d).reshape(instances.numel(), particles, n, d)
        x = rows.movedim((-2, -1), (0, 1))
        contiguous = bool(getattr(field, "prefers_batch_last", lambda _: True)(n))
        return cls(x.contiguous() if contiguous else x, instances, contiguous)

    def restore(self, x: Float[Tensor, "*times n d B P"]) -> Float[Tensor, "... P n d"]:
        """Lay states of some times back: instances, times, particles, tokens, width."""
        return (
            torch.movedim(x, (-4, -3), (-2, -1))
            .movedim(-4, 0)
            .reshape(*self.instances, *x.shape[:-4], x.shape[-1], *x.shape[-4:-2])
        )

    def rows(self, values: Tensor, own_dims: int) -> Tensor:
        """Flatten the instances of a control or schedule into one dimension: 1 if all instances share it, else B."""
        own = values.shape[values.ndim - own_dims :]
        if values.shape[: values.ndim - own_dims].numel() == 1:
            return values.reshape(1, *own)
        return values.expand(*self.instances, *own).reshape(self.instances.numel(), *own)

    def last(self, rows: Float[Tensor, "b *own"]) -> Float[Tensor, "*own b 1"]:
        """Move the instances of a control behind its own dimensions, in memory too where the kernels want it."""
        if not self.contiguous:
            return rows.movedim(0, -1).unsqueeze(-1)
        # As a matrix, sixteen rows at a time: so many writes fill whole cache lines while what was read is still there.
        columns = torch.cat([part.t() for part in rows.flatten(1).split(16)], dim=1)
        return columns.view(*rows.shape[1:], rows.shape[0], 1)


def batch_bound(field: Field) -> bool:
    """Whether the field's mask has leading dimensions, so that it fits one batch only."""
    keys = getattr(getattr(field, "visibility", None), "keys", None)
    return keys is not None and keys.ndim > 1


def require_parameters(field: Field, control: Path | Tensor) -> None:
    """Refuse control vectors of another length than the field's.

    Raises
    ------
    NotRealFloating
        If the control is neither a path nor a tensor of real floating point numbers.
    ShapeMismatch
        If the lengths differ.
    """
    if not isinstance(control, Path):
        require_real_floating("control", control, 2)
    p = control.parameter_count if isinstance(control, Path) else control.shape[-1]
    if p != field.parameter_count:
        raise ShapeMismatch(f"control vectors of length {field.parameter_count}", p, "use the field's own layout")


def require_flow(
    control: object, schedule: object, x0: Tensor, T: float, tolerance: float, max_substeps: int, on_divergence: str
) -> None:
    """Refuse what the reference flow cannot integrate; entries of states and shapes are checked by ``Batch.of``.

    Raises
    ------
    DegenerateGrid
        If depth, tolerance or ``max_substeps`` are out of range.
    NotRealFloating
        If control or schedule are no paths, or the states no real floating point numbers.
    ShapeMismatch
        If the schedule has more than one coordinate.
    UnknownChoice
        If ``on_divergence`` is no option.
    """
    check_depth(T)
    require_number("tolerance", tolerance, 0.0, ends="[]", error=DegenerateGrid)
    require_count("max_substeps (m against 2m steps)", max_substeps, 2, error=DegenerateGrid)
    require_choice("on_divergence", on_divergence, ON_DIVERGENCE)
    require_real_floating("initial states", x0)
    for name, path in ("control", control), ("schedule", control if schedule is None else schedule):
        if not isinstance(path, Path):
            raise NotRealFloating(f"a Path as {name}", type(path).__name__, "layers: use Path.constant_on_cells")
    if isinstance(schedule, Path):
        require_scalar(schedule)


def require_scalar(schedule: Path) -> None:
    """Refuse a schedule with more than one coordinate.

    Raises
    ------
    ShapeMismatch
        If it has.
    """
    if schedule.parameter_count != 1:
        raise ShapeMismatch("a scalar schedule (p = 1)", schedule.parameter_count, "give ζ one coordinate")


def require_depth(path: Path | Tensor | None, T: float, name: str) -> None:
    """Refuse a path that ends elsewhere than at T.

    Raises
    ------
    DegenerateGrid
        If the final times differ.
    """
    if isinstance(path, Path) and path.T != T:
        raise DegenerateGrid(f"a {name} on [0, {T}]", f"[0, {path.T}]", "give the path the flow's depth")
