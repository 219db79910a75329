"""Scalar steps in z3: what follows is proved, what does not is not, and no step proves itself by dividing."""

import pytest
import sympy as sp
from toys import COUNT, L, T, X, a, b, c, eps, eq, f, ge, i, j, k, le, p, ratio, share, t, vocabulary, w, x, y, z
from toys import v as v_

from spec.language import functions as fn
from spec.language import smt
from spec.language.errors import ProofError
from spec.language.smt import PROVED, REFUTED, UNKNOWN


def verdict(*premises: sp.Rel, goal: sp.Rel, **more: object) -> str:
    return smt.decide(premises, goal, vocabulary, **more)[0]


@pytest.mark.parametrize(
    ("premises", "goal"),
    [
        ((le(w, a), le(a, b)), le(w, b)),
        ((), ge(a, 0)),
        ((), sp.Lt(ratio, 1, evaluate=False)),
        ((), ge(COUNT, 1)),
        ((le(sp.Abs(w), a),), ge(w, -a)),
        ((), le(w, sp.Max(w, v_))),
        ((le(w, c), le(v_, c)), le(sp.Max(w, v_), c)),
        ((), le(sp.Min(w, v_), w)),
        ((), ge(sp.exp(w), 1 + w)),
        ((), ge(fn.phi1(a), 1)),
        ((), sp.Gt(fn.phi1(w), 0, evaluate=False)),
        ((), ge(sp.sqrt(a) * sp.sqrt(a), a)),
        ((le(w, sp.sqrt(a)), ge(w, 0)), le(w**2, a)),
        ((), eq(sp.sqrt(p) ** 3, p * sp.sqrt(p))),
        ((), eq(p ** sp.Rational(-3, 2) * sp.sqrt(p) * p, 1)),
        ((), eq(fn.norm(a * x), a * fn.norm(x))),
        ((), eq(fn.norm(c * x - c * y), sp.Abs(c) * fn.norm(x - y))),
        ((), eq(fn.gauge(a * x), a * fn.gauge(x))),
        ((), eq(fn.Ratio(a, p) * p, a)),
        ((), le(fn.Ratio(a, COUNT), a)),
        ((), ge(sp.ceiling(w), w)),
        ((), ge(fn.geom(a, k), 0)),
        ((), ge(fn.Entry(L, j), 0)),
        ((), ge(fn.norm(x), 0)),
        ((sp.Ne(w, 0, evaluate=False), ge(w, 0)), sp.Gt(w, 0, evaluate=False)),
        ((sp.Lt(w, v_, evaluate=False),), sp.Ne(w, v_, evaluate=False)),
        ((sp.Gt(w, v_, evaluate=False),), ge(w, v_)),
        ((sp.true,), ge(a, 0)),
    ],
)
def test_what_follows_is_proved(premises: tuple[sp.Rel, ...], goal: sp.Rel) -> None:
    assert verdict(*premises, goal=goal) == PROVED


@pytest.mark.parametrize(
    ("premises", "goal"),
    [
        ((), le(a, b)),
        ((), ge(w, 0)),
        ((), ge(c, 0)),
        ((), le(COUNT, 1)),
        ((), sp.Gt(a, 0, evaluate=False)),
        ((), sp.Lt(share, 1, evaluate=False)),
        ((), le(fn.norm(x + y), fn.norm(x))),
        ((), ge(fn.phi1(w), 1)),
        ((), eq(fn.gauge(c * x), sp.Abs(c) * fn.gauge(x))),
        ((), eq(fn.gauge(-x), fn.gauge(x))),
        ((), ge(fn.geom(c, k), 0)),
        ((), ge(fn.geom(a, k - 1), 0)),
        ((), eq(f(t), f(T))),
        ((), ge(fn.quantile(w, ratio), 0)),
        ((le(w**2, a),), le(w, a)),
        ((), le(sp.ceiling(w), w)),
        ((), ge(fn.Recurrence(z, z, k, COUNT, c), 0)),
        ((), ge(fn.expectation(w), 0)),
    ],
)
def test_what_does_not_follow_is_not(premises: tuple[sp.Rel, ...], goal: sp.Rel) -> None:
    assert verdict(*premises, goal=goal) == REFUTED


def test_contradictory_premises_prove_nothing() -> None:
    assert verdict(sp.Lt(a, 0, evaluate=False), goal=le(b, a)) == UNKNOWN
    assert verdict(le(w, 0), ge(w, 1), goal=le(1, 0)) == UNKNOWN
    assert verdict(sp.false, goal=ge(a, 0)) == UNKNOWN
    assert "hold together" in smt.decide((le(w, 0), ge(w, 1)), le(a, b), vocabulary)[1]


