"""Risks of finite populations, and the two errors that the depth trades against each other."""

from math import sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def risk(losses: Floats, weights: Floats) -> Floats:
    """Return the mean loss ``Σ_a w_a ℓ_a`` (nats).

    Parameters
    ----------
    losses : (..., A) array
        Loss of every atom of the population, or of every sample.
    weights : (..., A) array
        Probabilities of the atoms, or shares of the sample.
    """
    mean: Floats = (losses * weights).sum(-1)
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
    """
    return C_R * step + a / sqrt(step)
