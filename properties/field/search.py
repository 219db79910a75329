"""Adversarial search for attention's Lipschitz constant: an oracle that knows no bound.

The norm of D_x Attn is maximised over tokens, score matrix and perturbation by projected gradient ascent from many
starts at once. What comes out is the norm of a Jacobian that exists: a lower bound on the supremum, never an upper one.

Unit radii suffice. With x = R x', A' = R^2 A the Jacobian does not change: only s = rho_A R^2 enters. The values'
matrix acts after everything else, D Attn_V = (I (x) V) D Attn_I: the supremum over |V| <= rho_V is rho_V times the one
at V = I, reached at V = rho_V I.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.func import jacrev, vmap

from spec.language.errors import ConditionError

STEP = 0.05
"""First step of the ascent, a twentieth of the unit balls' radius; a cosine takes it to 0."""

NOISE = 0.05
"""Size of the perturbation that sets copies of one structured start apart: one first step."""


class EmptyRow(ConditionError):
    """A mask that leaves a query without a visible key."""


@dataclass(frozen=True)
class AttentionInstance:
    """Tokens in the unit ball, a score matrix of spectral norm at most s, and who sees whom.

    Attributes
    ----------
    tokens : Tensor
        x of shape (n, d), rows of Euclidean norm at most 1. Dimension: state.
    scores : Tensor
        A of shape (d, d); the score of query i against key j is x_i^T A x_j. Dimension: 1/state^2.
    visible : Tensor
        Boolean, shape (n, n); entry (i, j) says that query i sees key j.
    """

    tokens: Float[Tensor, "n d"]
    scores: Float[Tensor, "d d"]
    visible: Bool[Tensor, "n n"]

    def norm(self) -> float:
        """Spectral norm of D_x Attn at this instance, by automatic differentiation. Pure number."""
        return float(jacobian_norm(self.tokens[None], self.scores[None], self.visible)[0])


def attention(x: Float[Tensor, "n d"], A: Float[Tensor, "d d"], visible: Bool[Tensor, "n n"]) -> Float[Tensor, "n d"]:
    """Attention with V = I: row i averages the x_j it sees with weights softmax_j(x_i^T A x_j). Dimension: state."""
    scores = (x @ A @ x.mT).masked_fill(~visible, -math.inf)
    return torch.softmax(scores, dim=-1) @ x


def jacobian_norm(
    x: Float[Tensor, "batch n d"], A: Float[Tensor, "batch d d"], visible: Bool[Tensor, "n n"]
) -> Float[Tensor, " batch"]:
    """Spectral norms of D_x Attn, one an instance: automatic differentiation, then singular values. Pure numbers."""
    _, n, d = x.shape
    jacobian = vmap(jacrev(attention), in_dims=(0, 0, None))(x, A, visible)
    return torch.linalg.matrix_norm(jacobian.reshape(-1, n * d, n * d), ord=2)


def all_visible(n: int) -> Bool[Tensor, "n n"]:
    """Mask under which every query sees every key."""
    return torch.ones(n, n, dtype=torch.bool)


def causal(n: int) -> Bool[Tensor, "n n"]:
    """Mask under which query i sees the keys j <= i."""
    return torch.ones(n, n, dtype=torch.bool).tril()


def random_mask(n: int, seed: int) -> Bool[Tensor, "n n"]:
    """Mask of fair coins in which every query sees one key at least (a random one)."""
    generator = torch.Generator().manual_seed(seed)
    visible = torch.rand(n, n, generator=generator) < 0.5
    sure = torch.randint(n, (n,), generator=generator)
    visible[torch.arange(n), sure] = True
    return visible


