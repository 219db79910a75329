"""Euler's error along trajectories, checked: every layer and particle against the reference flow; exact worst cases."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import sympy as sp
import torch
from hypothesis import given

from impl.control import grid
from impl.field.abstract import GrimReaperField
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.rounding import field_rounding
from properties import checking, mutants
from properties.checking import Batch, Exhibit, Property
from properties.depth import trained
from properties.depth.line import Line, constant, dropping, exhibit, rising, spikes
from properties.descriptor import Descriptor
from properties.flow_constants import Floats, up
from properties.instances import FLOW, Flows, flows

CONSTANTS = ("zeta_bar", "L_zeta", "L_c", "M", "L_x", "L_theta")
PREMISES = (
    "inputs-bounded", "field-growth", "schedule-bounded", "schedule-lipschitz", "control-admissible",
    "control-lipschitz", "field-bounded", "field-lipschitz", "field-lipschitz-control",
)  # fmt: skip


def batches(found: Flows) -> dict[str, Batch]:
    """Return the depth errors of a batch, and how fast its velocities change."""
    measured, error = found.depth_errors()
    values = found.constants.named(*CONSTANTS)
    batch = Batch(measured, error, values | {"K": found.K, "T": found.T})
    return {"recursion": batch, "closed-form": batch, "velocity": Batch(*velocity_changes(found), values)}


def velocity_changes(found: Flows) -> tuple[Floats, Floats]:
    """Return max |v(t_{k+1}) − v(t_k)|/ε over layers and particles and its error (State / Depth²).

    A velocity errs by ``ζ̄ (L_x |error of X| + rounding of F)`` and by the rounding of its product with ζ.
    """
    times, constants = grid(found.T, found.K), found.constants
    theta, zeta = found.control.sample(times), found.schedule.sample(times)[..., None, None]
    values = found.field(found.flow.states, theta)
    velocity = (zeta * values).flatten(-2)
    step = found.T / found.K
    norms = {"theta": theta.norm(dim=-1)}
    if isinstance(found.field, TransformerField):
        norms = block_norms(found.field.layout, theta)
    tokens = found.flow.states.shape[-2]
    radii = found.flow.states.norm(dim=-1).amax((-1, -2))
    rounding = field_rounding(found.field, tokens, radii, norms, torch.float64)
    slope, sup, bound = (torch.from_numpy(getattr(constants, n)) for n in ("L_x", "zeta_bar", "M"))
    carried = (slope[:, None] * found.flow.errors.amax(-1) + rounding).amax(1)
    error = sup * (carried + 4 * torch.finfo(torch.float64).eps * bound)
    changes = velocity.diff(dim=1).norm(dim=-1).flatten(1).amax(1) / step
    return changes.numpy(), up(2 * error / step)


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the batches of a descriptor."""
    return batches(flows(descriptor))


def both(line: Line, *names: str) -> dict[str, Batch]:
    """Return the errors of a line problem for both bounds."""
    batch = line.batch(line.error, *(names or CONSTANTS))
    return {"recursion": batch, "closed-form": batch}


def worst(K: int) -> dict[str, Batch]:
    """Return the instance that reaches the bound with A the velocity's own Lipschitz constant."""
    return both(rising(3, Fraction(1, 2), 2, Fraction(3, 2), K), "A", "zeta_bar", "L_x")


def three_terms() -> dict[str, Batch]:
    """Return an instance whose velocity changes by all three terms at once: X quadratic, ζ linear, all increasing."""
    T, b, push, a, c = Fraction(1, 4000), Fraction(1, 2), Fraction(2), Fraction(4), Fraction(12)
    z = [Fraction(2), Fraction(3)]

    def schedule(t: Fraction) -> Fraction:
        return z[0] + z[1] * t

    def flow(t: Fraction) -> Fraction:
        return 1 + a * t + c * t * t

    def control(t: Fraction) -> Fraction:
        return ((a + 2 * c * t) / schedule(t) - b * flow(t)) / push

    # 2θ = v/ζ − bX with v' = 2c has |θ''| < 100, so on [0, T] its slope differs from θ'(0) by less than 100 T.
    steepest = ((2 * c - z[1] * a / z[0]) / z[0] - b * a) / push + 100 * T
    rho = control(Fraction(0)) + steepest * T
    radius = Fraction(1) + Fraction(10) * T
    line = Line(
        lambda x, th: b * x + push * th, schedule, control, flow, T, 4,
        {
            "L_zeta": z[1], "zeta_bar": schedule(T), "L_c": steepest, "M": b * radius + push * rho, "L_x": b,
            "L_theta": push, "R_0": Fraction(1), "g_x": b, "m_x": push * rho, "rho": rho,
        },
    )  # fmt: skip
    assert all(line.met(name) for name in PREMISES)
    changes = [(line.velocity(t) - line.velocity(s)) / (t - s) for s, t in pairwise(line.times)]
    values = line.values(*CONSTANTS)
    del values["K"], values["T"]
    return {"velocity": Batch([max(changes)], [0], values)} | both(line)


