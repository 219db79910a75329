"""What the field's theorems speak of, computed: sizes of values, difference quotients, slopes.

A map takes a batch to a batch, instance by instance; the first dimension counts instances. What moves may be a state, a
block or a number.
"""

from collections.abc import Callable
from math import sqrt
from typing import TypeAlias

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.func import grad
from torch.nn.functional import pad

from impl.euclidean import length
from impl.field.attention import attention_first
from impl.rounding import directed, gamma, unit_roundoff

Map: TypeAlias = Callable[[Tensor], Tensor]

SLOPE_ROUNDINGS = 64
"""``|fl(σ') − σ'| <= SLOPE_ROUNDINGS u (1 + |a|)³`` for every registered σ, see ``slope_rounding``."""


def attention(
    x: Float[Tensor, "*batch n d"],
    query: Float[Tensor, "*batch k d"],
    key: Float[Tensor, "*batch k d"],
    value: Float[Tensor, "*batch v d"],
    visible: Bool[Tensor, "n n"] | None = None,
) -> Float[Tensor, "*batch n v"]:
    """Return ``V Σ_j P_ij x_j``, the softmax means of what a token looks at; for ``V = I`` the means themselves.

    Values wider than the head are cut into heads that share their scores.

    Parameters
    ----------
    x : Tensor
        States (State).
    query, key : Tensor
        ``Q`` and ``K`` (1 / State).
    value : Tensor
        ``V`` (pure).
    visible : Tensor or None
        Visible keys, queries by keys.

    Returns
    -------
    Tensor
        A vector for every token (State).
    """
    width = query.shape[-2]
    heads = -(-value.shape[-2] // width)
    padded = pad(value, (0, 0, 0, heads * width - value.shape[-2])).unflatten(-2, (heads, width))
    asked, sought = ((x @ block.mT).unsqueeze(-3).expand(*x.shape[:-2], heads, -1, -1) for block in (query, key))
    mixed = attention_first(asked, sought, x.unsqueeze(-3) @ padded.mT, None if visible is None else visible.mT)
    return mixed.transpose(-3, -2).flatten(-2)[..., : value.shape[-2]]


def scores(
    x: Float[Tensor, "batch *particles n d"],
    query: Float[Tensor, "batch *#particles k d"],
    key: Float[Tensor, "batch *#particles k d"],
) -> Float[Tensor, " batch"]:
    """Return ``max_ij |⟨Q x_i, K x_j⟩|/√d_k``, pure; source: ``field/attention-parameters``."""
    asked, sought = x @ query.mT, x @ key.mT
    return (asked @ sought.mT).abs().flatten(1).amax(dim=1) / sqrt(query.shape[-2])


def size(f: Map, x: Float[Tensor, "batch ..."]) -> Float[Tensor, " batch"]:
    """Return ``|f(x)|``, the Euclidean norm over all entries; source: ``field/norm-field``."""
    return length(f(x).flatten(1))


def longest(f: Map, x: Float[Tensor, "batch ..."]) -> Float[Tensor, " batch"]:
    """Return ``|f(x)|_tok``, the norm of the longest token (last dimension); source: ``field/attention-bounded``."""
    return length(f(x)).flatten(1).amax(dim=1)


def quotient(f: Map, a: Float[Tensor, "batch ..."], b: Float[Tensor, "batch ..."]) -> Float[Tensor, " batch"]:
    """Return ``|f(a) − f(b)| / |a − b|``, Euclidean over all entries; not a number where ``a = b``.

    Lipschitz constants bound it; source: ``field/attention-parameters``, ``field/mlp-constants``, ``field/norm-field``.
    """
    return length((f(a) - f(b)).flatten(1)) / length((a - b).flatten(1))


def slope(f: Map, a: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    """Return ``|f'(a)|``, entry by entry, of a map of entries; source: ``field/mlp-constants``."""
    return grad(lambda points: f(points).sum())(a).abs()


def quotient_rounding(
    measured: Float[Tensor, " batch"], error: Float[Tensor, " batch"], distance: Float[Tensor, " batch"], terms: int
) -> Float[Tensor, " batch"]:
    """Bound how far a computed ``quotient`` is from the true one.

    Parameters
    ----------
    measured : Tensor
        The quotient.
    error : Tensor
        Bound on the errors of ``f(a)`` and ``f(b)`` together.
    distance : Tensor
        ``|a − b|``.
    terms : int
        Entries of ``f(a)`` and of ``a`` together. The differences, the sums of so many squares, their roots and the
        quotient multiply the result by at most ``1 + θ_{terms + 8}``.
    """
    relative = gamma(terms + 8)
    return directed(error / distance * (1 + relative) + measured * relative, 8)


def slope_rounding(a: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    """Bound ``|fl(σ'(a)) − σ'(a)|`` in float64 for every registered σ.

    Assumed as ``impl.rounding.ACTIVATION`` is, and probed; this is why it may be. The library errs by ``2 ULPS u`` on
    exp, tanh and erf, and each formula adds a few roundings of numbers of size 1. What grows with a: ``1 − tanh²``
    and ``1 − sigmoid`` cancel and err by up to 20u absolutely before they meet ``a q'(a)/2 <= (1 + |a|)³`` (at most
    cubic, for the tanh form of GELU); the arguments of exp and tanh err by ``4u`` relatively, which decay makes up for.
    """
    return directed(SLOPE_ROUNDINGS * unit_roundoff(torch.float64) * (1 + a.abs()) ** 3, 8)
