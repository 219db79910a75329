"""The command line in odd surroundings: other encodings, closed pipes, no colours, a cache that cannot be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from properties import digits

HOME = Path(__file__).resolve().parent.parent.parent
RANGE = ("show", "loss/loss-range")


def mfc(packages: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own, its output read through a pipe."""
    everything = {**os.environ, "PYTHONPATH": f"{HOME}{os.pathsep}{packages}", "OMP_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-m", "mfc", *arguments]
    return subprocess.run(command, env=everything, cwd=HOME, capture_output=True, check=False)


def test_letters_that_an_encoding_lacks_are_named(packages: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = mfc(packages, *RANGE, **plain)
    assert done.returncode == 0, done.stderr
    assert rb"loss \N{SCRIPT SMALL L}(h, y) \N{GREATER-THAN OR EQUAL TO} log(kappa*(C - 1) + 1)" in done.stdout
    assert "ℓ(h, y) ≥ log(kappa*(C - 1) + 1)" in mfc(packages, *RANGE, PYTHONIOENCODING="utf-8").stdout.decode()


def test_notes_are_read_whatever_the_encoding(packages: Path, tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    target = tmp_path / "ledger.json"
    arguments = ("verify", "toys/doubling", "--profile", "quick", "--workers", "1", "--json", str(target))
    done = mfc(packages, *arguments, **plain)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(target.read_text())["theorems"][0]["verdict"] == "holds"


@pytest.mark.parametrize("arguments", [RANGE, ("verify", "toys/doubling", "--profile", "quick", "--workers", "1")])
def test_a_reader_who_leaves_is_no_error(packages: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The exit code is a closed pipe's, nothing is said, and a ledger is written all the same."""
    target = tmp_path / "ledger.json"
    verifying = arguments[0] == "verify"
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "mfc", *arguments, *(("--json", str(target)) if verifying else ())],
        env={**os.environ, "PYTHONPATH": f"{HOME}{os.pathsep}{packages}", "OMP_NUM_THREADS": "1"},
        cwd=HOME,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait() == 141
    assert said == b""
    assert not verifying or json.loads(target.read_text())["theorems"][0]["slug"] == "toys/doubling"


def test_colours_stay_away_from_pipes_and_from_who_declines_them(packages: Path) -> None:
    arguments = ("verify", "toys/wrong", "--profile", "quick", "--workers", "1")
    assert b"\x1b[" not in mfc(packages, *arguments).stdout
    declined = mfc(packages, *arguments, NO_COLOR="1", FORCE_COLOR="1").stdout
    assert b"\x1b[31m" not in declined
    assert b"\x1b[31m" in mfc(packages, *arguments, FORCE_COLOR="1", TERM="xterm").stdout


def test_a_cache_that_cannot_be_written_is_said_and_done_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MFC_CACHE", str(tmp_path / "file" / "cache"))
    short = digits.Recipe("short", epochs=1, batch=1024)
    with pytest.warns(UserWarning, match="cannot be written .* set MFC_CACHE to spare a training"):
        trained = digits.trained(short)
    monkeypatch.setenv("MFC_CACHE", str(tmp_path / "cache"))
    digits.trained.cache_clear()
    kept = digits.trained(short)
    assert np.array_equal(trained.layers.numpy(), kept.layers.numpy())
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_showing_a_theorem_loads_what_it_needs_alone() -> None:
    """Among what it does without: the solver, the display, the proof checker, the search for installed packages."""
    code = f"import sys; from mfc.cli import main; assert main({list(RANGE)!r}) == 0; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True, check=False)
    loaded = set(done.stdout.splitlines())
    assert "sympy" in loaded
    spared = {"torch", "z3", "numpy", "hypothesis", "rich", "importlib.metadata", "spec.language.checker"}
    assert not loaded & spared
    assert "spec.depth.euler_pathwise" not in loaded
