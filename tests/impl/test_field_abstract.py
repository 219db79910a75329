"""Abstract fields: their constants hold and are attained, their exact flows solve the equation."""

import math
from dataclasses import fields
from fractions import Fraction

import mpmath
import pytest
import torch
from torch.func import jacrev, vmap

from impl.errors import ShapeMismatch
from impl.field.abstract import (
    GrimReaperField,
    LinearField,
    LogisticField,
    QuadraticBlowUpField,
    RotatingField,
    SaturatingField,
    TimeDrivenField,
    ZeroField,
)
from impl.field.base import Field
from impl.field.known import KnownField, plus, root, times
from spec.language.errors import OutOfRange

FIELDS = [
    LinearField(n=3, d=2, growth=Fraction(1, 4), radius=2),
    LinearField(n=3, d=2, growth=-1.5, shared=True, control_radius=Fraction(1, 2)),
    TimeDrivenField(n=2, d=2),
    ZeroField(n=2, d=3),
    RotatingField(n=2, d=4, speed=0.75),
    SaturatingField(bound=0.5, slope=2.0, radius=3),
    LogisticField(radius=Fraction(3, 2)),
    QuadraticBlowUpField(radius=2),
    GrimReaperField(bound=0.75, slope=1.25, radius=2),
]
EVERY = pytest.mark.parametrize("field", FIELDS, ids=lambda field: type(field).__name__)
ROUNDED = 1 + 1e-9
"""A slack of 1e-9: the quotients below divide roundings of 1e-16 by differences of at least 1e-5 or so."""


def samples(draw, field):
    """States and controls in the class, half of them at its boundary."""
    x, theta = draw(4000, field.tokens, field.width), draw(4000, field.parameter_count)
    share = torch.linspace(0, 2, 4000, dtype=torch.float64).clamp(max=1)
    x = x / x.norm(dim=-1, keepdim=True) * float(field.radius) * share[:, None, None]
    theta = theta / theta.norm(dim=-1, keepdim=True) * float(field.control_radius) * share.flip(0)[:, None]
    return x, theta


@EVERY
def test_constants_hold(draw, field):
    assert isinstance(field, Field)
    x, theta = samples(draw, field)
    known = field.constants
    value = field(x, theta)
    assert value.shape == x.shape
    assert float(value.flatten(1).norm(dim=1).max()) <= float(known["M"]) * ROUNDED
    growth = float(known["g"]) * x.norm(dim=-1).amax(1) + float(known["m_0"])
    assert bool((value.norm(dim=-1).amax(1) <= growth * ROUNDED).all())
    step, push = (x - x.roll(1, 0)).flatten(1).norm(dim=1), (theta - theta.roll(1, 0)).norm(dim=1)
    moved = (value - field(x.roll(1, 0), theta)).flatten(1).norm(dim=1)
    assert bool((moved <= float(known["L_x"]) * ROUNDED * step).all())
    driven = (value - field(x, theta.roll(1, 0))).flatten(1).norm(dim=1)
    assert bool((driven <= float(known["L_theta"]) * ROUNDED * push).all())


@EVERY
def test_constants_are_attained(draw, field):
    x, theta = samples(draw, field)
    x = torch.cat([x, torch.zeros_like(x[:1]), -torch.ones_like(x[:1]) * float(field.radius) / field.width**0.5])
    x = torch.cat([x, -x[-1:]])
    theta = torch.cat([theta, theta[:3]])
    known = field.constants
    slopes = vmap(jacrev(field))(x, theta).flatten(3).flatten(1, 2)
    steepest = float(torch.linalg.matrix_norm(slopes, 2).max())
    assert steepest >= 0.999 * float(known["L_x"])
    driven = vmap(jacrev(field, argnums=1))(x, theta).flatten(1, 2)
    assert float(torch.linalg.matrix_norm(driven, 2).max()) >= 0.999 * float(known["L_theta"])
    if not isinstance(field, LinearField | SaturatingField):  # θ must be aligned with x, and tanh stays below its bound
        assert float(field(x, theta).flatten(1).norm(dim=1).max()) >= 0.999 * float(known["M"])


@EVERY
def test_curvature_is_known(field):
    known = field.constants
    assert known["L_xtheta"] == known["L_thetatheta"] == 0
    if field.width > 1:
        assert known["L_xx"] == (math.inf if isinstance(field, GrimReaperField) else 0)
    else:
        assert known["L_xx"] >= 0


@pytest.mark.parametrize("field", [field for field in FIELDS if field.width == 1], ids=str)
def test_curvature_holds_and_is_attained_on_the_line(field):
    known = field.constants
    x = torch.linspace(-float(field.radius), float(field.radius), 20_001, dtype=torch.float64).requires_grad_()
    value = field(x[:, None, None], torch.zeros(20_001, 1, dtype=torch.float64))
    (slope,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope.sum(), x)
    assert 0.999 * float(known["L_xx"]) <= float(bend.abs().max()) <= float(known["L_xx"]) * ROUNDED


