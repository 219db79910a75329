"""Euler's error with every layer's own constants, checked: the layers' own factors against the reference flow."""

from fractions import Fraction

import sympy as sp

from properties.checking import Batch, Exhibit, Property
from properties.depth import trained
from properties.depth.line import Exact, Line, constant, dropping, exhibit
from properties.depth.problems import by_control, growing
from properties.descriptor import Descriptor
from properties.flow_constants import layer_slopes, up
from properties.instances import FLOW, Flows, flows
from properties.suite import suite

PREMISES = (
    "inputs-bounded", "field-growth", "schedule-bounded", "control-admissible", "layer-schedule", "layer-lipschitz",
    "layer-truncation",
)  # fmt: skip


def batches(found: Flows) -> dict[str, Batch]:
    """Return the depth errors of a batch; truncations are bounded by ``½ A ε²`` with each layer's own ζ."""
    measured, error = found.depth_errors()
    c, K, step = found.constants, found.K, found.T / found.K
    zeta = up(found.schedule.sample_grid(K)[..., 0].abs())
    slopes = layer_slopes(found.field, found.control, c, K, found.layers.shape[-2])
    shared, carried = c.L_zeta * c.M + c.zeta_bar * c.L_theta * c.L_c, c.zeta_bar * c.L_x * c.M
    truncation = up((shared[:, None] + zeta * carried[:, None]) * step**2 / 2)
    values = {"zeta_k": zeta, "L_k": slopes, "tau_k": truncation, "K": K, "T": found.T}
    return {"unrolled": Batch(measured, error, values)}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the batches of a descriptor."""
    return batches(flows(descriptor))


def unrolled(line: Line) -> dict[str, Batch]:
    """Return the error of a line problem against its unrolled constants."""
    return {"unrolled": line.batch(line.error, "zeta_k", "L_k", "tau_k")}


def of_layers(line: Line, **claimed: object) -> Line:
    """Return a line problem with its layers' exact constants, unless others are claimed."""
    step = line.T / line.K
    missed = [abs(line.X(t + step) - line.X(t) - step * line.velocity(t)) for t in line.times[:-1]]
    own = {
        "zeta_k": [abs(line.zeta(t)) for t in line.times[:-1]],
        "L_k": [line.claimed.get("L_x", 0)] * line.K,
        "tau_k": missed,
    }
    return Line(line.F, line.zeta, line.theta, line.X, line.T, line.K, {**line.claimed, **own, **claimed})


def sawtooth(K: int) -> Line:
    """Return ``F = 2x/3 + θ`` with velocity ``A_k (t − t_k)`` in cell k, under a schedule of its own in each cell."""
    T, b = Fraction(3, 2), Fraction(2, 3)
    step = T / K

    def cell(t: Fraction) -> int:
        return min(int(t / step), K - 1)

    def rise(k: int) -> Fraction:
        return Fraction(1 + k % 3)

    def schedule(t: Fraction) -> Fraction:
        return Fraction(1 + cell(t) % 2)

    def velocity(t: Fraction) -> Fraction:
        return rise(cell(t)) * (t - cell(t) * step)

    def flow(t: Fraction) -> Fraction:
        whole = sum((rise(k) for k in range(cell(t))), Fraction(0)) * step * step / 2
        return whole + rise(cell(t)) * (t - cell(t) * step) ** 2 / 2

    line = Line(
        lambda x, c: b * x + c, schedule, lambda t: velocity(t) / schedule(t) - b * flow(t), flow, T, K,
        {"L_x": b},
    )  # fmt: skip
    # At t_{k+1} the velocity of cell k is meant, not the next one: the truncation is ½ A_k ε² and v(t_k) = 0.
    return of_layers(line, tau_k=[rise(k) * step * step / 2 for k in range(K)])


def kinked(push: int, zeta: int, theta: int, K: int, T: int = 1, start: int = 0, **claimed: object) -> Line:
    """Return ``F = θ (push + (x − 4)⁺)``: constant in the state below 4, so a ball that ends there knows no slope."""
    rate = zeta * theta
    reach = Fraction(4, rate * push) if push else Fraction(0)

    def flow(t: Fraction) -> object:
        if not push:
            return 4 + (start - 4) * sp.exp(sp.Rational(rate * t))
        return rate * push * t if t <= reach else 4 + push * (sp.exp(sp.Rational(rate * (t - reach))) - 1)

    def field(x: Exact, c: Exact) -> Exact:
        return c * (push + max(x - 4, 0))

    line = Line(
        field, constant(zeta), constant(theta), flow, Fraction(T), K, {"zeta_bar": zeta, "rho": theta} | claimed
    )
    return of_layers(line)


LINES = {
    "inputs-bounded": kinked(0, 1, 1, 2, start=10, R_0=1, g_x=1),
    "field-growth": kinked(3, 1, 1, 6, T=2, m_x=1),
    "schedule-bounded": kinked(1, 12, 1, 3, zeta_bar=1, g_x=1, m_x=1),
    "control-admissible": kinked(1, 1, 12, 3, rho=1, g_x=1, m_x=1),
    "layer-schedule": of_layers(growing(2, zeta=2), zeta_k=[Fraction(1, 10)] * 2),
    "layer-lipschitz": of_layers(growing(2), L_k=[Fraction(0)] * 2),
    "layer-truncation": of_layers(growing(2), tau_k=[Fraction(0)] * 2),
}
"""For every assumption an instance that meets all others and not this one."""

PROPERTY = Property(
    slug="depth/euler-instance",
    space=FLOW,
    check=check,
    family="flow",
    exhibits=(
        Exhibit("sawtooth", lambda: unrolled(sawtooth(8))),
        exhibit("control", lambda: of_layers(by_control(Fraction(2), Fraction(3), 4)), unrolled, PREMISES),
        exhibit("one layer", lambda: of_layers(by_control(Fraction(2), Fraction(3), 1)), unrolled, PREMISES),
        exhibit("linear", lambda: of_layers(growing(3)), unrolled, PREMISES),
        exhibit("steep schedule", lambda: of_layers(growing(3, zeta=4)), unrolled, PREMISES),
        exhibit("decay", lambda: of_layers(growing(3, zeta=-1)), unrolled, PREMISES),
        exhibit("no depth", lambda: of_layers(growing(3, T=0)), unrolled, PREMISES),
        exhibit("zero field", lambda: of_layers(growing(3, start=0)), unrolled, PREMISES),
    ),
    sharp={"unrolled": "sawtooth"},
    needs={name: dropping(line, unrolled, PREMISES) for name, line in LINES.items()},
    real=lambda: trained.stacked([batches(found) for found in trained.flows()]),
)
TestTheorem = suite(PROPERTY)
