"""Every symbol of the theory, once: ASCII name, LaTeX, meaning, dimension, range, integrality, definition.

Names that the literature reuses are told apart here: N samples and N_cover nets, C classes, b growth rate and beta_1,
beta_2 biases, L_c the control's Lipschitz constant, A the Lipschitz constant of the velocity and rho_A of the scores.
"""

import sympy as sp

from spec.language.dimension import CONTROL, DEPTH, PURE, STATE
from spec.language.functions import MaxOver, expectation, inner, norm, phi1, token_norm
from spec.language.quantity import NONNEGATIVE, POSITIVE, REAL, Vocabulary, at_least, between
from spec.language.template import Statement

VOCABULARY = Vocabulary()
_symbol, _variable = VOCABULARY.symbol, VOCABULARY.variable
_function, _vector, _define = VOCABULARY.function, VOCABULARY.vector, VOCABULARY.define

# Bound variables of statements.
t = _variable("t", "t", "a depth", DEPTH, NONNEGATIVE)
s = _variable("s", "s", "an earlier depth", DEPTH, NONNEGATIVE)
u = _variable("u", "u", "a depth of integration", DEPTH, NONNEGATIVE)
k = _variable("k", "k", "a layer", PURE, NONNEGATIVE, integer=True)
m = _variable("m", "m", "a number of classes at the top of the box", PURE, NONNEGATIVE, integer=True)
j = _variable("j", "j", "an earlier layer, or a sample", PURE, NONNEGATIVE, integer=True)
h = _variable("h", "h", "a head", PURE, NONNEGATIVE, integer=True)
e = _variable("e", "e", "an error carried from layer to layer", STATE, NONNEGATIVE)
w = _variable("w", "w", "a real number", PURE)
v = _variable("v", "v", "another real number", PURE)
i = _variable("i", "i", "an index of a control in a finite class", PURE, NONNEGATIVE, integer=True)
iota = _variable("iota", r"\hat\imath", "an index chosen by looking at the sample", PURE, NONNEGATIVE, integer=True)
x = _vector("x", "x", "a state", STATE)
y = _vector("y", "y", "another state", STATE)
vartheta = _vector("vartheta", r"\vartheta", "a control value", CONTROL)
varphi = _vector("varphi", r"\varphi", "another control value", CONTROL)

# Depth.
T = _symbol("T", "T", "depth of the flow", DEPTH)
K = _symbol("K", "K", "number of layers", PURE, at_least(1), integer=True)
eps = _symbol("eps", r"\varepsilon", "step", DEPTH, definition=T / K)
zeta_bar = _symbol("zeta_bar", r"\bar\zeta", "bound on the depth schedule |ζ|")
L_zeta = _symbol("L_zeta", r"L_\zeta", "Lipschitz constant of the depth schedule", DEPTH**-1)
V_zeta = _symbol("V_zeta", r"V_\zeta", "pointwise variation of the depth schedule")
L_c = _symbol("L_c", "L_c", "Lipschitz constant of the control in depth", CONTROL / DEPTH)
V_theta = _symbol("V_theta", r"V_\theta", "pointwise variation of the control in depth", CONTROL)

