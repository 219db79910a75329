"""Each kind of fact: what it proves, what it refuses, and what it must state."""

from dataclasses import replace

import pytest
import sympy as sp
from toys import (
    BOUNDED,
    CHOICE,
    COUNT,
    INTEGRAL,
    MEANS,
    SUM,
    T,
    a,
    a_,
    b,
    b_,
    c,
    c_,
    eps,
    eq,
    f,
    f_,
    g_,
    ge,
    i,
    j,
    k,
    k_,
    lam,
    le,
    outcome,
    p,
    pick,
    report,
    seq,
    status,
    t,
    template,
    theorem,
    u,
    v,
    vocabulary,
    w,
    x,
    z,
)  # fmt: skip

from spec.language import functions as fn
from spec.language.checker import Checker, worst
from spec.language.errors import DimensionMismatch, ProofError, UnknownName
from spec.language.proof import Fact, argued, assumed, cited, definition, identity, induction, inequality, monotone, use
from spec.language.template import Statement

# Monotone steps.


def test_monotone_steps() -> None:
    assert status(monotone("good", w**3 + w, w, a, a + b)) == "proved"
    assert status(monotone("good", sp.exp(w) * w, w, a, b, given=())) == "proved"
    assert status(monotone("bad", -w, w, a, b)) == "failed"
    assert status(monotone("bad", w**2, w, c, c + a)) == "failed"
    assert status(monotone("good", w**2, w, c, c + a, given=(ge(c, 0),))) == "proved"


def test_monotone_between_ends_only_where_the_variable_may_be() -> None:
    """z ≥ 0 is declared: z² rises there, but (−t)² ≤ 0² is false."""
    assert "z in [0, oo)" in report(monotone("bad", z**2, z, -COUNT, c, given=(le(c, 0),))).detail
    assert status(monotone("good", z**2, z, a, a + b)) == "proved"


def test_monotone_needs_a_variable_of_its_own() -> None:
    """With w both the end and the variable, its guard would spare the derivative the whole interval."""
    step = monotone("bad", (w - 1) ** 2, w, 0, v, free=(v,), given=(ge(v, 5),))
    assert status(step) == "failed"
    shared = monotone("bad", (w - 1) ** 2, w, 0, w, free=(w,), given=(ge(w, 5),))
    assert "a variable of its own" in report(shared).detail
    assert "a variable of its own" in report(monotone("bad", a**2, a, 0, b)).detail


@pytest.mark.parametrize(
    "wrong",
    [
        -sp.ceiling(w),
        sp.Max(w, v),
        sp.Min(w, v),
        sp.Abs(w) + w,
        sp.Heaviside(w),
        sp.floor(w) * -1,
        sp.sign(w),
        fn.Ratio(w, 2),
        f(w),
        fn.norm(w * x),
    ],
)
def test_monotone_functions_are_differentiable(wrong: sp.Expr) -> None:
    """−⌈w⌉ has derivative 0 where it has one, and falls; at a tie of a maximum the derivative is a convention."""
    free = tuple(wrong.free_symbols & {v, x})
    assert "differentiable in w" in report(monotone("bad", wrong, w, a, b, free=free)).detail


@pytest.mark.parametrize("wrong", [-1 / w, -sp.atan(1 / w), sp.log(w**2) + w - w, -1 / w**3])
def test_monotone_functions_have_no_poles(wrong: sp.Expr) -> None:
    """−1/w has a positive derivative, and −1/(−1) > −1/1."""
    assert status(monotone("bad", wrong, w, c, c + a)) == "failed"


def test_monotone_away_from_poles() -> None:
    assert status(monotone("good", -1 / w, w, p, p + a)) == "proved"
    assert status(monotone("good", -sp.atan(1 / w), w, p, p + a)) == "proved"
    assert status(monotone("good", sp.log(w), w, p, p + a)) == "proved"


