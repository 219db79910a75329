"""Fields behind a normalisation, checked: LayerNorm and RMSNorm alone and before an MLP of exactly known constants.

Tokens run from far below to far above √(dε), where the normalisation is linear and where it saturates; pairs are near,
opposite, on one ray, or differ in one token. Extremal: opposite tokens (the segment between them leaves the set where
tokens are long), tokens near 0, tokens far out along the shift.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
import sympy as sp
import torch
from torch import Tensor

from impl.errors import NotFinite
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, RMSNorm
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.rounding import ULPS, directed, field_rounding, gamma, singular_value_rounding
from properties import checking
from properties.checking import VIOLATED, Batch, Exhibit, Need, Property
from properties.descriptor import Choice, Descriptor, Integer, Real, Space, size
from properties.field.normalised import Case
from properties.suite import suite
from spec.language.errors import OutOfRange

Floats = npt.NDArray[np.float64]
SPACE = Space(
    {
        "batch": Integer(24, 40),
        "normalisation": Choice(("rms", "layer")),
        "pair": Choice(("random", "near", "opposite", "ray", "one-token")),
        "n": size(1, 4, 8, 16),
        "d": size(1, 4, 8, 16),
        "hidden": size(1, 4, 16, 32),
        "eps": Real(1e-5, 1.0, log=True),
        "reach": Real(0.01, 100.0, log=True),  # |token| / √(dε)
        "offset": Real(0.0, 3.0),  # mean of a token / its length
        "gain": Real(0.1, 10.0, log=True),
        "uneven": Real(0.0, 1.0),
        "shift": Real(0.0, 3.0),
        "slope": Real(0.01, 10.0, log=True),
    }
)


def normalisation(descriptor: Descriptor) -> LayerNorm | RMSNorm:
    """Return a normalisation; gains lie between γ(1 − uneven) and γ in absolute value."""
    generator, d = descriptor.generator("normalisation"), descriptor["d"]
    shares = 1 - descriptor["uneven"] * generator.random(d)
    gain = torch.from_numpy(descriptor["gain"] * shares * generator.choice((-1.0, 1.0), d))
    if descriptor["normalisation"] == "rms":
        return RMSNorm(gain, descriptor["eps"])
    return LayerNorm(gain, torch.from_numpy(descriptor["shift"] * generator.normal(size=d)), descriptor["eps"])


def states(descriptor: Descriptor) -> tuple[Tensor, Tensor]:
    """Return pairs of states, (batch, n, d) each."""
    batch, n, d = (descriptor[name] for name in ("batch", "n", "d"))
    generator = descriptor.generator("states")
    length = descriptor["reach"] * sqrt(d * descriptor["eps"])

    def tokens() -> Floats:
        directions = generator.normal(size=(batch, n, d))
        lengths = length * generator.uniform(0.5, 1.0, (batch, n, 1))
        return np.asarray(lengths * directions / np.linalg.norm(directions, axis=-1, keepdims=True))

    x, y = tokens(), tokens()
    match descriptor["pair"]:
        case "near":
            y = x + y / 1024
        case "opposite":
            y = -x
        case "ray":
            y = 2 * x
        case "one-token":
            y[:, 1:] = x[:, 1:]
    return torch.from_numpy(x + descriptor["offset"] * length), torch.from_numpy(y + descriptor["offset"] * length)


def controls(descriptor: Descriptor, layout: Layout) -> Tensor:
    """Return MLPs with multiples of isometries as matrices, (batch, p)."""
    generator, batch = descriptor.generator("controls"), descriptor["batch"]
    slope = sqrt(descriptor["slope"])

    def isometry(rows: int, columns: int) -> Floats:
        square = np.linalg.qr(generator.normal(size=(batch, max(rows, columns), max(rows, columns))))[0]
        return np.asarray(slope * square[:, :rows, :columns])

    def block(shape: tuple[int, ...]) -> Tensor:
        drawn = isometry(*shape) if len(shape) == 2 else generator.normal(size=(batch, *shape)) / 4
        return torch.from_numpy(np.ascontiguousarray(drawn))

    return layout.pack({name: block(shape) for name, shape in layout.shapes.items()})


def token_rounding(norm: LayerNorm | RMSNorm, x: Tensor) -> Tensor:
    """Bound |fl(norm(x)_i) − norm(x)_i| for every token.

    Centring errs by 2γ_{d+2}|x_i|, which the division amplifies by at most γ_max/√ε; the mean square, the root of
    2 ULPS and the products err by a relative γ_{d+8+2 ULPS} of at most γ_max √d + |β|.
    """
    d, steepest = norm.width, float(norm.gain.abs().max())
    shift = float(norm.shift.norm()) if isinstance(norm, LayerNorm) else 0.0
    centring = 2 * gamma(d + 2) * x.norm(dim=-1) * (isinstance(norm, LayerNorm) * steepest / sqrt(norm.eps_norm))
    return directed(centring + gamma(d + 8 + 2 * ULPS) * (steepest * sqrt(d) + shift), d + 16)


def least_length(norm: LayerNorm | RMSNorm, *pair: Tensor) -> Floats:
    """Return a lower bound of the centred tokens' norms, rounded down."""
    x = torch.cat(pair, dim=1)
    c = x - x.mean(-1, keepdim=True) if isinstance(norm, LayerNorm) else x
    lost = 2 * gamma(norm.width + 2) * x.norm(dim=-1) + gamma(norm.width + 4) * c.norm(dim=-1)
    return np.asarray((c.norm(dim=-1) - 2 * lost).clamp(min=0).amin(1).numpy())


