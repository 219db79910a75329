"""Every lint complains about a planted fault, and about nothing in a twin without it."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import lints
import pytest
import sympy as sp
import theory_lints

import spec
from spec.language import notes
from spec.language.assumption import Assumptions
from spec.language.dimension import PURE
from spec.language.proof import Fact, argued, assumed, cited, definition, inequality, use
from spec.language.quantity import Vocabulary, at_least
from spec.language.template import Instance, Statement, Template
from spec.language.theorem import Claim, Measured, Theorem

HERE = Path(__file__).parent

vocabulary = Vocabulary()
least = vocabulary.symbol("least", "l", "the end of a range")
a = vocabulary.symbol("a", "a", "a number", PURE, at_least(least))
whole = vocabulary.symbol("whole", "w", "a derived number", definition=2 * a)
part = vocabulary.symbol("part", "p", "a number that only a definition mentions")
sum_ = vocabulary.symbol("total", "t", "another derived number", definition=whole + part)
lonely = vocabulary.symbol("lonely", "o", "a number that nothing mentions", definition=3 * a)
f = vocabulary.function("f", "f", "a function", vector=False)
vocabulary.define("object", Statement(sp.Le(f(a), a, evaluate=False)))
vocabulary.define("forgotten", Statement(sp.Le(a, f(a), evaluate=False)))

assumptions = Assumptions()
LARGE = assumptions.add("large", "a ≥ 1.", Statement(sp.Ge(a, 1, evaluate=False)))
SPARE = assumptions.add("spare", "Only words.")

z_ = sp.Symbol("z_")
_same = Instance({z_: 1}, {})
NUMBERED = Template(
    "numbered",
    "author1999, Theorem 1",
    (z_,),
    (),
    Statement(sp.Le(z_, sp.exp(z_) - 1, evaluate=False)),
    _same,
    _same,
    None,
)
FORGOTTEN = replace(NUMBERED, name="forgotten")

FACTS = (
    assumed(LARGE),
    definition("object", vocabulary),
    inequality("first", sp.Le(f(a), whole, evaluate=False), use("object"), use("large"), unfold=(whole,)),
    cited("second", NUMBERED, {z_: sum_}, unfold=(sum_,)),
)
THEOREM = Theorem(
    slug="chapter/some-name",
    title="A title",
    source="author1999",
    assumptions=(LARGE,),
    claims=(Claim("claim", Measured("f", f(a), "impl.flow:depth_error"), "<=", whole, ("first",)),),
    facts=FACTS,
    vocabulary=vocabulary,
)
NOTE = """# A title

Slug: chapter/some-name

## Statement

$f(a)\\le w$.

## Assumptions

- `large`: the first step needs it.

## Proof

By `object`.

### Step: first, second
Here.

## Sharpness

At $a=1$.

## Remarks

