"""The net of the Lipschitz controls, checked: centres followed along drawn functions, and counts against packings."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import sympy as sp
import torch

from impl.rounding import gamma
from impl.sampling import Net, packing_number
from properties import checking, digits
from properties.checking import HOLDS, VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.digits import Trained
from properties.flow_constants import slope_and_jumps
from properties.sampling import trained
from properties.suite import suite

Floats = npt.NDArray[np.float64]
FINER, CELLS = 4, (64, 128, 256)
SPACE = Space(
    {
        "batch": Integer(24, 32),
        "kind": Choice(("constant", "straight", "zigzag", "wandering")),
        "cells": size(0, 8, 40, 200),
        "p": Integer(1, 6),
        "rho": Real(0.02, 50.0, log=True),
        "r_inf": Real(0.05, 2.0, log=True),
        "L_c": Real(0.1, 10.0, log=True),
        "steep": Real(0.2, 1.0),
    }
)


def coordinate(descriptor: Descriptor, net: Net, generator: np.random.Generator) -> Floats:
    """Return a function of the class at ends and quarters of the cells, linear between: folded into the strip."""
    steps = FINER * net.cells
    start = generator.choice(np.append(coarse(generator.uniform(-net.rho, net.rho)), (-net.rho, net.rho)))
    rise = net.L_c * net.T / steps
    match descriptor["kind"]:
        case "constant":
            rises = np.zeros(steps)
        case "straight":
            rises = np.full(steps, rise * generator.choice((-1.0, 1.0)))
        case "zigzag":
            rises = np.where(np.arange(steps) // generator.integers(1, 2 * FINER + 1) % 2, rise, -rise)
        case _:
            rises = coarse(generator.uniform(-rise, rise, steps) * descriptor["steep"])
    path = start + np.concatenate([[0.0], np.cumsum(rises)])
    if net.rho == 0:
        return np.zeros_like(path)
    turned = np.mod(path + net.rho, 4 * net.rho)
    return np.minimum(turned, 4 * net.rho - turned) - net.rho


def coarse(value: Floats | float) -> Floats:
    """Round towards 0 to multiples of 2^-20: sums, halves and quarters of such numbers below 2^20 are exact."""
    return np.trunc(np.asarray(value) * 2.0**20) / 2.0**20


def followed(net: Net, function: Floats) -> Floats:
    """Return the clipped centre at ends and quarters of the cells, for functions (..., FINER cells + 1)."""
    ends = net.unclipped(function[..., ::FINER])
    inside = ends[..., :-1, None] + (ends[..., 1:] - ends[..., :-1])[..., None] * (np.arange(FINER) / FINER)
    whole = np.concatenate([inside.reshape(*ends.shape[:-1], -1), ends[..., -1:]], -1)
    return np.clip(whole, -net.rho, net.rho)


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return counts, distances, slopes and sizes for the nets and functions of a descriptor, without error.

    All numbers are multiples of 2^-20, and slopes quotients that are rounded once, monotonically, against L_c, a power
    of two. The logarithm of a packing is rounded down.
    """
    generator = descriptor.generator("functions")
    count, p, cells = descriptor["batch"], descriptor["p"], descriptor["cells"]
    scale = generator.uniform(0.5, 2.0, (2, count))
    rho, r = (coarse(descriptor[name] * s) for name, s in zip(("rho", "r_inf"), scale, strict=True))
    L_c = 2.0 ** np.round(np.log2(descriptor["L_c"] * generator.uniform(0.5, 2.0, count)))
    # So much of r is climbed in a cell that as many cells are needed as the descriptor has.
    climb = coarse(r * (1 - generator.uniform(0.05, 0.95, count) / max(cells, 1)))
    T = cells * climb / L_c
    rows = []
    for each in zip(rho.tolist(), r.tolist(), L_c.tolist(), T.tolist(), strict=True):
        net = Net(*each)
        function = coordinate(descriptor, net, generator)
        centre = followed(net, function)
        step = net.T / net.cells / FINER
        slope = np.abs(np.diff(centre)).max() / step if step else 0.0
        log_count = p * np.log(float(packing_number(*each))) * (1 - 2.0**-50)
        rows.append((log_count, np.abs(function - centre).max(), slope, np.abs(centre).max()))
    log_count, distance, slope, width = np.array(rows).T
    exact = np.zeros(count)
    return {
        "count": Batch(log_count, exact, {"rho": rho, "r_inf": r, "L_c": L_c, "T": T, "p": p}),
        "distance": Batch(distance, exact, {"r_inf": r}),
        "slope": Batch(slope, exact, {"L_c": L_c}),
        "range": Batch(width, exact, {"rho": rho}),
        # A root, a quotient and a product, each rounded once.
        "euclidean": Batch(np.sqrt(p) * (r / np.sqrt(p)), 4 * 2.0**-53 * r, {"r": r}),
    }


