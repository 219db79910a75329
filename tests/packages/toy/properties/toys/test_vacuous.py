"""Says nothing: both sides are 0."""

from collections.abc import Mapping

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure 0 against 0."""
    batch = doubled(descriptor)["double"]
    return {"double": Batch(0 * batch.measured, batch.error, {"a": 0.0})}


PROPERTY = property_of("toys/vacuous", check)
