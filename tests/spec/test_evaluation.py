"""Evaluation at named values: what is refused, premises first, corners, and within ten microseconds."""

import math
import timeit
from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp
from toys import COUNT, ORDERED, L, T, a, b, c, eps, growth, j, le, p, ratio, share, theorem, vocabulary

import spec
from spec.language.assumption import Assumption
from spec.language.ball import Ball, evaluate
from spec.language.dimension import PURE
from spec.language.errors import MissingValue, OutOfRange, PremiseNotMet, UnknownName
from spec.language.evaluation import holds, resolve
from spec.language.functions import Entry, MaxOver, SumOver
from spec.language.proof import argued
from spec.language.quantity import Vocabulary, at_least, between
from spec.language.theorem import Claim, Measured, Theorem


def bounded_by(bound: sp.Expr, **more: object) -> Theorem:
    lemma = argued("above", le(-p, p), "toy")
    return theorem(lemma, spine=("above",), measured=sp.Integer(0), bound=bound, **{"assumptions": (), **more})


STEP = bounded_by(eps**2 + 0 * a)
SUM = bounded_by(a / p + ratio * share + c)
AT = {"a": 1, "p": 2, "ratio": 0.5, "share": 1, "c": -3}


def test_values_enter_by_name() -> None:
    assert SUM.evaluate(**AT).upper == -2.0
    assert SUM.evaluate("claim", **AT).upper == -2.0
    assert STEP.evaluate(T=1, n=4).upper == 0.0625


def test_derived_symbols_take_their_definition_or_a_value() -> None:
    assert STEP.evaluate(eps="0.25").upper == 0.0625
    assert STEP.evaluate(eps=0.25, T=3).upper == 0.0625
    with pytest.raises(MissingValue, match="a value for eps or for its parts, not both"):
        STEP.evaluate(eps=0.25, T=1, n=4)


def test_unknown_and_missing_names() -> None:
    with pytest.raises(UnknownName, match=r"symbol of toys/one.*near matches: ratio"):
        SUM.evaluate(**AT, ratios=1)
    with pytest.raises(MissingValue, match="none for n"):
        STEP.evaluate(T=1)
    with pytest.raises(UnknownName):
        STEP.evaluate(T=1, n=4, b=1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("a", value)
            for value in (-1, -1e-300, -5e-324, "-1e-400", -float("inf"), float("nan"), "nan", "one", None, 1j)
        ),
        *(("a", value) for value in (True, np.bool_(True), [1, 2], np.array([1.0]), sp.Symbol("q"))),
        *(("p", value) for value in (0, 0.0, "0", -1)),
        *(("ratio", value) for value in (0, 1, 1.0, "1", 1.5)),
        *(("share", value) for value in (1.0000000000000002, -0.1, "1.0000000000000000001")),
        *(("c", value) for value in (float("nan"), "nan", True)),
    ],
)
def test_values_out_of_range_are_refused(name: str, value: object) -> None:
    with pytest.raises(OutOfRange):
        SUM.evaluate(**{**AT, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("a", value)
            for value in (0, 0.0, -0.0, "0", 5e-324, 10**400, np.float32(0.5), sp.sqrt(2), sp.Rational(1, 3))
        ),
        *(("p", value) for value in (5e-324, "1e-400")),
        *(("ratio", value) for value in (5e-324, 0.9999999999999999, "0.99999999999999999999")),
        *(("share", value) for value in (0, 1.0, "1", np.int64(1))),
        ("c", -1e308),
    ],
)
def test_values_at_the_ends_of_ranges_are_taken(name: str, value: object) -> None:
    found = SUM.evaluate(**{**AT, name: value})
    assert not found.arb.is_nan()


@pytest.mark.parametrize(
    "count", [0, -1, 2.5, "5/2", "2.5", 0.0, float("nan"), float("inf"), True, "two", np.float64(2.5)]
)
def test_counts_are_positive_integers(count: object) -> None:
    with pytest.raises(OutOfRange):
        STEP.evaluate(T=1, n=count)


@pytest.mark.parametrize("count", [2, 2.0, "2", np.int64(2), np.float64(2), sp.Integer(2)])
def test_counts_in_every_form(count: object) -> None:
    assert STEP.evaluate(T=1, n=count).upper == 0.25


def test_infinite_values_give_infinite_bounds() -> None:
    assert str(SUM.evaluate(**{**AT, "a": float("inf")})) == "infinite"


