"""Quantiles of what a sample misses, over populations of many equally likely atoms: by convolution, or by simulation.

One control: losses are moved to a lattice, on which their N-fold convolution is the distribution of the sample's sum.
Several controls: samples are drawn, and order statistics enclose the quantile with exact binomial limits.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, log2, sqrt

import numpy as np
import numpy.typing as npt

from impl.rounding import gamma
from spec.language.errors import OutOfRange

Floats = npt.NDArray[np.float64]

CELLS = 2048
"""Cells of the lattice between the least and the largest loss."""
DRAWS = 4000
ALPHA = 1e-12
"""Chance that simulated limits miss, one quantile at a time."""


def lattice_quantiles(losses: Floats, N: int, deltas: tuple[float, ...], loss_error: float) -> tuple[Floats, Floats]:
    """Return (1−δ)-quantiles of ``|J_N − J|`` for each δ, and their errors; N is a power of 2.

    Parameters
    ----------
    losses : (A,) array
        Losses of equally likely atoms (nats), within `loss_error`.

    Notes
    -----
    A loss moves by at most half a step, so does the mean of any sample: deviations err by that, by the losses' error in
    both means, and by roundings of the numbers on the way, each at most `size`. Tails err, absolutely, by
    `_tail_error`; the quantile lies between the computed ones at δ less and δ plus that.
    """
    low, J = float(losses.min()), float(losses.mean())
    step = (float(losses.max()) - low) / CELLS
    places = np.rint((losses - low) / step).astype(np.int64) if step else np.zeros(len(losses), dtype=np.int64)
    chance = convolved(np.bincount(places, minlength=CELLS + 1) / len(losses), N)
    deviations = np.abs(low + step * (np.arange(len(chance)) / N) - J)
    order = np.argsort(-deviations, kind="stable")
    falling, tails = deviations[order], np.cumsum(chance[order])
    off = _tail_error(len(chance))
    ends = [[_crossing(falling, tails, delta + side * off * N) for delta in deltas] for side in (1, -1)]
    below, above = np.array(ends)
    size = float(np.abs(losses).max())
    error = step / 2 + 2 * loss_error + gamma(len(losses) + 16) * 4 * size
    return (below + above) / 2, (above - below) / 2 + error


def convolved(chance: Floats, N: int) -> Floats:
    """Return the N-fold convolution of a distribution, N a power of 2; tails err by N times `_tail_error`."""
    assert N & (N - 1) == 0
    length = N * (len(chance) - 1) + 1
    padded = 1 << ceil(log2(max(length, 2)))
    transform = np.fft.rfft(chance, padded)
    for _ in range(N.bit_length() - 1):
        transform = transform * transform
    return np.fft.irfft(transform, padded)[:length].clip(min=0.0)


def _tail_error(length: int) -> float:
    """Bound the error of a tail of `convolved`, divided by N.

    A transform of n = 2^t points errs by tη in Euclidean length, relatively, η = 8u (Higham, 2nd ed., Theorem 24.2, for
    a radix 2 and exact twiddles; assumed of numpy's, and a test probes it). Both transforms and N − 1 products, each
    within √2γ_2, of numbers of length <= 1 leave at most ``N(2tη + 4u)`` of 1; a tail sums n entries at most, which
    costs √n (Cauchy–Schwarz), and rounds by γ_n.
    """
    t = ceil(log2(max(length, 2)))
    return 2 * (sqrt(2.0**t) * (2 * t * gamma(8) + gamma(4)) + gamma(2**t))


def _crossing(falling: Floats, tails: Floats, level: float) -> float:
    """Return the first of the falling deviations at which the tail has passed the level, or 0."""
    passed = tails > level
    return float(falling[passed.argmax()]) if passed.any() else 0.0


def simulated_quantile(
    losses: Floats, N: int, delta: float, generator: np.random.Generator, loss_error: float
) -> tuple[float, float]:
    """Return the (1−δ)-quantile of ``max_i |J_N(ϑ_i) − J(ϑ_i)|`` and its error, but for a chance of ``ALPHA``.

    Parameters
    ----------
    losses : (G, A) array
        Loss of every atom under every control (nats), within `loss_error`; A is a power of 2: weights are exact.

    Notes
    -----
    Deviations of drawn samples are computed as in ``impl.sampling.deviation_quantile``. With Q the quantile,
    ``P(D > Q) <= δ <= P(D >= Q)``: `many` draws or more exceed Q with chance ALPHA/2 at most, and so do `few` or fewer
    reach it (``limits``). So Q lies between the order statistics of those numbers.
    """
    atoms = losses.shape[-1]
    shifted = losses - losses.min(-1, keepdims=True)
    shares = generator.multinomial(N, np.full(atoms, 1 / atoms), DRAWS) / N - 1 / atoms
    falling = -np.sort(-np.abs(shifted @ shares.T).max(0))
    few, many = limits(DRAWS, delta)
    low, high = float(falling[many - 1]), float(falling[few])
    error = gamma(atoms + 8) * 2 * float(shifted.max()) + 2 * loss_error
    return (low + high) / 2, (high - low) / 2 + error


@lru_cache(maxsize=32)
def limits(trials: int, delta: float) -> tuple[int, int]:
    """Return the largest `few` with ``P(S <= few) <= ALPHA/2`` and the least `many` with ``P(S >= many) <= ALPHA/2``.

    S counts successes of chance δ; in integers. At these numbers the limits of Clopper and Pearson lie beyond δ.

    Raises
    ------
    OutOfRange
        If the trials are too few to tell anything at this level.
    """
    top, whole = Fraction(delta).as_integer_ratio()
    terms = [(whole - top) ** trials]
    for k in range(trials):
        terms.append(terms[-1] * (trials - k) * top // ((k + 1) * (whole - top)))
    rare = Fraction(ALPHA) / 2 * whole**trials
    few = sum(1 for tail in accumulate(terms) if tail <= rare) - 1
    many = trials + 1 - sum(1 for tail in accumulate(reversed(terms)) if tail <= rare)
    if few < 0 or many > trials:
        raise OutOfRange("trials enough for the level", (trials, delta), "draw more samples")
    return few, many
