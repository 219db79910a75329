"""The ledger's driver: proofs, exhibits, needs, mutants, generated and real instances of many theorems over workers.

Every task is a pure function of its arguments, and results are merged in the order of tasks: the same seed gives the
same ledger for any subset of theorems and any number of workers.
"""

import multiprocessing
import platform
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import torch

from properties import ledger, mutants
from properties.checking import VIOLATED, Property, exhibit_batches, judged, measurements, need_is_shown, sharp_ratio
from properties.descriptor import Descriptor
from properties.ledger import Part
from spec.language import notes, registry
from spec.language.checker import Checker
from spec.language.errors import ConditionError, UnknownName
from spec.language.proof import ARGUED
from spec.language.theorem import Theorem

PROFILES = {"quick": 8, "standard": 100, "deep": 1000}
EVIDENCE = 4
SHRINKS = 200
CHUNK = 10
GENERATED, PROOF = "generated", "proof"


@dataclass(frozen=True)
class Task:
    """One unit of work: a stage for theorems that share a family, over a range of descriptor indices."""

    stage: str
    slugs: tuple[str, ...]
    start: int = 0
    stop: int = 0


@lru_cache(maxsize=256)
def property_of(slug: str) -> Property:
    """Return the property of a theorem: `properties/<chapter>/test_<name>.py` beside the theorem's `spec` package."""
    root, chapter, name = registry.modules()[slug].rsplit(".", 2)
    home = "properties" if root == "spec" else f"{root.rpartition('.')[0] or root}.properties"
    module = f"{home}.{chapter}.test_{name}"
    try:
        found = import_module(module).PROPERTY
    except (ModuleNotFoundError, AttributeError) as error:
        raise UnknownName("a PROPERTY beside the theorem", f"{module}: {error}", "`mfc new` shows its shape") from error
    assert isinstance(found, Property)
    assert found.slug == slug
    return found


def faults(slug: str) -> dict[str, list[str]]:
    """Return why a theorem cannot be checked at all, `unfilled` files and `errors` apart; nothing when it can.

    These are the faults of its files alone, found before any instance is built: other theorems are checked without it.
    """
    found: dict[str, list[str]] = {}
    for load in (_facts, property_of):
        try:
            load(slug)
        except Exception as error:  # whatever a file raises is the theorem's fault, not the run's
            kind = "unfilled" if isinstance(error, NotImplementedError) else "errors"
            line = str(error) if kind == "unfilled" else f"{_place(error, slug)}{_said(error)}"
            if line not in found.get(kind, ()):
                found.setdefault(kind, []).append(line)
    return found


def _facts(slug: str) -> Checker:
    theorem = registry.theorem(slug)
    return Checker(theorem.facts, theorem.vocabulary)


