"""Numbers for spec's symbols: the constants of a Transformer field over a class, at one control, or along a trajectory.

Every number is the upper end of a ball around an expression of `spec.field`, at norms that are rounded up.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt
import sympy as sp
import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count, require_finite, require_numbers
from impl.errors import NotCertified, ShapeMismatch
from impl.euclidean import length
from impl.field.activation import ACTIVATIONS, Activation
from impl.field.layout import Layout
from impl.field.normalisation import LayerNorm, Normalisation, RMSNorm
from impl.field.norms import block_norms
from impl.field.transformer import TransformerField
from impl.rounding import directed, gamma, singular_value_rounding
from impl.standing import Certified
from spec.field.field_constants import CONSTANTS
from spec.field.field_constants import THEOREM as FIELD_CONSTANTS
from spec.field.mlp_constants import THEOREM as MLP_CONSTANTS
from spec.field.norm_field import THEOREM as NORM_FIELD
from spec.language import ball
from spec.language.ball import Value
from spec.language.evaluation import resolve
from spec.symbols import VOCABULARY, L_x, R, g_x, m_x

Floats = npt.NDArray[np.float64]
NAMES = ("M", "L_x", "L_theta", "g_x", "m_x")
HEAD_RADII = {"Q": "rho_Q", "K": "rho_K", "V": "rho_V", "O": "rho_O"}
MLP_RADII = {"W1": "rho_W1", "b1": "beta_1", "W2": "rho_W2", "b2": "beta_2"}
"""The symbol of every block's radius."""
PRODUCTS = {"OV": "rho_OV", "A": "rho_A"}
"""Sharper bounds that replace the products of radii where they are given."""


def activation_slope(sigma: str | Activation) -> Certified[float]:
    """Bound the slope of an activation: ``|σ(a) − σ(b)| <= s_1 |a − b|``. Pure number.

    Raises
    ------
    NotCertified
        If the activation is not a registered one: no theorem bounds its slope.

    Source: field/mlp-constants.
    """
    name = sigma if isinstance(sigma, str) else getattr(sigma, "name", repr(sigma))
    known = ACTIVATIONS.get(name)
    if known is None or (isinstance(sigma, Activation) and sigma is not known):
        raise NotCertified(
            f"an activation among {list(ACTIVATIONS)}", repr(name), "prove a bound on its slope and give it as assumed"
        )
    return Certified(MLP_CONSTANTS.evaluate(name).upper, MLP_CONSTANTS.slug)


def constants_of_class(
    field: TransformerField,
    radii: Mapping[str, Floats | Tensor],
    R: Floats | Tensor | float,
    n: int,
    names: Iterable[str] = NAMES,
) -> dict[str, Floats]:
    """Bound a field on ``K_R × Θ``, Θ a product of balls; certified, one number an instance.

    Parameters
    ----------
    field : TransformerField
        Any registered activation, mask and normalisation.
    radii : mapping
        Radius of every block of the layout: ``Q, K, V, O`` ``(*instances, heads)``, ``W1, b1, W2, b2``
        ``(*instances,)``; spectral norms, Euclidean ones of vectors. ``OV`` and ``A`` may bound
        ``‖O_h V_h‖`` and ``‖Q_hᵀK_h‖/√d_k`` for every control of the class more sharply than the products of radii.
    R : array
        Radius of the states, one for all or one an instance (State); not read behind a normalisation.
    n : int
        Number of tokens.
    names : iterable of str
        Which constants; ``g_x`` and ``m_x`` do not depend on R.

    Returns
    -------
    dict
        ``M`` (State / Depth), ``L_x`` (1 / Depth), ``L_theta`` (State / Depth / Control), ``g_x`` (1 / Depth) and
        ``m_x`` (State / Depth), each ``(*instances,)``, float64, rounded up.

    Raises
    ------
    NotCertified
        If the activation is not registered, or the normalisation is of another kind.
    ShapeMismatch
        If radii are missing, unknown, negative, not numbers, or of another shape; or R, n or the mask do not fit.

    Source: field/field-constants, field/norm-field.
    """
    n = require_count("number of tokens n", n, 1, error=ShapeMismatch)
    field.require_fit(n)
    shape, columns = _columns(field.layout, radii)
    states = require_numbers("radius R of the states", R, 0.0, ends="[]", error=ShapeMismatch)
    radius = _broadcast("R", states, shape).reshape(-1)
    fixed = _fixed(field, n)
    given = frozenset(fixed) | set(columns)
    expressions = {name: _expression(name, field.normalisation is not None, given) for name in names}
    found = {name: np.empty(prod(shape)) for name in expressions}
    for i, r in enumerate(radius.tolist()):
        values = fixed | {name: column[i] for name, column in columns.items()} | {"R": r}
        for name, enclosure in ball.evaluate_all(expressions, values).items():
            found[name][i] = enclosure.upper
    return {name: column.reshape(shape) for name, column in found.items()}


