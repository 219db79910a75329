"""The sampling error over classes that balls cover, checked: fine classes, exact quantiles, coarse centres."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
import torch

from impl.readout import cross_entropy
from impl.rounding import gamma
from impl.sampling import deviation_quantile
from properties import checking
from properties.checking import HOLDS, VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor, Integer, Real, Space, size
from properties.sampling import trained
from properties.sampling.coins import BOX, BOXES, TRIALS, Exact, share, thrown, width
from properties.sampling.lattice import simulated_quantile
from properties.sampling.lottery import KEYS, TINY, Lottery, beyond, gated, signs, still, tailored
from properties.sampling.populations import LARGEST_SAMPLE, atoms_weights, loss_error
from properties.sampling.trained_flows import SHRUNK, FlowLosses, flow_losses
from properties.suite import suite
from spec.language.ball import Ball

SPACE = Space(
    {
        "batch": Integer(24, 32),
        "atoms": Integer(2, 4),
        "N": size(1, 20, 60, 400),
        "C": size(2, 6, 40, 1000),
        "controls": size(1, 24, 40, 60),
        "balls": size(1, 12, 200, 4000),
        "delta": Real(1e-6, 0.9, log=True),
        "growth": Real(0.0, 2.0),
        "confidence": Real(0.05, 8.0, log=True),
        "rho": Real(1e-3, 3.0, log=True),
    }
)


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return exact quantiles over equidistant constant controls in [−ρ, ρ], which balls of radius ρ/balls cover.

    ``Ẋ = b X + θ`` on [0, 1] from two or more inputs, read out by a random vector.
    """
    generator = descriptor.generator("class")
    batch, atoms, C, b = (descriptor[name] for name in ("batch", "atoms", "C", "growth"))
    inputs = generator.standard_normal((batch, 1, atoms))
    rho = descriptor["rho"] * generator.uniform(0.5, 2.0, batch)
    controls = np.linspace(-1.0, 1.0, descriptor["controls"])[None, :, None] * rho[:, None, None]
    ends = np.exp(b) * inputs + (np.expm1(b) / b if b else 1.0) * controls
    vector = generator.standard_normal((batch, 1, 1, C)) * descriptor["confidence"]
    logits = ends[..., None] * vector
    classes = torch.from_numpy(generator.integers(C, size=(batch, 1, atoms))).broadcast_to(ends.shape)
    losses = cross_entropy(torch.from_numpy(logits), classes).numpy()
    delta = descriptor["delta"] ** generator.uniform(0.5, 1.0, batch)
    N, weights = min(descriptor["N"], LARGEST_SAMPLE[atoms]), atoms_weights(generator, batch, atoms)
    # Ends and logits are computed in a few roundings each, relatively; a loss moves by at most twice a logit.
    box = np.abs(logits).max((1, 2, 3)) * (1 + gamma(16))
    measured, error = deviation_quantile(losses, weights, N, delta, loss_error(box, C) + 2 * gamma(16) * box)
    values = {
        "B": box, "C": C, "N": N, "delta": delta, "zeta_bar": 1, "L_theta": 1, "L_x": b, "T": 1,
        "L_H": np.linalg.norm(vector, axis=-1)[:, 0, 0] * (1 + gamma(C + 8)),
        "r": rho / descriptor["balls"] * (1 + gamma(4)), "G_size": descriptor["balls"],
    }  # fmt: skip
    return {"radius": Batch(measured, error, values)}


def real() -> dict[str, Batch]:
    """Return quantiles over flows of the trained Transformers' controls, shrunk by up to a tenth.

    They are a segment, and lie among the Lipschitz controls in a cube. Both classes are covered at the radius 1/L_J, at
    which ``2 L_J r`` no longer counts: the numbers of balls are beyond any float, their logarithms enter.
    """
    rows = []
    for i, found in enumerate(flow_losses()):
        known = found.named(len(SHRUNK))
        r = PROPERTY.theorem.evaluate_expression(PROPERTY.theorem.vocabulary["L_J"].definition, known).arb ** -1
        covers = (on_segment(found, r), among_lipschitz(found, r))
        for N in trained.SAMPLES:
            losses, off = found.flow[: len(SHRUNK)], found.error[: len(SHRUNK)].max()
            generator = np.random.default_rng((i, N))
            value, error = simulated_quantile(losses, N, trained.COMMON, generator, float(off))
            sample = known | {"N": N, "delta": trained.COMMON, "r": Ball(r)}
            rows += [(value, error, sample | {"log_N_cover": Ball(cover)}) for cover in covers]
    return {"radius": trained.gathered(rows)}


def on_segment(found: FlowLosses, r: flint.arb) -> flint.arb:
    """Return ``log(D/r)``: a segment of length D needs ``⌈D/2r⌉ <= D/r`` balls, where ``D >= 2r``."""
    length = flint.arb(float(found.distances[: len(SHRUNK)].max()))
    assert length > 2 * r
    return (length / r).log()


