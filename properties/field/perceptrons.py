"""The MLP and what its state and blocks move to: generated batches near its extremal instances, and exact ones.

Extremal: equal tokens along the first singular vector of W1 whose hidden values all lie where σ is steepest (`steep`),
or far along one vector of positive entries, where ReLU is the identity (`positive`). `noise` leads from them to random
MLPs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.rounding import directed, field_rounding
from properties.checking import Batch
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.field.moving_heads import length, longest, near_rank_one, spectral, units
from properties.field.operators import STEEPEST as STEEPEST_KINK
from properties.field.operators import Rows, acted, token_growth

BLOCKS = ("W1", "b1", "W2", "b2")
CLAIMS = {"state": "x", "first-matrix": "W1", "first-bias": "b1", "second-matrix": "W2"}
STEEPEST = {"tanh": 0.0, "gelu": 2**0.5, "gelu-tanh": 1.41850400879, "silu": 2.39935728052, "relu": 1.0}
"""Where the activations are steepest."""

PERCEPTRONS = Space(
    {
        "batch": Integer(24, 40),
        "activation": Choice(tuple(STEEPEST)),
        "kind": Choice(("random", "steep", "positive")),
        "n": size(1, 4, 8, 16),
        "d": size(1, 4, 8, 16),
        "hidden": size(1, 4, 16, 32),
        "root": Integer(1, 4),  # tokens of `whole` are its square
        "R": Real(0.1, 10.0, log=True),
        "inward": Real(0.01, 10.0, log=True),  # ‖W1‖R
        "bias": Real(0.01, 10.0, log=True),
        "outward": Real(0.1, 10.0, log=True),
        "noise": Real(1e-3, 1.0, log=True),
        "fill": Real(0.5, 0.999),  # norm over radius
        "step": Real(1e-3, 10.0, log=True),  # relative
    }
)


@dataclass(frozen=True, eq=False)
class Perceptrons:
    """A batch of MLPs on states.

    Attributes
    ----------
    x : Tensor
        ``(batch, particles, n, d)`` states with tokens no longer than R (State).
    blocks : dict
        ``W1, b1, W2, b2``, batch first.
    radii : dict
        Radius of every block's ball.
    R : Tensor
        Radius of the states.
    moved : dict
        What x and the blocks move to.
    """

    activation: str
    x: Tensor
    blocks: Mapping[str, Tensor]
    radii: Mapping[str, Tensor]
    R: Tensor
    moved: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def field(self) -> TransformerField:
        """The MLP as a field."""
        hidden, d = self.blocks["W1"].shape[-2:]
        return TransformerField(Layout(d, 0, 0, hidden), self.activation)

    def of(self, name: str) -> Tensor:
        """Return the state or a block."""
        return self.x if name == "x" else self.blocks[name]

    def applied(self, name: str, moving: Tensor) -> Tensor:
        """Return the field's values with another state or block."""
        if name == "x":
            return self.field(moving, self.field.layout.pack(dict(self.blocks)))
        return self.field(self.x, self.field.layout.pack({**self.blocks, name: moving}))

    def rounding(self, name: str = "x", distance: Tensor | float = 0.0) -> Tensor:
        """Bound the rounding of the field where the state or a block has moved by a distance."""
        longer = {key: directed(norm + distance * (key == name), 4) for key, norm in self.radii.items()}
        radius = directed(self.R + distance * (name == "x"), 4)
        return field_rounding(self.field, self.x.shape[-2], radius, longer, self.x.dtype)

    @property
    def constants(self) -> dict[str, Any]:
        """The constants but s_1."""
        names = {"rho_W1": "W1", "beta_1": "b1", "rho_W2": "W2", "beta_2": "b2"}
        shape = {"n": self.x.shape[-2], "R": self.R.numpy()}
        return shape | {symbol: self.radii[name].numpy() for symbol, name in names.items()}