def search_attention(
    n: int, d: int, s: float, mask: Bool[Tensor, "n n"] | None, restarts: int, steps: int, seed: int
) -> tuple[float, AttentionInstance]:
    """Largest norm of D_x Attn found over |x_i| <= 1, |A| <= s, under one mask.

    The starts cycle through random and structured ones, each with noise of its own. Each step climbs |J b|^2 in (x, A)
    and does one power iteration J^T J in b, all from one gradient; x and A are projected onto their balls. The norm
    returned is the exact one at the best instance.

    Parameters
    ----------
    n, d : int
        Tokens and width, both at least 1; d >= 3 holds every extremal family known.
    s : float
        rho_A R^2 >= 0. Pure number.
    mask : Tensor or None
        Boolean (n, n), or None for all visible.
    restarts, steps : int
        Budget, both at least 1: ascents run at once, and steps of each.
    seed : int
        Of the generator that draws the starts.

    Returns
    -------
    float
        The norm found, for rho_V = 1: a lower bound on the supremum. Pure number.
    AttentionInstance
        Where it is attained.

    Raises
    ------
    ConditionError
        If a size or budget is below 1, or s negative or not finite.
    EmptyRow
        If a query sees no key.
    """
    visible = all_visible(n) if mask is None else mask
    _check(n, d, s, visible, restarts, steps)
    generator = torch.Generator().manual_seed(seed)
    x, A = _starts(n, d, restarts, generator)
    b = torch.randn(restarts, n, d, generator=generator, dtype=torch.float64)
    x, A = x.requires_grad_(), A.requires_grad_()
    ascent = torch.optim.Adam([x, A], lr=STEP, maximize=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(ascent, T_max=steps)
    for _ in range(steps):
        b = (b / b.flatten(1).norm(dim=1)[:, None, None]).requires_grad_()
        growth = _directional(x, s * A, visible, b).flatten(1).square().sum(dim=1)
        x.grad, A.grad, b = torch.autograd.grad(growth.sum(), [x, A, b])
        ascent.step()
        schedule.step()
        with torch.no_grad():
            x.copy_(_into_ball(x))
            A.copy_(_contract(A))
    norms = jacobian_norm(x.detach(), s * A.detach(), visible)
    best = int(norms.argmax())
    return float(norms[best]), AttentionInstance(x.detach()[best], s * A.detach()[best], visible)


def _check(n: int, d: int, s: float, visible: Tensor, restarts: int, steps: int) -> None:
    for name, value in (("n", n), ("d", d), ("restarts", restarts), ("steps", steps)):
        if value < 1:
            raise ConditionError(f"{name} >= 1", value, f"give {name} at least 1")
    if not (math.isfinite(s) and s >= 0):
        raise ConditionError("0 <= s < inf", s, "s is rho_A R^2, finite and not negative")
    if visible.shape != (n, n):
        raise ConditionError(
            f"a mask of shape ({n}, {n})", tuple(visible.shape), "give one row a query, one column a key"
        )
    if not bool(visible.any(dim=1).all()):
        row = int(visible.any(dim=1).logical_not().nonzero()[0])
        raise EmptyRow("a visible key in every row", f"none in row {row}", "unmask a key or drop the query")


def _directional(x: Tensor, A: Tensor, visible: Tensor, b: Tensor) -> Tensor:
    """D_x Attn applied to b, in closed form (cheaper to differentiate again than a Jacobian)."""
    query, key = x @ A, x.mT
    weights = torch.softmax((query @ key).masked_fill(~visible, -math.inf), dim=-1)
    change = b @ A @ key + query @ b.mT
    centred = change - (weights * change).sum(dim=-1, keepdim=True)
    return weights @ b + (weights * centred) @ x


def _into_ball(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True).clamp(min=1.0)


def _contract(A: Tensor) -> Tensor:
    """Nearest matrix of spectral norm at most 1: singular values clipped."""
    U, sigma, Vh = torch.linalg.svd(A)
    return (U * sigma.clamp(max=1.0)[..., None, :]) @ Vh


def _starts(n: int, d: int, restarts: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """One start in four random, the others structured; noise sets copies apart."""
    structured = _structured(n, d)
    tokens, scores = [], []
    for r in range(restarts):
        noise = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((n, d), (d, d))]
        turn, kind = divmod(r, 4)
        x, A = structured[(3 * turn + kind - 1) % len(structured)]
        tokens.append(noise[0] if kind == 0 else x + NOISE * noise[0])
        scores.append(noise[1] if kind == 0 else A + NOISE * noise[1])
    return _into_ball(torch.stack(tokens)), _contract(torch.stack(scores))


def _structured(n: int, d: int) -> list[tuple[Tensor, Tensor]]:
    """Families near which large norms are known: e, f, g are the first axes (they coincide where d is short)."""
    axes = torch.eye(d, dtype=torch.float64)
    e, f, g = axes[0], axes[min(1, d - 1)], axes[min(2, d - 1)]
    index = torch.arange(n)
    signs = torch.where(index % 2 == 0, 1.0, -1.0).to(torch.float64)
    alone = torch.where(index == 0, 1.0, -1.0).to(torch.float64)
    pair = torch.where(index[:, None] == 0, e, torch.where(index[:, None] == 1, -e, g))
    slope = math.sqrt(0.5)
    return [
        (e.expand(n, d), torch.outer(e, e)),  # equal tokens
        (torch.outer(signs, e), torch.outer(e, f) + torch.outer(f, e)),  # +-e with queries across: 2s at n = 2
        (torch.outer(signs, e), torch.outer(e, e)),  # +-e, saturating rank-one scores
        (torch.outer(signs, e), -torch.outer(e, e)),
        (torch.outer(alone, e), torch.outer(e, e)),  # one token against all the others
        (torch.outer(alone, e), -torch.outer(e, e)),
        (pair, torch.outer(g, slope * (f - g)) + torch.outer(f, e)),  # all look at one opposite pair
        (pair, torch.outer(g, 0.9 * f - 0.4 * g) + 0.3 * torch.outer(e, e)),
        (torch.outer(signs, slope * e) + slope * g, torch.outer(g, f) + torch.outer(f, g)),  # +-e on a common tilt
    ]
