"""How the MLP moves with its state and its blocks, checked, and the steepest slopes of the activations.

Extremal: first singular vectors that meet where σ is steepest; far positive hidden values of ReLU; √2 for GELU. The
quotient in the second bias is its bound, whatever the MLP: it is measured where nothing rounds.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from torch import Tensor

from impl.constants import activation_slope, norms_rounded_up
from impl.errors import NotCertified, UnknownActivation
from impl.field.activation import ACTIVATIONS, Activation, activation
from impl.field.layout import Layout
from impl.field.measured import longest, quotient, quotient_rounding, slope, slope_rounding
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.rounding import directed, gamma
from properties import checking, digits
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Need, Property
from properties.depth.trained import stacked
from properties.descriptor import Descriptor
from properties.field.operators import FOUR, GATHER, NEAR
from properties.field.perceptrons import (
    CLAIMS,
    PERCEPTRONS,
    SLOPES,
    STEEPEST,
    Perceptron,
    Perceptrons,
    perceptrons,
    secant,
    slopes_at,
    whole,
)
from properties.suite import suite

GRID, PAIRS = 2.0**-10, 32
SMOOTH = [name for name in STEEPEST if ACTIVATIONS[name].smooth]


def steepest(name: str) -> float:
    """Return the certified largest slope of an activation."""
    return activation_slope(name).value


def moves(found: Perceptrons, claim: str) -> Batch:
    """Return the difference quotients of a claim."""
    name = CLAIMS[claim]
    before, after = found.of(name), found.moved[name]
    measured = quotient(lambda moving: found.applied(name, moving), before, after)
    distance = (before - after).flatten(1).norm(dim=1)
    error = found.rounding() + found.rounding(name, directed(distance, before[0].numel() + 4))
    rounded = quotient_rounding(measured, error, distance, found.x[0].numel() + before[0].numel())
    return Batch(measured.numpy(), rounded.numpy(), found.constants | {"s_1": steepest(found.activation)})


def points(descriptor: Descriptor, name: str) -> Tensor:
    """Return numbers near 0, near where an activation is steepest, or far out."""
    drawn = torch.from_numpy(descriptor.generator("points", name).normal(size=descriptor["batch"]))
    return {"random": 2 * drawn, "steep": STEEPEST[name] + drawn / 8, "positive": 8 * drawn.abs()}[descriptor["kind"]]


def slopes(descriptor: Descriptor) -> dict[str, Batch]:
    """Return slopes of the smooth activations, and secants of ReLU."""
    batches = {}
    for name in SMOOTH:
        at = points(descriptor, name)
        batches[name] = Batch(slope(activation(name), at).numpy(), slope_rounding(at).numpy(), {})
    # On a grid the differences are exact; their quotient is 1, or far from it and rounded once.
    one = (points(descriptor, "relu") / GRID).round().unsqueeze(1)
    steps = descriptor.generator("steps").integers(1, round(4 / GRID), descriptor["batch"])
    found = quotient(activation("relu"), one * GRID, (one - torch.from_numpy(steps).unsqueeze(1)) * GRID)
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
    """Return the MLPs of the trained Transformers between each layer's states of neighbouring test images."""
    out = []
    for net in digits.both():
        recipe, images = net.recipe, net.inputs[net.train :][: PAIRS + 1]
        states = transformer(net.field, net.layers, None, images, recipe.K, recipe.T, record="all")[:-1]
        layout = Layout(recipe.width, 0, 0, recipe.hidden)
        blocks = {name: net.field.layout.unpack(net.layers)[name] for name in layout.shapes}
        norms = norms_rounded_up(layout, layout.pack(blocks))
        R = directed(longest(lambda x: x, states), recipe.width + 2).repeat_interleave(PAIRS)
        radii = {name: torch.from_numpy(norms[name]).repeat_interleave(PAIRS) for name in blocks}
        blocks = {name: block.repeat_interleave(PAIRS, dim=0) for name, block in blocks.items()}
        x, y = (states[:, part].flatten(0, 1).unsqueeze(1) for part in (slice(0, -1), slice(1, None)))
        out.append({"state": moves(Perceptrons(recipe.activation, x, blocks, radii, R, {"x": y}), "state")})
    return stacked(out)


