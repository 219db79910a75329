"""How the MLP moves with its state and its blocks, checked, and the steepest slopes of the activations.

Extremal: first singular vectors that meet where σ is steepest; far positive hidden values of ReLU; √2 for GELU. The
quotient in the second bias is its bound, whatever the MLP: it is measured where nothing rounds.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
import sympy as sp
import torch
from hypothesis import given
from torch import Tensor

from impl.errors import UnknownActivation
from impl.field.activation import ACTIVATIONS, activation
from impl.field.layout import Layout
from impl.field.measured import longest, quotient, quotient_rounding, slope, slope_rounding
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.rounding import directed, gamma, singular_value_rounding
from properties import checking, digits, mutants
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Need, Property
from properties.depth.trained import stacked
from properties.descriptor import Descriptor
from properties.field.perceptrons import (
    CLAIMS,
    PERCEPTRONS,
    SIGMA,
    STEEPEST,
    Perceptron,
    Perceptrons,
    perceptrons,
    whole,
)

GRID = 2.0**-10


def steepest(name: str) -> float:
    """Return the certified largest slope of an activation."""
    return PROPERTY.theorem.evaluate(activation(name).name).upper


def moves(found: Perceptrons, claim: str) -> Batch:
    """Return the difference quotients of a claim."""
    name = CLAIMS[claim]
    before, after = found.of(name), found.moved[name]
    measured = quotient(lambda moving: found.applied(name, moving), before, after)
    distance = (before - after).flatten(1).norm(dim=1)
    error = found.rounding() + found.rounding(name, directed(distance, before[0].numel() + 4))
    rounded = quotient_rounding(measured, error, distance, found.x[0].numel() + before[0].numel())
    return Batch(measured.numpy(), rounded.numpy(), found.constants | {"s_1": steepest(found.activation)})


def slopes(descriptor: Descriptor) -> dict[str, Batch]:
    """Return slopes of the smooth activations, near 0, near the steepest point or far out, and secants of ReLU."""
    generator, batches = descriptor.generator("slopes"), {}
    for name, top in STEEPEST.items():
        drawn = torch.from_numpy(generator.normal(size=descriptor["batch"]))
        points = {"random": 2 * drawn, "steep": top + drawn / 8, "positive": 8 * drawn.abs()}[descriptor["kind"]]
        if ACTIVATIONS[name].smooth:
            found = slope(activation(name), points)
            batches[name] = Batch(found.numpy(), slope_rounding(points).numpy(), {})
    # On a grid the differences are exact; their quotient is 1, or by far no 1 and rounded once.
    other = torch.from_numpy(generator.normal(size=descriptor["batch"]))
    ends = [((points + shift) / GRID).round().unsqueeze(1) * GRID for shift in (-4 * descriptor["noise"], other + 5)]
    found = quotient(activation("relu"), *ends)
    return batches | {"relu": Batch(found.numpy(), torch.where(found == 1, 0.0, gamma(1) * found).numpy(), {})}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    found = perceptrons(descriptor)
    batches = {claim: moves(found, claim) for claim in CLAIMS}
    f, before, after, n = whole(descriptor)
    exact = torch.zeros(len(before), dtype=before.dtype)
    batches["second-bias"] = Batch(quotient(f, before, after).numpy(), exact.numpy(), found.constants | {"n": n})
    size = longest(lambda x: found.applied("x", x), found.x)
    error = directed(found.rounding() + size * gamma(found.x.shape[-1] + 2), 4)
    batches["size"] = Batch(size.numpy(), error.numpy(), found.constants)
    return batches | slopes(descriptor)


def trained() -> dict[str, Batch]:
    """Return the MLPs of the trained Transformers: a layer's states of one test image against those of the next."""
    out = []
    for net in digits.both():
        recipe, images = net.recipe, net.inputs[net.train :]
        states = transformer(net.field, net.layers, None, images, recipe.K, recipe.T, record="all")[:-1]
        layout = Layout(recipe.width, 0, 0, recipe.hidden)
        blocks = {name: net.field.layout.unpack(net.layers)[name] for name in layout.shapes}
        svd = singular_value_rounding(recipe.hidden, recipe.width, states.dtype)
        radii = {k: directed(v * (1 + svd), recipe.hidden) for k, v in block_norms(layout, layout.pack(blocks)).items()}
        R = directed(longest(lambda x: x, states), recipe.width + 2)
        images = min(64, len(images) - 1)
        pairs = [
            Perceptrons(recipe.activation, states[:, [i]], blocks, radii, R, {"x": states[:, [i + 1]]})
            for i in range(images)
        ]
        out.append({"state": _largest([moves(pair, "state") for pair in pairs])})
    return stacked(out)
