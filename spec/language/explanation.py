"""What a bound is made of at values: the spine's expressions and the bound's summands, each with its enclosure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import sympy as sp

from spec.language.ball import Ball
from spec.language.notation import latex
from spec.language.quantity import Vocabulary

Pair = tuple[sp.Expr, Ball]


@dataclass(frozen=True)
class Explanation(Sequence[Pair]):
    """The summands of a bound with their values, the dominant one first; printed, a table of fact, expression and ball.

    Attributes
    ----------
    steps : tuple
        (fact, expression, ball) along the spine, where the expression has a value; the last one is the bound.
    terms : tuple
        The bound's summands, (expression, ball).
    """

    steps: tuple[tuple[str, sp.Expr, Ball], ...]
    terms: tuple[Pair, ...]
    vocabulary: Vocabulary = field(repr=False)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | Sequence[Pair]:
        return self.terms[index]

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.terms)

    def _rows(self) -> list[tuple[str, sp.Expr, Ball]]:
        parts = self.terms if len(self.terms) > 1 else ()
        return [*self.steps, *(("summand", term, value) for term, value in parts)]

    def __str__(self) -> str:
        rows = [("fact", "expression", "ball"), *((fact, sp.sstr(e), str(value)) for fact, e, value in self._rows())]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        return "\n".join(f"{fact:{widths[0]}}  {e:{widths[1]}}  {value}" for fact, e, value in rows)

    def _repr_latex_(self) -> str:
        rows = (rf"\text{{{f}}} & {latex(e, self.vocabulary)} & {_tex(value)}" for f, e, value in self._rows())
        return r"$$\begin{array}{lll}" + r" \\ ".join(rows) + r"\end{array}$$"


def _tex(value: Ball) -> str:
    text = str(value)
    if not text.startswith("["):
        return _number(text)
    low, high = map(_number, text[1:-1].split(", "))
    return rf"\left[{low},\,{high}\right]"


def _number(text: str) -> str:
    if not text[-1].isdigit():
        return rf"\text{{{text}}}"  # infinite, undefined
    base, power, exponent = text.partition("^")
    if power:
        return rf"{base}^{{{_number(exponent)}}}"
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}" if e else text
