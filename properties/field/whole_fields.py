"""Whole Transformer fields with two states and two controls each: generated batches, trained ones, and exact ones.

Extremal: equal tokens that every block carries longest one way (`equal`), opposite tokens under small scores
(`opposite`). `noise` leads from them to random fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from impl.constants import activation_slope, norms_rounded_up
from impl.field.layout import Layout
from impl.field.measured import longest, quotient, quotient_rounding, size
from impl.field.norms import VECTORS
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.rounding import directed, field_rounding, gamma
from properties import digits
from properties.checking import Batch
from properties.descriptor import Choice, Descriptor, Integer, Real, Space
from properties.descriptor import size as sizes
from properties.field import moving_heads as exact
from properties.field.moving_heads import Head, near_rank_one, tokens, units, visibility
from properties.field.operators import Rows
from properties.field.perceptrons import STEEPEST, Perceptron

PRODUCTS = {"rho_OV": ("rho_O", "rho_V"), "rho_A": ("rho_Q", "rho_K")}
BALLS = {
    "query-ball": "rho_Q", "key-ball": "rho_K", "value-ball": "rho_V", "output-ball": "rho_O", "score-ball": "rho_A",
    "transfer-ball": "rho_OV", "inward-ball": "rho_W1", "outward-ball": "rho_W2", "first-bias-ball": "beta_1",
    "second-bias-ball": "beta_2", "activation-lipschitz": "s_1",
}  # fmt: skip
"""The constant of every assumption that is about a ball."""
TOKENS = {
    "output-tokens": "rho_O", "transfer-tokens": "rho_OV", "inward-tokens": "rho_W1", "outward-tokens": "rho_W2",
}  # fmt: skip
"""Of every assumption about a ball that is read token by token."""
RADII = {
    "Q": "rho_Q", "K": "rho_K", "V": "rho_V", "O": "rho_O", "W1": "rho_W1", "b1": "beta_1", "W2": "rho_W2",
    "b2": "beta_2",
}  # fmt: skip
IMAGES = 8
FIELDS = Space(
    {
        "batch": Integer(24, 40),
        "activation": Choice(tuple(STEEPEST)),
        "parts": Choice(("both", "heads", "perceptron")),
        "tokens": Choice(("random", "equal", "opposite", "line")),
        "mask": Choice(("all", "causal", "random")),
        "heads": Integer(1, 4),
        "n": sizes(1, 4, 8, 16),
        "d": sizes(1, 4, 8, 16),
        "d_k": sizes(1, 4, 8, 16),
        "hidden": sizes(1, 4, 16, 32),
        "R": Real(0.1, 10.0, log=True),
        "score": Real(1e-3, 10.0, log=True),  # ‖Q‖‖K‖R²/√d_k
        "value": Real(0.1, 10.0, log=True),
        "inward": Real(0.01, 10.0, log=True),  # ‖W1‖R
        "bias": Real(0.01, 10.0, log=True),
        "outward": Real(0.1, 10.0, log=True),
        "noise": Real(1e-3, 1.0, log=True),
        "fill": Real(0.5, 0.999),  # norm over radius
        "step": Real(1e-3, 3.0, log=True),  # relative
    }
)


@dataclass(frozen=True, eq=False)
class Fields:
    """A batch of fields, each with two states and two controls of one class.

    Attributes
    ----------
    field : TransformerField
        The field.
    x, y : Tensor
        ``(batch, 1, n, d)`` states (State).
    theta, other : Tensor
        ``(batch, p)`` controls (Control).
    fill : float
        Norm over radius: rounding then leaves no instance undecided.
    """

    field: TransformerField
    x: Tensor
    y: Tensor
    theta: Tensor
    other: Tensor
    fill: float = 1.0

    @property
    def radius(self) -> Tensor:
        """Radius of the states."""
        found = torch.maximum(*(longest(lambda x: x, state) for state in (self.x, self.y)))
        return directed(found / self.fill, self.x.shape[-1] + 4)

    @property
    def norms(self) -> dict[str, Tensor]:
        """Radii of the balls of the blocks, which hold both controls."""
        both = [norms_rounded_up(self.field.layout, control) for control in (self.theta, self.other)]
        return {name: torch.from_numpy(np.maximum(*(n[name] for n in both))) / self.fill for name in both[0]}

    @property
    def values(self) -> dict[str, Any]:
        """The constants of the theorem's symbols."""
        layout, n = self.field.layout, self.x.shape[-2]
        norms = self.norms
        zero = np.zeros(len(self.x))
        blocks = {symbol: norms[name].numpy() if name in norms else zero for name, symbol in RADII.items()}
        if not layout.heads:
            blocks |= {RADII[name]: np.zeros((len(zero), 0)) for name in "QKVO"}
        whole = {"n": n, "heads": layout.heads, "d_k": max(layout.head_width, 1), "R": self.radius.numpy()}
        slope = activation_slope(self.field.sigma).value if layout.hidden else 0
        return {**whole, **blocks, "s_1": slope, **({} if layout.hidden else {"L_mlp": 0})}

    def batches(self) -> dict[str, Batch]:
        """Return what every claim measures."""
        n, d = self.x.shape[-2:]
        error = field_rounding(self.field, n, self.radius, self.norms, self.x.dtype)
        values = self.values

        def batch(found: Tensor, off: Tensor) -> Batch:
            return Batch(found.numpy(), off.numpy(), values)

        def at_state(x: Tensor) -> Tensor:
            return self.field(x, self.theta)

        def at_control(theta: Tensor) -> Tensor:
            return self.field(self.x, theta)

        whole, token = size(at_state, self.x), longest(at_state, self.x)
        states, controls = quotient(at_state, self.x, self.y), quotient(at_control, self.theta, self.other)
        apart = [(a - b).flatten(1).norm(dim=1) for a, b in ((self.x, self.y), (self.theta, self.other))]
        terms = (2 * n * d, n * d + self.theta.shape[-1])
        return {
            "bound": batch(whole, directed(error + whole * gamma(n * d + 2), 4)),
            "growth": batch(token, directed(error + token * gamma(d + 2), 4)),
            "state": batch(states, quotient_rounding(states, 2 * error, apart[0], terms[0])),
            "control": batch(controls, quotient_rounding(controls, 2 * error, apart[1], terms[1])),
        }


