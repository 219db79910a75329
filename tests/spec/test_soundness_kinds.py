"""False theorems about the theory's own objects, planted by kind: each is refused for its reason, its twin passes."""

from dataclasses import replace

import pytest
import sympy as sp

from spec import results as R
from spec import symbols as S
from spec.assumptions import ASSUMPTIONS
from spec.language import functions as fn
from spec.language.checker import Checker, Report
from spec.language.errors import ConditionError, ProofError
from spec.language.kind import kind_of
from spec.language.proof import (
    Fact,
    argued,
    assumed,
    cited,
    definition,
    identity,
    induction,
    inequality,
    use,
)  # fmt: skip
from spec.language.theorem import Claim, Measured, Theorem
from spec.objects.flow import X, zeta
from spec.objects.loss import highest, label, loss, outcome, softmax
from spec.objects.risk import J_N, J, fixed, member, trained
from spec.symbols import VOCABULARY as V

ONE, ZERO = sp.Integer(1), sp.Integer(0)
a, u, w, v, x, j, k, i = S.zeta_bar, S.u, S.w, S.v, S.omega, S.j, S.k, S.i


def le(left: object, right: object) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


def ge(left: object, right: object) -> sp.Rel:
    return sp.Ge(left, right, evaluate=False)


def gt(left: object, right: object) -> sp.Rel:
    return sp.Gt(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Rel:
    return sp.Eq(left, right, evaluate=False)


def lam(variables: object, body: object) -> sp.Lambda:
    return sp.Lambda(variables, body)


def report(*facts: Fact) -> Report:
    """Check the last of several facts."""
    return Checker(facts, V).check(facts[-1])


def refused(reason: str, *facts: Fact) -> None:
    """Assert that the last of several facts is refused for a reason."""
    try:
        found = report(*facts)
    except ConditionError as error:
        found = Report(facts[-1].name, facts[-1].kind, "failed", str(error))
    assert found.status == "failed"
    assert reason in found.detail


def passes(*facts: Fact) -> None:
    """Assert that the last of several facts passes."""
    found = report(*facts)
    assert found.status in ("proved", "cited", "argued"), found.detail


# Numbers and vectors.


def test_a_number_takes_no_vector() -> None:
    """w² ≥ 0 at a vector; |w|·|1| in the place of a norm's homogeneity."""
    square = inequality("square", ge(w**2, 0), free=(w,))
    passes(square, inequality("good", ge(fn.norm(x) ** 2, 0), use("square", w=fn.norm(x)), free=(x,)))
    refused("a number for w", square, argued("bad", ge(a, 0), "toy", use("square", w=x), free=(x,)))
    refused("a vector in norm(w)", argued("bad", le(fn.norm(w), sp.Abs(w)), "toy", free=(w,)))


def test_parameters_of_results_are_of_one_kind() -> None:
    refused("a number in", cited("bad", R.TRANSITIVE, {R.a_: x, R.b_: x, R.c_: x}, free=(x,)))
    refused(
        "one vector in a product", cited("bad", R.TRIANGLE, {R.v1_: x * S.omega_alt, R.v2_: x}, free=(x, S.omega_alt))
    )
    passes(cited("good", R.TRIANGLE, {R.v1_: a * x, R.v2_: x}, free=(x,)))


@pytest.mark.parametrize(
    "wrong",
    [
        sp.exp(x), sp.Abs(x), sp.Max(x, 1, evaluate=False), x + 1, x * S.omega_alt, x**2, 1 / x, fn.norm(w),
        fn.token_norm(a), fn.inner(x, w), fn.Ratio(x, a), fn.Ratio(a, x), fn.quantile(x, S.delta),
        fn.SumOver(ONE, j, fn.norm(a)), sp.Integral(x + a, (u, 0, S.T)), fn.Recurrence(x, S.e, k, S.K, ZERO),
        fn.Entry(S.T, j), sp.I * a, sp.Piecewise((a, a > 1), (2 * a, True)), sp.LambertW(a),
    ],
)  # fmt: skip
def test_what_has_no_kind(wrong: sp.Expr) -> None:
    with pytest.raises(ProofError):
        kind_of(wrong, V)


def test_kinds() -> None:
    for number in (a, fn.norm(x), fn.inner(x, x), fn.Ratio(a, a), fn.Entry(S.rho_Q, j), fn.SumOver(w, j, S.K)):
        assert kind_of(number, V) == "number"
    for vector in (x, a * x, X(u), fn.SumOver(a * x, j, S.K), sp.Integral(zeta(u) * x, (u, 0, S.T)), fn.expectation(x)):
        assert kind_of(vector, V) == "vector"
    assert kind_of(ZERO, V) is None
    assert kind_of(eq(x, 0), V) == "vector"


def test_vectors_are_not_compared() -> None:
    refused("a number in", argued("bad", le(x, 2 * x), "toy", free=(x,)))
    passes(argued("good", eq(x - x / 2, x / 2), "toy", free=(x,)))


def test_a_ratio_of_vectors_is_no_number_that_leaves_a_norm() -> None:
    """|Ratio(ω, 1)| = Ratio(ω, 1)·|1| made every norm additive."""
    refused("a number in Ratio", identity("bad", eq(fn.norm(fn.Ratio(x, ONE)), fn.norm(x)), free=(x,)))
    assert fn.Ratio(x, ONE).is_real is None
    assert fn.Ratio(a, ONE).is_real
    passes(inequality("good", eq(fn.norm(fn.Ratio(a, ONE) * x), a * fn.norm(x)), free=(x,)))


def test_functions_take_functions_of_their_kind() -> None:
    """A fact about all schedules says nothing of a path, nor one about all indices of a half."""
    every = argued("every", le(zeta(u) ** 2, zeta(u) ** 2 + 1), "toy", free=(u, zeta))
    refused("a number for zeta", every, argued("bad", ge(a, 0), "toy", use("every", zeta=X)))
    refused("a number for zeta", every, argued("bad", ge(a, 0), "toy", use("every", zeta=lam(u, X(u)))))
    whole = argued("whole", eq(sp.ceiling(highest(x) / 2) * 2, highest(x)), "toy", free=(x, highest))
    for half in (lam(x, fn.norm(x)), lam(x, sp.Rational(1, 2))):
        refused("an integer for highest", whole, argued("bad", ge(a, 0), "toy", use("whole", highest=half)))
    refused("an index for highest", whole, argued("bad", ge(a, 0), "toy", use("whole", highest=lam(x, -ONE))))
    passes(whole, argued("good", ge(a, 0), "toy", use("whole", highest=lam(x, ONE))))


# Binders of constants, and what unfolding puts under them.


def test_constants_are_not_bound() -> None:
    """∫_0^t ε dT with ε = T/K unfolded under it is t²/2K, not tε."""
    wrong = sp.Integral(S.eps, (S.T, 0, S.t))
    refused("variables that are bound", identity("bad", eq(wrong, S.t**2 / (2 * S.K)), free=(S.t,), unfold=(S.eps,)))
    refused("variables that are bound", argued("bad", ge(fn.SumOver(S.K, S.K, S.N), 0), "toy"))
    refused("variables that are bound", argued("bad", ge(fn.Recurrence(S.M, S.M, k, S.N, S.M), 0), "toy"))
    every = argued("every", le(zeta(u), zeta(u) + 1), "toy", free=(u, zeta))
    shadow = argued("bad", ge(a, 0), "toy", use("every", zeta=lam(S.T, S.K * ONE)))
    refused("variables that are bound", every, shadow)
    right = sp.Integral(S.eps, (u, 0, S.t))
    passes(identity("good", eq(right, S.t * S.T / S.K), free=(S.t,), unfold=(S.eps,)))


# Counts.


def test_counts_are_not_negative() -> None:
    """Σ_{j<−N} (0·b + c)² = −N c² gives c ≤ 0."""
    squares = {R.f_: lam(j, ZERO), R.b_: ONE, R.c_: a}
    refused("not negative", cited("bad", R.AFFINE_SQUARES, {**squares, R.k_: -S.N}))
    passes(cited("good", R.AFFINE_SQUARES, {**squares, R.k_: S.N}))
    refused("not negative", argued("bad", ge(fn.SumOver(sp.Abs(zeta(j)), j, S.K - S.N), 0), "toy"))
    refused("not negative", argued("bad", ge(fn.Recurrence(S.e, S.e, k, -S.K, S.M * 0), 0), "toy"))
    refused("a number of terms", argued("bad", ge(fn.geom(a, S.K - S.N), 0), "toy"))
    refused("whole numbers", argued("bad", ge(fn.geom(a, a), 0), "toy"))


def test_results_name_their_counts() -> None:
    loose = replace(R.SUM_BOUND, whole=())
    at = {R.f_: lam(j, sp.Abs(zeta(j))), R.c_: a, R.k_: S.K}
    refused("whole numbers for the counts", cited("bad", loose, at))
    for template in (t for t in vars(R).values() if isinstance(t, type(loose))):
        assert template.counts <= set(template.whole), template.name


def test_premises_that_do_not_hold_together_prove_nothing_not_even_the_trivial() -> None:
    """From u ≤ −1 for a depth u, not even 1 ≤ 2."""
    vacuous = (le(u, -1),)
    refused("hold together", inequality("bad", le(fn.norm(x), fn.norm(x) + 0 * w + a), free=(x, u), given=vacuous))
    at = {R.f_: lam(j, ZERO * j), R.c_: sp.Abs(w), R.k_: ZERO}
    refused("hold together", cited("bad", R.SUM_BOUND, at, free=(w,)))


def test_indices_of_families_are_whole_from_0() -> None:
    for wrong in (fn.Entry(S.tau_k, k - 1), fn.Entry(S.tau_k, w)):
        refused("index", argued("bad", ge(wrong, 0), "toy", free=tuple(wrong.free_symbols & {k, w})))
    passes(argued("good", ge(fn.Entry(S.tau_k, k - 1), 0), "toy", free=(k,), given=(ge(k, 1),)))


def test_levels_lie_between_0_and_1() -> None:
    """At level 2 the quantile of a nonnegative number is −∞."""
    refused(
        "below 1", argued("bad", ge(fn.quantile(sp.Abs(J_N(S.vartheta)), 1 + S.delta), 0), "toy", free=(S.vartheta,))
    )
    refused("positive level", argued("bad", ge(fn.quantile(a, S.delta - 1), 0), "toy"))
    passes(argued("good", ge(fn.quantile(a, S.delta / S.N), 0), "toy"))


# What does not exist.


def test_what_is_summed_exists() -> None:
    """Σ_{j<1} w/w = Σ_{j<1} 1 at w = 0."""
    quotient = fn.Ratio(w, w)
    cancelled = eq(fn.SumOver(quotient, j, 1), fn.SumOver(ONE, j, 1))
    refused("Ne(w, 0) not shown", identity("bad", cancelled, free=(w,)))
    passes(identity("good", cancelled, free=(w,), given=(sp.Ne(w, 0, evaluate=False),)))
    inside = fn.SumOver(fn.Ratio(S.K - j, S.K - j), j, S.K)
    passes(identity("good", eq(inside, fn.SumOver(ONE, j, S.K))))
    beyond = fn.SumOver(fn.Ratio(S.K - j, S.K - j), j, S.K + 1)
    refused("not shown", identity("bad", eq(beyond, fn.SumOver(ONE, j, S.K + 1))))


def test_a_guard_on_a_variable_is_none_on_a_bound_one_of_its_name() -> None:
    """j ≥ 1 outside does not make the j of a sum positive."""
    cancelled = eq(fn.SumOver(fn.Ratio(j, j), j, S.K), fn.SumOver(ONE, j, S.K))
    refused("not shown", identity("bad", cancelled, free=(j,), given=(ge(j, 1),)))
    nested = sp.Integral(sp.Integral(sp.Abs(u), (u, 0, S.t - S.T)), (S.t, 0, S.T))
    refused("u in [0, oo)", argued("bad", ge(nested, 0), "toy", free=(S.t,), given=(ge(S.t, S.T),)))


@pytest.mark.parametrize(
    ("known", "value", "false"),
    [
        (gt(sp.exp(v), 0), sp.log(w), gt(w, 0)),  # exp(log w) cancels
        (eq(fn.Ratio(v, ONE) * w, v * w), 1 / w, sp.Ne(w, 0, evaluate=False)),  # w(1/w) cancels
        (eq(fn.Ratio(v, ONE) * v, v**2), sp.sqrt(w), ge(w, 0)),  # √w² cancels
    ],
)
def test_values_exist(known: sp.Rel, value: sp.Expr, false: sp.Rel) -> None:
    """What sympy cancels on substitution made every number positive."""
    fact = inequality("known", known, free=tuple(sorted(known.free_symbols & {v, w}, key=str)))
    passes(fact)
    at = use("known", v=value) if w not in known.free_symbols else use("known", v=value, w=w)
    refused("not shown", fact, inequality("bad", false, at, free=(w,)))


def test_parameters_of_results_exist() -> None:
    """Σ (w·1 + 1/w)² multiplied out has w·(1/w) cancelled on one side only."""
    at = {R.f_: lam(j, ONE * j), R.b_: w, R.c_: 1 / w, R.k_: S.K}
    refused("Ne(w, 0) not shown", cited("bad", R.AFFINE_SQUARES, at, free=(w,)))
    passes(cited("good", R.AFFINE_SQUARES, at, free=(w,), given=(gt(w, 0),)))


def test_what_goals_expand_away_exists() -> None:
    """(wv + wa)/w expands to v + a before anybody asks for w ≠ 0; guards likewise."""
    gone = (w * v + w * a) / w
    refused("Ne(w, 0) not shown", inequality("bad", eq(gone, v + a), free=(v, w)))
    refused("Ne(w, 0) not shown", inequality("bad", le(v, 1), free=(v, w), given=(le(gone, 1),)))
    passes(inequality("good", le(v, 1), free=(v, w), given=(gt(w, 0), le(gone, 1))))


def test_sides_of_claims_exist() -> None:
    """A bound that equals the last fact's side where it exists must exist."""
    gone = (w * v + w * a) / w
    step = inequality("step", le(v, v + a), free=(v,))
    claim = Claim("claim", Measured("v", v, "impl.flow:depth_error"), "<=", gone, ("step",), free=(v, w))
    theorem = Theorem("toys/gone", "Gone", "mfc2026", (), (claim,), (step,), V)
    assert "Ne(w, 0) not shown" in " ".join(r.detail for r in theorem.check_proof())
    paid = replace(claim, given=(sp.Ne(w, 0, evaluate=False),))
    assert {r.status for r in replace(theorem, claims=(paid,)).check_proof()} == {"proved"}


def test_entries_of_premises_exist_when_unfolded() -> None:
    """An entry that only a premise speaks of is its definition where that exists."""
    own = type(V)()
    parts = own.symbol("parts", "p", "parts", indexed=True)
    inverse = own.symbol("inverse", "q", "their inverses", indexed=True, definition=1 / parts)
    index = own.variable("l", "l", "an index", integer=True, range=V["k"].range)
    known = argued("known", eq(fn.Entry(inverse, index) * fn.Entry(parts, index), 0), "toy", free=(index,))
    step = inequality("bad", le(ONE + parts, 0), use("known"), free=(index,), unfold=(inverse,))
    assert "not shown" in Checker((known, step), own).check(step).detail


# Integrals.


def _cell(f: sp.Expr, g: sp.Expr, *uses: object, given: tuple[sp.Rel, ...] = ()) -> Fact:
    at = {R.f_: lam(u, f), R.g_: lam(u, g), R.a_: ZERO, R.b_: S.T}
    return cited("cell", R.CELL_INTEGRAL_BOUND, at, *uses, free=(S.x,), given=given)


def test_divergent_integrals_are_no_numbers() -> None:
    """∫_0^T (T−u)⁻³du is larger than any number, and was one."""
    pole = fn.Ratio(fn.norm(S.x), (S.T - u) ** 3)
    refused("not shown", argued("bad", ge(sp.Integral(pole, (u, 0, S.T)), 0), "toy", free=(S.x,)))
    refused("not shown", _cell(pole * 0 * S.x + S.x * 0, pole))
    tame = fn.Ratio(fn.norm(S.x), 1 + S.T - u) * (1 + S.T)  # exists from 0 to T only
    passes(argued("good", ge(sp.Integral(tame, (u, 0, S.T)), 0), "toy", free=(S.x,)))
    beyond = argued("bad", ge(sp.Integral(tame, (u, 0, S.T + 1 / S.L_x)), 0), "toy", free=(S.x,), given=(gt(S.L_x, 0),))
    refused("not shown", beyond)


@pytest.mark.parametrize(
    "wrong", [fn.Ratio(ONE, zeta(u)), sp.log(zeta(u)), zeta(u) ** -2, 1 / (sp.ceiling(u / S.T) + zeta(u))]
)
def test_a_function_that_is_never_0_may_come_near(wrong: sp.Expr) -> None:
    """ζ(u) = T − u, and 1 at T, is positive, bounded and measurable: 1/ζ has no integral."""
    positive = argued("positive", gt(zeta(u), 0), "toy", free=(u,))
    stated = argued("bad", ge(sp.Integral(wrong, (u, 0, S.T)), 0), "toy", use("positive"))
    refused("continuous in u", positive, stated)
    every = argued("every", le(zeta(u), zeta(u) + 1), "toy", free=(u, zeta))
    value = lam(u, 1 / (zeta(u) ** 2 + sp.Min(zeta(u), 0)))
    refused("not shown", every, argued("bad", ge(a, 0), "toy", use("every", zeta=value)))


def test_what_gronwall_integrates_is_bounded() -> None:
    """f = 1/(T−u) and g = T−u: their product is bounded, f is not."""
    f, g = fn.Ratio(ONE, S.T - u), (S.T - u)
    for template, more in ((R.GRONWALL, {R.a_: ZERO, R.m_: ZERO}), (R.GRONWALL_SOURCE, {})):
        at = {R.f_: lam(u, f), R.g_: lam(u, g), R.c_: S.L_x, R.b_: S.T, **more}
        refused("not shown", cited("bad", template, at))


def test_only_polynomials_are_integrated() -> None:
    """What sympy knows of other antiderivatives holds for some parameters only."""
    power = sp.Integral(sp.exp(a * u / S.T), (u, 0, S.T))
    refused("sympy leaves", identity("bad", eq(power, S.T * (sp.exp(a) - 1) / a), given=(gt(a, 0), gt(S.T, 0))))
    passes(identity("good", eq(sp.Integral(a * u, (u, 0, S.T)), a * S.T**2 / 2)))


# What sees the sample.

NUMBER, DEVIATION = J(member(i)), J_N(member(i)) - J(member(i))
SHIFT = {R.a_: J_N(member(i)), R.b_: DEVIATION, R.z_: NUMBER, R.c_: S.delta}
FIXED = assumed(ASSUMPTIONS.by_name["control-fixed"])


def test_what_is_fixed_stays_fixed_when_it_is_used() -> None:
    """Q[J_N] ≤ J + Q[J_N − J] for a control that is fixed; the one that the sample picks is not."""
    honest = cited("shift", R.QUANTILE_SHIFT, SHIFT, use("control-fixed"), free=(i,), given=fixed(i))
    passes(FIXED, honest)
    refused("fixed before the sample", FIXED, cited("bad", R.QUANTILE_SHIFT, SHIFT, use("control-fixed"), free=(i,)))
    relation = honest.statement.relation
    picked = inequality("bad", relation.xreplace({i: S.iota}), use("shift", i=S.iota), free=(S.iota,))
    refused("the guard of shift", FIXED, honest, picked)
    passes(FIXED, honest, inequality("good", relation.xreplace({i: k}), use("shift", i=k), free=(k,), given=fixed(k)))
    passes(FIXED, honest, inequality("good", relation.xreplace({i: sp.Integer(3)}), use("shift", i=3)))


def test_a_function_that_is_fixed_stays_fixed_when_it_is_used() -> None:
    """ζ(T) is fixed, for every schedule; a function of a depth that is made of the sample's outcome is not."""
    shift = {R.a_: S.v, R.b_: S.v - zeta(S.T), R.z_: zeta(S.T), R.c_: S.delta}
    every = cited("every", R.QUANTILE_SHIFT, shift, free=(v, zeta))
    passes(every)
    seen = use("every", zeta=lam(u, J_N(S.vartheta)))
    refused("fixed before the sample", every, argued("bad", ge(a, 0), "toy", seen, free=(S.vartheta,)))
    refused("fixed before the sample", every, argued("bad", ge(a, 0), "toy", use("every", zeta=lam(u, w)), free=(w,)))
    passes(every, argued("good", ge(a, 0), "toy", use("every", zeta=lam(u, a * u / (1 + S.T) * S.L_zeta * 0 + a))))


def test_the_risk_is_a_mean_for_controls_that_are_fixed() -> None:
    """J at the trained control is random, E ℓ at the trained control is a number."""
    risk, control = definition("risk", V), trained(S.eps)
    mean = fn.expectation(loss(outcome(control, S.N), label(S.N)))
    refused("the guard of risk", risk, inequality("bad", eq(J(control), mean), use("risk", vartheta=control)))
    named = ("samples-independent", "samples-from-population")
    assert all(ASSUMPTIONS.by_name[name].statement.given for name in named)
    for name in ("risk", "layered-risk"):
        assert set(fixed(S.vartheta)) <= set(V.definitions[name].given)


def test_only_fixed_samples_come_from_the_population() -> None:
    """The sample of the least loss, chosen after looking, has another mean."""
    premise = assumed(ASSUMPTIONS.by_name["samples-from-population"])
    relation = premise.statement.relation.xreplace({j: S.iota})
    free, given = (S.vartheta, S.iota), fixed(S.vartheta)
    refused("the guard", premise, inequality("bad", relation, use(premise.name, j=S.iota), free=free, given=given))
    at_0 = premise.statement.relation.xreplace({j: ZERO})
    passes(premise, inequality("good", at_0, use(premise.name, j=0), free=(S.vartheta,), given=given))


def test_levels_are_fixed_by_declaration() -> None:
    every = argued("every", gt(S.level, 0), "toy", free=(S.level,))
    seen = sp.exp(-1 - J_N(S.vartheta) ** 2)
    known = argued("small", sp.Lt(seen, 1, evaluate=False), "toy", free=(S.vartheta,))
    step = argued("bad", ge(a, 0), "toy", use("small"), use("every", level=seen), free=(S.vartheta,))
    refused("fixed before the sample", every, known, step)
    passes(every, argued("good", ge(a, 0), "toy", use("every", level=S.delta / 2)))


def test_quantiles_at_levels_that_see_the_sample_see_it() -> None:
    level = sp.Min(S.delta, sp.exp(-1 - sp.Abs(J_N(S.vartheta))))
    at = {R.a_: ZERO * w + w, R.b_: w - fn.quantile(a, level), R.z_: fn.quantile(a, level), R.c_: S.delta}
    free, given = (w, S.vartheta), (gt(level, 0), sp.Lt(level, 1, evaluate=False))
    refused("fixed before the sample", cited("bad", R.QUANTILE_SHIFT, at, free=free, given=given))


def test_a_law_is_not_one_of_each_case() -> None:
    """Q ≤ 0 if D ≤ 0 for all samples; that does not make Q ≤ 0 or D > 0 for each."""
    law = fn.quantile(w, S.delta)
    at = {R.a_: w, R.b_: ZERO, R.z_: ZERO, R.c_: S.delta}
    below = cited("below", R.QUANTILE_SHIFT, at, free=(w,), given=(le(w, 0),))
    zero = argued("zero", eq(fn.quantile(ZERO, S.delta), 0), "toy")
    law_below = inequality("law-below", le(law, 0), use("below"), use("zero"), free=(w,), given=(le(w, 0),))
    cases = {R.f_: lam(v, sp.Min(law, -v)), R.z_: w, R.c_: ZERO, R.b_: ZERO}
    refused("hypothesis", below, zero, law_below, cited("bad", R.CASES, cases, use("law-below"), free=(w,)))
    hidden = argued("hidden", le(a, 0), "toy", use("law-below"), free=(w,), given=(le(w, 0),))
    smuggled = {R.f_: lam(v, sp.Min(a, -v)), R.z_: w, R.c_: ZERO, R.b_: ZERO}
    step = cited("bad", R.CASES, smuggled, use("hidden"), free=(w,))
    refused("hypothesis", below, zero, law_below, hidden, step)
    plain = argued("plain", le(a, 0), "toy", free=(w,), given=(le(w, 0),))
    passes(plain, cited("good", R.CASES, smuggled, use("plain"), free=(w,)))


def test_no_induction_over_the_index_of_a_law() -> None:
    law = le(fn.quantile(zeta(k * S.eps), S.delta), a)
    refused("outside laws", induction("bad", law, k, S.K))


def test_a_result_for_all_outcomes_takes_no_law_of_its_variables() -> None:
    """E g(ϑ) ≤ 0 for all fixed ϑ says nothing of E g(ϑ̂)."""
    mean = fn.expectation(loss(outcome(S.vartheta, S.N), label(S.N))) - a
    pair = (S.vartheta, S.varphi)
    known = argued("known", le(mean, 0), "toy", free=(S.vartheta,), given=fixed(S.vartheta))
    refused("no law", known, cited("bad", R.OUTCOME_BY_OUTCOME, {R.f_: lam(pair, mean)}, use("known")))
    seen = argued("seen", le(J_N(S.vartheta) - a, 0), "toy", free=(S.vartheta,), given=fixed(S.vartheta))
    step = cited("bad", R.OUTCOME_BY_OUTCOME, {R.f_: lam(pair, J_N(S.vartheta) - a)}, use("seen"))
    refused("fixed before the sample", seen, step)
    risk = argued("risk-below", le(J(S.vartheta) - a, 0), "toy", free=(S.vartheta,), given=fixed(S.vartheta))
    passes(risk, cited("good", R.OUTCOME_BY_OUTCOME, {R.f_: lam(pair, J(S.vartheta) - a)}, use("risk-below")))


# Theorems that are used.


def _theorem(slug: str, *facts: Fact, spine: str, measured: sp.Expr, bound: sp.Expr, **more: object) -> Theorem:
    keywords = {name: more.pop(name) for name in ("free", "given") if name in more}
    claim = Claim("claim", Measured("it", measured, "impl.flow:depth_error"), "<=", bound, (spine,), **keywords)
    return Theorem(f"toys/{slug}", "Toy", "mfc2026", (), (claim,), facts, V, **more)


def _details(theorem: Theorem) -> str:
    return " ".join(r.detail for r in theorem.check_proof() if r.status == "failed")


def test_what_a_theorem_rests_on_asks_what_is_fixed_too() -> None:
    """The asking may be two theorems down: a claim moved to random objects is refused all the same."""
    shift = {R.a_: zeta(S.T), R.b_: zeta(S.T) - a, R.z_: a, R.c_: S.delta}
    law = cited("law", R.QUANTILE_SHIFT, shift)
    deep = _theorem("deep", law, spine="law", measured=law.statement.relation.lhs, bound=law.statement.relation.rhs)
    step = replace(deep.premise("step"))
    sides = {"measured": deep.headline.measured.expression, "bound": deep.headline.bound}
    middle = _theorem("middle", step, spine="step", uses=(deep,), **sides)
    assert _details(middle) == ""
    moved = middle.premise("moved", at={zeta: lam(u, J_N(S.vartheta))}, free=(S.vartheta,))
    relation = moved.statement.relation
    top = _theorem(
        "top", moved, spine="moved", measured=relation.lhs, bound=relation.rhs, uses=(middle,), free=(S.vartheta,)
    )
    assert "tells apart what depends on the sample" in _details(top)


def test_claims_are_moved_to_functions_only() -> None:
    """|ζ(T)| ≤ ζ̄ for this ζ̄ is not |ζ(T)| ≤ 0."""
    bounded = argued("bounded", le(sp.Abs(zeta(S.T)), a), "toy")
    used = _theorem("used", bounded, spine="bounded", measured=sp.Abs(zeta(S.T)), bound=a)
    for at, reason in (
        ({a: ZERO}, "a constant is what it is"),
        ({zeta: softmax}, "a number"),
        ({zeta: lam(u, S.T * u)}, "dimension"),
    ):
        try:
            moved = used.premise("moved", at=at)
            relation = moved.statement.relation
            top = _theorem("top", moved, spine="moved", measured=relation.lhs, bound=relation.rhs, uses=(used,))
            found = _details(top)
        except ConditionError as error:
            found = str(error)
        assert reason in found


def test_a_claim_says_whether_it_rests_on_laws() -> None:
    shift = {R.a_: zeta(S.T), R.b_: zeta(S.T) - a, R.z_: a, R.c_: S.delta}
    law = cited("law", R.QUANTILE_SHIFT, shift)
    used = _theorem("used", law, spine="law", measured=law.statement.relation.lhs, bound=law.statement.relation.rhs)
    premise = used.premise("step")
    assert premise.of_laws
    sides = {"measured": used.headline.measured.expression, "bound": used.headline.bound}
    forged = _theorem("top", replace(premise, of_laws=False), spine="step", uses=(used,), **sides)
    assert "toys/used claims" in _details(forged)


def test_guards_quantify_their_variables() -> None:
    with pytest.raises(ProofError, match="declare it free"):
        report(argued("bad", ge(a, 0), "toy", given=(ge(S.t, S.T),)))


def test_values_are_made_of_registered_symbols() -> None:
    every = argued("every", ge(w**2, 0), "toy", free=(w,))
    stray = use("every", w=sp.Symbol("rogue", real=True))
    refused("a known symbol", every, argued("bad", ge(a, 0), "toy", stray))
    positive = use("every", w=sp.Symbol("w", positive=True))
    refused("another symbol called w", every, argued("bad", ge(a, 0), "toy", positive))
