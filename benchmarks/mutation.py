"""How many mutants the tests kill: one in twenty lines of `impl` and `spec/language`, sampled by seed.

``python -m benchmarks.mutation --seed 0`` (needs ``pip install cosmic-ray``) mutates a copy of the checkout, runs the
tests of the mutated module until the first failure, its own before the general ones, and writes the survivors with
their change. The tests must pass unmutated first. Mutants that compile to the same code, and those of ``EQUIVALENT``,
are counted apart: no test can tell them. Survivors that ``mypy --strict`` refuses are said to be killed by types, not
by tests.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

SHARE = 20
PATIENCE = 5
"""A mutant whose tests take this many times as long as unmutated has failed them."""
LOADED = ("flint", "numpy", "pytest", "scipy", "sklearn", "sympy", "torch", "z3")
"""Libraries that every run of the tests finds loaded."""
PYTEST = ["-x", "-q", "-p", "no:xdist", "-k", "not microseconds"]
"""A mutant that fails a timing has met a busy machine."""


def _impl(*names: str) -> list[str]:
    return [f"tests/impl/test_{name}.py" for name in names]


FIELD = _impl(
    "field_slopes", "field_measured", "field_norms", "field_rounding", "field_abstract", "field", "device_dtype",
    "bad_input",
)  # fmt: skip
FLOW = _impl("flow_tableau", "flow_batch", "flow", "bad_flow_input", "reference_flow", "reference_error")


def _spec(*names: str) -> list[str]:
    return [f"tests/spec/test_{name}.py" for name in names]


TESTS = {
    "impl/checks.py": _impl("checks", "bad_input", "bad_samples", "bad_flow_input"),
    "impl/constants.py": _impl("constants", "bad_input"),
    "impl/control": _impl("control", "euclidean", "bad_input", "bad_flow_input"),
    "impl/euclidean.py": _impl("euclidean", "field_norms", "control"),
    "impl/field": FIELD,
    "impl/flow": FLOW,
    "impl/readout.py": _impl("readout", "bad_samples", "device_dtype"),
    "impl/rounding.py": FIELD,
    "impl/sampling": _impl("sampling", "bad_samples"),
    "impl/standing.py": _impl("constants"),
    "impl/": ["tests/impl"],
    "spec/language/assumption.py": _spec("registry"),
    "spec/language/ball.py": _spec("ball", "usability", "enclosures"),
    "spec/language/binding.py": _spec("binding"),
    "spec/language/checker.py": _spec("kinds", "soundness"),
    "spec/language/dimension.py": _spec("dimension"),
    "spec/language/display.py": _spec("display"),
    "spec/language/enclosures.py": _spec("enclosures", "ball", "formula"),
    "spec/language/errors.py": _spec("usability", "registry"),
    "spec/language/evaluation.py": _spec("evaluation"),
    "spec/language/exact.py": _spec("exact", "results"),
    "spec/language/existence.py": _spec("soundness_kinds", "smt", "soundness"),
    "spec/language/explanation.py": _spec("explanation", "usability"),
    "spec/language/families.py": _spec("families", "evaluation"),
    "spec/language/formula.py": _spec("formula", "ball", "enclosures"),
    "spec/language/functions.py": _spec("functions", "exact", "formula"),
    "spec/language/glossary.py": _spec("usability"),
    "spec/language/graph.py": _spec("theorem"),
    "spec/language/instantiation.py": _spec("soundness", "kinds"),
    "spec/language/kind.py": _spec("soundness_kinds", "soundness"),
    "spec/language/linear.py": _spec("functions", "soundness"),
    "spec/language/nodes.py": _spec("functions", "binding"),
    "spec/language/notation.py": _spec("functions"),
    "spec/language/notes.py": ["tests/repo/test_lints_fail.py"],
    "spec/language/proof.py": _spec("kinds", "theorem"),
    "spec/language/quantity.py": _spec("quantity", "usability", "evaluation"),
    "spec/language/registry.py": _spec("registry", "usability"),
    "spec/language/smt.py": _spec("smt", "usability", "soundness"),
    "spec/language/template.py": _spec("results", "binding"),
    "spec/language/theorem.py": _spec("theorem", "explanation", "evaluation"),
    "spec/language/values.py": _spec("soundness_kinds", "soundness", "kinds"),
}
GENERAL = {
    "impl": ["tests/impl"],
    "spec/language": [*_spec("soundness", "kinds", "theorem", "smt", "evaluation"), "tests/spec"],
}
"""What a mutant that its own tests let pass has to pass too."""
EQUIVALENT = {
    (
        "impl/control/path.py",
        "return cls.with_jumps(_common_times(cells[..., 0, :], grid(T, 1, powers.device)), cells)",
        "return cls.with_jumps(_common_times(cells[..., -1, :], grid(T, 1, powers.device)), cells)",
    ): "only the leading shape is read",
    ("impl/field/abstract.py", "@dataclass(frozen=True)", ""): "a field without parameters of its own inherits all",
    (
        "impl/flow/depth.py",
        "zero = torch.zeros((*steps.shape[:-2], 1), dtype=steps.dtype, device=steps.device)",
        "zero = torch.zeros((*steps.shape[:-2], 2), dtype=steps.dtype, device=steps.device)",
    ): "two zeros have the maximum of one",
    ("impl/flow/reference.py", "row = index[0]", "row = index[ -1]"): "this branch has one row",
    (
        "impl/flow/tableau.py",
        "for count in range(1, vertices // largest + 1):",
        "for count in range(1, vertices // largest + 2):",
    ): "a negative number of vertices has no forests",
    (
        "impl/sampling/population.py",
        "size = (log_coefficients - terms.sum(-1)).max(-1)",
        "size = (log_coefficients - terms.sum(-1)).max(+1)",
    ): "the last of two dimensions is the dimension 1",
    (
        "impl/readout.py",
        "@dataclass(frozen=True, eq=False)",
        "",
    ): "both readouts inherit constructor and checks",
    (
        "spec/language/registry.py",
        'if not found or (len(found) > 1 and "/" not in name and name not in {s.partition("/")[0] for s in known}):',
        'if not found or (len(found) != 1 and "/" not in name and name not in {s.partition("/")[0] for s in known}):',
    ): "something is found there",
}
"""Surviving mutants that no test can tell from the original, by path and change, and why; caches change speed alone."""


@dataclass
class Mutant:
    """One change of one line, and what became of it."""

    path: str
    line: int
    operator: str
    occurrence: int
    before: str = ""
    after: str = ""
    fate: str = "survived"
    seconds: float = 0.0


def candidates(root: Path) -> dict[tuple[str, int], list[Mutant]]:
    """Return every mutant by file and line."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast_from_path

    found: dict[tuple[str, int], list[Mutant]] = {}
    files = [*sorted((root / "impl").rglob("*.py")), *sorted((root / "spec/language").rglob("*.py"))]
    for path in files:
        tree = get_ast_from_path(path)
        for name in cosmic_ray.plugins.operator_names():
            kind = cosmic_ray.plugins.get_operator(name)
            if kind.arguments():
                continue
            operator, occurrence = kind(), 0
            for node in ast_nodes(tree):
                for (line, _), _ in operator.mutation_positions(node):
                    mutant = Mutant(str(path.relative_to(root)), line, name, occurrence)
                    found.setdefault((mutant.path, line), []).append(mutant)
                    occurrence += 1
    return found