def test_monotone_states_what_it_gives() -> None:
    honest = monotone("step", w**3, w, a, b)
    forged = Fact(**{**vars(honest), "statement": Statement(le(b**3, a**3), (), honest.statement.given)})
    assert "what the monotone gives" in report(forged).detail
    unguarded = Fact(**{**vars(honest), "statement": Statement(honest.statement.relation)})
    assert "what the monotone gives" in report(unguarded).detail


# Induction.


STEP = argued("step", le(seq(k + 1), seq(k) + a), "toy", free=(k,))
START = argued("begin", le(seq(0), 0), "toy")


def test_induction() -> None:
    good = induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("step", k=k))
    assert status(START, STEP, good) == "proved"


def test_induction_needs_its_base() -> None:
    assert "at k = 0" in report(STEP, induction("sum", le(seq(k), k * a), k, COUNT, use("step", k=k))).detail
    high = argued("begin", le(seq(0), 1), "toy")
    assert (
        "at k = 0"
        in report(high, STEP, induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("step", k=k))).detail
    )


def test_induction_needs_its_step() -> None:
    assert status(START, induction("sum", le(seq(k), k * a), k, COUNT, use("begin"))) == "failed"
    steep = argued("step", le(seq(k + 1), seq(k) + 2 * a), "toy", free=(k,))
    assert (
        status(START, steep, induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("step", k=k))) == "failed"
    )


def test_induction_stops_at_its_end() -> None:
    bounded = argued("step", le(seq(k + 1), seq(k) + a), "toy", free=(k,), given=(le(k, COUNT - 1),))
    steps = (use("begin"), use("step", k=k))
    assert status(START, bounded, induction("sum", le(seq(k), k * a), k, COUNT, *steps)) == "proved"
    assert "the guard" in report(START, bounded, induction("sum", le(seq(k), k * a), k, COUNT + 1, *steps)).detail


def test_induction_is_over_integers_without_guards_of_their_own() -> None:
    """A guard k ≥ 3 would let the steps before 3 be skipped; a real variable would skip all between the integers."""
    guarded = induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("step", k=k), given=(ge(k, 3),))
    assert "no guard or end" in report(START, STEP, guarded).detail
    over_reals = induction("sum", le(f(t), a), t, T, use("bounded", t=0))
    assert "an integer" in report(assumed(BOUNDED), over_reals).detail
    moving = induction("sum", le(seq(k), k * a), k, 2 * k, use("begin"), use("step", k=k))
    assert "no guard or end" in report(START, STEP, moving).detail


def test_induction_states_what_it_gives() -> None:
    honest = induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("step", k=k))
    unguarded = Fact(**{**vars(honest), "statement": Statement(honest.statement.relation, (k,), (ge(k, 0), ge(k, -1)))})
    assert "what the induction gives" in report(START, STEP, unguarded).detail


# Citations.


def test_citations_prove_their_hypotheses() -> None:
    at = {f_: lam(u, sp.Abs(f(u))), g_: lam(u, a), a_: sp.Integer(0), b_: T}
    assert status(assumed(BOUNDED), cited("good", INTEGRAL, at, use("bounded", t=u))) == "cited"
    assert "hypothesis" in report(cited("bad", INTEGRAL, at)).detail
    backwards = {**at, a_: T, b_: sp.Integer(0)}
    assert "hypothesis" in report(assumed(BOUNDED), cited("bad", INTEGRAL, backwards, use("bounded", t=u))).detail


def test_citations_give_every_parameter() -> None:
    partial = {f_: lam(u, f(u)), g_: lam(u, a), a_: sp.Integer(0)}
    with pytest.raises(UnknownName, match="b_"):
        report(cited("bad", INTEGRAL, partial))
    more = {f_: lam(u, f(u)), g_: lam(u, a), a_: sp.Integer(0), b_: T, k_: a}
    assert "every parameter" in report(cited("bad", INTEGRAL, more)).detail


