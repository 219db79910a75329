"""Pre-normalisations: ``F(x; θ) = F0(norm(x); θ)`` with fixed gain and shift (``field/norm-field``)."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_finite_buffer, require_number
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
        If ``ε_norm`` is not positive (the map is then not Lipschitz at 0), or the gain is not finite.
    NotRealFloating, ShapeMismatch
        If the gain is no vector of real floating point numbers.
    """

    gain: Float[Tensor, " d"]
    eps_norm: float = 1e-5

    def __post_init__(self) -> None:
        require_number("eps_norm", self.eps_norm, 0.0, error=NotFinite)
        require_finite_buffer("the gain", self.gain)
        if self.gain.ndim != 1 or not self.gain.numel():
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
        factor = shrinkage(x)
        return scaled(x * factor, self.gain, self.eps_norm, factor)


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
        If ``ε_norm`` is not positive, or gain or shift is not finite.
    NotRealFloating, ShapeMismatch
        If gain and shift are not vectors of one length, of real floating point numbers.
    """

    gain: Float[Tensor, " d"]
    shift: Float[Tensor, " d"]
    eps_norm: float = 1e-5

    def __post_init__(self) -> None:
        RMSNorm(self.gain, self.eps_norm)
        require_finite_buffer("the shift", self.shift)
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
        factor = shrinkage(x)
        token = x * factor
        return scaled(token - token.mean(1, keepdim=True), self.gain, self.eps_norm, factor) + across(self.shift, x)


def shrinkage(x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "n 1 *batch"]:
    """Return the power of 2, at most 1, that brings every token below 2 where it is above: it changes no digit."""
    largest = x.detach().abs().amax(1, keepdim=True).clamp(min=1)
    return 2 * torch.frexp(largest).mantissa / largest


def scaled(
    x: Float[Tensor, "n d *batch"], gain: Float[Tensor, " d"], eps_norm: float, factor: Float[Tensor, "n 1 *batch"]
) -> Float[Tensor, "n d *batch"]:
    """Divide every token by the root of its mean square, then multiply by the gain; tokens carry the factor.

    No square overflows. Where squares underflow, ``ε_norm`` alone counts; one below the normal numbers would be 0/0.
    """
    eps = factor * factor * max(eps_norm, torch.finfo(x.dtype).tiny)
    return x * ((x * x).mean(1, keepdim=True) + eps).rsqrt() * across(gain, x)


def across(vector: Float[Tensor, " d"], x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "d *ones"]:
    """View one number a coordinate beside a kernel's state, on its device and in its precision."""
    return vector.to(x.device, x.dtype).reshape(-1, *(1,) * (x.ndim - 2))
