"""Substitution: bound variables stay, free ones are never caught."""

import pytest
import sympy as sp
from toys import COUNT, T, X, a, c, f, g, h, i, j, k, m, s, t, u, w, x

from spec.language.binding import binders, bound_by, substitute
from spec.language.errors import ProofError
from spec.language.functions import MaxOver, Recurrence, SumOver, norm
from spec.language.template import Statement

WHOLE = sp.Integral(h(u, s), (u, 0, t))


def test_free_variables_are_replaced() -> None:
    assert substitute(WHOLE, {s: w, t: T}) == sp.Integral(h(u, w), (u, 0, T))
    assert substitute(SumOver(h(j, s), j, k), {s: w, k: COUNT}) == SumOver(h(j, w), j, COUNT)
    assert substitute(norm(X(t)), {t: 2 * s}) == norm(X(2 * s))


def test_all_at_once() -> None:
    assert substitute(h(s, t), {s: t, t: s}) == h(t, s)


def test_bound_variables_stay() -> None:
    assert substitute(WHOLE, {u: w}) == WHOLE
    assert substitute(WHOLE + u, {u: w}) == WHOLE + w
    assert substitute(MaxOver(m * w, m, 1, COUNT, c, a), {m: 3}) == MaxOver(m * w, m, 1, COUNT, c, a)
    assert substitute(sp.Lambda(u, u + s), {u: w, s: t}) == sp.Lambda(u, u + t)


@pytest.mark.parametrize(
    ("expr", "values"),
    [
        (WHOLE, {s: u}),
        (WHOLE, {s: u + 1}),
        (SumOver(h(j, s), j, k), {s: j}),
        (MaxOver(m * w, m, 1, COUNT, c, a), {w: m}),
        (Recurrence(w + c, w, k, COUNT, c), {c: w}),
        (sp.Integral(h(u, s), (u, 0, 1), (s, 0, t)), {t: s}),
        (sp.Lambda(u, h(u, s)), {s: u}),
        (sp.Integral(f(u), (u, 0, t)), {f: sp.Lambda(s, h(s, u))}),
        (sp.Subs(h(u, s), u, t), {s: u}),
    ],
)
def test_capture_is_refused(expr: sp.Expr, values: dict[object, object]) -> None:
    with pytest.raises(ProofError, match="bound where it stands"):
        substitute(expr, values)


def test_limits_are_outside_the_scope() -> None:
    assert substitute(sp.Integral(f(u), (u, 0, t)), {t: u}) == sp.Integral(f(u), (u, 0, u))
    assert substitute(SumOver(f(j), j, k), {k: j}) == SumOver(f(j), j, j)
    assert substitute(sp.Subs(h(u, s), u, t), {t: w}) == sp.Subs(h(u, s), u, w)


def test_functions_are_replaced_by_lambdas() -> None:
    assert substitute(f(t) + g(s), {f: sp.Lambda(u, u**2), g: sp.Lambda(u, f(u))}) == t**2 + f(s)
    assert substitute(sp.Integral(f(u), (u, 0, 1)), {f: sp.Lambda(s, s + t)}) == sp.Integral(u + t, (u, 0, 1))
    assert substitute(f(t), {f: g}) == g(t)


def test_a_lambdas_own_binders_do_not_catch_its_argument() -> None:
    inner = sp.Lambda(s, sp.Integral(h(u, s), (u, 0, 1)))
    with pytest.raises(ProofError, match="bound where it stands"):
        substitute(sp.Integral(f(u), (u, 0, 1)), {f: inner})
    assert substitute(f(t), {f: inner}) == sp.Integral(h(u, t), (u, 0, 1))


def test_a_lambda_is_not_read_twice() -> None:
    assert substitute(f(t), {f: sp.Lambda(u, u + s), s: w}) == t + s


@pytest.mark.parametrize("value", [sp.Lambda((u, s), u + s), a, lambda depth: depth])
def test_only_lambdas_that_fit_are_taken(value: object) -> None:
    with pytest.raises(ProofError, match="a lambda or a function"):
        substitute(f(t), {f: value})


def test_objects_are_replaced_where_they_are_free() -> None:
    assert substitute(X(t) + sp.Integral(norm(X(t)), (t, 0, T)), {X(t): x}) == x + sp.Integral(norm(X(t)), (t, 0, T))


def test_statements_guard_their_own_variables() -> None:
    statement = Statement(sp.Le(f(u), a, evaluate=False), (u,), (sp.Le(u, T, evaluate=False),))
    assert statement.at({a: c}).relation == sp.Le(f(u), c, evaluate=False)
    with pytest.raises(ProofError, match="bound where it stands"):
        statement.at({a: f(u)})


def test_binders_are_found() -> None:
    nested = SumOver(sp.Integral(h(u, j), (u, 0, 1)), j, i)
    assert [bound_by(b) for b in binders(nested)] == [{j}, {u}]
    assert bound_by(f(t)) == frozenset()
