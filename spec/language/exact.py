"""Exact values: bounds at exact arguments as sympy numbers, for equality cases that balls cannot decide."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from spec.language import functions as fn
from spec.language.ball import Value

LONGEST = 512


def number(value: Any) -> sp.Expr:
    """Return a number as an exact sympy number: floats by their binary value, decimal text as written."""
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, float):
        value = Fraction(value)
    return sp.Rational(str(Fraction(value)))


def exact_value(expr: sp.Expr, values: Mapping[str, Value]) -> sp.Expr | None:
    """Return an expression at exact values, its nodes written out; None where a loop would be too long."""
    scalars = {s: number(values[s.name]) for s in expr.free_symbols if not isinstance(values[s.name], list | tuple)}
    lists: dict[str, Any] = {
        s.name: values[s.name] for s in expr.free_symbols if isinstance(values[s.name], list | tuple)
    }
    try:
        return _written_out(expr.xreplace(scalars), lists)
    except OverflowError:
        return None


def _count(e: sp.Expr) -> int:
    if not e.is_Integer or e > LONGEST:
        raise OverflowError
    return int(e)


def _written_out(e: sp.Expr, lists: Mapping[str, Any]) -> sp.Expr:
    def again(part: sp.Expr) -> sp.Expr:
        return _written_out(part, lists)

    if isinstance(e, fn.SumOver):
        body, i, count = e.args
        return sp.Add(*(again(body.xreplace({i: sp.Integer(j)})) for j in range(_count(again(count)))))
    if isinstance(e, fn.MaxOver):
        body, i, low, high = e.args[:4]
        return sp.Max(
            *(again(body.xreplace({i: sp.Integer(j)})) for j in range(_count(again(low)), _count(again(high)) + 1))
        )
    if isinstance(e, fn.Recurrence):
        step, state, i, count, value = e.args
        value = again(value)
        for j in range(_count(again(count))):
            value = again(step.xreplace({state: value, i: sp.Integer(j)}))
        return value
    if isinstance(e, fn.Entry):
        base, index = e.args
        return number(lists[base.name][int(index)]) if base.is_Symbol else base
    if isinstance(e, fn.Unit):
        return sp.Integer(1)
    if not e.args:
        return e
    args = [again(a) for a in e.args]
    if isinstance(e, fn.Ratio):
        return args[0] / args[1]
    if isinstance(e, fn.phi1):
        return sp.Integer(1) if args[0] == 0 else (sp.exp(args[0]) - 1) / args[0]
    if isinstance(e, fn.geom):
        z, k = args
        return k if z == 0 else ((1 + z) ** k - 1) / z
    return e.func(*args)
