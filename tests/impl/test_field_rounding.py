"""The rounding allowances: their assumptions are probed with 40 digits, their bounds by lower precisions."""

import math

import mpmath
import pytest
import torch

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
from impl.field.activation import ACTIVATIONS
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.rounding import (
    ACTIVATION,
    SLOPE,
    ULPS,
    directed,
    field_rounding,
    gamma,
    singular_value_rounding,
    unit_roundoff,
)

LIBRARY = {"exp": mpmath.exp, "tanh": mpmath.tanh}
EXACT = {
    "tanh": mpmath.tanh,
    "gelu": lambda a: a * mpmath.ncdf(a),
    "gelu-tanh": lambda a: a * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (a + mpmath.mpf(0.044715) * a**3))) / 2,
    "silu": lambda a: a / (1 + mpmath.exp(-a)),
    "relu": lambda a: max(a, mpmath.mpf(0)),
}


def points(draw, dtype: torch.dtype) -> torch.Tensor:
    """Arguments over many scales, both signs, exact in the precision."""
    scale = torch.logspace(-6, 1.5, 150, dtype=torch.float64)
    return torch.cat([scale, -scale, 3 * draw(200)]).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", LIBRARY)
def test_library_functions_err_by_few_units(draw, name, dtype):
    arguments = points(draw, dtype)
    values = getattr(torch, name)(arguments)
    with mpmath.workdps(40):
        exact = [LIBRARY[name](mpmath.mpf(float(a))) for a in arguments]
        errors = [abs(mpmath.mpf(float(v)) - e) / abs(e) for v, e in zip(values, exact, strict=True)]
        crude = [
            abs(mpmath.mpf(float(v)) * (1 + 16 * unit_roundoff(dtype)) - e) / abs(e)
            for v, e in zip(values, exact, strict=True)
        ]
    assert max(errors) <= 2 * ULPS * unit_roundoff(dtype)
    assert max(crude) > 2 * ULPS * unit_roundoff(dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_err_by_few_roundings(draw, name, dtype):
    arguments = points(draw, dtype)
    values = ACTIVATIONS[name](arguments)
    with mpmath.workdps(40):
        wide = [mpmath.mpf(float(a)) for a in arguments]
        errors = [abs(mpmath.mpf(float(v)) - EXACT[name](a)) / abs(a) for v, a in zip(values, wide, strict=True)]
    assert max(errors) <= ACTIVATION * unit_roundoff(dtype)


def test_a_cancelling_tanh_is_refused(draw):
    arguments = points(draw, torch.float64)
    growth = torch.exp(2 * arguments.clamp(max=20))
    values = (growth - 1) / (growth + 1)
    with mpmath.workdps(40):
        exact = [mpmath.tanh(mpmath.mpf(float(a))) for a in arguments]
        errors = [abs(mpmath.mpf(float(v)) - e) / abs(e) for v, e in zip(values, exact, strict=True)]
    assert max(errors) > 2 * ULPS * unit_roundoff(torch.float64)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_vanish_at_zero_and_are_no_steeper_than_assumed(name):
    x = torch.linspace(-6, 6, 4001, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(ACTIVATIONS[name](x).sum(), x)
    assert float(ACTIVATIONS[name](torch.zeros((), dtype=torch.float64))) == 0
    assert 0.99 < float(slope.abs().max()) < SLOPE


def test_gamma_is_directed_and_saturates():
    assert gamma(1) > 2.0**-53
    assert gamma(3, torch.float32) >= 3 * 2.0**-24 / (1 - 3 * 2.0**-24)
    assert math.isinf(gamma(256, torch.bfloat16))
    assert not math.isinf(gamma(255, torch.bfloat16))
    one = torch.ones((), dtype=torch.float64)
    assert float(directed(one, 4)) > 1
    assert float(directed(0 * one, 4)) > 0


KNOWN = [
    LinearField(n=3, d=2, growth=0.3),
    LinearField(n=3, d=2, growth=-1.7, shared=True),
    TimeDrivenField(n=2, d=2),
    ZeroField(n=2, d=3),
    RotatingField(n=2, d=4, speed=0.7),
    SaturatingField(bound=0.3, slope=1.9),
    LogisticField(),
    QuadraticBlowUpField(),
    GrimReaperField(bound=0.7, slope=1.3),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("field", KNOWN, ids=lambda field: type(field).__name__)
def test_abstract_fields_stay_within_their_allowance(draw, field, dtype):
    x, theta = draw(50, 1, field.tokens, field.width, dtype=dtype), draw(50, field.parameter_count, dtype=dtype)
    low, high = field(x, theta), field(x.double(), theta.double())
    assert low.dtype == dtype
    norms = {"theta": theta.double().norm(dim=-1)}
    bound = field_rounding(field, field.tokens, x.double().norm(dim=-1).amax((1, 2)), norms, dtype)
    error = (low.double() - high).flatten(1).norm(dim=1)
    assert bound.shape == error.shape
    assert bool((error <= bound).all())
    exact = isinstance(field, TimeDrivenField | ZeroField)
    assert bool((bound == 0).all()) == exact
    if not exact and dtype == torch.float32:
        assert bool((error > bound / 1000).any())  # a thousandth of it would be refuted


def test_allowances_are_infinite_where_nothing_is_guaranteed(draw):
    layout = Layout(256, 1, 2, 0)
    norms = block_norms(layout, draw(layout.parameter_count))
    field = TransformerField(layout)
    assert math.isinf(float(field_rounding(field, 4, 1.0, norms, torch.bfloat16)))
    assert float(field_rounding(field, 4, 1.0, norms, torch.float64)) < 1e-6


def test_zero_blocks_have_no_error():
    layout = Layout(4, 2, 2, 8)
    norms = block_norms(layout, torch.zeros(layout.parameter_count, dtype=torch.float64))
    assert float(field_rounding(TransformerField(layout), 4, 3.0, norms, torch.float64)) <= 1e-300


def test_unknown_fields_have_no_allowance():
    with pytest.raises(NotImplementedError, match="derive one"):
        field_rounding(object(), 1, 1.0, {}, torch.float64)  # type: ignore[arg-type]


def normalised(norm, radius, exact_gamma):
    """Bound of the normalised tokens and their relative error."""
    d = len(norm.gain)
    steepest, scaling = mpmath.mpf(float(norm.gain.abs().max())), exact_gamma(d + 6 + 2 * 4)
    if isinstance(norm, RMSNorm):
        return steepest * mpmath.sqrt(d), scaling
    size = steepest * mpmath.sqrt(d) + mpmath.norm(mpmath.matrix(norm.shift.tolist()))
    centred = 2 * exact_gamma(d + 2) * radius * steepest / mpmath.sqrt(norm.eps_norm)
    more = exact_gamma(d + 6 + 2 * 4 + 2)
    return size, (centred * (1 + more) + more * size) / size


def derived(field, n, radius, norms, dtype):
    """The allowance of one instance as its derivation reads, in 40 digits."""
    layout, u = field.layout, mpmath.mpf(torch.finfo(dtype).eps) / 2
    d, k, m = layout.width, layout.head_width, layout.hidden

    def g(terms):
        return terms * u / (1 - terms * u)

    radius, iota, error, size = mpmath.mpf(radius), mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
    if field.normalisation is not None:
        radius, iota = normalised(field.normalisation, radius, g)
    for h in range(layout.heads):
        query, key, value, output = (mpmath.sqrt(min(d, k)) * float(norms[name][h]) for name in "QKVO")
        scores = query * key * radius**2 / mpmath.sqrt(k)
        delta = ((1 + g(2 * d + k + 2)) * (1 + iota) ** 2 - 1) * scores
        eta = delta + 2 * u * (scores + delta)
        weight = mpmath.exp(2 * eta) * (1 + g(4 * 4 + 2 * n + 2)) - 1 + n * mpmath.mpf(torch.finfo(dtype).tiny)
        lost = ((1 + weight) * (1 + g(d + layout.heads * k + n + 1)) * (1 + iota) - 1) * output * value * radius
        error, size = error + lost, size + lost + output * value * radius
    if m:
        w1, w2 = (mpmath.sqrt(min(d, m)) * float(norms[name]) for name in ("W1", "W2"))
        before = w1 * radius + float(norms["b1"])
        before_error = ((1 + g(d + 1)) * (1 + iota) - 1) * before
        after_error = mpmath.mpf(1.13) * before_error + 16 * u * (before + before_error)
        after = mpmath.mpf(1.13) * before + after_error
        last = w2 * after + float(norms["b2"])
        lost = w2 * after_error + g(m + 1) * last
        error, size = error + lost, size + lost + last
    return mpmath.sqrt(n) * (error * (1 + u) + size * u)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("layout", [Layout(4, 2, 3, 6), Layout(3, 3, 5, 2), Layout(3, 2, 2, 0), Layout(3, 0, 0, 5)])
@pytest.mark.parametrize("normalisation", [None, "rms", "layer"])
def test_transformers_are_allowed_what_is_derived(draw, dtype, layout, normalisation):
    gain, shift = draw(layout.width), draw(layout.width)
    norm = {None: None, "rms": RMSNorm(gain, 0.125), "layer": LayerNorm(gain, shift, 0.125)}[normalisation]
    field, radius = TransformerField(layout, normalisation=norm), torch.tensor([0.5, 1.5], dtype=torch.float64)
    norms = block_norms(layout, draw(2, layout.parameter_count) / 4)
    found = field_rounding(field, 5, radius, norms, dtype)
    assert found.shape == (2,)
    with mpmath.workdps(40):
        for i in range(2):
            one = derived(field, 5, float(radius[i]), {name: each[i] for name, each in norms.items()}, dtype)
            # Directed by at most some thousand roundings in float64.
            assert one <= float(found[i]) <= one * (1 + 2.0**-40)


@pytest.mark.parametrize("field", KNOWN, ids=lambda field: type(field).__name__)
def test_abstract_fields_are_allowed_their_roundings(field):
    pairs = [(0.5, 2.0), (1.5, 0.25)]
    radius, theta = torch.tensor(pairs, dtype=torch.float64).unbind(1)
    found = field_rounding(field, field.tokens, radius, {"theta": theta}, torch.float32)
    expected = [field.magnitude(*pair) * gamma(field.roundings, torch.float32) for pair in pairs]
    for one, exact in zip(found.tolist(), expected, strict=True):
        assert exact <= one <= exact * (1 + 2.0**-40) + (2e-308 if exact else 0)
    shared = field_rounding(field, field.tokens, 0.5, {"theta": theta[:1]}, torch.float32)
    assert shared.tolist() == found[:1].tolist()


def test_a_constant_normalisation_is_exact():
    zero = torch.zeros(4, dtype=torch.float64)
    layout = Layout(4, 0, 0, 3)
    norms = block_norms(layout, torch.zeros(layout.parameter_count, dtype=torch.float64))
    field = TransformerField(layout, normalisation=LayerNorm(zero, zero))
    assert float(field_rounding(field, 4, 3.0, norms, torch.float64)) <= 1e-300
    unknown = TransformerField(layout, normalisation=type("Identity", (), {"width": 4, "kernel": lambda self, x: x})())
    with pytest.raises(NotImplementedError, match="derive one"):
        field_rounding(unknown, 4, 3.0, norms, torch.float64)


def test_singular_values_are_allowed_twenty_times_the_larger_side():
    assert singular_value_rounding(3, 7, torch.float32) == singular_value_rounding(7, 3, torch.float32)
    assert singular_value_rounding(3, 7, torch.float32) == gamma(140, torch.float32)
    assert singular_value_rounding(3, 7, torch.float64) == gamma(140)
