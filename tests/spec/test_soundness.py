"""Ways to prove what is false, each closed: the honest twin beside it still passes."""

from dataclasses import replace

import pytest
import sympy as sp
from toys import (
    ADMISSIBLE,
    BOUNDED,
    COUNT,
    EVERYWHERE,
    SUM,
    F,
    T,
    X,
    a,
    a_,
    b,
    c,
    eq,
    f,
    f_,
    g,
    ge,
    growth,
    h,
    i,
    j,
    k,
    k_,
    lam,
    le,
    m,
    p,
    quotient,
    rate,
    report,
    s,
    status,
    t,
    theta,
    u,
    v,
    vartheta,
    vocabulary,
    w,
    x,
    y,
    z,
)  # fmt: skip

from spec.language import functions as fn
from spec.language.checker import Checker
from spec.language.errors import ProofError
from spec.language.proof import argued, assumed, cited, definition, identity, inequality, use
from spec.language.quantity import NONNEGATIVE, Vocabulary

# Instantiation: the values that a fact's variables may take.


POLYGON = argued("polygon", ge(k * (k - 1), 0), "true of integers", free=(k,))


def test_an_index_takes_integers() -> None:
    """k(k−1) ≥ 0 holds for integers; at k = 1/2 it says −1/4 ≥ 0."""
    assert status(POLYGON, inequality("good", ge(COUNT * (COUNT - 1), 0), use("polygon", k=COUNT))) == "proved"
    half = inequality("bad", ge(v * (v - 1), 0), use("polygon", k=v), free=(v,), given=(ge(v, 0),))
    assert "an integer for k" in report(POLYGON, half).detail
    numeric = inequality("bad", ge(a, b), use("polygon", k=sp.Rational(1, 2)))
    assert "an integer for k" in report(POLYGON, numeric).detail


def test_a_depth_takes_no_negative_value() -> None:
    """Depths are nonnegative; a fact about all depths says nothing about T − t."""
    early = inequality("early", le(sp.Abs(f(T - t)), a), use("bounded", t=T - t), free=(t,))
    assert "t in [0, oo)" in report(assumed(BOUNDED), early).detail
    guarded = inequality("early", le(sp.Abs(f(T - t)), a), use("bounded", t=T - t), free=(t,), given=(le(t, T),))
    assert status(assumed(BOUNDED), guarded) == "proved"


def test_a_state_is_no_number_and_has_its_dimension() -> None:
    lips = argued("lips", le(fn.norm(F(x)), rate * fn.norm(x)), "toy", free=(x,))
    assert (
        status(lips, inequality("good", le(fn.norm(F(X(t))), rate * fn.norm(X(t))), use("lips", x=X(t)), free=(t,)))
        == "proved"
    )
    detail = report(lips, argued("bad", ge(a, 0), "toy", use("lips", x=theta(t)))).detail
    assert "x of dimension State" in detail
    general = argued("general", ge(fn.gauge(vartheta), 0), "toy", free=(vartheta,))
    assert "a vector" in report(lips, argued("bad", ge(a, 0), "toy", use("lips", x=fn.norm(X(t))))).detail
    assert status(general, argued("fine", ge(a, 0), "toy", use("general", vartheta=theta(t)))) == "argued"


def test_a_guard_is_proved_for_each_value() -> None:
    assert (
        "the guard" in report(assumed(BOUNDED), inequality("late", le(f(t), a), use("bounded", t=t), free=(t,))).detail
    )
    once = inequality("once", le(f(t), a), use("bounded", t=t), free=(t,), given=(le(t, T),))
    assert status(assumed(BOUNDED), once) == "proved"


def test_a_premise_at_one_depth_says_nothing_of_another() -> None:
    at_end = argued("end", le(f(T), a), "toy")
    assert status(at_end, inequality("everywhere", le(f(t), a), use("end"), free=(t,))) == "failed"
    assert status(at_end, inequality("there", le(f(T), 2 * a), use("end"))) == "proved"


def test_a_fact_about_one_function_is_not_about_all() -> None:
    """θ in Θ is assumed of one control: it does not put every control there."""
    one = inequality("one", le(fn.gauge(theta(t)), 2), use("admissible"), free=(t,))
    assert status(assumed(ADMISSIBLE), one) == "proved"
    every = inequality("every", le(fn.gauge(theta(t)), 2), use("admissible"), free=(t, theta))
    with pytest.raises(ProofError, match="general facts from general ones"):
        report(assumed(ADMISSIBLE), every)