def reaper(bT: float, K: int) -> dict[str, Batch]:
    """Return the grim-reaper field under ``ζ = 2``: the state term alone, against its closed flow from 0."""
    field, one = GrimReaperField(bound=1.0, slope=bT / 2), torch.ones(1, 1, dtype=torch.float64)
    zero = torch.zeros(1, 1, 1, 2, dtype=torch.float64)
    layers = transformer(field, one.expand(1, K, 1), 2 * one.expand(1, K), zero, K, 1.0)
    error = (layers - field.exact_flow(zero, one, 2.0)).norm()
    # Each of K layers errs by less than 200 roundings of states below 2, amplified by e^{bT} at most.
    rounding = 200 * K * 2 * np.exp(bT) * torch.finfo(torch.float64).eps
    values = {"zeta_bar": 2, "L_zeta": 0, "L_c": 0, "M": 1, "L_x": bT / 2, "L_theta": 0, "K": K, "T": 1}
    batch = Batch(error.reshape(1).numpy(), np.array([rounding]), values)
    return {"recursion": batch, "closed-form": batch}


def by_schedule(zeta: Fraction, L_zeta: Fraction, T: Fraction, K: int) -> Line:
    """Return ``F = M`` under ``ζ = ζ_0 + L_ζ t``: the schedule term, exact for every K."""
    M, top = Fraction(3), abs(zeta) + abs(L_zeta) * T
    return Line(
        lambda x, c: M + 0 * x, lambda t: zeta + L_zeta * t, constant(0),
        lambda t: M * (zeta * t + L_zeta * t * t / 2), T, K,
        {"zeta_bar": top, "L_zeta": abs(L_zeta), "M": M, "m_x": M},
    )  # fmt: skip


def by_control(L_c: Fraction, T: Fraction, K: int) -> Line:
    """Return ``F = θ``, ``θ = L_c t``: the control term, exact for every K."""
    rho = L_c * T
    return Line(
        lambda x, c: c, constant(1), lambda t: L_c * t, lambda t: L_c * t * t / 2, T, K,
        {"zeta_bar": 1, "L_c": L_c, "L_theta": 1, "M": rho, "m_x": rho, "rho": rho},
    )  # fmt: skip


def growing(K: int, T: int = 1, start: int = 1, zeta: int = 1, **claimed: object) -> Line:
    """Return ``F = x``: the state term of a linear field."""
    radius = start * 3 ** (abs(zeta) * T)
    given_ = {"zeta_bar": abs(zeta), "M": radius, "L_x": 1, "R_0": start, "g_x": 1} | claimed

    def flow(t: Fraction) -> sp.Expr:
        return start * sp.exp(sp.Rational(zeta * t))

    return Line(lambda x, c: x, constant(zeta), constant(0), flow, Fraction(T), K, given_)


def _explosion() -> Line:
    """Return ``F = x²`` whose claimed growth is too small: the flow leaves ``K_{R_T}`` where the constants hold."""
    return Line(
        lambda x, c: x * x, constant(1), constant(0), lambda t: 1 / (1 - t), Fraction(9, 10), 1,
        {"zeta_bar": 1, "M": 1, "L_x": 2, "R_0": 1},
    )  # fmt: skip


def _beyond_class() -> Line:
    """Return ``F = θ²/2``, ``θ = 3 + t``, with the constants of ``|θ| <= 1``."""
    return Line(
        lambda x, c: c * c / 2, constant(1), lambda t: 3 + t, lambda t: (9 * t + 3 * t * t + t**3 / 3) / 2,
        Fraction(1), 2,
        {"zeta_bar": 1, "L_c": 1, "L_theta": 1, "M": Fraction(1, 2), "m_x": Fraction(1, 2), "rho": 1},
    )  # fmt: skip


def unseen(kind: str, K: int = 4) -> Line:
    """Return the schedule or the control that is 1 at every ``t_k`` and 0 elsewhere: the flow stands still."""
    path = spikes(Fraction(1), K)
    claimed = {"zeta_bar": 1, "M": 1, "m_x": 1, "L_theta": 1, "rho": 1}
    if kind == "schedule":
        return Line(lambda x, c: c, path, constant(1), constant(0), Fraction(1), K, claimed)
    return Line(lambda x, c: c, constant(1), path, constant(0), Fraction(1), K, claimed)