def test_quick_and_careful_evaluation_agree() -> None:
    quick = SUM.evaluate(a=0.1, p=0.7, ratio=0.3, share=0.9, c=-0.2)
    careful = SUM.evaluate(
        **{k: sp.Rational(v) for k, v in {"a": 0.1, "p": 0.7, "ratio": 0.3, "share": 0.9, "c": -0.2}.items()}
    )
    assert (quick.lower, quick.upper) == (careful.lower, careful.upper)


def test_what_cancels_is_evaluated_more_precisely() -> None:
    lost = bounded_by((1 + a) ** 2 - 1 - 2 * a)
    assert lost.evaluate(a=1e-12).upper == pytest.approx(1e-24, rel=1e-14)


def test_decimal_text_is_exact() -> None:
    third = bounded_by(sp.ceiling(a / p))
    assert third.evaluate(a="0.3", p="0.1").upper == 3
    assert third.evaluate(a=0.3, p=0.1).upper == 3
    assert third.evaluate(a=3, p=1).upper == 3


def test_premises_are_decided_first() -> None:
    premised = bounded_by(1 / (a - b), assumptions=(ORDERED,))
    assert premised.evaluate(a=2, b=1).upper == 1
    assert premised.evaluate(a=2.0, b="1").upper == 1
    for values in ({"a": 1, "b": 1}, {"a": 1.0, "b": 2.0}):
        with pytest.raises(PremiseNotMet, match=r"ordered.*false"):
            premised.evaluate(**values)
    wide = Ball(evaluate(a, {"a": 1}).arb + evaluate(c, {"c": 0}).arb.__class__("0 +/- 0.5"))
    with pytest.raises(PremiseNotMet, match="undecided"):
        premised.evaluate(a=wide, b=1)


def test_premises_ask_for_their_symbols() -> None:
    premised = bounded_by(a, assumptions=(ORDERED,))
    with pytest.raises(MissingValue):
        premised.evaluate(a=1)


def test_sequences_only_where_indexed() -> None:
    summed = bounded_by(T * SumOver(Entry(L, j), j, COUNT))
    assert summed.evaluate(T=1, L=[1, 2, "0.5"], n=3).upper == 3.5
    assert summed.evaluate(T=1, L=np.array([1.0, 2.0]), n=2).upper == 3
    with pytest.raises(OutOfRange):
        summed.evaluate(T=1, L=[1, -2], n=2)
    with pytest.raises(MissingValue):
        summed.evaluate(T=1, L=[1, 2], n=3)


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        (sp.Lt(a, b, evaluate=False), True),
        (sp.Lt(b, a, evaluate=False), False),
        (sp.Lt(a, a + c, evaluate=False), False),
        (sp.Le(a, a + c, evaluate=False), True),
        (sp.Le(b, a, evaluate=False), False),
        (sp.Ge(b, a, evaluate=False), True),
        (sp.Ge(c, a / 10**400, evaluate=False), False),
        (sp.Gt(b, b + c, evaluate=False), False),
        (sp.Gt(a / 10**400, c, evaluate=False), True),
        (sp.Eq(a, a + c, evaluate=False), True),
        (sp.Eq(a, b, evaluate=False), False),
        (sp.Ne(a, b, evaluate=False), True),
        (sp.Ne(a, a + c, evaluate=False), False),
        (sp.Le(p, a, evaluate=False), None),
        (sp.Eq(p, a, evaluate=False), None),
        (sp.Ne(p, a, evaluate=False), None),
        (sp.Gt(p, a, evaluate=False), None),
    ],
)
def test_relations_are_decided_in_three_values(relation: sp.Rel, verdict: bool | None) -> None:
    wide = Ball(evaluate(a, {"a": 1}).arb.__class__("1 +/- 0.5"))
    assert holds(relation, {"a": 1, "b": 2, "c": 0, "p": wide}) is verdict


def test_definitions_are_followed_step_by_step() -> None:
    assert resolve(vocabulary, growth + eps, frozenset({"eps"})) == a - b + eps
    assert resolve(vocabulary, growth + eps, depth=0) == growth + eps
    assert resolve(vocabulary, Entry(L, j) * T) == L * T


def test_bounds_over_maxima_of_nothing_are_undefined() -> None:
    top = bounded_by(MaxOver(j * a, j, 1, COUNT, a, p))
    assert top.evaluate(n=1, a=1, p=1).upper == 1


