"""Every theorem of the theory: its proof, its minimality, its dimensions, its corners, its links to code."""

import math
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import sympy as sp

import spec
from spec.assumptions import ASSUMPTIONS
from spec.language import families, graph, smt
from spec.language.ball import evaluate
from spec.language.checker import Checker
from spec.language.dimension import dimension_of
from spec.language.errors import ConditionError, PremiseNotMet, ProofError
from spec.language.functions import Entry
from spec.language.proof import ARGUED, ASSUMED, CLAIM, DEFINITION, Fact, Use
from spec.language.quantity import Quantity
from spec.language.theorem import Claim, Theorem
from spec.pinned import PINNED
from spec.symbols import VOCABULARY

SLUGS = spec.slugs()
BUDGETS = (20_000, 100_000, 500_000, smt.RLIMIT)
each_theorem = pytest.mark.parametrize("slug", SLUGS)


def needed(theorem: Theorem, checker: Checker, fact: Fact) -> bool:
    """Say whether a proof fails without a fact: a fact that uses it is malformed then, or a spine is broken."""
    users = [other for other in theorem.facts if any(u.fact == fact.name for u in other.uses)]
    without = Checker((), theorem.vocabulary)
    without.facts = {name: other for name, other in checker.facts.items() if name != fact.name}
    if users:
        with pytest.raises(ProofError, match="facts that come before"):
            without._well_formed(users[0])
        return True
    return any(
        graph.check_spine(theorem, claim, without.facts)[0] == "failed"
        for claim in theorem.claims
        if fact.name in claim.spine
    )


def used_without(fact: Fact) -> Iterator[tuple[Use, Fact]]:
    for i, needed in enumerate(fact.uses):
        yield needed, replace(fact, uses=fact.uses[:i] + fact.uses[i + 1 :])


@each_theorem
def test_the_proof_holds(slug: str) -> None:
    failed = {r.name: r.detail for r in spec.theorem(slug).check_proof() if r.status == "failed"}
    assert failed == {}


@each_theorem
def test_removing_any_fact_breaks_the_proof(slug: str) -> None:
    theorem = spec.theorem(slug)
    checker = Checker(theorem.facts, theorem.vocabulary)
    assert [f.name for f in theorem.facts if not needed(theorem, checker, f)] == []


def within(checker: Checker, fact: Fact) -> int:
    """Return the least of a few budgets within which a fact is proved."""
    for budget in BUDGETS:
        smt.RLIMIT = budget
        if checker.check(fact).status != "failed":
            return budget
    raise AssertionError(f"{fact.name} fails")