LINES = {
    "inputs-bounded": growing(2, start=50, R_0=1, M=3),
    "field-growth": _explosion(),
    "schedule-bounded": growing(2, zeta=4, zeta_bar=1, M=3),
    "schedule-lipschitz": unseen("schedule"),
    "control-admissible": _beyond_class(),
    "control-lipschitz": unseen("control"),
    "field-bounded": growing(1, M=Fraction(1, 10)),
    "field-lipschitz": growing(2, L_x=0),
    "field-lipschitz-control": Line(
        lambda x, c: c, constant(1), lambda t: t, lambda t: t * t / 2, Fraction(1), 2,
        {"zeta_bar": 1, "L_c": 1, "M": 1, "m_x": 1, "rho": 1},
    ),
}  # fmt: skip
"""For every assumption an instance that meets all others and not this one."""

PROPERTY = Property(
    slug="depth/euler-pathwise",
    space=FLOW,
    check=check,
    family="flow",
    exhibits=(
        Exhibit("rising velocity", lambda: worst(16)),
        Exhibit("rising velocity, deep", lambda: {"closed-form": worst(1024)["closed-form"]}),
        Exhibit("three terms", three_terms),
        exhibit("schedule", lambda: by_schedule(Fraction(0), Fraction(2), Fraction(3), 3), both),
        exhibit("falling schedule", lambda: by_schedule(Fraction(1), Fraction(-2), Fraction(3), 3), both),
        exhibit("control", lambda: by_control(Fraction(2), Fraction(3), 4), both),
        exhibit("one layer", lambda: by_control(Fraction(2), Fraction(3), 1), both),
        exhibit("linear", lambda: growing(3), both),
        exhibit("steep schedule", lambda: growing(3, zeta=4), both),
        exhibit("decay", lambda: growing(3, zeta=-1), both),
        exhibit("no depth", lambda: growing(3, T=0), both),
        exhibit("no schedule", lambda: growing(3, zeta=0), both),
        exhibit("zero field", lambda: growing(3, start=0), both),
        *(Exhibit(f"grim reaper, bT = {bT:g}", lambda bT=bT: reaper(bT, 64)) for bT in (0.5, 1.0, 2.0, 4.0)),
    ),
    sharp={"recursion": "rising velocity", "closed-form": "rising velocity, deep", "velocity": "three terms"},
    needs={name: dropping(line, both, PREMISES) for name, line in LINES.items()},
    real=lambda: trained.stacked([batches(found) for found in trained.flows()]),
)


@given(FLOW.strategy())
def test_holds(descriptor: Descriptor) -> None:
    checking.assert_holds(PROPERTY, descriptor)


def test_exhibits_hold() -> None:
    checking.assert_exhibits_hold(PROPERTY)


def test_sharp() -> None:
    checking.assert_sharp(PROPERTY)


def test_grim_reaper_reaches_its_share_of_the_state_term() -> None:
    # Limits of derivation: sqrt(sinh² + log² cosh)/(e^b − 1); at K = 256 the relative distance is O(bT/K) < 2 %.
    for bT, limit in ((0.5, 0.8243), (1.0, 0.7290), (2.0, 0.6044), (4.0, 0.5129)):
        reached = checking.judged(PROPERTY, reaper(bT, 256))["recursion"].ratio[0]
        assert abs(reached / limit - 1) < 0.02, (bT, reached)


def test_every_assumption_has_its_need() -> None:
    checking.assert_every_assumption_has_its_need(PROPERTY)


def test_needs_inputs_bounded() -> None:
    checking.assert_need(PROPERTY, "inputs-bounded")


def test_needs_field_growth() -> None:
    checking.assert_need(PROPERTY, "field-growth")


def test_needs_schedule_bounded() -> None:
    checking.assert_need(PROPERTY, "schedule-bounded")


def test_needs_schedule_lipschitz() -> None:
    checking.assert_need(PROPERTY, "schedule-lipschitz")


def test_needs_control_admissible() -> None:
    checking.assert_need(PROPERTY, "control-admissible")


def test_needs_control_lipschitz() -> None:
    checking.assert_need(PROPERTY, "control-lipschitz")


def test_needs_field_bounded() -> None:
    checking.assert_need(PROPERTY, "field-bounded")


def test_needs_field_lipschitz() -> None:
    checking.assert_need(PROPERTY, "field-lipschitz")


def test_needs_field_lipschitz_control() -> None:
    checking.assert_need(PROPERTY, "field-lipschitz-control")


def test_mutants_are_caught() -> None:
    mutants.assert_mutants_are_caught(PROPERTY)
