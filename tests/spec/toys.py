"""A small theory of its own: what the tests of the language speak about."""

from dataclasses import replace

import sympy as sp

from spec.language.assumption import Assumptions
from spec.language.checker import Checker, Report
from spec.language.dimension import CONTROL, DEPTH, PURE, STATE
from spec.language.functions import SumOver, expectation, gauge, norm, token_norm
from spec.language.proof import Fact
from spec.language.quantity import NONNEGATIVE, POSITIVE, REAL, Vocabulary, at_least, between
from spec.language.template import Instance, Statement, Template
from spec.language.theorem import Claim, Measured, Theorem

vocabulary = Vocabulary()
_symbol, _variable, _function = vocabulary.symbol, vocabulary.variable, vocabulary.function

t = _variable("t", "t", "a depth", DEPTH, NONNEGATIVE)
s = _variable("s", "s", "an earlier depth", DEPTH, NONNEGATIVE)
u = _variable("u", "u", "a depth of integration", DEPTH, NONNEGATIVE)
k = _variable("k", "k", "a layer", PURE, NONNEGATIVE, integer=True)
j = _variable("j", "j", "an index", PURE, NONNEGATIVE, integer=True)
i = _variable("i", "i", "another index", PURE, NONNEGATIVE, integer=True)
m = _variable("m", "m", "a third index", PURE, NONNEGATIVE, integer=True)
w = _variable("w", "w", "a real number", PURE)
v = _variable("v", "v", "another real number", PURE)
z = _variable("z", "z", "a nonnegative number", PURE, NONNEGATIVE)
x = vocabulary.vector("x", "x", "a state", STATE)
y = vocabulary.vector("y", "y", "another state", STATE)
vartheta = vocabulary.vector("vartheta", r"\vartheta", "a control value", CONTROL)

a = _symbol("a", "a", "a nonnegative number")
b = _symbol("b", "b", "another")
c = _symbol("c", "c", "a real number", PURE, REAL)
p = _symbol("p", "p", "a positive number", PURE, POSITIVE)
ratio = _symbol("ratio", "q", "a number in (0, 1)", PURE, between(0, 1, open_ends=True))
share = _symbol("share", "r", "a number in [0, 1]", PURE, between(0, 1))
T = _symbol("T", "T", "a depth", DEPTH)
d = _symbol("d", "d", "a length", STATE)
M = _symbol("M", "M", "a speed", STATE / DEPTH)
rate = _symbol("rate", r"\lambda", "a rate", DEPTH**-1)
L = _symbol("L", "L", "rates, layer by layer", DEPTH**-1, indexed=True)
COUNT = _symbol("n", "n", "a count", PURE, at_least(1), integer=True)
eps = _symbol("eps", r"\varepsilon", "a step", DEPTH, definition=T / COUNT)
growth = _symbol("growth", "g", "what is left", PURE, REAL, definition=a - b)
quotient = _symbol("quotient", "h", "a quotient that may not exist", PURE, REAL, definition=a / b)

X = _function("X", "X", "a path", STATE, vector=True)
F = _function("F", "F", "a field", STATE / DEPTH, vector=True)
theta = _function("theta", r"\theta", "a control", CONTROL, vector=True)
f = _function("f", "f", "a number in depth", vector=False)
g = _function("g", "g", "another number in depth", vector=False)
pick = _function("pick", "p", "an index of a state", vector=False, integer=True)
h = _function("h", "h", "a number for two depths", vector=False, arity=2)
seq = _function("seq", "s", "a sequence", vector=False)

outcome = _function("outcome", "o", "what a sample gives", vector=False)
vocabulary.is_random(outcome)

GROWING = vocabulary.define("growing", Statement(sp.Eq(seq(k + 1), seq(k) + a, evaluate=False), (k,)))
STARTING = vocabulary.define("starting", Statement(sp.Eq(seq(0), 0, evaluate=False)))

