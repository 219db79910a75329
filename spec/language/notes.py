"""What a proof's note keeps to: its headings, the theorem's assumptions, a step for every fact that needs one."""

import re
from collections import Counter

from spec.language import registry
from spec.language.proof import ASSUMED, CLAIM, DEFINITION, Fact
from spec.language.theorem import Theorem

SECTIONS = ("Statement", "Assumptions", "Proof", "Sharpness", "Remarks")
UNFILLED = re.compile(r"\b[T]ODO\b")  # as templates say it


def check(theorem: Theorem) -> list[str]:
    """Return what a theorem's note lacks, each complaint with the note's name; none when all is well."""
    path = registry.note(theorem.slug)
    if not path.is_file():
        return [f"{_name(theorem)}: the note is missing: it proves every fact; `mfc new` shows its shape"]
    return complaints(path.read_text(encoding="utf-8"), theorem)


def complaints(text: str, theorem: Theorem) -> list[str]:
    """Return what a note's text lacks: fixed headings, exactly the assumptions, a step for each fact that needs one."""
    headings = re.findall(r"^(#{1,2} .*)$", text, re.MULTILINE)
    wanted = [f"# {theorem.title}", *(f"## {name}" for name in SECTIONS)]
    found = [] if headings == wanted else [f"headings {headings}, not {wanted}"]
    if unfilled := [str(i) for i, line in enumerate(text.splitlines(), 1) if UNFILLED.search(line)]:
        found.insert(0, f"unfilled: fill line{'s' * (len(unfilled) > 1)} {', '.join(unfilled)}")
    if re.findall(r"^Slug: (.*)$", text, re.MULTILINE) != [theorem.slug]:
        found.append(f"there is no single line Slug: {theorem.slug}")
    parts = dict(re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    found += [f"{name} is empty" for name in SECTIONS if name in parts and not parts[name].strip()]
    found += _of_assumptions(parts.get("Assumptions", ""), [a.name for a in theorem.assumptions])
    found += _of_steps(text, parts.get("Proof", ""), theorem.facts)
    return [f"{_name(theorem)}: {complaint}" for complaint in found]


def _name(theorem: Theorem) -> str:
    return f"proofs_notes/{theorem.slug.replace('-', '_')}.md"


def _of_assumptions(section: str, assumptions: list[str]) -> list[str]:
    bullets = [line.partition(":") for line in section.splitlines() if line.startswith("- ")]
    named = Counter(name for head, _, _ in bullets for name in re.findall("`([^`]+)`", head))
    found = [f"the bullet {head!r} says nothing" for head, _, words in bullets if not words.strip()]
    found += [f"assumption {a} has no bullet" for a in assumptions if a not in named]
    found += [f"the bullet {a} is no assumption of the theorem" for a in named if a not in assumptions]
    return found + [f"assumption {a} has {count} bullets" for a, count in named.items() if count > 1]


def _of_steps(text: str, proof: str, facts: tuple[Fact, ...]) -> list[str]:
    steps = re.findall(r"^### Step: (.*?)$(.*?)(?=^#{2,3} |\Z)", proof, re.MULTILINE | re.DOTALL)
    named = Counter(name.strip() for head, _ in steps for name in head.split(","))
    mentioned = set(re.findall("`([^`\n]+)`", text)) | set(named)
    outside = [line for line in text.replace(proof, "").splitlines() if line.startswith("### Step:")]
    strays = set(re.findall("^###+ .*$", proof, re.MULTILINE)) - {f"### Step: {head}" for head, _ in steps}
    found = [f"the heading {head} is no step of the proof" for head in (*outside, *sorted(strays))]
    found += [f"the step {head} is empty" for head, body in steps if not body.strip()]
    found += [f"the step {name} is no fact" for name in named if name not in {f.name for f in facts}]
    found += [f"the fact {name} has {count} steps" for name, count in named.items() if count > 1]
    for fact in facts:
        if fact.kind in (ASSUMED, DEFINITION, CLAIM):
            found += [] if fact.name in mentioned else [f"{fact.kind} fact {fact.name} is not mentioned"]
        elif fact.name not in named:
            found.append(f"{fact.kind} fact {fact.name} has no step")
    return found