def test_zero_corners_of_the_exemplar() -> None:
    euler = spec.theorem("depth/euler-pathwise")
    at = {"T": 0, "K": 3, "zeta_bar": 0, "L_zeta": 0, "M": 0, "L_x": 0, "L_theta": 0, "L_c": 0}
    for claim in euler.claims:
        assert euler.evaluate(claim.name, **at).upper == 0
    assert (
        euler.evaluate("closed-form", **{**at, "T": 2, "L_zeta": 3, "M": 5, "L_x": 0, "zeta_bar": 1}).upper
        == 2 * 15 * 2 / 3 / 2
    )


def test_one_bound_takes_ten_microseconds() -> None:
    """The benchmark holds the project's 10 µs; here five times that is allowed, for a busy machine."""
    euler = spec.theorem("depth/euler-pathwise")
    at = {"T": 1.3, "K": 12, "zeta_bar": 0.9, "L_zeta": 0.3, "M": 2.1, "L_x": 0.7, "L_theta": 1.1, "L_c": 0.4}
    runs = timeit.repeat(lambda: euler.evaluate("closed-form", **at), number=200, repeat=20)
    assert min(runs) / 200 <= 50e-6
    assert (
        replace(euler, title="another").evaluate("closed-form", **at).upper == euler.evaluate("closed-form", **at).upper
    )


# Ranges whose ends are no floats, or other symbols.

_own = Vocabulary()
above_third = _own.symbol("above_third", "a", "a number from 1/3 on", PURE, at_least(sp.Rational(1, 3)))
top = _own.symbol("top", "t", "an upper end")
under_top = _own.symbol("under_top", "u", "a number below the top", PURE, between(0, top))
_index = _own.variable("j", "j", "an index", PURE, at_least(0), integer=True)
parts = _own.symbol("parts", "p", "how many", PURE, at_least(1), integer=True, indexed=True)
whole = _own.symbol("whole", "w", "their sum in thirds", PURE, definition=above_third * top)


def over(bound: sp.Expr, *premises: sp.Rel) -> Theorem:
    assumptions = tuple(Assumption(f"premise-{i}", "Toy.", premise=premise) for i, premise in enumerate(premises))
    claim = Claim("claim", Measured("nothing", sp.Integer(0), "impl.flow:depth_error"), "<=", bound, ())
    return Theorem("toys/own", "Own", "toy", assumptions, (claim,), (), _own)


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        (1 / 3, False),
        (math.nextafter(1 / 3, 1), True),
        ("1/3", True),
        (sp.Rational(1, 3), True),
        (0.5, True),
        (0, False),
    ],
)
def test_ends_between_floats_are_kept_exactly(value: object, inside: bool) -> None:
    """The float nearest 1/3 lies below it."""
    if inside:
        assert over(above_third).evaluate(above_third=value).upper >= 1 / 3
    else:
        with pytest.raises(OutOfRange, match=r"above_third in \[1/3, oo\)"):
            over(above_third).evaluate(above_third=value)


@pytest.mark.parametrize(("value", "inside"), [("1/3", True), ("1/3000", True), ("1/2999", False)])
def test_ends_that_balls_cannot_tell_apart_are_told_by_fractions(value: str, inside: bool) -> None:
    """1/3 − 1/3 is a ball around 0."""
    at = {"under_top": value, "top": "1/3" if value == "1/3" else "1/3000"}
    if inside:
        assert over(under_top + top).evaluate(**at).is_finite
    else:
        with pytest.raises(OutOfRange, match=r"under_top in \[0, top\]"):
            over(under_top + top).evaluate(**at)


def test_ends_that_are_symbols_bind_where_they_have_a_value() -> None:
    assert over(under_top + top).evaluate(under_top=1, top=1).upper == 2
    with pytest.raises(OutOfRange, match="under_top in"):
        over(under_top + top).evaluate(under_top=2, top=1)
    assert over(under_top).evaluate(under_top=2).upper == 2


@pytest.mark.parametrize(
    ("ball", "state"),
    [
        (flint.arb(1, 0.5), None),
        (flint.arb(1, 0.5) - flint.arb(1, 0.5).lower(), None),
        (flint.arb(0, 0.5), "undecided"),
        (flint.arb(-1, 1.5), "undecided"),
        (flint.arb("nan"), "undecided"),
        (flint.arb(-1, 0.5), ""),
    ],
)
def test_enclosures_lie_in_the_range_whole(ball: flint.arb, state: str | None) -> None:
    """One that dips below an end is undecided, and refused as one wholly outside is: no number where none is sure."""
    if state is None:
        assert over(top).evaluate(top=Ball(ball)).upper == Ball(ball).upper
    else:
        with pytest.raises(OutOfRange, match=r"top in \[0, oo\).*" + state):
            over(top).evaluate(top=Ball(ball))