assumptions = Assumptions()
BOUNDED = assumptions.add(
    "bounded",
    "|f| ≤ a up to T.",
    Statement(sp.Le(sp.Abs(f(t)), a, evaluate=False), (t,), (sp.Le(t, T, evaluate=False),)),
)
ADMISSIBLE = assumptions.add("admissible", "θ in Θ.", Statement(sp.Le(gauge(theta(t)), 1, evaluate=False), (t,)))
LIPSCHITZ = assumptions.add(
    "lipschitz",
    "F is Lipschitz within d.",
    Statement(
        sp.Le(norm(F(x) - F(y)), rate * norm(x - y), evaluate=False),
        (x, y),
        (sp.Le(token_norm(x), d, evaluate=False), sp.Le(token_norm(y), d, evaluate=False)),
    ),
)
ORDERED = assumptions.add(
    "ordered", "a > b.", Statement(sp.Gt(a, b, evaluate=False)), premise=sp.Gt(a, b, evaluate=False)
)
OTHER = assumptions.add("other", "Only words.")


def le(left: object, right: object) -> sp.Rel:
    return sp.Le(left, right, evaluate=False)


def ge(left: object, right: object) -> sp.Rel:
    return sp.Ge(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Rel:
    return sp.Eq(left, right, evaluate=False)


def report(*facts: Fact) -> Report:
    """Check the last of several facts."""
    return Checker(facts, vocabulary).check(facts[-1])


def status(*facts: Fact) -> str:
    """Return the status of the last of several facts."""
    return report(*facts).status


def theorem(*facts: Fact, bound: sp.Expr, spine: tuple[str, ...], measured: sp.Expr, **more: object) -> Theorem:
    """Return a theorem of one claim."""
    kept = {key: more.pop(key) for key in ("free", "given", "tight") if key in more}
    relation = more.pop("relation", "<=")
    claim = Claim("claim", Measured("the left side", measured, "impl.flow:depth_error"), relation, bound, spine, **kept)
    keywords = {"slug": "toys/one", "title": "One", "source": "mfc2026", "assumptions": (BOUNDED,), **more}
    return Theorem(**keywords, claims=(claim,), facts=facts, vocabulary=vocabulary)


f_, g_ = sp.Function("f_"), sp.Function("g_")
a_, b_, c_, k_ = sp.symbols("a_ b_ c_ k_")
_none = Instance({}, {})


def template(
    *hypotheses: Statement, conclusion: Statement, parameters: tuple[object, ...], whole: tuple[object, ...] = ()
) -> Template:
    return Template("toy", "toy, Theorem 1", parameters, hypotheses, conclusion, _none, _none, None, whole=whole)


INTEGRAL = template(
    Statement(le(a_, b_)),
    Statement(le(f_(u), g_(u)), (u,), (le(a_, u), le(u, b_))),
    conclusion=Statement(le(sp.Integral(f_(u), (u, a_, b_)), sp.Integral(g_(u), (u, a_, b_)))),
    parameters=(f_, g_, a_, b_),
)
SUM = template(
    Statement(ge(k_, 0)),
    conclusion=Statement(eq(SumOver(f_(j), j, k_ + 1), SumOver(f_(j), j, k_) + f_(k_))),
    parameters=(f_, k_),
    whole=(k_,),
)
MEANS = replace(
    template(
        Statement(le(b_, a_ + c_)),
        conclusion=Statement(le(expectation(b_), expectation(a_) + c_)),
        parameters=(a_, b_, c_),
    ),
    fixed=(c_,),
)
CHOICE = replace(
    template(
        Statement(le(f_(i), a_), (i,), (le(i, k_ - 1),)),
        Statement(le(b_, k_ - 1)),
        conclusion=Statement(le(f_(b_), a_)),
        parameters=(f_, a_, b_, k_),
    ),
    whole=(b_, k_),
)
EVERYWHERE = template(Statement(le(f_(u), a_), (u,)), conclusion=Statement(le(f_(s), a_), (s,)), parameters=(f_, a_))


def lam(variable: sp.Symbol, body: object) -> sp.Lambda:
    return sp.Lambda(variable, body)
