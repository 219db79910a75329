"""A proof as a whole: premises word for word, a spine from the measured side to the bound, and no idle fact."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from spec.language import smt
from spec.language.checker import Report
from spec.language.proof import ASSUMED, CLAIM, DEFINITION, Fact
from spec.language.template import Statement
from spec.language.values import Outcome

if TYPE_CHECKING:
    from spec.language.assumption import Assumption
    from spec.language.theorem import Claim, Theorem


def objects_of(statement: Statement) -> set[sp.Basic]:
    """Return the functions that a statement speaks of."""
    return {e.func for r in (statement.relation, *statement.given) for e in r.atoms(AppliedUndef)}


def leaves(theorem: "Theorem", claim: "Claim") -> list[Statement]:
    """Return what the proof of a claim rests on: assumptions and definitions, those of the theorems it uses too."""
    facts = [f for f in theorem.facts if f.name in reached(theorem, (claim,))]
    found = [f.statement for f in facts if f.kind in (ASSUMED, DEFINITION)]
    for fact in (f for f in facts if f.kind == CLAIM):
        found += [statement.at(fact.at) for statement in leaves(*_source(theorem, fact))]
    return found


def rests_on(theorem: "Theorem", claim: "Claim") -> list["Assumption"]:
    """Return the assumptions that the proof of a claim rests on, through the theorems that it uses too.

    An assumption without a statement is never a fact: it is taken to count for every claim.
    """
    facts = [f for f in theorem.facts if f.name in reached(theorem, (claim,))]
    names = {f.name for f in facts if f.kind == ASSUMED}
    for fact in (f for f in facts if f.kind == CLAIM):
        names |= {a.name for a in rests_on(*_source(theorem, fact))}
    return [a for a in theorem.assumptions if a.statement is None or a.name in names]


def _source(theorem: "Theorem", fact: Fact) -> tuple["Theorem", "Claim"]:
    slug, _, name = fact.reason.partition("#")
    used = next(t for t in theorem.uses if t.slug == slug)
    return used, used.claim(name)


def check_premise(theorem: "Theorem", fact: Fact) -> Report | None:
    """Check that a premise is what its assumption or its theorem says, word for word; None for other facts."""
    if fact.kind == ASSUMED:
        source = next(a for a in theorem.assumptions if a.name == fact.name).statement
        same = source == fact.statement
        return None if same else Report(fact.name, fact.kind, "failed", "differs from the registered assumption")
    if fact.kind != CLAIM:
        return None
    slug, _, name = fact.reason.partition("#")
    if slug not in {t.slug for t in theorem.uses}:
        return Report(fact.name, fact.kind, "failed", f"{slug} is not among the theorems used")
    used, claim = _source(theorem, fact)
    moved = set(fact.at)
    resting = rests_on(used, claim)
    kept = {a.name for a in resting if a.statement is None or not objects_of(a.statement) & moved}
    if extra := kept - {a.name for a in theorem.assumptions}:
        return Report(fact.name, fact.kind, "failed", f"{slug} also assumes {', '.join(sorted(extra))}")
    bound = set(claim.free)
    more = tuple(v for v in fact.statement.free if v not in bound)
    true = used.premise(fact.name, name, at=fact.at, free=more)
    if (true.statement, true.of_laws) != (fact.statement, fact.of_laws):
        return Report(fact.name, fact.kind, "failed", f"{slug} claims {claim.statement}")
    if moved and (complaint := _not_carried(theorem, used, claim, fact)):
        return Report(fact.name, fact.kind, "failed", complaint)
    return Report(fact.name, fact.kind, used.proved, f"as {slug} is")


def _not_carried(theorem: "Theorem", used: "Theorem", claim: "Claim", fact: Fact) -> str:
    """Say what is missing for a claim to hold of other objects: all that its proof rests on must hold of them."""
    facts = {f.name: f.statement for f in theorem.facts}
    given = [facts[u.fact] for u in fact.uses if not u.at]
    if used.of_laws:
        return f"{used.slug} tells apart what depends on the sample: it speaks of its own objects only"
    for leaf in leaves(used, claim):
        if objects_of(leaf) & set(fact.at):
            wanted = leaf.at(fact.at)
            if not any(_gives(statement, wanted) for statement in given):
                return f"{used.slug} rests on {leaf.relation}: use a fact that says {wanted.relation}"
    return ""


def _gives(statement: Statement, wanted: Statement) -> bool:
    same = statement.relation == wanted.relation and set(statement.given) <= set(wanted.given)
    return same and set(wanted.free) <= set(statement.free)


def check_spine(theorem: "Theorem", claim: "Claim", facts: Mapping[str, Fact]) -> Outcome:
    """Check that the facts of a claim's spine lead from its measured side to its bound, whatever it quantifies."""
    vocabulary = theorem.vocabulary
    if claim.given and smt.decide(claim.given, sp.Ge(1, 0, evaluate=False), vocabulary)[0] != smt.PROVED:
        return "failed", "the claim's guards were not shown to hold together"
    current = claim.measured.expression
    for name in claim.spine:
        if name not in facts:
            return "failed", f"there is no fact {name}"
        statement = facts[name].statement
        if extra := set(statement.free) - set(claim.free):
            return "failed", f"{name} is about {extra}, which the claim does not quantify"
        if fixed := objects_of(statement) & set(claim.free) - set(statement.free):
            return "failed", f"{name} fixes {fixed}, for which the claim is general"
        for guard in statement.given:
            if guard not in claim.given and smt.decide(claim.given, guard, vocabulary)[0] != smt.PROVED:
                return "failed", f"the claim does not give {guard}, which {name} needs"
        link = _link(claim, statement.relation, current)
        if isinstance(link, str):
            return "failed", f"{name} {link}"
        current = link
    return ("proved", "") if same(current, claim.bound) else ("failed", f"the spine ends at {current}")


def _link(claim: "Claim", relation: sp.Rel, current: sp.Expr) -> sp.Expr | str:
    """Return where a relation leads from an expression, or why it is no link."""
    if isinstance(relation, sp.Ge | sp.Gt):
        relation = relation.reversed
    if not isinstance(relation, sp.Eq | sp.Le | sp.Lt):
        return f"is no link: {relation}"
    if claim.relation == "=" and not isinstance(relation, sp.Eq):
        return "is not an equality"
    left, right = relation.args if claim.relation in ("<=", "exists") else reversed(relation.args)
    if isinstance(relation, sp.Eq) and not same(left, current):
        left, right = right, left
    return right if same(left, current) else f"starts at {left}, the spine stands at {current}"


def idle(theorem: "Theorem") -> set[str]:
    """Return the facts that no spine needs."""
    return {f.name for f in theorem.facts} - reached(theorem, theorem.claims)


def reached(theorem: "Theorem", claims: Iterable["Claim"]) -> set[str]:
    """Return the facts that the spines of claims need."""
    by_name = {f.name: f for f in theorem.facts}
    stack = [name for c in claims for name in c.spine if name in by_name]
    seen: set[str] = set()
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack += [u.fact for u in by_name[name].uses]
    return seen


def same(left: sp.Expr, right: sp.Expr) -> bool:
    """Say whether two expressions are the same up to expansion."""
    return bool(left == right or smt.canonical(left) == smt.canonical(right) or sp.expand(left - right) == 0)
