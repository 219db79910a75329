"""Exact limits of a binomial probability, rounded outwards."""

from math import inf, nextafter

import flint

from impl.checks import require_count
from spec.language import ball
from spec.language.errors import OutOfRange

PRECISION = 128


def clopper_pearson(successes: int, trials: int, alpha: float | str) -> tuple[float, float]:
    """Return two-sided limits of a success probability at level ``1 − α`` (clopper1934).

    The lower one solves ``P(S >= k) = α/2``, the upper one ``P(S <= k) = α/2``; they are 0 at k = 0 and 1 at k = n.
    Both are certified: tails are enclosed in ball arithmetic and the limits rounded outwards.

    Parameters
    ----------
    successes, trials : int
        ``0 <= k <= n``; without trials the limits are 0 and 1.
    alpha : float or str
        Level in (0, 1); decimal text is taken exactly.

    Raises
    ------
    OutOfRange
        If a count or the level is not in its range.

    Examples
    --------
    >>> clopper_pearson(0, 800, "1e-8")[0], round(clopper_pearson(0, 800, "1e-8")[1], 7)
    (0.0, 0.0236091)
    """
    successes, trials = require_count("number of successes k", successes), require_count("number of trials n", trials)
    level = ball.exact(alpha, "alpha")
    if not (0 <= successes <= trials and 0 < level < 1):
        raise OutOfRange("0 <= k <= n and 0 < alpha < 1", (successes, trials, alpha), "correct them")
    # 1 − p is exact for p >= ½ and rounds once below.
    return _lower(successes, trials, level / 2), min(
        1.0, nextafter(1 - _lower(trials - successes, trials, level / 2), inf)
    )


def _lower(successes: int, trials: int, level: flint.fmpq) -> float:
    """Return the largest float p that certainly has ``P(S >= k) < level``; 0 at k = 0."""
    if successes == 0:
        return 0.0
    before = flint.ctx.prec
    flint.ctx.prec = PRECISION
    try:
        low, high = 0.0, 1.0
        while low < (middle := (low + high) / 2) < high:
            tail = flint.arb(middle).beta_lower(successes, trials - successes + 1, regularized=True)
            low, high = (middle, high) if tail < flint.arb(level) else (low, middle)
    finally:
        flint.ctx.prec = before
    return low
