"""placeholder."""

import sympy as sp
from spec import assumptions as H
from spec.language.functions import token_norm
from spec.language.proof import argued, assumed, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import VOCABULARY, K, R_T, T, X, Xhat, k, t

FACTS = (
    argued("flow-range", sp.Le(token_norm(X(t)), R_T), "placeholder", free=(t,), given=(sp.Le(t, T),)),
    argued("layer-range", sp.Le(token_norm(Xhat(k)), R_T), "placeholder", free=(k,), given=(sp.Le(k, K),)),
)
THEOREM = Theorem(
    slug="depth/trajectory-range",
    title="Trajectories stay in a compact set",
    source="mfc2026",
    assumptions=(),
    facts=FACTS,
    vocabulary=VOCABULARY,
    claims=(
        Claim(
            "flow",
            Measured("", token_norm(X(t)), "impl.flow:token_radius"),
            "<=",
            R_T,
            ("flow-range",),
            True,
            (t,),
            (sp.Le(t, T),),
        ),
        Claim(
            "layers",
            Measured("", token_norm(Xhat(k)), "impl.flow:token_radius"),
            "<=",
            R_T,
            ("layer-range",),
            True,
            (k,),
            (sp.Le(k, K),),
        ),
    ),
)
