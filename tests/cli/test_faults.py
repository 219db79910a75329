"""`mfc verify` on theorems that are not whole: unfilled files, static errors, notes that lack something."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from mfc.cli import main
from properties import campaign, ledger
from spec.language import registry

HOME = Path(__file__).resolve().parent.parent.parent
STUB = 'raise NotImplementedError("fill {}: it is a template; then delete this line")\n'
CHANGED = """from dataclasses import replace

import sympy as sp
from toy.theory import T, doubling

BASE = doubling("{slug}")
THEOREM = replace(BASE, claims=(replace(BASE.claims[0], bound={bound}),))
"""
CHECKED = 'from toy.checks import property_of\n\nPROPERTY = property_of("{slug}")\n'
CRASHING = "import toy.nothing\n"
Verify = Callable[..., tuple[int, str, dict[str, Any]]]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, dict[str, Any]]:
    """Verify sound and faulty theorems of a package together; return exit code, output and rows by name."""
    root = tmp_path_factory.mktemp("faults")
    shutil.copytree(Path(__file__).parent.parent / "packages", root / "packages")
    toy = root / "packages" / "toy"
    specs, checks = toy / "spec/toys", toy / "properties/toys"
    (specs / "stub.py").write_text(STUB.format("spec/toys/stub.py"))
    (checks / "test_stub.py").write_text(STUB.format("properties/toys/test_stub.py"))
    for name, bound in (("mismatched", "T"), ("strange", 'sp.Symbol("aa")')):
        (specs / f"{name}.py").write_text(CHANGED.format(slug=f"toys/{name}", bound=bound))
        (checks / f"test_{name}.py").write_text(CHECKED.format(slug=f"toys/{name}"))
    shutil.copy(specs / "doubling.py", specs / "unchecked.py")
    (checks / "test_unchecked.py").write_text(CRASHING)
    names = ("doubling", "stub", "mismatched", "strange", "unchecked", "unproved", "crashing")
    command = ["verify", *(f"toys/{name}" for name in names), "--profile", "quick", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "mfc", *command, "--json", str(root / "ledger.json")],
        env={**os.environ, "PYTHONPATH": f"{HOME}{os.pathsep}{root / 'packages'}", "OMP_NUM_THREADS": "1"},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (1, 2), done.stderr
    rows = json.loads((root / "ledger.json").read_text())["theorems"]
    assert [row["slug"] for row in rows] == [f"toys/{name}" for name in names]
    return done.returncode, done.stdout, {row["slug"].removeprefix("toys/"): row for row in rows}


def test_a_template_concerns_its_own_row_alone(checked: tuple[int, str, dict[str, Any]]) -> None:
    code, out, rows = checked
    assert code == 1
    assert rows["doubling"]["verdict"] == "holds"
    assert rows["stub"]["verdict"] == "not run"
    assert [line.split(":")[0] for line in rows["stub"]["reasons"]["unfilled"]] == [
        "fill spec/toys/stub.py",
        "fill properties/toys/test_stub.py",
    ]
    assert set(rows["stub"]) == set(rows["doubling"])
    (line,) = [line for line in out.splitlines() if line.split()[:1] == ["toys/stub"]]
    assert "unfilled" in line


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (
            "mismatched",
            "spec/toys/mismatched.py:7: DimensionMismatch: needs a bound of dimension 1 for toys/mismatched (double); "
            "found Depth",
        ),
        ("strange", "spec/toys/strange.py:7: UnknownName: needs a known symbol; found 'aa'; near matches: a"),
        ("unchecked", "a PROPERTY beside the theorem"),
    ],
)
def test_static_errors_are_said_once(checked: tuple[int, str, dict[str, Any]], name: str, complaint: str) -> None:
    _, out, rows = checked
    errors = rows[name]["reasons"]["errors"]
    assert sum(complaint in error for error in errors) == 1
    assert out.count(complaint) == 1
    assert rows[name]["instances"] == {"generated": 0, "real": 0, "exact": 0}


def test_errors_that_come_with_every_descriptor_are_said_once(checked: tuple[int, str, dict[str, Any]]) -> None:
    _, out, rows = checked
    (error,) = [e for e in rows["crashing"]["reasons"]["errors"] if e.startswith("generated")]
    assert error.startswith("generated: ZeroDivisionError: part of nothing (")
    assert " times); replay: mfc verify toys/crashing --instance '{" in error
    assert out.count("generated: ZeroDivisionError") == 1


def test_a_failed_step_is_found_before_any_instance_is_built(toys: list[str]) -> None:
    stages = [task.stage for task in campaign.tasks(toys, "quick")]
    assert set(stages[: len(toys)]) == {campaign.PROOF}
    assert campaign.PROOF not in stages[len(toys) :]


def test_two_workers_build_no_instance_before_its_proof(
    toys: list[str], monkeypatch: pytest.MonkeyPatch, packages: Path
) -> None:
    assert toys
    monkeypatch.setenv("PYTHONPATH", f"{HOME}{os.pathsep}{packages}")
    todo = campaign.tasks(["toys/doubling", "toys/unproved"], "quick")
    order = [todo[number] for number, _ in campaign.stream(todo, 0, 2)]
    assert sorted(map(str, order)) == sorted(map(str, todo))
    seen: set[str] = set()
    for task in order:
        if task.stage == campaign.PROOF:
            seen |= set(task.slugs)
        assert set(task.slugs) <= seen


def test_a_failed_step_is_said_once(checked: tuple[int, str, dict[str, Any]]) -> None:
    _, out, rows = checked
    assert len(rows["unproved"]["proof"]["failed"]) == 1
    assert out.count("doubled: refuted") == 1


def test_loading_says_what_is_wrong(toys: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert campaign.faults("toys/doubling") == {}
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/__init__.py").write_text("")
    (tmp_path / "broken/syntax.py").write_text("THEOREM = (\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(registry.modules(), "broken/syntax", "broken.syntax")
    assert toys
    (first, *_) = campaign.faults("broken/syntax")["errors"]
    assert "broken/syntax.py:1: SyntaxError" in first


def test_rows_of_what_is_not_loaded_fail() -> None:
    row = ledger.unloaded_row("toys/stub", {"unfilled": ["fill it"]})
    assert ledger.fails(row)
    assert ledger.exit_code([row]) == 1
    assert not ledger.fails({**row, "reasons": {}})


# Notes.


@pytest.fixture
def verified(toys: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Verify toys/doubling in this process; return exit code, output and its row."""
    assert toys

    def call() -> tuple[int, str, dict[str, Any]]:
        target = tmp_path / "ledger.json"
        arguments = ["verify", "toys/doubling", "--profile", "quick", "--workers", "1", "--json", str(target)]
        code = main(arguments)
        return code, capsys.readouterr().out, json.loads(target.read_text())["theorems"][0]

    return call