def test_facts_about_all_functions_take_lambdas() -> None:
    every = argued("every", le(f(t), sp.Abs(f(t))), "toy", free=(t, f))
    again = inequality("again", le(2 * f(t), 2 * sp.Abs(f(t))), use("every"), free=(t, f))
    assert status(every, again) == "proved"
    other = inequality("other", le(g(t) ** 2, sp.Abs(g(t) ** 2)), use("every", f=lam(u, g(u) ** 2)), free=(t,))
    assert status(every, other) == "proved"


def test_constants_are_not_quantified() -> None:
    """A fact about the constant a, from what is assumed of a, does not hold for every number in its place."""
    with pytest.raises(ProofError, match="it is a constant"):
        report(assumed(BOUNDED), inequality("all", ge(a, f(0)), use("bounded", t=0), free=(a,)))


def test_variables_are_quantified() -> None:
    with pytest.raises(ProofError, match="declare it free"):
        report(inequality("stray", ge(t, 0)))


# Capture: a bound variable that catches a free one.


def test_a_bound_variable_catches_nothing() -> None:
    """∫h(u, s)du at s = u is not ∫h(u, u)du."""
    known = argued("known", le(sp.Integral(h(u, s), (u, 0, T)), a), "toy", free=(s,))
    detail = report(known, argued("caught", ge(a, 0), "toy", use("known", s=u), free=(u,))).detail
    assert "bound where it stands" in detail
    assert (
        status(known, inequality("fine", le(sp.Integral(h(u, t), (u, 0, T)), a), use("known", s=t), free=(t,)))
        == "proved"
    )


def test_a_templates_sum_catches_nothing() -> None:
    with pytest.raises(ProofError, match="bound where it stands"):
        cited("caught", SUM, {f_: lam(i, h(i, j)), k_: k}, free=(j, k))
    assert status(cited("fine", SUM, {f_: lam(i, h(i, m)), k_: k}, free=(m, k))) == "cited"


def test_a_templates_variables_are_not_the_facts() -> None:
    """A guard on the fact's own u must not help to prove a hypothesis for every u."""
    early = argued("early", le(f(u), a), "toy", free=(u,), given=(le(u, 1 * T),))
    guarded = cited("guarded", EVERYWHERE, {f_: lam(t, f(t)), a_: a}, use("early", u=u), free=(u,), given=(le(u, T),))
    assert "bound variables of a template fresh" in report(early, guarded).detail
    always = argued("always", le(f(u), a), "toy", free=(u,))
    assert status(always, cited("fine", EVERYWHERE, {f_: lam(t, f(t)), a_: a}, use("always", u=u))) == "cited"
    assert status(early, cited("unguarded", EVERYWHERE, {f_: lam(t, f(t)), a_: a}, use("early", u=u))) == "failed"


def test_a_conclusions_variables_are_not_the_facts() -> None:
    with pytest.raises(ProofError, match="bound where it stands"):
        cited("caught", EVERYWHERE, {f_: lam(t, h(t, s)), a_: a}, free=(s,))


def test_rewriting_stops_at_binders() -> None:
    """X(t) = x for one t does not make X constant under an integral over t."""
    at_t = argued("at", eq(X(t), x), "toy", free=(t, x), given=(eq(fn.norm(X(t) - x), 0),))
    rewritten = identity(
        "bad", eq(sp.Integral(fn.norm(X(t)), (t, 0, T)), sp.Integral(fn.norm(x), (t, 0, T))), use("at"),
        free=(t, x), given=(eq(fn.norm(X(t) - x), 0),),
    )  # fmt: skip
    assert status(at_t, rewritten) == "failed"
    fine = identity(
        "good", eq(fn.norm(X(t) + y), fn.norm(x + y)), use("at"), free=(t, x, y), given=(eq(fn.norm(X(t) - x), 0),)
    )
    assert status(at_t, fine) == "proved"


def test_a_count_is_outside_its_sum() -> None:
    """In Σ_{j<j+1} the j of the count is free: it must be quantified."""
    with pytest.raises(ProofError, match="declare it free"):
        report(argued("loose", ge(fn.SumOver(sp.Abs(f(j)), j, j + 1), 0), "toy"))


