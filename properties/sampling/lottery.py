"""A class that overfits: signs for a thousand inputs, of which a sample sees eight; and what keeps it from doing so.

Inputs are one-hot vectors of 1000 entries, equally likely; labels are fair coins. A control is a vector of 1000 signs
times η. The flow moves a spare coordinate by ``ṡ = b s + gate(z)⟨push(θ), π(x)⟩`` from 0, with π the projection onto
the unit ball and z another coordinate, and the logits are ``(κ s, −κ s)``, κ such that they end at ±B. The control that
fits a sample of eight different inputs has the least loss on it, and is B off.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import expm1, sqrt

import spec
from properties.checking import Batch
from properties.sampling.coins import TRIALS, Exact, Trial, fitted
from properties.transport.pairs import slope

INPUTS = 1000
UP = 1 + 1e-12
"""Rounds computed constants up."""
TINY = Fraction(1, 10**20)
KEYS = {
    "samples-bounded": ("R_0",), "field-growth": ("g_x", "m_x"), "schedule-bounded": ("zeta_bar",),
    "controls-admissible": ("rho",), "field-lipschitz": ("L_x",), "field-lipschitz-control": ("L_theta",),
    "readout-lipschitz": ("L_H",), "bounded-logits": ("B",), "class-covered": ("r",),
}  # fmt: skip
"""The constants that a premise claims: it holds where none is smaller than the true one."""


@dataclass(frozen=True)
class Lottery:
    """True constants on the claimed ``K_{R_T} × Θ``, and those that are claimed.

    Attributes
    ----------
    true : mapping
        Constants by name; `rho` is the largest |θ_i|, `r` the distance of the class from its one centre.
    trial : Trial
        What the sample does; its deviation is missed with probability below δ.
    own_centre : bool
        Whether the control that is looked at is its own centre.
    """

    true: Mapping[str, Exact]
    T: Fraction = Fraction(1)
    claimed: Mapping[str, Exact] = field(default_factory=dict)
    trial: Trial = field(default_factory=fitted)
    own_centre: bool = False

    @cached_property
    def said(self) -> dict[str, Exact]:
        """The claimed constants, the true ones where nothing else is said."""
        return {**self.true, **self.claimed}

    def met(self, assumption: str) -> bool:
        """Say whether an assumption holds."""
        if assumption in KEYS:
            return all(self.true[key] <= self.said[key] for key in KEYS[assumption])
        # A control of the class may see the sample; the centre 0 does not.
        return (assumption == "control-fixed" and not self.own_centre) or self.trial.met(assumption)

    def batch(self) -> Batch:
        """Return the deviation against the bound of one ball."""
        names = ("L_H", "zeta_bar", "L_theta", "L_x", "r", "B")
        values = {name: self.said[name] for name in names} | {"L_ell": slope(self.said["B"]), "T": self.T, "C": 2}
        return Batch([self.trial.off], [0], values | {"N": self.trial.N, "delta": self.trial.delta, "G_size": 1})


def signs(eta: float = 1.0, b: float = 0.0, **claimed: Exact) -> Lottery:
    """Return ``ṡ = b s + ⟨θ, π(x)⟩`` with θ_i = ±η, all within |θ| of the centre 0."""
    length = eta * sqrt(INPUTS) * UP
    end = eta * (expm1(b) / b if b else 1.0)
    true = {
        "R_0": 1, "g_x": b, "m_x": length, "zeta_bar": 1, "rho": eta, "L_x": b + length, "L_theta": 1,
        "L_H": sqrt(2) / end * UP, "B": Fraction(1), "r": length,
    }  # fmt: skip
    return Lottery(true, claimed=claimed)


def gated(start: float, rise: float, T: Fraction, **claimed: Exact) -> Lottery:
    """Return a flow whose control acts only where z > 4: where ``K_{R_T}`` ends before, the constants know of none.

    z starts at `start` and rises by `rise`; the gate is ``min(1, (z − 4)⁺)`` and η = 1/100, so that
    |F| <= (η√1000/5)|x| + rise.
    """
    eta = 0.01
    length = eta * sqrt(INPUTS) * UP
    true = {
        "R_0": sqrt(1 + start**2) * UP, "g_x": length / 5 * UP, "m_x": rise, "zeta_bar": 1, "rho": eta, "r": length,
        "B": Fraction(1),
    }  # fmt: skip
    said = {**true, **claimed}
    theorem = spec.theorem("depth/trajectory-range")
    radius = theorem.evaluate(**{name: said[name] for name in ("R_0", "g_x", "m_x", "zeta_bar")}, T=T).upper
    gate = min(1.0, max(0.0, radius - 4))
    # ∫gate: all of T if z starts beyond 5, else half the time in which z passes from 4 to 5 and all after it.
    opened = float(T) if start >= 5 else float(T) - (4.5 - start) / rise
    true |= {"L_theta": gate, "L_x": length * gate * 2, "L_H": sqrt(2) / (eta * opened) * UP}
    return Lottery(true, T, claimed)


def beyond(**claimed: Exact) -> Lottery:
    """Return ``ṡ = ⟨(|θ| − 1)⁺ sign θ, π(x)⟩`` with θ_i = ±2: controls of |θ_i| <= 1 do nothing."""
    found = signs(1.0)
    length = 2 * sqrt(INPUTS) * UP
    return Lottery({**found.true, "rho": 2, "r": length, "L_theta": 0, "L_x": 0}, claimed=claimed)


def still(name: str, **claimed: Exact) -> Lottery:
    """Return one control that does nothing, where the sample goes wrong as in a trial of coins."""
    trial = TRIALS[name]()
    nothing = dict.fromkeys(("g_x", "m_x", "zeta_bar", "rho", "L_x", "L_theta", "L_H"), 0)
    return Lottery({**nothing, "R_0": 1, "B": trial.peak, "r": TINY}, claimed=claimed, trial=trial, own_centre=True)


def tailored() -> Lottery:
    """Return a class of one control, its own centre, that is fitted to the sample."""
    found = signs()
    return Lottery({**found.true, "r": TINY}, own_centre=True)
