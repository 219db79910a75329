"""Readouts to logits, and cross-entropy.

Labels are classes ``(*batch,)`` (integers) or probability vectors ``(*batch, C)``; logits ``(*batch, C)``, ``C >= 2``.
Kernels here read no value: they check types and shapes, ``check_labels``, ``check_box`` and ``check_visible`` the rest,
at entry points. A logit of ``−∞`` is a class without chance: its loss is infinite for a label that has a share in it,
else it does not count (``0·∞ = 0``). With ``+∞``, nan, or nothing but ``−∞`` the loss is nan.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import linear

from impl.checks import require_count, require_finite_buffer, require_number, require_real_floating
from impl.errors import FullyMaskedRow, LabelNotInSimplex, LogitsOutOfBox, NotRealFloating, ShapeMismatch
from impl.field.norms import spectral

Readout = TypeVar("Readout", bound="_LinearReadout")


@dataclass(frozen=True, eq=False)
class _LinearReadout:
    weight: Float[Tensor, "C d"]
    bias: Float[Tensor, " C"]

    def __post_init__(self) -> None:
        require_finite_buffer("weight", self.weight)
        require_finite_buffer("bias", self.bias)
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
        require_real_floating("states", x, 1)
        if x.shape[-1] != self.width:
            raise ShapeMismatch(f"states of width {self.width}", tuple(x.shape), "match the readout")
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
        """Return logits of the mean over the visible tokens (all, by default); without one the mean is 0.

        Raises
        ------
        NotRealFloating, ShapeMismatch
            If the states are no real floating point numbers, have another width or no token, or ``visible`` is not
            boolean or of another shape.
        """
        require_real_floating("states", x, 2)
        if not x.shape[-2]:
            raise ShapeMismatch("at least one token", tuple(x.shape), "a mean over none is no state")
        if visible is None:
            return self._logits(x.mean(-2))
        if visible.dtype != torch.bool or visible.ndim > x.ndim - 1 or visible.shape[-1:] != x.shape[-2:-1]:
            found = visible.dtype, tuple(visible.shape)
            raise ShapeMismatch(f"booleans (*batch, {x.shape[-2]})", found, "say of every token whether it is visible")
        count = visible.sum(-1, keepdim=True).clamp(min=1).to(x.dtype)
        return self._logits(x.masked_fill(~visible.unsqueeze(-1), 0).sum(-2) / count)

    def lipschitz(self, n: int) -> float:
        """``L_H = ‖W‖/√n`` (1 / State) for ``n >= 1`` visible tokens, Frobenius norm on states."""
        n = require_count("number of tokens n", n, 1)
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
        require_count("number of tokens n", n, 1)
        return float(spectral(self.weight))


def cross_entropy(
    logits: Float[Tensor, "*batch C"], labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"]
) -> Float[Tensor, "*batch"]:
    """Return ``ℓ(h, y) = lse(h) − ⟨y, h⟩`` (nats), logits shifted by their maximum first, so that nothing overflows.

    Raises
    ------
    NotRealFloating, ShapeMismatch
        If logits are no real floating point numbers, or labels do not fit them.
    """
    _check_fit(logits, labels)
    shifted = logits - logits.amax(-1, keepdim=True).detach()
    return shifted.logsumexp(-1) - _chosen(shifted, labels)


def token_cross_entropy(
    logits: Float[Tensor, "*batch n C"],
    labels: Int[Tensor, "*batch n"] | Float[Tensor, "*batch n C"],
    labelled: Bool[Tensor, "*batch n"],
) -> Float[Tensor, "*batch"]:
    """Return the mean cross-entropy over the labelled tokens, 0 without one; labels elsewhere are not read."""
    loss = cross_entropy(logits, _known(labels, labelled)).masked_fill(~labelled, 0)
    return loss.sum(-1) / labelled.sum(-1).clamp(min=1).to(loss.dtype)


def residual(
    logits: Float[Tensor, "*batch C"], labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"]
) -> Float[Tensor, "*batch C"]:
    """Return ``∇_h ℓ = softmax(h) − y``; it sums to 0.

    Raises
    ------
    NotRealFloating, ShapeMismatch
        As for ``cross_entropy``.
    """
    _check_fit(logits, labels)
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
    NotRealFloating
        If ``dtype`` is no precision.
    """
    check_labels(labels, C)
    if labels.is_floating_point():
        raise LabelNotInSimplex("classes (integers)", labels.dtype, "mix probability vectors by hand")
    if not dtype.is_floating_point:
        raise NotRealFloating("a precision of real floating point numbers", dtype, "give float64 or float32")
    s = require_number("s", s, 0.0, 1.0, ends="[]", error=LabelNotInSimplex)
    hot = torch.zeros(*labels.shape, C, dtype=dtype, device=labels.device).scatter(-1, labels.long().unsqueeze(-1), 1.0)
    return (1 - s) * hot + s / C


