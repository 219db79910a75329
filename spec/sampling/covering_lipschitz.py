"""A net of the Lipschitz controls, constructed: how many balls cover them does not depend on the number of layers."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import Ratio
from spec.language.proof import argued, assumed, cited, definition, identity, induction, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.cover import centre, coord
from spec.symbols import VOCABULARY, L_c, T, cell, cells, k, log_N_cover, p, r, r_inf, rho, s, t

STARTS, TURNS = sp.Max(1, sp.ceiling(rho / r_inf)), sp.ceiling(L_c * T / r_inf)
COUNT = p * (sp.log(STARTS) + TURNS * sp.log(2))

_node, _next = k * cell, k * cell + cell
_cell = (sp.Le(k, cells - 1),)
_inside = (sp.Ge(t, _node), sp.Le(t, _next), *_cell)
_depths = (sp.Le(s, t), sp.Le(t, T))
_apart = (sp.Lt(s, t), sp.Le(t, T))
_height = (coord(0) + rho) / (2 * r_inf)
_start = sp.Max(1, sp.ceiling(_height))


def _distance(depth: sp.Expr) -> sp.Expr:
    return sp.Abs(coord(depth) - centre(depth))


def clipped(depth: sp.Expr) -> sp.Expr:
    """Return the centre, clipped to the cube."""
    return sp.Max(-rho, sp.Min(rho, centre(depth)))


_steepness = Ratio(sp.Abs(clipped(t) - clipped(s)), t - s)

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
    inequality("whole-depth", sp.Le(t, cells * cell), free=(t,), given=(sp.Le(t, T),), unfold=(cell,)),
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
    inequality(
        "steepness",
        sp.Le(sp.Abs(clipped(t) - clipped(s)), L_c * (t - s)),
        use("centre-slope", k=k, t=t),
        use("centre-slope", k=k, t=s),
        use("turn", k=k),
        free=(k, s, t),
        given=(sp.Ge(s, _node), sp.Le(s, t), *_inside),
    ),
    cited(
        "steepness-anywhere",
        results.PIECEWISE_LIPSCHITZ,
        {results.f_: sp.Lambda(t, clipped(t)), results.z_: cell, results.k_: cells, results.a_: L_c},
        use("steepness", k=k, s=s, t=t),
    ),
    inequality(
        "slope",
        sp.Le(_steepness, L_c),
        use("whole-depth", t=t),
        use("steepness-anywhere", s=s, t=t),
        free=(s, t),
        given=_apart,
    ),
    inequality("range", sp.Le(sp.Abs(clipped(t)), rho), free=(t,)),
    inequality("start-below", sp.Le(_height, rho / r_inf), use("control-in-cube", t=0)),
    cited(
        "start-rounded", results.CEILING_MONOTONE, {results.a_: _height, results.b_: rho / r_inf}, use("start-below")
    ),
    inequality("starts", sp.Le(_start, STARTS), use("start-rounded")),
    argued(
        "words",
        sp.Le(log_N_cover, sp.log((STARTS * 2**TURNS) ** p)),
        "a centre is a word: for each coordinate a first value and a way, up or down, in every cell",
        use("starts"),
    ),
    identity("all-coordinates", sp.Eq(sp.sqrt(p) * r_inf, r), unfold=(r_inf,)),
    identity("logarithm", sp.Eq(sp.log((STARTS * 2**TURNS) ** p), COUNT)),
)


def _measured(meaning: str, expression: sp.Expr, name: str) -> Measured:
    return Measured(meaning, expression, f"impl.sampling:{name}")


THEOREM = Theorem(
    slug="sampling/covering-lipschitz",
    title="A net of the Lipschitz controls",
    source="kolmogorov1959",
    assumptions=(H.CONTROL_LIPSCHITZ, H.CONTROL_IN_CUBE),
    facts=FACTS,
    claims=(
        Claim(
            "count", _measured("logarithm of the covering number", log_N_cover, "packing_number"), "<=", COUNT,
            ("words", "logarithm"), tight=True,
        ),
        Claim(
            "distance", _measured("distance of a coordinate to its centre", sp.Abs(coord(t) - clipped(t)), "Net"),
            "exists", r_inf, ("close",), tight=True, free=(k, t), given=_inside,
        ),
        Claim(
            "slope", _measured("steepness of a centre between two depths", _steepness, "Net"), "<=", L_c,
            ("slope",), tight=True, free=(s, t), given=_apart,
        ),
        Claim(
            "range", _measured("size of a centre", sp.Abs(clipped(t)), "Net"), "<=", rho, ("range",),
            tight=True, free=(t,),
        ),
        Claim(
            "euclidean", _measured("Euclidean length of p coordinates' radii", sp.sqrt(p) * r_inf, "Net"), "=", r,
            ("all-coordinates",),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
