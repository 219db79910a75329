"""The Transformer field against a loop over instances, heads and queries that shares no code with it."""

import math

import pytest
import torch
from torch import Tensor
from torch.func import jacfwd, jacrev, vmap

from impl.errors import FullyMaskedRow, NotFinite, ShapeMismatch, UnknownActivation
from impl.field.activation import ACTIVATIONS, activation
from impl.field.attention import Mask, attention_first, attention_last, causal
from impl.field.base import Field, KernelField
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms
from impl.field.products import CACHED, is_small, linear_last
from impl.field.transformer import TransformerField
from impl.rounding import field_rounding, gamma

SMALL, LARGE = (Layout(4, 2, 2, 8), 4), (Layout(12, 3, 4, 20), 9)
ATTENTION, MLP, CONSTANT = (Layout(3, 2, 2, 0), 3), (Layout(3, 0, 0, 5), 2), (Layout(3, 0, 0, 0), 2)
LARGE_ATTENTION, LARGE_MLP = (Layout(9, 2, 6, 0), 13), (Layout(9, 0, 0, 20), 9)
EVERY = pytest.mark.parametrize(
    ("layout", "n"), [SMALL, LARGE, ATTENTION, MLP, CONSTANT, LARGE_ATTENTION, LARGE_MLP], ids=str
)


def naive(layout: Layout, x: Tensor, theta: Tensor, sigma: str, visible: Tensor) -> Tensor:
    """One instance, token by token, as the definition reads."""
    blocks = layout.unpack(theta)
    rows = []
    for i in range(x.shape[0]):
        row = torch.zeros_like(x[i])
        for h in range(layout.heads):
            keys = [j for j in range(x.shape[0]) if visible[i, j]]
            query = blocks["Q"][h] @ x[i]
            scores = torch.stack([query @ (blocks["K"][h] @ x[j]) for j in keys]) / math.sqrt(layout.head_width)
            weights = torch.softmax(scores, 0)
            mixed = sum(weights[a] * (blocks["V"][h] @ x[j]) for a, j in enumerate(keys))
            row = row + blocks["O"][h] @ mixed
        if layout.hidden:
            row = row + blocks["W2"] @ activation(sigma)(blocks["W1"] @ x[i] + blocks["b1"]) + blocks["b2"]
        rows.append(row)
    return torch.stack(rows)


def allowance(field: TransformerField, x: Tensor, theta: Tensor, dtype: torch.dtype = torch.float64) -> float:
    """The derived bound of one evaluation's error, at the largest token and control."""
    radius = x.double().norm(dim=-1).max()
    norms = block_norms(field.layout, theta.double())
    return float(field_rounding(field, x.shape[-2], radius, norms, dtype).max())


@EVERY
@pytest.mark.parametrize("masked", ["open", "causal", "padded", "both"])
def test_kernel_equals_the_definition(draw, layout, n, masked):
    keys = torch.ones(2, 3, n, dtype=torch.bool)
    keys[0, :, -1] = False
    pairs = causal(n) if masked in ("causal", "both") else None
    mask = Mask(pairs, keys if masked in ("padded", "both") else None) if masked != "open" else None
    field = TransformerField(layout, "tanh", mask)
    x, theta = draw(2, 3, n, layout.width), draw(2, layout.parameter_count)
    value = field(x, theta)
    for a in range(2):
        for b in range(3):
            visible = torch.ones(n, n, dtype=torch.bool) if pairs is None else pairs
            visible = visible & keys[a, b] if masked in ("padded", "both") else visible
            # Both sides err by at most one allowance each.
            error = (value[a, b] - naive(layout, x[a, b], theta[a], "tanh", visible)).norm()
            assert error <= 2 * allowance(field, x, theta)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_reaches_the_field(draw, name):
    layout, n = SMALL
    field = TransformerField(layout, name)
    x, theta = draw(n, layout.width), draw(layout.parameter_count)
    expected = naive(layout, x, theta, name, torch.ones(n, n, dtype=torch.bool))
    assert (field(x, theta) - expected).norm() <= 2 * allowance(field, x, theta)


def test_a_wrong_scale_is_seen(draw):
    layout, n = SMALL
    field = TransformerField(layout, "tanh")
    x, theta = draw(n, layout.width), draw(layout.parameter_count)
    wrong = naive(layout, x, theta, "gelu", torch.ones(n, n, dtype=torch.bool))
    assert (field(x, theta) - wrong).norm() > 1e6 * allowance(field, x, theta)


