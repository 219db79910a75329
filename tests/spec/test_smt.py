"""Scalar steps in z3: what follows is proved, what does not is not, and no step proves itself by dividing."""

import pytest
import sympy as sp
from toys import COUNT, L, T, X, a, b, c, eps, eq, f, ge, i, j, k, le, p, ratio, share, t, vocabulary, w, x, y, z
from toys import v as v_

from spec.language import functions as fn
from spec.language import smt
from spec.language.dimension import PURE
from spec.language.errors import ProofError
from spec.language.existence import existence
from spec.language.quantity import POSITIVE, Vocabulary
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


@pytest.mark.parametrize(
    "goal",
    [
        sp.Lt(sp.ceiling(w), w + 1, evaluate=False),
        ge(sp.sqrt(a), 0),
        sp.Gt(sp.exp(w), 0, evaluate=False),
        eq((w - sp.Max(w, v_)) * (v_ - sp.Max(w, v_)), 0),
        eq((w - sp.Min(w, v_)) * (v_ - sp.Min(w, v_)), 0),
        le(sp.Min(w, v_, c), c),
        ge(sp.Max(w, v_, c), v_),
        ge(sp.Abs(w), 0),
        eq(sp.Abs(w) ** 2, w**2),
        eq(p ** sp.Rational(5, 2), p**2 * sp.sqrt(p)),
        eq(p ** sp.Rational(-5, 2) * p**3, sp.sqrt(p)),
        eq(p ** sp.Rational(-1, 2) * sp.sqrt(p), 1),
        eq(p**-3 * p**5, p**2),
        eq(w**3 - w * w * w, 0),
        eq(fn.token_norm(c * x), sp.Abs(c) * fn.token_norm(x)),
        eq(fn.norm(-x), fn.norm(x)),
        ge(fn.norm(c * x), 0),
        ge(fn.gauge(x), 0),
        ge(fn.probability(w, c), 0),
        eq(2 * w + 3 * v_ - c, 3 * v_ + 2 * w - c),
        eq(sp.Rational(2, 3) * w, 2 * w / 3),
    ],
)
def test_what_is_true_of_every_value_is_known(goal: sp.Rel) -> None:
    assert verdict(goal=goal) == PROVED


@pytest.mark.parametrize(
    ("premises", "goal"),
    [
        ((le(w, 0),), eq(sp.Abs(w), -w)),
        ((eq(w, 0),), eq(fn.phi1(w), 1)),
        ((ge(w, 0),), ge(fn.phi1(w), 1)),
        ((ge(c, 0),), eq(fn.gauge(c * x), c * fn.gauge(x))),
        ((ge(w, 0), ge(z, 0)), ge(fn.geom(w, z), 0)),
        ((eq(w, 2), eq(v_, 3)), eq(w * v_ + w + v_, 11)),
    ],
)
def test_what_is_true_where_a_premise_says(premises: tuple[sp.Rel, ...], goal: sp.Rel) -> None:
    assert verdict(*premises, goal=goal) == PROVED
    assert verdict(goal=goal) == REFUTED


@pytest.mark.parametrize(
    "goal",
    [
        sp.Gt(sp.sqrt(a), 0, evaluate=False),
        eq(sp.Abs(w), w),
        eq(sp.Abs(w), -w),
        eq(sp.Max(w, v_), w),
        eq(sp.Min(w, v_), w),
        ge(sp.ceiling(w), w + sp.Rational(1, 2)),
        ge(sp.exp(w), 1),
        le(sp.exp(w), 1 + w),
        eq(fn.phi1(w), 1),
        sp.Gt(fn.norm(x), 0, evaluate=False),
        eq(fn.norm(x), fn.norm(y)),
        eq(fn.norm(x), fn.token_norm(x)),
        eq(w**2, w),
        sp.Ne(w, v_, evaluate=False),
        sp.Lt(w, v_, evaluate=False),
        sp.Gt(w, v_, evaluate=False),
        eq(w, v_),
        eq(fn.Entry(L, i), fn.Entry(L, j)),
        le(w + v_ + c, w + v_),
        le(w * v_ * c, w * v_),
        le(fn.probability(w, c), 0),
        ge(fn.gauge(2 * x), 3 * fn.gauge(x) + 1),
    ],
)
def test_what_is_not_true_of_every_value_is_refuted(goal: sp.Rel) -> None:
    assert verdict(goal=goal) == REFUTED


