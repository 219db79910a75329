"""The measured sides of the field's theorems, against loops, known maps and 40 digits."""

import math

import mpmath
import pytest
import torch

from impl.errors import UnknownActivation
from impl.field.activation import ACTIVATIONS, activation
from impl.field.attention import causal
from impl.field.layout import Layout
from impl.field.measured import (
    SLOPE_ROUNDINGS,
    attention,
    longest,
    quotient,
    quotient_rounding,
    scores,
    size,
    slope,
    slope_rounding,
)
from impl.field.transformer import TransformerField
from impl.rounding import unit_roundoff

ROUNDED = 2.0**-44
"""Sums of fewer than 100 terms of size at most 10, several times over, in float64."""


def looped(x, query, key, value, visible):
    """Attention of one instance, token by token."""
    rows = []
    for i in range(len(x)):
        scores = torch.stack([query @ x[i] @ (key @ x[j]) for j in range(len(x))]) / math.sqrt(len(query))
        seen = visible[i] if visible is not None else torch.ones(len(x), dtype=torch.bool)
        weights = torch.where(seen, scores.exp(), 0)
        rows.append(value @ (weights @ x) / weights.sum())
    return torch.stack(rows)


@pytest.mark.parametrize("mask", [None, causal(4)], ids=["all", "causal"])
@pytest.mark.parametrize("v", [1, 3, 7])
def test_attention_is_a_softmax_mean_of_values(draw, mask, v):
    x, query, key, value = draw(5, 4, 2), draw(5, 3, 2), draw(5, 3, 2), draw(5, v, 2)
    found = attention(x, query, key, value, mask)
    wanted = torch.stack([looped(*blocks, mask) for blocks in zip(x, query, key, value, strict=True)])
    assert found.shape == (5, 4, v)
    assert float((found - wanted).abs().max()) < ROUNDED
    assert float((attention(x, key, query, value, mask) - wanted).abs().max()) > 1e-2


def test_attention_is_what_the_field_computes(draw):
    layout = Layout(3, 1, 3, 0)
    theta, x = draw(5, layout.parameter_count), draw(5, 4, 3)
    blocks = {name: block[:, 0] for name, block in layout.unpack(theta).items()}
    means = attention(x, blocks["Q"], blocks["K"], torch.eye(3, dtype=torch.float64).expand(5, 3, 3), causal(4))
    wanted = TransformerField(layout, mask=causal(4))(x, theta)
    assert float((means @ (blocks["O"] @ blocks["V"]).mT - wanted).abs().max()) < ROUNDED


def test_scores_are_scaled_products_of_queries_and_keys(draw):
    x, query, key = draw(2, 4, 2), draw(2, 3, 2), draw(2, 3, 2)
    pairs = [
        [abs(float(query[b] @ x[b, i] @ (key[b] @ x[b, j]))) for i in range(4) for j in range(4)] for b in range(2)
    ]
    wanted = torch.tensor([max(products) / math.sqrt(3) for products in pairs], dtype=torch.float64)
    assert float((scores(x, query, key) - wanted).abs().max()) < ROUNDED
    assert float((scores(x, query, 2 * key) - wanted).abs().min()) > 1e-2


def test_norms_are_those_of_all_entries_and_of_the_longest_token():
    x = torch.tensor([[[3.0, 4.0], [0.0, 12.0]]], dtype=torch.float64)
    assert size(lambda s: s, x).tolist() == [13.0]
    assert longest(lambda s: s, x).tolist() == [12.0]


def test_quotients_of_linear_maps_are_gains(draw):
    a, b = draw(6, 3, 2), draw(6, 3, 2)
    turn = torch.tensor([[0.0, -2.0], [2.0, 0.0]], dtype=torch.float64)
    gains = quotient(lambda s: s @ turn, a, b)
    bound = quotient_rounding(gains, torch.zeros(6, dtype=torch.float64), (a - b).flatten(1).norm(dim=1), 12)
    assert bool(((gains - 2).abs() <= bound).all())
    assert bool((bound < ROUNDED).all())
    assert bool(((quotient(lambda s: s @ turn + s, a, b) - 2).abs() > bound).all())
    assert bool(quotient(lambda s: s, a, a).isnan().all())


def test_errors_of_values_are_divided_by_the_distance():
    one = torch.ones(1, dtype=torch.float64)
    assert float(quotient_rounding(0 * one, 1e-10 * one, 1e-3 * one, 4)) == pytest.approx(1e-7, rel=1e-12, abs=0)


SLOPES = {
    "tanh": lambda a: mpmath.sech(a) ** 2,
    "gelu": lambda a: mpmath.ncdf(a) + a * mpmath.npdf(a),
    "gelu-tanh": lambda a: gated(a, mpmath.sqrt(2 / mpmath.pi) * (a + mpmath.mpf(0.044715) * a**3),
                                 mpmath.sqrt(2 / mpmath.pi) * (1 + 3 * mpmath.mpf(0.044715) * a**2)),
    "silu": lambda a: gated(a, a / 2, mpmath.mpf(1) / 2),
    "relu": lambda a: mpmath.mpf(a > 0),
}  # fmt: skip


def gated(a, gate, rate):
    """Slope of ``½ a (1 + tanh q(a))`` from ``q`` and ``q'``."""
    return (1 + mpmath.tanh(gate)) / 2 + a * rate * mpmath.sech(gate) ** 2 / 2


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_err_by_few_roundings(draw, name):
    scale = torch.logspace(-6, 2, 400, dtype=torch.float64)
    points = torch.cat([scale, -scale, 4 * draw(400)])
    found, bound = slope(activation(name), points), slope_rounding(points)
    with mpmath.workdps(40):
        exact = [abs(SLOPES[name](mpmath.mpf(float(a)))) for a in points]
        errors = [float(abs(mpmath.mpf(float(f)) - e)) for f, e in zip(found, exact, strict=True)]
    assert all(error <= allowed for error, allowed in zip(errors, bound.tolist(), strict=True))
    crude = SLOPE_ROUNDINGS * unit_roundoff(torch.float32)
    assert not all(error + crude <= allowed for error, allowed in zip(errors, bound.tolist(), strict=True))


def test_a_slope_of_an_unknown_activation_is_refused():
    with pytest.raises(UnknownActivation, match="softplus"):
        slope(activation("softplus"), torch.ones(1, dtype=torch.float64))
