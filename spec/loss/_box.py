"""The box of logits: weights e^{h_j}, and so the shares of the classes, have ratios of at least κ = e^{−2B}."""

import sympy as sp

from spec.language.proof import definition, identity, inequality, monotone, use
from spec.objects.loss import entry, peak, softmax
from spec.symbols import VOCABULARY, B, C, j, k, kappa, logit, w

IN_BOX = sp.Le(peak(logit), B)
CLASS = sp.Le(j, C - 1)
WEIGHT, SHARE = sp.exp(entry(logit, j)), entry(softmax(logit), j)
_classes = (IN_BOX, CLASS, sp.Le(k, C - 1))

WEIGHTS = (
    definition("peak", VOCABULARY),
    monotone("least-weight", sp.exp(w), w, -B, entry(logit, j), free=(logit, j)),
    monotone("largest-weight", sp.exp(w), w, entry(logit, j), B, free=(logit, j)),
    identity("box-ratio", sp.Eq(sp.exp(-B), kappa * sp.exp(B)), unfold=(kappa,)),
    inequality(
        "weight-ratio",
        sp.Le(kappa * sp.exp(entry(logit, k)), WEIGHT),
        use("peak", logit=logit, j=j),
        use("peak", logit=logit, j=k),
        use("least-weight", logit=logit, j=j),
        use("largest-weight", logit=logit, j=k),
        use("box-ratio"),
        free=(logit, j, k),
        given=_classes,
    ),
)
SHARES = (
    *WEIGHTS,
    definition("softmax-positive", VOCABULARY),
    definition("softmax-sum", VOCABULARY),
    definition("softmax-ratio", VOCABULARY),
    inequality(
        "share-ratio",
        sp.Le(kappa * entry(softmax(logit), k), SHARE),
        use("softmax-positive", logit=logit, j=k),
        use("softmax-ratio", logit=logit, j=j, k=k),
        use("weight-ratio", logit=logit, j=j, k=k),
        free=(logit, j, k),
        given=_classes,
    ),
)