_root = sp.sqrt(2)
_eps = sp.Rational(1, 100)
STEEP = Perceptron(
    x=((0, 3), (0, 3)),
    W1=((0, 2), (0, 0)),
    b1=((_root - 6, _root),),
    W2=((0, 0), (5, 0)),
    b2=((1, 2),),
    sigma="gelu",
    moved={
        "x": ((0, 3 + _eps), (0, 3 + _eps)),
        "W1": ((0, 2 + _eps), (0, 0)),
        "b1": ((_root - 6 + _eps, _root),),
        "W2": ((0, 0), (6, 0)),
        "b2": ((1, 4),),
    },
)
"""GELU at √2, where it is steepest, in both tokens: ratios 1 − O(ε²)."""

FAR = Perceptron(
    x=((3, 4), (3, 4), (3, 4)),
    W1=((6, 8), (0, 0)),
    b1=((7, 0),),
    W2=((11, 0), (0, 1)),
    b2=((2, 0),),
    moved={
        "x": ((6, 8), (6, 8), (6, 8)),
        "W1": ((9, 12), (0, 0)),
        "b1": ((9, 0),),
        "W2": ((12, 0), (0, 1)),
        "b2": ((5, 0),),
    },
)
"""ReLU where it is the identity: ratios 1."""

_MOVED: dict[str, tuple[tuple[int, ...], ...]] = {
    "x": ((2,), (-1,)),
    "W1": ((3,),),
    "b1": ((1,),),
    "W2": ((2,),),
    "b2": ((1,),),
}
SMALL = Perceptron(x=((1,), (-2,)), b1=((_eps,),), moved=_MOVED)
TOP, SILU_TOP = sp.Rational("1.41850400879"), sp.Rational("2.39935728052")
"""Close to where the tanh form of GELU and SiLU are steepest."""
AT_TOP = Perceptron(
    x=((0,),),
    b1=((TOP,),),
    sigma="gelu-tanh",
    moved={"x": ((_eps / 10,),), "b1": ((TOP + _eps / 10,),)},
    claimed={"R": 1},
)
CASES = {
    "steep": STEEP,
    "far": FAR,
    "wide-balls": replace(STEEP, claimed={"R": 4, "rho_W1": 3, "beta_1": 13, "rho_W2": 7, "beta_2": 5, "s_1": 2}),
    "steep-tanh-form": AT_TOP,
    "no-length": replace(SMALL, x=((0,), (0,))),
    "no-first-matrix": replace(SMALL, W1=((0,),)),
    "no-biases": replace(SMALL, b1=((0,),)),
    "no-second-matrix": replace(SMALL, W2=((0,),)),
    "one-token": replace(SMALL, x=((1,),), moved=_MOVED | {"x": ((3,),)}),
    "kink": SMALL,
    **{name: replace(SMALL, sigma=name) for name in ("tanh", "gelu", "gelu-tanh", "silu")},
}


def _need(case: Perceptron) -> Need:
    return Need(lambda: (case.batches(), case.met()))


