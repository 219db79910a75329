"""The depth error of the risk, checked: pooled and token readouts, hard and soft labels, population and sample."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy as sp
import torch
from torch import Tensor

import spec
from impl.readout import PooledReadout, TokenReadout, cross_entropy, token_cross_entropy
from impl.rounding import gamma
from properties import digits
from properties.checking import Batch, Exhibit, Need, Property
from properties.depth import trained
from properties.depth.line import Exact, Line
from properties.depth.problems import CONSTANTS, DROPPED, growing, rising
from properties.depth.problems import PREMISES as OF_TRAJECTORIES
from properties.descriptor import Descriptor
from properties.flow_constants import up
from properties.instances import FLOW, Flows, flows, torch_generator
from properties.suite import suite
from spec.language.ball import Ball

# What is assumed of one trajectory, here of the flow and the layers of every control from every sample.
OF_EACH = {
    "inputs-bounded": "samples-bounded",
    "control-admissible": "controls-admissible",
    "control-lipschitz": "controls-lipschitz",
}
PREMISES = (*OF_TRAJECTORIES, "bounded-logits", "bounded-layered-logits", "readout-lipschitz")
POPULATION, SAMPLE = ("population", "closed-form"), ("empirical",)


def risks(
    found: Flows, readout: PooledReadout | TokenReadout, labels: Tensor, weights: Tensor, labelled: Tensor | None = None
) -> dict[str, Batch]:
    """Return the depth errors of risks: the population gives an instance's particles `weights`, the sample equal ones.

    A loss errs by ``√2 L_H |error of the state|`` and by rounding: of the logits (twice), and of C exponentials, their
    sum and its logarithm, all at most ``1 + 2 max |h|``.
    """
    ends, tokens, width = (found.flow.states[:, -1], found.layers[:, -1]), found.layers.shape[-2], readout.width
    logits = [readout(x) for x in ends]
    losses = [
        cross_entropy(h, labels) if labelled is None else token_cross_entropy(h, labels, labelled) for h in logits
    ]
    L_H = float(up(torch.tensor(readout.lipschitz(tokens)))) if readout.weight.any() else 0.0
    carried = L_H * (found.flow.errors + found.rounding)[:, -1].amax(1)
    size = torch.stack([x.norm(dim=-1).flatten(1).amax(1) for x in ends]).amax(0)
    rounding = gamma(width + tokens + 2) * (float(readout.weight.norm()) * size + float(readout.bias.norm()))
    largest = torch.stack([h.abs().flatten(1).amax(1) for h in logits]).amax(0)
    of_loss = math.sqrt(2) * carried + 2 * rounding + gamma(readout.classes + 16) * (1 + 2 * largest)
    box = up(largest + carried + rounding)
    values = found.constants.named(*CONSTANTS) | {"L_H": L_H, "K": found.K, "T": found.T}
    if labelled is None:
        values |= {"B": box, "C": readout.classes}
    else:
        share = math.sqrt(int(labelled.sum(-1).min()))
        values |= {"L_ell": up(np.array([_slope(b, readout.classes).upper / share for b in box.tolist()]))}
    change = losses[1] - losses[0]
    sides = ((change * weights).sum(1), change.mean(1))
    population, sample = (Batch(s.abs().numpy(), up(2 * of_loss), values) for s in sides)
    return dict.fromkeys(POPULATION, population) | dict.fromkeys(SAMPLE, sample)


def _slope(B: Exact, C: int) -> Ball:
    """Return ``G(B, C)``, the loss's slope in the logits."""
    theorem = spec.theorem("depth/depth-risk")
    return theorem.evaluate_expression(theorem.vocabulary["L_ell"].definition, {"B": B, "C": C})


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the batches of a descriptor."""
    found, generator = flows(descriptor), torch_generator(descriptor, "readout")
    (batch, particles, tokens, width), C = found.layers[:, -1].shape, descriptor["C"]
    weight = torch.randn(C, width, generator=generator, dtype=torch.float64) * (
        descriptor["confidence"] / math.sqrt(width)
    )
    weights = torch.rand(batch, particles, generator=generator, dtype=torch.float64) + 0.1
    weights = weights / weights.sum(1, keepdim=True)
    if descriptor["readout"] == "token":
        labelled = torch.rand(tokens, generator=generator) < 0.7
        labelled[0] = True
        labels = torch.randint(C, (batch, particles, tokens), generator=generator)
        return risks(found, TokenReadout(weight, weight[:, 0]), labels, weights, labelled.expand(batch, particles, -1))
    readout = PooledReadout(weight, weight[:, 0])
    if particles == 2:
        soft = (3 * torch.randn(batch, particles, C, generator=generator, dtype=torch.float64)).softmax(-1)
        return risks(found, readout, soft, weights)
    # The class that the flow finds least likely: the residual is then close to its largest norm.
    return risks(found, readout, readout(found.flow.states[:, -1]).argmin(-1), weights)


def real() -> dict[str, Batch]:
    """Return trained Transformers with their own readouts and labels."""
    out = []
    for net, found in zip(digits.both(), trained.flows(), strict=True):
        labels = net.labels[-trained.IMAGES :].unsqueeze(1)
        out.append(risks(found, net.readout, labels, torch.ones(trained.IMAGES, 1, dtype=torch.float64)))
    return trained.stacked(out)


@dataclass(frozen=True)
class ReadOut:
    """A line problem with logits ``corner + s (x − x*) direction`` and label ``e_1``.

    ``x*`` is the end that sits at the corner: the flow's (0) or the Transformer's (1).
    """

    line: Line
    corner: tuple[Fraction, ...]
    direction: tuple[Fraction, ...]
    tilt: Fraction
    at_corner: int = 0
    claimed: Mapping[str, Exact] = field(default_factory=dict)

    @cached_property
    def ends(self) -> tuple[list[Exact], list[Exact]]:
        """Logits at the ends of flow and Transformer."""
        states = (self.line.X(self.line.T), self.line.layers[-1])
        moved = [self.tilt * (x - states[self.at_corner]) for x in states]
        flow, layers = ([h + m * r for h, r in zip(self.corner, self.direction, strict=True)] for m in moved)
        return flow, layers

    @cached_property
    def constants(self) -> dict[str, Exact]:
        """``L_H``, ``B`` and ``C``, unless others are claimed."""
        length = sp.sqrt(sp.Rational(sum(r * r for r in self.direction)))
        largest = max(abs(h) for logits in self.ends for h in logits)
        return {"L_H": abs(self.tilt) * length, "B": largest, "C": len(self.corner)} | dict(self.claimed)

    def gap(self) -> Exact:
        """Return ``|ℓ(H(X̂_K)) − ℓ(H(X(T)))|``."""
        flow, layers = (sp.log(sum(sp.exp(sp.sympify(h)) for h in logits)) - logits[0] for logits in self.ends)
        return abs(layers - flow)

    def batches(self, *names: str) -> dict[str, Batch]:
        """Return the one sample's depth error for every claim."""
        values = self.line.values(*(names or CONSTANTS)) | self.constants
        return dict.fromkeys((*POPULATION, *SAMPLE), Batch([self.gap()], [0], values))

    def met(self, name: str) -> bool:
        """Say whether an assumption holds, by computation."""
        flow, layers = (all(bool(abs(h) <= self.constants["B"]) for h in logits) for logits in self.ends)
        steep = sum((self.tilt * r) ** 2 for r in self.direction)
        own = {
            "bounded-logits": flow,
            "bounded-layered-logits": layers,
            "readout-lipschitz": bool(steep <= self.constants["L_H"] ** 2),
        }
        return own[name] if name in own else self.line.met(name)


