"""Flows whose truth is known otherwise: closed forms, an integrator in extended precision, and scipy's.

Random Transformers differ in scale (a factor 20) and in jump times, have constant or linear cells and schedules that
change sign; closed forms have rates from 0.01 to 50 that jump at random times. Nothing here calls the kernels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from impl.control import Path
from impl.field.base import Field, KernelField
from impl.field.layout import Layout
from impl.field.transformer import TransformerField

Array = NDArray[np.floating]
N_TOKENS, WIDTH, CELLS, RECORDS = 3, 2, 4, 4
FIELD = TransformerField(Layout(WIDTH, 1, 2, 3), activation="tanh")
CLOSED_FORMS = ("linear", "logistic", "rotation")
TIGHT, LOOSE = 1e-13, 1e-12


@dataclass(frozen=True)
class Problem:
    """Controls, schedules and initial states of many instances of one field, on [0, 1]."""

    field: Field
    control: Path
    schedule: Path | None
    x0: torch.Tensor

    def select(self, rows: NDArray[np.int64]) -> "Problem":
        """Keep some instances."""
        paths = (
            None
            if q is None
            else Path(q.times[rows] if q.times.ndim > 1 else q.times, q.coefficients[rows], q.node_values[rows])
            for q in (self.control, self.schedule)
        )
        control, schedule = paths
        assert control is not None
        return Problem(self.field, control, schedule, self.x0[rows])


@dataclass(frozen=True)
class Truth:
    """States ``(R+1, count, n, d)`` at ``0, 1/R, …, 1`` and how far from the truth they may be, ``(R+1, count)``."""

    states: Array
    doubt: Array


@dataclass(frozen=True)
class ClosedForm(KernelField):
    """``θx``, ``θx(1 − x)`` or θ times a quarter turn, by name."""

    name: str
    width: int = 1
    parameter_count: int = 1

    def kernel(self, x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        """Evaluate the field."""
        if self.name == "rotation":
            return theta * torch.stack([-x[:, 1], x[:, 0]], dim=1)
        return theta * x if self.name == "linear" else theta * x * (1 - x)


def transformers(count: int, seed: int) -> Problem:
    """Draw Transformer fields' controls, schedules and initial states."""
    g = torch.Generator().manual_seed(seed)
    p = FIELD.parameter_count

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    scale = 10 ** (1.3 * torch.rand(count, 1, 1, generator=g, dtype=torch.float64) - 0.9)
    nodes = normal(count, CELLS + 1, p) * scale
    times = _jump_times(count, g)
    linear = torch.rand(count, 1, 1, generator=g) < 0.5
    ends = torch.where(linear, nodes[:, 1:], nodes[:, :-1])
    control = Path.with_jumps(times, torch.stack([nodes[:, :-1], ends], dim=-2))
    schedule = Path.piecewise_linear(normal(count, 3, 1), 1.0)
    return Problem(FIELD, control, schedule, normal(count, 1, N_TOKENS, WIDTH))


def closed_form(name: str, count: int, seed: int) -> tuple[Problem, Truth]:
    """Draw a field with a closed form; its states depend on ``A(t) = ∫θ`` alone, and are rounded in 80 bits."""
    g = torch.Generator().manual_seed(seed)
    times = _jump_times(count, g)
    rates = torch.randn(count, CELLS, generator=g, dtype=torch.float64)
    rates *= 10 ** (3.7 * torch.rand(count, 1, generator=g, dtype=torch.float64) - 2)
    start = 0.05 + 0.9 * torch.rand(count, generator=g, dtype=torch.float64)
    field = ClosedForm(name, width=2 if name == "rotation" else 1)
    x0 = torch.zeros(count, 1, 1, field.width, dtype=torch.float64)
    x0[:, 0, 0, 0] = start
    t, r, x = (part.numpy().astype(np.longdouble) for part in (times, rates, start))
    ends = np.linspace(0, 1, RECORDS + 1)[:, None, None]
    covered = np.clip(ends - t[:, :-1], 0, t[:, 1:] - t[:, :-1])
    a, total = (r * covered).sum(-1), (np.abs(r) * covered).sum(-1)
    growth = np.exp(a)
    parts: list[Array] = {
        "linear": [x * growth],
        "logistic": [x * growth / (1 - x + x * growth)],
        "rotation": [x * np.cos(a), x * np.sin(a)],
    }[name]
    states = np.stack(parts, -1)[:, :, None]
    # Roundings of A (a sum of CELLS products of a difference), amplified at most by the largest |dx/dA|, then six more.
    steepest = np.maximum(np.sqrt((states**2).sum((-1, -2))), x)
    doubt = np.finfo(np.longdouble).eps * steepest * ((CELLS + 3) * (total + np.abs(r).max(-1)) + 6)
    doubt[0] = 0
    return Problem(field, Path.with_jumps(times, rates[:, :, None, None]), None, x0), Truth(states, doubt)


def _jump_times(count: int, g: torch.Generator) -> torch.Tensor:
    inner = torch.rand(count, CELLS - 1, generator=g, dtype=torch.float64).sort(-1).values
    zero = torch.zeros(count, 1, dtype=torch.float64)
    return torch.cat([zero, inner, zero + 1], dim=-1)