def constants_of_control(
    field: TransformerField,
    theta: Float[Tensor, "*instances p"],
    R: Floats | Tensor | float,
    n: int,
    names: Iterable[str] = NAMES,
) -> dict[str, Floats]:
    """Bound a field at each control's own norms; certified. With layers as instances: along a trajectory.

    Parameters
    ----------
    field, R, n, names
        As for ``constants_of_class``; R may differ from layer to layer.
    theta : Tensor
        Controls ``(*instances, p)``, in any precision; they are detached.

    Returns
    -------
    dict
        As for ``constants_of_class``; ``L_theta`` bounds the derivative in the control there.

    Raises
    ------
    NotCertified, ShapeMismatch
        As for ``constants_of_class``.
    NotRealFloating, NotFinite
        If the controls are no finite real floating point numbers.

    Source: field/field-constants.
    """
    return constants_of_class(field, norms_rounded_up(field.layout, theta), R, n, names)


def norms_rounded_up(
    layout: Layout, theta: Float[Tensor, "*instances p"], *, products: bool = True
) -> dict[str, Floats]:
    """Bound the norms of the blocks of each control, and of their products if asked, rounding included.

    Norms err by `impl.rounding.singular_value_rounding`, relatively; the products ``O_h V_h`` and ``Q_hᵀK_h``
    err by ``γ_k ‖O‖_F ‖V‖_F`` before, k the inner dimension.

    Returns
    -------
    dict
        As `impl.field.norms.block_norms`, float64; infinite where a norm is beyond floats.

    Raises
    ------
    NotRealFloating, NotFinite, ShapeMismatch
        As there.

    Source: field/field-constants.
    """
    require_finite("control vectors", theta)
    wide = theta.detach().double()
    blocks, norms = layout.unpack(wide), block_norms(layout, wide, products=products)
    largest = max(layout.width, layout.head_width, layout.hidden)
    relative = singular_value_rounding(largest, largest, torch.float64)
    for name, norm in norms.items():
        norms[name] = directed(norm * (1 + relative), 4)
    factors = {"OV": ("O", "V"), "A": ("Q", "K")} if layout.heads and products else {}
    for name, (left, right) in factors.items():
        product = length(blocks[left], (-1, -2)) * length(blocks[right], (-1, -2))
        norms[name] = directed(norms[name] + 2 * gamma(layout.head_width) * product, 8)
    # Zero blocks have norm 0: a number rounded up is never 0.
    lasting = {name: blocks[name].flatten(theta.ndim - 1 + (name in HEAD_RADII)).any(-1) for name in layout.shapes}
    for name in norms:
        for part in factors.get(name, (name,)):
            norms[name] = torch.where(lasting[part], norms[name], 0.0)
    return {name: norm.cpu().numpy() for name, norm in norms.items()}


