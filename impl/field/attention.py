"""Softmax attention with masks, in both layouts.

``Attn_i = Σ_j P_ij V x_j`` with ``P_i = softmax_j(⟨Q x_i, K x_j⟩/√d_k)``. A query that sees no key gets 0.
"""

from copy import copy
from dataclasses import dataclass
from math import prod

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from impl.checks import require_count
from impl.errors import FullyMaskedRow, ShapeMismatch


def causal(n: int, *, device: torch.device | None = None) -> Bool[Tensor, "n n"]:
    """Mask under which query ``i`` sees the keys ``j <= i`` (rows are queries).

    Raises
    ------
    ShapeMismatch
        If n is no integer, or below 1.
    """
    n = require_count("number of tokens n", n, 1, error=ShapeMismatch)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


@dataclass(frozen=True, eq=False)
class Mask:
    """Which keys each query sees: ``True`` is visible.

    Parameters
    ----------
    pairs : Tensor or None
        ``(n, n)``, queries by keys, for example ``causal(n)``.
    keys : Tensor or None
        ``(*instances, particles, n)``, or ``(n,)`` for all: keys that are no padding.

    Raises
    ------
    ShapeMismatch
        If there is neither part, or one is not boolean or of another shape.
    FullyMaskedRow
        If a query sees no key.
    """

    pairs: Bool[Tensor, "n n"] | None = None
    keys: Bool[Tensor, "*batch n"] | None = None

    def __post_init__(self) -> None:
        parts = [part for part in (self.pairs, self.keys) if part is not None]
        if not parts:
            raise ShapeMismatch("pairs or keys", "neither", "give a field mask=None if every query sees every key")
        for part in parts:
            if not isinstance(part, Tensor) or part.dtype != torch.bool or part.ndim < 1 or part.is_meta:
                found = (part.dtype, tuple(part.shape), part.device) if isinstance(part, Tensor) else type(part)
                raise ShapeMismatch("a boolean tensor, True = visible", found, "compare an additive mask with 0")
        if self.pairs is not None and (self.pairs.ndim != 2 or self.pairs.shape[0] != self.pairs.shape[1]):
            raise ShapeMismatch("pairs (n, n)", tuple(self.pairs.shape), "give queries by keys")
        seen = self._seen()
        if not bool(seen.any(-1).all()):
            blind = (~seen.any(-1)).nonzero()[0].tolist()
            raise FullyMaskedRow("a visible key in every row", f"none at {blind}", "unmask a key, or drop the query")

    @property
    def tokens(self) -> int:
        """Number ``n`` of tokens."""
        part = self.keys if self.pairs is None else self.pairs
        assert part is not None  # refused on construction
        return part.shape[-1]

    def require_fit(self, n: int, batch: tuple[int, ...] | None = None) -> None:
        """Refuse states of another number of tokens, or another batch than the padding's (merged or not).

        Raises
        ------
        ShapeMismatch
            If they do not fit.
        """
        if self.tokens != n:
            raise ShapeMismatch(f"states of {self.tokens} tokens, the mask's number", n, "match the mask")
        own = () if self.keys is None else tuple(self.keys.shape[:-1])
        if own and batch is not None and batch not in (own, (prod(own),)):
            raise ShapeMismatch(f"states of the batch {own}, the padding's", batch, "give every particle its padding")

    def _seen(self) -> Bool[Tensor, "*batch queries keys"]:
        if self.pairs is None:
            assert self.keys is not None
            return self.keys.unsqueeze(-2)
        if self.keys is None:
            return self.pairs
        if self.pairs.shape[-1] != self.keys.shape[-1]:
            raise ShapeMismatch("one number of tokens", (tuple(self.pairs.shape), tuple(self.keys.shape)), "match them")
        return self.pairs & self.keys.unsqueeze(-2)

    def to(self, device: torch.device) -> "Mask":
        """Move both parts; what was checked need not be checked again."""
        moved = copy(self)
        for name in ("pairs", "keys"):
            part = getattr(self, name)
            object.__setattr__(moved, name, None if part is None else part.to(device))
        return moved

    def visible(self, batch: torch.Size, device: torch.device) -> Bool[Tensor, "m queries 1 *shared"]:
        """View the mask as the kernel reads it: keys, queries, heads, batch (merged or not).

        Parameters
        ----------
        batch : torch.Size
            The kernel's batch; its product is that of the padding's leading dimensions.
        device : torch.device
            Where the state is.
        """
        ones = (1,) * len(batch)
        pairs = None if self.pairs is None else self.pairs.to(device).mT.reshape(*self.pairs.shape, 1, *ones)
        if self.keys is None:
            assert pairs is not None  # a mask without parts is refused on construction
            return pairs
        own = ones if self.keys.ndim == 1 else batch
        keys = self.keys.to(device).movedim(-1, 0).reshape(self.keys.shape[-1], 1, 1, *own)
        return keys if pairs is None else pairs & keys


def attention_last(
    query: Float[Tensor, "n h k *batch"],
    key: Float[Tensor, "m h k *batch"],
    value: Float[Tensor, "m h k *batch"],
    visible: Bool[Tensor, "m #n 1 *#batch"] | None = None,
) -> Float[Tensor, "n h k *batch"]:
    """Mix the values of every head by the softmax of scaled scores, batch last.

    The maximum is subtracted as a constant: the softmax does not depend on it, so no derivative flows through it. Keys
    lead, so that maximum and sum run over long contiguous rows. A row without a visible key has weights 0 and sum 1:
    nothing is divided by 0, forwards or backwards.
    """
    scaled = query * query.shape[2] ** -0.5
    score = (key.unsqueeze(1) * scaled.unsqueeze(0)).sum(3)
    if visible is not None:
        score = score.masked_fill(~visible, torch.finfo(score.dtype).min)
    weight = (score - score.amax(0).detach()).exp()
    if visible is not None:
        weight = weight.masked_fill(~visible, 0)
    total = weight.sum(0)
    if visible is not None:
        total = total + (total == 0)
    return (weight.unsqueeze(3) * value.unsqueeze(1)).sum(0) / total.unsqueeze(2)


def attention_first(
    query: Float[Tensor, "*batch h n k"],
    key: Float[Tensor, "*batch h m k"],
    value: Float[Tensor, "*batch h m k"],
    visible: Bool[Tensor, "*#batch 1 m #n"] | None = None,
) -> Float[Tensor, "*batch h n k"]:
    """Mix the values of every head by the softmax of scaled scores, batch first.

    Keys by queries, so that the softmax runs over the last but one dimension: four times faster than over rows of 16.
    """
    score = key @ (query * query.shape[-1] ** -0.5).mT
    if visible is None:
        return score.softmax(-2).mT @ value
    weight = score.masked_fill(~visible, torch.finfo(score.dtype).min).softmax(-2)
    return weight.masked_fill(~visible, 0).mT @ value
