"""Every definition of the theory is true of the objects that `impl` computes, and no stronger one is.

A model gives every function and constant of a chapter a meaning, and every bound variable values to run over.
"""

from collections.abc import Iterator
from functools import lru_cache

import pytest
import sympy as sp
from models import models_of
from numeric import SLACK, Instance, fails, points
from strengthened import Site, moved_numbers, scaled_sides, without_guards

import spec.objects
from spec.language.template import Statement
from spec.symbols import VOCABULARY

assert spec.objects.__all__
DEFINITIONS = dict(sorted(VOCABULARY.definitions.items()))
each = pytest.mark.parametrize("name", DEFINITIONS)
BLUNT = {
    ("mask", "right side"): "visibility is 0 or 1; the number 0 moves",
    ("softmax-positive", "right side"): "a probability is never 0; that it could be moved is no claim",
    ("softmax-positive", "0 (right, number 0)"): "probabilities of the box are not near 0",
    ("turn-towards", "right side"): "it is 0; the number 0 moves",
    ("label-top", "right side"): "it is 0; the number 0 moves",
    ("reach", "right side"): "it is 0; the number 0 moves",
    ("start", "right side"): "it is 0; the number 0 moves",
    ("top-some", "2 (left, number 0)"): "it is reached where the top has one class, at 1 to whatever power",
}
"""Parts of definitions that no model holds to a fiftieth, and why."""


@lru_cache(maxsize=256)
def read(name: str) -> tuple[Instance, ...]:
    return tuple(models_of(name, DEFINITIONS[name]))


@each
def test_a_definition_is_true_of_what_is_computed(name: str) -> None:
    assert read(name), "no model speaks of all that the definition speaks of"
    assert any(True for model in read(name) for _ in points(DEFINITIONS[name], model))
    assert not any(fails(DEFINITIONS[name], model, SLACK) for model in read(name))


def sites(statement: Statement) -> Iterator[Site]:
    yield scaled_sides(statement)
    yield from moved_numbers(statement)
    for text, both in without_guards(statement):
        guard = sp.sympify(next(g for g in statement.given if text == f"guard {g}"))
        if guard.atoms(sp.core.function.AppliedUndef) and not text.startswith("guard Eq(sees"):
            yield text, both


@each
def test_no_definition_can_say_more(name: str) -> None:
    """With one number moved by a fiftieth, one way or the other, or a side as a whole, it fails in some model."""
    blunt = {
        text
        for text, both in sites(DEFINITIONS[name])
        if not any(fails(wrong, model, SLACK) for model in read(name) for wrong in both)
    }
    assert blunt == {what for of, what in BLUNT if of == name}


# The tests above find what is wrong.


@pytest.mark.parametrize("name", ["control-norm", "coordinate", "deviation", "flow", "empirical-risk"])
def test_a_wrong_definition_would_show(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFINITIONS, name, scaled_sides(DEFINITIONS[name])[1][0])
    with pytest.raises(AssertionError):
        test_a_definition_is_true_of_what_is_computed(name)
