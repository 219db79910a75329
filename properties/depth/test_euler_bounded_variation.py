"""Euler's error for controls and schedules with jumps, checked: on and off the grid, and values only layers see."""

from fractions import Fraction

from properties.checking import Batch, Exhibit, Property
from properties.depth import trained
from properties.depth.line import Line, constant, dropping, exhibit
from properties.depth.problems import DROPPED, by_control, by_schedule, growing, unseen
from properties.descriptor import Descriptor
from properties.instances import JUMPS, Flows, flows
from properties.suite import suite

CONSTANTS = ("zeta_bar", "L_zeta", "V_zeta", "L_c", "V_theta", "M", "L_x", "L_theta")
PREMISES = (
    "inputs-bounded", "field-growth", "schedule-bounded", "schedule-bounded-variation", "control-admissible",
    "control-bounded-variation", "field-bounded", "field-lipschitz", "field-lipschitz-control",
)  # fmt: skip


def batches(found: Flows) -> dict[str, Batch]:
    """Return the depth errors of a batch."""
    measured, error = found.depth_errors()
    batch = Batch(measured, error, found.constants.named(*CONSTANTS) | {"K": found.K, "T": found.T})
    return {"recursion": batch, "closed-form": batch}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the batches of a descriptor."""
    return batches(flows(descriptor))


def both(line: Line, *names: str) -> dict[str, Batch]:
    """Return the errors of a line problem for both bounds."""
    batch = line.batch(line.error, *(names or CONSTANTS))
    return {"recursion": batch, "closed-form": batch}


def both_jump(K: int) -> dict[str, Batch]:
    """Return an instance where schedule and control jump as soon as the first layer has read them, then v = v_0 + A t.

    ``F = b x + 2θ`` from 0. What the two jumps do to v falls short of what the bound adds up by ``2 V_θ V_ζ``, and F
    rises above its value after the jump by ``A T/ζ̄``: one part in a thousand each.
    """
    T, before, after, pushed, still = (Fraction(x) for x in (Fraction(3, 2), 1000, 1001, 1001, 1000))
    start, A, b = after * pushed, Fraction(700), Fraction(1, 1001)

    def flow(t: Fraction) -> Fraction:
        return start * t + A * t * t / 2

    line = Line(
        lambda x, c: b * x + 2 * c,
        lambda t: after if t else before,
        lambda t: ((start + A * t) / after - b * flow(t) if t else still) / 2,
        flow,
        T,
        K,
        {
            "zeta_bar": after, "V_zeta": after - before, "V_theta": (pushed - still) / 2, "M": pushed + A * T / after,
            "L_x": b, "L_theta": 2, "A": A,
        },
    )  # fmt: skip
    return both(line, "zeta_bar", "V_zeta", "V_theta", "M", "L_x", "L_theta", "A")


def late(kind: str, K: int) -> Line:
    """Return a slope and a jump just after 0, of the control (``F = θ``) or the schedule (``F = 3``): exact, b = 0."""
    slope, jump, T = Fraction(2), Fraction(5), Fraction(3)
    top = slope * T + jump

    def path(t: Fraction) -> Fraction:
        return slope * t + jump if t else Fraction(0)

    def passed(t: Fraction) -> Fraction:
        return slope * t * t / 2 + jump * t

    if kind == "control":
        claimed = {"zeta_bar": 1, "L_c": slope, "V_theta": jump, "L_theta": 1, "M": top, "m_x": top, "rho": top}
        return Line(lambda x, c: c, constant(1), path, passed, T, K, claimed)
    claimed = {"zeta_bar": top, "L_zeta": slope, "V_zeta": jump, "M": 3, "m_x": 3}
    return Line(lambda x, c: Fraction(3), path, constant(0), lambda t: 3 * passed(t), T, K, claimed)


def stairs(K: int) -> Line:
    """Return a control constant on the cells: jumps at grid times are free, and the error is 0."""
    T = Fraction(2)

    def control(t: Fraction) -> Fraction:
        return Fraction(min(int(t * K / T), K - 1) % 2)

    def flow(t: Fraction) -> Fraction:
        whole = int(t * K / T)
        return sum((control(T * j / K) * T / K for j in range(whole)), Fraction(0)) + control(t) * (t - whole * T / K)

    return Line(
        lambda x, c: c, constant(1), control, flow, T, K,
        {"zeta_bar": 1, "L_theta": 1, "M": 1, "m_x": 1, "rho": 1},
    )  # fmt: skip


LINES = {
    **{name: line for name, line in DROPPED.items() if name in PREMISES},
    "schedule-bounded-variation": unseen("schedule"),
    "control-bounded-variation": unseen("control"),
}
"""For every assumption an instance that meets all others and not this one."""

PROPERTY = Property(
    slug="depth/euler-bounded-variation",
    space=JUMPS,
    check=check,
    exhibits=(
        Exhibit("both jump", lambda: both_jump(16)),
        Exhibit("both jump, deep", lambda: {"closed-form": both_jump(1024)["closed-form"]}),
        exhibit("late control", lambda: late("control", 4), both, PREMISES),
        exhibit("late schedule", lambda: late("schedule", 4), both, PREMISES),
        exhibit("jumps at grid times", lambda: stairs(5), both, PREMISES),
        exhibit("smooth schedule", lambda: by_schedule(Fraction(0), Fraction(2), Fraction(3), 3), both, PREMISES),
        exhibit("smooth control", lambda: by_control(Fraction(2), Fraction(3), 1), both, PREMISES),
        exhibit("linear", lambda: growing(3), both, PREMISES),
        exhibit("steep schedule", lambda: growing(3, zeta=4), both, PREMISES),
        exhibit("decay", lambda: growing(3, zeta=-1), both, PREMISES),
        exhibit("no depth", lambda: growing(3, T=0), both, PREMISES),
        exhibit("zero field", lambda: growing(3, start=0), both, PREMISES),
    ),
    sharp={"recursion": "both jump", "closed-form": "both jump, deep"},
    needs={name: dropping(line, both, PREMISES) for name, line in LINES.items()},
    real=lambda: trained.stacked([batches(found) for found in trained.flows(cells=True)]),
)
TestTheorem = suite(PROPERTY)


def test_jumps_at_grid_times_are_free() -> None:
    line = stairs(6)
    assert line.claimed.get("V_theta", 0) == 0
    assert line.met("control-bounded-variation")
    assert line.error == 0


def test_a_late_jump_costs_its_variation() -> None:
    late_jump = late("control", 4)
    assert late_jump.error == late_jump.T / 4 * (
        late_jump.claimed["V_theta"] + late_jump.claimed["L_c"] * late_jump.T / 2
    )