# Division and roots.


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (eq(fn.Ratio(c, c), 1), eq(fn.Ratio(p, p), 1)),
        (eq(fn.Ratio(c * w, c), w), eq(fn.Ratio(p * w, p), w)),
        (eq((w**2 - v**2) / (w - v), w + v), eq((w**2 - p**2) / (1 + w**2) * (1 + w**2), w**2 - p**2)),
        (eq(fn.Ratio(1, w) - fn.Ratio(1, w) + 1 / v - fn.Ratio(1, v), 0), eq(fn.Ratio(1, p) - 1 / p, 0)),
        (eq(sp.sqrt(c) ** 2 + sp.sqrt(c) - c, sp.sqrt(c)), eq((sp.sqrt(a) + 1) * (sp.sqrt(a) - 1), a - 1)),
        (eq(sp.log(w**2), 2 * sp.log(w)), eq(sp.log(p**2 * p), 3 * sp.log(p))),
    ],
)
def test_identities_owe_their_denominators(wrong: sp.Rel, right: sp.Rel) -> None:
    assert status(identity("right", right, free=tuple(right.free_symbols & {w, v}))) == "proved"
    assert status(identity("wrong", wrong, free=tuple(wrong.free_symbols & {w, v}))) == "failed"


def test_a_guard_pays_for_a_denominator() -> None:
    nonzero = sp.Ne(w, 0, evaluate=False)
    assert status(identity("paid", eq(fn.Ratio(w, w), 1), free=(w,), given=(nonzero,))) == "proved"


def test_definitions_owe_their_denominators_too() -> None:
    """h := a/b gives h·b = a only where b ≠ 0."""
    assert status(identity("bad", eq(quotient * b, a), unfold=(quotient,))) == "failed"
    assert (
        status(identity("good", eq(quotient * b, a), unfold=(quotient,), given=(sp.Gt(b, 0, evaluate=False),)))
        == "proved"
    )


def test_a_guard_is_not_proved_by_the_inverse_it_guards() -> None:
    """1/w spoken of in a premise does not prove the guard w ≠ 0."""
    fact = argued("fact", ge(fn.Ratio(1, w) ** 2, 0), "toy", free=(w,), given=(sp.Ne(w, 0, evaluate=False),))
    spoken = argued("spoken", ge(fn.Ratio(1, v) + sp.Abs(fn.Ratio(1, v)), 0), "toy", free=(v,))
    step = inequality("bad", ge(a, 0), use("spoken", v=w), use("fact", w=w), free=(w,))
    assert "the guard" in report(fact, spoken, step).detail
    root = argued("root", ge(w, 0), "toy", free=(w,), given=(ge(w, 0),))
    rooted = argued("rooted", ge(sp.sqrt(v), 0), "toy", free=(v,))
    assert (
        "the guard"
        in report(root, rooted, inequality("bad", ge(w, 0), use("rooted", v=w), use("root", w=w), free=(w,))).detail
    )


# Ranges of what binders run over.


def test_what_an_integral_runs_over_lies_in_the_range_of_its_variable() -> None:
    """u ≥ 0 is declared, so |u| is u: over [−1, 1] that would give ∫|u| = 0."""
    assert "u in [0, oo)" in report(identity("bad", eq(sp.Integral(sp.Abs(u), (u, -T, T)), 0))).detail
    assert status(identity("good", eq(sp.Integral(sp.Abs(u), (u, 0, T)), T**2 / 2))) == "proved"
    assert "u in" in report(identity("bad", eq(sp.Integral(u, (u, t - T, t)), t * T - T**2 / 2), free=(t,))).detail
    late = identity("good", eq(sp.Integral(u, (u, t - T, t)), t * T - T**2 / 2), free=(t,), given=(ge(t, T),))
    assert status(late) == "proved"


def test_sums_have_whole_numbers_of_terms() -> None:
    assert "whole numbers" in report(argued("bad", ge(fn.SumOver(sp.Abs(f(j)), j, p), 0), "toy")).detail
    assert status(argued("good", ge(fn.SumOver(sp.Abs(f(j)), j, COUNT), 0), "toy")) == "argued"
    negative = fn.MaxOver(sp.Abs(f(m)), m, -COUNT, COUNT, a, b)
    assert "m in [0, oo)" in report(argued("bad", ge(negative, 0), "toy")).detail


def test_what_a_recurrence_carries_lies_in_the_range_of_its_variable() -> None:
    for wrong in (fn.Recurrence(sp.Abs(z), z, k, COUNT, c), fn.Recurrence(z - 1, z, k, COUNT, a)):
        assert "z in [0, oo)" in report(argued("bad", ge(wrong, c - 9), "toy")).detail
    assert status(argued("good", ge(fn.Recurrence(z + a, z, k, COUNT, a), 0), "toy")) == "argued"


