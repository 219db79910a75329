"""Four errors and one bound, checked: trained controls of finite classes, with every one of the four terms measured."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from impl.rounding import gamma
from impl.sampling import risk
from properties import checking
from properties.checking import HOLDS, INFORMATIVE, VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Descriptor, Integer, Real, Space, size
from properties.sampling import trained
from properties.sampling.populations import KNOBS, draw
from properties.sampling.trained_flows import FlowLosses, flow_losses
from properties.suite import suite

Floats = npt.NDArray[np.float64]

SAMPLES, DRAWN = (4, 64), 3
SPACE = Space(
    {
        **KNOBS,
        "controls": size(1, 6, 16, 40),
        "layers": Integer(1, 12),
        "eta": Real(1e-3, 1.0, log=True),
        "patience": Real(0.0, 1.0),
    }
)


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return risks of drawn classes on a drawn sample; training returns a control of low, not of least loss."""
    generator = descriptor.generator("training")
    flow = draw(descriptor, descriptor["controls"])
    layered = draw(descriptor, descriptor["controls"], layers=descriptor["layers"])
    counts = np.array([generator.multinomial(flow.N, w) for w in flow.weights]) / flow.N
    J, J_N = risk(flow.losses, flow.weights[:, None]), risk(flow.losses, counts[:, None])
    J_epsN = risk(layered.losses, counts[:, None])
    rows = np.arange(len(J))
    order = np.argsort(J_epsN, axis=1)
    found = order[rows, (descriptor["patience"] * generator.random(len(J)) * J.shape[1]).astype(int)]
    eta = descriptor["eta"] * generator.uniform(0.0, 2.0, len(J))
    inf = J.min(1) - eta  # of all controls: those outside the class reach η less
    # Risks are sums of A products; differences of two of them, rounded up where they enter the bound.
    rounding = 4 * gamma(descriptor["atoms"] + 4) * (2 * flow.B + np.log(flow.C) + 1)
    values = {
        "Delta_eps": np.abs(J_epsN - J_N).max(1) + rounding,
        "Delta_N": np.abs(J_N - J).max(1) + rounding,
        "eta": eta + rounding,
        "gap": J_epsN[rows, found] - J_epsN.min(1) + rounding,
    }
    return {
        "every-control": Batch(np.abs(J_epsN - J).max(1), rounding, {k: values[k] for k in ("Delta_eps", "Delta_N")}),
        "excess": Batch(J[rows, found] - inf, rounding, values),
        "loss-reached": Batch(J_epsN[rows, found] - inf, rounding, values),
    }


def real() -> dict[str, Batch]:
    """Return both trained Transformers' four errors over their classes, for samples of test images.

    The infimum is that of both classes together, each with its own readout: what one of them does not reach is its η.
    What the sample trains is the control of its least loss, or the trained Transformer itself.
    """
    classes = flow_losses()
    J_star = min(float((found.flow.mean(1) - found.error.mean(1)).min()) for found in classes)
    rows: dict[str, list[tuple[float, float, dict[str, Any]]]] = {}
    for i, found in enumerate(classes):
        for N in SAMPLES:
            images = found.flow.shape[1]
            shares = np.random.default_rng((i, N)).multinomial(N, np.full(images, 1 / images), DRAWN) / N
            for share in shares:
                for name, row in _four_errors(found, share, J_star):
                    rows.setdefault(name, []).append(row)
    return {name: trained.gathered(each) for name, each in rows.items()}


