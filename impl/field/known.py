"""What the abstract fields share: constants that are known exactly."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt, nextafter, sqrt

from impl.checks import require_count, require_number
from impl.errors import ShapeMismatch
from impl.field.base import KernelField

Number = Fraction | int | float
"""A coefficient or a radius; a float is taken at its exact value."""

Constant = Fraction | float
"""An exact number, or a float that was rounded up (a certified upper bound within one ulp)."""


def root(square: Fraction) -> Constant:
    """Return the square root: exact where rational, else rounded up."""
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    above = sqrt(square)  # within one ulp, so two steps up are enough
    return nextafter(nextafter(above, inf), inf)


def times(a: Constant, b: Constant) -> Constant:
    """Multiply nonnegative constants: exact for fractions, else rounded up."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    if not a or not b:
        return Fraction(0)
    return nextafter(nextafter(float(a), inf) * nextafter(float(b), inf), inf)


def plus(a: Constant, b: Constant) -> Constant:
    """Add nonnegative constants: exact for fractions, else rounded up."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return nextafter(nextafter(float(a), inf) + nextafter(float(b), inf), inf)


def duration(t: float) -> float:
    """Return a depth of either sign (Depth).

    Raises
    ------
    OutOfRange
        If it is not a finite number.
    """
    return float(require_number("duration t", t))


def exact(value: Number) -> Fraction:
    """Return the number that float64 arithmetic uses for a coefficient, exactly."""
    return Fraction(float(value))


@dataclass(frozen=True)
class KnownField(KernelField):
    """A field whose constants are known on ``K_R × {|θ| <= ρ}``.

    Parameters
    ----------
    radius : Fraction or float
        ``R``, a bound of ``|x|_tok`` (State).
    control_radius : Fraction or float
        ``ρ``, a bound of ``|θ|`` (Control).

    Raises
    ------
    ShapeMismatch
        If a radius is negative or not finite, or a size is no positive integer.
    """

    radius: Number = Fraction(1)
    control_radius: Number = Fraction(1)

    roundings = 0
    """``k`` in ``|fl(F) − F| <= γ_k · magnitude``; see ``impl.rounding.field_rounding``."""

    def __post_init__(self) -> None:
        require_number("radius", self.radius, 0.0, ends="[)", error=ShapeMismatch)
        require_number("control_radius", self.control_radius, 0.0, ends="[)", error=ShapeMismatch)
        for name, size in ("number of tokens", self.tokens), ("width", self.width), ("length", self.parameter_count):
            require_count(name, size, int(name != "length"), error=ShapeMismatch)

    @property
    def tokens(self) -> int:
        """Number ``n`` of tokens."""
        return 1

    def require_fit(self, n: int, batch: tuple[int, ...] | None = None) -> None:
        """Refuse states of another number of tokens: the constants are not theirs."""
        super().require_fit(n, batch)
        if n != self.tokens:
            raise ShapeMismatch(f"states of {self.tokens} tokens, the field's number", n, "give the field n tokens")

    @property
    @abstractmethod
    def constants(self) -> dict[str, Constant]:
        """``M, L_x, L_theta, L_xx, L_xtheta, L_thetatheta`` in the Frobenius norm on ``K_R × {|θ| <= ρ}``.

        Also ``g, m_0`` with ``|F_i| <= g|x|_tok + m_0``. Fractions are exact; floats are rounded up.
        """

    def magnitude(self, x_bound: float, control_bound: float) -> float:
        """Bound the Frobenius norm of the sum of the absolute values of the terms that the kernel adds."""
        return 0.0

    def _constants(
        self,
        bound: Constant,
        slope: Constant,
        control: Constant = Fraction(0),
        curvature: Constant = Fraction(0),
        growth: tuple[Constant, Constant] = (Fraction(0), Fraction(0)),
    ) -> dict[str, Constant]:
        mixed = {"L_xtheta": Fraction(0), "L_thetatheta": Fraction(0)}
        return {
            "M": bound,
            "L_x": slope,
            "L_theta": control,
            "L_xx": curvature,
            "g": growth[0],
            "m_0": growth[1],
            **mixed,
        }


@dataclass(frozen=True)
class AutonomousField(KnownField):
    """A field without control: ``θ`` has coordinates, for the sake of uniform code, and is not read.

    Parameters
    ----------
    controls : int
        Length of the ignored control.
    """

    controls: int = 1

    @property
    def parameter_count(self) -> int:
        """Length ``p`` of the ignored control vector."""
        return self.controls
