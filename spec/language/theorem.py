"""Theorems: frozen values that are read beside the paper, evaluated in ball arithmetic and proved by a checked graph."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

import sympy as sp

from spec.language import ball, smt
from spec.language import functions as fn
from spec.language.assumption import Assumption
from spec.language.ball import Ball, Value
from spec.language.dimension import PURE, Dimension, dimension_of
from spec.language.errors import DimensionMismatch, MissingValue, OutOfRange, PremiseNotMet, ProofError
from spec.language.notation import latex
from spec.language.proof import ASSUMED, CLAIM, Checker, Fact, Report, worst
from spec.language.quantity import Quantity, Vocabulary, unknown
from spec.language.template import Statement

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
    """measured (relation) bound, for all `free` under `given`; `spine` names the facts that lead from one to the other."""

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
            self.vocabulary.check(claim.bound)
            left, right = dimension_of(claim.measured.expression, of_name), dimension_of(claim.bound, of_name)
            if None not in (left, right) and left != right:
                raise DimensionMismatch(
                    f"a bound of dimension {left} for {self.slug} ({claim.name})", str(right), "check its factors"
                )
        for fact in self.facts:
            dimension_of(fact.statement.relation, of_name)
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
        """Every constant that a bound or a premise mentions, with the parts of derived ones, in order of first mention."""
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

    def dimension(self, claim: str | None = None) -> Dimension:
        """Return the dimension of a claim's bound (and of its measured side)."""
        chosen = self.claim(claim)
        of_name = self.vocabulary.dimension
        return dimension_of(chosen.bound, of_name) or dimension_of(chosen.measured.expression, of_name) or PURE

    def evaluate(self, claim: str | None = None, /, **values: Value) -> Ball:
        """Enclose a claim's bound at values of its symbols, by ASCII name.

        Derived symbols take their definition unless a value is given for them; premises are decided first.

        Raises
        ------
        UnknownName, MissingValue, OutOfRange, PremiseNotMet
        """
        return self.evaluate_expression(self.claim(claim).bound, values)

    def evaluate_expression(self, expr: sp.Expr, values: Mapping[str, Value]) -> Ball:
        """Enclose any expression over this theorem's symbols, with the same checks as its bounds."""
        plan = self._plan(expr, frozenset(values))
        for check in plan.checks:
            check(values)
        return ball.evaluate(plan.expr, values)

    def explain(self, claim: str | None = None, /, **values: Value) -> list[tuple[sp.Expr, Ball]]:
        """Return the bound's summands with their values, the dominant one first."""
        bound = self.claim(claim).bound
        terms = sp.Add.make_args(sp.expand(_resolve(self.vocabulary, bound, frozenset(values), depth=1)))
        valued = [(term, self.evaluate_expression(term, values)) for term in terms]
        return sorted(valued, key=lambda pair: -pair[1].upper)

    def premise(self, name: str, claim: str | None = None) -> Fact:
        """Return one of this theorem's claims as a fact called `name` for another theorem's proof."""
        chosen = self.claim(claim)
        statement = Statement(chosen.statement, chosen.free, chosen.given)
        return Fact(name, CLAIM, statement, reason=f"{self.slug}#{chosen.name}")

    def check_proof(self) -> list[Report]:
        """Check every fact, every spine and that each fact is reachable from a spine."""
        checker = Checker(self.facts, self.vocabulary)
        reports = [self._check_premise(fact) or checker.check(fact) for fact in self.facts]
        reports += [Report(f"spine of {c.name}", "spine", *self._check_spine(c, checker)) for c in self.claims]
        idle = set(checker.facts) - self._reachable()
        if idle:
            reports.append(Report("reachability", "spine", "failed", f"no spine needs {', '.join(sorted(idle))}"))
        return reports

    @staticmethod
    def status(reports: list[Report]) -> str:
        """Return proved, cited, argued or failed: the weakest of the facts."""
        return worst([r.status for r in reports])

    def _check_premise(self, fact: Fact) -> Report | None:
        """Check that a premise is what its assumption or its theorem says, word for word."""
        if fact.kind == ASSUMED:
            source = next(a for a in self.assumptions if a.name == fact.name).statement
            same = source == fact.statement
            return None if same else Report(fact.name, fact.kind, "failed", "differs from the registered assumption")
        if fact.kind != CLAIM:
            return None
        slug, _, name = fact.reason.partition("#")
        theorem = next((t for t in self.uses if t.slug == slug), None)
        if theorem is None:
            return Report(fact.name, fact.kind, "failed", f"{slug} is not among the theorems used")
        extra = {a.name for a in theorem.assumptions} - {a.name for a in self.assumptions}
        if extra:
            return Report(fact.name, fact.kind, "failed", f"{slug} also assumes {', '.join(sorted(extra))}")
        if theorem.premise(fact.name, name).statement != fact.statement:
            return Report(fact.name, fact.kind, "failed", f"{slug} claims {theorem.claim(name).statement}")
        return None

    def _check_spine(self, claim: Claim, checker: Checker) -> tuple[str, str]:
        current = claim.measured.expression
        upward = claim.relation in ("<=", "exists")
        for name in claim.spine:
            if name not in checker.facts:
                return "failed", f"there is no fact {name}"
            statement = checker.facts[name].statement
            extra = set(statement.free) - set(claim.free)
            if extra:
                return "failed", f"{name} is about {extra}, which the claim does not quantify"
            for guard in statement.given:
                if guard not in claim.given and smt.decide(claim.given, guard, self.vocabulary)[0] != smt.PROVED:
                    return "failed", f"the claim does not give {guard}, which {name} needs"
            relation = statement.relation
            if isinstance(relation, sp.Ge | sp.Gt):
                relation = relation.reversed
            left, right = (relation.lhs, relation.rhs) if upward else (relation.rhs, relation.lhs)
            if isinstance(relation, sp.Eq) and not _same(left, current):
                left, right = right, left
            if not _same(left, current):
                return "failed", f"{name} starts at {left}, the spine stands at {current}"
            current = right
            if claim.relation == "=" and not isinstance(relation, sp.Eq):
                return "failed", f"{name} is not an equality"
        return ("proved", "") if _same(current, claim.bound) else ("failed", f"the spine ends at {current}")

    def _reachable(self) -> set[str]:
        by_name = {f.name: f for f in self.facts}
        stack = [name for c in self.claims for name in c.spine if name in by_name]
        seen: set[str] = set()
        while stack:
            name = stack.pop()
            if name not in seen:
                seen.add(name)
                stack += [u.fact for u in by_name[name].uses]
        return seen

    def _plan(self, expr: sp.Expr, given: frozenset[str]) -> "_Plan":
        return _plan(self, expr, given)

    def __hash__(self) -> int:
        return hash(self.slug)

    def _repr_latex_(self) -> str:
        lines = []
        for claim in self.claims:
            left = latex(claim.measured.expression, self.vocabulary)
            lines.append(f"{left} {_LATEX_RELATION.get(claim.relation, '')} {latex(claim.bound, self.vocabulary)}")
        return "$$" + r" \\ ".join(lines) + "$$"


