"""What a newcomer meets: errors that say what to do, values that can be read, words for every function."""

import math
from fractions import Fraction

import flint
import pytest
import sympy as sp

import spec
from spec.language import ball, glossary, registry, smt
from spec.language import functions as fn
from spec.language.ball import Ball
from spec.language.checker import Checker
from spec.language.errors import ConditionError, NotOneNumber
from spec.language.proof import inequality
from spec.language.quantity import MANY, unknown
from spec.symbols import VOCABULARY, K, L_x, M, T, eps

EULER = "depth/euler-pathwise"
VALUES = {"T": 1, "K": 32, "zeta_bar": 1, "L_x": 2, "M": 1, "L_zeta": 1, "L_theta": 1, "L_c": 0}


# Balls.


def test_a_ball_is_no_float_and_says_which_to_take() -> None:
    third = ball.evaluate(sp.Rational(1, 3), {})
    with pytest.raises(
        NotOneNumber, match=r"one end of an enclosure; found a ball, \[0\.333333, 0\.333334\]; take \.upper, \.lower"
    ):
        float(third)
    with pytest.raises(TypeError):  # as Python's own
        math.sqrt(third)
    assert third.lower <= third.mid <= third.upper
    assert third.mid == 1 / 3


@pytest.mark.parametrize(
    ("arb", "middle"),
    [
        (flint.arb("inf"), math.inf),
        (-flint.arb("inf"), -math.inf),
        (flint.arb(1, 0.5), 1.0),
        (flint.arb(10) ** 400, math.inf),
    ],
)
def test_middles(arb: flint.arb, middle: float) -> None:
    assert Ball(arb).mid == middle


def test_what_has_no_middle() -> None:
    assert math.isnan(Ball(flint.arb("nan")).mid)
    assert math.isnan(Ball(flint.arb(0, math.inf)).mid)


# What a bound is made of.


def test_explanations_print_as_tables() -> None:
    explained = spec.theorem(EULER).explain("closed-form", **VALUES)
    head, first, last_step, *summands = (line.split(maxsplit=2) for line in str(explained).splitlines())
    assert head == ["fact", "expression", "ball"]
    assert first[0] == "all-layers"
    assert last_step == ["closed-form", "A*T*eps*phi1(T*b)/2", "[0.149743, 0.149744]"]
    assert [row[0] for row in summands] == ["summand"] * 3
    lower, upper = ([Fraction(row[-1].strip("[]").split(", ")[end]) for row in summands] for end in (0, -1))
    assert upper == sorted(upper, reverse=True)
    assert sum(lower) <= Fraction("0.149744")
    assert sum(upper) >= Fraction("0.149743")


def test_explanations_are_their_summands_too() -> None:
    explained = spec.theorem(EULER).explain(**VALUES)
    assert len(explained) == 3
    assert explained[0] == next(iter(explained)) == explained[:1][0]
    assert explained[0][1].upper == max(value.upper for _, value in explained)


def test_explanations_render_in_latex() -> None:
    theorem = spec.theorem(EULER)
    rendered = theorem.explain("closed-form", **VALUES)._repr_latex_()
    assert rendered.startswith(r"$$\begin{array}{lll}\text{all-layers} & ")
    assert r"\varphi_1" in rendered
    assert r"\cdot10^{1735}" in theorem.explain("closed-form", **{**VALUES, "L_x": 4000})._repr_latex_()
    assert r"\text{infinite}" in theorem.explain(**{**VALUES, "L_c": math.inf})._repr_latex_()


def test_a_bound_of_one_term_is_explained_once() -> None:
    one = spec.theorem("loss/hessian-upper").explain(B=1, C=3)
    assert str(one).count("summand") in (0, len(one))
    assert len(str(one).splitlines()) == 1 + len(one.steps) + (len(one) if len(one) > 1 else 0)


# Words for functions.


def test_the_glossary_has_every_function_of_every_bound() -> None:
    for theorem in spec.theorems():
        for claim in theorem.claims:
            definitions = [q.definition for q in theorem.symbols_of(claim.bound) if q.definition is not None]
            used = glossary.functions_of([claim.bound, *definitions])
            assert used <= set(glossary.GLOSSARY), f"{theorem.slug}: {used - set(glossary.GLOSSARY)}"


