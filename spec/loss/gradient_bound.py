"""The softmax residual on the box: how fast cross-entropy can change with the logits."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.language.functions import SumOver, inner, norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss._box import IN_BOX
from spec.loss._corner import CORNER, corner, total
from spec.objects.loss import label, ones, outcome, softmax, top
from spec.symbols import G_BC, VOCABULARY, C, i, j, kappa, logit, m, n_lab, p_min, vartheta

_residual = softmax(logit) - label(i)
_size = norm(_residual)
_top = top(_residual)
_count, _corner, _total = norm(_top) ** 2, corner(_residual), total(_residual)
_to_corner = norm(_corner - _total * label(i)) ** 2
_both = (logit, i)


def _floor(count: sp.Expr) -> sp.Expr:
    return count + (C - count) * kappa


def _square(count: sp.Expr) -> sp.Expr:
    """Return the squared residual at a corner with so many logits at B, the label's class not among them."""
    return 1 + (1 - kappa) / _floor(count) - C * kappa / _floor(count) ** 2


_token = norm(softmax(outcome(vartheta, j)) - label(j))
_tokens = sp.sqrt(SumOver(_token**2, j, n_lab)) / n_lab
_counts = (sp.Le(1, m), sp.Le(m, C - 1))
_BODY = {
    results.f_: sp.Lambda(m, _square(m)), results.a_: 1, results.b_: C - 1,
    results.c_: C * kappa * (1 + kappa), results.m_: (1 - kappa) ** 2,
}  # fmt: skip
_TOP = tuple(use(name, omega=_residual) for name in ("top-whole", "top-some", "top-not-all"))

FACTS = (
    assumed(H.BOUNDED_LOGITS),
    *CORNER,
    definition("top-some", VOCABULARY),
    definition("top-not-all", VOCABULARY),
    definition("top-whole", VOCABULARY),
    definition("top-count", VOCABULARY),
    definition("ones", VOCABULARY),
    definition("label-sum", VOCABULARY),
    definition("label-top", VOCABULARY),
    definition("label-length", VOCABULARY),
    identity(
        "farther",
        sp.Eq(
            _to_corner,
            _total**2 * _size**2
            + 2 * _total * (inner(_residual, _corner) - _total * inner(_residual, softmax(logit)))
            + norm(_corner - _total * softmax(logit)) ** 2,
        ),
        free=_both,
    ),
    identity(
        "corner-distance",
        sp.Eq(
            _to_corner,
            kappa**2 * norm(ones(C)) ** 2
            + 2 * kappa * (1 - kappa) * inner(ones(C), _top)
            + (1 - kappa) ** 2 * _count
            - 2 * _total * (kappa * inner(ones(C), label(i)) + (1 - kappa) * inner(_top, label(i)))
            + _total**2 * norm(label(i)) ** 2,
        ),
        free=_both,
    ),
    identity(
        "corner-mean",
        sp.Eq(inner(_residual, _corner), kappa * inner(ones(C), _residual) + (1 - kappa) * inner(_top, _residual)),
        free=_both,
    ),
    inequality(
        "no-nearer",
        sp.Le(_total**2 * _size**2, _to_corner),
        use("support", logit=logit, omega=_residual),
        use("corner", omega=_residual),
        use("corner-mean", logit=logit, i=i),
        use("farther", logit=logit, i=i),
        free=_both,
        given=(IN_BOX,),
    ),
    inequality(
        "at-corner",
        sp.Le(_total**2 * _size**2, _total**2 + (1 - kappa) * _total - C * kappa),
        use("ones"),
        use("top-count", omega=_residual),
        use("label-sum", i=i),
        use("label-top", omega=_residual, i=i),
        use("label-length", i=i),
        use("corner-distance", logit=logit, i=i),
        use("no-nearer", logit=logit, i=i),
        free=_both,
        given=(IN_BOX,),
    ),
    inequality(
        "by-count",
        sp.Le(_size**2, _square(_count)),
        use("at-corner", logit=logit, i=i),
        free=_both,
        given=(IN_BOX,),
    ),
    cited("largest", results.PEAK, {**_BODY, results.k_: _count}, *_TOP, free=_both),
    cited("first", results.PEAK, {**_BODY, results.k_: 1}),
    inequality(
        "residual",
        sp.Le(_size, G_BC),
        use("by-count", logit=logit, i=i),
        use("largest", logit=logit, i=i),
        free=_both,
        given=(IN_BOX,),
        unfold=(G_BC,),
    ),
    inequality(
        "at-most",
        sp.Le(_square(m), 2 * (1 - p_min) ** 2),
        free=(m,),
        given=_counts,
        unfold=(p_min,),
    ),
    cited("all-counts", results.MAX_BELOW, {**_BODY, results.z_: 2 * (1 - p_min) ** 2}, use("at-most", m=m)),
    inequality("closed-form", sp.Le(G_BC, sp.sqrt(2) * (1 - p_min)), use("first"), use("all-counts"), unfold=(G_BC,)),
    inequality(
        "token",
        sp.Le(_token**2, G_BC**2),
        use("bounded-logits", vartheta=vartheta, j=j),
        use("residual", logit=outcome(vartheta, j), i=j),
        free=(vartheta, j),
    ),
    cited(
        "tokens",
        results.SUM_BOUND,
        {results.f_: sp.Lambda(j, _token**2), results.c_: G_BC**2, results.k_: n_lab},
        use("token", vartheta=vartheta, j=j),
        free=(vartheta,),
    ),
    inequality(
        "mean-over-tokens",
        sp.Le(_tokens, G_BC / sp.sqrt(n_lab)),
        use("tokens", vartheta=vartheta),
        free=(vartheta,),
    ),
)
_measured = Measured("residual |softmax(h) − y|", _size, "impl.readout:residual")
THEOREM = Theorem(
    slug="loss/gradient-bound",
    title="Largest softmax residual on the box",
    source="mfc2026",
    assumptions=(H.BOUNDED_LOGITS,),
    facts=FACTS,
    claims=(
        Claim("residual", _measured, "<=", G_BC, ("residual",), tight=True, free=_both, given=(IN_BOX,)),
        Claim(
            "closed-form", _measured, "<=", sp.sqrt(2) * (1 - p_min), ("residual", "closed-form"),
            tight=True, free=_both, given=(IN_BOX,),
        ),
        Claim(
            "token-level",
            Measured("gradient of the mean loss in the logits of every token", _tokens, "impl.readout:token_residual"),
            "<=",
            G_BC / sp.sqrt(n_lab),
            ("mean-over-tokens",),
            tight=True,
            free=(vartheta,),
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
