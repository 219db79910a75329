"""Exact sampling errors, binomial limits and nets: against enumeration, other libraries and cases from the field."""

from fractions import Fraction
from itertools import product
from math import comb, isinf, log

import numpy as np
import pytest
from scipy import stats

import spec
from impl.errors import ControlOutOfClass, TooLarge
from impl.sampling import Net, clopper_pearson, coin_quantile, deviation_quantile, objective, packing_number, risk
from impl.sampling.population import counts
from spec.language.errors import OutOfRange


def enumerated(losses: list[list[Fraction]], weights: list[Fraction], N: int, delta: Fraction) -> Fraction:
    """Return the quantile of the largest deviation by listing every sample, in fractions."""
    chance: dict[Fraction, Fraction] = {}
    zero = Fraction(0)
    for sample in product(range(len(weights)), repeat=N):
        off = max(
            abs(sum((row[a] for a in sample), zero) / N - sum((w * x for w, x in zip(weights, row, strict=True)), zero))
            for row in losses
        )
        drawn = Fraction(1)
        for a in sample:
            drawn *= weights[a]
        chance[off] = chance.get(off, Fraction(0)) + drawn
    return min(s for s in chance if sum(p for d, p in chance.items() if d > s) <= delta)


@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 5), Fraction(3, 5), Fraction(99, 100)])
def test_quantile_of_the_largest_deviation_is_that_of_all_samples(delta: Fraction) -> None:
    losses = [[Fraction(0), Fraction(3, 2), Fraction(1, 4)], [Fraction(2), Fraction(1, 2), Fraction(1)]]
    weights = [Fraction(1, 4), Fraction(5, 8), Fraction(1, 8)]
    expected = enumerated(losses, weights, 5, delta)
    value, error = deviation_quantile(
        np.array([[[float(x) for x in row] for row in losses]]),
        np.array([[float(w) for w in weights]]),
        5,
        np.array([float(delta)]),
    )
    assert abs(value[0] - float(expected)) <= error[0]
    assert error[0] < 1e-12


def test_quantile_of_a_wrong_population_is_told_apart() -> None:
    losses = np.array([[[0.0, 1.0]]])
    fair, biased = (
        deviation_quantile(losses, np.array([w]), 40, np.array([0.1]))[0][0] for w in ([0.5, 0.5], [0.25, 0.75])
    )
    assert fair != biased


def test_counts_are_all_of_them_with_their_multinomial_coefficients() -> None:
    listed, logs = counts(6, 3)
    assert len(listed) == comb(8, 2) == len({tuple(row) for row in listed.tolist()})
    assert (listed.sum(1) == 6).all()
    assert np.exp(logs).sum() == pytest.approx(3.0**6, rel=1e-12)  # log and exp of a few hundred: 1e-14 each


def test_too_many_counts_are_refused() -> None:
    with pytest.raises(TooLarge, match="fewer atoms or samples"):
        counts(10_000, 4)


@pytest.mark.parametrize("coins", [1, 2, 7])
@pytest.mark.parametrize("N", [1, 2, 9, 64])
def test_coin_quantile_solves_the_binomial_tail(N: int, coins: int) -> None:
    delta = Fraction(1, 10)
    found = coin_quantile(N, delta, coins)

    def beyond(d: Fraction) -> Fraction:
        inside = sum(comb(N, k) for k in range(N + 1) if abs(Fraction(k, N) - Fraction(1, 2)) <= d)
        return 1 - Fraction(inside, 2**N) ** coins

    assert beyond(found) <= delta
    assert found == 0 or beyond(found - Fraction(1, 2 * N)) > delta


def test_thousands_of_coins_far_from_the_level_are_decided() -> None:
    assert coin_quantile(9, Fraction(1, 10), 20_000) == Fraction(1, 2)
    assert coin_quantile(64, Fraction(1, 10), 20_000) == Fraction(9, 32)


def test_thousands_of_coins_at_the_level_are_refused() -> None:
    with pytest.raises(TooLarge, match="move the level"):
        coin_quantile(40000, Fraction(1, 2), 2**400)


def test_limits_without_a_success_at_a_small_level() -> None:
    low, high = clopper_pearson(0, 800, "1e-8")
    assert low == 0.0
    assert 0 <= high - 0.02360912387 < 1e-10  # 1 − (α/2)^{1/n}, to the digits given, never below


def test_limits_without_a_failure_at_a_small_level() -> None:
    low, high = clopper_pearson(800, 800, "1e-8")
    assert high == 1.0
    assert 0 <= 0.97639087613 - low < 1e-10


def test_nothing_is_known_without_trials() -> None:
    assert clopper_pearson(0, 0, 0.05) == (0.0, 1.0)


@pytest.mark.parametrize(("k", "n"), [(1, 1), (3, 10), (50, 100), (999, 1000)])
@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5])
def test_limits_enclose_those_of_scipy(k: int, n: int, alpha: float) -> None:
    low, high = clopper_pearson(k, n, alpha)
    exact = stats.binomtest(k, n).proportion_ci(1 - alpha, method="exact")
    # scipy's quantiles of the beta law are good to about 1e-9 relative in 1 − p; ours are certified.
    assert low == pytest.approx(exact.low, rel=1e-7)
    assert high == pytest.approx(exact.high, rel=1e-7)


