"""Instances drawn from small lattices: few values, so that what is equal, zero, negative or out of order comes up.

Every draw is seeded by its result's name. A parameter's kind may depend on those before it.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from flint import arb
from numeric import Instance, Law, Random, Undefined, index, vector

Generator = np.random.Generator
Kind = Callable[[Generator, Mapping[str, Any]], Any]

LATTICE = (-3, -2, -1, -0.5, 0, 0, 0.5, 1, 1, 2, 3, 4)
SIZES, LONGEST = (0, 0.5, 1, 1, 2, 3, 4), 7
NEAR = (-0.5, -0.25, 0, 0.25, 0.5, 1)


def real(g: Generator, _: Mapping[str, Any]) -> Any:
    return arb(float(g.choice(LATTICE)))


def nonnegative(g: Generator, _: Mapping[str, Any]) -> Any:
    return arb(float(g.choice(SIZES)))


def order(g: Generator, _: Mapping[str, Any]) -> Any:
    return arb(int(g.integers(0, 4)))


def count(g: Generator, _: Mapping[str, Any]) -> Any:
    """Mostly a count; seldom a negative one, or no integer: only a result that says so takes whole parameters only."""
    return arb(float(g.choice((0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, -1, 1.5))))


def whole(g: Generator, _: Mapping[str, Any]) -> Any:
    """Mostly a count; sometimes a negative one."""
    return arb(int(g.choice((0, 0, 1, 1, 2, 2, 3, 3, 4, -1, -2))))


def maybe_whole(g: Generator, made: Mapping[str, Any]) -> Any:
    """Mostly a count; sometimes a negative one, or no integer."""
    return whole(g, made) + float(g.choice((0, 0, 0, 0.5)))


def point(g: Generator, _: Mapping[str, Any]) -> Any:
    """Two tokens of width 2; sometimes one token alone is not 0."""
    x = g.choice((-2, -1, -0.5, 0, 0, 0.5, 1, 2), size=(2, 2))
    return vector(x * g.choice(([[1], [1]], [[1], [0]])).astype(float))


def tokens(g: Generator, made: Mapping[str, Any]) -> Any:
    """A vector of one or several tokens, all alike at times."""
    x = g.choice((-2, -1, 0, 1, 2), size=(int(made["n"]), 2)).astype(float)
    return vector(np.broadcast_to(x[:1], x.shape) if g.random() < 0.5 else x)


def multiple(of: str) -> Kind:
    """Mostly a positive multiple of an earlier vector, where triangles are flat."""

    def kind(g: Generator, made: Mapping[str, Any]) -> Any:
        return made[of] * arb(float(g.choice((0.5, 1, 2)))) if g.random() < 0.5 else point(g, made)

    return kind


def table(entries: Callable[[Generator, Mapping[str, Any]], Any]) -> Kind:
    """A sequence of such entries, by index; constant at times."""

    def kind(g: Generator, made: Mapping[str, Any]) -> Any:
        listed = [entries(g, made) for _ in range(LONGEST)]
        listed = [listed[0]] * LONGEST if g.random() < 0.3 else listed
        return lambda j: listed[index(j) % LONGEST]

    return kind


def near(of: str) -> Kind:
    """Mostly close to an earlier number, or equal to it."""

    def kind(g: Generator, made: Mapping[str, Any]) -> Any:
        return made[of] + float(g.choice(NEAR)) if g.random() < 0.6 else real(g, made)

    return kind


def given(rule: Callable[[Mapping[str, Any]], Any], otherwise: Kind = real, share: float = 0.8) -> Kind:
    """Mostly what the rule says, else a number like any other."""

    def kind(g: Generator, made: Mapping[str, Any]) -> Any:
        try:
            return arb(rule(made)) if g.random() < share else otherwise(g, made)
        except (ValueError, Undefined):
            return otherwise(g, made)

    return kind


def linear(g: Generator, _: Mapping[str, Any]) -> Any:
    """A linear map of vectors."""
    slope = float(g.choice(LATTICE))
    return lambda v: slope * v


def parabola(g: Generator, _: Mapping[str, Any]) -> Any:
    a, b, c = (float(x) for x in g.choice((-2, -1, 0, 1, 2), size=3))
    return lambda u: a + b * arb(u) + c * arb(u) ** 2


def step(g: Generator, _: Mapping[str, Any]) -> Any:
    a, b, c = (float(x) for x in g.choice((-1, 0, 0.5, 1, 2), size=3))
    return lambda e, j: a * e + b * j + c


WORLDS = ((1, 1), (1, 3), (3, 1))


def random(kind: Kind) -> Kind:
    """A value in each of two worlds; at times the same."""

    def both(g: Generator, made: Mapping[str, Any]) -> Any:
        first = kind(g, made)
        return Random((first, first if g.random() < 0.2 else kind(g, made)))

    return both


def total(made: Mapping[str, Any], *functions: str, low: int = 0) -> Any:
    """Sum the product of sequences over all k indices."""
    parts = ([made[name](j) for name in functions] for j in range(low, index(made["k_"])))
    return sum((np.prod(part) for part in parts), arb(0))


def top(made: Mapping[str, Any], of: Callable[[int], Any]) -> Any:
    """Return the largest value over k indices."""
    return max((of(j) for j in range(index(made["k_"]))), key=float)


def shares(g: Generator, _: Mapping[str, Any]) -> Any:
    """Weights; often probabilities of three indices, at times negative."""
    listed = [float(x) for x in g.choice((0, 0.25, 0.5, 1, 2, -1), size=LONGEST)]
    if g.random() < 0.6:
        listed[:3] = g.choice(([0.25, 0.25, 0.5], [0.5, 0.5, 0], [0, 1, 0], [1.5, -1, 0.5], [0, 0, 0]))
    return lambda j: arb(listed[index(j) % LONGEST])


def drawn(name: str, kinds: Mapping[str, Kind], runs: Mapping[str, Any], number: int) -> Iterator[Instance]:
    """Yield instances of one result."""
    g = np.random.Generator(np.random.Philox(key=zlib.crc32(name.encode())))
    for _ in range(number):
        made: dict[str, Any] = {}
        for parameter, kind in kinds.items():
            made[parameter] = kind(g, made)
        sampled = any(isinstance(value, Random) for value in made.values())
        odds = [int(o) for o in made.get("odds", WORLDS[int(g.integers(len(WORLDS)))])]
        law = Law(tuple(arb(o) / sum(odds) for o in odds)) if sampled else Law()
        yield Instance(made, {v: run(made) if callable(run) else run for v, run in runs.items()}, law)
