"""Checks the facts of a proof: every kind has its own check, and every use of a fact proves the fact's guard."""

from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from spec.language import functions as fn
from spec.language import linear, smt
from spec.language.binding import binders, substitute
from spec.language.dimension import dimension_of
from spec.language.errors import ConditionError, ProofError
from spec.language.evaluation import at_index, holds
from spec.language.nodes import Binder
from spec.language.proof import Fact, Use, cited, definition, induction, monotone
from spec.language.quantity import Quantity, Vocabulary
from spec.language.template import Statement

RANK = ("proved", "cited", "argued", "failed")
Outcome = tuple[str, str]

# Functions that are differentiable wherever they are defined: what a fact about a derivative's sign may be made of.
_SMOOTH = (
    sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.erf, sp.sinh, sp.cosh, sp.tanh, sp.sin, sp.cos, sp.atan, fn.phi1,
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """What checking one fact gave."""

    name: str
    kind: str
    status: str
    detail: str = ""


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
        for relation in (statement.relation, *statement.given):
            self.vocabulary.check(relation)
        for bound in statement.free:
            name = bound.name if isinstance(bound, sp.Symbol) else bound.__name__
            if self.vocabulary[name].role == "constant":
                raise ProofError("free variables and functions only", f"{name} in {fact.name}", "it is a constant")
        for symbol in statement.relation.free_symbols:
            if self.vocabulary[symbol.name].role == "variable" and symbol not in statement.free:
                where = f"{symbol} in {fact.name}"
                raise ProofError("every variable of a fact free or bound in it", where, "declare it free")
        for needed in fact.uses:
            if needed.fact not in self.facts:
                raise ProofError("facts that come before", f"{fact.name} uses {needed.fact}", "order or add it")
            self._still_general(fact, self.facts[needed.fact])

    @staticmethod
    def _still_general(fact: Fact, used: Fact) -> None:
        """Refuse a fact for all values of a function that uses one about that very function."""
        spoken = {e.func for r in (used.statement.relation, *used.statement.given) for e in r.atoms(AppliedUndef)}
        caught = spoken & set(fact.statement.free) - set(used.statement.free)
        if caught:
            where = f"{used.name} is about one {caught}, {fact.name} about all"
            raise ProofError("general facts from general ones", where, "free it in both or in none")

    def check(self, fact: Fact) -> Report:
        """Check one fact."""
        try:
            self._scopes(fact.statement)
            status, detail = getattr(self, f"_check_{fact.kind}")(fact)
        except ConditionError as error:
            status, detail = "failed", str(error)
        return Report(fact.name, fact.kind, status, detail)

    def _scopes(self, statement: Statement) -> None:
        """Check that what binders run over lies in the range of their variables, and that counts are integers."""
        given = list(statement.given)
        for node in (b for r in (statement.relation, *given) for b in binders(r)):
            if isinstance(node, ExprWithLimits):
                for variable, *ends in node.limits:
                    for end in ends:
                        self._within(variable, end, given)
            elif isinstance(node, Binder):
                first, last = node.span
                self._within(node.bound_symbols[-1], first, given)
                if not (first.is_integer and last.is_integer):
                    raise ProofError("whole numbers of terms", f"{first} to {last}", "use integers or ceilings")
                if isinstance(node, fn.Recurrence):
                    for value in (node.args[4], node.args[0]):
                        self._within(node.args[1], value, given)

    def _within(self, variable: sp.Symbol, value: sp.Expr, context: list[sp.Rel]) -> None:
        """Check that a value is one that a variable may take: of its range, whole where it is."""
        quantity = self.vocabulary[variable.name]
        if quantity.integer and value.is_integer is not True:
            raise ProofError(f"an integer for {variable}", value, "index with integers")
        for relation in quantity.range.relations(value):
            if relation.func(*relation.args) == sp.true or relation in context:
                continue
            verdict, detail = smt.decide(context, relation, self.vocabulary, owed=False)
            if verdict != smt.PROVED:
                where = f"{variable} in {quantity.range}"
                raise ProofError(where, f"{relation} {verdict}", detail or "use a fact that gives it")

    def instantiate(self, needed: Use, context: list[sp.Rel]) -> Any:
        """Return a used fact's relation at its values, after proving from the context that they may be taken."""
        statement = self.facts[needed.fact].statement
        names = {s.name if isinstance(s, sp.Symbol) else s.__name__: s for s in statement.free}
        for name, value in needed.at.items():
            if name not in names:
                raise ProofError(f"a free variable of {needed.fact}", name, f"it has {', '.join(names) or 'none'}")
            self._may_take(self.vocabulary[name], names[name], sp.sympify(value), context)
        values = {names[name]: value for name, value in needed.at.items()}
        for guard in statement.given:
            owed = substitute(guard, values)
            if owed == sp.true or owed in context:
                continue
            verdict, detail = smt.decide(context, owed, self.vocabulary, owed=False)
            if verdict != smt.PROVED:
                raise ProofError(f"the guard {owed} of {needed.fact}", verdict, detail or "use a fact that gives it")
        return substitute(statement.relation, values)

    def _may_take(self, quantity: Quantity, variable: Any, value: Any, context: list[sp.Rel]) -> None:
        body = value.expr if isinstance(value, sp.Lambda) else value
        if isinstance(body, sp.Expr):
            found = dimension_of(body, self.vocabulary.dimension)
            if found not in (None, quantity.dimension):
                where = f"{quantity.name} of dimension {quantity.dimension}"
                raise ProofError(where, f"{body} of {found}", "take another value")
        if isinstance(variable, sp.Symbol) and not quantity.vector:
            self._within(variable, value, context)
        elif quantity.vector and isinstance(body, sp.Expr) and body != 0 and body.is_real:
            raise ProofError(f"a vector for {quantity.name}", body, "it is a number")

    def premises(self, uses: tuple[Use, ...], given: tuple[Any, ...]) -> list[sp.Rel]:
        """Return guard and instantiated facts, each usable for the guards of the next."""
        context = [g for g in given if g != sp.true]
        for needed in uses:
            context.append(self.instantiate(needed, context))
        return [c for c in context if c != sp.true]

    def _decide(self, premises: list[sp.Rel], goal: Any, unfold: tuple[sp.Symbol, ...] = ()) -> Outcome:
        if unfold:
            goal = self._unfolded(goal, unfold, premises)
            premises = [q for q in (self._unfolded(premise, unfold) for premise in premises) if q != sp.true]
        if goal in (sp.true, sp.false):
            return ("proved", "") if goal == sp.true else ("failed", "it is false by the symbols' ranges")
        if not goal.free_symbols and not goal.atoms(AppliedUndef):
            return ("proved", "") if holds(goal, {}) else ("failed", "ball arithmetic does not confirm it")
        verdict, detail = smt.decide(premises, goal, self.vocabulary)
        return ("proved", "") if verdict == smt.PROVED else ("failed", f"{verdict}: {detail}")

    def _unfolded(self, expr: sp.Basic, unfold: tuple[sp.Symbol, ...], premises: list[sp.Rel] | None = None) -> Any:
        """Replace derived symbols, and the entries of indexed ones, by definitions; with premises, these must exist."""
        for symbol in unfold:
            meaning = self.vocabulary[symbol.name].definition
            if meaning is None:
                raise ProofError("derived symbols to unfold", symbol, "it has no definition")
            entries = [e for e in expr.atoms(fn.Entry) if e.args[0] == symbol]
            swaps = {e: at_index(self.vocabulary, meaning, e.args[1]) for e in entries}
            if premises is not None:
                for part in (*swaps.values(), meaning):
                    self._exists(part, premises)
            expr = expr.xreplace(swaps).xreplace({symbol: meaning})
        return expr

    def _exists(self, expr: sp.Basic, premises: list[sp.Rel]) -> None:
        """Check that every denominator, root and logarithm of an expression exists."""
        for condition in smt.existence(expr):
            status, detail = self._decide(premises, condition)
            if status == "failed":
                raise ProofError("denominators, roots and logarithms that exist", f"{condition} not shown", detail)

    def _check_assumed(self, _: Fact) -> Outcome:
        return "proved", ""

    _check_claim = _check_assumed

    def _check_definition(self, fact: Fact) -> Outcome:
        same = definition(fact.name, self.vocabulary).statement == fact.statement
        return ("proved", "") if same else ("failed", "differs from the registered definition")

    def _check_argued(self, fact: Fact) -> Outcome:
        if not fact.reason:
            raise ProofError("a reason for an argued lemma", fact.name, "say where its note proves it")
        self.premises(fact.uses, fact.statement.given)
        return "argued", fact.reason

    def _check_identity(self, fact: Fact) -> Outcome:
        given, relation = fact.statement.given, fact.statement.relation
        if not isinstance(relation, sp.Eq):
            raise ProofError("an equality", relation, "state it as an inequality")
        self._exists(self._unfolded(relation, fact.unfold, list(given)), list(given))
        swaps = self.premises(fact.uses, given)[len([g for g in given if g != sp.true]) :]
        for swap in swaps:
            self._exists(swap, list(given))
        left, right = (self._rewritten(swaps, side) for side in relation.args)
        difference = self._unfolded(left - right, fact.unfold)
        difference = linear.expand_integrals(difference.replace(fn.Ratio, lambda u, v: u / v))
        if difference.has(fn.inner, fn.norm):
            difference = linear.expand_inner(difference)
        for attempt in (smt.canonical, sp.expand, sp.simplify):
            difference = attempt(difference)
            if difference == 0:
                return "proved", ""
        return "failed", f"sympy leaves {difference}"

    @staticmethod
    def _rewritten(equalities: list[sp.Rel], expr: sp.Expr) -> sp.Expr:
        """Replace, for every equality, the atom that leads its left side."""
        for relation in equalities:
            if not isinstance(relation, sp.Eq):
                raise ProofError("equalities to rewrite with", relation, "use it in an inequality instead")
            left = smt.canonical(relation.lhs)
            lead = next((a for a in sp.Add.make_args(left) if isinstance(a, AppliedUndef)), None)
            if lead is None:
                raise ProofError("an equality that leads with an object", relation, "turn it round or scale it")
            expr = substitute(smt.canonical(expr), {lead: relation.rhs - (left - lead)})
        return expr

    def _check_inequality(self, fact: Fact) -> Outcome:
        return self._decide(self.premises(fact.uses, fact.statement.given), fact.statement.relation, fact.unfold)

    def _check_monotone(self, fact: Fact) -> Outcome:
        f, v, low, high = fact.function, fact.variable, sp.sympify(fact.at["low"]), sp.sympify(fact.at["high"])
        assert f is not None
        assert v is not None
        stated = monotone(fact.name, f, v, low, high).statement
        self._same(fact, stated.relation, stated.given)
        spoken = set().union(*(r.free_symbols for r in fact.statement.given), fact.statement.free)
        if v in spoken or self.vocabulary[v.name].role != "variable":
            raise ProofError("a variable of its own between the ends", v, "take another")
        for part in sp.preorder_traversal(f):
            if v in part.free_symbols and part != v and not isinstance(part, _SMOOTH):
                raise ProofError(f"a function that is differentiable in {v}", part, "prove it by cases")
        outside = self._usable(fact, fact.statement.given)  # what is used between the ends may need to be there
        for end in (low, high):
            self._within(v, end, outside)
        inside = (sp.Ge(v, low, evaluate=False), sp.Le(v, high, evaluate=False))
        premises = self.premises(fact.uses, fact.statement.given + inside)
        self._exists(f, premises)
        slope = sp.diff(f, v)
        outcome = self._decide(premises, sp.Ge(slope, 0, evaluate=False))
        if outcome[0] == "proved":
            return outcome
        return self._decide(premises, sp.Ge(sp.together(sp.simplify(slope)), 0, evaluate=False))

    def _check_induction(self, fact: Fact) -> Outcome:
        k, relation, last, rest = fact.variable, fact.statement.relation, fact.at["last"], fact.statement.given[2:]
        assert k is not None
        self._same(fact, relation, induction(fact.name, relation, k, last).statement.given)
        if not k.is_integer or k in sp.sympify(last).free_symbols or any(k in g.free_symbols for g in rest):
            raise ProofError("an integer, and no guard or end that speaks of it", k, "move the guard into the relation")
        start = [u for u in fact.uses if u.at.get(k.name) == 0 or not self.facts[u.fact].statement.free]
        status, detail = self._decide(self.premises(tuple(start), rest), substitute(relation, {k: 0}))
        if status == "failed":
            return "failed", f"at {k} = 0: {detail}"
        guard = (sp.Ge(k, 0, evaluate=False), sp.Le(k, last - 1, evaluate=False), *rest)
        step = tuple(u for u in fact.uses if u.at.get(k.name) != 0)
        return self._decide([relation, *self.premises(step, guard)], substitute(relation, {k: k + 1}))

    def _check_cited(self, fact: Fact) -> Outcome:
        template, own = fact.template, fact.statement
        assert template is not None
        if set(fact.at) != set(template.parameters):
            raise ProofError(f"every parameter of {template.name}", sorted(map(str, fact.at)), "give each once")
        concluded = cited(fact.name, template, fact.at).statement
        self._same(fact, concluded.relation, concluded.given)
        given = own.given[len(concluded.given) :]
        spoken = set().union(*(g.free_symbols for g in given), set(own.free) - set(template.conclusion.free))
        for hypothesis in template.hypotheses:
            owed = hypothesis.at(fact.at)
            if clash := set(owed.free) & spoken:
                raise ProofError("bound variables of a template fresh", clash, "rename yours")
            status, detail = self._decide(self._usable(fact, given + owed.given), owed.relation, fact.unfold)
            if status == "failed":
                return "failed", f"hypothesis {owed.relation} of {template.name}: {detail}"
        return ("proved" if template.elementary else "cited"), template.reference

    def _usable(self, fact: Fact, given: tuple[Any, ...]) -> list[sp.Rel]:
        """Return guard and those facts whose guard it gives: a template's hypotheses have guards of their own."""
        context = [g for g in given if g != sp.true]
        for needed in fact.uses:
            try:
                context.append(self.instantiate(needed, context))
            except ProofError:
                continue
        return [c for c in context if c != sp.true]

    @staticmethod
    def _same(fact: Fact, relation: sp.Rel, given: tuple[Any, ...] = ()) -> None:
        if fact.statement.relation != relation or fact.statement.given[: len(given)] != given:
            raise ProofError(f"what the {fact.kind} gives: {relation}", fact.statement.relation, "state that")


def worst(statuses: list[str]) -> str:
    """Return the weakest of several statuses."""
    return max(statuses, key=RANK.index, default="failed")