@pytest.mark.parametrize(("k", "n", "alpha"), [(-1, 3, 0.05), (4, 3, 0.05), (1, 3, 0.0), (1, 3, 1.0), (1, 3, "nan")])
def test_limits_out_of_range_are_refused(k: int, n: int, alpha: float | str) -> None:
    with pytest.raises(OutOfRange):
        clopper_pearson(k, n, alpha)


def test_packing_is_more_than_two_radii_apart_and_lies_in_the_class() -> None:
    rho, r, L_c, T = 3.0, 1.0, 1.0, 3.5
    n, s = 3, 3.5 / 3  # cells, and rows above the radius
    starts = [-rho + 2 * s * j for j in range(3) if -rho + 2 * s * j <= rho]
    paths = [np.cumsum([a, *(s * np.array(turns))]) for a in starts for turns in product((-1, 1), repeat=n)]
    inside = [path for path in paths if np.abs(path).max() <= rho + 1e-12]  # a few roundings of numbers below 4
    assert len(inside) == packing_number(rho, r, L_c, T)
    assert all(np.abs(a - b).max() > 2 * r for i, a in enumerate(inside) for b in inside[:i])
    assert s / (T / n) <= L_c


def test_centres_follow_functions_of_the_class() -> None:
    net = Net(rho=1.8, r=0.25, L_c=3.0, T=1.5)
    assert net.cells == 18
    assert net.nodes == pytest.approx(np.array([1.5 * k / 18 for k in range(19)]), rel=1e-15)
    phases = np.linspace(0.0, 6.0, 40)[:, None]
    values = 1.8 * np.sin(phases + 3 / 1.8 * net.nodes)  # of slope 3, up to the strip's edge
    for found in (net.centre(values), net.unclipped(values)):
        assert np.abs(found - values).max() <= 0.25 + 1e-14  # some twenty sums of numbers below 2
    raw = net.unclipped(values)
    assert np.allclose(np.abs(np.diff(raw)), 3 * 1.5 / 18, rtol=1e-13)
    assert np.abs(raw).max() > 1.8 == np.abs(net.centre(values)).max()
    starts = (raw[:, 0] + 1.8) / 0.25  # odd multiples of r above the floor
    assert np.abs(starts % 2 - 1).max() < 1e-13
    assert Net(2.0, 0.25, 0.0, 1.5).cells == 1


def test_packings_without_room_are_single_functions_or_constants() -> None:
    assert packing_number(0.0, 1.0, 1.0, 3.5) == 1
    assert packing_number(3.0, 1.0, 0.0, 1.0) == packing_number(3.0, 1.0, 1.0, 1.0) == 3
    assert packing_number(3.125, 1.0, 0.0, 1.0) == 4


@pytest.mark.parametrize("wrong", [(1.0, 0.0, 1.0, 1.0), (-1.0, 1.0, 1.0, 1.0), (1.0, 1.0, -1.0, 1.0), (1, 1, 1, -1)])
def test_a_class_outside_its_range_is_refused(wrong: tuple[float, float, float, float]) -> None:
    with pytest.raises(ControlOutOfClass):
        Net(*wrong)


def test_quantiles_of_several_populations_carry_their_own_errors() -> None:
    losses = np.array([[[0.0, 1.0], [0.5, 0.25]], [[3.0, 1.0], [0.0, 2.0]]])
    weights, delta = np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0.1, 0.3])
    slack = np.array([1e-3, 1e-2])
    exact, error = deviation_quantile(losses, weights, 12, delta)
    value, wider = deviation_quantile(losses, weights, 12, delta, slack)
    assert value.tolist() == exact.tolist()
    assert wider == pytest.approx(error + 2 * slack, rel=1e-12)
    for i in range(2):
        one = deviation_quantile(losses[i : i + 1], weights[i : i + 1], 12, delta[i : i + 1])
        assert (one[0][0], one[1][0]) == (exact[i], error[i])
    # Deviations within γ_{10} of twice the width of the losses; here no level is near a jump.
    width = np.array([1.0, 2.0])
    assert error == pytest.approx(20 * 2.0**-53 * width, rel=1e-12)


def test_risk_is_the_weighted_mean() -> None:
    assert risk(np.array([1.0, 3.0]), np.array([0.25, 0.75])) == 2.5


def test_objective_at_its_minimum() -> None:
    assert objective(4.0, 3.0, 48.0) == 36.0


@pytest.mark.parametrize(
    ("slug", "named", "expected"),
    [("sampling/hoeffding-fixed-control", {}, 0.3744), ("sampling/finite-class", {"G_size": 64}, 0.5001)],
)
def test_radius_of_a_range_of_4_6(slug: str, named: dict[str, int], expected: float) -> None:
    value = spec.theorem(slug).evaluate(M_ell="4.6", N=400, delta="0.01", **named)
    assert abs(value.upper - expected) < 5e-5  # four digits are given


def test_counts_beyond_every_number_keep_their_logarithm() -> None:
    theorem = spec.theorem("sampling/covering-lipschitz")
    whole = theorem.evaluate(rho=3, r_inf="0.001", L_c=1, T=1, p=10**6)
    assert not isinf(whole.upper)
    assert whole.upper == pytest.approx(10**6 * (log(3000) + 1000 * log(2)), rel=1e-14)  # two roundings of a float
