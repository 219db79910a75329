"""Theorems: the spine from the measured side to the bound, premises word for word, and what reads them."""

from dataclasses import FrozenInstanceError, replace

import pytest
import sympy as sp
from toys import (
    ADMISSIBLE,
    BOUNDED,
    COUNT,
    MEANS,
    ORDERED,
    OTHER,
    T,
    X,
    a,
    a_,
    b,
    b_,
    c,
    c_,
    eq,
    f,
    ge,
    growth,
    h,
    k,
    le,
    p,
    rate,
    s,
    seq,
    t,
    theorem,
    theta,
    u,
    w,
    x,
)  # fmt: skip

from spec.language import functions as fn
from spec.language.dimension import PURE, STATE
from spec.language.errors import DimensionMismatch, ProofError, UnknownName
from spec.language.evaluation import plan
from spec.language.glossary import GLOSSARY
from spec.language.proof import ARGUED, CLAIM, Fact, Use, argued, assumed, cited, definition, identity, inequality, use
from spec.language.quantity import Vocabulary
from spec.language.template import Statement
from spec.language.theorem import Claim, Theorem

EARLY = (le(t, T),)
DOUBLED = inequality("doubled", le(2 * sp.Abs(f(t)), 2 * a), use("bounded", t=t), free=(t,), given=EARLY)
WIDER = inequality("wider", le(2 * a, 2 * a + b))
FACTS = (assumed(BOUNDED), DOUBLED, WIDER)
SIDES = {"measured": 2 * sp.Abs(f(t)), "bound": 2 * a + b, "free": (t,), "given": EARLY}
ONE = theorem(*FACTS, spine=("doubled", "wider"), **SIDES)


def failures(one: Theorem) -> str:
    """Return the details of what fails."""
    return "; ".join(f"{r.name}: {r.detail}" for r in one.check_proof() if r.status == "failed")


def with_claim(one: Theorem, **changes: object) -> Theorem:
    return replace(one, claims=(replace(one.claims[0], **changes),))


def test_a_whole_proof() -> None:
    assert failures(ONE) == ""
    assert ONE.proved == "proved"
    assert [r.kind for r in ONE.check_proof()] == ["assumed", "inequality", "inequality", "spine"]


def test_a_gap_in_the_spine() -> None:
    assert "the spine stands at 2*Abs(f(t))" in failures(with_claim(ONE, spine=("wider",)))
    assert "no spine needs" in failures(with_claim(ONE, spine=("wider",)))


def test_a_spine_that_ends_elsewhere() -> None:
    assert "the spine ends at 2*a" in failures(with_claim(ONE, spine=("doubled",)))
    assert "the spine ends at" in failures(with_claim(ONE, bound=2 * a))
    assert "the spine ends at" in failures(with_claim(ONE, spine=()))


def test_a_spine_through_nothing() -> None:
    assert "there is no fact triple" in failures(with_claim(ONE, spine=("doubled", "triple")))


def test_an_unreachable_fact() -> None:
    idle = inequality("idle", ge(a, 0))
    assert "no spine needs idle" in failures(replace(ONE, facts=(*FACTS, idle)))


def test_a_claim_gives_the_guards_of_its_spine() -> None:
    assert "the claim does not give t <= T" in failures(with_claim(ONE, given=()))
    assert failures(with_claim(ONE, given=(le(t, T / 2),))) == ""


def test_a_claim_quantifies_what_its_spine_is_about() -> None:
    assert "which the claim does not quantify" in failures(with_claim(ONE, free=()))


def test_a_claim_for_nothing() -> None:
    impossible = (le(t, T), ge(t, 2 * T), ge(t, T / 2), sp.Gt(T, 0, evaluate=False))
    assert "not shown to hold together" in failures(with_claim(ONE, given=impossible))


