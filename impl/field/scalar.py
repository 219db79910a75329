"""Abstract fields on the line, with exactly known constants and flows; see `impl.field.abstract`."""

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, inf

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_number
from impl.errors import ShapeMismatch
from impl.field.known import AutonomousField, Constant, Number, duration, exact, root, times


@dataclass(frozen=True)
class _ScalarField(AutonomousField):
    @property
    def width(self) -> int:
        """Width 1."""
        return 1


@dataclass(frozen=True)
class SaturatingField(_ScalarField):
    """``F(x) = M tanh(L x / M)`` on the line: bounded by ``M``, Lipschitz ``L`` (attained at 0).

    Parameters
    ----------
    bound, slope : Fraction or float
        ``M > 0`` (State / Depth) and ``L > 0`` (1 / Depth).
    """

    bound: Number = Fraction(1)
    slope: Number = Fraction(1)

    # L/M and its product with x: 3, not amplified (z tanh'z <= tanh z for z >= 0); tanh 8; M and its product 2.
    roundings = 13

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("bound", "slope"):
            require_number(name, getattr(self, name), 0.0, error=ShapeMismatch)

    @property
    def constants(self) -> dict[str, Constant]:
        """``M`` and ``L`` exact; ``L_xx = (L²/M)·4/(3√3)`` rounded up."""
        m, slope = exact(self.bound), exact(self.slope)
        curvature = times(slope * slope / m, root(Fraction(16, 27)))
        return self._constants(
            min(m, slope * Fraction(self.radius)), slope, curvature=curvature, growth=(Fraction(0), m)
        )

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``min(M, L|x|)``."""
        return min(float(self.bound), float(self.slope) * x_bound)

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``M tanh(L x / M)``, batch last."""
        return float(self.bound) * torch.tanh(x * (float(self.slope) / float(self.bound)))

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``(M/L) arsinh(e^{Lt} sinh(L x0 / M))``: ``u = Lx/M`` has ``sinh(u)' = L sinh(u)``."""
        rate = float(self.slope) / float(self.bound)
        grown = torch.sinh(rate * x0) * (1 + expm1(float(self.slope) * duration(t)))
        return torch.asinh(grown) / rate


@dataclass(frozen=True)
class LogisticField(_ScalarField):
    """``F(x) = x(1 − x)``."""

    roundings = 2

    @property
    def constants(self) -> dict[str, Constant]:
        """On ``|x| <= R``: ``M = R + R²``, ``L_x = 1 + 2R``, ``L_xx = 2``, all attained."""
        r = Fraction(self.radius)
        return self._constants(r + r * r, 1 + 2 * r, curvature=Fraction(2), growth=(1 + r, Fraction(0)))

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``|x|(1 + |x|)``."""
        return x_bound * (1 + x_bound)

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``x(1 − x)``, batch last."""
        return x * (1 - x)

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``x0 e^t / (1 + x0 (e^t − 1))``, infinite from the blow-up (``x0 < 0``) on."""
        growth = expm1(duration(t))
        below = 1 + x0 * growth
        return torch.where(below > 0, x0 * (1 + growth) / below, -inf)


@dataclass(frozen=True)
class QuadraticBlowUpField(_ScalarField):
    """``F(x) = x²``: not globally Lipschitz; from ``x0 > 0`` the flow blows up at ``1/x0``."""

    roundings = 1

    @property
    def constants(self) -> dict[str, Constant]:
        """On ``|x| <= R``: ``M = R²``, ``L_x = 2R``, ``L_xx = 2``, all attained."""
        r = Fraction(self.radius)
        return self._constants(r * r, 2 * r, curvature=Fraction(2), growth=(r, Fraction(0)))

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``x²``."""
        return x_bound * x_bound

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate ``x²``, batch last."""
        return x * x

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``x0 / (1 − x0 t)``, infinite from the blow-up on."""
        below = 1 - x0 * duration(t)
        return torch.where(below > 0, x0 / below, inf)
