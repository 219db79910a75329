"""What is cited is what is meant: references and sources, what is random, and which function measures a claim."""

import re
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
import sympy as sp
from models import built
from numeric import Random, differ

import spec
from properties import campaign
from spec import results
from spec.language import functions as fn
from spec.language.template import Template
from spec.symbols import VOCABULARY

BIBLIOGRAPHY = set(re.findall(r"^@\w+\{(\w+),", (Path(__file__).parents[2] / "references.bib").read_text(), re.M))
TEMPLATES = {t.name: t for t in vars(results).values() if isinstance(t, Template)}

CITED = {
    "hoeffding": ("hoeffding1963, Theorem 2", "means of independent numbers in [a, a + w]: exp(-2 k z²/w²)"),
    "gronwall": ("khalil2002, Lemma A.1", "f <= λ + ∫μf, μ >= 0, gives f <= λ + ∫λμ exp∫μ"),
    "gronwall-source": ("khalil2002, Lemma A.1", "the same, λ an integral, by parts"),
    "softmax-change": ("nesterov2005, Theorem 1 and Lemma 3", "softmax has constant 1 from the max to the sum norm"),
}
"""Where a published result is found, and what it says there."""
SOURCES = {"sampling/covering-lipschitz": "kolmogorov1959"}
"""Theorems that are older than the paper."""


def test_published_results_are_the_ones_named() -> None:
    assert {name for name, t in TEMPLATES.items() if not t.elementary} == set(CITED)
    for name, (where, _) in CITED.items():
        assert TEMPLATES[name].reference.startswith(where)
        assert where.split(",")[0] in BIBLIOGRAPHY


@pytest.mark.parametrize("name", sorted(set(TEMPLATES) - set(CITED)))
def test_elementary_results_cite_nothing(name: str) -> None:
    assert not any(key in TEMPLATES[name].reference for key in BIBLIOGRAPHY)


def test_sources_are_the_ones_named() -> None:
    assert {slug: spec.theorem(slug).source for slug in spec.slugs()} == {
        slug: SOURCES.get(slug, "mfc2026") for slug in spec.slugs()
    }
    assert {"mfc2026", *SOURCES.values()} <= BIBLIOGRAPHY


# What depends on the sample.

UNDECIDED = {"member": "its controls may be drawn with the sample; in the model they are fixed"}
"""Random unless something is said: the model is one where it is said."""


def seen_values(name: str) -> list[Any]:
    """Return what a name stands for in every world, functions at arguments of their own."""
    model = built("risk", 0)
    value, controls = model.values[name], model.runs["vartheta"]
    worlds = [value.values[w] if isinstance(value, Random) else value for w in model.law.worlds()]
    arguments: dict[int, tuple[Any, ...]] = {1: (0,), 2: (controls[0], 0), 3: (controls[0], 0, 0)}
    takes_controls = name in ("J", "J_eps", "J_N", "J_epsN", "nearest")
    arity = VOCABULARY[name].arity
    at = (controls[0],) if takes_controls else controls[:2] if name in ("sup_dist", "ell") else arguments.get(arity, ())
    return [v(*at) if callable(v) else v for v in worlds]


DEFINED = ("outcome", "outcome_eps", "Y", "input_of", "flow_of", "layers_of", "J", "J_eps", "J_N", "J_epsN", "iota",
           "trained", "nearest", "near", "value_of", "sup_dist", "member")  # fmt: skip


@pytest.mark.parametrize("name", DEFINED)
def test_random_is_what_differs_between_samples(name: str) -> None:
    if name in ("nearest", "near", "value_of", "sup_dist") and name in built("risk", 0).values:
        assert name not in VOCABULARY.random
    found = seen_values(name)
    differs = any(differ(found[0], other) for other in found)
    assert (name in VOCABULARY.random) == (differs or name in UNDECIDED)


def test_nothing_else_is_random() -> None:
    assert set(DEFINED) >= VOCABULARY.random


# What measures a claim.