@lru_cache(maxsize=4)
def perceptrons(descriptor: Descriptor) -> Perceptrons:
    """Return the MLPs of a descriptor."""
    batch, n, d, hidden, kind = (descriptor[name] for name in ("batch", "n", "d", "hidden", "kind"))
    generator, R, step = descriptor.generator("blocks"), descriptor["R"], descriptor["step"]
    noise = 1.0 if kind == "random" else descriptor["noise"]
    e, f, g = units(generator, batch, d), units(generator, batch, hidden), units(generator, batch, d)
    f = np.abs(f) if kind == "positive" else f
    lengths = {"W1": descriptor["inward"] / R, "W2": descriptor["outward"], "b1": descriptor["bias"], "b2": step}
    drawn = generator.normal(size=(2, batch, n, d)) / np.sqrt(d)
    state, way = e[:, None] + noise * drawn
    longer = R * generator.uniform(0.7, 0.999, (batch, 1, 1))
    state *= longer / np.linalg.norm(state, axis=-1).max(axis=1)[:, None, None]
    matrices = {name: near_rank_one(generator, noise, *way) for name, way in {"W1": (f, e), "W2": (g, f)}.items()}
    blocks = {name: lengths[name] * matrix for name, matrix in matrices.items()}
    blocks["b1"] = torch.from_numpy(lengths["b1"] * (f if kind == "positive" else units(generator, batch, hidden)))
    if kind == "steep":
        before = (blocks["W1"] @ torch.from_numpy(longer * e[:, None]).mT).squeeze(-1)
        blocks["b1"] = STEEPEST[descriptor["activation"]] - before
    blocks["b2"] = torch.from_numpy(lengths["b2"] * g)
    changes = {name: near_rank_one(generator, noise, *way) for name, way in {"W1": (f, e), "W2": (g, f)}.items()}
    changes["b1"] = torch.from_numpy(f)
    moved = {name: blocks[name] + step * lengths[name] * change for name, change in changes.items()}
    moved["x"] = torch.from_numpy(state + step * R * way).unsqueeze(1)
    radii = {name: torch.full((batch,), length_ / descriptor["fill"]) for name, length_ in lengths.items()}
    radii = {name: radius.to(torch.float64) for name, radius in radii.items()}
    radii["b1"] = blocks["b1"].norm(dim=-1) / descriptor["fill"]
    x = torch.from_numpy(state).unsqueeze(1)
    return Perceptrons(descriptor["activation"], x, blocks, radii, torch.full_like(radii["W1"], R), moved)


def whole(descriptor: Descriptor) -> tuple[Callable[[Tensor], Tensor], Tensor, Tensor, int]:
    """Return an MLP of whole numbers as a function of b2, b2 before and after a step along an axis, and n.

    Every number that occurs is whole and below 2^53, or a root of a square: nothing is rounded, and the quotient, which
    is its bound, can be decided.
    """
    batch, d, hidden, n = descriptor["batch"], descriptor["d"], descriptor["hidden"], descriptor["root"] ** 2
    generator = descriptor.generator("whole")

    def draw(*shape: int) -> Tensor:
        return torch.from_numpy(generator.integers(-9, 10, (batch, *shape)).astype(float))

    mlp = TransformerField(Layout(d, 0, 0, hidden), "relu")
    x, blocks = draw(1, n, d), {name: draw(*shape) for name, shape in mlp.layout.shapes.items()}
    after = blocks["b2"].clone()
    after[torch.arange(batch), torch.from_numpy(generator.integers(d, size=batch))] += 1 + draw().abs()
    return lambda b2: mlp(x, mlp.layout.pack({**blocks, "b2": b2})), blocks["b2"], after, n


def _gated(gate: Callable[[sp.Expr], sp.Expr]) -> Callable[[sp.Expr], sp.Expr]:
    return lambda a: a * (1 + gate(a)) / 2


SIGMA: dict[str, Callable[[sp.Expr], sp.Expr]] = {
    "tanh": sp.tanh,
    "gelu": _gated(lambda a: sp.erf(a / sp.sqrt(2))),
    "gelu-tanh": _gated(lambda a: sp.tanh(sp.sqrt(2 / sp.pi) * (a + sp.Rational("0.044715") * a**3))),
    "silu": _gated(lambda a: sp.tanh(a / 2)),
    "relu": lambda a: sp.Max(a, 0),
    "shifted": lambda a: a + 1,
}
"""Exact activations; `shifted` is Lipschitz, and not 0 at 0."""

GELU_STEEPEST = (1 + sp.erf(1)) / 2 + sp.exp(-1) / sp.sqrt(sp.pi)
SLOPES = {
    "tanh": sp.Integer(1), "gelu": GELU_STEEPEST, "gelu-tanh": sp.Rational("1.12899306867"),
    "silu": sp.Rational("1.09983932013"), "relu": sp.Integer(1), "shifted": sp.Integer(1),
}  # fmt: skip
"""Their largest slopes, rounded up."""


