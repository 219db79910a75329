"""Abstract fields with exactly known constants, and their exact flows where these are closed.

``exact_flow(x0, theta, t)`` is the state after depth ``t`` under a control and a schedule that are constant
(``ζ = 1``), batch first, from ``x0``; ``OutOfRange`` if ``t`` is not finite.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import cos, expm1, sin

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_number
from impl.errors import ShapeMismatch
from impl.field.base import split
from impl.field.grim_reaper import GrimReaperField
from impl.field.known import AutonomousField, Constant, KnownField, Number, duration, exact, plus, root, times
from impl.field.scalar import LogisticField, QuadraticBlowUpField, SaturatingField

__all__ = [
    "GrimReaperField",
    "LinearField",
    "LogisticField",
    "QuadraticBlowUpField",
    "RotatingField",
    "SaturatingField",
    "TimeDrivenField",
    "ZeroField",
]


@dataclass(frozen=True)
class LinearField(KnownField):
    """``F(x; θ) = b x + θ``.

    Parameters
    ----------
    n, d : int
        Tokens and width.
    growth : Fraction or float
        ``b``, of either sign (1 / Depth).
    shared : bool
        Whether one ``θ ∈ R^d`` is added to every token, instead of ``θ ∈ R^{n d}``.
    """

    n: int = 1
    d: int = 1
    growth: Number = Fraction(1)
    shared: bool = False

    roundings = 3  # b in the working precision, the product, the sum

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("growth", self.growth, error=ShapeMismatch)

    @property
    def tokens(self) -> int:
        """Number ``n`` of tokens."""
        return self.n

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.d

    @property
    def parameter_count(self) -> int:
        """Length ``p``: ``d`` if shared, else ``n d``."""
        return self.d if self.shared else self.n * self.d

    @property
    def constants(self) -> dict[str, Constant]:
        """Constants on ``K_R × {|θ| <= ρ}``; all are attained."""
        b, rho = abs(exact(self.growth)), Fraction(self.control_radius)
        spread = root(Fraction(self.n))
        control = spread if self.shared else Fraction(1)
        bound = plus(times(spread, b * Fraction(self.radius)), times(control, rho))
        return self._constants(bound, b, control, growth=(b, rho))

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``|b||x| + |θ|``."""
        return float(root(Fraction(self.n))) * (abs(float(self.growth)) * x_bound + control_bound)

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``b x + θ``, batch last."""
        return float(self.growth) * x + (theta if self.shared else split(theta, 0, (self.n, self.d)))

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``e^{bt} x0 + t φ₁(bt) θ``."""
        b, t = float(self.growth), duration(t)
        start, control = self.to_kernel(x0, theta)
        push = control if self.shared else split(control, 0, (self.n, self.d))
        grown = start + expm1(b * t) * start + (expm1(b * t) / b if b else t) * push
        return grown.movedim((0, 1), (-2, -1))


@dataclass(frozen=True)
class TimeDrivenField(LinearField):
    """``F(x; θ) = θ``: the state does not act on its velocity."""

    growth: Number = Fraction(0)

    roundings = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.growth:
            raise ShapeMismatch("growth = 0", self.growth, "use LinearField")

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``θ``, batch last."""
        return (theta if self.shared else split(theta, 0, (self.n, self.d))).expand_as(x)


@dataclass(frozen=True)
class ZeroField(AutonomousField):
    """``F = 0``: every bound at its zero corner."""

    n: int = 1
    d: int = 1

    @property
    def tokens(self) -> int:
        """Number ``n`` of tokens."""
        return self.n

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.d

    @property
    def constants(self) -> dict[str, Constant]:
        """All 0."""
        return self._constants(Fraction(0), Fraction(0))

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate 0, batch last."""
        return torch.zeros_like(x)

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``x0``."""
        duration(t)
        return x0


@dataclass(frozen=True)
class RotatingField(AutonomousField):
    """``F(x) = b J x``, ``J`` the quarter turn of the coordinates 2i, 2i+1: Lipschitz ``|b|`` with logarithmic norm 0.

    Parameters
    ----------
    n, d : int
        Tokens and (even) width.
    speed : Fraction or float
        ``b`` (1 / Depth).
    """

    n: int = 1
    d: int = 2
    speed: Number = Fraction(1)

    roundings = 2  # b in the working precision, the product

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("speed", self.speed, error=ShapeMismatch)
        if self.d % 2:
            raise ShapeMismatch("an even width", self.d, "add a coordinate")

    @property
    def tokens(self) -> int:
        """Number ``n`` of tokens."""
        return self.n

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        return self.d

    @property
    def constants(self) -> dict[str, Constant]:
        """Constants on ``K_R``; all are attained."""
        b = abs(exact(self.speed))
        return self._constants(times(root(Fraction(self.n)), b * Fraction(self.radius)), b, growth=(b, Fraction(0)))

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``|b||x|``."""
        return float(root(Fraction(self.n))) * abs(float(self.speed)) * x_bound

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``b J x``, batch last."""
        return float(self.speed) * torch.stack((-x[:, 1::2], x[:, ::2]), dim=2).flatten(1, 2)

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``cos(bt) x0 + sin(bt) J x0``."""
        angle = float(self.speed) * duration(t)
        turned = torch.stack((-x0[..., 1::2], x0[..., ::2]), dim=-1).flatten(-2)
        return cos(angle) * x0 + sin(angle) * turned
