"""One head of attention and what its blocks move to: generated batches near its extremal instances, and exact ones.

Extremal: opposite tokens ±Re under scores near 0 (Q and K), equal tokens (V and O). `noise` leads from them to random
heads; blocks are shorter than their balls' radii, and tokens than R, so that rounding leaves no instance undecided.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
import torch
from torch import Tensor

from impl.constants import norms_rounded_up
from impl.field.attention import causal
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.rounding import directed, field_rounding
from properties import digits
from properties.checking import Batch
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.field.operators import STEEPEST, Rows, acted, joined, token_growth

Floats = npt.NDArray[np.float64]
BLOCKS = ("Q", "K", "V", "O")
CLAIMS = {"query": "Q", "key": "K", "value": "V", "output": "O"}
IMAGES = 32
BALLS = {"query-ball": "Q", "key-ball": "K", "value-ball": "V", "output-ball": "O"}
HEADS = Space(
    {
        "batch": Integer(24, 40),
        "tokens": Choice(("random", "equal", "opposite", "line")),
        "mask": Choice(("all", "causal", "random")),
        "radii": Choice(("factors", "product")),
        "n": size(1, 4, 8, 16),
        "d": size(1, 4, 8, 16),
        "d_k": size(1, 4, 8, 16),
        "R": Real(0.1, 10.0, log=True),
        "score": Real(1e-3, 10.0, log=True),  # ‖Q‖‖K‖R²/√d_k
        "key": Real(0.1, 10.0, log=True),
        "value": Real(0.1, 10.0, log=True),
        "output": Real(0.1, 10.0, log=True),
        "noise": Real(1e-3, 1.0, log=True),
        "fill": Real(0.5, 0.999),  # norm over radius
        "step": Real(1e-3, 3.0, log=True),  # of the scores for Q and K, of V and O relatively
    }
)


@dataclass(frozen=True, eq=False)
class Heads:
    """A batch of heads on states.

    Attributes
    ----------
    x : Tensor
        ``(batch, particles, n, d)`` states with tokens no longer than R (State).
    visible : Tensor or None
        Visible keys.
    blocks : dict
        ``Q, K, V`` ``(batch, 1, d_k, d)`` and ``O`` ``(batch, 1, d, d_k)``.
    radii : dict
        Radius of every block's ball, and ``OV`` of the product's.
    R : Tensor
        Radius of the states.
    moved : dict
        What each block moves to.
    product : bool
        Whether O and V are known by their product only, where Q and K move.
    """

    x: Tensor
    visible: Tensor | None
    blocks: Mapping[str, Tensor]
    radii: Mapping[str, Tensor]
    R: Tensor
    moved: Mapping[str, Tensor] = field(default_factory=dict)
    product: bool = False

    @property
    def field(self) -> TransformerField:
        """The head as a field."""
        d_k, d = self.blocks["Q"].shape[-2:]
        return TransformerField(Layout(d, 1, d_k, 0), mask=self.visible)

    def applied(self, name: str, block: Tensor) -> Tensor:
        """Return the field's values with another block."""
        return self.field(self.x, self.field.layout.pack({**self.blocks, name: block}))

    def rounding(self, **norms: Tensor) -> Tensor:
        """Bound the rounding of the field, or with other norms of some blocks."""
        known = {name: norms.get(name, self.radii[name]).unsqueeze(-1) for name in BLOCKS}
        return field_rounding(self.field, self.x.shape[-2], self.R, known, self.x.dtype)

    def values(self, claim: str) -> dict[str, Any]:
        """Return the constants of a claim: the radii of O and V, or only that of OV where Q and K move."""
        together = self.product and claim in ("query", "key")
        names = ("Q", "K", "OV") if together else BLOCKS
        n, d_k = self.x.shape[-2], self.blocks["Q"].shape[-2]
        shape = {"n": n, "d_k": d_k, "R": self.R.numpy()}
        return shape | {f"rho_{name}": self.radii[name].numpy() for name in names}


def units(generator: np.random.Generator, *shape: int) -> Floats:
    """Return random unit vectors (last dimension)."""
    drawn = generator.normal(size=shape)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=-1, keepdims=True))


def near_rank_one(generator: np.random.Generator, noise: float, left: Floats, right: Floats) -> Tensor:
    """Return matrices ``left rightᵀ`` with a share of noise, of spectral norm 1."""
    outer = left[..., :, None] * right[..., None, :]
    drawn = generator.normal(size=outer.shape) / np.sqrt(max(outer.shape[-2:]))
    mixed = (1 - noise) * outer + noise * drawn
    return torch.from_numpy(mixed / np.linalg.norm(mixed, 2, axis=(-2, -1), keepdims=True))


def visibility(kind: str, n: int, generator: np.random.Generator) -> Tensor | None:
    """Return a mask under which every query sees a key; a random one hides none to all of the others."""
    one = torch.from_numpy(generator.integers(n, size=n)[:, None] == np.arange(n))
    others = torch.from_numpy(generator.random((n, n)) < generator.random())
    return {"all": None, "causal": causal(n), "random": one | others}[kind]


