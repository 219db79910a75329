"""The best depth for a sample, checked: both errors together at any step, at the best one, at whole layers."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import sympy as sp

import spec
from impl.flow import transformer
from impl.readout import cross_entropy
from impl.sampling import objective
from properties import checking
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Property
from properties.depth.problems import CONSTANTS
from properties.descriptor import Choice, Descriptor, Integer, Real, Space
from properties.digits import CLASSES
from properties.flow_constants import up
from properties.sampling.trained import BITS, claiming, gathered
from properties.sampling.trained_flows import IMAGES, FlowLosses, flow_losses
from properties.suite import suite

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
STEPS = (1, 2, 4, 8)
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


def real() -> dict[str, Batch]:
    """Return the sums for both trained Transformers at their own constants and as many samples as they were trained on.

    C_R is the bound of `depth-risk` at their own step, divided by it: it bounds the risk's depth error at that step and
    at longer ones. The grid has one bit, keep or drop, or 8 bits for every parameter of a layer.
    """
    rows: dict[str, list[tuple[float, float, dict[str, Any]]]] = {}
    for found in flow_losses():
        net, K, T = found.net, found.net.recipe.K, found.net.recipe.T
        grids = (2, 2 ** (BITS * net.layers.shape[-1]))
        for name, row in (each for q in grids for each in sums(depth_constant(found), found.B, q, net.train, K, T)):
            rows.setdefault(name, []).append(row)
    return {name: gathered(each) for name, each in rows.items()}


def depth_constant(found: FlowLosses) -> float:
    """Return an upper bound of the risk's depth error at a network's own step, over that step."""
    theorem, net = spec.theorem("depth/depth-risk"), found.net
    of_class = {name: float(value[0]) for name, value in found.constants(1).named(*CONSTANTS).items()}
    shape = {"K": net.recipe.K, "T": net.recipe.T, "B": found.B, "C": CLASSES, "L_H": found.L_H}
    bound = theorem.evaluate("population", **of_class, **shape).upper
    return float(up(np.array([bound * net.recipe.K / net.recipe.T]))[0])


def sums(
    C_R: float, B: float, q: int, N: int, K: int, T: float
) -> Iterator[tuple[str, tuple[float, float, dict[str, Any]]]]:
    """Yield claims with the sum of both errors at the network's steps, the best one, and whole layers."""
    theorem = PROPERTY.theorem
    box = {"B": B, "C": CLASSES, "T": T, "q": q, "N": N}
    M, a = (theorem.evaluate_expression(theorem.vocabulary[name].definition, box).upper for name in ("M_ell", "a_grid"))
    best = float(np.cbrt(a / (2 * C_R)) ** 2)
    steps = {"minimum": [T / k for k in STEPS], "attained": [best], "whole-layers": [T / ceil(T / best)]}
    for name, each in steps.items():
        for step in each:
            measured = objective(step, C_R, a)
            yield name, (measured, ROUNDINGS * measured, {"C_R": C_R, "a_grid": a})
    grown = M * sqrt(K * log(q) / (2 * N))
    yield "over-the-grid", (grown, ROUNDINGS * grown, {"M_ell": M, "T": T, "K": K, "q": q, "N": N})


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
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    judged = checking.judged(PROPERTY, real())
    assert all(set(verdicts.verdict) == {HOLDS} for verdicts in judged.values())
    assert max(judged["minimum"].ratio) < 1e-3


def test_another_depth_constant_is_wrong_for_trained_transformers() -> None:
    """The rows can fail: what is best depends on both constants."""
    batches = real()
    for claim, factor in {"attained": 2.0, "whole-layers": 0.5}.items():
        batch = batches[claim]
        claimed = claiming(batch, C_R=[factor * C for C in batch.values["C_R"]])
        assert set(checking.judged(PROPERTY, {claim: claimed})[claim].verdict) == {VIOLATED}


def test_measured_depth_errors_of_trained_transformers() -> None:
    """With the depth errors that 8 to 64 layers really have in their bounds' place, the network's step is good."""
    for found in flow_losses():
        net, T = found.net, found.net.recipe.T
        x, labels = net.inputs[-IMAGES:], net.labels[-IMAGES:]
        C_R = 0.0
        for K in (8, 16, 32, 64):
            ends = transformer(net.field, net.control, None, x, K, T)
            gap = abs(float(cross_entropy(net.readout(ends), labels).mean()) - found.flow[0].mean())
            C_R = max(C_R, (gap + found.error[0].mean()) * K / T)
        rows = dict(sums(C_R, found.B, 2, net.train, net.recipe.K, T))
        judged = checking.judged(PROPERTY, {"minimum": gathered([rows["minimum"]])})["minimum"]
        assert judged.verdict == [HOLDS]
        assert judged.ratio[0] > INFORMATIVE
