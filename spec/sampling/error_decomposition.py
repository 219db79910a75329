"""Four errors, one bound: depth, sampling, approximation and optimisation."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.proof import Fact, Use, assumed, cited, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.risk import J, J_epsN, near, trained
from spec.symbols import VOCABULARY, Delta_eps, Delta_N, J_star, eps, eta, gap, vartheta, w

BOTH = Delta_eps + Delta_N
_found = trained(eps)


def _below(name: str, excess: sp.Expr, bound: sp.Expr, *uses: Use) -> tuple[Fact, Fact]:
    """State an excess up to any slack, then without it."""
    with_slack = inequality(
        f"{name}-with-slack",
        sp.Le(excess, bound + w),
        use("class-approximates", w=w),
        use("every-control", vartheta=near(w)),
        use("trained", vartheta=near(w)),
        *uses,
        free=(w,),
        given=(sp.Gt(w, 0, evaluate=False),),
    )
    limit = cited(name, results.FROM_ABOVE, {results.a_: excess, results.b_: bound}, use(f"{name}-with-slack", w=w))
    return with_slack, limit


FACTS = (
    assumed(H.DEPTH_UNIFORM),
    assumed(H.SAMPLING_UNIFORM),
    assumed(H.TRAINED),
    assumed(H.CLASS_APPROXIMATES),
    inequality(
        "every-control",
        sp.Le(sp.Abs(J_epsN(vartheta) - J(vartheta)), BOTH),
        use("depth-uniform", vartheta=vartheta),
        use("sampling-uniform", vartheta=vartheta),
        free=(vartheta,),
    ),
    *_below("excess", J(_found) - J_star, 2 * BOTH + eta + gap, use("every-control", vartheta=_found)),
    *_below("loss-reached", J_epsN(_found) - J_star, BOTH + eta + gap),
)
THEOREM = Theorem(
    slug="sampling/error-decomposition",
    title="Depth, sampling, approximation and optimisation",
    source="mfc2026",
    assumptions=(H.DEPTH_UNIFORM, H.SAMPLING_UNIFORM, H.TRAINED, H.CLASS_APPROXIMATES),
    facts=FACTS,
    claims=(
        Claim(
            "every-control",
            Measured("|J_{ε,N}(ϑ) − J(ϑ)|", sp.Abs(J_epsN(vartheta) - J(vartheta)), "impl.sampling:risk"),
            "<=",
            BOTH,
            ("every-control",),
            tight=True,
            free=(vartheta,),
        ),
        Claim(
            "excess",
            Measured("excess risk J(θ̂) − inf J", J(_found) - J_star, "impl.sampling:risk"),
            "<=",
            2 * BOTH + eta + gap,
            ("excess",),
            tight=True,
        ),
        Claim(
            "loss-reached",
            Measured("training loss J_{ε,N}(θ̂) − inf J", J_epsN(_found) - J_star, "impl.sampling:risk"),
            "<=",
            BOTH + eta + gap,
            ("loss-reached",),
            tight=True,
        ),
    ),
    vocabulary=VOCABULARY,
)
