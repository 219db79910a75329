"""Euler's error along trajectories, checked: every layer and particle against the reference flow; exact worst cases."""

from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import torch

from impl.control import grid
from impl.field.abstract import GrimReaperField
from impl.flow import depth_error, transformer
from impl.rounding import field_rounding
from properties import checking
from properties.checking import Batch, Exhibit, Property
from properties.depth import trained
from properties.depth.line import Line, dropping, exhibit
from properties.depth.problems import CONSTANTS, DROPPED, PREMISES, by_control, by_schedule, growing, rising
from properties.descriptor import Descriptor
from properties.flow_constants import Floats, up
from properties.instances import FLOW, SUBSTEPS, TOLERANCE, Flows, flows
from properties.suite import suite


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
    velocity = (zeta * found.field(found.flow.states, theta)).flatten(-2)
    radii, tokens = found.flow.states.norm(dim=-1).amax((-1, -2)), found.flow.states.shape[-2]
    norms = {name: torch.from_numpy(norm).unsqueeze(1) for name, norm in constants.norms.items()}
    rounding = field_rounding(found.field, tokens, radii, norms, torch.float64)
    slope, sup, bound = (torch.from_numpy(getattr(constants, n)) for n in ("L_x", "zeta_bar", "M"))
    carried = (slope[:, None] * found.flow.errors.amax(-1) + rounding).amax(1)
    error = sup * (carried + 4 * torch.finfo(torch.float64).eps * bound)
    step = found.T / found.K
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


PROPERTY = Property(
    slug="depth/euler-pathwise",
    space=FLOW,
    check=check,
    family="flow",
    exhibits=(
        Exhibit("rising velocity", lambda: worst(16)),
        Exhibit("rising velocity, deep", lambda: {"closed-form": worst(1024)["closed-form"]}),
        Exhibit("three terms", three_terms),
        exhibit("schedule", lambda: by_schedule(Fraction(0), Fraction(2), Fraction(3), 3), both, PREMISES),
        exhibit("falling schedule", lambda: by_schedule(Fraction(1), Fraction(-2), Fraction(3), 3), both, PREMISES),
        exhibit("control", lambda: by_control(Fraction(2), Fraction(3), 4), both, PREMISES),
        exhibit("one layer", lambda: by_control(Fraction(2), Fraction(3), 1), both, PREMISES),
        exhibit("linear", lambda: growing(3), both, PREMISES),
        exhibit("steep schedule", lambda: growing(3, zeta=4), both, PREMISES),
        exhibit("decay", lambda: growing(3, zeta=-1), both, PREMISES),
        exhibit("no depth", lambda: growing(3, T=0), both, PREMISES),
        exhibit("no schedule", lambda: growing(3, zeta=0), both, PREMISES),
        exhibit("zero field", lambda: growing(3, start=0), both, PREMISES),
        *(Exhibit(f"grim reaper, bT = {bT:g}", partial(reaper, bT, 64)) for bT in (0.5, 1.0, 2.0, 4.0)),
    ),
    sharp={"recursion": "rising velocity", "closed-form": "rising velocity, deep", "velocity": "three terms"},
    needs={name: dropping(line, both, PREMISES) for name, line in DROPPED.items()},
    real=lambda: trained.stacked([batches(found) for found in trained.flows()]),
)
TestTheorem = suite(PROPERTY)


def test_grim_reaper_reaches_its_share_of_the_state_term() -> None:
    # Limits of derivation: sqrt(sinh² + log² cosh)/(e^b − 1); at K = 128 the relative distance is O(bT/K) < 2 %.
    for bT, limit in ((0.5, 0.8243), (1.0, 0.7290), (2.0, 0.6044), (4.0, 0.5129)):
        reached = checking.judged(PROPERTY, reaper(bT, 128))["recursion"].ratio[0]
        assert abs(reached / limit - 1) < 0.02, (bT, reached)


def test_measured_sides_are_the_depth_error_of_impl() -> None:
    found = flows(PROPERTY.descriptor(0, 0))
    start = found.layers[:, 0]
    assert 16 * found.T > found.K  # else the instance's reference is of another order than depth_error's
    parts = (found.field, found.control, found.schedule, start, found.K, found.T)
    same = depth_error(*parts, tolerance=TOLERANCE, max_substeps=SUBSTEPS)
    assert np.array_equal(found.depth_errors()[0], same.value.numpy())
