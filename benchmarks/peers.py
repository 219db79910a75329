"""Peers of the reference flow: torchdiffeq, torchode and scipy, each told the grid, at its best.

A peer is given the cells: it is restarted at each of them, because an integrator that is not told loses its order, and
misses what happens inside a step.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from scipy.integrate import solve_ivp
from torch import Tensor

from benchmarks.problem import Problem, by_hand

ONE_BY_ONE = 8  # instances that a one-by-one peer is timed on; the rest is proportional


def batched(problem: Problem) -> dict[str, Callable[[], object]]:
    """Peers that integrate all instances at once."""
    found: dict[str, Callable[[], object]] = {}
    if importlib.util.find_spec("torchdiffeq"):
        found["torchdiffeq dopri8"] = lambda: torchdiffeq_cells(problem, slice(None))
    if importlib.util.find_spec("torchode"):
        found["torchode dopri5"] = lambda: torchode_cells(problem)
    return found


def accuracy(problem: Problem) -> dict[str, tuple[str, float]]:
    """Target and largest error of each batched peer."""
    return {name: ("<= 0.8", problem.distance(_states(run()))) for name, run in batched(problem).items()}


def one_by_one(problem: Problem) -> dict[str, float]:
    """Time of a peer on all instances one after another, against the flow on all at once, both without an error."""
    found = {"scipy DOP853": _against_plain(problem, lambda i: scipy_cells(problem, i))}
    if importlib.util.find_spec("torchdiffeq"):
        found["torchdiffeq dopri8"] = _against_plain(problem, lambda i: torchdiffeq_cells(problem, slice(i, i + 1)))
    return found


def _against_plain(problem: Problem, run: Callable[[int], object]) -> float:
    run(0)
    ratios = []
    for i in range(ONE_BY_ONE):
        start = time.perf_counter()
        run(i)
        middle = time.perf_counter()
        problem.plain()
        ratios.append((middle - start) / (time.perf_counter() - middle))
    return len(problem.x0) * statistics.median(ratios)


def _states(result: object) -> Tensor:
    assert isinstance(result, Tensor)
    return result


def torchdiffeq_cells(problem: Problem, rows: slice) -> Tensor:
    """Integrate with dopri8, restarted at every cell with its first step the cell itself."""
    from torchdiffeq import odeint

    x, h = problem.x0[rows, 0], problem.T / problem.K
    times = torch.tensor([0.0, h], dtype=torch.float64)
    for k in range(problem.K):
        theta = problem.layers[rows, k]

        def rhs(t: Tensor, y: Tensor) -> Tensor:
            return by_hand(problem.field, y, theta)  # noqa: B023

        x = odeint(rhs, x, times, rtol=1e-9, atol=1e-9, method="dopri8", options={"first_step": h})[-1]
    return x


def torchode_cells(problem: Problem) -> Tensor:
    """Integrate with dopri5, restarted at every cell; step sizes are the instances' own."""
    import torchode

    x, h = problem.x0[:, 0].flatten(1), problem.T / problem.K
    for k in range(problem.K):
        theta = problem.layers[:, k]

        def rhs(t: Tensor, y: Tensor) -> Tensor:
            return by_hand(problem.field, y.unflatten(1, (4, 4)), theta).flatten(1)  # noqa: B023

        term = torchode.ODETerm(rhs)
        method = torchode.Dopri5(term=term)
        controller = torchode.IntegralController(atol=1e-10, rtol=1e-10, term=term)
        ends = torch.tensor([0.0, h], dtype=torch.float64).expand(len(x), 2)
        solver = torchode.AutoDiffAdjoint(method, controller)
        x = solver.solve(torchode.InitialValueProblem(y0=x, t_eval=ends)).ys[:, -1]
    return x.unflatten(1, (4, 4))


def scipy_cells(problem: Problem, i: int) -> np.ndarray:
    """Integrate one instance with scipy's DOP853, restarted at every cell."""
    x, h = problem.x0[i, 0].numpy().ravel(), problem.T / problem.K
    for k in range(problem.K):
        b = {name: block.numpy() for name, block in problem.field.layout.unpack(problem.layers[i, k]).items()}

        def rhs(t: float, y: np.ndarray) -> np.ndarray:
            s = y.reshape(4, 4)
            q, key, v = (s @ b[name].swapaxes(-1, -2) for name in "QKV")  # noqa: B023
            score = q @ key.swapaxes(-1, -2) / np.sqrt(2)
            weight = np.exp(score - score.max(-1, keepdims=True))
            weight /= weight.sum(-1, keepdims=True)
            hidden = np.tanh(s @ b["W1"].T + b["b1"])  # noqa: B023
            return ((weight @ v @ b["O"].swapaxes(-1, -2)).sum(0) + hidden @ b["W2"].T + b["b2"]).ravel()  # noqa: B023

        x = solve_ivp(rhs, (0, h), x, method="DOP853", rtol=1e-9, atol=1e-9, first_step=h).y[:, -1]
    return x