def real() -> dict[str, Batch]:
    """Return nets of both trained controls' classes, and centres of all p coordinates, in cells of three lengths."""
    claims: dict[str, list[tuple[float, float, dict[str, Any]]]] = {}
    for net in digits.both():
        for cells in CELLS:
            for name, row in of_trained(net, cells).items():
                claims.setdefault(name, []).append(row)
    return {name: trained.gathered(rows) for name, rows in claims.items()}


def of_trained(net: Trained, cells: int) -> dict[str, tuple[float, float, dict[str, Any]]]:
    """Return what the claims measure on a trained control: (measured, error, values).

    ρ and L_c are rounded up to multiples of 2^-20, so that centres are exact; ``r = L_c T/cells`` is, too. A coordinate
    is computed at a depth within a relative γ_16 of the nodes around it, which are at most ρ.
    """
    control, T, p = net.control, net.recipe.T, net.layers.shape[-1]
    steepest, largest = slope_and_jumps(control, net.recipe.K, T)[0], control.coefficients.abs().max()
    L_c, rho = (float(coarse(float(number)) + 2.0**-20) for number in (steepest, largest))
    r = L_c * T / cells
    cover = Net(rho, r, L_c, T)
    assert cover.cells == cells
    depths = torch.linspace(0.0, T, FINER * cells + 1, dtype=torch.float64)
    functions = control.sample(depths).numpy().T
    centres = followed(cover, functions)
    steps = np.abs(np.diff(centres, axis=-1)).max() / (T / cells / FINER)
    count = p * np.log(float(packing_number(rho, r, L_c, T))) * (1 - 2.0**-50)
    shape = {"rho": rho, "r_inf": r, "L_c": L_c, "T": T, "p": p}
    far = float(np.sqrt(p) * r)
    return {
        "count": (count, 0.0, shape),
        "distance": (float(np.abs(functions - centres).max()), gamma(16) * 2 * rho, {"r_inf": r}),
        "slope": (float(steps), 0.0, {"L_c": L_c}),
        "range": (float(np.abs(centres).max()), 0.0, {"rho": rho}),
        "euclidean": (float(np.sqrt(p) * (far / np.sqrt(p))), 4 * 2.0**-53 * far, {"r": far}),
    }


def joined(r: int, p: int) -> dict[str, Batch]:
    """Return the exact length of p coordinates' radii."""
    return {"euclidean": Batch([sp.sqrt(p) * (r / sp.sqrt(p))], [0], {"r": r})}


def packed(rho: Fraction, r: Fraction, L_c: Fraction, T: Fraction, p: int = 1) -> dict[str, Batch]:
    """Return the logarithm of a packing, exact."""
    measured = p * sp.log(packing_number(float(rho), float(r), float(L_c), float(T)))
    return {"count": Batch([measured], [0], {"rho": rho, "r_inf": r, "L_c": L_c, "T": T, "p": p})}


