"""Takes its time."""

import time
from collections.abc import Mapping

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure 2f after a while."""
    time.sleep(0.2)
    return doubled(descriptor)


PROPERTY = property_of("toys/slow", check)
