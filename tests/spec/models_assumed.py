"""Where each assumption is met, with the least constants that `impl` gives: so any better constant is refuted.

Controls sit on their balls, states along the directions that blocks stretch most, fields attain their constants.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from flint import arb
from models import built
from models_field import MATRICES, RADII, ROUNDING, block, computed, field_of, floats, n
from models_flow import ATOMS, READOUT, K, T, flow_model, longest_entry, readout
from numeric import Instance, longest, size, vector

from impl.constants import activation_slope
from impl.control.path import Path
from impl.field.abstract import LinearField
from impl.flow import transformer

Values = dict[str, Any]
JUST = 1 - 2.0**-40
"""On a ball, but for the rounding of a spectral norm (`impl.rounding.singular_value_rounding`)."""
G = np.random.Generator(np.random.Philox(key=3))


def along(direction: Any, rows: int = n) -> Any:
    """Return a state whose tokens all have one direction."""
    return vector(np.repeat(np.asarray(direction, dtype=float).reshape(1, -1), rows, axis=0))


def heads() -> Instance:
    """Return blocks that stretch one direction most, each on the ball of one head."""
    instance = built("field", 0)
    radii = {r: instance.values[r] for r in RADII.values()}
    stretch, runs = np.array([[2.0, 0.5], [0.5, 1.0]]), dict(instance.runs)
    u = np.linalg.eigh(stretch)[1][:, 1]
    unit = stretch / np.linalg.norm(stretch, 2)
    for name in MATRICES:
        runs[f"{name}_mat"] = [block(name, unit * float(r) * JUST) for r in radii[RADII[name]]]
    for name in ("W1", "W2", "b1", "b2"):
        entries = np.asarray(floats(instance.runs[f"{name}_{'vec' if name[0] == 'b' else 'mat'}"][0]))
        scaled = entries / np.linalg.norm(entries, 2) * float(radii[RADII[name]]) * JUST
        runs[f"{name}_{'vec' if name[0] == 'b' else 'mat'}"] = [block(name, scaled), block(name, scaled * 8)]
    first, second = (np.linalg.svd(np.asarray(floats(runs[f"{k}_mat"][0])))[2][0] for k in ("W1", "W2"))
    runs["x"] = [along(u), along(first), vector(G.normal(size=(n, 2)))]
    runs["y"] = [along(u), along(-u), along(-first)]
    runs["hid"] = [along(second), vector(2.0**-7 * np.ones((n, 3))), vector(3 * G.normal(size=(n, 3)))]
    runs["hid_alt"] = [vector(np.zeros((n, 3))), along(-second), vector(-(2.0**-7) * np.ones((n, 3)))]
    products = {
        "rho_A": [q * k / arb(2).sqrt() for q, k in zip(radii["rho_Q"], radii["rho_K"], strict=True)],
        "rho_OV": [o * v for o, v in zip(radii["rho_O"], radii["rho_V"], strict=True)],
    }
    slope = arb(activation_slope(field_of(0).sigma).value)
    return replace(instance, values={**instance.values, **products, "s_1": slope}, runs=runs)


def linear() -> Instance:
    """Return a field F = b x + ϑ that attains its constants on the tokens of length R and the controls of length ρ."""
    field = LinearField(radius=2, control_radius=3, n=n, d=2, growth=Fraction(1, 2), shared=True)
    known = {name: arb(float(value)) for name, value in field.constants.items()}
    known["L_theta"], known["M"] = arb(n).sqrt(), arb(n).sqrt() * (arb(2) / 2 + 3)
    assert float(known["M"].mid()) <= float(field.constants["M"])
    weight = torch.tensor([[1.0, -0.5], [0.25, 1.0]], dtype=torch.float64)
    top = torch.linalg.svd(weight).Vh[0].numpy()
    states = [
        along([2.0, 0.0]),
        along([-2.0, 0.0]),
        along(2 * top * JUST),
        along(-2 * top * JUST),
        vector(G.uniform(-1, 1, (n, 2))),
    ]
    controls = [vector([[3.0, 0.0]]), vector([[-3.0, 0.0]]), vector([[9.0, 0.0]])]
    return Instance(
        {
            "F": lambda x, v: computed(field(floats(x)[None], floats(v)[0][None])[0]),
            "gauge": lambda v: size(v) / 3,
            "M": known["M"],
            "L_x": known["L_x"],
            "L_theta": known["L_theta"],
            "g_x": known["g"],
            "m_x": known["m_0"],
            "R_T": arb(2),
            "R_norm": arb(2),
            "K": arb(K),
            "eps": arb(T) / K,
            "theta": lambda t: controls[0],
            "L_k": [known["L_x"]] * K,
            "H": readout,
            "L_H": arb(READOUT.lipschitz(n)),
            "n": arb(n),
        },
        {"x": [*states, along([8.0, 0.0])], "y": states, "vartheta": controls, "varphi": controls, "k": range(K)},
    )


def flowing(seed: int) -> Instance:
    """Return a flow with the suprema, the layers' own numbers and the variations of its control and schedule."""
    instance, seen = flow_model(seed), flow_model(seed).values
    control, schedule, field = seen["paths"]
    start = seen["X"](arb(0))
    steps = []
    for k in range(K):
        values = control.sample_grid(K)[k : k + 1], schedule.sample_grid(K)[k]
        begun = floats(seen["X"](arb(k) / K))[None]
        end = transformer(field, values[0], values[1], begun, 1, T / K)[0]
        steps.append(size(seen["X"](arb(k + 1) / K) - computed(end)))
    more = {
        "zeta_bar": arb(float(schedule.sup())),
        "R_0": longest(start),
        "zeta_k": [],
        "gauge": lambda v: size(v) / (float(control.sup()) * (1 + ROUNDING)),
        "tau_k": [s + ROUNDING for s in steps],
    }
    more["zeta_k"] = [arb(abs(float(z))) + ROUNDING for z in schedule.sample_grid(K)[:, 0]]
    more["zeta_bar"] = more["zeta_bar"] + ROUNDING
    return replace(instance, values={**seen, **more})


