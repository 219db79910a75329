"""The risk as a function of the control, checked: flows of pairs of controls through random readouts."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from impl.control import Path, grid
from impl.readout import PooledReadout, cross_entropy
from impl.rounding import gamma
from properties import checking
from properties.checking import HOLDS, VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Choice, Descriptor, Real, Space
from properties.flow_constants import Floats, constants, up
from properties.instances import (
    FLOW,
    build_control,
    build_field,
    build_inputs,
    build_schedule,
    reference,
    torch_generator,
)
from properties.sampling import trained
from properties.sampling.trained_flows import flow_losses
from properties.suite import suite
from properties.transport.pairs import LINE_NAMES, Pair, kinked, linear, squared

SPACE = Space(
    {
        **FLOW.domains,
        "field": Choice(("driven", "linear", "velocity", "mlp", "attention", "causal", "block")),
        "control": Choice(("constant", "linear", "jumps")),
        "labels": Choice(("drawn", "unlikely")),
        "closeness": Real(1e-3, 2.0, log=True),
    }
)
FINE, SAMPLE = 32, 8
PREMISES = (*LINE_NAMES, "readout-lipschitz", "bounded-logits")


def weighted_distance(control: Path, factor: Floats, rate: Floats) -> Floats:
    """Return an upper bound of ``∫e^{b(T−u)}|θ − θ'|du`` for θ' = (1 − factor) θ, by the largest |θ| of fine cells."""
    fine = control.refine(grid(control.T, FINE))
    largest = fine.coefficients.norm(dim=-1).amax(-1).numpy()
    left = control.T - fine.times[:, :-1].numpy()
    width = fine.times.diff(dim=-1).numpy()
    with np.errstate(over="ignore"):  # an infinite bound says nothing, truly
        return up(factor * (largest * width * np.exp(rate[:, None] * left)).sum(1))


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the changes of risk between θ and (1 − s) θ, 0 <= s <= 2, which any class of balls holds too."""
    field, generator = build_field(descriptor), torch_generator(descriptor, "pair")
    control, schedule = build_control(descriptor, field), build_schedule(descriptor)
    x0 = build_inputs(descriptor, field)
    T, C, batch = descriptor["T"], descriptor["C"], descriptor["batch"]
    factor = descriptor["closeness"] * torch.rand(batch, generator=generator, dtype=torch.float64)
    scale = (1 - factor)[:, None, None]
    other = Path(control.times, scale[..., None] * control.coefficients, scale * control.node_values)
    flows = [reference(field, each, schedule, x0, T, 1, tolerance=1e-9) for each in (control, other)]
    states = [flow.states[:, -1] for flow in flows]
    tokens, width = x0.shape[-2:]
    weight = torch.randn(C, width, generator=generator, dtype=torch.float64)
    readout = PooledReadout(weight * (descriptor["confidence"] / math.sqrt(width)), weight[:, 0])
    logits = [readout(x) for x in states]
    unlikely = logits[0].argmin(-1)
    labels = unlikely if descriptor["labels"] == "unlikely" else torch.randint(C, unlikely.shape, generator=generator)
    change = cross_entropy(logits[1], labels) - cross_entropy(logits[0], labels)
    found = constants(field, control, schedule, x0, 1, T)
    L_H = float(up(torch.tensor(readout.lipschitz(tokens))))
    # A state's error moves a loss by √2 L_H of it; logits sum d + n terms, losses C exponentials, and take a logarithm.
    carried = L_H * torch.stack([flow.errors[:, -1].amax(1) for flow in flows]).sum(0)
    size = torch.stack([x.norm(dim=-1).flatten(1).amax(1) for x in states]).amax(0)
    rounding = gamma(width + tokens + 2) * (float(readout.weight.norm()) * size + float(readout.bias.norm()))
    largest = torch.stack([h.abs().flatten(1).amax(1) for h in logits]).amax(0)
    error = up(math.sqrt(2) * carried + 4 * rounding + 2 * gamma(C + 16) * (1 + 2 * largest))
    values = {
        "B": up(largest + carried + rounding), "C": C, "L_H": L_H, **found.named("zeta_bar", "L_theta", "L_x"),
    }  # fmt: skip
    r = up(factor * control.sup()) + 1e-300
    distance = weighted_distance(control, factor.numpy(), found.zeta_bar * found.L_x)
    kept = {name: value for name, value in values.items() if name != "L_x"}
    sides = {"population": change.mean(1), "sample": change[:, 0]}  # of all particles; of the first one alone
    both = {"": values | {"T": T, "r": r}, "-weighted": kept | {"D_exp": distance}}
    return {
        name + which: Batch(side.abs().numpy(), error, known)
        for name, side in sides.items()
        for which, known in both.items()
    }


