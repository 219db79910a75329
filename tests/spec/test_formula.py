"""Compiled expressions against mpmath at 200 digits: the truth lies in every enclosure, at every precision."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import mpmath
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from spec.language.ball import evaluate
from spec.language.formula import compiled
from spec.language.functions import MaxOver, Ratio, Recurrence, SumOver, geom, phi1

mpmath.mp.dps = 200
x, y = sp.Symbol("x", positive=True), sp.Symbol("y", real=True)
n = sp.Symbol("n", integer=True, positive=True)
i, j, k = (sp.Symbol(name, integer=True, nonnegative=True) for name in "ijk")
e = sp.Symbol("e", real=True)

POSITIVE = st.fractions(Fraction(1, 1000), 1000, max_denominator=1000)
REAL = st.fractions(-20, 20, max_denominator=1000)
CONSTANTS = st.sampled_from([sp.Rational(1, 3), sp.Rational(-2, 7), sp.Integer(2), sp.pi, sp.E, sp.sqrt(2)])
FOLDS: dict[Any, Callable[..., Any]] = {
    sp.Add: operator.add,
    sp.Mul: operator.mul,
    sp.Max: max,
    sp.Min: min,
    Ratio: operator.truediv,
}


def grown(parts: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    """Combine expressions by everything that bounds are made of, on the domains where that is real."""
    unary = [sp.Abs, sp.tanh, sp.erf, sp.atan, sp.sin, sp.cos, lambda p: phi1(sp.tanh(p)), lambda p: sp.exp(sp.tanh(p))]
    unary += [lambda p: sp.log(1 + sp.Abs(p)), lambda p: sp.sqrt(sp.Abs(p)), lambda p: p**2, lambda p: p**3]
    unary += [
        lambda p: 1 / (1 + p**2),
        lambda p: (1 + sp.Abs(p)) ** sp.Rational(-2, 3),
        lambda p: geom(sp.tanh(p) / 2, n),
    ]
    unary += [lambda p: sp.cosh(sp.tanh(p)) * sp.sinh(sp.tanh(p)), lambda p: (1 + sp.Abs(p)) ** sp.Rational(-3, 2)]
    unary += [lambda p: SumOver(p / (k + 1), k, n), lambda p: Recurrence(e / 2 + p / (k + 1), e, k, n, p)]
    binary = [operator.add, operator.sub, operator.mul, sp.Max, sp.Min, lambda p, q: Ratio(p, 1 + q**2)]
    return st.one_of(
        st.builds(lambda f, p: f(p), st.sampled_from(unary), parts),
        st.builds(lambda f, p, q: f(p, q), st.sampled_from(binary), parts, parts),
    )


EXPRESSIONS = st.recursive(st.one_of(st.sampled_from([x, y]), CONSTANTS), grown, max_leaves=8)


def truth(expr: sp.Expr, values: dict[sp.Symbol, Any]) -> Any:
    """Evaluate by mpmath, node by node, by definitions of its own."""
    if expr in values:
        return values[expr]
    if expr.is_Rational:
        return mpmath.mpf(int(expr.p)) / int(expr.q)
    if expr in (sp.pi, sp.E):
        return {sp.pi: +mpmath.pi, sp.E: +mpmath.e}[expr]
    if isinstance(expr, SumOver):
        body, index, count = expr.args
        return sum(
            (truth(body, {**values, index: mpmath.mpf(at)}) for at in range(int(truth(count, values)))), mpmath.mpf(0)
        )
    if isinstance(expr, Recurrence):
        step, state, index, count, value = expr.args
        value = truth(value, values)
        for at in range(int(truth(count, values))):
            value = truth(step, {**values, state: value, index: mpmath.mpf(at)})
        return value
    args = [truth(a, values) for a in expr.args]
    if isinstance(expr, sp.Pow):
        return mpmath.power(*args)
    if isinstance(expr, phi1):
        return mpmath.expm1(args[0]) / args[0] if args[0] else mpmath.mpf(1)
    if isinstance(expr, geom):
        return sum((1 + args[0]) ** at for at in range(int(args[1])))
    if expr.func in FOLDS:
        return reduce(FOLDS[expr.func], args)
    names = {sp.Abs: "fabs", sp.atan: "atan"}
    return getattr(mpmath, names.get(expr.func, expr.func.__name__))(*args)


def as_mpf(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


@given(EXPRESSIONS, POSITIVE, REAL, st.integers(1, 6))
def test_the_ends_enclose_the_truth(expr: sp.Expr, at_x: Fraction, at_y: Fraction, at_n: int) -> None:
    found = evaluate(expr, {"x": at_x, "y": at_y, "n": at_n})
    exact = truth(expr, {x: as_mpf(at_x), y: as_mpf(at_y), n: mpmath.mpf(at_n)})
    assert mpmath.mpf(found.lower) <= exact <= mpmath.mpf(found.upper)
    # 50 sure bits bound the radius by 2^-50 of the value; each end is rounded outwards by one unit, 2^-52 of it.
    assert found.upper - found.lower <= (2 * 2**-50 + 2 * 2**-52) * max(abs(found.upper), abs(found.lower)) + 1e-323


@pytest.mark.parametrize("precision", [64, 128, 256])
@given(EXPRESSIONS, POSITIVE, REAL, st.integers(1, 6))
def test_the_truth_lies_in_the_enclosure_at_every_precision(
    precision: int, expr: sp.Expr, at_x: Fraction, at_y: Fraction, at_n: int
) -> None:
    """A constant that enters as a float would be off by 1e-17 and miss at 128 bits."""
    exact = truth(expr, {x: as_mpf(at_x), y: as_mpf(at_y), n: mpmath.mpf(at_n)})
    flint.ctx.prec = precision
    try:
        given_x, given_y = (flint.fmpq(at.numerator, at.denominator) for at in (at_x, at_y))
        entries = {"n": flint.fmpq(at_n), "x": given_x, "y": given_y}
        found = compiled(expr, ("n", "x", "y"), precision)([flint.arb(v) for v in entries.values()], entries)
        flint.ctx.prec = 600
        assert found.overlaps(flint.arb(mpmath.nstr(exact, 180)))
    finally:
        flint.ctx.prec = 53


def test_a_third_is_a_third_at_128_bits() -> None:
    flint.ctx.prec = 128
    try:
        third = compiled(x / 3, ("x",), 128)([flint.arb(1)], {})
        assert third.overlaps(flint.arb(1) / 3)
        assert not third.overlaps(flint.arb(1 / 3))
    finally:
        flint.ctx.prec = 53


def test_floats_in_an_expression_are_refused() -> None:
    with pytest.raises(Exception, match="an expression that has a value"):
        evaluate(x * sp.Float(0.1), {"x": 1})


@pytest.mark.parametrize(
    ("expr", "exact"),
    [
        (SumOver(1 / (j + 1), j, 4), Fraction(25, 12)),
        (SumOver(SumOver(1 / (j + 1) + 0 * k, k, j), j, 4), Fraction(1, 2) + Fraction(2, 3) + Fraction(3, 4)),
        (SumOver(Ratio(j, k + 1).subs(k, 2), j, 3), Fraction(1)),
        (SumOver(SumOver(Ratio(i + 1, j + 1), j, 2), i, 2), Fraction(9, 2)),
        (SumOver(i + SumOver(i + SumOver(i * k, k, 3), i, 3), i, 2), 1 + 2 * Fraction(3 + 9)),
        (Recurrence(e / (k + 2), e, k, 3, sp.Integer(1)), Fraction(1, 24)),
        (SumOver(sp.exp(0 * j) * j**-1, j, 0), Fraction(0)),
        (MaxOver(Ratio(j, 3), j, 1, 4, 9, 1), Fraction(4, 3)),
        (sp.Min(2 * sp.Rational(1, 3), sp.Rational(3, 4)), Fraction(2, 3)),
    ],
)
def test_indices_divide_exactly(expr: sp.Expr, exact: Fraction) -> None:
    """Two plain integers would divide to a float; shadowed indices must not be mixed up."""
    found = evaluate(expr + x - x + 0 * y, {"x": 1, "y": 1})
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)


@pytest.mark.parametrize("value", ["0.3", Fraction(3, 10), "3/10"])
def test_ceilings_are_taken_of_exact_rationals(value: object) -> None:
    tenth = "0.1" if isinstance(value, str) else Fraction(1, 10)
    assert evaluate(sp.ceiling(x / y), {"x": value, "y": tenth}).upper == 3
    assert evaluate(sp.floor(x / y), {"x": value, "y": tenth}).lower == 3
    assert evaluate(sp.ceiling(Ratio(x, y)), {"x": value, "y": tenth}).upper == 3


def test_ceilings_of_floats_are_those_of_their_binary_values() -> None:
    assert math.ceil(Fraction(0.3) / Fraction(0.1)) == 3
    assert evaluate(sp.ceiling(x / y), {"x": 0.3, "y": 0.1}).upper == 3
    assert math.ceil(Fraction(0.7) / Fraction(0.1)) == 7
    assert evaluate(sp.ceiling(x / y), {"x": 0.7, "y": 0.1}).upper == 7
    assert evaluate(sp.ceiling(x / y), {"x": 0.6, "y": 0.2}).upper == math.ceil(Fraction(0.6) / Fraction(0.2))


def test_ceilings_of_irrationals_are_enclosed() -> None:
    assert evaluate(sp.ceiling(sp.sqrt(x)), {"x": 2}).upper == 2
    root = evaluate(sp.ceiling(sp.sqrt(x)), {"x": 4})
    assert root.lower <= 2 <= root.upper
    assert evaluate(sp.ceiling(SumOver(Ratio(j, 2), j, 3)), {}).upper == 2


def test_ceilings_that_divide_by_zero_are_undefined() -> None:
    assert str(evaluate(sp.ceiling(Ratio(x, y)), {"x": 1, "y": 0})) == "undefined"


@pytest.mark.parametrize(
    ("expr", "whole"),
    [
        (10 * x, 1),
        ((10 * x) ** 2, 1),
        (1 / (10 * x), 1),
        (1 / x**2, 100),
        (x * n, 1),
        (x * n + 3 * x * n, 4),
        (Ratio(1, x) / n, 1),
        (Ratio(x, x**2) - n, 0),
        (SumOver(sp.ceiling((j + 1) / sp.Integer(2)), j, 4), 6),
        (SumOver(sp.floor(x * n * j), j, 4), 6),
    ],
)
def test_whole_numbers_are_met_exactly(expr: sp.Expr, whole: int) -> None:
    """At x = 1/10 and n = 10 these are whole, so that the least rounding would move a ceiling or a floor."""
    values = {"x": "0.1", "n": 10}
    for around in (sp.ceiling, sp.floor):
        found = evaluate(around(expr), values)
        assert found.lower == found.upper == whole
    assert evaluate(sp.ceiling(expr + sp.Rational(1, 10**30)), values).upper == whole + 1
    assert evaluate(sp.floor(expr - sp.Rational(1, 10**30)), values).upper == whole - 1


@pytest.mark.parametrize(
    ("expr", "exact"),
    [
        (geom(x, 2 * n + 1), 31),
        (geom(x, n * (n + 1)), 63),
        (SumOver(j, j, n * n), 6),
        (SumOver(geom(x, j + 1), j, n), 1 + 3),
        (MaxOver(j * (7 - j), j, n - 1, n + 1, 7, 2), 12),
        (MaxOver(j * (7 - j), j, 1, 6, 7, 2), 12),
        (MaxOver(j * (7 - j), j, 5, 6, 7, 2), 10),
        (Recurrence(2 * e + k, e, k, n + 1, x), 12),
        (x**n + 2**n, 5),
        ((1 + x) ** (n - 3), Fraction(1, 2)),
        ((1 + x) ** -n, Fraction(1, 4)),
        ((7 + x) ** sp.Rational(-2, 3), Fraction(1, 4)),
        ((3 + x) ** sp.Rational(-3, 2), Fraction(1, 8)),
        ((3 + x) ** (x / 2), 2),
        (x / (1 + x) / (2 + x), Fraction(1, 6)),
        (-x / (1 + x), Fraction(-1, 2)),
    ],
)
def test_counts_indices_and_powers_are_those_written(expr: sp.Expr, exact: Fraction) -> None:
    found = evaluate(expr, {"x": 1, "n": 2})
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)
    assert found.upper - found.lower < 1e-14 * (1 + abs(found.upper))


def test_constants_of_mathematics_have_their_values() -> None:
    for constant, value in ((sp.pi, math.pi), (sp.E, math.e), (sp.S.EulerGamma, 0.5772156649015329)):
        found = evaluate(constant * x, {"x": 1})
        assert found.lower <= value <= found.upper
    assert evaluate(sp.Max(x, sp.oo, evaluate=False), {"x": 1}).upper == math.inf


def test_every_symbol_has_its_own_value() -> None:
    assert evaluate(x - 2 * y + 4 * n, {"n": 3, "y": 5, "x": 7}).upper == 9
