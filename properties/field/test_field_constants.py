"""The constants of the whole field, checked: fields of every shape between two states, and between two controls.

Extremal: equal tokens whose heads and hidden values all point one way (size, growth, control), a crossed pair of tokens
whose means and hidden values move one way (state).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import given

import spec
from impl.constants import NAMES, constants_of_class, constants_of_control, norms_rounded_up
from properties import checking
from properties.checking import Batch, Exhibit, Need, Property
from properties.depth.trained import stacked
from properties.descriptor import Descriptor
from properties.field.moving_heads import Head
from properties.field.operators import FOUR, GATHER, NEAR
from properties.field.perceptrons import Perceptron
from properties.field.whole_fields import FIELDS, Whole, fields, trained_fields
from properties.suite import suite


def check(descriptor: Descriptor) -> dict[str, Batch]:
    return fields(descriptor).batches()


def trained() -> dict[str, Batch]:
    return stacked([found.batches() for found in trained_fields()])


def number(value: int | str) -> sp.Rational:
    """Return a rational."""
    return sp.Rational(value)


def one(value: Any) -> tuple[tuple[Any, ...], ...]:
    """Return a block with one entry."""
    return ((value,),)


SMALL, STEP = number("1/1000"), number("1/10000000")
_R, _EQUAL = 3, ((3,), (3,), (3,))
_BLOCKS = ({"V": 2, "O": 5}, {"V": 7, "O": 3})
_MLP = {"W1": 4, "b1": 6, "W2": 11, "b2": 13}
_SLOPES = {"W1": 11 * _R, "b1": 11, "W2": 4 * _R + 6, "b2": 1}


def _equal(step: Any) -> Whole:
    """Return equal tokens in d = 1; each block has moved by the step times how fast it moves the field."""
    heads = tuple(
        Head(
            x=_EQUAL, Q=one(SMALL), K=one(SMALL), V=one(b["V"] - step * b["O"] * _R), O=one(b["O"] - step * b["V"] * _R)
        )
        for b in _BLOCKS
    )
    w1, b1, w2, b2 = (one(_MLP[name] - step * _SLOPES[name]) for name in ("W1", "b1", "W2", "b2"))
    return Whole(heads, Perceptron(x=_EQUAL, W1=w1, b1=b1, W2=w2, b2=b2))


EQUAL = replace(_equal(0), other=_equal(STEP))
"""Size and growth are reached; so is the control's constant, but for the small scores and the finite step."""


def _in_blocks() -> dict[str, Any]:
    """Return the constants of heads and perceptron in their blocks, at EQUAL."""
    n = len(_EQUAL)
    heads = [
        sp.sqrt(n) * _R * sp.sqrt(b["V"] ** 2 + b["O"] ** 2 + 2 * (b["V"] * b["O"] * SMALL * _R**2) ** 2)
        for b in _BLOCKS
    ]
    return {"L_head": heads, "L_mlp": sp.sqrt(n * sum(slope**2 for slope in _SLOPES.values()))}


_LONG, _TILT = 2, number("1/2000")
_A, _T = (_LONG * part / (1 + _TILT**2) for part in (1 - _TILT**2, 2 * _TILT))
CROSSED = Whole(
    heads=(
        Head(
            x=((_A, _T), (-_A, -_T)),
            Q=((5, 0), (0, 5), (0, 0), (0, 0)),
            K=((0, 1), (1, 0), (0, 0), (0, 0)),
            V=((2, 0), (0, 2), (0, 0), (0, 0)),
            O=((3, 0, 0, 0), (0, 3, 0, 0)),
        ),
    ),
    mlp=Perceptron(x=((_A, _T), (-_A, -_T)), W1=((0, 7),), b1=((1,),), W2=((5,), (0,)), b2=((0, 0),)),
    y=((_A, -_T), (-_A, _T)),
)
"""Tokens ±(a, t) and ±(a, −t): scores 5at of either sign move the means, and an open gate the MLP, along (1, 0)."""


def _of_means() -> dict[str, Any]:
    """Return the constant of the means at CROSSED."""
    theorem = spec.theorem("field/attention-lipschitz")
    return {"L_A": [theorem.evaluate("means", rho_Q=5, rho_K=1, d_k=4, R=_LONG, n=2)]}


STEEP = Whole(
    mlp=Perceptron(x=((3,), (3,)), W1=one(2), b1=one(sp.sqrt(2) - 6), W2=one(5), sigma="gelu"),
    y=((3 + SMALL,), (3 + SMALL,)),
)
"""GELU where it is steepest."""

OPPOSITE = Whole(
    heads=(Head(x=((10,), (-10,)), Q=one(1), K=one(number("1/1000000")), V=one(2), O=one(3)),),
    other=Whole(heads=(Head(x=((10,), (-10,)), Q=one(1), K=one(number("2/1000000")), V=one(2), O=one(3)),)),
)
"""K moves: scores near 0 drive opposite tokens apart."""


def _swapped(case: Whole) -> Whole:
    return replace(case, heads=tuple(replace(head, Q=head.K, K=head.Q) for head in case.heads))


QUERY = replace(_swapped(OPPOSITE), other=_swapped(OPPOSITE.other or OPPOSITE))
"""Q moves."""


def _only(V: int, O: int) -> Whole:  # noqa: E741 - the block's name
    return Whole(heads=(Head(x=((2,), (2,)), Q=one(SMALL), K=one(SMALL), V=one(V), O=one(O)),))