GROWTH = {
    LinearField: [(Fraction(1, 4), 1), (Fraction(3, 2), Fraction(1, 2))],
    TimeDrivenField: [(0, 1)],
    ZeroField: [(0, 0)],
    RotatingField: [(Fraction(3, 4), 0)],
    SaturatingField: [(0, Fraction(1, 2))],
    LogisticField: [(Fraction(5, 2), 0)],
    QuadraticBlowUpField: [(2, 0)],
    GrimReaperField: [(0, Fraction(3, 4))],
}


@EVERY
def test_growth_is_the_least_of_its_form(field):
    known = field.constants
    assert (known["g"], known["m_0"]) in GROWTH[type(field)]


@pytest.mark.parametrize(
    ("field", "x", "theta", "size"),
    [
        (LinearField(n=4, growth=-0.5), 2.0, 3.0, 8.0),
        (TimeDrivenField(n=4), 2.0, 3.0, 6.0),
        (ZeroField(n=4), 2.0, 3.0, 0.0),
        (RotatingField(n=4, speed=-0.75), 2.0, 3.0, 3.0),
        (SaturatingField(bound=0.5, slope=2), 0.125, 3.0, 0.25),
        (SaturatingField(bound=0.5, slope=2), 4.0, 3.0, 0.5),
        (LogisticField(), 3.0, 3.0, 12.0),
        (QuadraticBlowUpField(), 3.0, 3.0, 9.0),
        (GrimReaperField(bound=0.5, slope=2), 0.25, 3.0, 1 + 3 * math.e),
    ],
)
def test_magnitudes_are_sums_of_absolute_values(field, x, theta, size):
    assert field.magnitude(x, theta) == pytest.approx(size, rel=1e-15)


ONE = Fraction(1)
DEFAULTS = {
    LinearField: {"n": 1, "d": 1, "growth": ONE, "shared": False},
    TimeDrivenField: {"n": 1, "d": 1, "growth": 0, "shared": False},
    ZeroField: {"controls": 1, "n": 1, "d": 1},
    RotatingField: {"controls": 1, "n": 1, "d": 2, "speed": ONE},
    SaturatingField: {"controls": 1, "bound": ONE, "slope": ONE},
    LogisticField: {"controls": 1},
    QuadraticBlowUpField: {"controls": 1},
    GrimReaperField: {"controls": 1, "bound": ONE, "slope": ONE},
}


@pytest.mark.parametrize("kind", DEFAULTS, ids=lambda kind: kind.__name__)
def test_fields_are_of_size_one_unless_told(kind):
    assert {part.name: part.default for part in fields(kind)} == {"radius": 1, "control_radius": 1, **DEFAULTS[kind]}
    with pytest.raises(AttributeError):
        kind().radius = 2


ROUNDINGS = {
    LinearField: 3,  # b, product, sum
    TimeDrivenField: 0,
    ZeroField: 0,
    RotatingField: 2,  # b, product
    SaturatingField: 13,  # L/M and its product 3, tanh 8, M and its product 2
    LogisticField: 2,  # difference, product
    QuadraticBlowUpField: 1,  # product
    GrimReaperField: 74,  # the angle 64, its cosine 8, M and its product 2
}


def test_roundings_are_those_of_the_kernel():
    assert {kind: kind.roundings for kind in ROUNDINGS} == ROUNDINGS


def test_linear_bounds_are_attained_by_aligned_controls():
    field = LinearField(n=4, d=1, growth=0.5, radius=2)
    x, theta = torch.full((4, 1), 2.0, dtype=torch.float64), torch.full((4,), 0.5, dtype=torch.float64)
    assert field.constants["M"] == 3
    assert float(field(x, theta).norm()) == 3


STARTS = {SaturatingField: 0.3, LogisticField: 0.2, QuadraticBlowUpField: 0.5}


@EVERY
def test_exact_flows_solve_the_equation(draw, field):
    x = draw(4, 3, field.tokens, field.width).abs() * STARTS.get(type(field), 1.0)
    x = 0 * x if isinstance(field, GrimReaperField) else x.clamp(max=1)
    theta = draw(4, field.parameter_count)
    assert torch.allclose(field.exact_flow(x, theta, 0.0), x, rtol=0, atol=4e-16)
    h = 1e-3
    for t in (0.2, 0.7):
        early, now, late = (field.exact_flow(x, theta, t + s * h) for s in (-1, 0, 1))
        # Central differences: h²/6 times the third derivative, which is below 200 at these starts.
        assert float(((late - early) / (2 * h) - field(now, theta)).abs().max()) <= h * h / 6 * 200
        assert float(((late - now) / h - field(now, theta)).abs().max()) > 1e-9 or isinstance(
            field, TimeDrivenField | ZeroField
        )


