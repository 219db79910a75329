"""Euclidean lengths whose squares neither over- nor underflow."""

import torch
from jaxtyping import Float
from torch import Tensor

Dims = int | tuple[int, ...]


def unit(x: Float[Tensor, "..."], dim: Dims) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
    """Return ``x / s`` and ``s``, the largest power of 2 up to the largest ``|entry|`` along ``dim`` (kept, of size 1).

    The quotient's largest entry lies in [1, 2). Powers of 2 change no digit, so formulas on the quotient, multiplied
    by a power of ``s``, give bit for bit what they give on ``x`` where nothing over- or underflows. ``s`` is 1 where
    all entries are 0 or one is not finite. It is a constant to automatic differentiation: what scales with ``x`` has
    the right derivative.
    """
    if not x.numel():
        return x, x.detach().sum(dim, keepdim=True) + 1
    largest = x.detach().abs().amax(dim, keepdim=True)
    power = largest / (2 * torch.frexp(largest).mantissa)
    power = torch.where(power > 0, power, 1)  # nan for 0 and where not finite
    return x / power, power


def length(x: Float[Tensor, "..."], dim: Dims = -1) -> Float[Tensor, "..."]:
    """Return ``|x|`` along ``dim``: infinite where an entry is, nan where one is, 0 for 0 only."""
    scaled, power = unit(x, dim)
    norm = torch.linalg.vector_norm(scaled, dim=dim, keepdim=True) * power
    return norm.squeeze(dim)
