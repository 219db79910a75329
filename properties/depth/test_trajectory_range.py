"""Trajectories stay in a compact set, checked: token radii of flows and layers; linear fields reach the radius."""

from fractions import Fraction
from typing import Any

import sympy as sp

from properties.checking import Batch, Property
from properties.depth import trained
from properties.depth.line import Exact, Line, constant, dropping, exhibit
from properties.descriptor import Descriptor
from properties.instances import FLOW, Flows, flows
from properties.suite import suite

PREMISES = ("inputs-bounded", "field-growth", "schedule-bounded", "control-admissible")


def batches(found: Flows) -> dict[str, Batch]:
    """Return the largest token norms of a batch; Z is ζ̄T where the schedule is constant, else the time that passes."""
    flow, layers, error = found.token_radii()
    values: dict[str, Any] = dict(found.constants.named("R_0", "g_x", "m_x"))
    if found.schedule.degree == 0:
        values |= found.constants.named("zeta_bar") | {"T": found.T}
    else:
        values |= found.constants.named("Z")
    return {"flow": Batch(flow, error, values), "layers": Batch(layers, error, values)}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the batches of a descriptor."""
    return batches(flows(descriptor))


def growing(g: Exact, m: Exact, R_0: Exact, zeta: Exact, T: Exact, K: int) -> Line:
    """Return ``F = g x + θ`` with ``θ = m`` from ``R_0``, along which the radius is reached."""
    g, m, R_0, zeta, T = map(Fraction, (g, m, R_0, zeta, T))

    def flow(t: Fraction) -> Exact:
        grown = sp.exp(sp.Rational(g * zeta * t))
        return R_0 + m * zeta * t if not g else R_0 * grown + sp.Rational(m / g) * (grown - 1)

    return Line(
        lambda x, c: g * x + c, constant(zeta), constant(m), flow, T, K,
        {"R_0": R_0, "g_x": g, "m_x": m, "zeta_bar": abs(zeta), "rho": m},
    )  # fmt: skip


def radii(line: Line) -> dict[str, Batch]:
    """Return the radii that a line problem reaches at its end."""
    values = line.values("R_0", "g_x", "m_x", "zeta_bar")
    del values["K"]
    return {"flow": Batch([abs(line.X(line.T))], [0], values), "layers": Batch([abs(line.layers[-1])], [0], values)}


def _claimed(line: Line, **changed: Exact) -> Line:
    return Line(line.F, line.zeta, line.theta, line.X, line.T, line.K, {**line.claimed, **changed})


_reach = growing(Fraction(2, 3), 2, 1, Fraction(3, 2), 1, 1000)
_explosion = Line(
    lambda x, c: x * x, constant(1), constant(0), lambda t: 1 / (1 - t), Fraction(9, 10), 2,
    {"R_0": 1, "m_x": 1, "zeta_bar": 1},
)  # fmt: skip
PROPERTY = Property(
    slug="depth/trajectory-range",
    space=FLOW,
    check=check,
    family="flow",
    exhibits=(
        exhibit("linear", lambda: _reach, radii, PREMISES),
        exhibit("no growth", lambda: growing(0, 2, 1, Fraction(3, 2), 1, 3), radii, PREMISES),
        exhibit("no push", lambda: growing(Fraction(1, 2), 0, 3, 1, 2, 4), radii, PREMISES),
        exhibit("backwards", lambda: growing(Fraction(1, 2), 1, 3, -1, 2, 4), radii, PREMISES),
        exhibit("zero field", lambda: growing(0, 0, 1, 1, 1, 2), radii, PREMISES),
        exhibit("no schedule", lambda: growing(1, 1, 1, 0, 1, 2), radii, PREMISES),
        exhibit("no depth", lambda: growing(1, 1, 1, 1, 0, 2), radii, PREMISES),
        exhibit("one layer, zero radius", lambda: growing(1, 1, 0, 1, 1, 1), radii, PREMISES),
    ),
    sharp={"flow": "linear", "layers": "linear"},
    needs={
        "inputs-bounded": dropping(_claimed(growing(1, 0, 2, 1, 1, 2), R_0=1), radii, PREMISES),
        "field-growth": dropping(_explosion, radii, PREMISES),
        "schedule-bounded": dropping(_claimed(growing(0, 1, 1, 3, 1, 2), zeta_bar=1), radii, PREMISES),
        "control-admissible": dropping(_claimed(growing(0, 3, 1, 1, 1, 2), rho=1, m_x=1), radii, PREMISES),
    },
    real=lambda: trained.stacked([batches(found) for found in trained.flows()]),
)
TestTheorem = suite(PROPERTY)