def varying() -> Instance:
    """Return a control and a schedule that only rise, inside the layers' cells: all their variation counts."""
    rising = torch.tensor([0.0, 0.5, 0.5, 1.0, 1.0, 1.5, 2.0, 2.5], dtype=torch.float64)[:, None]
    path = Path.constant_on_cells(rising, T)
    changes = [rising[4 * k : 4 * k + 4] for k in range(K)]
    within = [arb(float((c - c[0]).abs().max())) for c in changes]
    total = arb(float(path.variation()))
    return Instance({"W_theta": within, "W_zeta": within, "V_theta": total, "V_zeta": total, "K": arb(K)})


def sampled(logits: str = "outcome") -> Instance:
    """Return samples with the least bounds of their logits, inputs, covers, deviations and gaps."""
    instance = built("risk", 0)
    seen, law = instance.values, instance.law
    controls = [seen["member"](i) for i in range(4)]

    every = [*controls, (3 * controls[0] + controls[1]) / 4]

    def most(of: Callable[[int], Any]) -> Any:
        return max((of(w) for w in law.worlds()), key=float) + 8 * ROUNDING

    def largest(name: str) -> Any:
        return most(
            lambda w: max((longest_entry(seen[name].values[w](v, j)) for v in every for j in range(3)), key=float)
        )

    def apart(one: Any, other: Any) -> Any:
        return most(lambda w: max((abs(one(w)(v) - other(w)(v)) for v in every), key=float))

    def at(name: str) -> Callable[[int], Any]:
        return lambda w: seen[name].values[w]

    J, infimum = seen["J"], min((seen["J"](v) for v in controls), key=float)
    more = {
        "B": largest(logits),
        "R_0": max(map(longest, ATOMS), key=float),
        "r": max((size(v - seen["member"](seen["nearest"](v))) for v in every), key=float),
        "Delta_eps": apart(at("J_epsN"), at("J_N")),
        "Delta_N": apart(at("J_N"), lambda w: J),
        "gap": 8 * arb(ROUNDING),
        "J_star": infimum - arb(1) / 8,
        "eta": arb(1) / 8 + 8 * ROUNDING,
        "value_of": lambda v, t: v * (1 + arb(t)),
        "L_c": max(map(size, controls), key=float),
        "gauge": lambda v: size(v) / (2 * max(map(size, controls), key=float)),
    }
    runs = {**instance.runs, "vartheta": every, "w": [arb(2) ** -12, arb(1)], "t": [arb(0), arb(T)]}
    return replace(instance, values={**seen, **more}, runs=runs)


def _flows() -> list[Instance]:
    return [flowing(0), flowing(1)]


WHERE: Mapping[tuple[str, ...], Callable[[], list[Instance]]] = {
    (
        "schedule-bounded",
        "schedule-lipschitz",
        "control-admissible",
        "control-lipschitz",
        "inputs-bounded",
        "layer-schedule",
        "layer-truncation",
    ): _flows,
    (
        "field-growth",
        "field-bounded",
        "field-lipschitz",
        "field-lipschitz-control",
        "readout-lipschitz",
        "normed-field-bounded",
        "normed-field-lipschitz",
        "layer-lipschitz",
    ): lambda: [linear()],
    ("control-bounded-variation", "schedule-bounded-variation"): lambda: [varying()],
    ("control-in-cube",): lambda: [built("cover", seed) for seed in (0, 1)],
    ("gain-bounded", "shift-bounded"): lambda: [built("norm", seed) for seed in (0, 1)],
    ("bounded-layered-logits",): lambda: [sampled("outcome_eps")],
    (
        "bounded-logits",
        "samples-bounded",
        "controls-admissible",
        "controls-lipschitz",
        "control-fixed",
        "samples-independent",
        "samples-from-population",
        "class-covered",
        "depth-uniform",
        "sampling-uniform",
        "trained",
        "class-approximates",
    ): lambda: [sampled()],
}
