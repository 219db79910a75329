"""How many layers for how many samples: the step that balances depth error and sampling error."""

import sympy as sp

from spec.language.proof import identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import C_R, VOCABULARY, K, M_ell, N, T, a_grid, eps, eps_star, q, s

VALUE = 3 * sp.Rational(1, 2) ** sp.Rational(2, 3) * C_R ** sp.Rational(1, 3) * a_grid ** sp.Rational(2, 3)
ROUNDED = sp.Rational(1, 6) + 2 * sp.sqrt(2) / 3

_errors = (sp.Gt(C_R, 0, evaluate=False), sp.Gt(a_grid, 0, evaluate=False))
_optimum = (sp.Gt(eps_star, 0, evaluate=False), *_errors)
_step = (sp.Gt(s, 0, evaluate=False), *_optimum)
# K is T/ε_* rounded up, for a flow that is at least one such step deep.
_layers = (sp.Le(T, K * eps_star), sp.Le((K - 1) * eps_star, T), sp.Le(eps_star, T), *_optimum)

_deep = (sp.Gt(T, 0, evaluate=False),)
_of_layers = M_ell * sp.sqrt(K * sp.log(q) / (2 * N))


def objective(step: sp.Expr) -> sp.Expr:
    """Return depth error and sampling error of a step together."""
    return C_R * step + a_grid / sp.sqrt(step)


FACTS = (
    identity("balance", sp.Eq(a_grid, 2 * C_R * eps_star ** sp.Rational(3, 2)), given=_errors, unfold=(eps_star,)),
    identity("value", sp.Eq(3 * C_R * eps_star, VALUE), given=_errors, unfold=(eps_star,)),
    inequality("every-step", sp.Ge(objective(s), 3 * C_R * eps_star), use("balance"), free=(s,), given=_step),
    inequality("optimum", sp.Eq(objective(eps_star), 3 * C_R * eps_star), use("balance"), given=_optimum),
    inequality("rounding", sp.Le(eps_star, 2 * eps), given=_layers, unfold=(eps,)),
    inequality("rounding-up", sp.Le(eps, eps_star), given=_layers, unfold=(eps,)),
    inequality(
        "whole-layers",
        sp.Le(objective(eps), ROUNDED * 3 * C_R * eps_star),
        use("balance"),
        use("rounding"),
        use("rounding-up"),
        given=_layers,
    ),
    identity("over-the-grid", sp.Eq(_of_layers, a_grid / sp.sqrt(eps)), given=_deep, unfold=(a_grid, eps)),
    identity("rounded-value", sp.Eq(ROUNDED * 3 * C_R * eps_star, ROUNDED * VALUE), given=_errors, unfold=(eps_star,)),
)


def _measured(step: sp.Expr, where: str) -> Measured:
    return Measured(f"depth and sampling error together, {where}", objective(step), "impl.sampling:objective")


THEOREM = Theorem(
    slug="sampling/depth-sample-tradeoff",
    title="The depth that a sample affords",
    source="mfc2026",
    assumptions=(),
    facts=FACTS,
    claims=(
        Claim(
            "minimum", _measured(s, "at any step"), ">=", VALUE, ("every-step", "value"),
            tight=True, free=(s,), given=_step,
        ),
        Claim("attained", _measured(eps_star, "at the best step"), "=", VALUE, ("optimum", "value"), given=_optimum),
        Claim(
            "whole-layers", _measured(eps, "with T/ε_* rounded up to whole layers"), "<=", ROUNDED * VALUE,
            ("whole-layers", "rounded-value"), tight=True, given=_layers,
        ),
        Claim(
            "over-the-grid",
            Measured("growth of the sampling error over a grid of layers", _of_layers, "impl.sampling:objective"),
            "=", a_grid / sp.sqrt(eps), ("over-the-grid",), given=_deep,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
