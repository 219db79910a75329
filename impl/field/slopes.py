"""How fast one head of attention moves with its state: the norm of its derivative, and secants of its means.

Both come with an absolute error that includes rounding, for float64 blocks and states that are exact as they stand.
Notation of the derivation: token norms, ``f_W = ‖W‖_F``, ``S = f_Q f_K R²/√d_k``, ``R`` the longest token. A weight
carries the relative error ``ζ`` of `impl.rounding` (scores within ``δ``, the subtraction of the maximum, exp, the sum).
"""

from math import sqrt

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.func import jacrev, vmap

from impl.checks import require_finite
from impl.errors import ShapeMismatch
from impl.euclidean import length
from impl.field.attention import Mask, attention_first
from impl.rounding import ULPS, compounded, directed, gamma, singular_value_rounding, unit_roundoff

DTYPE = torch.float64


def attention_slope(
    x: Float[Tensor, "batch n d"],
    query: Float[Tensor, "batch k d"],
    key: Float[Tensor, "batch k d"],
    value: Float[Tensor, "batch v d"],
    visible: Bool[Tensor, "n n"] | None = None,
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """Measure ``‖D_x Attn(x)‖ = max_Δ |D_x Attn(x) Δ|/|Δ|``: automatic differentiation, then singular values.

    Reverse differentiation multiplies and sums along paths of at most ``2d + 2n + k + v + 16`` roundings, with two
    weights on each. In absolute values the derivative has three parts: the weights times V, the keys' scores and the
    queries' scores; their Frobenius norms are at most ``√n f_V``, ``2√n f_V S`` and ``2√n f_V S``. By Weyl's inequality
    the largest singular value moves by no more than the error's Frobenius norm.

    Parameters
    ----------
    x : Tensor
        States (State).
    query, key : Tensor
        ``Q`` and ``K`` of the head (State^-1), ``d_k`` rows.
    value : Tensor
        ``V`` (pure).
    visible : Tensor or None
        Queries by keys; ``None``: all.

    Returns
    -------
    (norm, error)
        Pure numbers; the exact norm lies within the error.

    Raises
    ------
    FullyMaskedRow
        If a query sees no key.
    ShapeMismatch
        If blocks, mask and states do not fit, or are not float64.
    NotFinite
        If an entry is not finite.

    Source: field/attention-lipschitz.
    """
    mask = _mask(x, query, key, value, visible)
    n, d, k, v = x.shape[-2], x.shape[-1], query.shape[-2], value.shape[-2]

    def attention(x: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attention_first((x @ query.mT)[None], (x @ key.mT)[None], (x @ value.mT)[None], mask)[0]

    jacobian = vmap(jacrev(attention))(x, query, key, value).reshape(-1, n * v, n * d)
    norm = torch.linalg.svdvals(jacobian)[..., 0]
    scores, weight = _weights(x, query, key)
    entries = compounded(weight, weight, gamma(2 * d + 2 * n + k + v + 16))
    error = entries * sqrt(n) * length(value, (-1, -2)) * (1 + 4 * scores)
    return norm, directed(error + norm * singular_value_rounding(n * v, n * d, DTYPE), 64)


def means_secant(
    x: Float[Tensor, "batch n d"],
    y: Float[Tensor, "batch n d"],
    query: Float[Tensor, "batch k d"],
    key: Float[Tensor, "batch k d"],
    visible: Bool[Tensor, "n n"] | None = None,
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """Measure ``|mix(x) − mix(y)|/|x − y|`` for the softmax means of two states.

    Each mean is computed within ``[(1 + ζ)(1 + γ_{n+1}) − 1] R`` a token; difference, norms and quotient add
    ``γ_{2nd+8}`` of what they give.

    Parameters
    ----------
    x, y : Tensor
        States (State), not equal.
    query, key : Tensor
        ``Q`` and ``K`` of the head (State^-1).
    visible : Tensor or None
        Queries by keys; ``None``: all.

    Returns
    -------
    (quotient, error)
        Pure numbers.

    Raises
    ------
    FullyMaskedRow
        If a query sees no key.
    ShapeMismatch
        If blocks, mask and states do not fit or are not float64, or two states are equal.
    NotFinite
        If an entry is not finite.

    Source: field/attention-lipschitz.
    """
    mask = _mask(x, query, key, y, visible)
    apart = length(x - y, (-1, -2)) if x.shape == y.shape else x.new_zeros(1)
    if not bool((apart > 0).all()):
        raise ShapeMismatch("two different states of one shape", (tuple(x.shape), tuple(y.shape)), "move one of them")
    n, d = x.shape[-2:]
    means, errors = [], []
    for state in (x, y):
        parts = [(state @ block.mT).unsqueeze(-3) for block in (query, key)]
        means.append(attention_first(parts[0], parts[1], state.unsqueeze(-3), mask).squeeze(-3))
        _, weight = _weights(state, query, key)
        errors.append(compounded(weight, gamma(n + 1)) * sqrt(n) * _longest(state))
    quotient = length(means[0] - means[1], (-1, -2)) / apart
    error = (errors[0] + errors[1]) / apart * (1 + gamma(2 * n * d + 8)) + quotient * gamma(4 * n * d + 16)
    return quotient, directed(error, 64)


def _longest(x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch"]:
    return directed(length(x).amax(-1), x.shape[-1] + 2)


def _weights(x: Tensor, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Return ``S`` and ``ζ``, a batch each."""
    n, d = x.shape[-2:]
    k, u = query.shape[-2], unit_roundoff(DTYPE)
    scores = directed(length(query, (-1, -2)) * length(key, (-1, -2)) * _longest(x) ** 2 / sqrt(k), 2 * k * d)
    delta = scores * gamma(2 * d + k + 2)
    eta = delta + 2 * u * (scores + delta)
    rounded = gamma(4 * ULPS + 2 * n + 2)
    weight = torch.expm1(2 * eta) * (1 + rounded) + rounded + n * torch.finfo(DTYPE).smallest_normal
    return scores, directed(weight, 16)


def _mask(x: Tensor, query: Tensor, key: Tensor, value: Tensor, visible: Tensor | None) -> Tensor | None:
    for block in (query, key, value):
        if block.shape[-1] != x.shape[-1] or block.dtype != DTYPE or x.dtype != DTYPE:
            raise ShapeMismatch(
                f"float64 blocks of width {x.shape[-1]}", f"{block.dtype} {tuple(block.shape)}", "match"
            )
    for name, part in ("states", x), ("Q", query), ("K", key), ("V", value):
        require_finite(name, part)
    if query.shape != key.shape:
        raise ShapeMismatch("Q and K of one shape", (tuple(query.shape), tuple(key.shape)), "match them")
    if visible is None:
        return None
    if visible.shape != (x.shape[-2],) * 2:
        raise ShapeMismatch(f"a mask for {x.shape[-2]} tokens", tuple(visible.shape), "give queries by keys")
    Mask(visible)  # refuses a query that sees no key
    return visible.mT.unsqueeze(0)
