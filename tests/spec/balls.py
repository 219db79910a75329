"""Numbers as balls, vectors as arrays of balls, random things as their values in every world of a law."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

NODES = 24
"""Nodes of a quadrature; see `numeric.legendre`."""


class Undefined(Exception):
    """A thing that an instance does not have: a token beyond the last, a mean of nothing."""


@dataclass(frozen=True)
class Random:
    """A number, a vector or a function with one value in each world."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Law:
    """Finitely many worlds and their probabilities; one sure world by default."""

    chances: tuple[Any, ...] = (1,)

    def worlds(self) -> range:
        return range(len(self.chances))

    def expectation(self, of: Callable[[int], Any]) -> Any:
        return sum((arb(p) * of(w) for w, p in enumerate(self.chances)), arb(0))

    def probability(self, deviation: Callable[[int], Any], least: Callable[[int], Any]) -> Any:
        met = (not refuted_sign(deviation(w) - least(w), ">=") for w in self.worlds())
        return sum((arb(p) for p, yes in zip(self.chances, met, strict=True) if yes), arb(0))

    def quantile(self, deviation: Callable[[int], Any], level: Any) -> Any:
        """Return inf{s : P(D > s) <= level}: one of the values of D, or -∞ at level 1."""
        pairs = sorted(((deviation(w), arb(p)) for w, p in enumerate(self.chances)), key=lambda at: float(at[0]))
        above = arb(0)
        for value, chance in reversed(pairs):
            if above + chance > level:
                return value
            above += chance
        return -arb("inf")


@dataclass(frozen=True)
class Instance:
    """Values of names; `runs` says what bound variables run over, `breaks` where integrands may jump.

    A value is a number, a vector, a function or `Random`; a run is a sequence.
    """

    values: Mapping[str, Any]
    runs: Mapping[str, Iterable[Any]] = field(default_factory=dict)
    law: Any = Law()
    breaks: tuple[Any, ...] = ()
    nodes: int = NODES

    def env(self, world: int = 0) -> dict[str, Any]:
        return {**self.values, "#law": self.law, "#world": world, "#breaks": self.breaks, "#nodes": self.nodes}


def number(value: Any) -> Any:
    """Return a number as a ball, exactly; leave integers that index, vectors and functions."""
    if isinstance(value, sp.Rational):
        return arb(int(value.p)) / int(value.q)
    return arb(value) if isinstance(value, int | float) else value


def index(value: Any) -> int:
    """Return a whole ball as an integer."""
    if isinstance(value, int):
        return value
    whole = value.unique_fmpz()
    if whole is None:
        raise Undefined(f"no whole number: {value}")
    return int(whole)


def vector(rows: Any) -> Any:
    """Return rows of numbers as a vector of balls, exactly."""
    plain = np.asarray(rows, dtype=object)
    return np.array([arb(x) for x in plain.ravel()], dtype=object).reshape(plain.shape)


def enclosing(values: Any, radius: Any) -> Any:
    """Return computed values with what each may err by."""
    plain = np.asarray(values, dtype=np.float64)
    spread = np.broadcast_to(np.asarray(radius, dtype=np.float64), plain.shape)
    balls = [arb(float(x), float(r)) for x, r in zip(plain.ravel(), spread.ravel(), strict=True)]
    return balls[0] if plain.ndim == 0 else np.array(balls, dtype=object).reshape(plain.shape)


def root(v: Any) -> Any:
    """Return the root of what is nonnegative, its enclosure cut at 0."""
    if isinstance(v, int):
        v = arb(v)
    return v.sqrt() if v > 0 or v == 0 else arb(0).union(arb(v.upper()).sqrt())


def size(v: Any) -> Any:
    return root((np.asarray(v) * np.asarray(v)).sum()) if isinstance(v, np.ndarray) else abs(number(v))


def longest(v: Any) -> Any:
    if not isinstance(v, np.ndarray):
        return abs(number(v))
    lengths = [size(row) for row in np.atleast_2d(v)]
    top = lengths[0]
    for one in lengths[1:]:
        top = top.max(one)
    return top


def product(a: Any, b: Any) -> Any:
    both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return (np.asarray(a) * np.asarray(b)).sum() if both else number(a) * number(b)


def refuted_sign(difference: Any, relation: str, slack: Any = 0) -> bool:
    """Say whether `difference (relation) 0` is certainly false, by more than the slack, or has no value."""
    if relation == "==":
        length = size(difference)
        return bool(length > slack or length.is_nan())
    if relation == "!=":
        return bool(difference == 0)
    below = number(difference if relation in ("<=", "<") else -difference)
    below = getattr(below, "most", below)  # a random difference counts by its largest value
    if below.is_nan():
        return True
    return bool(below >= 0) if relation in ("<", ">") else bool(below > slack)


def differ(one: Any, other: Any) -> bool:
    """Say whether two values are certainly different."""
    return one is not other and refuted_sign(one - other, "==")