def slopes_at(points: Mapping[str, Any]) -> dict[str, Batch]:
    """Return exact slopes of activations at a point each, differentiated by sympy."""
    w = sp.Symbol("w")
    exact = {name: sp.Abs(sp.diff(SIGMA[name](w), w).subs(w, at)) for name, at in points.items()}
    return {name: Batch([found], [0], {}) for name, found in exact.items()}


def secant(v: int, w: int) -> dict[str, Batch]:
    """Return the exact quotient of ReLU between two numbers."""
    change = sp.Abs(SIGMA["relu"](sp.Integer(v)) - SIGMA["relu"](sp.Integer(w)))
    return {"relu": Batch([change / abs(v - w)], [0], {})}


@dataclass(frozen=True)
class Perceptron:
    """One MLP, exact, with the constants that are claimed.

    `moved` holds what the state and some blocks move to; constants that `claimed` does not name are the least true
    ones. `kinked` names the matrix that acts behind a kink, if one does.
    """

    x: Rows
    W1: Rows = ((1,),)
    b1: Rows = ((0,),)
    W2: Rows = ((1,),)
    b2: Rows = ((0,),)
    sigma: str = "relu"
    moved: Mapping[str, Rows] = field(default_factory=dict)
    claimed: Mapping[str, Any] = field(default_factory=dict)
    kinked: str = ""

    def part(self, name: str, **others: Rows) -> sp.Matrix:
        """Return the state or a block, biases as rows."""
        return sp.Matrix(others.get(name, getattr(self, name)))

    def hidden(self, **others: Rows) -> tuple[sp.Matrix, sp.Matrix]:
        """Return the hidden values before and after the activation."""
        x = self.part("x", **others)
        moved = acted(self.part("W1", **others), x, kinked=self.kinked == "W1")
        before = moved + sp.ones(x.rows, 1) * self.part("b1", **others)
        return before, before.applyfunc(SIGMA[self.sigma])

    def applied(self, **others: Rows) -> sp.Matrix:
        """Return the MLP, or with another state or block."""
        _, after = self.hidden(**others)
        outward = acted(self.part("W2", **others), after, kinked=self.kinked == "W2")
        return outward + sp.ones(after.rows, 1) * self.part("b2", **others)

    @property
    def true(self) -> dict[str, Any]:
        """The least constants that the MLP meets."""
        steepest = {self.kinked: STEEPEST_KINK}
        matrices = {f"rho_{name}": spectral(self.part(name)) * steepest.get(name, 1) for name in ("W1", "W2")}
        biases = {"beta_1": length(self.part("b1")), "beta_2": length(self.part("b2"))}
        shape = {"n": len(self.x), "R": longest(self.part("x"))}
        return {**shape, **matrices, **biases, "s_1": SLOPES[self.sigma]}

    @property
    def growths(self) -> dict[str, sp.Expr]:
        """How much longer W1 and W2 can make the longest token."""
        parts = {"rho_W1": (self.part("W1"), self.part("x").cols), "rho_W2": (self.part("W2"), self.part("b1").cols)}
        return {name: token_growth(block, width, spectral(block)) for name, (block, width) in parts.items()}

    @property
    def constants(self) -> dict[str, Any]:
        """The constants of the theorem's symbols."""
        return {**self.true, **self.claimed}

    def met(self) -> dict[str, bool]:
        """Say which assumptions the MLP meets."""
        symbols = {
            "inward-ball": "rho_W1", "outward-ball": "rho_W2", "first-bias-ball": "beta_1",
            "second-bias-ball": "beta_2", "activation-lipschitz": "s_1",
        }  # fmt: skip
        true, growths, constants = self.true, self.growths, self.constants
        met = {name: bool(true[symbol] <= constants[symbol]) for name, symbol in symbols.items()}
        tokens = {"inward-tokens": "rho_W1", "outward-tokens": "rho_W2"}
        met |= {name: bool(growths[symbol] <= constants[symbol]) for name, symbol in tokens.items()}
        before, after = self.hidden()
        met["activation-contracts"] = all(bool(abs(b) <= abs(a)) for a, b in zip(before, after, strict=True))
        return met

    def batches(self) -> dict[str, Batch]:
        """Return the longest output and the difference quotients in what moves, a batch of one each."""
        measured = {"size": longest(self.applied())}
        for claim, name in {**CLAIMS, "second-bias": "b2"}.items():
            if name in self.moved:
                other = {name: self.moved[name]}
                change = length(self.applied() - self.applied(**other))
                measured[claim] = change / length(self.part(name) - self.part(name, **other))
        return {name: Batch([found], np.zeros(1), self.constants) for name, found in measured.items()}
