"""The repository's shape: three files a theorem, imports one way, notes that match, nothing unused, documents fresh."""

from functools import cache
from itertools import chain
from pathlib import Path

import lints
import pytest
import theory_lints

import spec
from spec import results, theorems_md
from spec.assumptions import ASSUMPTIONS
from spec.language import notes, registry
from spec.language.template import Template
from spec.language.theorem import Theorem
from spec.symbols import VOCABULARY

ROOT = Path(__file__).resolve().parent.parent.parent
LONG = {"spec/symbols.py": "tables", "spec/assumptions.py": "tables"}
TEMPLATES = [value for value in vars(results).values() if isinstance(value, Template)]
FOREIGN = ("LICENSE", "tests/repo/test_lints_fail.py")  # another's words; planted words
DOCUMENTS = ("CHANGELOG.md", "README.md", "LIMITS.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE")
SLUGS = [slug for slug, module in registry.modules().items() if module.startswith("spec.")]
TESTS = sorted(chain((ROOT / "tests").rglob("test_*.py"), (ROOT / "properties").rglob("test_*.py")))


def read(name: str) -> str:
    return (ROOT / name).read_text()


def settle(complaints: list[str]) -> None:
    """Fail with every complaint in full."""
    assert not complaints, "\n" + "\n".join(complaints)


@cache
def theorems() -> list[Theorem]:
    """Return the repository's theorems, without those of packages that are installed beside it."""
    return [spec.theorem(slug) for slug in SLUGS]


@cache
def keys() -> list[str]:
    return theory_lints.bibliography(read("references.bib"))


def test_theorems_have_three_files() -> None:
    settle(lints.lone_files(ROOT))


def test_every_property_is_tested() -> None:
    settle(lints.untested_properties(ROOT))


def test_imports_point_one_way() -> None:
    settle(lints.upward_imports(ROOT))


def test_showing_theorems_loads_no_torch() -> None:
    code = "from mfc.cli import main\nassert main(['list']) == main(['show', 'depth/euler-pathwise']) == 0"
    settle(lints.loaded(code, "torch", ROOT))


@pytest.mark.parametrize("slug", SLUGS)
def test_notes_match_their_theorems(slug: str) -> None:
    assert registry.note(slug).is_relative_to(ROOT)
    settle(notes.check(spec.theorem(slug)))


def test_every_symbol_is_used() -> None:
    settle(theory_lints.orphan_symbols(VOCABULARY, theorems()))


def test_every_definition_is_used() -> None:
    settle(theory_lints.orphan_definitions(VOCABULARY, theorems()))


def test_every_derived_symbol_is_unfolded_by_a_proof() -> None:
    settle(theory_lints.unexercised_definitions(VOCABULARY, theorems()))


def test_every_assumption_is_used() -> None:
    settle(theory_lints.orphan_assumptions(ASSUMPTIONS.by_name, theorems()))


def test_every_result_is_cited() -> None:
    settle(theory_lints.orphan_templates(TEMPLATES, theorems()))


def test_symbols_have_ascii_names() -> None:
    settle(theory_lints.odd_names(VOCABULARY.names()))


def test_the_bibliography_is_what_is_cited() -> None:
    speaking = [
        p for p in lints.sources(ROOT) if p.suffix in (".py", ".md") and p.relative_to(ROOT).parts[0] != "tests"
    ]
    settle(theory_lints.bibliography_complaints(keys(), {str(p.relative_to(ROOT)): p.read_text() for p in speaking}))


def test_theorems_and_results_name_their_sources() -> None:
    settle(theory_lints.sourceless(theorems(), TEMPLATES, keys()))


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in TESTS])
def test_tests_test(path: Path) -> None:
    settle(lints.idle_tests(str(path.relative_to(ROOT)), path.read_text()))


def test_files_are_short() -> None:
    settle(lints.long_files(ROOT, 320, LONG))


def test_files_speak_of_the_project_alone() -> None:
    settle(lints.process_words(ROOT, foreign=FOREIGN))


def test_theorems_md_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to whether proofs hold: their statuses are those of their facts' kinds."""
    monkeypatch.setattr(Theorem, "check_proof", theory_lints.statuses)
    settle(lints.stale_document(ROOT / "THEOREMS.md", theorems_md.lines()))


def test_documents_exist() -> None:
    settle(lints.missing_files(ROOT, DOCUMENTS))


def test_readme_names_every_dependency() -> None:
    settle(lints.undocumented_dependencies(read("README.md"), read("pyproject.toml")))


def test_constraints_pin_every_dependency() -> None:
    settle(lints.unpinned_dependencies(read("constraints.txt"), read("pyproject.toml")))
