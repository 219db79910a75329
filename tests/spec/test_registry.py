"""Finding theorems: by slug, by bare name where unique, by chapter; near matches for everything else."""

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import spec
from spec.language import registry
from spec.language.assumption import Assumptions
from spec.language.errors import ConditionError, UnknownName


def test_theorems_are_found_by_slug_and_bare_name() -> None:
    assert spec.theorem("depth/euler-pathwise").slug == "depth/euler-pathwise"
    assert spec.theorem("euler-pathwise") is spec.theorem("depth/euler-pathwise")
    assert [t.slug for t in spec.theorems()] == spec.slugs()


def test_chapters_stand_for_their_theorems() -> None:
    assert set(spec.slugs(("depth",))) == {s for s in spec.slugs() if s.startswith("depth/")}
    twice = spec.slugs(("depth", "euler-pathwise"))
    assert len(twice) == len(set(twice))


@pytest.mark.parametrize("name", ["euler-pathwize", "dept", "depth/euler-pathwize", "language", "", "depth/"])
def test_unknown_names_come_with_near_matches(name: str) -> None:
    with pytest.raises(UnknownName, match="near matches"):
        spec.slugs((name,))
    with pytest.raises(UnknownName, match="near matches"):
        spec.theorem(name)


def test_near_matches_are_near() -> None:
    with pytest.raises(UnknownName, match="euler-pathwise"):
        spec.theorem("euler-pathwize")


def test_a_chapter_is_not_one_theorem() -> None:
    with pytest.raises(ConditionError):
        spec.theorem("depth")


def test_modules_are_listed_without_importing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "elsewhere" / "toys"
    home.mkdir(parents=True)
    (home.parent / "__init__.py").write_text("")
    (home / "__init__.py").write_text("")
    (home / "exploding_theorem.py").write_text("raise RuntimeError('imported')\n")
    (home / "_shared.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = dict(registry._scan("elsewhere"))
    assert found == {"toys/exploding-theorem": "elsewhere.toys.exploding_theorem"}
    assert "elsewhere.toys.exploding_theorem" not in sys.modules
    del sys.modules["elsewhere"]


def test_every_module_names_itself() -> None:
    for slug, module in registry.modules().items():
        assert import_module(module).THEOREM.slug == slug


def test_an_assumption_exists_once() -> None:
    register = Assumptions()
    first = register.add("one", "The first.")
    assert register.by_name == {"one": first}
    with pytest.raises(ValueError, match=r"exists already: The first\."):
        register.add("one", "The second.")


def test_errors_name_condition_value_and_remedy() -> None:
    error = UnknownName("a name", "'q'", "look")
    assert str(error) == "UnknownName: needs a name; found 'q'; look"
    assert (error.condition, error.value, error.remedy) == ("a name", "'q'", "look")
    assert isinstance(error, LookupError)
    assert isinstance(error, ConditionError)


OTHERS = {"depth/one": "spec.depth.one", "depth/two": "spec.depth.two", "loss/two": "spec.loss.two"}


def test_a_bare_name_of_two_theorems_stands_for_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "modules", lambda: OTHERS)
    assert registry.slugs() == list(OTHERS)
    assert registry.slugs(("one",)) == ["depth/one"]
    assert registry.slugs(("loss/two",)) == ["loss/two"]
    assert registry.slugs(("loss", "depth")) == ["loss/two", "depth/one", "depth/two"]
    assert registry.slugs(("depth/two", "depth")) == ["depth/two", "depth/one"]
    with pytest.raises(UnknownName, match=r"near matches: .*two"):
        registry.slugs(("two",))
    with pytest.raises(UnknownName, match="it is the chapter of depth/one, depth/two"):
        registry.theorem("depth")


def test_packages_add_theorems_the_first_of_a_slug_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [SimpleNamespace(value="zoo"), SimpleNamespace(value="ant")]
    asked = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: asked.append(group) or points)
    monkeypatch.setattr(registry, "_scan", lambda root: [("toys/same", f"{root}.toys.same"), (f"toys/{root}", root)])
    caches = (registry._own, registry.modules)
    for cache in caches:
        cache.cache_clear()
    try:
        assert registry.modules() == {
            "toys/same": "spec.toys.same",
            "toys/spec": "spec",
            "toys/ant": "ant",
            "toys/zoo": "zoo",
        }
        assert asked == ["mfc_transformers.theorems"]
    finally:
        for cache in caches:
            cache.cache_clear()


def test_a_module_that_calls_itself_another_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_own", lambda: {"depth/other": "spec.depth.euler_pathwise"})
    with pytest.raises(AssertionError, match="calls itself depth/euler-pathwise"):
        registry.theorem("depth/other")


def test_folders_that_are_no_chapters_hold_no_theorems() -> None:
    chapters = {slug.partition("/")[0] for slug in spec.slugs()}
    assert chapters & {"language", "objects", "results"} == set()
    assert {"depth", "field", "loss", "sampling", "transport"} <= chapters
    assert not any("_" in slug for slug in spec.slugs())