# Signs that do not hold for every value.


def test_gauges_are_not_symmetric() -> None:
    """Θ = [0, 1]: −½ is not in Θ although ½ is."""
    inside = argued(
        "inside", le(fn.gauge(vartheta), 1), "toy", free=(vartheta,), given=(le(fn.gauge(2 * vartheta), 1),)
    )
    step = inequality("bad", le(fn.gauge(-vartheta), 1), free=(vartheta,), given=(le(fn.gauge(vartheta), 1),))
    assert status(inside, step) == "failed"
    scaled = inequality("good", le(fn.gauge(vartheta / 2), 1), free=(vartheta,), given=(le(fn.gauge(vartheta), 1),))
    assert status(scaled) == "proved"


def test_vector_sums_are_not_pulled_out_of_inner_products() -> None:
    """⟨S, x⟩⟨S', y⟩ is not ⟨S', x⟩⟨S, y⟩ for vectors S, S'."""
    one, other = fn.SumOver(X(j * T), j, COUNT), fn.SumOver(X(j * T + T), j, COUNT)
    swapped = eq(fn.inner(one, x) * fn.inner(other, y), fn.inner(other, x) * fn.inner(one, y))
    assert status(identity("bad", swapped, free=(x, y))) == "failed"


def test_unfolded_definitions_do_not_fix_signs() -> None:
    """growth := a − b is declared of either sign; nothing follows about a and b."""
    assert status(inequality("bad", ge(a, b))) == "failed"
    assert status(definition("growth", vocabulary), inequality("bad", ge(a, b), use("growth"))) == "failed"
    assert status(inequality("good", le(growth, a), unfold=(growth,))) == "proved"


def test_what_cancels_on_unfolding_or_rewriting_is_owed_too() -> None:
    assert status(inequality("bad", ge(quotient * b, a), unfold=(quotient,))) == "failed"
    assert status(inequality("good", ge(quotient * b, a), unfold=(quotient,), given=(ge(b, 1),))) == "proved"
    known = argued("known", eq(f(t), a / b), "toy", free=(t,))
    assert status(known, identity("bad", eq(f(t) * b, a), use("known"), free=(t,))) == "failed"
    paid = identity("good", eq(f(t) * b, a), use("known"), free=(t,), given=(ge(b, 1),))
    assert status(known, paid) == "proved"
    assert status(known, inequality("bad", eq(f(t) * b, a), use("known"), free=(t,))) == "failed"


def test_infinities_are_no_numbers() -> None:
    with pytest.raises(ProofError, match="finite numbers"):
        report(argued("bad", le(sp.Integral(f(u), (u, 0, sp.oo)), a), "toy"))
    shrinking = argued("shrinking", ge(sp.exp(-v), 0), "toy", free=(v,))
    assert "finite numbers" in report(shrinking, argued("bad", ge(a, 0), "toy", use("shrinking", v=sp.oo))).detail


def test_maxima_are_of_something() -> None:
    empty = fn.MaxOver(sp.Abs(f(m)), m, 2, COUNT, a, b)
    assert "a maximum of something" in report(argued("bad", ge(empty, 0), "toy")).detail
    assert status(argued("good", ge(empty, 0), "toy", given=(ge(COUNT, 2),))) == "argued"


# What may be stated and taken, at its corners.


def test_the_zero_vector_is_a_vector() -> None:
    general = argued("general", ge(fn.gauge(vartheta), 0), "toy", free=(vartheta,))
    assert status(general, argued("fine", ge(a, 0), "toy", use("general", vartheta=0))) == "argued"
    one = fn.Unit(control=1)  # a number, of the right dimension
    assert "a vector" in report(general, argued("bad", ge(a, 0), "toy", use("general", vartheta=one))).detail


def test_a_length_is_no_depth() -> None:
    for value in (fn.norm(x), 1 + a, rate):
        wrong = argued("bad", ge(a, 0), "toy", use("bounded", t=value), free=tuple(value.free_symbols & {x}))
        assert "t of dimension Depth" in report(assumed(BOUNDED), wrong).detail
    nothing = argued("fine", ge(a, 0), "toy", use("bounded", t=0))
    assert status(assumed(BOUNDED), nothing) == "argued"


def test_every_guard_is_proved() -> None:
    twice = argued("twice", le(f(t), a), "toy", free=(t,), given=(le(t, T), ge(a, 1)))
    for given in ((le(t, T),), (ge(a, 1),), ()):
        step = inequality("bad", le(f(t), a), use("twice", t=t), free=(t,), given=given)
        assert "the guard of twice" in report(twice, step).detail
    assert (
        status(twice, inequality("good", le(f(t), a), use("twice"), free=(t,), given=(le(t, T), ge(a, 1)))) == "proved"
    )


