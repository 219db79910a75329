"""What the functions and nodes of bounds and proofs share: printing, vector arguments, bound variables."""

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

Printer = Any


class Printed(sp.Function):
    """A function that prints itself, powers too: fractions in brackets."""

    fraction = False

    def _text(self, printer: Printer) -> str:
        raise NotImplementedError

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        text = self._text(printer)
        if exp is None:
            return text
        return rf"\left({text}\right)^{{{exp}}}" if self.fraction else rf"{text}^{{{exp}}}"


class Vectorial(Printed):
    """A scalar function of a vector expression; vectors are commutative atoms combined linearly."""

    is_nonnegative = True
    is_real = True
    symmetric = True

    @classmethod
    def eval(cls, v: sp.Expr) -> sp.Expr | None:
        """Normalise the argument: expanded, of positive leading sign where that is one; the zero vector has value 0."""
        expanded = sp.expand_mul(v)
        if expanded == 0:
            return sp.Integer(0)
        if cls.symmetric and expanded.could_extract_minus_sign():
            expanded = sp.expand_mul(-expanded)
        return None if expanded == v else cls(expanded)


class Binder(sp.Expr):
    """A node that binds index variables in its first argument, the body; it is a vector where the body is one."""

    is_commutative = True
    precedence = PRECEDENCE["Mul"]
    bound_positions: tuple[int, ...] = (1,)

    def __new__(cls, *args: Any) -> "Binder":
        """Take the body, the bound variables and the rest."""
        return sp.Expr.__new__(cls, *(sp.sympify(a) for a in args))

    @property
    def span(self) -> tuple[sp.Expr, sp.Expr]:
        """Where the index begins, and the number of terms or steps (for a maximum the last index)."""
        return sp.Integer(0), self.args[self.bound_positions[-1] + 1]

    @property
    def indices(self) -> tuple[sp.Expr, sp.Expr]:
        """The first and the last index."""
        first, count = self.span
        return first, count - 1

    @property
    def bound_symbols(self) -> list[sp.Symbol]:
        """The variables that the node binds."""
        return [self.args[i] for i in self.bound_positions]

    @property
    def free_symbols(self) -> set[sp.Basic]:
        """The free symbols; only the body is in the scope of the bound ones."""
        rest = (a.free_symbols for i, a in enumerate(self.args) if i and i not in self.bound_positions)
        return set().union(self.args[0].free_symbols - set(self.bound_symbols), *rest)

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative else None