def test_a_claim_for_all_functions_from_facts_about_one() -> None:
    inside = inequality("inside", le(fn.gauge(theta(t)), 2), use("admissible"), free=(t,))
    sides = {"measured": fn.gauge(theta(t)), "bound": sp.Integer(2), "assumptions": (ADMISSIBLE,)}
    one = theorem(assumed(ADMISSIBLE), inside, spine=("inside",), free=(t,), **sides)
    assert failures(one) == ""
    assert "for which the claim is general" in failures(with_claim(one, free=(t, theta)))


def test_an_inequality_is_a_link_upward_only() -> None:
    downward = inequality("down", ge(2 * a, 2 * sp.Abs(f(t))), use("bounded", t=t), free=(t,), given=EARLY)
    assert failures(theorem(assumed(BOUNDED), downward, WIDER, spine=("down", "wider"), **SIDES)) == ""
    reverse = inequality("reverse", ge(2 * a + b, 2 * a))
    assert failures(theorem(assumed(BOUNDED), DOUBLED, reverse, spine=("doubled", "reverse"), **SIDES)) == ""
    wrong = inequality("wrong", ge(2 * a + b, 2 * a))
    lower = theorem(wrong, spine=("wrong",), measured=2 * a, bound=2 * a + b, relation=">=", assumptions=())
    assert "wrong starts at" in failures(lower)
    lowered = theorem(wrong, spine=("wrong",), measured=2 * a + b, bound=2 * a, relation=">=", assumptions=())
    assert failures(lowered) == ""


def test_a_strict_inequality_is_a_link() -> None:
    strict = inequality("strict", sp.Lt(a, a + p, evaluate=False))
    assert failures(theorem(strict, spine=("strict",), measured=a, bound=a + p, assumptions=())) == ""


def test_inequality_is_no_link() -> None:
    apart = inequality("apart", sp.Ne(a, a + p, evaluate=False))
    wrong = theorem(apart, spine=("apart",), measured=a, bound=a + p, assumptions=())
    assert "apart is no link" in failures(wrong)


def test_an_identity_has_equalities_only() -> None:
    same = identity("same", eq((a + b) ** 2, a**2 + 2 * a * b + b**2))
    sides = {"measured": (a + b) ** 2, "relation": "=", "assumptions": ()}
    assert failures(theorem(same, spine=("same",), bound=a**2 + 2 * a * b + b**2, **sides)) == ""
    above = inequality("above", le((a + b) ** 2, 2 * a**2 + 2 * b**2))
    mixed = theorem(same, above, spine=("above",), bound=2 * a**2 + 2 * b**2, **sides)
    assert failures(mixed) != ""


def test_equalities_are_links_both_ways() -> None:
    back = identity("back", eq(a**2 + 2 * a * b + b**2, (a + b) ** 2))
    sides = {"measured": (a + b) ** 2, "bound": a**2 + 2 * a * b + b**2, "assumptions": ()}
    assert failures(theorem(back, spine=("back",), **sides)) == ""
    assert failures(theorem(back, spine=("back",), relation=">=", **sides)) == ""


# Premises.


USER = inequality("used", le(4 * sp.Abs(f(t)), 4 * a + 2 * b), use("premise", t=t), free=(t,), given=EARLY)
USES = {"measured": 4 * sp.Abs(f(t)), "bound": 4 * a + 2 * b, "free": (t,), "given": EARLY, "slug": "toys/two"}
TWO = theorem(ONE.premise("premise"), USER, spine=("used",), uses=(ONE,), **USES)


def test_claims_are_premises() -> None:
    assert failures(TWO) == ""


def test_a_premise_comes_from_the_theorems_used() -> None:
    assert "toys/one is not among the theorems used" in failures(replace(TWO, uses=()))


def test_a_premise_brings_its_assumptions() -> None:
    assert "toys/one also assumes bounded" in failures(replace(TWO, assumptions=()))


def test_a_premise_says_what_its_theorem_claims() -> None:
    forged = replace(ONE.premise("premise"), statement=Statement(le(2 * sp.Abs(f(t)), 2 * a), (t,), EARLY))
    assert "toys/one claims" in failures(replace(TWO, facts=(forged, USER)))
    unguarded = replace(ONE.premise("premise"), statement=Statement(ONE.claims[0].statement, (t,)))
    assert "toys/one claims" in failures(replace(TWO, facts=(unguarded, USER)))
    nameless = Fact("premise", CLAIM, ONE.premise("premise").statement)
    assert "is not among" in failures(replace(TWO, facts=(nameless, USER)))


