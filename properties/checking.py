"""The one place that compares, records and asserts.

A property gives, for each claim, a batch of (measured, error, values of symbols). An instance *holds* if
measured + error ≤ bound, is *violated* if measured − error > bound, else it is *undecided*. The bound is always the
outer end of its ball. Exhibits carry exact numbers and are decided in ball arithmetic, equality by sympy.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import hypothesis
import numpy as np
import numpy.typing as npt
import sympy as sp

import spec
from properties.descriptor import Descriptor, Space
from spec.language import ball
from spec.language.errors import ConditionError, PremiseNotMet
from spec.language.theorem import Claim, Theorem

Floats = npt.NDArray[np.float64]
HOLDS, VIOLATED, UNDECIDED, UNMET = "holds", "violated", "undecided", "premise unmet"
INFORMATIVE = 0.1


class NotFiniteMeasurement(ConditionError):
    """A measurement or an error that is NaN, or a measurement that is infinite: the instance is no evidence."""


@dataclass(frozen=True)
class Batch:
    """Measurements of one claim on a batch of instances.

    Attributes
    ----------
    measured : (batch,) array or sequence of exact numbers
        Left sides.
    error : (batch,) array
        Absolute error of each measurement, rounding included; 0 for exact numbers.
    values : mapping
        Symbol name to a number for all, or an array with leading dimension `batch` (indexed symbols have one more).
    """

    measured: Any
    error: Any
    values: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.measured)

    def at(self, i: int) -> dict[str, Any]:
        """Return the symbols' values for instance i."""
        return {name: _entry(value, i) for name, value in self.values.items()}


def _entry(value: Any, i: int) -> Any:
    if isinstance(value, np.ndarray):
        row = value[i]
        return row.tolist() if isinstance(row, np.ndarray) else row.item()
    return value[i] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Verdicts:
    """What judging a batch gave, instance by instance."""

    verdict: list[str]
    bound: list[float]
    ratio: list[float]
    trivial: list[bool]

    @property
    def worst(self) -> int:
        """The index of the largest ratio; violated instances come first."""
        order = [
            (v == VIOLATED, r if math.isfinite(r) else -1.0) for v, r in zip(self.verdict, self.ratio, strict=True)
        ]
        return max(range(len(order)), key=order.__getitem__)


@dataclass(frozen=True)
class Exhibit:
    """A named exact instance: a corner, or an extremal one that reaches the promised ratio."""

    name: str
    build: Callable[[], Mapping[str, Batch]]


@dataclass(frozen=True)
class Need:
    """An instance where one assumption fails, every other premise is verified, and the claim is violated.

    `build` returns the batches that must be violated and, for every other assumption, whether the instance was verified
    to meet it. `undefined` says in words why the claim has no meaning there, where that is the way it breaks.
    """

    build: Callable[[], tuple[Mapping[str, Batch], Mapping[str, bool]]] | None = None
    undefined: str = ""


@dataclass(frozen=True)
class Property:
    """How one theorem is checked.

    Attributes
    ----------
    slug : str
        The theorem.
    space : Space
        What its generated instances range over.
    check : callable
        Descriptor to batches by claim name.
    family : str
        Properties of one family draw the same descriptors, so that their instances can be shared.
    exhibits, sharp
        Named exact instances, and for each claim the one that reaches the promised ratio.
    needs : mapping
        For every assumption with a stake in the claim, the instance that shows it; others are named in `structural`.
    real : callable or None
        Batches on trained Transformers.
    equivalent : mapping
        Mutants that cannot be caught, by their text, with the reason.
    """

    slug: str
    space: Space
    check: Callable[[Descriptor], Mapping[str, Batch]]
    family: str = ""
    exhibits: tuple[Exhibit, ...] = ()
    sharp: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, Need] = field(default_factory=dict)
    structural: Mapping[str, str] = field(default_factory=dict)
    real: Callable[[], Mapping[str, Batch]] | None = None
    equivalent: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def theorem(self) -> Theorem:
        """The theorem in `spec`."""
        return spec.theorem(self.slug)

    def descriptor(self, seed: int, index: int) -> Descriptor:
        """Return the campaign's descriptor of an index."""
        return self.space.sample(self.family or self.slug, seed, index)


