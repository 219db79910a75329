"""The loss's objects as `impl` computes them: logits in the box, softmax, labels, cross-entropy, the box's corners."""

from typing import Any

import numpy as np
import torch
from flint import arb
from models_field import computed, floats
from numeric import Instance, Undefined, index, vector

from impl.readout import cross_entropy, curvature, residual

C, B = 4, 1.0


def entry(v: Any, j: Any) -> Any:
    if not 0 <= index(j) < v.shape[1]:
        raise Undefined("no such class")
    return v[0, index(j)]


def softmax(h: Any) -> Any:
    """Return the residual for a label of nothing: the probabilities themselves."""
    logits = floats(h)
    return computed(residual(logits, torch.zeros_like(logits)))


def loss(h: Any, y: Any) -> Any:
    return computed(cross_entropy(floats(h), floats(y)))[0]


def reach(omega: Any) -> tuple[Any, Any]:
    """Return the largest mean of a vector under weights between κ and 1, and where the weights are 1."""
    kappa, best = (-2 * arb(B)).exp(), None
    order = sorted(range(C), key=lambda j: float(omega[0, j]), reverse=True)
    for m in range(1, C):
        weights = np.array([[arb(1) if j in order[:m] else kappa for j in range(C)]], dtype=object)
        mean = (weights * omega).sum() / weights.sum()
        if best is None or mean > best[0]:
            best = mean, vector([[1.0 if j in order[:m] else 0.0 for j in range(C)]])
    assert best is not None
    return best


def loss_model(seed: int) -> Instance:
    g = np.random.Generator(np.random.Philox(key=seed))
    labels = [vector(np.eye(C)[j : j + 1]) for j in (0, C - 1)] + [vector([[0.25, 0.5, 0.25, 0.0]])]
    signed = [vector(s * np.eye(C)[j : j + 1]) for s in (1.0, -1.0) for j in (0, C - 1)]
    high = vector(np.where(np.arange(C) == 1, -1.0, 1.0)[None])  # all but one at the top
    directions = [vector(g.normal(size=(1, C))), high, *signed]
    logits = [vector(g.uniform(-B, B, (1, C))), vector([[B, -B, B, -B]])]

    def variance(p: Any, omega: Any) -> Any:
        """Take the curvature at logits whose softmax these probabilities are: their logarithms."""
        return computed(curvature(floats(p).log(), floats(omega)))[0]

    def pick(best: Any) -> Any:
        return lambda v: arb(best(range(C), key=lambda j: float(v[0, j])))

    return Instance(
        {
            "C": arb(C),
            "B": arb(B),
            "kappa": (-2 * arb(B)).exp(),
            "entry": entry,
            "softmax": softmax,
            "ell": loss,
            "ones": lambda _: vector(np.ones((1, C))),
            "square": lambda v: v * v,
            "variance": variance,
            "highest": pick(max),
            "lowest": pick(min),
            "reach": lambda v: reach(v)[0],
            "top": lambda v: reach(v)[1],
            "on_top": lambda v, w: reach(v)[1] * w,
            "peak": lambda h: max((abs(x) for x in h[0]), key=float),
            "Y": lambda i: labels[index(i)],
        },
        {
            "logit": logits,
            "omega": directions,
            "omega_alt": [*directions[:2], vector(np.ones((1, C)))],
            "i": range(3),
            "j": range(C),
            "k": range(C),
        },
    )