PROPERTY = Property(
    slug="field/mlp-constants",
    space=PERCEPTRONS,
    check=check,
    exhibits=(
        *(Exhibit(name, case.batches) for name, case in CASES.items()),
        Exhibit("steepest", lambda: slopes_at({"tanh": 0, "gelu": _root, "gelu-tanh": TOP, "silu": SILU_TOP})),
        Exhibit("flat", lambda: slopes_at(dict.fromkeys(SMOOTH, -3))),
        Exhibit("at-0", lambda: slopes_at(dict.fromkeys(SMOOTH, 0))),
        Exhibit("right-of-the-kink", lambda: secant(1, 2)),
        Exhibit("across-the-kink", lambda: secant(-1, 2)),
        Exhibit("left-of-the-kink", lambda: secant(-1, -2)),
    ),
    sharp={
        "state": "steep",
        "first-matrix": "steep",
        "first-bias": "steep",
        "second-matrix": "far",
        "second-bias": "far",
        "size": "far",
        "tanh": "steepest",
        "gelu": "steepest",
        "gelu-tanh": "steepest",
        "silu": "steepest",
        "relu": "right-of-the-kink",
    },
    needs={
        "inward-ball": _need(Perceptron(x=((1,),), kinked="W1", moved={"x": NEAR}, claimed={"rho_W1": 1})),
        "outward-ball": _need(Perceptron(x=((1,),), kinked="W2", moved={"x": NEAR}, claimed={"rho_W2": 1})),
        "first-bias-ball": _need(replace(FAR, claimed={"beta_1": 6})),
        "second-bias-ball": _need(replace(FAR, claimed={"beta_2": 1})),
        "activation-lipschitz": _need(replace(AT_TOP, claimed={"R": 1, "s_1": SLOPES["gelu"]})),
        "activation-contracts": _need(replace(SMALL, sigma="shifted", x=((0,), (0,)), b1=((0,),))),
        "inward-tokens": _need(Perceptron(x=FOUR, W1=GATHER)),
        "outward-tokens": _need(Perceptron(x=FOUR, W2=GATHER)),
    },
    real=trained,
)
TestTheorem = suite(PROPERTY)


def test_slopes_are_the_known_numbers() -> None:
    known = {"tanh": 1, "gelu": 1.12890414518, "gelu-tanh": 1.12899306866, "silu": 1.09983932012, "relu": 1}
    for name, number in known.items():
        at = torch.tensor([STEEPEST[name]], dtype=torch.float64)
        found, certified = float(slope(activation(name), at)), steepest(name)
        assert found - float(slope_rounding(at)) <= certified
        assert max(abs(certified - number), certified - found) < 1e-9, name
    assert steepest("gelu-tanh") > steepest("gelu")


def test_one_neuron_of_gelu_is_steeper_than_1() -> None:
    neuron = TransformerField(Layout(1, 0, 0, 1), "gelu")
    theta = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=torch.float64)
    near, far = (torch.full((1, 1, 1), 2**0.5 + step, dtype=torch.float64) for step in (-1e-3, 1e-3))
    found = float(quotient(lambda x: neuron(x, theta), near, far))
    assert 1.1289 < found < steepest("gelu")


def test_an_unknown_activation_has_no_certified_slope() -> None:
    with pytest.raises(UnknownActivation, match="gelu"):
        TransformerField(Layout(1, 0, 0, 1), "gelu2")
    steep = Activation("gelu", lambda a: 2 * a, smooth=True)
    for unknown in ("gelu2", steep):
        with pytest.raises(NotCertified):
            activation_slope(unknown)
    assert float(slope(steep, torch.ones(1, dtype=torch.float64))) > steepest("gelu")


def test_exact_mlps_are_what_the_kernel_computes() -> None:
    for name, case in CASES.items():
        shapes = {"W1": None, "b1": 0, "W2": None, "b2": 0}
        parts = {k: np.array(case.part(k).evalf(20), dtype=float) for k in ("x", *shapes)}
        blocks = {k: torch.from_numpy(parts[k] if row is None else parts[k][row]) for k, row in shapes.items()}
        hidden, d = case.part("W1").shape
        layout = Layout(d, 0, 0, hidden)
        found = TransformerField(layout, case.sigma)(torch.from_numpy(parts["x"]), layout.pack(blocks))
        wanted = np.array(case.applied().evalf(20), dtype=float)
        # Numbers below 1000, made by fewer than 100 roundings: 1e5 units of 2^-53 leave a factor of 2^-36.
        assert np.abs(found.numpy() - wanted).max() < 2.0**-36, name


def test_holds_on_trained_transformers() -> None:
    found = checking.judged(PROPERTY, trained())["state"]
    assert set(found.verdict) == {HOLDS}
    assert max(found.ratio) > INFORMATIVE
    assert VIOLATED not in found.verdict
