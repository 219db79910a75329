"""What vocabulary and bibliography keep to, as functions that return complaints: none when all is well.

Notes are checked by `spec.language.notes`, by `mfc verify` too. Every lint has its planted fault in `test_lints_fail`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from spec.language.checker import Report
from spec.language.proof import ARGUED, CITED, CLAIM, DEFINITION
from spec.language.quantity import Vocabulary
from spec.language.template import Statement, Template
from spec.language.theorem import Theorem

CITATION = re.compile(r"\b[a-z]{3,}(?:1[6-9]|20)\d\d[a-z]?\b")


# What exists is used.


def _names(*things: Any) -> set[str]:
    """Return the names of symbols and functions in expressions, bound ones too."""
    found = {thing.__name__ for thing in things if isinstance(thing, UndefinedFunction)}
    for expr in (thing for thing in things if isinstance(thing, sp.Basic)):
        found |= {s.name for s in expr.atoms(sp.Symbol)} | {e.func.__name__ for e in expr.atoms(AppliedUndef)}
    return found


def _said(*statements: Statement | None) -> set[str]:
    return set().union(*(_names(s.relation, *s.free, *s.given) for s in statements if s is not None))


def _names_of(theorem: Theorem) -> set[str]:
    found: set[str] = set()
    for fact in theorem.facts:
        found |= _said(fact.statement) | _names(*fact.at.values(), *fact.unfold, fact.function)
        found |= _names(*(value for needed in fact.uses for value in needed.at.values()))
        if fact.template is not None:
            found |= _said(fact.template.conclusion, *fact.template.hypotheses)
    for claim in theorem.claims:
        found |= _names(claim.measured.expression, claim.bound, *claim.free, *claim.given)
    for assumption in theorem.assumptions:
        found |= _said(assumption.statement) | _names(assumption.premise)
    return found


def orphan_symbols(vocabulary: Vocabulary, theorems: Iterable[Theorem]) -> list[str]:
    """Every symbol is in some theorem, or in the definition or range of one that is."""
    used: set[str] = set()
    new = set().union(*(_names_of(theorem) for theorem in theorems))
    while new:
        used |= new
        known = [vocabulary[name] for name in new if name in vocabulary]
        new = set().union(*(_names(q.definition, *q.range.ends) for q in known)) - used
    return [f"no theorem uses the symbol {q.name}" for q in vocabulary if q.name not in used]


def orphan_definitions(vocabulary: Vocabulary, theorems: Iterable[Theorem]) -> list[str]:
    """Every registered definition of an object is a fact of some theorem."""
    used = {fact.name for theorem in theorems for fact in theorem.facts if fact.kind == DEFINITION}
    return [f"no proof uses the definition {name}" for name in vocabulary.definitions if name not in used]


def unexercised_definitions(vocabulary: Vocabulary, theorems: Iterable[Theorem]) -> list[str]:
    """Some proof unfolds every derived symbol, or takes its definition as a fact."""
    facts = [fact for theorem in theorems for fact in theorem.facts]
    used = {fact.name for fact in facts if fact.kind == DEFINITION} | {s.name for fact in facts for s in fact.unfold}
    derived = [q.name for q in vocabulary if q.definition is not None]
    return [f"no proof uses what {name} is defined as" for name in derived if name not in used]


def orphan_assumptions(names: Iterable[str], theorems: Iterable[Theorem]) -> list[str]:
    used = {assumption.name for theorem in theorems for assumption in theorem.assumptions}
    return [f"no theorem assumes {name}" for name in names if name not in used]


def orphan_templates(templates: Iterable[Template], theorems: Iterable[Theorem]) -> list[str]:
    used = {fact.template.name for theorem in theorems for fact in theorem.facts if fact.template is not None}
    return [f"no proof cites {template.name}" for template in templates if template.name not in used]


def odd_names(names: Iterable[str]) -> list[str]:
    return [f"{name!r} is no ASCII name" for name in names if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name)]


# What proofs give.


def statuses(theorem: Theorem) -> list[Report]:
    """Return the report that a proof gives if it holds, by the kinds of its facts; other tests check that it holds."""
    reports = []
    for fact in theorem.facts:
        status = "argued" if fact.kind == ARGUED else "proved"
        if fact.kind == CITED and fact.template is not None and not fact.template.elementary:
            status = "cited"
        if fact.kind == CLAIM:
            used = next(other for other in theorem.uses if other.slug == fact.reason.partition("#")[0])
            status = Theorem.status(statuses(used))
        reports.append(Report(fact.name, fact.kind, status))
    return reports


# The bibliography.


def bibliography(text: str) -> list[str]:
    """Return the keys of a BibTeX file."""
    return re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE)


def bibliography_complaints(keys: list[str], texts: Mapping[str, str]) -> list[str]:
    """Keys exist once, have the shape of keys and are cited in some text; what is cited exists."""
    cited = {key: name for name, text in texts.items() for key in CITATION.findall(text)}
    complaints = [f"references.bib has {key} {count} times" for key, count in Counter(keys).items() if count > 1]
    complaints += [f"the key {key} is not nameYEAR" for key in keys if not CITATION.fullmatch(key)]
    complaints += [f"nothing cites {key}" for key in keys if key not in cited]
    return complaints + [f"{name} cites {key}, unknown" for key, name in sorted(cited.items()) if key not in keys]


def sourceless(theorems: Iterable[Theorem], templates: Iterable[Template], keys: list[str]) -> list[str]:
    """A theorem's source and the reference of a result that is not elementary begin with a key."""
    named = {theorem.slug: theorem.source for theorem in theorems}
    named |= {template.name: template.reference for template in templates if not template.elementary}
    return [f"the source of {name} names no key: {text}" for name, text in named.items() if not _key(text, keys)]


def _key(text: str, keys: list[str]) -> bool:
    found = CITATION.match(text)
    return found is not None and found.group() in keys