def judge(theorem: Theorem, claim: Claim, batch: Batch, bound: sp.Expr | None = None) -> Verdicts:
    """Judge a batch against a claim's bound, or against another expression (a mutant) in its place."""
    expr = claim.bound if bound is None else bound
    rows = [judge_one(theorem, claim, expr, batch.measured[i], batch.error[i], batch.at(i)) for i in range(len(batch))]
    columns = list(map(list, zip(*rows, strict=True))) or [[], [], [], []]
    return Verdicts(*columns)


def judge_one(
    theorem: Theorem, claim: Claim, expr: sp.Expr, measured: Any, error: Any, values: dict[str, Any]
) -> tuple[str, float, float, bool]:
    """Judge one instance: verdict, outer end of the bound, ratio, triviality."""
    try:
        ball_ = theorem.evaluate_expression(expr, values)
    except PremiseNotMet:
        return UNMET, math.nan, math.nan, False
    if ball_.arb.is_nan():
        return UNDECIDED, math.nan, math.nan, True
    if isinstance(measured, float | np.floating):
        return _judge_float(claim, float(measured), float(error), ball_)
    return _judge_exact(theorem, claim, expr, measured, ball_, values)


def _excess(measured: float, error: float, bound: float) -> int:
    """Return the sign of measured + error − bound, exactly: the sum of three floats, rounded once, keeps its sign."""
    if math.isinf(error) or math.isinf(bound):
        return (error > bound) - (error < bound)
    total = math.fsum((measured, error, -bound))
    return (total > 0) - (total < 0)


def _judge_float(claim: Claim, measured: float, error: float, enclosure: ball.Ball) -> tuple[str, float, float, bool]:
    if not (math.isfinite(measured) and error >= 0):
        raise NotFiniteMeasurement("finite measurements", f"{measured} ± {error}", "let the instance report divergence")
    lower, upper = enclosure.lower, enclosure.upper
    if claim.relation == "=":
        inside = _excess(measured, -error, lower) <= 0 <= _excess(measured, error, upper)
        apart = _excess(measured, error, lower) < 0 or _excess(measured, -error, upper) > 0
        ratio = measured / upper if upper else (1.0 if measured == 0 else math.inf)
        return _verdict(inside, apart), upper, ratio, math.isinf(upper)
    if claim.relation == ">=":
        inside, apart = _excess(measured, -error, lower) >= 0, _excess(measured, error, lower) < 0
        ratio = lower / measured if measured else (1.0 if lower == 0 else math.inf)
        return _verdict(inside, apart), lower, ratio, math.isinf(lower) or (lower == 0 and measured == 0)
    inside, apart = _excess(measured, error, upper) <= 0, _excess(measured, -error, upper) > 0
    ratio = measured / upper if upper else (0.0 if measured == 0 else math.inf)
    return _verdict(inside, apart), upper, ratio, math.isinf(upper) or (upper == 0 and measured == 0)


def _verdict(holds: bool, violated: bool) -> str:
    return HOLDS if holds else VIOLATED if violated else UNDECIDED


def _judge_exact(
    theorem: Theorem, claim: Claim, expr: sp.Expr, measured: Any, bound: ball.Ball, values: dict[str, Any]
) -> tuple[str, float, float, bool]:
    """Decide an exact measurement in ball arithmetic; equality, where balls cannot tell, by sympy."""
    left = measured if isinstance(measured, ball.Ball) else ball.evaluate(sp.sympify(measured), {})
    if not left.is_finite:
        raise NotFiniteMeasurement("finite measurements", left, "let the exhibit report divergence")
    down = claim.relation == ">="
    end = bound.lower if down else bound.upper
    zero = bool(left.arb == 0 and bound.arb == 0)
    ratio = (
        1.0 if zero else (bound.lower / left.upper if down else left.lower / bound.upper) if end and left.upper else 0.0
    )
    trivial = zero or not bound.is_finite
    small, large = (bound.arb, left.arb) if down else (left.arb, bound.arb)
    if claim.relation != "=" and (small <= large or not bound.is_finite):
        return HOLDS, end, ratio, trivial
    if small > large and (claim.relation != "=" or not small.overlaps(large)):
        return VIOLATED, end, ratio, trivial
    sign = None if isinstance(measured, ball.Ball) else _sign(theorem, expr, measured, values)
    if sign is None:
        return UNDECIDED, end, ratio, trivial
    holds = sign == 0 or (claim.relation != "=" and (sign < 0) == down)
    return HOLDS if holds else VIOLATED, end, ratio if sign else 1.0, trivial


