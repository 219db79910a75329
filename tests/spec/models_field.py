"""The field's objects as `impl` computes them, at random states and controls: tokens, heads, perceptron, normalisation.

Numbers that float64 computed enter with `ROUNDING`: each passes through at most 400 operations on terms of size at
most `LARGE`, so that it errs by at most γ_400 · LARGE (`impl.rounding`); sizes are asserted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any

import numpy as np
import torch
from flint import arb
from numeric import Instance, Undefined, enclosing, index, size, vector

from impl.field.attention import attention_first, causal
from impl.field.layout import Layout
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.rounding import gamma

n, d, HEADS, HIDDEN, LARGE = 3, 2, 2, 3, 64.0
LAYOUT = Layout(d, HEADS, d, HIDDEN)
ROUNDING = gamma(400) * LARGE
MATRICES = ("Q", "K", "V", "O")
RADII = {
    "Q": "rho_Q",
    "K": "rho_K",
    "V": "rho_V",
    "O": "rho_O",
    "W1": "rho_W1",
    "b1": "beta_1",
    "W2": "rho_W2",
    "b2": "beta_2",
}


class Block(np.ndarray):  # type: ignore[type-arg]
    """A matrix or a vector that knows which block it is."""

    kind: str


def block(kind: str, entries: Any) -> Block:
    made = vector(entries).view(Block)
    made.kind = kind
    return made


def floats(v: Any) -> torch.Tensor:
    """Return the middles of balls: exact where the balls are."""
    flat = [float(arb(x).mid()) for x in np.asarray(v, dtype=object).ravel()]
    return torch.tensor(flat, dtype=torch.float64).reshape(np.shape(v))


def remembered(of: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a function of vectors and indices gave."""
    known: dict[Any, Any] = {}

    @wraps(of)
    def asked(*args: Any) -> Any:
        key = tuple((np.shape(a), floats(a).numpy().tobytes()) for a in args)
        if key not in known:
            known[key] = of(*args)
        return known[key]

    return asked


def computed(values: torch.Tensor) -> Any:
    assert float(values.abs().max()) <= LARGE
    return enclosing(values.numpy(), ROUNDING)


def token(x: Any, i: Any) -> Any:
    if not 0 <= index(i) < len(x):
        raise Undefined("no such token")
    return x[index(i) : index(i) + 1]


def at_tokens(matrix: Any, x: Any) -> Any:
    """Return a matrix times every token."""
    return np.asarray(x) @ np.asarray(matrix).T


def qk(x: Any, Q: Any, K: Any) -> tuple[torch.Tensor, torch.Tensor]:
    state = floats(x)
    return state @ floats(Q).T, state @ floats(K).T


MASK = causal(n).T