def tokens(descriptor: Descriptor, e: Floats) -> Tensor:
    """Return states ``(batch, 1, n, d)`` whose longest tokens are a little shorter than R, along e but for noise."""
    batch, n, d = (descriptor[name] for name in ("batch", "n", "d"))
    generator, kind = descriptor.generator("tokens"), descriptor["tokens"]
    drawn = generator.normal(size=(batch, n, d)) / sqrt(d)
    along = {
        "random": np.zeros((batch, n)),
        "equal": np.ones((batch, n)),
        "opposite": (-1.0) ** np.arange(n) * np.ones((batch, 1)),
        "line": generator.uniform(-1, 1, (batch, n)),
    }[kind]
    state = along[..., None] * e[:, None] + (1.0 if kind == "random" else descriptor["noise"]) * drawn
    lengths = descriptor["R"] * generator.uniform(0.7, 0.999, (batch, 1, 1))
    state *= lengths / np.linalg.norm(state, axis=-1).max(axis=1)[:, None, None]
    return torch.from_numpy(state).unsqueeze(1)


@lru_cache(maxsize=4)
def heads(descriptor: Descriptor) -> Heads:
    """Return the heads of a descriptor."""
    batch, d, d_k, R, noise = (descriptor[name] for name in ("batch", "d", "d_k", "R", "noise"))
    generator = descriptor.generator("blocks")
    e, f, g = units(generator, batch, d), units(generator, batch, d_k), units(generator, batch, d)
    ways = {"Q": (f * generator.choice((-1.0, 1.0), (batch, 1)), e), "K": (f, e), "V": (f, e), "O": (g, f)}
    query = descriptor["score"] * sqrt(d_k) / (descriptor["key"] * R**2)
    lengths = {"Q": query, "K": descriptor["key"], "V": descriptor["value"], "O": descriptor["output"]}
    step = descriptor["step"]
    reach = step * sqrt(d_k) / R**2
    steps = {"Q": reach / lengths["K"], "K": reach / lengths["Q"], "V": step * lengths["V"], "O": step * lengths["O"]}
    blocks, moved = {}, {}
    for name in BLOCKS:
        block, change = (near_rank_one(generator, noise, *ways[name]).unsqueeze(1) for _ in range(2))
        blocks[name] = lengths[name] * block
        moved[name] = blocks[name] + steps[name] * change
    radii = {name: torch.full((batch,), lengths[name] / descriptor["fill"], dtype=torch.float64) for name in BLOCKS}
    radii["OV"] = torch.linalg.matrix_norm(blocks["O"] @ blocks["V"], 2).squeeze(1) / descriptor["fill"]
    visible = visibility(descriptor["mask"], descriptor["n"], descriptor.generator("mask"))
    x, product = tokens(descriptor, e), descriptor["radii"] == "product"
    return Heads(x, visible, blocks, radii, torch.full_like(radii["V"], R), moved, product)


def trained_heads() -> list[Heads]:
    """Return the heads of the trained Transformers on some test images; blocks move to those of the next layer."""
    out = []
    for net in digits.both():
        recipe, images = net.recipe, net.inputs[-IMAGES:]
        states = transformer(net.field, net.layers, None, images, recipe.K, recipe.T, record="all")[:-1]
        R = states.norm(dim=-1).amax((1, 2))
        layers = {name: block for name, block in net.field.layout.unpack(net.layers).items() if name in BLOCKS}
        norms = norms_rounded_up(net.field.layout, net.layers)

        def per_image(block: Tensor, heads: int = recipe.heads) -> Tensor:
            whole = block if block.ndim > 1 else block[:, None].expand(-1, heads)
            return whole.flatten(0, 1).repeat_interleave(IMAGES, dim=0)

        blocks = {name: per_image(block).unsqueeze(1) for name, block in layers.items()}
        moved = {name: per_image(block.roll(-1, 0)).unsqueeze(1) for name, block in layers.items()}
        x = states.repeat_interleave(recipe.heads, dim=0).flatten(0, 1).unsqueeze(1)
        radii = {name: per_image(torch.from_numpy(norms[name])) for name in (*BLOCKS, "OV")}
        out.append(Heads(x, None, blocks, radii, per_image(directed(R, recipe.width + 2)), moved))
    return out


