"""The depth error of the risk: the loss carries the trajectory's error to the population and to the sample."""

import sympy as sp

from spec import assumptions as H
from spec import results
from spec.depth._each_flow import EACH, INPUTS, OF_EACH
from spec.depth.euler_pathwise import THEOREM as EULER_PATHWISE
from spec.depth.trajectory_range import THEOREM as TRAJECTORY_RANGE
from spec.language.functions import norm
from spec.language.proof import assumed, cited, definition, identity, inequality, use
from spec.language.theorem import Claim, Measured, Theorem
from spec.loss.gradient_bound import THEOREM as GRADIENT_BOUND
from spec.objects.flow import Xhat
from spec.objects.loss import label, loss, outcome, outcome_eps, readout
from spec.objects.risk import J_N, J, J_eps, J_epsN, fixed, flow_of, layers_of
from spec.symbols import C_E, C_R, G_BC, L_H, VOCABULARY, B, E_depth, K, L_ell, N, T, b, eps, j, k, varphi, vartheta

# The claims about one trajectory, of the flow and the layers of every control from every sample.
_of_each = {**OF_EACH, Xhat: sp.Lambda(k, layers_of(vartheta, j, k))}
_objects = tuple(
    use(name) for name in ("controls-admissible", "controls-lipschitz", "input", "flow-of", "layers-of", "same-start")
)
_flow_objects = tuple(use(name) for name in ("controls-admissible", "input", "flow-of"))
_layer_objects = tuple(use(name) for name in ("controls-admissible", "input", "layers-of", "same-start"))
_end_of_flow, _end_of_layers = flow_of(vartheta, j, T), layers_of(vartheta, j, K)
_end = norm(_end_of_flow - _end_of_layers)
_of_flow, _of_layers = loss(outcome(vartheta, j), label(j)), loss(outcome_eps(vartheta, j), label(j))
_population, _empirical = sp.Abs(J_eps(vartheta) - J(vartheta)), sp.Abs(J_epsN(vartheta) - J_N(vartheta))
_bound = L_ell * L_H * E_depth