def test_both_regimes_are_covered():
    assert is_small(*SMALL)
    assert not any(is_small(*sizes) for sizes in (LARGE, LARGE_ATTENTION, LARGE_MLP))


@EVERY
def test_kernel_and_call_agree_whatever_the_memory(draw, layout, n):
    field = TransformerField(layout)
    assert isinstance(field, Field)
    x, theta = draw(2, 3, n, layout.width), draw(2, layout.parameter_count)
    state, control = x.permute(2, 3, 0, 1), theta.mT.unsqueeze(-1)
    expected = field(x, theta)
    for convert in (Tensor.contiguous, Tensor.clone):
        found = field.kernel(convert(state), convert(control)).permute(2, 3, 0, 1)
        assert found.shape == x.shape
        assert (found - expected).norm() <= 2 * 6**0.5 * allowance(field, x, theta)


@EVERY
def test_particles_merged_with_instances_give_the_same(draw, layout, n):
    field = TransformerField(layout, mask=causal(n))
    x, theta = draw(2, 3, n, layout.width), draw(2, layout.parameter_count)
    merged = field(x.flatten(0, 1), theta.repeat_interleave(3, 0)).unflatten(0, (2, 3))
    assert (merged - field(x, theta)).norm() <= 2 * 6**0.5 * allowance(field, x, theta)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("layout", "n"), [SMALL, LARGE])
@pytest.mark.parametrize("normalisation", [None, "rms", "layer"])
def test_lower_precision_stays_within_its_allowance(draw, dtype, layout, n, normalisation):
    gain, shift = draw(layout.width, dtype=dtype), draw(layout.width, dtype=dtype)
    norm = {None: None, "rms": RMSNorm(gain, 0.125), "layer": LayerNorm(gain, shift, 0.125)}[normalisation]
    field = TransformerField(layout, "gelu", causal(n), norm)
    x, theta = draw(5, 1, n, layout.width, dtype=dtype) / 2, draw(5, layout.parameter_count, dtype=dtype) / 4
    low, high = field(x, theta), field(x.double(), theta.double())
    assert low.dtype == dtype
    bound = field_rounding(field, n, x.double().norm(dim=-1).amax((1, 2)), block_norms(layout, theta.double()), dtype)
    error = (low.double() - high).flatten(1).norm(dim=1)
    assert bool((error <= bound).all())
    if dtype == torch.float32 and norm is None:
        # Worst case against random signs (√k for k, five times in a row) and ranks, not void: a per cent of the field.
        assert bool((bound <= 0.05 * high.flatten(1).norm(dim=1)).all())


@EVERY
def test_gradients_agree_with_differences(draw, layout, n):
    field = TransformerField(layout, "gelu", causal(n))
    x, theta = draw(1, n, layout.width).requires_grad_(), (draw(layout.parameter_count) / 2).requires_grad_()
    # gradcheck's steps of 1e-6 err by about (1e-6)² |F'''| + u/1e-6; its defaults 1e-5, 1e-3 cover both.
    assert torch.autograd.gradcheck(field, (x, theta))


# torch's own forward mode calls its deprecated scripting once.
@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize(("layout", "n"), [SMALL, LARGE])
def test_transforms_compose(draw, layout, n):
    field = TransformerField(layout, "silu", causal(n))
    x, theta = draw(3, n, layout.width), draw(3, layout.parameter_count)
    batched = vmap(jacrev(field))(x, theta)
    single = torch.stack([jacfwd(field)(a, b) for a, b in zip(x, theta, strict=True)])
    assert batched.shape == (3, n, layout.width, n, layout.width)
    # Reverse and forward mode order the same sums differently: some hundred roundings of terms of this size.
    assert (batched - single).abs().max() <= 1e3 * torch.finfo(x.dtype).eps * batched.abs().max()
    hessian = jacfwd(jacrev(lambda z: field(z, theta[0]).sum()))(x[0]).flatten(2).flatten(0, 1)
    assert (hessian - hessian.mT).abs().max() <= 1e3 * torch.finfo(x.dtype).eps * hessian.abs().max()


def test_blind_rows_are_refused():
    pairs = causal(3)
    pairs[1] = False
    with pytest.raises(FullyMaskedRow, match=r"\[1\]"):
        TransformerField(SMALL[0], mask=pairs)
    with pytest.raises(FullyMaskedRow):
        Mask(causal(2), torch.tensor([False, True]))
    assert Mask(causal(2), torch.tensor([True, False])).keys is not None