def sample(root: Path, seed: int) -> list[Mutant]:
    """Draw one in twenty of all lines; those that cannot be mutated fall out, the others get one mutant each.

    Every file has its own draws, so that what is drawn in one does not depend on the others.
    """
    by_line = candidates(root)
    chosen = []
    for path in sorted({p for p, _ in by_line}):
        generator = random.Random(f"{seed} {path}")
        lines = len((root / path).read_text().splitlines())
        for line in range(1, lines + 1):
            if generator.randrange(SHARE) == 0 and (path, line) in by_line:
                chosen.append(generator.choice(by_line[path, line]))
    return chosen


def _run_tests(copy: Path, arguments: list[str]) -> None:
    os.chdir(copy)
    sys.path[0] = str(copy)
    sys.dont_write_bytecode = True
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    os._exit(import_module("pytest").main(arguments))


def passes(copy: Path, tests: list[str], patience: float | None = None) -> bool:
    """Run tests on the copy as it stands, in a fork of this process; a run that outlasts the patience fails."""
    process = get_context("fork").Process(target=_run_tests, args=(copy, [*PYTEST, *tests]))
    process.start()
    process.join(patience)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode == 0


def has_types(copy: Path, path: str) -> bool:
    """Check the types of a module of the copy."""
    command = [sys.executable, "-m", "mypy", path]
    return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