def quotient(change: Tensor, error: Tensor, distance: Tensor, terms: int) -> tuple[Floats, Floats]:
    """Return |change| / |x − y| and its error; differences, sums of so many squares, roots and the quotient round."""
    measured = change / distance
    return measured.numpy(), directed(error / distance + measured * gamma(2 * terms + 8), terms + 8).numpy()


def check(descriptor: Descriptor) -> dict[str, Batch]:
    norm, (x, y) = normalisation(descriptor), states(descriptor)
    n, d = x.shape[1:]
    behind = TransformerField(Layout(d, 0, 0, descriptor["hidden"]), "tanh", normalisation=norm)
    theta = controls(descriptor, behind.layout)
    svd = singular_value_rounding(d, descriptor["hidden"], theta.dtype)
    norms = {name: directed(v * (1 + svd), d + 40) for name, v in block_norms(behind.layout, theta).items()}
    shift = norm.shift.norm() if isinstance(norm, LayerNorm) else torch.zeros((), dtype=torch.float64)
    beta = float(directed(shift, d + 4))
    radius = float(norm.gain.abs().max()) * sqrt(d) + beta
    hidden = (norms["W1"] * radius + norms["b1"]).clamp(max=sqrt(descriptor["hidden"]))
    values = {
        "gamma_max": float(norm.gain.abs().max()),
        "beta_norm": beta,
        "eps_norm": norm.eps_norm,
        "d": d,
        "r_norm": least_length(norm, x, y),
        "M": directed(sqrt(n) * (norms["W2"] * hidden + norms["b2"]), 24).numpy(),
        "L_x": directed(norms["W2"] * norms["W1"], 4).numpy(),
    }
    before = [norm.kernel(state.movedim(0, -1)).movedim(-1, 0) for state in (x, y)]
    after = [behind(state.unsqueeze(1), theta).squeeze(1) for state in (x, y)]
    rounding = [token_rounding(norm, state) for state in (x, y)]
    field_error = [field_rounding(behind, n, state.norm(dim=-1).amax(1), norms, x.dtype) for state in (x, y)]
    distance = (x - y).flatten(1).norm(dim=1)
    change, field_change = ((a - b).flatten(1).norm(dim=1) for a, b in (before, after))
    slope = quotient(change, rounding[0].norm(dim=1) + rounding[1].norm(dim=1), distance, n * d)
    field_slope = quotient(field_change, field_error[0] + field_error[1], distance, n * d)
    tokens, whole = before[0].norm(dim=-1), after[0].flatten(1).norm(dim=1)
    token_error = directed(rounding[0] + tokens * gamma(d + 2), 4)
    whole_error = directed(field_error[0] + whole * gamma(n * d + 2), 4)
    return {
        "range": Batch(tokens.amax(1).numpy(), token_error.amax(1).numpy(), values),
        "lipschitz": Batch(*slope, values),
        "local": Batch(*slope, values),
        "field-range": Batch(whole.numpy(), whole_error.numpy(), values),
        "field-lipschitz": Batch(*field_slope, values),
        "field-local": Batch(*field_slope, values),
    }


