"""Paths in depth: controls θ(t) and schedules ζ(t), piecewise polynomial, with values at every single time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from impl.checks import all_finite, require_finite, require_real_floating
from impl.control import bernstein, measures
from impl.control.grid import check_depth, grid
from impl.control.times import inner_times, real_times, require_refined, spread
from impl.errors import DegenerateGrid, NotRealFloating, ShapeMismatch


@dataclass(frozen=True, eq=False)
class Path:
    """A piecewise polynomial of degree at most 2 in depth, one for each instance.

    Cell ``j`` is the open interval between the breakpoints ``t_j`` and ``t_{j+1}``. Cells of length zero are allowed,
    so that instances with different jump times share a shape; they carry no value. A breakpoint's own value is that of
    its *last* index in ``times``.

    Parameters
    ----------
    times : Tensor
        Breakpoints ``(*instances, J+1)``, nondecreasing from 0 to T (Depth), float64.
    coefficients : Tensor
        Bernstein coefficients ``(*instances, J, q+1, p)`` in the cell's coordinate ``s = (t−t_j)/(t_{j+1}−t_j)``: the
        first and the last are the limits at the cell's ends, those between them bend the cell.
    node_values : Tensor
        Values ``(*instances, J+1, p)`` at the breakpoints themselves, which the Transformer samples. They may differ
        from both limits: a spike at a grid time is seen by the Transformer and not by the flow.

    Raises
    ------
    DegenerateGrid
        If the times decrease, do not start at 0, are not finite, or are fewer than two.
    ShapeMismatch
        If shapes do not belong together or the degree exceeds 2.
    NotRealFloating
        If times, coefficients or values are no tensors of real floating point numbers.
    NotFinite
        If a coefficient or a value is not finite.
    """

    times: Float[Tensor, "*instances J+1"]
    coefficients: Float[Tensor, "*instances J q+1 p"]
    node_values: Float[Tensor, "*instances J+1 p"]

    def __post_init__(self) -> None:
        times, c, nodes = self.times, self.coefficients, self.node_values
        for name, part, own in ("times", times, 1), ("coefficients", c, 3), ("values", nodes, 2):
            require_real_floating(name, part, own)
            if part.is_meta:
                raise NotRealFloating(f"values of {name}", "a tensor on the meta device", "give it memory")
        cells, p = times.shape[-1] - 1, c.shape[-1]
        shapes = tuple(times.shape), tuple(c.shape), tuple(nodes.shape)
        if cells < 1:
            raise DegenerateGrid("at least two times, 0 and T", shapes[0], "give both ends of [0, T]")
        instances = times.shape[:-1]
        if c.shape[:-2] != (*instances, cells) or nodes.shape != (*instances, cells + 1, p):
            raise ShapeMismatch(
                "(…, J+1), (…, J, q+1, p), (…, J+1, p)", shapes, "one coefficient set a cell, one value a node"
            )
        if not 1 <= c.shape[-2] <= bernstein.MAX_DEGREE + 1:
            raise ShapeMismatch(f"degree at most {bernstein.MAX_DEGREE}", c.shape[-2] - 1, "cut into more cells")
        if not all_finite(times) or (times.diff(dim=-1) < 0).any() or (times[..., 0] != 0).any():
            raise DegenerateGrid(
                "finite times that never decrease and start at 0", times.tolist(), "sort them from 0 to T"
            )
        if (times[..., -1] != times[..., -1].flatten()[:1]).any():
            raise DegenerateGrid(
                "one final time T for all instances", times[..., -1].tolist(), "rescale ζ instead of T"
            )
        require_finite("coefficients", c)
        require_finite("values at breakpoints", nodes)

    # -- constructors ------------------------------------------------------------------------------------------------

    @classmethod
    def constant_on_cells(cls, values: Float[Tensor, "*instances K p"], T: float) -> "Path":
        """Path constant on the K equal cells of [0, T], right-continuous."""
        require_real_floating("values", values, 2)
        return cls.with_jumps(
            spread(grid(T, values.shape[-2], values.device), tuple(values.shape[:-2])), values.unsqueeze(-2)
        )

    @classmethod
    def constant(cls, value: Float[Tensor, "*instances p"], T: float) -> "Path":
        """Path that keeps one value on [0, T]."""
        require_real_floating("a value", value, 1)
        return cls.constant_on_cells(value.unsqueeze(-2), T)

    @classmethod
    def piecewise_linear(
        cls, nodes: Float[Tensor, "*instances J+1 p"], T: float, times: Float[Tensor, "*instances J+1"] | None = None
    ) -> "Path":
        """Continuous path, linear between its node values, at equidistant times or at ``times`` (which end in T)."""
        require_real_floating("node values", nodes, 2)
        if times is None:
            times = grid(T, nodes.shape[-2] - 1, nodes.device)
        times = real_times(times)
        if (times[..., -1] != T).any():
            raise DegenerateGrid(f"times that end in T = {T}", times[..., -1].tolist(), "give the path the depth T")
        return cls(
            spread(times, tuple(nodes.shape[:-2])), torch.stack([nodes[..., :-1, :], nodes[..., 1:, :]], dim=-2), nodes
        )

    @classmethod
    def with_jumps(
        cls,
        times: Float[Tensor, "*instances J+1"],
        coefficients: Float[Tensor, "*instances J q+1 p"],
        node_values: Float[Tensor, "*instances J+1 p"] | None = None,
    ) -> "Path":
        """Path from its cells; node values are the right limits (at T the left limit) unless given."""
        times = real_times(times)
        require_real_floating("coefficients", coefficients, 3)
        if node_values is None:
            try:
                instances = np.broadcast_shapes(times.shape[:-1], coefficients.shape[:-3])
            except ValueError:
                found = tuple(times.shape), tuple(coefficients.shape)
                raise ShapeMismatch("leading dimensions that broadcast", found, "match the instances") from None
            if coefficients.shape[-3] != times.shape[-1] - 1 or not coefficients.shape[-3]:
                found = tuple(times.shape), tuple(coefficients.shape)
                raise ShapeMismatch("(…, J+1) and (…, J, q+1, p), J >= 1", found, "give every cell its coefficients")
            times = times.expand(*instances, -1)
            coefficients = coefficients.expand(*instances, *coefficients.shape[-3:])
            node_values = measures.right_limits(times, coefficients)
        return cls(times, coefficients, node_values)

    @classmethod
    def from_powers(cls, powers: Float[Tensor, "*instances q+1 p"], T: float) -> "Path":
        """One polynomial ``Σ_m powers_m t^m`` on the whole of [0, T]."""
        check_depth(T)
        require_real_floating("powers", powers, 2)
        # In float64: a number to the power of integers would be rounded to float32.
        scale = float(T) ** torch.arange(powers.shape[-2], dtype=torch.float64, device=powers.device)
        a = list((powers * scale[:, None].to(powers.dtype)).unbind(-2))
        match len(a):
            case 1:
                c = a
            case 2:
                c = [a[0], a[0] + a[1]]
            case 3:
                c = [a[0], a[0] + a[1] / 2, a[0] + a[1] + a[2]]
            case terms:
                raise ShapeMismatch(f"degree at most {bernstein.MAX_DEGREE}", terms - 1, "cut into more cells")
        cells = torch.stack(c, dim=-2).unsqueeze(-3)
        return cls.with_jumps(spread(grid(T, 1, powers.device), tuple(cells.shape[:-3])), cells)

    # -- shape -------------------------------------------------------------------------------------------------------

    @property
    def T(self) -> float:  # noqa: N802
        """Final time (Depth)."""
        return float(self.times[..., -1].flatten()[0]) if self.times.numel() else 0.0

    @property
    def instances(self) -> torch.Size:
        """Leading shape."""
        return self.times.shape[:-1]

    @property
    def degree(self) -> int:
        """Degree ``q`` on the cells."""
        return self.coefficients.shape[-2] - 1

    @property
    def parameter_count(self) -> int:
        """Number ``p`` of coordinates."""
        return self.coefficients.shape[-1]

    def to(self, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> "Path":
        """Return the path with values in another dtype or on another device; times stay float64."""
        if dtype in (None, self.coefficients.dtype) and device in (None, self.coefficients.device):
            return self
        return Path(
            self.times.to(device=device),
            self.coefficients.to(dtype=dtype, device=device),
            self.node_values.to(dtype=dtype, device=device),
        )

    # -- values ------------------------------------------------------------------------------------------------------

    def sample(self, times: Float[Tensor, "*instances M"]) -> Float[Tensor, "*instances M p"]:
        """Exact pointwise value at each time: the node's value at a breakpoint, the cell's polynomial between two.

        Cells are found by comparing times, never by ``floor(t·K)``.

        Raises
        ------
        DegenerateGrid
            If a time lies outside [0, T].
        """
        times = inner_times(times, self.times)
        node = torch.searchsorted(self.times.contiguous(), times, right=True) - 1
        at = self.times.gather(-1, node)
        cell = node.clamp(max=self.times.shape[-1] - 2)
        length = self.times.diff(dim=-1).gather(-1, cell)
        s = (times - at) / torch.where(length > 0, length, 1.0)
        inside = bernstein.evaluate(measures.take(self.coefficients, cell, -3), s)
        return torch.where((times == at).unsqueeze(-1), measures.take(self.node_values, node, -2), inside)

    def sample_grid(self, K: int) -> Float[Tensor, "*instances K p"]:
        """Layers ``θ(t_k)``, k < K, of the Transformer with K layers (``grid-sampling``)."""
        return self.sample(grid(self.T, K, self.times.device)[:-1])

    def average_cells(self, K: int) -> Float[Tensor, "*instances K p"]:
        """Means over the K equal cells, exact up to rounding (``cell-average``); for T=0 the samples."""
        if self.T == 0:
            return self.sample_grid(K)
        coarse = grid(self.T, K, self.times.device).expand(*self.instances, K + 1).contiguous()
        fine = self.refine(coarse)
        cell = (torch.searchsorted(coarse, fine.times[..., :-1].contiguous(), right=True) - 1).clamp(max=K - 1)
        share = fine.times.diff(dim=-1) / coarse.diff(dim=-1).gather(-1, cell)
        part = bernstein.mean(fine.coefficients) * share.unsqueeze(-1).to(fine.coefficients.dtype)
        out = part.new_zeros(*self.instances, K, self.parameter_count)
        return out.scatter_add(-2, cell.unsqueeze(-1).expand_as(part), part)

    def refine(self, times: Float[Tensor, "*instances M"]) -> "Path":
        """Return the same path with further breakpoints.

        Raises
        ------
        DegenerateGrid
            If a time lies outside [0, T].
        """
        union = torch.cat([self.times, inner_times(times, self.times)], dim=-1)
        return self.on(measures.distinct(union))

    def on(self, times: Float[Tensor, "*instances M+1"]) -> "Path":
        """Return the same path on given breakpoints, which must contain its own.

        Raises
        ------
        DegenerateGrid
            If one of its own is missing, or a time lies outside [0, T].
        """
        times = inner_times(times, self.times)
        require_refined(times, self.times)
        return Path(times, self.cells_on(times), self.sample(times))

    def cells_on(self, times: Float[Tensor, "*instances M+1"]) -> Float[Tensor, "*instances M q+1 p"]:
        """Coefficients on the cells between consecutive ``times``, each of which lies in one cell of the path."""
        return measures.restrict_to(self.times, self.coefficients, times)

    def project(self, projection: Callable[[Tensor], Tensor]) -> "Path":
        """Project coefficients and values onto a convex set of control vectors.

        The whole path then lies in the set (convex hull), and since projections are nonexpansive neither the Lipschitz
        constant nor, on paths of degree at most 1, the variation grows.

        Parameters
        ----------
        projection : callable
            Maps ``(*batch, p)`` to ``(*batch, p)``, nonexpansive, onto a convex set.
        """
        return Path(self.times, projection(self.coefficients), projection(self.node_values))

    # -- norms (each of shape ``instances``) ---------------------------------------------------------------------------

    def lipschitz(self) -> Float[Tensor, "*instances"]:
        """Lipschitz constant (Control / Depth); infinite if the path jumps or has a spike."""
        return measures.lipschitz(self.times, self.coefficients, self.node_values)

    def variation(self) -> Float[Tensor, "*instances"]:
        """Pointwise variation (Control), spikes at breakpoints included; degree at most 1."""
        return measures.variation(self.times, self.coefficients, self.node_values)

    def sup(self) -> Float[Tensor, "*instances"]:
        """Supremum of ``|θ(t)|`` over every t (Control); for degree 2 the coefficients' hull, an upper bound."""
        return measures.sup(self.times, self.coefficients, self.node_values)

    def integral_abs(self) -> Float[Tensor, "*instances"]:
        """``∫|ζ|`` of a scalar path (value · Depth)."""
        return measures.integral_abs(self.times, self.coefficients)

    def energy(self) -> Float[Tensor, "*instances"]:
        """``∫|θ|²`` (Control² · Depth)."""
        return measures.energy(self.times, self.coefficients)
