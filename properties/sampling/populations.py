"""Populations with finitely many atoms, drawn with their logits: sampling errors on them are exact finite sums.

Classes of controls act through the loss of every atom under every control; `flow` takes these from flows
``Ẋ = b X + θ`` in closed form, the other kinds put the logits where the deviations are large.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from impl.readout import cross_entropy
from impl.rounding import ULPS, gamma
from impl.sampling import deviation_quantile
from properties.descriptor import Choice, Descriptor, Domain, Integer, Real, size

Floats = npt.NDArray[np.float64]

LARGEST_SAMPLE = {2: 400, 3: 60, 4: 22}
"""Samples for so many atoms: at most a few thousand count vectors."""

KNOBS: dict[str, Domain] = {
    "batch": Integer(24, 32),
    "kind": Choice(("ends", "corners", "spread", "rare", "flow")),
    "atoms": Integer(2, 4),
    "N": size(1, 20, 60, 400),
    "C": size(2, 6, 40, 1000),
    "B": Real(0.05, 8.0, log=True),
    "delta": Real(1e-6, 0.9, log=True),
    "growth": Real(0.0, 2.0),
}


@dataclass(frozen=True, eq=False)
class Populations:
    """A batch of populations, each with a class of controls.

    Attributes
    ----------
    losses : (batch, G, A) array
        Loss of every atom under every control (nats), within `loss_error`.
    weights : (batch, A) array
        Probabilities, multiples of 2^-20 that sum to 1.
    """

    losses: Floats
    loss_error: Floats
    weights: Floats
    N: int
    B: Floats
    C: int
    delta: Floats

    def deviations(self) -> tuple[Floats, Floats]:
        """Return the (1−δ)-quantiles of the largest deviation over each class, and their errors."""
        return deviation_quantile(self.losses, self.weights, self.N, self.delta, self.loss_error)

    @property
    def values(self) -> dict[str, object]:
        """Values of the symbols that every radius needs."""
        return {"B": self.B, "C": self.C, "N": self.N, "delta": self.delta}


def draw(descriptor: Descriptor, controls: int, pushes: Floats | None = None, layers: int = 0) -> Populations:
    """Return the populations of a descriptor for classes of so many controls.

    Flows of kind `flow` end at ``e^b x + φ₁(b) θ``; `pushes`, (batch, controls, 2), are the θ, drawn by default. With
    `layers` the same populations are seen through the layers: Euler's factors for flows, logits a little short else.
    """
    generator = descriptor.generator("population")
    batch, atoms, C = descriptor["batch"], descriptor["atoms"], descriptor["C"]
    B = descriptor["B"] * generator.uniform(0.5, 2.0, batch)
    delta = descriptor["delta"] ** generator.uniform(0.5, 1.0, batch)
    logits, labels = _outcomes(descriptor, generator, (batch, controls, atoms, C), pushes, layers)
    hot = torch.from_numpy(labels).broadcast_to(batch, controls, atoms, C)
    losses = cross_entropy(torch.from_numpy(logits * B[:, None, None, None]), hot).numpy()
    weights = atoms_weights(generator, batch, atoms, rare=descriptor["kind"] == "rare")
    N = min(descriptor["N"], LARGEST_SAMPLE[atoms])
    return Populations(losses, loss_error(B, C), weights, N, B, C, delta)


def loss_error(B: Floats, C: int) -> Floats:
    """Bound the rounding of a cross-entropy of logits in [−B, B], whose labels may sum to 1 ± γ_C.

    Shifted logits err by u·2B each; so does their log-sum-exp, up to γ_{C+2·ULPS} of the sum (at least 1) and ULPS of a
    logarithm below log C; the product with the label adds γ_{C+1}·2B.
    """
    return gamma(2 * C + 4 * ULPS + 8) * (4 * B + np.log(C) + 1)


def _outcomes(
    descriptor: Descriptor, generator: np.random.Generator, shape: tuple[int, ...], pushes: Floats | None, layers: int
) -> tuple[Floats, Floats]:
    """Return logits in the box [−1, 1], (batch, G, A, C), and labels that broadcast against them."""
    batch, controls, atoms, C = shape
    hard = np.zeros((batch, 1, atoms, C))
    hard[..., 0] = 1.0
    short = 1 - 0.5 / layers if layers else 1.0
    match descriptor["kind"]:
        case "ends" | "rare":  # the least loss or the largest, atom by atom
            sign = generator.choice((-1.0, 1.0), (batch, controls, atoms, 1))
            sign[:, 0, 0], sign[:, 0, 1] = 1.0, -1.0
            return sign * np.where(np.arange(C) == 0, short, -short), hard
        case "corners":
            return short * generator.choice((-1.0, 1.0), shape), hard
        case "spread":
            return short * generator.uniform(-1.0, 1.0, shape), generator.dirichlet(np.ones(C), (batch, 1, atoms))
    push = generator.standard_normal((batch, controls, 2)) if pushes is None else pushes
    inputs = generator.standard_normal((batch, 1, atoms, 2))
    readout = generator.standard_normal((batch, 2, C))
    flow = np.einsum("bgai,bic->bgac", _ends(descriptor["growth"], 0, inputs, push), readout)
    seen = np.einsum("bgai,bic->bgac", _ends(descriptor["growth"], layers, inputs, push), readout) if layers else flow
    return seen / np.abs(flow).max((1, 2, 3), keepdims=True), hard


def _ends(b: float, layers: int, inputs: Floats, push: Floats) -> Floats:
    """Return where ``Ẋ = b X + θ`` or its layers end; layers start below the flow and stay there: b >= 0."""
    grown = (1 + b / layers) ** layers if layers else np.exp(b)
    pushed = (grown - 1) / b if b else 1.0
    found: Floats = grown * inputs + pushed * push[:, :, None, :]
    return found


def atoms_weights(generator: np.random.Generator, batch: int, atoms: int, *, rare: bool = False) -> Floats:
    """Return probabilities of atoms, multiples of 2^-20 that sum to 1; the first is small if `rare`."""
    whole = 2**20
    share = generator.dirichlet(np.full(atoms, 3.0), batch)
    if rare:
        share[:, 0] *= 0.02
    parts = np.maximum(1, np.floor(share / share.sum(1, keepdims=True) * (whole - atoms)))
    parts[:, -1] = whole - parts[:, :-1].sum(1)
    scaled: Floats = parts / whole
    return scaled
