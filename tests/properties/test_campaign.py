"""The campaign: the same seed gives the same parts whatever runs beside them; violations shrink; errors are rows."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from properties import campaign, ledger
from properties.campaign import Task
from properties.checking import VIOLATED, Batch, judged
from properties.ledger import NOT_RUN, Part
from spec.language.errors import UnknownName


def rows(slugs: Sequence[str], seed: int = 0, leave: Sequence[int] = ()) -> list[dict[str, object]]:
    todo = campaign.tasks(slugs, "quick")
    results = {i: campaign.run_task(task, seed) for i, task in enumerate(todo) if i not in leave}
    return campaign.assemble(slugs, todo, results)


def test_every_theorem_gets_every_stage(toys: list[str]) -> None:
    todo = campaign.tasks(toys, "standard")
    for slug in toys:
        stages = [task.stage for task in todo if slug in task.slugs]
        assert set(stages) == {"real", "mutants", "proof", "exact", "generated"}
    covered = sorted(i for task in todo if task.stage == "generated" for i in range(task.start, task.stop))
    assert covered == list(range(campaign.PROFILES["standard"]))


def test_families_share_descriptors(toys: list[str]) -> None:
    drawn = {str(campaign.property_of(slug).descriptor(0, 5)) for slug in toys}
    assert len(drawn) == 1
    assert str(campaign.property_of(toys[0]).descriptor(1, 5)) not in drawn


def test_the_same_seed_gives_the_same_rows(toys: list[str]) -> None:
    chosen = [s for s in toys if s != "toys/slow"]
    assert rows(chosen) == rows(chosen)
    assert rows(["toys/doubling"])[0] == next(r for r in rows(chosen) if r["slug"] == "toys/doubling")
    assert rows(["toys/doubling"], seed=1) != rows(["toys/doubling"], seed=0)


def test_rows_do_not_depend_on_the_order_of_results(toys: list[str]) -> None:
    assert toys
    todo = campaign.tasks(["toys/doubling", "toys/wrong"], "standard")
    results = {i: campaign.run_task(task, 0) for i, task in enumerate(todo)}
    backwards = dict(reversed(results.items()))
    ours = campaign.assemble(["toys/doubling", "toys/wrong"], todo, results)
    assert ours == campaign.assemble(["toys/doubling", "toys/wrong"], todo, backwards)


def test_violations_are_shrunk_to_a_replayable_descriptor(toys: list[str]) -> None:
    assert toys
    prop = campaign.property_of("toys/wrong")
    start = next(d for d in (prop.descriptor(0, i) for i in range(50)) if d["a"] > 1 and d["kind"] == "part")
    found = campaign.shrunk(prop, start)
    assert found["kind"] == "full"
    assert found["batch"] == 4
    again = prop.space.parse(str(found))
    assert VIOLATED in judged(prop, prop.check(again))["double"].verdict
    (row,) = rows(["toys/wrong"])
    text = row["worst"]["replay"].partition("--instance '")[2].partition("'")[0]
    assert VIOLATED in judged(prop, prop.check(prop.space.parse(text)))["double"].verdict
    assert row["verdict"] == VIOLATED


def test_what_does_not_violate_is_not_shrunk_away(toys: list[str]) -> None:
    assert toys
    prop = campaign.property_of("toys/doubling")
    descriptor = prop.descriptor(0, 0)
    assert campaign.shrunk(prop, descriptor) == descriptor


def test_an_error_is_a_failed_row_with_its_replay(toys: list[str]) -> None:
    assert toys
    (row,) = rows(["toys/crashing"])
    assert row["verdict"] == NOT_RUN
    errors = row["reasons"]["errors"]
    assert any(
        e.startswith("mutants: ZeroDivisionError: part of nothing; replay: mfc verify toys/crashing") for e in errors
    )
    assert any("--instance '{" in e for e in errors)
    assert ledger.exit_code([row]) == 1


def test_a_failed_proof_is_named(toys: list[str]) -> None:
    assert toys
    (row,) = rows(["toys/unproved"])
    assert row["proof"]["status"] == "failed"
    assert row["proof"]["failed"][0].startswith("doubled: refuted")
    assert ledger.exit_code([row]) == 1


@pytest.mark.parametrize("stage", ["real", "mutants", "proof", "exact", "generated"])
def test_a_missing_part_is_not_run(toys: list[str], stage: str) -> None:
    assert toys
    todo = campaign.tasks(["toys/doubling", "toys/wrong"], "quick")
    missing = [i for i, task in enumerate(todo) if task.stage == stage]
    doubling, wrong = rows(["toys/doubling", "toys/wrong"], leave=missing)
    assert doubling["verdict"] == NOT_RUN
    assert wrong["verdict"] == (NOT_RUN if stage == "generated" else VIOLATED)
    assert ledger.exit_code([doubling]) == 3


def test_sharpness_and_needs_that_fail_are_named(toys: list[str]) -> None:
    assert toys
    prop = campaign.property_of("toys/doubling")
    outgrown = prop.needs["bounded"]
    dull = replace(
        prop,
        sharp={"double": "full"},
        exhibits=(replace(prop.exhibits[0], build=lambda: {"double": _batch(1, 1)}),),
        needs={"bounded": replace(outgrown, build=lambda: ({"double": _batch(1, 1)}, {}))},
    )
    part = Part(prop.slug)
    campaign._exact(dull, part)
    assert part.failed == ["sharp instance of double reaches 0.5", "the instance for bounded does not break the claim"]
    unnamed = replace(prop, sharp={}, needs={})
    part = Part(prop.slug)
    campaign._exact(unnamed, part)
    campaign._mutants(unnamed, part)
    silent = "bounded has neither an instance that needs it nor a reason in structural"
    assert part.failed == ["no sharp instance of double is named", silent]
    part = Part(prop.slug)
    campaign._exact(replace(prop, needs={}, structural={"bounded": "fixes what a is"}), part)
    assert part.failed == []


def _batch(measured: int, value: int) -> Batch:
    return Batch([measured], [0], {"a": value})


def test_theorems_without_a_property_are_refused(toys: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert toys
    monkeypatch.setitem(campaign.registry.modules(), "toys/stray", "toy.spec.toys.stray")
    with pytest.raises(UnknownName, match="a PROPERTY beside the theorem"):
        campaign.property_of("toys/stray")


def test_a_run_says_what_it_was() -> None:
    header = campaign.header(3, "quick", 2, 0.0)
    assert {"seed", "profile", "versions", "threads", "device", "dtype", "seconds", "workers"} == set(header)
    assert header["versions"]["numpy"] == np.__version__
    assert campaign._version("no-such-package") == "not installed"
    assert json.loads(json.dumps(header)) == header
    assert campaign.summary([{"verdict": "holds"}, {"verdict": "holds"}]) == {"holds": 2}


def test_one_thread_a_task(toys: list[str]) -> None:
    assert toys
    campaign.run_task(Task("proof", ("toys/doubling",)), 0)
    assert torch.get_num_threads() == 1