# Field.
n = _symbol("n", "n", "number of tokens", PURE, at_least(1), integer=True)
d = _symbol("d", "d", "width of a token", PURE, at_least(1), integer=True)
d_k = _symbol("d_k", "d_k", "width of a head", PURE, at_least(1), integer=True)
heads = _symbol("heads", r"\mathcal{H}", "number of heads", PURE, NONNEGATIVE, integer=True)
R = _symbol("R", "R", "radius of the compact set K_R = {|x|_tok ≤ R}", STATE)
M = _symbol("M", "M", "bound on the field over K_R × Θ", STATE / DEPTH)
L_x = _symbol("L_x", "L_x", "Lipschitz constant of the field in the state", DEPTH**-1)
L_theta = _symbol("L_theta", r"L_\theta", "Lipschitz constant of the field in the control", STATE / DEPTH / CONTROL)
b = _symbol("b", "b", "growth rate", DEPTH**-1, definition=zeta_bar * L_x)
A = _symbol("A", "A", "Lipschitz constant of the velocity in depth", STATE / DEPTH**2, definition=L_zeta * M + zeta_bar * L_theta * L_c + zeta_bar**2 * L_x * M)  # fmt: skip
rho_Q = _symbol("rho_Q", r"\rho_Q", "spectral radius of the ball of Q", STATE**-1, indexed=True)
rho_K = _symbol("rho_K", r"\rho_K", "spectral radius of the ball of K", STATE**-1, indexed=True)
rho_V = _symbol("rho_V", r"\rho_V", "spectral radius of the ball of V", PURE, indexed=True)
rho_O = _symbol("rho_O", r"\rho_O", "spectral radius of the ball of O", DEPTH**-1, indexed=True)
rho_A = _symbol("rho_A", r"\rho_A", "spectral bound on the score form QᵀK/√d_k", STATE**-2, indexed=True, definition=rho_Q * rho_K / sp.sqrt(d_k))  # fmt: skip
rho_OV = _symbol("rho_OV", r"\rho_{OV}", "spectral bound on the product OV", DEPTH**-1, indexed=True, definition=rho_O * rho_V)  # fmt: skip
rho_W1 = _symbol("rho_W1", r"\rho_{W_1}", "spectral radius of the ball of the MLP's first matrix", STATE**-1)
beta_1 = _symbol("beta_1", r"\beta_1", "radius of the ball of the MLP's first bias")
rho_W2 = _symbol("rho_W2", r"\rho_{W_2}", "spectral radius of the ball of the MLP's second matrix", STATE / DEPTH)
beta_2 = _symbol("beta_2", r"\beta_2", "radius of the ball of the MLP's second bias", STATE / DEPTH)
s_1 = _symbol("s_1", "s_1", "sup |σ'| of the activation")

# Trajectories.
R_0 = _symbol("R_0", "R_0", "radius of the inputs, token by token", STATE)
g_x = _symbol("g_x", "g", "growth of the field: |F_i| ≤ g|x|_tok + m", DEPTH**-1)
m_x = _symbol("m_x", "m", "growth of the field at 0: |F_i| ≤ g|x|_tok + m", STATE / DEPTH)
Z = _symbol("Z", "Z", "∫|ζ| over [0, T], or the step sum of |ζ| over the layers: bounds the time that passes", DEPTH, definition=zeta_bar * T)  # fmt: skip
R_T = _symbol("R_T", "R_T", "radius that contains every trajectory", STATE, definition=R_0 * sp.exp(g_x * Z) + m_x * Z * phi1(g_x * Z))  # fmt: skip

# Loss.
C = _symbol("C", "C", "number of classes", PURE, at_least(2), integer=True)
B = _symbol("B", "B", "bound of the logit box [−B, B]")
n_lab = _symbol("n_lab", r"n_{\mathrm{lab}}", "number of labelled tokens", PURE, at_least(1), integer=True)
_kappa = sp.exp(-2 * B)
_floor = m + (C - m) * _kappa
G_BC = _symbol(
    "G_BC", "G(B,C)", "largest norm of the softmax residual on the box", PURE,
    definition=sp.sqrt(MaxOver(1 + (1 - _kappa) / _floor - C * _kappa / _floor**2, m, 1, C - 1, C * _kappa * (1 + _kappa), (1 - _kappa) ** 2)),
)  # fmt: skip
L_ell = _symbol("L_ell", r"L_\ell", "Lipschitz constant of the loss in the logits", PURE, definition=G_BC)
M_ell = _symbol("M_ell", r"M_\ell", "width of the range of the loss on the box", PURE, definition=2 * B + sp.log((_kappa + C - 1) / (1 + (C - 1) * _kappa)))  # fmt: skip
p_min = _symbol("p_min", r"p_{\min}", "least probability on the box", PURE, between(0, 1), definition=_kappa / (_kappa + C - 1))  # fmt: skip
L_H = _symbol("L_H", "L_H", "Lipschitz constant of the readout", STATE**-1)