def read_out(
    line: Line, tilt: Fraction, box: Exact = Fraction(1, 2), C: int = 2, m: int = 1, **claimed: Exact
) -> ReadOut:
    """Return a line problem whose logits move along ``softmax − e_1`` at the corner with m classes at the top.

    The label's class is at the bottom; the residual's direction is rounded to fractions.
    """
    corner = (-box, *[box] * m, *[-box] * (C - 1 - m))
    weights = [math.exp(float(h) - float(box)) for h in corner]
    residual = [w / sum(weights) - (i == 0) for i, w in enumerate(weights)]
    direction = tuple(Fraction(r).limit_denominator(10**6) for r in residual)
    return ReadOut(line, corner, direction, tilt, claimed=claimed)


def one_step(K: int = 2) -> Line:
    """Return the pathwise worst case with all of its constants."""
    return rising(3, Fraction(1, 2), 1, 1, K, L_c=3, M=7, m_x=3, g_x=Fraction(1, 2), rho=3)


def worst(K: int, **corner: Exact) -> dict[str, Batch]:
    """Return the pathwise worst case, read out at a corner so flatly that the residual stays; G and the error given."""
    line = rising(3, Fraction(1, 2), 2, Fraction(3, 2), K)
    problem = read_out(line, Fraction(1, 10**6), **corner)
    constants = problem.constants
    slope = _slope(constants["B"], constants["C"])
    of_path = line.values("A", "zeta_bar", "L_x") | {"L_H": constants["L_H"], "L_ell": slope}
    of_end = {"L_H": constants["L_H"], "L_ell": slope, "E_depth": line.errors[-1]}
    closed, whole = (Batch([problem.gap()], [0], values) for values in (of_path, of_end))
    return {"closed-form": closed} | dict.fromkeys((POPULATION[0], *SAMPLE), whole)


