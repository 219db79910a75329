"""The ledger: one row a theorem, merged from the parts that workers return; valid JSON whatever happens."""

import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from properties.checking import HOLDS, INFORMATIVE, UNDECIDED, UNMET, VIOLATED, Batch, Property, Verdicts, judge
from spec.pinned import PINNED

SCHEMA = 1
TRIVIAL_SHARE, UNDECIDED_SHARE, REAL_FLOOR = 0.20, 0.01, 1e-3
UNINFORMATIVE = "holds, uninformative on trained networks"
FACT_KINDS = ("identity", "inequality", "monotone", "induction", "cited", "argued", "assumed")
NOT_RUN, VACUOUS = "not run", "vacuous"
HEADLINE = (
    "instances", "trivial", "undecided", "informative", "premise_unmet", "ratio", "worst", "worst_generated", "sharp",
)  # fmt: skip


@dataclass
class Tally:
    """Counts and ratios of one claim over instances of one source."""

    verdicts: Counter[str] = field(default_factory=Counter)
    trivial: int = 0
    informative: int = 0
    ratios: list[float] = field(default_factory=list)
    worst_ratio: float = -1.0
    worst_violated: bool = False
    worst_replay: str | None = None
    shapes: set[tuple[Any, ...]] = field(default_factory=set)

    def add(self, verdicts: Verdicts, replay: str | None, shape: tuple[Any, ...] = ()) -> None:
        """Add a judged batch."""
        self.verdicts.update(verdicts.verdict)
        self.shapes.add(shape)
        for i, (verdict, ratio, trivial) in enumerate(
            zip(verdicts.verdict, verdicts.ratio, verdicts.trivial, strict=True)
        ):
            if verdict == UNMET:
                continue
            self.trivial += trivial
            if trivial or not math.isfinite(ratio):
                continue
            self.ratios.append(ratio)
            self.informative += ratio >= INFORMATIVE
            if (verdict == VIOLATED, ratio) > (self.worst_violated, self.worst_ratio):
                self.worst_violated, self.worst_ratio = verdict == VIOLATED, ratio
                self.worst_replay = None if replay is None else f"{replay}  # instance {i}"

    def merge(self, other: "Tally") -> None:
        """Add another tally; the order of merging does not change the result but for ties, which keep the first."""
        self.verdicts.update(other.verdicts)
        self.trivial += other.trivial
        self.informative += other.informative
        self.ratios += other.ratios
        self.shapes |= other.shapes
        if (other.worst_violated, other.worst_ratio) > (self.worst_violated, self.worst_ratio):
            self.worst_violated, self.worst_ratio, self.worst_replay = (
                other.worst_violated, other.worst_ratio, other.worst_replay,
            )  # fmt: skip

    @property
    def count(self) -> int:
        """How many instances were judged."""
        return sum(self.verdicts.values()) - self.verdicts[UNMET]


@dataclass
class Part:
    """What one task found for one theorem."""

    slug: str
    generated: dict[str, Tally] = field(default_factory=dict)
    exact: dict[str, Tally] = field(default_factory=dict)
    real: dict[str, Tally] = field(default_factory=dict)
    sharp: dict[str, tuple[float, str]] = field(default_factory=dict)
    needs: dict[str, bool] = field(default_factory=dict)
    undefined: list[str] = field(default_factory=list)
    mutants: Counter[str] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    status: str | None = None
    argued: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def tally(
        self, prop: Property, source: str, batches: Mapping[str, Batch], replay: str | None, shape: tuple[Any, ...] = ()
    ) -> None:
        """Judge the batches of one source and count them."""
        for name, batch in batches.items():
            verdicts = judge(prop.theorem, prop.theorem.claim(name), batch)
            getattr(self, source).setdefault(name, Tally()).add(verdicts, replay, shape)

    def merge(self, other: "Part") -> None:
        """Add another part of the same theorem."""
        for source in ("generated", "exact", "real"):
            for name, tally in getattr(other, source).items():
                getattr(self, source).setdefault(name, Tally()).merge(tally)
        self.sharp |= other.sharp
        self.needs |= other.needs
        self.mutants.update(other.mutants)
        self.facts.update(other.facts)
        self.status = other.status or self.status
        for name in ("undefined", "survivors", "argued", "failed", "errors", "messages", "done"):
            getattr(self, name).extend(getattr(other, name))


def claim_row(prop: Property, part: Part, name: str) -> dict[str, Any]:
    """Return a claim's row."""
    claim = prop.theorem.claim(name)
    generated, exact, real = (getattr(part, s).get(name, Tally()) for s in ("generated", "exact", "real"))
    every = Tally()
    for tally in (generated, exact, real):
        every.merge(tally)
    sharp = part.sharp.get(name)
    return {
        "name": name,
        "kind": claim.kind,
        "verdict": _verdict(every, generated),
        "instances": {"generated": generated.count, "real": real.count, "exact": exact.count},
        "shapes": len(generated.shapes),
        "trivial": generated.trivial,
        "undecided": every.verdicts[UNDECIDED],
        "informative": generated.informative,
        "premise_unmet": every.verdicts[UNMET],
        "ratio": {
            "median": float(np.median(generated.ratios)) if generated.ratios else None,
            "max": max(generated.ratios, default=None),
            "real_max": max(real.ratios, default=0.0 if real.count else None),  # no finite bound: ratios of 0
        },
        "worst": _worst(every),
        "worst_generated": _worst(generated),  # exhibits are built to be the worst: this is the worst that was found
        "sharp": {"ratio": sharp[0] if sharp else None, "instance": sharp[1] if sharp else None},
    }


