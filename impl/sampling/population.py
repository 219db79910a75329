"""Exact distributions of the empirical risk over populations with finitely many atoms: no simulation.

A sample of N enters the empirical risk through its counts only, which are multinomial; all count vectors are listed.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, expm1, factorial, log

import numpy as np
import numpy.typing as npt

from impl.checks import require_count, require_distributions, require_numbers, require_probability
from impl.errors import LabelNotInSimplex, NotFinite, ShapeMismatch, TooLarge
from impl.rounding import gamma

Floats = npt.NDArray[np.float64]

LARGEST = 200_000
"""Most count vectors that are listed."""

MOST_COINS = 10_000
"""Most coins whose joint chance is taken exactly."""


@lru_cache(maxsize=64, typed=True)
def counts(N: int, atoms: int) -> tuple[Floats, Floats]:
    """Return every vector of counts that sum to N, (S, A), and the logarithms of their multinomial coefficients.

    Raises
    ------
    OutOfRange
        If N or the number of atoms is no whole number from 1.
    TooLarge
        If there are more than ``LARGEST``.
    """
    N, atoms = require_count("number of samples N", N, 1), require_count("number of atoms", atoms, 1)
    total = comb(N + atoms - 1, atoms - 1)
    if total > LARGEST:
        raise TooLarge(f"at most {LARGEST} count vectors", total, "take fewer atoms or samples")
    bars = np.array(list(combinations(range(N + atoms - 1), atoms - 1)), dtype=np.int64).reshape(total, atoms - 1)
    ends = np.concatenate([np.full((total, 1), -1), bars, np.full((total, 1), N + atoms - 1)], axis=1)
    listed = np.diff(ends, axis=1) - 1
    whole, parts = factorial(N), [factorial(n) for n in range(N + 1)]
    logs = []
    for row in listed.tolist():
        below = 1
        for n in row:
            below *= parts[n]
        logs.append(log(whole // below))
    return listed.astype(np.float64), np.array(logs)


def deviation_quantile(
    losses: Floats, weights: Floats, N: int, delta: Floats, loss_error: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Return the (1−δ)-quantile of ``max_i |J_N(ϑ_i) − J(ϑ_i)|`` and its error: the left side of the radii.

    Parameters
    ----------
    losses : (batch, G, A) array
        Loss of every atom under every control of the class (nats).
    weights : (batch, A) array
        Probabilities; 0 is allowed. They sum to 1 up to rounding, and then stand for themselves over their sum.
    N : int
        Number of samples, at least 1.
    delta : (batch,) array
        Failure probabilities, between 0 and 1.
    loss_error : (batch,) array
        Bound on the error of every loss, not negative.

    Returns
    -------
    (value, error) : (batch,) arrays
        The quantile lies within `error` of `value`.

    Raises
    ------
    ShapeMismatch
        If the arrays do not belong together, or there is no control.
    NotFinite
        If a loss, or the spread of a control's losses, is not finite.
    LabelNotInSimplex
        If weights are no probabilities.
    OutOfRange
        If N, a failure probability or the error of a loss is out of range.
    TooLarge
        If there are too many count vectors.

    Notes
    -----
    Deviations D are computed within e: ``|Σ_a (n_a/N − w_a) ℓ_a|`` with ``Σ|n_a/N − w_a| <= 2`` and ℓ shifted into
    [0, width]; the term (n_a/N − w_a) has one rounding of its own and of its quotient. Tails are computed within a
    factor 1 ± η: every log-probability errs by γ_{A+8} times the sizes of its terms, the sum over S vectors by γ_S.
    Weights whose sum is off 1 by v are off their quotients by it by v in all, and the logarithm of a chance by 2Nv.
    A count of an atom of weight 0 is impossible unless it is 0 itself (``0⁰ = 1``). Chances that underflow are off
    by less than S normal numbers together.
    Since P(D > s) <= P(D~ > s − e) and P(D > s) >= P(D~ > s + e), the quantile lies between the computed ones at
    δ(1 + η) and δ(1 − η), widened by e.
    """
    losses, weights, off, delta, loss_error = _population(losses, weights, delta, loss_error)
    listed, log_coefficients = counts(N, weights.shape[-1])
    shifted = losses - losses.min(-1, keepdims=True)
    share = listed / N - weights[:, None, :]
    deviations = np.abs(np.einsum("bga,bsa->bgs", shifted, share)).max(1)
    atoms, width = weights.shape[-1], shifted.max((1, 2))
    e = (gamma(atoms + 8) * 2 + off) * width + 2 * loss_error
    possible = ~((weights == 0)[:, None, :] & (listed > 0)).any(-1)
    terms = (listed * np.log(np.where(weights > 0, weights, 1.0))[:, None, :]).sum(-1)
    chance = np.where(possible, np.exp(log_coefficients + terms), 0.0)
    size = np.where(possible, log_coefficients - terms, 0.0).max(-1)
    relative = gamma(atoms + 8) * size + 2 * N * off
    eta = np.array([expm1(s) for s in relative]) + gamma(len(listed) + 8)
    lost = len(listed) * np.finfo(np.float64).smallest_normal
    order = np.argsort(-deviations, axis=-1, kind="stable")
    sorted_deviations = np.take_along_axis(deviations, order, -1)
    tails = np.cumsum(np.take_along_axis(chance, order, -1), axis=-1)
    low = _crossing(sorted_deviations, tails, delta * (1 + eta) + lost)
    high = _crossing(sorted_deviations, tails, delta * (1 - eta) - lost)
    return (low + high) / 2, (high - low) / 2 + e


