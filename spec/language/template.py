"""Registered templates of published or elementary results: what a proof may cite.

A template has typed parameters, hypotheses (each with bound variables of its own), a conclusion, a reference with
number, an equality case, a valid and an invalid instance; each instance is a test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from spec.language import ball
from spec.language import functions as fn
from spec.language.binding import substitute
from spec.language.errors import ProofError
from spec.language.exact import exact_value


@dataclass(frozen=True)
class Statement:
    """For all `free`, if `given` then `relation`."""

    relation: sp.Rel
    free: tuple[sp.Basic, ...] = ()
    given: tuple[sp.Rel, ...] = ()

    def refuse_trivial(self) -> "Statement":
        """Return the statement; refuse one that sympy has already decided."""
        if not isinstance(self.relation, sp.Rel):
            raise ProofError("a relation", self.relation, "it became trivially true or false; write it otherwise")
        return self

    def at(self, values: Mapping[Any, Any]) -> "Statement":
        """Instantiate parameters (symbols by expressions, functions by lambdas); bound variables stay.

        Raises
        ------
        ProofError
            If a value speaks of a variable that is bound here.
        """
        scope = frozenset(self.free)
        given = tuple(substitute(g, values, scope) for g in self.given)
        return Statement(substitute(self.relation, values, scope), self.free, given)


@dataclass(frozen=True)
class Instance:
    """Values for a template's parameters and for the atoms that remain, to test it on numbers."""

    at: Mapping[Any, Any]
    atoms: Mapping[Any, Any]


@dataclass(frozen=True)
class Template:
    """A citable result.

    Parameters in `fixed` are numbers that do not depend on the sample, those in `whole` nonnegative integers.
    """

    name: str
    reference: str
    parameters: tuple[Any, ...]
    hypotheses: tuple[Statement, ...]
    conclusion: Statement
    equality: Instance
    valid: Instance
    invalid: Instance | None
    elementary: bool = False
    fixed: tuple[Any, ...] = ()
    whole: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for statement in (*self.hypotheses, self.conclusion):
            statement.refuse_trivial()

    @property
    def counts(self) -> set[Any]:
        """The parameters that numbers of terms and of steps are made of: `whole` must name them."""
        relations = [r for s in (*self.hypotheses, self.conclusion) for r in (s.relation, *s.given)]
        nodes = (node for r in relations for node in r.atoms(fn.SumOver, fn.Recurrence, fn.geom))
        counted = [n.args[1] if isinstance(n, fn.geom) else n.span[1] for n in nodes]
        return set().union(*(count.free_symbols for count in counted)) & set(self.parameters)

    def holds(self, instance: Instance) -> tuple[bool, bool]:
        """Return whether hypotheses and conclusion hold on an instance, decided in ball arithmetic on sample points."""
        hypotheses = all(_true(h.at(instance.at), instance.atoms) for h in self.hypotheses)
        return hypotheses, _true(self.conclusion.at(instance.at), instance.atoms)

    def is_equality(self, instance: Instance) -> bool:
        """Return whether the conclusion holds with equality on an instance."""
        left, right = (substitute(side, instance.at) for side in self.conclusion.relation.args)
        difference = sp.simplify(_numbers(left - right, instance.atoms))
        return bool(difference == 0)


def _numbers(expr: sp.Basic, atoms: Mapping[Any, Any]) -> Any:
    expr = expr.subs(dict(atoms))
    for vectorial in (fn.norm, fn.token_norm, fn.gauge):
        expr = expr.replace(vectorial, sp.Abs)
    expr = expr.replace(fn.inner, sp.Mul).replace(fn.Ratio, lambda u, v: u / v).doit()
    return expr.replace(lambda e: isinstance(e, fn.SumOver | fn.MaxOver), lambda e: exact_value(e, {}))


def _true(statement: Statement, atoms: Mapping[Any, Any]) -> bool:
    """Decide a statement on numbers; bound variables run over a grid of rationals (or integers) within their guard.

    A statement for all points of a grid that misses the guard is not decided, and counts as false.
    """
    points: list[dict[Any, Any]] = [{}]
    for variable in statement.free:
        grid = [sp.Integer(j) if variable.is_integer else sp.Rational(j, 4) for j in range(9)]
        points = [{**p, variable: at} for p in points for at in grid]
    checked = 0
    for point in points:
        if all(_holds(_numbers(g.xreplace(point), atoms)) for g in statement.given):
            checked += 1
            if not _holds(_numbers(statement.relation.xreplace(point), atoms)):
                return False
    return checked > 0 or not statement.free


def _holds(relation: Any) -> bool:
    if relation in (sp.true, sp.false):
        return bool(relation)
    difference = relation.lhs - relation.rhs
    if sp.simplify(difference) == 0:
        return isinstance(relation, sp.Eq | sp.Le | sp.Ge)
    value = ball.evaluate(difference, {})
    if isinstance(relation, sp.Ne):
        return value.upper < 0 or value.lower > 0
    if isinstance(relation, sp.Le | sp.Lt):
        return value.upper < 0
    return value.lower > 0 if isinstance(relation, sp.Ge | sp.Gt) else False