def test_a_fact_used_pays_for_the_guards_of_the_next() -> None:
    early = argued("early", le(s, t), "toy", free=(s, t))
    chain = (use("early", s=t, t=T), use("bounded", t=t))
    assert status(assumed(BOUNDED), early, inequality("good", le(f(t), a), *chain, free=(t,))) == "proved"
    turned = inequality("bad", le(f(t), a), *reversed(chain), free=(t,))
    assert "the guard of bounded" in report(assumed(BOUNDED), early, turned).detail


def test_citations_pass_over_facts_whose_guards_they_do_not_give() -> None:
    """A fact for early depths is no use at all depths, and does no harm."""
    early = argued("early", le(f(u), a), "toy", free=(u,), given=(le(u, T),))
    always = argued("always", le(f(u), a), "toy", free=(u,))
    at = {f_: lam(t, f(t)), a_: a}
    assert status(early, always, cited("good", EVERYWHERE, at, use("early", u=u), use("always", u=u))) == "cited"
    assert "hypothesis" in report(early, cited("bad", EVERYWHERE, at, use("early", u=u))).detail


def test_maxima_and_sums_run_over_whole_numbers() -> None:
    for low, high in ((sp.Rational(1, 2), COUNT), (1, p)):
        loose = fn.MaxOver(sp.Abs(f(m)), m, low, high, a, b)
        detail = report(argued("bad", ge(loose, 0), "toy", given=(ge(p, 1),))).detail
        assert "whole numbers" in detail or "an integer for m" in detail
    assert "whole numbers" in report(argued("bad", ge(fn.Recurrence(w, w, k, p, c), c), "toy")).detail


def test_binders_in_guards_are_looked_at_too() -> None:
    guard = ge(sp.Integral(f(u), (u, -T, T)), 0)
    assert "u in [0, oo)" in report(argued("bad", ge(a, 0), "toy", given=(guard,))).detail


def test_infinities_are_refused_wherever_they_stand() -> None:
    for wrong in (le(a, sp.oo), ge(a, -sp.oo), eq(a, sp.zoo), eq(a, sp.nan)):
        with pytest.raises(ProofError, match="finite numbers"):
            report(argued("bad", wrong, "toy"))
    with pytest.raises(ProofError, match="finite numbers"):
        report(argued("bad", ge(a, 0), "toy", given=(le(a, sp.oo),)))
    every = argued("every", le(f(t), sp.Abs(f(t))), "toy", free=(t, f))
    endless = argued("bad", ge(a, 0), "toy", use("every", f=lam(u, sp.oo)))
    assert "finite numbers" in report(every, endless).detail


def test_a_general_fact_uses_a_fact_that_is_general_too() -> None:
    """The guard counts: a fact that holds where θ is in Θ is about that θ."""
    fixed = argued("fixed", ge(a, 0), "toy", free=(t,), given=(le(fn.gauge(theta(t)), 1),))
    with pytest.raises(ProofError, match="fixed is about one"):
        report(fixed, inequality("every", ge(a, 0), use("fixed"), free=(t, theta), given=(le(fn.gauge(theta(t)), 1),)))
    free = argued("freed", ge(a, 0), "toy", free=(t, theta), given=(le(fn.gauge(theta(t)), 1),))
    every = inequality("every", ge(a, 0), use("freed"), free=(t, theta), given=(le(fn.gauge(theta(t)), 1),))
    assert status(free, every) == "proved"


def test_unfolded_families_are_defined_entry_by_entry() -> None:
    """An entry of a derived family is its definition at that index, and exists where that does."""
    own = Vocabulary()
    parts = own.symbol("parts", "p", "parts", indexed=True)
    at = own.variable("l", "l", "an index", range=NONNEGATIVE, integer=True)
    inverse = own.symbol("inverse", "q", "their inverses", indexed=True, definition=1 / parts)
    entry = fn.Entry(inverse, at)
    step = inequality("step", eq(entry * fn.Entry(parts, at), 1), free=(at,), unfold=(inverse,))
    assert "not shown" in Checker((step,), own).check(step).detail
    paid = replace(step, statement=replace(step.statement, given=(ge(fn.Entry(parts, at), 1), ge(parts, 1))))
    assert Checker((paid,), own).check(paid).status == "proved"
