"""`mfc verify`: exit codes, the ledger's schema, replays, bad input, and what an interruption leaves."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import pytest

from properties import campaign
from properties.ledger import Part

Run = Callable[..., tuple[int, str, str]]


def verify(run: Run, tmp_path: Path, *names: str, seed: int = 0) -> tuple[int, dict[str, Any]]:
    """Verify theorems in this process and return the exit code and the ledger."""
    target = tmp_path / "ledger.json"
    arguments = ("verify", *names, "--profile", "quick", "--workers", "1", "--seed", str(seed), "--json", str(target))
    code, _, _ = run(*arguments)
    text = target.read_text()
    assert not re.search(r"\b(NaN|-?Infinity)\b", text)
    return code, json.loads(text)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("toys/doubling",), 0),
        (("doubling",), 0),
        (("toys/wrong",), 1),
        (("toys/unproved",), 1),
        (("toys/crashing",), 1),
        (("toys/vacuous",), 3),
        (("toys/vague",), 3),
        (("toys/doubling", "toys/vague"), 3),
        (("toys/doubling", "toys/vague", "toys/wrong"), 1),
    ],
)
def test_exit_codes(toys: list[str], run: Run, tmp_path: Path, names: tuple[str, ...], code: int) -> None:
    assert toys
    found, book = verify(run, tmp_path, *names)
    assert found == code
    assert [row["slug"].removeprefix("toys/") for row in book["theorems"]] == [n.removeprefix("toys/") for n in names]


ROW = {
    "slug": str,
    "kind": str,
    "verdict": str,
    "claims": list,
    "instances": {"generated": int, "real": int, "exact": int},
    "trivial": int,
    "undecided": int,
    "informative": int,
    "premise_unmet": int,
    "ratio": {"median": float, "max": float, "real_max": float},
    "worst": {"ratio": float, "replay": str},
    "worst_generated": {"ratio": float, "replay": str},
    "sharp": {"ratio": float, "instance": str},
    "needs": {"shown": list, "assumptions": list},
    "mutants": {"caught": int, "planted": int, "by_instance": int, "by_proof": int},
    "proof": {
        "status": str,
        "facts": dict.fromkeys(("identity", "inequality", "monotone", "induction", "cited", "argued", "assumed"), int),
        "argued": list,
        "failed": list,
    },
    "reasons": dict,
}
RUN = {
    "seed": int,
    "profile": str,
    "versions": dict,
    "threads": int,
    "workers": int,
    "device": str,
    "dtype": str,
    "seconds": float,
}


def fits(value: Any, schema: Any) -> None:
    """Assert that a JSON value has exactly the shape of a schema; numbers and texts that do not apply may be null."""
    if isinstance(schema, dict):
        assert set(value) == set(schema)
        for key, part in schema.items():
            fits(value[key], part)
    elif schema in (float, str):
        assert value is None or isinstance(value, (int, float) if schema is float else str)
    else:
        assert isinstance(value, schema)


def test_the_ledger_has_its_schema(toys: list[str], run: Run, tmp_path: Path) -> None:
    chosen = [s for s in toys if s != "toys/slow"]
    _, book = verify(run, tmp_path, *chosen)
    assert set(book) == {"schema", "run", "theorems"}
    assert book["schema"] == 1
    fits(book["run"], RUN)
    for row in book["theorems"]:
        fits(row, ROW)
        assert row["verdict"] in {"holds", "violated", "undecided", "vacuous", "not run"}
        assert row["kind"] in {"tight", "upper", "identity", "existence", "conditional"}
        assert {c["name"] for c in row["claims"]} == {"double"}
        for claim in row["claims"]:
            fits(
                {k: v for k, v in claim.items() if k not in ("name", "shapes")}, {k: ROW[k] for k in ROW if k in claim}
            )


def test_a_schema_that_does_not_fit_would_show() -> None:
    for wrong in ({}, {"a": "x"}, {"a": 1, "b": 2}):
        with pytest.raises(AssertionError):
            fits(wrong, {"a": int})


def timeless(book: dict[str, Any]) -> dict[str, Any]:
    return {**book, "run": {k: v for k, v in book["run"].items() if k not in ("seconds", "workers")}}


def test_the_same_seed_gives_the_same_ledger(toys: list[str], run: Run, tmp_path: Path) -> None:
    """For any subset and any number of workers, times apart."""
    assert toys
    _, one = verify(run, tmp_path, "toys/doubling", "toys/wrong")
    _, again = verify(run, tmp_path, "toys/doubling", "toys/wrong")
    assert timeless(one) == timeless(again)
    _, alone = verify(run, tmp_path, "toys/wrong")
    assert alone["theorems"] == [row for row in one["theorems"] if row["slug"] == "toys/wrong"]
    _, other = verify(run, tmp_path, "toys/doubling", "toys/wrong", seed=1)
    assert other["theorems"] != one["theorems"]


def environment(packages: Path) -> dict[str, str]:
    home = Path(__file__).resolve().parent.parent.parent
    return {**os.environ, "PYTHONPATH": f"{home}{os.pathsep}{packages}", "OMP_NUM_THREADS": "1"}


def test_two_workers_give_the_same_ledger(toys: list[str], run: Run, tmp_path: Path, packages: Path) -> None:
    assert toys
    _, alone = verify(run, tmp_path, "toys/doubling", "toys/wrong")
    target = tmp_path / "two.json"
    command = ["verify", "toys/doubling", "toys/wrong", "--profile", "quick", "--workers", "2", "--json", str(target)]
    done = subprocess.run(
        [sys.executable, "-m", "mfc", *command],
        env=environment(packages),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert timeless(json.loads(target.read_text())) == timeless(alone)


@pytest.mark.parametrize(("how", "workers"), [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGINT, 2)])
def test_an_interruption_leaves_what_it_has(packages: Path, tmp_path: Path, how: signal.Signals, workers: int) -> None:
    """Finished parts are written; the rest is `not run`; the exit code says that something is missing."""
    target = tmp_path / "ledger.json"
    arguments = ["verify", "toys/doubling", "toys/slow", "--profile", "standard", "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "mfc", *arguments, "--json", str(target)],
        env={**environment(packages), "TOY_STARTED": str(tmp_path / "started")},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background inherits an ignored SIGINT; a terminal's child does not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "interrupted" in out
    assert "Traceback" not in err
    book = json.loads(target.read_text())
    assert {row["slug"]: row["verdict"] for row in book["theorems"]}["toys/slow"] == "not run"
    fits(book["theorems"][0], ROW)


def test_a_worker_that_dies_leaves_a_ledger(
    toys: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert toys

    def dying(*_: object) -> Iterator[tuple[int, list[Part]]]:
        yield 0, campaign.run_task(campaign.tasks(["toys/doubling"], "quick")[0], 0)
        raise BrokenExecutor

    monkeypatch.setattr(campaign, "stream", dying)
    code, book = verify(run, tmp_path, "toys/doubling")
    assert code == 3
    assert book["theorems"][0]["verdict"] == "not run"


# Replays.


def test_a_violation_replays(toys: list[str], run: Run, tmp_path: Path) -> None:
    assert toys
    _, book = verify(run, tmp_path, "toys/wrong")
    descriptor = re.search(r"--instance '(.*)'", book["theorems"][0]["worst"]["replay"]).group(1)
    code, out, _ = run("verify", "toys/wrong", "--instance", descriptor)
    assert code == 1
    assert "violated" in out
    assert run("verify", "toys/wrong", "--instance", descriptor)[1] == out
    assert run("verify", "toys/doubling", "--instance", descriptor)[0] == 0


def test_exhibits_and_trained_networks_replay(toys: list[str], run: Run) -> None:
    assert toys
    code, out, _ = run("verify", "toys/doubling", "--exhibit", "full")
    assert code == 0
    assert "holds" in out
    assert run("verify", "toys/doubling", "--real")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("toys/doublin",), "near matches: toys/doubling"),
        (("toyz",), "near matches: toys"),
        (("toys", "--instance", "{}"), "one theorem to replay"),
        (("toys/doubling", "--instance", "{"), "a descriptor as `mfc verify` prints it"),
        (("toys/doubling", "--instance", '{"a": 99, "batch": 4, "kind": "full", "seed": 1}'), "a in Real"),
        (("toys/doubling", "--exhibit", "fall"), "known: full"),
        (("toys/doubling", "--workers", "0"), "needs at least 1, found 0"),
        (("toys/doubling", "--workers", "many"), "invalid"),
        (("toys/doubling", "--profile", "endless"), "invalid choice"),
        (("toys/doubling", "--seed", "x"), "invalid int value"),
        (("--strange",), "unrecognized arguments"),
        (("toys/doubling", "--workers", "many"), "needs an integer, found 'many'"),
        (("toys/doubling", "--workers", "-2"), "needs at least 1, found -2"),
    ],
)
def test_bad_input_exits_with_2(toys: list[str], run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    assert toys
    code, _, err = run("verify", *arguments)
    assert code == 2
    assert complaint in err


def test_a_place_that_cannot_be_written_is_refused_first(
    toys: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert toys
    monkeypatch.setattr(campaign, "stream", lambda *_: pytest.fail("the campaign ran"))
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "ledger.json", Path("/proc/ledger.json")):
        code, _, err = run("verify", "toys/doubling", "--json", str(place))
        assert code == 2
        assert "a file that can be written" in err


def test_the_table_has_a_row_for_each_theorem(toys: list[str], run: Run) -> None:
    assert toys
    code, out, _ = run("verify", "toys/doubling", "toys/vacuous", "--profile", "quick", "--workers", "1")
    assert code == 3
    for name in ("toys/doubling", "toys/vacuous"):
        assert any(name in line for line in out.splitlines())
    assert "vacuous" in out
