"""The softmax residual on the box, checked: one vector of logits, and the mean over labelled tokens.

Boxes from tiny to beyond the range of exponentials, 2 to 50257 classes, labels one class, smoothed or soft. Extremal:
vertices with the label at the bottom and one, few or all other logits at the top.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import numpy as np
import pytest
import sympy as sp
import torch
from torch import Tensor

from impl.errors import LabelNotInSimplex
from impl.readout import check_labels, residual, token_residual
from impl.rounding import directed, gamma
from properties import checking
from properties.checking import VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor, Space, size
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
    share_rounding,
    vertex,
)  # fmt: skip
from properties.suite import suite
from spec.language.ball import Ball
from spec.language.functions import MaxOver

SPACE = Space({**KNOBS, **LABELS, "n": size(1, 4, 8, 16)})


def sizes(logits: Tensor, gradient: Tensor, roots: Floats) -> tuple[Floats, Floats]:
    """Return norms of residuals and their error; `roots` is √n_lab, by which that of the shares is divided.

    A residual errs by the relative error z of its share, |softmax| ≤ 1, by the defect of the label's sum, at most
    γ_{C+2}, and by the subtraction and the division by n_lab; the norm by a relative γ of half its terms and a root.
    """
    C, terms = logits.shape[-1], gradient[0].numel()
    found = gradient.flatten(1).norm(dim=1)
    each = torch.from_numpy((share_rounding(logits) + 2 * gamma(C + 2)) / roots)
    return found.numpy(), directed(each + found * gamma(terms + 8), 16).numpy()


def check(descriptor: Descriptor) -> dict[str, Batch]:
    boxes = drawn(descriptor, descriptor["n"])
    logits, label = boxes.logits, labels(descriptor, boxes.logits)
    generator, (count, n, C) = descriptor.generator("labelled"), logits.shape
    n_lab = generator.integers(1, n + 1, count)
    labelled = torch.from_numpy(generator.random((count, n)).argsort(-1) < n_lab[:, None])
    box = {"B": boxes.B, "C": C}
    one = sizes(logits[:, :1], residual(logits[:, 0], label[:, 0]), np.ones(count))
    mean = sizes(logits, token_residual(logits, label, labelled), np.sqrt(n_lab))
    return {
        "residual": Batch(*one, box),
        "closed-form": Batch(*one, box),
        "token-level": Batch(*mean, box | {"n_lab": n_lab}),
    }


def exact(*cases: Classes, n_lab: int = 1) -> dict[str, Batch]:
    """Return every claim's batch; n_lab tokens carry the same logits and label."""
    one = batch(list(cases), [sp.sqrt(c.square) for c in cases])
    tokens = [sp.sqrt(n_lab * c.square) / n_lab for c in cases]
    return {"residual": one, "closed-form": one, "token-level": batch(list(cases), tokens, n_lab=n_lab)}


