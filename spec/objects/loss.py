"""Logits, softmax, labels and cross-entropy, and the corners of the logit box."""

import sympy as sp

from spec.language.functions import SumOver, inner, norm
from spec.language.template import Statement
from spec.symbols import VOCABULARY, C, i, j, k, kappa, logit, omega, omega_alt

_function = VOCABULARY.function
_define = VOCABULARY.define

# Objects of the loss.
readout = _function("H", "H", "the readout: logits of a state", vector=True)
softmax = _function("softmax", r"\operatorname{softmax}", "probabilities of logits", vector=True)
label = _function("Y", "Y", "a label: probabilities of the classes", vector=True)
loss = _function("ell", r"\ell", "cross-entropy of logits and a label", vector=False, arity=2)
peak = _function("peak", r"\operatorname{peak}", "largest absolute logit", vector=False)
outcome = _function(
    "outcome",
    "h",
    "logits of a sample, or of a labelled token, under a control at the end of the flow",
    vector=True,
    arity=2,
)
outcome_eps = _function(
    "outcome_eps", r"h_\varepsilon", "logits of a sample under a control, after the last layer", vector=True, arity=2
)
ones = _function("ones", r"\mathbf{1}", "the vector of C ones", vector=True)
entry = _function("entry", r"\operatorname{entry}", "entry j of a vector of C numbers", vector=False, arity=2)
square = _function("square", r"\operatorname{square}", "squares of the entries of a vector", vector=True)
variance = _function(
    "variance",
    r"\operatorname{Var}",
    "variance of the entries of a vector under probabilities: ⟨ω, ∇²ℓ ω⟩ for those of a softmax",
    vector=False,
    arity=2,
)
on_top = _function(
    "on_top", r"\operatorname{ontop}", "a vector at the top of a direction, 0 elsewhere", vector=True, arity=2
)
highest = _function("highest", r"\operatorname{highest}", "index of a largest entry", vector=False, integer=True)
lowest = _function("lowest", r"\operatorname{lowest}", "index of a least entry", vector=False, integer=True)
reach = _function("reach", r"\operatorname{reach}", "largest mean of a vector under a softmax of the box", vector=False)
top = _function(
    "top",
    r"\operatorname{top}",
    "0/1 vector of the classes at B at the corner of the box whose softmax reaches farthest in a direction",
    vector=True,
)

