"""Facts in use: what they may state, and the guard that every use of a fact proves."""

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from spec.language.binding import substitute
from spec.language.errors import ProofError
from spec.language.proof import LAWS, Fact, Use
from spec.language.quantity import Vocabulary
from spec.language.values import Values


class Facts(Values):
    """The facts of one proof in order: later ones use earlier ones only."""

    def __init__(self, facts: tuple[Fact, ...], vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.facts: dict[str, Fact] = {}
        for fact in facts:
            if fact.name in self.facts:
                raise ProofError("one fact of each name", fact.name, "rename one")
            self._well_formed(fact)
            self.facts[fact.name] = fact

    def _well_formed(self, fact: Fact) -> None:
        statement = fact.statement
        for relation in (statement.relation, *statement.given):
            self._speakable(relation, f" in {fact.name}")
        for bound in statement.free:
            name = bound.name if isinstance(bound, sp.Symbol) else bound.__name__
            if self.vocabulary[name].role == "constant":
                raise ProofError("free variables and functions only", f"{name} in {fact.name}", "it is a constant")
        for symbol in set().union(*(r.free_symbols for r in (statement.relation, *statement.given))):
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

    def instantiate(self, needed: Use, context: list[sp.Rel]) -> Any:
        """Return a used fact's relation at its values, after proving from the context that they may be taken."""
        statement = self.facts[needed.fact].statement
        names = {s.name if isinstance(s, sp.Symbol) else s.__name__: s for s in statement.free}
        for name, value in needed.at.items():
            if name not in names:
                raise ProofError(f"a free variable of {needed.fact}", name, f"it has {', '.join(names) or 'none'}")
            self._may_take(self.vocabulary[name], names[name], sp.sympify(value), context)
            if not isinstance(names[name], sp.Symbol) and not self._is_fixed_function(value, context):
                raise ProofError(f"a function for {name} that is fixed before the sample", value, "it sees the sample")
        values = {names[name]: value for name, value in needed.at.items()}
        for guard in statement.given:
            self._owe(substitute(guard, values), context, f"the guard of {needed.fact}")
        relation = substitute(statement.relation, values)
        self._speakable(relation)
        return relation

    def premises(self, uses: tuple[Use, ...], given: tuple[Any, ...]) -> list[sp.Rel]:
        """Return guard and instantiated facts, each usable for the guards of the next."""
        context = [g for g in given if g != sp.true]
        for needed in uses:
            context.append(self.instantiate(needed, context))
        return [c for c in context if c != sp.true]

    def _usable(self, fact: Fact, given: tuple[Any, ...], case: tuple[Any, ...] = ()) -> list[sp.Rel]:
        """Return guard and those facts whose guard it gives: a template's hypotheses have guards of their own.

        A `case` holds for some samples only: a law is one for all of them, so facts about laws are not used by cases.
        """
        sure, context = ([g for g in guards if g != sp.true] for guards in (given, given + case))
        for needed in fact.uses:
            relation = self._instance(needed, sure)
            if relation is not None:
                sure.append(relation)
            elif case and not self._of_laws(self.facts[needed.fact]):
                relation = self._instance(needed, context)
            if relation is not None:
                context.append(relation)
        return [c for c in context if c != sp.true]

    def _of_laws(self, fact: Fact) -> bool:
        """Say whether a fact rests on a law: it speaks of one, or what it uses does."""
        stated = (fact.statement.relation, *fact.statement.given)
        own = fact.of_laws or any(relation.has(*LAWS) for relation in stated)
        return own or any(self._of_laws(self.facts[needed.fact]) for needed in fact.uses)

    def _instance(self, needed: Use, context: list[sp.Rel]) -> Any:
        """Return a used fact's relation at its values, None where the context does not give its guard."""
        try:
            return self.instantiate(needed, context)
        except ProofError:
            return None
