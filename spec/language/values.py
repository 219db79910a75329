"""What may be said and taken: values of the right kind, in the range of what they stand for, that exist."""

from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef, UndefinedFunction

from spec.language import functions as fn
from spec.language import kind, smt
from spec.language.binding import AROUND, Scope, binders, bound_by, limits, places, substitute
from spec.language.dimension import dimension_of
from spec.language.errors import ProofError
from spec.language.evaluation import at_index, holds
from spec.language.existence import check_bounded, check_continuous, existence
from spec.language.nodes import Binder
from spec.language.quantity import Quantity, Vocabulary
from spec.language.template import Statement

Outcome = tuple[str, str]
_NOT_NUMBERS = (sp.oo, -sp.oo, sp.zoo, sp.nan)


class Values:
    """What expressions over a vocabulary must be, decided from what is given."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def _speakable(self, expr: sp.Basic, where: str = "") -> None:
        """Refuse what is made of unregistered symbols, infinities, numbers for vectors, or bound constants."""
        self.vocabulary.check(expr)
        if expr.has(*_NOT_NUMBERS):
            raise ProofError("finite numbers", f"{expr}{where}", "state it without infinities")
        kind.kind_of(expr, self.vocabulary)
        for node in binders(expr):
            for symbol in bound_by(node):
                if self.vocabulary[symbol.name].role != "variable":
                    raise ProofError("variables that are bound", f"the constant {symbol} in {node}", "bind a variable")

    def _scopes(self, statement: Statement) -> None:
        """Check that a statement's parts are what they stand for, each where it stands.

        What binders run over lies in the range of their variables, counts are integers from 0, indices are whole,
        levels of quantiles lie in (0, 1), and integrands are bounded on the closed interval.
        """
        for relation in (statement.relation, *statement.given):
            for node, scope in places(relation):
                self._stands(node, scope, statement.given)
            check_bounded(relation)

    def _stands(self, node: sp.Basic, scope: Scope, around: Iterable[sp.Rel]) -> None:
        given = scope.context(around)
        if isinstance(node, ExprWithLimits):
            for (variable, *ends), outside in limits(node, scope):
                for end in ends:
                    self._within(variable, end, outside.context(around))
        elif isinstance(node, Binder):
            first, last = node.span
            self._within(node.bound_symbols[-1], first, given)
            if not (first.is_integer and last.is_integer):
                raise ProofError("whole numbers of terms", f"{first} to {last}", "use integers or ceilings")
            if isinstance(node, fn.MaxOver):
                self._owe(sp.Ge(last, first, evaluate=False), given, "a maximum of something")
            else:
                self._owe(sp.Ge(last, 0, evaluate=False), given, "numbers of terms that are not negative")
            if isinstance(node, fn.Recurrence):
                carried = node.bound_symbols[0]
                inside = AROUND.within(node.bound_symbols).context(given)
                for value, context in ((node.args[4], given), (node.args[0], inside)):
                    self._within(carried, value, context)
        elif isinstance(node, fn.geom | fn.Entry):
            if not node.args[1].is_integer:
                raise ProofError("whole numbers of terms, and an index that is whole", node, "use integers or ceilings")
            self._owe(sp.Ge(node.args[1], 0, evaluate=False), given, f"a number of terms or an index from 0 in {node}")
        elif isinstance(node, fn.quantile):
            self._owe(sp.Gt(node.args[1], 0, evaluate=False), given, f"a positive level of {node}")
            self._owe(sp.Lt(node.args[1], 1, evaluate=False), given, f"a level of {node} below 1")

    def _within(self, variable: sp.Symbol, value: sp.Expr, context: list[sp.Rel]) -> None:
        """Check that a value is one that a variable may take: of its range, whole where it is."""
        quantity = self.vocabulary[variable.name]
        if quantity.integer and value.is_integer is not True:
            raise ProofError(f"an integer for {variable}", value, "index with integers")
        for relation in quantity.range.relations(value):
            self._owe(relation, context, f"{variable} in {quantity.range}")
        if quantity.fixed and not self._is_fixed(value, context):
            raise ProofError(f"a value for {variable} that is fixed before the sample", value, "it sees the sample")

    def _owe(self, relation: Any, context: list[sp.Rel], what: str) -> None:
        """Prove a relation from the context, or raise."""
        if relation in context or relation == sp.true or relation.func(*relation.args) == sp.true:
            return
        of_sample = isinstance(relation, sp.Eq) and relation.rhs == 0 and relation.lhs.func == self.vocabulary.sees
        if of_sample and self._is_fixed(relation.lhs.args[0], context):
            return
        verdict, detail = smt.decide(context, relation, self.vocabulary, owed=False)
        if verdict != smt.PROVED:
            raise ProofError(what, f"{relation}: {verdict}", detail or "use a fact that gives it")

    def _may_take(self, quantity: Quantity, variable: Any, value: Any, context: list[sp.Rel]) -> None:
        """Check that a value is one for a variable or a function: of its kind, dimension and range, and that it is."""
        if isinstance(value, UndefinedFunction):
            if value.__name__ not in self.vocabulary or self.vocabulary.atom(value.__name__) != value:
                raise ProofError("a function of the vocabulary", value, "import it")
            other = self.vocabulary[value.__name__]
            self._of_kind(quantity, value, kind.of(other), other.dimension)
            if quantity.integer and not other.integer:
                raise ProofError(f"an integer for {quantity.name}", value, "take a function that gives indices")
            return
        self._speakable(value)
        body = value.expr if isinstance(value, sp.Lambda) else value
        self._of_kind(
            quantity, value, kind.kind_of(body, self.vocabulary), dimension_of(body, self.vocabulary.dimension)
        )
        self._exists(value, context)
        check_bounded(value)
        if isinstance(value, sp.Lambda):
            check_continuous(body, {v for v in value.variables if not v.is_integer})
            inside = AROUND.within(value.variables).context(context)
            if quantity.integer:
                if not body.is_integer:
                    raise ProofError(f"an integer for {quantity.name}", body, "take a function that gives indices")
                self._owe(sp.Ge(body, 0, evaluate=False), inside, f"an index for {quantity.name}")
        elif isinstance(variable, sp.Symbol) and not quantity.vector:
            self._within(variable, value, context)

    @staticmethod
    def _of_kind(quantity: Quantity, value: Any, found: Any, dimension: Any) -> None:
        """Check that a value has the kind and the dimension of what it stands for; a zero has every one."""
        wanted = kind.of(quantity)
        if found not in (None, wanted):
            raise ProofError(f"a {wanted} for {quantity.name}", value, f"it is a {found}")
        if dimension not in (None, quantity.dimension):
            where = f"{quantity.name} of dimension {quantity.dimension}"
            raise ProofError(where, f"{value} of {dimension}", "take another value")

    def _is_fixed(self, e: sp.Basic, context: Iterable[sp.Rel], bound: frozenset[sp.Basic] = frozenset()) -> bool:
        """Say whether a value is fixed before the sample: it is made of what is.

        What may depend on the sample, and every variable that is not fixed by declaration, is fixed where the context
        says so. Means and probabilities are fixed whatever is inside them.
        """
        sees = self.vocabulary.sees
        if sees is not None and sp.Eq(sees(e), 0, evaluate=False) in context:
            return True
        if isinstance(e, fn.expectation | fn.probability):
            return True
        if isinstance(e, fn.quantile):
            return self._is_fixed(e.args[1], context, bound)
        if e.is_Symbol:
            quantity = self.vocabulary[e.name]
            known = quantity.role != "variable" or quantity.fixed or e in bound
            return known and (e.name not in self.vocabulary.random or e in bound)
        if isinstance(e, AppliedUndef) and e.func.__name__ in self.vocabulary.random:
            return False
        return all(self._is_fixed(part, context, bound | bound_by(e)) for part in e.args)

    def _is_fixed_function(self, value: Any, context: Iterable[sp.Rel]) -> bool:
        """Say whether a function is fixed before the sample: its values at what is fixed are."""
        if isinstance(value, UndefinedFunction):
            return value.__name__ not in self.vocabulary.random
        return self._is_fixed(value.expr, context, frozenset(value.variables))

    def _decide(self, premises: list[sp.Rel], goal: Any, unfold: tuple[sp.Symbol, ...] = ()) -> Outcome:
        if unfold:
            self._defined(unfold, [goal, *premises], premises)
            goal = self._unfolded(goal, unfold)
            premises = [q for q in (self._unfolded(premise, unfold) for premise in premises) if q != sp.true]
        if goal == sp.false:
            return "failed", "it is false by the symbols' ranges"
        numbers = goal != sp.true and not goal.free_symbols and not goal.atoms(AppliedUndef)
        if numbers and not holds(goal, {}):
            return "failed", "ball arithmetic does not confirm it"
        if numbers or goal == sp.true:
            return self._together(premises)
        verdict, detail = smt.decide(premises, goal, self.vocabulary, unfolded=unfold)
        return ("proved", "") if verdict == smt.PROVED else ("failed", f"{verdict}: {detail}")

    def _together(self, premises: list[sp.Rel]) -> Outcome:
        """Prove what is true anyway: only where the premises hold together."""
        verdict, detail = (
            smt.decide(premises, sp.Ge(1, 0, evaluate=False), self.vocabulary) if premises else (smt.PROVED, "")
        )
        return ("proved", "") if verdict == smt.PROVED else ("failed", f"{verdict}: {detail}")

    def _defined(self, unfold: tuple[sp.Symbol, ...], spoken: list[sp.Basic], premises: list[sp.Rel]) -> None:
        """Check that what derived symbols stand for exists: the symbols, and all entries that are spoken of."""
        for symbol in unfold:
            meaning = self.vocabulary[symbol.name].definition
            if meaning is None:
                raise ProofError("derived symbols to unfold", symbol, "it has no definition")
            self._exists(meaning, premises)
            for expr in spoken:
                for part, scope in places(expr):
                    if isinstance(part, fn.Entry) and part.args[0] == symbol:
                        self._exists(at_index(self.vocabulary, meaning, part.args[1]), premises, scope)

    def _unfolded(self, expr: sp.Basic, unfold: tuple[sp.Symbol, ...]) -> Any:
        """Replace derived symbols, and the entries of indexed ones, by definitions: nothing binds their constants."""
        for symbol in unfold:
            meaning = self.vocabulary[symbol.name].definition
            entries = [e for e in expr.atoms(fn.Entry) if e.args[0] == symbol]
            expr = expr.xreplace({e: at_index(self.vocabulary, meaning, e.args[1]) for e in entries})
            expr = substitute(expr, {symbol: meaning})
        return expr

    def _exists(
        self,
        expr: sp.Basic,
        premises: Iterable[sp.Rel],
        scope: Scope = AROUND,
        unfold: tuple[sp.Symbol, ...] = (),
    ) -> None:
        """Check that every denominator, root and logarithm of an expression exists, where it stands."""
        premises = list(premises)
        for condition, at in existence(expr, scope):
            status, detail = self._decide(at.context(premises), condition, unfold)
            if status == "failed":
                raise ProofError("denominators, roots and logarithms that exist", f"{condition} not shown", detail)
