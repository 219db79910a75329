"""Readouts to logits, and cross-entropy.

Labels are classes ``(*batch,)`` (integers) or probability vectors ``(*batch, C)``; logits ``(*batch, C)``, ``C >= 2``.
Kernels here do not validate; ``check_labels`` and ``check_box`` do, at entry points.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import linear

from impl.errors import LabelNotInSimplex, LogitsOutOfBox, ShapeMismatch
from impl.field.norms import spectral

Readout = TypeVar("Readout", bound="_LinearReadout")


@dataclass(frozen=True, eq=False)
class _LinearReadout:
    weight: Float[Tensor, "C d"]
    bias: Float[Tensor, " C"]

    def __post_init__(self) -> None:
        if self.weight.ndim != 2 or self.bias.shape != self.weight.shape[:1]:
            found = tuple(self.weight.shape), tuple(self.bias.shape)
            raise ShapeMismatch("weight (C, d) and bias (C,)", found, "match them")
        if self.weight.shape[0] < 2:
            raise ShapeMismatch("C >= 2 classes", self.weight.shape[0], "write a binary label as two classes")

    @property
    def classes(self) -> int:
        """Number ``C`` of classes."""
        return self.weight.shape[0]

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.weight.shape[1]

    def to(self: Readout, device: torch.device, dtype: torch.dtype) -> Readout:
        """Move the weights."""
        return replace(self, weight=self.weight.to(device, dtype), bias=self.bias.to(device, dtype))

    def _logits(self, x: Tensor) -> Tensor:
        return linear(x, self.weight.to(x.device, x.dtype), self.bias.to(x.device, x.dtype))


@dataclass(frozen=True, eq=False)
class PooledReadout(_LinearReadout):
    """``H(x) = W · mean_i x_i + c``: one vector of logits a state.

    Parameters
    ----------
    weight, bias : Tensor
        ``(C, d)`` (1 / State) and ``(C,)``.

    Raises
    ------
    ShapeMismatch
        If the shapes do not match, or ``C < 2``.
    """

    def __call__(
        self, x: Float[Tensor, "*batch n d"], visible: Bool[Tensor, "*batch n"] | None = None
    ) -> Float[Tensor, "*batch C"]:
        """Return logits of the mean over the visible tokens (all, by default)."""
        if visible is None:
            return self._logits(x.mean(-2))
        count = visible.sum(-1, keepdim=True).clamp(min=1).to(x.dtype)
        return self._logits(x.masked_fill(~visible.unsqueeze(-1), 0).sum(-2) / count)

    def lipschitz(self, n: int) -> float:
        """``L_H = ‖W‖/√n`` (1 / State) for ``n`` visible tokens, Frobenius norm on states."""
        return float(spectral(self.weight)) / sqrt(n)


@dataclass(frozen=True, eq=False)
class TokenReadout(_LinearReadout):
    """``H(x)_i = W x_i + c``: logits of every token.

    Parameters
    ----------
    weight, bias : Tensor
        ``(C, d)`` (1 / State) and ``(C,)``.

    Raises
    ------
    ShapeMismatch
        If the shapes do not match, or ``C < 2``.
    """

    def __call__(self, x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n C"]:
        """Return the logits of every token."""
        return self._logits(x)

    def lipschitz(self, n: int) -> float:
        """``L_H = ‖W‖`` (1 / State), whatever ``n``; the mean over labelled tokens brings ``1/√n_lab`` to the loss."""
        return float(spectral(self.weight))


def cross_entropy(
    logits: Float[Tensor, "*batch C"], labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"]
) -> Float[Tensor, "*batch"]:
    """Return ``ℓ(h, y) = lse(h) − ⟨y, h⟩`` (nats), logits shifted by their maximum first, so that nothing overflows."""
    shifted = logits - logits.amax(-1, keepdim=True).detach()
    return shifted.logsumexp(-1) - _chosen(shifted, labels)


def token_cross_entropy(
    logits: Float[Tensor, "*batch n C"],
    labels: Int[Tensor, "*batch n"] | Float[Tensor, "*batch n C"],
    labelled: Bool[Tensor, "*batch n"],
) -> Float[Tensor, "*batch"]:
    """Return the mean cross-entropy over the labelled tokens; labels elsewhere are not read."""
    loss = cross_entropy(logits, _known(labels, labelled)).masked_fill(~labelled, 0)
    return loss.sum(-1) / labelled.sum(-1).clamp(min=1).to(loss.dtype)


def residual(
    logits: Float[Tensor, "*batch C"], labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"]
) -> Float[Tensor, "*batch C"]:
    """Return ``∇_h ℓ = softmax(h) − y``; it sums to 0."""
    chance = logits.softmax(-1)
    if labels.is_floating_point():
        return chance - labels.to(logits.dtype)
    return chance - _one_hot(labels, logits)


def curvature(logits: Float[Tensor, "*batch C"], direction: Float[Tensor, "*batch C"]) -> Float[Tensor, "*batch"]:
    """Return ``⟨ω, ∇²_h ℓ ω⟩``, the variance of the direction's entries under softmax(h); no label enters."""
    chance = logits.softmax(-1)
    mean = (chance * direction).sum(-1, keepdim=True)
    return (chance * (direction - mean).square()).sum(-1)


