"""Field and flow on CUDA: agreement with the CPU in float64, and what share of the machine they reach.

Usage: ``python -m benchmarks.gpu``. Needs torch, numpy and sympy alone. Ceilings (matrix product, copy) are measured in
the same run. Exit status 0 if every check holds, 1 if one fails, 2 without CUDA.
"""

import statistics
import sys
from collections.abc import Callable

import torch
from torch import Tensor

from impl.control import Path
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import layer_rounding, reference_flow, transformer
from impl.flow.rounding import unit_roundoff


def seconds(run: Callable[[], object], count: int = 20) -> float:
    """Median time of a call by device events, after three warm-up calls."""
    for _ in range(3):
        run()
    times = []
    for _ in range(count):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times)


def ceilings(dtype: torch.dtype) -> tuple[float, float]:
    """Measure TFLOP/s of a square product and GB/s of a copy."""
    a = torch.randn(4096, 4096, device="cuda", dtype=dtype)
    big = torch.empty(2**28 // a.element_size(), device="cuda", dtype=dtype)
    other = torch.empty_like(big)
    product, copy = seconds(lambda: a @ a), seconds(lambda: other.copy_(big))
    return 2 * 4096**3 / product / 1e12, 2 * big.numel() * big.element_size() / copy / 1e9


def flops(field: TransformerField, n: int) -> int:
    """Multiplications and additions of one field evaluation of one particle."""
    layout = field.layout
    inner = layout.heads * layout.head_width
    return 2 * n * (4 * inner * layout.width + 2 * n * inner + 2 * layout.hidden * layout.width)


def problem(layout: Layout, instances: int, particles: int, n: int, K: int) -> tuple[TransformerField, Tensor, Tensor]:
    """Draw layers and states from a fixed seed, on the CPU in float64."""
    field = TransformerField(layout, activation="tanh")
    g = torch.Generator().manual_seed(2606)
    p, d = field.parameter_count, layout.width
    layers = torch.randn(instances, K, p, generator=g, dtype=torch.float64) / (2 * d**0.5)
    return field, layers, torch.randn(instances, particles, n, d, generator=g, dtype=torch.float64)


def check(name: str, layout: Layout, instances: int, particles: int, n: int, K: int) -> bool:
    """Compare with the CPU in float64 and print what was reached."""
    field, layers, x0 = problem(layout, instances, particles, n, K)
    few = slice(0, 64)
    control = Path.constant_on_cells(layers, 1.0)
    path = transformer(field, layers, None, x0[:, few], K, 1.0, record="all")
    exact = path[..., -1, :, :, :]
    flow = reference_flow(field, control, None, x0[:, :2], 1.0, K, max_substeps=2)
    on_device = reference_flow(field, control.to(device="cuda"), None, x0[:, :2].cuda(), 1.0, K, max_substeps=2)
    distance = (flow.states - on_device.states.cpu()).flatten(-2).norm(dim=-1)
    good = bool((distance <= flow.errors + on_device.errors.cpu()).all())
    gap, stated = float(distance.max()), float(flow.error.max())
    print(f"{name}: reference flow {gap:.1e} from the CPU's, both errors {stated:.1e}: {good}")
    growth, stretch = (part.amax(-1, keepdim=True) for part in (flow.growth, flow.stretch))
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        theta, x = layers.to("cuda", dtype), x0.to("cuda", dtype)
        result = transformer(field, theta, None, x, K, 1.0)
        error = float((result[:, few].cpu().to(torch.float64) - exact).abs().max())
        # The inputs are rounded once, which is one rounding of each layer's field more.
        allowed = layer_rounding(field, path, growth, stretch, dtype).amax() + unit_roundoff(dtype) * growth.amax() * (
            path.flatten(-2).norm(dim=-1).amax() + path.diff(dim=-4).flatten(-2).norm(dim=-1).sum(-2).amax()
        )
        allowance = float(allowed)
        time = seconds(lambda: transformer(field, theta, None, x, K, 1.0), 5)  # noqa: B023
        work = instances * particles * K * flops(field, n) / time / 1e12
        traffic = instances * particles * K * 2 * n * layout.width * x.element_size() / time / 1e9
        peak, copy = ceilings(dtype)
        fine = error <= allowance
        good &= fine
        print(
            f"  {dtype!s:15} {1e3 * time:8.2f} ms  {work:8.2f} TFLOP/s of {peak:.1f}"
            f"  {traffic:8.1f} GB/s of {copy:.0f}  error {error:.1e} <= {allowance:.1e}: {fine}"
        )
    return good


def main() -> int:
    """Run every check."""
    if not torch.cuda.is_available():
        print("benchmarks.gpu: no CUDA device is visible to torch; nothing was checked", file=sys.stderr)
        return 2
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    good = [
        check("S, 4096 controls", Layout(4, 2, 2, 8), 4096, 1, 4, 32),
        check("M, one control", Layout(32, 4, 8, 64), 1, 4096, 16, 64),
        check("L, one control", Layout(128, 4, 32, 512), 1, 256, 64, 48),
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
