"""Symbols that exist once: name, LaTeX, range, meaning, dimension, integrality and, for derived ones, definition."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import sympy as sp

from spec.language.dimension import PURE, Dimension, dimension_of
from spec.language.errors import DimensionMismatch, UnknownName
from spec.language.template import Statement

MANY = 24  # names that one line can list


@dataclass(frozen=True)
class Interval:
    """A range; the ends may be expressions in other symbols, ±oo where there is none."""

    low: sp.Expr = field(default_factory=lambda: -sp.oo)
    high: sp.Expr = field(default_factory=lambda: sp.oo)
    low_open: bool = False
    high_open: bool = False

    @property
    def ends(self) -> tuple[sp.Expr, sp.Expr]:
        """The two ends."""
        return self.low, self.high

    def relations(self, x: sp.Expr) -> tuple[sp.Rel, ...]:
        """Return the inequalities that say x lies in the range."""
        out = []
        if self.low != -sp.oo:
            out.append(sp.Gt(x, self.low, evaluate=False) if self.low_open else sp.Ge(x, self.low, evaluate=False))
        if self.high != sp.oo:
            out.append(sp.Lt(x, self.high, evaluate=False) if self.high_open else sp.Le(x, self.high, evaluate=False))
        return tuple(out)

    def __str__(self) -> str:
        left = "(" if self.low_open or self.low == -sp.oo else "["
        right = ")" if self.high_open or self.high == sp.oo else "]"
        return f"{left}{self.low}, {self.high}{right}"


NONNEGATIVE = Interval(low=sp.Integer(0))
POSITIVE = Interval(low=sp.Integer(0), low_open=True)
REAL = Interval()


def at_least(low: object) -> Interval:
    """Return [low, ∞)."""
    return Interval(low=sp.sympify(low))


def between(low: object, high: object, *, open_ends: bool = False) -> Interval:
    """Return [low, high], or (low, high) with open ends."""
    return Interval(sp.sympify(low), sp.sympify(high), open_ends, open_ends)


@dataclass(frozen=True)
class Quantity:
    """One symbol or one function symbol of the theory."""

    name: str
    latex: str
    meaning: str
    dimension: Dimension
    range: Interval = REAL
    integer: bool = False
    indexed: bool = False
    vector: bool = False
    arity: int = 0
    definition: sp.Expr | None = None
    role: str = "constant"
    fixed: bool = False

    @property
    def sign(self) -> str:
        """The sign that the range gives: positive, nonnegative or real."""
        low = self.range.low
        if low.is_positive or (low == 0 and self.range.low_open):
            return "positive"
        return "nonnegative" if low.is_nonnegative else "real"


class Vocabulary:
    """The register of quantities and of the definitions of the theory's objects; a second use of a name is refused."""

    def __init__(self) -> None:
        self._by_name: dict[str, Quantity] = {}
        self._atoms: dict[str, sp.Basic] = {}
        self.definitions: dict[str, Statement] = {}
        self.random: set[str] = set()
        self.sees: sp.Function | None = None

    def define(self, name: str, statement: Statement) -> str:
        """Register the defining relation of an object (the flow, the Transformer, a risk); return its name."""
        if name in self.definitions:
            raise ValueError(f"the definition {name} exists already")
        self.definitions[name] = statement
        return name

    def symbol(
        self,
        name: str,
        latex: str,
        meaning: str,
        dimension: Dimension = PURE,
        range: Interval = NONNEGATIVE,
        *,
        integer: bool = False,
        indexed: bool = False,
        definition: sp.Expr | None = None,
    ) -> sp.Symbol:
        """Declare a scalar symbol and return it.

        Raises
        ------
        DimensionMismatch
            If a definition has another dimension than the one declared.
        ValueError
            If the name is taken.
        """
        quantity = Quantity(name, latex, meaning, dimension, range, integer, indexed, definition=definition)
        signs = {"positive": {"positive": True}, "nonnegative": {"nonnegative": True}, "real": {}}[quantity.sign]
        atom = sp.Symbol(name, real=True, integer=True if integer else None, **signs)
        self._add(quantity, atom)
        if definition is not None:
            found = dimension_of(definition, self.dimension)
            if found not in (None, dimension):
                raise DimensionMismatch(f"{name} of dimension {dimension}", f"a definition of {found}", "correct one")
        return atom

    def function(
        self,
        name: str,
        latex: str,
        meaning: str,
        dimension: Dimension = PURE,
        *,
        vector: bool,
        arity: int = 1,
        integer: bool = False,
    ) -> sp.Function:
        """Declare a function symbol (a path, a field, a risk); vector-valued ones enter norms and inner products.

        Integer ones are indices, and nonnegative. Those of a depth are measurable, and bounded on bounded sets: they
        may be integrated.
        """
        signs = {"integer": True, "nonnegative": True} if integer else {"real": True}
        atom = sp.Function(name) if vector else sp.Function(name, **signs)
        made = Quantity(name, latex, meaning, dimension, REAL, integer, vector=vector, arity=arity, role="function")
        self._add(made, atom)
        return atom

    def variable(
        self,
        name: str,
        latex: str,
        meaning: str,
        dimension: Dimension = PURE,
        range: Interval = REAL,
        *,
        integer: bool = False,
        fixed: bool = False,
    ) -> sp.Symbol:
        """Declare a bound variable of statements (a depth, a layer, an index): every fact quantifies it itself.

        A fixed one takes no value that depends on the sample.
        """
        quantity = Quantity(name, latex, meaning, dimension, range, integer, role="variable", fixed=fixed)
        nonnegative = True if range.low.is_nonnegative else None
        atom = sp.Symbol(name, real=True, integer=True if integer else None, nonnegative=nonnegative)
        self._add(quantity, atom)
        return atom

    def vector(self, name: str, latex: str, meaning: str, dimension: Dimension = PURE) -> sp.Symbol:
        """Declare a vector symbol (a bound variable over states or controls)."""
        atom = sp.Symbol(name, commutative=True)
        self._add(Quantity(name, latex, meaning, dimension, vector=True, role="variable"), atom)
        return atom

    def _add(self, quantity: Quantity, atom: sp.Basic) -> None:
        if quantity.name in self._by_name:
            raise ValueError(f"the symbol {quantity.name} exists already: {self._by_name[quantity.name].meaning}")
        self._by_name[quantity.name] = quantity
        self._atoms[quantity.name] = atom

    def is_random(self, *atoms: Any) -> None:
        """Declare what may depend on the sample: it is fixed only where a fact says that it does not see the sample."""
        self.random |= {atom.name if isinstance(atom, sp.Symbol) else atom.__name__ for atom in atoms}

    def tells(self, sees: sp.Function) -> sp.Function:
        """Register the function that is 0 of all that is fixed before the sample; return it."""
        self.sees = sees
        return sees

    def __getitem__(self, name: str) -> Quantity:
        try:
            return self._by_name[name]
        except KeyError:
            raise unknown("symbol", name, self._by_name) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self._by_name.values())

    def atom(self, name: str) -> sp.Basic:
        """Return the sympy atom of a name."""
        self[name]
        return self._atoms[name]

    def dimension(self, name: str) -> Dimension:
        """Return the dimension of a name."""
        return self[name].dimension

    def check(self, expr: sp.Basic) -> None:
        """Refuse an expression with an unregistered symbol, or one of a registered name that is another symbol."""
        found = [(s.name, s) for s in expr.atoms(sp.Symbol)]
        found += [(e.func.__name__, e.func) for e in expr.atoms(sp.core.function.AppliedUndef)]
        for name, atom in found:
            if self.atom(name) != atom:
                raise UnknownName("symbols of the vocabulary", f"another symbol called {name}", "import it")

    def names(self, predicate: Callable[[Quantity], bool] = lambda _: True) -> list[str]:
        """Return the names for which the predicate holds."""
        return [q.name for q in self if predicate(q)]


def unknown(what: str, name: str, known: Iterable[str], more: str = "") -> UnknownName:
    """Return the error for an unknown name, with near matches, and what else can be done."""
    known = sorted(known)
    close = get_close_matches(name.lower(), sorted({k.lower() for k in known}), n=3, cutoff=0.5)
    near = [k for match in close for k in known if k.lower() == match]
    some = ", ".join(known[:MANY]) + (", …" if len(known) > MANY else "")
    remedy = f"near matches: {', '.join(near)}" if near else f"no near matches; known: {some}"
    return UnknownName(f"a known {what}", repr(name), remedy + (f"; {more}" if more else ""))
