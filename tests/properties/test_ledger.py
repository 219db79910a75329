"""Tallies, rows and exit codes; a ledger is valid JSON whatever is in it, and is written in one move."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from properties import campaign, ledger
from properties.checking import HOLDS, UNDECIDED, UNMET, VIOLATED, Batch, Verdicts
from properties.ledger import NOT_RUN, VACUOUS, Part, Tally, exit_code, sanitised, theorem_row


def verdicts(*rows: tuple[str, float, bool]) -> Verdicts:
    return Verdicts([r[0] for r in rows], [1.0] * len(rows), [r[1] for r in rows], [r[2] for r in rows])


def test_tallies_count() -> None:
    tally = Tally()
    tally.add(
        verdicts((HOLDS, 0.5, False), (HOLDS, 0.05, False), (UNMET, math.nan, False), (HOLDS, 1.0, True)), "r", (1,)
    )
    assert tally.count == 3
    assert (tally.trivial, tally.informative) == (1, 1)
    assert tally.ratios == [0.5, 0.05]
    assert tally.worst_replay == "r  # instance 0"
    assert tally.shapes == {(1,)}


def test_the_worst_is_a_violation_even_if_smaller() -> None:
    tally = Tally()
    tally.add(verdicts((HOLDS, 0.9, False), (VIOLATED, 0.2, False)), "first")
    tally.add(verdicts((VIOLATED, 0.1, False)), "second")
    assert (tally.worst_violated, tally.worst_ratio, tally.worst_replay) == (True, 0.2, "first  # instance 1")


def test_infinite_ratios_are_no_ratios() -> None:
    tally = Tally()
    tally.add(verdicts((VIOLATED, math.inf, False), (UNDECIDED, math.nan, True)), "r")
    assert tally.ratios == []
    assert tally.verdicts[VIOLATED] == 1


def test_merging_is_adding() -> None:
    one, other, both = Tally(), Tally(), Tally()
    first, second = verdicts((HOLDS, 0.5, False)), verdicts((VIOLATED, 2.0, False), (HOLDS, 1.0, True))
    one.add(first, "a", (1,))
    other.add(second, "b", (2,))
    both.add(first, "a", (1,))
    both.add(second, "b", (2,))
    one.merge(other)
    assert one == both


def test_ties_keep_the_first() -> None:
    one, other = Tally(), Tally()
    one.add(verdicts((HOLDS, 0.5, False)), "first")
    other.add(verdicts((HOLDS, 0.5, False)), "second")
    one.merge(other)
    assert one.worst_replay == "first  # instance 0"


@pytest.fixture
def part(toys: list[str]) -> Part:
    """What a clean run of one theorem finds."""
    assert "toys/doubling" in toys
    whole = Part("toys/doubling")
    for task in campaign.tasks(["toys/doubling"], "quick"):
        for found in campaign.run_task(task, 0):
            whole.merge(found)
    return whole


def row(part: Part) -> dict[str, Any]:
    return theorem_row(campaign.property_of(part.slug), part)


def generated(measured: float, value: float, error: float = 0.0) -> dict[str, Batch]:
    return {"double": Batch(np.full(400, measured), np.full(400, error), {"a": value})}


def test_a_clean_row(part: Part) -> None:
    found = row(part)
    assert found["verdict"] == HOLDS
    assert found["kind"] == "tight"
    assert found["mutants"] == {"caught": 3, "planted": 3, "by_instance": 3, "by_proof": 0}
    assert found["needs"] == {"shown": ["bounded"], "assumptions": ["bounded"]}
    assert found["proof"]["status"] == "proved"
    assert found["proof"]["facts"]["inequality"] == 1
    assert found["sharp"] == {"ratio": 1.0, "instance": "full"}
    assert found["instances"]["exact"] == 3
    assert found["reasons"] == {}
    assert exit_code([found]) == 0


@pytest.mark.parametrize(
    ("measured", "value", "error", "verdict", "code"),
    [
        (3.0, 1.0, 0.0, VIOLATED, 1),
        (0.0, 0.0, 0.0, VACUOUS, 3),
        (2.0, 1.0, 0.5, UNDECIDED, 3),
        (1.0, 1.0, 0.0, HOLDS, 0),
    ],
)
def test_verdicts_and_exit_codes(
    part: Part, measured: float, value: float, error: float, verdict: str, code: int
) -> None:
    part.tally(campaign.property_of(part.slug), "generated", generated(measured, value, error), "replay")
    assert row(part)["verdict"] == verdict
    assert exit_code([row(part)]) == code
    assert exit_code([row(part), {**row(part), "verdict": VIOLATED}]) == 1


def test_few_undecided_instances_do_not_undo_a_verdict(part: Part) -> None:
    prop = campaign.property_of(part.slug)
    part.tally(prop, "generated", generated(1.0, 1.0), "replay")
    part.tally(prop, "generated", {"double": Batch(np.array([2.0]), np.array([0.5]), {"a": 1.0})}, "replay")
    assert row(part)["verdict"] == HOLDS
    assert row(part)["undecided"] == 1


@pytest.mark.parametrize("kind", ["failed", "errors", "survivors"])
def test_failures_exit_with_1(part: Part, kind: str) -> None:
    getattr(part, kind).append("what went wrong")
    found = row(part)
    assert exit_code([found]) == 1
    assert "what went wrong" in json.dumps(found)


def test_argued_lemmas_that_nobody_pinned_exit_with_1(part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    part.argued.append("lemma")
    assert row(part)["reasons"]["unpinned"] == ["lemma"]
    assert exit_code([row(part)]) == 1
    monkeypatch.setitem(ledger.PINNED, part.slug, ("lemma",))
    assert exit_code([row(part)]) == 0


def test_errors_leave_a_row_unfinished(part: Part) -> None:
    part.errors.append("generated: ZeroDivisionError")
    assert row(part)["verdict"] == NOT_RUN


def test_nothing_run_is_not_run(toys: list[str]) -> None:
    assert toys
    found = row(Part("toys/doubling"))
    assert found["verdict"] == NOT_RUN
    assert found["ratio"] == {"median": None, "max": None, "real_max": None}
    assert found["worst"] == {"ratio": None, "replay": None}
    assert exit_code([found]) == 3


def test_trained_networks_without_information_are_named(part: Part) -> None:
    part.real.clear()
    part.tally(campaign.property_of(part.slug), "real", {"double": Batch([1e-4], [0.0], {"a": 1.0})}, None)
    assert row(part)["reasons"]["real"] == ledger.UNINFORMATIVE
    part.tally(campaign.property_of(part.slug), "real", {"double": Batch([1e9], [0.0], {"a": 1.0})}, None)
    found = row(part)
    assert found["verdict"] == VIOLATED
    assert "real" not in found["reasons"]


def test_json_has_no_infinities() -> None:
    wild = {
        "a": math.nan,
        "b": [math.inf, (-math.inf, 1.5)],
        3: {np.float64("nan"), 2},
        "c": np.int64(4),
        "d": np.float32(0.5),
    }
    clean = sanitised(wild)
    assert json.loads(json.dumps(clean, allow_nan=False))["b"] == [None, [None, 1.5]]
    assert clean["a"] is None
    assert clean["c"] == 4
    assert clean["d"] == 0.5
    assert set(clean) == {"a", "b", "3", "c", "d"}


def test_writing_is_one_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new" / "ledger.json"
    ledger.write(target, {"schema": 1, "x": math.nan})
    assert json.loads(target.read_text()) == {"schema": 1, "x": None}

    def broken(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger.json, "dumps", broken)
    with pytest.raises(KeyboardInterrupt):
        ledger.write(target, {"schema": 2})
    assert json.loads(target.read_text())["schema"] == 1
    assert [p.name for p in target.parent.iterdir()] == ["ledger.json"]
