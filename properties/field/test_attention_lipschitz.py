"""Attention's Lipschitz constant, checked: heads near every extremal family that is known, under five kinds of masks.

Extremal: two opposite tokens whose queries look across (the norm is 2sρ_V), and rows that all see one key (√n ρ_V).
What a search that knows no bound finds lies below, and far below the published constant.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import sympy as sp
import torch
from torch import Tensor

from impl.field.norms import block_norms, spectral
from impl.field.slopes import attention_slope, means_secant
from impl.flow import transformer
from impl.rounding import directed, singular_value_rounding
from properties import checking, digits
from properties.checking import VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor
from properties.field.heads import (
    FORM,
    HEAD,
    SPACE,
    VALUE,
    Exact,
    Floats,
    ball,
    crossed_norm,
    crossed_secant,
    head,
    radius,
    rank_one_norm,
    visible,
)
from properties.field.search import all_visible, causal, random_mask, search_attention
from properties.suite import suite


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Measure the derivative of every head, and a secant of its means from x to a state nearby."""
    x, query, key, value = head(descriptor)
    mask = visible(descriptor)
    generator = descriptor.generator("secant")
    y = x + descriptor["step"] * descriptor["R"] * torch.from_numpy(generator.normal(size=x.shape))
    blocks = {
        "rho_Q": ball(query), "rho_K": ball(key), "d_k": descriptor["d_k"], "n": descriptor["n"],
    }  # fmt: skip
    slope, error = attention_slope(x, query, key, value, mask)
    secant, secant_error = means_secant(x, y, query, key, mask)
    moving = {**blocks, "R": radius(x), "rho_V": ball(value)}
    measured = Batch(slope.numpy(), error.numpy(), moving)
    return {
        **dict.fromkeys(("attention", "closed-form", "published"), measured),
        "means": Batch(secant.numpy(), secant_error.numpy(), {**blocks, "R": radius(x, y)}),
    }


def _slopes(*rows: tuple[Exact, int, Exact]) -> Batch:
    """Return exact norms at ρ_V = 1, with n and R, as a batch with ρ_V = 5/2."""
    measured, n, R = zip(*rows, strict=True)
    exact = [VALUE * sp.sympify(norm) for norm in measured]
    return Batch(exact, [0] * len(rows), {**HEAD, "rho_V": VALUE, "n": list(n), "R": list(R)})


def _secants(*rows: tuple[Exact, int, Exact]) -> Batch:
    measured, n, R = zip(*rows, strict=True)
    return Batch([sp.sympify(m) for m in measured], [0] * len(rows), {**HEAD, "n": list(n), "R": list(R)})


_CLAIMS = ("attention", "closed-form", "published")


def _exhibit(slopes: Batch, secants: Batch) -> dict[str, Batch]:
    return {**dict.fromkeys(_CLAIMS, slopes), "means": secants}


def _one_key() -> dict[str, Batch]:
    rows = tuple((sp.sqrt(n), n, R) for n in (1, 2, 64, 1024) for R in (0, Fraction(1, 5), Fraction(9, 20)))
    return _exhibit(_slopes(*rows), _secants(*rows))


def _crossed_pair() -> dict[str, Batch]:
    near, far = Fraction(63, 40), Fraction(7, 4)
    rows = {"attention": near, "closed-form": far}
    slopes = {claim: _slopes((crossed_norm(R), 2, R)) for claim, R in rows.items()}
    return {**slopes, "means": _secants((crossed_secant(near, Fraction(1, 2000)), 2, near))}


def _crossed_far() -> dict[str, Batch]:
    radii = (1, 3, 10, 100)
    slopes = _slopes(*((crossed_norm(R), 2, R) for R in radii))
    return _exhibit(slopes, _secants(*((crossed_secant(R, Fraction(1, 10**6)), 2, R) for R in radii)))


def _two_tokens_one_key() -> dict[str, Batch]:
    return {"published": _slopes((sp.sqrt(2), 2, Fraction(142, 250)))}


def _same_everywhere() -> dict[str, Batch]:
    rows = ((1, 3, 2), (1, 8, 0), (1, 1, 0))
    return _exhibit(_slopes(*rows), _secants(*rows))


def _rank_one() -> dict[str, Batch]:
    norms = tuple((rank_one_norm(R, sign), 2, R) for R in (Fraction(1, 2), 1, 5) for sign in (1, -1))
    return dict.fromkeys(_CLAIMS, _slopes(*norms))