def test_citations_run_over_the_range_of_their_variables() -> None:
    """Over [−T, 0] the hypothesis would be proved for u ≥ 0 only, that is for nothing."""
    at = {f_: lam(u, f(u)), g_: lam(u, a), a_: -T, b_: sp.Integer(0)}
    assert "u in [0, oo)" in report(assumed(BOUNDED), cited("bad", INTEGRAL, at, use("bounded", t=u))).detail


def test_citations_state_what_they_give() -> None:
    honest = cited("sum", SUM, {f_: lam(i, f(i * T)), k_: k}, free=(k,))
    forged = Fact(**{**vars(honest), "statement": Statement(le(a, b))})
    assert "what the cited gives" in report(forged).detail


def test_what_a_result_takes_as_fixed_does_not_depend_on_the_sample() -> None:
    """X ≤ 0 + X for a random X does not give E X ≤ X."""
    random = {a_: sp.Integer(0), b_: outcome(j), c_: outcome(j)}
    assert "fixed before the sample" in report(cited("bad", MEANS, random, free=(j,))).detail
    bounded = argued("bounded", le(outcome(j), a), "toy", free=(j,))
    fixed = cited("good", MEANS, {a_: sp.Integer(0), b_: outcome(j), c_: a}, use("bounded"), free=(j,))
    assert status(bounded, fixed) == "cited"
    mean = {a_: sp.Integer(0), b_: a, c_: sp.Abs(fn.expectation(outcome(j))) + a}
    assert status(cited("mean", MEANS, mean, free=(j,))) == "cited"


@pytest.mark.parametrize(
    ("index", "accepted"), [(k, True), (pick(x), True), (v, False), (k - 1, False), (k / 2, False)]
)
def test_what_a_result_takes_as_an_index_is_one(index: sp.Expr, accepted: bool) -> None:
    """A bound at the integers 0 to n − 1 says nothing between them or before 0."""
    each = argued("each", le(seq(i), a), "toy", free=(i,))
    given = (le(index, COUNT - 1),)
    at = {f_: lam(i, seq(i)), a_: a, b_: index, k_: COUNT}
    step = cited("chosen", CHOICE, at, use("each", i=i), free=tuple(index.free_symbols), given=given)
    assert (status(each, step) == "cited") is accepted


# Other ways.


def test_argued_lemmas_have_reasons() -> None:
    assert "a reason" in report(argued("bare", le(a, b), "")).detail


def test_definitions_are_the_registered_ones() -> None:
    assert status(definition("growing", vocabulary)) == "proved"
    forged = Fact("growing", "definition", Statement(eq(seq(k + 1), seq(k) - a), (k,)))
    assert "differs from the registered definition" in report(forged).detail
    with pytest.raises(ProofError, match="a derived symbol"):
        definition("a", vocabulary)


def test_facts_come_in_order_and_once() -> None:
    with pytest.raises(ProofError, match="facts that come before"):
        report(inequality("first", ge(a, 0), use("second")))
    with pytest.raises(ProofError, match="one fact of each name"):
        Checker((inequality("same", ge(a, 0)), inequality("same", ge(b, 0))), vocabulary)


def test_unknown_variables_are_named() -> None:
    assert (
        "a free variable of bounded"
        in report(assumed(BOUNDED), argued("bad", ge(a, 0), "toy", use("bounded", s=T))).detail
    )


def test_symbols_of_elsewhere_are_refused_in_guards_too() -> None:
    with pytest.raises(UnknownName):
        report(inequality("foreign", ge(a, 0), given=(ge(sp.Symbol("a"), 0),)))


def test_identities_rewrite_with_equalities_only() -> None:
    unequal = argued("unequal", le(f(t), a), "toy", free=(t,))
    assert "equalities to rewrite" in report(unequal, identity("bad", eq(f(t), a), use("unequal"), free=(t,))).detail
    twice = argued("twice", eq(2 * f(t), a), "toy", free=(t,))
    assert "leads with an object" in report(twice, identity("bad", eq(f(t), a / 2), use("twice"), free=(t,))).detail
    assert "an equality" in report(Fact("bad", "identity", Statement(le(a, b)))).detail