def test_functions_are_found_inside_and_plain_ones_are_not_named() -> None:
    expression = sp.sqrt(fn.phi1(fn.geom(L_x, K) / T)) + M
    assert [m.name for m in glossary.meanings([expression])] == ["phi1(z)", "geom(z, k)"]
    assert glossary.meanings([M + T * L_x**2, sp.Le(M, T, evaluate=False)]) == []


def test_meanings_say_what_is_computed() -> None:
    """φ₁ and geom, as their words say them, against their values."""
    z, k = sp.Rational(1, 3), 4
    assert ball.evaluate(fn.phi1(z) - (sp.exp(z) - 1) / z, {}).upper < 1e-15
    assert fn.geom(sp.Integer(0), sp.Integer(k)) == k
    assert sum((1 + z) ** j for j in range(k)) == sp.nsimplify(((1 + z) ** k - 1) / z)
    assert "((1+z)^k − 1)/z, and k at z = 0" in glossary.GLOSSARY[fn.geom].text
    assert glossary.GLOSSARY[fn.phi1].text == "(e^z − 1)/z, and 1 at z = 0"


# Counterexamples of failed steps.


def _detail(relation: sp.Rel, *unfold: sp.Symbol) -> str:
    return Checker((), VOCABULARY).check(inequality("step", relation, unfold=unfold)).detail


def test_countermodels_are_sorted_and_say_what_unfolded_symbols_come_to() -> None:
    detail = _detail(sp.Le(eps * L_x, T, evaluate=False), eps)
    assert detail.startswith("refuted: ")
    names = [part.partition(" = ")[0] for part in detail.removeprefix("refuted: ").split("; ")]
    assert names == ["K", "L_x", "T", "eps", "1/K"]
    value = dict(part.split(" = ", 1) for part in detail.removeprefix("refuted: ").split("; "))
    assert value["eps"].startswith("T/K = ")
    assert sp.Rational(value["eps"].rpartition(" = ")[2]) == sp.Rational(value["T"]) / sp.Rational(value["K"])


def test_derived_symbols_that_are_not_unfolded_are_said_to_be_free() -> None:
    assert "(free: T/K is not unfolded)" in _detail(sp.Le(eps, 2 * M, evaluate=False))
    assert "free" not in _detail(sp.Le(T, 2 * M, evaluate=False))


def test_roots_in_countermodels_are_rounded() -> None:
    verdict, detail = smt.decide((), sp.Ne(M**2, 2, evaluate=False), VOCABULARY)
    assert (verdict, detail) == (smt.REFUTED, "M = 1.414213562")


# Names.


def test_unknown_names_find_their_like_in_either_case() -> None:
    assert "near matches: L_x" in str(unknown("symbol", "l_X", ["L_x", "zeta_bar"]))
    assert str(unknown("symbol", "ab", ["AB", "Ab"])).endswith("near matches: AB, Ab")


def test_names_that_resemble_nothing_are_answered_with_the_known_ones() -> None:
    assert str(unknown("symbol", "foo", ["T", "K"])).endswith("no near matches; known: K, T")
    many = [f"x{i:03}" for i in range(MANY + 1)]
    assert str(unknown("symbol", "foo", many)).endswith(f"{many[-2]}, …")
    assert str(unknown("chapter", "foo", ["T"], "begin it")).endswith("known: T; begin it")


def test_theorems_of_ours_are_found_without_looking_for_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "modules", lambda: pytest.fail("packages were looked for"))
    assert spec.theorem(EULER).slug == EULER


def test_a_package_does_not_replace_a_theorem_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(root: str) -> list[tuple[str, str]]:
        return [(EULER, f"{root}.depth.euler_pathwise"), (f"{root}/own", f"{root}.own")]

    monkeypatch.setattr(registry, "_scan", scan)
    registry._own.cache_clear()
    registry.modules.cache_clear()
    try:
        assert registry.modules()[EULER] == "spec.depth.euler_pathwise"
    finally:
        monkeypatch.undo()
        registry._own.cache_clear()
        registry.modules.cache_clear()


def test_every_error_of_the_language_says_what_it_needs() -> None:
    error = NotOneNumber("one end", "a ball", "take one")
    assert isinstance(error, ConditionError)
    assert (error.condition, error.value, error.remedy) == ("one end", "a ball", "take one")
