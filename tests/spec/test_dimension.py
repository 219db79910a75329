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
    quantile,
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


@pytest.mark.parametrize(
    ("expr", "dimension"),
    [
        (sp.Integral(0, (u, s, t)), None),
        (SumOver(sp.Integer(0), j, COUNT), None),
        (sp.Pow(0, k, evaluate=False), None),
        (Ratio(norm(x), norm(y)), PURE),
        (Ratio(T, w), DEPTH),
        (inner(x, F(y)), STATE**2 / DEPTH),
        (sp.Integral(sp.Integral(norm(X(u)), (u, 0, s)), (s, 0, t)), STATE * DEPTH**2),
        (sp.Integral(norm(X(u)) * s, (u, 0, s), (s, 0, t)), STATE * DEPTH**3),
        (quantile(norm(x), d / d), STATE),
        (sp.Min(T, 2 * T), DEPTH),
        (sp.Abs(T), DEPTH),
        (sp.sqrt(T * d) * sp.sqrt(T / d), DEPTH),
        (T**-2, DEPTH**-2),
        (w**k, PURE),
        (sp.Eq(T, 2 * T, evaluate=False), DEPTH),
        (sp.E * T, DEPTH),
        (2 * sp.pi, PURE),
        (COUNT * T, DEPTH),
        (Recurrence(w * 0, w, k, COUNT, T), DEPTH),
    ],
)
def test_dimensions_of_corners(expr: sp.Expr, dimension: Dimension | None) -> None:
    assert found(expr) == dimension


@pytest.mark.parametrize(
    ("expr", "what"),
    [
        (sp.exp(T), "a pure number as an argument of exp"),
        (2**T, "a pure number as an exponent"),
        (T**w, "a pure base under a symbolic exponent"),
        (T + w, "summands of one dimension"),
        (geom(w, T), "an argument of geom"),
        (sp.Integral(1 + T, (u, s, t)), "summands of one dimension"),
        (norm(x) * (1 + T), "summands of one dimension"),
        (inner(x, y) + norm(x), "summands of one dimension"),
        (SumOver(1 + T, j, COUNT), "summands of one dimension"),
        (Ratio(1, 1 + T), "summands of one dimension"),
        (norm(x * (1 + T)), "summands of one dimension"),
        ((1 + T) ** 2, "summands of one dimension"),
    ],
)
def test_errors_say_where_dimensions_clash(expr: sp.Expr, what: str) -> None:
    with pytest.raises(DimensionMismatch, match=what):
        found(expr)


def test_dimensions_form_a_group() -> None:
    mixed = STATE**2 / DEPTH * CONTROL ** Fraction(1, 2)
    assert (mixed.state, mixed.depth, mixed.control) == (2, -1, Fraction(1, 2))
    assert mixed / mixed == PURE
    assert mixed**0 == PURE
    assert mixed**-1 * mixed == PURE
    assert str(mixed) == "State^2·Depth^-1·Control^1/2"
    assert len({STATE, DEPTH, CONTROL, PURE}) == 4
