"""The sampling error of one control, checked: exact quantiles over finite populations against Hoeffding's radius."""

from fractions import Fraction

import numpy as np
import pytest

from impl.sampling import deviation_quantile
from properties import checking
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Property
from properties.descriptor import Descriptor, Space
from properties.sampling import trained
from properties.sampling.coins import BOXES, needs, thrown
from properties.sampling.lattice import convolved, lattice_quantiles
from properties.sampling.populations import KNOBS, draw
from properties.suite import suite

SPACE = Space(KNOBS)


def both(batch: Batch) -> dict[str, Batch]:
    """Return a batch for the constant level and for a variable one."""
    level = {("level" if name == "delta" else name): value for name, value in batch.values.items()}
    return {"radius": batch, "any-level": Batch(batch.measured, batch.error, level)}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the exact quantiles of a descriptor's populations."""
    population = draw(descriptor, 1)
    measured, error = population.deviations()
    return both(Batch(measured, error, population.values))


def real() -> dict[str, Batch]:
    """Return the trained Transformers' quantiles over the 1,797 digits, for samples drawn with replacement."""
    return both(trained.of_one_control(trained.populations()))


PROPERTY = Property(
    slug="sampling/hoeffding-fixed-control",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("many throws", lambda: both(thrown())),
        Exhibit("many throws, other boxes", lambda: both(thrown(boxes=BOXES))),
        Exhibit("one throw", lambda: both(thrown(1, Fraction(99, 100), BOXES))),
        Exhibit("a common level", lambda: both(thrown(800, Fraction(1, 20), BOXES))),
        Exhibit("one loss", lambda: both(thrown(5, Fraction(1, 2), ((Fraction(0), 2), (Fraction(0), 1000))))),
    ),
    sharp={"radius": "many throws", "any-level": "many throws"},
    needs=needs("radius"),
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    for verdicts in checking.judged(PROPERTY, real()).values():
        assert set(verdicts.verdict) == {HOLDS}
        assert max(verdicts.ratio) > INFORMATIVE / 2


def test_ten_thousand_times_the_samples_are_too_many_for_trained_transformers() -> None:
    """The rows can fail: the radius of ten thousand times the samples lies below most quantiles of a few."""
    batch = real()["radius"]
    claimed = trained.claiming(batch, N=[10000 * N for N in batch.values["N"]])
    verdicts = checking.judged(PROPERTY, {"radius": claimed})["radius"].verdict
    assert verdicts.count(VIOLATED) > len(verdicts) / 3


@pytest.mark.parametrize("N", [1, 8, 32])
def test_convolved_quantiles_are_the_listed_ones(N: int) -> None:
    """All counts of three atoms, listed, give the quantile that the lattice encloses."""
    losses, levels = np.array([0.1, 0.8, 2.0]), (0.01, 0.1, 0.5)
    weights = np.full(3, 1 / 3)
    listed, listed_error = deviation_quantile(
        np.tile(losses, (3, 1, 1)), np.tile(weights, (3, 1)), N, np.array(levels), 0.0
    )
    found, error = lattice_quantiles(losses, N, levels, 0.0)
    # Weights of a third round once: chances err by γ_{N+1} of 1, which no level here notices.
    assert (np.abs(found - listed) <= error + listed_error).all()


def test_transforms_convolve() -> None:
    chance = np.random.default_rng(0).dirichlet(np.ones(40))
    direct = chance
    for _ in range(15):
        direct = np.convolve(direct, chance)
    assert np.abs(convolved(chance, 16) - direct).sum() < 1e-12