def _four_errors(
    found: FlowLosses, share: Floats, J_star: float
) -> Iterator[tuple[str, tuple[float, float, dict[str, float]]]]:
    """Yield claims with what is measured and all four terms, rounded up by the flows' errors."""
    J, J_N, J_epsN = found.flow.mean(1), found.flow @ share, found.layered @ share
    e_eps = 2 * found.layered_error  # of a loss and of the mean
    e, e_N = (e_eps + off for off in (found.error.mean(1), found.error @ share))
    deltas = {
        "Delta_eps": float((np.abs(J_epsN - J_N) + e_N + e_eps).max()),
        "Delta_N": float((np.abs(J_N - J) + e_N + e).max()),
    }
    yield "every-control", (float(np.abs(J_epsN - J).max()), float((e + e_eps).max()), deltas)
    for control in {int(J_epsN.argmin()), 0}:
        gap = float(J_epsN[control] - J_epsN.min() + 2 * e_eps)
        values = {**deltas, "eta": float((J + e).min() - J_star), "gap": gap}
        yield "excess", (float(J[control] - J_star), float(e[control]), values)
        yield "loss-reached", (float(J_epsN[control] - J_star), float(e_eps), values)


NAMES = ("Delta_eps", "Delta_N", "eta", "gap")


def table(
    J: tuple[int, ...], J_N: tuple[int, ...], J_epsN: tuple[int, ...], inf: int, found: int = 0, **claimed: int
) -> tuple[dict[str, Batch], dict[str, bool]]:
    """Return exact risks of a class against the four terms, measured unless claimed, and which assumptions hold."""
    own = {
        "Delta_eps": max(abs(a - b) for a, b in zip(J_epsN, J_N, strict=True)),
        "Delta_N": max(abs(a - b) for a, b in zip(J_N, J, strict=True)),
        "eta": min(J) - inf,
        "gap": J_epsN[found] - min(J_epsN),
    }
    values = {**own, **claimed}
    names = dict(zip(NAMES, ("depth-uniform", "sampling-uniform", "class-approximates", "trained"), strict=True))
    off = max(abs(a - b) for a, b in zip(J_epsN, J, strict=True))
    batches = {
        "every-control": Batch([Fraction(off)], [0], {k: values[k] for k in NAMES[:2]}),
        "excess": Batch([Fraction(J[found] - inf)], [0], values),
        "loss-reached": Batch([Fraction(J_epsN[found] - inf)], [0], values),
    }
    return batches, {names[k]: values[k] >= own[k] for k in NAMES}


def worst() -> dict[str, Batch]:
    """Return two controls whose losses are off by Δ = 3 + 5 in opposite ways, with η = 7 and a gap of 11."""
    return table(J=(16 + 18, 7), J_N=(29, 12), J_epsN=(26, 15), inf=0)[0]


PROPERTY = Property(
    slug="sampling/error-decomposition",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("two controls", worst),
        Exhibit("one control", lambda: table((5,), (7,), (10,), 2)[0]),
        Exhibit("nothing off", lambda: table((5, 6), (5, 6), (5, 6), 5)[0]),
    ),
    sharp=dict.fromkeys(("every-control", "excess", "loss-reached"), "two controls"),
    needs={
        "depth-uniform": Need(lambda: table((34, 7), (29, 12), (26, 15), 0, Delta_eps=0)),
        "sampling-uniform": Need(lambda: table((34, 7), (29, 12), (26, 15), 0, Delta_N=0)),
        "trained": Need(lambda: table((34, 7), (29, 12), (26, 15), 0, gap=0)),
        "class-approximates": Need(lambda: table((34, 7), (29, 12), (26, 15), 0, eta=0)),
    },
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    judged = checking.judged(PROPERTY, real())
    assert all(set(verdicts.verdict) == {HOLDS} for verdicts in judged.values())
    assert all(max(judged[name].ratio) > INFORMATIVE for name in ("every-control", "excess"))


@pytest.mark.parametrize(
    ("claim", "dropped"),
    [("every-control", ("Delta_eps",)), ("every-control", ("Delta_N",)), ("excess", ("Delta_eps", "Delta_N"))],
)
def test_trained_transformers_have_errors_to_account_for(claim: str, dropped: tuple[str, ...]) -> None:
    batch = trained.claiming(real()[claim], **dict.fromkeys(dropped, 0))
    assert VIOLATED in checking.judged(PROPERTY, {claim: batch})[claim].verdict
