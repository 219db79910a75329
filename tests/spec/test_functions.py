"""Nodes of expressions: values at the corners, signs that every value has, and what binders bind."""

import pytest
import sympy as sp
from toys import COUNT, L, X, a, b, c, f, i, j, k, m, p, t, vocabulary, w, x, y, z

from spec.language import functions as fn
from spec.language import linear
from spec.language.notation import latex


def test_phi1_and_geom_at_their_corners() -> None:
    assert fn.phi1(0) == 1
    assert fn.phi1(a).is_positive
    assert fn.geom(0, k) == k
    assert fn.geom(a, 0) == 0
    assert fn.geom(a, k).is_nonnegative
    assert fn.geom(a, k - 1).is_nonnegative is None
    assert fn.geom(c, k).is_nonnegative is None


def test_norms_are_even_and_gauges_are_not() -> None:
    assert fn.norm(x - y) == fn.norm(y - x)
    assert fn.token_norm(-x) == fn.token_norm(x)
    assert fn.gauge(-x) != fn.gauge(x)
    assert fn.norm(x - x) == 0
    assert fn.gauge(x - x) == 0
    assert fn.norm(a * (x + y)) == fn.norm(a * x + a * y)


def test_inner_products_are_symmetric() -> None:
    assert fn.inner(x, y) == fn.inner(y, x)
    assert fn.inner(x, 0) == 0
    assert linear.expand_inner(fn.inner(x + y, x - y)) == fn.inner(x, x) - fn.inner(y, y)
    assert linear.expand_inner(fn.norm(a * x) ** 2) == a**2 * fn.inner(x, x)


def test_quantiles_of_signed_deviations_have_no_sign() -> None:
    assert fn.quantile(sp.Abs(w), p).is_nonnegative
    assert fn.quantile(w, p).is_nonnegative is None


def test_ratios_keep_their_denominator() -> None:
    assert fn.Ratio(w * c, c) != w
    assert fn.Ratio(a, p).is_nonnegative
    assert fn.Ratio(a, b).is_nonnegative is None


def test_scalars_come_out_of_vectors() -> None:
    assert linear.scalar_content(f(t) * X(t) - f(t) * x) == ([f(t)], X(t) - x)
    assert linear.scalar_content(a * x + b * x) == ([a + b], x)
    assert linear.scalar_content(x + y) == ([], x + y)


def test_sums_of_vectors_are_vectors() -> None:
    assert fn.SumOver(X(j), j, COUNT).is_real is None
    assert fn.SumOver(f(j), j, COUNT).is_real
    assert fn.expectation(x).is_real is None
    assert fn.expectation(f(t)).is_real
    assert linear.scalar_content(fn.SumOver(X(j), j, COUNT))[0] == []


def test_binders_bind_in_their_body_only() -> None:
    assert fn.SumOver(f(j) * w, j, COUNT).free_symbols == {w, COUNT}
    assert j in fn.SumOver(f(j), j, j + 1).free_symbols
    assert fn.MaxOver(m * w, m, 1, COUNT, c, a).free_symbols == {w, COUNT, c, a}
    assert fn.Recurrence(w + k, w, k, COUNT, c).free_symbols == {COUNT, c}
    assert w in fn.Recurrence(w + k, w, k, COUNT, w).free_symbols


def test_signs_of_binders() -> None:
    assert fn.SumOver(sp.Abs(f(j)), j, COUNT).is_nonnegative
    assert fn.SumOver(f(j), j, COUNT).is_nonnegative is None
    assert fn.Recurrence(z + a, z, k, COUNT, a).is_nonnegative
    assert fn.Recurrence(z + a, z, k, COUNT, c).is_nonnegative is None
    assert fn.Recurrence(z + c, z, k, COUNT, a).is_nonnegative is None


def test_known_numbers_of_terms_are_written_out() -> None:
    assert fn.SumOver(f(j), j, 2).doit() == f(0) + f(1)
    assert fn.SumOver(f(j), j, COUNT).doit() == fn.SumOver(f(j), j, COUNT)
    assert fn.Recurrence(2 * w + k, w, k, 3, a).doit() == 8 * a + 4
    assert fn.Recurrence(w, w, k, COUNT, a).doit() == fn.Recurrence(w, w, k, COUNT, a)


def test_integrals_are_linear() -> None:
    whole = sp.Integral(a * f(t) + 2 * t, (t, 0, p))
    assert linear.expand_integrals(whole) == a * sp.Integral(f(t), (t, 0, p)) + p**2
    double = sp.Integral(f(t), (t, 0, w), (w, 0, 1))
    assert linear.expand_integrals(double) == double


