"""LaTeX of the theory's expressions, with the vocabulary's own notation."""

from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

from spec.language.quantity import Vocabulary


class _Printer(LatexPrinter):
    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__({"fold_short_frac": False})
        self.vocabulary = vocabulary

    def _print_Symbol(self, expr: sp.Symbol, *_: Any, **__: Any) -> str:
        return self.vocabulary[expr.name].latex if expr.name in self.vocabulary else str(expr.name)

    def _print_Function(self, expr: sp.Function, exp: str | None = None) -> str:
        name = expr.func.__name__
        if name not in self.vocabulary:
            return str(super()._print_Function(expr, exp))
        inside = ",".join(self._print(a) for a in expr.args)
        text = rf"{self.vocabulary[name].latex}\left({inside}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"


def latex(expr: sp.Basic, vocabulary: Vocabulary) -> str:
    """Return an expression in LaTeX."""
    return str(_Printer(vocabulary).doprint(expr))
