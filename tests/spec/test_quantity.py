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


def test_half_open_ranges_print_and_give_their_inequalities() -> None:
    half = Interval(sp.Integer(0), sp.Integer(1), high_open=True)
    assert str(half) == "[0, 1)"
    assert half.relations(w) == (sp.Ge(w, 0, evaluate=False), sp.Lt(w, 1, evaluate=False))
    below = Interval(high=sp.Integer(1))
    assert str(below) == "(-oo, 1]"
    assert below.relations(w) == (sp.Le(w, 1, evaluate=False),)
    assert str(POSITIVE) == "(0, oo)"
    assert POSITIVE.relations(w) == (sp.Gt(w, 0, evaluate=False),)
    assert NONNEGATIVE.relations(w) == (sp.Ge(w, 0, evaluate=False),)


def test_variables_carry_the_sign_of_their_range() -> None:
    """A sign that a range does not give would prove what is false of the values it leaves out."""
    fresh = Vocabulary()
    assert fresh.variable("r", "r", "a real number").is_nonnegative is None
    assert fresh.variable("t", "t", "a depth", DEPTH, NONNEGATIVE).is_nonnegative
    assert fresh.variable("i", "i", "an integer", integer=True).is_integer
    assert fresh["t"].role == fresh["r"].role == "variable"
    assert not fresh["r"].integer
    assert fresh.symbol("c", "c", "a number", PURE, REAL).is_nonnegative is None
    assert fresh.symbol("c_0", "c", "nonnegative unless said otherwise").is_nonnegative
    assert fresh["c"].role == "constant"
    assert fresh["c"].arity == 0
    assert fresh["c"].definition is None


def test_functions_say_what_their_values_are() -> None:
    fresh = Vocabulary()
    path = fresh.function("X", "X", "a path", STATE, vector=True)
    index = fresh.function("n", "n", "an index", vector=False, integer=True, arity=2)
    number = fresh.function("f", "f", "a number", vector=False)
    assert path(w).is_real is None
    assert number(w).is_real
    assert number(w).is_nonnegative is None
    assert index(w, w).is_integer
    assert [fresh[name].role for name in "Xnf"] == ["function"] * 3
    assert [fresh[name].arity for name in "Xnf"] == [1, 2, 1]
    assert [fresh[name].vector for name in "Xnf"] == [True, False, False]
    vector = fresh.vector("v", "v", "a vector", STATE)
    assert fresh["v"].vector
    assert fresh["v"].role == "variable"
    assert vector.is_real is None
    assert vector.is_commutative


def test_what_depends_on_the_sample_is_said_of_symbols_and_functions() -> None:
    fresh = Vocabulary()
    fresh.is_random(fresh.symbol("s", "s", "a random number"), fresh.function("o", "o", "an outcome", vector=False))
    fresh.is_random(fresh.symbol("r", "r", "another"))
    assert fresh.random == {"s", "o", "r"}


def test_every_name_has_an_atom_and_a_dimension() -> None:
    assert vocabulary.atom("T") == T
    assert vocabulary.dimension("T") == DEPTH
    assert vocabulary.names() == [q.name for q in vocabulary]
    assert len(set(vocabulary.names())) == len(vocabulary.names())
    for ask in (vocabulary.atom, vocabulary.dimension):
        with pytest.raises(UnknownName):
            ask("unheard_of")


def test_values_of_one_object_are_no_definition_of_another() -> None:
    """A second use of a name for another atom would let two meanings meet in one proof."""
    with pytest.raises(UnknownName, match="another symbol called share"):
        vocabulary.check(sp.Symbol("share", real=True))
    vocabulary.check(share)
