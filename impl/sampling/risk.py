"""Risks of finite populations, and the two errors that the depth trades against each other."""

from math import sqrt

import numpy as np
import numpy.typing as npt

from impl.checks import require_distributions, require_number, require_numbers
from impl.errors import LabelNotInSimplex, NotFinite, ShapeMismatch

Floats = npt.NDArray[np.float64]


def risk(losses: Floats, weights: Floats) -> Floats:
    """Return the mean loss ``Σ_a w_a ℓ_a`` (nats).

    Parameters
    ----------
    losses : (..., A) array
        Loss of every atom of the population, or of every sample.
    weights : (..., A) array
        Probabilities of the atoms, or shares of the sample; they broadcast against the losses.

    Raises
    ------
    NotFinite
        If a loss is not finite.
    LabelNotInSimplex
        If weights are no probabilities.
    ShapeMismatch
        If there are not as many weights as losses.
    """
    found = require_numbers("losses", losses, error=NotFinite)
    shares, _ = require_distributions("weights", weights, error=LabelNotInSimplex)
    if found.shape[-1:] != shares.shape[-1:]:
        raise ShapeMismatch("a weight for each loss", (found.shape, shares.shape), "match the atoms")
    mean: Floats = (found * shares).sum(-1)
    return mean


def objective(step: float, C_R: float, a: float) -> float:
    """Return ``C_R ε + a ε^{−1/2}``: the left side of ``sampling/depth-sample-tradeoff``.

    Parameters
    ----------
    step : float
        ``ε > 0`` (Depth).
    C_R : float
        Depth error per step (1 / Depth).
    a : float
        Sampling error times the root of the step (Depth^½).

    Raises
    ------
    OutOfRange
        If the step is not positive, an error is negative, or a number is not finite.
    """
    step = require_number("step", step, 0.0)
    C_R, a = require_number("C_R", C_R, 0.0, ends="[)"), require_number("a", a, 0.0, ends="[)")
    return C_R * step + a / sqrt(step)