@pytest.mark.parametrize("kernel", [attention_last, attention_first])
def test_blind_rows_give_zero_and_finite_gradients(draw, kernel):
    visible = causal(3)
    visible[1] = False
    tokens = [draw(3, 3, 3).requires_grad_() for _ in range(3)]  # as many heads as tokens and coordinates
    last = kernel is attention_last
    out = kernel(*tokens, visible.mT.unsqueeze(2) if last else visible.mT.unsqueeze(0))
    blind, seen = (out[1], out[[0, 2]]) if last else (out[:, 1], out[:, [0, 2]])
    assert bool((blind == 0).all())
    assert bool((seen != 0).all())
    seen.square().sum().backward()
    assert all(bool(t.grad.isfinite().all()) for t in tokens)
    assert bool(tokens[2].grad.any())


def test_large_scores_do_not_overflow(draw):
    for layout, n in (SMALL, LARGE):
        field = TransformerField(layout)
        value = field(1e3 * draw(2, 1, n, layout.width), 1e3 * draw(2, layout.parameter_count))
        assert bool(value.isfinite().all())


def test_masks_are_checked():
    for wrong in (torch.ones(2, 2), torch.ones(2, 3, dtype=torch.bool)):
        with pytest.raises(ShapeMismatch):
            Mask(wrong)
    with pytest.raises(ShapeMismatch):
        Mask(causal(3), torch.ones(2, dtype=torch.bool))


def test_a_field_can_be_masked_anew(draw):
    layout, n = SMALL
    x, theta = draw(1, n, layout.width), draw(layout.parameter_count)
    field = TransformerField(layout)
    last = field.masked(causal(n))(x, theta)[:, -1]
    assert torch.equal(last, field.masked(Mask(causal(n)).to(x.device))(x, theta)[:, -1])
    assert not torch.equal(field(x, theta)[:, 0], field.masked(causal(n))(x, theta)[:, 0])


def test_unknown_activations_name_their_neighbours():
    with pytest.raises(UnknownActivation, match="gelu"):
        activation("gleu")
    with pytest.raises(UnknownActivation, match="tanh"):
        activation("quadratic bowl")


def test_activation_values_and_smoothness():
    x = torch.tensor([-1.5, 0.0, 0.75], dtype=torch.float64)
    root = math.sqrt(2 / math.pi)
    by_hand = {
        "tanh": math.tanh,
        "gelu": lambda a: a * (1 + math.erf(a / math.sqrt(2))) / 2,
        "gelu-tanh": lambda a: a * (1 + math.tanh(root * (a + 0.044715 * a**3))) / 2,
        "silu": lambda a: a / (1 + math.exp(-a)),
        "relu": lambda a: max(a, 0.0),
    }
    assert by_hand.keys() == ACTIVATIONS.keys()
    for name, value in by_hand.items():
        expected = torch.tensor([value(float(a)) for a in x], dtype=torch.float64)
        assert torch.allclose(ACTIVATIONS[name](x), expected, rtol=0, atol=32 * 2**-53 * 1.5)  # ACTIVATION u |a|, twice
    assert [name for name, entry in ACTIVATIONS.items() if not entry.smooth] == ["relu"]


@pytest.mark.parametrize("layout", [layout for layout, _ in (SMALL, LARGE, ATTENTION, MLP, CONSTANT)], ids=str)
def test_layout_packs_what_it_unpacks(draw, layout):
    theta = draw(2, layout.parameter_count)
    blocks = layout.unpack(theta)
    assert sum(block[0].numel() for block in blocks.values()) == layout.parameter_count
    if blocks:
        assert torch.equal(layout.pack(blocks), theta)
        storages = {block.untyped_storage().data_ptr() for block in blocks.values()}
        assert storages == {theta.untyped_storage().data_ptr()}


def test_layouts_refuse_what_does_not_fit(draw):
    for sizes in ((0, 1, 1, 1), (2, 1, 0, 1), (2, -1, 1, 1)):
        with pytest.raises(ShapeMismatch):
            Layout(*sizes)
    layout = SMALL[0]
    with pytest.raises(ShapeMismatch, match="140"):
        layout.unpack(draw(139))
    blocks = layout.unpack(draw(140))
    del blocks["b1"]
    with pytest.raises(ShapeMismatch):
        layout.pack(blocks)


