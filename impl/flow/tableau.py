"""Explicit Runge–Kutta tableaux that check their own order conditions."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from spec.language.errors import ConditionError

Tree = tuple["Tree", ...]


class OrderConditionFailed(ConditionError):
    """A tableau that does not have the order that it claims."""


@lru_cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """Rooted trees with ``order`` vertices, each the tuple of its root's branches (1, 1, 2, 4, 9, 20, 48, 115, …)."""
    return tuple(sorted(_forests(order - 1, order - 1)))


@lru_cache
def _forests(vertices: int, largest: int) -> frozenset[Tree]:
    if vertices == 0:
        return frozenset([()])
    if largest == 0:
        return frozenset()
    found = set(_forests(vertices, largest - 1))
    for count in range(1, vertices // largest + 1):
        for rest in _forests(vertices - count * largest, largest - 1):
            for same in combinations_with_replacement(rooted_trees(largest), count):
                found.add(tuple(sorted(rest + same)))
    return frozenset(found)


def density(tree: Tree) -> int:
    """Density γ of a tree: its number of vertices times the densities of its branches."""
    out = _size(tree)
    for branch in tree:
        out *= density(branch)
    return out


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree))


@dataclass(frozen=True, eq=False)
class Tableau:
    """Coefficients of an explicit Runge–Kutta method.

    Parameters
    ----------
    name : str
        The method.
    order : int
        Its order q: every rooted tree τ with at most q vertices has ``Σ_i b_i Φ_i(τ) = 1/γ(τ)``.
    a : tuple of dict
        ``a[i][j]``, j < i: the nonzero coefficients of stage i.
    b : dict
        Weights.
    embedded : dict
        Differences ``e`` of b to the weights of an embedded method; ``Σ e_i h F_i`` is its local error's estimate.
    embedded_order : int
        Its order: ``Σ_i e_i Φ_i(τ) = 0`` for every tree with at most that many vertices.
    coarser : dict or None
        The same of a second, coarser embedded method; None for Euler's, which every explicit method has in its first
        stage.
    coarser_order : int
        Its order, below that of the first.

    Raises
    ------
    OrderConditionFailed
        If an order condition is missed by more than the rounding of its own evaluation, or the method is not explicit.

    Notes
    -----
    A condition is a sum of products of at most 2q rounded coefficients in sums of s terms: its rounding is below
    ``γ_{q(s+2)} Σ|b|Φ(|A|)``, which is the tolerance.
    """

    name: str
    order: int
    a: tuple[dict[int, float], ...]
    b: dict[int, float]
    embedded: dict[int, float]
    embedded_order: int
    coarser: dict[int, float] | None = None
    coarser_order: int = 1

    def __post_init__(self) -> None:
        if any(j >= i for i, row in enumerate(self.a) for j in row):
            raise OrderConditionFailed("an explicit method (a_ij = 0 for j >= i)", self.name, "order its stages")
        for vertices in range(1, self.order + 1):
            for tree in rooted_trees(vertices):
                self._check(self.weights, tree, 1 / density(tree))
                for weights, order in zip(self.differences, self.orders, strict=True):
                    if vertices <= order:
                        self._check(weights, tree, 0.0)

    def _check(self, weights: NDArray[np.float64], tree: Tree, value: float) -> None:
        unit = np.finfo(np.float64).eps / 2 * self.order * (self.stages + 2)
        residual = abs(weights @ _stage_weights(self.matrix, tree) - value)
        allowance = unit * (np.abs(weights) @ _stage_weights(np.abs(self.matrix), tree))
        if not residual <= allowance:
            raise OrderConditionFailed(
                f"the condition of tree {tree} within {allowance:.1e}", f"{residual:.1e}", "correct the coefficients"
            )

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.a)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Coefficients ``a_ij`` as a full matrix."""
        out = np.zeros((self.stages, self.stages))
        for i, row in enumerate(self.a):
            for j, value in row.items():
                out[i, j] = value
        return out

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weights ``b_i`` as a vector."""
        return np.array([self.b.get(i, 0.0) for i in range(self.stages)])

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """Differences to both embedded methods, finer first: two rows."""
        coarser = self.b | {0: self.b.get(0, 0.0) - 1.0} if self.coarser is None else self.coarser
        return np.array([[row.get(i, 0.0) for i in range(self.stages)] for row in (self.embedded, coarser)])

    @property
    def orders(self) -> tuple[int, int]:
        """Orders of both embedded methods."""
        return self.embedded_order, self.coarser_order

    @cached_property
    def nodes(self) -> NDArray[np.float64]:
        """Abscissae ``c_i = Σ_j a_ij`` in [0, 1]."""
        return self.matrix.sum(1).clip(0.0, 1.0)

    @cached_property
    def weight_sum(self) -> float:
        """``Σ|b_i|``: by how much a step amplifies the rounding of its stages."""
        return float(np.abs(self.weights).sum())


def _stage_weights(matrix: NDArray[np.float64], tree: Tree) -> NDArray[np.float64]:
    out = np.ones(len(matrix))
    for branch in tree:
        out = out * (matrix @ _stage_weights(matrix, branch))
    return out