def real() -> dict[str, Batch]:
    """Return the changes of both trained Transformers' risks under changes of their controls.

    The class of a pair holds the controls before it, too. Its weighted distance is infinite beyond any float.
    """
    rows: dict[str, list[tuple[float, float, dict[str, Any]]]] = {}
    for found in flow_losses():
        images = found.flow.shape[1]
        share = np.random.default_rng(images).multinomial(SAMPLE, np.full(images, 1 / images)) / SAMPLE
        for i in range(1, len(found.flow)):
            known, change = found.named(i + 1), found.flow[i] - found.flow[0]
            error = found.error[0] + found.error[i] + found.layered_error  # the last for the means
            both = {"": known | {"r": float(found.distances[i])}, "-weighted": known | {"D_exp": math.inf}}
            del both["-weighted"]["L_x"], both["-weighted"]["T"]
            for name, weights in {"population": np.full(images, 1 / images), "sample": share}.items():
                for which, values in both.items():
                    rows.setdefault(name + which, []).append((abs(change @ weights), error @ weights, values))
    return {name: trained.gathered(each) for name, each in rows.items()}


TINY, THIRD, HALF = Fraction(1, 10**5), Fraction(1, 3), Fraction(1, 2)


def _need(pair: Pair) -> Need:
    def build() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
        return pair.batches(), {name: pair.met(name) for name in PREMISES}

    return Need(build)


def steady() -> Pair:
    """Return a pair whose bound is reached as the controls come together."""
    return linear(THIRD, Fraction(3), 2, Fraction(3, 2), TINY)


NEEDS = {
    "samples-bounded": kinked(0, 10, Fraction(1), TINY, R_0=1, g_x=1),
    "field-growth": kinked(3, 0, Fraction(2), TINY, m_x=1, L_theta=3),
    "schedule-bounded": linear(Fraction(0), Fraction(3), 2, Fraction(3, 2), TINY, zeta_bar=1),
    "controls-admissible": squared(TINY),
    "field-lipschitz": linear(THIRD, Fraction(3), 2, Fraction(3, 2), TINY, L_x=0),
    "field-lipschitz-control": linear(THIRD, Fraction(3), 2, Fraction(3, 2), TINY, L_theta=0),
    "readout-lipschitz": replace(steady(), claimed={"L_H": Fraction(1, 2000)}),
    "bounded-logits": replace(steady(), corner=Fraction(3), claimed={"B": Fraction(1, 10)}),
}
"""For every assumption a pair that meets all others and not this one."""

PROPERTY = Property(
    slug="transport/control-continuity",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("growing", lambda: steady().batches()),
        Exhibit("no growth", lambda: linear(Fraction(0), Fraction(2), 3, HALF, TINY).batches()),
        Exhibit("fast", lambda: linear(Fraction(4), HALF, 1, Fraction(3, 4), TINY).batches()),
        Exhibit("no depth", lambda: linear(THIRD, Fraction(1), 1, Fraction(0), TINY).batches()),
        Exhibit("no schedule", lambda: linear(THIRD, Fraction(1), 0, Fraction(1), TINY).batches()),
    ),
    sharp=dict.fromkeys(("population", "sample", "population-weighted", "sample-weighted"), "growing"),
    needs={name: _need(pair) for name, pair in NEEDS.items()},
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    for verdicts in checking.judged(PROPERTY, real()).values():
        assert set(verdicts.verdict) == {HOLDS}
        assert max(verdicts.bound) == math.inf


def test_small_constants_are_too_small_for_trained_transformers() -> None:
    """The rows can fail: what the risks do between two controls is measured, and far more than nothing."""
    batch = real()["population"]
    claimed = trained.claiming(batch, L_x=0, L_theta=0.01)
    assert VIOLATED in checking.judged(PROPERTY, {"population": claimed})["population"].verdict
