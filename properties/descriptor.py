"""Descriptors: sizes, kinds, continuous knobs and a seed, from which a whole batch of instances is built.

A space names what may vary. One definition serves both drivers: Hypothesis draws descriptors from it (and shrinks
them), the campaign samples them with a generator keyed by (family, seed, index).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from spec.language.errors import ConditionError

Entry: TypeAlias = int | float | str


class BadDescriptor(ConditionError):
    """A descriptor that is not text of the right form, or does not fit its space."""


@dataclass(frozen=True)
class Integer:
    """An integer knob in [low, high]; `weights` (size range, share) make most draws small and some large."""

    low: int
    high: int
    bands: tuple[tuple[int, int, float], ...] = ()

    def sample(self, generator: np.random.Generator) -> int:
        """Draw a value."""
        low, high = self.low, self.high
        if self.bands:
            band = generator.choice(len(self.bands), p=[share for _, _, share in self.bands])
            low, high, _ = self.bands[int(band)]
        return int(generator.integers(low, high + 1))

    def strategy(self) -> st.SearchStrategy[int]:
        """Return the Hypothesis strategy of the values; it draws from the bands as often as `sample` does."""
        if not self.bands:
            return st.integers(self.low, self.high)
        often = [band for band in self.bands for _ in range(round(50 * band[2]))]
        return st.sampled_from(often).flatmap(lambda band: st.integers(band[0], band[1]))

    def smaller(self, value: Entry) -> list[Entry]:
        """Return simpler values, simplest first."""
        assert isinstance(value, int)
        return sorted({self.low, (self.low + value) // 2, value - 1} & set(range(self.low, value)))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class Real:
    """A continuous knob in [low, high], uniform or log-uniform."""

    low: float
    high: float
    log: bool = False

    def _at(self, share: float) -> float:
        if self.log:
            return float(np.clip(self.low * (self.high / self.low) ** share, self.low, self.high))
        return float(self.low + (self.high - self.low) * share)

    def sample(self, generator: np.random.Generator) -> float:
        """Draw a value."""
        return self._at(float(generator.random()))

    def strategy(self) -> st.SearchStrategy[float]:
        """Return the Hypothesis strategy of the values."""
        return st.floats(0.0, 1.0, allow_subnormal=False).map(self._at)

    def smaller(self, value: Entry) -> list[Entry]:
        """Return simpler values, simplest first."""
        return [end for end in (self.low, self.high) if end != value]

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class Choice:
    """A named kind; the first is the simplest."""

    options: tuple[str, ...]

    def sample(self, generator: np.random.Generator) -> str:
        """Draw a value."""
        return self.options[int(generator.integers(len(self.options)))]

    def strategy(self) -> st.SearchStrategy[str]:
        """Return the Hypothesis strategy of the values."""
        return st.sampled_from(self.options)

    def smaller(self, value: Entry) -> list[Entry]:
        """Return simpler values, simplest first."""
        return list(self.options[: self.options.index(str(value))])

    def __contains__(self, value: object) -> bool:
        return value in self.options


Domain: TypeAlias = Integer | Real | Choice
SIZES = ((0.90, 0), (0.08, 1), (0.02, 2))


def size(low: int, small: int, middle: int, large: int) -> Integer:
    """Return a size knob: 90 % of draws in [low, small], 8 % up to middle, 2 % up to large."""
    return Integer(low, large, ((low, small, 0.90), (small, middle, 0.08), (middle, large, 0.02)))


@dataclass(frozen=True)
class Descriptor:
    """One draw: values by name and the seed of everything random that is built from it."""

    values: Mapping[str, Entry]
    seed: int
    _text: str = field(init=False, repr=False, compare=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "_text", json.dumps({**dict(sorted(self.values.items())), "seed": self.seed}))

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return self._text

    def generator(self, *stream: object) -> np.random.Generator:
        """Return a numpy generator for one named stream of this descriptor."""
        return np.random.Generator(np.random.Philox(key=_key(self._text, *stream)))

    def replaced(self, **values: Entry) -> "Descriptor":
        """Return the descriptor with some values replaced."""
        return Descriptor({**self.values, **values}, self.seed)


@dataclass(frozen=True)
class Space:
    """What may vary, by name; every space has a `batch`, the number of instances built from one descriptor."""

    domains: Mapping[str, Domain]

    def sample(self, *key: object) -> Descriptor:
        """Draw the descriptor of a key; the same key gives the same descriptor whatever runs around it."""
        generator = np.random.Generator(np.random.Philox(key=_key(*key)))
        values = {name: self.domains[name].sample(generator) for name in sorted(self.domains)}
        return Descriptor(values, int(generator.integers(2**31)))

    def strategy(self) -> st.SearchStrategy[Descriptor]:
        """Return the Hypothesis strategy of the descriptors."""
        values = st.fixed_dictionaries({name: d.strategy() for name, d in sorted(self.domains.items())})
        return st.builds(Descriptor, values, st.integers(0, 2**31 - 1))

    def shape(self, descriptor: Descriptor) -> tuple[Entry, ...]:
        """Return the sizes and kinds of a descriptor, without its continuous knobs."""
        return tuple(descriptor[name] for name, d in sorted(self.domains.items()) if not isinstance(d, Real))

    def parse(self, text: str) -> Descriptor:
        """Read a descriptor as printed.

        Raises
        ------
        BadDescriptor
            If it is not JSON of the right names, or a value lies outside its domain.
        """
        try:
            values = json.loads(text)
            seed = int(values.pop("seed"))
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise BadDescriptor("a descriptor as `mfc verify` prints it", text, f"copy it whole ({error})") from None
        for name in sorted({*values, *self.domains}):
            if name not in values or name not in self.domains or values[name] not in self.domains[name]:
                domain = self.domains.get(name, "no such knob")
                raise BadDescriptor(f"{name} in {domain}", values.get(name, "nothing"), "correct it")
        return Descriptor(values, seed)

    def smaller(self, descriptor: Descriptor) -> list[Descriptor]:
        """Return simpler descriptors, one knob changed at a time."""
        return [
            descriptor.replaced(**{name: value})
            for name, domain in sorted(self.domains.items())
            for value in domain.smaller(descriptor[name])
        ]


def _key(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:16], "little")
