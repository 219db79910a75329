"""Logits on the box: random ones with labels, directions and rounding errors, and exact ones with classes in groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
import torch
from jaxtyping import Float, Int
from torch import Tensor

from impl.readout import curvature, smooth
from impl.rounding import ULPS, directed, gamma, unit_roundoff
from properties import digits
from properties.checking import Batch
from properties.descriptor import Choice, Descriptor, Integer, Real, size

Floats = npt.NDArray[np.float64]
KINDS = ("random", "peak", "pair", "valley", "vertex", "saturated", "flat")
WIDER = 32
"""How much larger than its knob the box of the kind `wide` is."""
ENTRIES = 60000
"""The most logits of one instance: tokens are cut to keep them fewer."""
KNOBS: Mapping[str, Any] = {
    "batch": Integer(24, 40),
    "C": size(2, 12, 200, 50257),
    "B": Real(0.01, 12.0, log=True),
    "kind": Choice(KINDS),
    "inset": Real(1e-3, 0.5, log=True),  # distance of the logits to the box, as a share of B
}
LABELS: Mapping[str, Any] = {
    "kind": Choice((*KINDS, "wide")),
    "label": Choice(("class", "smoothed", "soft")),
    "aim": Choice(("lowest", "highest", "random")),
    "smoothing": Real(0.05, 0.5),
}
DIRECTION = Choice(("extreme", "classes", "random"))
SPECTRAL = 64
"""Directions are eigenvectors up to so many classes, above they tell two classes or one from the rest."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Boxes of half side B, (batch,), and logits in them, (batch, n, C)."""

    B: Floats
    logits: Float[Tensor, "batch n C"]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.logits.shape[-1]


