"""Flows, layers, samples and covers as `impl` computes them, for fields whose flow is known."""

from fractions import Fraction
from typing import Any

import numpy as np
import torch
from flint import arb
from models_field import ROUNDING, computed, floats, remembered
from models_loss import loss, softmax
from numeric import Instance, Law, Random, enclosing, index, legendre, longest, size, vector

from impl.control.path import Path
from impl.field.abstract import LinearField
from impl.flow import transformer
from impl.readout import PooledReadout
from impl.sampling import Net, risk

T, K = 1.0, 2
DEPTHS = [arb(i) / 8 for i in range(9)]


def at(path: Path, u: Any) -> Any:
    """Return a path's value; between two floats it moves by less than `ROUNDING`."""
    return computed(path.sample(torch.tensor([float(arb(u).mid())], dtype=torch.float64)))


def dyadic(path: Path, u: Any) -> Any:
    """Return a path's value at an eighth of the depth, its nodes at quarters: exact, all numbers are dyadic."""
    return vector(path.sample(floats([u])).numpy())


def integral(of: Any, end: Any) -> Any:
    """Integrate from 0, piece by piece between eighths of the depth."""
    total: Any = 0
    for i in range(8):
        low, high = arb(i) / 8, (arb(i + 1) / 8).min(arb(end))
        if low < high:
            for node, weight in legendre(2):  # exact for cubics
                total = total + (high - low) * weight * of(low + (high - low) * node)
    return total


def variations(path: Path, L: Any, length: Any) -> list[Any]:
    """Return what a path changes within each layer's cell beyond L times the depth passed."""
    cells = []
    for k in range(K):
        start = arb(k) / K
        inside = [start + (arb(1) / K) * i / 64 for i in range(64)]
        cells.append(max((length(at(path, u) - at(path, start)) - L * (u - start) for u in inside), key=float))
    return [cell + 4 * ROUNDING for cell in cells]


def flow_model(seed: int) -> Instance:
    """Return a flow under a control that slopes (0), a field that grows (1), or a control that jumps (2)."""
    g = np.random.Generator(np.random.Philox(key=seed))
    growth, x0 = (Fraction(1, 2) if seed == 1 else Fraction(0)), vector(g.normal(size=(1, 2)))
    ends = torch.tensor(g.normal(size=(2, 2)))
    slopes = torch.tensor([[0.75], [1.0]], dtype=torch.float64)
    if seed == 0:
        control, schedule = Path.piecewise_linear(ends, T), Path.piecewise_linear(slopes, T)
    elif seed == 1:
        control, schedule = Path.constant(ends[0], T), Path.constant(slopes[0], T)
    else:
        control = Path.constant_on_cells(torch.tensor(g.normal(size=(8, 2))), T)
        schedule = Path.constant_on_cells(torch.tensor(g.normal(size=(8, 1))), T)
    field = LinearField(radius=4, control_radius=4, n=1, d=2, growth=growth)
    layers = transformer(field, control, schedule, floats(x0)[None], K, T, record="all")[:, 0]

    @remembered
    def zeta(u: Any) -> Any:
        return at(schedule, u)[0, 0]

    @remembered
    def theta(u: Any) -> Any:
        return at(control, u)

    @remembered
    def X(t: Any) -> Any:  # noqa: N802 - the flow's name
        if seed == 1:
            passed = float(arb(t).mid()) * float(slopes[0])
            return computed(field.exact_flow(floats(x0)[None], ends[0], passed)[0])
        return x0 + integral(lambda u: zeta(u) * theta(u), t)

    smooth = seed == 0
    L_c, L_zeta = (arb(float(p.lipschitz())) if smooth else arb(0) for p in (control, schedule))
    values = {
        "T": arb(T),
        "K": arb(K),
        "eps": arb(T) / K,
        "X": X,
        "theta": theta,
        "zeta": zeta,
        "Xhat": lambda k: (
            computed(layers[index(k)])[None] if layers[index(k)].ndim == 1 else computed(layers[index(k)])
        ),
        "F": lambda x, v: computed(field(floats(x)[None], floats(v)[0][None])[0]),
        "L_c": L_c,
        "L_zeta": L_zeta,
        "W_theta": variations(control, L_c, size),
        "W_zeta": variations(schedule, L_zeta, size),
        "paths": (control, schedule, field),
    }
    return Instance(
        values, {"s": DEPTHS[::4], "t": DEPTHS[::4], "u": DEPTHS, "k": range(K)}, breaks=tuple(DEPTHS), nodes=4
    )


