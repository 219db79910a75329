"""The best depth for a sample, checked: both errors together at any step, at the best one, at whole layers."""

from fractions import Fraction
from math import ceil

import numpy as np
import sympy as sp
from hypothesis import given

from impl.sampling import objective
from properties import checking, mutants
from properties.checking import Batch, Exhibit, Property
from properties.descriptor import Choice, Descriptor, Integer, Real, Space

SPACE = Space(
    {
        "batch": Integer(24, 40),
        "side": Choice(("near", "below", "above")),
        "C_R": Real(1e-3, 1e6, log=True),
        "a_grid": Real(1e-6, 1e3, log=True),
        "far": Real(0.0, 6.0),
        "depth": Real(1.0, 50.0, log=True),
    }
)
ROUNDINGS = 16 * 2.0**-53
"""A quotient, two roots, two products and a sum, each with one rounding or two, relative: all terms are positive."""


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the sum of both errors at drawn steps, at the best one, and at the whole layers of drawn depths."""
    generator = descriptor.generator("steps")
    count = descriptor["batch"]
    C_R, a = (descriptor[name] * generator.uniform(0.5, 2.0, count) for name in ("C_R", "a_grid"))
    best = np.cbrt(a / (2 * C_R)) ** 2
    sides = {"near": generator.uniform(-0.1, 0.1, count), "below": -1.0, "above": 1.0}
    steps = best * np.exp(descriptor["far"] * sides[descriptor["side"]] * generator.uniform(0.1, 1.0, count))
    deep = best * (1 + (descriptor["depth"] - 1) * generator.uniform(0.01, 1.0, count))
    layered = np.array([depth / ceil(depth / step) for depth, step in zip(deep, best, strict=True)])
    found = {"minimum": steps, "attained": best, "whole-layers": layered}

    def batch(step: np.ndarray) -> Batch:
        measured = np.array([objective(*each) for each in zip(step, C_R, a, strict=True)])
        return Batch(measured, ROUNDINGS * measured, {"C_R": C_R, "a_grid": a})

    M, T = generator.uniform(0.5, 2.0, count), np.maximum(deep, 1e-9)
    K, q, N = (generator.integers(2, 1000, count) for _ in range(3))
    grown = M * np.sqrt(K * np.log(q) / (2 * N))
    values = {"M_ell": M, "T": T, "K": K, "q": q, "N": N}
    grid = {"over-the-grid": Batch(grown, ROUNDINGS * grown, values)}
    return {name: batch(step) for name, step in found.items()} | grid


def grown(M: int, T: Fraction, K: int, q: int, N: int) -> dict[str, Batch]:
    """Return the exact growth of the sampling error over q^K controls."""
    measured = M * sp.sqrt(K * sp.log(q) / (2 * sp.Integer(N)))
    return {"over-the-grid": Batch([measured], [0], {"M_ell": M, "T": T, "K": K, "q": q, "N": N})}


def at(step: Fraction, claim: str, C_R: int = 3, root: int = 2) -> dict[str, Batch]:
    """Return the exact sum at a step; a = 2 C_R η³ makes ε_* = η², η the `root`."""
    a, s = 2 * C_R * root**3, sp.Rational(step.numerator, step.denominator)
    return {claim: Batch([C_R * s + a / sp.sqrt(s)], [0], {"C_R": C_R, "a_grid": a})}


PROPERTY = Property(
    slug="sampling/depth-sample-tradeoff",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("best step", lambda: at(Fraction(4), "minimum")),
        Exhibit("best step, reached", lambda: at(Fraction(4), "attained")),
        Exhibit("other numbers, reached", lambda: at(Fraction(25), "attained", C_R=7, root=5)),
        Exhibit("just above one layer", lambda: at(Fraction(4004, 2000), "whole-layers")),
        Exhibit("one layer", lambda: at(Fraction(4), "whole-layers")),
        Exhibit("eight layers", lambda: grown(3, Fraction(5, 2), 8, 7, 11)),
        Exhibit("far below", lambda: at(Fraction(1, 10**6), "minimum")),
        Exhibit("far above", lambda: at(Fraction(10**6), "minimum")),
    ),
    sharp={
        "minimum": "best step",
        "attained": "best step, reached",
        "whole-layers": "just above one layer",
        "over-the-grid": "eight layers",
    },
)


@given(SPACE.strategy())
def test_holds(descriptor: Descriptor) -> None:
    checking.assert_holds(PROPERTY, descriptor)


def test_exhibits_hold() -> None:
    checking.assert_exhibits_hold(PROPERTY)


def test_sharp() -> None:
    checking.assert_sharp(PROPERTY)


def test_every_assumption_has_its_need() -> None:
    checking.assert_every_assumption_has_its_need(PROPERTY)


def test_mutants_are_caught() -> None:
    mutants.assert_mutants_are_caught(PROPERTY)