def test_blow_up_is_infinite():
    x = torch.tensor([[[2.0]]], dtype=torch.float64)
    assert math.isinf(float(QuadraticBlowUpField().exact_flow(x, x[0], 0.5)))
    assert float(QuadraticBlowUpField().exact_flow(x, x[0], 0.25)) == 4.0
    assert float(LogisticField().exact_flow(-x, x[0], 1.0)) == -math.inf


def test_the_reaper_reaches_its_euler_ratios():
    field, steps = GrimReaperField(), 512
    totals = torch.tensor([0.5, 1.0, 2.0, 4.0], dtype=torch.float64)
    path, theta = torch.zeros(4, 1, 1, 2, dtype=torch.float64), torch.zeros(4, 1, dtype=torch.float64)
    for _ in range(steps):
        path = path + (totals / steps)[:, None, None, None] * field(path, theta)
    ends = torch.stack([field.exact_flow(path[0] * 0, theta[0], float(total)) for total in totals])
    ratio = (path - ends).flatten(1).norm(dim=1) / (0.5 * totals / steps * totals.expm1())
    # In the curve's frame the error per step tends to ½(sinh, log cosh); what follows is of first order in the step.
    limit = (totals.sinh().square() + totals.cosh().log().square()).sqrt() / totals.expm1()
    assert bool(((ratio - limit).abs() <= 2 * totals / steps).all())
    assert bool((ratio > torch.tensor([0.82, 0.72, 0.60, 0.50])).all())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_reaper_finds_the_supremum(draw, dtype):
    field = GrimReaperField()
    x = torch.cat([2 * draw(60, 1, 2), torch.tensor([[[0.0, 0.0]], [[1.0, -math.log(math.cos(1.0))]]]).double()]).to(
        dtype
    )
    value = field(x, torch.zeros(1, dtype=dtype).expand(62, 1))
    unit = torch.finfo(dtype).eps / 2
    with mpmath.workdps(30):
        for point, found in zip(x, value, strict=True):
            a, b = (mpmath.mpf(float(c)) for c in point[0])

            def gain(phi, a=a, b=b):
                return phi - mpmath.hypot(phi - a, -mpmath.log(mpmath.cos(phi)) - b)

            low, high = mpmath.mpf(0), mpmath.pi / 2 - mpmath.mpf(10) ** -25
            for _ in range(140):  # golden sections: the function rises, then falls
                left, right = high - (high - low) * 0.6180339887498949, low + (high - low) * 0.6180339887498949
                low, high = (left, high) if gain(left) < gain(right) else (low, right)
            angle = max(gain(low), gain((low + high) / 2), gain(high))
            # The field's own allowance; the golden section's 1e-12 (f is flat there) is added.
            size = field.magnitude(float(point.norm()), 0.0) * field.roundings * unit + 1e-12
            error = mpmath.hypot(float(found[0, 0]) - mpmath.cos(angle), float(found[0, 1]) - mpmath.sin(angle))
            assert error <= size


def test_the_reaper_follows_its_curve_only():
    field, theta = GrimReaperField(), torch.zeros(1, dtype=torch.float64)
    with pytest.raises(OutOfRange, match="start on the curve"):
        field.exact_flow(torch.ones(1, 1, 2, dtype=torch.float64), theta, 1.0)
    for wrong in ({"bound": 0}, {"slope": math.inf}):
        with pytest.raises(OutOfRange):
            GrimReaperField(**wrong)
    assert math.isinf(field.magnitude(1e3, 0.0))


def test_a_known_field_has_constants():
    parts = {"width": 1, "parameter_count": 1, "kernel": lambda self, x, theta: x}
    whole = type("Whole", (KnownField,), parts | {"constants": {}})()
    assert (whole.tokens, whole.roundings, whole.magnitude(2.0, 3.0)) == (1, 0, 0.0)
    with pytest.raises(TypeError, match="constants"):
        type("Partial", (KnownField,), parts)()


def test_sizes_are_checked():
    for build in (
        lambda: LinearField(n=0),
        lambda: LinearField(radius=-1),
        lambda: RotatingField(d=3),
        lambda: SaturatingField(slope=0),
        lambda: TimeDrivenField(growth=1),
    ):
        with pytest.raises(ShapeMismatch):
            build()


def test_roots_are_exact_or_above():
    assert root(Fraction(9, 16)) == Fraction(3, 4)
    assert isinstance(root(Fraction(9, 16)), Fraction)
    for n in range(2, 200):
        assert Fraction(root(Fraction(n))) ** 2 >= n
        assert float(root(Fraction(n))) <= math.sqrt(n) * (1 + 2**-50)
    third = 1 / 3
    assert Fraction(times(third, Fraction(1, 3))) >= Fraction(third) / 3
    assert Fraction(plus(third, Fraction(1, 3))) >= Fraction(third) + Fraction(1, 3)
    assert times(third, Fraction(0)) == 0
