"""One in twenty lines of `impl` and `spec/language` mutated, sampled by seed: how many mutants the tests kill.

``python -m benchmarks.mutation --seed 0`` (needs ``pip install cosmic-ray``) mutates a copy of the checkout, runs the
tests of the mutated module until the first failure, and writes the survivors with their change.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

SHARE = 20
TIMEOUT = 300
TESTS = {
    "impl/field": ["tests/impl/test_field.py", "tests/impl/test_field_abstract.py", "tests/impl/test_field_norms.py",
                   "tests/impl/test_device_dtype.py", "tests/impl/test_field_rounding.py"],
    "impl/rounding.py": ["tests/impl/test_field_rounding.py"],
    "impl/readout.py": ["tests/impl/test_readout.py", "tests/impl/test_device_dtype.py"],
    "impl/control": ["tests/impl/test_control.py", "tests/impl/test_flow.py"],
    "impl/flow": ["tests/impl/test_flow.py"],
    "impl/": ["tests/impl", "properties/field"],
    "spec/language": ["tests/spec"],
}  # fmt: skip


@dataclass
class Mutant:
    """One change of one line, and what became of it."""

    path: str
    line: int
    operator: str
    occurrence: int
    before: str = ""
    after: str = ""
    killed: bool = False
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
    """Draw one in twenty of all lines; those that cannot be mutated fall out, the others get one mutant each."""
    generator = random.Random(seed)
    by_line = candidates(root)
    chosen = []
    for path in sorted({p for p, _ in by_line}):
        lines = len((root / path).read_text().splitlines())
        for line in range(1, lines + 1):
            if generator.randrange(SHARE) == 0 and (path, line) in by_line:
                chosen.append(generator.choice(by_line[path, line]))
    return chosen


def tests_of(path: str) -> list[str]:
    """Return the tests of a module: those of the longest matching prefix."""
    return TESTS[max((prefix for prefix in TESTS if path.startswith(prefix)), key=len)]


def run(copy: Path, mutant: Mutant) -> None:
    """Mutate the copy, run the tests, put the copy back."""
    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    target = copy / mutant.path
    original = target.read_text()
    changed = mutate_code(original, cosmic_ray.plugins.get_operator(mutant.operator)(), mutant.occurrence)
    rows = [(a, b) for a, b in zip(original.splitlines(), changed.splitlines(), strict=False) if a != b]
    mutant.before, mutant.after = (side.strip() for side in (rows or [("", "")])[0])
    started = time.monotonic()
    target.write_text(changed)
    try:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", *tests_of(mutant.path)]
        done = subprocess.run(command, cwd=copy, capture_output=True, timeout=TIMEOUT, check=False)
        mutant.killed = done.returncode == 1 or done.returncode == 2
    except subprocess.TimeoutExpired:
        mutant.killed = True
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
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", ".venv", "report", ".*cache", "__pycache__"))
        chosen = [m for m in sample(copy, options.seed) if m.path.startswith(options.only)]
        for number, mutant in enumerate(chosen, start=1):
            run(copy, mutant)
            fate = "killed" if mutant.killed else "SURVIVED"
            print(
                f"{number}/{len(chosen)} {fate} {mutant.path}:{mutant.line} {mutant.before!r} -> {mutant.after!r}",
                flush=True,
            )
    killed = sum(m.killed for m in chosen)
    print(f"{killed} of {len(chosen)} killed ({100 * killed / max(1, len(chosen)):.1f} %)")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(m) for m in chosen], indent=1) + "\n")


if __name__ == "__main__":
    main()