def mixed(state: torch.Tensor, Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return attention_first((state @ Q.T)[None], (state @ K.T)[None], state[None], MASK[None])[0]


@remembered
def mix(x: Any, Q: Any, K: Any) -> Any:
    return computed(mixed(floats(x), floats(Q), floats(K)))


@remembered
def mix_slope(x: Any, Q: Any, K: Any, step: Any) -> Any:
    _, slope = torch.autograd.functional.jvp(lambda s: mixed(s, floats(Q), floats(K)), floats(x), floats(step))
    return computed(slope)


@remembered
def attends(x: Any, Q: Any, K: Any, i: Any, j: Any) -> Any:
    """Mix the unit vectors: what comes out are the weights."""
    queries, keys = qk(x, Q, K)
    weights = attention_first(queries[None], keys[None], torch.eye(n, dtype=torch.float64)[None], MASK[None])[0]
    if max(index(i), index(j)) >= n:
        raise Undefined("no such token")
    return computed(weights)[index(i), index(j)]


def sought(x: Any, Q: Any, K: Any, i: Any) -> Any:
    return at_tokens(np.asarray(K).T, at_tokens(Q, token(x, i))) / arb(d).sqrt()


def heading(v: Any) -> Any:
    length = size(v)
    return np.asarray(v) / length if length > 0 else vector([[1.0] + [0.0] * (np.shape(v)[1] - 1)])


def led(x: Any, Q: Any, K: Any, step: Any, i: int) -> Any:
    """Return what the other tokens move row i by, as the leader is chosen."""
    slope, rows = mix_slope(x, Q, K, step), mix(x, Q, K)
    way, total = heading(slope[i : i + 1]), arb(0)
    for j in range(n):
        offset = (way * (x[j : j + 1] - rows[i : i + 1])).sum()
        total += attends(x, Q, K, i, j) * size(way + offset * sought(x, Q, K, i)) * size(step[j : j + 1])
    return total


def greatest(values: list[Any]) -> Any:
    return arb(max(range(len(values)), key=lambda i: float(values[i].mid())))


@remembered
def leader_of(x: Any, Q: Any, K: Any, step: Any) -> Any:
    return greatest([led(x, Q, K, step, i) for i in range(n)])


# Controls: packed vectors, read by the layout.
def block_of(name: str) -> Any:
    def read(theta: Any, head: Any = 0) -> Block:
        entries = theta[0, LAYOUT.slices[name]].reshape(LAYOUT.shapes[name])
        if name not in MATRICES:
            return block(name, entries.reshape(1, -1) if entries.ndim == 1 else entries)
        if not 0 <= index(head) < HEADS:
            raise Undefined("no such head")
        return block(name, entries[index(head)])

    return read


def length(kind: str, entries: Any) -> Any:
    """Return the norm that a block's ball is of: spectral, Euclidean for biases."""
    return size(entries) if kind in ("b1", "b2") else arb(float(torch.linalg.matrix_norm(floats(entries), 2)))


def norms(theta: Any) -> dict[str, torch.Tensor]:
    return block_norms(LAYOUT, floats(theta)[0], products=False)


@dataclass(frozen=True)
class Class:
    """A class of controls: the radius of every block's ball."""

    radii: dict[str, Any]

    def ball(self, entries: Block, head: Any) -> Any:
        return length(entries.kind, entries) / self.radii[RADII[entries.kind]][index(head)]

    def gauge(self, v: Any) -> Any:
        if isinstance(v, Block):
            return length(v.kind, v) / self.radii[RADII[v.kind]]
        parts = [length(name, block_of(name)(v)) / self.radii[RADII[name]] for name in ("W1", "b1", "W2", "b2")]
        parts += [self.ball(block_of(name)(v, h), h) for name in MATRICES for h in range(HEADS)]
        top = parts[0]
        for part in parts[1:]:
            top = top.max(part)
        return top


@lru_cache(maxsize=4)
def field_of(heads: int) -> TransformerField:
    return TransformerField(Layout(d, heads, d if heads else 0, HIDDEN), "tanh", MASK.T)


def assembled(x: Any, theta: Any, heads: Any) -> Any:
    """Evaluate the field with its first heads alone."""
    if not 0 <= index(heads) <= HEADS:
        raise Undefined("no such number of heads")
    blocks = LAYOUT.unpack(floats(theta)[0])
    kept = {k: v[: index(heads)] if k in MATRICES else v for k, v in blocks.items()}
    field = field_of(index(heads))
    return computed(field(floats(x)[None], field.layout.pack({k: kept[k] for k in field.layout.shapes})[None])[0])


def sigma(z: Any) -> Any:
    """Apply the field's activation; |σ'| <= 1 carries the argument's radius over."""
    slack = max(float(arb(x).rad()) for x in np.ravel(z))
    return enclosing(field_of(0).sigma(floats(z)).numpy(), ROUNDING + slack)


def spread(bias: Any) -> Any:
    return np.repeat(np.asarray(bias).reshape(1, -1), n, axis=0)


OBJECTS: dict[str, Any] = {
    "n": arb(n),
    "d": arb(d),
    "d_k": arb(d),
    "heads": arb(HEADS),
    "token": token,
    "longest": lambda x: greatest([size(row) for row in x]),
    "query": at_tokens,
    "key": at_tokens,
    "visible": lambda i, j: arb(int(MASK.T[index(i), index(j)])) if index(i) < n > index(j) else arb(0),
    "mix": mix,
    "mix_slope": mix_slope,
    "attends": attends,
    "sought": sought,
    "heading": heading,
    "leader": leader_of,
    "value": at_tokens,
    "output": at_tokens,
    "inward": at_tokens,
    "outward": at_tokens,
    "sigma": sigma,
    "spread_1": spread,
    "spread_2": spread,
    "assembled": assembled,
    "F": lambda x, v: assembled(x, v, HEADS),
    **{f"block_{name}": block_of(name) for name in LAYOUT.shapes},
}


def field_model(seed: int) -> Instance:
    """Return states, matrices and controls; in every control another block comes nearest to its ball."""
    g = np.random.Generator(np.random.Philox(key=seed))
    draw = {
        k: block(k, g.normal(size=LAYOUT.shapes[k][-2:] if k in MATRICES else s if len(s) > 1 else (1, *s)))
        for k, s in LAYOUT.shapes.items()
    }
    other = {k: block(k, g.normal(size=np.shape(b))) for k, b in draw.items()}
    nearly = {
        k: block(k, np.asarray(b) - np.outer(g.normal(size=b.shape[0]), np.ones(b.shape[1])))
        if k in "QKVO" or k.startswith("W")
        else b
        for k, b in draw.items()
    }
    radii = {
        r: [arb(float(x)) for x in g.uniform(1, 2, HEADS)] if k in MATRICES else arb(float(g.uniform(1, 2)))
        for k, r in RADII.items()
    }
    controls = [vector(g.normal(size=(1, LAYOUT.parameter_count)) / 2) for _ in range(2)]
    for name, part in LAYOUT.slices.items():
        width = (part.stop - part.start) // (HEADS if name in MATRICES else 1)
        for first in range(part.start, part.stop, width):
            raised = controls[0].copy()
            raised[0, first : first + width] = raised[0, first : first + width] * 8
            controls.append(raised)
    states = [vector(g.normal(size=(n, d))), vector(np.ones((n, d))), vector([[1, 2]] + [[0, 0]] * (n - 1))]
    values = {**OBJECTS, **radii, "gauge": Class(radii).gauge, "ball": Class(radii).ball}
    hidden = [vector(g.normal(size=(n, HIDDEN))), vector(np.ones((n, HIDDEN)))]
    runs: dict[str, Any] = {
        "x": states,
        "y": states[:2],
        "base": states[:1],
        "direction": [vector(g.normal(size=(n, d)))],
        "i": range(n),
        "j": range(n),
        "h": range(HEADS),
        "omega": [vector(g.normal(size=(1, d)))],
        "vartheta": controls,
        "varphi": controls[:2],
        "hid": hidden,
        "hid_alt": hidden[:1],
    }
    for k in LAYOUT.shapes:
        short = f"{k}_vec" if k.startswith("b") else f"{k}_mat"
        runs[short], runs[short.split("_")[0] + "_alt"] = [draw[k]], [other[k], nearly[k]]
    return Instance(values, runs)