def test_a_premise_is_as_good_as_its_proof() -> None:
    broken = replace(ONE, facts=(assumed(BOUNDED), replace(DOUBLED, uses=()), WIDER))
    assert broken.proved == "failed"
    assert "premise: as toys/one is" in failures(replace(TWO, uses=(broken,)))
    lemma = argued("doubled", DOUBLED.statement.relation, "in the note", free=(t,), given=EARLY)
    rested = theorem(lemma, WIDER, spine=("doubled", "wider"), **SIDES)
    assert replace(TWO, uses=(rested,)).proved == "argued"


# Premises about other objects.

MOVED = {f: sp.Lambda(u, h(u, s))}
FAMILY = argued("family", le(sp.Abs(h(t, s)), a), "toy", free=(t, s), given=EARLY)
STEP = inequality("moved", le(4 * sp.Abs(h(t, s)), 4 * a + 2 * b), use("premise", t=t), free=(t, s), given=EARLY)
ASIDE = {"measured": 4 * sp.Abs(h(t, s)), "bound": 4 * a + 2 * b, "free": (t, s), "given": EARLY, "slug": "toys/two"}


def moved(*facts: Fact, premise: Fact, **changes: object) -> Theorem:
    """Return a theorem that takes the claim of ONE for a family of numbers."""
    return theorem(*facts, premise, STEP, spine=("moved",), uses=(ONE,), **{**ASIDE, "assumptions": (), **changes})


def test_a_claim_holds_of_other_objects_that_satisfy_its_assumptions() -> None:
    premise = ONE.premise("premise", None, use("family"), at=MOVED, free=(s,))
    assert premise.statement.relation == le(2 * sp.Abs(h(t, s)), 2 * a + b)
    assert failures(moved(FAMILY, premise=premise)) == ""
    assert moved(FAMILY, premise=premise).proved == "argued"


@pytest.mark.parametrize(
    "given",
    [
        replace(FAMILY, statement=Statement(le(sp.Abs(h(t, s)), 2 * a), (t, s), EARLY)),
        replace(FAMILY, statement=Statement(le(sp.Abs(h(t, s)), a), (t, s), (le(t, T), le(s, T)))),
        replace(FAMILY, statement=Statement(le(sp.Abs(h(t, t)), a), (t,), EARLY)),
    ],
)
def test_a_claim_does_not_hold_of_objects_that_satisfy_less(given: Fact) -> None:
    premise = ONE.premise("premise", None, use("family"), at=MOVED, free=(s,))
    assert "toys/one rests on Abs(f(t)) <= a: use a fact that says Abs(h(t, s)) <= a" in failures(
        moved(given, premise=premise)
    )


def test_a_claim_moves_with_what_it_rests_on_only() -> None:
    unused = ONE.premise("premise", None, at=MOVED, free=(s,))
    assert "use a fact that says" in failures(moved(FAMILY, premise=unused))
    once = ONE.premise("premise", None, use("family", s=T), at=MOVED, free=(s,))
    assert "use a fact that says" in failures(moved(FAMILY, premise=once))
    forged = replace(ONE.premise("premise"), statement=ONE.premise("premise", at=MOVED, free=(s,)).statement)
    assert "toys/one claims" in failures(moved(FAMILY, premise=forged, assumptions=(BOUNDED,)))


def test_a_claim_moves_through_the_theorems_it_uses() -> None:
    again = {
        "measured": 4 * sp.Abs(h(t, s)),
        "bound": 4 * a + 2 * b,
        "free": (t, s),
        "given": EARLY,
        "slug": "toys/three",
    }
    premise = TWO.premise("premise", None, use("family"), at=MOVED, free=(s,))
    step = inequality("again", premise.statement.relation, use("premise", t=t), free=(t, s), given=EARLY)
    three = theorem(FAMILY, premise, step, spine=("again",), uses=(TWO,), assumptions=(), **again)
    assert failures(three) == ""
    bare = replace(three, facts=(FAMILY, replace(premise, uses=()), step))
    assert "toys/two rests on" in failures(bare)