def numpy_field(x: Array, theta: Array) -> Array:
    """Evaluate the Transformer layer, written again: one head, tanh; any leading shape."""
    lead = theta.shape[:-1]
    b = {
        name: theta[..., part].reshape(*lead, *FIELD.layout.shapes[name]) for name, part in FIELD.layout.slices.items()
    }
    q, k, v = (x @ np.swapaxes(b[name][..., 0, :, :], -1, -2) for name in "QKV")
    score = q @ np.swapaxes(k, -1, -2) / np.sqrt(theta.dtype.type(2))
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    hidden = np.tanh(x @ np.swapaxes(b["W1"], -1, -2) + b["b1"][..., None, :])
    mixed = weight @ v @ np.swapaxes(b["O"][..., 0, :, :], -1, -2)
    out: Array = mixed + hidden @ np.swapaxes(b["W2"], -1, -2) + b["b2"][..., None, :]
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
        row: list[Array] = [(old + new + s[:, None, None] * rhs(t + h, new)) / 2]
        for j, previous in enumerate(table[-1] if table else []):
            ratio = np.longdouble(n) / counts[len(table) - 1 - j]
            row.append(row[j] + (row[j] - previous) / (ratio * ratio - 1))
        table.append(row)
    return table[-1][-1]


def _breaks(times: NDArray[np.float64]) -> NDArray[np.float64]:
    records = np.linspace(0, 1, RECORDS + 1)
    return np.sort(np.concatenate([times[:, 1:-1], np.tile(records, (len(times), 1))], axis=1), axis=1)


def _right_side(problem: Problem, a: NDArray[np.float64], kind: type[np.floating]) -> Callable[[Array, Array], Array]:
    """Return ``ζF`` on the cells that begin at ``a``, one cell for each instance."""
    assert problem.schedule is not None
    times = problem.control.times.numpy()
    rows = np.arange(len(times))
    cell = np.minimum((times <= a[:, None]).sum(1) - 1, CELLS - 1)
    half = (a >= 0.5).astype(int)
    start, length = times[rows, cell].astype(kind), (times[rows, cell + 1] - times[rows, cell]).astype(kind)
    first, last = (problem.control.coefficients.numpy()[rows, cell, i].astype(kind) for i in (0, 1))
    zeta = problem.schedule.node_values[..., 0].numpy().astype(kind)
    left, right = zeta[rows, half], zeta[rows, half + 1]

    def rhs(t: Array, x: Array) -> Array:
        s, w = ((t - start) / length)[:, None], 2 * t - half
        z = (1 - w) * left + w * right
        out: Array = z[:, None, None] * numpy_field(x, (1 - s) * first + s * last)
        return out

    return rhs


def extended(problem: Problem, steps: int) -> Array:
    """Integrate with Gragg–Bulirsch–Stoer in 80 bits, that many steps a cell."""
    breaks = _breaks(problem.control.times.numpy())
    x: Array = problem.x0[:, 0].numpy().astype(np.longdouble)
    out: Array = np.empty((RECORDS + 1, *x.shape), dtype=np.longdouble)
    out[0] = x
    for a, b in zip(breaks.T[:-1], breaks.T[1:], strict=True):
        rhs, h = _right_side(problem, a, np.longdouble), (b - a).astype(np.longdouble) / steps
        for j in range(steps):
            x = extrapolated_step(rhs, a + j * h, x, h)
        for k in range(1, RECORDS + 1):
            here = b == k / RECORDS
            out[k][here] = x[here]
    return out


def refined(problem: Problem) -> Truth:
    """Double the steps where two resolutions differ by more than 1e-15; what is left is the doubt."""
    steps = 4
    exact = extended(problem, steps)
    doubt: Array = np.full(exact.shape[:2], np.inf, dtype=np.longdouble)
    rows = np.arange(exact.shape[1])
    while len(rows) and steps < 128:
        steps *= 2
        finer = extended(problem.select(rows), steps)
        doubt[:, rows] = np.sqrt(((finer - exact[:, rows]) ** 2).sum((-1, -2)))
        exact[:, rows] = finer
        rows = rows[doubt[:, rows].max(0) > 1e-15 * np.abs(finer).max((0, 2, 3))]
    return Truth(exact, doubt)


def scipy_one(problem: Problem, row: int, rtol: float) -> NDArray[np.float64]:
    """Integrate one instance with scipy's DOP853, restarted wherever control or schedule break: ``(R+1, n, d)``."""
    one = problem.select(np.array([row]))
    breaks = _breaks(one.control.times.numpy())
    x = one.x0[0, 0].numpy()
    out, shape = [x], x.shape
    for a, b in zip(breaks[0, :-1], breaks[0, 1:], strict=True):
        rhs = _right_side(one, np.array([a]), np.float64)

        def flat(t: float, y: NDArray[np.float64]) -> Array:
            return rhs(np.array([t]), y.reshape(1, *shape)).ravel()  # noqa: B023

        if b > a:
            done = solve_ivp(flat, (a, b), x.ravel(), method="DOP853", rtol=rtol, atol=rtol / 100)
            x = done.y[:, -1].reshape(shape) if done.success else np.full(shape, np.nan)
        if b in np.linspace(0, 1, RECORDS + 1)[1:]:
            out.append(x)
    return np.stack(out)


def scipy_truth(problem: Problem) -> Truth:
    """Integrate one instance after another; the doubt is the distance to tolerances ten times as large.

    Below some 1e-14 of the state scipy is no judge: its own sums round in float64, two units a stage and step.
    """
    tight, loose = (
        np.stack([scipy_one(problem, i, rtol) for i in range(len(problem.x0))], 1) for rtol in (TIGHT, LOOSE)
    )
    states = tight.astype(np.longdouble)
    apart = np.sqrt(((tight - loose) ** 2).sum((-1, -2)))
    size = np.maximum.accumulate(np.sqrt((tight**2).sum((-1, -2))), 0)
    doubt = np.where(np.isfinite(apart), apart + TIGHT * size, np.inf).astype(np.longdouble)
    doubt[0] = 0
    return Truth(states, doubt)