@each_theorem
def test_dropping_any_use_breaks_its_fact(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a use less, a fact is refuted, or not proved within twice the budget that it takes.

    Uses of argued lemmas are checked by nothing but their note: their guards are proved, no step is.
    """
    theorem = spec.theorem(slug)
    checker = Checker(theorem.facts, theorem.vocabulary)
    monkeypatch.setattr(smt, "RLIMIT", smt.RLIMIT)
    spare = []
    for fact in (f for f in theorem.facts if f.kind != ARGUED):
        smt.RLIMIT = BUDGETS[0]
        open_ones = []
        for dropped, lesser in used_without(fact):
            report = graph.check_premise(theorem, lesser) or checker.check(lesser)
            if report.status != "failed":
                spare.append(f"{fact.name} uses {dropped.fact} at {dict(dropped.at)}")
            elif "unknown" in report.detail:
                open_ones.append((dropped, lesser))
        smt.RLIMIT = 2 * within(checker, fact) if open_ones else 0
        for dropped, lesser in open_ones:
            if BUDGETS[0] < smt.RLIMIT and checker.check(lesser).status != "failed":
                spare.append(f"{fact.name} uses {dropped.fact} at {dict(dropped.at)}")
    assert spare == []


@each_theorem
def test_argued_lemmas_are_the_pinned_ones(slug: str) -> None:
    argued = tuple(sorted(f.name for f in spec.theorem(slug).facts if f.kind == ARGUED))
    assert argued == tuple(sorted(PINNED.get(slug, ())))


def test_only_theorems_are_pinned() -> None:
    assert set(PINNED) <= set(SLUGS)


@each_theorem
def test_assumptions_are_the_registered_ones(slug: str) -> None:
    theorem = spec.theorem(slug)
    assert all(ASSUMPTIONS.by_name[a.name] is a for a in theorem.assumptions)
    names = [a.name for a in theorem.assumptions]
    assert len(names) == len(set(names))


@each_theorem
def test_assumptions_serve_the_proof_or_what_it_uses(slug: str) -> None:
    """An assumption is a premise of the proof, of a theorem used, or fixes what the objects are."""
    theorem = spec.theorem(slug)
    serving = {f.name for f in theorem.facts if f.kind == ASSUMED}
    serving |= {a.name for other in theorem.uses for a in other.assumptions}
    serving |= {a.name for a in theorem.assumptions if a.statement is None or a.premise is not None}
    assert {a.name for a in theorem.assumptions} <= serving


@each_theorem
def test_theorems_used_are_used(slug: str) -> None:
    theorem = spec.theorem(slug)
    premises = {f.reason.partition("#")[0] for f in theorem.facts if f.kind == CLAIM}
    assert {other.slug for other in theorem.uses} == premises


@each_theorem
def test_bounds_have_the_dimension_of_what_they_bound(slug: str) -> None:
    theorem = spec.theorem(slug)
    for claim in theorem.claims:
        sides = (dimension_of(side, VOCABULARY.dimension) for side in (claim.measured.expression, claim.bound))
        assert len({side for side in sides if side is not None}) == 1


@each_theorem
def test_bounds_are_over_constants(slug: str) -> None:
    """Only then has a bound a value at named values; a running index alone may remain."""
    theorem = spec.theorem(slug)
    for claim in theorem.claims:
        left = theorem.unfolded(claim.bound).free_symbols
        assert {s.name for s in left if VOCABULARY[s.name].role != "constant"} <= {s.name for s in claim.free}
        assert not claim.bound.atoms(sp.core.function.AppliedUndef) or claim.relation == "="


def corner(quantity: Quantity, *, low: bool) -> Any:
    """Return a value at the lower end of a range (or the least that is inside), else one in its midst."""
    least, most = (float(end) if end.is_number else math.inf for end in quantity.range.ends)
    if low and math.isfinite(least):
        value: Any = least + (0.25 * (min(most, least + 1) - least) if quantity.range.low_open else 0)
    else:
        value = 0.75 if most == 1 else max(least, 0.0) + (2 if quantity.integer else 1.5)
    return int(value) if quantity.integer else value


def entries(theorem: Theorem, claim: Claim, values: dict[str, Any]) -> dict[str, Any]:
    """Return values with a sequence where entries enter one by one."""
    lengths = families.lengths(theorem.unfolded(claim.bound, frozenset(values)))
    return {
        name: [value] * families.expected(lengths[name], values) if name in lengths else value
        for name, value in values.items()
    }


def values_of(theorem: Theorem, claim: Claim) -> dict[str, Quantity]:
    needed = theorem.unfolded(claim.bound).free_symbols
    needed |= {
        s for a in theorem.assumptions if a.premise is not None for s in theorem.unfolded(a.premise).free_symbols
    }
    return {s.name: VOCABULARY[s.name] for s in needed}


@each_theorem
def test_bounds_have_values_in_the_midst_and_at_zero_corners(slug: str) -> None:
    """All at the lower end, and each there alone: no 0/0, whatever vanishes."""
    theorem = spec.theorem(slug)
    for claim in theorem.claims:
        needed = values_of(theorem, claim)
        middle = {name: corner(q, low=False) for name, q in needed.items()}
        corners = [middle, {name: corner(q, low=True) for name, q in needed.items()}]
        corners += [{**middle, name: corner(q, low=True)} for name, q in needed.items()]
        met = 0
        for values in corners:
            try:
                found = theorem.evaluate(claim.name, **entries(theorem, claim, values))
            except PremiseNotMet:
                continue
            met += 1
            assert not found.arb.is_nan(), f"{claim.name} is undefined at {values}"
        assert met > 0


@each_theorem
def test_theorems_print(slug: str) -> None:
    text = spec.theorem(slug)._repr_latex_()
    assert text.startswith("$$")
    assert text.count("{") == text.count("}")
    assert "\\left" not in text or text.count("\\left") == text.count("\\right")


@each_theorem
def test_measured_sides_are_computed_by_functions(slug: str) -> None:
    for claim in spec.theorem(slug).claims:
        module, _, name = claim.measured.computed_by.partition(":")
        assert module.split(".")[0] == "impl"
        assert callable(getattr(import_module(module), name))
        assert claim.measured.meaning


@each_theorem
def test_claims_are_named_once_and_conditions_are_assumed(slug: str) -> None:
    theorem = spec.theorem(slug)
    names = [c.name for c in theorem.claims]
    assert len(names) == len(set(names)) > 0
    assert theorem.title
    for claim in theorem.claims:
        assert set(claim.conditional_on) <= {a.name for a in theorem.assumptions}


@each_theorem
def test_used_theorems_form_no_cycle(slug: str) -> None:
    theorem = spec.theorem(slug)
    seen: set[str] = set()
    stack = list(theorem.uses)
    while stack:
        other = stack.pop()
        assert other.slug != slug
        if other.slug not in seen:
            seen.add(other.slug)
            stack += other.uses
            assert spec.theorem(other.slug) is other


# The vocabulary.

DERIVED = [q for q in VOCABULARY if q.definition is not None]


def samples(names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield exact values of constants: the zero corner, and random ones over six decades."""
    generator = np.random.Generator(np.random.Philox(key=20260623))
    yield {name: corner(VOCABULARY[name], low=True) for name in names}
    for _ in range(40):
        drawn = {}
        for name in names:
            quantity, share = VOCABULARY[name], float(generator.random())
            least, most = (float(end) if end.is_number else math.inf for end in quantity.range.ends)
            grown = (
                max(least, 0.0) + 10 ** (6 * share - 3)
                if math.isinf(most)
                else least + (most - least) * (0.001 + 0.998 * share)
            )
            drawn[name] = math.ceil(grown) if quantity.integer else grown
        yield drawn


@pytest.mark.parametrize("quantity", [pytest.param(q, id=q.name) for q in DERIVED])
def test_definitions_lie_in_the_range_declared(quantity: Quantity) -> None:
    """A declared range is a premise of every proof: a definition that leaves it would prove what is false."""
    expr = quantity.definition
    theorem = spec.theorem(SLUGS[0])
    whole = theorem.unfolded(expr)
    whole = whole.xreplace({e: e.args[0] for e in whole.atoms(Entry)}) if not quantity.indexed else whole
    decided = 0
    for values in samples([s.name for s in whole.free_symbols]):
        try:
            found = evaluate(whole, values)
        except ConditionError:
            continue
        if not found.is_finite:
            continue
        decided += 1
        for relation in quantity.range.relations(sp.Symbol("value")):
            end = evaluate(theorem.unfolded(relation.rhs), values)
            difference = found.arb - end.arb
            bad = difference < 0 if isinstance(relation, sp.Ge | sp.Gt) else difference > 0
            assert not bad, f"{quantity.name} = {found} leaves {quantity.range} at {values}"
        if quantity.integer:
            assert found.lower == round(found.lower)
    assert decided > 0


def test_a_definition_that_leaves_its_range_would_show() -> None:
    wrong = replace(DERIVED[0], definition=-VOCABULARY.atom("T"), indexed=False)
    with pytest.raises(AssertionError, match="leaves"):
        test_definitions_lie_in_the_range_declared(wrong)


@pytest.mark.parametrize("assumption", [pytest.param(a, id=a.name) for a in ASSUMPTIONS.by_name.values()])
def test_premises_are_what_proofs_assume(assumption: Any) -> None:
    """What is decided before a bound is evaluated is the relation that its proof assumes."""
    if assumption.statement is not None and assumption.premise is not None:
        assert assumption.statement.relation == assumption.premise
    if assumption.premise is not None:
        assert assumption.premise.free_symbols <= {
            VOCABULARY.atom(n) for n in VOCABULARY.names(lambda q: q.role == "constant")
        }
    assert assumption.words.endswith(".")


def test_registered_definitions_and_assumptions_are_well_formed() -> None:
    statements = {**VOCABULARY.definitions, **{n: a.statement for n, a in ASSUMPTIONS.by_name.items() if a.statement}}
    for name, statement in statements.items():
        fact = Fact(name, DEFINITION, statement)
        checker = Checker((fact,), VOCABULARY)
        checker._scopes(statement)
        for relation in (statement.relation, *statement.given):
            assert dimension_of(relation, VOCABULARY.dimension) is not NotImplemented
