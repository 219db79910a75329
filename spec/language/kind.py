"""Scalars and vectors as types: what norms, products and comparisons are of, and what a variable may take.

Vectors are commutative atoms combined linearly. A product of two of them, a norm of a number or a comparison of vectors
means nothing, and reads like something that is true of numbers.
"""

from typing import Literal

import sympy as sp
from sympy.core.function import AppliedUndef

from spec.language import functions as fn
from spec.language.errors import ProofError
from spec.language.nodes import Vectorial
from spec.language.quantity import Quantity, Vocabulary

Kind = Literal["number", "vector"]
NUMBER: Kind = "number"
VECTOR: Kind = "vector"

# Functions of numbers that are real wherever they exist.
_OF_NUMBERS = (
    sp.Abs, sp.Max, sp.Min, sp.exp, sp.log, sp.erf, sp.sinh, sp.cosh, sp.tanh, sp.sin, sp.cos, sp.atan, sp.ceiling,
    sp.floor, sp.sign, sp.Heaviside, sp.Pow, fn.phi1, fn.geom, fn.Ratio, fn.quantile, fn.probability, fn.MaxOver,
    sp.Ge, sp.Gt, sp.Le, sp.Lt,
)  # fmt: skip
_OF_ONE_KIND = (sp.Add, sp.Eq, sp.Ne)


def of(quantity: Quantity) -> Kind:
    """Return the kind of a registered symbol, or of a registered function's values."""
    return VECTOR if quantity.vector else NUMBER


def kind_of(e: sp.Basic, vocabulary: Vocabulary) -> Kind | None:
    """Return the kind of an expression (of the sides of a relation), or None for an exact zero, which has both.

    Raises
    ------
    ProofError
        If a part has the wrong kind, or none.
    """

    def common(*parts: sp.Basic) -> Kind | None:
        kinds = {part: kind_of(part, vocabulary) for part in parts}
        if len(set(kinds.values()) - {None}) > 1:
            numbers, vectors = (sorted(str(p) for p, k in kinds.items() if k == want) for want in (NUMBER, VECTOR))
            where = f"numbers {', '.join(numbers)} beside vectors {', '.join(vectors)} in {e}"
            raise ProofError("numbers or vectors, not both", where, "take a norm or a product")
        return next((k for k in kinds.values() if k is not None), None)

    def each(want: Kind, *parts: sp.Basic) -> Kind:
        for part in parts:
            if kind_of(part, vocabulary) not in (None, want):
                found = VECTOR if want == NUMBER else NUMBER
                raise ProofError(f"a {want} in {e}", f"the {found} {part}", "take a norm, or an atom of the right kind")
        return NUMBER

    if e.is_Rational or e.is_NumberSymbol or e in (sp.true, sp.false):
        return None if e == 0 else NUMBER
    if e.is_Symbol:
        return of(vocabulary[e.name])
    if isinstance(e, AppliedUndef):
        for part in e.args:
            kind_of(part, vocabulary)
        return of(vocabulary[e.func.__name__])
    if isinstance(e, sp.Mul):
        vectors = [part for part in e.args if kind_of(part, vocabulary) == VECTOR]
        if len(vectors) > 1:
            raise ProofError(
                "one vector in a product", f"{' and '.join(map(str, vectors))} in {e}", "write inner(·, ·)"
            )
        return VECTOR if vectors else NUMBER
    if isinstance(e, _OF_ONE_KIND):
        return common(*e.args)
    if isinstance(e, Vectorial | fn.inner):
        return each(VECTOR, *e.args)
    if isinstance(e, _OF_NUMBERS):
        return each(NUMBER, *e.args)
    if isinstance(e, fn.expectation):
        return kind_of(e.args[0], vocabulary)
    if isinstance(e, fn.Unit):
        return NUMBER
    if isinstance(e, fn.Entry):
        base = e.args[0]
        if not (base.is_Symbol and vocabulary[base.name].indexed):
            raise ProofError("an entry of an indexed symbol", e, "take a function of the index")
        return each(NUMBER, e.args[1])
    if isinstance(e, fn.SumOver):
        each(NUMBER, *e.args[1:])
        return kind_of(e.args[0], vocabulary)
    if isinstance(e, fn.Recurrence):
        step, carried, k, count, initial = e.args
        each(NUMBER, k, count)
        return common(step, carried, initial)
    if isinstance(e, sp.Integral):
        for limit in e.limits:
            each(NUMBER, *limit)
        return kind_of(e.function, vocabulary)
    if isinstance(e, sp.Lambda):
        return kind_of(e.expr, vocabulary)
    raise ProofError("an expression of real numbers and vectors", f"{type(e).__name__}: {e}", "register its rule")