def edge(rho: int, r: int) -> dict[str, Batch]:
    """Return the constant at the lower edge: its centre is r away, rises by L_c, and is clipped where it passes ρ."""
    net = Net(rho, r, 1.0, 3.0 * r)
    function = np.full(FINER * net.cells + 1, -float(rho))
    centre = followed(net, function)
    distance = int(max(abs(f - c) for f, c in zip(function.tolist(), centre.tolist(), strict=True)))
    return {"distance": Batch([distance], [0], {"r_inf": r})}


def climbing() -> dict[str, Batch]:
    """Return a centre that climbs with the steepest function, exact in quarters: slope L_c, then clipped at ρ."""
    net = Net(2.0, 1.0, 1.0, 4.0)
    function = np.minimum(np.arange(FINER * net.cells + 1) / FINER - 2.0, 2.0)
    centre = followed(net, function)
    slope = Fraction(float(np.abs(np.diff(centre)).max())) * FINER
    return {
        "slope": Batch([slope], [0], {"L_c": 1}),
        "range": Batch([Fraction(float(np.abs(centre).max()))], [0], {"rho": 2}),
    }


def _jump() -> tuple[dict[str, Batch], dict[str, bool]]:
    """Return a function that leaps from one edge to the other within its only cell: its centre is left behind."""
    net = Net(5.0, 1.0, 0.5, 1.0)
    function = np.where(np.arange(FINER * net.cells + 1) == 1, 5.0, -5.0)
    centre = followed(net, function)
    distance = Fraction(float(np.abs(function - centre).max()))
    met = {"control-in-cube": bool(np.abs(function).max() <= net.rho)}
    return {"distance": Batch([distance], [0], {"r_inf": 1})}, met


def _beyond() -> tuple[dict[str, Batch], dict[str, bool]]:
    """Return constants in a strip three times as high as the one that is claimed: three times as many intervals."""
    found = packed(Fraction(15), Fraction(1), Fraction(0), Fraction(0))["count"]
    claimed = {**found.values, "rho": Fraction(5)}
    return {"count": Batch(found.measured, found.error, claimed)}, {"control-lipschitz": True}


PROPERTY = Property(
    slug="sampling/covering-lipschitz",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("zigzags", lambda: packed(Fraction(400), Fraction(1), Fraction(1), Fraction(401, 2))),
        Exhibit("constants", lambda: packed(Fraction(5), Fraction(1), Fraction(3), Fraction(0), p=3)),
        Exhibit("constants, rounded up", lambda: packed(Fraction(21, 4), Fraction(1), Fraction(0), Fraction(2), p=2)),
        Exhibit("one point", lambda: packed(Fraction(0), Fraction(1), Fraction(1), Fraction(0))),
        Exhibit("a small class", lambda: packed(Fraction(4), Fraction(1), Fraction(1), Fraction(3))),
        Exhibit("edge", lambda: edge(5, 1)),
        Exhibit("wide balls", lambda: edge(1, 4)),
        Exhibit("climbing", climbing),
        Exhibit("five coordinates", lambda: joined(3, 5)),
    ),
    sharp={
        "count": "zigzags",
        "distance": "edge",
        "slope": "climbing",
        "range": "climbing",
        "euclidean": "five coordinates",
    },
    needs={"control-lipschitz": Need(_jump), "control-in-cube": Need(_beyond)},
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    judged = checking.judged(PROPERTY, real())
    assert all(set(verdicts.verdict) == {HOLDS} for verdicts in judged.values())
    assert min(judged["distance"].ratio) > 0.99
    assert max(judged["count"].ratio) > 0.99


@pytest.mark.parametrize(("claim", "halved"), [("distance", "r_inf"), ("slope", "L_c"), ("range", "rho")])
def test_half_of_a_constant_is_too_small_for_trained_transformers(claim: str, halved: str) -> None:
    batch = real()[claim]
    claimed = trained.claiming(batch, **{halved: [value / 2 for value in batch.values[halved]]})
    assert set(checking.judged(PROPERTY, {claim: claimed})[claim].verdict) == {VIOLATED}