def _worst(tally: Tally) -> dict[str, Any]:
    return {"ratio": tally.worst_ratio if tally.worst_replay else None, "replay": tally.worst_replay}


def _verdict(every: Tally, generated: Tally) -> str:
    if every.verdicts[VIOLATED]:
        return VIOLATED
    if not every.count:
        return NOT_RUN
    if generated.count and generated.trivial > TRIVIAL_SHARE * generated.count:
        return VACUOUS
    return UNDECIDED if every.verdicts[UNDECIDED] > UNDECIDED_SHARE * every.count else HOLDS


def theorem_row(prop: Property, part: Part) -> dict[str, Any]:
    """Return a theorem's row: the headline's figures, the weakest verdict of its claims, proof, needs and mutants."""
    claims = [claim_row(prop, part, c.name) for c in prop.theorem.claims]
    head = claims[0]
    order = (VIOLATED, NOT_RUN, VACUOUS, UNDECIDED, HOLDS)
    reasons = {"messages": part.messages} if part.messages else {}
    verdict = min((*(c["verdict"] for c in claims), *([NOT_RUN] if part.errors else [])), key=order.index)
    real_max = head["ratio"]["real_max"]
    if verdict == HOLDS and real_max is not None and real_max < REAL_FLOOR:
        reasons["real"] = UNINFORMATIVE  # type: ignore[assignment]
    if part.errors:
        reasons["errors"] = grouped(part.errors)
    if part.survivors:
        reasons["survivors"] = part.survivors
    if prop.equivalent:
        reasons["equivalent"] = [f"{k}: {v}" for k, v in prop.equivalent.items()]
    if part.undefined:
        reasons["undefined"] = part.undefined
    if prop.structural:
        reasons["structural"] = [f"{k}: {v}" for k, v in prop.structural.items()]
    unpinned = sorted(set(part.argued) - set(PINNED.get(prop.slug, ())))
    if unpinned:
        reasons["unpinned"] = unpinned
    return {
        "slug": prop.slug,
        "kind": head["kind"],
        "verdict": verdict,
        "claims": claims,
        **{k: head[k] for k in HEADLINE},
        "needs": {
            "shown": sorted(k for k, ok in part.needs.items() if ok),
            "assumptions": sorted(a.name for a in prop.theorem.assumptions),
        },
        "mutants": {
            "caught": part.mutants["instance"] + part.mutants["sharpness"] + part.mutants["proof"],
            "planted": sum(part.mutants.values()),
            "by_instance": part.mutants["instance"] + part.mutants["sharpness"],
            "by_proof": part.mutants["proof"],
        },
        "proof": {
            "status": part.status,
            "facts": {kind: part.facts[kind] for kind in FACT_KINDS},
            "argued": sorted(part.argued),
            "failed": part.failed,
        },
        "reasons": reasons,
    }


def grouped(errors: Sequence[str]) -> list[str]:
    """Return each error once, with its first replay and how often it came."""
    said = [text.partition("; replay: ") for text in errors]
    count = Counter(what for what, _, _ in said)
    first = {what: (comma, replay) for what, comma, replay in reversed(said)}
    return [f"{what}{f' ({n} times)' if n > 1 else ''}{''.join(first[what])}" for what, n in count.items()]


def unloaded_row(slug: str, reasons: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the row of a theorem whose files cannot be loaded: not run, for the reasons given."""
    none = {"ratio": None, "replay": None}
    return {
        "slug": slug,
        "kind": None,
        "verdict": NOT_RUN,
        "claims": [],
        "instances": {"generated": 0, "real": 0, "exact": 0},
        **dict.fromkeys(("trivial", "undecided", "informative", "premise_unmet"), 0),
        "ratio": {"median": None, "max": None, "real_max": None},
        "worst": none,
        "worst_generated": none,
        "sharp": {"ratio": None, "instance": None},
        "needs": {"shown": [], "assumptions": []},
        "mutants": {"caught": 0, "planted": 0, "by_instance": 0, "by_proof": 0},
        "proof": {"status": None, "facts": dict.fromkeys(FACT_KINDS, 0), "argued": [], "failed": []},
        "reasons": {key: list(lines) for key, lines in reasons.items()},
    }


def exit_code(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return 0 if all hold, 1 for a violation or a failed or unfilled proof, 3 for what is vacuous or undecided."""
    if any(map(fails, rows)):
        return 1
    return 3 if any(r["verdict"] != HOLDS for r in rows) else 0


def fails(row: Mapping[str, Any]) -> bool:
    """Say whether a row fails: a violation, a failed proof or note, a faulty or unfilled file."""
    wrong = {"unpinned", "survivors", "errors", "unfilled"} & set(row["reasons"])
    return bool(row["verdict"] == VIOLATED or row["proof"]["failed"] or wrong)


def sanitised(value: Any) -> Any:
    """Return a JSON value without NaN or infinities: null in their place; the reason stands in the row."""
    if isinstance(value, Mapping):
        return {str(k): sanitised(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [sanitised(v) for v in value]
    if isinstance(value, np.generic):
        return sanitised(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write(path: Path, ledger: Mapping[str, Any]) -> None:
    """Write a ledger in one move, so that an interruption leaves the old file or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(sanitised(ledger), indent=1, allow_nan=False)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w") as file:
        file.write(text + "\n")
    Path(temporary).replace(path)
