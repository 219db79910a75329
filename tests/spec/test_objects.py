"""What defines the theory's objects tells them apart: no two controls, and no two samples, are made one."""

import pytest
import sympy as sp

from spec.language.checker import Checker
from spec.language.proof import definition, identity, use
from spec.objects.loss import outcome
from spec.objects.risk import J
from spec.symbols import VOCABULARY, N, i, j, varphi, vartheta


@pytest.mark.parametrize(
    ("one", "other", "free"),
    [
        (outcome(vartheta, i), outcome(varphi, i), (vartheta, varphi, i)),
        (outcome(vartheta, i), outcome(vartheta, j), (vartheta, i, j)),
        (J(vartheta), J(varphi), (vartheta, varphi)),
    ],
)
def test_definitions_tell_objects_apart(one: sp.Expr, other: sp.Expr, free: tuple[sp.Basic, ...]) -> None:
    """A definition for every control of what is one trajectory's would give every control the same risk."""
    named = [name for name in VOCABULARY.definitions if name in ("risk", "outcome", "outcome-of")]
    facts = [definition(name, VOCABULARY) for name in named]
    at = {"risk": ({"vartheta": vartheta}, {"vartheta": varphi})}
    pairs = tuple({"vartheta": control, "j": sample} for control in (vartheta, varphi) for sample in (N, i, j))
    needed = [use(name, **values) for name in named for values in at.get(name, pairs)]
    step = identity("collapse", sp.Eq(one, other, evaluate=False), *needed, free=(vartheta, varphi, i, j))
    checker = Checker((*facts, step), VOCABULARY)
    assert set(free) <= set(step.statement.free)
    assert checker.check(step).status == "failed"