@pytest.mark.parametrize(
    "node",
    [
        fn.phi1(a),
        fn.geom(a, k),
        fn.norm(x),
        fn.token_norm(x),
        fn.gauge(x),
        fn.inner(x, y),
        fn.expectation(f(t)),
        fn.quantile(f(t), p),
        fn.probability(f(t), a),
        fn.Ratio(a, p),
        fn.Entry(L, j),
        fn.Unit(1, 0, 0) * a,
        fn.SumOver(f(j), j, COUNT),
        fn.MaxOver(m * a, m, 1, COUNT, c, a),
        fn.Recurrence(w + a, w, k, COUNT, c),
        sp.Integral(fn.norm(X(t)) ** 2, (t, 0, p)) + f(t) ** 2,
    ],
)
def test_everything_prints(node: sp.Expr) -> None:
    text = latex(node, vocabulary)
    assert text.count("{") == text.count("}")
    assert text
    assert sp.sstr(node)


def test_notation_is_the_vocabularys() -> None:
    assert latex(f(t) ** 2, vocabulary) == r"f\left(t\right)^{2}"
    assert latex(sp.sin(w), vocabulary) == r"\sin{\left(w \right)}"
    assert latex(sp.Symbol("stray"), vocabulary) == "stray"
    assert latex(fn.Entry(L, i), vocabulary) == "{L}_{(i)}"


def test_powers_print() -> None:
    assert latex(fn.norm(x) ** 2, vocabulary) == r"\left|x\right|^{2}"
    assert latex(fn.Ratio(a, b) ** 2, vocabulary) == r"\left(\frac{a}{b}\right)^{2}"
    assert latex(fn.SumOver(f(j), j, k) ** 2, vocabulary).startswith(r"\left(\sum")


def test_numbers_compare() -> None:
    assert sp.Max(fn.phi1(1), 2) == 2
    assert sp.Max(fn.geom(sp.Rational(1, 2), 3), 2) == fn.geom(sp.Rational(1, 2), 3)
    assert sp.Min(fn.Ratio(1, 3), sp.Rational(1, 2)) == fn.Ratio(1, 3)


def test_numbers_are_compared_by_their_value() -> None:
    assert sp.Min(fn.Ratio(1, 3), sp.Rational(1, 4)) == sp.Rational(1, 4)
    assert sp.Max(fn.Ratio(1, 3), sp.Rational(1, 4)) == fn.Ratio(1, 3)
    assert sp.Max(fn.phi1(1), sp.Rational(7, 4)) == sp.Rational(7, 4)
    assert sp.Min(fn.geom(sp.Rational(1, 2), 3), sp.Rational(9, 2)) == sp.Rational(9, 2)
    assert sp.Min(fn.geom(sp.Rational(1, 2), 3), 5) == fn.geom(sp.Rational(1, 2), 3)


def test_entries_have_the_sign_of_their_symbol_not_of_their_index() -> None:
    assert fn.Entry(L, j).is_nonnegative
    assert fn.Entry(c, j).is_nonnegative is None


def test_scalars_are_real() -> None:
    """A factor that is not real would stay inside a norm as a vector."""
    scalars = [fn.phi1(c), fn.geom(c, k), fn.norm(x), fn.token_norm(x), fn.gauge(x), fn.inner(x, y), fn.Ratio(c, a)]
    scalars += [fn.quantile(f(t), p), fn.probability(f(t), a), fn.expectation(f(t)), fn.Entry(L, j), fn.Unit(1)]
    scalars += [fn.SumOver(f(j), j, k), fn.MaxOver(m * c, m, 1, COUNT, c, a), fn.Recurrence(w + a, w, k, COUNT, c)]
    assert [scalar for scalar in scalars if not (scalar.is_real and scalar.is_commutative)] == []


def test_signs_hold_for_every_value() -> None:
    positive = [fn.phi1(c), fn.Unit(1)]
    assert all(node.is_positive for node in positive)
    nonnegative = [fn.norm(x), fn.token_norm(x), fn.gauge(x), fn.probability(f(t), c), fn.geom(a, k), fn.Ratio(a, p)]
    assert all(node.is_nonnegative for node in nonnegative)
    signed = [fn.geom(c, k), fn.inner(x, y), fn.expectation(f(t)), fn.Ratio(c, p), fn.quantile(f(t), a)]
    signed += [fn.MaxOver(m * c, m, 1, COUNT, c, a), fn.Recurrence(c * z, z, k, COUNT, a)]
    assert all(node.is_nonnegative is None for node in signed)