None.
"""


def repository(root: Path, **texts: str) -> Path:
    """Write files (`__` for a slash, `_py` and `_md` for their endings) and return the root."""
    (root / ".gitignore").write_text(".venv/\n*.log\n")
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return root


def test_every_lint_has_a_planted_fault_and_is_run() -> None:
    returning = [
        node.name
        for module in ("lints.py", "theory_lints.py")
        for node in ast.parse((HERE / module).read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.returns is not None
        if ast.unparse(node.returns) == "list[str]"
    ]
    assert len(returning) > 15
    for name in returning:
        assert f"lints.{name}(" in Path(__file__).read_text(), f"{name} has no planted fault"
        assert f"lints.{name}(" in (HERE / "test_repo_shape.py").read_text(), f"{name} is not run"


# Files.


def test_missing_files_show(tmp_path: Path) -> None:
    repository(tmp_path, README_md="")
    assert lints.missing_files(tmp_path, ["README.md", "LIMITS.md"]) == ["LIMITS.md is missing"]


def test_lone_files_show(tmp_path: Path) -> None:
    """Common files need no partners: spec/x/_h.py, properties/x/h.py, the language."""
    complete = {"spec__x__one_py": "", "proofs_notes__x__one_md": "", "properties__x__test_one_py": ""}
    common = {"spec__x___common_py": "", "properties__x__common_py": "", "spec__language__proof_py": ""}
    repository(tmp_path, **complete, **common)
    assert lints.lone_files(tmp_path) == []
    lone = {
        "spec__x__two_py": "",
        "proofs_notes__x__three_md": "",
        "properties__y__test_one_py": "",
        "proofs_notes__four_md": "",
    }
    repository(tmp_path, **lone)
    found = lints.lone_files(tmp_path)
    assert len(found) == 7
    assert "spec/x/two.py has no proofs_notes/x/two.md" in found
    assert "proofs_notes/x/three.md has no properties/x/test_three.py" in found
    assert "properties/y/test_one.py has no spec/y/one.py" in found
    assert "proofs_notes/four.md is no proofs_notes/chapter/name.md" in found


def test_untested_properties_show(tmp_path: Path) -> None:
    tested = "PROPERTY = 1\nTestTheorem = suite(PROPERTY)\n"
    repository(
        tmp_path, properties__x__test_one_py=tested, properties__x__test_two_py="# TestTheorem = suite(PROPERTY)\n"
    )
    assert lints.untested_properties(tmp_path) == ["properties/x/test_two.py lacks TestTheorem = suite(PROPERTY)"]


def test_long_files_and_idle_exemptions_show(tmp_path: Path) -> None:
    repository(tmp_path, spec__long_py="x = 1\n" * 4, impl__table_py="x = 1\n" * 4, mfc__short_py="x = 1\n" * 3)
    assert lints.long_files(tmp_path, 3, {"impl/table.py": "tables"}) == ["spec/long.py has 4 lines, more than 3"]
    exempt = dict.fromkeys(("impl/table.py", "spec/long.py", "mfc/short.py", "mfc/gone.py"), "tables")
    idle = ["mfc/short.py needs no exemption", "mfc/gone.py is exempt and does not exist"]
    assert lints.long_files(tmp_path, 3, exempt) == idle


@pytest.mark.parametrize("word", ["TODO", "FIXME", "an issue", "the agent", "Helpers", "/tmp/x", "/work"])
def test_process_words_show(tmp_path: Path, word: str) -> None:
    repository(tmp_path, spec__x_py=f"\n# {word}\n")
    (found,) = lints.process_words(tmp_path)
    assert found.startswith("spec/x.py:2 says")
    assert lints.process_words(tmp_path, foreign=("spec/x.py",)) == []


def test_process_words_are_whole_and_templates_are_unfinished(tmp_path: Path) -> None:
    unfinished = "TODO: a title"
    repository(tmp_path, spec__x_py="todo, tissue = tmp_path / 'work'", mfc__templates__note_md=unfinished)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "x.py").write_text(unfinished)
    (tmp_path / "x.log").write_text(unfinished)
    assert lints.process_words(tmp_path) == []
    repository(tmp_path, README_md="A ledger: @LEDGER@.")
    assert lints.process_words(tmp_path) == ["README.md:1 says @LEDGER@"]


# Imports.


@pytest.mark.parametrize(
    ("layer", "line"),
    [
        ("spec", "from impl.flow import x"),
        ("spec", "import properties.checking as c"),
        ("spec", "import torch"),
        ("spec", "from scipy.stats import binom"),
        ("spec", "def late():\n    import sklearn"),
        ("spec", "from importlib import import_module\nimport_module('impl.flow')"),
        ("impl", "from properties import checking"),
        ("impl", "import mfc"),
        ("impl", "import importlib\nimportlib.import_module(f'properties.{name}')"),
        ("properties", "import mfc.cli"),
        ("mfc", "import tests.toys"),
        ("mfc", "from benchmarks import run"),
    ],
)
def test_upward_and_heavy_imports_show(tmp_path: Path, layer: str, line: str) -> None:
    repository(tmp_path, **{f"{layer}__x_py": line})
    (found,) = lints.upward_imports(tmp_path)
    assert found.startswith(f"{layer}/x.py imports ")


def test_downward_imports_are_free(tmp_path: Path) -> None:
    repository(
        tmp_path,
        spec__x_py="from spec.language import proof\nimport numpy, spectral",
        impl__x_py="import torch, scipy\nfrom spec import theorem\nfrom . import sibling",
        properties__x_py="import impl, spec",
        mfc__x_py="import properties, impl, spec\nimport_module(name)",
        benchmarks__x_py="import mfc",
    )
    assert lints.upward_imports(tmp_path) == []


def test_loaded_modules_and_failing_code_show(tmp_path: Path) -> None:
    assert lints.loaded("import json", "decimal", tmp_path) == []
    assert lints.loaded("import fractions", "decimal", tmp_path) == ["decimal: loaded"]
    assert lints.loaded("assert False, 'broken'", "decimal", tmp_path) == ["decimal: AssertionError: broken"]


# Notes.


def test_a_whole_note_passes() -> None:
    assert notes.complaints(NOTE, THEOREM) == []
    more = NOTE.replace("None.", "### Finer\nMore.").replace("- `large`", "Both hold.\n\n- `large`")
    assert notes.complaints(more, THEOREM) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("# A title", "# Another title", "headings"),
        ("## Sharpness", "## Sharp", "headings"),
        ("## Remarks", "## Remarks\n\nNone.\n\n## Outlook", "headings"),
        ("Slug: chapter/some-name", "Slug: chapter/another", "no single line Slug: chapter/some-name"),
        ("Slug: chapter/some-name", "", "no single line Slug"),
        ("At $a=1$.", "", "Sharpness is empty"),
        ("At $a=1$.", "TODO: the instance", "unfilled: fill line 22"),
        ("# A title", "# TODO: a title", "unfilled: fill line 1"),
        ("- `large`: the first step needs it.", "None.", "assumption large has no bullet"),
        ("- `large`:", "- `large`, `spare`:", "the bullet spare is no assumption"),
        ("- `large`:", "- `large`: twice.\n- `large`:", "assumption large has 2 bullets"),
        ("- `large`: the first step needs it.", "- `large`", "says nothing"),
        ("By `object`.", "By the object.", "definition fact object is not mentioned"),
        ("### Step: first, second", "### Step: first", "cited fact second has no step"),
        ("### Step: first, second", "### Step: second", "inequality fact first has no step"),
        ("### Step: first, second", "### Step: first, second, third", "the step third is no fact"),
        ("### Step: first, second", "### Step: first, second, first", "the fact first has 2 steps"),
        ("Here.\n", "", "the step first, second is empty"),
        ("### Step: first, second", "### First\n\n### Step: first, second", "the heading ### First is no step"),
        ("None.", "### Step: first\nAgain.", "the heading ### Step: first is no step"),
    ],
)
def test_faults_of_notes_show(old: str, new: str, complaint: str) -> None:
    assert old in NOTE
    found = notes.complaints(NOTE.replace(old, new), THEOREM)
    assert any(complaint in text for text in found), found


@pytest.mark.parametrize("kind", ["identity", "inequality", "monotone", "induction", "cited", "argued"])
def test_every_kind_of_step_needs_its_heading(kind: str) -> None:
    third = Fact("third", kind, Statement(sp.Le(a, whole, evaluate=False)))
    found = notes.complaints(NOTE, replace(THEOREM, facts=(*FACTS, third)))
    assert found == [f"proofs_notes/chapter/some_name.md: {kind} fact third has no step"]


def test_premises_that_are_not_mentioned_show() -> None:
    other = replace(THEOREM, facts=(*FACTS, THEOREM.premise("from-elsewhere")), uses=(THEOREM,))
    assert notes.complaints(NOTE, other) == [
        "proofs_notes/chapter/some_name.md: claim fact from-elsewhere is not mentioned"
    ]


# What exists is used.


def test_orphan_symbols_show() -> None:
    """Symbols in ranges and definitions of what is used are used."""
    assert theory_lints.orphan_symbols(vocabulary, [THEOREM]) == ["no theorem uses the symbol lonely"]
    assert len(theory_lints.orphan_symbols(vocabulary, [])) == len(list(vocabulary))
    fewer = replace(THEOREM, facts=FACTS[:3])
    found = theory_lints.orphan_symbols(vocabulary, [fewer])
    assert found == [f"no theorem uses the symbol {name}" for name in ("part", "total", "lonely")]


def test_orphan_definitions_show() -> None:
    assert theory_lints.orphan_definitions(vocabulary, [THEOREM]) == ["no proof uses the definition forgotten"]


def test_unexercised_definitions_show() -> None:
    """Unfolding is a use, and so is the definition as a fact; being in a bound is none."""
    assert theory_lints.unexercised_definitions(vocabulary, [THEOREM]) == ["no proof uses what lonely is defined as"]
    with_fact = replace(THEOREM, facts=(*FACTS, definition("lonely", vocabulary)))
    assert theory_lints.unexercised_definitions(vocabulary, [with_fact]) == []
    folded = replace(THEOREM, facts=tuple(replace(fact, unfold=()) for fact in FACTS))
    assert "no proof uses what whole is defined as" in theory_lints.unexercised_definitions(vocabulary, [folded])


def test_orphan_assumptions_show() -> None:
    assert theory_lints.orphan_assumptions(assumptions.by_name, [THEOREM]) == ["no theorem assumes spare"]


def test_orphan_templates_show() -> None:
    assert theory_lints.orphan_templates([NUMBERED, FORGOTTEN], [THEOREM]) == ["no proof cites forgotten"]


def test_odd_names_show() -> None:
    odd = ["ζ", "L-x", "2x", "_x", "x ", ""]
    assert theory_lints.odd_names(["L_x", "T", "b1_alt", *odd]) == [f"{name!r} is no ASCII name" for name in odd]


# The bibliography.


def test_faults_of_the_bibliography_show() -> None:
    keys = theory_lints.bibliography("@book{author1999,\n title = {A},\n}\n@misc{other2001,\n}\n@misc{other2001,\n}\n")
    assert keys == ["author1999", "other2001", "other2001"]
    texts = {"x.md": "By [author1999] and by unknown2020, Theorem 3, in dop853.", "y.md": "As author1999 says."}
    assert theory_lints.bibliography_complaints(keys, texts) == [
        "references.bib has other2001 2 times",
        "nothing cites other2001",
        "nothing cites other2001",
        "x.md cites unknown2020, unknown",
    ]
    assert theory_lints.bibliography_complaints(["author1999"], {"x.md": "By author1999."}) == []
    assert theory_lints.bibliography_complaints(["Author99"], {})[0] == "the key Author99 is not nameYEAR"


@pytest.mark.parametrize("text", ["folklore", "see author1999", "unknown2020, Theorem 1", ""])
def test_sources_without_keys_show(text: str) -> None:
    keys = ["author1999"]
    wrong, plain = replace(NUMBERED, reference=text), replace(NUMBERED, reference=text, elementary=True)
    assert theory_lints.sourceless([THEOREM], [NUMBERED, plain], keys) == []
    assert theory_lints.sourceless([THEOREM], [wrong], keys) == [f"the source of numbered names no key: {text}"]
    unsourced = theory_lints.sourceless([replace(THEOREM, source=text)], [], keys)
    assert unsourced == [f"the source of chapter/some-name names no key: {text}"]


# Tests.


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("def test_x():\n    pass", "test_x asserts nothing"),
        ("def test_x():\n    run()", "test_x asserts nothing"),
        ("def test_x():\n    assert True", "test_x asserts nothing"),
        ("def test_x():\n    def inner():\n        assert f()\n    run()", "test_x asserts nothing"),
        ("def check():\n    run()\ndef test_x():\n    check()", "test_x asserts nothing"),
        ("def assert_x():\n    run()\ndef test_x():\n    assert_x()", "test_x asserts nothing"),
        ("def test_x():\n    test_x()", "test_x asserts nothing"),
        ("class TestX:\n    def test_x(self):\n        run()", "test_x asserts nothing"),
        ("def test_x():\n    if late:\n        return\n    assert f()", "test_x returns"),
        ("@parametrize('n', [1])\ndef test_x(n):\n    assert f()", "test_x never looks at n"),
        ("@each\ndef test_x(n, *, m):\n    assert n", "test_x never looks at m"),
    ],
)
def test_idle_tests_show(body: str, complaint: str) -> None:
    assert lints.idle_tests("test_x.py", body) == [f"test_x.py: {complaint}"]


@pytest.mark.parametrize(
    "body",
    [
        "def test_x():\n    assert f()",
        "def test_x():\n    with pytest.raises(ValueError):\n        f()",
        "def test_x():\n    with pytest.warns(UserWarning):\n        f()",
        "def test_x():\n    checking.assert_holds(PROPERTY)",
        "def check():\n    assert f()\ndef test_x():\n    check()",
        "def test_x():\n    def inner():\n        assert f()\n    inner()",
        "def test_x():\n    def inner():\n        return 1\n    assert inner() == 1",
        "@parametrize('n', [1])\ndef test_x(n):\n    assert f(n)",
        "def other():\n    return",
    ],
)
def test_tests_that_test_pass(body: str) -> None:
    assert lints.idle_tests("test_x.py", body) == []


# Documents.


def test_stale_documents_show(tmp_path: Path) -> None:
    path = tmp_path / "THEOREMS.md"
    assert lints.stale_document(path, ["one"]) == ["THEOREMS.md is missing: run `make docs`"]
    path.write_text("one\ntwo\n")
    assert lints.stale_document(path, ["one", "two"]) == []
    for number, wanted in ((2, ["one", "2"]), (2, ["one"]), (3, ["one", "two", "three"])):
        complaint = f"THEOREMS.md differs from line {number} on: run `make docs`"
        assert lints.stale_document(path, wanted) == [complaint]


@pytest.mark.parametrize("slug", ["sampling/error-decomposition", "sampling/hoeffding-fixed-control"])
def test_statuses_by_kind_are_those_that_checking_gives(slug: str) -> None:
    theorem = spec.theorem(slug)
    short = [(report.name, report.kind, report.status) for report in theory_lints.statuses(theorem)]
    checked = [(report.name, report.kind, report.status) for report in theorem.check_proof()]
    assert short == checked[: len(short)]
    assert {kind for _, kind, _ in checked[len(short) :]} == {"spine"}


def test_statuses_tell_kinds_apart() -> None:
    reports = theory_lints.statuses(THEOREM)
    assert [r.status for r in reports] == ["proved", "proved", "proved", "cited"]
    lemma = replace(THEOREM, facts=(*FACTS, argued("lemma", sp.Le(a, whole, evaluate=False), "see the note")))
    assert theory_lints.statuses(lemma)[-1].status == "argued"
    above = replace(THEOREM, facts=(lemma.premise("below"),), uses=(lemma,), slug="chapter/above")
    assert [r.status for r in theory_lints.statuses(above)] == ["argued"]


PYPROJECT = """
[project]
dependencies = ["numpy>=1.26", "python-flint>=0.7"]
[project.optional-dependencies]
test = ["pytest"]
"""
README = """
## Dependencies

| package | why |
|---|---|
| numpy | arrays |
| python_flint, `pytest` | balls, tests |

## Next

| other | table |
|---|---|
| scipy | no dependency |
"""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace("| numpy | arrays |\n", ""), "README's table lacks numpy"),
        (lambda text: text.replace(", `pytest`", ""), "README's table lacks pytest"),
        (lambda text: text.replace("numpy |", "numpy, torch |"), "README's table has torch, which is no dependency"),
    ],
)
def test_faults_of_the_table_of_dependencies_show(change: Callable[[str], str], complaint: str) -> None:
    assert lints.undocumented_dependencies(README, PYPROJECT) == []
    assert lints.undocumented_dependencies(change(README), PYPROJECT) == [complaint]


@pytest.mark.parametrize("loose", ["numpy>=2", "numpy", "", "numpy-extras==2"])
def test_unpinned_dependencies_show(loose: str) -> None:
    pins = "python_flint==0.9.0\npytest==9.2.0\n"
    assert lints.unpinned_dependencies(pins + "numpy==2.4.6\n", PYPROJECT) == []
    assert lints.unpinned_dependencies(pins + loose, PYPROJECT) == ["constraints.txt does not pin numpy"]
