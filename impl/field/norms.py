"""Norms of one control's blocks, and the projection onto a product of norm balls."""

from collections.abc import Mapping
from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_finite, require_numbers
from impl.errors import ControlOutOfClass, ShapeMismatch
from impl.euclidean import unit
from impl.field.layout import Layout

VECTORS = frozenset({"b1", "b2"})
"""Blocks measured by the Euclidean norm; the others by the spectral norm."""


def promoted(block: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Widen half precisions, in which singular values are not implemented, to float32."""
    return block.float() if block.dtype in (torch.float16, torch.bfloat16) else block


def spectral(block: Float[Tensor, "*batch rows columns"]) -> Float[Tensor, "*batch"]:
    """Return largest singular values: 0 for a zero matrix, never an iteration's 0/0.

    One or two rows (or columns) have a closed form, the root of the larger eigenvalue of their Gram matrix, scaled so
    that no square over- or underflows; it is twenty times faster than the full decomposition, which serves the others.
    """
    wide = promoted(block)
    rows = wide if wide.shape[-2] <= wide.shape[-1] else wide.mT
    if rows.shape[-2] > 2:
        return torch.linalg.svdvals(wide)[..., 0]
    rows, power = unit(rows, (-1, -2))
    scale = power[..., 0, 0]
    squares = rows.square().sum(-1)
    if rows.shape[-2] == 1:
        return scale * squares[..., 0].sqrt()
    first, second = squares.unbind(-1)
    product = (rows[..., 0, :] * rows[..., 1, :]).sum(-1)
    apart = ((first - second).square() + 4 * product.square()).sqrt()
    return scale * ((first + second + apart) / 2).sqrt()


def block_norms(
    layout: Layout, theta: Float[Tensor, "*instances p"], *, products: bool = True
) -> dict[str, Float[Tensor, "..."]]:
    """Measure the blocks of each control.

    Parameters
    ----------
    layout : Layout
        Where the blocks lie.
    theta : Tensor
        Controls.
    products : bool
        Whether to measure the products of blocks, too.

    Returns
    -------
    dict
        ``Q, K, V, O`` and the products ``OV = ‖O_h V_h‖``, ``A = ‖Q_hᵀK_h‖/√d_k``: ``(*instances, heads)``;
        ``W1, W2`` spectral and ``b1, b2`` Euclidean: ``(*instances,)``. Half precisions return float32. The values are
        rounded; ``impl.rounding.singular_value_rounding`` bounds by how much.

    Raises
    ------
    NotRealFloating, NotFinite
        If the controls are no finite real floating point numbers.
    ShapeMismatch
        If they do not fit the layout.
    """
    blocks = layout.unpack(theta)
    require_finite("control vectors", theta)
    norms = {name: spectral(block.unsqueeze(-2) if name in VECTORS else block) for name, block in blocks.items()}
    if layout.heads and products:
        query, key, value, output = (promoted(blocks[name]) for name in ("Q", "K", "V", "O"))
        norms["OV"] = product_norm(output, value)
        norms["A"] = product_norm(query.mT, key) / sqrt(layout.head_width)
    return norms


def product_norm(
    left: Float[Tensor, "*batch rows k"], right: Float[Tensor, "*batch k columns"]
) -> Float[Tensor, "*batch"]:
    """Return ``‖left · right‖``; no product over- or underflows where the norm does not."""
    (a, power), (b, other) = unit(left, (-1, -2)), unit(right, (-1, -2))
    return spectral(a @ b) * power[..., 0, 0] * other[..., 0, 0]


def project(
    layout: Layout, theta: Float[Tensor, "*instances p"], radii: Mapping[str, float | Tensor]
) -> Float[Tensor, "*instances p"]:
    """Project controls onto the product of balls ``‖block‖ <= radius`` (the nearest point, Euclidean).

    Matrices have their singular values clipped, vectors are scaled; blocks within their ball return bit for bit.

    Parameters
    ----------
    layout : Layout
        Where the blocks lie.
    theta : Tensor
        Controls.
    radii : mapping
        Radius ``>= 0`` of each constrained block, one for all or broadcastable to ``(*instances, heads)`` for heads and
        ``(*instances,)`` otherwise; blocks without a radius are free.

    Raises
    ------
    ControlOutOfClass
        If a radius is negative or not a number, or names no block.
    NotRealFloating, NotFinite
        If the controls are no finite real floating point numbers.
    ShapeMismatch
        If the controls do not fit the layout, or the radii do not fit the controls.
    """
    unknown = sorted(set(radii) - set(layout.shapes))
    if unknown:
        raise ControlOutOfClass(f"radii of the blocks {list(layout.shapes)}", unknown, "name blocks of the layout")
    blocks = layout.unpack(theta)
    require_finite("control vectors", theta)
    for name, radius in radii.items():
        shape = require_numbers(f"radius of {name}", radius, 0.0, ends="[]", error=ControlOutOfClass).shape
        batch = tuple(blocks[name].shape[: -1 if name in VECTORS else -2])
        if len(shape) > len(batch) or any(a not in (1, b) for a, b in zip(shape[::-1], batch[::-1], strict=False)):
            raise ShapeMismatch(f"radii of {name} that broadcast to {batch}", shape, "match the controls")
        blocks[name] = (_shrink if name in VECTORS else _clip)(blocks[name], radius)
    return layout.pack(blocks)


def _shrink(vector: Tensor, radius: float | Tensor) -> Tensor:
    wide = promoted(vector)
    bound = torch.as_tensor(radius, dtype=wide.dtype, device=wide.device)
    scaled, power = unit(wide, -1)
    norm = torch.linalg.vector_norm(scaled, dim=-1)
    outside = norm > bound / power[..., 0]
    factor = torch.where(outside, bound / torch.where(outside, norm, 1), 1)
    return torch.where(outside.unsqueeze(-1), scaled * factor.unsqueeze(-1), wide).to(vector.dtype)


def _clip(matrix: Tensor, radius: float | Tensor) -> Tensor:
    wide = promoted(matrix)
    bound = torch.as_tensor(radius, dtype=wide.dtype, device=wide.device)
    left, values, right = torch.linalg.svd(wide, full_matrices=False)
    clipped = (left * torch.minimum(values, bound.unsqueeze(-1)).unsqueeze(-2)) @ right
    outside = values[..., 0] > bound
    return torch.where(outside[..., None, None], clipped, wide).to(matrix.dtype)
