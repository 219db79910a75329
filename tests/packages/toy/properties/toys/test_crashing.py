"""Raises where kind is part."""

from collections.abc import Mapping

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure, or raise."""
    if descriptor["kind"] == "part":
        raise ZeroDivisionError("part of nothing")
    return doubled(descriptor)


PROPERTY = property_of("toys/crashing", check)