def drawn(descriptor: Descriptor, tokens: int = 1) -> Drawn:
    """Return the logits of a descriptor.

    Kinds with a number of classes at the top, all alike, and the others at the bottom: `peak` one, `pair` two,
    `valley` all but one, `vertex` any. `saturated` logits lie near the ends, `flat` ones near each other; `wide` ones
    fill a box beyond which exponentials underflow.
    """
    generator, C, kind = descriptor.generator("logits"), descriptor["C"], descriptor["kind"]
    shape = (descriptor["batch"], max(1, min(tokens, ENTRIES // C)), C)
    B = descriptor["B"] * 2.0 ** -generator.random(descriptor["batch"]) * (WIDER if kind == "wide" else 1)
    share = 1 - descriptor["inset"]
    unit = generator.uniform(-1.0, 1.0, shape)
    if kind in ("peak", "pair", "valley", "vertex"):
        some = generator.integers(1, C, (*shape[:2], 1))
        count = {"peak": 1, "pair": min(2, C - 1), "valley": C - 1}.get(kind, some)
        unit = np.where(unit.argsort(-1).argsort(-1) < count, 1.0, -1.0)
    elif kind == "saturated":
        unit = np.tanh(8 * unit)
    elif kind == "flat":
        unit = generator.uniform(-0.5, 0.5, (*shape[:2], 1)) + descriptor["inset"] * unit / 2
    return Drawn(B, torch.from_numpy(share * B[:, None, None] * unit))


def labels(descriptor: Descriptor, logits: Float[Tensor, "batch n C"]) -> Int[Tensor, "batch n"] | Tensor:
    """Return classes, classes mixed with the uniform label, or soft labels that favour the class aimed at.

    `wide` boxes come with mixed labels: at one class the loss and its slope would be limits to all digits.
    """
    generator, C = descriptor.generator("labels"), descriptor["C"]
    chosen = torch.from_numpy(generator.integers(0, C, logits.shape[:-1]))
    if descriptor["aim"] != "random":
        chosen = logits.argmin(-1) if descriptor["aim"] == "lowest" else logits.argmax(-1)
    if descriptor["label"] == "soft":
        soft = torch.from_numpy(generator.exponential(size=logits.shape))
        share = descriptor["smoothing"]
        mixed = share * soft / soft.sum(-1, keepdim=True) + (1 - share) * smooth(chosen, C, 0)
        return mixed / mixed.sum(-1, keepdim=True)
    if descriptor["label"] == "class" and descriptor["kind"] != "wide":
        return chosen
    return smooth(chosen, C, descriptor["smoothing"])


def share_rounding(logits: Float[Tensor, "batch *n C"]) -> Floats:
    """Bound the relative error of the computed softmax, for each instance.

    As for the weights of attention (`impl.rounding`): the subtraction of the maximum errs by u of at most twice the
    largest logit, in an exponent above and below; what underflows is no larger than the smallest normal number.
    """
    C = logits.shape[-1]
    reach = logits.abs().flatten(1).amax(1).numpy()
    exponent = 4 * reach * unit_roundoff(torch.float64)
    return np.asarray(np.expm1(exponent) + 2 * gamma(4 * ULPS + 2 * C + 2) + C * np.finfo(float).tiny)


def curvatures(
    logits: Float[Tensor, "batch C"], directions: Float[Tensor, "batch C"], centred: bool
) -> tuple[Floats, Floats]:
    """Return ⟨ω, ∇²ℓ(h) ω⟩/|ω|² and its error; `centred` takes ω less its mean, which has the same curvature.

    With m̂ the computed mean and m the true one, the variance is Σ p (ω − m̂)² − (m − m̂)². The first sum has positive
    terms and errs by a relative z + γ_{C+6}, z the softmax's; |m − m̂| ≤ (z + γ_{C+2})(1 + z) max|ω|. Likewise
    |ω − m̂1|² is |ω − m1|² + C(m − m̂)². A direction that is no eigenvector lowers the ratio, not its truth.
    """
    C, z = logits.shape[-1], torch.from_numpy(share_rounding(logits))
    largest = directions.abs().amax(-1)
    found = curvature(logits, directions)
    relative = z + gamma(C + 6)
    error = found * relative * (1 + 2 * relative) + (2 * (z + gamma(C + 2)) * largest) ** 2
    square = directions.square().sum(-1)
    slack = gamma(C + 2) * square
    if centred:
        square = (directions - directions.mean(-1, keepdim=True)).square().sum(-1)
        slack = gamma(C + 6) * square + C * (gamma(C + 2) * largest) ** 2
    measured = found / square
    error = directed((error + measured * slack) / (square - slack) + gamma(2) * measured, C + 20)
    return measured.numpy(), error.numpy()


def directions(
    logits: Float[Tensor, "batch C"], kind: str, generator: np.random.Generator, largest: bool
) -> Float[Tensor, "batch C"]:
    """Return directions of large curvature, or of small curvature off the ones."""
    C = logits.shape[-1]
    if kind == "random":
        return torch.from_numpy(generator.normal(size=tuple(logits.shape)))
    if kind == "extreme" and C <= SPECTRAL:
        p = logits.softmax(-1)
        hessian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
        return torch.linalg.eigh(hessian if largest else hessian + 1.0 / C).eigenvectors[..., -1 if largest else 0]
    ends = logits.topk(2, dim=-1, largest=largest).indices
    apart = torch.zeros_like(logits).scatter(-1, ends[:, :1], 1.0)
    if largest or kind == "classes":
        return apart.scatter(-1, ends[:, 1:], -1.0)
    return apart


def of_digits() -> list[tuple[float, Float[Tensor, "N C"], Int[Tensor, " N"]]]:
    """Return, for both trained Transformers, the largest logit and the test images' logits and labels."""
    found = []
    for net in digits.both():
        logits = net.logits().detach()
        found.append((float(logits.abs().max()), logits[net.train :], net.labels[net.train :]))
    return found


@dataclass(frozen=True)
class Alike:
    """So many classes with the same logit, label and entry of a direction."""

    count: int
    logit: Any
    label: Any = 0
    omega: Any = 0


@dataclass(frozen=True)
class Classes:
    """An exact instance: classes in groups, and the half side of the box that is claimed."""

    B: Any
    groups: tuple[Alike, ...]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return sum(g.count for g in self.groups)

    @property
    def mass(self) -> sp.Expr:
        """Sum of the weights e^h."""
        return self.total(sp.exp(_exact(g.logit)) for g in self.groups)

    def total(self, terms: Any) -> sp.Expr:
        """Return a sum over classes of terms given group by group."""
        return sp.Add(*(g.count * sp.sympify(t) for g, t in zip(self.groups, terms, strict=True)))

    @property
    def shares(self) -> list[sp.Expr]:
        """The softmax, group by group."""
        return [sp.exp(_exact(g.logit)) / self.mass for g in self.groups]

    @property
    def square(self) -> sp.Expr:
        """|softmax(h) − y|²."""
        return self.total((p - _exact(g.label)) ** 2 for p, g in zip(self.shares, self.groups, strict=True))

    @property
    def loss(self) -> sp.Expr:
        """ℓ(h, y) = log Σ e^{h_j − ⟨y, h⟩}."""
        mean = self.total(_exact(g.label) * _exact(g.logit) for g in self.groups)
        return sp.log(self.total(sp.exp(_exact(g.logit) - mean) for g in self.groups))

    @property
    def curvature(self) -> sp.Expr:
        """⟨ω, ∇²ℓ(h) ω⟩/|ω|²."""
        omega = [_exact(g.omega) for g in self.groups]
        mean = self.total(p * w for p, w in zip(self.shares, omega, strict=True))
        spread = self.total(p * (w - mean) ** 2 for p, w in zip(self.shares, omega, strict=True))
        return spread / self.total(w**2 for w in omega)

    def met(self) -> bool:
        """Say whether the logits lie in the box."""
        return all(abs(_exact(g.logit)) <= _exact(self.B) for g in self.groups)

    def is_label(self) -> bool:
        """Say whether the label lies in the simplex."""
        one = self.total(_exact(g.label) for g in self.groups) == 1
        return bool(one and all(_exact(g.label) >= 0 for g in self.groups))

    def spread_out(self, name: str) -> Float[Tensor, " C"]:
        """Return logits, label or direction as floats, class by class."""
        return torch.tensor([float(getattr(g, name)) for g in self.groups for _ in range(g.count)], dtype=torch.float64)


def vertex(C: int, B: Any, tops: int, label: Any = 1, aim: str = "lowest", edge: Any = None) -> Classes:
    """Return the vertex with so many logits at the top (`edge`, B by default) and the label's mass at one class.

    What the label leaves goes to the other classes evenly.
    """
    edge = _exact(B if edge is None else edge)
    label = _exact(label)
    rest = (1 - label) / (C - 1)
    one = Alike(1, -edge if aim == "lowest" else edge, label)
    up, down = (tops, C - tops - 1) if aim == "lowest" else (tops - 1, C - tops)
    groups = (one, Alike(up, edge, rest), Alike(down, -edge, rest))
    return Classes(B, tuple(g for g in groups if g.count))


def half_log(number: Any) -> sp.Expr:
    """Return B = ½ log(1/κ) for a rational 1/κ, so that everything about a vertex is rational."""
    return sp.log(sp.Rational(number)) / 2


def batch(cases: list[Classes], measured: list[Any], **values: Any) -> Batch:
    """Return a batch of exact measurements, one a case."""
    named = {"B": [c.B for c in cases], "C": [c.classes for c in cases], **values}
    return Batch(measured, [0] * len(cases), named)


def _exact(value: Any) -> sp.Expr:
    return sp.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sp.sympify(value)
