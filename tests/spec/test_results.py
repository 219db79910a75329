"""Every citable result, on its own instances: equality, valid, invalid; and that a wrong result would show."""

from dataclasses import replace

import pytest
import sympy as sp
from toys import a_, b_, f_, g_, i, k_, le, u

from spec import results
from spec.language.errors import ProofError
from spec.language.functions import MaxOver, Ratio, SumOver, gauge, inner, norm, token_norm
from spec.language.template import Instance, Statement, Template

TEMPLATES = {name: value for name, value in vars(results).items() if isinstance(value, Template)}
each = pytest.mark.parametrize("template", [pytest.param(t, id=t.name) for t in TEMPLATES.values()])


def is_domain(statement: Statement, parameters: tuple[object, ...]) -> bool:
    """Say whether a hypothesis only keeps one parameter to one side of a number."""
    left, right = statement.relation.args
    return not statement.free and {left, right} & set(parameters) != set() and (left.is_number or right.is_number)


@each
def test_equality_is_reached(template: Template) -> None:
    assert template.is_equality(template.equality)


@each
def test_a_valid_instance_satisfies_both_sides(template: Template) -> None:
    assert template.holds(template.valid) == (True, True)


@each
def test_an_invalid_instance_violates_a_hypothesis(template: Template) -> None:
    if template.invalid is None:
        assert all(is_domain(h, template.parameters) for h in template.hypotheses), "name an invalid instance"
    else:
        assert template.holds(template.invalid)[0] is False


@each
def test_every_parameter_is_spoken_of_and_given(template: Template) -> None:
    spoken: set[object] = set()
    for statement in (*template.hypotheses, template.conclusion):
        for relation in (statement.relation, *statement.given):
            spoken |= relation.free_symbols | {e.func for e in relation.atoms(sp.core.function.AppliedUndef)}
    assert set(template.parameters) <= spoken
    for instance in (template.equality, template.valid, template.invalid):
        assert instance is None or set(instance.at) == set(template.parameters)
    assert template.reference


def test_names_are_unique_and_like_their_constants() -> None:
    names = [t.name for t in TEMPLATES.values()]
    assert len(names) == len(set(names))
    assert {name: t.name.replace("-", "_").upper() for name, t in TEMPLATES.items()} == {
        name: name for name in TEMPLATES
    }


MONOTONE = Template(
    "toy",
    "toy, Theorem 1",
    (f_, g_, a_, b_),
    (Statement(le(a_, b_)), Statement(le(f_(u), g_(u)), (u,), (le(a_, u), le(u, b_)))),
    Statement(le(sp.Integral(f_(u), (u, a_, b_)), sp.Integral(g_(u), (u, a_, b_)))),
    equality=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 0, b_: 1}, {}),
    valid=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, 2 * u), a_: 0, b_: 2}, {}),
    invalid=Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u / 2), a_: 0, b_: 2}, {}),
)


def test_instances_are_decided() -> None:
    assert MONOTONE.is_equality(MONOTONE.equality)
    assert not MONOTONE.is_equality(MONOTONE.valid)
    assert MONOTONE.holds(MONOTONE.valid) == (True, True)
    assert MONOTONE.holds(MONOTONE.invalid) == (False, False)


def test_a_wrong_conclusion_would_show() -> None:
    wrong = replace(
        MONOTONE, conclusion=Statement(le(2 * sp.Integral(f_(u), (u, a_, b_)), sp.Integral(g_(u), (u, a_, b_))))
    )
    assert not wrong.is_equality(wrong.equality)
    assert wrong.holds(wrong.equality) == (True, False)


def test_a_missing_hypothesis_would_show() -> None:
    wrong = replace(MONOTONE, hypotheses=MONOTONE.hypotheses[:1])
    assert wrong.holds(wrong.invalid) == (True, False)


def test_what_a_grid_misses_is_not_decided() -> None:
    empty = Instance({f_: sp.Lambda(u, u), g_: sp.Lambda(u, u), a_: 100, b_: 101}, {})
    assert MONOTONE.holds(empty)[0] is False


