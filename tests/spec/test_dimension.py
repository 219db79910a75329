"""Dimensions: what is accepted, and every planted error that must not be."""

from fractions import Fraction

import pytest
import sympy as sp
from toys import COUNT, F, L, T, X, a, d, j, k, m, rate, ratio, s, t, u, vocabulary, w, x, y

from spec.language.dimension import CONTROL, DEPTH, PURE, STATE, Dimension, dimension_of
from spec.language.errors import DimensionMismatch, UnknownName
from spec.language.functions import (
    Entry,
    MaxOver,
    Ratio,
    Recurrence,
    SumOver,
    Unit,
    expectation,
    gauge,
    geom,
    inner,
    norm,
    phi1,
    probability,
    token_norm,
)


def found(expr: sp.Expr) -> Dimension | None:
    return dimension_of(expr, vocabulary.dimension)


@pytest.mark.parametrize(
    ("expr", "dimension"),
    [
        (rate * T, PURE),
        (norm(X(t)), STATE),
        (norm(X(t)) / T, STATE / DEPTH),
        (token_norm(x) ** 2, STATE**2),
        (sp.sqrt(norm(x)), STATE ** Fraction(1, 2)),
        (norm(x) ** sp.Rational(2, 3), STATE ** Fraction(2, 3)),
        (sp.exp(rate * T) * norm(x), STATE),
        (phi1(rate * T) * T, DEPTH),
        (geom(rate * T, k) + 1, PURE),
        (sp.Max(norm(x), norm(y)), STATE),
        (sp.Integral(rate * norm(X(u)), (u, s, t)), STATE),
        (SumOver(norm(x) * j, j, COUNT), STATE),
        (MaxOver(norm(x) * m, m, 1, COUNT, COUNT, 1), STATE),
        (Recurrence(w * 2 + 1, w, k, COUNT, 0), PURE),
        (inner(x, y), STATE**2),
        (gauge(x), PURE),
        (probability(norm(x), d), PURE),
        (expectation(norm(x)), STATE),
        (Ratio(norm(x), T), STATE / DEPTH),
        (Ratio(0, T), None),
        (Unit(state=1, depth=-1, control=-1) * a, STATE / DEPTH / CONTROL),
        (Unit(control=sp.Rational(1, 2)), CONTROL ** Fraction(1, 2)),
        (sp.Abs(ratio) + 2, PURE),
        (F(x) - F(y), STATE / DEPTH),
        (sp.Le(norm(x), L * T * norm(y) / T / L, evaluate=False), STATE),
        (sp.pi * norm(x), STATE),
    ],
)
def test_dimensions_are_found(expr: sp.Expr, dimension: Dimension | None) -> None:
    assert found(expr) == dimension


@pytest.mark.parametrize(
    "expr",
    [
        norm(x) + T,
        1 + T,
        norm(x) + norm(x) ** 2,
        sp.exp(norm(x)),
        sp.log(T),
        phi1(T),
        geom(T, k),
        T**w,
        2**T,
        sp.Max(norm(x), T),
        sp.Le(norm(x), T, evaluate=False),
        sp.Le(norm(x), norm(F(x)), evaluate=False),
        Recurrence(norm(x), w, k, COUNT, T),
        sp.ceiling(T),
        sp.Integral(norm(X(u)), (u, s, t)) + norm(x),
        sp.cos(T),
    ],
)
def test_planted_errors_are_refused(expr: sp.Expr) -> None:
    with pytest.raises(DimensionMismatch):
        found(expr)


@pytest.mark.parametrize("node", [sp.Heaviside(w), sp.zeta(w), sp.Mod(w, 2)])
def test_functions_without_a_rule_are_refused(node: sp.Expr) -> None:
    with pytest.raises(DimensionMismatch, match="register its rule"):
        found(node)


def test_zero_has_every_dimension() -> None:
    assert found(sp.Integer(0)) is None
    assert found(sp.Integer(0) * T) is None
    assert found(sp.Max(0, norm(x))) == STATE
    assert found(sp.Add(0, T, evaluate=False)) == DEPTH
    assert found(sp.Eq(norm(x), 0, evaluate=False)) == STATE
    assert found(sp.Mul(0, T, evaluate=False)) is None


def test_one_does_not_have_every_dimension() -> None:
    with pytest.raises(DimensionMismatch):
        found(sp.Max(1, norm(x)))


def test_a_missing_factor_is_named() -> None:
    with pytest.raises(DimensionMismatch, match="State") as error:
        found(norm(x) + norm(F(x)))
    assert "Depth^-1" in str(error.value)


def test_unregistered_symbols_have_no_dimension() -> None:
    with pytest.raises(UnknownName):
        found(sp.Symbol("unheard_of"))


def test_entries_have_the_dimension_of_their_symbol() -> None:
    assert found(Entry(L, j)) == DEPTH**-1


def test_powers_multiply_and_print() -> None:
    assert (STATE / DEPTH) ** Fraction(1, 2) * DEPTH == STATE ** Fraction(1, 2) * DEPTH ** Fraction(1, 2)
    assert str(STATE / DEPTH**2) == "State·Depth^-2"
    assert str(PURE) == "1"