def test_a_moved_claim_rests_on_what_its_own_spine_needs() -> None:
    alone, of_family = (le(at, sp.Abs(at)) for at in (f(t), h(t, s)))
    own = inequality("own", alone, free=(t,), given=EARLY)
    side = replace(ONE.claims[0], name="side", spine=("own",), bound=sp.Abs(f(t)))
    side = replace(side, measured=replace(side.measured, expression=f(t)))
    pair = replace(ONE, facts=(*FACTS, own), claims=(*ONE.claims, side))
    step = inequality("moved", of_family, use("premise"), free=(t, s), given=EARLY)
    sides = {"measured": h(t, s), "bound": sp.Abs(h(t, s)), "free": (t, s), "given": EARLY}
    for name, complaint in (("side", ""), (ONE.claims[0].name, "use a fact that says Abs(h(t, s)) <= a")):
        premise = pair.premise("premise", name, at=MOVED, free=(s,))
        user = theorem(premise, step, spine=("moved",), uses=(pair,), assumptions=(), slug="toys/two", **sides)
        found = failures(user)
        assert complaint in found
        assert bool(complaint) == bool(found)


def test_a_moved_claim_keeps_its_other_assumptions() -> None:
    both = replace(ONE, assumptions=(BOUNDED, OTHER))
    premise = both.premise("premise", None, use("family"), at=MOVED, free=(s,))
    assert "toys/one also assumes other" in failures(replace(moved(FAMILY, premise=premise), uses=(both,)))


def test_a_claim_that_tells_samples_apart_does_not_move() -> None:
    mean = cited("mean", MEANS, {a_: sp.Abs(f(0)) - sp.Abs(f(0)), b_: a, c_: a})
    tells = theorem(mean, spine=("mean",), measured=mean.statement.relation.lhs, bound=mean.statement.relation.rhs)
    premise = tells.premise("premise", None, use("family"), at=MOVED, free=(s,))
    assert "tells apart what depends on the sample" in failures(replace(moved(FAMILY, premise=premise), uses=(tells,)))


def test_moving_catches_no_variable() -> None:
    with pytest.raises(ProofError, match="bound where it stands"):
        ONE.premise("premise", at={f: sp.Lambda(u, h(u, t))}, free=(t,))


def test_an_assumption_is_listed_and_word_for_word() -> None:
    with pytest.raises(ProofError, match="an assumption listed by toys/one"):
        replace(ONE, assumptions=())
    forged = replace(assumed(BOUNDED), statement=Statement(le(sp.Abs(f(t)), a), (t,)))
    assert "differs from the registered assumption" in failures(replace(ONE, facts=(forged, DOUBLED, WIDER)))
    with pytest.raises(ProofError, match="only fixes what the objects are"):
        assumed(OTHER)


def test_a_definition_is_word_for_word() -> None:
    grown = inequality("grown", le(seq(1), seq(0) + a), use("growing", k=0))
    good = theorem(definition("growing", ONE.vocabulary), grown, spine=("grown",), measured=seq(1), bound=seq(0) + a)
    assert failures(good) == ""
    forged = replace(good.facts[0], statement=Statement(eq(seq(k + 1), seq(k)), (k,)))
    assert "differs from the registered definition" in failures(replace(good, facts=(forged, grown)))


def test_unknown_kinds_are_no_facts() -> None:
    strange = replace(WIDER, kind="believed")
    with pytest.raises(AttributeError):
        replace(ONE, facts=(assumed(BOUNDED), DOUBLED, strange)).check_proof()


