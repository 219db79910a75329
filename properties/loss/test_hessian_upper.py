"""The largest curvature of cross-entropy on the box, checked along eigenvectors, differences of classes and at random.

Extremal: two logits at the top, all others at the bottom, along the difference of the two.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sympy as sp
import torch

from impl.rounding import gamma
from properties.checking import Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor, Space
from properties.loss.boxes import (
    DIRECTION,
    KNOBS,
    Alike,
    Classes,
    batch,
    curvatures,
    directions,
    drawn,
    half_log,
    of_digits,
)  # fmt: skip
from properties.suite import suite

SPACE = Space({**KNOBS, "direction": DIRECTION})


def check(descriptor: Descriptor) -> dict[str, Batch]:
    boxes, generator = drawn(descriptor), descriptor.generator("directions")
    logits = boxes.logits[:, 0]
    along = directions(logits, descriptor["direction"], generator, largest=True)
    return named(Batch(*curvatures(logits, along, centred=False), {"B": boxes.B, "C": boxes.classes}))


def named(found: Batch) -> dict[str, Batch]:
    """Return the batch for every claim; ½ depends on nothing."""
    return {"curvature": found, "half": Batch(found.measured, found.error, {}), "of-samples": found}


def exact(*cases: Classes) -> dict[str, Batch]:
    """Return every claim's batch."""
    return named(batch(list(cases), [c.curvature for c in cases]))


def real() -> dict[str, Batch]:
    """Return the largest curvatures at the trained Transformers' test images."""
    generator = np.random.default_rng(0)
    parts = []
    for box, logits, _ in of_digits():
        along = directions(logits, "extreme", generator, largest=True)
        parts.append((*curvatures(logits, along, centred=False), np.full(len(logits), box)))
    measured, error, B = (np.concatenate(column) for column in zip(*parts, strict=True))
    return named(Batch(measured, error, {"B": B, "C": 10}))


def pair(C: int, B: sp.Expr, edge: sp.Expr | None = None, entries: tuple[int, int, int] = (1, -1, 0)) -> Classes:
    """Return two logits at the top (`edge`, B by default), the others at the bottom, and a direction."""
    edge = B if edge is None else edge
    groups = (Alike(1, edge, 0, entries[0]), Alike(1, edge, 0, entries[1]), Alike(C - 2, -edge, 0, entries[2]))
    return Classes(B, tuple(g for g in groups if g.count))


CASES = {
    "two classes": pair(2, half_log(3)),
    "three classes": pair(3, half_log(2)),
    "three classes, small box": pair(3, half_log(Fraction(11, 10))),
    "ten classes": pair(10, half_log(9)),
    "thousand classes": pair(1000, half_log(400)),
    "thousand classes, large box": pair(1000, sp.Integer(12)),
    "zero box": pair(4, sp.Integer(0)),
    "along the ones": pair(5, half_log(2), entries=(1, 1, 1)),
    "one from the rest": Classes(1, (Alike(1, 1, 0, 3), Alike(3, -1, 0, -1))),
    "far inside": pair(6, sp.Integer(3), sp.Integer(1)),
}
OUTSIDE = pair(10, half_log(2), half_log(20))


def outside() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
    found = exact(OUTSIDE)
    return {name: found[name] for name in ("curvature", "of-samples")}, {"bounded-logits": OUTSIDE.met()}


PROPERTY = Property(
    slug="loss/hessian-upper",
    space=SPACE,
    check=check,
    exhibits=tuple(Exhibit(name, partial(exact, case)) for name, case in CASES.items()),
    sharp={"curvature": "ten classes", "half": "two classes", "of-samples": "ten classes"},
    needs={"bounded-logits": Need(outside)},
    real=real,
)
TestTheorem = suite(PROPERTY)


@pytest.mark.parametrize("case", CASES.values())
def test_exact_curvatures_are_those_of_impl(case: Classes) -> None:
    assert case.met()
    logits, omega = (case.spread_out(name)[None] for name in ("logit", "omega"))
    found, error = curvatures(logits, omega, centred=False)
    # Logits enter as floats: shares are off by a relative 4uB, and so is the variance, by twice that.
    given_ = gamma(2 + 8 * int(case.B + 1))
    assert abs(found[0] - float(sp.N(case.curvature, 30))) <= error[0] + given_ * found[0]


@pytest.mark.parametrize("C", [2, 5, 40])
def test_curvature_is_the_second_derivative(C: int) -> None:
    generator = torch.Generator().manual_seed(C)
    logits, omega = (torch.randn(1, C, generator=generator, dtype=torch.float64) for _ in range(2))
    hessian = torch.autograd.functional.hessian(lambda h: h.logsumexp(-1), logits[0])
    found, error = curvatures(logits, omega, centred=False)
    quadratic = float(omega[0] @ hessian @ omega[0] / omega.square().sum())
    # Autograd forms diag(p) − ppᵀ with a handful of roundings an entry, of entries that sum to at most 2 in norm.
    assert abs(found[0] - quadratic) <= error[0] + 2 * gamma(4 * C + 64)