def check_labels(labels: Int[Tensor, "*batch"] | Float[Tensor, "*batch C"], C: int) -> None:
    """Refuse labels that are no class and no probability vector.

    A vector in precision u may sum to ``1 ± γ_C``: its C entries and their sum are rounded.

    Raises
    ------
    LabelNotInSimplex
        With the offending value.
        Labels of truth values or complex numbers are none.
    ShapeMismatch
        If ``C`` is no integer from 2, or vectors have another length.
    """
    C = require_count("C", C, 2, error=ShapeMismatch)
    if not isinstance(labels, Tensor) or labels.dtype == torch.bool or labels.is_complex() or labels.is_meta:
        found = (labels.dtype, labels.device) if isinstance(labels, Tensor) else type(labels).__name__
        raise LabelNotInSimplex("a tensor of classes (integers) or probabilities", found, "convert the labels")
    if not labels.is_floating_point():
        outside = (labels < 0) | (labels >= C)
        if bool(outside.any()):
            raise LabelNotInSimplex(
                f"classes 0..{C - 1}", labels[outside][0].item(), "mark unlabelled tokens by a mask"
            )
        return
    if labels.shape[-1:] != (C,):
        raise ShapeMismatch(f"labels (*batch, {C})", tuple(labels.shape), "give one probability a class")
    if not labels.numel():
        return
    wide = labels.detach().double()
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
        With the largest absolute logit; or if B is negative or not finite.
    NotRealFloating
        If logits are no real floating point numbers.
    """
    B = require_number("B", B, 0.0, ends="[)", error=LogitsOutOfBox)
    require_real_floating("logits", logits)
    if logits.is_meta:
        raise NotRealFloating("values of logits", "a tensor on the meta device", "give it a device with memory")
    if not logits.numel():
        return
    largest = logits.abs().amax().item()
    if not largest <= B:
        raise LogitsOutOfBox(f"max |logit| <= B = {B:g}", f"{largest:.6g}", "raise B or clip the readout")


def check_visible(visible: Bool[Tensor, "*batch n"]) -> None:
    """Refuse a state none of whose tokens is visible (or labelled): a mean over none is 0 by convention only.

    Raises
    ------
    FullyMaskedRow
        With the first such state.
    """
    blind = ~visible.any(-1)
    if bool(blind.any()):
        raise FullyMaskedRow("a visible token in every state", f"none at {blind.nonzero()[0].tolist()}", "drop it")


def _check_fit(logits: Tensor, labels: Tensor) -> None:
    # Classes are looked up: fewer of them than vectors of logits would silently be those of the first ones.
    require_real_floating("logits", logits, 1)
    soft = labels.is_floating_point()
    fits = labels.shape[-1:] == logits.shape[-1:] if soft else labels.shape == logits.shape[:-1]
    if not fits or labels.is_complex():
        found = tuple(labels.shape), labels.dtype
        raise ShapeMismatch(f"classes or probabilities for logits {tuple(logits.shape)}", found, "match them")


def _one_hot(labels: Tensor, logits: Tensor) -> Tensor:
    return torch.zeros_like(logits).scatter(-1, labels.long().unsqueeze(-1), 1.0)


def _chosen(logits: Tensor, labels: Tensor) -> Tensor:
    if labels.is_floating_point():
        share = labels.to(logits.dtype)
        return (share * logits.masked_fill((share == 0) & logits.isneginf(), 0)).sum(-1)
    return logits.gather(-1, labels.long().unsqueeze(-1)).squeeze(-1)


def _known(labels: Tensor, labelled: Tensor) -> Tensor:
    hidden = ~labelled.unsqueeze(-1) if labels.is_floating_point() else ~labelled
    return labels.masked_fill(hidden, 0)