def test_removing_any_fact_or_use_breaks_the_proof() -> None:
    with pytest.raises(ProofError, match="facts that come before"):
        replace(ONE, facts=(DOUBLED, WIDER)).check_proof()
    for fact in FACTS[1:]:
        assert replace(ONE, facts=tuple(other for other in FACTS if other is not fact)).proved == "failed"
    lonely = replace(DOUBLED, uses=())
    assert replace(ONE, facts=(assumed(BOUNDED), lonely, WIDER)).proved == "failed"


# What a theorem is made of.


def test_dimensions_of_both_sides_agree() -> None:
    with pytest.raises(DimensionMismatch, match=r"a bound of dimension State for toys/one \(claim\)"):
        theorem(WIDER, spine=("wider",), measured=fn.norm(x), bound=2 * a, free=(x,))
    with pytest.raises(DimensionMismatch):
        theorem(argued("late", le(f(t), T), "toy", free=(t,)), spine=("late",), measured=f(t), bound=a, free=(t,))
    assert ONE.dimension() == PURE
    zero = theorem(WIDER, spine=("wider",), measured=fn.norm(X(t)), bound=sp.Integer(0), free=(t,))
    assert zero.dimension() == STATE


def test_symbols_of_elsewhere_are_refused_in_claims() -> None:
    with pytest.raises(UnknownName):
        theorem(WIDER, spine=("wider",), measured=2 * a, bound=2 * sp.Symbol("a") + b)
    with pytest.raises(UnknownName):
        theorem(WIDER, spine=("wider",), measured=2 * sp.Symbol("b"), bound=2 * a)


def test_claims_have_names_kinds_and_promises() -> None:
    claim = ONE.claim()
    assert ONE.headline is claim
    assert ONE.claim("claim") is claim
    with pytest.raises(UnknownName, match="near matches: claim"):
        ONE.claim("clam")
    kinds = {
        "upper": claim,
        "tight": replace(claim, tight=True),
        "identity": replace(claim, relation="="),
        "existence": replace(claim, relation="exists"),
        "conditional": replace(claim, conditional_on=("growth",)),
    }
    assert {name: made.kind for name, made in kinds.items()} == {name: name for name in kinds}
    assert kinds["tight"].promised == 0.99
    assert claim.promised == 0.5
    assert replace(claim, relation=">=").statement.func == sp.Ge


def test_symbols_are_those_that_a_bound_needs() -> None:
    grown = theorem(WIDER, spine=("wider",), measured=c, bound=sp.Abs(growth) * rate / rate + rate - rate)
    assert [q.name for q in grown.quantities] == ["growth", "a", "b"]
    assert {q.name for q in grown.symbols_of(grown.headline.bound)} == {"growth", "a", "b"}
    assert grown.unfolded(grown.headline.bound) == sp.Abs(a - b)
    assert {q.name for q in grown.constants(growth)} == {"a", "b"}
    assert grown.constants(f(t)) is None
    assert grown.constants(t + a) is None
    premised = theorem(WIDER, spine=("wider",), measured=c, bound=p, assumptions=(ORDERED,))
    assert {q.name for q in premised.quantities} == {"p", "a", "b"}


def test_the_dominant_term_comes_first() -> None:
    explained = ONE.explain(a=1, b=10)
    assert [term for term, _ in explained] == [b, 2 * a]
    assert [value.upper for _, value in explained] == [10, 2]


def test_theorems_print_in_latex() -> None:
    assert ONE._repr_latex_() == r"$$2 \left|{f\left(t\right)}\right| \le 2 a + b$$"
    assert hash(ONE) == hash(replace(ONE, title="Another"))


def test_uses_name_facts_and_values() -> None:
    assert use("fact", t=T) == Use("fact", {"t": T})
    assert Claim("c", ONE.headline.measured, "<=", a, ()).kind == "upper"
    assert COUNT.is_integer
    assert w.is_real


# Spines, at their corners.