@dataclass(frozen=True)
class _Plan:
    """What evaluation needs for one expression and one set of given names."""

    expr: sp.Expr
    checks: tuple[Any, ...]


@lru_cache(maxsize=4096)
def _plan(theorem: Theorem, expr: sp.Expr, given: frozenset[str]) -> _Plan:
    known = [q.name for q in theorem.quantities]
    for name in sorted(given):
        if name not in known:
            raise unknown(f"symbol of {theorem.slug}", name, known)
    for name in sorted(given):
        definition = theorem.vocabulary[name].definition
        parts = [] if definition is None else sorted(s.name for s in definition.free_symbols)
        if parts and all(part in given for part in parts):
            raise MissingValue(f"a value for {name} or for its parts, not both", f"{name} and {parts}", "drop one")
    vocabulary = theorem.vocabulary
    resolved = _resolve(vocabulary, expr, given)
    missing = sorted({s.name for s in resolved.free_symbols} - given)
    if missing:
        raise MissingValue(
            f"a value for every symbol of {theorem.slug}", f"none for {', '.join(missing)}", f"known: {', '.join(known)}"
        )
    checks = [_range_check(vocabulary, name) for name in sorted(given)]
    for assumption in theorem.assumptions:
        if assumption.premise is not None:
            checks.append(_premise_check(vocabulary, assumption, given))
    return _Plan(resolved, tuple(c for c in checks if c is not None))


