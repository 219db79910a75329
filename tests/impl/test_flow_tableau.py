"""Tableaux of Runge–Kutta methods check their own order conditions."""

from dataclasses import replace

import pytest

from impl.flow.cash_karp import CASH_KARP
from impl.flow.dop853 import DOP853
from impl.flow.tableau import OrderConditionFailed, Tableau, rooted_trees

EULER = Tableau("Euler", 1, ({},), {0: 1.0}, {}, 0)


def test_rooted_trees_are_counted():
    assert [len(rooted_trees(k)) for k in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_a_changed_coefficient_or_a_claimed_order_fails():
    assert EULER.order == 1
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(EULER, order=2)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, order=9)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, embedded_order=6)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, coarser_order=4)
    with pytest.raises(OrderConditionFailed, match="tree"):
        replace(DOP853, b=DOP853.b | {11: DOP853.b[11] + 1e-11})
    with pytest.raises(OrderConditionFailed, match="explicit"):
        replace(EULER, a=({0: 1.0},))


def test_the_coarser_embedded_method_is_given_or_eulers():
    assert DOP853.orders == (5, 3)
    assert CASH_KARP.orders == (4, 1)
    fine, coarse = CASH_KARP.differences
    assert fine[4] == CASH_KARP.embedded[4]
    assert coarse.tolist() == [CASH_KARP.b[0] - 1, *(CASH_KARP.b.get(i, 0) for i in range(1, 6))]
    assert sum(coarse) == pytest.approx(0, abs=1e-15)