@lru_cache(maxsize=4)
def fields(descriptor: Descriptor) -> Fields:
    """Return the fields of a descriptor."""
    batch, n, d, d_k, R = (descriptor[name] for name in ("batch", "n", "d", "d_k", "R"))
    parts, generator = descriptor["parts"], descriptor.generator("blocks")
    layout = Layout(
        d,
        0 if parts == "perceptron" else descriptor["heads"],
        d_k,
        0 if parts == "heads" else descriptor["hidden"],
    )
    noise, score = descriptor["noise"], sqrt(descriptor["score"] * sqrt(d_k)) / R
    lengths = {"Q": score, "K": score, "V": descriptor["value"], "O": 1.0}
    lengths |= {"W1": descriptor["inward"] / R, "b1": descriptor["bias"], "W2": descriptor["outward"], "b2": 1.0}
    e, g = units(generator, batch, d), units(generator, batch, d)
    inner, hidden = units(generator, batch, layout.heads, d_k), np.abs(units(generator, batch, layout.hidden or 1))
    e_heads, g_heads = (np.repeat(unit[:, None], layout.heads, axis=1) for unit in (e, g))
    ways = dict.fromkeys("QKV", (inner, e_heads)) | {"O": (g_heads, inner)}
    ways |= {"W1": (hidden, e), "W2": (g, hidden)}
    vectors = {"b1": hidden, "b2": g}

    def drawn(name: str) -> Tensor:
        unit = torch.from_numpy(vectors[name]) if name in VECTORS else near_rank_one(generator, noise, *ways[name])
        return lengths[name] * unit

    blocks = {name: drawn(name) for name in layout.shapes}
    theta = layout.pack(blocks)
    other = layout.pack({name: block + descriptor["step"] * drawn(name) for name, block in blocks.items()})
    x = tokens(descriptor, e)
    way = np.sqrt(d) * e[:, None] + noise * generator.normal(size=(batch, n, d))
    y = x + descriptor["step"] * R / np.sqrt(d) * torch.from_numpy(way).unsqueeze(1)
    visible = visibility(descriptor["mask"], n, descriptor.generator("mask"))
    return Fields(
        TransformerField(layout, descriptor["activation"], mask=visible), x, y, theta, other, descriptor["fill"]
    )


def trained_fields() -> list[Fields]:
    """Return the trained Transformers' layers on test images, next to the following image and the following layer."""
    found = []
    for net in digits.both():
        recipe, images = net.recipe, net.inputs[-IMAGES:]
        states = transformer(net.field, net.layers, None, images, recipe.K, recipe.T, record="all")[:-1]
        theta, other = (each.repeat_interleave(IMAGES, dim=0) for each in (net.layers, net.layers.roll(-1, 0)))
        x, y = (each.flatten(0, 1).unsqueeze(1) for each in (states, states.roll(-1, 1)))
        found.append(Fields(net.field, x, y, theta, other))
    return found


