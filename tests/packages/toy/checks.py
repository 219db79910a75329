"""The property that the package's chapters vary: numbers f between 0 and a, doubled."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from properties.checking import Batch, Exhibit, Need, Property
from properties.descriptor import Choice, Descriptor, Integer, Real, Space

SPACE = Space({"batch": Integer(4, 12), "a": Real(0.1, 10, log=True), "kind": Choice(("full", "part"))})
Check = Callable[[Descriptor], Mapping[str, Batch]]


def numbers(descriptor: Descriptor) -> tuple[np.ndarray, np.ndarray]:
    """Return (f, a) of a batch."""
    a = np.full(descriptor["batch"], descriptor["a"])
    share = descriptor.generator("f").random(descriptor["batch"]) if descriptor["kind"] == "part" else 1.0
    return a * share, a


def doubled(descriptor: Descriptor) -> Mapping[str, Batch]:
    """Measure 2f exactly."""
    f, a = numbers(descriptor)
    return {"double": Batch(2 * f, np.zeros_like(f), {"a": a})}


def _exhibit() -> Mapping[str, Batch]:
    return {"double": Batch([6, Fraction(2, 3), 0], [0, 0, 0], {"a": [3, Fraction(1, 3), 0]})}


def _outgrown() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
    return {"double": Batch([4], [0], {"a": [1]})}, {"bounded": False}


def property_of(slug: str, check: Check = doubled) -> Property:
    """Return the property under a slug."""
    return Property(
        slug=slug,
        space=SPACE,
        check=check,
        family="numbers",
        exhibits=(Exhibit("full", _exhibit),),
        sharp={"double": "full"},
        needs={"bounded": Need(_outgrown)},
        real=lambda: {"double": Batch(np.array([1.0]), np.array([1e-9]), {"a": 1.0})},
    )