def test_a_guard_that_the_claim_states_is_given() -> None:
    """Word for word it needs no proof; what it divides by must exist."""
    nonzero, guard = sp.Ne(w, 0, evaluate=False), ge(fn.Ratio(1, w), 0)
    step = argued("step", le(a, b), "toy", free=(w,), given=(nonzero, guard))
    one = theorem(step, spine=("step",), measured=a, bound=b, free=(w,), given=(nonzero, guard), assumptions=())
    assert failures(one) == ""
    loose = argued("step", le(a, b), "toy", free=(w,), given=(guard,))
    bare = theorem(loose, spine=("step",), measured=a, bound=b, free=(w,), given=(guard,), assumptions=())
    assert "Ne(w, 0) not shown" in failures(bare)
    weaker = with_claim(one, given=(ge(fn.Ratio(2, w), 0),))
    assert "the claim does not give" in failures(weaker)


def test_a_claim_that_an_object_exists_is_proved_like_a_bound() -> None:
    sides = {"measured": a, "bound": a + b, "assumptions": (), "relation": "exists"}
    step = inequality("step", le(a, a + b))
    one = theorem(step, spine=("step",), **sides)
    assert failures(one) == ""
    assert one.headline.kind == "existence"
    assert one.headline.statement == le(a, a + b)
    assert failures(theorem(inequality("step", ge(a, a - b)), spine=("step",), **sides)) != ""


def test_a_lower_bound_goes_down() -> None:
    first, second = inequality("first", ge(a + b, a)), inequality("second", le(0, a))
    sides = {"measured": a + b, "bound": sp.Integer(0), "relation": ">=", "assumptions": ()}
    assert failures(theorem(first, second, spine=("first", "second"), **sides)) == ""
    assert "second starts at" in failures(theorem(first, second, spine=("second", "first"), **sides))


def test_equal_expressions_meet_expanded() -> None:
    step = inequality("step", le(a * (a + b), a**2 + a * b + c**2))
    sides = {"bound": a * b + a * a + c * c, "assumptions": ()}
    assert failures(theorem(step, spine=("step",), measured=a**2 + a * b, **sides)) == ""
    assert "step starts at" in failures(theorem(step, spine=("step",), measured=a**2 + 2 * a * b, **sides))


def test_each_claim_has_its_own_spine_and_report() -> None:
    second = replace(ONE.claims[0], name="second", bound=2 * a, spine=("doubled",))
    both = replace(ONE, claims=(*ONE.claims, second))
    assert failures(both) == ""
    reports = {r.name: (r.kind, r.status) for r in both.check_proof()}
    assert reports == {
        "bounded": ("assumed", "proved"),
        "doubled": ("inequality", "proved"),
        "wider": ("inequality", "proved"),
        "spine of claim": ("spine", "proved"),
        "spine of second": ("spine", "proved"),
    }
    assert both.claim("second") is second
    assert both.evaluate("second", a=1).upper == 2
    assert both.dimension("second") == PURE
    broken = replace(both, claims=(*ONE.claims, replace(second, spine=("wider",))))
    assert "spine of second" in failures(broken)


def test_a_premise_is_of_the_claim_named() -> None:
    second = replace(ONE.claims[0], name="second", bound=2 * a, spine=("doubled",))
    both = replace(ONE, claims=(*ONE.claims, second))
    assert both.premise("p", "second").statement.relation == le(2 * sp.Abs(f(t)), 2 * a)
    assert both.premise("p").statement == Statement(le(2 * sp.Abs(f(t)), 2 * a + b), (t,), EARLY)
    assert both.premise("p").reason == "toys/one#claim"
    assert both.premise("p", "second").reason == "toys/one#second"


def test_a_premise_from_assumptions_of_words_brings_them() -> None:
    worded = replace(ONE, assumptions=(BOUNDED, OTHER))
    user = replace(TWO, uses=(worded,))
    assert "toys/one also assumes other" in failures(user)
    assert failures(replace(user, assumptions=(BOUNDED, OTHER))) == ""


def test_dimensions_of_guards_are_checked() -> None:
    with pytest.raises(DimensionMismatch):
        with_claim(ONE, given=(le(t, a),))