def test_inner_products_of_nothing_vanish() -> None:
    assert fn.inner(0, x) == fn.inner(x, 0) == 0
    assert linear.expand_inner(fn.inner(a * x, b * y)) == a * b * fn.inner(x, y)
    assert linear.expand_inner(fn.norm(x - y) ** 2) == fn.inner(x, x) - 2 * fn.inner(x, y) + fn.inner(y, y)


def test_units_are_ones_with_a_dimension() -> None:
    assert fn.Unit(1, sp.Rational(1, 2), -1).args == (1, sp.Rational(1, 2), -1)
    assert fn.Unit().args == (0, 0, 0)


def test_spans_say_where_indices_run() -> None:
    assert fn.SumOver(f(j), j, k).span == (0, k)
    assert fn.MaxOver(m * a, m, 1, COUNT, c, a).span == (1, COUNT)
    assert fn.Recurrence(w + a, w, k, COUNT, c).span == (0, COUNT)
    assert fn.Recurrence(w + a, w, k, COUNT, c).bound_symbols == [w, k]


@pytest.mark.parametrize(
    ("node", "text", "tex"),
    [
        (fn.SumOver(f(j), j, k), "sum(f(j) for j < k)", r"\sum_{j<k} f\left(j\right)"),
        (fn.MaxOver(m * a, m, 1, k, c, b), "max(a*m for 1 <= m <= k)", r"\max_{1\le m\le k} a m"),
        (
            fn.Recurrence(w + a, w, k, COUNT, c),
            "iterate(w -> a + w for k < n, from c)",
            r"w_{n}\ \text{with}\ w_{k+1}=a + w,\ w_0=c",
        ),
        (fn.Entry(L, j), "L[j]", "{L}_{(j)}"),
        (fn.Unit(1), "1", "1"),
        (fn.phi1(a), "phi1(a)", r"\varphi_1\!\left(a\right)"),
        (fn.geom(a, k), "geom(a, k)", r"\frac{(1+a)^{k}-1}{a}"),
        (fn.geom(a, k) ** 2, "geom(a, k)**2", r"\left(\frac{(1+a)^{k}-1}{a}\right)^{2}"),
        (fn.phi1(a) ** 2, "phi1(a)**2", r"\varphi_1\!\left(a\right)^{2}"),
        (fn.Ratio(a, b), "Ratio(a, b)", r"\frac{a}{b}"),
        (fn.norm(x), "norm(x)", r"\left|x\right|"),
        (fn.token_norm(x), "token_norm(x)", r"\left|x\right|_{\mathrm{tok}}"),
        (fn.gauge(x), "gauge(x)", r"\gamma_\Theta\!\left(x\right)"),
        (fn.inner(x, y), "inner(x, y)", r"\left\langle x,y\right\rangle"),
        (fn.expectation(w), "expectation(w)", r"\mathbb{E}\left[w\right]"),
        (fn.quantile(w, p), "quantile(w, p)", r"Q_{1-p}\left[w\right]"),
        (fn.probability(w, a), "probability(w, a)", r"\mathbb{P}\left(w\ge a\right)"),
    ],
)
def test_notation_is_the_fields(node: sp.Expr, text: str, tex: str) -> None:
    assert sp.sstr(node) == text
    assert latex(node, vocabulary) == tex


def test_scalar_factors_common_to_all_terms_come_out() -> None:
    assert linear.scalar_content(-x - y) == ([], -x - y)
    assert linear.scalar_content(2 * a * x + a * y) == ([a], 2 * x + y)
    assert linear.scalar_content(a * x) == ([a], x)
    assert linear.scalar_content(x) == ([], x)
    assert linear.scalar_content(-x) == ([-1], x)
    assert linear.scalar_content(a * b * x + a * c * y) == ([a], b * x + c * y)


def test_what_is_declared_real_is_a_scalar() -> None:
    assert all(linear.is_scalar(factor) for factor in (sp.Integer(2), sp.pi, a, f(t), fn.norm(x)))
    assert not any(linear.is_scalar(factor) for factor in (x, X(t), a * x))


def test_factors_leave_integrals_where_they_do_not_vary() -> None:
    assert linear.expand_integrals(sp.Integral(a * t * f(t), (t, 0, p))) == a * sp.Integral(t * f(t), (t, 0, p))
    assert linear.expand_integrals(sp.Integral((a + t) ** 2, (t, 0, p))).expand() == a**2 * p + a * p**2 + p**3 / 3
    assert linear.expand_integrals(sp.Integral(fn.norm(X(t)) + fn.norm(x), (t, 0, p))) == (
        sp.Integral(fn.norm(X(t)), (t, 0, p)) + p * fn.norm(x)
    )
    assert linear.expand_integrals(sp.Integral(f(t), t)) == sp.Integral(f(t), t)
