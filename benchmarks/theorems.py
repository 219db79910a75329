"""How fast theorems are checked, and bounds evaluated."""

import statistics
import time

import spec
from properties.campaign import property_of
from properties.checking import judged
from properties.descriptor import Descriptor

PATHWISE = "depth/euler-pathwise"
BATCH, ROUNDS, EVALUATIONS = 256, 5, 2000


def checks_per_second() -> float:
    """Build, run, reference, constants, bound and verdict of 256 Transformers (n=4, d=4, 32 layers), by the second."""
    prop = property_of(PATHWISE)
    values = prop.descriptor(0, 0).replaced(
        batch=BATCH, field="block", activation="tanh", control="linear", schedule="one",
        n=4, d=4, heads=2, K=32, particles=1, T=1.0, growth=0.5, push=1.0, alignment=0.5, inputs=1.0,
    ).values  # fmt: skip
    seconds = []
    for seed in range(ROUNDS):
        started = time.perf_counter()
        judged(prop, prop.check(Descriptor(values, seed)))
        seconds.append(time.perf_counter() - started)
    return BATCH / statistics.median(seconds)


def evaluation_microseconds() -> float:
    """Evaluate the closed form of the depth error at floats: resolved, range-checked, enclosed."""
    theorem = spec.theorem(PATHWISE)
    values = {"T": 1.3, "K": 32, "zeta_bar": 1.1, "L_x": 0.7, "M": 1.9, "L_zeta": 0.3, "L_theta": 0.9, "L_c": 0.2}
    theorem.evaluate("closed-form", **values)
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(EVALUATIONS):
            theorem.evaluate("closed-form", **values)
        seconds.append((time.perf_counter() - started) / EVALUATIONS)
    return 1e6 * min(seconds)