def test_only_derived_symbols_unfold() -> None:
    assert "it has no definition" in report(inequality("bad", ge(a, 0), unfold=(b,))).detail


def test_a_false_premise_proves_nothing() -> None:
    never = argued("never", sp.Lt(f(t), -sp.Abs(f(t)), evaluate=False), "toy", free=(t,))
    assert status(never, inequality("bad", le(1, fn.norm(x) * 0 + a), use("never"), free=(t,))) == "failed"


def test_absurdities_do_not_follow() -> None:
    assert status(inequality("absurd", le(1 + a, a))) == "failed"
    assert status(assumed(BOUNDED), inequality("absurd", le(1 + a, a), use("bounded", t=0))) == "failed"


def test_numbers_are_decided_in_ball_arithmetic() -> None:
    assert status(inequality("pi", sp.Lt(sp.pi, sp.Rational(22, 7), evaluate=False))) == "proved"
    assert status(inequality("pi", sp.Lt(sp.Rational(22, 7), sp.pi, evaluate=False))) == "failed"


def test_dimensions_of_statements_and_guards_are_checked() -> None:
    with pytest.raises(DimensionMismatch):
        theorem(inequality("step", le(T, 2 * T), given=(ge(T, 1),)), bound=2 * T, spine=("step",), measured=T)


# Corners of each kind.


def test_a_monotone_step_keeps_its_guard() -> None:
    """Between ends in the wrong order it says 2 ≤ 1 where 2 ≤ 1: unguarded, that would be proved."""
    for low, high in ((2, 1), (a, a + b)):
        assert monotone("step", w, w, low, high).statement.given == (le(low, high),)
    backwards = monotone("backwards", w, w, 2, 1)
    assert "the guard of backwards" in report(backwards, argued("bad", ge(a, 0), "toy", use("backwards"))).detail


def test_monotone_steps_use_facts_between_the_ends() -> None:
    """w³ − w rises from 1 on; a fact whose guard the ends leave is not used between them."""
    steep = argued("steep", ge(3 * w**2, 3), "toy", free=(w,), given=(ge(w, 1),))
    assert status(steep, monotone("good", w**3 - w, w, 1, 1 + a, use("steep", w=w))) == "proved"
    assert "the guard of steep" in report(steep, monotone("bad", w**3 - w, w, 0, a, use("steep", w=w))).detail


def test_inductions_begin_with_what_is_used_at_0() -> None:
    """A fact about all layers, used at 0 for the start and at k for the step."""
    each = argued("each", le(seq(k + 1), seq(k) + a), "toy", free=(k,))
    small = argued("small", le(seq(k), k), "toy", free=(k,))
    good = induction("sum", le(seq(k), k * a), k, COUNT, use("small", k=0), use("each", k=k))
    assert status(small, each, good) == "proved"
    assert "at k = 0" in report(small, each, induction("sum", le(seq(k), k * a), k, COUNT, use("each", k=k))).detail


def test_inductions_do_not_step_with_what_holds_at_0_alone() -> None:
    flat = argued("flat", le(seq(k + 1), seq(k)), "toy", free=(k,))
    start = argued("begin", le(seq(0), 0), "toy")
    bad = induction("still", le(seq(k), 0), k, COUNT, use("begin"), use("flat", k=0))
    assert "at k = 0" not in report(start, flat, bad).detail
    assert status(start, flat, bad) == "failed"
    assert status(start, flat, induction("still", le(seq(k), 0), k, COUNT, use("begin"), use("flat", k=k))) == "proved"


def test_inductions_run_under_guards_that_do_not_move() -> None:
    guarded = (ge(a, 1),)
    each = argued("each", le(seq(k + 1), seq(k) + 1), "toy", free=(k,))
    under = induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("each", k=k), given=guarded)
    assert status(START, each, under) == "proved"
    assert (
        status(START, each, induction("sum", le(seq(k), k * a), k, COUNT, use("begin"), use("each", k=k))) == "failed"
    )


