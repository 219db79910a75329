"""The one place for rounding allowances: directed, derived, conservative.

Standard model: every operation returns ``(a ∘ b)(1 + δ)``, ``|δ| <= u``; sums in any order, fused or not. A product of
k factors ``(1 + δ)^{±1}`` is ``1 + θ_k`` with ``|θ_k| <= γ_k = ku/(1 − ku)`` (Higham, Accuracy and Stability of
Numerical Algorithms, 2nd ed., Lemma 3.1). Two assumptions are not theorems, and tests probe them: exp and
tanh err by at most ``ULPS = 4`` units in the last place, an activation by at most ``ACTIVATION u |a|``. Matrix products
are assumed to work in the precision of their type (no TF32).
"""

from functools import singledispatch
from math import inf, sqrt

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count, require_numbers
from impl.errors import NotRealFloating, ShapeMismatch
from impl.euclidean import length
from impl.field.base import Field
from impl.field.known import AutonomousField, KnownField
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.transformer import TransformerField
from spec.language.errors import OutOfRange

ULPS = 4
"""Assumed error of a library function, in units in the last place (each at most ``2u``, relatively)."""

ACTIVATION = 16
"""Assumed ``|fl(σ(a)) − σ(a)| <= ACTIVATION u |a|`` for every registered σ."""

SLOPE = 1.13
"""Every registered σ has ``σ(0) = 0`` and ``|σ'| <= 1.12899… < SLOPE`` (the tanh form of GELU is the steepest)."""


def unit_roundoff(dtype: torch.dtype) -> float:
    """Return ``u``, half the gap above 1: ``2^-53, 2^-24, 2^-8`` for float64, float32, bfloat16."""
    return torch.finfo(dtype).eps / 2


def gamma(k: int, dtype: torch.dtype = torch.float64) -> float:
    """Return ``γ_k = ku/(1 − ku)``, infinite where ``ku >= 1``; rounded up.

    Raises
    ------
    OutOfRange
        If k is negative or not a number.
    """
    if not k >= 0:
        raise OutOfRange("k >= 0 roundings", k, "count them")
    ku = k * unit_roundoff(dtype)
    return inf if ku >= 1 else ku / (1 - ku) * (1 + 4 * unit_roundoff(torch.float64))


def directed(value: Float[Tensor, "*batch"], operations: int) -> Float[Tensor, "*batch"]:
    """Round a nonnegative float64 result up, when it took this many operations without cancellation."""
    return value * (1 + gamma(operations + 2)) + torch.finfo(value.dtype).smallest_normal


def compounded(*relative: Tensor | float) -> Tensor:
    """Return ``Π(1 + r_i) − 1`` of relative errors, without cancellation; float64."""
    total = torch.zeros((), dtype=torch.float64)
    for each in relative:
        total = total + torch.log1p(torch.as_tensor(each, dtype=torch.float64))
    return total.expm1()


def singular_value_rounding(rows: int, columns: int, dtype: torch.dtype) -> float:
    """Return a relative allowance for a largest singular value.

    Bidiagonalisation is backward stable: ``|σ̂ − σ| <= p(m, n) u σ`` with p a modest polynomial, here ``20·max(m, n)``
    (assumed, as in LAPACK Users' Guide, 3rd ed., section 4.9.1, where it is taken as 1). The closed form of one or two
    rows of m entries is far within it: by Weyl's inequality the larger eigenvalue λ of the Gram matrix errs by at most
    ``γ_{m+2} tr <= 2γ_{m+2} λ``, its root by half of that, and the operations behind it by ``γ_8``.
    """
    return gamma(20 * max(rows, columns), dtype)


@singledispatch
def field_rounding(
    field: Field, n: int, x_bound: Tensor | float, norms: dict[str, Tensor], dtype: torch.dtype
) -> Float[Tensor, "*instances"]:
    """Bound ``|fl(F(x; θ)) − F(x; θ)|`` (Frobenius) over ``|x|_tok <= x_bound``, for one layer.

    Parameters
    ----------
    field : Field
        A field of this package.
    n : int
        Number of tokens.
    x_bound : Tensor or float
        ``R`` (State), one for all or one an instance; of the *computed* states.
    norms : dict
        ``block_norms(layout, theta)``; for abstract fields ``{"theta": |θ|}``.
    dtype : torch.dtype
        The precision in which the kernel runs; ``x`` and ``θ`` are exact in it.

    Returns
    -------
    Tensor
        The allowance (State / Depth), float64, rounded up; infinite where the precision guarantees nothing.

    Raises
    ------
    ShapeMismatch
        If n, ``x_bound`` or a norm is negative or not a number, a norm is missing, or the mask has other tokens.
    NotRealFloating
        If the precision is none of real floating point numbers.
    NotImplementedError
        For a field without a derived allowance.
    """
    raise NotImplementedError(f"no rounding allowance for {type(field).__name__}; derive one and register it")


