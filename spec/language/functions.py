"""Functions and nodes that bounds and proofs are written with, beyond sympy's own.

All of them print in LaTeX, carry the sign that every value has, and have one meaning in ball arithmetic (`ball`), in
z3 (`smt`) and in dimensions (`dimension`).
"""

from typing import Any

import sympy as sp

from spec.language.nodes import Binder, Printed, Printer, Vectorial


class phi1(Printed):  # noqa: N801 - the field writes φ₁
    """φ₁(z) = (e^z − 1)/z, φ₁(0) = 1; entire, positive and increasing on the reals."""

    nargs = 1
    is_positive = True
    is_real = True

    @classmethod
    def eval(cls, z: sp.Expr) -> sp.Expr | None:
        """Evaluate at the exact zero."""
        return sp.Integer(1) if z.is_zero else None

    def _eval_evalf(self, prec: int) -> sp.Expr:
        return ((sp.exp(self.args[0]) - 1) / self.args[0])._eval_evalf(prec)

    def _text(self, printer: Printer) -> str:
        return rf"\varphi_1\!\left({printer._print(self.args[0])}\right)"


class geom(Printed):  # noqa: N801
    """geom(z, k) = Σ_{j<k} (1+z)^j = ((1+z)^k − 1)/z, geom(0, k) = k; k a nonnegative integer."""

    nargs = 2
    fraction = True
    is_real = True

    @classmethod
    def eval(cls, z: sp.Expr, k: sp.Expr) -> sp.Expr | None:
        """Evaluate the empty sum and the zero ratio."""
        if k.is_zero:
            return sp.Integer(0)
        return k if z.is_zero else None

    def _eval_evalf(self, prec: int) -> sp.Expr:
        z, k = self.args
        return (((1 + z) ** k - 1) / z)._eval_evalf(prec)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative and self.args[1].is_nonnegative else None

    def _text(self, printer: Printer) -> str:
        z, k = (printer._print(a) for a in self.args)
        return rf"\frac{{(1+{z})^{{{k}}}-1}}{{{z}}}"


class norm(Vectorial):  # noqa: N801
    """Frobenius norm of a state, Euclidean norm of a control or of a logit vector."""

    nargs = 1

    def _text(self, printer: Printer) -> str:
        return rf"\left|{printer._print(self.args[0])}\right|"


class token_norm(Vectorial):  # noqa: N801
    """|x|_tok = max_i |x_i|, the largest token norm of a state."""

    nargs = 1

    def _text(self, printer: Printer) -> str:
        return rf"\left|{printer._print(self.args[0])}\right|_{{\mathrm{{tok}}}}"


class gauge(Vectorial):  # noqa: N801
    """Minkowski gauge of Θ (convex, compact, containing 0): ϑ ∈ Θ if and only if gauge(ϑ) ≤ 1.

    Θ need not be symmetric: gauge(cϑ) = c gauge(ϑ) for c ≥ 0 only.
    """

    nargs = 1
    symmetric = False

    def _text(self, printer: Printer) -> str:
        return rf"\gamma_\Theta\!\left({printer._print(self.args[0])}\right)"


class inner(Printed):  # noqa: N801
    """Inner product, bilinear; `expand_inner` writes it over atoms."""

    nargs = 2
    is_real = True

    @classmethod
    def eval(cls, u: sp.Expr, v: sp.Expr) -> sp.Expr | None:
        """Order the arguments: the product is symmetric."""
        if u == 0 or v == 0:
            return sp.Integer(0)
        return None if sp.default_sort_key(u) <= sp.default_sort_key(v) else cls(v, u)

    def _text(self, printer: Printer) -> str:
        u, v = (printer._print(a) for a in self.args)
        return rf"\left\langle {u},{v}\right\rangle"


class expectation(Printed):  # noqa: N801
    """Expectation over the population law μ."""

    nargs = 1

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _text(self, printer: Printer) -> str:
        return rf"\mathbb{{E}}\left[{printer._print(self.args[0])}\right]"


class quantile(Printed):  # noqa: N801
    """quantile(D, δ): the exact (1−δ)-quantile of a random deviation D, inf{s : P(D > s) ≤ δ}."""

    nargs = 2
    is_real = True

    def _eval_is_nonnegative(self) -> bool | None:
        return self.args[0].is_nonnegative

    def _text(self, printer: Printer) -> str:
        d, delta = (printer._print(a) for a in self.args)
        return rf"Q_{{1-{delta}}}\left[{d}\right]"


class probability(Printed):  # noqa: N801
    """probability(D, s) = P(D ≥ s) for a random deviation D."""

    nargs = 2
    is_nonnegative = True
    is_real = True

    def _text(self, printer: Printer) -> str:
        d, s = (printer._print(a) for a in self.args)
        return rf"\mathbb{{P}}\left({d}\ge {s}\right)"


