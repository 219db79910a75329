"""Fair coins between the two ends of the loss: exact quantiles, and the ways in which sampling goes wrong.

A control shows every input one class with certainty, at a corner of the box, and labels are coins: the loss is one end
of its range or the other. Several controls read independent coins.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from impl.sampling import coin_quantile
from properties.checking import Batch, Need

Exact = Any
Box = tuple[Fraction, int]

BOX: tuple[Box, ...] = ((Fraction(3, 4), 10),)
BOXES: tuple[Box, ...] = ((Fraction(1, 2), 2), (Fraction(1, 10), 3), (Fraction(3), 1000))
"""Boxes (B, C) on which coins are thrown."""
THROWS, RARE = 40000, Fraction(1, 10**100)


def width(B: Fraction, C: int) -> sp.Expr:
    """Return the largest loss at a corner of the box less the least one."""
    B = sp.Rational(B.numerator, B.denominator)
    return sp.log(1 + (C - 1) * sp.exp(2 * B)) - sp.log(1 + (C - 1) * sp.exp(-2 * B))


@lru_cache(maxsize=64)
def share(N: int, delta: Fraction, coins: int) -> sp.Rational:
    """Return the (1−δ)-quantile of the largest deviation of so many coins' shares of heads from ½."""
    found = coin_quantile(N, delta, coins)
    return sp.Rational(found.numerator, found.denominator)


def thrown(
    N: int = THROWS, delta: Fraction = RARE, boxes: tuple[Box, ...] = BOX, coins: int = 1, **named: Exact
) -> Batch:
    """Return the exact quantiles of coins thrown N times on several boxes; `named` are the class's symbols."""
    measured = [width(B, C) * share(N, delta, coins) for B, C in boxes]
    values = {"B": [B for B, _ in boxes], "C": [C for _, C in boxes], "N": N, "delta": delta, **named}
    return Batch(measured, [0] * len(boxes), values)


@dataclass(frozen=True)
class Trial:
    """Coins at C = 2 under a claimed box, and what their assumptions are made of.

    Attributes
    ----------
    off : Expr
        The (1−δ)-quantile of the deviation.
    B, peak : Fraction
        Claimed and largest logit.
    heads, population : Fraction
        Chance of the larger loss for one sample under a fixed control, and in the population.
    all_heads : Fraction
        Chance that all samples have it.
    chosen : tuple
        The control that is looked at after two different samples.
    """

    off: sp.Expr
    N: int
    delta: Fraction
    B: Fraction
    peak: Fraction
    heads: Fraction
    population: Fraction
    all_heads: Fraction
    chosen: tuple[str, str] = ("the same", "the same")

    def met(self, assumption: str) -> bool:
        """Say whether an assumption holds."""
        return {
            "control-fixed": self.chosen[0] == self.chosen[1],
            "samples-independent": self.all_heads == self.heads**self.N,
            "samples-from-population": self.heads == self.population,
            "bounded-logits": self.peak <= self.B,
        }[assumption]

    def batch(self, **named: Exact) -> Batch:
        """Return the deviation with the values that are claimed."""
        return Batch([self.off], [0], {"B": self.B, "C": 2, "N": self.N, "delta": self.delta, **named})


def fitted() -> Trial:
    """Return the control that fits 8 samples of 10^6 one-hot inputs with fair labels.

    Its loss is the least one, log(1+e^{−2B}), on the sample once the inputs differ, and the mean of both ends, B more,
    on the population.
    """
    B, N, inputs, delta = Fraction(1), 8, 10**6, Fraction(1, 20)
    assert Fraction(N * (N - 1), 2 * inputs) < delta
    half = Fraction(1, 2)
    return Trial(width(B, 2) / 2, N, delta, B, B, half, half, half**N, ("all labels e_1", "all labels e_2"))


def copied() -> Trial:
    """Return forty copies of one throw: their mean is an end of the range."""
    one, half = Fraction(1), Fraction(1, 2)
    return Trial(width(one, 2) / 2, 40, Fraction(1, 10), one, one, half, half, half)


def biased() -> Trial:
    """Return forty heads of a coin that has nothing else, for a population of fair coins."""
    one = Fraction(1)
    return Trial(width(one, 2) / 2, 40, Fraction(1, 10), one, one, one, Fraction(1, 2), one)


def outside() -> Trial:
    """Return fair coins at the corners of a box twice as large as the one that is claimed."""
    N, delta, half = 1000, Fraction(1, 10), Fraction(1, 2)
    return Trial(width(Fraction(2), 2) * share(N, delta, 1), N, delta, Fraction(1), Fraction(2), half, half, half**N)


TRIALS: Mapping[str, Callable[[], Trial]] = {
    "control-fixed": fitted,
    "samples-independent": copied,
    "samples-from-population": biased,
    "bounded-logits": outside,
}


def needs(*claims: str, **named: Exact) -> dict[str, Need]:
    """Return what shows the need of every assumption that all radii share."""

    def shown(name: str) -> Need:
        def build() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
            trial = TRIALS[name]()
            return dict.fromkeys(claims, trial.batch(**named)), {other: trial.met(other) for other in TRIALS}

        return Need(build)

    return {name: shown(name) for name in TRIALS}
