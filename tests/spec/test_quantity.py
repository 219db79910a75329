"""The register of symbols: one meaning a name, and every way to break that."""

import pytest
import sympy as sp
from toys import COUNT, T, X, eps, f, pick, ratio, share, t, vocabulary, w, x

from spec.language.dimension import DEPTH, PURE, STATE
from spec.language.errors import DimensionMismatch, UnknownName
from spec.language.quantity import NONNEGATIVE, POSITIVE, REAL, Interval, Vocabulary, at_least, between, unknown
from spec.language.template import Statement


def test_a_symbol_exists_once() -> None:
    fresh = Vocabulary()
    fresh.symbol("a", "a", "the first")
    with pytest.raises(ValueError, match="exists already: the first"):
        fresh.symbol("a", "a", "the second")


@pytest.mark.parametrize("declare", ["function", "variable", "vector", "symbol"])
def test_a_name_is_taken_by_every_kind(declare: str) -> None:
    fresh = Vocabulary()
    fresh.symbol("a", "a", "the first")
    more = {"vector": True} if declare == "function" else {}
    with pytest.raises(ValueError, match="exists already"):
        getattr(fresh, declare)("a", "a", "the second", **more)


def test_a_definition_exists_once() -> None:
    fresh = Vocabulary()
    statement = Statement(sp.Eq(w, w + 1, evaluate=False))
    assert fresh.define("d", statement) == "d"
    with pytest.raises(ValueError, match="exists already"):
        fresh.define("d", statement)


def test_a_definition_has_the_dimension_declared() -> None:
    fresh = Vocabulary()
    depth = fresh.symbol("T", "T", "a depth", DEPTH)
    assert fresh.symbol("half", "h", "half of it", DEPTH, definition=depth / 2).name == "half"
    with pytest.raises(DimensionMismatch, match="State"):
        fresh.symbol("wrong", "w", "not a state", STATE, definition=depth)


def test_a_zero_definition_fits_every_dimension() -> None:
    assert Vocabulary().symbol("o", "o", "nothing", STATE, definition=sp.Integer(0)).name == "o"


def test_unknown_names_come_with_near_matches() -> None:
    with pytest.raises(UnknownName, match=r"near matches: .*ratio"):
        vocabulary["ratoi"]
    assert "alpha" in str(unknown("symbol", "zzzz", ["alpha", "beta"]))


def test_symbols_of_elsewhere_are_refused() -> None:
    vocabulary.check(T * w + sp.Abs(f(t)))
    with pytest.raises(UnknownName, match="another symbol called T"):
        vocabulary.check(sp.Symbol("T") * w)
    with pytest.raises(UnknownName, match="another symbol called T"):
        vocabulary.check(sp.Symbol("T", real=True, positive=True) * w)
    with pytest.raises(UnknownName, match="another symbol called f"):
        vocabulary.check(sp.Function("f")(t))
    with pytest.raises(UnknownName):
        vocabulary.check(sp.Function("unheard_of")(t))


def test_bound_symbols_of_elsewhere_are_refused() -> None:
    foreign = sp.Symbol("u")
    with pytest.raises(UnknownName):
        vocabulary.check(sp.Integral(f(foreign), (foreign, 0, t)))


@pytest.mark.parametrize(
    ("interval", "sign"),
    [
        (NONNEGATIVE, "nonnegative"),
        (POSITIVE, "positive"),
        (REAL, "real"),
        (at_least(1), "positive"),
        (between(0, 1, open_ends=True), "positive"),
        (between(0, 1), "nonnegative"),
        (between(-1, 1), "real"),
    ],
)
def test_signs_follow_from_ranges(interval: Interval, sign: str) -> None:
    assert Vocabulary().symbol("a", "a", "a", PURE, interval).name == "a"
    fresh = Vocabulary()
    fresh.symbol("a", "a", "a", PURE, interval)
    assert fresh["a"].sign == sign


def test_ranges_print_and_give_their_inequalities() -> None:
    assert str(between(0, 1, open_ends=True)) == "(0, 1)"
    assert str(at_least(1)) == "[1, oo)"
    assert str(REAL) == "(-oo, oo)"
    assert [type(r) for r in between(0, 1, open_ends=True).relations(w)] == [sp.StrictGreaterThan, sp.StrictLessThan]
    assert [type(r) for r in between(0, 1).relations(w)] == [sp.GreaterThan, sp.LessThan]
    assert REAL.relations(w) == ()
    assert between(0, 1).ends == (0, 1)


def test_atoms_carry_what_is_declared() -> None:
    assert COUNT.is_integer
    assert COUNT.is_positive
    assert ratio.is_positive
    assert share.is_nonnegative
    assert share.is_positive is None
    assert X(t).is_real is None
    assert f(t).is_real
    assert pick(x).is_integer
    assert pick(x).is_nonnegative
    assert x.is_real is None
    assert vocabulary.atom("T") is T
    assert vocabulary["eps"].definition == T / COUNT
    assert eps in vocabulary.atom("eps").free_symbols


def test_names_are_listed_by_what_they_are() -> None:
    assert "T" in vocabulary.names(lambda q: q.role == "constant")
    assert "t" not in vocabulary.names(lambda q: q.role == "constant")
    assert "f" in vocabulary
    assert "unheard_of" not in vocabulary
