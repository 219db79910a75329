"""`mfc show` and `mfc list`: theorems as text, LaTeX and JSON."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy as sp

import spec
from spec.language import families
from spec.language.errors import OutOfRange
from spec.language.glossary import Meaning, meanings
from spec.language.notation import latex
from spec.language.quantity import Quantity
from spec.language.theorem import Claim, Theorem

RELATIONS = {"<=": "≤", ">=": "≥", "=": "=", "exists": "≤"}
TERMS = 4


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
        print("\n".join(list(_lines(theorem, claim, values))))  # all or nothing: bad values print no half theorem
    return 0


def _assignment(text: str) -> tuple[str, Any]:
    name, _, value = (part.strip() for part in text.partition("="))
    if not name or not value:
        how = "write for example --at T=1, --at delta=1/20 or, one for each layer, --at L_k=1,2,3"
        raise OutOfRange("NAME=VALUE", repr(text), how)
    return (name, value) if "," not in value else (name, value.split(","))


def functions(theorem: Theorem, claims: Iterable[Claim]) -> list[Meaning]:
    """Return the meanings of the functions in bounds and in the definitions of their symbols."""
    printed: list[sp.Basic] = []
    for claim in claims:
        printed += [claim.bound, *(q.definition for q in theorem.symbols_of(claim.bound) if q.definition is not None)]
    return meanings(printed)


def as_json(theorem: Theorem, claim: Claim, values: dict[str, Any]) -> dict[str, Any]:
    """Return what `mfc show --json` prints; a value without finite ends has null there and says so in words."""
    value = None
    if values:
        found = theorem.evaluate(claim.name, **values)
        lower, upper = (end if abs(end) != float("inf") else None for end in (found.lower, found.upper))
        value = {"lower": lower, "upper": upper, "text": found.text(claim.relation)}
    return {
        "slug": theorem.slug,
        "title": theorem.title,
        "assumptions": [{"name": a.name, "statement": a.words} for a in theorem.assumptions],
        "symbols": [
            {"name": q.name, "dimension": str(q.dimension), "sign": q.sign, "meaning": q.meaning}
            for q in theorem.symbols_of(claim.bound)
        ],
        "functions": [{"name": m.name, "text": m.text, "latex": m.latex} for m in functions(theorem, [claim])],
        "bound": {
            "text": sp.sstr(claim.bound),
            "latex": latex(claim.bound, theorem.vocabulary),
            "dimension": str(theorem.dimension(claim.name)),
        },
        "value": value,
        "proof": [{"name": r.name, "kind": r.kind, "status": r.status} for r in theorem.check_proof()],
    }


def _lines(theorem: Theorem, claim: Claim, values: dict[str, Any]) -> Iterator[str]:
    yield f"{theorem.slug}: {theorem.title}"
    for each in theorem.claims:
        mark = "→" if each is claim else " "
        yield f"{mark} {each.name}: {each.measured.meaning} {RELATIONS[each.relation]} {sp.sstr(each.bound)}"
    yield "\nAssumptions"
    yield from _columns([(a.name, a.words) for a in theorem.assumptions])
    yield f"\nSymbols of {claim.name}"
    definitions = {q.name: "" if q.definition is None else f" = {sp.sstr(q.definition)}" for q in theorem.quantities}
    symbols = theorem.symbols_of(claim.bound)
    rows = [
        (q.name, str(q.dimension), str(q.range), q.meaning + _counted(theorem, claim, q) + definitions[q.name])
        for q in symbols
    ]
    yield from _columns([("name", "dimension", "range", "meaning = definition"), *rows])
    if where := functions(theorem, theorem.claims):
        yield "\nwhere"
        yield from _columns([(m.name, m.text) for m in where])
    yield f"\nbound      {sp.sstr(claim.bound)}"
    yield f"LaTeX      {latex(claim.bound, theorem.vocabulary)}"
    yield f"dimension  {theorem.dimension(claim.name)}"
    if values:
        found = theorem.evaluate(claim.name, **values)
        said = found.text(claim.relation)
        yield f"value      {RELATIONS[claim.relation]} {said}   in [{found.lower!r}, {found.upper!r}]"
        for term, part in theorem.explain(claim.name, **values)[:TERMS]:
            yield f"           {part.text(claim.relation)} from {sp.sstr(term)}"
    yield f"proof      proofs_notes/{theorem.slug.replace('-', '_')}.md; facts and status with --json"


def _counted(theorem: Theorem, claim: Claim, quantity: Quantity) -> str:
    """Say of an indexed symbol how many values it takes."""
    counts = families.lengths(theorem.unfolded(claim.bound, frozenset({quantity.name}))).get(quantity.name, ())
    return f" ({' or '.join(map(str, counts))} values, or one for all)" if counts else ""


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with their columns aligned; the last one runs on."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        yield "  " + "".join(f"{cell:{width}}  " for cell, width in zip(row, widths, strict=False)) + row[-1]


def listing(options: argparse.Namespace) -> int:
    """List every theorem with its title, and its claims where they are asked for."""
    for slug in spec.slugs():
        claims: tuple[Claim, ...] = ()
        try:
            theorem = spec.theorem(slug)
            title, claims = theorem.title, theorem.claims if options.claims else ()
        except NotImplementedError as unfilled:  # a template that waits to be filled
            title = f"({unfilled})"
        except Exception as error:  # one faulty file hides no other theorem
            title = f"(cannot be loaded: {error}; `mfc verify {slug}` says where)"
        print(f"{slug:34} {title}")
        for claim in claims:
            print(f"    {claim.name}: {claim.measured.meaning} {RELATIONS[claim.relation]} {sp.sstr(claim.bound)}")
    return 0
