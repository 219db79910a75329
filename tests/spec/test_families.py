"""How many entries an indexed symbol has, and how long a sum or a recurrence may be."""

import time
from fractions import Fraction

import flint
import pytest
import sympy as sp

import spec
from mfc.cli import main
from spec.language import enclosures, families
from spec.language.ball import Ball, evaluate, evaluate_all, exact
from spec.language.errors import ConditionError, MissingValue, OutOfRange, TooLarge
from spec.language.functions import Entry, MaxOver, Recurrence, SumOver, geom

L, n, k = sp.Symbol("L", nonnegative=True), sp.Symbol("n", integer=True, positive=True), sp.Symbol("k", integer=True)
i, j, x = sp.Symbol("i", integer=True), sp.Symbol("j", integer=True), sp.Symbol("x", nonnegative=True)
FIELD, UNROLLED = "field/field-constants", "depth/euler-instance"
CLASS = {"n": 4, "R": 1, "d_k": 4, "rho_Q": 1, "rho_K": 1, "rho_V": 1, "rho_O": 1}
CLASS |= {"rho_W1": 1, "beta_1": 1, "rho_W2": 1, "beta_2": 1, "s_1": 1}
LAYERS = {"T": 1, "zeta_k": 1, "L_k": 1, "tau_k": 1}


@pytest.mark.parametrize(
    ("expr", "lengths"),
    [
        (SumOver(Entry(L, j), j, n), {"L": (n,)}),
        (SumOver(Entry(L, j + 1), j, n), {"L": (n + 1,)}),
        (SumOver(Entry(L, 2 * j), j, n), {"L": (2 * n - 1,)}),
        (Recurrence(x * Entry(L, j), x, j, n, 1), {"L": (n,)}),
        (MaxOver(Entry(L, j), j, 1, n, 1, 1), {"L": (n + 1,)}),
        (SumOver(SumOver(Entry(L, i), i, j + 1), j, n), {"L": (n,)}),
        (SumOver(Entry(L, j), j, n) + SumOver(Entry(L, j), j, k), {"L": (k, n)}),
        (SumOver(j, j, n) * Entry(L, 2), {}),
        (x * L, {}),
    ],
)
def test_lists_are_as_long_as_what_runs_over_them(expr: sp.Expr, lengths: dict[str, tuple[sp.Expr, ...]]) -> None:
    assert families.lengths(expr) == lengths


def test_the_longest_of_several_loops_counts() -> None:
    several = SumOver(Entry(L, j), j, n) + SumOver(Entry(L, j), j, k)
    assert evaluate(several, {"L": [1, 2, 4], "n": 1, "k": 3}).upper == 8
    assert families.expected((2 * n - 1, k), {"n": 3, "k": flint.fmpq(2)}) == 5
    for wrong in ([1, 2], [1, 2, 4, 8]):
        with pytest.raises(MissingValue, match=r"needs 3 values of L; found \d; give k and n values"):
            evaluate(several, {"L": wrong, "n": 1, "k": 3})


@pytest.mark.parametrize(
    ("slug", "claim", "values", "name"),
    [
        (FIELD, "state", {"heads": 2, **CLASS}, "rho_Q"),
        (FIELD, "bound", {"heads": 2, **CLASS}, "rho_O"),
        (FIELD, "bound", {"heads": 2, **CLASS}, "rho_Q"),  # not read by this bound, but by others of the theorem
        (UNROLLED, None, {"K": 2, **LAYERS}, "zeta_k"),
    ],
)
def test_lists_of_another_length_are_refused(slug: str, claim: str | None, values: dict[str, int], name: str) -> None:
    theorem = spec.theorem(slug)
    same = theorem.evaluate(claim, **values)
    for each in ([1, 1], (1.0, 1.0), ["1", 1]):
        found = theorem.evaluate(claim, **{**values, name: each})
        assert (found.lower, found.upper) == (same.lower, same.upper)
    for wrong in ([], [1], [1, 1, 5]):
        with pytest.raises(MissingValue, match=f"needs 2 values of {name}; found {len(wrong)}; give"):
            theorem.evaluate(claim, **{**values, name: wrong})


