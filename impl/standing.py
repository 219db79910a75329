"""The standing of numbers: certified, measured or assumed. A measured number never enters a bound silently."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Certified(Generic[Value]):
    """An upper bound that a proof covers, rounding included.

    Parameters
    ----------
    value : number or array
        The bound.
    source : str
        Slug of the theorem.
    """

    value: Value
    source: str


@dataclass(frozen=True)
class Measured(Generic[Value]):
    """A lower or point estimate: it was found, so it exists, but nothing says that there is no more.

    Parameters
    ----------
    value : number or array
        What was found.
    method : str
        How.
    """

    value: Value
    method: str


@dataclass(frozen=True)
class Assumed(Generic[Value]):
    """A number that its user vouches for.

    Parameters
    ----------
    value : number or array
        The number.
    reason : str
        Why it should hold.
    """

    value: Value
    reason: str
