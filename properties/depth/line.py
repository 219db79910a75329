"""Problems on the line, exact: extremal ones, corners, ones that drop an assumption.

``n = d = p = 1``, ``Θ = [−ρ, ρ]``. Field, schedule and control are rational functions, the flow is known in closed
form, and the layers are computed in fractions. Assumptions are verified on grids of rationals.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any, TypeAlias

import sympy as sp

import spec
from properties.checking import Batch, Exhibit, Need

Exact: TypeAlias = Any
"""A fraction, or a sympy number where the flow is transcendental."""


def frac(value: Any) -> Fraction:
    """Return an exact fraction."""
    return Fraction(value)


@dataclass(frozen=True)
class Line:
    """A flow and its Transformer on the line, with the constants that are claimed for them.

    Attributes
    ----------
    F, zeta, theta : callable
        Field ``F(x, θ)``, schedule and control, exact.
    X : callable
        The flow in closed form, exact.
    claimed : mapping
        Constants by name; `rho` is the radius of Θ. Those of `A`, `Z`, … that are not given are derived.
    """

    F: Callable[[Exact, Exact], Exact]
    zeta: Callable[[Fraction], Fraction]
    theta: Callable[[Fraction], Fraction]
    X: Callable[[Fraction], Exact]
    T: Fraction
    K: int
    claimed: Mapping[str, Exact] = field(default_factory=dict)

    @cached_property
    def times(self) -> list[Fraction]:
        """The layers' depths ``t_0, …, t_K``."""
        return [self.T * k / self.K for k in range(self.K + 1)]

    @cached_property
    def layers(self) -> list[Exact]:
        """The Transformer's states."""
        states, step = [self.X(Fraction(0))], self.T / self.K
        for t in self.times[:-1]:
            states.append(states[-1] + step * self.zeta(t) * self.F(states[-1], self.theta(t)))
        return states

    @cached_property
    def errors(self) -> list[Exact]:
        """``|X(t_k) − X̂_k|`` at every layer."""
        return [abs(self.X(t) - x) for t, x in zip(self.times, self.layers, strict=True)]

    @property
    def error(self) -> Exact:
        """The largest of them."""
        return max(self.errors)

    def velocity(self, t: Fraction) -> Exact:
        """``ζ F(X; θ)`` along the flow."""
        return self.zeta(t) * self.F(self.X(t), self.theta(t))

    def values(self, *names: str) -> dict[str, Exact]:
        """Return claimed constants, with K and T."""
        return {**{name: self.claimed.get(name, 0) for name in names}, "K": self.K, "T": self.T}

    def batch(self, measured: Exact, *names: str) -> Batch:
        """Return a batch of one exact measurement."""
        values = {n: [v] if isinstance(v, list) else v for n, v in self.values(*names).items()}
        return Batch([measured], [0], values)

    # -- assumptions ---------------------------------------------------------------------------------------------------

    @cached_property
    def radius(self) -> Fraction:
        """``R_T`` from the claimed constants, rounded up."""
        values = {name: self.claimed.get(name, 0) for name in ("R_0", "g_x", "m_x", "zeta_bar")} | {"T": self.T}
        return Fraction(spec.theorem("depth/trajectory-range").evaluate(**values).upper)

    @cached_property
    def moments(self) -> list[list[Fraction]]:
        """Depths in each cell ``[t_k, t_{k+1})``, its left end first; the last cell has its right end too."""
        cells = [[a + (b - a) * i / 8 for i in range(8)] for a, b in pairwise(self.times)]
        return [*cells[:-1], [*cells[-1], self.T]]

    def met(self, assumption: str) -> bool:
        """Say whether an assumption holds, by computation on grids."""
        check = {
            "inputs-bounded": self._inputs, "field-growth": self._growth, "field-bounded": self._bounded,
            "field-lipschitz": self._lipschitz, "field-lipschitz-control": self._lipschitz_control,
            "schedule-bounded": lambda: self._below(self.zeta, "zeta_bar"),
            "control-admissible": lambda: self._below(self.theta, "rho"),
            "schedule-lipschitz": lambda: self._slope(self.zeta, "L_zeta"),
            "control-lipschitz": lambda: self._slope(self.theta, "L_c"),
            "schedule-bounded-variation": lambda: self._variation(self.zeta, "L_zeta", "V_zeta"),
            "control-bounded-variation": lambda: self._variation(self.theta, "L_c", "V_theta"),
            "layer-schedule": self._layer_schedule, "layer-lipschitz": self._layer_lipschitz,
            "layer-truncation": self._layer_truncation,
        }[assumption]  # fmt: skip
        return bool(check())

    def _c(self, name: str) -> Exact:
        return self.claimed.get(name, 0)

    def _all(self) -> list[Fraction]:
        return sorted({t for cell in self.moments for t in cell})

    def _states(self, radius: Fraction) -> list[Fraction]:
        return [radius * i / 8 for i in range(-8, 9)]

    def _controls(self) -> list[Fraction]:
        return [frac(self._c("rho")) * i / 4 for i in range(-4, 5)]

    def _pairs(self) -> Iterable[tuple[Fraction, Fraction]]:
        return product(self._states(self.radius), self._controls())

    def _inputs(self) -> bool:
        return bool(abs(self.X(Fraction(0))) <= self._c("R_0"))

    def _growth(self) -> bool:
        everywhere = product(self._states(self.radius) + self._states(100 + 100 * self.radius), self._controls())
        return all(abs(self.F(x, c)) <= self._c("g_x") * abs(x) + self._c("m_x") for x, c in everywhere)

    def _bounded(self) -> bool:
        return all(abs(self.F(x, c)) <= self._c("M") for x, c in self._pairs())

    def _lipschitz(self) -> bool:
        return all(
            abs(self.F(x, c) - self.F(y, c)) <= self._c("L_x") * abs(x - y)
            for (x, c), y in product(self._pairs(), self._states(self.radius))
        )

    def _lipschitz_control(self) -> bool:
        return all(
            abs(self.F(x, c) - self.F(x, o)) <= self._c("L_theta") * abs(c - o)
            for (x, c), o in product(self._pairs(), self._controls())
        )

    def _below(self, path: Callable[[Fraction], Fraction], name: str) -> bool:
        return all(abs(path(t)) <= self._c(name) for t in self._all())

    def _slope(self, path: Callable[[Fraction], Fraction], name: str) -> bool:
        return all(abs(path(t) - path(s)) <= self._c(name) * (t - s) for s, t in pairwise(self._all()))

    def _variation(self, path: Callable[[Fraction], Fraction], slope: str, total: str) -> bool:
        seen = (
            max(abs(path(u) - path(cell[0])) - self._c(slope) * (u - cell[0]) for u in cell[:8])
            for cell in self.moments
        )
        return bool(sum(seen) <= self._c(total))

    def _layer_schedule(self) -> bool:
        return all(abs(self.zeta(t)) <= b for t, b in zip(self.times[:-1], self._c("zeta_k"), strict=True))

    def _layer_lipschitz(self) -> bool:
        states = self._states(self.radius)
        return all(
            abs(self.F(x, self.theta(t)) - self.F(y, self.theta(t))) <= b * abs(x - y)
            for t, b in zip(self.times[:-1], self._c("L_k"), strict=True)
            for x, y in product(states, states)
        )

    def _layer_truncation(self) -> bool:
        missed = (self.X(b) - self.X(a) - (b - a) * self.velocity(a) for a, b in pairwise(self.times))
        return all(bool(sp.sympify(abs(m)) <= b) for m, b in zip(missed, self._c("tau_k"), strict=True))


def constant(value: Any) -> Callable[[Fraction], Fraction]:
    """Return a path that keeps one value."""
    return lambda t: frac(value)


def spikes(T: Fraction, K: int) -> Callable[[Fraction], Fraction]:
    """Return the path that is 1 at every ``t_k`` and 0 elsewhere."""
    return lambda t: Fraction(int((t * K / T).denominator == 1))


Measure: TypeAlias = Callable[[Line], Mapping[str, Batch]]


def exhibit(name: str, build: Callable[[], Line], measure: Measure, premises: Iterable[str]) -> Exhibit:
    """Return a line problem as a named exact instance, which must meet the premises."""

    def built() -> Mapping[str, Batch]:
        line = build()
        unmet = [premise for premise in premises if not line.met(premise)]
        assert not unmet, f"{name}: {unmet}"
        return measure(line)

    return Exhibit(name, built)


def dropping(line: Line, measure: Measure, premises: Iterable[str]) -> Need:
    """Return a line problem as an instance that drops an assumption: what it violates, and which premises it meets."""

    def build() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
        return measure(line), {name: line.met(name) for name in premises}

    return Need(build)
