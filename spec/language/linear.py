"""Linear algebra of vector expressions and integrals: vectors are atoms, scalars are what is declared real."""

import sympy as sp

from spec.language.functions import inner, norm


def is_scalar(factor: sp.Expr) -> bool:
    """Say whether a factor is a scalar; vector atoms are the commutative atoms that are not declared real."""
    return bool(factor.is_number or factor.is_real)


def scalar_content(v: sp.Expr) -> tuple[list[sp.Expr], sp.Expr]:
    """Return the scalar factors common to every term of a vector expression, and the rest.

    Terms that share one vector atom are that atom times the sum of their scalars.
    """
    split = []
    for term in sp.Add.make_args(sp.expand_mul(v)):
        factors = sp.Mul.make_args(term)
        split.append(([f for f in factors if is_scalar(f)], sp.prod(f for f in factors if not is_scalar(f))))
    vectors = {vector for _, vector in split}
    if len(vectors) == 1:
        total = sum((sp.prod(scalars) for scalars, _ in split), sp.Integer(0))
        return ([] if total == 1 else [total]), vectors.pop()
    common = [f for f in split[0][0] if f != -1 and all(f in scalars for scalars, _ in split)]
    return common, sp.expand_mul(v / sp.prod(common)) if common else v


def expand_inner(expr: sp.Expr) -> sp.Expr:
    """Write inner products and squared norms over vector atoms, scalar factors in front."""

    def terms(v: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
        return [
            (sp.prod(f for f in factors if is_scalar(f)), sp.prod(f for f in factors if not is_scalar(f)))
            for factors in map(sp.Mul.make_args, sp.Add.make_args(sp.expand_mul(v)))
        ]

    def bilinear(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return sum((a * b * inner(p, q) for a, p in terms(left) for b, q in terms(right)), sp.Integer(0))

    expr = expr.replace(
        lambda e: isinstance(e, sp.Pow) and isinstance(e.base, norm) and e.exp == 2,
        lambda e: bilinear(e.base.args[0], e.base.args[0]),
    )
    return sp.expand(expr.replace(inner, bilinear))


def expand_integrals(expr: sp.Expr) -> sp.Expr:
    """Use linearity of integrals: polynomials are integrated, other terms keep their integral, factors in front."""

    def linear(integral: sp.Integral) -> sp.Expr:
        if len(integral.limits) != 1 or len(integral.limits[0]) != 3:
            return integral
        (variable, low, high), total = integral.limits[0], sp.Integer(0)
        for term in sp.Add.make_args(sp.expand(integral.function)):
            constant, varying = term.as_independent(variable, as_Add=False)
            if varying.is_polynomial(variable):
                total += constant * sp.integrate(varying, (variable, low, high))
            else:
                total += constant * sp.Integral(varying, (variable, low, high))
        return total

    return expr.replace(lambda e: isinstance(e, sp.Integral), linear)