@field_rounding.register
def _(field: KnownField, n: int, x_bound: Tensor | float, norms: dict[str, Tensor], dtype: torch.dtype) -> Tensor:
    own: set[str] = set() if isinstance(field, AutonomousField) else {"theta"}
    radius, wide = _checked(field, n, x_bound, norms, own, dtype)
    theta = wide.get("theta", _wide(0.0))
    radius, theta = radius + torch.zeros_like(theta), theta + torch.zeros_like(radius)
    pairs = zip(radius.flatten().tolist(), theta.flatten().tolist(), strict=True)
    magnitude = _wide([field.magnitude(*pair) for pair in pairs]).reshape(theta.shape).nan_to_num(nan=inf, posinf=inf)
    return directed(magnitude * gamma(field.roundings, dtype), 16) if field.roundings else torch.zeros_like(magnitude)


@field_rounding.register
def _(field: TransformerField, n: int, x_bound: Tensor | float, norms: dict[str, Tensor], dtype: torch.dtype) -> Tensor:
    """Attention and MLP apart, then the sum.

    Notation: token norms; ``f_W = √rank ‖W‖ >= ‖W‖_F >= ‖|W|‖``; the input carries a relative error ``ι`` (of the
    normalisation; 0 without).

    Scores: ``ŝ = Σ_k (Σ_a Q_ka x_a)(Σ_b K_kb x_b)/√d_k`` with ``1 + θ`` on every term, so
    ``|ŝ − s| <= [(1+γ_{2d+d_k+2})(1+ι)² − 1] S =: δ``, ``S = f_Q f_K R²/√d_k``.
    Weights: the subtraction of the maximum is shared by a row but for its rounding ``2u(S + δ)``; with
    ``η = δ + 2u(S + δ)`` the normalised weights are ``P_j (1 + ζ)``, ``1 + ζ <= e^{2η}(1 + θ_{4·ULPS+2n+2})``, up to
    underflow, at most the smallest normal number each, since the sum of the weights is at least 1.
    Output: ``|ΔAttn| <= [(1+ζ)(1+γ_{d+hd_k+n+1})(1+ι) − 1] f_O f_V R`` for each head.
    MLP: ``|Δa| <= [(1+γ_{d+1})(1+ι) − 1](f_1 R + |b1|)``, ``|Δσ| <= SLOPE |Δa| + ACTIVATION u (|a| + |Δa|)``,
    ``|ΔMLP| <= f_2 |Δσ| + γ_{m+1}(f_2 |σ̂| + |b2|)``. The two parts are added with one rounding; ``√n`` tokens.
    """
    layout = field.layout
    radius, wide = _checked(field, n, x_bound, norms, set(layout.shapes), dtype)
    u = unit_roundoff(dtype)
    inexact, error, size = _wide(0.0), _wide(0.0), _wide(0.0)
    if field.normalisation is not None:
        radius, inexact = _normalised(field.normalisation, radius, dtype)
    if layout.heads:
        change, value = _attention_rounding(field, n, radius, inexact, wide, dtype)
        error, size = error + change, size + value
    if layout.hidden:
        change, value = _mlp_rounding(field, radius, inexact, wide, dtype)
        error, size = error + change, size + value
    total = error * (1 + u) + size * u
    return directed(sqrt(n) * torch.nan_to_num(total, nan=inf, posinf=inf), 64)


def _wide(value: Tensor | float | list[float]) -> Tensor:
    return torch.as_tensor(value, dtype=torch.float64).detach()