def test_normalised_tokens_have_the_promised_range(draw):
    x, gain, shift = 7 * draw(5, 6, 2) + 3, draw(6), draw(6)
    rms, layer = RMSNorm(gain, 1e-5).kernel(x), LayerNorm(gain, torch.zeros_like(shift), 1e-5).kernel(x)
    bound = float(gain.abs().max()) * math.sqrt(6)
    for image in (rms, layer):
        assert float(image.norm(dim=1).max()) <= bound
    expected = torch.nn.functional.layer_norm(x.movedim(1, -1), (6,), gain, shift, 1e-5).movedim(-1, 1)
    assert torch.allclose(LayerNorm(gain, shift, 1e-5).kernel(x), expected, rtol=1e-13, atol=1e-13)
    assert not torch.allclose(rms, layer)
    moved = LayerNorm(gain, shift).to(x.device, torch.float32)
    assert (
        moved.gain.dtype == moved.shift.dtype == RMSNorm(gain).to(x.device, torch.float32).gain.dtype == torch.float32
    )


def test_normalisations_are_checked(draw):
    with pytest.raises(NotFinite):
        RMSNorm(draw(3), 0.0)
    with pytest.raises(ShapeMismatch):
        RMSNorm(draw(3, 1))
    with pytest.raises(ShapeMismatch):
        LayerNorm(draw(3), draw(2))
    with pytest.raises(ShapeMismatch):
        TransformerField(SMALL[0], normalisation=RMSNorm(draw(3)))


@pytest.mark.parametrize("missing", ["width", "parameter_count", "kernel"])
def test_a_field_without_its_kernel_or_sizes_is_no_field(missing):
    parts = {"width": 1, "parameter_count": 1, "kernel": lambda self, x, theta: x}
    assert isinstance(type("Whole", (KernelField,), dict(parts))(), Field)
    assert isinstance(getattr(KernelField, missing), property) == (missing != "kernel")
    del parts[missing]
    with pytest.raises(TypeError, match=missing):
        type("Partial", (KernelField,), parts)()


def test_defaults_are_the_usual_ones(draw):
    usual = torch.nn.LayerNorm(3)
    assert RMSNorm(draw(3)).eps_norm == LayerNorm(draw(3), draw(3)).eps_norm == usual.eps
    field = TransformerField(SMALL[0])
    assert (field.sigma, field.mask, field.visibility, field.normalisation) == (ACTIVATIONS["gelu"], None, None, None)
    assert (Mask(causal(2)).keys, Mask(keys=torch.ones(2, dtype=torch.bool)).pairs) == (None, None)
    for frozen, part in ((field, "mask"), (RMSNorm(draw(3)), "gain"), (Mask(causal(2)), "pairs"), (SMALL[0], "width")):
        with pytest.raises(AttributeError):
            setattr(frozen, part, None)


def test_padding_of_instances_and_particles_stays_with_them(draw):
    for layout, n in (SMALL, LARGE):
        keys = torch.rand(2, 3, n, generator=torch.Generator().manual_seed(5)) < 0.6
        keys[..., 0] = True
        field = TransformerField(layout, mask=Mask(None, keys))
        x, theta = draw(2, 3, n, layout.width), draw(2, layout.parameter_count)
        value, merged = field(x, theta), field(x.flatten(0, 1), theta.repeat_interleave(3, 0))
        assert (merged.unflatten(0, (2, 3)) - value).norm() <= 2 * 6**0.5 * allowance(field, x, theta)
        for a in range(2):
            for b in range(3):
                one = TransformerField(layout, mask=Mask(None, keys[a, b]))(x[a, b], theta[a])
                assert (value[a, b] - one).norm() <= 2 * allowance(field, x, theta)


@pytest.mark.parametrize("shared", [False, True])
def test_small_and_large_products_agree(draw, shared):
    n, o, d = 3, 4, 5
    batch = CACHED // (n * o * d) + 1
    weight, x = draw(o, d, 1 if shared else batch), draw(n, d, batch)
    parts = [(weight if shared else weight[..., part], x[..., part]) for part in (slice(0, 9), slice(9, batch))]
    together, apart = linear_last(weight, x), torch.cat([linear_last(*part) for part in parts], -1)
    exact = torch.einsum("od...,nd...->no...", weight.expand(o, d, batch), x)
    terms = torch.einsum("od...,nd...->no...", weight.expand(o, d, batch).abs(), x.abs())
    for found in (together, apart):
        assert bool(((found - exact).abs() <= 2 * gamma(d) * terms).all())
