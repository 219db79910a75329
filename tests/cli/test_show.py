"""`mfc show`, `mfc list` and `mfc new`: text and JSON, values on the command line, and bad input."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import spec
from mfc import cli
from mfc.cli import ShadowedPackage

HOME = Path(__file__).resolve().parent.parent.parent
EULER = "depth/euler-pathwise"
VALUES = {"T": "1", "K": "10", "zeta_bar": "1", "L_zeta": "0.1", "M": "2", "L_x": "0.5", "L_theta": "1", "L_c": "0.3"}
AT = [part for name, value in VALUES.items() for part in ("--at", f"{name}={value}")]
Run = Callable[..., tuple[int, str, str]]


def test_json_has_its_schema(run: Run) -> None:
    code, out, _ = run("show", EULER, "--json", *AT)
    assert code == 0
    shown = json.loads(out)
    assert set(shown) == {"slug", "title", "assumptions", "symbols", "functions", "bound", "value", "proof"}
    assert shown["slug"] == EULER
    assert set(shown["bound"]) == {"text", "latex", "dimension"}
    assert shown["bound"]["dimension"] == "State"
    assert set(shown["value"]) >= {"lower", "upper"}
    assert shown["value"]["lower"] <= spec.theorem(EULER).evaluate(**VALUES).upper == shown["value"]["upper"]
    assert all(set(s) == {"name", "dimension", "sign", "meaning"} for s in shown["symbols"])
    assert set(VALUES) <= {s["name"] for s in shown["symbols"]}
    assert all(set(r) == {"name", "kind", "status"} for r in shown["proof"])
    assert {r["status"] for r in shown["proof"]} <= {"proved", "cited", "argued"}
    assert {a["name"] for a in shown["assumptions"]} == {a.name for a in spec.theorem(EULER).assumptions}


def test_without_values_there_is_no_value(run: Run) -> None:
    assert json.loads(run("show", EULER, "--json")[1])["value"] is None


def test_values_beyond_floats_are_null_and_said_in_words(run: Run) -> None:
    huge = [part.replace("L_x=0.5", "L_x=4000") for part in AT]
    shown = json.loads(run("show", EULER, "--claim", "closed-form", "--json", *huge)[1])
    assert shown["value"]["upper"] is None
    assert shown["value"]["text"].endswith("e+1736")


def test_text_says_it_all(run: Run) -> None:
    code, out, _ = run("show", EULER, "--claim", "closed-form", *AT)
    assert code == 0
    for word in (
        "closed-form",
        "Assumptions",
        "schedule-bounded",
        "LaTeX",
        "dimension  State",
        "value",
        "proofs_notes",
    ):
        assert word in out


def test_every_function_that_is_printed_is_defined(toys: list[str], run: Run) -> None:
    """In the bounds, and in the definitions of their symbols."""
    assert toys
    _, out, _ = run("show", EULER)
    where = out.partition("\nwhere\n")[2].partition("\n\n")[0]
    assert [line.split("  ")[1] for line in where.splitlines()] == ["phi1(z)", "geom(z, k)"]
    assert "((1+z)^k − 1)/z, and k at z = 0" in where
    (geom,) = json.loads(run("show", EULER, "--json")[1])["functions"]
    assert geom["name"] == "geom(z, k)"
    assert geom["latex"].startswith(r"\frac{(1+z)^k-1}{z}")
    hidden = json.loads(run("show", "loss/gradient-bound", "--json")[1])["functions"]
    assert [f["name"] for f in hidden] == ["max(a for l <= i <= n)", "exp(z)"]
    assert "\nwhere\n" not in run("show", "toys/doubling")[1]


def test_bad_values_print_no_half_theorem(run: Run) -> None:
    code, out, err = run("show", EULER, "--at", "foo=1")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_lines_are_not_cut_to_a_width(run: Run) -> None:
    """What is printed can be copied whole."""
    _, out, _ = run("show", EULER)
    assert "= L_c*L_theta*zeta_bar + L_x*M*zeta_bar**2 + L_zeta*M\n" in out
    assert "…" not in out.partition("\nwhere\n")[0]


def test_bare_names_and_other_claims(run: Run) -> None:
    assert run("show", "euler-pathwise")[0] == 0
    assert run("show", EULER, "--claim", "closed-form", "--json")[1] != run("show", EULER, "--json")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("depth/euler-pathwize",), "near matches: depth/euler-pathwise"),
        (("depth",), "one theorem"),
        ((EULER, "--claim", "closed"), "near matches: closed-form"),
        ((EULER, "--at", "T"), "NAME=VALUE"),
        ((EULER, "--at", "T="), "NAME=VALUE"),
        ((EULER, "--at", "Tee=1"), "near matches"),
        ((EULER, "--at", "l_X=1"), "near matches: L_x"),
        ((EULER, "--at", "foo=1"), "no near matches; known: A, K, L_c, L_theta, L_x, L_zeta, M, T, b, eps, zeta_bar"),
        ((EULER, "--at", "=1"), "NAME=VALUE; found '=1'; write for example --at T=1"),
        ((EULER, "--at", "T=1"), "a value for every symbol"),
        ((EULER, *AT, "--at", "T=2"), "one value for T"),
        ((EULER, *AT[:-2], "--at", "L_c=-1"), "L_c in"),
        ((EULER, *AT[:-2], "--at", "L_c=nan"), "a number for L_c"),
        ((EULER, *AT[:-2], "--at", "L_c=much"), "a number for L_c"),
        ((EULER, *AT[:-2], "--at", "L_c=1,2"), "one number for L_c"),
        ((EULER, *(part.replace("K=10", "K=2.5") for part in AT)), "an integer for K"),
        ((EULER, *(part.replace("K=10", "K=0") for part in AT)), "K in [1, oo)"),
        ((EULER, *AT, "--at", "b=1"), "a value for b or for its parts, not both"),
        ((), "required"),
    ],
)
def test_bad_input_exits_with_2(run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    code, _, err = run("show", *arguments)
    assert code == 2
    assert complaint in err


def test_infinite_values_are_taken(run: Run) -> None:
    code, out, _ = run("show", EULER, "--json", *AT[:-2], "--at", "L_c=inf")
    assert code == 0
    assert json.loads(out)["value"] == {"lower": None, "upper": None, "text": "infinite"}


def test_every_theorem_is_listed(run: Run) -> None:
    code, out, _ = run("list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == spec.slugs()


def test_claims_are_listed_as_premises_are_taken(run: Run) -> None:
    code, out, _ = run("list", "--claims")
    assert code == 0
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("depth/trajectory-range"))
    named = [c.name for c in spec.theorem("depth/trajectory-range").claims]
    assert [line.strip().partition(":")[0] for line in lines[at + 1 : at + 1 + len(named)]] == named
    assert len(lines) == sum(1 + len(spec.theorem(slug).claims) for slug in spec.slugs())


def test_theorems_of_installed_packages_are_shown(toys: list[str], run: Run) -> None:
    assert "toys/doubling" in toys
    code, out, _ = run("show", "toys/doubling", "--json", "--at", "a=2")
    assert code == 0
    assert json.loads(out)["value"]["upper"] == 4.0
    assert "toys/doubling" in run("list")[1]


def test_no_command_is_bad_input(run: Run) -> None:
    assert run()[0] == 2
    assert run("dance")[0] == 2


def test_another_projects_packages_are_refused(tmp_path: Path) -> None:
    """`spec` and `impl` are common words: another one before ours on the path is named, not imported silently."""
    for name in ("spec", "impl"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(HOME)!r}]; import impl"
    code += "; sys.path.remove(" + repr(str(tmp_path)) + "); from mfc.cli import main; sys.exit(main(['list']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "take that folder off the path" in done.stderr


def test_our_own_packages_are_ours() -> None:
    cli._refuse_shadowing()
    assert issubclass(ShadowedPackage, ValueError)


def test_a_file_that_cannot_be_loaded_hides_no_other_theorem(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(slug: str) -> object:
        if slug == EULER:
            raise ZeroDivisionError("at import")
        return theorem(slug)

    theorem = spec.theorem
    monkeypatch.setattr(spec, "theorem", load)
    code, out, _ = run("list")
    assert code == 0
    assert f"(cannot be loaded: at import; `mfc verify {EULER}` says where)" in out
    assert len(out.splitlines()) == len(spec.slugs())


# New theorems.


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder that looks like a checkout, with one chapter."""
    for part in ("language", "chapter"):
        (tmp_path / "spec" / part).mkdir(parents=True)
        (tmp_path / "spec" / part / "__init__.py").write_text("")
    return tmp_path