@dataclass(frozen=True)
class Whole:
    """One exact field: heads and a perceptron on one state; what the state, and the control, move to.

    Constants that `claimed` does not name are the least true ones of both ends. A claimed constant of a product
    replaces those of its factors.
    """

    heads: tuple[Head, ...] = ()
    mlp: Perceptron | None = None
    y: Rows = ()
    other: "Whole | None" = None
    claimed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Head | Perceptron, ...]:
        """Heads and perceptron."""
        return (*self.heads, *(() if self.mlp is None else (self.mlp,)))

    def at(self, x: Rows) -> "Whole":
        """Return the field at another state."""
        mlp = None if self.mlp is None else replace(self.mlp, x=x)
        return replace(self, heads=tuple(replace(head, x=x) for head in self.heads), mlp=mlp)

    def applied(self) -> sp.Matrix:
        """Return F(x; ϑ)."""
        first, *rest = (part.applied() for part in self.parts)
        return sum(rest, first)

    def blocks(self) -> list[sp.Matrix]:
        """Return all blocks of the control."""
        of_heads = [head.block(name) for head in self.heads for name in "QKVO"]
        return of_heads + ([] if self.mlp is None else [self.mlp.part(name) for name in ("W1", "b1", "W2", "b2")])

    @property
    def true(self) -> dict[str, Any]:
        """The least constants that the field meets at both states and both controls."""
        ends = [self] if self.other is None else [self, self.other]
        states = [self.parts[0].x, *([self.y] if self.y else [])]
        found: dict[str, Any] = {"heads": len(self.heads), "n": len(states[0])}
        found["R"] = sp.Max(*(exact.longest(sp.Matrix(x)) for x in states))
        found["d_k"] = len(self.heads[0].Q) if self.heads else 1
        for name in ("rho_Q", "rho_K", "rho_V", "rho_O", "rho_OV"):
            found[name] = [sp.Max(*(end.heads[h].true[name] for end in ends)) for h in range(len(self.heads))]
        found["rho_A"] = [q * k / sp.sqrt(found["d_k"]) for q, k in zip(found["rho_Q"], found["rho_K"], strict=True)]
        mlps = [end.mlp.true for end in ends if end.mlp is not None]
        for name in ("rho_W1", "beta_1", "rho_W2", "beta_2", "s_1"):
            found[name] = sp.Max(*(each[name] for each in mlps)) if mlps else sp.Integer(0)
        return found

    @property
    def growths(self) -> dict[str, Any]:
        """How much longer blocks can make the longest token, at both controls."""
        ends = [self] if self.other is None else [self, self.other]
        found: dict[str, Any] = {
            name: [sp.Max(*(end.heads[h].growths[name] for end in ends)) for h in range(len(self.heads))]
            for name in ("rho_O", "rho_OV")
        }
        mlps = [end.mlp.growths for end in ends if end.mlp is not None]
        of_mlp = {name: sp.Max(0, *(each[name] for each in mlps)) for name in ("rho_W1", "rho_W2")}
        return found | of_mlp

    @property
    def held(self) -> dict[str, Any]:
        """The constants of all balls; that of OV is the product unless it is claimed."""
        held = {**self.true, **self.claimed}
        product = [o * v for o, v in zip(held["rho_O"], held["rho_V"], strict=True)]
        return {**held, "rho_OV": self.claimed.get("rho_OV", product)}

    @property
    def constants(self) -> dict[str, Any]:
        """The constants of the theorem's symbols."""
        dropped = {
            name
            for product, factors in PRODUCTS.items()
            for name in (factors if product in self.claimed else (product,))
        }
        return {name: value for name, value in self.held.items() if name not in dropped}

    def met(self) -> dict[str, bool]:
        """Say which assumptions the field meets."""
        met = {"visible-key": True, "activation-contracts": self.mlp is None or self.mlp.met()["activation-contracts"]}
        for names, own in ((BALLS, self.true), (TOKENS, self.growths)):
            for name, symbol in names.items():
                ours, theirs = (sp.flatten([each[symbol]]) for each in (own, self.held))
                met[name] = all(bool(a <= b) for a, b in zip(ours, theirs, strict=True))
        return met

    def batches(self, *claims: str, **derived: Any) -> dict[str, Batch]:
        """Return what claims measure (all of them by default), a batch of one each.

        `derived` are constants of derived symbols, given so that they are taken as they are.
        """
        here = self.applied()
        measured = {"bound": exact.length(here), "growth": exact.longest(here)}
        if self.y:
            apart = exact.length(sp.Matrix(self.parts[0].x) - sp.Matrix(self.y))
            measured["state"] = exact.length(here - self.at(self.y).applied()) / apart
        if self.other is not None:
            pairs = zip(self.blocks(), self.other.blocks(), strict=True)
            moved = sp.sqrt(sum((exact.length(a - b) ** 2 for a, b in pairs), sp.Integer(0)))
            measured["control"] = exact.length(here - self.other.applied()) / moved
        values = {
            name: [value] if isinstance(value, list) else value for name, value in {**self.constants, **derived}.items()
        }
        return {name: Batch([measured[name]], np.zeros(1), values) for name in claims or measured}