@pytest.mark.parametrize(
    ("expr", "owed"),
    [
        (fn.Ratio(a, w), {sp.Ne(w, 0, evaluate=False)}),
        (1 / w, {sp.Ne(w, 0, evaluate=False)}),
        (w**-2, {sp.Ne(w, 0, evaluate=False)}),
        (sp.sqrt(c), {ge(c, 0)}),
        (1 / sp.sqrt(c), {sp.Ne(c, 0, evaluate=False), ge(c, 0)}),
        (c**w, {sp.Ne(c, 0, evaluate=False), ge(c, 0)}),
        (a**w, {sp.Ne(a, 0, evaluate=False)}),
        (c**k, set()),
        (sp.log(c), {sp.Gt(c, 0, evaluate=False)}),
        (sp.exp(fn.Ratio(1, w)) + sp.sqrt(c), {sp.Ne(w, 0, evaluate=False), ge(c, 0)}),
        (fn.Ratio(1 / c, w), {sp.Ne(w, 0, evaluate=False), sp.Ne(c, 0, evaluate=False)}),
        (fn.SumOver(fn.Ratio(1, w), j, k), {sp.Ne(w, 0, evaluate=False)}),
        (sp.Integral(sp.log(w), (w, a, c)), {sp.Gt(w, 0, evaluate=False)}),
        (fn.Recurrence(w, w, k, COUNT, 1 / c), {sp.Ne(c, 0, evaluate=False)}),
        (fn.Ratio(c, p) + sp.log(p) + sp.sqrt(a) + p**-3 + w**2, set()),
    ],
)
def test_what_an_expression_owes(expr: sp.Expr, owed: set[sp.Rel]) -> None:
    """Denominators, roots and logarithms; signs that symbols have pay for theirs."""
    assert {condition for condition, _ in existence(expr)} == owed


def test_every_root_and_inverse_of_a_goal_is_owed() -> None:
    both = ge(fn.Ratio(1, w) ** 2 + fn.Ratio(1, v_) ** 2, 0)
    for premise in (sp.Ne(w, 0, evaluate=False), sp.Ne(v_, 0, evaluate=False)):
        assert verdict(premise, goal=both) == UNKNOWN
    assert verdict(sp.Ne(w, 0, evaluate=False), sp.Ne(v_, 0, evaluate=False), goal=both) == PROVED


@pytest.mark.parametrize(
    "spoken", [fn.Ratio(1, w), sp.Abs(fn.Ratio(1, w)), sp.Max(fn.Ratio(1, w), 0), fn.norm(fn.Ratio(1, w) * x)]
)
def test_a_goal_owes_what_a_premise_spoke_of_first(spoken: sp.Expr) -> None:
    """However deep in a premise 1/w stands, w/w = 1 owes w ≠ 0."""
    verdict_, detail = smt.decide((ge(spoken + a, 0),), eq(fn.Ratio(w, w), 1), vocabulary)
    assert verdict_ == UNKNOWN
    assert "not shown to exist" in detail


def test_what_a_premise_divides_by_is_not_owed_by_the_goal() -> None:
    assert verdict(ge(fn.Ratio(1, w), a), ge(c, 1), goal=ge(c, 0)) == PROVED


def test_countermodels_refute() -> None:
    """What a countermodel says makes the goal false, ratios and all."""
    own = Vocabulary()
    above, below = own.symbol("above", "a", "a numerator"), own.symbol("below", "b", "a denominator", PURE, POSITIVE)
    share_ = own.symbol("share_", "s", "their ratio", PURE, definition=fn.Ratio(above, below))
    premises = (eq(above, 1), eq(below, 4))
    verdict_, detail = smt.decide(premises, ge(fn.Ratio(above, below), 1), own, unfolded=(share_,))
    assert verdict_ == REFUTED
    assert detail.startswith("above = 1; below = 4; share_ = Ratio(above, below) = 1/4")
    assert "share_ = Ratio(above, below)" in smt.decide((), ge(above, 1), own, unfolded=(share_,))[1]
