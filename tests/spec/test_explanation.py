"""What a bound is made of: the spine's expressions and the summands, each with its enclosure."""

import pytest
import sympy as sp
from toys import BOUNDED, T, a, b, c, eq, f, ge, le, t, theorem

from spec.language.errors import MissingValue
from spec.language.proof import assumed, identity, inequality, use

EARLY = (le(t, T),)
DOUBLED = inequality("doubled", le(2 * sp.Abs(f(t)), 2 * a), use("bounded", t=t), free=(t,), given=EARLY)
WIDER = inequality("wider", ge(2 * a + b, 2 * a))
SIDES = {"measured": 2 * sp.Abs(f(t)), "bound": 2 * a + b, "free": (t,), "given": EARLY}
ONE = theorem(assumed(BOUNDED), DOUBLED, WIDER, spine=("doubled", "wider"), **SIDES)


def test_the_spine_is_valued_fact_by_fact_up_to_the_bound() -> None:
    explained = ONE.explain(a=1, b=10)
    assert [(fact, side, value.upper) for fact, side, value in explained.steps] == [
        ("doubled", 2 * a, 2),
        ("wider", 2 * a + b, 12),
    ]


def test_what_has_no_value_is_left_out() -> None:
    """A spine may pass through paths, and through constants that its bound does without."""
    detour = (
        identity("there", eq(2 * sp.Abs(f(t)), 2 * sp.Abs(f(t)) + c - c + 0 * t), free=(t,)),
        inequality("apart", le(2 * a, 2 * a + sp.Abs(c))),
    )
    one = theorem(assumed(BOUNDED), *detour, DOUBLED, spine=("there", "doubled", "apart"), **{**SIDES, "bound": 2 * a})
    assert [fact for fact, _, _ in one.explain(a=1).steps] == ["apart"]


def test_the_table_has_a_row_for_each_step_and_summand() -> None:
    assert str(ONE.explain(a=1, b=10)).splitlines() == [
        "fact     expression  ball",
        "doubled  2*a         2",
        "wider    2*a + b     12",
        "summand  b           10",
        "summand  2*a         2",
    ]


def test_what_is_asked_of_values_is_asked_here_too() -> None:
    with pytest.raises(MissingValue, match="none for b"):
        ONE.explain(a=1)


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ({"a": "1e9", "b": 1}, r"& 2\cdot10^{9}"),
        ({"a": "1e400", "b": 1}, r"& \left[1.99999\cdot10^{400},\,2.00001\cdot10^{400}\right]"),
        ({"a": "1e40000", "b": 1}, r"& \left[10^{40000.3},\,10^{40000.4}\right]"),
        ({"a": float("inf"), "b": 1}, r"\text{infinite}"),
        ({"a": 0.25, "b": "1e-9"}, r"& \left[9.99999\cdot10^{-10},\,1.00001\cdot10^{-9}\right]"),
        ({"a": 0.25, "b": 1}, "& 0.5 "),
    ],
)
def test_latex_says_values_as_mathematics(values: dict[str, object], printed: str) -> None:
    text = ONE.explain(**values)._repr_latex_()
    assert text.startswith(r"$$\begin{array}")
    assert printed in text
