"""Many fair coins: their sum is binomial, so that tails are known at sizes where no list of worlds would do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb


@dataclass(frozen=True)
class Toss:
    """`slope · (heads among some coins) + offset`; sums are over different coins, differences over the same."""

    coins: int
    slope: Any
    offset: Any

    def __add__(self, other: Any) -> "Toss":
        if isinstance(other, Toss):
            return Toss(self.coins + other.coins, self.slope, self.offset + other.offset)
        return Toss(self.coins, self.slope, self.offset + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Toss":
        if isinstance(other, Toss):
            return Toss(self.coins, self.slope - other.slope, self.offset - other.offset)
        return Toss(self.coins, self.slope, self.offset - other)

    def __rsub__(self, other: Any) -> "Toss":
        return -self + other

    def __neg__(self) -> "Toss":
        return Toss(self.coins, -self.slope, -self.offset)

    def __mul__(self, factor: Any) -> "Toss":
        return Toss(self.coins, self.slope * factor, self.offset * factor)

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> "Toss":
        return Toss(self.coins, self.slope / factor, self.offset / factor)

    def __abs__(self) -> Any:
        return self.most.max((-self).most)

    @property
    def most(self) -> Any:
        """The largest value."""
        return self.offset.max(self.offset + self.slope * self.coins)

    def exp(self) -> "Exponential":
        return Exponential(self)

    def mean(self) -> Any:
        return self.offset + self.slope * self.coins / 2

    def tail(self, least: Any) -> Any:
        """Return the probability of a value that large, for a positive slope."""
        heads = int(((least - self.offset) / self.slope).ceil().unique_fmpz())
        return (arb(1) / 2).beta_lower(heads, self.coins - heads + 1, regularized=True)


@dataclass(frozen=True)
class Exponential:
    """The exponential of a toss."""

    of: Toss

    def mean(self) -> Any:
        return self.of.offset.exp() * ((1 + self.of.slope.exp()) / 2) ** self.of.coins


class Coins:
    """The law of fair coins: one world, whose random numbers know their own distribution."""

    def worlds(self) -> range:
        return range(1)

    def expectation(self, of: Callable[[int], Any]) -> Any:
        return of(0).mean()

    def probability(self, deviation: Callable[[int], Any], least: Callable[[int], Any]) -> Any:
        return deviation(0).tail(least(0))
