"""Theorems: frozen values, read beside the paper, evaluated in ball arithmetic, proved by a checked graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import sympy as sp

from spec.language import functions as fn
from spec.language.assumption import Assumption
from spec.language.ball import Ball, Value
from spec.language.dimension import PURE, Dimension, dimension_of
from spec.language.errors import ConditionError, DimensionMismatch, ProofError
from spec.language.evaluation import plan, resolve
from spec.language.exact import exact_value
from spec.language.explanation import Explanation
from spec.language.notation import latex
from spec.language.proof import ASSUMED, CLAIM, LAWS, Fact, Use
from spec.language.quantity import Quantity, Vocabulary, unknown
from spec.language.template import Statement

if TYPE_CHECKING:
    from spec.language.checker import Report  # proofs are checked by few who read a theorem: the checker comes late

Relation = Literal["<=", ">=", "=", "exists"]
_LATEX_RELATION = {"<=": r"\le", ">=": r"\ge", "=": "="}


@dataclass(frozen=True)
class Measured:
    """The left side of a claim: an expression over the theory's objects, and the function that computes it.

    `computed_by` is ``module:function`` of `impl`; a test resolves it.
    """

    meaning: str
    expression: sp.Expr
    computed_by: str


@dataclass(frozen=True)
class Claim:
    """measured (relation) bound, for all `free` under `given`; `spine` names the facts between them."""

    name: str
    measured: Measured
    relation: Relation
    bound: sp.Expr
    spine: tuple[str, ...]
    tight: bool = False
    free: tuple[sp.Basic, ...] = ()
    given: tuple[sp.Rel, ...] = ()
    conditional_on: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The claim's kind in the ledger."""
        if self.conditional_on:
            return "conditional"
        if self.relation == "exists":
            return "existence"
        if self.relation == "=":
            return "identity"
        return "tight" if self.tight else "upper"

    @property
    def statement(self) -> sp.Rel:
        """The claim as a relation."""
        form = {"<=": sp.Le, ">=": sp.Ge, "=": sp.Eq, "exists": sp.Le}[self.relation]
        return form(self.measured.expression, self.bound, evaluate=False)

    @property
    def promised(self) -> float:
        """The ratio that a named instance reaches: 0.99 for tight claims, 0.5 for the others."""
        return 0.99 if self.tight else 0.5


