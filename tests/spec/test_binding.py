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


DOUBLE = sp.Integral(h(u, s), (u, 0, s), (s, 0, t))


def test_in_several_integrals_limits_see_the_variables_of_the_others() -> None:
    """∫₀ᵗ∫₀ˢ h(u, s) du ds: the inner end is bound, the outer one free."""
    assert substitute(DOUBLE, {t: T}) == sp.Integral(h(u, s), (u, 0, s), (s, 0, T))
    assert substitute(DOUBLE, {s: T}) == DOUBLE
    assert substitute(DOUBLE, {u: T}) == DOUBLE
    with pytest.raises(ProofError, match="bound where it stands"):
        substitute(DOUBLE, {t: u})


def test_rests_of_binders_are_outside_their_scope() -> None:
    top = MaxOver(m * w, m, 1, COUNT, c, a)
    assert substitute(top, {c: m, w: 2 * w}) == MaxOver(2 * m * w, m, 1, COUNT, m, a)
    steps = Recurrence(w + c, w, k, COUNT, a)
    assert substitute(steps, {a: w, COUNT: k}) == Recurrence(w + c, w, k, k, w)
    assert substitute(steps, {c: 2 * c}) == Recurrence(w + 2 * c, w, k, COUNT, a)
    assert substitute(sp.Lambda((u, s), h(u, s) + w), {w: T}) == sp.Lambda((u, s), h(u, s) + T)


def test_what_each_node_binds() -> None:
    assert bound_by(DOUBLE) == {u, s}
    assert bound_by(Recurrence(w + c, w, k, COUNT, a)) == {w, k}
    assert bound_by(sp.Lambda((u, s), u + s)) == {u, s}
    assert bound_by(sp.Subs(h(u, s), u, t)) == {u}
    assert bound_by(SumOver(f(j), j, COUNT)) == {j}
    assert bound_by(norm(x)) == frozenset()


def test_objects_at_bound_variables_are_not_replaced() -> None:
    """f(u) under an integral over u is not the f(u) outside."""
    assert substitute(sp.Integral(f(u) + f(s), (u, 0, t)), {f(u): a, f(s): c}) == sp.Integral(f(u) + c, (u, 0, t))


def test_functions_inside_arguments_of_functions_are_replaced() -> None:
    assert substitute(h(f(t), g(t)), {f: sp.Lambda(u, 2 * u), g: f}) == h(2 * t, f(t))
    assert substitute(f(f(t)), {f: sp.Lambda(u, u + 1)}) == t + 2


def test_plain_numbers_take_the_place_of_symbols() -> None:
    assert substitute(a + c, {a: 1, c: 2}) == 3
    assert substitute(1, {a: 2}) == 1


def test_statements_keep_guards_and_variables() -> None:
    statement = Statement(sp.Le(f(u), a, evaluate=False), (u,), (sp.Le(u, c, evaluate=False),))
    assert statement.at({a: 2, c: T}) == Statement(sp.Le(f(u), 2, evaluate=False), (u,), (sp.Le(u, T, evaluate=False),))
    assert statement.at({u: T}).relation == sp.Le(f(T), a, evaluate=False)
    with pytest.raises(ProofError, match="bound where it stands"):
        statement.at({c: u})