@dataclass(frozen=True)
class Head:
    """One head, exact, with the constants that are claimed.

    Without O it is the identity; it may act behind a kink. `moved` holds what some blocks move to; constants that
    `claimed` does not name are the least true ones.
    """

    x: Rows
    Q: Rows = ((0,),)
    K: Rows = ((0,),)
    V: Rows = ((1,),)
    O: Rows = ()  # noqa: E741 - the block's name
    visible: Rows = ()
    moved: Mapping[str, Rows] = field(default_factory=dict)
    claimed: Mapping[str, Any] = field(default_factory=dict)
    kinked: bool = False

    def block(self, name: str, **others: Rows) -> sp.Matrix:
        """Return a block, as it is or as it is moved."""
        rows = others.get(name, getattr(self, name))
        return sp.Matrix(rows) if rows else sp.eye(len(self.V))

    def means(self, **others: Rows) -> sp.Matrix:
        """Return the softmax means, or with other blocks."""
        x, query, key = sp.Matrix(self.x), *(self.block(name, **others) for name in "QK")
        scores = (x * query.T) * (x * key.T).T / sp.sqrt(query.rows)
        seen = sp.Matrix(self.visible) if self.visible else sp.ones(x.rows, x.rows)
        weights = scores.applyfunc(sp.exp).multiply_elementwise(seen)
        return sp.Matrix.vstack(*(weights.row(i) * x / sum(weights.row(i)) for i in range(x.rows)))

    def values(self, **others: Rows) -> sp.Matrix:
        """Return the means' values."""
        return self.means(**others) * self.block("V", **others).T

    def applied(self, **others: Rows) -> sp.Matrix:
        """Return the head, or with other blocks."""
        return acted(self.block("O", **others), self.values(**others), kinked=self.kinked)

    @property
    def true(self) -> dict[str, Any]:
        """The least constants that the head meets."""
        steepest = STEEPEST if self.kinked else 1
        sizes = {f"rho_{name}": spectral(self.block(name)) * (steepest if name == "O" else 1) for name in BLOCKS}
        shape = {"n": len(self.x), "d_k": len(self.Q), "R": longest(sp.Matrix(self.x))}
        return {**shape, **sizes, "rho_OV": steepest * spectral(joined(self.block("O"), self.block("V")))}

    @property
    def growths(self) -> dict[str, sp.Expr]:
        """How much longer O and the product OV can make the longest token."""
        O, V = self.block("O"), self.block("V")  # noqa: E741 - the block's name
        blocks = {"rho_O": (O, V.rows), "rho_OV": (joined(O, V), V.cols)}
        return {name: token_growth(block, width, spectral(block)) for name, (block, width) in blocks.items()}

    @property
    def held(self) -> dict[str, Any]:
        """The constants of all balls; that of OV is the product unless it is claimed."""
        held = {**self.true, **self.claimed}
        return {**held, "rho_OV": self.claimed.get("rho_OV", held["rho_O"] * held["rho_V"])}

    def constants(self, claim: str) -> dict[str, Any]:
        """Return the constants of a claim."""
        together = "rho_OV" in self.claimed and claim in ("query", "key")
        dropped = ("rho_O", "rho_V") if together else ("rho_OV",)
        return {name: value for name, value in self.held.items() if name not in dropped}

    def met(self) -> dict[str, bool]:
        """Say which assumptions the head meets."""
        met = {name: bool(self.true[f"rho_{b}"] <= self.held[f"rho_{b}"]) for name, b in BALLS.items()}
        met["output-tokens"] = bool(self.growths["rho_O"] <= self.held["rho_O"])
        met["transfer-ball"] = bool(self.true["rho_OV"] <= self.held["rho_OV"])
        met["visible-key"] = all(any(row) for row in self.visible)
        return met

    def sizes(self) -> dict[str, Batch]:
        """Return the longest value and the longest mean, a batch of one each."""
        measured = {"attention": longest(self.values()), "mixing": longest(self.means())}
        values = {"R": self.held["R"], "rho_V": self.held["rho_V"]}
        return {name: Batch([found], np.zeros(1), values) for name, found in measured.items()}

    def quotients(self) -> dict[str, Batch]:
        """Return the largest score, the longest token and the quotients in what moves, a batch of one each."""
        x = sp.Matrix(self.x)
        scores = (x * self.block("Q").T) * (x * self.block("K").T).T / sp.sqrt(len(self.Q))
        sizes = {"scores": sp.Max(*map(abs, scores)), "head": longest(self.applied())}
        out = {claim: Batch([found], np.zeros(1), self.constants(claim)) for claim, found in sizes.items()}
        for claim, name in CLAIMS.items():
            if name in self.moved:
                other = {name: self.moved[name]}
                change = length(self.applied() - self.applied(**other))
                quotient = change / length(self.block(name) - self.block(name, **other))
                out[claim] = Batch([quotient], np.zeros(1), self.constants(claim))
        return out


def length(a: sp.Matrix) -> sp.Expr:
    """Return the Euclidean norm over all entries."""
    return sp.sqrt(sum((entry**2 for entry in a), sp.Integer(0)))


def longest(state: sp.Matrix) -> sp.Expr:
    """Return the norm of the longest token."""
    return sp.Max(*(length(state.row(i)) for i in range(state.rows)))


def spectral(block: sp.Matrix) -> sp.Expr:
    """Return the spectral norm of an exact matrix."""
    gram = block * block.T if block.rows <= block.cols else block.T * block
    return sp.sqrt(sp.Max(*gram.eigenvals()))
