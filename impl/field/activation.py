"""Activations by name.

All are torch's own functions. A hyperbolic tangent assembled from ``exp`` or ``expm1`` is slower than torch's (4.3 and
more than 3.2 against 2.0 ns an element: float64, one thread), or cancels near 0. The accuracy of all is tested where
the rounding allowances rely on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from impl.checks import require_choice
from impl.errors import UnknownActivation


@dataclass(frozen=True)
class Activation:
    """A scalar function ``σ`` applied to every entry.

    Parameters
    ----------
    name : str
        Its name, also on the command line.
    function : Callable
        The torch function.
    smooth : bool
        Whether it has continuous second derivatives; what needs curvature refuses it otherwise.
    """

    name: str
    function: Callable[[Tensor], Tensor]
    smooth: bool

    def __call__(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Apply the function to every entry."""
        return self.function(x)


ACTIVATIONS: dict[str, Activation] = {
    entry.name: entry
    for entry in (
        Activation("tanh", torch.tanh, smooth=True),
        Activation("gelu", functional.gelu, smooth=True),
        Activation("gelu-tanh", partial(functional.gelu, approximate="tanh"), smooth=True),
        Activation("silu", functional.silu, smooth=True),
        Activation("relu", torch.relu, smooth=False),
    )
}


def activation(name: str) -> Activation:
    """Look an activation up.

    Raises
    ------
    UnknownActivation
        If no activation has this name; the nearest names are given.
    """
    require_choice("an activation", name, ACTIVATIONS, error=UnknownActivation)
    return ACTIVATIONS[name]
