"""Every registered result is true at numbers, and no stronger one is: constants, hypotheses and conditions are read.

Instances belong to a result's name, not to its wording: a constant that is too good, a hypothesis too few or a
condition of a parameter too few is refuted by one of them.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import flint
import numpy as np
import pytest
import sympy as sp
from numeric import MET, PRECISION, SLACK, Instance, Random, Undefined, fails, index
from result_instances import instances
from strengthened import Site, moved_numbers, scaled_sides

from spec import results
from spec.language.functions import Recurrence, SumOver, geom
from spec.language.template import Statement, Template

TEMPLATES = {t.name: t for t in vars(results).values() if isinstance(t, Template)}
each = pytest.mark.parametrize("name", sorted(TEMPLATES))

SPARE_HYPOTHESES = {
    ("hoeffding", "k_ >= 1"): "at k = 0 the mean has no value",
    ("growth-step", "z_ >= 0"): "the solution lies above its tangents everywhere",
    ("growth-step", "w_ >= 0"): "the solution lies above its tangents everywhere",
    ("piecewise-lipschitz", "z_ >= 0"): "depths are nonnegative: none lies before a negative one",
}
"""Hypotheses without which a result stays true at numbers, and what they are for."""
SPARE_CONDITIONS = {
    ("hoeffding", "fixed m_"): "a number that equals an expectation is fixed",
    ("hoeffding", "fixed k_"): "cumulants that add up give a random number of samples no choice",
    ("quantile-of-tail", "fixed z_"): "here a tail is a number, in every world the same",
    ("quantile-of-tail", "fixed c_"): "here a tail is a number, in every world the same",
    ("quantile-shift", "fixed c_"): "here a level is a number in every world",
    ("union-bound", "whole k_"): "between two counts there are as many indices as below",
    ("union-bound", "fixed k_"): "here a level is a number in every world",
    ("union-bound", "fixed c_"): "here a level is a number in every world",
    ("outcome-by-outcome", "fixed f_"): "a function of two arguments at hand takes no mean over the sample",
}
"""Conditions on parameters that instances here cannot miss: what they keep out is a form of words."""
BLUNT = {
    ("square-added", "right side"): "both sides vanish where they meet; there the number 0 moves",
    ("outcome-by-outcome", "right side"): "it is 0; the number 0 moves",
}
"""Numbers of conclusions that no instance holds to a fiftieth, and why."""


def is_fixed(value: object) -> bool:
    """Say whether a value is the same in all worlds."""
    return not isinstance(value, Random) or all(np.array_equal(value.values[0], v) for v in value.values)


def is_count(value: object) -> bool:
    """Say whether a value is a nonnegative integer in every world."""
    try:
        counts = [index(v) for v in (value.values if isinstance(value, Random) else (value,))]
    except Undefined:
        return False
    return min(counts) >= 0


def conditions(template: Template, instance: Instance) -> dict[str, bool]:
    """Return whether every parameter is what the result takes it for."""
    met = {f"fixed {p}": is_fixed(instance.values[str(p)]) for p in template.fixed}
    return met | {f"whole {p}": is_count(instance.values[str(p)]) for p in template.whole}


def counts(template: Template) -> set[sp.Basic]:
    """Return the parameters that count terms or name a class: a fraction of them has no value at all."""
    relations = [s.relation for s in (*template.hypotheses, template.conclusion)]
    nodes = [e for r in relations for e in r.atoms(SumOver, Recurrence, geom, sp.core.function.AppliedUndef)]
    return {s for e in nodes if type(e).__name__ not in ("f_", "sees") for a in e.args for s in a.free_symbols}


@lru_cache(maxsize=256)
def read(name: str) -> tuple[tuple[Instance, frozenset[str], bool], ...]:
    """Return the instances of a result, what each of them misses, and whether the conclusion fails."""
    template, rows = TEMPLATES[name], []
    with flint.ctx.workprec(PRECISION):
        for instance in instances(name):
            missed = {what for what, met in conditions(template, instance).items() if not met}
            missed |= {str(h.relation) for h in template.hypotheses if fails(h, instance, MET)}
            rows.append((instance, frozenset(missed), len(missed) < 2 and fails(template.conclusion, instance, SLACK)))
    return tuple(rows)


@each
def test_a_result_holds_where_its_hypotheses_do(name: str) -> None:
    met = [(instance.values, failed) for instance, missed, failed in read(name) if not missed]
    assert len(met) >= 20
    assert [values for values, failed in met if failed] == []


@each
def test_every_hypothesis_is_needed(name: str) -> None:
    refuted = {next(iter(missed)) for _, missed, failed in read(name) if len(missed) == 1 and failed}
    counted = {f"{p} >= 0" for p in TEMPLATES[name].whole}  # said by the parameter's condition, too
    needed = {str(h.relation) for h in TEMPLATES[name].hypotheses} - refuted - counted
    assert needed == {what for of, what in SPARE_HYPOTHESES if of == name}


@each
def test_every_condition_on_a_parameter_is_needed(name: str) -> None:
    refuted = {next(iter(missed)) for _, missed, failed in read(name) if len(missed) == 1 and failed}
    template = TEMPLATES[name]
    named = {f"fixed {p}" for p in template.fixed}
    named |= {f"whole {p}" for p in set(template.whole) - counts(template)}
    assert named - refuted == {what for of, what in SPARE_CONDITIONS if of == name}


def sites(conclusion: Statement) -> Iterator[Site]:
    yield scaled_sides(conclusion)
    yield from moved_numbers(conclusion)


@each
def test_no_constant_can_be_better(name: str) -> None:
    """A conclusion with one number moved by a fiftieth, one way or the other, or as a whole, fails somewhere."""
    met = [instance for instance, missed, _ in read(name) if not missed]
    blunt = {
        text
        for text, both in sites(TEMPLATES[name].conclusion)
        if not any(fails(wrong, instance, SLACK) for instance in met for wrong in both)
    }
    assert blunt == {what for of, what in BLUNT if of == name}


# The tests above find what is wrong.


@pytest.mark.parametrize("name", ["triangle", "gronwall", "cauchy-joined", "union-bound"])
def test_a_wrong_result_would_show(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    template = TEMPLATES[name]
    wrong = replace(template, conclusion=scaled_sides(template.conclusion)[1][0])
    monkeypatch.setitem(TEMPLATES, name, wrong)
    read.cache_clear()
    with pytest.raises(AssertionError):
        test_a_result_holds_where_its_hypotheses_do(name)
    read.cache_clear()


def test_a_missing_condition_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEMPLATES, "hoeffding", replace(TEMPLATES["hoeffding"], fixed=()))
    read.cache_clear()
    with pytest.raises(AssertionError):
        test_a_result_holds_where_its_hypotheses_do("hoeffding")
    read.cache_clear()


def test_a_superfluous_hypothesis_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    first = TEMPLATES["cauchy-joined"].hypotheses[1]
    spare = Statement(first.relation.subs(first.relation.rhs, -9))
    template = replace(TEMPLATES["cauchy-joined"], hypotheses=(*TEMPLATES["cauchy-joined"].hypotheses, spare))
    monkeypatch.setitem(TEMPLATES, "cauchy-joined", template)
    read.cache_clear()
    with pytest.raises(AssertionError):
        test_every_hypothesis_is_needed("cauchy-joined")
    read.cache_clear()
