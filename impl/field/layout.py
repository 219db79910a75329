"""Where a layer's blocks lie in its flat control vector."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count, require_real_floating
from impl.errors import ShapeMismatch
from impl.field.base import split


@dataclass(frozen=True)
class Layout:
    """Blocks ``Q, K, V, O`` of the heads and ``W1, b1, W2, b2`` of the MLP, in this order, row-major.

    Parameters
    ----------
    width : int
        Token width ``d >= 1``.
    heads, head_width : int
        Number of heads (0: a pure MLP) and their width ``d_k``.
    hidden : int
        Width of the MLP (0: pure attention, without ``b2``).

    Raises
    ------
    ShapeMismatch
        If a size is no integer or negative, the width is 0, or heads have no width.
    """

    width: int
    heads: int
    head_width: int
    hidden: int

    def __post_init__(self) -> None:
        for name in ("width", "heads", "head_width", "hidden"):
            size = require_count(name, getattr(self, name), int(name == "width"), error=ShapeMismatch)
            object.__setattr__(self, name, size)
        if self.heads and not self.head_width:
            raise ShapeMismatch("head_width >= 1 where there are heads", self, "give heads a width, or use heads=0")

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of every block that has entries."""
        inward, outward = (self.heads, self.head_width, self.width), (self.heads, self.width, self.head_width)
        attention = {"Q": inward, "K": inward, "V": inward, "O": outward}
        mlp = {
            "W1": (self.hidden, self.width),
            "b1": (self.hidden,),
            "W2": (self.width, self.hidden),
            "b2": (self.width,),
        }
        return (attention if self.heads else {}) | (mlp if self.hidden else {})

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Interval of every block in the control vector."""
        ends = list(accumulate((prod(shape) for shape in self.shapes.values()), initial=0))
        return {name: slice(*ends[i : i + 2]) for i, name in enumerate(self.shapes)}

    @cached_property
    def parameter_count(self) -> int:
        """Length ``p`` of the control vector."""
        return sum(prod(shape) for shape in self.shapes.values())

    def unpack(self, theta: Float[Tensor, "*batch p"]) -> dict[str, Float[Tensor, "..."]]:
        """View the blocks of control vectors, batch first.

        Raises
        ------
        NotRealFloating, ShapeMismatch
            If they are no real floating point vectors, or have another length.
        """
        require_real_floating("control vectors", theta, 1)
        if theta.shape[-1] != self.parameter_count:
            raise ShapeMismatch(f"control vectors of length {self.parameter_count}", tuple(theta.shape), f"use {self}")
        return {name: split(theta[..., part], theta.ndim - 1, self.shapes[name]) for name, part in self.slices.items()}

    def pack(self, blocks: dict[str, Float[Tensor, "..."]]) -> Float[Tensor, "*batch p"]:
        """Write blocks into control vectors: the inverse of ``unpack``.

        Raises
        ------
        ShapeMismatch
            If a block is missing, unknown or of another shape, or batches differ.
        """
        for name, block in blocks.items():
            require_real_floating(f"block {name}", block, len(self.shapes.get(name, ())))
        found = {
            name: tuple(block.shape[block.ndim - len(self.shapes.get(name, ())) :]) for name, block in blocks.items()
        }
        if found != self.shapes:
            raise ShapeMismatch(f"blocks {self.shapes}", found, "give every block of the layout, and no other")
        batches = {tuple(blocks[name].shape[: blocks[name].ndim - len(shape)]) for name, shape in self.shapes.items()}
        if len(batches) > 1:
            raise ShapeMismatch("blocks of one batch", sorted(batches), "expand them")
        return torch.cat([blocks[name].flatten(-len(shape)) for name, shape in self.shapes.items()], dim=-1)