def _sign(theorem: Theorem, expr: sp.Expr, measured: Any, values: dict[str, Any]) -> int | None:
    """Return the sign of bound − measured, all digits counted; None where neither balls nor sympy tell."""
    exact = theorem.exact(expr, values)
    if exact is None:
        return None
    difference = exact - sp.sympify(measured)
    enclosed = ball.evaluate(difference, {}).arb
    if enclosed > 0 or enclosed < 0:
        return 1 if enclosed > 0 else -1
    return 0 if sp.simplify(difference) == 0 else None


def judged(prop: Property, batches: Mapping[str, Batch]) -> dict[str, Verdicts]:
    """Judge the batches of a property's claims."""
    return {name: judge(prop.theorem, prop.theorem.claim(name), batch) for name, batch in batches.items()}


def assert_holds(prop: Property, descriptor: Descriptor) -> None:
    """Assert that no instance of a descriptor violates a claim; steer Hypothesis towards larger ratios."""
    best = 0.0
    found = judged(prop, prop.check(descriptor))
    assert found, f"{prop.slug} measures nothing on {descriptor}"
    for name, verdicts in found.items():
        i = verdicts.worst
        assert verdicts.verdict[i] != VIOLATED, (
            f"{prop.slug} ({name}) is violated, ratio {verdicts.ratio[i]:.6g}, instance {i} of {descriptor}; "
            f"replay: mfc verify {prop.slug} --instance '{descriptor}'"
        )
        best = max(best, *(r for r in verdicts.ratio if math.isfinite(r)), 0.0)
    hypothesis.target(best, label=prop.slug)


def exhibit_batches(prop: Property, name: str) -> Mapping[str, Batch]:
    """Return the batches of a named exhibit."""
    return next(e for e in prop.exhibits if e.name == name).build()


def assert_exhibits_hold(prop: Property) -> None:
    """Assert that every exhibit holds, decided exactly."""
    assert prop.exhibits, f"{prop.slug} has no exact instances"
    for exhibit in prop.exhibits:
        for name, verdicts in judged(prop, exhibit.build()).items():
            assert set(verdicts.verdict) == {HOLDS}, f"{prop.slug} ({name}) on {exhibit.name}: {verdicts}"


def sharp_ratio(prop: Property, claim: str) -> float:
    """Return the largest ratio that a claim's named instance reaches; where both sides are 0, nothing is reached."""
    verdicts = judged(prop, exhibit_batches(prop, prop.sharp[claim]))[claim]
    return max((r for r, trivial in zip(verdicts.ratio, verdicts.trivial, strict=True) if not trivial), default=0.0)


def assert_sharp(prop: Property) -> None:
    """Assert that every claim has a named instance and that it reaches the promised ratio."""
    for claim in prop.theorem.claims:
        reached = sharp_ratio(prop, claim.name)
        assert reached >= claim.promised, f"{prop.slug} ({claim.name}): {prop.sharp[claim.name]} reaches {reached}"


def need_is_shown(prop: Property, assumption: str) -> bool:
    """Say whether the instance for an assumption meets every other premise and violates the claim."""
    need = prop.needs[assumption]
    if need.build is None:
        return bool(need.undefined)
    batches, met = need.build()
    others = {a.name for a in prop.theorem.assumptions} - {assumption} - set(prop.structural)
    violated = any(VIOLATED in v.verdict for v in judged(prop, batches).values())
    return violated and others <= {name for name, ok in met.items() if ok} and met.get(assumption) is not True


def assert_need(prop: Property, assumption: str) -> None:
    """Assert that dropping an assumption breaks the claim on its instance."""
    assert need_is_shown(prop, assumption), f"{prop.slug}: the instance does not show the need of {assumption}"


def assert_every_assumption_has_its_need(prop: Property) -> None:
    """Assert that each assumption is shown to be needed, or is named as structural with its reason."""
    names = {a.name for a in prop.theorem.assumptions}
    named = set(prop.needs) | set(prop.structural)
    assert names == named, f"{prop.slug}: {names ^ named} without need or reason"


def measurements(batches: Sequence[Mapping[str, Batch]], claim: str) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Return (measured, error, values) of every instance of a claim."""
    found = [b[claim] for b in batches if claim in b]
    return [(b.measured[i], b.error[i], b.at(i)) for b in found for i in range(len(b))]
