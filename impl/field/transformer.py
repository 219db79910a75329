"""The Transformer field."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from impl.errors import ShapeMismatch, UnknownActivation
from impl.field.activation import ACTIVATIONS, Activation, activation
from impl.field.attention import Mask, attention_first, attention_last
from impl.field.base import KernelField, batch_first, batch_last, split
from impl.field.layout import Layout
from impl.field.mlp import mlp_first, mlp_last
from impl.field.normalisation import Normalisation
from impl.field.products import is_small, linear_first, linear_last


@dataclass(frozen=True, eq=False)
class TransformerField(KernelField):
    """``F(x; θ) = Σ_h O_h Attn(x; Q_h, K_h, V_h) + W2 σ(W1 x + b1) + b2``, token-wise outside attention.

    Parameters
    ----------
    layout : Layout
        Sizes, and where the blocks lie in ``θ``.
    activation : str or Activation
        ``σ``.
    mask : Tensor, Mask or None
        Visible keys: ``(n, n)`` booleans (queries by keys), or a ``Mask`` with padding too.
    normalisation : Normalisation or None
        Applied to ``x`` first.

    Raises
    ------
    UnknownActivation
        If ``σ`` is not registered.
    FullyMaskedRow
        If a query sees no key.
    ShapeMismatch
        If the mask is no mask, or the normalisation is none or has another width.
    """

    layout: Layout
    activation: str | Activation = "gelu"
    mask: Bool[Tensor, "n n"] | Mask | None = None
    normalisation: Normalisation | None = None
    sigma: Activation = field(init=False)
    visibility: Mask | None = field(init=False)

    def __post_init__(self) -> None:
        sigma = activation(self.activation) if isinstance(self.activation, str) else self.activation
        if not isinstance(sigma, Activation):
            raise UnknownActivation("an Activation or its name", repr(sigma), f"choose among {list(ACTIVATIONS)}")
        if not isinstance(self.mask, Tensor | Mask | None):
            raise ShapeMismatch("a boolean tensor or a Mask", type(self.mask).__name__, "convert it, or give None")
        if not isinstance(self.normalisation, Normalisation | None):
            raise ShapeMismatch("a Normalisation", type(self.normalisation).__name__, "give LayerNorm or RMSNorm")
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "visibility", Mask(self.mask) if isinstance(self.mask, Tensor) else self.mask)
        if self.normalisation is not None and self.normalisation.width != self.width:
            raise ShapeMismatch(f"a normalisation of width {self.width}", self.normalisation.width, "match the layout")

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.layout.width

    @property
    def parameter_count(self) -> int:
        """Length ``p`` of a control vector."""
        return self.layout.parameter_count

    def masked(self, mask: Bool[Tensor, "n n"] | Mask | None) -> "TransformerField":
        """Return the same field under another mask (a chunk of padded particles has its own)."""
        return replace(self, mask=mask)

    def require_fit(self, n: int, batch: tuple[int, ...] | None = None) -> None:
        """Refuse states that the mask does not fit; see ``Mask.require_fit``."""
        super().require_fit(n, batch)
        if self.visibility is not None:
            self.visibility.require_fit(n, batch)

    def prefers_batch_last(self, n: int) -> bool:
        """Whether the kernel multiplies and sums at this number of tokens."""
        return is_small(self.layout, n)

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate the field, batch last.

        Large systems are evaluated batch first; where the memory is already so (``to_kernel``), nothing is copied.
        """
        if self.normalisation is not None:
            x = self.normalisation.kernel(x)
        if self.prefers_batch_last(x.shape[0]):
            return self._last(x, theta)
        return batch_last(self._first(batch_first(x).contiguous(), theta.movedim(0, -1)))

    def _last(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        out = None
        if self.layout.heads:
            stacked = linear_last(split(theta[self._qkv], 0, self._stacked), x)
            query, key, value = split(stacked, 1, self._heads).unbind(1)
            visible = None if self.visibility is None else self.visibility.visible(x.shape[2:], x.device)
            mixed = attention_last(query, key, value, visible)
            out = linear_last(self._block(theta, "O").transpose(0, 1).flatten(1, 2), mixed.flatten(1, 2))
        if self.layout.hidden:
            w1, b1, w2, b2 = (self._block(theta, name) for name in ("W1", "b1", "W2", "b2"))
            out = _plus(out, mlp_last(x, w1, b1, w2, b2, self.sigma))
        return torch.zeros_like(x) if out is None else out

    def _first(self, x: Float[Tensor, "*batch n d"], theta: Float[Tensor, "*#batch p"]) -> Float[Tensor, "*batch n d"]:
        blocks = self.layout.unpack(theta)
        out = None
        if self.layout.heads:
            stacked = linear_first(split(theta[..., self._qkv], theta.ndim - 1, self._stacked), x)
            query, key, value = split(stacked, x.ndim - 1, self._heads).transpose(-4, -2).unbind(-3)
            visible = None if self.visibility is None else self.visibility.visible(x.shape[:-2], x.device)
            if visible is not None:
                visible = visible.movedim((2, 0, 1), (-3, -2, -1))
            mixed = attention_first(query, key, value, visible)
            out = linear_first(blocks["O"].transpose(-3, -2).flatten(-2), mixed.transpose(-3, -2).flatten(-2))
        if self.layout.hidden:
            out = _plus(out, mlp_first(x, blocks["W1"], blocks["b1"], blocks["W2"], blocks["b2"], self.sigma))
        return torch.zeros_like(x) if out is None else out

    def _block(self, theta: Float[Tensor, "p *batch"], name: str) -> Float[Tensor, "..."]:
        return split(theta[self.layout.slices[name]], 0, self.layout.shapes[name])

    # Q, K and V are adjacent: one product serves all three.
    @cached_property
    def _qkv(self) -> slice:
        return slice(0, self.layout.slices["V"].stop)

    @cached_property
    def _stacked(self) -> tuple[int, int]:
        return 3 * self.layout.heads * self.layout.head_width, self.width

    @cached_property
    def _heads(self) -> tuple[int, int, int]:
        return 3, self.layout.heads, self.layout.head_width


def _plus(out: Tensor | None, part: Tensor) -> Tensor:
    return part if out is None else out + part
