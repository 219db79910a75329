"""Normalisations as `impl` computes them: LayerNorm and RMSNorm, of states and of tokens alone."""

from typing import Any

import numpy as np
import torch
from flint import arb
from models_field import computed, d, floats, n, token
from numeric import Instance, size, vector

from impl.field.normalisation import LayerNorm, RMSNorm


def normalised(g: np.random.Generator, layer: bool) -> dict[str, Any]:
    gains, shifts, eps = g.normal(size=d), g.normal(size=d), 0.125
    weight = torch.tensor(gains)
    module = LayerNorm(weight, torch.tensor(shifts), eps) if layer else RMSNorm(weight, eps)
    axis = vector([[1.0] * d]) / arb(d).sqrt() if layer else vector([[0.0] * d])

    def centred(v: Any) -> Any:
        return np.asarray(v) - (v * axis).sum() * axis

    def deviation(v: Any) -> Any:
        return (size(centred(v)) ** 2 / d + arb(eps)).sqrt()

    return {
        "eps_norm": arb(eps),
        "normed": lambda x: computed(module.kernel(floats(x)[..., None])[..., 0]),
        "axis": lambda _: axis,
        "centred": centred,
        "deviation": deviation,
        "scaled": lambda v: centred(v) / deviation(v),
        "gain": lambda v: np.asarray(v) * vector([gains]),
        "shift": lambda _: vector([shifts]) if layer else vector([[0.0] * d]),
        "shortest": lambda x: arb(min(range(len(x)), key=lambda i: float(size(centred(x[i : i + 1]))))),
        "gamma_max": arb(float(abs(gains).max())),
        "beta_norm": size(vector([shifts])) if layer else arb(0),
    }


def norm_model(seed: int) -> Instance:
    """Return tokens alone (seeds 0, 1), or states, whose normalisation token by token alone is spoken of."""
    g = np.random.Generator(np.random.Philox(key=seed))
    values = {**normalised(g, seed % 2 == 0), "d": arb(d), "n": arb(1 if seed < 2 else n), "token": token}
    if seed < 2:
        states = [vector(g.normal(size=(1, d))) for _ in range(3)]
    else:
        states = [vector(g.normal(size=(n, d))) for _ in range(2)]
        del values["axis"], values["deviation"]
    hidden = [vector(g.normal(size=(1, d))), vector([[1.0, 0.0]]), vector([[0.0, 1.0]])]
    runs = {"x": states, "i": range(len(states[0])), "hid": hidden, "hid_alt": hidden[:1], "omega": hidden}
    return Instance(values, runs)