EXHIBITS = (
    Exhibit("crossed-far", _crossed_far),
    Exhibit("one-key", _one_key),
    Exhibit("crossed-pair", _crossed_pair),
    Exhibit("two-tokens-one-key", _two_tokens_one_key),
    Exhibit("equal-tokens-or-zero-radius", _same_everywhere),
    Exhibit("rank-one", _rank_one),
)


def _looser_scores() -> tuple[dict[str, Batch], dict[str, bool]]:
    """Return a crossed pair of s = 20 whose product QᵀK is claimed to be 100 times smaller; V = I."""
    values = {"rho_A": Fraction(1, 5), "R": 1, "n": 2, "rho_V": 1}
    return {"attention": Batch([40], [0], values)}, {"visible-key": True, "value-ball": True}


def _longer_values() -> tuple[dict[str, Batch], dict[str, bool]]:
    """Return two rows that see one key: V doubles it, and is claimed to keep its length; Q = K = 0."""
    values = {"rho_A": 0, "R": 1, "n": 2, "rho_V": 1}
    return {"attention": Batch([2 * sp.sqrt(2)], [0], values)}, {"visible-key": True, "score-ball": True}


NEEDS = {
    "visible-key": Need(undefined="a row without a visible key has no softmax, and no mean to differentiate"),
    "score-ball": Need(_looser_scores),
    "value-ball": Need(_longer_values),
}


def _digits_heads() -> Iterator[tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]]:
    """Yield states, blocks and norms of every head at the states that two images reach before it."""
    for net in digits.both():
        x, recipe = net.inputs[:2], net.recipe
        blocks, norms = recipe.layout.unpack(net.layers), block_norms(recipe.layout, net.layers)
        for k in range(recipe.K):
            for h in range(recipe.heads):
                of_head = {name: blocks[name][k, h] for name in ("Q", "K", "V")}
                yield x, of_head, {name: norms[name][k, h] for name in ("A", "V")}
            x = transformer(net.field, net.layers[k : k + 1], None, x, 1, recipe.T / recipe.K)


def real() -> dict[str, Batch]:
    """Measure every head of the trained Transformers, with the norms and the radius that it has."""
    columns: dict[str, list[Floats]] = {name: [] for name in ("slope", "error", "rho_A", "rho_V", "R")}
    allowance = singular_value_rounding(16, 16, torch.float64)
    for x, blocks, norms in _digits_heads():
        query, key, value = (blocks[name].expand(len(x), -1, -1) for name in ("Q", "K", "V"))
        slope, error = attention_slope(x, query, key, value)
        # Entries of QᵀK are sums of 8 products: besides, its norm errs by γ_8 ‖Q‖_F‖K‖_F ≤ 8γ_8 ‖Q‖‖K‖ at most.
        product = allowance * float(spectral(blocks["Q"]) * spectral(blocks["K"]))
        rho_A = directed(norms["A"] * (1 + allowance) + product, 8)
        rho_V = directed(norms["V"] * (1 + allowance), 8)
        for name, column in (("slope", slope), ("error", error), ("rho_A", rho_A), ("rho_V", rho_V)):
            columns[name].append(np.asarray(column.expand(len(x)).numpy()))
        columns["R"].append(radius(x))
    found = {name: np.concatenate(column) for name, column in columns.items()}
    values = {**{name: found[name] for name in ("rho_A", "rho_V", "R")}, "n": digits.TOKENS}
    return dict.fromkeys(_CLAIMS, Batch(found["slope"], found["error"], values))


PROPERTY = Property(
    slug="field/attention-lipschitz",
    space=SPACE,
    check=check,
    exhibits=EXHIBITS,
    sharp={
        "attention": "crossed-pair",
        "closed-form": "crossed-pair",
        "published": "two-tokens-one-key",
        "means": "crossed-pair",
    },
    needs=NEEDS,
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_needs_compactness() -> None:
    """At x = (0, r), Q = K = V = 1, the first token's own derivative is ½ + r²/4: K_1 is not enough for r = 10."""
    states = torch.tensor([[[0.0], [10.0]]], dtype=torch.float64)
    one = torch.ones(1, 1, 1, dtype=torch.float64)
    norm, error = attention_slope(states, one, one, one)
    assert float(norm + error) >= 0.5 + 100 / 4
    values = {"rho_Q": 1, "rho_K": 1, "d_k": 1, "n": 2, "rho_V": 1}
    for R, verdict in ((1, VIOLATED), (10, checking.HOLDS)):
        batch = Batch(norm.numpy(), error.numpy(), {**values, "R": R})
        assert checking.judged(PROPERTY, {"attention": batch})["attention"].verdict == [verdict]


def _pair(R: float, width: int) -> Tensor:
    return R * torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]], dtype=torch.float64)[..., :width]


