"""Softmax attention with masks, in both layouts.

``Attn_i = Σ_j P_ij V x_j`` with ``P_i = softmax_j(⟨Q x_i, K x_j⟩/√d_k)``. A query that sees no key gets 0.
"""

from copy import copy
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from impl.errors import FullyMaskedRow, ShapeMismatch


def causal(n: int, *, device: torch.device | None = None) -> Bool[Tensor, "n n"]:
    """Mask under which query ``i`` sees the keys ``j <= i`` (rows are queries)."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


@dataclass(frozen=True, eq=False)
class Mask:
    """Which keys each query sees: ``True`` is visible.

    Parameters
    ----------
    pairs : Tensor or None
        ``(n, n)``, queries by keys, for example ``causal(n)``.
    keys : Tensor or None
        ``(*instances, particles, n)``: keys that are no padding.

    Raises
    ------
    ShapeMismatch
        If a part is not boolean or of another shape.
    FullyMaskedRow
        If a query sees no key.
    """

    pairs: Bool[Tensor, "n n"] | None = None
    keys: Bool[Tensor, "*batch n"] | None = None

    def __post_init__(self) -> None:
        for part in (self.pairs, self.keys):
            if part is not None and part.dtype != torch.bool:
                raise ShapeMismatch("a boolean mask, True = visible", part.dtype, "compare an additive mask with 0")
        if self.pairs is not None and (self.pairs.ndim != 2 or self.pairs.shape[0] != self.pairs.shape[1]):
            raise ShapeMismatch("pairs (n, n)", tuple(self.pairs.shape), "give queries by keys")
        seen = self._seen()
        if seen is not None and not bool(seen.any(-1).all()):
            blind = (~seen.any(-1)).nonzero()[0].tolist()
            raise FullyMaskedRow("a visible key in every row", f"none at {blind}", "unmask a key, or drop the query")

    def _seen(self) -> Bool[Tensor, "*batch queries keys"] | None:
        if self.keys is None:
            return self.pairs
        if self.pairs is None:
            return self.keys.unsqueeze(-2)
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
            assert pairs is not None  # a mask without parts is never asked
            return pairs
        keys = self.keys.to(device).movedim(-1, 0).reshape(self.keys.shape[-1], 1, 1, *batch)
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
