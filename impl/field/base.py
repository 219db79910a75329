"""What a field is, and the two layouts in which it is evaluated.

Publicly a state has its batch first, ``(*instances, particles, n, d)``, and a control ``(*instances, p)`` is shared by
its instance's particles. Kernels have the batch last, ``(n, d, *batch)`` and ``(p, *batch)``: many small systems are
then one large elementwise operation. A flow converts once, integrates every layer in the kernel's layout, and
converts back.
"""

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from impl.checks import require_count, require_real_floating
from impl.errors import ShapeMismatch


@runtime_checkable
class Field(Protocol):
    """A field ``F(x; θ)`` (State / Depth).

    It neither validates nor synchronises, and ``torch.func`` transforms it.
    """

    @property
    def width(self) -> int:
        """Width ``d`` of a token."""
        ...

    @property
    def parameter_count(self) -> int:
        """Length ``p`` of a control vector."""
        ...

    def __call__(
        self, x: Float[Tensor, "*batch n d"], theta: Float[Tensor, "*instances p"]
    ) -> Float[Tensor, "*batch n d"]:
        """Evaluate the field, batch first; ``theta``'s leading dimensions are the first ones of ``x``."""
        ...

    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate the field, batch last; ``theta``'s batch broadcasts against those of ``x``."""
        ...


def batch_last(x: Float[Tensor, "*batch n d"]) -> Float[Tensor, "n d *batch"]:
    """View a state in the kernel's layout."""
    return x.movedim((-2, -1), (0, 1))


def batch_first(x: Float[Tensor, "n d *batch"]) -> Float[Tensor, "*batch n d"]:
    """View a kernel's state in the public layout."""
    return x.movedim((0, 1), (-2, -1))


def control_last(theta: Float[Tensor, "*instances p"], batch_dims: int) -> Float[Tensor, "p *shared"]:
    """View a control in the kernel's layout, shared by the batch dimensions that it lacks.

    Parameters
    ----------
    theta : Tensor
        Control vectors; their leading dimensions are the first ones of the batch.
    batch_dims : int
        Number of the state's batch dimensions (particles included).
    """
    last = theta.movedim(-1, 0)
    return last.reshape(last.shape + (1,) * (batch_dims - (last.ndim - 1)))


def split(x: Float[Tensor, "..."], dim: int, sizes: tuple[int, ...]) -> Float[Tensor, "..."]:
    """View one dimension, counted from the front, as several."""
    return x.reshape(x.shape[:dim] + sizes + x.shape[dim + 1 :])


class KernelField(ABC):
    """A field given by its kernel; the public call converts, evaluates and converts back."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Width ``d`` of a token."""

    @property
    @abstractmethod
    def parameter_count(self) -> int:
        """Length ``p`` of a control vector."""

    @abstractmethod
    def kernel(self, x: Float[Tensor, "n d *batch"], theta: Float[Tensor, "p *#batch"]) -> Float[Tensor, "n d *batch"]:
        """Evaluate the field, batch last."""

    def prefers_batch_last(self, n: int) -> bool:
        """Whether the kernel is faster on states whose *memory* has the batch last (small systems)."""
        return True

    def require_fit(self, n: int, batch: tuple[int, ...] | None = None) -> None:
        """Refuse states that do not fit, by their numbers: tokens, and batch dimensions unless None.

        Raises
        ------
        ShapeMismatch
            If there is no token, or a field that has its own number or batch has another.
        """
        require_count("number of tokens n", n, 1, error=ShapeMismatch)

    def to_kernel(
        self, x: Float[Tensor, "*batch n d"], theta: Float[Tensor, "*instances p"]
    ) -> tuple[Float[Tensor, "n d *batch"], Float[Tensor, "p *shared"]]:
        """Convert a state and a control to the kernel's layout, copied where that is faster."""
        state, control = batch_last(x), control_last(theta, x.ndim - 2)
        if self.prefers_batch_last(x.shape[-2]):
            return state.contiguous(), control.contiguous()
        return state, control

    def __call__(
        self, x: Float[Tensor, "*batch n d"], theta: Float[Tensor, "*instances p"]
    ) -> Float[Tensor, "*batch n d"]:
        """Evaluate the field, batch first.

        Parameters
        ----------
        x : Tensor
            States ``(*instances, particles, n, d)`` (State).
        theta : Tensor
            Controls ``(*instances, p)`` (Control).

        Returns
        -------
        Tensor
            Velocities, of the shape of ``x`` (State / Depth).

        Raises
        ------
        NotRealFloating, ShapeMismatch
            If a type or a shape does not fit. Entries are not read.
        """
        require_real_floating("states", x, 2)
        require_real_floating("control vectors", theta, 1)
        if x.shape[-1] != self.width or theta.shape[-1] != self.parameter_count or theta.ndim > x.ndim - 1:
            needed = f"states (*batch, n, {self.width}) and controls (*instances, {self.parameter_count})"
            raise ShapeMismatch(needed, (tuple(x.shape), tuple(theta.shape)), "use the field's own layout")
        self.require_fit(x.shape[-2], tuple(x.shape[:-2]))
        return batch_first(self.kernel(*self.to_kernel(x, theta)))
