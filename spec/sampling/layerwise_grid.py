"""The sampling error over controls whose layers lie on a grid: it grows like the root of the number of layers."""

import sympy as sp

from spec import results
from spec.language.proof import cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Theorem
from spec.sampling.finite_class import CHOSEN, MEASURED
from spec.sampling.finite_class import THEOREM as FINITE_CLASS
from spec.symbols import VOCABULARY, G_size, K, M_ell, N, delta, iota, q

# log(2q^K/δ) without the number q^K
_logarithm = sp.log(2) + K * sp.log(q) - sp.log(delta)
RADIUS = M_ell * sp.sqrt(_logarithm / (2 * N))
ONE_CONTROL, LAYERS = M_ell * sp.sqrt(sp.log(2 / delta) / (2 * N)), M_ell * sp.sqrt(K * sp.log(q) / (2 * N))

FACTS = (
    definition("grid-size", VOCABULARY),
    FINITE_CLASS.premise("finite-class"),
    cited("log-level", results.LOG_ABOVE, {results.z_: 2 / delta}),
    cited("log-class", results.LOG_ABOVE, {results.z_: 2 * G_size / delta}),
    cited("words", results.LOG_POWER, {results.a_: G_size, results.z_: q, results.k_: K}, use("grid-size")),
    identity("level", sp.Eq(sp.log(2 / delta), sp.log(2) - sp.log(delta))),
    identity("class", sp.Eq(sp.log(2 * G_size / delta), sp.log(2) + sp.log(G_size) - sp.log(delta))),
    inequality(
        "radius",
        sp.Le(MEASURED.expression, RADIUS),
        use("log-class"),
        use("words"),
        use("class"),
        use("finite-class"),
        free=(iota,),
        given=(CHOSEN,),
    ),
    inequality("split", sp.Le(RADIUS, ONE_CONTROL + LAYERS), use("log-level"), use("level")),
)
THEOREM = Theorem(
    slug="sampling/layerwise-grid",
    title="The sampling error over a grid, layer by layer",
    source="mfc2026",
    assumptions=FINITE_CLASS.assumptions,
    uses=(FINITE_CLASS,),
    facts=FACTS,
    claims=(
        Claim("radius", MEASURED, "<=", RADIUS, ("radius",), tight=True, free=(iota,), given=(CHOSEN,)),
        Claim(
            "growth", MEASURED, "<=", ONE_CONTROL + LAYERS, ("radius", "split"),
            free=(iota,), given=(CHOSEN,),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
