"""Reads statements of the theory at numbers: every function of the language has one meaning here, in balls.

Scalars are balls, vectors arrays of balls with a row a token. A random thing has one value in each world of a law; what
is fixed before the sample has the same in all. A relation is *refuted* where its enclosures leave no doubt. Conclusions
are by more than `SLACK`, premises by more than `MET`: at 128 bits enclosures and quadratures here err by less than
2^-100, and what a premise is missed by moves its conclusion 2^26 times as far at most; a wrong constant moves it by
percents.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import flint
import sympy as sp
from balls import (
    NODES,
    Instance,
    Law,
    Random,
    Undefined,
    differ,
    enclosing,
    index,
    longest,
    number,
    product,
    refuted_sign,
    root,
    size,
    vector,
)
from flint import arb
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from spec.language import functions as fn
from spec.language.enclosures import largest, power
from spec.language.errors import ConditionError
from spec.language.template import Statement

PRECISION, SLACK, MET, HALF = 128, arb(2) ** -64, arb(2) ** -90, arb(1) / 2
Env = Mapping[str, Any]
Meaning = Callable[[Env], Any]


@lru_cache(maxsize=256)
def legendre(nodes: int = NODES) -> tuple[tuple[Any, Any], ...]:
    """Return nodes and weights on [0, 1]: they err by at most (m!)⁴ max|f⁽²ᵐ⁾|/((2m+1) ((2m)!)³), m of them.

    With 24 that is below 2^-105 for e^{cu}, |c| <= 16; with 4, 0 for cubics and below 2^-70 for e^{u/16}.
    """
    pairs = (arb.legendre_p_root(nodes, i, weight=True) for i in range(nodes))
    return tuple(((1 + x) / 2, weight / 2) for x, weight in pairs)


def _integral(body: Meaning, name: str, low: Any, high: Any, env: Env) -> Any:
    inside = [b for b in map(number, env["#breaks"]) if low < b < high]
    ends, total = [low, *sorted(inside, key=float), high], 0
    for start, end in pairwise(ends):
        for at, weight in legendre(env["#nodes"]):
            total = total + (end - start) * weight * body({**env, name: start + (end - start) * at})
    return total


def _growth(z: Any) -> Any:
    return arb(1) if z == 0 else z.expm1() / z


def _power(base: Any, exponent: Any) -> Any:
    whole = exponent.unique_fmpz() if isinstance(exponent, arb) else exponent
    if whole is not None:
        return power(number(base), int(whole))
    return root(base) if exponent == HALF else 1 / root(base) if exponent == -HALF else number(base) ** exponent


def _geometric(z: Any, k: int) -> Any:
    if k < 0:
        raise Undefined("a geometric sum of a negative number of terms")
    return sum(((1 + z) ** j for j in range(k)), arb(0))


def _fold(pick: str) -> Callable[[list[Any]], Any]:
    def folded(values: list[Any]) -> Any:
        top = number(values[0])
        for value in values[1:]:
            top = getattr(top, pick)(number(value))
        return top

    return folded


_PLAIN: dict[Any, Callable[..., Any]] = {
    fn.norm: size,
    fn.token_norm: longest,
    fn.inner: product,
    fn.Ratio: lambda u, v: number(u) / v,
    fn.phi1: lambda z: _growth(number(z)),
    fn.geom: lambda z, k: _geometric(number(z), index(k)),
    sp.exp: lambda z: number(z).exp(),
    sp.log: lambda z: number(z).log(),
    sp.Abs: lambda z: abs(number(z)),
    sp.ceiling: lambda z: number(z).ceil(),
}


def _loop(e: sp.Expr, names: list[str], parts: list[Meaning], env: Env) -> Any:
    body, count = parts[0], index(parts[len(names) + 1](env))
    if isinstance(e, fn.Recurrence):
        if count < 0:
            raise Undefined("a recurrence that has not begun")
        value = parts[4](env)
        for k in range(count):
            value = body({**env, names[0]: value, names[1]: k})
        return value
    if isinstance(e, fn.SumOver):
        total: Any = arb(0)
        for i in range(count):
            total = total + body({**env, names[0]: i})
        return total
    first, last = count, index(parts[3](env))
    return largest(lambda i: number(body({**env, names[0]: i})), first, last, parts[4](env), parts[5](env))


def _law(e: sp.Expr, parts: list[Meaning], env: Env) -> Any:
    law = env["#law"]

    def at(part: Meaning) -> Callable[[int], Any]:
        return lambda world: number(part({**env, "#world": world}))

    if isinstance(e, fn.expectation):
        return law.expectation(at(parts[0]))
    if isinstance(e, fn.probability):
        return law.probability(at(parts[0]), at(parts[1]))
    return law.quantile(at(parts[0]), parts[1](env))


def _value(name: str, env: Env) -> Any:
    value = env[name]
    return value.values[env["#world"]] if isinstance(value, Random) else value


def _applied(name: str, parts: list[Meaning], env: Env) -> Any:
    if name == "sees":  # what differs between worlds depends on the sample
        first, *others = (parts[0]({**env, "#world": world}) for world in env["#law"].worlds())
        return arb(any(differ(first, other) for other in others))
    return _value(name, env)(*(part(env) for part in parts))


def _many(e: sp.Expr, parts: list[Meaning]) -> Meaning | None:
    """Return the meaning of sums, products, powers, maxima and minima."""
    if isinstance(e, sp.Add):
        return lambda env: sum((part(env) for part in parts[1:]), parts[0](env))
    if isinstance(e, sp.Mul):

        def times(env: Env) -> Any:
            total = parts[0](env)
            for part in parts[1:]:
                total = total * part(env)
            return total

        return times
    if isinstance(e, sp.Pow):
        return lambda env: _power(parts[0](env), parts[1](env))
    if isinstance(e, sp.Max | sp.Min):
        return lambda env: _fold("max" if isinstance(e, sp.Max) else "min")([part(env) for part in parts])
    return None


@lru_cache(maxsize=20_000)
def meaning(e: sp.Expr) -> Meaning:
    """Return an expression as a function of an environment."""
    if isinstance(e, sp.Number):
        exact = number(e)
        return lambda env: exact
    if isinstance(e, sp.Symbol):
        return lambda env, name=e.name: _value(name, env)  # type: ignore[misc]
    if isinstance(e, fn.Unit):
        return lambda env: 1
    if isinstance(e, fn.Entry):
        at = meaning(e.args[1])
        return lambda env: _value(e.args[0].name, env)[index(at(env))]
    if isinstance(e, ExprWithLimits):
        body, ((u, low, high),) = meaning(e.function), e.limits
        ends = meaning(low), meaning(high)
        return lambda env: _integral(body, u.name, number(ends[0](env)), number(ends[1](env)), env)
    parts = [meaning(a) for a in e.args]
    if isinstance(e, fn.SumOver | fn.MaxOver | fn.Recurrence):
        names = [s.name for s in e.bound_symbols]
        return lambda env: _loop(e, names, parts, env)
    if isinstance(e, fn.expectation | fn.probability | fn.quantile):
        return lambda env: _law(e, parts, env)
    if isinstance(e, AppliedUndef | fn.gauge):
        return lambda env: _applied(type(e).__name__, parts, env)
    if type(e) in _PLAIN:
        return lambda env: _PLAIN[type(e)](*(part(env) for part in parts))
    found = _many(e, parts)
    assert found is not None, f"no meaning for {e}"
    return found


def refuted(relation: sp.Rel, env: Env, slack: Any = 0) -> bool:
    """Say whether a relation is certainly false, or speaks of what there is not."""
    try:
        left, right = (meaning(side)(env) for side in relation.args)
    except (Undefined, ConditionError):  # what a model or `impl` refuses
        return True
    scale = (size(left) + size(right)).min(arb(1)) if slack else 1  # what is small is told apart as well
    return refuted_sign(left - right, relation.rel_op, slack * scale)


def points(statement: Statement, instance: Instance) -> Iterator[dict[str, Any]]:
    """Yield the environments over which a statement runs: every world, every value, where the guard is not refuted."""
    for world in instance.law.worlds():
        environments = [instance.env(world)]
        for variable in statement.free:
            run = list(instance.runs[variable.name])
            environments = [{**env, variable.name: value} for env in environments for value in run]
        for env in environments:
            if not any(refuted(g, env) for g in statement.given):
                yield env


def fails(statement: Statement, instance: Instance, slack: Any = 0) -> bool:
    """Say whether a statement is certainly false somewhere on an instance."""
    with flint.ctx.workprec(PRECISION):
        return any(refuted(statement.relation, env, slack) for env in points(statement, instance))


__all__ = [
    "MET",
    "PRECISION",
    "SLACK",
    "Instance",
    "Law",
    "Random",
    "Undefined",
    "differ",
    "enclosing",
    "fails",
    "index",
    "legendre",
    "longest",
    "meaning",
    "points",
    "refuted",
    "root",
    "size",
    "vector",
]
