"""Matrices applied to tokens, in both layouts, and the one place that chooses between these.

A product of small matrices for many instances is a broadcast multiplication and a sum over long contiguous rows (batch
last); larger ones are batched matrix products (batch first). Measured for float64, one thread, 256 instances: the first
costs 1.0 ns a multiplication, the second 0.5 µs a product and little beside, until products exceed ``SMALL``.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from impl.field.base import split
from impl.field.layout import Layout

SMALL = 512
"""Multiplications a product, on average, up to which multiply-and-sum is faster than a batched matrix product."""


def is_small(layout: Layout, n: int) -> bool:
    """Whether a layer on ``n`` tokens is evaluated batch last, by multiply-and-sum."""
    d, rows = layout.width, layout.heads * layout.head_width
    # Two products a head (scores, mixing); Q, K, V as one, O; W1, W2.
    multiplications = 2 * n * n * rows + 4 * n * d * rows + 2 * n * d * layout.hidden
    products = 2 * layout.heads + 2 * bool(layout.heads) + 2 * bool(layout.hidden)
    return multiplications <= SMALL * products


CACHED = 2**16
"""Entries up to which all products of a sum are formed at once; more no longer stay in a core's cache."""


def linear_last(weight: Float[Tensor, "o d *#batch"], x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "n o *batch"]:
    """Apply ``W`` to every token, batch last; the matrix's batch broadcasts against the state's."""
    columns, entries = weight.unsqueeze(0), x.unsqueeze(1)
    if weight.shape[0] * x.numel() <= CACHED:
        return (columns * entries).sum(2)
    first, *others = zip(columns.unbind(2), entries.unbind(2), strict=True)
    out = first[0] * first[1]
    for column, entry in others:
        out = torch.addcmul(out, column, entry)
    return out


def linear_first(weight: Float[Tensor, "*#batch o d"], x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n o"]:
    """Apply ``W`` to every token, batch first; batch dimensions that share a matrix have size 1 in ``weight``.

    Trailing ones join the tokens: one large product instead of copies of the matrix.
    """
    own = weight.ndim - 2
    while own and weight.shape[own - 1] == 1:
        own -= 1
    matrix = weight.reshape(weight.shape[:own] + weight.shape[-2:])
    return split(x.flatten(own, -2) @ matrix.mT, own, tuple(x.shape[own:-1]))
