"""The sampling error of one control, checked: exact quantiles over finite populations against Hoeffding's radius."""

from fractions import Fraction

from hypothesis import given

from properties import checking, mutants
from properties.checking import Batch, Exhibit, Property
from properties.descriptor import Descriptor, Space
from properties.sampling.coins import BOXES, needs, thrown
from properties.sampling.populations import KNOBS, draw

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
)


@given(SPACE.strategy())
def test_holds(descriptor: Descriptor) -> None:
    checking.assert_holds(PROPERTY, descriptor)


def test_exhibits_hold() -> None:
    checking.assert_exhibits_hold(PROPERTY)


def test_sharp() -> None:
    checking.assert_sharp(PROPERTY)


def test_every_assumption_has_its_need() -> None:
    checking.assert_every_assumption_has_its_need(PROPERTY)


def test_needs_a_control_fixed_before_the_sample() -> None:
    checking.assert_need(PROPERTY, "control-fixed")


def test_needs_independent_samples() -> None:
    checking.assert_need(PROPERTY, "samples-independent")


def test_needs_samples_from_the_population() -> None:
    checking.assert_need(PROPERTY, "samples-from-population")


def test_needs_bounded_logits() -> None:
    checking.assert_need(PROPERTY, "bounded-logits")


def test_mutants_are_caught() -> None:
    mutants.assert_mutants_are_caught(PROPERTY)
