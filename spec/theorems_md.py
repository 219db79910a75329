"""Prints THEOREMS.md: every theorem as it stands in `spec`, for reading beside the paper."""

import sys
from collections.abc import Iterator

import sympy as sp

import spec
from spec.language.notation import latex
from spec.language.theorem import Claim, Theorem

HEAD = """# Theorems

Generated from `spec` by `make docs`; a test keeps it fresh. *Status* is what checking the proof's facts gave: *proved*
(elementary steps checked by machine), *cited* (a published result is used), *argued* (a lemma rests on its note alone).
*Tight* claims have a named instance that reaches at least 0.99 of the bound, the others one that reaches at least 0.5.
"""
_RELATION = {"<=": r"\\le", ">=": r"\\ge", "=": "=", "exists": r"\\le"}


def lines() -> Iterator[str]:
    """Yield the document's lines."""
    yield from HEAD.splitlines()
    chapter = ""
    for theorem in spec.theorems():
        if theorem.slug.partition("/")[0] != chapter:
            chapter = theorem.slug.partition("/")[0]
            yield from ("", f"## {chapter}")
        yield from _theorem(theorem)


def _theorem(theorem: Theorem) -> Iterator[str]:
    reports = theorem.check_proof()
    path = theorem.slug.replace("-", "_")
    yield from ("", f"### {theorem.title}", "")
    yield f"`{theorem.slug}` · [proof](proofs_notes/{path}.md) · status *{Theorem.status(reports)}*"
    argued = [r.name for r in reports if r.kind == "argued"]
    if argued:
        yield f"· argued: {', '.join(f'`{name}`' for name in argued)}"
    yield ""
    for claim in theorem.claims:
        yield from _claim(theorem, claim)
    yield from ("", "Assumes: " + "; ".join(f"*{a.name}* ({a.words.rstrip('.')})" for a in theorem.assumptions) + ".")
    derived = [q for c in theorem.claims for q in theorem.symbols_of(c.bound) if q.definition is not None]
    seen = {q.name: q for q in derived}
    if seen:
        parts = (f"${q.latex} = {latex(sp.sympify(q.definition), theorem.vocabulary)}$" for q in seen.values())
        yield from ("", "where " + ", ".join(parts) + ".")


def _claim(theorem: Theorem, claim: Claim) -> Iterator[str]:
    left = latex(claim.measured.expression, theorem.vocabulary)
    kind = "tight" if claim.tight else claim.kind
    yield f"- **{claim.name}** ({kind}; dimension {theorem.dimension(claim.name)}):"
    yield f"  $${left} {_RELATION[claim.relation]} {latex(claim.bound, theorem.vocabulary)}$$".replace("\\\\", "\\")


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
