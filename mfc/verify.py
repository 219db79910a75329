"""`mfc verify`: run the campaign with a live display, write the ledger, replay single batches."""

import argparse
import math
import signal
import tempfile
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from properties import campaign, ledger
from properties.checking import Batch, exhibit_batches, judge
from spec.language import registry
from spec.language.errors import OutOfRange

INTERRUPTED = 3
WIDTH = 160
REASONS = ("unfilled", "errors", "unpinned", "survivors", "messages")


def run(options: argparse.Namespace) -> int:
    """Verify theorems, or replay one batch."""
    slugs = registry.slugs(tuple(options.names))
    if options.json:
        _refuse_unwritable(options.json)
    console = _console()
    started = time.monotonic()
    broken = {slug: found for slug in slugs if (found := campaign.faults(slug))}
    if options.instance or options.exhibit or options.real:
        if not broken:
            return _replay(options, slugs)
        _explain(console, campaign.assemble(list(broken), (), {}, broken))
        return 1
    for slug in broken:
        console.print(Text(f"{slug}: not run, why is said below the table", style="red"))
    todo = campaign.tasks([slug for slug in slugs if slug not in broken], options.profile)
    workers = max(1, min(options.workers, len(todo)))
    results, stopped = _checked(console, todo, options.seed, workers)
    rows = campaign.assemble(slugs, todo, results, broken)
    book = {
        "schema": ledger.SCHEMA,
        "run": campaign.header(options.seed, options.profile, workers, started),
        "theorems": rows,
    }
    if options.json:  # before anything is printed: the reader may have gone
        ledger.write(options.json, book)
    if stopped:
        console.print(f"{stopped}: what was checked is written, the rest is 'not run'")
    console.print(table(rows))
    _explain(console, rows)
    if options.names:
        _worst_found(console, rows)
    if options.json:
        console.print(Text(f"ledger written to {options.json}"), soft_wrap=True)
    return ledger.exit_code(rows) or (INTERRUPTED if stopped else 0)


def _checked(
    console: Console, todo: list[campaign.Task], seed: int, workers: int
) -> tuple[dict[int, list[ledger.Part]], str]:
    """Run the tasks under a progress bar; return what they found, by number, and why they stopped, if they did."""
    results: dict[int, list[ledger.Part]] = {}
    announced: set[str] = set()
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        with _progress(console) as progress:
            bar = progress.add_task("checking", total=len(todo))
            for number, parts in campaign.stream(todo, seed, workers):
                results[number] = parts
                task = todo[number]
                progress.update(bar, advance=1, description=f"{task.stage:9} {task.slugs[0][:34]:34}")
                _announce(progress, parts, announced)
    except BrokenExecutor:
        return results, "a worker died"
    except (KeyboardInterrupt, BrokenPipeError):
        return results, "interrupted"
    finally:
        signal.signal(signal.SIGTERM, previous)
    return results, ""


def _refuse_unwritable(path: Path) -> None:
    """Refuse a ledger's place before the campaign, not after it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            why = "it is a folder" if path.is_dir() else ""
    except OSError as error:
        why = error.strerror or type(error).__name__
    if why:
        raise OutOfRange("a file that can be written", f"{path}: {why}", "choose another place for the ledger")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the run end in order, its ledger written, where rich would exit at once."""
        raise BrokenPipeError


def _console() -> Console:
    """Return the console; where output is no terminal, wide enough for every row."""
    console = _Console()
    return console if console.is_terminal else _Console(width=WIDTH)


def _terminate(*_: Any) -> None:
    raise KeyboardInterrupt


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False)


def _announce(progress: Progress, parts: list[ledger.Part], announced: set[str]) -> None:
    """Say once that a theorem fails, as soon as that is known; how, is said below the table."""
    for part in parts:
        violated = any(t.worst_violated for t in part.generated.values())
        if part.slug not in announced and (violated or part.failed or part.errors):
            announced.add(part.slug)
            how = "violated" if violated else "a proof or a check fails"
            progress.console.print(Text(f"{part.slug}: {how}; more below the table", style="red"))


