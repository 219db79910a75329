"""The reference flow: order 8 on the exact cells, with an error for every instance."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from impl.control import Path, grid
from impl.control.times import real_times
from impl.errors import DegenerateGrid, Diverged
from impl.field.base import Field
from impl.flow.batch import Batch, batch_bound, require_depth, require_flow, require_parameters
from impl.flow.cells import Cells
from impl.flow.dop853 import DOP853
from impl.flow.euler import OnDivergence
from impl.flow.rounding import size
from impl.flow.stages import Integration, integrate
from impl.flow.tableau import Tableau

# An error is carried along by the derivative at the computed state. Once it is no longer small against the largest
# state so far, the derivative along the true path is another one, and nothing is known of what follows: then the error
# is infinite.
LINEAR_RANGE = 0.1


@dataclass(frozen=True, eq=False)
class ReferenceFlow:
    """States of the flow at recorded times, each with its error. Standing: *measured*.

    Attributes
    ----------
    times : Tensor
        Recorded times ``(*instances, R)`` (Depth).
    states : Tensor
        ``(*instances, R, P, n, d)``, float64 (State); infinite where the flow left the finite numbers.
    errors : Tensor
        ``(*instances, R, P)``: bound on each state's Frobenius error (State); infinite if nothing is known, never nan.
    growth : Tensor
        ``(*instances, P)``: measured amplification of perturbations over [0, T], at least 1 (pure).
    stretch : Tensor
        ``(*instances, P)``: measured ``∫|ζ|L``, with L the field's Lipschitz constant along that perturbation (pure).
    substeps : Tensor
        ``(*instances)``: steps a cell that the states were computed with.
    """

    times: Float[Tensor, "*instances R"]
    states: Float[Tensor, "*instances R P n d"]
    errors: Float[Tensor, "*instances R P"]
    growth: Float[Tensor, "*instances P"]
    stretch: Float[Tensor, "*instances P"]
    substeps: Int[Tensor, "*instances"]

    @property
    def error(self) -> Float[Tensor, "*instances"]:
        """Largest error of an instance over recorded times and particles (State); 0 without particles."""
        return _largest(self.errors.flatten(-2))


def reference_flow(
    field: Field,
    control: Path,
    schedule: Path | None,
    x0: Float[Tensor, "*instances P n d"],
    T: float,
    record_at: int | Float[Tensor, "*instances R"],
    *,
    tolerance: float = 1e-9,
    max_substeps: int = 64,
    on_divergence: OnDivergence = "raise",
    tableau: Tableau = DOP853,
) -> ReferenceFlow:
    """Integrate ``Ẋ = ζ(t) F(X; θ(t))`` with an error for every instance.

    Every cell between breakpoints of θ, of ζ and recorded times is crossed in m equal steps of order 8, so controls may
    jump anywhere. The returned states are those of 2m steps; their error is

        max_{s≤t} |y_m − y_2m| + G·(local errors of both runs) + rounding allowance,

    an *estimate* of ``|y_2m − X|`` from above. Proved: the first term is at least that wherever doubling the steps at
    least halves the truncation error (asymptotically it falls 256 times). Estimated: whether it does, and so the local
    errors (`impl.flow.stages`), which are negligible where the embedded methods show a converging series, of the
    embedded methods' size where they do not, and infinite where a step has missed something; and G, the growth of one
    perturbation. A field can be made to fool either. An error above a tenth of the largest state so far is infinite
    from there on: linear propagation has no standing there. On a field with kinks (ReLU) errors fall like ``m^{-2}``
    only and are often infinite while steps are long; where finite, they may still lie below the truth.

    Instances above the tolerance are repeated with m doubled, alone, up to ``max_substeps``; beyond it their error
    stays as it is.

    Parameters
    ----------
    field : Field
        The field F (State / Depth).
    control : Path
        θ on [0, T] (Control).
    schedule : Path or None
        ζ on [0, T] (pure); None for ζ = 1.
    x0 : Tensor
        Initial states (State); computed in float64 whatever their dtype.
    T : float
        Depth; T = 0 is the identity with error 0.
    record_at : int or Tensor
        K for the grid ``t_0, …, t_K``, or times in [0, T], shared or one set an instance.
    tolerance : float
        Error (State) that an instance should reach. It is asked for, not promised: read ``errors``.
    max_substeps : int
        Largest number of steps a cell, at least 2.
    on_divergence : {"raise", "inf"}
        What to do with an instance whose states are not finite at the largest number of steps.
    tableau : Tableau
        The method. The limits on local errors were chosen for DOP853: with order 5, about three errors in 10,000 lie
        below the truth on long cells of stiff Transformers.

    Raises
    ------
    DegenerateGrid
        If depth, recorded times or ``max_substeps`` are out of range.
    ShapeMismatch, NotFinite
        If inputs do not belong together or are not finite.
    Diverged
        If an instance leaves the finite numbers; ``step`` indexes the first recorded time at which it has.
    """
    require_flow(control, schedule, x0, T, tolerance, max_substeps, on_divergence)
    control = control.to(dtype=torch.float64)
    schedule = (Path.constant(torch.ones(1), T) if schedule is None else schedule).to(torch.float64, x0.device)
    require_parameters(field, control)
    require_depth(control, T, "control")
    require_depth(schedule, T, "schedule")
    records = _records(record_at, T, x0.device)
    batch = Batch.of(field, x0.to(torch.float64), control.instances, schedule.instances, records.shape[:-1])
    cells = Cells.of(batch, control, schedule, records)
    index = torch.searchsorted(cells.times, batch.rows(records, 1).expand(cells.times.shape[0], -1).contiguous())
    run = _refine(field, batch, cells, tolerance, max_substeps, tableau)
    flow = ReferenceFlow(
        records.expand(*batch.instances, records.shape[-1]),
        batch.restore(_at(run.states, index)),
        _at(run.errors, index).movedim(1, 0).reshape(*batch.instances, records.shape[-1], batch.x.shape[-1]),
        run.growth.reshape(*batch.instances, batch.x.shape[-1]),
        run.stretch.reshape(*batch.instances, batch.x.shape[-1]),
        run.substeps.reshape(batch.instances),
    )
    return _report_divergence(flow, on_divergence)


@dataclass(frozen=True)
class _Run:
    states: Float[Tensor, "M+1 n d B P"]
    errors: Float[Tensor, "M+1 B P"]
    floor: Float[Tensor, "M+1 B P"]  # what rounding alone contributes
    growth: Float[Tensor, "B P"]
    stretch: Float[Tensor, "B P"]
    substeps: Int[Tensor, "B"]


def _refine(field: Field, batch: Batch, cells: Cells, tolerance: float, max_substeps: int, tableau: Tableau) -> _Run:
    coarse, fine = (integrate(field, batch, cells, m, tableau, watch_rounding=m == 2) for m in (1, 2))
    run = _compare(coarse, fine, 2)
    m, rows = 2, torch.arange(batch.x.shape[-2], device=batch.x.device)
    latest = run
    while 2 * m <= max_substeps:
        # Only truncation can be refined away: where rounding dominates, more steps are no help.
        hopeful = (latest.errors > tolerance) & ~(latest.errors <= 2 * latest.floor)
        if not bool(hopeful.any()):
            break
        # A field whose mask knows every instance of the batch cannot be asked about some of them.
        keep = torch.arange(len(rows)) if batch_bound(field) else hopeful.any(0).any(-1).nonzero().flatten()
        m, rows = 2 * m, rows[keep]
        part, some = replace(batch, x=batch.x.index_select(-2, rows)), cells.select(rows)
        coarse = Integration(fine.states.index_select(-2, keep), fine.local[:, keep], None)
        fine = integrate(field, part, some, m, tableau, watch_rounding=True)
        latest = _compare(coarse, fine, m)
        _replace_rows(run, latest, rows)
    return run


def _compare(coarse: Integration, fine: Integration, m: int) -> _Run:
    watch = fine.sentinel
    assert watch is not None
    difference = torch.stack([size(a - b) for a, b in zip(coarse.states, fine.states, strict=True)])
    rounding = torch.stack(watch.sources)
    floor = watch.carry(rounding)
    errors = difference.cummax(0).values + floor + watch.carry(coarse.local + fine.local)
    lost = ~(errors <= LINEAR_RANGE * torch.stack([size(x) for x in fine.states]).cummax(0).values)
    errors = torch.where(lost, torch.inf, errors).cummax(0).values
    substeps = torch.full(errors.shape[1:2], m, device=errors.device)
    errors, floor, growth, stretch = map(_finite_or_inf, (errors, floor, watch.growth, watch.stretch))
    return _Run(fine.states, errors, floor, growth, stretch, substeps)


def _replace_rows(run: _Run, latest: _Run, rows: Tensor) -> None:
    # Always the finer run, even where its error is larger: then it has refuted the coarser one's.
    run.states[..., rows, :] = latest.states
    run.errors[:, rows] = latest.errors
    run.growth[rows] = latest.growth
    run.stretch[rows] = latest.stretch
    run.substeps[rows] = latest.substeps


def _report_divergence(flow: ReferenceFlow, on_divergence: OnDivergence) -> ReferenceFlow:
    finite = torch.isfinite(flow.states).all(-1).all(-1)
    if bool(finite.all()):
        return flow
    if on_divergence == "raise":
        gone = ~finite.all(-1).reshape(-1, finite.shape[-2])
        step = int(gone.any(0).nonzero()[0])
        count = int(gone.any(-1).sum())
        raise Diverged(
            "finite states of the flow",
            f"{count} of {gone.shape[0]} instances not finite at recorded time {step}",
            'check the growth premise of trajectory-range, shorten T, or ask for on_divergence="inf"',
            step=step,
        )
    states = torch.where(finite[..., None, None], flow.states, torch.inf)
    return replace(flow, states=states, errors=torch.where(finite, flow.errors, torch.inf))


def _records(record_at: int | Tensor, T: float, device: torch.device) -> Float[Tensor, "*instances R"]:
    if not isinstance(record_at, Tensor):
        return grid(T, record_at, device)
    times = real_times(record_at).to(device)
    if times.ndim < 1 or times.shape[-1] < 1 or not bool(((times >= 0) & (times <= T)).all()):
        raise DegenerateGrid(f"at least one recorded time, all in [0, {T}]", times.tolist(), "record inside the depth")
    return times


def _at(values: Float[Tensor, "M+1 *rest"], index: Int[Tensor, "b R"]) -> Float[Tensor, "R *rest"]:
    # values (M+1, …, B, P); index one row for all instances, or one for each.
    if index.shape[0] == 1:
        row = index[0]
        whole = row.shape[0] == values.shape[0] and bool((row == torch.arange(len(row), device=row.device)).all())
        return values if whole else values.index_select(0, row)
    shape = (index.shape[1], *([1] * (values.ndim - 3)), index.shape[0], 1)
    return values.gather(0, index.mT.reshape(shape).expand(index.shape[1], *values.shape[1:]))


def _largest(values: Float[Tensor, "*batch M"]) -> Float[Tensor, "*batch"]:
    return torch.cat([values, values.new_zeros(*values.shape[:-1], 1)], -1).amax(-1)


def _finite_or_inf(values: Tensor) -> Tensor:
    return torch.where(torch.isfinite(values), values, torch.inf)
