"""Measures too much where a exceeds 1, so that the least violation is to be found."""

from collections.abc import Mapping

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure 3f where a > 1."""
    batch = doubled(descriptor)["double"]
    return {"double": Batch(batch.measured * (1.5 if descriptor["a"] > 1 else 1.0), batch.error, batch.values)}


PROPERTY = property_of("toys/wrong", check)
