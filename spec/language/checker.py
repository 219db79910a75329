"""Checks the facts of a proof: every kind has its own check, and every use of a fact proves the fact's guard."""

from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from spec.language import functions as fn
from spec.language import linear, smt
from spec.language.binding import substitute
from spec.language.errors import ConditionError, ProofError
from spec.language.existence import check_bounded, check_continuous, existence
from spec.language.instantiation import Facts
from spec.language.nodes import Binder, Vectorial
from spec.language.proof import ASSUMED, CLAIM, DEFINITION, LAWS, Fact, cited, definition, induction, monotone
from spec.language.template import Statement
from spec.language.values import Outcome

RANK = ("proved", "cited", "argued", "failed")
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


class Checker(Facts):
    """Checks the facts of one proof, each by its kind."""

    def check(self, fact: Fact) -> Report:
        """Check one fact."""
        try:
            self._scopes(fact.statement)
            status, detail = getattr(self, f"_check_{fact.kind}")(fact)
            if status != "failed":
                self._meant(fact)
        except ConditionError as error:
            status, detail = "failed", str(error)
        return Report(fact.name, fact.kind, status, detail)

    def check_claim(self, name: str, statement: Statement, spine: tuple[str, ...]) -> Report:
        """Check that a claim's sides are what they stand for, and exist where they are not those of its facts."""
        shown = {side for step in spine if step in self.facts for side in self.facts[step].statement.relation.args}
        try:
            for relation in (statement.relation, *statement.given):
                self._speakable(relation)
            self._scopes(statement)
            for at, guard in enumerate(statement.given):
                self._exists(guard, statement.given[:at])
            for side in set(statement.relation.args) - shown:
                self._exists(side, statement.given)
        except ConditionError as error:
            return Report(name, "claim", "failed", str(error))
        return Report(name, "claim", "proved")

    def _meant(self, fact: Fact) -> None:
        """Check that all that a step states exists: what sympy cancels, it cancels before anybody asks."""
        if fact.kind in (ASSUMED, DEFINITION, CLAIM):
            return  # registered, or checked where it was proved
        for at, guard in enumerate(fact.statement.given):
            self._exists(guard, fact.statement.given[:at])
        if existence(fact.statement.relation):
            usable = self._usable(fact, fact.statement.given)
            self._exists(fact.statement.relation, usable, unfold=fact.unfold)

    def _check_assumed(self, _: Fact) -> Outcome:
        return "proved", ""

    def _check_claim(self, fact: Fact) -> Outcome:
        """Check what a claim is moved to: functions, by what they may be."""
        for moved, value in fact.at.items():
            if not isinstance(moved, UndefinedFunction):
                raise ProofError(f"functions that {fact.name} is moved to others", moved, "a constant is what it is")
            self._may_take(self.vocabulary[moved.__name__], moved, value, list(fact.statement.given))
        return "proved", ""

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
        self._defined(fact.unfold, [relation], list(given))
        self._exists(self._unfolded(relation, fact.unfold), list(given))
        swaps = self.premises(fact.uses, given)[len([g for g in given if g != sp.true]) :]
        for swap in swaps:
            self._exists(swap, list(given))
        left, right = (self._rewritten(swaps, side) for side in relation.args)
        difference = self._unfolded(left - right, fact.unfold)
        difference = linear.expand_integrals(difference.replace(fn.Ratio, lambda u, v: u / v))
        if difference.has(fn.inner, fn.norm):
            difference = linear.expand_inner(difference)
        objects = difference.has(AppliedUndef, sp.Integral, Vectorial, Binder)  # linear algebra is enough for these
        for attempt in (smt.canonical, sp.expand, *(() if objects else (sp.simplify,))):
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
        return self._decide(premises, sp.Ge(sp.diff(f, v), 0, evaluate=False))

    def _check_induction(self, fact: Fact) -> Outcome:
        k, relation, last, rest = fact.variable, fact.statement.relation, fact.at["last"], fact.statement.given[2:]
        assert k is not None
        self._same(fact, relation, induction(fact.name, relation, k, last).statement.given)
        if not k.is_integer or k in sp.sympify(last).free_symbols or any(k in g.free_symbols for g in rest):
            raise ProofError("an integer, and no guard or end that speaks of it", k, "move the guard into the relation")
        guard = (sp.Ge(k, 0, evaluate=False), sp.Le(k, last - 1, evaluate=False), *rest)
        if any(law.free_symbols & {k} for law in relation.atoms(*LAWS)):
            raise ProofError(f"an induction over {k} outside laws", relation, "what is random in a law is not outside")
        if not self._is_fixed(last, rest) and any(self._of_laws(self.facts[u.fact]) for u in fact.uses):
            raise ProofError("as many steps for every sample, by facts about laws", last, "end where no sample decides")
        for value in (sp.Integer(0), k + 1):
            self._within(k, value, list(guard))
        start = [u for u in fact.uses if u.at.get(k.name) == 0 or not self.facts[u.fact].statement.free]
        status, detail = self._decide(self.premises(tuple(start), rest), substitute(relation, {k: 0}))
        if status == "failed":
            return "failed", f"at {k} = 0: {detail}"
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
        usable = self._usable(fact, given)
        self._typed(fact, usable)
        spoken = set().union(*(g.free_symbols for g in given), set(own.free) - set(template.conclusion.free))
        for hypothesis in template.hypotheses:
            owed = hypothesis.at(fact.at)
            if clash := set(owed.free) & spoken:
                raise ProofError("bound variables of a template fresh", clash, "rename yours")
            self._scopes(Statement(owed.relation, owed.free, given + owed.given))
            known, bound = [*given, *owed.given], frozenset(owed.free)
            case = tuple(g for g in owed.given if not self._is_fixed(g, known, bound))
            sure = given + tuple(g for g in owed.given if g not in case)
            status, detail = self._decide(self._usable(fact, sure, case), owed.relation, fact.unfold)
            if status == "failed":
                return "failed", f"hypothesis {owed.relation} of {template.name}: {detail}"
        return ("proved" if template.elementary else "cited"), template.reference

    def _typed(self, fact: Fact, context: list[sp.Rel]) -> None:
        """Check that parameters are what their template takes them for, and exist."""
        template = fact.template
        assert template is not None
        if loose := template.counts - set(template.whole):
            raise ProofError(f"whole numbers for the counts of {template.name}", loose, "name them in its whole")
        for parameter, value in ((p, sp.sympify(fact.at[p])) for p in template.parameters):
            self._speakable(value)
            self._exists(value, context)
            check_bounded(value)
            if isinstance(value, sp.Lambda):
                check_continuous(value.expr, {v for v in value.variables if not v.is_integer})
            if parameter in template.whole:
                if not value.is_integer:
                    raise ProofError(
                        f"an integer for {parameter} of {template.name}", value, "take an index or a count"
                    )
                self._owe(sp.Ge(value, 0, evaluate=False), context, f"{parameter} of {template.name} nonnegative")
            if parameter in template.fixed:
                self._before_the_sample(value, context, f"{parameter} of {template.name}")

    def _before_the_sample(self, value: sp.Basic, context: list[sp.Rel], what: str) -> None:
        """Check that a value is fixed before the sample; a function, that it is one of values, not of their laws."""
        bound = frozenset(value.variables) if isinstance(value, sp.Lambda) else frozenset()
        if any(law.free_symbols & bound for law in value.atoms(*LAWS)):
            raise ProofError(f"no law of the variables in {what}", value, "what is random in a law is not outside")
        if not self._is_fixed(value, context):
            remedy = "bound it first, or give that its variables do not see the sample"
            raise ProofError(f"{what} fixed before the sample", value, remedy)

    @staticmethod
    def _same(fact: Fact, relation: sp.Rel, given: tuple[Any, ...] = ()) -> None:
        if fact.statement.relation != relation or fact.statement.given[: len(given)] != given:
            raise ProofError(f"what the {fact.kind} gives: {relation}", fact.statement.relation, "state that")


def worst(statuses: list[str]) -> str:
    """Return the weakest of several statuses."""
    return max(statuses, key=RANK.index, default="failed")