MEASURES = {
    "impl.flow:depth_error": "depth error",
    "impl.flow:reference_flow": "velocity|of the flow",
    "impl.flow:transformer": "layers",
    "impl.field.measured:longest": "longest",
    "impl.field.measured:quotient": r"\| / \|",
    "impl.field.measured:size": r"^\|F",
    "impl.field.measured:slope": "σ'",
    "impl.field.measured:scores": "score of head",
    "impl.field.slopes:attention_slope": "D_x Attn",
    "impl.field.slopes:means_secant": "mix",
    "impl.readout:cross_entropy": "loss ℓ|sample's loss above|depth error of the",
    "impl.readout:residual": "residual",
    "impl.readout:token_residual": "every token",
    "impl.readout:curvature": "curvature",
    "impl.sampling:risk": "risk|J_{ε,N}",
    "impl.sampling:deviation_quantile": "quantile of",
    "impl.sampling:packing_number": "covering number",
    "impl.sampling:Net": "centre|Euclidean length",
    "impl.sampling:objective": "depth and sampling error together|growth of the sampling error",
}
"""What a function measures, as a pattern of the claim's words."""
ASIDE = {
    "depth/euler-bounded-variation": {"impl.flow:depth_error"},
    "depth/euler-instance": {"impl.flow:depth_error"},
    "depth/euler-pathwise": {"impl.flow:depth_error"},
    "field/norm-field": {f"impl.field.measured:{name}" for name in ("longest", "quotient", "size")},
    "transport/control-continuity": {"impl.sampling:risk"},
}
"""Functions that a theorem names and its property does without: it computes the same another way."""
NAMES = {"J_{ε,N}": "J_epsN", "J_N": "J_N", "X̂_k": "Xhat", "softmax(": "softmax", "norm(": "normed"}
CLAIMS = [pytest.param(c, id=f"{slug}#{c.name}") for slug in spec.slugs() for c in spec.theorem(slug).claims]


@pytest.mark.parametrize("claim", CLAIMS)
def test_words_of_a_claim_fit_function_and_expression(claim: Any) -> None:
    measured = claim.measured
    assert re.search(MEASURES[measured.computed_by], measured.meaning)
    levels = [q.args[1] for q in measured.expression.atoms(fn.quantile)]
    assert bool(levels) == ("quantile" in measured.meaning)
    if levels and levels[0] == VOCABULARY.atom("delta"):
        assert "(1−δ)-quantile" in measured.meaning or measured.meaning.startswith("quantile")
    assert "δ-quantile" not in measured.meaning.replace("(1−δ)-quantile", "")
    for glyph, name in NAMES.items():
        if glyph in measured.meaning:
            spoken = {e.func.__name__ for e in measured.expression.atoms(sp.core.function.AppliedUndef)}
            assert name in spoken


def code_of(function: str) -> CodeType:
    """Return the code of a function, or of a class's initialisation."""
    module, _, name = function.partition(":")
    found = getattr(import_module(module), name)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return (found.__post_init__ if isinstance(found, type) else found).__code__


def named(slug: str) -> set[CodeType]:
    return {code_of(claim.measured.computed_by) for claim in spec.theorem(slug).claims}


@lru_cache(maxsize=64)
def called(slug: str) -> frozenset[CodeType]:
    """Return the code that a property runs in one check of its own and its exhibits."""
    checked, ran = campaign.property_of(slug), set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            ran.add(frame.f_code)

    sys.setprofile(note)
    try:
        checked.check(checked.descriptor(77, spec.slugs().index(slug)))  # no other theorem has seen it
        for exhibit in checked.exhibits[:2] if not named(slug) <= ran else ():
            exhibit.build()
    finally:
        sys.setprofile(None)
    return frozenset(ran)


@pytest.mark.parametrize("slug", spec.slugs())
def test_a_property_measures_with_the_functions_named(slug: str) -> None:
    functions = {claim.measured.computed_by for claim in spec.theorem(slug).claims}
    assert {function for function in functions if code_of(function) not in called(slug)} == ASIDE.get(slug, set())