@pytest.mark.parametrize(
    "goal",
    [
        eq(fn.Ratio(a, a), 1),
        eq(fn.Ratio(w, w), 1),
        le(fn.Ratio(a * b, b), a),
        eq(1 / w - 1 / w + fn.Ratio(0, c), 0),
        ge(1 / c**2, 0),
        ge(sp.sqrt(c), 0),
        ge(fn.Ratio(1, fn.norm(x)), 0),
        ge(sp.sqrt(a - b), 0),
        ge(fn.Ratio(1, sp.sqrt(a)), 0),
        ge(fn.Ratio(1, 1 - fn.Ratio(1, p)) ** 2, 0),
        ge(fn.norm(fn.Ratio(1, w) * x), 0),
        ge(sp.Abs(fn.Ratio(1, w)), 0),
        ge(sp.Max(fn.Ratio(1, w), 0), 0),
        ge(a ** sp.Rational(-1, 2), 0),
    ],
)
def test_a_goal_owes_its_denominators_and_roots(goal: sp.Rel) -> None:
    """The condition is never proved by the very axiom that the inverse or the root brings."""
    verdict_, detail = smt.decide((), goal, vocabulary)
    assert verdict_ == UNKNOWN
    assert "not shown to exist" in detail


@pytest.mark.parametrize(
    ("premise", "goal"),
    [
        (sp.Gt(a, 0, evaluate=False), eq(fn.Ratio(a, a), 1)),
        (sp.Ne(w, 0, evaluate=False), eq(fn.Ratio(w, w), 1)),
        (ge(c, 0), ge(sp.sqrt(c), 0)),
        (ge(a, b), ge(sp.sqrt(a - b), 0)),
        (sp.Gt(p, 1, evaluate=False), ge(fn.Ratio(1, 1 - fn.Ratio(1, p)) ** 2, 0)),
    ],
)
def test_it_pays_with_premises(premise: sp.Rel, goal: sp.Rel) -> None:
    assert verdict(premise, goal=goal) == PROVED


def test_premises_do_not_make_their_denominators_exist() -> None:
    """That 1/w is spoken of does not say w ≠ 0, nor that √c is there that c ≥ 0."""
    assert verdict(ge(fn.Ratio(1, w) + a, 0), goal=sp.Ne(w, 0, evaluate=False)) != PROVED
    assert verdict(ge(fn.Ratio(1, w) + a, 0), goal=sp.Ne(w, 0, evaluate=False), owed=False) != PROVED
    assert verdict(ge(sp.sqrt(c), 0), goal=ge(c, 0), owed=False) != PROVED
    assert verdict(ge(sp.sqrt(c), 0), goal=ge(c, 0)) != PROVED
    assert verdict(goal=eq(fn.Ratio(w, w), 1), owed=False) != PROVED


def test_what_does_not_exist_stands_for_any_number_without_owing() -> None:
    assert verdict(sp.Gt(w, 0, evaluate=False), goal=sp.Gt(fn.Ratio(1, w), 0, evaluate=False), owed=False) == PROVED
    assert verdict(goal=le(fn.Ratio(1, w) - fn.Ratio(1, w), 0), owed=False) == PROVED


def test_signs_make_inverses_and_roots_exist() -> None:
    assert verdict(goal=sp.Gt(fn.Ratio(1, p), 0, evaluate=False)) == PROVED
    assert verdict(goal=le(eps.subs(eps, T / COUNT), T)) == PROVED


def test_atoms_are_compared_expanded() -> None:
    assert verdict(goal=eq(f(a * (b + c)), f(a * b + a * c))) == PROVED
    assert verdict(goal=eq(fn.norm(X(t) * (a + b)), (a + b) * fn.norm(X(t)))) == PROVED


def test_only_relations_are_translated() -> None:
    translation = smt.Translation(vocabulary)
    with pytest.raises(ProofError, match="an equality or an inequality"):
        translation.relation(Impostor(w, v_))


class Impostor:
    """Something with two sides that is no relation."""

    def __init__(self, lhs: sp.Expr, rhs: sp.Expr) -> None:
        self.lhs, self.rhs = lhs, rhs


def test_the_budget_is_resources_not_time() -> None:
    hard = le(w**4 * v_**3 * c**2 - w * v_ * c * a * b, sp.Abs(w) ** 5 + fn.norm(x) ** 3)
    assert verdict(goal=hard, rlimit=1) == UNKNOWN
    assert verdict(le(w, v_), goal=le(w, v_), rlimit=100_000) == PROVED


def test_countermodels_name_their_atoms() -> None:
    verdict_, detail = smt.decide((), le(fn.norm(x), a), vocabulary)
    assert verdict_ == REFUTED
    assert "norm(x) =" in detail


def test_integers_are_reals_to_z3() -> None:
    assert verdict(goal=sp.Ne(2 * i, 2 * j + 1, evaluate=False)) != PROVED