def _place(error: Exception, slug: str) -> str:
    """Return the last line of the theorem's own files that an error passed through."""
    where = [(str(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        where.append((str(error.filename), error.lineno))
    chapter, name = registry.modules()[slug].split(".")[-2:]
    own = [(Path(file), line) for file, line in where if file.endswith((f"{chapter}/{name}.py", f"/test_{name}.py"))]
    return "".join(f"{'/'.join(file.parts[-3:])}:{line}: " for file, line in own[-1:])


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ConditionError) else f"{type(error).__name__}: {error}"


def tasks(slugs: Sequence[str], profile: str) -> list[Task]:
    """Return the tasks of a run, proofs first; generated instances of one family are built once for its theorems."""
    families: dict[str, list[str]] = {}
    for slug in slugs:
        families.setdefault(property_of(slug).family or slug, []).append(slug)
    out = [Task(PROOF, (slug,)) for slug in slugs]
    out += [Task("real", tuple(members)) for members in families.values()]
    out += [Task(stage, (slug,)) for slug in slugs for stage in ("mutants", "exact")]
    for members in families.values():
        for start in range(0, PROFILES[profile], CHUNK):
            out.append(Task(GENERATED, tuple(members), start, min(start + CHUNK, PROFILES[profile])))
    return out


def run_task(task: Task, seed: int) -> list[Part]:
    """Run one task in this process, one thread."""
    torch.set_num_threads(1)
    parts = [Part(slug) for slug in task.slugs]
    # Index by index, so that theorems of one family find its instances still built.
    for index in range(task.start, task.stop) if task.stage == GENERATED else (0,):
        for part in parts:
            prop = property_of(part.slug)
            try:
                _STAGES[task.stage](prop, part, seed, index)
            except Exception as error:  # an error is a failure of the theorem's row, not of the run
                replay = f"; replay: mfc verify {part.slug}"
                replay += f" --instance '{prop.descriptor(seed, index)}'" if task.stage == GENERATED else ""
                part.errors.append(f"{task.stage}: {_said(error)}{replay}")
    for part in parts:
        part.done.append(task.stage)
    return parts


def _proof(prop: Property, part: Part, *_: int) -> None:
    reports = prop.theorem.check_proof()
    part.status = Theorem.status(reports)
    part.facts = Counter(r.kind for r in reports)
    part.argued = [r.name for r in reports if r.kind == ARGUED]
    part.failed += [f"{r.name}: {r.detail}" for r in reports if r.status == "failed"]
    part.failed += notes.check(prop.theorem)


def _exact(prop: Property, part: Part, *_: int) -> None:
    for exhibit in prop.exhibits:
        part.tally(
            prop, "exact", exhibit.build(), f"mfc verify {prop.slug} --exhibit {quote(exhibit.name)}", (exhibit.name,)
        )
    for claim in prop.theorem.claims:
        if claim.name not in prop.sharp:
            part.failed.append(f"no sharp instance of {claim.name} is named")
            continue
        part.sharp[claim.name] = (sharp_ratio(prop, claim.name), prop.sharp[claim.name])
        if part.sharp[claim.name][0] < claim.promised:
            part.failed.append(f"sharp instance of {claim.name} reaches {part.sharp[claim.name][0]:.4g}")
    for assumption, need in prop.needs.items():
        part.needs[assumption] = need_is_shown(prop, assumption)
        if need.undefined:
            part.undefined.append(f"{assumption}: {need.undefined}")
        if not part.needs[assumption]:
            part.failed.append(f"the instance for {assumption} does not break the claim")
    for name in (a.name for a in prop.theorem.assumptions if a.name not in {*prop.needs, *prop.structural}):
        part.failed.append(f"{name} has neither an instance that needs it nor a reason in structural")


def _mutants(prop: Property, part: Part, *_: int) -> None:
    batches = [e.build() for e in prop.exhibits] + [prop.check(prop.descriptor(0, i)) for i in range(EVIDENCE)]
    for claim in prop.theorem.claims:
        if claim.name not in prop.sharp:
            continue
        sharp = measurements([exhibit_batches(prop, prop.sharp[claim.name])], claim.name)
        for outcome in mutants.outcomes(prop, claim, measurements(batches, claim.name), sharp):
            if outcome.caught == mutants.EQUIVALENT:
                continue
            part.mutants[outcome.caught] += 1
            if outcome.caught == mutants.SURVIVED:
                part.survivors.append(f"{claim.name}: {outcome.mutant.change} ({outcome.detail})")


def _real(prop: Property, part: Part, *_: int) -> None:
    if prop.real is not None:
        part.tally(prop, "real", prop.real(), f"mfc verify {prop.slug} --real")


def _generated(prop: Property, part: Part, seed: int, index: int) -> None:
    descriptor = prop.descriptor(seed, index)
    batches = prop.check(descriptor)
    if any(VIOLATED in v.verdict for v in judged(prop, batches).values()):
        descriptor = shrunk(prop, descriptor)
        batches = prop.check(descriptor)
    replay = f"mfc verify {prop.slug} --instance '{descriptor}'"
    part.tally(prop, "generated", batches, replay, prop.space.shape(descriptor))


def shrunk(prop: Property, descriptor: Descriptor) -> Descriptor:
    """Return a simpler descriptor that still violates a claim, one knob at a time, within a fixed number of tries."""

    def violates(candidate: Descriptor) -> bool:
        try:
            return any(VIOLATED in v.verdict for v in judged(prop, prop.check(candidate)).values())
        except ConditionError:
            return False

    tries = 0
    progress = True
    while progress and tries < SHRINKS:
        progress = False
        for candidate in prop.space.smaller(descriptor):
            tries += 1
            if violates(candidate):
                descriptor, progress = candidate, True
                break
            if tries >= SHRINKS:
                break
    return descriptor


_STAGES: dict[str, Callable[[Property, Part, int, int], None]] = {
    GENERATED: _generated,
    PROOF: _proof,
    "exact": _exact,
    "mutants": _mutants,
    "real": _real,
}


def stream(todo: Sequence[Task], seed: int, workers: int) -> Iterator[tuple[int, list[Part]]]:
    """Yield (task number, parts) as tasks finish; no instance of a theorem is built before its proof is checked."""
    if workers <= 1:
        for number, task in enumerate(todo):
            yield number, run_task(task, seed)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running: dict[Future[list[Part]], int] = {}
        later = dict(enumerate(todo))
        unchecked = {slug for task in todo if task.stage == PROOF for slug in task.slugs}
        try:
            while later or running:
                ready = [i for i, task in later.items() if task.stage == PROOF or not unchecked & set(task.slugs)]
                running |= {pool.submit(run_task, later.pop(i), seed): i for i in ready}
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(future)
                    yield number, future.result()
                    if todo[number].stage == PROOF:
                        unchecked -= set(todo[number].slugs)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():  # an interruption does not wait for what is running
                worker.terminate()


def assemble(
    slugs: Sequence[str],
    todo: Sequence[Task],
    results: Mapping[int, list[Part]],
    broken: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
) -> list[dict[str, Any]]:
    """Merge results in the order of tasks; theorems with a missing part, or in `broken` with why, are `not run`."""
    merged = {slug: Part(slug) for slug in slugs}
    expected = Counter(slug for task in todo for slug in task.slugs)
    for number in sorted(results):
        for part in results[number]:
            merged[part.slug].merge(part)
    rows = []
    for slug in slugs:
        if broken and slug in broken:
            rows.append(ledger.unloaded_row(slug, broken[slug]))
            continue
        row = ledger.theorem_row(property_of(slug), merged[slug])
        if len(merged[slug].done) < expected[slug]:
            row["verdict"] = row["verdict"] if row["verdict"] == VIOLATED else ledger.NOT_RUN
        rows.append(row)
    return rows


def header(seed: int, profile: str, workers: int, started: float) -> dict[str, Any]:
    """Return what a run was: seed, profile, versions, threads, device, dtype, seconds."""
    packages = ("mfc-transformers", "numpy", "python-flint", "sympy", "torch", "z3-solver")
    return {
        "seed": seed,
        "profile": profile,
        "versions": {"python": platform.python_version(), **{p: _version(p) for p in packages}},
        "threads": 1,
        "workers": workers,
        "device": "cpu",
        "dtype": "float64",
        "seconds": round(time.monotonic() - started, 1),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except ImportError:
        return "not installed"


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return how many theorems have each verdict."""
    return dict(Counter(r["verdict"] for r in rows))


__all__ = ["PROFILES", "Task", "assemble", "header", "np", "property_of", "run_task", "shrunk", "stream", "tasks"]
