"""The measured slopes of attention: against a loop, and their errors against the derivation, evaluated once more."""

import math

import mpmath
import pytest
import torch
from torch.func import jacrev

from impl.errors import FullyMaskedRow, ShapeMismatch
from impl.field.attention import causal
from impl.field.slopes import attention_slope, means_secant

DIRECTED = 1 + 2.0**-40
"""Some thousand roundings upwards, at most, on the way to an error."""
N, D, K, V = 4, 3, 2, 5
MASKS = pytest.mark.parametrize("mask", [None, causal(N)], ids=["all", "causal"])


def head(x, query, key, value, visible):
    """Attention of one state, token by token."""
    rows = []
    for i in range(N):
        scores = torch.stack([(query @ x[i]) @ (key @ x[j]) for j in range(N)]) / math.sqrt(K)
        seen = torch.ones(N, dtype=torch.bool) if visible is None else visible[i]
        weights = scores.exp() * seen
        rows.append(value @ (weights @ x) / weights.sum())
    return torch.stack(rows)


def blocks(draw):
    return draw(6, K, D), draw(6, K, D), draw(6, V, D)


def gamma(k):
    return k * mpmath.mpf(2) ** -53 / (1 - k * mpmath.mpf(2) ** -53)


def frobenius(block):
    return mpmath.norm(mpmath.matrix(block.flatten().tolist()))


def scores_and_weight(x, query, key):
    """``S`` and ``ζ`` of one state."""
    u, longest = mpmath.mpf(2) ** -53, max(frobenius(token) for token in x)
    size = frobenius(query) * frobenius(key) * longest**2 / mpmath.sqrt(K)
    delta = gamma(2 * D + K + 2) * size
    eta, few = delta + 2 * u * (size + delta), gamma(4 * 4 + 2 * N + 2)  # exp to within 4 units, twice
    return size, (mpmath.exp(2 * eta) * (1 + few) - 1), longest


@MASKS
def test_slope_is_the_largest_singular_value(draw, mask):
    x, (query, key, value) = draw(6, N, D), blocks(draw)
    norm, error = attention_slope(x, query, key, value, mask)
    other = attention_slope(x, key, query, value, mask)[0]
    assert norm.shape == error.shape == (6,)
    for i in range(6):
        jacobian = jacrev(head)(x[i], query[i], key[i], value[i], mask).reshape(N * V, N * D)
        exact = torch.linalg.matrix_norm(jacobian, 2)
        assert abs(norm[i] - exact) <= 2 * error[i]  # the loop errs by no more
        assert abs(other[i] - exact) > 2 * error[i]


@MASKS
def test_secant_is_that_of_the_means(draw, mask):
    x, y, (query, key, _) = draw(6, N, D), draw(6, N, D), blocks(draw)
    quotient, error = means_secant(x, y, query, key, mask)
    eye = torch.eye(D, dtype=torch.float64)
    for i in range(6):
        apart = head(x[i], query[i], key[i], eye, mask) - head(y[i], query[i], key[i], eye, mask)
        assert abs(quotient[i] - apart.norm() / (x[i] - y[i]).norm()) <= 2 * error[i]
        assert abs(quotient[i] - apart.norm()) > 2 * error[i]


def test_errors_are_those_of_the_derivation(draw):
    x, y, (query, key, value) = draw(6, N, D), 2 * draw(6, N, D), blocks(draw)
    norm, slope_error = attention_slope(x, query, key, value)
    quotient, secant_error = means_secant(x, y, query, key)
    with mpmath.workdps(40):
        for i in range(6):
            size, weight, _ = scores_and_weight(x[i], query[i], key[i])
            entries = (1 + weight) ** 2 * (1 + gamma(2 * D + 2 * N + K + V + 16)) - 1
            derived = entries * mpmath.sqrt(N) * frobenius(value[i]) * (1 + 4 * size)
            derived += float(norm[i]) * gamma(20 * N * max(V, D))
            assert derived <= float(slope_error[i]) <= derived * DIRECTED
            lost = mpmath.mpf(0)
            for state in (x[i], y[i]):
                _, weight, longest = scores_and_weight(state, query[i], key[i])
                lost += ((1 + weight) * (1 + gamma(N + 1)) - 1) * mpmath.sqrt(N) * longest
            derived = lost / frobenius(x[i] - y[i]) * (1 + gamma(2 * N * D + 8))
            derived += float(quotient[i]) * gamma(4 * N * D + 16)
            assert derived <= float(secant_error[i]) <= derived * DIRECTED


def test_what_does_not_fit_is_refused(draw):
    x, (query, key, value) = draw(6, N, D), blocks(draw)
    blind = causal(N)
    blind[2] = False
    attention_slope(x, query, key, value, causal(N))
    for wrong in (
        (x.float(), query, key, value, None),
        (x, query.float(), key, value, None),
        (x, query[..., :2], key[..., :2], value, None),
        (x, query, key, value.float(), None),
        (x, query[:, :1], key, value, None),
        (x, query, key, value, causal(N + 1)),
    ):
        with pytest.raises(ShapeMismatch):
            attention_slope(*wrong)
    with pytest.raises(ShapeMismatch, match=r"of width 3; found torch.float64 \(6, 2, 2\)"):
        attention_slope(x, query[..., :2], key[..., :2], value)
    with pytest.raises(ShapeMismatch, match=r"4 tokens; found \(5, 5\)"):
        attention_slope(x, query, key, value, causal(N + 1))
    with pytest.raises(FullyMaskedRow):
        attention_slope(x, query, key, value, blind)
    with pytest.raises(ShapeMismatch):
        means_secant(x, x, query, key, causal(N + 1))
