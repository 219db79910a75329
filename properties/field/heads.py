"""Heads of attention for properties: generated ones near the extremal families, and exact ones with their norms.

Families: opposite tokens whose queries look across or along, equal tokens, one token against the others.
"""

from fractions import Fraction
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import sympy as sp
import torch
from torch import Tensor

from impl.field.norms import spectral
from impl.rounding import directed, singular_value_rounding
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.field.search import all_visible, causal, random_mask

Floats = npt.NDArray[np.float64]
Exact: TypeAlias = "int | Fraction | sp.Expr"
SPACE = Space(
    {
        "batch": Integer(24, 40),
        "family": Choice(("random", "crossed", "saturated", "equal", "alone")),
        "mask": Choice(("all", "causal", "first", "one", "random")),
        "n": size(1, 5, 8, 16),
        "d": size(1, 4, 8, 16),
        "d_k": size(1, 4, 8, 16),
        "s": Real(0.01, 30.0, log=True),
        "R": Real(0.1, 10.0, log=True),
        "rho_V": Real(0.1, 10.0, log=True),
        "skew": Real(0.1, 10.0, log=True),  # ρ_Q/ρ_K, in units of 1/R
        "noise": Real(0.001, 1.0, log=True),
        "step": Real(1e-4, 1.0, log=True),
    }
)


def _unit_tokens(descriptor: Descriptor) -> tuple[Floats, Floats]:
    """Return tokens in the unit ball and score forms, near a family: (batch, n, d) and (batch, d, d)."""
    batch, n, d = (descriptor[name] for name in ("batch", "n", "d"))
    generator, noise = descriptor.generator("tokens"), descriptor["noise"]
    e, f = np.eye(d)[0], np.eye(d)[min(1, d - 1)]
    signs = (-1.0) ** np.arange(n)[:, None]
    alone = np.where(np.arange(n)[:, None] == 0, 1.0, -1.0)
    across = np.outer(e, f) + np.outer(f, e)
    x, form = {
        "random": (0 * signs * e, 0 * across),
        "crossed": (signs * e, across),
        "saturated": (signs * e, np.outer(e, e)),
        "equal": (np.ones((n, 1)) * e, np.outer(e, e)),
        "alone": (alone * e, -np.outer(e, e)),
    }[descriptor["family"]]
    share = 1.0 if descriptor["family"] == "random" else noise
    tokens = x + share * generator.normal(size=(batch, n, d))
    tokens /= np.maximum(np.linalg.norm(tokens, axis=-1, keepdims=True), 1.0)
    return tokens, form + share * generator.normal(size=(batch, d, d))


def head(descriptor: Descriptor) -> tuple[Tensor, ...]:
    """Return states, Q, K, V: QᵀK has the scores' form, cut to rank d_k, with ρ_Qρ_K = √d_k ρ_A; V is an isometry."""
    x, form = _unit_tokens(descriptor)
    d, k, generator = descriptor["d"], descriptor["d_k"], descriptor.generator("blocks")
    left, values, right = np.linalg.svd(form)
    rank = min(d, k)
    scale = sqrt(descriptor["s"] * sqrt(k)) / descriptor["R"]
    query, key = np.zeros((2, descriptor["batch"], k, d))
    query[:, :rank] = scale * descriptor["skew"] * (left * (values / values[:, :1])[:, None]).swapaxes(1, 2)[:, :rank]
    key[:, :rank] = scale / descriptor["skew"] * right[:, :rank]
    value = descriptor["rho_V"] * np.linalg.qr(generator.normal(size=(descriptor["batch"], d, d)))[0]
    return tuple(map(torch.from_numpy, (descriptor["R"] * x, query, key, value)))


def visible(descriptor: Descriptor) -> Tensor:
    """Return who sees whom: everybody, earlier tokens, the first ones, the first one, fair coins."""
    n = descriptor["n"]
    match descriptor["mask"]:
        case "all":
            return all_visible(n)
        case "causal":
            return causal(n)
        case "random":
            return random_mask(n, descriptor.seed)
    seen = 1 if descriptor["mask"] == "one" else (n + 1) // 2
    return (torch.arange(n) < seen).expand(n, n)


def radius(*states: Tensor) -> Floats:
    """Return the longest token of every state, rounded up."""
    longest = torch.stack([state.norm(dim=-1).amax(-1) for state in states]).amax(0)
    return np.asarray(directed(longest, states[0].shape[-1] + 2).numpy())


def ball(block: Tensor) -> Floats:
    """Return the spectral norm of every block, rounded up."""
    rows, columns = block.shape[-2:]
    return np.asarray(directed(spectral(block) * (1 + singular_value_rounding(rows, columns, block.dtype)), 4).numpy())


# Exact instances. ρ_Q = 7/2, ρ_K = 2, d_k = 9: the scores are 7/3 of R².
HEAD: dict[str, Exact] = {"rho_Q": Fraction(7, 2), "rho_K": 2, "d_k": 9}
FORM, VALUE = Fraction(7, 3), Fraction(5, 2)


def crossed_norm(R: Exact) -> sp.Expr:
    """Return ‖D‖ at x = ±R e, n = 2, all visible, A = (7/3)(efᵀ + feᵀ): 2s, where s ≥ 1/√2."""
    return 2 * FORM * sp.sympify(R) ** 2


def crossed_secant(R: Exact, m: Exact) -> sp.Expr:
    """Return the quotient between ±(a e + t f) and ±(a e − t f), with a + it = R(1 + im)²/(1 + m²)."""
    R, m = sp.sympify(R), sp.sympify(m)
    a, t = R * (1 - m**2) / (1 + m**2), 2 * R * m / (1 + m**2)
    return a * sp.tanh(2 * FORM * a * t) / t


def rank_one_norm(R: Exact, sign: int) -> sp.Expr:
    """Return ‖D‖ at x = ±R, n = 2, d = 1, A = ±7/3: rows (a, b) and (b, a)."""
    s = sign * FORM * sp.sympify(R) ** 2
    p = 1 / (1 + sp.exp(-2 * s))
    return sp.Max(sp.Abs(1 + 4 * p * (1 - p) * s), sp.Abs(2 * p - 1 + 8 * p * (1 - p) * s))