def _resolve(vocabulary: Vocabulary, expr: sp.Expr, given: frozenset[str], depth: int = -1) -> sp.Expr:
    """Replace derived symbols that have no value by their definitions (`depth` times; -1: all the way)."""
    while depth:
        swaps = {}
        for entry in expr.atoms(fn.Entry):
            definition = vocabulary[entry.args[0].name].definition
            if entry.args[0].name not in given and definition is not None:
                swaps[entry] = _at_index(vocabulary, definition, entry.args[1])
        for symbol in expr.free_symbols:
            definition = vocabulary[symbol.name].definition
            if symbol.name not in given and definition is not None and not swaps:
                swaps[symbol] = definition
        if not swaps:
            return expr
        expr = expr.xreplace(swaps)
        depth -= 1
    return expr


def _at_index(vocabulary: Vocabulary, definition: sp.Expr, index: sp.Expr) -> sp.Expr:
    """Return the definition of an indexed symbol at an index: its indexed parts get the same index."""
    return definition.xreplace({s: fn.Entry(s, index) for s in definition.free_symbols if vocabulary[s.name].indexed})


def _range_check(vocabulary: Vocabulary, name: str) -> Any:
    quantity = vocabulary[name]
    low, high = quantity.range.low, quantity.range.high
    static = all(end.is_number for end in (low, high))
    floor = float(low) if static else -math.inf
    ceiling = float(high) if static else math.inf

    def refuse(value: Any) -> None:
        raise OutOfRange(f"{name} in {quantity.range} ({quantity.meaning})", value, f"give {name} a value in its range")

    def check_one(value: Any, values: Mapping[str, Value]) -> None:
        if type(value) is float or type(value) is int:
            inside = floor < value < ceiling or (
                (value == floor and not quantity.range.low_open) or (value == ceiling and not quantity.range.high_open)
            )
            if not inside:
                refuse(value)
            if quantity.integer and value != math.inf and int(value) != value:
                raise OutOfRange(f"an integer for {name}", value, "round it yourself, up or down as the statement needs")
        else:
            number = ball.exact(value, name)
            if quantity.integer and (not hasattr(number, "q") or number.q != 1):
                raise OutOfRange(f"an integer for {name}", value, "round it yourself, up or down as the statement needs")
            symbol = vocabulary.atom(name)
            for relation in Quantity.range.__get__(quantity).relations(symbol) if static else ():
                if holds(relation, {name: value}) is False:
                    refuse(value)
        if not static:
            for relation in quantity.range.relations(vocabulary.atom(name)):
                if {s.name for s in relation.free_symbols} <= set(values) and holds(relation, {**values, name: value}) is False:  # fmt: skip
                    refuse(value)

    def check(values: Mapping[str, Value]) -> None:
        value: Any = values[name]
        if isinstance(value, list | tuple) or getattr(value, "ndim", 0):
            if not quantity.indexed:
                raise OutOfRange(f"one number for {name}", value, "only indexed symbols take a sequence")
            for entry in value:
                check_one(entry.item() if hasattr(entry, "item") else entry, values)
        else:
            check_one(value.item() if hasattr(value, "item") else value, values)

    return check


def _premise_check(vocabulary: Vocabulary, assumption: Assumption, given: frozenset[str]) -> Any:
    relation = assumption.premise
    assert relation is not None
    resolved = relation.func(
        _resolve(vocabulary, relation.lhs, given), _resolve(vocabulary, relation.rhs, given), evaluate=False
    )

    def check(values: Mapping[str, Value]) -> None:
        verdict = holds(resolved, values)
        if verdict is not True:
            state = "false" if verdict is False else "undecided"
            raise PremiseNotMet(f"{assumption.name}: {relation}", state, "the theorem says nothing at these values")

    return check


def holds(relation: sp.Rel, values: Mapping[str, Value]) -> bool | None:
    """Decide a relation at values in ball arithmetic: True, False, or None where the enclosures do not tell."""
    names = {s.name for s in relation.free_symbols}
    used = {k: v for k, v in values.items() if k in names}
    difference = ball.evaluate(relation.lhs - relation.rhs, used)
    strict = isinstance(relation, sp.Lt | sp.Gt)
    low, high = (difference.lower, difference.upper)
    if isinstance(relation, sp.Ge | sp.Gt):
        low, high = -high, -low
    if isinstance(relation, sp.Eq):
        return True if low == high == 0 else (False if low > 0 or high < 0 else None)
    if high < 0 or (high == 0 and not strict):
        return True
    return False if low > 0 or (low == 0 and strict) else None


def _same(left: sp.Expr, right: sp.Expr) -> bool:
    return bool(left == right or smt.canonical(left) == smt.canonical(right) or sp.expand(left - right) == 0)