VALUE = replace(_only(1, 100), other=_only(2, 100))
OUTPUT = replace(_only(100, 1), other=_only(100, 2))
"""V moves, O moves, under equal tokens."""

ONE_TOKEN = Whole(
    heads=(Head(x=((3, 4),), Q=((1, 2),), K=((2, 1),), V=((1, 1),), O=((1,), (2,))),),
    y=((4, 3),),
)
ZERO = Whole(
    heads=(Head(x=((1,), (2,)), V=one(0)),), mlp=Perceptron(x=((1,), (2,)), W1=one(0), W2=one(0)), y=((2,), (2,))
)
_AXES = ((1, 0), (0, 1))
CAUSAL = Whole(
    heads=(Head(x=((1, 0), (0, 2)), Q=_AXES, K=((0, 1), (1, 0)), V=_AXES, visible=((1, 0), (1, 1))),),
    y=((0, 1), (2, 0)),
)
CASES = {
    "equal-tokens": EQUAL,
    "crossed-pair": CROSSED,
    "steepest-gelu": STEEP,
    "opposite-tokens": OPPOSITE,
    "opposite-tokens-query": QUERY,
    "value": VALUE,
    "output": OUTPUT,
    "one-token": ONE_TOKEN,
    "zero": ZERO,
    "causal": CAUSAL,
}
DERIVED: dict[str, Callable[[], dict[str, Any]]] = {"equal-tokens": _in_blocks, "crossed-pair": _of_means}


def _exhibit(name: str) -> Exhibit:
    return Exhibit(name, lambda: CASES[name].batches(**DERIVED.get(name, dict)()))


def _need(case: Whole, claim: str, **claimed: Any) -> Need:
    def build() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
        broken = replace(case, claimed=claimed)
        return broken.batches(claim), broken.met()

    return Need(build)


SHIFTED = Whole(mlp=Perceptron(x=((1,), (1,)), sigma="shifted"))
PROPERTY = Property(
    slug="field/field-constants",
    space=FIELDS,
    check=check,
    exhibits=tuple(map(_exhibit, CASES)),
    sharp={"bound": "equal-tokens", "growth": "equal-tokens", "control": "equal-tokens", "state": "crossed-pair"},
    needs={
        "visible-key": Need(undefined="the softmax over no key is 0/0; constructors refuse it, kernels return 0"),
        "query-ball": _need(OPPOSITE, "control", rho_Q=[number("1/2")]),
        "key-ball": _need(QUERY, "control", rho_K=[number("1/2")]),
        "score-ball": _need(CROSSED, "state", rho_A=[1]),
        "value-ball": _need(OUTPUT, "control", rho_V=[50], rho_O=[4]),
        "output-ball": _need(VALUE, "control", rho_O=[50], rho_V=[4]),
        "transfer-ball": _need(Whole(heads=(Head(x=((1,),), kinked=True),), y=NEAR), "state", rho_O=[2], rho_OV=[1]),
        "inward-ball": _need(Whole(mlp=Perceptron(x=((1,),), kinked="W1"), y=NEAR), "state", rho_W1=1),
        "outward-ball": _need(Whole(mlp=Perceptron(x=((1,),), kinked="W2"), y=NEAR), "state", rho_W2=1),
        "first-bias-ball": _need(EQUAL, "bound", beta_1=5),
        "second-bias-ball": _need(EQUAL, "bound", beta_2=12),
        "activation-lipschitz": _need(STEEP, "state", s_1=1),
        "activation-contracts": _need(SHIFTED, "bound"),
        "transfer-tokens": _need(Whole(heads=(Head(x=FOUR, O=GATHER),)), "growth", rho_O=[2], rho_OV=[1]),
        "inward-tokens": _need(Whole(mlp=Perceptron(x=FOUR, W1=GATHER)), "growth"),
        "outward-tokens": _need(Whole(mlp=Perceptron(x=FOUR, W2=GATHER)), "growth"),
    },
    real=trained,
)
TestTheorem = suite(PROPERTY)


def test_trained_fields_hold() -> None:
    judged = checking.judged(PROPERTY, trained())
    assert all(set(verdicts.verdict) == {checking.HOLDS} for verdicts in judged.values())


@given(FIELDS.strategy())
def test_constants_in_code_are_those_of_the_theorem(descriptor: Descriptor) -> None:
    found = fields(descriptor)
    radii = {name: norm.numpy() for name, norm in found.norms.items() if name not in ("OV", "A")}
    R, n = found.radius.numpy(), found.x.shape[-2]
    computed = constants_of_class(found.field, radii, R, n)
    for claim, name in {"bound": "M", "state": "L_x", "control": "L_theta"}.items():
        bounds = checking.judge(PROPERTY.theorem, PROPERTY.theorem.claim(claim), found.batches()[claim]).bound
        assert np.array_equal(computed[name], bounds)


@given(FIELDS.strategy())
def test_a_control_has_smaller_constants_than_its_class(descriptor: Descriptor) -> None:
    found = fields(descriptor)
    norms = norms_rounded_up(found.field.layout, found.theta)
    radii = {name: norm for name, norm in norms.items() if name not in ("OV", "A")}
    R, n = found.radius.numpy(), found.x.shape[-2]
    own, of_class = constants_of_control(found.field, found.theta, R, n), constants_of_class(found.field, radii, R, n)
    # Products err by 2γ_k‖·‖_F‖·‖_F, at most 2kγ_k <= 2^-43 of their factors' lengths (k <= 16); degree 3 at most.
    assert all((own[name] <= of_class[name] * (1 + 2.0**-40)).all() for name in NAMES)
