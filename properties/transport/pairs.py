"""Two constant controls on the line, exact: what their flows' ends do to one sample's loss, and which premises hold.

The logits are ``corner + tilt (x − x*)(1, −1)`` with the end x* of the first flow at the corner (−B, B) and label e_1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp

import spec
from properties.checking import Batch
from properties.depth.line import Exact, Line
from spec.language.ball import Ball

CONSTANTS = ("zeta_bar", "L_theta", "L_x")
LINE_NAMES = {
    "samples-bounded": "inputs-bounded",
    "field-growth": "field-growth",
    "schedule-bounded": "schedule-bounded",
    "controls-admissible": "control-admissible",
    "field-lipschitz": "field-lipschitz",
    "field-lipschitz-control": "field-lipschitz-control",
}
"""Premises of every flow that is compared, by the names that one flow has for them."""


def slope(B: Exact) -> Ball:
    """Return ``G(B, 2)``, the loss's slope in the logits."""
    theorem = spec.theorem("transport/control-continuity")
    return theorem.evaluate_expression(theorem.vocabulary["L_ell"].definition, {"B": B, "C": 2})


@dataclass(frozen=True)
class Pair:
    """Two flows from one input, read out at a corner of the box [−corner, corner]².

    `claimed` replaces constants; `r` is the distance of the controls.
    """

    lines: tuple[Line, Line]
    r: Fraction
    corner: Fraction = Fraction(1, 2)
    tilt: Fraction = Fraction(1, 1000)
    claimed: Mapping[str, Exact] = field(default_factory=dict)

    @property
    def box(self) -> Exact:
        """The claimed box."""
        return self.claimed.get("B", self.corner)

    @property
    def moved(self) -> Exact:
        """By how much the second flow's logits leave the corner."""
        first, second = (line.X(line.T) for line in self.lines)
        return self.tilt * sp.sympify(second - first)

    def change(self) -> sp.Expr:
        """Return ``|ℓ(h') − ℓ(h)|``."""
        B = sp.Rational(self.corner.numerator, self.corner.denominator)
        return sp.Abs(sp.log(1 + sp.exp(2 * B)) - sp.log(1 + sp.exp(2 * B - 2 * self.moved)))

    def values(self) -> dict[str, Exact]:
        """Return the constants, as claimed."""
        line = self.lines[0]
        own = {name: line.claimed.get(name, 0) for name in CONSTANTS}
        known = {"T": line.T, "L_H": sp.sqrt(2) * self.tilt, "L_ell": slope(self.box), **own}
        return known | {k: v for k, v in self.claimed.items() if k != "B"}

    def batches(self) -> dict[str, Batch]:
        """Return the change for every claim: the weighted distance is r ∫e^{b(T−u)}du for constant controls."""
        values, line = self.values(), self.lines[0]
        b = sp.Rational(Fraction(values["zeta_bar"] * values["L_x"]))
        grown = (sp.exp(b * sp.Rational(line.T)) - 1) / b if b else sp.Rational(line.T)
        by_sup = Batch([self.change()], [0], values | {"r": self.r})
        kept = {k: v for k, v in values.items() if k not in ("T", "L_x")}
        by_weight = Batch([self.change()], [0], kept | {"D_exp": sp.Rational(self.r) * grown})
        return {
            "population": by_sup, "sample": by_sup, "population-weighted": by_weight, "sample-weighted": by_weight,
        }  # fmt: skip

    def met(self, assumption: str) -> bool:
        """Say whether an assumption holds, by computation."""
        if assumption in LINE_NAMES:
            return all(line.met(LINE_NAMES[assumption]) for line in self.lines)
        values = self.values()
        if assumption == "readout-lipschitz":
            return bool(2 * self.tilt**2 <= values["L_H"] ** 2)
        inside = abs(self.corner) <= self.box and bool(self.moved >= 0) and bool(self.moved <= 2 * self.corner)
        return {"bounded-logits": inside}[assumption]


def linear(b: Fraction, c: Fraction, zeta: int, T: Fraction, r: Fraction, **claimed: Exact) -> Pair:
    """Return ``F = b x + c θ`` from 0 with controls 1 − r and 1: the change is carried on at the largest rate."""
    rate = zeta * b
    reach = (sp.exp(sp.Rational(rate * T)) - 1) / sp.Rational(b) if b else sp.Rational(zeta * T)
    own = {"zeta_bar": zeta, "L_theta": c, "L_x": b, "rho": Fraction(1), "g_x": b, "m_x": c}

    def line(theta: Fraction) -> Line:
        end = c * theta
        return Line(
            lambda x, th: b * x + c * th, lambda t: Fraction(zeta), lambda t: theta,
            lambda t: end * reach if t else Fraction(0), T, 1, own | claimed,
        )  # fmt: skip

    return Pair((line(1 - r), line(Fraction(1))), r)


def kinked(push: int, start: int, T: Fraction, r: Fraction, **claimed: Exact) -> Pair:
    """Return ``F = θ (push + (x − 4)⁺)``: below 4 the state does not act, and a ball that ends there knows less."""

    def line(theta: Fraction) -> Line:
        reach = Fraction(4 - start, 1) / (theta * push) if push else Fraction(0)

        def flow(t: Fraction) -> Exact:
            if not push:
                return 4 + (start - 4) * sp.exp(sp.Rational(theta * t))
            return start + theta * push * t if t <= reach else 4 + push * (sp.exp(sp.Rational(theta * (t - reach))) - 1)

        return Line(
            lambda x, th: th * (push + max(x - 4, 0)), lambda t: Fraction(1), lambda t: theta, flow, T, 1,
            {"zeta_bar": 1, "rho": Fraction(1)} | claimed,
        )  # fmt: skip

    return Pair((line(1 - r), line(Fraction(1))), r)


def squared(r: Fraction) -> Pair:
    """Return ``F = θ²/2`` with controls 3 − r and 3 and the constants of |θ| <= 1."""

    def line(theta: Fraction) -> Line:
        return Line(
            lambda x, th: th * th / 2, lambda t: Fraction(1), lambda t: theta, lambda t: theta**2 * t / 2,
            Fraction(1), 1, {"zeta_bar": 1, "L_theta": 1, "rho": Fraction(1), "m_x": Fraction(1, 2)},
        )  # fmt: skip

    return Pair((line(3 - r), line(Fraction(3))), r)