def test_a_whole_note_passes(verified: Verify) -> None:
    assert verified()[0] == 0


def _whole() -> str:
    return registry.note("toys/doubling").read_text()


def _template() -> str:
    text = files("mfc").joinpath("templates", "note.md.txt").read_text()
    return text.replace("@SLUG@", "toys/doubling").replace("@CHAPTER@", "toys").replace("@NAME@", "doubling")


@pytest.mark.parametrize(
    ("change", "complaints"),
    [
        (lambda _: None, ["the note is missing"]),
        (
            lambda _: _template(),
            ["unfilled: fill lines 1, ", "assumption bounded has no bullet", "inequality fact doubled has no step"],
        ),
        (lambda text: text.replace("### Step: doubled", "### Step: tripled"), ["the step tripled is no fact"]),
        (lambda text: text.replace("- `bounded`:", "- `bound`:"), ["assumption bounded has no bullet"]),
        (lambda text: text.replace("Twice `bounded`.", ""), ["the step doubled is empty"]),
    ],
)
def test_faulty_notes_fail(
    verified: Verify,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    change: Callable[[str], str | None],
    complaints: list[str],
) -> None:
    """Everything else holds."""
    path, text = tmp_path / "doubling.md", change(_whole())
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(registry, "note", lambda _: path)
    code, out, row = verified()
    assert code == 1
    assert row["verdict"] == "holds"
    for complaint in complaints:
        assert f"toys/doubling: proofs_notes/toys/doubling.md: {complaint}" in out
        assert any(complaint in line for line in row["proof"]["failed"])
    assert "note fails" in out


def test_notes_lie_beside_their_spec(toys: list[str], packages: Path) -> None:
    assert toys
    assert registry.note("toys/doubling") == packages / "toy/proofs_notes/toys/doubling.md"
    assert registry.note("depth/euler-pathwise") == HOME / "proofs_notes/depth/euler_pathwise.md"


# What was found by chance, and what was built.


def test_the_worst_generated_instance_is_no_exhibit(verified: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, row = verified()
    worst = row["worst_generated"]
    assert worst["ratio"] == row["ratio"]["max"] == row["claims"][0]["worst_generated"]["ratio"]
    assert worst["replay"].startswith("mfc verify toys/doubling --instance '{")
    assert worst["replay"] in out
    descriptor = worst["replay"].partition("--instance '")[2].partition("'")[0]
    assert main(["verify", "toys/doubling", "--instance", descriptor]) == 0
    assert f"{worst['ratio']:.3g}" in capsys.readouterr().out