FACTS = (
    assumed(H.BOUNDED_LOGITS),
    assumed(H.BOUNDED_LAYERED_LOGITS),
    assumed(H.READOUT_LIPSCHITZ),
    *(assumed(a) for a in (H.CONTROLS_ADMISSIBLE, H.CONTROLS_LIPSCHITZ, H.SAMPLES_BOUNDED)),
    *(definition(name, VOCABULARY) for name in ("flow-of", "layers-of", "start-of", "layered-start-of")),
    *INPUTS,
    identity(
        "same-start",
        sp.Eq(norm(layers_of(vartheta, j, 0) - flow_of(vartheta, j, 0)), 0, evaluate=False),
        use("start-of"),
        use("layered-start-of"),
        free=EACH,
    ),
    TRAJECTORY_RANGE.premise("flow-in-range", "flow", *_flow_objects, at=_of_each, free=EACH),
    TRAJECTORY_RANGE.premise("layers-in-range", "layers", *_layer_objects, at=_of_each, free=EACH),
    EULER_PATHWISE.premise("pathwise", "recursion", *_objects, at=_of_each, free=EACH),
    GRADIENT_BOUND.premise("gradient"),
    definition("outcome-of", VOCABULARY),
    definition("layered-outcome-of", VOCABULARY),
    definition("risk", VOCABULARY),
    definition("layered-risk", VOCABULARY),
    definition("empirical-risk", VOCABULARY),
    definition("layered-empirical-risk", VOCABULARY),
    inequality("end", sp.Le(_end, E_depth), use("pathwise", k=K), free=EACH, unfold=(E_depth, eps)),
    inequality(
        "logits",
        sp.Le(norm(readout(_end_of_flow) - readout(_end_of_layers)), L_H * E_depth),
        use("flow-in-range", t=T),
        use("layers-in-range", k=K),
        use("readout-lipschitz", x=_end_of_flow, y=_end_of_layers),
        use("end"),
        free=EACH,
    ),
    identity(
        "outcomes",
        sp.Eq(
            norm(outcome(vartheta, j) - outcome_eps(vartheta, j)), norm(readout(_end_of_flow) - readout(_end_of_layers))
        ),
        use("outcome-of", vartheta=vartheta, j=j),
        use("layered-outcome-of", vartheta=vartheta, j=j),
        free=(vartheta, j),
    ),
    cited(
        "secant",
        results.LOSS_SECANT,
        {
            results.v1_: outcome(vartheta, j),
            results.v2_: outcome_eps(vartheta, j),
            results.b_: B,
            results.c_: G_BC,
            results.k_: j,
        },
        use("bounded-logits", vartheta=vartheta, j=j),
        use("bounded-layered-logits", vartheta=vartheta, j=j),
        use("gradient", i=j),
        free=(vartheta, j),
    ),
    inequality(
        "loss",
        sp.Le(sp.Abs(_of_layers - _of_flow), _bound),
        use("logits"),
        use("outcomes", vartheta=vartheta, j=j),
        use("secant", vartheta=vartheta, j=j),
        free=(vartheta, j),
        unfold=(L_ell,),
    ),
    cited(
        "mean-over-population",
        results.EXPECTATION_CHANGE,
        {results.a_: _of_layers.xreplace({j: N}), results.b_: _of_flow.xreplace({j: N}), results.c_: _bound},
        use("loss", vartheta=vartheta, j=N),
        free=(vartheta,),
    ),
    inequality(
        "population-fixed",
        sp.Le(_population - _bound, 0),
        use("risk", vartheta=vartheta),
        use("layered-risk", vartheta=vartheta),
        use("mean-over-population", vartheta=vartheta),
        free=(vartheta,),
        given=fixed(vartheta),
    ),
    cited(
        "population-any",
        results.OUTCOME_BY_OUTCOME,
        {results.f_: sp.Lambda((vartheta, varphi), _population - _bound)},
        use("population-fixed"),
    ),
    inequality("population", sp.Le(_population, _bound), use("population-any"), free=(vartheta,)),
    cited(
        "mean-over-sample",
        results.MEAN_CHANGE,
        {results.f_: sp.Lambda(j, _of_layers), results.g_: sp.Lambda(j, _of_flow), results.c_: _bound, results.k_: N},
        use("loss", vartheta=vartheta, j=j),
        free=(vartheta,),
    ),
    inequality(
        "empirical",
        sp.Le(_empirical, _bound),
        use("empirical-risk", vartheta=vartheta),
        use("layered-empirical-risk", vartheta=vartheta),
        use("mean-over-sample", vartheta=vartheta),
        free=(vartheta,),
    ),
    cited("exponential", results.GEOMETRIC_EXPONENTIAL, {results.z_: eps * b, results.k_: K}),
    inequality("end-closed", sp.Le(E_depth, C_E * eps), use("exponential"), unfold=(E_depth, C_E, eps)),
    inequality("closed-form", sp.Le(_bound, C_R * eps), use("end-closed"), unfold=(C_R,)),
)
_of_population = Measured("depth error of the risk |J_ε(θ) − J(θ)|", _population, "impl.readout:cross_entropy")
_of_sample = Measured(
    "depth error of the empirical risk |J_{ε,N}(θ) − J_N(θ)|", _empirical, "impl.readout:cross_entropy"
)
THEOREM = Theorem(
    slug="depth/depth-risk",
    title="First-order depth error of the risk",
    source="mfc2026",
    assumptions=(
        H.SAMPLES_BOUNDED, H.FIELD_GROWTH, H.SCHEDULE_BOUNDED, H.SCHEDULE_LIPSCHITZ, H.CONTROLS_ADMISSIBLE,
        H.CONTROLS_LIPSCHITZ, H.FIELD_BOUNDED, H.FIELD_LIPSCHITZ, H.FIELD_LIPSCHITZ_CONTROL, H.BOUNDED_LOGITS,
        H.BOUNDED_LAYERED_LOGITS, H.READOUT_LIPSCHITZ,
    ),
    uses=(TRAJECTORY_RANGE, EULER_PATHWISE, GRADIENT_BOUND),
    facts=FACTS,
    claims=(
        Claim("population", _of_population, "<=", _bound, ("population",), tight=True, free=(vartheta,)),
        Claim("empirical", _of_sample, "<=", _bound, ("empirical",), tight=True, free=(vartheta,)),
        Claim(
            "closed-form", _of_population, "<=", C_R * eps, ("population", "closed-form"), tight=True, free=(vartheta,)
        ),
    ),
    vocabulary=VOCABULARY,
)  # fmt: skip
