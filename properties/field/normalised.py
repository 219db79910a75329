"""Exact states behind a normalisation: what its theorem's exhibits are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from properties.checking import Batch

CONSTANT_OF = {
    "gain-bounded": "gamma_max", "shift-bounded": "beta_norm", "normed-field-bounded": "M",
    "normed-field-lipschitz": "L_x",
}  # fmt: skip
Tokens: TypeAlias = tuple[tuple[Any, ...], ...]
"""Exact numbers, token by token."""


@dataclass(frozen=True)
class Case:
    """Exact states, a normalisation and the field F(z) = slope z + push behind it, with the constants that are claimed.

    Constants that `claimed` does not name are the least true ones; controls do nothing.
    """

    x: Tokens
    y: Tokens
    gain: tuple[Any, ...]
    shift: tuple[Any, ...] = ()
    eps: Any = Fraction(1, 4)
    slope: Any = 2
    push: Any = 0
    claimed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def d(self) -> int:
        """Width of a token."""
        return len(self.gain)

    def centred(self, state: Tokens) -> sp.Matrix:
        """Return the tokens less their means; RMSNorm, without a shift, keeps them."""
        x = sp.Matrix(state)
        return x - sp.Matrix(x.rows, x.cols, lambda i, _: sum(x.row(i)) / self.d) if self.shift else x

    def normalised(self, state: Tokens) -> sp.Matrix:
        """Return norm(x)."""
        c, shift = self.centred(state), self.shift or (0,) * self.d
        spread = [sp.sqrt(c.row(i).dot(c.row(i)) / self.d + self.eps) for i in range(c.rows)]
        return sp.Matrix(c.rows, self.d, lambda i, j: self.gain[j] * c[i, j] / spread[i] + shift[j])

    def behind(self, state: Tokens) -> sp.Matrix:
        """Return F(norm(x))."""
        z = self.normalised(state)
        return self.slope * z + self.push * sp.ones(*z.shape)

    @property
    def true(self) -> dict[str, Any]:
        """The least constants that the case meets."""
        lengths = [_size(c.row(i)) for c in map(self.centred, (self.x, self.y)) for i in range(c.rows)]
        own: dict[str, Any] = {"gamma_max": max(abs(g) for g in self.gain), "beta_norm": _size(sp.Matrix(self.shift))}
        held = {**own, **self.claimed}
        radius = held["gamma_max"] * sp.sqrt(self.d) + held["beta_norm"]
        bound = sp.sqrt(len(self.x)) * (abs(self.slope) * radius + abs(self.push) * sp.sqrt(self.d))
        return {
            **own, "M": bound, "L_x": abs(self.slope), "eps_norm": self.eps, "d": self.d, "r_norm": sp.Min(*lengths),
        }  # fmt: skip

    @property
    def values(self) -> dict[str, Any]:
        """The constants of the theorem's symbols."""
        return {**self.true, **self.claimed}

    def met(self) -> dict[str, bool]:
        """Say which assumptions the case meets."""
        return {name: bool(self.true[symbol] <= self.values[symbol]) for name, symbol in CONSTANT_OF.items()}

    def batches(self) -> dict[str, Batch]:
        """Return every claim's batch of one; difference quotients only where the states differ."""
        z, w = self.normalised(self.x), self.normalised(self.y)
        f, g = self.behind(self.x), self.behind(self.y)
        measured = {"range": sp.Max(*(_size(z.row(i)) for i in range(z.rows))), "field-range": _size(f)}
        if self.x != self.y:
            distance = _size(sp.Matrix(self.x) - sp.Matrix(self.y))
            measured |= dict.fromkeys(("lipschitz", "local"), _size(z - w) / distance)
            measured |= dict.fromkeys(("field-lipschitz", "field-local"), _size(f - g) / distance)
        return {name: Batch([value], np.zeros(1), self.values) for name, value in measured.items()}


def _size(v: sp.Matrix) -> sp.Expr:
    return sp.sqrt(sum((entry**2 for entry in v), sp.Integer(0)))