# Samples: two atoms, two samples at hand and a fresh one; controls are constant in depth.
N = 2
ATOMS = (vector([[1.0, 0.5]]), vector([[-0.5, 2.0]]))
LABELS = (vector([[1.0, 0.0]]), vector([[0.0, 1.0]]))
ODDS = (arb(3) / 4, arb(1) / 4)
SAMPLES = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
READOUT = PooledReadout(
    torch.tensor([[1.0, -0.5], [0.25, 1.0]], dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
)


def readout(x: Any) -> Any:
    return computed(READOUT(floats(x)))[None]


def risk_model(seed: int) -> Instance:
    g = np.random.Generator(np.random.Philox(key=seed))
    controls = [vector(g.normal(size=(1, 2))) for _ in range(4)]
    field = LinearField(radius=4, control_radius=4, n=1, d=2, growth=Fraction(1, 2))

    @remembered
    def flow(v: Any, atom: int, t: Any) -> Any:
        return computed(field.exact_flow(floats(ATOMS[atom])[None], floats(v)[0], float(arb(t).mid()))[0])

    @remembered
    def layers(v: Any, atom: int, k: Any) -> Any:
        constant = Path.constant(floats(v)[0], T)
        return computed(transformer(field, constant, None, floats(ATOMS[atom])[None], K, T, record="all")[index(k), 0])

    def end_loss(v: Any, atom: int, path: Any, last: Any) -> Any:
        return loss(readout(path(v, atom, last)), LABELS[atom])

    def population(path: Any, last: Any) -> Any:
        def J(v: Any) -> Any:  # noqa: N802 - the risk's name
            losses = np.array([float(end_loss(v, a, path, last).mid()) for a in (0, 1)])
            return enclosing(risk(losses, np.array([float(p) for p in ODDS])), 2 * ROUNDING)

        return J

    def sampled(of: Any) -> Random:
        """Return a function of the sample's index, and of what else it takes, world by world."""
        return Random(tuple(lambda *args, s=s: of(s, *args) for s in SAMPLES))

    def mean(path: Any, last: Any) -> Random:
        def of(s: tuple[int, ...], v: Any) -> Any:
            losses = np.array([float(end_loss(v, s[j], path, last).mid()) for j in range(N)])
            return enclosing(risk(losses, np.full(N, 1 / N)), 2 * ROUNDING)

        return sampled(of)

    J_N, J_epsN, J = mean(flow, T), mean(layers, K), population(flow, T)

    def best(of: Random) -> list[int]:
        return [min(range(4), key=lambda i: float(J_s(controls[i]).mid())) for J_s in of.values]

    order = sorted(range(4), key=lambda i: float(J(controls[i]).mid()))
    values = {
        "T": arb(T),
        "K": arb(K),
        "eps": arb(T) / K,
        "N": arb(N),
        "G_size": arb(4),
        "q": arb(2),
        "zeta": lambda t: arb(1),
        "F": lambda x, v: computed(field(floats(x)[None], floats(v)[0][None])[0]),
        "H": readout,
        "ell": loss,
        "softmax": softmax,
        "input_of": sampled(lambda s, j: ATOMS[s[index(j)]]),
        "Y": sampled(lambda s, j: LABELS[s[index(j)]]),
        "flow_of": sampled(lambda s, v, j, t: flow(v, s[index(j)], t)),
        "layers_of": sampled(lambda s, v, j, k: layers(v, s[index(j)], k)),
        "outcome": sampled(lambda s, v, j: readout(flow(v, s[index(j)], T))),
        "outcome_eps": sampled(lambda s, v, j: readout(layers(v, s[index(j)], K))),
        "J_N": J_N,
        "J_epsN": J_epsN,
        "J": J,
        "J_eps": population(layers, K),
        "value_of": lambda v, t: v,
        "sup_dist": lambda v, w: size(v - w),
        "member": lambda i: controls[index(i)],
        "near": lambda w: controls[order[0]],
        "nearest": lambda v: arb(min(range(4), key=lambda i: float(size(v - controls[i])))),
        "iota": Random(tuple(best(J_N))),
        "trained": Random(tuple(lambda e, i=i: controls[i] for i in best(J_epsN))),
        "peak": longest_entry,
    }
    runs = {
        "vartheta": controls[::3],
        "varphi": controls[1:3],
        "j": range(N + 1),
        "k": range(K),
        "s": DEPTHS[:8:4],
        "t": DEPTHS[::4],
        "u": DEPTHS[::4],
        "i": range(N + 1),
        "w": [arb(1) / 64, arb(1)],
        "v": [arb(1), arb(-1)],
    }
    chances = tuple(ODDS[a] * ODDS[b] * ODDS[c] for a, b, c in SAMPLES)
    return Instance(values, runs, Law(chances), tuple(DEPTHS[::2]), 4)


def longest_entry(h: Any) -> Any:
    return longest(np.asarray(h).T)


def cover_model(seed: int) -> Instance:
    """Return a coordinate that goes up and down, alone in its control, and the centre that follows it."""
    net = Net(rho=1.0, r=0.25, L_c=1.0, T=1.0)
    g = np.random.Generator(np.random.Philox(key=seed))
    turns = np.array([1.0, 1.0, -1.0, 1.0]) if seed == 0 else np.sign(g.normal(size=net.cells))
    start = (0.125, -1.0, 0.0)[seed]
    nodes = np.concatenate([[start], start + np.cumsum(turns) / net.cells])
    path = Path.piecewise_linear(torch.tensor(nodes[:, None]), 1.0)
    centres = net.unclipped(nodes)
    follow = Path.piecewise_linear(torch.tensor(centres[:, None]), 1.0)
    values = {
        "coord": lambda t: dyadic(path, t)[0, 0],
        "theta": lambda t: dyadic(path, t),
        "centre": lambda t: dyadic(follow, t)[0, 0],
        "turn": lambda k: arb(float(np.sign(centres[index(k) + 1] - centres[index(k)]))),
        "cells": arb(net.cells),
        "cell": arb(1) / net.cells,
        "r_inf": arb(net.r),
        "rho": arb(net.rho),
        "L_c": arb(net.L_c),
        "T": arb(1),
    }
    return Instance(values, {"s": DEPTHS, "t": DEPTHS, "k": range(net.cells)})
