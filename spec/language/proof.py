"""Proofs as checked graphs of facts, with a spine that runs from the measured side to the bound.

Each fact states a relation for all its free variables under a guard, names the facts it uses (with the substitution
that instantiates them) and has a kind that says how it is checked. Instantiating a fact proves its guard.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from spec.language import functions as fn
from spec.language import smt
from spec.language.assumption import Assumption
from spec.language.errors import ProofError
from spec.language.quantity import Vocabulary
from spec.language.template import Statement, Template, substitute

ASSUMED, DEFINITION, CLAIM = "assumed", "definition", "claim"
IDENTITY, INEQUALITY, MONOTONE, INDUCTION, CITED, ARGUED = (
    "identity", "inequality", "monotone", "induction", "cited", "argued",
)  # fmt: skip
KINDS = (ASSUMED, DEFINITION, CLAIM, IDENTITY, INEQUALITY, MONOTONE, INDUCTION, CITED, ARGUED)
RANK = ("proved", "cited", "argued", "failed")


@dataclass(frozen=True)
class Use:
    """A fact used, with the values of its free variables."""

    fact: str
    at: Mapping[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """One step: `statement` holds by `kind` from `uses`."""

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


@dataclass(frozen=True)
class Report:
    """What checking one fact gave."""

    name: str
    kind: str
    status: str
    detail: str = ""


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
    relation = sp.Le(f.xreplace({variable: sp.sympify(low)}), f.xreplace({variable: sp.sympify(high)}), evaluate=False)
    given = (sp.Le(low, high, evaluate=False), *given)
    given = tuple(g for g in given if isinstance(g, sp.Rel))
    ends = replace(_statement(relation, free, given))
    return Fact(name, MONOTONE, ends, uses, reason, at={"low": low, "high": high}, variable=variable, function=f)


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
    relation = template.conclusion.at(at).relation
    bound = tuple(template.conclusion.free)
    guard = tuple(substitute(g, at) for g in template.conclusion.given)
    statement = _statement(relation, (*bound, *free), (*guard, *given))
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


class Checker:
    """Checks the facts of one proof in order; later facts use earlier ones only."""

    def __init__(self, facts: tuple[Fact, ...], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.facts: dict[str, Fact] = {}
        for fact in facts:
            if fact.name in self.facts:
                raise ProofError("one fact of each name", fact.name, "rename one")
            self._well_formed(fact)
            self.facts[fact.name] = fact

    def _well_formed(self, fact: Fact) -> None:
        statement = fact.statement
        self.vocabulary.check(statement.relation)
        known = {s.name for s in statement.free if isinstance(s, sp.Symbol)}
        for symbol in statement.relation.free_symbols:
            if self.vocabulary[symbol.name].role == "variable" and symbol.name not in known:
                raise ProofError(
                    "every variable of a fact free or bound in it", f"{symbol} in {fact.name}", "declare it free"
                )
        for needed in fact.uses:
            if needed.fact not in self.facts:
                raise ProofError("facts that come before", f"{fact.name} uses {needed.fact}", "order or add it")

    def check(self, fact: Fact) -> Report:
        """Check one fact."""
        try:
            status, detail = getattr(self, f"_check_{fact.kind}")(fact)
        except ProofError as error:
            status, detail = "failed", str(error)
        return Report(fact.name, fact.kind, status, detail)

    def instantiate(self, needed: Use, context: list[sp.Rel]) -> sp.Rel:
        """Return a used fact's relation at its values, after proving its guard from the context."""
        statement = self.facts[needed.fact].statement
        names = {s.name if isinstance(s, sp.Symbol) else s.__name__: s for s in statement.free}
        for name in needed.at:
            if name not in names:
                raise ProofError(f"a free variable of {needed.fact}", name, f"it has {', '.join(names) or 'none'}")
        values = {names[name]: value for name, value in needed.at.items()}
        for guard in statement.given:
            owed = substitute(guard, values)
            if owed == sp.true or owed in context:
                continue
            verdict, detail = smt.decide(context, owed, self.vocabulary, owed=False)
            if verdict != smt.PROVED:
                raise ProofError(f"the guard {owed} of {needed.fact}", verdict, detail or "use a fact that gives it")
        return substitute(statement.relation, values)

    def premises(self, uses: tuple[Use, ...], given: tuple[sp.Rel, ...]) -> list[sp.Rel]:
        """Return guard and instantiated facts, each usable for the guards of the next."""
        context = list(given)
        for needed in uses:
            context.append(self.instantiate(needed, context))
        return [c for c in context if c != sp.true]

    def _decide(self, premises: list[sp.Rel], goal: sp.Rel, unfold: tuple[sp.Symbol, ...] = ()) -> tuple[str, str]:
        swaps = {symbol: self.vocabulary[symbol.name].definition for symbol in unfold}
        if swaps:
            goal = goal.xreplace(swaps)
            premises = [q for q in (premise.xreplace(swaps) for premise in premises) if q != sp.true]
        if goal in (sp.true, sp.false):
            return ("proved", "") if goal == sp.true else ("failed", "it is false by the symbols' ranges")
        verdict, detail = smt.decide(premises, goal, self.vocabulary)
        return ("proved", "") if verdict == smt.PROVED else ("failed", f"{verdict}: {detail}")

    def _check_assumed(self, fact: Fact) -> tuple[str, str]:
        return "proved", ""

    _check_claim = _check_assumed

    def _check_definition(self, fact: Fact) -> tuple[str, str]:
        same = definition(fact.name, self.vocabulary).statement == fact.statement
        return ("proved", "") if same else ("failed", "differs from the registered definition")

    def _check_argued(self, fact: Fact) -> tuple[str, str]:
        if not fact.reason:
            raise ProofError("a reason for an argued lemma", fact.name, "say where its note proves it")
        self.premises(fact.uses, fact.statement.given)
        return "argued", fact.reason

    def _check_identity(self, fact: Fact) -> tuple[str, str]:
        statement = fact.statement
        owed = self._denominators(statement.relation)
        for condition in owed:
            verdict, detail = smt.decide(list(statement.given), condition, self.vocabulary)
            if verdict != smt.PROVED:
                return "failed", f"a denominator may vanish: {condition} not shown ({detail})"
        difference = self._rewritten(fact, statement.relation.lhs) - self._rewritten(fact, statement.relation.rhs)
        difference = difference.xreplace({q: self.vocabulary[q.name].definition for q in fact.unfold})
        difference = fn.expand_integrals(difference.replace(fn.Ratio, lambda u, v: u / v))
        if difference.has(fn.inner, fn.norm):
            difference = fn.expand_inner(difference)
        for attempt in (smt.canonical, sp.expand, sp.simplify):
            difference = attempt(difference)
            if difference == 0:
                return "proved", ""
        return "failed", f"sympy leaves {difference}"

    def _rewritten(self, fact: Fact, expr: sp.Expr) -> sp.Expr:
        """Replace, for every equality used, the atom that leads its left side."""
        for relation in self.premises(fact.uses, fact.statement.given)[len(fact.statement.given) :]:
            if not isinstance(relation, sp.Eq):
                raise ProofError("equalities to rewrite with", relation, "use it in an inequality instead")
            left = smt.canonical(relation.lhs)
            lead = next(a for a in sp.Add.make_args(left) if isinstance(a, sp.core.function.AppliedUndef))
            expr = smt.canonical(expr).xreplace({lead: relation.rhs - (left - lead)})
        return expr

    @staticmethod
    def _denominators(relation: sp.Rel) -> list[sp.Rel]:
        found = [e.args[1] for e in relation.atoms(fn.Ratio)]
        found += [e.base for e in relation.atoms(sp.Pow) if e.exp.is_negative and not e.base.is_number]
        return [sp.Ne(d, 0, evaluate=False) for d in found]

    def _check_inequality(self, fact: Fact) -> tuple[str, str]:
        return self._decide(self.premises(fact.uses, fact.statement.given), fact.statement.relation, fact.unfold)

    def _check_monotone(self, fact: Fact) -> tuple[str, str]:
        assert fact.function is not None
        assert fact.variable is not None
        low, high = fact.at["low"], fact.at["high"]
        inside = [sp.Ge(fact.variable, low, evaluate=False), sp.Le(fact.variable, high, evaluate=False)]
        premises = self.premises(fact.uses, fact.statement.given + tuple(inside))
        slope = sp.together(sp.simplify(sp.diff(fact.function, fact.variable)))
        return self._decide(premises, sp.Ge(slope, 0, evaluate=False))

    def _check_induction(self, fact: Fact) -> tuple[str, str]:
        assert fact.variable is not None
        k, relation, last = fact.variable, fact.statement.relation, fact.at["last"]
        rest = fact.statement.given[2:]
        start = [u for u in fact.uses if u.at.get("k") == 0 or not self.facts[u.fact].statement.free]
        base = self._decide(self.premises(tuple(start), rest), relation.xreplace({k: sp.Integer(0)}))
        if base[0] == "failed":
            return "failed", f"at k = 0: {base[1]}"
        guard = (sp.Ge(k, 0, evaluate=False), sp.Le(k, last - 1, evaluate=False), *rest)
        step = tuple(u for u in fact.uses if u.at.get("k") != 0)
        return self._decide([relation, *self.premises(step, guard)], relation.xreplace({k: k + 1}))

    def _check_cited(self, fact: Fact) -> tuple[str, str]:
        assert fact.template is not None
        if set(fact.at) != set(fact.template.parameters):
            raise ProofError(f"every parameter of {fact.template.name}", sorted(map(str, fact.at)), "give each once")
        for hypothesis in fact.template.hypotheses:
            owed = hypothesis.at(fact.at)
            clash = set(owed.free) & set().union(*(sp.sympify(v).free_symbols for v in fact.at.values()), set())
            if clash:
                raise ProofError("bound variables of a template fresh", clash, "rename yours")
            context = self._usable(fact, fact.statement.given + owed.given)
            status, detail = self._decide(context, owed.relation, fact.unfold)
            if status == "failed":
                return "failed", f"hypothesis {owed.relation} of {fact.template.name}: {detail}"
        return ("proved" if fact.template.elementary else "cited"), fact.template.reference

    def _usable(self, fact: Fact, given: tuple[sp.Rel, ...]) -> list[sp.Rel]:
        """Return guard and those facts whose guard it gives: a template's hypotheses have guards of their own."""
        context = list(given)
        for needed in fact.uses:
            try:
                context.append(self.instantiate(needed, context))
            except ProofError:
                continue
        return [c for c in context if c != sp.true]


def worst(statuses: list[str]) -> str:
    """Return the weakest of several statuses."""
    return max(statuses, key=RANK.index, default="failed")
