"""The sampling error over controls whose layers lie on a grid: it grows like the root of the number of layers."""

import sympy as sp

from spec import results
from spec.language.functions import quantile
from spec.language.proof import cited, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.sampling.finite_class import THEOREM as FINITE_CLASS
from spec.sampling.finite_class import deviation
from spec.sampling.hoeffding_fixed_control import LEVEL
from spec.symbols import VOCABULARY, K, M_ell, N, delta, iota, q

# A control is a word of K letters, one of q grid points a layer; its index reads the word in base q.
CHOSEN = (sp.Le(iota, q**K - 1, evaluate=False), *LEVEL)
_logarithm = sp.log(2) + K * sp.log(q) - sp.log(delta)  # of 2q^K/δ, without the number q^K
RADIUS = M_ell * sp.sqrt(_logarithm / (2 * N))
ONE_CONTROL, LAYERS = M_ell * sp.sqrt(sp.log(2 / delta) / (2 * N)), M_ell * sp.sqrt(K * sp.log(q) / (2 * N))

FACTS = (
    FINITE_CLASS.premise("finite-class"),
    cited("words", results.BERNOULLI, {results.z_: q, results.k_: K}),
    cited("log-grid", results.LOG_ABOVE, {results.z_: q}),
    cited("log-level", results.LOG_ABOVE, {results.z_: 2 / delta}, free=(delta,), given=LEVEL),
    identity("level", sp.Eq(sp.log(2 / delta), sp.log(2) - sp.log(delta)), free=(delta,), given=LEVEL),
    identity("logarithm", sp.Eq(sp.log(2 * q**K / delta), _logarithm), free=(delta,), given=LEVEL),
    inequality(
        "radius",
        sp.Le(quantile(deviation(iota), delta), RADIUS),
        use("words"),
        use("log-grid"),
        use("log-level"),
        use("level"),
        use("logarithm"),
        use("finite-class", G_size=q**K),
        free=(iota, delta),
        given=CHOSEN,
    ),
    inequality(
        "split",
        sp.Le(RADIUS, ONE_CONTROL + LAYERS),
        use("log-grid"),
        use("log-level"),
        use("level"),
        free=(delta,),
        given=LEVEL,
    ),
)
_measured = Measured(
    "(1−δ)-quantile of |J_N(ϑ) − J(ϑ)| for the control ϑ of the grid where it is largest",
    quantile(deviation(iota), delta),
    "impl.sampling:quantile",
)
THEOREM = Theorem(
    slug="sampling/layerwise-grid",
    title="The sampling error over a grid, layer by layer",
    source="mfc2026",
    assumptions=FINITE_CLASS.assumptions,
    uses=(FINITE_CLASS,),
    facts=FACTS,
    claims=(
        Claim(
            "radius", _measured, "<=", RADIUS, ("radius",),
            tight=True, free=(iota, delta), given=CHOSEN,
        ),
        Claim(
            "growth", _measured, "<=", ONE_CONTROL + LAYERS, ("radius", "split"),
            tight=True, free=(iota, delta), given=CHOSEN,
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
