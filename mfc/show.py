"""`mfc show` and `mfc list`: theorems as text, LaTeX and JSON."""

import argparse
import json
from typing import Any

import sympy as sp
from rich.console import Console
from rich.table import Table
from rich.text import Text

import spec
from spec.language.errors import OutOfRange
from spec.language.notation import latex
from spec.language.theorem import Claim, Theorem

RELATIONS = {"<=": "≤", ">=": "≥", "=": "=", "exists": "≤"}


def run(options: argparse.Namespace) -> int:
    """Show one theorem."""
    theorem = spec.theorem(options.slug)
    claim = theorem.claim(options.claim)
    values: dict[str, Any] = {}
    for name, value in map(_assignment, options.at):
        if name in values:
            raise OutOfRange(f"one value for {name}", f"{values[name]} and {value}", "drop one")
        values[name] = value
    if options.json:
        print(json.dumps(as_json(theorem, claim, values), indent=1, allow_nan=False))
    else:
        _print(Console(), theorem, claim, values)
    return 0


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise OutOfRange("NAME=VALUE", text, "write for example --at T=1")
    return (name, value) if "," not in value else (name, value.split(","))


def as_json(theorem: Theorem, claim: Claim, values: dict[str, Any]) -> dict[str, Any]:
    """Return what `mfc show --json` prints; a value without finite ends has null there and says so in words."""
    value = None
    if values:
        found = theorem.evaluate(claim.name, **values)
        lower, upper = (end if abs(end) != float("inf") else None for end in (found.lower, found.upper))
        value = {"lower": lower, "upper": upper, "text": str(found)}
    return {
        "slug": theorem.slug,
        "title": theorem.title,
        "assumptions": [{"name": a.name, "statement": a.words} for a in theorem.assumptions],
        "symbols": [
            {"name": q.name, "dimension": str(q.dimension), "sign": q.sign, "meaning": q.meaning}
            for q in theorem.symbols_of(claim.bound)
        ],
        "bound": {
            "text": sp.sstr(claim.bound),
            "latex": latex(claim.bound, theorem.vocabulary),
            "dimension": str(theorem.dimension(claim.name)),
        },
        "value": value,
        "proof": [{"name": r.name, "kind": r.kind, "status": r.status} for r in theorem.check_proof()],
    }


def _print(console: Console, theorem: Theorem, claim: Claim, values: dict[str, Any]) -> None:
    console.print(Text(f"{theorem.slug}: {theorem.title}", style="bold"))
    for each in theorem.claims:
        mark = "→" if each is claim else " "
        console.print(
            Text(f"{mark} {each.name}: {each.measured.meaning} {RELATIONS[each.relation]} {sp.sstr(each.bound)}")
        )
    console.print(Text("\nAssumptions"))
    for assumption in theorem.assumptions:
        console.print(Text(f"  {assumption.name}: {assumption.words}"))
    table = Table("symbol", "dimension", "range", "meaning", "definition", title="Symbols", title_justify="left")
    for q in theorem.symbols_of(claim.bound):
        definition = "" if q.definition is None else sp.sstr(q.definition)
        table.add_row(*(Text(cell) for cell in (q.name, str(q.dimension), str(q.range), q.meaning, definition)))
    console.print(table)
    console.print(Text(f"bound      {sp.sstr(claim.bound)}"))
    console.print(Text(f"LaTeX      {latex(claim.bound, theorem.vocabulary)}"))
    console.print(Text(f"dimension  {theorem.dimension(claim.name)}"))
    if values:
        found = theorem.evaluate(claim.name, **values)
        console.print(Text(f"value      {found}   in [{found.lower!r}, {found.upper!r}]"))
        for term, part in theorem.explain(claim.name, **values)[:4]:
            console.print(Text(f"           {part} from {sp.sstr(term)}"))
    console.print(Text(f"proof      proofs_notes/{theorem.slug.replace('-', '_')}.md; facts and status with --json"))


def listing() -> int:
    """List every theorem with its title."""
    console = Console()
    for slug in spec.slugs():
        try:
            title = spec.theorem(slug).title
        except NotImplementedError as unfilled:  # a template that waits to be filled
            title = f"({unfilled})"
        console.print(Text(f"{slug:34} {title}"), soft_wrap=True)
    return 0
