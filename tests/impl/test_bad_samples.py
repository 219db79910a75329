"""What cannot be sampled or covered is refused by name; what happens with chance 0 does not happen."""

import math
from fractions import Fraction

import numpy as np
import pytest

from impl.errors import ControlOutOfClass, LabelNotInSimplex, NotFinite, ShapeMismatch, TooLarge
from impl.sampling import Net, clopper_pearson, coin_quantile, deviation_quantile, objective, packing_number, risk
from impl.sampling.population import counts
from spec.language.errors import OutOfRange

LOSSES, WEIGHTS, LEVEL = np.array([[[0.0, 1.0, 7.0]]]), np.array([[0.5, 0.5, 0.0]]), np.array([0.1])


def test_an_atom_of_weight_zero_is_never_drawn():
    value, error = deviation_quantile(LOSSES, WEIGHTS, 4, LEVEL)
    without, _ = deviation_quantile(LOSSES[..., :2], WEIGHTS[..., :2], 4, LEVEL)
    assert abs(value[0] - 0.5) <= error[0] < 1e-13
    assert without[0] == 0.5
    certain, error = deviation_quantile(LOSSES, np.array([[0.0, 1.0, 0.0]]), 4, LEVEL)
    assert certain[0] <= error[0] < 1e-13


def test_rounded_weights_widen_the_error():
    exact = deviation_quantile(LOSSES, np.array([[0.25, 0.25, 0.5]]), 4, LEVEL)[1]
    weights = np.array([[0.1, 0.2, 0.7 + 2**-52]])
    assert sum(map(Fraction, weights[0].tolist())) != 1
    assert deviation_quantile(LOSSES, weights, 4, LEVEL)[1] > exact


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"weights": np.array([[math.nan, 0.5, 0.5]])}, LabelNotInSimplex),
        ({"weights": np.array([[-0.5, 0.5, 1.0]])}, LabelNotInSimplex),
        ({"weights": np.array([[0.5, 0.5, 0.5]])}, LabelNotInSimplex),
        ({"weights": np.array([[0.5, 0.5]])}, ShapeMismatch),
        ({"losses": LOSSES[0]}, ShapeMismatch),
        ({"losses": LOSSES[:, :0]}, ShapeMismatch),
        ({"losses": LOSSES * math.nan}, NotFinite),
        ({"losses": np.array([[[-1.7e308, 1.7e308, 0.0]]])}, NotFinite),
        ({"losses": LOSSES * 1j}, NotFinite),
        *(({"delta": np.array([delta])}, OutOfRange) for delta in (math.nan, -1.0, 0.0, 1.0, 2.0)),
        ({"delta": np.array([0.1, 0.2])}, ShapeMismatch),
        *(({"N": N}, OutOfRange) for N in (0, -1, 2.5, True, "4", math.nan)),
        *(({"loss_error": error}, OutOfRange) for error in (-1.0, math.nan, math.inf)),
        ({"loss_error": np.zeros(3)}, ShapeMismatch),
    ],
)
def test_populations_are_checked(change, error):
    given = {"losses": LOSSES, "weights": WEIGHTS, "N": 4, "delta": LEVEL} | change
    with pytest.raises(error):
        deviation_quantile(**given)


def test_huge_losses_have_quantiles():
    assert np.isfinite(deviation_quantile(LOSSES * 1e307, WEIGHTS, 4, LEVEL)).all()


def test_counts_do_not_share_a_cache_with_floats():
    counts(2, 2)
    with pytest.raises(OutOfRange):
        counts(2.0, 2)


@pytest.mark.parametrize("wrong", [(1.5, 2), (1, 2.5), (True, 2), (1, True), ("1", 2), (math.nan, 2), (-1, 2), (3, 2)])
def test_counts_of_successes_are_whole_numbers(wrong):
    assert clopper_pearson(np.int64(1), np.int32(2), 0.1) == clopper_pearson(1, 2, 0.1)
    with pytest.raises(OutOfRange):
        clopper_pearson(*wrong, 0.1)


@pytest.mark.parametrize(
    "wrong",
    [(-1, 0.1), (0, 0.1), (2.5, 0.1), (True, 0.1), (4, 2), (4, -1), (4, 0), (4, math.nan), (4, 0.1, 0)],
    ids=str,
)
def test_coins_are_checked(wrong):
    assert coin_quantile(np.int64(4), 0.125) == coin_quantile(4, Fraction(1, 8))
    with pytest.raises(OutOfRange):
        coin_quantile(*wrong)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, "1", 1j, True])
@pytest.mark.parametrize("place", range(4))
def test_nets_are_checked(bad, place):
    given = [1.0, 1.0, 1.0, 1.0]
    given[place] = bad
    for make in (Net, packing_number):
        with pytest.raises(ControlOutOfClass, match=("rho", "r ", "L_c", "T")[place]):
            make(*given)


def test_a_packing_beyond_counting_is_refused():
    assert Net(1.0, 1e-300, 1e300, 1.0).cells == math.ceil(Fraction(1e300) / Fraction(1e-300))
    with pytest.raises(TooLarge, match="larger radius"):
        packing_number(1.0, 1e-9, 1.0, 1.0)


@pytest.mark.parametrize("wrong", [(0.0, 1, 1), (-1.0, 1, 1), (math.nan, 1, 1), (1, -1.0, 1), (1, 1, math.inf)])
def test_objectives_are_checked(wrong):
    with pytest.raises(OutOfRange):
        objective(*wrong)


def test_risks_are_checked():
    for losses, weights in (([1.0, math.nan], [0.5, 0.5]), ([1.0, 2.0], [0.5, 0.4]), ([1.0, 2.0, 3.0], [0.5, 0.5])):
        with pytest.raises((NotFinite, LabelNotInSimplex, ShapeMismatch)):
            risk(np.array(losses), np.array(weights))
