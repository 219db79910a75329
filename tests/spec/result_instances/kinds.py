"""What the parameters of every result are drawn from, and what its bound variables run over."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from flint import arb
from numeric import longest, root, size

from result_instances.drawn import (
    Generator,
    Kind,
    count,
    given,
    linear,
    maybe_whole,
    multiple,
    near,
    nonnegative,
    order,
    parabola,
    point,
    random,
    real,
    shares,
    step,
    table,
    tokens,
    top,
    total,
    whole,
)  # fmt: skip

Made = Mapping[str, Any]
TINY = arb(2) ** -100


def above_zero(g: Generator, _: Made) -> Any:
    return arb(float(g.choice((-1, 0, 0.5, 1, 1 + 2**-8, 2, 3))))


def closely(of: str) -> Kind:
    """An earlier number, by at most a hundredth more or less; or another."""

    def kind(g: Generator, made: Made) -> Any:
        shift = float(g.choice((-(2**-7), 0, 2**-7, 1, -1)))
        return made[of] + shift

    return kind


def small(g: Generator, _: Made) -> Any:
    """A number near 0 at times, where powers and exponentials touch."""
    return arb(float(g.choice((-3, -1, -0.5, -(2**-7), 0, 2**-7, 0.5, 1, 2))))


def times(of: str) -> Kind:
    """A sequence proportional to an earlier one, or another sequence."""

    def kind(g: Generator, made: Made) -> Any:
        factor = float(g.choice((0.5, 1, 2)))
        f = made[of]
        return (lambda j: factor * f(j)) if g.random() < 0.6 else table(real)(g, made)

    return kind


def like(of: str) -> Kind:
    """A sequence whose terms are near those of an earlier one."""

    def kind(g: Generator, made: Made) -> Any:
        f, shifts = made[of], [float(x) for x in g.choice((-1, -0.5, 0, 0.5, 1), size=7)]
        return lambda j: f(j) + shifts[int(float(j)) % 7]

    return kind


def steps_of(length: Any) -> Kind:
    """The lengths of a path's steps, or a little more or less."""

    def kind(g: Generator, made: Made) -> Any:
        f, factor = made["f_"], float(g.choice((0.5, 1, 1, 1, 2)))
        return lambda j: factor * length(f(j + 1) - f(j))

    return kind


def ray(g: Generator, made: Made) -> Any:
    """A path of vectors, on one line at times."""
    base, heights = point(g, made), [float(x) for x in g.choice((0, 0.5, 1, 2, 3, 4), size=8)]
    heights = sorted(heights) if g.random() < 0.7 else heights
    other = point(g, made) if g.random() < 0.3 else base
    return lambda j: heights[int(float(j)) % 8] * (base if int(float(j)) % 2 else other)


def curve(g: Generator, made: Made) -> Any:
    """A vector that moves on a line through 0."""
    base, height = point(g, made), parabola(g, made)
    return lambda u: height(u) * base


def covers(length: Any) -> Kind:
    """A function above the length of the curve, or half of it."""

    def kind(g: Generator, made: Made) -> Any:
        f, factor = made["f_"], float(g.choice((0.5, 1, 1, 2)))
        return lambda u: factor * length(f(u))

    return kind


def grid(low: str = "a_", high: str = "b_", number: int = 8) -> Any:
    """Depths between two of an instance's numbers, both included."""
    return lambda made: [made[low] + (made[high] - made[low]) * arb(i) / number for i in range(number + 1)]


def maximum(made: Made) -> Any:
    return max((made["f_"](j) for j in range(int(float(made["a_"])), int(float(made["b_"])) + 1)), key=float)


def hump(g: Generator, _: Made) -> Any:
    """A sequence that rises and falls, or any."""
    a, b = float(g.choice((0, 1, 1.5, 2, 2.5, 3))), float(g.choice((-1, 1, 1, 1)))
    return lambda j: b * (4 - (j - a) ** 2)


