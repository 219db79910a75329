"""Finds theorems: one module a theorem, `spec/<chapter>/<name>.py`, and the same layout in packages of users.

A user's package names itself in the entry-point group `mfc_transformers.theorems`.
"""

import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from spec.language.errors import UnknownName
from spec.language.quantity import unknown
from spec.language.theorem import Theorem

GROUP = "mfc_transformers.theorems"
NOT_CHAPTERS = {"language", "objects", "results"}


@lru_cache(maxsize=1)
def modules() -> dict[str, str]:
    """Return the module of every theorem by slug, without importing any; of two of one slug, ours or the first."""
    from importlib.metadata import entry_points  # late: whoever names a theorem of ours does without

    found = _own().copy()
    for root in sorted(point.value for point in entry_points(group=GROUP)):
        for slug, module in _scan(root):
            found.setdefault(slug, module)
    return found


@lru_cache(maxsize=1)
def _own() -> dict[str, str]:
    return dict(_scan("spec"))


def note(slug: str) -> Path:
    """Return where a theorem's proof is: `proofs_notes/<chapter>/<name>.md` beside its `spec`; it may be missing."""
    module = modules()[slug]
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    _, chapter, name = module.rsplit(".", 2)
    return Path(found.origin).parents[2] / "proofs_notes" / chapter / f"{name}.md"


def _scan(root: str) -> Iterator[tuple[str, str]]:
    package = sys.modules.get(root) or import_module(root)
    for folder in package.__path__:
        for path in sorted(Path(folder).glob("*/*.py")):
            chapter, name = path.parent.name, path.stem
            if chapter not in NOT_CHAPTERS and not name.startswith("_"):
                yield f"{chapter}/{name.replace('_', '-')}", f"{root}.{chapter}.{name}"


def slugs(names: tuple[str, ...] = ()) -> list[str]:
    """Return the slugs that names stand for: a slug, a bare name where unique, a chapter; all of them without names.

    Raises
    ------
    UnknownName
        With near matches.
    """
    known = list(modules())
    if not names:
        return known
    chosen: list[str] = []
    for name in names:
        found = [s for s in known if name in (s, s.partition("/")[0])] or [
            s for s in known if s.partition("/")[2] == name
        ]
        if not found or (len(found) > 1 and "/" not in name and name not in {s.partition("/")[0] for s in known}):
            bare = [s.partition("/")[2] for s in known]
            raise unknown("theorem or chapter", name, [*known, *bare, *{s.partition("/")[0] for s in known}])
        chosen += [s for s in found if s not in chosen]
    return chosen


def theorem(name: str) -> Theorem:
    """Return a theorem by slug, or by its bare name where unique."""
    known = _own() if name in _own() else modules()
    found_slugs = slugs((name,)) if name not in known else [name]
    if len(found_slugs) > 1:
        raise UnknownName("one theorem", repr(name), f"it is the chapter of {', '.join(found_slugs)}")
    slug = found_slugs[0]
    found = import_module(known[slug]).THEOREM
    assert isinstance(found, Theorem)
    assert found.slug == slug, f"{known[slug]} calls itself {found.slug}"
    return found


def theorems() -> list[Theorem]:
    """Return every theorem."""
    return [theorem(slug) for slug in modules()]
