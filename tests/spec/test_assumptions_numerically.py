"""Every assumption holds where it is met, with the least constants there, and with no better ones."""

from collections.abc import Callable
from functools import lru_cache

import pytest
from models_assumed import WHERE, heads
from numeric import SLACK, Instance, fails, points
from strengthened import moved_numbers, scaled_sides

from spec.assumptions import ASSUMPTIONS
from spec.language.template import Statement

STATEMENTS = {name: a.statement for name, a in ASSUMPTIONS.by_name.items() if a.statement is not None}
each = pytest.mark.parametrize("name", STATEMENTS)
BLUNT = {
    ("control-fixed", "right side"): "it is 0; the number 0 moves",
    ("visible-key", "right side"): "it is 0",
    ("visible-key", "-1/2 (left, number 0)"): "weights are positive whatever their scores",
    ("visible-key", "0 (right, number 0)"): "weights are positive, and none is near 0",
}
"""Parts of assumptions that no instance holds to a fiftieth, and why."""
PLACES: dict[str, Callable[[], list[Instance]]] = {name: place for names, place in WHERE.items() for name in names}


@lru_cache(maxsize=16)
def built(place: Callable[[], list[Instance]] | None) -> list[Instance]:
    return [heads()] if place is None else place()


def where(name: str) -> list[Instance]:
    """Return the instances that meet an assumption: those of heads and perceptrons if no others are named."""
    return built(PLACES.get(name))


@each
def test_an_assumption_holds_where_it_is_met(name: str) -> None:
    assert any(True for place in where(name) for _ in points(STATEMENTS[name], place))
    assert not any(fails(STATEMENTS[name], place, SLACK) for place in where(name))


@each
def test_no_assumption_holds_with_a_better_constant(name: str) -> None:
    statement: Statement = STATEMENTS[name]
    blunt = {
        text
        for text, both in (scaled_sides(statement), *moved_numbers(statement))
        if not any(fails(wrong, place, SLACK) for place in where(name) for wrong in both)
    }
    assert blunt == {what for of, what in BLUNT if of == name}


@pytest.mark.parametrize("name", ["schedule-bounded", "query-ball", "field-bounded", "trained", "score-ball"])
def test_a_better_constant_would_show(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STATEMENTS, name, scaled_sides(STATEMENTS[name])[1][0])
    with pytest.raises(AssertionError):
        test_an_assumption_holds_where_it_is_met(name)
