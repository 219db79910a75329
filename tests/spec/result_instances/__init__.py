"""Numbers at which every registered result is read: drawn from small lattices, and made where those would miss."""

from functools import lru_cache

from numeric import Instance

from result_instances.drawn import drawn
from result_instances.kinds import ROWS
from result_instances.named import MADE, NAMED

DRAWS = {
    "growth-step": 1500,
    "sum-but-two-above": 1500,
    "peak": 800,
    "recurrence-monotone": 2000,
    "hoeffding": 3000,
    "union-bound": 1500,
}
"""Where the hypotheses are seldom met, or missed one by one."""
USUAL = 300


@lru_cache(maxsize=128)
def instances(name: str) -> tuple[Instance, ...]:
    """Return the instances of one result: always the same ones; `KeyError` for a result without."""
    kinds, runs = (ROWS | MADE)[name]
    return (*NAMED.get(name, ()), *drawn(name, kinds, runs, DRAWS.get(name, USUAL)))
