"""The least curvature of cross-entropy off the ones, checked along eigenvectors, differences of classes and at random.

Extremal: one logit at the bottom, all others at the top, along the direction that tells the one from the rest.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sympy as sp

from impl.rounding import gamma
from properties import checking
from properties.checking import VIOLATED, Batch, Exhibit, Need, Property
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
CLAIMS = ("curvature", "least-share", "of-samples")


def check(descriptor: Descriptor) -> dict[str, Batch]:
    boxes, generator = drawn(descriptor), descriptor.generator("directions")
    logits = boxes.logits[:, 0]
    along = directions(logits, descriptor["direction"], generator, largest=False)
    return dict.fromkeys(CLAIMS, Batch(*curvatures(logits, along, centred=True), {"B": boxes.B, "C": boxes.classes}))


def exact(*cases: Classes) -> dict[str, Batch]:
    """Return every claim's batch."""
    return dict.fromkeys(CLAIMS, batch(list(cases), [c.curvature for c in cases]))


def real() -> dict[str, Batch]:
    """Return the least curvatures at the trained Transformers' test images."""
    generator = np.random.default_rng(0)
    parts = []
    for box, logits, _ in of_digits():
        along = directions(logits, "extreme", generator, largest=False)
        parts.append((*curvatures(logits, along, centred=True), np.full(len(logits), box)))
    measured, error, B = (np.concatenate(column) for column in zip(*parts, strict=True))
    return dict.fromkeys(CLAIMS, Batch(measured, error, {"B": B, "C": 10}))


def lowest(C: int, B: sp.Expr, edge: sp.Expr | None = None) -> Classes:
    """Return one logit at the bottom (−`edge`, −B by default), the others at the top, and what tells the one apart."""
    edge = B if edge is None else edge
    return Classes(B, (Alike(1, -edge, 0, C - 1), Alike(C - 1, edge, 0, -1)))


def two_lowest(C: int, B: sp.Expr) -> Classes:
    """Return two logits at the bottom, the others at the top, and the difference of the two."""
    groups = (Alike(1, -B, 0, 1), Alike(1, -B, 0, -1), Alike(C - 2, B))
    return Classes(B, tuple(g for g in groups if g.count))


CASES = {
    "two classes": lowest(2, half_log(3)),
    "three classes": lowest(3, half_log(2)),
    "three classes, small box": lowest(3, half_log(Fraction(11, 10))),
    "ten classes": lowest(10, half_log(9)),
    "thousand classes": lowest(1000, half_log(400)),
    "thousand classes, large box": lowest(1000, half_log(10**9)),
    "zero box": lowest(4, sp.Integer(0)),
    "zero box, two classes": lowest(2, sp.Integer(0)),
    "two at the bottom": two_lowest(6, half_log(5)),
    "all at the bottom": two_lowest(2, half_log(5)),
    "irrational weights": two_lowest(4, sp.Integer(2)),
    "far inside": lowest(6, sp.Integer(3), sp.Integer(1)),
}
OUTSIDE = lowest(10, half_log(2), half_log(20))
ONES = Classes(1, (Alike(1, -1, 0, 2), Alike(2, 1, 0, 1)))


def outside() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
    return exact(OUTSIDE), {"bounded-logits": OUTSIDE.met()}


PROPERTY = Property(
    slug="loss/hessian-lower",
    space=SPACE,
    check=check,
    exhibits=tuple(Exhibit(name, partial(exact, case)) for name, case in CASES.items()),
    sharp={"curvature": "three classes", "least-share": "zero box", "of-samples": "three classes"},
    needs={"bounded-logits": Need(outside)},
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_needs_a_direction_off_the_ones() -> None:
    assert ONES.met()
    assert all(v.verdict == [VIOLATED] for v in checking.judged(PROPERTY, exact(ONES)).values())


@pytest.mark.parametrize("case", CASES.values())
def test_exact_curvatures_are_those_of_impl(case: Classes) -> None:
    assert case.met()
    assert case.total(g.omega for g in case.groups) == 0
    logits, omega = (case.spread_out(name)[None] for name in ("logit", "omega"))
    found, error = curvatures(logits, omega, centred=True)
    # Logits enter as floats: shares are off by a relative 4uB, and so is the variance, by twice that.
    given_ = gamma(2 + 8 * int(case.B + 1))
    assert abs(found[0] - float(sp.N(case.curvature, 30))) <= error[0] + given_ * found[0]