def _population(
    losses: Floats, weights: Floats, delta: Floats, loss_error: Floats | float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return what was checked, and by how much the weights' sums are off 1."""
    losses = require_numbers("losses", losses, error=NotFinite)
    weights, off = require_distributions("weights", weights, error=LabelNotInSimplex)
    delta = require_numbers("delta", delta, 0.0, 1.0)
    loss_error = require_numbers("loss_error", loss_error, 0.0, ends="[)")
    shapes = losses.shape, weights.shape, delta.shape, loss_error.shape
    fits = losses.ndim == 3 and all(losses.shape) and weights.shape == (len(losses), losses.shape[-1])
    if not (fits and delta.shape == (len(losses),) and loss_error.shape in ((), delta.shape)):
        raise ShapeMismatch("(batch, G, A), (batch, A), (batch,), none empty", shapes, "match the populations")
    with np.errstate(over="ignore"):
        spread = np.ptp(losses, axis=-1).max()
    if not spread < np.inf:
        raise NotFinite("a finite spread of the losses", spread, "scale the losses")
    return losses, weights, off, delta, loss_error


def _crossing(deviations: Floats, tails: Floats, levels: Floats) -> Floats:
    """Return, row by row, the first of the falling deviations at which the tail has passed the level, or 0."""
    passed = tails > levels[:, None]
    first = passed.argmax(-1)
    rows = np.arange(len(first))
    found: Floats = np.where(passed.any(-1), deviations[rows, first], 0.0)
    return found


def coin_quantile(N: int, delta: Fraction | float, coins: int = 1) -> Fraction:
    """Return the exact (1−δ)-quantile of ``max_i |S_i/N − ½|`` for independent fair coins thrown N times each.

    Integer arithmetic: the least d with ``P(max > d) = 1 − (1 − p)^coins <= δ``, p the binomial tail beyond d.

    Parameters
    ----------
    N, coins : int
        Throws of a coin, and coins; at least 1.
    delta : Fraction or float
        Level strictly between 0 and 1; a float is taken at its exact value.

    Raises
    ------
    OutOfRange
        If a count or the level is not in its range.
    TooLarge
        If thousands of coins come so close to the level that only their joint chance would tell.
    """
    N, coins = require_count("number of throws N", N, 1), require_count("number of coins", coins, 1)
    delta = Fraction(require_probability("delta", delta))
    tail, term, k = 0, 1, N
    surely = delta.numerator * 2**N // (2 * coins * delta.denominator)  # the union bound alone
    while 2 * k > N and (tail + term <= surely or _rare(2 * (tail + term), 2**N, delta, coins)):
        tail, term, k = tail + term, term * k // (N - k + 1), k - 1
    return max(Fraction(2 * k - N, 2 * N), Fraction(0))


def _rare(part: int, whole: int, delta: Fraction, coins: int) -> bool:
    """Whether ``1 − (1 − p)^coins <= δ`` for ``p = part/whole``; ``>= cp/(1 + cp)`` decides where it can.

    Raises
    ------
    TooLarge
        If only a power of thousands of coins would tell.
    """
    top, bottom = delta.numerator, delta.denominator
    if part >= whole or coins * part * bottom > top * (whole + coins * part):
        return False
    if coins > MOST_COINS:
        raise TooLarge(f"at most {MOST_COINS} coins near the level", coins, "move the level a little")
    return (whole**coins - (whole - part) ** coins) * bottom <= top * whole**coins
