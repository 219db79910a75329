"""`mfc verify`: run the campaign with a live display, write the ledger, replay single batches."""

import argparse
import math
import os
import signal
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


def run(options: argparse.Namespace) -> int:
    """Verify theorems, or replay one batch."""
    slugs = registry.slugs(tuple(options.names))
    if options.instance or options.exhibit or options.real:
        return _replay(options, slugs)
    if options.json:
        _refuse_unwritable(options.json)
    console = _console()
    started = time.monotonic()
    todo = campaign.tasks(slugs, options.profile)
    workers = min(options.workers, len(todo))
    results: dict[int, list[ledger.Part]] = {}
    interrupted = False
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        with _progress(console) as progress:
            bar = progress.add_task("checking", total=len(todo))
            for number, parts in campaign.stream(todo, options.seed, workers):
                results[number] = parts
                task = todo[number]
                progress.update(bar, advance=1, description=f"{task.stage:9} {task.slugs[0][:34]:34}")
                _announce(progress, parts)
    except (KeyboardInterrupt, BrokenExecutor) as stop:
        interrupted = True
        cause = "interrupted" if isinstance(stop, KeyboardInterrupt) else "a worker died"
        console.print(f"{cause}: what was checked is written, the rest is 'not run'")
    finally:
        signal.signal(signal.SIGTERM, previous)
    rows = campaign.assemble(slugs, todo, results)
    book = {
        "schema": ledger.SCHEMA,
        "run": campaign.header(options.seed, options.profile, workers, started),
        "theorems": rows,
    }
    console.print(table(rows))
    _explain(console, rows)
    if options.json:
        ledger.write(options.json, book)
        console.print(f"ledger written to {options.json}")
    return ledger.exit_code(rows) or (INTERRUPTED if interrupted else 0)


def _refuse_unwritable(path: Path) -> None:
    """Refuse a ledger's place before the campaign, not after it."""
    home = path.parent
    while not home.exists():
        home = home.parent
    if path.is_dir() or not home.is_dir() or not os.access(home, os.W_OK):
        raise OutOfRange("a file that can be written", path, "choose another place for the ledger")


def _console() -> Console:
    """Return the console; where output is no terminal, wide enough for every row."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def _terminate(*_: Any) -> None:
    raise KeyboardInterrupt


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, redirect_stdout=False, redirect_stderr=False)


def _announce(progress: Progress, parts: list[ledger.Part]) -> None:
    for part in parts:
        for line in (*part.failed, *part.errors):
            progress.console.print(Text(f"{part.slug}: {line}", style="red"))
        for name, tally in part.generated.items():
            if tally.worst_violated:
                where = f"{part.slug} ({name}) violated, ratio {tally.worst_ratio:.6g}"
                progress.console.print(Text(f"{where}; replay: {tally.worst_replay}", style="red"))


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
            row["slug"], row["kind"], row["verdict"], f"{count['generated']}+{count['exact']}+{count['real']}",
            _share(row["trivial"], count["generated"]), _share(row["undecided"], count["generated"]),
            _share(row["informative"], count["generated"]), _short(ratio["median"]), _short(ratio["max"]),
            _short(ratio["real_max"]), _short(row["sharp"]["ratio"]),
            f"{len(needs['shown'])}/{needed}", f"{mutants['caught']}/{mutants['planted']}",
            row["proof"]["status"] or "",
        )  # fmt: skip
        out.add_row(*(Text(str(cell)) for cell in cells), style="" if row["verdict"] == "holds" else "red")
    return out


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else ""


def _short(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.3g}"


def _explain(console: Console, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if "real" in row["reasons"]:
            console.print(Text(f"{row['slug']}: {row['reasons']['real']}"))
        for key in ("errors", "unpinned", "survivors", "messages"):
            for line in row["reasons"].get(key, ()):
                console.print(Text(f"{row['slug']}: {key}: {line}", style="red"))
        for line in row["proof"]["failed"]:
            console.print(Text(f"{row['slug']}: {line}; replay: mfc verify {row['slug']}", style="red"))
        for claim in row["claims"]:
            if claim["verdict"] == "violated":
                where = f"{row['slug']} ({claim['name']}): violated; replay: {claim['worst']['replay']}"
                console.print(Text(where, style="red"))


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