def test_elementary_results_are_proved_and_published_ones_cited() -> None:
    at = {f_: lam(i, seq(i)), k_: k}
    assert status(cited("sum", SUM, at, free=(k,))) == "cited"
    assert status(cited("sum", replace(SUM, elementary=True), at, free=(k,))) == "proved"


def test_citations_unfold_in_their_hypotheses() -> None:
    at = {a_: eps, b_: T}
    assert "hypothesis" in report(cited("bad", ORDER, at)).detail
    assert status(cited("good", ORDER, at, unfold=(eps,))) == "cited"


ORDER = template(Statement(le(a_, b_)), conclusion=Statement(le(a_, 2 * b_ - a_)), parameters=(a_, b_))


def test_indices_of_results_are_whole_and_counted_from_0() -> None:
    at = {f_: lam(i, seq(i)), a_: a, b_: sp.Integer(0), k_: COUNT - COUNT}
    assert status(cited("none", CHOICE, at)) == "failed"
    for count in (v, -COUNT, sp.Rational(1, 2)):
        wrong = {f_: lam(i, seq(i)), a_: a, b_: k, k_: count}
        assert status(cited("bad", CHOICE, wrong, free=tuple({k} | count.free_symbols & {v}))) == "failed"


def test_identities_use_guards_as_guards_and_facts_as_rewriting() -> None:
    known = argued("known", eq(f(t), a), "toy", free=(t,))
    guarded = identity("good", eq(f(t) + b, a + b), use("known"), free=(t,), given=(ge(b, 0), ge(t, 0)))
    assert status(known, guarded) == "proved"
    assert status(known, identity("bad", eq(f(t) + b, a + 2 * b), use("known"), free=(t,))) == "failed"
    assert status(identity("bare", eq(f(t) + b, a + b), free=(t,))) == "failed"
    shifted = argued("shifted", eq(f(t) + b, a), "toy", free=(t,))
    assert status(shifted, identity("good", eq(f(t), a - b), use("shifted"), free=(t,))) == "proved"


def test_identities_unfold_definitions() -> None:
    assert status(identity("good", eq(eps * COUNT, T), unfold=(eps,))) == "proved"
    assert status(identity("bad", eq(eps * COUNT, 2 * T), unfold=(eps,))) == "failed"
    assert status(identity("folded", eq(eps * COUNT, T))) == "failed"


def test_functions_of_numbers_are_simplified() -> None:
    assert status(identity("good", eq(sp.sin(w) ** 2 + sp.cos(w) ** 2, 1), free=(w,))) == "proved"
    assert status(identity("bad", eq(sp.sin(w) ** 2 - sp.cos(w) ** 2, 1), free=(w,))) == "failed"


def test_a_proof_is_as_good_as_its_weakest_fact() -> None:
    assert worst(["proved", "cited", "proved"]) == "cited"
    assert worst(["argued", "cited", "proved"]) == "argued"
    assert worst(["proved", "failed", "argued"]) == "failed"
    assert worst(["proved"]) == "proved"
    assert worst([]) == "failed"


def test_reports_name_fact_kind_and_reason() -> None:
    found = report(argued("lemma", le(a, b), "in the note"))
    assert (found.name, found.kind, found.status, found.detail) == ("lemma", "argued", "argued", "in the note")
    assert report(cited("sum", SUM, {f_: lam(i, seq(i)), k_: k}, free=(k,))).detail == "toy, Theorem 1"
    assert report(assumed(BOUNDED)).kind == "assumed"
    assert assumed(BOUNDED).reason == BOUNDED.words


def test_a_false_inequality_comes_with_a_countermodel() -> None:
    assert report(inequality("bad", le(a, b))).detail.startswith("refuted: a = ")
