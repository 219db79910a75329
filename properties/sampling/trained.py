"""The trained Transformers as populations and classes: losses on the digits, theirs and those of their versions.

A population is digits with equal weights, its losses those of computed logits. A class shares one trained readout.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from impl.flow import transformer
from impl.readout import cross_entropy
from properties import digits
from properties.checking import Batch
from properties.digits import CLASSES, Trained
from properties.sampling.lattice import lattice_quantiles, simulated_quantile
from properties.sampling.populations import loss_error

Floats = npt.NDArray[np.float64]

IMAGES, FEW_IMAGES = 256, 64
"""Test images that classes, and large ones, are measured on; powers of 2, so that their weights are exact."""
SAMPLES = (1, 8, 64, 512)
LEVELS = (2.0**-10, 2.0**-4, 0.5)
COMMON, BITS = 2.0**-4, 8
"""The level at which classes are simulated; bits of a parameter on the grid around a control."""


@dataclass(frozen=True, eq=False)
class Losses:
    """Losses (G, A) of controls on equally likely digits (nats), and the largest logit B behind them."""

    losses: Floats
    B: float

    @property
    def error(self) -> float:
        """Rounding of a loss."""
        return float(loss_error(np.array([self.B]), CLASSES)[0])

    def values(self, N: int, delta: float) -> dict[str, Any]:
        """Return the symbols that every radius needs."""
        return {"B": self.B, "C": CLASSES, "N": N, "delta": delta}


def of_logits(logits: Tensor, labels: Tensor) -> Losses:
    """Return the losses of logits (G, A, C)."""
    found = cross_entropy(logits, labels.expand(logits.shape[:-1]))
    return Losses(found.numpy(), float(logits.abs().max()))


@lru_cache(maxsize=1)
def populations() -> list[Losses]:
    """Return both networks on all 1,797 digits."""
    return [of_logits(net.logits().detach().unsqueeze(0), net.labels) for net in digits.both()]


@lru_cache(maxsize=1)
def classes() -> list[Losses]:
    """Return, for both networks, the class of its versions on test images."""
    nets = digits.both()
    pairs = zip(nets, reversed(nets), strict=True)
    return [_layered(net, torch.stack(list(versions(net, other).values())), IMAGES) for net, other in pairs]


def versions(net: Trained, other: Trained) -> dict[str, Tensor]:
    """Return controls (K, p) made of a trained one: itself, cut off, scaled, disturbed, reversed, and the other's."""
    theta, K = net.layers, net.recipe.K
    generator = torch.Generator().manual_seed(net.recipe.seed + 2)
    depth = torch.arange(K).unsqueeze(1)
    found = {"itself": theta} | {f"{k} layers": theta * (depth < k) for k in range(K)}
    found |= {f"{share} of it": share * theta for share in (0.5, 0.9, 1.1)}
    for size in (0.05, 0.2):
        noise = torch.randn(theta.shape, generator=generator, dtype=theta.dtype)
        found[f"{size} disturbed"] = theta + size * noise * (theta.norm() / noise.norm())
    return found | {"reversed": theta.flip(0), "the other's": other.layers}


@lru_cache(maxsize=1)
def words() -> list[Losses]:
    """Return, for both networks, every choice of layers to keep and to drop: all words over two letters a layer."""
    out = []
    for net in digits.both():
        x = _images(net, FEW_IMAGES).unsqueeze(0)
        for layer in net.layers:
            kept = transformer(net.field, layer.unsqueeze(0), None, x, 1, net.recipe.T / net.recipe.K)
            x = torch.cat([x, kept])
        out.append(of_logits(net.readout(x), _labels(net, FEW_IMAGES)))
    return out


@lru_cache(maxsize=1)
def rounded() -> list[Losses]:
    """Return, for both networks, controls on the grid of 2^8 numbers a parameter: nearest, below, above, by chance."""
    out = []
    for net in digits.both():
        generator = torch.Generator().manual_seed(net.recipe.seed + 3)
        half = 2 ** (BITS - 1) - 0.5
        places = net.layers / net.layers.abs().max() * half + half
        chances = [torch.rand(places.shape, generator=generator, dtype=places.dtype) for _ in range(5)]
        whole = [places.round(), places.floor(), places.ceil(), *[(places + u).floor() for u in chances]]
        grid = torch.stack(whole).clamp(0, 2 * half)
        out.append(_layered(net, (grid - half) / half * net.layers.abs().max(), IMAGES))
    return out


def _layered(net: Trained, controls: Tensor, images: int) -> Losses:
    x = _images(net, images).expand(len(controls), -1, -1, -1)
    states = transformer(net.field, controls, None, x, net.recipe.K, net.recipe.T)
    return of_logits(net.readout(states), _labels(net, images))


def _images(net: Trained, images: int) -> Tensor:
    return net.inputs[net.train :][:images]


def _labels(net: Trained, images: int) -> Tensor:
    return net.labels[net.train :][:images]


def of_one_control(found: Sequence[Losses]) -> Batch:
    """Return the quantiles of single controls, convolved, at all levels and numbers of samples."""
    rows = []
    for each in found:
        for N in SAMPLES:
            pairs = zip(*lattice_quantiles(each.losses[0], N, LEVELS, each.error), LEVELS, strict=True)
            rows += [(value, error, each.values(N, delta)) for value, error, delta in pairs]
    return gathered(rows)


def of_classes(found: Sequence[Losses], **named: Any) -> Batch:
    """Return the quantiles of the largest deviations over classes, simulated, at all numbers of samples."""
    rows = []
    for i, each in enumerate(found):
        for N in SAMPLES:
            generator = np.random.default_rng((i, N))
            value, error = simulated_quantile(each.losses, N, COMMON, generator, each.error)
            rows.append((value, error, each.values(N, COMMON) | named))
    return gathered(rows)


def gathered(rows: Sequence[tuple[float, float, dict[str, Any]]]) -> Batch:
    """Return a batch of rows (measured, error, values); values stay what they are: whole numbers may be very long."""
    measured, error = (np.array([row[side] for row in rows], dtype=np.float64) for side in (0, 1))
    return Batch(measured, error, {name: [row[2][name] for row in rows] for name in rows[0][2]})


def joined(*batches: Batch) -> Batch:
    """Return batches of the same symbols as one."""
    values = {name: [batch.at(i)[name] for batch in batches for i in range(len(batch))] for name in batches[0].values}
    measured, error = (np.concatenate([getattr(batch, side) for batch in batches]) for side in ("measured", "error"))
    return Batch(measured, error, values)


def claiming(batch: Batch, **claimed: Any) -> Batch:
    """Return a batch under other constants: a twin that must fail, where they are too small."""
    return Batch(batch.measured, batch.error, {**batch.values, **claimed})
