"""The Transformer: layers ``X_{k+1} = X_k + ε ζ(t_k) F(X_k; θ(t_k))``."""

from collections.abc import Iterator
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import all_finite, require_choice, require_finite, require_real_floating
from impl.control import Path, check_grid, grid
from impl.errors import Diverged, ShapeMismatch
from impl.field.base import Field
from impl.flow.batch import (
    ON_DIVERGENCE,
    Batch,
    Control,
    Schedule,
    require_depth,
    require_parameters,
    require_scalar,
)

OnDivergence = Literal["raise", "inf"]


def euler_kernel(
    field: Field,
    x: Float[Tensor, "n d B P"],
    layers: Float[Tensor, "K p #B 1"],
    weights: Float[Tensor, "K #B 1"],
) -> Iterator[Float[Tensor, "n d B P"]]:
    """Yield ``X_1, …, X_K``; neither validates nor synchronises.

    Parameters
    ----------
    field : Field
        The field.
    x : Tensor
        Initial states, batch last (State).
    layers : Tensor
        Layer values ``θ(t_k)`` (Control).
    weights : Tensor
        ``ε ζ(t_k)`` (Depth).
    """
    for theta, weight in zip(layers.unbind(0), weights.unbind(0), strict=True):
        x = torch.addcmul(x, weight, field.kernel(x, theta))
        yield x


def layer_values(control: Control, K: int) -> Float[Tensor, "*instances K p"]:
    """Layers of a control: a path sampled at ``t_k``, or the layers themselves.

    Raises
    ------
    NotRealFloating
        If the control is neither a path nor a tensor of real floating point numbers.
    ShapeMismatch
        If layers are given whose number is not K.
    """
    if not isinstance(control, Path):
        require_real_floating("layer values", control, 2)
    values = control.sample_grid(K) if isinstance(control, Path) else control
    if values.ndim < 2 or values.shape[-2] != K:
        raise ShapeMismatch(f"layer values (*instances, {K}, p)", tuple(values.shape), "give K layers, or a Path")
    return values


def step_weights(schedule: Schedule, K: int, T: float, like: Tensor) -> Float[Tensor, "*instances K"]:
    """Weights ``ε ζ(t_k)`` (Depth), computed in float64 and rounded once; without a schedule ζ = 1.

    Raises
    ------
    DegenerateGrid
        If there is no grid of K layers on [0, T].
    NotRealFloating
        If the schedule is neither a path nor a tensor of real floating point numbers.
    ShapeMismatch
        If the schedule has another number of layers or more than one coordinate.
    """
    check_grid(T, K)
    step = T / K
    if schedule is None:
        return torch.full((K,), step, dtype=like.dtype, device=like.device)
    values = schedule
    if isinstance(schedule, Path):
        require_scalar(schedule)
        values = schedule.sample_grid(K).squeeze(-1)
    assert not isinstance(values, Path)
    require_real_floating("schedule", values)
    if values.ndim < 1 or values.shape[-1] != K:
        raise ShapeMismatch(
            f"schedule values (*instances, {K})", tuple(values.shape), "give one value a layer, or a Path"
        )
    return (values.to(torch.float64) * step).to(like)


def transformer(
    field: Field,
    control: Control,
    schedule: Schedule,
    x0: Float[Tensor, "*instances P n d"],
    K: int,
    T: float,
    *,
    record: Literal["last", "all"] = "last",
    on_divergence: OnDivergence = "raise",
) -> Float[Tensor, "..."]:
    """Apply the K layers of the Transformer.

    Parameters
    ----------
    field : Field
        The field F (State / Depth).
    control : Path or Tensor
        θ on [0, T], or the layer values ``(*instances, K, p)`` (Control).
    schedule : Path, Tensor or None
        ζ on [0, T] (pure), its layer values ``(*instances, K)``, or None for ζ = 1.
    x0 : Tensor
        Initial states ``(*instances, P, n, d)`` (State); P = 0 is allowed.
    K : int
        Number of layers, at least 1.
    T : float
        Depth; T = 0 is the identity.
    record : {"last", "all"}
        ``X_K``, or ``X_0, …, X_K`` in a dimension of their own before the particles.
    on_divergence : {"raise", "inf"}
        What to do when a state leaves the finite numbers: raise, or set every such state to infinity.

    Returns
    -------
    Tensor
        ``(*instances, P, n, d)``, or ``(*instances, K+1, P, n, d)`` (State), differentiable.

    Raises
    ------
    DegenerateGrid
        If ``K < 1`` or not an integer, ``T < 0``, or a path ends elsewhere.
    ShapeMismatch
        If inputs do not belong together, the field's mask included.
    NotRealFloating, NotFinite
        If inputs are no finite real floating point numbers.
    UnknownChoice
        If an option has no such value.
    Diverged
        If a state is not finite; ``step`` is the first layer index k with ``X_k`` not finite.
    """
    check_grid(T, K)
    require_choice("record", record, ("last", "all"))
    require_choice("on_divergence", on_divergence, ON_DIVERGENCE)
    require_parameters(field, control)
    require_real_floating("initial states", x0)
    require_depth(control, T, "control")
    require_depth(schedule, T, "schedule")
    layers, weights = layer_values(control, K).to(x0), step_weights(schedule, K, T, x0)
    require_finite("layer values", layers)
    require_finite("schedule values", weights)
    batch = Batch.of(field, x0, layers.shape[:-2], weights.shape[:-1])
    theta = batch.last(batch.rows(layers, 2))
    weight = batch.last(batch.rows(weights, 1))
    states = [batch.x]
    # T = 0 is the identity by definition, whatever F returns (0 · inf is not 0).
    steps = euler_kernel(field, batch.x, theta, weight) if T else [batch.x] * K
    for x in steps:
        if record == "last":
            states.clear()
        states.append(x)
    if not all_finite(states[-1]):
        states = _diverged(field, batch, theta, weight, states, on_divergence)
    return batch.restore(torch.stack(states) if record == "all" else states[0])


def _diverged(
    field: Field, batch: Batch, theta: Tensor, weight: Tensor, states: list[Tensor], on_divergence: OnDivergence
) -> list[Tensor]:
    # A non-finite state stays non-finite (inf + anything), so looking at the end found it; now find where it began.
    if on_divergence == "inf":
        return [torch.where(torch.isfinite(x).all(0).all(0), x, torch.inf) for x in states]
    path = euler_kernel(field, batch.x, theta, weight)
    step = next(k for k, x in enumerate(path, start=1) if not all_finite(x))
    times = grid(1.0, weight.shape[0])
    raise Diverged(
        "finite states at every layer",
        f"a state that is not finite after step {step} (t/T = {float(times[step]):.4g})",
        "check the growth premise of trajectory-range, or use a smaller T",
        step=step,
    )
