"""Scalar steps over the reals, decided by z3 within a budget of resources (rlimit), never of clock time.

Norms (homogeneous: scalar factors come out), inner products, integrals, expectations, exponentials, φ₁ and symbolic
powers are atoms: real variables with the signs and axioms that hold for every value. Ranges of registered symbols are
premises. A goal that divides owes a proof that its denominator does not vanish; an inverse or a root has its meaning
only under the condition that it exists.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy as sp

from spec.language import functions as fn
from spec.language import linear
from spec.language.errors import ProofError
from spec.language.quantity import Vocabulary

RLIMIT = 4_000_000

PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"


@lru_cache(maxsize=65536)
def canonical(expr: sp.Basic) -> sp.Basic:
    """Return the form in which atoms are compared: products expanded, inside arguments too."""
    return sp.expand_mul(expr, deep=True) if isinstance(expr, sp.Expr) else expr.func(*map(canonical, expr.args))


@dataclass
class Translation:
    """One z3 context: variables for atoms, the axioms they bring, and what divisions and roots owe.

    `owed` holds, for each inverse and root, the condition under which it exists and what then defines it; `needs` holds
    the inverses and roots that a term is made of, `open` those of the terms under translation.
    """

    vocabulary: Vocabulary
    variables: dict[sp.Basic, Any] = field(default_factory=dict)
    axioms: list[Any] = field(default_factory=list)
    owed: dict[sp.Basic, tuple[Any, Any]] = field(default_factory=dict)
    needs: dict[sp.Basic, set[sp.Basic]] = field(default_factory=dict)
    open: list[set[sp.Basic]] = field(default_factory=list)

    def __post_init__(self) -> None:
        import z3

        self.z3 = z3
        self.context = z3.Context()

    def relation(self, rel: sp.Rel) -> Any:
        """Translate a relation."""
        if rel in (sp.true, sp.false):
            return self.z3.BoolVal(rel == sp.true, self.context)
        left, right = self.real(rel.lhs), self.real(rel.rhs)
        if isinstance(rel, sp.Eq):
            return left == right
        if isinstance(rel, sp.Ne):
            return left != right
        if isinstance(rel, sp.Le):
            return left <= right
        if isinstance(rel, sp.Lt):
            return left < right
        if isinstance(rel, sp.Ge):
            return left >= right
        if isinstance(rel, sp.Gt):
            return left > right
        raise ProofError("an equality or an inequality", rel, "write it with Eq, Ne, Le, Lt, Ge or Gt")

    def real(self, e: sp.Expr) -> Any:
        """Translate a scalar expression."""
        e = canonical(e)
        if e.is_Rational:
            return self.z3.Q(int(e.p), int(e.q), self.context)
        if isinstance(e, sp.Add):
            total = self.real(e.args[0])
            for part in e.args[1:]:
                total = total + self.real(part)
            return total
        if isinstance(e, sp.Mul):
            total = self.real(e.args[0])
            for part in e.args[1:]:
                total = total * self.real(part)
            return total
        if isinstance(e, fn.Ratio):
            return self.real(e.args[0]) * self._inverse(e.args[1])
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            base = self.real(e.base) if e.exp > 0 else self._inverse(e.base)
            total = base
            for _ in range(abs(int(e.exp)) - 1):
                total = total * base
            return total
        if isinstance(e, sp.Pow) and e.exp.is_Rational and e.exp.q == 2 and e.exp != sp.Rational(1, 2):
            return self._odd_half_power(e)
        return self._atom(e)

    def _odd_half_power(self, e: sp.Pow) -> Any:
        root = self._atom(sp.Pow(e.base, sp.Rational(1, 2)))
        if e.exp.p > 0:
            total = root
            for _ in range(int(e.exp.p) - 1):
                total = total * root
            return total
        inverse = self._inverse(sp.Pow(e.base, sp.Rational(1, 2)))
        total = inverse
        for _ in range(-int(e.exp.p) - 1):
            total = total * inverse
        return total

    def _inverse(self, base: sp.Expr) -> Any:
        base = canonical(base)
        key = sp.Pow(base, -1, evaluate=False)
        return self._new(key, lambda v: self._inverse_of(key, v, base))

    def _inverse_of(self, key: sp.Basic, v: Any, base: sp.Expr) -> None:
        inside = self.real(base)
        self._define(key, v * inside == 1, None if base.is_nonzero else inside != 0)

    def _define(self, key: sp.Basic, meaning: Any, condition: Any) -> None:
        """Define an inverse or a root: always where the signs of its symbols make it exist, else under a condition."""
        if condition is None:
            self.axioms.append(meaning)
        else:
            self.owed[key] = (condition, meaning)
            self.open[-1].add(key)

    def _atom(self, e: sp.Expr) -> Any:
        return self._new(e, lambda v: self._describe(e, v))

    def _new(self, key: sp.Basic, describe: Callable[[Any], None]) -> Any:
        """Return the variable of a term; describe it when it is met first, and pass on what it needs."""
        if key not in self.variables:
            self.variables[key] = self.z3.Real(f"v{len(self.variables)}", self.context)
            self.needs[key] = set()
            self.open.append(self.needs[key])
            describe(self.variables[key])
            self.open.pop()
        if self.open:
            self.open[-1] |= self.needs[key]
        return self.variables[key]

    def _describe(self, e: sp.Expr, v: Any) -> None:
        """Add what is true of every value of an atom."""
        z3, add = self.z3, self.axioms.append
        base = e.args[0] if isinstance(e, fn.Entry) else e
        if base.is_Symbol and base.name in self.vocabulary:
            for rel in self.vocabulary[base.name].range.relations(e):
                add(self.relation(rel))
        elif isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2):
            inside = self.real(e.base)
            add(v >= 0)
            self._define(e, v * v == inside, None if e.base.is_nonnegative else inside >= 0)
        elif isinstance(e, sp.Abs):
            inside = self.real(e.args[0])
            add(z3.If(inside >= 0, v == inside, v == -inside))
        elif isinstance(e, sp.Max | sp.Min):
            parts = [self.real(a) for a in e.args]
            for part in parts:
                add(v >= part if isinstance(e, sp.Max) else v <= part)
            add(z3.Or([v == part for part in parts]))
        elif isinstance(e, sp.exp):
            add(v > 0)
            add(v >= 1 + self.real(e.args[0]))
        elif isinstance(e, fn.phi1):
            z = self.real(e.args[0])
            add(v > 0)
            add(z3.Implies(z >= 0, v >= 1))
            add(z3.Implies(z == 0, v == 1))
        elif isinstance(e, sp.ceiling):
            inside = self.real(e.args[0])
            add(v >= inside)
            add(v < inside + 1)
        elif isinstance(e, fn.geom):
            z, k = map(self.real, e.args)
            add(z3.Implies(z3.And(z >= 0, k >= 0), v >= 0))
        elif isinstance(e, fn.VECTORIAL) and (split := linear.scalar_content(e.args[0]))[0]:
            factor = sp.prod(split[0])
            scale = self.real(sp.Abs(factor) if e.symmetric else factor)
            scaled = v == scale * self.real(e.func(split[1]))
            add(scaled if e.symmetric else z3.Implies(scale >= 0, scaled))
            add(v >= 0)
        elif e.is_positive:
            add(v > 0)
        elif e.is_nonnegative:
            add(v >= 0)


def decide(
    premises: Sequence[sp.Rel],
    goal: sp.Rel,
    vocabulary: Vocabulary,
    *,
    owed: bool = True,
    rlimit: int | None = None,
    unfolded: Sequence[sp.Symbol] = (),
) -> tuple[str, str]:
    """Decide whether the premises imply the goal, for all real values of the atoms.

    Returns
    -------
    (verdict, detail)
        ``proved``, ``refuted`` (with a countermodel over atoms) or ``unknown``. Premises that contradict each other, or
        cannot be shown to hold together, are never a proof. With `owed`, the goal's inverses and roots must exist;
        without, those that do not stand for any number. A countermodel also says what the derived symbols in `unfolded`
        come to, and which derived symbols it takes for free numbers.
    """
    return _decided(tuple(premises), goal, vocabulary, owed, RLIMIT if rlimit is None else rlimit, tuple(unfolded))


@lru_cache(maxsize=16384)
def _decided(
    premises: tuple[sp.Rel, ...],
    goal: sp.Rel,
    vocabulary: Vocabulary,
    owed: bool,
    rlimit: int,
    unfolded: tuple[sp.Symbol, ...],
) -> tuple[str, str]:
    translation = Translation(vocabulary)
    facts = [translation.relation(p) for p in premises]
    translation.open.append(set())
    target = translation.relation(goal)
    needed = translation.open.pop()
    z3 = translation.z3
    every = facts + translation.axioms + [z3.Implies(*pair) for pair in translation.owed.values()]
    for key, (condition, meaning) in translation.owed.items():
        if owed and key in needed:
            if _check(z3, translation, [*every, z3.Not(condition)], rlimit)[0] != "unsat":
                return UNKNOWN, f"{key} not shown to exist: {condition}"
            every.append(meaning)
    answer, model = _check(z3, translation, [*every, z3.Not(target)], rlimit)
    if answer == "sat":
        return REFUTED, countermodel(translation, model, unfolded)
    if answer != "unsat":
        return UNKNOWN, "z3 gave up within its rlimit"
    if _check(z3, translation, every, rlimit)[0] != "sat":
        return UNKNOWN, "the premises were not shown to hold together"
    return PROVED, ""


def countermodel(translation: Translation, model: Any, unfolded: Iterable[sp.Symbol] = ()) -> str:
    """Return a countermodel's values by name, symbols first; those of unfolded ones follow from their parts."""
    vocabulary, lines = translation.vocabulary, {}
    values = {key: _number(translation.z3, model, variable) for key, variable in translation.variables.items()}
    for key, value in values.items():
        meaning = vocabulary[key.name].definition if key.is_Symbol and key.name in vocabulary else None
        lines[key] = f"{key} = {value}" + (f" (free: {meaning} is not unfolded)" if meaning is not None else "")
    for symbol in unfolded:
        meaning = vocabulary[symbol.name].definition
        if symbol not in values and meaning is not None:
            at = meaning.xreplace(values).replace(fn.Ratio, lambda u, v: u / v)
            lines[symbol] = f"{symbol} = {meaning}" + ("" if at.free_symbols else f" = {at}")
    return "; ".join(lines[key] for key in sorted(lines, key=lambda key: (not key.is_Symbol, str(key))))


def _number(z3: Any, model: Any, variable: Any) -> sp.Expr:
    value = model.eval(variable, model_completion=True)
    if z3.is_rational_value(value):
        return sp.Rational(str(value.as_fraction()))
    return sp.Rational(str(value.approx(20).as_fraction())).n(10)  # a root: rounded to be read


def _check(z3: Any, translation: Translation, formulas: Iterable[Any], rlimit: int) -> tuple[str, Any]:
    formulas = list(formulas)
    for make in (lambda: z3.Solver(ctx=translation.context), lambda: z3.SolverFor("QF_NRA", ctx=translation.context)):
        solver = make()
        solver.set("rlimit", rlimit)
        solver.add(*formulas)
        answer = str(solver.check())
        if answer != "unknown":
            return answer, solver.model() if answer == "sat" else None
    return "unknown", None