def outside(which: int) -> ReadOut:
    """Return the pathwise worst case with the flow's (0) or the Transformer's (1) logits beyond the box."""
    line = one_step()
    found = read_out(line, Fraction(1 - 2 * which) / line.errors[-1], B=Fraction(1, 2))
    return replace(found, at_corner=1 - which)


def _need(problem: ReadOut, *names: str) -> Need:
    def build() -> tuple[Mapping[str, Batch], Mapping[str, bool]]:
        return problem.batches(*names), {OF_EACH.get(name, name): problem.met(name) for name in PREMISES}

    return Need(build)


def flatly(line: Line) -> ReadOut:
    """Return a line problem read out at the corner (−½, ½), so flatly that the residual stays."""
    return read_out(line, Fraction(1, 10**6))


_GIVEN = ("A", "zeta_bar", "L_x")
PROPERTY = Property(
    slug="depth/depth-risk",
    space=FLOW,
    check=check,
    family="flow",
    exhibits=(
        Exhibit("worst corner", lambda: worst(1024, box=Fraction(2), C=10)),
        Exhibit("two at the top", lambda: worst(16, box=Fraction(1), C=10, m=2)),
        Exhibit("two classes", lambda: worst(16)),
        Exhibit("a thousand classes", lambda: worst(3, box=Fraction(3), C=1000)),
        Exhibit("linear", lambda: flatly(growing(3)).batches()),
        Exhibit("no depth", lambda: flatly(growing(3, T=0)).batches()),
        Exhibit("zero field", lambda: flatly(growing(3, start=0)).batches()),
        Exhibit("zero readout", lambda: read_out(growing(3), Fraction(0)).batches()),
        Exhibit("no confidence", lambda: read_out(growing(3), Fraction(0), box=Fraction(0)).batches()),
    ),
    sharp=dict.fromkeys(("population", "empirical", "closed-form"), "worst corner"),
    needs={
        **{OF_EACH.get(name, name): _need(flatly(line)) for name, line in DROPPED.items()},
        "bounded-logits": _need(outside(0), *_GIVEN),
        "bounded-layered-logits": _need(outside(1), *_GIVEN),
        "readout-lipschitz": _need(read_out(one_step(), Fraction(1, 100), L_H=Fraction(1, 1000)), *_GIVEN),
    },
    real=real,
)
TestTheorem = suite(PROPERTY)