class Ratio(Printed):
    """Ratio(u, v) = u/v of two numbers, kept whole, so that v ≠ 0 is checked before anything cancels."""

    nargs = 2
    fraction = True

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real and self.args[1].is_real else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative and self.args[1].is_positive else None

    def _eval_evalf(self, prec: int) -> sp.Expr:
        return (self.args[0] / self.args[1])._eval_evalf(prec)

    def _text(self, printer: Printer) -> str:
        u, v = (printer._print(a) for a in self.args)
        return rf"\frac{{{u}}}{{{v}}}"


class Entry(sp.Expr):
    """Entry(a, i): the i-th entry of an indexed symbol (norms head by head, constants layer by layer)."""

    is_commutative = True
    is_real = True

    def __new__(cls, base: sp.Symbol, index: sp.Expr) -> "Entry":
        """Take the symbol and the index."""
        return sp.Expr.__new__(cls, sp.sympify(base), sp.sympify(index))

    def _eval_is_nonnegative(self) -> bool | None:
        return self.args[0].is_nonnegative

    def _latex(self, printer: Printer) -> str:
        return rf"{{{printer._print(self.args[0])}}}_{{({printer._print(self.args[1])})}}"

    def _sympystr(self, printer: Printer) -> str:
        return f"{printer._print(self.args[0])}[{printer._print(self.args[1])}]"


class Unit(sp.Expr):
    """The number 1 with a dimension: assigns a block of parameters its unit."""

    is_commutative = True
    is_positive = True
    is_real = True

    def __new__(cls, state: Any = 0, depth: Any = 0, control: Any = 0) -> "Unit":
        """Take the powers of the base dimensions."""
        return sp.Expr.__new__(cls, *(sp.Rational(a) for a in (state, depth, control)))

    def _latex(self, printer: Printer) -> str:
        return "1"

    def _sympystr(self, printer: Printer) -> str:
        return "1"


class SumOver(Binder):
    """SumOver(body, i, count): Σ_{i=0}^{count−1} body."""

    def doit(self, **hints: Any) -> sp.Expr:
        """Write a sum of a known number of terms out."""
        body, i, count = self.args
        if not count.is_Integer:
            return self
        return sp.Add(*(body.xreplace({i: sp.Integer(at)}).doit(**hints) for at in range(int(count))))

    def _latex(self, printer: Printer) -> str:
        body, i, count = (printer._print(a) for a in self.args)
        return rf"\sum_{{{i}<{count}}} {body}"

    def _sympystr(self, printer: Printer) -> str:
        body, i, count = (printer._print(a) for a in self.args)
        return f"sum({body} for {i} < {count})"


class MaxOver(Binder):
    """MaxOver(body, m, low, high, top, slope): max of body over the integers low ≤ m ≤ high.

    `top` and `slope` carry the proved reduction: body rises in m while m·slope ≤ top and falls after (slope ≥ 0), so
    two integers are enough whatever the range. Each use proves this in its theorem and tests it against the loop.
    """

    @property
    def span(self) -> tuple[sp.Expr, sp.Expr]:
        """The first and the last index."""
        return self.args[2], self.args[3]

    @property
    def indices(self) -> tuple[sp.Expr, sp.Expr]:
        """The first and the last index."""
        return self.span

    def _latex(self, printer: Printer) -> str:
        body, m, low, high = (printer._print(a) for a in self.args[:4])
        return rf"\max_{{{low}\le {m}\le {high}}} {body}"

    def _sympystr(self, printer: Printer) -> str:
        body, m, low, high = (printer._print(a) for a in self.args[:4])
        return f"max({body} for {low} <= {m} <= {high})"


class Recurrence(Binder):
    """Recurrence(step, e, k, count, initial): the value after `count` steps of e ← step(e, k), from k = 0."""

    bound_positions = (1, 2)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_nonnegative and self.args[4].is_nonnegative else None

    def doit(self, **hints: Any) -> sp.Expr:
        """Carry a known number of steps out."""
        step, e, k, count, value = self.args
        if not count.is_Integer:
            return self
        for at in range(int(count)):
            value = step.xreplace({e: value, k: sp.Integer(at)}).doit(**hints)
        return value

    def _latex(self, printer: Printer) -> str:
        step, e, k, count, initial = (printer._print(a) for a in self.args)
        return rf"{e}_{{{count}}}\ \text{{with}}\ {e}_{{{k}+1}}={step},\ {e}_0={initial}"

    def _sympystr(self, printer: Printer) -> str:
        step, e, k, count, initial = (printer._print(a) for a in self.args)
        return f"iterate({e} -> {step} for {k} < {count}, from {initial})"


VECTORIAL = (norm, token_norm, gauge)
