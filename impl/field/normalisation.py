"""Pre-normalisations: ``F(x; θ) = F0(norm(x); θ)`` with fixed gain and shift (``field/norm-field``)."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from impl.errors import NotFinite, ShapeMismatch


@runtime_checkable
class Normalisation(Protocol):
    """A map of every token that is applied before the field."""

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        ...

    def kernel(self, x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "n d *batch"]:
        """Normalise every token, batch last."""
        ...


@dataclass(frozen=True, eq=False)
class RMSNorm:
    """``γ x_i / √(|x_i|²/d + ε_norm)``: tokens of norm below ``γ_max √d``.

    Parameters
    ----------
    gain : Tensor
        ``γ``, one factor a coordinate (State: what it multiplies is pure).
    eps_norm : float
        ``ε_norm > 0`` (State²).

    Raises
    ------
    NotFinite
        If ``ε_norm`` is not positive: the map is then not Lipschitz at 0.
    ShapeMismatch
        If the gain is no vector.
    """

    gain: Float[Tensor, " d"]
    eps_norm: float = 1e-5

    def __post_init__(self) -> None:
        if not 0 < self.eps_norm < float("inf"):
            raise NotFinite("0 < eps_norm < ∞", self.eps_norm, "without it the norm is not Lipschitz at 0")
        if self.gain.ndim != 1:
            raise ShapeMismatch("a gain (d,)", tuple(self.gain.shape), "give one factor a coordinate")

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.gain.shape[0]

    def to(self, device: torch.device, dtype: torch.dtype) -> "RMSNorm":
        """Move the buffers."""
        return replace(self, gain=self.gain.to(device, dtype))

    def kernel(self, x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "n d *batch"]:
        """Normalise every token, batch last."""
        return scaled(x, self.gain, self.eps_norm)


@dataclass(frozen=True, eq=False)
class LayerNorm:
    """``γ (x_i − mean) / √(var + ε_norm) + β``.

    Parameters
    ----------
    gain, shift : Tensor
        ``γ`` and ``β`` (State), one a coordinate.
    eps_norm : float
        ``ε_norm > 0`` (State²).

    Raises
    ------
    NotFinite
        If ``ε_norm`` is not positive.
    ShapeMismatch
        If gain and shift are not vectors of one length.
    """

    gain: Float[Tensor, " d"]
    shift: Float[Tensor, " d"]
    eps_norm: float = 1e-5

    def __post_init__(self) -> None:
        RMSNorm(self.gain, self.eps_norm)
        if self.shift.shape != self.gain.shape:
            raise ShapeMismatch(f"a shift {tuple(self.gain.shape)}", tuple(self.shift.shape), "match the gain")

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.gain.shape[0]

    def to(self, device: torch.device, dtype: torch.dtype) -> "LayerNorm":
        """Move the buffers."""
        return replace(self, gain=self.gain.to(device, dtype), shift=self.shift.to(device, dtype))

    def kernel(self, x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "n d *batch"]:
        """Normalise every token, batch last."""
        return scaled(x - x.mean(1, keepdim=True), self.gain, self.eps_norm) + across(self.shift, x)


def scaled(x: Float[Tensor, "n d *batch"], gain: Float[Tensor, " d"], eps_norm: float) -> Float[Tensor, "n d *batch"]:
    """Divide every token by the root of its mean square, then multiply by the gain."""
    return x * ((x * x).mean(1, keepdim=True) + eps_norm).rsqrt() * across(gain, x)


def across(vector: Float[Tensor, " d"], x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "d *ones"]:
    """View one number a coordinate beside a kernel's state, on its device and in its precision."""
    return vector.to(x.device, x.dtype).reshape(-1, *(1,) * (x.ndim - 2))
