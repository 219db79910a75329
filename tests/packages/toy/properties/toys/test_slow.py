"""Takes its time."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from toy.checks import Batch, Descriptor, doubled, property_of


def check(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Say that it has begun, and measure 2f after a while."""
    if "TOY_STARTED" in os.environ:
        Path(os.environ["TOY_STARTED"]).touch()
    time.sleep(0.2)
    return doubled(descriptor)


PROPERTY = property_of("toys/slow", check)
