"""Attention is no longer than its longest value, checked: heads under every kind of mask, uniform to saturated.

Extremal: equal tokens along the longest singular vector of V, and a row that sees only the longest token.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from impl.errors import FullyMaskedRow
from impl.field.attention import Mask
from impl.field.measured import attention, longest
from impl.rounding import directed, gamma
from properties import checking
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Need, Property
from properties.depth.trained import stacked
from properties.descriptor import Descriptor
from properties.field.moving_heads import HEADS, Head, Heads, heads, trained_heads
from properties.suite import suite


def sizes(found: Heads) -> dict[str, Batch]:
    """Return the longest values and the longest means; these round as a field does whose O is the identity."""
    query, key, value = (found.blocks[name] for name in ("Q", "K", "V"))
    one, means = torch.ones_like(found.R), torch.eye(found.x.shape[-1], dtype=found.x.dtype)
    batches = {}
    for claim, block, radius in (("attention", value, found.radii["V"]), ("mixing", means[None, None], one)):
        size = longest(lambda x, block=block: attention(x, query, key, block, found.visible), found.x)  # type: ignore[misc]
        error = directed(found.rounding(V=radius, O=one) + size * gamma(block.shape[-2] + 2), 4)
        values = {"R": found.R.numpy(), "rho_V": found.radii["V"].numpy()}
        batches[claim] = Batch(size.numpy(), error.numpy(), values)
    return batches


def check(descriptor: Descriptor) -> dict[str, Batch]:
    return sizes(heads(descriptor))


def trained() -> dict[str, Batch]:
    return stacked([sizes(found) for found in trained_heads()])


EQUAL = Head(x=((3, 4), (3, 4), (3, 4)), V=((6, 8), (0, 0)), Q=((1, 0),), K=((0, 1),))
SHORT = sp.Rational(1, 2)
CASES = {
    "equal-tokens": EQUAL,
    "one-token": Head(x=((3, 4),), V=((3, 0), (0, 1)), Q=((1, 2),), K=((2, 1),)),
    "no-tokens-length": Head(x=((0, 0), (0, 0)), V=((3, 0), (0, 1)), Q=((1, 2),), K=((2, 1),)),
    "no-values": Head(x=((3, 4), (1, 2)), V=((0, 0),), Q=((SHORT, 0),), K=((0, SHORT),)),
    "one-key": Head(x=((3, 4), (1, 0)), V=((3, 4),), Q=((1, 2),), K=((2, 1),), visible=((1, 0), (1, 1))),
    "opposite-tokens": Head(x=((2,), (-2,)), Q=((0,),), K=((5,),), V=((3,),)),
    "saturated": Head(x=((2,), (-2,)), Q=((2,),), K=((2,),), V=((3,),)),
    "looking-away": Head(x=((2,), (-2,)), Q=((2,),), K=((-2,),), V=((3,),)),
    "rank-one": Head(x=((1, 0), (0, 1), (1, 1)), Q=((1, 1),), K=((1, -1),), V=((1, 2), (2, 4))),
    "wide-head": Head(x=((1,), (SHORT,)), Q=((1,), (2,)), K=((1,), (1,)), V=((3,), (4,))),
}

PROPERTY = Property(
    slug="field/attention-bounded",
    space=HEADS,
    check=check,
    family="heads",
    exhibits=tuple(Exhibit(name, case.sizes) for name, case in CASES.items()),
    sharp={"attention": "equal-tokens", "mixing": "equal-tokens"},
    needs={
        "visible-key": Need(undefined="the softmax over no key is 0/0; constructors refuse it, kernels return 0"),
        "value-ball": Need(lambda: (_short_ball().sizes(), _short_ball().met())),
    },
    real=trained,
)
TestTheorem = suite(PROPERTY)


def _short_ball() -> Head:
    return replace(EQUAL, claimed={"rho_V": 9})


def test_a_query_that_sees_no_key_is_refused() -> None:
    blind = torch.tensor([[True, False], [False, False]])
    with pytest.raises(FullyMaskedRow, match=r"\[1\]"):
        Mask(blind)
    one = torch.ones(1, 2, 1, dtype=torch.float64)
    assert attention(one, *(one[:, :1],) * 3, blind).flatten().tolist() == [1.0, 0.0]


def test_exact_heads_are_what_the_kernel_computes() -> None:
    for name, case in CASES.items():
        query, key, value = (torch.tensor(np.array(case.block(b), dtype=float)) for b in "QKV")
        x = torch.tensor(np.array(sp.Matrix(case.x), dtype=float))
        seen = torch.tensor(case.visible, dtype=torch.bool) if case.visible else None
        wanted = np.array(case.values().evalf(20), dtype=float)
        # Numbers below 200, made by fewer than 100 roundings: 2e4 units of 2^-53 leave a factor of 2^-38.
        assert np.abs(attention(x, query, key, value, seen).numpy() - wanted).max() < 2.0**-38, name


def test_holds_on_trained_transformers() -> None:
    found = checking.judged(PROPERTY, trained())
    assert set(found["attention"].verdict) == {HOLDS}
    assert INFORMATIVE < max(found["attention"].ratio) < 1
    # Trained heads saturate: a mean may be the longest token itself but for its rounding.
    assert VIOLATED not in found["mixing"].verdict
    assert found["mixing"].verdict.count(HOLDS) > len(found["mixing"].verdict) / 2