@pytest.mark.parametrize("value", [np.array(0.5), np.float32(0.5), Fraction(1, 2), "0.5", sp.Rational(1, 2)])
def test_single_numbers_of_every_kind_are_single_numbers(value: object) -> None:
    assert over(top + 0).evaluate(top=value).upper == 0.5


def test_every_entry_is_checked() -> None:
    total = over(SumOver(Entry(parts, _index), _index, 3))
    assert total.evaluate(parts=[1, 2, np.int64(3)]).upper == 6
    for wrong, complaint in (([1, 2.5, 3], "an integer for parts"), ([1, 0, 3], r"parts in \[1, oo\)")):
        with pytest.raises(OutOfRange, match=complaint):
            total.evaluate(parts=wrong)
    with pytest.raises(OutOfRange, match="only indexed symbols take a sequence"):
        over(top).evaluate(top=(1, 2))


def test_premises_that_hold_everywhere_are_met() -> None:
    always = over(top, sp.Gt(above_third + top, 0, evaluate=False))
    assert always.evaluate(top=1, above_third=1).upper == 1
    with pytest.raises(PremiseNotMet, match=r"premise-1.*false"):
        over(top, sp.Ge(top, 0, evaluate=False), sp.Lt(top, 0, evaluate=False)).evaluate(top=1)


def test_premises_speak_of_what_is_given() -> None:
    """A derived symbol in a premise takes its given value, else its definition."""
    large = over(whole, sp.Ge(whole, 2, evaluate=False))
    assert large.evaluate(whole=3).upper == 3
    assert large.evaluate(above_third=1, top=2).upper == 2
    with pytest.raises(PremiseNotMet, match="false"):
        large.evaluate(whole=1)
    with pytest.raises(PremiseNotMet, match="false"):
        large.evaluate(above_third=1, top=1)


def test_some_parts_of_a_derived_symbol_may_stand_beside_it() -> None:
    assert over(whole + top).evaluate(whole=3, top=2).upper == 5
    with pytest.raises(MissingValue, match="drop one"):
        over(whole + top).evaluate(whole=3, top=2, above_third=1)


def test_precision_is_as_before_whatever_happens() -> None:
    before = flint.ctx.prec
    assert over(top * sp.pi).evaluate(top=0.5).is_finite
    assert over(top - above_third).evaluate(top="1/3", above_third="1/3").upper < 1e-300
    assert flint.ctx.prec == before


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        (sp.Le(p, a, evaluate=False), None),
        (sp.Lt(p, a, evaluate=False), False),
        (sp.Ge(p, a, evaluate=False), True),
        (sp.Gt(p, a, evaluate=False), None),
        (sp.Ge(a, p, evaluate=False), None),
        (sp.Eq(p, a, evaluate=False), None),
        (sp.Ne(p, a, evaluate=False), None),
    ],
)
def test_enclosures_that_touch_are_decided_where_they_tell(relation: sp.Rel, verdict: bool | None) -> None:
    """p in [0, 2] against a = 0: p may be 0."""
    zero_to_two = Ball(1 + flint.arb(0, 1).sgn())
    assert zero_to_two.arb.lower() == 0
    assert holds(relation, {"a": 0, "p": zero_to_two}) is verdict


def test_definitions_are_followed_as_deep_as_asked() -> None:
    outer = _own.symbol("outer", "o", "twice the whole", PURE, definition=2 * whole)
    assert resolve(_own, outer, depth=1) == 2 * whole
    assert resolve(_own, outer, depth=2) == resolve(_own, outer) == 2 * above_third * top
    assert resolve(_own, outer, frozenset({"whole"})) == 2 * whole


def test_families_are_defined_entry_by_entry() -> None:
    family = _own.symbol("family", "f", "one more than each", PURE, indexed=True, definition=parts + top)
    assert resolve(_own, Entry(family, 2)) == Entry(parts, 2) + top
    assert resolve(_own, Entry(family, 2), frozenset({"family"})) == Entry(family, 2)
    assert over(SumOver(Entry(family, _index), _index, 2)).evaluate(parts=[1, 2], top=10).upper == 23