# Depth errors.
C_E = _symbol("C_E", "C_E", "depth error per step: |X_k − X(t_k)| ≤ C_E ε", STATE / DEPTH, definition=A * T * phi1(b * T) / 2)  # fmt: skip
C_R = _symbol("C_R", "C_R", "depth error of the risk per step", DEPTH**-1, definition=L_ell * L_H * C_E)
zeta_k = _symbol("zeta_k", r"|\zeta|", "|ζ(t_k)|, layer by layer", PURE, indexed=True)
L_k = _symbol("L_k", "L", "Lipschitz constant of layer k in the state", DEPTH**-1, indexed=True)
tau_k = _symbol("tau_k", r"\tau", "bound on the truncation error of layer k", STATE, indexed=True)

# Sampling.
N = _symbol("N", "N", "number of samples", PURE, at_least(1), integer=True)
delta = _symbol("delta", r"\delta", "failure probability", PURE, between(0, 1, open_ends=True))
G_size = _symbol("G_size", r"|\mathcal{G}|", "number of controls in a finite class", PURE, at_least(1), integer=True)
q = _symbol("q", "q", "grid points for one layer's whole control", PURE, at_least(1), integer=True)
p = _symbol("p", "p", "number of parameters of a layer", PURE, at_least(1), integer=True)
r = _symbol("r", "r", "covering radius", CONTROL, POSITIVE)
rho = _symbol("rho", r"\rho", "half side of the cube that holds the controls", CONTROL)
log_N_cover = _symbol("log_N_cover", r"\log\mathcal{N}(r)", "logarithm of the number of balls of radius r that cover the class")  # fmt: skip
L_J = _symbol("L_J", "L_J", "Lipschitz constant of the risk in the control, in the sup norm", CONTROL**-1)
eta = _symbol("eta", r"\eta_\varepsilon", "approximation error of the control class")
gap = _symbol("gap", r"\mathrm{opt}", "optimisation gap of the trained control")

# Objects of the theory.
X = _function("X", "X", "the flow", STATE, vector=True)
Xhat = _function("Xhat", r"\hat X", "the Transformer", STATE, vector=True)
F = _function("F", "F", "the field", STATE / DEPTH, vector=True, arity=2)
theta = _function("theta", r"\theta", "the control", CONTROL, vector=True)
zeta = _function("zeta", r"\zeta", "the depth schedule", vector=False)
J = _function("J", "J", "risk of the flow of a control: E ℓ(H(X_T), Y) over the population", vector=False)
J_eps = _function("J_eps", r"J_\varepsilon", "risk of the Transformer of a control, over the population", vector=False)
J_N = _function("J_N", "J_N", "risk of the flow of a control, mean over N samples", vector=False)
J_epsN = _function(
    "J_epsN", r"J_{\varepsilon,N}", "risk of the Transformer of a control, mean over N samples", vector=False
)
member = _function("member", r"\vartheta", "the controls of a finite class, by index", CONTROL, vector=True)
sees = _function("sees", r"\mathrm{sees}", "1 for what depends on the sample, 0 for what is fixed before it", vector=False)
sample_loss = _function("sample_loss", r"\ell", "loss of a sample under a control", vector=False, arity=2)

_given_depths = (sp.Le(s, t, evaluate=False), sp.Le(t, T, evaluate=False))
FLOW = _define("flow", Statement(sp.Eq(X(t) - X(s), sp.Integral(zeta(u) * F(X(u), theta(u)), (u, s, t)), evaluate=False), (s, t), _given_depths))  # fmt: skip
TRANSFORMER = _define("transformer", Statement(sp.Eq(Xhat(k + 1), Xhat(k) + eps * zeta(k * eps) * F(Xhat(k), theta(k * eps)), evaluate=False), (k,), (sp.Le(k, K - 1, evaluate=False),)))  # fmt: skip
START = _define("start", Statement(sp.Eq(norm(Xhat(0) - X(0)), 0, evaluate=False)))

__all__ = ["REAL", "VOCABULARY", "expectation", "inner", "token_norm"]