@dataclass(frozen=True)
class Theorem:
    """A theorem of the theory: assumptions, claims and the facts that prove them.

    `uses` holds the theorems whose claims are premises here.
    """

    slug: str
    title: str
    source: str
    assumptions: tuple[Assumption, ...]
    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    vocabulary: Vocabulary = field(repr=False)
    uses: tuple["Theorem", ...] = ()

    def __post_init__(self) -> None:
        of_name = self.vocabulary.dimension
        for claim in self.claims:
            self.vocabulary.check(claim.statement)
            left, right = dimension_of(claim.measured.expression, of_name), dimension_of(claim.bound, of_name)
            if None not in (left, right) and left != right:
                raise DimensionMismatch(
                    f"a bound of dimension {left} for {self.slug} ({claim.name})", str(right), "check its factors"
                )
            for guard in claim.given:
                dimension_of(guard, of_name)
        for fact in self.facts:
            for relation in (fact.statement.relation, *fact.statement.given):
                dimension_of(relation, of_name)
        named = {a.name for a in self.assumptions}
        for fact in self.facts:
            if fact.kind == ASSUMED and fact.name not in named:
                raise ProofError(f"an assumption listed by {self.slug}", fact.name, "list it, or take the fact out")

    @property
    def headline(self) -> Claim:
        """The first claim."""
        return self.claims[0]

    def claim(self, name: str | None = None) -> Claim:
        """Return a claim by name; the headline without one."""
        if name is None:
            return self.headline
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise unknown(f"claim of {self.slug}", name, [c.name for c in self.claims])

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Every constant that a bound or a premise mentions, with the parts of derived ones."""
        found: dict[str, Quantity] = {}

        def visit(expr: sp.Basic) -> None:
            for symbol in sorted(expr.free_symbols, key=lambda s: str(s.name)):
                quantity = self.vocabulary[symbol.name]
                if quantity.role == "constant" and symbol.name not in found:
                    found[symbol.name] = quantity
                    if quantity.definition is not None:
                        visit(quantity.definition)

        for expr in [c.bound for c in self.claims] + [a.premise for a in self.assumptions if a.premise is not None]:
            visit(expr)
        return tuple(found.values())

    def symbols_of(self, expr: sp.Expr) -> list[Quantity]:
        """Return the constants that an expression needs, derived ones with their parts."""
        needed = {s.name for s in expr.free_symbols | self.unfolded(expr).free_symbols}
        grown = True
        while grown:
            parts = [self.vocabulary[name].definition for name in needed]
            more = {s.name for part in parts if part is not None for s in part.free_symbols} - needed
            grown = bool(more)
            needed |= more
        return [q for q in self.quantities if q.name in needed]

    def dimension(self, claim: str | None = None) -> Dimension:
        """Return the dimension of a claim's bound (and of its measured side)."""
        chosen = self.claim(claim)
        of_name = self.vocabulary.dimension
        return dimension_of(chosen.bound, of_name) or dimension_of(chosen.measured.expression, of_name) or PURE

    def evaluate(self, claim: str | None = None, /, **values: Value) -> Ball:
        """Enclose a claim's bound at values of its symbols, by ASCII name.

        Derived symbols take their definition unless a value is given for them; premises are decided first. An indexed
        symbol takes a list, one value for each entry, or one number for all.

        Raises
        ------
        UnknownName, MissingValue, OutOfRange, TooLarge, PremiseNotMet
        """
        return self.evaluate_expression(self.claim(claim).bound, values)

    def evaluate_expression(self, expr: sp.Expr, values: Mapping[str, Value]) -> Ball:
        """Enclose any expression over this theorem's symbols, with the same checks as its bounds."""
        return plan(self, expr, frozenset(values))(values)

    def exact(self, expr: sp.Expr, values: Mapping[str, Value]) -> sp.Expr | None:
        """Return an expression over this theorem's symbols as an exact number, None where that would be too long."""
        return exact_value(plan(self, expr, frozenset(values)).expr, values)

    def unfolded(self, expr: sp.Expr, given: frozenset[str] = frozenset()) -> sp.Expr:
        """Return an expression with every derived symbol that is not given replaced by its definition."""
        return resolve(self.vocabulary, expr, given)

    def constants(self, expr: sp.Basic) -> list[Quantity] | None:
        """Return the underived constants of an expression; None if it speaks of paths, laws or variables."""
        if expr.atoms(sp.core.function.AppliedUndef, sp.Integral, fn.expectation, fn.quantile, fn.probability):
            return None
        found = [self.vocabulary[s.name] for s in self.unfolded(expr).free_symbols]
        return found if all(q.role == "constant" for q in found) else None

    def explain(self, claim: str | None = None, /, **values: Value) -> Explanation:
        """Return the bound's summands with their values, the dominant one first; it prints as a table.

        The table begins with the expressions of the claim's spine that have a value at `values`, fact by fact.

        Raises
        ------
        UnknownName, MissingValue, OutOfRange, PremiseNotMet
        """
        chosen = self.claim(claim)
        terms = sp.Add.make_args(sp.expand(resolve(self.vocabulary, chosen.bound, frozenset(values), depth=1)))
        valued = [(term, self.evaluate_expression(term, values)) for term in terms]
        return Explanation(
            self._steps(chosen, values), tuple(sorted(valued, key=lambda pair: -pair[1].upper)), self.vocabulary
        )

    def _steps(self, claim: Claim, values: Mapping[str, Value]) -> tuple[tuple[str, sp.Expr, Ball], ...]:
        relations = {f.name: f.statement.relation for f in self.facts}
        steps: dict[sp.Expr, tuple[str, sp.Expr, Ball]] = {}
        for name in claim.spine:
            relation = relations[name]
            side = relation.lhs if isinstance(relation, sp.Ge | sp.Gt) else relation.rhs
            side = claim.bound if name == claim.spine[-1] else side
            if self.constants(side) is not None:
                try:
                    steps[side] = (name, side, self.evaluate_expression(side, values))
                except ConditionError:
                    continue  # it speaks of a constant that the bound does without
        return tuple(steps.values())

    def premise(
        self, name: str, claim: str | None = None, *uses: Use, at: Mapping[Any, Any] | None = None, free: Any = ()
    ) -> Fact:
        """Return one of this theorem's claims as a fact called `name` for another theorem's proof.

        `at` states it of other objects (functions to lambdas, whose own variables are `free`): then `uses` names, for
        every assumption and definition about the old ones that the proof rests on, a fact that says it of the new.
        """
        chosen = self.claim(claim)
        stated = Statement(chosen.statement, chosen.free, chosen.given).at(at or {})
        statement = Statement(stated.relation, (*stated.free, *free), stated.given)
        return Fact(name, CLAIM, statement, uses, f"{self.slug}#{chosen.name}", at=dict(at or {}), of_laws=self.of_laws)

    def check_proof(self) -> "list[Report]":
        """Check every fact, every spine and that each fact is reachable from a spine."""
        from spec.language import graph
        from spec.language.checker import Checker, Report

        checker = Checker(self.facts, self.vocabulary)
        checked = [checker.check(fact) for fact in self.facts]
        premises = [graph.check_premise(self, fact) for fact in self.facts]
        reports = [
            own if own.status == "failed" or premise is None else premise
            for own, premise in zip(checked, premises, strict=True)
        ]
        stated = [checker.check_claim(c.name, Statement(c.statement, c.free, c.given), c.spine) for c in self.claims]
        reports += [report for report in stated if report.status == "failed"]
        spines = {c.name: graph.check_spine(self, c, checker.facts) for c in self.claims}
        reports += [Report(f"spine of {name}", "spine", *outcome) for name, outcome in spines.items()]
        if idle := graph.idle(self):
            reports.append(Report("reachability", "spine", "failed", f"no spine needs {', '.join(sorted(idle))}"))
        return reports

    @cached_property
    def of_laws(self) -> bool:
        """Whether the proof, or one that it rests on, speaks of laws of the sample, or of what is fixed."""
        stated = (r for f in self.facts for r in (f.statement.relation, *f.statement.given))
        asked = any(f.of_laws or (f.template is not None and f.template.fixed) for f in self.facts)
        return asked or any(relation.has(*LAWS) for relation in stated)

    @cached_property
    def proved(self) -> str:
        """The status of the proof, checked once: premises of other theorems carry it on."""
        return self.status(self.check_proof())

    @staticmethod
    def status(reports: "list[Report]") -> str:
        """Return proved, cited, argued or failed: the weakest of the facts."""
        from spec.language.checker import worst

        return worst([r.status for r in reports])

    def __hash__(self) -> int:
        return hash(self.slug)

    def _repr_latex_(self) -> str:
        lines = []
        for claim in self.claims:
            left = latex(claim.measured.expression, self.vocabulary)
            lines.append(f"{left} {_LATEX_RELATION.get(claim.relation, '')} {latex(claim.bound, self.vocabulary)}")
        return "$$" + r" \\ ".join(lines) + "$$"
