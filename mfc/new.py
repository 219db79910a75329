"""`mfc new`: the three files of a new theorem, from templates that fail until they are filled."""

import argparse
import re
from importlib.resources import files
from pathlib import Path

from spec.language import registry
from spec.language.errors import ConditionError
from spec.language.quantity import unknown

PLACES = {
    "spec.py.txt": "spec/{chapter}/{name}.py",
    "note.md.txt": "proofs_notes/{chapter}/{name}.md",
    "property.py.txt": "properties/{chapter}/test_{name}.py",
}


class BadSlug(ConditionError):
    """A slug that is not chapter/name-with-dashes, or one that is taken."""


def run(options: argparse.Namespace) -> int:
    """Write the three files and say what to do next."""
    chapter, _, bare = options.slug.partition("/")
    if not all(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", part) for part in (chapter, bare)):
        raise BadSlug("CHAPTER/SLUG in lower case with dashes", options.slug, "for example depth/my-bound")
    name = bare.replace("-", "_")
    home: Path = options.root
    if not (home / "spec" / "language").is_dir():
        raise BadSlug("a checkout of the project", home.resolve(), "run it in the repository, or give --root")
    _refuse_new_chapter(home, chapter, options.new_chapter)
    targets = {home / place.format(chapter=chapter, name=name): template for template, place in PLACES.items()}
    for target in targets:
        if target.exists():
            raise BadSlug("a slug that is free", f"{target} exists", "choose another, or delete that file")
    for target, template in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".py" and not (target.parent / "__init__.py").exists():
            (target.parent / "__init__.py").write_text(f'"""Chapter {chapter}."""\n')
        text = files("mfc").joinpath("templates", template).read_text(encoding="utf-8")
        text = text.replace("@SLUG@", options.slug).replace("@CHAPTER@", chapter).replace("@NAME@", name)
        target.write_text(text, encoding="utf-8")
        print(f"wrote {target}")
    for line in (
        f"1. Say it: fill spec/{chapter}/{name}.py; `mfc show {options.slug} --json` gives every fact its status.",
        f"2. Prove it: fill proofs_notes/{chapter}/{name}.md, one heading a fact; `mfc verify` reads it too.",
        f"3. Check it: fill properties/{chapter}/test_{name}.py; `mfc verify {options.slug}` must exit 0.",
        "4. `make docs` writes THEOREMS.md; `make test` runs the lints: names, notes, dimensions, needs, mutants.",
    ):
        print(line)
    return 0


def _refuse_new_chapter(home: Path, chapter: str, wanted: bool) -> None:
    """Refuse a chapter that does not exist, unless it is to be new: it may be a slip."""
    known = sorted({place.parent.name for place in (home / "spec").glob("*/*.py")} - registry.NOT_CHAPTERS)
    if chapter in registry.NOT_CHAPTERS:
        raise BadSlug("a chapter", f"{chapter}, a part of the language", "choose another name")
    if chapter not in known and not wanted:
        raise unknown("chapter", chapter, known, "--new-chapter begins one")