def test_no_heads_have_no_radii() -> None:
    field = spec.theorem(FIELD)
    assert field.evaluate("state", **{**CLASS, "heads": 0, "rho_Q": []}).upper == 1
    with pytest.raises(OutOfRange, match="an integer for heads"):
        field.evaluate("state", **{**CLASS, "heads": 2.5, "rho_Q": [1, 1]})


def test_the_command_line_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    at = [part for name, value in {**LAYERS, "K": 2}.items() for part in ("--at", f"{name}={value}")]
    assert main(["show", UNROLLED, *at]) == 0
    assert "|ζ(t_k)|, layer by layer (K values, or one for all)" in capsys.readouterr().out
    assert main(["show", UNROLLED, *(part.replace("zeta_k=1", "zeta_k=1,1,9") for part in at)]) == 2
    assert "needs 2 values of zeta_k; found 3" in capsys.readouterr().err


# How long.


@pytest.mark.parametrize("count", [10**5, 10**6, 10**400, "1e400"])
@pytest.mark.parametrize("claim", ["bound", "state", "control", "growth"])
def test_heads_that_are_alike_are_counted_at_once(claim: str, count: object) -> None:
    started = time.process_time()
    found = spec.theorem(FIELD).evaluate(claim, heads=count, **CLASS)
    assert time.process_time() - started < 1
    assert found.is_finite
    assert found.arb > 100


@pytest.mark.parametrize("count", [enclosures.LONGEST + 1, 10**7, 10**400, "1e400"])
def test_what_takes_too_many_steps_is_refused(count: object) -> None:
    started = time.process_time()
    with pytest.raises(TooLarge, match=rf"at most {enclosures.LONGEST} terms or steps, K <= {enclosures.LONGEST}"):
        spec.theorem(UNROLLED).evaluate(K=count, **LAYERS)
    assert time.process_time() - started < 1


def test_the_longest_loops_end_within_a_second() -> None:
    many = enclosures.LONGEST
    each = {name: [0.5] * many for name in ("rho_Q", "rho_O", "zeta_k", "L_k", "tau_k")}
    for slug, claim, values in (
        (FIELD, "control", {**CLASS, "heads": many, "rho_Q": each["rho_Q"], "rho_O": each["rho_O"]}),
        (UNROLLED, None, {"T": 1, "K": many, **{name: each[name] for name in ("zeta_k", "L_k", "tau_k")}}),
    ):
        started = time.process_time()
        assert spec.theorem(slug).evaluate(claim, **values).is_finite
        assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "expr",
    [
        SumOver(j, j, n),
        SumOver(Entry(L, 0) * j, j, n),
        SumOver(geom(x, j), j, n),
        Recurrence(x * 2 + 1, x, j, n, 0),
        SumOver(SumOver(i * j, i, n), j, n),
        SumOver(Recurrence(x + j, x, i, 200, 0), j, 200),
        MaxOver(geom(x, j), j, 1, n, n, Fraction(3, 2)),
    ],
)
def test_every_loop_is_bounded(expr: sp.Expr) -> None:
    """Inner ones by what the outer ones leave: 200 times 200 steps are too many."""
    started = time.process_time()
    around = Ball(flint.arb(1, 0.5))
    with pytest.raises(TooLarge, match=r"at most \d+ terms or steps"):
        evaluate(expr.xreplace({sp.Rational(3, 2): x}), {"n": 10**6, "x": around, "L": [1]})
    assert time.process_time() - started < 1