def _columns(layout: Layout, radii: Mapping[str, Floats | Tensor]) -> tuple[tuple[int, ...], dict[str, list[Value]]]:
    """Return the instances' shape, and by symbol one entry an instance: a number, or a list over the heads."""
    needed = set(layout.shapes)
    given = {name: require_numbers(name, radii[name], 0.0, ends="[]", error=ShapeMismatch) for name in radii}
    unknown = set(given) - needed - (set(PRODUCTS) if layout.heads else set())
    if unknown or needed - set(given):
        raise ShapeMismatch(f"radii of {sorted(needed)}", sorted(given), "give one of every block, and no other")
    symbols = HEAD_RADII | PRODUCTS | MLP_RADII
    per_head = set(given) - set(MLP_RADII)
    shapes = {name: radius.shape[:-1] if name in per_head else radius.shape for name, radius in given.items()}
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ShapeMismatch("radii of as many instances", shapes, "give one or as many as the others") from None
    columns: dict[str, list[Value]] = {symbol: [0] * prod(shape) for symbol in (HEAD_RADII | MLP_RADII).values()}
    for name, radius in given.items():
        if name in per_head and radius.shape[-1:] != (layout.heads,):
            raise ShapeMismatch(
                f"a radius of {name} for each of {layout.heads} heads", radius.shape, "match the layout"
            )
        full = np.broadcast_to(radius, (*shape, *radius.shape[-1:]) if name in per_head else shape)
        columns[symbols[name]] = full.reshape(prod(shape), *full.shape[len(shape) :]).tolist()
    return shape, columns


def _broadcast(name: str, values: Floats, shape: tuple[int, ...]) -> Floats:
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ShapeMismatch(f"{name} for instances {shape}", values.shape, "give one for all or one each") from None


def _fixed(field: TransformerField, n: int) -> dict[str, Value]:
    """Return the values that all instances share. Without a perceptron no control moves one."""
    layout = field.layout
    values: dict[str, Value] = {"n": n, "heads": layout.heads, "d_k": max(layout.head_width, 1), "s_1": 0, "L_mlp": 0}
    if layout.hidden:
        del values["L_mlp"]
        values["s_1"] = activation_slope(field.sigma).value
    return values if field.normalisation is None else values | _normalised(field.normalisation)


def _normalised(normalisation: Normalisation) -> dict[str, Value]:
    """Return what the theorem of normalised fields asks for; the shift's norm is rounded up."""
    if not isinstance(normalisation, RMSNorm | LayerNorm):
        raise NotCertified("LayerNorm or RMSNorm", type(normalisation).__name__, "no theorem speaks of it")
    shift = normalisation.shift if isinstance(normalisation, LayerNorm) else torch.zeros(1)
    require_finite("the gain", normalisation.gain)
    require_finite("the shift", shift)
    norm = directed(length(shift.detach().double()), shift.numel() + 2) if bool(shift.any()) else 0.0
    return {
        "gamma_max": float(normalisation.gain.detach().double().abs().max()),
        "beta_norm": float(norm),
        "eps_norm": normalisation.eps_norm,
        "d": normalisation.width,
    }


@lru_cache(maxsize=256)
def _expression(name: str, normalised: bool, given: frozenset[str]) -> sp.Expr:
    """Return a constant over the symbols that have values.

    Behind a normalisation the states are those of its range, and the growth is all in ``m_x``.
    """
    if not normalised:
        return resolve(VOCABULARY, CONSTANTS[VOCABULARY.atom(name)], given)
    behind = {**CONSTANTS, g_x: sp.Integer(0), m_x: FIELD_CONSTANTS.claim("growth").bound}
    inner = resolve(VOCABULARY, behind[VOCABULARY.atom(name)], given)
    whole = NORM_FIELD.claim("field-lipschitz").bound.xreplace({L_x: inner}) if name == "L_x" else inner
    return resolve(VOCABULARY, whole.xreplace({R: NORM_FIELD.claim("range").bound}), given)