def among_lipschitz(found: FlowLosses, r: flint.arb) -> flint.arb:
    """Return the bound of `covering-lipschitz` without its ceilings: ``⌈a⌉ <= a + 1``."""
    p, known = found.nodes.shape[-1], found.constants(len(SHRUNK))
    rho, rise = flint.arb(float(found.nodes.abs().max())), flint.arb(float(known.L_c[0]) * found.net.recipe.T)
    r_inf = r / flint.arb(p).sqrt()
    return p * ((rho / r_inf + 1).log() + (rise / r_inf + 1) * flint.arb(2).log())


STILL: dict[str, Exact] = {"L_H": 1, "zeta_bar": 0, "L_theta": 1, "L_x": 1, "T": 1, "r": Fraction(1, 2), "G_size": 1}
"""No schedule: one risk, one ball."""


def half() -> dict[str, Batch]:
    """Return coins that no control changes, under constants that make the bound hardly more than twice the quantile."""
    (B, C), N, delta, balls = BOX[0], 60, Fraction(1, 1000), 5
    found = width(B, C) * share(N, delta, 1)
    spread = float(width(B, C)) * np.sqrt(np.log(2 * balls / float(delta)) / (2 * N))
    # 2 L_J r fills the bound up to twice the quantile: L_J = L_ℓ L_H ζ̄ L_θ T φ₁(ζ̄ L_x T), rounded down in r.
    L_ell, growth, T = 0.75, 2.0 * 0.25 * 1.5, 1.5
    L_J = L_ell * 1.25 * 2.0 * 3.0 * T * np.expm1(growth) / growth
    r = (2 * float(found) - spread) / (2 * L_J) * (1 - 1e-9)
    values = {
        "B": B, "C": C, "N": N, "delta": delta, "G_size": balls, "L_ell": L_ell, "L_H": 1.25, "zeta_bar": 2,
        "L_theta": 3, "L_x": 0.25, "T": T, "r": r,
    }  # fmt: skip
    return {"radius": Batch([found], [0], values)}


def coins(N: int, delta: Fraction, boxes: tuple[tuple[Fraction, int], ...]) -> dict[str, Batch]:
    """Return coins under no schedule at all."""
    return {"radius": thrown(N, delta, boxes, **STILL)}


LOTTERIES = {
    "samples-bounded": gated(10.0, 0.0, Fraction(1), R_0=1),
    "field-growth": gated(0.0, 3.0, Fraction(4), m_x=Fraction(1, 2)),
    "schedule-bounded": signs(zeta_bar=0),
    "controls-admissible": beyond(rho=1),
    "field-lipschitz": signs(eta=1.0, b=12.0, L_x=0),
    "field-lipschitz-control": signs(L_theta=0),
    "readout-lipschitz": signs(L_H=0),
    "class-covered": signs(r=TINY),
    "control-fixed": tailored(),
    "samples-independent": still("samples-independent"),
    "samples-from-population": still("samples-from-population"),
    "bounded-logits": still("bounded-logits", B=1),
}
"""For every assumption a class that overfits where it alone does not hold."""


@dataclass(frozen=True)
class _Shown:
    lottery: Lottery

    def __call__(self) -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
        names = (*KEYS, *TRIALS)
        return {"radius": self.lottery.batch()}, {name: self.lottery.met(name) for name in names}


PROPERTY = Property(
    slug="sampling/metric-entropy",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("half", half),
        Exhibit("many throws", lambda: coins(40000, Fraction(1, 10**100), (*BOX, *BOXES))),
        Exhibit("one throw", lambda: coins(1, Fraction(99, 100), BOXES)),
        Exhibit("one loss", lambda: coins(5, Fraction(1, 2), ((Fraction(0), 2), (Fraction(0), 1000)))),
    ),
    sharp={"radius": "half"},
    needs={name: Need(_Shown(lottery)) for name, lottery in LOTTERIES.items()},
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    verdicts = checking.judged(PROPERTY, real())["radius"]
    assert set(verdicts.verdict) == {HOLDS}
    segments, lipschitz = verdicts.bound[::2], verdicts.bound[1::2]
    assert np.isfinite(segments).all()
    assert np.isinf(lipschitz).all()


def test_one_tiny_ball_is_too_few_for_trained_transformers() -> None:
    """The rows can fail: one ball and a million times the samples promise less than what is measured."""
    batch = real()["radius"]
    claimed = trained.claiming(batch, log_N_cover=0, N=[10**6 * N for N in batch.values["N"]], L_J=0)
    assert VIOLATED in checking.judged(PROPERTY, {"radius": claimed})["radius"].verdict