_classes, _weight = (sp.Le(j, C - 1, evaluate=False),), sp.exp(entry(logit, j))
_excess, _at_top = entry(omega, j) - reach(omega), norm(top(omega)) ** 2
_share = entry(softmax(logit), j)
SOFTMAX_POSITIVE = _define("softmax-positive", Statement(sp.Ge(_share, 0, evaluate=False), (logit, j), _classes))
SOFTMAX_SUM = _define("softmax-sum", Statement(sp.Eq(SumOver(_share, j, C), 1, evaluate=False), (logit,)))
SOFTMAX_RATIO = _define(
    "softmax-ratio",
    Statement(
        sp.Eq(sp.exp(entry(logit, k)) * _share, _weight * entry(softmax(logit), k), evaluate=False),
        (logit, j, k),
        (*_classes, sp.Le(k, C - 1, evaluate=False)),
    ),
)
INNER_ENTRIES = _define(
    "inner-entries",
    Statement(
        sp.Eq(inner(omega, omega_alt), SumOver(entry(omega, j) * entry(omega_alt, j), j, C), evaluate=False),
        (omega, omega_alt),
    ),
)
PEAK = _define("peak", Statement(sp.Le(sp.Abs(entry(logit, j)), peak(logit), evaluate=False), (logit, j), _classes))
REACH = _define(
    "reach",
    Statement(sp.Eq(SumOver(sp.Max(_excess, 0) + kappa * sp.Min(_excess, 0), j, C), 0, evaluate=False), (omega,)),
)
CORNER = _define(
    "corner",
    Statement(
        sp.Eq(
            (C * kappa + (1 - kappa) * _at_top) * reach(omega),
            kappa * inner(ones(C), omega) + (1 - kappa) * inner(top(omega), omega),
            evaluate=False,
        ),
        (omega,),
    ),
)
TOP_SOME = _define("top-some", Statement(sp.Ge(_at_top, 1, evaluate=False), (omega,)))
TOP_NOT_ALL = _define("top-not-all", Statement(sp.Le(_at_top, C - 1, evaluate=False), (omega,)))
TOP_WHOLE = _define("top-whole", Statement(sp.Eq(sp.ceiling(_at_top), _at_top, evaluate=False), (omega,)))
TOP_COUNT = _define("top-count", Statement(sp.Eq(inner(ones(C), top(omega)), _at_top, evaluate=False), (omega,)))
VARIANCE = _define(
    "variance",
    Statement(
        sp.Eq(
            variance(softmax(logit), omega),
            inner(softmax(logit), square(omega)) - inner(softmax(logit), omega) ** 2,
            evaluate=False,
        ),
        (logit, omega),
    ),
)
SQUARES = _define(
    "squares", Statement(sp.Eq(inner(ones(C), square(omega)), norm(omega) ** 2, evaluate=False), (omega,))
)
SQUARE = _define(
    "square",
    Statement(
        sp.Eq(
            inner(omega_alt, square(omega)), SumOver(entry(omega_alt, j) * entry(omega, j) ** 2, j, C), evaluate=False
        ),
        (omega, omega_alt),
    ),
)
_on_top = on_top(omega, omega_alt)
TOP_SQUARES = _define(
    "top-squares",
    Statement(sp.Eq(inner(top(omega), square(omega_alt)), norm(_on_top) ** 2, evaluate=False), (omega, omega_alt)),
)
TOP_VALUES = _define(
    "top-values",
    Statement(sp.Eq(inner(top(omega), omega_alt), inner(top(omega), _on_top), evaluate=False), (omega, omega_alt)),
)
TOP_PART = _define(
    "top-part", Statement(sp.Eq(inner(omega_alt, _on_top), norm(_on_top) ** 2, evaluate=False), (omega, omega_alt))
)
ONE_LEFT = _define(
    "one-left",
    Statement(
        sp.Eq(
            norm(omega_alt - _on_top) ** 2,
            (inner(ones(C), omega_alt) - inner(top(omega), omega_alt)) ** 2,
            evaluate=False,
        ),
        (omega, omega_alt),
        (sp.Ge(_at_top, C - 1, evaluate=False),),
    ),
)
ONES = _define("ones", Statement(sp.Eq(norm(ones(C)) ** 2, C, evaluate=False)))
HIGHEST = _define("highest", Statement(sp.Le(highest(omega), C - 1, evaluate=False), (omega,)))
HIGHEST_ENTRY = _define(
    "highest-entry",
    Statement(sp.Le(entry(omega, j), entry(omega, highest(omega)), evaluate=False), (omega, j), _classes),
)
LOWEST = _define("lowest", Statement(sp.Le(lowest(omega), C - 1, evaluate=False), (omega,)))
LABEL_HIGH = _define(
    "label-high", Statement(sp.Le(inner(omega, label(i)), entry(omega, highest(omega)), evaluate=False), (omega, i))
)
LABEL_LOW = _define(
    "label-low", Statement(sp.Le(entry(omega, lowest(omega)), inner(omega, label(i)), evaluate=False), (omega, i))
)
CROSS_ENTROPY = _define(
    "cross-entropy",
    Statement(
        sp.Eq(loss(logit, label(i)), sp.log(SumOver(_weight, j, C)) - inner(logit, label(i)), evaluate=False),
        (logit, i),
    ),
)
LABEL_SUM = _define("label-sum", Statement(sp.Eq(inner(ones(C), label(i)), 1, evaluate=False), (i,)))
LABEL_TOP = _define("label-top", Statement(sp.Ge(inner(top(omega), label(i)), 0, evaluate=False), (omega, i)))
LABEL_LENGTH = _define("label-length", Statement(sp.Le(norm(label(i)), 1, evaluate=False), (i,)))