def token_residual(
    logits: Float[Tensor, "*batch n C"],
    labels: Int[Tensor, "*batch n"] | Float[Tensor, "*batch n C"],
    labelled: Bool[Tensor, "*batch n"],
) -> Float[Tensor, "*batch n C"]:
    """Return the gradient of ``token_cross_entropy`` in the logits: 0 at unlabelled tokens."""
    count = labelled.sum(-1).clamp(min=1).to(logits.dtype)[..., None, None]
    return residual(logits, _known(labels, labelled)).masked_fill(~labelled.unsqueeze(-1), 0) / count


def smooth(
    labels: Int[Tensor, "*batch"], C: int, s: float, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "*batch C"]:
    """Return smoothed labels ``(1 − s)·e_y + s/C``.

    Raises
    ------
    LabelNotInSimplex
        If a label is no class, or ``s`` is outside [0, 1].
    """
    check_labels(labels, C)
    if not 0 <= s <= 1:
        raise LabelNotInSimplex("0 <= s <= 1", s, "mix with the uniform label by a share")
    hot = torch.zeros(*labels.shape, C, dtype=dtype, device=labels.device).scatter(-1, labels.long().unsqueeze(-1), 1.0)
    return (1 - s) * hot + s / C


def check_labels(labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"], C: int) -> None:
    """Refuse labels that are no class and no probability vector.

    A vector in precision u may sum to ``1 ± γ_C``: its C entries and their sum are rounded.

    Raises
    ------
    LabelNotInSimplex
        With the offending value.
    ShapeMismatch
        If ``C < 2``, or vectors have another length.
    """
    if C < 2:
        raise ShapeMismatch("C >= 2 classes", C, "write a binary label as two classes")
    if not labels.is_floating_point():
        outside = (labels < 0) | (labels >= C)
        if bool(outside.any()):
            raise LabelNotInSimplex(
                f"classes 0..{C - 1}", labels[outside][0].item(), "mark unlabelled tokens by a mask"
            )
        return
    if labels.shape[-1] != C:
        raise ShapeMismatch(f"labels of length {C}", labels.shape[-1], "give one probability a class")
    wide = labels.double()
    if not bool((wide >= 0).all()):
        raise LabelNotInSimplex("probabilities >= 0", wide.min().item(), "project the labels")
    defect = (wide.sum(-1) - 1).abs().max().item()
    if not defect <= C * torch.finfo(labels.dtype).eps:
        raise LabelNotInSimplex("probabilities that sum to 1", f"defect {defect:.3g}", "divide by the sum")


def check_box(logits: Float[Tensor, "*batch C"], B: float) -> None:
    """Refuse logits outside ``[-B, B]`` (or not a number).

    Raises
    ------
    LogitsOutOfBox
        With the largest absolute logit.
    """
    largest = logits.abs().amax().item()
    if not largest <= B:
        raise LogitsOutOfBox(f"max |logit| <= B = {B:g}", f"{largest:.6g}", "raise B or clip the readout")


def _one_hot(labels: Tensor, logits: Tensor) -> Tensor:
    return torch.zeros_like(logits).scatter(-1, labels.long().unsqueeze(-1), 1.0)


def _chosen(logits: Tensor, labels: Tensor) -> Tensor:
    if labels.is_floating_point():
        return (labels.to(logits.dtype) * logits).sum(-1)
    return logits.gather(-1, labels.long().unsqueeze(-1)).squeeze(-1)


def _known(labels: Tensor, labelled: Tensor) -> Tensor:
    hidden = ~labelled.unsqueeze(-1) if labels.is_floating_point() else ~labelled
    return labels.masked_fill(hidden, 0)
