"""Both ends of cross-entropy on the box, checked, and how far they are apart.

Boxes from tiny to beyond the range of exponentials, 2 to 50257 classes, labels one class, smoothed or soft. Extremal:
the label's logit at one end of the box and all others at the other.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sympy as sp
import torch
from torch import Tensor

from impl.errors import LabelNotInSimplex
from impl.readout import check_labels, cross_entropy
from impl.rounding import ULPS, directed, gamma, unit_roundoff
from properties import checking
from properties.checking import VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor, Space
from properties.loss.boxes import (
    KNOBS,
    LABELS,
    Alike,
    Classes,
    Floats,
    batch,
    drawn,
    half_log,
    labels,
    of_digits,
    vertex,
)  # fmt: skip
from properties.suite import suite

SPACE = Space({**KNOBS, **LABELS})


def losses(logits: Tensor, label: Tensor) -> tuple[Floats, Floats]:
    """Return losses and their errors.

    Shifted logits err by u of at most r = 2 max|h|, their weights by a relative e^{ru}(1 + γ_{2 ULPS}) more, the sum by
    γ_C; the logarithm turns that into an absolute error and adds its own, ⟨y, h⟩ errs by γ_{C+2} r and, where the
    label's sum is off 1 by at most γ_{C+2}, by as much again.
    """
    C, u = logits.shape[-1], unit_roundoff(torch.float64)
    reach = 2 * logits.abs().amax(-1)
    found = cross_entropy(logits, label)
    weights = 2 * (reach * u + gamma(2 * ULPS + C)) + gamma(2 * ULPS) * np.log(C)
    chosen = reach * (2 * gamma(C + 2) if label.is_floating_point() else 2 * u)
    return found.numpy(), directed(weights + chosen + 2 * u * found, 16).numpy()


def batches(measured: Floats, error: Floats, B: Floats, C: int) -> dict[str, Batch]:
    """Return every claim's batch; the least loss log(1 + (C−1)e^{−2B}) is computed to a relative γ_{4 ULPS + 6}."""
    least = np.log1p((C - 1) * np.exp(-2 * B))
    off = error + least * gamma(4 * ULPS + 6) + gamma(2) * (measured + least)
    box = {"B": B, "C": C}
    return {
        "low": Batch(measured, error, box),
        "high": Batch(measured, error, box),
        "width": Batch(measured - least, off, box),
    }


def check(descriptor: Descriptor) -> dict[str, Batch]:
    boxes = drawn(descriptor)
    logits, label = boxes.logits, labels(descriptor, boxes.logits)
    return batches(*losses(logits[:, 0], label[:, 0]), boxes.B, boxes.classes)


def exact(*cases: Classes) -> dict[str, Batch]:
    """Return every claim's batch."""
    least = [sp.log(1 + (c.classes - 1) * sp.exp(-2 * sp.sympify(c.B))) for c in cases]
    one = batch(list(cases), [c.loss for c in cases])
    width = batch(list(cases), [c.loss - low for c, low in zip(cases, least, strict=True)])
    return {"low": one, "high": one, "width": width}


def real() -> dict[str, Batch]:
    """Return the losses of the trained Transformers' test images."""
    parts = [(np.full(len(label), B), *losses(logits, label)) for B, logits, label in of_digits()]
    B, measured, error = (np.concatenate(column) for column in zip(*parts, strict=True))
    return batches(measured, error, B, 10)


def ends(C: int, B: sp.Expr) -> tuple[Classes, Classes]:
    """Return the vertices of least and of largest loss."""
    return vertex(C, B, 1, aim="highest"), vertex(C, B, C - 1)


CASES = {
    "two classes": ends(2, half_log(3)),
    "three classes": ends(3, half_log(2)),
    "ten classes": ends(10, half_log(9)),
    "thousand classes": ends(1000, half_log(400)),
    "large box": ends(5, half_log(10**300)),
    "zero box": ends(4, sp.Integer(0)),
    "soft labels": (vertex(4, half_log(5), 1, Fraction(3, 4), "highest"), vertex(4, half_log(5), 3, Fraction(2, 3))),
    "uniform label": (vertex(4, half_log(5), 2, Fraction(1, 4)),),
    "irrational weights": (vertex(6, sp.Integer(3), 1, aim="highest"),),
    "far inside": (vertex(6, sp.Integer(3), 2, edge=1),),
}
LEAST, LARGEST = vertex(3, 1, 1, aim="highest", edge=2), vertex(3, 1, 2, edge=2)
NO_LABEL = Classes(1, (Alike(1, -1, 2), Alike(1, 1, -1)))


def outside() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
    return exact(LARGEST), {"bounded-logits": LARGEST.met()}


PROPERTY = Property(
    slug="loss/loss-range",
    space=SPACE,
    check=check,
    exhibits=tuple(Exhibit(name, partial(exact, *cases)) for name, cases in CASES.items()),
    sharp={"low": "ten classes", "high": "ten classes", "width": "ten classes"},
    needs={"bounded-logits": Need(outside)},
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_needs_bounded_logits_at_each_end() -> None:
    assert not LEAST.met()
    assert checking.judged(PROPERTY, exact(LEAST))["low"].verdict == [VIOLATED]
    verdicts = checking.judged(PROPERTY, exact(LARGEST))
    assert all(verdicts[name].verdict == [VIOLATED] for name in ("high", "width"))


def test_needs_a_label_in_the_simplex() -> None:
    assert NO_LABEL.met()
    assert not NO_LABEL.is_label()
    verdicts = checking.judged(PROPERTY, exact(NO_LABEL))
    assert all(verdicts[name].verdict == [VIOLATED] for name in ("high", "width"))
    with pytest.raises(LabelNotInSimplex):
        check_labels(NO_LABEL.spread_out("label"), NO_LABEL.classes)


@pytest.mark.parametrize("case", [case for cases in CASES.values() for case in cases])
def test_exact_losses_are_those_of_impl(case: Classes) -> None:
    assert case.met()
    assert case.is_label()
    # Logits, labels and the exact loss enter as floats: each is off by u.
    found, error = losses(case.spread_out("logit")[None], case.spread_out("label")[None])
    given_ = 8 * float(case.B) * unit_roundoff(torch.float64)
    assert abs(found[0] - float(sp.N(case.loss, 30))) <= error[0] + given_ + gamma(1) * found[0]
