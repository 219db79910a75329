"""The package's own symbols, one assumption, and one theorem under many slugs: twice a bounded number is bounded."""

import sympy as sp

from spec.language.assumption import Assumptions
from spec.language.dimension import DEPTH
from spec.language.proof import Fact, assumed, inequality, use
from spec.language.quantity import Vocabulary
from spec.language.template import Statement
from spec.language.theorem import Claim, Measured, Theorem

VOCABULARY = Vocabulary()
t = VOCABULARY.variable("t", "t", "a depth", DEPTH)
T = VOCABULARY.symbol("T", "T", "a depth", DEPTH)
a = VOCABULARY.symbol("a", "a", "bound of a number")
f = VOCABULARY.function("f", "f", "a number in depth", vector=False)

EARLY = (sp.Le(t, T, evaluate=False),)
BOUNDED = Assumptions().add(
    "bounded", "|f| ≤ a up to T.", Statement(sp.Le(sp.Abs(f(t)), a, evaluate=False), (t,), EARLY)
)


def doubling(slug: str, *, proved: bool = True) -> Theorem:
    """Return the theorem under a slug; without its use, the step fails."""
    uses = (use("bounded", t=t),) if proved else ()
    step: Fact = inequality("doubled", sp.Le(2 * sp.Abs(f(t)), 2 * a, evaluate=False), *uses, free=(t,), given=EARLY)
    measured = Measured("twice a number", 2 * sp.Abs(f(t)), "toy.theory:doubling")
    claim = Claim("double", measured, "<=", 2 * a, ("doubled",), tight=True, free=(t,), given=EARLY)
    return Theorem(
        slug,
        f"Theorem {slug}",
        "toy",
        (BOUNDED,),
        (claim,),
        (assumed(BOUNDED), step) if proved else (step,),
        VOCABULARY,
    )
