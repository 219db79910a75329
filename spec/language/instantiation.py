"""Facts in use: what may be stated, what a variable may take, and the guard that every use of a fact proves."""

from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from spec.language import functions as fn
from spec.language import smt
from spec.language.binding import binders, substitute
from spec.language.dimension import dimension_of
from spec.language.errors import ProofError
from spec.language.evaluation import at_index, holds
from spec.language.nodes import Binder
from spec.language.proof import Fact, Use
from spec.language.quantity import Quantity, Vocabulary
from spec.language.template import Statement

Outcome = tuple[str, str]
_NOT_NUMBERS = (sp.oo, -sp.oo, sp.zoo, sp.nan)


class Facts:
    """The facts of one proof in order: later ones use earlier ones only."""

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
            if relation.has(*_NOT_NUMBERS):
                raise ProofError("finite numbers", f"{relation} in {fact.name}", "state it without infinities")
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
                if isinstance(node, fn.MaxOver):
                    self._owe(sp.Ge(last, first, evaluate=False), given, "a maximum of something")
                if isinstance(node, fn.Recurrence):
                    for value in (node.args[4], node.args[0]):
                        self._within(node.args[1], value, given)

    def _within(self, variable: sp.Symbol, value: sp.Expr, context: list[sp.Rel]) -> None:
        """Check that a value is one that a variable may take: of its range, whole where it is."""
        quantity = self.vocabulary[variable.name]
        if quantity.integer and value.is_integer is not True:
            raise ProofError(f"an integer for {variable}", value, "index with integers")
        for relation in quantity.range.relations(value):
            self._owe(relation, context, f"{variable} in {quantity.range}")

    def _owe(self, relation: Any, context: list[sp.Rel], what: str) -> None:
        """Prove a relation from the context, or raise."""
        if relation in context or relation == sp.true or relation.func(*relation.args) == sp.true:
            return
        verdict, detail = smt.decide(context, relation, self.vocabulary, owed=False)
        if verdict != smt.PROVED:
            raise ProofError(what, f"{relation}: {verdict}", detail or "use a fact that gives it")

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
            self._owe(substitute(guard, values), context, f"the guard of {needed.fact}")
        return substitute(statement.relation, values)

    def _may_take(self, quantity: Quantity, variable: Any, value: Any, context: list[sp.Rel]) -> None:
        body = value.expr if isinstance(value, sp.Lambda) else value
        if body.has(*_NOT_NUMBERS):
            raise ProofError("finite numbers", body, "take a number")
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

    def _usable(self, fact: Fact, given: tuple[Any, ...]) -> list[sp.Rel]:
        """Return guard and those facts whose guard it gives: a template's hypotheses have guards of their own."""
        context = [g for g in given if g != sp.true]
        for needed in fact.uses:
            try:
                context.append(self.instantiate(needed, context))
            except ProofError:
                continue
        return [c for c in context if c != sp.true]

    def _decide(self, premises: list[sp.Rel], goal: Any, unfold: tuple[sp.Symbol, ...] = ()) -> Outcome:
        if unfold:
            goal = self._unfolded(goal, unfold, premises)
            premises = [q for q in (self._unfolded(premise, unfold) for premise in premises) if q != sp.true]
        if goal in (sp.true, sp.false):
            return ("proved", "") if goal == sp.true else ("failed", "it is false by the symbols' ranges")
        if not goal.free_symbols and not goal.atoms(AppliedUndef):
            return ("proved", "") if holds(goal, {}) else ("failed", "ball arithmetic does not confirm it")
        verdict, detail = smt.decide(premises, goal, self.vocabulary, unfolded=unfold)
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
