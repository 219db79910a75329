"""Named problems on the line: Euler's worst cases, and for every premise one that drops it alone."""

from fractions import Fraction
from typing import Any

import sympy as sp

from properties.depth.line import Exact, Line, constant, frac, spikes

CONSTANTS = ("zeta_bar", "L_zeta", "L_c", "M", "L_x", "L_theta")
PREMISES = (
    "inputs-bounded", "field-growth", "schedule-bounded", "schedule-lipschitz", "control-admissible",
    "control-lipschitz", "field-bounded", "field-lipschitz", "field-lipschitz-control",
)  # fmt: skip


def rising(A: Any, b: Any, zeta: Any, T: Any, K: int, **claimed: Exact) -> Line:
    """Return ``F = b x + θ`` with velocity ``A t`` under a constant schedule: Euler's worst case, step by step."""
    A, b, zeta, T = map(frac, (A, b, zeta, T))
    return Line(
        lambda x, c: b * x + c,
        constant(zeta),
        lambda t: A * t / zeta - b * A * t * t / 2,
        lambda t: A * t * t / 2,
        T,
        K,
        {"A": A, "L_x": b, "zeta_bar": zeta, "L_theta": Fraction(1), **claimed},
    )


def by_schedule(zeta: Fraction, L_zeta: Fraction, T: Fraction, K: int) -> Line:
    """Return ``F = M`` under ``ζ = ζ_0 + L_ζ t``: the schedule term, exact for every K."""
    M, top = Fraction(3), abs(zeta) + abs(L_zeta) * T
    return Line(
        lambda x, c: M + 0 * x, lambda t: zeta + L_zeta * t, constant(0),
        lambda t: M * (zeta * t + L_zeta * t * t / 2), T, K,
        {"zeta_bar": top, "L_zeta": abs(L_zeta), "M": M, "m_x": M},
    )  # fmt: skip


def by_control(L_c: Fraction, T: Fraction, K: int) -> Line:
    """Return ``F = θ``, ``θ = L_c t``: the control term, exact for every K."""
    rho = L_c * T
    return Line(
        lambda x, c: c, constant(1), lambda t: L_c * t, lambda t: L_c * t * t / 2, T, K,
        {"zeta_bar": 1, "L_c": L_c, "L_theta": 1, "M": rho, "m_x": rho, "rho": rho},
    )  # fmt: skip


def growing(K: int, T: int = 1, start: int = 1, zeta: int = 1, **claimed: object) -> Line:
    """Return ``F = x``: the state term of a linear field."""
    radius = start * 3 ** (abs(zeta) * T)
    given_ = {"zeta_bar": abs(zeta), "M": radius, "L_x": 1, "R_0": start, "g_x": 1} | claimed

    def flow(t: Fraction) -> sp.Expr:
        return start * sp.exp(sp.Rational(zeta * t))

    return Line(lambda x, c: x, constant(zeta), constant(0), flow, Fraction(T), K, given_)


def explosion() -> Line:
    """Return ``F = x²`` whose claimed growth is too small: the flow leaves ``K_{R_T}`` where the constants hold."""
    return Line(
        lambda x, c: x * x, constant(1), constant(0), lambda t: 1 / (1 - t), Fraction(9, 10), 1,
        {"zeta_bar": 1, "M": 1, "L_x": 2, "R_0": 1},
    )  # fmt: skip


def beyond_class() -> Line:
    """Return ``F = θ²/2``, ``θ = 3 + t``, with the constants of ``|θ| <= 1``."""
    return Line(
        lambda x, c: c * c / 2, constant(1), lambda t: 3 + t, lambda t: (9 * t + 3 * t * t + t**3 / 3) / 2,
        Fraction(1), 2,
        {"zeta_bar": 1, "L_c": 1, "L_theta": 1, "M": Fraction(1, 2), "m_x": Fraction(1, 2), "rho": 1},
    )  # fmt: skip


def unseen(kind: str, K: int = 4) -> Line:
    """Return the schedule or the control that is 1 at every ``t_k`` and 0 elsewhere: the flow stands still."""
    path = spikes(Fraction(1), K)
    claimed = {"zeta_bar": 1, "M": 1, "m_x": 1, "L_theta": 1, "rho": 1}
    if kind == "schedule":
        return Line(lambda x, c: c, path, constant(1), constant(0), Fraction(1), K, claimed)
    return Line(lambda x, c: c, constant(1), path, constant(0), Fraction(1), K, claimed)


DROPPED = {
    "inputs-bounded": growing(2, start=50, R_0=1, M=3),
    "field-growth": explosion(),
    "schedule-bounded": growing(2, zeta=4, zeta_bar=1, M=3),
    "schedule-lipschitz": unseen("schedule"),
    "control-admissible": beyond_class(),
    "control-lipschitz": unseen("control"),
    "field-bounded": growing(1, M=Fraction(1, 10)),
    "field-lipschitz": growing(2, L_x=0),
    "field-lipschitz-control": Line(
        lambda x, c: c, constant(1), lambda t: t, lambda t: t * t / 2, Fraction(1), 2,
        {"zeta_bar": 1, "L_c": 1, "M": 1, "m_x": 1, "rho": 1},
    ),
}  # fmt: skip
"""For every premise of `euler-pathwise` a problem that meets all others and not this one."""