def test_exhibits_are_what_is_measured() -> None:
    """The closed forms of the exhibits are the norms that automatic differentiation finds."""
    eye = torch.eye(2, dtype=torch.float64)[None]
    across = float(FORM) * sqrt(2) * eye.flip(-1)  # over √d_k: 7/3 (efᵀ + feᵀ)
    for R in (0.6, 0.8, 1.0):
        norm, error = attention_slope(_pair(R, 2), across, eye, eye)
        assert abs(float(norm) - float(crossed_norm(R))) <= float(error) + 1e-15 * float(crossed_norm(R))
        for sign in (1, -1):
            form = torch.full((1, 1, 1), sign * float(FORM), dtype=torch.float64)
            norm, error = attention_slope(_pair(R, 1), form, torch.ones_like(form), torch.ones_like(form))
            exact = float(rank_one_norm(sp.Float(R), sign))
            assert abs(float(norm) - exact) <= float(error) + 1e-14 * exact
            assert abs(float(norm) - float(rank_one_norm(sp.Float(1.01 * R), sign))) > 1e-6


def test_definition_is_the_derivative() -> None:
    """Row i of D_x mix(x) Δ is Σ_j P_ij(Δ_j + (x_j − mix_i)σ'_ij), σ' the scores' derivative; without mix_i not."""
    generator = torch.Generator().manual_seed(0)
    x, step, query, key = torch.randn(4, 5, 3, generator=generator, dtype=torch.float64)
    visible = causal(5)

    def means(state: Tensor) -> Tensor:
        scores = (state @ query.mT) @ (state @ key.mT).mT / sqrt(5)
        return scores.masked_fill(~visible, -torch.inf).softmax(-1) @ state

    scores = (x @ query.mT) @ (x @ key.mT).mT / sqrt(5)
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    moved = ((step @ query.mT) @ (x @ key.mT).mT + (x @ query.mT) @ (step @ key.mT).mT) / sqrt(5)
    exact = torch.einsum("idkl,kl->id", torch.func.jacrev(means)(x), step)
    for centre, same in ((weights @ x, True), (torch.zeros_like(x), False)):
        offsets = x[None] - centre[:, None]
        found = weights @ step + torch.einsum("ij,ijd,ij->id", weights, offsets, moved)
        # Two ways to sum some 10² products of numbers below 10: they differ by rounding only.
        assert torch.allclose(found, exact, rtol=0, atol=1e-12) is same


_SEARCHES = (
    (2, 10.0, "all", 0.99),
    (3, 5.0, "all", 0.9),
    (4, 0.6, "causal", 0.7),
    (8, 1.0, "all", 0.7),
    (8, 1.5, "random", 0.5),
)


@pytest.mark.parametrize(("n", "s", "mask", "reached"), _SEARCHES)
def test_search_stays_below(n: int, s: float, mask: str, reached: float) -> None:
    """What search finds, knowing no bound, lies below the theorem's and reaches a share of it, less of the other."""
    seen = {"all": all_visible(n), "causal": causal(n), "random": random_mask(n, 0)}[mask]
    _, found = search_attention(n, 3, s, seen, restarts=12, steps=60, seed=0)
    query, key = sqrt(3) * found.scores.mT[None], torch.eye(3, dtype=torch.float64)[None]
    norm, error = attention_slope(found.tokens[None], query, key, key, seen)
    values = {"rho_Q": ball(query), "rho_K": 1, "d_k": 3, "n": n, "R": radius(found.tokens[None]), "rho_V": 1}
    batch = Batch(norm.numpy(), error.numpy(), values)
    judged = checking.judged(PROPERTY, {"attention": batch, "published": batch})
    assert all(v.verdict == [checking.HOLDS] for v in judged.values())
    share = sqrt((7 * n + 4) / (3 * (7 * n + 2)))  # of the published constant: the claim's bound
    assert share * judged["published"].ratio[0] < reached <= judged["attention"].ratio[0]