def test_new_writes_three_files_that_fail_until_filled(run: Run, checkout: Path) -> None:
    code, out, _ = run("new", "chapter/my-bound", "--root", str(checkout))
    assert code == 0
    written = {str(path.relative_to(checkout)): path.read_text() for path in checkout.rglob("*") if path.is_file()}
    assert set(written) - {"spec/language/__init__.py", "spec/chapter/__init__.py"} == {
        "spec/chapter/my_bound.py",
        "proofs_notes/chapter/my_bound.md",
        "properties/chapter/__init__.py",
        "properties/chapter/test_my_bound.py",
    }
    for text in written.values():
        assert "@" not in text.replace("@given", "")
    assert "chapter/my-bound" in written["proofs_notes/chapter/my_bound.md"]
    for name in ("spec/chapter/my_bound.py", "properties/chapter/test_my_bound.py"):
        done = subprocess.run(
            [sys.executable, str(checkout / name)],
            env={**os.environ, "PYTHONPATH": str(HOME)},
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert f"NotImplementedError: fill {name}" in done.stderr
    assert "mfc verify chapter/my-bound" in out


@pytest.mark.parametrize(
    "slug", ["my-bound", "Chapter/bound", "chapter/my_bound", "chapter/", "/bound", "a/b/c", "../x/y", "chapter/-x", ""]
)
def test_new_refuses_odd_slugs(run: Run, checkout: Path, slug: str) -> None:
    code, _, err = run("new", slug, "--root", str(checkout))
    assert code == 2
    assert "CHAPTER/SLUG in lower case with dashes" in err
    assert sorted(p.name for p in checkout.iterdir()) == ["spec"]


def test_new_chapters_are_asked_for(run: Run, checkout: Path) -> None:
    """A slip in a chapter's name begins no chapter."""
    code, _, err = run("new", "chaptre/my-bound", "--root", str(checkout))
    assert code == 2
    assert "a known chapter; found 'chaptre'; near matches: chapter; --new-chapter begins one" in err
    assert not (checkout / "spec/chaptre").exists()
    assert run("new", "chaptre/my-bound", "--root", str(checkout), "--new-chapter")[0] == 0
    assert (checkout / "spec/chaptre/__init__.py").read_text() == '"""Chapter chaptre."""\n'
    code, _, err = run("new", "language/my-bound", "--root", str(checkout), "--new-chapter")
    assert code == 2
    assert "a part of the language" in err


def test_new_refuses_a_slug_that_is_taken(run: Run, checkout: Path) -> None:
    assert run("new", "chapter/my-bound", "--root", str(checkout))[0] == 0
    before = (checkout / "spec/chapter/my_bound.py").read_text()
    code, _, err = run("new", "chapter/my-bound", "--root", str(checkout))
    assert code == 2
    assert "a slug that is free" in err
    assert (checkout / "spec/chapter/my_bound.py").read_text() == before


def test_new_refuses_what_is_no_checkout(run: Run, tmp_path: Path) -> None:
    code, _, err = run("new", "chapter/my-bound", "--root", str(tmp_path))
    assert code == 2
    assert "a checkout of the project" in err
