"""Whether the reference flow's error dominates the true one, instance by instance.

Truth is an independent integrator in extended precision (80-bit, extrapolated midpoint rule, Gragg–Bulirsch–Stoer)
with a field written a second time in numpy, refined until two resolutions agree to 1e-15; what difference is left is
its doubt, and an instance where the doubt matters is undecided. Instances are random
in scale (a factor 20), in jump times, in constant or linear cells, with schedules that change sign; flows are asked for
at three budgets, so that unresolved, resolved and rounding-bound instances all occur.

Usage: ``python -m benchmarks.reference_error [instances] [seed]``; exits 1 if an error lies below the truth.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from impl.control import Path
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import reference_flow

Array = NDArray[np.longdouble]
N_TOKENS, WIDTH, CELLS, RECORDS = 3, 2, 4, 4
BUDGETS = (2, 8, 64)
FIELD = TransformerField(Layout(WIDTH, 1, 2, 3), activation="tanh")


def instances(count: int, seed: int) -> tuple[Path, Path, torch.Tensor]:
    """Draw controls, schedules and initial states."""
    g = torch.Generator().manual_seed(seed)
    p = FIELD.parameter_count

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    scale = 10 ** (1.3 * torch.rand(count, 1, 1, generator=g, dtype=torch.float64) - 0.9)
    nodes = normal(count, CELLS + 1, p) * scale
    inner = torch.rand(count, CELLS - 1, generator=g, dtype=torch.float64).sort(-1).values
    zero = torch.zeros(count, 1, dtype=torch.float64)
    times = torch.cat([zero, inner, zero + 1], dim=-1)
    linear = torch.rand(count, 1, 1, generator=g) < 0.5
    ends = torch.where(linear, nodes[:, 1:], nodes[:, :-1])
    control = Path.with_jumps(times, torch.stack([nodes[:, :-1], ends], dim=-2))
    return control, Path.piecewise_linear(normal(count, 3, 1), 1.0), normal(count, 1, N_TOKENS, WIDTH)


def numpy_field(x: Array, theta: Array) -> Array:
    """Evaluate the same Transformer layer, written again: one head, tanh."""
    blocks = {
        name: theta[:, part].reshape(-1, *FIELD.layout.shapes[name]) for name, part in FIELD.layout.slices.items()
    }

    def apply(w: Array, y: Array) -> Array:
        return np.einsum("bij,bnj->bni", w, y)

    q, k, v = (apply(blocks[name][:, 0], x) for name in "QKV")
    score = np.einsum("bni,bmi->bnm", q, k) / np.sqrt(np.longdouble(2))
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    hidden = np.tanh(apply(blocks["W1"], x) + blocks["b1"][:, None])
    mixed = np.einsum("bnm,bmi->bni", weight, v)
    out: Array = apply(blocks["O"][:, 0], mixed) + apply(blocks["W2"], hidden) + blocks["b2"][:, None]
    return out


def extrapolated_step(rhs: Callable[[Array, Array], Array], t: Array, x: Array, h: Array) -> Array:
    """One step of the modified midpoint rule, extrapolated in h² over 2, 4, …, 16 substeps."""
    counts = range(2, 18, 2)
    table: list[list[Array]] = []
    for n in counts:
        s = h / n
        old, new = x, x + s[:, None, None] * rhs(t, x)
        for j in range(1, n):
            old, new = new, old + 2 * s[:, None, None] * rhs(t + j * s, new)
        row = [(old + new + s[:, None, None] * rhs(t + h, new)) / 2]
        for j, previous in enumerate(table[-1] if table else []):
            ratio = np.longdouble(n) / counts[len(table) - 1 - j]
            row.append(row[j] + (row[j] - previous) / (ratio * ratio - 1))
        table.append(row)
    return table[-1][-1]


def truth(control: Path, schedule: Path, x0: torch.Tensor, steps: int) -> Array:
    """States at the recorded times, ``(R+1, count, n, d)``."""
    times, c = control.times.numpy(), control.coefficients.numpy().astype(np.longdouble)
    zeta = schedule.node_values[..., 0].numpy().astype(np.longdouble)
    records = np.arange(RECORDS + 1) / RECORDS
    breaks = np.sort(np.concatenate([times[:, 1:-1], np.tile(records, (len(times), 1))], axis=1), axis=1)
    rows = np.arange(len(times))
    x: Array = x0[:, 0].numpy().astype(np.longdouble)
    out: Array = np.empty((RECORDS + 1, *x.shape), dtype=np.longdouble)
    out[0] = x
    for a, b in zip(breaks.T[:-1], breaks.T[1:], strict=True):
        cell = np.minimum((times <= a[:, None]).sum(1) - 1, CELLS - 1)
        half = (a >= 0.5).astype(int)
        start, length = (
            times[rows, cell].astype(np.longdouble),
            (times[rows, cell + 1] - times[rows, cell]).astype(np.longdouble),
        )

        def rhs(t: Array, x: Array) -> Array:
            s, w = ((t - start) / length)[:, None], 2 * t - half  # noqa: B023
            theta = (1 - s) * c[rows, cell, 0] + s * c[rows, cell, 1]  # noqa: B023
            z = (1 - w) * zeta[rows, half] + w * zeta[rows, half + 1]  # noqa: B023
            return z[:, None, None] * numpy_field(x, theta)

        h = (b - a).astype(np.longdouble) / steps
        for j in range(steps):
            x = extrapolated_step(rhs, a + j * h, x, h)
        for k in range(1, RECORDS + 1):
            out[k][b == records[k]] = x[b == records[k]]
    return out


def refined_truth(control: Path, schedule: Path, x0: torch.Tensor) -> tuple[Array, Array]:
    """Truth and its doubt ``(R+1, count)``; steps are doubled where two resolutions differ."""
    steps = 4
    exact = truth(control, schedule, x0, steps)
    doubt: Array = np.full(exact.shape[:2], np.inf, dtype=np.longdouble)
    rows = np.arange(exact.shape[1])
    while len(rows) and steps < 128:
        steps *= 2
        parts = (Path(q.times[rows], q.coefficients[rows], q.node_values[rows]) for q in (control, schedule))
        finer = truth(*parts, x0[rows], steps)
        doubt[:, rows] = np.sqrt(((finer - exact[:, rows]) ** 2).sum((-1, -2)))
        exact[:, rows] = finer
        rows = rows[doubt[:, rows].max(0) > 1e-15 * np.abs(finer).max((0, 2, 3))]
    return exact, doubt


@dataclass(frozen=True)
class Findings:
    """For each instance: true error / error, the error, and the verdict at one budget."""

    ratio: NDArray[np.float64]
    error: NDArray[np.float64]
    below: NDArray[np.bool_]
    undecided: NDArray[np.bool_]


def measure(count: int, seed: int) -> dict[int, Findings]:
    """Compare errors with the truth for each budget."""
    control, schedule, x0 = instances(count, seed)
    exact, doubt = refined_truth(control, schedule, x0)
    found = {}
    for budget in BUDGETS:
        flow = reference_flow(FIELD, control, schedule, x0, 1.0, RECORDS, max_substeps=budget, tolerance=1e-11)
        states, errors = flow.states[:, :, 0].numpy().swapaxes(0, 1), flow.errors[:, :, 0].numpy().T
        distance = np.sqrt(((states - exact) ** 2).sum((-1, -2)))
        below = (distance - doubt > errors).any(0)
        undecided = (distance + doubt > errors).any(0) & ~below
        ratio = (distance[1:] / errors[1:]).max(0).astype(np.float64)
        found[budget] = Findings(ratio, flow.error.numpy(), below, undecided)
    return found


def main(count: int = 1000, seed: int = 0) -> int:
    """Print ratios for each budget; 1 if an error lies below the truth."""
    torch.set_num_threads(1)
    findings = measure(count, seed)
    for budget, found in findings.items():
        quantiles = " ".join(f"{q:.1e}" for q in np.quantile(found.error, [0.1, 0.5, 0.9, 1], method="lower"))
        ratio = found.ratio[~found.undecided]
        print(f"budget {budget:3d}: true error / error at most {ratio.max():.3f}, median {np.median(ratio):.1e}")
        print(f"            errors (10 %, 50 %, 90 %, 100 %) {quantiles}")
        print(
            f"            below the truth {int(found.below.sum())}, undecided {int(found.undecided.sum())} of {count}"
        )
    return int(any(found.below.any() for found in findings.values()))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
