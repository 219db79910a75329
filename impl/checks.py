"""What entry points ask of their inputs: one check for each kind of input, each with a typed error.

A check compares numbers or shapes, or reads a tensor once (``require_finite``). Kernels have none that reads.
"""

import math
from collections.abc import Collection
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from impl.errors import NotFinite, NotRealFloating, ShapeMismatch, UnknownChoice
from spec.language.errors import ConditionError, OutOfRange

Floats = npt.NDArray[np.float64]
Kind = type[ConditionError]


def require_count(name: str, value: object, least: int = 0, *, error: Kind = OutOfRange) -> int:
    """Return a whole number of any integral type (no truth value, no float) that is at least ``least``.

    Raises
    ------
    OutOfRange, or the error given
        Otherwise.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise error(f"an integer {name} >= {least}", repr(value), "give a whole number")
    return int(value)


def require_number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    ends: str = "()",
    error: Kind = OutOfRange,
) -> Any:
    """Return a real number of any type (no truth value, no text, not nan) between ``low`` and ``high``.

    Parameters
    ----------
    name : str
        What the number is.
    value : number, or array or tensor with one entry
        Returned as a Python number.
    low, high : float
        Ends of the interval.
    ends : str
        Which ends belong to it: ``[]``, ``[)``, ``(]`` or ``()``; infinity passes as an end that belongs.
    error : type
        What to raise.

    Raises
    ------
    OutOfRange, or the error given
        Otherwise.
    """
    number = value.item() if isinstance(value, np.generic | np.ndarray | Tensor) and _is_single(value) else value
    real = isinstance(number, Real) and not isinstance(number, bool)
    above = real and (number >= low if ends[0] == "[" else number > low)
    if not (above and (number <= high if ends[1] == "]" else number < high)):
        raise error(_interval(name, low, high, ends), repr(value), "give a number in this range")
    return number


def require_numbers(
    name: str,
    values: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    ends: str = "()",
    error: Kind = OutOfRange,
) -> Floats:
    """Return real numbers between ``low`` and ``high`` as an array of float64, detached; see ``require_number``.

    Raises
    ------
    OutOfRange, or the error given
        With the first number that is outside, or the type of what are no real numbers.
    """
    if isinstance(values, Tensor):
        has_numbers = not (values.is_complex() or values.dtype == torch.bool or values.is_meta)
        array = values.detach().cpu().double().numpy() if has_numbers else np.array(f"{values.dtype}, {values.device}")
    else:
        array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise error(f"real numbers for {name}", array.dtype if array.ndim else repr(array.item()), "give its numbers")
    found: Floats = array.astype(np.float64)
    inside = (found >= low if ends[0] == "[" else found > low) & (found <= high if ends[1] == "]" else found < high)
    if not inside.all():
        raise error(_interval(name, low, high, ends), found[~inside][0], "give numbers in this range")
    return found


def require_probability(name: str, value: Any, *, error: Kind = OutOfRange) -> Any:
    """Return a number strictly between 0 and 1.

    Raises
    ------
    OutOfRange, or the error given
        Otherwise.
    """
    return require_number(name, value, 0.0, 1.0, error=error)


def require_distributions(name: str, values: Any, *, error: Kind = OutOfRange) -> tuple[Floats, Floats]:
    """Return probability vectors ``(*batch, A)``, and by how much their entries' sum is off 1, within an ulp of it.

    A vector of float64 whose A entries were rounded is off by at most ``A·2^-53``; their quotients by a rounded sum
    by twice as much.

    Raises
    ------
    OutOfRange, or the error given
        If an entry is negative or not a number, or a sum is off by more.
    """
    found = require_numbers(name, values, 0.0, 1.0, ends="[]", error=error)
    if not found.ndim or not found.shape[-1]:
        raise error(f"{name} (*batch, A), A >= 1", found.shape, "give every atom its probability")
    sums = [math.fsum([*row, -1.0]) for row in found.reshape(-1, found.shape[-1]).tolist()]
    defect = np.abs(np.array(sums)).reshape(found.shape[:-1])
    if not (defect <= found.shape[-1] * np.finfo(np.float64).eps).all():
        raise error(f"{name} that sum to 1", f"a sum off by {defect.max():.3g}", "divide by the sum")
    return found, defect


def require_choice(name: str, value: object, choices: Collection[str], *, error: Kind = UnknownChoice) -> None:
    """Refuse a word that is none of the choices; the nearest are named.

    Raises
    ------
    UnknownChoice, or the error given
        If it is none.
    """
    if not isinstance(value, str) or value not in choices:
        near = get_close_matches(str(value), choices, cutoff=0.4) or list(choices)
        raise error(f"{name} among {list(choices)}", repr(value), f"did you mean {near}?")


def require_real_floating(name: str, values: Shaped[Tensor, "..."], least_dims: int = 0) -> None:
    """Refuse what is no tensor of real floating point numbers, or has too few dimensions; reads no entry.

    Raises
    ------
    NotRealFloating
        If it is no tensor, or one of integers, truth values or complex numbers.
    ShapeMismatch
        If it has fewer dimensions than ``least_dims``.
    """
    if not isinstance(values, Tensor) or not values.is_floating_point():
        found = values.dtype if isinstance(values, Tensor) else type(values).__name__
        raise NotRealFloating(f"a tensor of real floating point numbers for {name}", found, "convert it: .double()")
    if values.ndim < least_dims:
        raise ShapeMismatch(f"at least {least_dims} dimensions of {name}", tuple(values.shape), "add the missing ones")


def require_finite(name: str, values: Float[Tensor, "..."]) -> None:
    """Refuse what is no tensor of finite real floating point numbers.

    Raises
    ------
    NotRealFloating
        If it is no tensor of such a type, or one without values (on the meta device).
    NotFinite
        If an entry is infinite or not a number.
    """
    require_real_floating(name, values)
    if values.is_meta:
        raise NotRealFloating(f"values of {name}", "a tensor on the meta device", "give it a device with memory")
    if not all_finite(values):
        raise NotFinite(f"finite {name}", "inf or nan", "check where they were made")


def require_finite_buffer(name: str, values: Float[Tensor, "..."]) -> None:
    """Check as ``require_finite`` does, but pass on what has no values (yet): modules move through the meta device.

    Raises
    ------
    NotRealFloating, NotFinite
        As there.
    """
    require_real_floating(name, values)
    if not values.is_meta:
        require_finite(name, values)


def all_finite(values: Shaped[Tensor, "..."]) -> bool:
    """Whether no entry is infinite or nan.

    A finite sum tells, 40 times faster than entry by entry; finite numbers may have none, so then the extremes tell
    (they carry nan).
    """
    found = values.detach()
    return bool(torch.isfinite(found.sum())) or bool(torch.isfinite(torch.stack(torch.aminmax(found))).all())


def _interval(name: str, low: float, high: float, ends: str) -> str:
    left = "" if math.isinf(low) else f"{low:g} {'<=' if ends[0] == '[' else '<'} "
    right = "" if math.isinf(high) else f" {'<=' if ends[1] == ']' else '<'} {high:g}"
    if left and not right:  # T >= 0 reads better than 0 <= T
        left, right = "", f" {'>=' if ends[0] == '[' else '>'} {low:g}"
    finite = "a finite " if math.isinf(high) and ends[1] == ")" else ""
    return f"{finite}{left}{name}{right}"


def _is_single(value: Any) -> bool:
    # A tensor on the meta device has no number to unpack.
    return value.size == 1 if not isinstance(value, Tensor) else value.numel() == 1 and not value.is_meta
