"""Measures with an error too large to decide."""

from collections.abc import Mapping

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure 2f within 3a."""
    batch = doubled(descriptor)["double"]
    return {"double": Batch(batch.measured, 3 * batch.values["a"], batch.values)}


PROPERTY = property_of("toys/vague", check)
