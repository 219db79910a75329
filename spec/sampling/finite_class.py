"""The sampling error over a finite class, uniformly: for every control chosen from it, by whatever rule."""

import sympy as sp

from spec import results
from spec.language.functions import quantile
from spec.language.proof import cited, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.risk import J_N, J, member
from spec.sampling.hoeffding_fixed_control import THEOREM as HOEFFDING
from spec.symbols import VOCABULARY, G_size, M_ell, N, delta, i, iota

CHOSEN = sp.Le(iota, G_size - 1, evaluate=False)
RADIUS = M_ell * sp.sqrt(sp.log(2 * G_size / delta) / (2 * N))


def deviation(index: sp.Expr) -> sp.Expr:
    """Return |J_N(ϑ) − J(ϑ)| for the control of an index."""
    return sp.Abs(J_N(member(index)) - J(member(index)))


FACTS = (
    HOEFFDING.premise("each-control", "any-level"),
    cited("log-level", results.LOG_ABOVE, {results.z_: 2 * G_size / delta}),
    cited(
        "every-control",
        results.UNION_BOUND,
        {
            results.f_: sp.Lambda(i, deviation(i)),
            results.k_: G_size,
            results.b_: iota,
            results.z_: RADIUS,
            results.c_: delta,
        },
        use("log-level"),
        use("each-control", level=delta / G_size),
        free=(iota,),
        given=(CHOSEN,),
    ),
)
MEASURED = Measured(
    "(1−δ)-quantile of |J_N(ϑ) − J(ϑ)| for the control ϑ of the class where it is largest",
    quantile(deviation(iota), delta),
    "impl.sampling:deviation_quantile",
)
THEOREM = Theorem(
    slug="sampling/finite-class",
    title="The sampling error over a finite class",
    source="mfc2026",
    assumptions=HOEFFDING.assumptions,
    uses=(HOEFFDING,),
    facts=FACTS,
    claims=(Claim("radius", MEASURED, "<=", RADIUS, ("every-control",), tight=True, free=(iota,), given=(CHOSEN,)),),
    vocabulary=VOCABULARY,
)
