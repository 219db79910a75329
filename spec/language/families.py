"""How many entries an indexed symbol has: its list is as long as what runs over it, never longer."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import sympy as sp

from spec.language import functions as fn
from spec.language.enclosures import integer
from spec.language.errors import MissingValue
from spec.language.nodes import Binder

Lengths: TypeAlias = Mapping[str, tuple[sp.Expr, ...]]


@lru_cache(maxsize=4096)
def lengths(expr: sp.Expr) -> Lengths:
    """Return, by symbol, how long its list is: the largest of these expressions.

    Only entries at a running index tell; one entry taken by its number says nothing of those behind it.
    """
    found: dict[str, set[sp.Expr]] = {}
    for name, length in _read(expr, {}):
        found.setdefault(name, set()).add(length)
    return {name: tuple(sorted(several, key=sp.default_sort_key)) for name, several in found.items()}


def _read(e: sp.Basic, last: Mapping[sp.Basic, sp.Expr]) -> Iterator[tuple[str, sp.Expr]]:
    if isinstance(e, fn.Entry):
        base, index = e.args
        if index.free_symbols and index.free_symbols <= set(last):
            yield base.name, sp.expand(index.xreplace(dict(last)) + 1)
    elif isinstance(e, Binder):
        end = e.span[1] if isinstance(e, fn.MaxOver) else e.span[1] - 1
        yield from _read(e.args[0], {**last, e.bound_symbols[-1]: end.xreplace(dict(last))})
        for i, part in enumerate(e.args):
            if i and i not in e.bound_positions:
                yield from _read(part, last)
    else:
        for part in e.args:
            yield from _read(part, last)


def expected(wanted: tuple[sp.Expr, ...], exact: Mapping[str, Any]) -> int:
    """Return the length that a list has at exact values of the counts."""
    return max(_whole(length, exact) for length in wanted)


def _whole(length: sp.Expr, exact: Mapping[str, Any]) -> int:
    if length.is_Symbol:
        return integer(exact[length.name], length.name)
    return int(length.xreplace({s: sp.Integer(integer(exact[s.name], s.name)) for s in length.free_symbols}))


def check(wanted: Lengths, exact: Mapping[str, Any]) -> None:
    """Refuse lists that are too short or too long, at exact values.

    Raises
    ------
    MissingValue
    """
    for name, several in wanted.items():
        if isinstance(exact[name], list) and len(exact[name]) != (length := expected(several, exact)):
            how_many = " and ".join(map(str, several))
            remedy = f"give {how_many} values, one for each entry, or one number for all of them"
            raise MissingValue(f"{length} values of {name}", f"{len(exact[name])}", remedy)