def _checked(
    field: KnownField | TransformerField,
    n: int,
    x_bound: Tensor | float,
    norms: dict[str, Tensor],
    needed: set[str],
    dtype: torch.dtype,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the states' radius and the norms, in float64."""
    if not dtype.is_floating_point:
        raise NotRealFloating("a precision of real floating point numbers", dtype, "give float64, float32 or bfloat16")
    field.require_fit(require_count("number of tokens n", n, 1, error=ShapeMismatch))
    if needed - set(norms):
        raise ShapeMismatch(f"norms of {sorted(needed)}", sorted(norms), "give block_norms(layout, theta)")
    found = {"x_bound": x_bound, **norms}
    for name, bound in found.items():
        require_numbers(name, bound, 0.0, ends="[]", error=ShapeMismatch)
    wide = {name: _wide(bound) for name, bound in found.items()}
    return wide.pop("x_bound"), wide


def _attention_rounding(
    field: TransformerField, n: int, radius: Tensor, inexact: Tensor, norms: dict[str, Tensor], dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    layout, u = field.layout, unit_roundoff(dtype)
    d, k = layout.width, layout.head_width
    full = sqrt(min(d, k))
    radius, inexact = radius.unsqueeze(-1), inexact.unsqueeze(-1)  # heads are the last dimension of the norms
    score = full * norms["Q"] * full * norms["K"] * radius**2 / sqrt(k)
    delta = score * compounded(gamma(2 * d + k + 2, dtype), inexact, inexact)
    eta = delta + 2 * u * (score + delta)
    weight = torch.expm1(2 * eta) * (1 + gamma(4 * ULPS + 2 * n + 2, dtype)) + gamma(4 * ULPS + 2 * n + 2, dtype)
    weight = weight + n * torch.finfo(dtype).smallest_normal
    size = full * norms["O"] * full * norms["V"] * radius
    error = size * compounded(weight, gamma(d + layout.heads * k + n + 1, dtype), inexact)
    return error.sum(-1), (size + error).sum(-1)


def _mlp_rounding(
    field: TransformerField, radius: Tensor, inexact: Tensor, norms: dict[str, Tensor], dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    layout, u = field.layout, unit_roundoff(dtype)
    full = sqrt(min(layout.width, layout.hidden))
    before = full * norms["W1"] * radius + norms["b1"]
    before_error = before * compounded(gamma(layout.width + 1, dtype), inexact)
    after_error = SLOPE * before_error + ACTIVATION * u * (before + before_error)
    after = SLOPE * before + after_error
    size = full * norms["W2"] * after + norms["b2"]
    error = full * norms["W2"] * after_error + gamma(layout.hidden + 1, dtype) * size
    return error, size + error


@singledispatch
def _normalised(normalisation: object, radius: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Bound the normalised tokens, and their error relative to that bound."""
    raise NotImplementedError(f"no rounding allowance for {type(normalisation).__name__}; derive one and register it")


def _scaling_roundings(width: int) -> int:
    # Mean square d + 1, ε_norm and its sum 2 (halved by the root), the root's reciprocal 2 ULPS, gain and products 3.
    # The factor against overflow is a power of 2: exact.
    return width + 6 + 2 * ULPS


def _is_normal(normalisation: RMSNorm | LayerNorm, dtype: torch.dtype) -> bool:
    # The kernel raises an ε_norm below the normal numbers to the least of them.
    return normalisation.eps_norm >= torch.finfo(dtype).smallest_normal


@_normalised.register
def _(normalisation: RMSNorm, radius: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    bound = _wide(normalisation.gain.detach().abs().max()) * sqrt(normalisation.width)
    relative = gamma(_scaling_roundings(normalisation.width), dtype)
    return bound, _wide(relative if _is_normal(normalisation, dtype) else inf)


@_normalised.register
def _(normalisation: LayerNorm, radius: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    # Centring cancels: |Δ(x − mean)| <= 2γ_{d+2}|x|, amplified by the scaling's Lipschitz constant γ_max/√ε_norm.
    width, steepest = normalisation.width, _wide(normalisation.gain.detach().abs().max())
    centred = 2 * gamma(width + 2, dtype) * radius * steepest / sqrt(normalisation.eps_norm)
    bound = steepest * sqrt(width) + length(_wide(normalisation.shift.detach()))
    error = (
        centred * (1 + gamma(_scaling_roundings(width) + 2, dtype))
        + gamma(_scaling_roundings(width) + 2, dtype) * bound
    )
    error = error if _is_normal(normalisation, dtype) else torch.full_like(error, inf)
    return bound, torch.where(bound > 0, error / bound, 0.0)
