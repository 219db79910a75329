"""Descriptors: drawn the same way always, within their domains, read back as printed, shrunk towards the simple."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.descriptor import BadDescriptor, Choice, Descriptor, Integer, Real, Space, size

SPACE = Space(
    {
        "batch": Integer(4, 8),
        "C": size(2, 12, 200, 50257),
        "B": Real(0.05, 12, log=True),
        "tilt": Real(-1, 1),
        "kind": Choice(("random", "vertex", "aligned")),
    }
)


def test_the_same_key_draws_the_same() -> None:
    assert SPACE.sample("slug", 0, 3) == SPACE.sample("slug", 0, 3)
    drawn = {str(SPACE.sample("slug", seed, index)) for seed in range(3) for index in range(20)}
    assert len(drawn) == 60
    assert SPACE.sample("a", "bc") != SPACE.sample("ab", "c")


def test_draws_are_what_they_were() -> None:
    """A ledger's seed stands for its instances: another drawing would be another ledger."""
    assert str(Space({"n": Integer(0, 10**6)}).sample("pinned", 1)) == '{"n": 949081, "seed": 1062535442}'


@given(SPACE.strategy())
def test_strategies_draw_within_domains(descriptor: Descriptor) -> None:
    for name, domain in SPACE.domains.items():
        assert descriptor[name] in domain
    assert SPACE.parse(str(descriptor)) == descriptor


@given(st.integers(0, 10**6))
def test_samples_lie_within_domains_and_read_back(index: int) -> None:
    descriptor = SPACE.sample("slug", 0, index)
    for name, domain in SPACE.domains.items():
        assert descriptor[name] in domain
    again = SPACE.parse(str(descriptor))
    assert again == descriptor
    assert hash(again) == hash(descriptor)


def test_sizes_are_mostly_small_and_sometimes_large() -> None:
    drawn = np.array([SPACE.sample("sizes", i)["C"] for i in range(2000)])
    assert 0.86 <= (drawn <= 12).mean() <= 0.94  # 0.9 within four standard deviations, 4·√(0.09/2000) = 0.027, and ties
    assert (drawn > 200).any()
    assert drawn.min() == 2


def test_logarithmic_knobs_reach_every_decade() -> None:
    drawn = np.array([SPACE.sample("decades", i)["B"] for i in range(500)])
    assert ((drawn < 0.5).mean(), (drawn > 5).mean()) > (0.2, 0.1)
    assert drawn.min() >= 0.05
    assert drawn.max() <= 12


def test_streams_are_independent_of_each_other() -> None:
    descriptor = SPACE.sample("slug", 0, 0)
    first, again, other = (descriptor.generator(*key).random(4) for key in (("x",), ("x",), ("y",)))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
    assert descriptor.replaced(C=3).generator("x").random() != descriptor.generator("x").random()


def test_shapes_leave_continuous_knobs_out() -> None:
    descriptor = SPACE.sample("slug", 0, 0)
    assert SPACE.shape(descriptor) == SPACE.shape(descriptor.replaced(B=1.0, tilt=0.0))
    assert SPACE.shape(descriptor) != SPACE.shape(descriptor.replaced(batch=9))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda values: values.pop("C"), "C in"),
        (lambda values: values.pop("seed"), "a descriptor as"),
        (lambda values: values.update(C=1), "C in"),
        (lambda values: values.update(C=2.5), "C in"),
        (lambda values: values.update(C=True), "C in"),
        (lambda values: values.update(tilt=True), "tilt in"),
        (lambda values: values.update(B=100.0), "B in"),
        (lambda values: values.update(B=float("nan")), "B in"),
        (lambda values: values.update(B="1"), "B in"),
        (lambda values: values.update(kind="strange"), "kind in"),
        (lambda values: values.update(extra=1), "no such knob"),
        (lambda values: values.update(seed="x"), "a descriptor as"),
        (lambda values: values.update(seed=None), "a descriptor as"),
    ],
)
def test_wrong_descriptors_are_refused(change: object, complaint: str) -> None:
    values = json.loads(str(SPACE.sample("slug", 0, 0)))
    change(values)
    with pytest.raises(BadDescriptor, match=complaint):
        SPACE.parse(json.dumps(values))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '"x"', "{}"])
def test_what_is_no_descriptor_is_refused(text: str) -> None:
    with pytest.raises(BadDescriptor, match="a descriptor as"):
        SPACE.parse(text)


def test_simpler_ones_are_simpler() -> None:
    descriptor = SPACE.parse('{"B": 3.0, "C": 9, "batch": 6, "kind": "aligned", "tilt": 0.5, "seed": 1}')
    simpler = SPACE.smaller(descriptor)
    assert descriptor not in simpler
    assert all(d[name] in domain for d in simpler for name, domain in SPACE.domains.items())
    assert {d["C"] for d in simpler} == {9, 2, 5, 8}
    assert {d["kind"] for d in simpler} == {"aligned", "random", "vertex"}
    assert all(d.seed == 1 for d in simpler)
    least = SPACE.parse('{"B": 0.05, "C": 2, "batch": 4, "kind": "random", "tilt": -1, "seed": 1}')
    assert {(d["B"], d["tilt"]) for d in SPACE.smaller(least)} == {(12, -1), (0.05, 1)}


def test_knobs_with_bands_keep_to_them() -> None:
    banded = Integer(0, 100, ((3, 5, 1.0),))
    generator = np.random.Generator(np.random.Philox(key=1))
    assert {banded.sample(generator) for _ in range(100)} == {3, 4, 5}
    assert 100 in banded
    assert "3" not in banded
    assert Real(0, 1).smaller(0.5) == [0, 1]
    assert Choice(("a", "b")).smaller("a") == []