K, J = {"k_": count}, {"j": range(7)}
ROWS: dict[str, tuple[dict[str, Kind], dict[str, Any]]] = {
    "triangle": ({"v1_": point, "v2_": multiple("v1_")}, {}),
    "triangle-3": ({"v1_": point, "v2_": multiple("v1_"), "v3_": multiple("v1_")}, {}),
    "triangle-4": ({"v1_": point, "v2_": multiple("v1_"), "v3_": multiple("v1_"), "v4_": multiple("v1_")}, {}),
    "token-triangle": ({"v1_": point, "v2_": multiple("v1_")}, {}),
    "token-below-frobenius": ({"v1_": point}, {}),
    "cauchy-schwarz": ({"v1_": point, "v2_": multiple("v1_")}, {}),
    "dual-norm": (
        {"v1_": point, "c_": given(lambda m: size(m["v1_"]))},
        {"omega": lambda m: [m["v1_"], -m["v1_"], *(point(np.random.Generator(np.random.Philox(1)), m) for _ in "12")]},
    ),
    "all-tokens": ({"n": lambda g, _: int(g.integers(1, 5)), "v1_": tokens}, {}),
    "affine-squares": ({"f_": table(real), "b_": real, "c_": real, **K}, {}),
    "gram": ({"f_": table(real), "g_": table(real), **K}, {}),
    "square-added": ({"a_": small, "b_": small, "c_": small}, {}),
    "cauchy-4": (
        {f"l{i}_": real for i in range(1, 5)}
        | {f"r{i}_": given(lambda m, i=i: 2 * m[f"l{i}_"], share=0.9) for i in range(1, 5)},
        {},
    ),
    "cauchy-joined": (
        {
            "a_": real, "b_": real, "c_": real, "m_": given(lambda m: 2 * m["c_"], share=0.5),
            "z_": given(lambda m: root(m["a_"] * m["b_"]), share=0.6),
        },
        {},
    ),
    "log-above": ({"z_": above_zero}, {}),
    "quotients": ({"f_": linear, "v1_": point, "v2_": point, "c_": real}, {}),
    "log-quotient": ({"a_": real, "b_": real}, {}),
    "peak": (
        {"f_": hump, "a_": order, "b_": order, "c_": real, "m_": lambda g, _: arb(float(g.choice((0.5, 1, 2)))),
         "k_": maybe_whole},
        {"j": range(5), "m": range(5)},
    ),
    "max-below": (
        {"f_": hump, "a_": order, "b_": order, "c_": real, "m_": lambda g, _: arb(float(g.choice((0.5, 1, 2)))),
         "z_": given(maximum)},
        {"m": range(5)},
    ),
    "ceiling-monotone": ({"a_": real, "b_": near("a_")}, {}),
    "from-above": ({"b_": real, "a_": closely("b_")}, {"w": (0, TINY, 1)}),
    "cases": ({"f_": parabola, "z_": real, "c_": real, "b_": real}, {}),
    "transitive": ({"a_": real, "b_": near("a_"), "c_": near("b_")}, {}),
    "products": ({"a_": real, "b_": near("a_"), "c_": real, "m_": near("c_")}, {}),
    "integer-cases": ({"a_": real, "b_": real, "z_": maybe_whole, "c_": maybe_whole}, {}),
    "log-power": ({"z_": real, "k_": whole, "a_": given(lambda m: m["z_"] ** m["k_"])}, {}),
    "geometric-step": ({"z_": real, "k_": maybe_whole}, {}),
    "geometric-exponential": ({"z_": small, "k_": maybe_whole}, {}),
    "geometric-monotone": ({"z_": real, "k_": maybe_whole, "c_": maybe_whole}, {}),
    "growth-step": (
        {"a_": small, "c_": small, "m_": small, "z_": small, "w_": small, "b_": given(lambda m: m["z_"] + m["w_"])},
        {},
    ),
    "growth-monotone": ({"a_": small, "c_": small, "m_": small, "z_": small, "w_": near("z_")}, {}),
    "power-step": ({"z_": real, "k_": whole}, {}),
    "power-monotone": ({"z_": small, "k_": whole, "c_": whole}, {}),
    "power-exponential": ({"z_": small, "k_": whole}, {}),
    "recurrence-step": ({"f_": step, "a_": real, "k_": maybe_whole}, {}),
    "recurrence-monotone": (
        {"f_": step, "a_": real, "k_": maybe_whole, "c_": maybe_whole}, {"e": (0, 0.5, 1, 2, 5, 9), "j": range(6)},
    ),
    "sum-step": ({"f_": table(real), "k_": maybe_whole}, {}),
    "sum-bound": ({"f_": table(real), "k_": maybe_whole, "c_": given(lambda m: top(m, m["f_"]))}, J),
    "weighted-mean": ({"f_": shares, "g_": table(real), **K, "c_": given(lambda m: top(m, m["g_"]))}, J),
    "sum-below": ({"f_": table(real), "g_": like("f_"), **K}, J),
    "sum-but-one-above": ({"f_": table(real), "a_": maybe_whole, "c_": real, **K}, J),
    "sum-but-one-below": ({"f_": table(real), "a_": maybe_whole, "c_": real, **K}, J),
    "sum-but-two-above": ({"f_": table(real), "a_": maybe_whole, "b_": maybe_whole, "c_": real, **K}, J),
    "sum-monotone": ({"f_": table(real), "k_": count, "c_": count}, J),
    "sum-linear": ({"f_": table(real), "g_": table(real), "a_": real, "b_": real, **K}, {}),
    "mean-change": (
        {"f_": table(real), "g_": like("f_"), "k_": maybe_whole,
         "c_": given(lambda m: top(m, lambda j: abs(m["f_"](j) - m["g_"](j))))},
        J,
    ),
    "combined-sum": (
        {"f_": table(real), "g_": table(real), "q_": table(real), "a_": real, "b_": real, "m_": real, **K}, J,
    ),
    "sum-scaled": (
        {"p_": table(real), "c_": real, "g_": table(real), **K,
         "f_": lambda g, m: (lambda j: m["p_"](j) * m["c_"]) if g.random() < 0.7 else table(real)(g, m)},
        J,
    ),
    "quadratic-mean": (
        {"p_": shares, "f_": table(real), "k_": given(lambda m: 3, count),
         "c_": given(lambda m: total(m, "p_", "f_")), "a_": real, "b_": real, "m_": real},
        {},
    ),
    "weighted-cauchy": ({"p_": shares, "f_": table(real), "g_": times("f_"), **K}, J),
    "mean-square": ({"f_": table(real), **K}, {}),
    "sign-split": ({"f_": table(real), **K}, {}),
    "partial-sums": ({"f_": ray, "g_": steps_of(size), **K}, J),
    "token-partial-sums": ({"f_": ray, "g_": steps_of(longest), **K}, J),
    "softmax-change": (
        {"p_": shares, "f_": table(real), "g_": like("f_"), "q_": table(real), **K,
         "a_": given(lambda m: top(m, lambda j: abs(m["q_"](j)))),
         "c_": given(lambda m: top(m, lambda j: abs(m["f_"](j) - m["g_"](j))))},
        J,
    ),
    "integral-bound": ({"f_": curve, "g_": covers(size), "a_": nonnegative, "b_": nonnegative}, {"u": grid()}),
    "token-integral-bound": ({"f_": curve, "g_": covers(longest), "a_": nonnegative, "b_": nonnegative}, {"u": grid()}),
    "cell-integral-bound": ({"f_": curve, "g_": covers(size), "a_": nonnegative, "b_": nonnegative}, {"u": grid()}),
    "integral-monotone": (
        {"f_": parabola, "a_": nonnegative, "b_": nonnegative,
         "s": lambda g, _: float(g.choice((-1, 0, 0, 1))), "g_": lambda g, m: lambda u: m["f_"](u) + m["s"]},
        {"u": grid()},
    ),
    "exponential-integral": ({"c_": real, "b_": real}, {}),
    "piecewise-lipschitz": (
        {"f_": parabola, "z_": lambda g, _: arb(float(g.choice((-1, 0, 0.5, 1)))), "k_": maybe_whole, "a_": real},
        {"k": range(4), "s": [arb(i) / 2 for i in range(9)], "t": [arb(i) / 2 for i in range(9)]},
    ),
    "two-sided": ({"c_": random(real), "z_": random(real)}, {}),
    "expectation-change": (
        {"a_": random(real), "b_": random(real), "c_": lambda g, m: (random(nonnegative) if g.random() < 0.3 else
                                                                   nonnegative)(g, m)},
        {},
    ),
}  # fmt: skip