def table(rows: list[dict[str, Any]]) -> Table:
    """Return the ledger as a table; instances are generated + exact + real, ratios are measured/bound."""
    out = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for head in ("theorem", "kind", "verdict"):
        out.add_column(head, no_wrap=True)
    for head in ("instances", "trivial", "undec.", "inform.", "median", "max", "real", "sharp", "needs", "mutants"):
        out.add_column(head, justify="right", no_wrap=True)
    out.add_column("proof", no_wrap=True)
    for row in rows:
        count, ratio, needs, mutants = row["instances"], row["ratio"], row["needs"], row["mutants"]
        needed = len(needs["assumptions"]) - len(row["reasons"].get("structural", ()))
        cells = (
            row["slug"], row["kind"] or "", _verdict(row), f"{count['generated']}+{count['exact']}+{count['real']}",
            _share(row["trivial"], count["generated"]), _share(row["undecided"], count["generated"]),
            _share(row["informative"], count["generated"]), _short(ratio["median"]), _short(ratio["max"]),
            _short(ratio["real_max"]), _short(row["sharp"]["ratio"]),
            f"{len(needs['shown'])}/{needed}", f"{mutants['caught']}/{mutants['planted']}",
            _proof(row),
        )  # fmt: skip
        bad = ledger.fails(row) or row["verdict"] != "holds"
        out.add_row(*(Text(str(cell)) for cell in cells), style="red" if bad else "")
    return out


def _verdict(row: dict[str, Any]) -> str:
    return "unfilled" if "unfilled" in row["reasons"] else str(row["verdict"])


def _proof(row: dict[str, Any]) -> str:
    noted = any(line.startswith("proofs_notes/") for line in row["proof"]["failed"])
    return (row["proof"]["status"] or "") + (", note fails" if noted else "")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else ""


def _short(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.3g}"


def _explain(console: Console, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if "real" in row["reasons"]:
            console.print(Text(f"{row['slug']}: {row['reasons']['real']}"))
        lines = [f"{key}: {line}" for key in REASONS for line in row["reasons"].get(key, ())]
        lines += row["proof"]["failed"]
        lines += [
            f"({claim['name']}) violated, ratio {_short(claim['worst']['ratio'])}; replay: {claim['worst']['replay']}"
            for claim in row["claims"]
            if claim["verdict"] == "violated"
        ]
        for line in lines:
            console.print(Text(f"{row['slug']}: {line}", style="red"), soft_wrap=True)


def _worst_found(console: Console, rows: list[dict[str, Any]]) -> None:
    """Print the largest ratio among generated instances: that of all is often an exhibit's, built to reach it."""
    for row in rows:
        if replay := row["worst_generated"]["replay"]:
            ratio = f"largest generated ratio {row['worst_generated']['ratio']:.3g}"
            console.print(Text(f"{row['slug']}: {ratio}: {replay}"), soft_wrap=True)


def _replay(options: argparse.Namespace, slugs: list[str]) -> int:
    if len(slugs) != 1:
        raise OutOfRange("one theorem to replay", f"{len(slugs)}", "name its slug")
    prop = campaign.property_of(slugs[0])
    batches: dict[str, Batch]
    if options.instance:
        batches = dict(prop.check(prop.space.parse(options.instance)))
    elif options.exhibit:
        names = [e.name for e in prop.exhibits]
        if options.exhibit not in names:
            raise OutOfRange(f"an exhibit of {slugs[0]}", options.exhibit, f"known: {'; '.join(names)}")
        batches = dict(exhibit_batches(prop, options.exhibit))
    else:
        batches = dict(prop.real()) if prop.real else {}
    out = Table("claim", "instance", "measured", "error", "bound", "ratio", "verdict")
    violated = False
    for name, batch in batches.items():
        verdicts = judge(prop.theorem, prop.theorem.claim(name), batch)
        for i, verdict in enumerate(verdicts.verdict):
            cells = (name, i, batch.measured[i], batch.error[i], verdicts.bound[i], verdicts.ratio[i], verdict)
            out.add_row(
                *(
                    Text(c if isinstance(c, str) else f"{float(c):.17g}" if not isinstance(c, int) else str(c))
                    for c in cells
                )
            )
            violated |= verdict == "violated"
    _console().print(out)
    return 1 if violated else 0
