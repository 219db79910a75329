"""Polynomials of degree at most 2 on a cell, by their Bernstein coefficients.

The first and last coefficients are the exact limits at the cell's ends, the values lie in the coefficients' convex
hull (projecting coefficients onto a convex set keeps the whole cell in it), and the mean is the coefficients' mean.
"""

from math import comb

import torch
from jaxtyping import Float
from torch import Tensor

from impl.euclidean import unit

MAX_DEGREE = 2


def evaluate(c: Float[Tensor, "*batch q+1 p"], s: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch p"]:
    """Value at local coordinate ``s`` in [0, 1]; exact at both ends."""
    u = s.unsqueeze(-1).to(c.dtype)
    match c.shape[-2]:
        case 1:
            return c[..., 0, :] + torch.zeros_like(u)
        case 2:
            return (1 - u) * c[..., 0, :] + u * c[..., 1, :]
        case _:
            v = 1 - u
            return v * v * c[..., 0, :] + 2 * (u * v) * c[..., 1, :] + u * u * c[..., 2, :]


def blossom(c: Float[Tensor, "*batch q+1 p"], *s: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch p"]:
    """Polar form: the symmetric multi-affine map with ``blossom(s, …, s)`` the value at ``s``."""
    for coordinate in s:
        u = coordinate[..., None, None].to(c.dtype)
        c = (1 - u) * c[..., :-1, :] + u * c[..., 1:, :]
    return c[..., 0, :]


def restrict(
    c: Float[Tensor, "*batch q+1 p"], a: Float[Tensor, "*batch"], b: Float[Tensor, "*batch"]
) -> Float[Tensor, "*batch q+1 p"]:
    """Coefficients of the same polynomial on [a, b]: the polar form at q−i times ``a`` and i times ``b``.

    Exact (no rounding) where a=0 and b=1.
    """
    q = c.shape[-2] - 1
    return torch.stack([blossom(c, *([a] * (q - i)), *([b] * i)) for i in range(q + 1)], dim=-2)


def raise_degree(c: Float[Tensor, "*batch q+1 p"], degree: int) -> Float[Tensor, "*batch r+1 p"]:
    """Coefficients of the same polynomials in a higher degree (at most 2)."""
    if c.shape[-2] == 1:
        c = c.expand(*c.shape[:-2], degree + 1, c.shape[-1])
    if c.shape[-2] == 2 and degree == MAX_DEGREE:
        c = torch.stack([c[..., 0, :], (c[..., 0, :] + c[..., 1, :]) / 2, c[..., 1, :]], dim=-2)
    return c


def mean(c: Float[Tensor, "*batch q+1 p"]) -> Float[Tensor, "*batch p"]:
    """Mean value over the cell."""
    return c.mean(-2)


def mean_square(c: Float[Tensor, "*batch q+1 p"]) -> Float[Tensor, "*batch"]:
    """Mean of ``|value|²`` over the cell: a quadratic form with Gram matrix of the Bernstein basis."""
    q = c.shape[-2] - 1
    gram = [[comb(q, i) * comb(q, j) / (comb(2 * q, i + j) * (2 * q + 1)) for j in range(q + 1)] for i in range(q + 1)]
    scaled, power = unit(c, (-2, -1))
    mean = torch.einsum("...ip,ij,...jp->...", scaled, torch.tensor(gram, dtype=c.dtype, device=c.device), scaled)
    return mean * power[..., 0, 0] * power[..., 0, 0]


def mean_absolute(c: Float[Tensor, "*batch q+1 1"]) -> Float[Tensor, "*batch"]:
    """Mean of ``|value|`` of a scalar polynomial: the cell is cut at its roots, each part keeps its sign."""
    first, last = _roots(raise_degree(c, MAX_DEGREE)[..., 0])
    cuts = torch.stack([torch.zeros_like(first), first, last, torch.ones_like(last)], dim=-1)
    parts = restrict(c.unsqueeze(-3), cuts[..., :-1], cuts[..., 1:])
    return (mean(parts)[..., 0].abs() * cuts.diff(dim=-1).to(c.dtype)).sum(-1)


def _roots(c: Float[Tensor, "*batch 3"]) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch"]]:
    # a s² + b s + e with the cancellation-free root pair; what is absent or outside [0, 1] becomes an end.
    c, _ = unit(c, -1)  # roots do not depend on the scale
    a, b, e = c[..., 0] - 2 * c[..., 1] + c[..., 2], 2 * (c[..., 1] - c[..., 0]), c[..., 0]
    discriminant = b * b - 4 * a * e
    w = -(b + torch.where(b < 0, -1.0, 1.0) * discriminant.clamp(min=0).sqrt()) / 2
    pair = torch.stack([_quotient(w, a), _quotient(e, w)], dim=-1)
    pair = torch.where((discriminant > 0).unsqueeze(-1), pair, 0.0).clamp(0, 1)
    return pair.amin(-1), pair.amax(-1)


def _quotient(top: Float[Tensor, "*batch"], bottom: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    return torch.where(bottom == 0, 0.0, top / torch.where(bottom == 0, 1.0, bottom))
