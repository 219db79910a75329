"""Exact values: nodes written out, floats by their binary value, too long loops left alone."""

from fractions import Fraction

import pytest
import sympy as sp
from toys import COUNT, L, T, a, b, c, j, k, m, p, ratio, theorem, w

from spec.language.exact import LONGEST, exact_value, number
from spec.language.functions import Entry, MaxOver, Ratio, Recurrence, SumOver, Unit, geom, phi1
from spec.language.proof import inequality


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, sp.Rational(*(0.1).as_integer_ratio())),
        ("0.1", sp.Rational(1, 10)),
        ("1/3", sp.Rational(1, 3)),
        (Fraction(2, 7), sp.Rational(2, 7)),
        (3, sp.Integer(3)),
        (sp.sqrt(2), sp.sqrt(2)),
    ],
)
def test_numbers_are_exact(value: object, exact: sp.Expr) -> None:
    assert number(value) == exact


@pytest.mark.parametrize(
    ("expr", "values", "exact"),
    [
        (a / p, {"a": 1, "p": 3}, sp.Rational(1, 3)),
        (phi1(a), {"a": 0}, sp.Integer(1)),
        (phi1(a), {"a": 2}, (sp.exp(2) - 1) / 2),
        (geom(a, COUNT), {"a": 0, "n": 5}, sp.Integer(5)),
        (geom(a, COUNT), {"a": "1/2", "n": 2}, sp.Rational(5, 2)),
        (Ratio(a, p), {"a": 1, "p": 3}, sp.Rational(1, 3)),
        (SumOver(j * a, j, COUNT), {"a": 2, "n": 4}, sp.Integer(12)),
        (MaxOver(m * (5 - m), m, 1, COUNT, 5, 2), {"n": 4}, sp.Integer(6)),
        (Recurrence(2 * w + k, w, k, COUNT, a), {"a": 1, "n": 3}, sp.Integer(12)),
        (SumOver(Entry(L, j), j, COUNT) * T, {"L": ["0.1", "0.2"], "n": 2, "T": 1}, sp.Rational(3, 10)),
        (Entry(L, j), {"L": 4, "j": 0}, sp.Integer(4)),
        (Unit(state=1) * a, {"a": 2}, sp.Integer(2)),
        (sp.sqrt(a) + c, {"a": 2, "c": 0}, sp.sqrt(2)),
    ],
)
def test_bounds_at_exact_values(expr: sp.Expr, values: dict[str, object], exact: sp.Expr) -> None:
    assert sp.simplify(exact_value(expr, values) - exact) == 0


def test_long_loops_are_left_alone() -> None:
    assert exact_value(SumOver(j * a, j, COUNT), {"a": 1, "n": LONGEST + 1}) is None
    assert exact_value(SumOver(j * a, j, COUNT), {"a": 1, "n": LONGEST}) is not None


@pytest.mark.parametrize("expr", [SumOver(j, j, a), MaxOver(m, m, a, 3, 5, 2), MaxOver(m, m, 0, a, 5, 2)])
def test_what_is_no_count_is_left_alone(expr: sp.Expr) -> None:
    assert exact_value(expr, {"a": "5/2"}) is None
    assert exact_value(expr, {"a": 2}) is not None


def test_theorems_have_exact_values() -> None:
    wider = inequality("wider", sp.Le(a, a + b, evaluate=False))
    one = theorem(wider, spine=("wider",), measured=a, bound=a + b, assumptions=())
    assert one.exact(a * ratio, {"a": "0.1", "ratio": "1/3"}) == sp.Rational(1, 30)