def test_constants_are_told_from_paths_and_variables() -> None:
    assert [q.name for q in ONE.constants(2 * a) or ()] == ["a"]
    assert {q.name for q in ONE.constants(growth + p) or ()} == {"a", "b", "p"}
    spoken = [f(t), t, sp.Integral(f(u), (u, 0, T)), fn.expectation(a), fn.quantile(a, p), fn.probability(a, b)]
    assert [ONE.constants(expr) for expr in spoken] == [None] * 6


def test_symbols_come_with_the_parts_of_their_parts() -> None:
    own = Vocabulary()
    part = own.symbol("part", "p", "a part")
    half = own.symbol("half", "h", "half of it", definition=part / 2)
    quarter = own.symbol("quarter", "q", "half of that", definition=half / 2)
    own.symbol("other", "o", "something else")
    claim = replace(ONE.headline, measured=replace(ONE.headline.measured, expression=sp.Integer(0)), bound=quarter)
    one = Theorem("toys/own", "Own", "toy", (), (replace(claim, free=(), given=()),), (), own)
    assert [q.name for q in one.symbols_of(quarter)] == ["quarter", "half", "part"]
    assert [q.name for q in one.symbols_of(half)] == ["half", "part"]
    assert one.unfolded(quarter) == part / 4
    assert one.unfolded(quarter, frozenset({"half"})) == half / 2
    assert one.evaluate(half=2).upper == 1
    assert one.exact(quarter + 1, {"part": "1/3"}) == sp.Rational(13, 12)


def test_claims_print_side_by_side() -> None:
    lower = replace(ONE.claims[0], name="lower", relation=">=")
    equal = replace(ONE.claims[0], name="equal", relation="=")
    text = replace(ONE, claims=(lower, equal))._repr_latex_()
    assert text == r"$$2 \left|{f\left(t\right)}\right| \ge 2 a + b \\ 2 \left|{f\left(t\right)}\right| = 2 a + b$$"


def test_checked_once_theorems_keep_their_status() -> None:
    assert ONE.proved == "proved"
    assert ONE.status(ONE.check_proof()) == "proved"
    assert ONE.status([]) == "failed"


def test_facts_state_what_they_are_made_of() -> None:
    named = definition("eps", ONE.vocabulary)
    assert named.statement == Statement(eq(ONE.vocabulary.atom("eps"), T / COUNT))
    assert (named.name, named.kind) == ("eps", "definition")
    assert definition("growing", ONE.vocabulary).statement == ONE.vocabulary.definitions["growing"]
    lemma = argued("lemma", le(f(t), a), "in the note", use("bounded", t=t), free=(t,), given=EARLY)
    assert (lemma.reason, lemma.uses) == ("in the note", (Use("bounded", {"t": t}),))
    assert lemma.statement == Statement(le(f(t), a), (t,), EARLY)
    assert inequality("plain", le(a, a + b), given=(sp.true,)).statement.given == ()
    assert Use("fact").at == {}
    assert Fact("bare", ARGUED, Statement(le(a, b))).uses == ()


def test_trivial_facts_are_refused() -> None:
    """What sympy decides on construction says nothing of what was meant."""
    for make in (inequality, identity):
        with pytest.raises(ProofError, match="it became trivially true or false"):
            make("trivial", sp.Le(a, a + 1 + a))


def test_what_is_read_beside_the_paper_cannot_change() -> None:
    values = [ONE, ONE.headline, ONE.headline.measured, BOUNDED, BOUNDED.statement, FACTS[0], use("fact"), MEANS]
    values += [
        MEANS.valid,
        ONE.quantities[0],
        ONE.quantities[0].range,
        PURE,
        ONE.check_proof()[0],
        ONE.evaluate(a=1, b=1),
    ]
    values += [ONE.explain(a=1, b=1), GLOSSARY[fn.phi1], plan(ONE, a, frozenset({"a"}))]
    for value in values:
        name = next(iter(vars(value)))
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, None)


def test_a_theorem_is_shown_without_all_symbols_of_the_theory() -> None:
    assert "Vocabulary" not in repr(ONE)
    assert "toys/one" in repr(ONE)
    assert "Vocabulary" not in repr(ONE.explain(a=1, b=1))