@pytest.mark.parametrize(
    ("relation", "true"),
    [
        (le(k_, 1), True),
        (sp.Lt(k_, 1, evaluate=False), False),
        (sp.Ge(k_, 1, evaluate=False), True),
        (sp.Gt(k_, 0, evaluate=False), True),
        (sp.Gt(k_, 1, evaluate=False), False),
        (sp.Ne(k_, 1, evaluate=False), False),
        (sp.Ne(k_, 2, evaluate=False), True),
        (sp.Eq(k_, 1, evaluate=False), True),
        (sp.Eq(k_, 2, evaluate=False), False),
        (le(norm(-2 * k_), 2), True),
    ],
)
def test_relations_between_numbers(relation: sp.Rel, true: bool) -> None:
    toy = Template("toy", "toy", (k_,), (Statement(relation),), Statement(le(k_, 1)), None, None, None)
    assert toy.holds(Instance({k_: sp.Integer(1)}, {})) == (true, True)


def test_decided_statements_are_refused() -> None:
    with pytest.raises(ProofError, match="a relation"):
        Template("toy", "toy", (), (), Statement(sp.Le(0, 1)), None, None, None)


def on_grid(relation: sp.Rel, variable: sp.Symbol, *given: sp.Rel) -> bool:
    """Decide a hypothesis for all points of a grid."""
    toy = Template("toy", "toy", (), (Statement(relation, (variable,), given),), Statement(le(k_, 1)), None, None, None)
    return toy.holds(Instance({}, {k_: 1}))[0]


def test_a_violation_at_any_point_of_the_grid_shows() -> None:
    """Quarters from 0 to 2, or the integers from 0 to 8."""
    for at in (sp.Rational(quarter, 4) for quarter in range(9)):
        assert not on_grid(sp.Ne(u, at, evaluate=False), u)
    for at in range(9):
        assert not on_grid(sp.Ne(i, at, evaluate=False), i)
    assert on_grid(sp.Ne(i, sp.Rational(1, 2), evaluate=False), i)
    assert on_grid(sp.Ne(u, 3, evaluate=False), u)


def test_guards_leave_points_out() -> None:
    assert on_grid(sp.Ne(u, 1, evaluate=False), u, le(u, sp.Rational(3, 4)))
    assert not on_grid(sp.Ne(u, 1, evaluate=False), u, le(u, 1))
    assert not on_grid(le(u, 9), u, le(9, u))


def test_nodes_and_objects_become_numbers() -> None:
    conclusions = [
        sp.Eq(inner(2 * k_, k_), 2, evaluate=False),
        sp.Eq(Ratio(3 * k_, 2), sp.Rational(3, 2), evaluate=False),
        sp.Eq(norm(-3 * k_) + token_norm(-k_) + gauge(2 * k_), 6, evaluate=False),
        sp.Eq(SumOver(i + k_, i, 3), 6, evaluate=False),
        sp.Eq(MaxOver(i * (5 - i), i, 1, 4, 5, 2), 6, evaluate=False),
    ]
    for relation in conclusions:
        toy = Template("toy", "toy", (), (), Statement(relation), None, None, None)
        assert toy.is_equality(Instance({}, {k_: 1}))
        assert not toy.is_equality(Instance({}, {k_: 2})) or relation.has(MaxOver)
        assert toy.holds(Instance({}, {k_: 1})) == (True, True)


@pytest.mark.parametrize(
    ("relation", "true"),
    [
        (le(sp.sqrt(2) * k_, sp.Rational(3, 2)), True),
        (le(sp.Rational(3, 2), sp.sqrt(2) * k_), False),
        (sp.Lt(sp.sqrt(2) * k_, sp.Rational(3, 2), evaluate=False), True),
        (sp.Lt(sp.Rational(3, 2), sp.sqrt(2) * k_, evaluate=False), False),
        (sp.Ge(sp.sqrt(2) * k_, sp.Rational(3, 2), evaluate=False), False),
        (sp.Ge(sp.Rational(3, 2), sp.sqrt(2) * k_, evaluate=False), True),
        (sp.Gt(sp.Rational(3, 2), sp.sqrt(2) * k_, evaluate=False), True),
        (sp.Eq(sp.Rational(3, 2), sp.sqrt(2) * k_, evaluate=False), False),
        (sp.Ne(sp.Rational(3, 2), sp.sqrt(2) * k_, evaluate=False), True),
        (sp.Ne(sp.sqrt(2) * k_, sp.Rational(3, 2), evaluate=False), True),
        (sp.Ne((1 + sp.sqrt(2)) * k_, 1 + sp.sqrt(2), evaluate=False), False),
    ],
)
def test_relations_between_irrational_numbers(relation: sp.Rel, true: bool) -> None:
    toy = Template("toy", "toy", (k_,), (), Statement(relation), None, None, None)
    assert toy.holds(Instance({k_: sp.Integer(1)}, {})) == (True, true)
