"""Every kind of check lets the good through and names condition, value and way out of the bad."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from impl.checks import (
    require_choice,
    require_count,
    require_distributions,
    require_finite,
    require_finite_buffer,
    require_number,
    require_numbers,
    require_probability,
    require_real_floating,
)
from impl.errors import DegenerateGrid, NotFinite, NotRealFloating, ShapeMismatch, UnknownChoice
from spec.language.errors import OutOfRange

META = torch.zeros(2, device="meta")


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_of_every_integral_type_are_counts(value):
    found = require_count("K", value, 3)
    assert (found, type(found)) == (3, int)


@pytest.mark.parametrize("value", [2, -1, 3.0, 3.5, math.nan, True, np.bool_(True), "3", None, [3], Fraction(3)])
def test_what_is_no_count_is_refused(value):
    with pytest.raises(OutOfRange, match="an integer K >= 3; found"):
        require_count("K", value, 3)
    with pytest.raises(DegenerateGrid):
        require_count("K", value, 3, error=DegenerateGrid)


@pytest.mark.parametrize("value", [0.5, Fraction(1, 2), np.float32(0.5), np.array([0.5]), torch.tensor(0.5)])
def test_real_numbers_of_every_type_are_numbers(value):
    assert require_number("s", value, 0.0, 0.5, ends="(]") == 0.5
    assert require_probability("delta", value) == 0.5


@pytest.mark.parametrize("value", [math.nan, "0.5", 0.5j, True, None, np.zeros(2), torch.zeros(2), META, META[0]])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(OutOfRange):
        require_number("s", value)


@pytest.mark.parametrize(
    ("ends", "inside"), [("[]", {0.0, 1.0}), ("[)", {0.0}), ("(]", {1.0}), ("()", set())], ids=lambda x: str(x)
)
def test_ends_belong_to_an_interval_as_written(ends, inside):
    for value in (0.0, 1.0):
        if value in inside:
            assert require_number("s", value, 0.0, 1.0, ends=ends) == value
            assert require_numbers("s", [value], 0.0, 1.0, ends=ends) == value
        else:
            with pytest.raises(OutOfRange):
                require_number("s", value, 0.0, 1.0, ends=ends)
            with pytest.raises(OutOfRange):
                require_numbers("s", [value], 0.0, 1.0, ends=ends)


@pytest.mark.parametrize(
    ("low", "high", "ends", "text"),
    [
        (0.0, math.inf, "[)", "a finite T >= 0;"),
        (0.0, math.inf, "[]", "needs T >= 0;"),
        (0.0, 1.0, "()", "needs 0 < T < 1;"),
        (-math.inf, 1.0, "(]", "needs T <= 1;"),
        (-math.inf, math.inf, "()", "a finite T;"),
    ],
)
def test_intervals_are_written_as_conditions(low, high, ends, text):
    with pytest.raises(OutOfRange, match=text):
        require_number("T", math.nan, low, high, ends=ends)


def test_infinity_passes_only_as_an_end_that_belongs():
    assert require_number("R", math.inf, 0.0, ends="[]") == math.inf
    with pytest.raises(OutOfRange, match="a finite R >= 0"):
        require_number("R", math.inf, 0.0, ends="[)")


@pytest.mark.parametrize(
    "values", [[1, 2], np.array([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)]
)
def test_arrays_of_every_kind_become_float64(values):
    found = require_numbers("radii", values, 0.0)
    assert (found.dtype, found.tolist()) == (np.dtype(np.float64), [1.0, 2.0])


@pytest.mark.parametrize(
    "values",
    [[1.0, math.nan], [-1.0], [1j], ["1"], [True], None, META, torch.tensor([True]), torch.tensor([1j])],
    ids=str,
)
def test_arrays_of_anything_else_are_refused(values):
    with pytest.raises(OutOfRange):
        require_numbers("radii", values, 0.0)


@pytest.mark.parametrize("atoms", [1, 3, 7, 100])
def test_rounded_distributions_pass_with_their_defect(atoms):
    generator = np.random.default_rng(1)
    drawn = generator.random((4, atoms))
    for shares in (np.full((4, atoms), 1 / atoms), drawn / drawn.sum(-1, keepdims=True)):
        found, defect = require_distributions("weights", shares)
        exact = [abs(sum(map(Fraction, row)) - 1) for row in found.tolist()]
        assert defect == pytest.approx([float(x) for x in exact], rel=1e-15)


@pytest.mark.parametrize(
    "weights", [[0.5, 0.5 + 1e-15], [0.5, 0.4], [1.5, -0.5], [math.nan, 1.0], [], 1.0, [math.inf, 0.0]], ids=str
)
def test_other_weights_are_refused(weights):
    with pytest.raises(OutOfRange, match="weights"):
        require_distributions("weights", weights)


def test_a_wrong_word_is_refused_with_the_nearest():
    require_choice("record", "all", ("last", "all"))
    with pytest.raises(UnknownChoice, match=r"did you mean \['last'\]"):
        require_choice("record", "lasst", ("last", "all"))
    with pytest.raises(UnknownChoice):
        require_choice("record", ["all"], ("last", "all"))
    for word in ("foo", None, 3):
        with pytest.raises(UnknownChoice, match=r"did you mean \['last', 'all'\]"):
            require_choice("record", word, ("last", "all"))


@pytest.mark.parametrize(
    "values", [torch.zeros(1, dtype=torch.int64), torch.zeros(1) > 0, torch.zeros(1) * 1j, np.zeros(1), 1.0, None]
)
def test_only_real_floating_tensors_are_computed_with(values):
    for check in (require_real_floating, require_finite, require_finite_buffer):
        with pytest.raises(NotRealFloating, match="real floating point numbers for x"):
            check("x", values)


def test_tensors_are_read_where_they_have_values():
    require_finite("x", torch.zeros(3, dtype=torch.bfloat16))
    require_finite_buffer("x", META)
    with pytest.raises(NotRealFloating, match="meta"):
        require_finite("x", META)
    for bad in (math.nan, math.inf):
        with pytest.raises(NotFinite, match="finite x"):
            require_finite_buffer("x", torch.tensor([0.0, bad]))
    with pytest.raises(ShapeMismatch, match="at least 2 dimensions"):
        require_real_floating("x", torch.zeros(3), 2)