def real() -> dict[str, Batch]:
    """Return the residuals of the trained Transformers' logits, and their mean over groups of eight images."""
    single: list[Any] = []
    grouped: list[Any] = []
    for B, logits, label in of_digits():
        single.append((B, *sizes(logits, residual(logits, label), np.ones(len(logits)))))
        tokens, classes = (t[: len(t) // 8 * 8].unflatten(0, (-1, 8)) for t in (logits, label))
        mean = token_residual(tokens, classes, torch.ones_like(classes, dtype=torch.bool))
        grouped.append((B, *sizes(tokens, mean, np.full(len(tokens), 8**0.5))))
    one = joined(single)
    return {"residual": one, "closed-form": one, "token-level": joined(grouped, n_lab=8)}


def joined(parts: list[tuple[float, Floats, Floats]], **values: int) -> Batch:
    """Return one batch of several with a box each."""
    B = np.concatenate([np.full(len(measured), box) for box, measured, _ in parts])
    measured, error = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
    return Batch(measured, error, {"B": B, "C": 10, **values})


# The number of logits at the top that is worst: all others in small boxes, a few between, one in large ones.
SHARP = vertex(4, half_log(4), 2)
WORST = {
    "two classes": vertex(2, half_log(3), 1),
    "small box": vertex(4, half_log(Fraction(3, 2)), 3),
    "two at the top": SHARP,
    "one at the top": vertex(5, half_log(50), 1),
    "ten classes": vertex(10, half_log(7), 2),
}
OTHERS = {
    "zero box": vertex(3, 0, 1),
    "zero box, two classes": vertex(2, 0, 1),
    "thousand classes": vertex(1000, 2, 7),
    "thousand classes, large box": vertex(1000, 10, 2),
    "large box, two classes": vertex(2, 12, 1, edge=11),
    "soft label": vertex(4, half_log(9), 1, Fraction(3, 4)),
    "uniform label": vertex(3, half_log(3), 2, Fraction(1, 3)),
    "label at the top": vertex(6, 1, 1, aim="highest"),
    "far inside": vertex(5, 3, 2, edge=1),
}
OUTSIDE = vertex(2, 1, 1, edge=2)
NO_LABEL = Classes(1, (Alike(1, -1, 2), Alike(1, 1, -1)))


def outside() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
    return exact(OUTSIDE, n_lab=4), {"bounded-logits": OUTSIDE.met()}


PROPERTY = Property(
    slug="loss/gradient-bound",
    space=SPACE,
    check=check,
    exhibits=(
        *(Exhibit(name, partial(exact, case)) for name, case in {**WORST, **OTHERS}.items()),
        Exhibit("three labelled tokens", partial(exact, SHARP, n_lab=3)),
    ),
    sharp={"residual": "two at the top", "closed-form": "two classes", "token-level": "three labelled tokens"},
    needs={"bounded-logits": Need(outside)},
    real=real,
)
TestTheorem = suite(PROPERTY)


@pytest.mark.parametrize("name", WORST)
def test_the_worst_vertices_reach_the_bound(name: str) -> None:
    assert checking.judged(PROPERTY, exact(WORST[name]))["residual"].ratio == [1.0]


def test_needs_a_label_in_the_simplex() -> None:
    assert NO_LABEL.met()
    assert not NO_LABEL.is_label()
    assert all(v.verdict == [VIOLATED] for v in checking.judged(PROPERTY, exact(NO_LABEL)).values())
    with pytest.raises(LabelNotInSimplex):
        check_labels(NO_LABEL.spread_out("label"), NO_LABEL.classes)


@pytest.mark.parametrize("case", [*WORST.values(), *OTHERS.values()])
def test_exact_residuals_are_those_of_impl(case: Classes) -> None:
    assert case.met()
    assert case.is_label()
    logits = case.spread_out("logit")[None]
    found, error = sizes(logits, residual(logits, case.spread_out("label")[None]), np.ones(1))
    assert abs(found[0] - float(sp.N(sp.sqrt(case.square), 30))) <= error[0] + 1e-15 * found[0]


def loop(C: int, B: Fraction) -> Any:
    """Return the largest residual over all numbers of logits at the top, one by one."""
    kappa = (-2 * flint.arb(flint.fmpq(B.numerator, B.denominator))).exp()
    floors = (m + (C - m) * kappa for m in range(1, C))
    values = [1 + (1 - kappa) / floor - C * kappa / floor**2 for floor in floors]
    largest = values[0]
    for value in values[1:]:
        largest = largest.max(value)
    return largest.sqrt()


SIDES = [Fraction(0), Fraction(1, 10**6), *(Fraction(3**k, 200) for k in range(11))]
"""Half sides of boxes, from nothing to 295."""


def test_two_integers_are_enough_for_the_largest_residual() -> None:
    for C in (*range(2, 32), *range(32, 201, 7), 200):
        for B in SIDES:
            bound = PROPERTY.theorem.evaluate("residual", C=C, B=B)
            assert bound.arb.overlaps(loop(C, B)), (C, B)


def test_a_wrong_peak_is_not_enough() -> None:
    squares = PROPERTY.theorem.unfolded(PROPERTY.theorem.claim("residual").bound)
    (node,) = squares.atoms(MaxOver)
    wrong = sp.sqrt(MaxOver(*node.args[:4], node.args[4] / 2, node.args[5]))
    bounds = [(PROPERTY.theorem.evaluate_expression(wrong, {"C": 50, "B": B}), loop(50, B)) for B in SIDES]
    assert any(Ball(found.arb).upper < Ball(value).lower for found, value in bounds)
