"""Risks, samples, controls of finite classes, and flows of several controls."""

import sympy as sp

from spec.language.dimension import CONTROL, STATE
from spec.language.functions import SumOver, expectation, norm
from spec.language.template import Statement
from spec.objects.flow import F, zeta
from spec.objects.loss import label, loss, outcome, outcome_eps, readout
from spec.symbols import VOCABULARY, G_size, K, N, T, eps, iota, j, k, q, s, t, u, varphi, vartheta

_function = VOCABULARY.function
_define = VOCABULARY.define

J = _function("J", "J", "risk of the flow of a control: E ℓ(H(X_T), Y) over the population", vector=False)
J_eps = _function("J_eps", r"J_\varepsilon", "risk of the Transformer of a control, over the population", vector=False)
J_N = _function("J_N", "J_N", "risk of the flow of a control, mean over N samples", vector=False)
J_epsN = _function(
    "J_epsN", r"J_{\varepsilon,N}", "risk of the Transformer of a control, mean over N samples", vector=False
)
nearest = _function(
    "nearest", r"\operatorname{nearest}", "the index of the centre nearest to a control", vector=False, integer=True
)
trained = _function("trained", r"\hat\theta", "the control trained at a step and a sample", CONTROL, vector=True)
near = _function(
    "near", r"\theta", "controls of the class whose risks come near what the class can reach", CONTROL, vector=True
)
flow_of = _function(
    "flow_of", r"\Phi", "the flow of a control from the input of a sample, at a depth", STATE, vector=True, arity=3
)
layers_of = _function(
    "layers_of", r"\hat\Phi", "the layers of a control from the input of a sample", STATE, vector=True, arity=3
)
input_of = _function("input_of", "x", "the input of a sample", STATE, vector=True)
value_of = _function("value_of", r"\theta", "the value of a control at a depth", CONTROL, vector=True, arity=2)
sup_dist = _function(
    "sup_dist", r"d_\infty", "sup over the depth of the distance of two controls", CONTROL, vector=False, arity=2
)
member = _function("member", r"\vartheta", "the controls of a finite class, by index", CONTROL, vector=True)
sees = VOCABULARY.tells(
    _function("sees", r"\mathrm{sees}", "1 for what depends on the sample, 0 for what is fixed before it", vector=False)
)

# The controls of a finite class too, until something says that they are fixed before the sample.
VOCABULARY.is_random(outcome, outcome_eps, label, input_of, flow_of, layers_of, J_N, J_epsN, iota, trained, member)


def fixed(*things: sp.Expr) -> tuple[sp.Rel, ...]:
    """Say that things are fixed before the sample."""
    return tuple(sp.Eq(sees(thing), 0, evaluate=False) for thing in things)


# Two finite classes: words of K letters, a grid point a layer; the centres of a cover.
GRID_SIZE = _define("grid-size", Statement(sp.Eq(G_size, q**K, evaluate=False)))
NEAREST = _define("nearest", Statement(sp.Le(nearest(vartheta), G_size - 1, evaluate=False), (vartheta,)))
EMPIRICAL_RISK = _define(
    "empirical-risk",
    Statement(
        sp.Eq(J_N(vartheta), SumOver(loss(outcome(vartheta, j), label(j)), j, N) / N, evaluate=False), (vartheta,)
    ),
)
LAYERED_EMPIRICAL_RISK = _define(
    "layered-empirical-risk",
    Statement(
        sp.Eq(J_epsN(vartheta), SumOver(loss(outcome_eps(vartheta, j), label(j)), j, N) / N, evaluate=False),
        (vartheta,),
    ),
)
# Samples 0, …, N − 1 are at hand; sample N is a fresh draw from the population, over which the risks take their mean:
# that is the risk of a control that is fixed, while the risk of one that depends on the sample depends on it too.
RISK = _define(
    "risk",
    Statement(
        sp.Eq(J(vartheta), expectation(loss(outcome(vartheta, N), label(N))), evaluate=False),
        (vartheta,),
        fixed(vartheta),
    ),
)
LAYERED_RISK = _define(
    "layered-risk",
    Statement(
        sp.Eq(J_eps(vartheta), expectation(loss(outcome_eps(vartheta, N), label(N))), evaluate=False),
        (vartheta,),
        fixed(vartheta),
    ),
)
# Flow, layers and outcome of any control from the input of any sample.
_velocity_of = zeta(u) * F(flow_of(vartheta, j, u), value_of(vartheta, u))
FLOW_OF = _define(
    "flow-of",
    Statement(
        sp.Eq(flow_of(vartheta, j, t) - flow_of(vartheta, j, s), sp.Integral(_velocity_of, (u, s, t)), evaluate=False),
        (vartheta, j, s, t),
        (sp.Le(s, t, evaluate=False), sp.Le(t, T, evaluate=False)),
    ),
)
START_OF = _define("start-of", Statement(sp.Eq(flow_of(vartheta, j, 0), input_of(j), evaluate=False), (vartheta, j)))
OUTCOME_OF = _define(
    "outcome-of",
    Statement(sp.Eq(outcome(vartheta, j), readout(flow_of(vartheta, j, T)), evaluate=False), (vartheta, j)),
)
_layer = layers_of(vartheta, j, k)
LAYERS_OF = _define(
    "layers-of",
    Statement(
        sp.Eq(
            layers_of(vartheta, j, k + 1),
            _layer + eps * zeta(k * eps) * F(_layer, value_of(vartheta, k * eps)),
            evaluate=False,
        ),
        (vartheta, j, k),
        (sp.Le(k, K - 1, evaluate=False),),
    ),
)
LAYERED_START_OF = _define(
    "layered-start-of", Statement(sp.Eq(layers_of(vartheta, j, 0), input_of(j), evaluate=False), (vartheta, j))
)
LAYERED_OUTCOME_OF = _define(
    "layered-outcome-of",
    Statement(sp.Eq(outcome_eps(vartheta, j), readout(layers_of(vartheta, j, K)), evaluate=False), (vartheta, j)),
)
SUP_DIST = _define(
    "sup-dist",
    Statement(
        sp.Le(norm(value_of(vartheta, u) - value_of(varphi, u)), sup_dist(vartheta, varphi), evaluate=False),
        (vartheta, varphi, u),
        (sp.Le(u, T, evaluate=False),),
    ),
)
