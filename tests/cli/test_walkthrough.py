"""The example of README's walk-through: its three files, put where `mfc new` puts them, make a passing theorem."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent.parent
EXAMPLE = Path(__file__).parent / "example"
FILES = {
    "spec.py.txt": "spec/depth/my_bound.py",
    "note.md.txt": "proofs_notes/depth/my_bound.md",
    "property.py.txt": "properties/depth/test_my_bound.py",
}


def _mfc(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "mfc", *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def test_the_example_of_the_walkthrough_passes(tmp_path: Path) -> None:
    for folder in ("spec", "impl", "properties", "mfc", "proofs_notes"):
        shutil.copytree(HOME / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert _mfc(tmp_path, "new", "depth/my-bound").returncode == 0
    unfilled = _mfc(tmp_path, "verify", "depth/my-bound", "--profile", "quick", "--workers", "1")
    assert unfilled.returncode == 1
    assert "fill spec/depth/my_bound.py" in unfilled.stdout
    assert "fill properties/depth/test_my_bound.py" in unfilled.stdout
    ledger = tmp_path / "ledger.json"
    for target in FILES.values():
        assert (tmp_path / target).exists(), "mfc new has written it"
    for source in ("spec.py.txt", "property.py.txt", "note.md.txt"):
        shutil.copy(EXAMPLE / source, tmp_path / FILES[source])
        if source == "property.py.txt":
            unproved = _mfc(tmp_path, "verify", "depth/my-bound", "--profile", "quick", "--workers", "1")
            assert unproved.returncode == 1, unproved.stdout
            assert "proofs_notes/depth/my_bound.md: unfilled: fill lines 1, " in unproved.stdout
            assert "inequality fact speed has no step" in unproved.stdout
    done = _mfc(tmp_path, "verify", "depth/my-bound", "--profile", "quick", "--workers", "1", "--json", str(ledger))
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads(ledger.read_text())["theorems"]
    assert row["verdict"] == "holds"
    assert row["mutants"]["caught"] == row["mutants"]["planted"] > 0
