"""Whether the reference flow's error dominates the true one, instance by instance.

Truths are closed forms, an independent integrator in extended precision, and scipy's DOP853, which is told the jump
times and run on one instance after another. Each comes with its doubt; an instance where the doubt matters is
undecided. Flows are asked for at three budgets, so that unresolved, resolved and rounding-bound instances all occur.

Usage: ``python -m benchmarks.reference_error [instances] [seed]``; exits 1 if an error lies below the truth.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.reference_truths import (
    CLOSED_FORMS,
    RECORDS,
    Problem,
    Truth,
    closed_form,
    refined,
    scipy_truth,
    transformers,
)
from impl.flow import ReferenceFlow, reference_flow

BUDGETS = (2, 8, 64)


@dataclass(frozen=True)
class Findings:
    """For each instance: true error / error, the error, and the verdict."""

    ratio: NDArray[np.float64]
    error: NDArray[np.float64]
    below: NDArray[np.bool_]
    undecided: NDArray[np.bool_]

    @classmethod
    def of(cls, flow: ReferenceFlow, truth: Truth, share: float = 1.0) -> "Findings":
        """Compare with the truth the errors, or a share of them."""
        states, errors = flow.states[:, :, 0].numpy().swapaxes(0, 1), share * flow.errors[:, :, 0].numpy().T
        distance = np.sqrt(((states - truth.states) ** 2).sum((-1, -2)))
        below = (distance - truth.doubt > errors).any(0)
        undecided = ~below & ~(distance + truth.doubt <= errors).all(0)
        known = (errors > 0) & np.isfinite(errors)
        ratio = np.divide(distance, errors, out=np.zeros_like(distance), where=known).max(0).astype(np.float64)
        return cls(ratio, errors.max(0), below, undecided)


def flow_of(problem: Problem, budget: int) -> ReferenceFlow:
    """Run the reference flow of a problem, never satisfied before its budget or rounding ends it."""
    return reference_flow(
        problem.field,
        problem.control,
        problem.schedule,
        problem.x0,
        1.0,
        RECORDS,
        max_substeps=budget,
        tolerance=1e-11,
        on_divergence="inf",
    )


def truths(count: int, seed: int) -> Iterator[tuple[str, Problem, Truth]]:
    """Yield every kind of truth with its problem."""
    for name in CLOSED_FORMS:
        yield name, *closed_form(name, count, seed)
    problem = transformers(count, seed)
    yield "extended precision", problem, refined(problem)
    yield "scipy", problem, scipy_truth(problem)


def report(name: str, budget: int, found: Findings) -> None:
    """Print the figures of one kind of truth at one budget."""
    quantiles = " ".join(f"{q:.1e}" for q in np.quantile(found.error, [0.1, 0.5, 0.9], method="lower"))
    ratio = found.ratio[~found.undecided]
    print(
        f"{name:<18} budget {budget:2d}: true error / error at most {ratio.max():.3f}, median {np.median(ratio):.1e}; "
        f"errors (10 %, 50 %, 90 %) {quantiles}, infinite {int(np.isinf(found.error).sum())}; "
        f"below the truth {int(found.below.sum())}, undecided {int(found.undecided.sum())} of {len(found.error)}"
    )


def main(count: int = 1000, seed: int = 0) -> int:
    """Print the figures for every truth and budget; 1 if an error lies below the truth."""
    torch.set_num_threads(1)
    failed = False
    for name, problem, truth in truths(count, seed):
        for budget in BUDGETS:
            found = Findings.of(flow_of(problem, budget), truth)
            report(name, budget, found)
            failed |= bool(found.below.any())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
