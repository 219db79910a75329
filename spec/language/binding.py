"""Substitution that respects binders: what an integral, a sum, a maximum or a recurrence binds is its own.

Plain replacement would let a bound variable catch a free one of the same name (∫h(u, s)du at s = u is not ∫h(u, u)du);
here that is an error.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef, UndefinedFunction

from spec.language.errors import ProofError
from spec.language.nodes import Binder


def bound_by(e: sp.Basic) -> frozenset[sp.Symbol]:
    """Return the variables that one node binds in its body, its first argument (a lambda's second)."""
    if isinstance(e, ExprWithLimits):
        return frozenset(limit[0] for limit in e.limits)
    if isinstance(e, Binder):
        return frozenset(e.bound_symbols)
    return frozenset(e.variables) if isinstance(e, sp.Lambda | sp.Subs) else frozenset()


def binders(e: sp.Basic) -> Iterator[sp.Basic]:
    """Yield every node that binds a variable."""
    return (part for part in sp.preorder_traversal(e) if bound_by(part))


@dataclass(frozen=True)
class Scope:
    """Where a part of an expression stands: the variables bound around it, and what is given of them there."""

    bound: frozenset[sp.Symbol] = frozenset()
    given: tuple[sp.Rel, ...] = ()

    def context(self, around: Iterable[sp.Rel]) -> list[sp.Rel]:
        """Return what holds in the scope: what holds around and does not speak of what is bound, and what is given."""
        return [r for r in around if not r.free_symbols & self.bound] + list(self.given)

    def within(self, bound: Iterable[sp.Symbol], *ranges: sp.Rel) -> "Scope":
        """Return the scope inside a node that binds variables, over ranges."""
        more = frozenset(bound)
        return Scope(self.bound | more, (*(g for g in self.given if not g.free_symbols & more), *ranges))


AROUND = Scope()


def places(e: sp.Basic, scope: Scope = AROUND) -> Iterator[tuple[sp.Basic, Scope]]:
    """Yield every part of an expression with its scope."""
    yield e, scope
    for part, inside in _parts(e, scope):
        yield from places(part, inside)


def limits(e: ExprWithLimits, scope: Scope = AROUND) -> Iterator[tuple[sp.Tuple, Scope]]:
    """Yield the limits of an integral from the outermost, each with the scope of its ends."""
    for limit in reversed(e.limits):
        yield limit, scope
        scope = scope.within([limit[0]], *_ends(limit))


def _ends(limit: sp.Tuple) -> tuple[sp.Rel, sp.Rel]:
    v, low, high = limit
    return sp.Ge(v, sp.Min(low, high), evaluate=False), sp.Le(v, sp.Max(low, high), evaluate=False)


def _parts(e: sp.Basic, scope: Scope) -> Iterator[tuple[sp.Basic, Scope]]:
    if isinstance(e, ExprWithLimits):
        inside = scope
        for limit, around in limits(e, scope):
            yield from ((end, around) for end in limit[1:])
            inside = around.within([limit[0]], *_ends(limit))
        yield e.function, inside
    elif isinstance(e, Binder):
        first, last = e.indices
        v = e.bound_symbols[-1]
        ranges = [sp.Ge(v, first, evaluate=False), sp.Le(v, last, evaluate=False)]
        yield e.args[0], scope.within(bound_by(e), *ranges)
        yield from ((a, scope) for i, a in enumerate(e.args) if i and i not in e.bound_positions)
    elif isinstance(e, sp.Lambda):
        yield e.expr, scope.within(bound_by(e))
    else:
        yield from ((a, scope) for a in e.args)


def substitute(expr: sp.Basic, values: Mapping[Any, Any], scope: frozenset[sp.Symbol] = frozenset()) -> Any:
    """Substitute functions (by lambdas or functions), symbols and other atoms, all at once; `scope` is bound around.

    Raises
    ------
    ProofError
        If a value speaks of a variable that is bound where the value would stand, or makes a comparison with infinity.
    """
    functions = {key: value for key, value in values.items() if isinstance(key, UndefinedFunction)}
    atoms = {key: sp.sympify(value) for key, value in values.items() if key not in functions}
    try:
        return _walk(sp.sympify(expr), atoms, functions, scope)
    except TypeError as error:  # an infinity compared
        raise ProofError("values at which there is something to say", f"{expr} at {values}", str(error)) from None


def _walk(e: Any, atoms: Mapping[Any, Any], functions: Mapping[Any, Any], scope: frozenset[sp.Symbol]) -> Any:
    if e in atoms:
        return _uncaptured(atoms[e], scope)
    if not e.args:
        return e
    if isinstance(e, AppliedUndef) and e.func in functions:
        return _applied(functions[e.func], [_walk(a, atoms, functions, scope) for a in e.args], scope)
    bound = bound_by(e)
    if not bound:
        args = tuple(_walk(a, atoms, functions, scope) for a in e.args)
        return e if args == e.args else e.func(*args)
    inner = {key: value for key, value in atoms.items() if not key.free_symbols & bound}

    def inside(part: Any) -> Any:
        return _walk(part, inner, functions, scope | bound)

    def outside(part: Any) -> Any:
        return _walk(part, atoms, functions, scope)

    if isinstance(e, ExprWithLimits):
        ends = outside if len(e.limits) == 1 else inside
        limits = [(limit[0], *(ends(end) for end in limit[1:])) for limit in e.limits]
        return e.func(inside(e.function), *limits)
    if isinstance(e, Binder):
        rest = (a if i in e.bound_positions else outside(a) for i, a in enumerate(e.args[1:], start=1))
        return e.func(inside(e.args[0]), *rest)
    if isinstance(e, sp.Lambda):
        return sp.Lambda(e.signature, inside(e.expr))
    return sp.Subs(inside(e.expr), e.variables, tuple(outside(p) for p in e.point))


def _applied(value: Any, args: list[Any], scope: frozenset[sp.Symbol]) -> Any:
    if isinstance(value, UndefinedFunction):
        return value(*args)
    if not isinstance(value, sp.Lambda) or len(value.variables) != len(args):
        raise ProofError("a lambda or a function for a function", value, "write sp.Lambda(u, …) with its arguments")
    return _walk(_uncaptured(value, scope).expr, dict(zip(value.variables, args, strict=True)), {}, frozenset())


def _uncaptured(value: Any, scope: frozenset[sp.Symbol]) -> Any:
    caught = value.free_symbols & scope
    if caught:
        raise ProofError("a value free of variables bound where it stands", f"{value} under {caught}", "rename yours")
    return value