def tests_of(path: str) -> list[list[str]]:
    """Return what tests a module, in turn: the tests of the longest matching prefix, then the general ones."""
    tables = [
        {prefix: tests for prefix, tests in table.items() if path.startswith(prefix)} for table in (TESTS, GENERAL)
    ]
    return [table[max(table, key=len)] for table in tables if table]


@lru_cache
def seconds_unmutated(copy: Path, *tests: str) -> float:
    """Return how long tests of the unmutated copy take; they must pass."""
    started = time.monotonic()
    if not passes(copy, list(tests)):
        raise SystemExit(f"fails unmutated: {' '.join(tests)}")
    return time.monotonic() - started


def difference(original: str, changed: str) -> tuple[str, str]:
    """Return the first block of lines that differ, as they were and as they are."""
    old, new = original.splitlines(), changed.splitlines()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            return "\n".join(old[a:b]).strip(), "\n".join(new[c:d]).strip()
    return "", ""


def run(copy: Path, mutant: Mutant) -> None:
    """Mutate the copy, run the tests, put the copy back."""
    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    target = copy / mutant.path
    original = target.read_text()
    stages = [(tests, PATIENCE * seconds_unmutated(copy, *tests)) for tests in tests_of(mutant.path)]
    started = time.monotonic()
    changed = mutate_code(original, cosmic_ray.plugins.get_operator(mutant.operator)(), mutant.occurrence)
    mutant.before, mutant.after = difference(original, changed)
    try:
        same = ast.dump(ast.parse(original)) == ast.dump(ast.parse(changed))
    except SyntaxError:
        mutant.fate = "no program"
        return
    if same:
        mutant.fate = "equivalent"
        return
    target.write_text(changed)
    try:
        if not all(passes(copy, *stage) for stage in stages):
            mutant.fate = "killed"
        elif (mutant.path, mutant.before, mutant.after) in EQUIVALENT or mutant.before.startswith("@lru_cache"):
            mutant.fate = "equivalent"
        elif not has_types(copy, mutant.path):
            mutant.fate = "killed by types"
    finally:
        target.write_text(original)
    mutant.seconds = round(time.monotonic() - started, 1)


def main() -> None:
    """Sample, run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=Path("report/mutation.json"))
    parser.add_argument("--only", default="", help="a path prefix")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    for name in LOADED:
        import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", ".venv", "report", ".*cache", "__pycache__"))
        chosen = [m for m in sample(copy, options.seed) if m.path.startswith(options.only)]
        for number, mutant in enumerate(chosen, start=1):
            run(copy, mutant)
            change = f"{mutant.before!r} -> {mutant.after!r}"
            print(f"{number}/{len(chosen)} {mutant.fate.upper()} {mutant.path}:{mutant.line} {change}", flush=True)
    counts = Counter(mutant.fate for mutant in chosen)
    real = len(chosen) - counts["equivalent"] - counts["no program"]
    print(
        f"{counts['killed']} of {real} killed by tests ({100 * counts['killed'] / max(1, real):.1f} %), "
        f"{counts['killed by types']} more by types; {counts['equivalent']} others equivalent, "
        f"{counts['no program']} no programs"
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(m) for m in chosen], indent=1) + "\n")


if __name__ == "__main__":
    main()
