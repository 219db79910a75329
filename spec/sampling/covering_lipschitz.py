"""A net of the Lipschitz controls, constructed: how many balls cover them does not depend on the number of layers."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.proof import argued, assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.symbols import (
    VOCABULARY, L_c, T, cell, cells, centre, coord, k, log_N_cover, norm, p, r_inf, rho, s, t, theta,
)  # fmt: skip

STARTS, TURNS = sp.Max(1, sp.ceiling(rho / r_inf)), sp.ceiling(L_c * T / r_inf)
COUNT = p * (sp.log(STARTS) + TURNS * sp.log(2))

_node, _next = k * cell, k * cell + cell
_cell = (sp.Le(k, cells - 1),)
_inside = (sp.Ge(t, _node), sp.Le(t, _next), *_cell)
_depths = (sp.Le(s, t), sp.Le(t, T))
_start = sp.Max(1, sp.ceiling((coord(0) + rho) / (2 * r_inf)))


def _distance(depth: sp.Expr) -> sp.Expr:
    return sp.Abs(coord(depth) - centre(depth))


def clipped(depth: sp.Expr) -> sp.Expr:
    """Return the centre, clipped to the cube."""
    return sp.Max(-rho, sp.Min(rho, centre(depth)))


FACTS = (
    assumed(H.CONTROL_LIPSCHITZ),
    assumed(H.CONTROL_IN_CUBE),
    definition("coordinate", VOCABULARY),
    definition("centre-start", VOCABULARY),
    definition("centre-slope", VOCABULARY),
    definition("turn", VOCABULARY),
    definition("turn-towards", VOCABULARY),
    inequality(
        "coordinate-lipschitz",
        sp.Le(sp.Abs(coord(t) - coord(s)), L_c * (t - s)),
        use("coordinate", s=s, t=t),
        use("control-lipschitz", s=s, t=t),
        free=(s, t),
        given=_depths,
    ),
    inequality("cell-short", sp.Le(L_c * cell, r_inf), unfold=(cell, cells)),
    inequality("cell-inside", sp.Le(_next, T), free=(k,), given=_cell, unfold=(cell,)),
    inequality(
        "start",
        sp.Le(_distance(0), r_inf),
        use("centre-start"),
        use("control-in-cube", t=0),
    ),
    inequality(
        "follow",
        sp.Le(_distance(t), sp.Max(r_inf, _distance(_node))),
        use("cell-short"),
        use("cell-inside", k=k),
        use("coordinate-lipschitz", s=_node, t=t),
        use("coordinate-lipschitz", s=t, t=_next),
        use("centre-slope", k=k, t=t),
        use("turn", k=k),
        use("turn-towards", k=k),
        free=(k, t),
        given=_inside,
    ),
    induction("nodes", sp.Le(_distance(_node), r_inf), k, cells, use("start"), use("follow", k=k, t=_next)),
    inequality(
        "close",
        sp.Le(sp.Abs(coord(t) - clipped(t)), r_inf),
        use("cell-inside", k=k),
        use("control-in-cube", t=t),
        use("follow", k=k, t=t),
        use("nodes", k=k),
        free=(k, t),
        given=_inside,
    ),
)
_measured = Measured("log of the covering number of the class", log_N_cover, "impl.sampling:log_covering_number")
THEOREM = Theorem(
    slug="sampling/covering-lipschitz",
    title="A net of the Lipschitz controls",
    source="mfc2026",
    assumptions=(H.CONTROL_LIPSCHITZ, H.CONTROL_IN_CUBE),
    facts=FACTS,
    claims=(
        Claim("distance", Measured("", sp.Abs(coord(t) - clipped(t)), "x:y"), "exists", r_inf, ("close",), free=(k, t), given=_inside),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
