"""Trained Transformers as flow instances: a few images of each, each image an instance of its own."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from impl.control import Path
from properties import digits
from properties.checking import Batch
from properties.instances import Flows, measured

IMAGES = 4


@lru_cache(maxsize=2)
def flows(*, cells: bool = False) -> list[Flows]:
    """Return the trained Transformers on test images, with their flows and constants.

    The control is linear between the layers, or with `cells` constant on each layer's cell.
    """
    out = []
    for net in digits.both():
        x0, T = net.inputs[-IMAGES:].unsqueeze(1), net.recipe.T
        control = Path.piecewise_linear(net.control.node_values.expand(IMAGES, -1, -1), T)
        if cells:
            control = Path.constant_on_cells(net.layers.expand(IMAGES, -1, -1), T)
        one = Path.constant(torch.ones(IMAGES, 1, dtype=torch.float64), T)
        out.append(measured(net.field, control, one, x0, net.recipe.K, T))
    return out


def stacked(found: Sequence[Mapping[str, Batch]]) -> dict[str, Batch]:
    """Return batches joined claim by claim."""
    return {name: _joined([batches[name] for batches in found]) for name in found[0]}


def _joined(parts: Sequence[Batch]) -> Batch:
    def column(part: Batch, name: str) -> np.ndarray[Any, Any]:
        value = part.values[name]
        return value if isinstance(value, np.ndarray) else np.full(len(part), value)

    values = {name: np.concatenate([column(part, name) for part in parts]) for name in parts[0].values}
    measurements, errors = (np.concatenate([getattr(part, side) for part in parts]) for side in ("measured", "error"))
    return Batch(measurements, errors, values)
