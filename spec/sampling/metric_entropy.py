"""The sampling error over a class that balls cover: for every control chosen from it, by whatever rule."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import quantile
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.risk import J_N, J, member, nearest
from spec.sampling.finite_class import RADIUS as FINITE_RADIUS
from spec.sampling.finite_class import THEOREM as FINITE_CLASS
from spec.sampling.finite_class import deviation
from spec.symbols import L_J, VOCABULARY, G_size, M_ell, N, delta, log_N_cover, r, vartheta
from spec.transport.control_continuity import THEOREM as CONTROL_CONTINUITY

_centre = nearest(vartheta)
_deviation = sp.Abs(J_N(vartheta) - J(vartheta))
RADIUS = 2 * L_J * r + M_ell * sp.sqrt((sp.log(2) + log_N_cover - sp.log(delta)) / (2 * N))

FACTS = (
    assumed(H.CLASS_COVERED),
    definition("nearest", VOCABULARY),
    FINITE_CLASS.premise("finite-class"),
    CONTROL_CONTINUITY.premise("risk-continuous", "population"),
    CONTROL_CONTINUITY.premise("empirical-risk-continuous", "sample"),
    cited("log-class", results.LOG_ABOVE, {results.z_: 2 * G_size / delta}),
    identity("class", sp.Eq(sp.log(2 * G_size / delta), sp.log(2) + sp.log(G_size) - sp.log(delta))),
    inequality(
        "near-centre",
        sp.Le(_deviation, 2 * L_J * r + deviation(_centre)),
        use("class-covered", vartheta=vartheta),
        use("risk-continuous", vartheta=vartheta, varphi=member(_centre)),
        use("empirical-risk-continuous", vartheta=vartheta, varphi=member(_centre)),
        free=(vartheta,),
    ),
    cited(
        "shifted",
        results.QUANTILE_SHIFT,
        {results.a_: _deviation, results.b_: deviation(_centre), results.z_: 2 * L_J * r, results.c_: delta},
        use("near-centre"),
        free=(vartheta,),
    ),
    inequality(
        "centres",
        sp.Le(2 * L_J * r + quantile(deviation(_centre), delta), 2 * L_J * r + FINITE_RADIUS),
        use("log-class"),
        use("nearest", vartheta=vartheta),
        use("finite-class", iota=_centre),
        free=(vartheta,),
    ),
    inequality(
        "logarithm",
        sp.Le(2 * L_J * r + FINITE_RADIUS, RADIUS),
        use("log-class"),
        use("class"),
        unfold=(log_N_cover,),
    ),
)
_both = {a.name: a for a in (*FINITE_CLASS.assumptions, *CONTROL_CONTINUITY.assumptions, H.CLASS_COVERED)}
THEOREM = Theorem(
    slug="sampling/metric-entropy",
    title="The sampling error over a class that balls cover",
    source="mfc2026",
    assumptions=tuple(_both.values()),
    uses=(FINITE_CLASS, CONTROL_CONTINUITY),
    facts=FACTS,
    claims=(
        Claim(
            "radius",
            Measured(
                "(1−δ)-quantile of |J_N(ϑ) − J(ϑ)| for the control ϑ of the class where it is largest",
                quantile(_deviation, delta),
                "impl.sampling:deviation_quantile",
            ),
            "<=",
            RADIUS,
            ("shifted", "centres", "logarithm"),
            free=(vartheta,),
        ),
    ),
    vocabulary=VOCABULARY,
)
