"""How far a softmax of the box reaches in a direction: no farther than at a corner, where logits are B or −B.

Shared facts: `support` bounds ⟨ω, softmax(h)⟩ by the mean of ω under the weights 1 at the top of the corner, κ below.
"""

import sympy as sp

from spec import results
from spec.language.functions import inner, norm
from spec.language.proof import cited, definition, inequality, use
from spec.loss._box import CLASS, IN_BOX, SHARE, SHARES
from spec.objects.loss import entry, highest, ones, reach, softmax, top
from spec.symbols import VOCABULARY, C, j, kappa, logit, omega

_excess, _largest = entry(omega, j) - reach(omega), entry(softmax(logit), highest(softmax(logit)))
_balanced = sp.Max(_excess, 0) + kappa * sp.Min(_excess, 0)


def corner(direction: sp.Expr) -> sp.Expr:
    """Return the weights at the corner that reaches farthest in a direction: 1 at its top, κ below."""
    return kappa * ones(C) + (1 - kappa) * top(direction)


def total(direction: sp.Expr) -> sp.Expr:
    """Return the sum of those weights: κ for each class and the rest for each one at the top."""
    return C * kappa + (1 - kappa) * norm(top(direction)) ** 2


CORNER = (
    *SHARES,
    definition("inner-entries", VOCABULARY),
    definition("highest", VOCABULARY),
    definition("highest-entry", VOCABULARY),
    definition("reach", VOCABULARY),
    definition("corner", VOCABULARY),
    inequality(
        "class",
        sp.Le(SHARE * _excess, _largest * _balanced),
        use("highest", omega=softmax(logit)),
        use("highest-entry", omega=softmax(logit), j=j),
        use("share-ratio", logit=logit, j=j, k=highest(softmax(logit))),
        free=(logit, omega, j),
        given=(IN_BOX, CLASS),
    ),
    cited(
        "classes",
        results.SUM_BELOW,
        {
            results.f_: sp.Lambda(j, SHARE * _excess),
            results.g_: sp.Lambda(j, _largest * _balanced),
            results.k_: C,
        },
        use("class", logit=logit, omega=omega, j=j),
        free=(logit, omega),
        given=(IN_BOX,),
    ),
    cited(
        "against-reach",
        results.SUM_LINEAR,
        {
            results.f_: sp.Lambda(j, SHARE * entry(omega, j)),
            results.g_: sp.Lambda(j, SHARE),
            results.a_: 1,
            results.b_: -reach(omega),
            results.k_: C,
        },
        free=(logit, omega),
    ),
    cited(
        "balance",
        results.SUM_LINEAR,
        {
            results.f_: sp.Lambda(j, _balanced),
            results.g_: sp.Lambda(j, 0),
            results.a_: _largest,
            results.b_: 0,
            results.k_: C,
        },
        free=(logit, omega),
    ),
    inequality(
        "support",
        sp.Le(inner(omega, softmax(logit)), reach(omega)),
        use("inner-entries", omega=omega, omega_alt=softmax(logit)),
        use("softmax-sum", logit=logit),
        use("classes", logit=logit, omega=omega),
        use("against-reach", logit=logit, omega=omega),
        use("balance", logit=logit, omega=omega),
        use("reach", omega=omega),
        free=(logit, omega),
        given=(IN_BOX,),
    ),
)