@pytest.mark.parametrize("terms", [0, 1, 7])
@pytest.mark.parametrize("listed", [0.1, "1/3"])
def test_sums_at_once_are_the_sums_one_by_one(terms: int, listed: object) -> None:
    total = SumOver(Entry(L, j) ** 2 * x, j, n)
    at_once = evaluate(total, {"L": listed, "x": 3, "n": terms})
    one_by_one = evaluate(total, {"L": [listed] * terms, "x": 3, "n": terms})
    assert at_once.arb.overlaps(one_by_one.arb)
    truth = 3 * terms * Fraction(listed) ** 2
    assert Fraction(at_once.lower) <= truth <= Fraction(at_once.upper)


@pytest.mark.parametrize("classes", [10**9, 10**30, 10**400])
def test_peaks_between_many_integers_are_enclosed(classes: int) -> None:
    """The gradient's bound over C classes at B = 1: of 10^30 of them, 64 bits leave 10^10 around the peak."""
    theorem = spec.theorem("loss/gradient-bound")
    started = time.process_time()
    found = theorem.evaluate("residual", C=classes, B=1)
    assert time.process_time() - started < 1
    few = theorem.evaluate("residual", C=10**6, B=1)
    assert found.upper - found.lower < 1e-12
    assert abs(found.upper - few.upper) < 1e-5


@pytest.mark.parametrize("peak", [0.4, 40.0, 400.5, 998.7])
def test_maxima_over_intervals_hold_those_one_by_one(peak: float) -> None:
    rising = MaxOver(j * (2 * x - j), j, 1, n, x, 1)
    wide = evaluate(rising, {"x": Ball(flint.arb(peak, 100)), "n": 1000}) if peak > 100 else None
    for at in (peak - 90, peak, peak + 90) if wide else (peak,):
        loop = max(Fraction(m) * (2 * Fraction(at) - m) for m in range(1, 1001))
        one = evaluate(rising, {"x": at, "n": 1000})
        assert Fraction(one.lower) <= loop <= Fraction(one.upper)
        assert wide is None or wide.lower <= loop <= wide.upper


@pytest.mark.parametrize("text", ["1e100001", "1e-100001", "-2.5E+999999999", "1e99999999999999999999999999"])
def test_decimal_text_of_too_many_digits_is_refused(text: str) -> None:
    started = time.process_time()
    with pytest.raises(TooLarge, match="an exponent of at most 100000 for depth"):
        exact(text, "depth")
    assert time.process_time() - started < 1
    assert exact("1e0000000000000000000000001") == exact("1_0") == 10
    assert exact("1e-1_0") == exact(Fraction(1, 10**10))


# Several at once.


def test_several_expressions_are_enclosed_as_one_by_one() -> None:
    several = {"sum": SumOver(Entry(L, j) * x, j, n), "root": sp.sqrt(x), "lost": (1 + x) ** 2 - 1 - 2 * x - x**2}
    several |= {"cancels": sp.log(1 + x) - x + x**2 / 2, "pi": sp.pi, "ceiling": sp.ceiling(x * 10)}
    values = {"L": [0.1, "0.2"], "x": "1e-9", "n": 2}
    together = evaluate_all(several, values)
    assert list(together) == list(several)
    for name, expr in several.items():
        alone = evaluate(expr, values)
        assert (together[name].lower, together[name].upper) == (alone.lower, alone.upper)
    assert evaluate_all({}, {}) == {}


def test_several_expressions_ask_for_every_value() -> None:
    with pytest.raises(MissingValue, match="none for n, x"):
        evaluate_all({"sum": SumOver(Entry(L, j), j, n), "root": sp.sqrt(x)}, {"L": 1})
    with pytest.raises(OutOfRange, match="one number for L"):
        evaluate_all({"sum": SumOver(Entry(L, j), j, n), "alone": L}, {"L": [1, 2], "n": 2})
    before = flint.ctx.prec
    with pytest.raises(ConditionError):
        evaluate_all({"fine": x, "sum": SumOver(j, j, n)}, {"x": 1, "n": 10**9})
    assert flint.ctx.prec == before
