"""Instances that are made rather than drawn blindly: solutions, tosses, corners, and what falls just outside."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from flint import arb
from numeric import Instance, Random, index, size, vector

from result_instances.coins import Coins, Toss
from result_instances.drawn import (
    Generator,
    Kind,
    given,
    maybe_whole,
    near,
    nonnegative,
    parabola,
    point,
    random,
    real,
    table,
)
from result_instances.kinds import TINY, grid

Made = Mapping[str, Any]
ONE, DEPTHS = arb(1), {"u": grid("0", "b_"), "s": grid("0", "b_")}


def pick(*values: float) -> Kind:
    return lambda g, _: arb(float(g.choice(values)))


def mostly(first: Kind, second: Kind, share: float = 0.8) -> Kind:
    return lambda g, made: (first if g.random() < share else second)(g, made)


def phi(z: Any) -> Any:
    return ONE if z == 0 else z.expm1() / z


# Gronwall: rates g of which the integral is known, and solutions of the integral equation.
RATES = (
    (lambda u: ONE, lambda s: s),
    (lambda u: u, lambda s: s**2 / 2),
    (lambda u: 1 + u**2, lambda s: s + s**3 / 3),
    (lambda u: -u, lambda s: -(s**2) / 2),
)


def rate(g: Generator, _: Made) -> Any:
    return RATES[int(g.integers(len(RATES)))][0]


def solution(g: Generator, made: Made) -> Any:
    a, c, m = made["a_"], made["c_"], made["m_"]
    passed = next(integral for at, integral in RATES if at is made["g_"])
    return lambda s: a * (c * passed(arb(s))).exp() + m * passed(arb(s)) * phi(c * passed(arb(s)))


def driven(g: Generator, made: Made) -> Any:
    """Solve f = ∫(c f + p + q u)."""
    c, (p, q) = made["c_"], made["pair"]
    if c == 0:
        return lambda s: p * arb(s) + q * arb(s) ** 2 / 2
    return lambda s: p * arb(s) * phi(c * s) + q * ((c * s).exp() - 1 - c * s) / c**2


def spike(g: Generator, made: Made) -> Any:
    """Low everywhere but at the end, where it is high: what a negative factor makes of it is large."""
    end = made["b_"]
    return lambda s: arb(-10) if arb(s) < end else 1 + 10 * end


ORIGIN: dict[str, Kind] = {"0": lambda g, _: arb(0)}
GRONWALL: dict[str, Kind] = {
    **ORIGIN,
    "b_": pick(-1, 0, 0.5, 1, 1),
    "c_": pick(-1, 0, 0.5, 1),
    "a_": pick(-1, 0, 1, 2),
    "m_": pick(-1, 0, 0, 1),
    "g_": mostly(rate, lambda g, _: lambda u: -ONE),
    "f_": lambda g, m: (
        solution if any(at is m["g_"] for at, _ in RATES) and g.random() < 0.6 else mostly(parabola, spike, 0.5)
    )(g, m),
}
SOURCE: dict[str, Kind] = {
    **ORIGIN,
    "b_": pick(-1, 0, 0.5, 1, 1),
    "c_": pick(-1, 0, 0.5, 1),
    "pair": lambda g, _: tuple(arb(float(x)) for x in g.choice((-1, 0, 0, 1, 2), size=2)),
    "g_": lambda g, m: lambda u: m["pair"][0] + m["pair"][1] * u,
    "f_": lambda g, m: (driven if g.random() < 0.6 else mostly(parabola, spike, 0.5))(g, m),
}


# Softmax and cross-entropy, of two or three classes.
def softmax(h: Any) -> Any:
    weights = [x.exp() for x in h[0]]
    total = sum(weights, arb(0))
    return np.array([[w / total for w in weights]], dtype=object)


def cross_entropy(h: Any, y: Any) -> Any:
    return sum((x.exp() for x in h[0]), arb(0)).log() - (h * y).sum()


def classes(made: Made) -> int:
    return int(made["C"])


def one_hot(of: Any, C: int) -> Any:
    """Return the label of a class; there is none between two classes."""
    return vector([[1.0 if j == index(of) else 0.0 for j in range(C)]])


def corners(made: Made) -> list[Any]:
    return [made["b_"] * vector([signs]) for signs in product((-1, 1), repeat=classes(made))]


def residual(h: Any, made: Made) -> Any:
    return softmax(h) - one_hot(int(float(made["k_"])), classes(made))


def logits(g: Generator, made: Made) -> Any:
    if g.random() < 0.5:
        return float(g.choice((1, 1, 1, 2))) * max(corners(made), key=lambda h: float(size(residual(h, made))))
    return vector(g.choice((-2, -1, -0.5, 0, 0.5, 1, 2), size=(1, classes(made))).astype(float))


def downhill(g: Generator, made: Made) -> Any:
    """A little down the loss from the first logits, or other logits."""
    h = made["v1_"]
    return h - arb(2) ** -6 * residual(h, made) if g.random() < 0.6 else logits(g, made)


LOSS: dict[str, Kind] = {
    "C": lambda g, _: int(g.choice((2, 2, 3))),
    "b_": pick(0.5, 1, 2),
    "k_": pick(0, 1, 0.5),
    "v1_": logits,
    "v2_": downhill,
    "c_": given(lambda m: max((size(residual(h, m)) for h in corners(m)), key=float), pick(0.25, 0.5, 1)),
    "loss": lambda g, _: cross_entropy,
    "softmax": lambda g, _: softmax,
    "peak": lambda g, _: lambda h: max((abs(x) for x in h[0]), key=float),
    "label": lambda g, m: lambda k: one_hot(k, classes(m)),
}
LOSS |= {"ell": LOSS.pop("loss"), "Y": LOSS.pop("label")}
MEANS: dict[str, Kind] = {
    "b_": pick(0.5, 1, 2),
    "c_": mostly(lambda g, m: m["b_"], nonnegative),
    "v1_": mostly(lambda g, m: m["b_"], near("b_"), 0.5),
    "v2_": mostly(lambda g, m: m["v1_"] - arb(2) ** -7, mostly(lambda g, m: m["b_"], real, 0.5), 0.6),
    "v3_": pick(0),
    "v4_": pick(0),
    "mix": lambda g, _: lambda x, q, k: x * x / 2,
    "mix_slope": lambda g, _: lambda x, q, k, d: x * d,
}

# Samples: two worlds, and what is drawn from them.
LEVELS = pick(0.25, 0.3, 0.5, 0.75)
HOEFFDING: dict[str, Kind] = {
    "odds": lambda g, _: g.choice(((1, 1), (1, 3), (3, 1), (1, 4))),
    "tosses": lambda g, _: [arb(float(x)) for x in g.choice((-1, 0, 0, 1, 1, 2), size=2)],
    "f_": lambda g, m: Random(tuple(lambda _, x=x: x for x in m["tosses"])),
    "k_": lambda g, _: arb(float(g.choice((1, 1, 1, 1, 1, 2, 0, 0.5)))),
    "b_": mostly(lambda g, m: Random(tuple(m["tosses"])), random(real)),
    "m_": mostly(
        lambda g, m: (
            sum((x * int(o) for x, o in zip(m["tosses"], m["odds"], strict=True)), arb(0)) / int(sum(m["odds"]))
        ),
        random(real),
    ),
    "w_": mostly(
        lambda g, m: max(m["tosses"], key=float) - min(m["tosses"], key=float),
        mostly(pick(0, 0.125, 0.25), lambda g, m: Random(tuple(abs(x) + 0.125 for x in m["tosses"])), 0.6),
    ),
    "a_": mostly(
        lambda g, m: min(m["tosses"], key=float),
        lambda g, m: (
            max(m["tosses"], key=float) - m["w_"]
            if g.random() < 0.5 and not isinstance(m["w_"], Random)
            else Random(tuple(m["tosses"]))
        ),
        0.7,
    ),
    "c_": mostly(pick(1, -1), mostly(pick(2, 3), random(pick(-1, 1)), 0.6), 0.7),
    "z_": mostly(pick(0.25, 0.5, 0.75, 1, 1), mostly(pick(-0.5), random(nonnegative), 0.5)),
}
TAIL: dict[str, Kind] = {"a_": random(real), "z_": real, "c_": LEVELS}
SHIFT: dict[str, Kind] = {
    "b_": random(real),
    "z_": mostly(real, random(real)),
    "c_": LEVELS,
    "a_": mostly(
        lambda g, m: Random(
            tuple(
                x + (m["z_"].values[i] if isinstance(m["z_"], Random) else m["z_"])
                for i, x in enumerate(m["b_"].values)
            )
        ),
        random(real),
    ),
}
UNION: dict[str, Kind] = {
    "f_": random(table(real)),
    "k_": maybe_whole,
    "b_": random(maybe_whole),
    "z_": real,
    "c_": LEVELS,
}
OUTCOMES: dict[str, Kind] = {
    "s": pick(-1, 0, 0.5, 1),
    "f_": lambda g, m: lambda x, y: size(x) * m["s"] - size(y),
    "all": lambda g, m: [v := point(g, m), w := point(g, m), Random((v, w)), Random((w, v))],
}
MADE: dict[str, tuple[dict[str, Kind], dict[str, Any]]] = {
    "gronwall": (GRONWALL, DEPTHS),
    "gronwall-source": (SOURCE, DEPTHS),
    "loss-secant": (LOSS, {"logit": lambda m: [*corners(m), m["v1_"], m["v2_"]]}),
    "means-secant": (MEANS, {"base": grid("-b", "b_"), "direction": (arb(1), arb(-2))}),
    "hoeffding": (HOEFFDING, {"j": (0, 1), "v": (arb(-1), ONE, arb(3))}),
    "quantile-of-tail": (TAIL, {"w": lambda m: [m["z_"] + shift for shift in (0, TINY, 0.5, 1, 2, 4)]}),
    "quantile-shift": (SHIFT, {}),
    "union-bound": (UNION, {"i": range(4)}),
    "outcome-by-outcome": (OUTCOMES, {"vartheta": lambda m: m["all"], "varphi": lambda m: m["all"]}),
}
MADE["means-secant"][0]["-b"] = lambda g, m: -m["b_"]

# N AWAY² = q = 169: the tail is exp(-2q(1 + 2/3 AWAY² + …))/(2√(2πq)) there, above exp(-2q (1 + 1/50)) by e^0.2.
N, AWAY = 2**14, 13 / 128
_coin = Toss(1, 2 * ONE, arb(0))  # worth 0 or 2
_near = arb(2) ** -7
NAMED: dict[str, tuple[Instance, ...]] = {
    "hoeffding": (
        Instance(
            {
                "f_": lambda j: _coin,
                "b_": Toss(N, 2 * ONE / N, arb(0)),
                "m_": ONE,
                "k_": arb(N),
                "a_": arb(0),
                "w_": 2 * ONE,
                "z_": arb(2 * AWAY),
                "c_": ONE,
            },
            {"j": (0, 1, N - 1), "v": (arb(-1) / N, ONE)},
            Coins(),
        ),
    ),
    "softmax-change": (
        Instance(
            {
                "p_": lambda j: ONE,
                "f_": lambda j: arb(0),
                "g_": lambda j: _near * (2 * int(j) - 1),
                "q_": lambda j: arb(2 * int(j) - 1),
                "a_": ONE,
                "c_": _near,
                "k_": arb(2),
            },
            {"j": range(2)},
        ),
    ),
}
