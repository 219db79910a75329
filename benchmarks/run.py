"""Benchmarks: the project against its peers, as ratios within one run.

Usage: ``python -m benchmarks.run [--json report/bench.json] [--rounds 7]``. One thread. Every contender is run in turn,
round after round, and a figure is the median over rounds of the ratio of two times of the same round, so that another
load on the machine weighs on both.
"""

import argparse
import json
import math
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path as File

import torch

from benchmarks import peers, theorems
from benchmarks.problem import Problem


@dataclass(frozen=True)
class Figure:
    """One line of the table: a ratio or a time, with its target, or the reason why there is none."""

    name: str
    value: float | None
    unit: str
    target: str
    reason: str = ""


def rounds(contenders: dict[str, Callable[[], object]], count: int) -> dict[str, list[float]]:
    """Run every contender once to warm up, then once a round; return the seconds."""
    for run in contenders.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(count):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratio(seconds: dict[str, list[float]], above: str, below: str) -> float:
    """Median over rounds of the ratio of two contenders."""
    return statistics.median(a / b for a, b in zip(seconds[above], seconds[below], strict=True))


def flow_figures(count: int) -> list[Figure]:
    """Measure reference flow and Transformer on 256 different controls at once."""
    problem = Problem.standard()
    figures = [
        Figure("reference flow: largest error, 256 controls", problem.reference_error(), "state", "<= 1e-9"),
        Figure("reference flow without error: largest true error", problem.plain_error(), "state", "<= 2e-10"),
    ]
    contenders: dict[str, Callable[[], object]] = {
        "euler": problem.euler,
        "kernel": problem.euler_kernel,
        "bmm": problem.euler_bmm,
        "plain": problem.plain,
        "reference": problem.reference,
    }
    contenders |= peers.batched(problem)
    seconds = rounds(contenders, count)
    figures += [
        Figure("Euler passes of the flow without its error", ratio(seconds, "plain", "euler"), "passes", "<= 14"),
        Figure("Euler passes of the flow with its error", ratio(seconds, "reference", "euler"), "passes", "<= 40"),
        Figure("Euler against hand-batched bmm", ratio(seconds, "euler", "bmm"), "ratio", "<= 0.5"),
        Figure("Euler's kernel against hand-batched bmm", ratio(seconds, "kernel", "bmm"), "ratio", "<= 0.5"),
    ]
    for name, (target, error) in peers.accuracy(problem).items():
        figures.append(
            Figure(
                f"flow without error against {name} (its error {error:.0e})",
                ratio(seconds, "plain", name),
                "ratio",
                target,
            )
        )
    figures += [
        Figure(f"one by one with {name}, against the flow of all at once", value, "ratio", ">= 30")
        for name, value in peers.one_by_one(problem).items()
    ]
    figures.append(Figure("flow with its error, 256 controls", 1e3 * statistics.median(seconds["reference"]), "ms", ""))
    return figures


def theorem_figures() -> list[Figure]:
    """Time theorems end to end, single bounds, and the command line from a cold start."""
    return [
        Figure("checks of depth/euler-pathwise, end to end", theorems.checks_per_second(), "1/s", ">= 500"),
        Figure("evaluation of a bound", theorems.evaluation_microseconds(), "µs", "<= 10"),
        _cold_start("mfc show depth/euler-pathwise, cold", "show", "depth/euler-pathwise"),
    ]


def _cold_start(name: str, *arguments: str) -> Figure:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "mfc", *arguments], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        return Figure(
            name, None, "s", "<= 1", f"not available: {(done.stderr.strip().splitlines() or ['no output'])[-1]}"
        )
    return Figure(name, seconds, "s", "<= 1")


def _finite(line: dict[str, object]) -> dict[str, object]:
    value = line["value"]
    if isinstance(value, float) and not math.isfinite(value):
        return line | {"value": None, "reason": f"not finite: {value}"}
    return line


def table(figures: list[Figure]) -> str:
    """Format the figures for a terminal."""
    width = max(len(figure.name) for figure in figures)
    lines = []
    for figure in figures:
        value = figure.reason if figure.value is None else f"{figure.value:10.3g} {figure.unit}"
        lines.append(f"{figure.name:<{width}}  {value:<20} {figure.target}".rstrip())
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=File, default=File("report/bench.json"))
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    figures = flow_figures(options.rounds) + theorem_figures()
    print(table(figures))
    machine = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "cpu": platform.processor(),
        "threads": 1,
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    report = {"schema": 1, "run": machine, "figures": [_finite(asdict(figure)) for figure in figures]}
    options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
