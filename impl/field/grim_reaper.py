"""The grim-reaper field: the worst known instance of Euler's state term.

Its flow from 0 runs along the grim-reaper curve, so that Euler's error reaches .82, .73, .60, .51 of
``½ L M T φ₁(bT) ε`` at ``bT`` = .5, 1, 2, 4 (``depth/euler-pathwise``).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import atan, exp, inf, log, log1p, log2, pi, tanh

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_number
from impl.field.known import AutonomousField, Constant, Number, duration, exact
from spec.language.errors import OutOfRange


@dataclass(frozen=True)
class GrimReaperField(AutonomousField):
    """``F(x) = M (cos Θ, sin Θ)``, ``Θ(x) = sup_{s>=0} [gd s − |Lx/M − X(s)|]``, one token in the plane.

    ``X(s) = (gd s, log cosh s)`` and ``gd s = 2 arctan tanh(s/2)``; ``Θ`` is the least 1-Lipschitz extension of
    ``X(s) ↦ gd s``. Hence ``|F| = M`` everywhere, ``Lip F = L``, and the flow from 0 is ``(M/L) X(Lt)``.

    Parameters
    ----------
    bound, slope : Fraction or float
        ``M > 0`` (State / Depth) and ``L > 0`` (1 / Depth).

    Raises
    ------
    OutOfRange
        If ``M`` or ``L`` is not positive and finite.
    """

    bound: Number = Fraction(1)
    slope: Number = Fraction(1)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("bound M", self.bound, 0.0)
        require_number("slope L", self.slope, 0.0)

    @property
    def width(self) -> int:
        """Width 2."""
        return 2

    @property
    def constants(self) -> dict[str, Constant]:
        """``M`` and ``L`` are exact and attained; the field has no second derivative on the curve (``L_xx = ∞``)."""
        m, slope = exact(self.bound), exact(self.slope)
        return self._constants(m, slope, curvature=inf, growth=(Fraction(0), m))

    # Θ to within 64 roundings of its terms (see extension), sine and cosine 8, products 2.
    roundings = 74

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """``M (1 + 3e^h)(1 + h)``, ``h = L|x|/M``: terms of size ``1 + h``, amplified by the curve's steepness.

        The maximiser's height ``z + h`` has ``z e^z <= (π + 2h)e^{-h} <= π``, so ``z < 1.08`` and ``sec φ < 3e^h``.
        """
        height = float(self.slope) * x_bound / float(self.bound)
        return float(self.bound) * (1 + 3 * exp(height)) * (1 + height) if height < 700 else inf

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate the field, batch last."""
        angle = extension(x * (float(self.slope) / float(self.bound)))
        return float(self.bound) * torch.stack((torch.cos(angle), torch.sin(angle)), dim=1)

    def exact_flow(self, x0: Tensor, theta: Tensor, t: float) -> Tensor:
        """``(M/L) (gd Lt, log cosh Lt)``, from ``x0 = 0`` only.

        Raises
        ------
        OutOfRange
            If ``x0`` is not 0, or ``t`` is not finite: elsewhere the flow is not known in closed form.
        """
        if bool(x0.ne(0).any()):
            raise OutOfRange("x0 = 0", x0.abs().amax().item(), "start on the curve")
        s, scale = float(self.slope) * duration(t), float(self.bound) / float(self.slope)
        curve = (2 * atan(tanh(s / 2)), abs(s) + log1p(exp(-2 * abs(s))) - log(2))
        return x0 + scale * torch.tensor(curve, dtype=x0.dtype, device=x0.device)


def extension(y: Float[Tensor, "n 2 *batch"]) -> Float[Tensor, "n *batch"]:
    """Evaluate ``Θ(y) = sup_φ f(φ)``, ``f(φ) = φ − |y − X|``, ``X = (φ, −log cos φ)``, ``0 <= φ < π/2``.

    With ``ψ`` the direction of ``X − y``, ``f' = 1 − cos(ψ − φ)/cos φ``, negative exactly where ``0 < ψ < 2φ``. That
    region is never left as φ grows (``ψ' > 0`` at ``ψ = 0``, ``ψ' < 0`` at ``ψ = 2φ``), so f rises, then falls. Left of
    the curve it turns where ``ψ = 0``, and ``Θ = y₁``. Elsewhere bisection finds the turn; ``|f'| <= 1 + sec φ``, so a
    bracket of width u gives Θ to ``(1 + sec φ) u``, beside the roundings of φ, log cos φ and the norm. The derivative
    is that of the supremum (the maximiser is a constant); second derivatives are not given.
    """
    across, up = y[:, 0], y[:, 1]
    # The curve's angle at the height of y, from cos φ = e^{-y₂} without cancellation.
    level = torch.atan(torch.expm1(2 * up.detach().clamp(min=0)).sqrt())
    left = (up.detach() >= 0) & (across.detach() <= level)
    low, high = level, torch.full_like(level, pi / 2)
    for _ in range(2 + round(-log2(torch.finfo(y.dtype).eps))):
        middle = 0.5 * (low + high)
        rises = _rises(middle, across.detach(), up.detach())
        low, high = torch.where(rises, middle, low), torch.where(rises, high, middle)
    right, above = low - across, -torch.log(torch.cos(low)) - up
    square = right * right + above * above
    return torch.where(left, across, low - torch.where(left | (square == 0), 1, square).sqrt())


def _rises(phi: Tensor, across: Tensor, up: Tensor) -> Tensor:
    right, above = phi - across, -torch.log(torch.cos(phi)) - up
    # f' > 0: ⟨X − y, (cos φ, sin φ)⟩ < |X − y| cos φ.
    return right * torch.cos(phi) + above * torch.sin(phi) < torch.hypot(right, above) * torch.cos(phi)
