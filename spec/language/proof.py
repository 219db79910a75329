"""Proofs as checked graphs of facts, with a spine that runs from the measured side to the bound.

Each fact states a relation for all its free variables under a guard, names the facts it uses (with the substitution
that instantiates them) and has a kind that says how it is checked. Instantiating a fact proves its guard.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from spec.language.assumption import Assumption
from spec.language.binding import substitute
from spec.language.errors import ProofError
from spec.language.functions import expectation, probability, quantile
from spec.language.quantity import Vocabulary
from spec.language.template import Statement, Template

ASSUMED, DEFINITION, CLAIM = "assumed", "definition", "claim"
IDENTITY, INEQUALITY, MONOTONE, INDUCTION, CITED, ARGUED = (
    "identity", "inequality", "monotone", "induction", "cited", "argued",
)  # fmt: skip
LAWS = (expectation, quantile, probability)  # of all samples together
KINDS = (ASSUMED, DEFINITION, CLAIM, IDENTITY, INEQUALITY, MONOTONE, INDUCTION, CITED, ARGUED)


@dataclass(frozen=True)
class Use:
    """A fact used, with the values of its free variables."""

    fact: str
    at: Mapping[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """One step: `statement` holds by `kind` from `uses`; a claim's says whether its proof speaks of laws."""

    name: str
    kind: str
    statement: Statement
    uses: tuple[Use, ...] = ()
    reason: str = ""
    template: Template | None = None
    at: Mapping[Any, Any] = field(default_factory=dict)
    variable: sp.Symbol | None = None
    function: sp.Expr | None = None
    unfold: tuple[sp.Symbol, ...] = ()
    of_laws: bool = False


def use(fact: str, **at: Any) -> Use:
    """Name a fact that a step uses; keywords give the values of its free variables by their names."""
    return Use(fact, at)


def _statement(relation: Any, free: Any = (), given: Any = ()) -> Statement:
    return Statement(relation, tuple(free), tuple(g for g in given if g != sp.true)).refuse_trivial()


def identity(
    name: str, relation: sp.Eq, *uses: Use, free: Any = (), given: Any = (), reason: str = "", unfold: Any = ()
) -> Fact:
    """State an equality that sympy proves: vectors by linear algebra, inner products expanded, integrals done.

    Equalities used are rewritten from left to right first: each replaces the atom that leads its left side.
    """
    return Fact(name, IDENTITY, _statement(relation, free, given), uses, reason, unfold=tuple(unfold))


def inequality(
    name: str, relation: sp.Rel, *uses: Use, free: Any = (), given: Any = (), reason: str = "", unfold: Any = ()
) -> Fact:
    """State a relation that z3 proves over the reals from the facts used, the guard and the symbols' ranges.

    A relation between numbers is decided in ball arithmetic.

    `unfold` names derived symbols to be replaced by their definitions first.
    """
    return Fact(name, INEQUALITY, _statement(relation, free, given), uses, reason, unfold=tuple(unfold))


def monotone(
    name: str,
    f: sp.Expr,
    variable: sp.Symbol,
    low: Any,
    high: Any,
    *uses: Use,
    free: Any = (),
    given: Any = (),
    reason: str = "",
) -> Fact:
    """State f(low) ≤ f(high) for low ≤ high, f a function whose derivative z3 proves nonnegative between them."""
    relation = sp.Le(*(substitute(f, {variable: end}) for end in (low, high)), evaluate=False)
    given = (sp.Le(low, high, evaluate=False), *given)
    statement = _statement(relation, free, given)
    return Fact(name, MONOTONE, statement, uses, reason, at={"low": low, "high": high}, variable=variable, function=f)


def induction(
    name: str, relation: sp.Rel, k: sp.Symbol, last: Any, *uses: Use, free: Any = (), given: Any = (), reason: str = ""
) -> Fact:
    """State a relation for 0 ≤ k ≤ last, proved at k = 0 and from k to k+1 for 0 ≤ k ≤ last − 1."""
    guard = (sp.Ge(k, 0, evaluate=False), sp.Le(k, last, evaluate=False), *given)
    return Fact(name, INDUCTION, _statement(relation, (k, *free), guard), uses, reason, variable=k, at={"last": last})


def cited(
    name: str, template: Template, at: Mapping[Any, Any], *uses: Use, free: Any = (), given: Any = (), unfold: Any = ()
) -> Fact:
    """State a registered result at given parameters; z3 proves its hypotheses from the facts used."""
    concluded = template.conclusion.at(at)
    statement = _statement(concluded.relation, (*concluded.free, *free), (*concluded.given, *given))
    return Fact(name, CITED, statement, uses, template.reference, template=template, at=at, unfold=tuple(unfold))


def argued(name: str, relation: sp.Rel, reason: str, *uses: Use, free: Any = (), given: Any = ()) -> Fact:
    """State a lemma of ours that only its note proves; it is listed by name and property-tested."""
    return Fact(name, ARGUED, _statement(relation, free, given), uses, reason)


def definition(name: str, vocabulary: Vocabulary) -> Fact:
    """Take the definition of a derived symbol or of a registered object, by its name."""
    if name in vocabulary.definitions:
        return Fact(name, DEFINITION, vocabulary.definitions[name])
    quantity = vocabulary[name]
    if quantity.definition is None:
        raise ProofError("a derived symbol or a registered definition", name, "see the vocabulary")
    return Fact(name, DEFINITION, Statement(sp.Eq(vocabulary.atom(name), quantity.definition, evaluate=False)))


def assumed(assumption: Assumption) -> Fact:
    """Take a registered assumption as a premise."""
    if assumption.statement is None:
        raise ProofError("an assumption with a relation", assumption.name, "it only fixes what the objects are")
    return Fact(assumption.name, ASSUMED, assumption.statement, reason=assumption.words)
