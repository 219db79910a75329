"""The token-wise perceptron, in both layouts."""

from jaxtyping import Float
from torch import Tensor

from impl.field.activation import Activation
from impl.field.products import linear_first, linear_last


def mlp_last(
    x: Float[Tensor, "n d *batch"],
    w1: Float[Tensor, "m d *#batch"],
    b1: Float[Tensor, "m *#batch"],
    w2: Float[Tensor, "d m *#batch"],
    b2: Float[Tensor, "d *#batch"],
    sigma: Activation,
) -> Float[Tensor, "n d *batch"]:
    """Evaluate ``W2 σ(W1 x_i + b1) + b2`` for every token, batch last."""
    return linear_last(w2, sigma(linear_last(w1, x) + b1)) + b2


def mlp_first(
    x: Float[Tensor, "*batch n d"],
    w1: Float[Tensor, "*#batch m d"],
    b1: Float[Tensor, "*#batch m"],
    w2: Float[Tensor, "*#batch d m"],
    b2: Float[Tensor, "*#batch d"],
    sigma: Activation,
) -> Float[Tensor, "*batch n d"]:
    """Evaluate ``W2 σ(W1 x_i + b1) + b2`` for every token, batch first."""
    return linear_first(w2, sigma(linear_first(w1, x) + b1.unsqueeze(-2))) + b2.unsqueeze(-2)
