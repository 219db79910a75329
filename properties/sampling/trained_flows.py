"""The trained Transformers as flows: risks over test images of a few controls made of each, and all their constants.

Their class Θ is the smallest product of balls of blocks that holds them, every constant an upper bound over it; losses
of flows carry the reference flow's error.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from impl.control import Path
from impl.flow import reference_flow, transformer
from impl.readout import PooledReadout, cross_entropy
from impl.rounding import gamma
from properties import digits
from properties.digits import CLASSES, Trained
from properties.flow_constants import Constants, Floats, constants, up
from properties.sampling.populations import loss_error

IMAGES = 16
"""Test images: a power of 2, so that their weights are exact."""
SUBSTEPS, TOLERANCE = 32, 0.1
SHRUNK = (1.0, 0.95, 0.9)
"""The first controls are the trained one, shrunk."""


@dataclass(frozen=True, eq=False)
class FlowLosses:
    """Losses of controls on test images (nats).

    Attributes
    ----------
    flow, error : (G, A) array
        Of their flows, within an error.
    layered, layered_error : (G, A) array, float
        Of their layers.
    B : float
        The box of all logits, of flows and layers.
    L_H : float
        Lipschitz constant of the readout (1 / State).
    nodes : (G, K+1, p) Tensor
        The controls at the layers' depths; linear in between.
    """

    net: Trained
    flow: Floats
    layered: Floats
    error: Floats
    layered_error: float
    B: float
    L_H: float
    nodes: Tensor

    @property
    def distances(self) -> Floats:
        """Sup over the depth of ``|θ_i − θ_0|``, (G,), rounded up: the largest at a node (Control)."""
        return up((self.nodes - self.nodes[0]).norm(dim=-1).amax(-1))

    def constants(self, count: int) -> Constants:
        """Return the constants of a class Θ that holds the first so many controls; arrays of length 1."""
        T = self.net.recipe.T
        tour = Path.piecewise_linear(self.nodes[:count].flatten(0, 1).unsqueeze(0), T)  # passes through all of them
        one, x0 = Path.constant(torch.ones(1, 1, dtype=torch.float64), T), _images(self.net).unsqueeze(0)
        return constants(self.net.field, tour, one, x0, self.net.recipe.K, T)

    def named(self, count: int) -> dict[str, float]:
        """Return the symbols that compare the first so many controls with each other."""
        found = self.constants(count).named("zeta_bar", "L_theta", "L_x")
        known = {"B": self.B, "C": CLASSES, "L_H": self.L_H, "T": self.net.recipe.T}
        return {name: float(value[0]) for name, value in found.items()} | known


def controls(net: Trained, other: Trained) -> Tensor:
    """Return node values (G, K+1, p): the trained control, shrunk, rounded to 8 bits, and the other network's."""
    theta = net.control.node_values
    step = theta.abs().max() / 127
    return torch.stack([*(s * theta for s in SHRUNK), (theta / step).round() * step, other.control.node_values])


def _images(net: Trained) -> Tensor:
    return net.inputs[-IMAGES:]


@lru_cache(maxsize=1)
def flow_losses() -> list[FlowLosses]:
    """Return both networks' losses."""
    nets = digits.both()
    return [_measured(net, other) for net, other in zip(nets, reversed(nets), strict=True)]


def _measured(net: Trained, other: Trained) -> FlowLosses:
    nodes, T, K = controls(net, other), net.recipe.T, net.recipe.K
    paths = Path.piecewise_linear(nodes, T)
    x0 = _images(net).expand(len(nodes), -1, -1, -1)
    flow = reference_flow(net.field, paths, None, x0, T, 1, tolerance=TOLERANCE, max_substeps=SUBSTEPS)
    ends = flow.states[:, -1], transformer(net.field, paths, None, x0, K, T)
    logits = [net.readout(x) for x in ends]
    losses = [cross_entropy(h, net.labels[-IMAGES:].expand(h.shape[:-1])) for h in logits]
    L_H = float(up(torch.tensor(net.readout.lipschitz(x0.shape[-2]))))
    carried = L_H * flow.errors[:, -1]
    rounding = _of_logits(net.readout, ends)
    largest = max(float(h.abs().max()) for h in logits)
    B = float(up(np.array([largest + float(carried.max()) + rounding]))[0])
    of_loss = math.sqrt(2) * rounding + float(loss_error(np.array([B]), CLASSES)[0])
    error = up(math.sqrt(2) * carried + of_loss)
    return FlowLosses(net, losses[0].numpy(), losses[1].numpy(), error, of_loss, B, L_H, nodes)


def _of_logits(readout: PooledReadout, ends: tuple[Tensor, ...]) -> float:
    """Bound the rounding of logits: sums of n and of d terms, each within |W| |x|."""
    size = max(float(x.flatten(-2).norm(dim=-1).max()) for x in ends)
    terms = readout.width + ends[0].shape[-2] + 2
    return gamma(terms) * (float(readout.weight.norm()) * size + float(readout.bias.norm()))