_tenth = sp.Rational(1, 10)
_unit = ((1, -1, 0), (1, 0, -1))
OPPOSITE = Case(_unit, tuple(tuple(-a for a in token) for token in _unit), (3, -3, 3), (1, 2, -1))
TINY = Case(((_tenth**3, -(_tenth**3)),), ((-(_tenth**3), _tenth**3),), (5, 5), (3, 1))
FAR = Case(((10**3, -(10**3)),), ((1, 0),), (3, 3), (2, -2))
CASES = {
    "opposite-tokens": OPPOSITE,
    "tiny-tokens": TINY,
    "far-tokens": FAR,
    "one-coordinate": Case(((1,),), ((-1,),), (3,)),
    "one-coordinate-layer": Case(((1,),), ((-2,),), (3,), (1,)),
    "equal-tokens": Case(((1, 2), (1, 2)), ((2, 1), (2, 1)), (1, 2)),
    "equal-states": Case(((1, 2),), ((1, 2),), (1, 2), (0, 1)),
    "zero-token": Case(((0, 0),), ((1, 1),), (1, 2)),
    "constant-token": Case(((7, 7), (1, 0)), ((7, 7), (0, 1)), (1, 2), (0, 0)),
    "one-token-moves": Case(((1, 0), (3, 4)), ((0, 1), (3, 4)), (2, 2)),
    "ray": Case(((3, 4),), ((6, 8),), (2, 2)),
    "zero-gain": Case(((1, 0),), ((0, 1),), (0, 0), (1, 1)),
    "zero-field": Case(((1, 0),), ((0, 1),), (1, 1), slope=0),
    "constant-field": Case(((1, 0),), ((0, 1),), (1, 1), slope=0, push=3),
}


def _need(case: Case) -> Callable[[], tuple[Mapping[str, Batch], Mapping[str, bool]]]:
    return lambda: (case.batches(), case.met())


PROPERTY = Property(
    slug="field/norm-field",
    space=SPACE,
    check=check,
    exhibits=tuple(Exhibit(name, case.batches) for name, case in CASES.items()),
    sharp={
        "range": "far-tokens",
        "lipschitz": "tiny-tokens",
        "local": "opposite-tokens",
        "field-range": "far-tokens",
        "field-lipschitz": "tiny-tokens",
        "field-local": "opposite-tokens",
    },
    needs={
        "gain-bounded": Need(_need(replace(OPPOSITE, claimed={"gamma_max": 2, "M": 100}))),
        "shift-bounded": Need(_need(replace(FAR, claimed={"beta_norm": 2, "M": 100}))),
        "normed-field-bounded": Need(_need(replace(FAR, claimed={"M": 12}))),
        "normed-field-lipschitz": Need(_need(replace(OPPOSITE, claimed={"L_x": 1}))),
    },
)
TestTheorem = suite(PROPERTY)


def test_local_needs_long_tokens() -> None:
    short = replace(TINY, claimed={"r_norm": 1})
    assert checking.judged(PROPERTY, short.batches())["local"].verdict == [VIOLATED]


def test_no_constant_without_eps() -> None:
    quotients = [replace(CASES["one-coordinate"], x=((a,),), y=((-a,),), eps=0).batches for a in (1, _tenth**9)]
    one, large = (batches()["lipschitz"].measured[0] for batches in quotients)
    assert large == 10**9 * one
    with pytest.raises(OutOfRange):
        PROPERTY.theorem.evaluate("lipschitz", gamma_max=1, eps_norm=0)
    with pytest.raises(NotFinite):
        RMSNorm(torch.ones(1), 0.0)


def test_layer_norm_of_one_coordinate_is_its_shift() -> None:
    case = CASES["one-coordinate-layer"]
    assert case.normalised(case.x) == case.normalised(case.y) == sp.Matrix([case.shift])
