"""No tensor is made on a device, or in a floating precision, other than the input's.

A case builds its inputs and returns the computation. It runs under a mode that inspects every tensor that torch
makes, on the meta device (which also has no values: nothing can synchronise) and on the CPU in three precisions. A new
module adds its computations to ``CASES``.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from impl.field.abstract import GrimReaperField, LinearField, RotatingField, SaturatingField
from impl.field.attention import Mask, causal
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.transformer import TransformerField
from impl.readout import PooledReadout, TokenReadout, cross_entropy, residual, token_cross_entropy, token_residual

Build = Callable[[torch.device, torch.dtype], Callable[[], Any]]


class Strays(TorchDispatchMode):
    """Refuses tensors made on another device, or in another floating precision."""

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        super().__init__()
        self.device, self.dtype = device, dtype

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, Tensor):
                assert leaf.device.type == self.device.type, f"{func} made a tensor on {leaf.device}"
                assert not leaf.is_floating_point() or leaf.dtype == self.dtype, f"{func} made a {leaf.dtype} tensor"
        return out


def field_case(field: Any, n: int) -> Build:
    def build(device: torch.device, dtype: torch.dtype) -> Callable[[], Any]:
        x = torch.ones(2, 3, n, field.width, device=device, dtype=dtype, requires_grad=True)
        theta = torch.ones(2, field.parameter_count, device=device, dtype=dtype, requires_grad=True)
        return lambda: torch.autograd.grad(field(x, theta).sum(), (x, theta), allow_unused=True)

    return build


def transformer(width: int, n: int, activation: str = "gelu", padded: bool = False, **more: Any) -> Build:
    """A case whose mask has the device of the state: moving it would copy, which a mode rightly refuses."""

    def build(device: torch.device, dtype: torch.dtype) -> Callable[[], Any]:
        keys = torch.ones(2, 3, n, dtype=torch.bool) if padded else None
        norm = more.get("normalisation")
        field = TransformerField(
            Layout(width, 2, 2, 8),
            activation,
            Mask(causal(n), keys).to(device) if padded or more.get("masked") else None,
            norm(device, dtype) if norm else None,
        )
        return field_case(field, n)(device, dtype)

    return build


def rms(device: torch.device, dtype: torch.dtype) -> RMSNorm:
    return RMSNorm(torch.ones(4), 1e-3).to(device, dtype)


def layer(device: torch.device, dtype: torch.dtype) -> LayerNorm:
    return LayerNorm(torch.ones(4), torch.zeros(4), 1e-3).to(device, dtype)


def readout_case(device: torch.device, dtype: torch.dtype) -> Callable[[], Any]:
    x = torch.ones(2, 3, 4, device=device, dtype=dtype)
    visible = torch.ones(2, 3, dtype=torch.bool, device=device)
    weight, bias = torch.ones(5, 4, device=device, dtype=dtype), torch.ones(5, device=device, dtype=dtype)
    pooled, token = PooledReadout(weight, bias), TokenReadout(weight, bias)
    labels, tokens = (
        torch.zeros(2, dtype=torch.int64, device=device),
        torch.zeros(2, 3, dtype=torch.int64, device=device),
    )
    soft = torch.full((2, 5), 0.2, device=device, dtype=dtype)

    def evaluate() -> list[Tensor]:
        found = [pooled(x), pooled(x, visible), token(x)]
        for target in (labels, soft):
            found += [cross_entropy(found[0], target), residual(found[1], target)]
        return [*found, token_cross_entropy(found[2], tokens, visible), token_residual(found[2], tokens, visible)]

    return evaluate


CASES: dict[str, Build] = {
    "transformer, batch last": transformer(4, 4),
    "transformer, batch first": transformer(16, 16),
    "transformer, tanh, causal": transformer(4, 4, "tanh", masked=True),
    "transformer, padded": transformer(4, 4, "silu", padded=True),
    "transformer, padded, batch first": transformer(16, 16, "gelu-tanh", padded=True),
    "transformer, root mean square": transformer(4, 4, normalisation=rms),
    "transformer, layer norm": transformer(4, 4, normalisation=layer),
    "linear": field_case(LinearField(n=2, d=3, growth=0.3), 2),
    "rotating": field_case(RotatingField(n=2, d=4, speed=0.3), 2),
    "saturating": field_case(SaturatingField(bound=0.3), 1),
    "grim reaper": field_case(GrimReaperField(), 1),
    "readout": readout_case,
}
EVERY = pytest.mark.parametrize("build", CASES.values(), ids=CASES.keys())
PRECISIONS = pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)


@EVERY
@PRECISIONS
@pytest.mark.parametrize("device", ["meta", "cpu"])
def test_nothing_strays(build, device, dtype):
    compute = build(torch.device(device), dtype)
    with Strays(torch.device(device), dtype):
        out = compute()
    assert any(isinstance(leaf, Tensor) for leaf in tree_leaves(out))


def wrong_device(device: torch.device, dtype: torch.dtype) -> Callable[[], Any]:
    return lambda: torch.zeros(3, dtype=dtype)


def wrong_precision(device: torch.device, dtype: torch.dtype) -> Callable[[], Any]:
    x = torch.ones(3, device=device, dtype=dtype)
    return lambda: x + torch.linspace(0, 1, 3, device=device)


@pytest.mark.parametrize("build", [wrong_device, wrong_precision])
def test_planted_strays_are_caught(build):
    compute = build(torch.device("meta"), torch.float64)
    with pytest.raises(AssertionError, match="made a"), Strays(torch.device("meta"), torch.float64):
        compute()


def test_planted_synchronisation_is_caught():
    x = torch.ones(3, device="meta", dtype=torch.float64)
    with pytest.raises((RuntimeError, NotImplementedError)), Strays(x.device, x.dtype):
        bool((x > 0).all())
