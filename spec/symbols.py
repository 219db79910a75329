"""Every symbol of the theory, once: ASCII name, LaTeX, meaning, dimension, range, integrality, definition.

Names that the literature reuses are told apart here: N samples and N_cover nets, C classes, b growth rate and beta_1,
beta_2 biases, L_c the control's Lipschitz constant, A the Lipschitz constant of the velocity and rho_A of the scores.
"""

import sympy as sp

from spec.language.dimension import CONTROL, DEPTH, PURE, STATE
from spec.language.functions import (
    MaxOver,
    Ratio,
    Unit,
    geom,
    phi1,
)
from spec.language.quantity import NONNEGATIVE, POSITIVE, REAL, Interval, Vocabulary, at_least, between

VOCABULARY = Vocabulary()
_symbol, _variable = VOCABULARY.symbol, VOCABULARY.variable
_vector = VOCABULARY.vector

# Bound variables of statements.
t = _variable("t", "t", "a depth", DEPTH, NONNEGATIVE)
s = _variable("s", "s", "an earlier depth", DEPTH, NONNEGATIVE)
u = _variable("u", "u", "a depth of integration", DEPTH, NONNEGATIVE)
k = _variable("k", "k", "a layer", PURE, NONNEGATIVE, integer=True)
m = _variable("m", "m", "a number of classes at the top of the box", PURE, NONNEGATIVE, integer=True)
j = _variable("j", "j", "an earlier layer, a sample, or a token that is looked at", PURE, NONNEGATIVE, integer=True)
h = _variable("h", "h", "a head", PURE, NONNEGATIVE, integer=True)
e = _variable("e", "e", "an error carried from layer to layer, or a length", STATE, NONNEGATIVE)
w = _variable("w", "w", "a real number", PURE)
v = _variable("v", "v", "another real number", PURE)
i = _variable("i", "i", "an index of a control in a finite class, or of a token", PURE, NONNEGATIVE, integer=True)
level = _variable("level", r"\alpha", "a failure probability", PURE, between(0, 1, open_ends=True), fixed=True)
iota = _variable("iota", r"\hat\imath", "an index chosen by looking at the sample", PURE, NONNEGATIVE, integer=True)
x = _vector("x", "x", "a state", STATE)
y = _vector("y", "y", "another state", STATE)
base = _vector("base", "z", "a third state", STATE)
direction = _vector("direction", r"\Delta", "a direction in which a state moves", STATE)
vartheta = _vector("vartheta", r"\vartheta", "a control value", CONTROL)
varphi = _vector("varphi", r"\varphi", "another control value", CONTROL)
omega = _vector("omega", r"\omega", "a direction in which vectors are tested", PURE)
omega_alt = _vector("omega_alt", r"\omega'", "another direction", PURE)
logit = _vector("logit", "h", "logits", PURE)
hid = _vector("hid", "z", "hidden values of the MLP", PURE)
hid_alt = _vector("hid_alt", "z'", "other hidden values of the MLP", PURE)
Q_mat = _vector("Q_mat", "Q", "a query matrix", STATE**-1)
K_mat = _vector("K_mat", "K", "a key matrix", STATE**-1)
V_mat = _vector("V_mat", "V", "a value matrix", PURE)
O_mat = _vector("O_mat", "O", "an output matrix", DEPTH**-1)
W1_mat = _vector("W1_mat", "W_1", "a first matrix of the MLP", STATE**-1)
b1_vec = _vector("b1_vec", "b_1", "a first bias of the MLP", PURE)
W2_mat = _vector("W2_mat", "W_2", "a second matrix of the MLP", STATE / DEPTH)
b2_vec = _vector("b2_vec", "b_2", "a second bias of the MLP", STATE / DEPTH)
Q_alt = _vector("Q_alt", "Q'", "another query matrix", STATE**-1)
K_alt = _vector("K_alt", "K'", "another key matrix", STATE**-1)
V_alt = _vector("V_alt", "V'", "another value matrix", PURE)
O_alt = _vector("O_alt", "O'", "another output matrix", DEPTH**-1)
W1_alt = _vector("W1_alt", "W_1'", "another first matrix of the MLP", STATE**-1)
b1_alt = _vector("b1_alt", "b_1'", "another first bias of the MLP", PURE)
W2_alt = _vector("W2_alt", "W_2'", "another second matrix of the MLP", STATE / DEPTH)
b2_alt = _vector("b2_alt", "b_2'", "another second bias of the MLP", STATE / DEPTH)

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
A = _symbol(
    "A",
    "A",
    "Lipschitz constant of the velocity in depth",
    STATE / DEPTH**2,
    definition=L_zeta * M + zeta_bar * L_theta * L_c + zeta_bar**2 * L_x * M,
)
rho_Q = _symbol("rho_Q", r"\rho_Q", "spectral radius of the ball of Q", STATE**-1, indexed=True)
rho_K = _symbol("rho_K", r"\rho_K", "spectral radius of the ball of K", STATE**-1, indexed=True)
rho_V = _symbol("rho_V", r"\rho_V", "spectral radius of the ball of V", PURE, indexed=True)
rho_O = _symbol("rho_O", r"\rho_O", "spectral radius of the ball of O", DEPTH**-1, indexed=True)
rho_A = _symbol(
    "rho_A",
    r"\rho_A",
    "spectral bound on the score form QᵀK/√d_k",
    STATE**-2,
    indexed=True,
    definition=rho_Q * rho_K / sp.sqrt(d_k),
)
rho_OV = _symbol(
    "rho_OV", r"\rho_{OV}", "spectral bound on the product OV", DEPTH**-1, indexed=True, definition=rho_O * rho_V
)
s_A = _symbol("s_A", "s", "size of a head's scores on K_R, ρ_A R²", indexed=True, definition=rho_A * R**2)
sigma_A = _symbol(
    "sigma_A",
    r"\sigma",
    "size of a head's scores, at least ½",
    PURE,
    POSITIVE,
    indexed=True,
    definition=sp.Max(s_A, sp.Rational(1, 2)),
)
k_A = _symbol(
    "k_A",
    "k",
    "root of the sum of squares of what the keys can move a row of softmax means by",
    PURE,
    at_least(1),
    indexed=True,
    definition=sp.sqrt(1 + (sigma_A - 1 / (4 * sigma_A)) ** 2 / 2),
)
L_A = _symbol(
    "L_A",
    "L_A",
    "Lipschitz constant of a head's softmax means in the state",
    PURE,
    indexed=True,
    definition=(sp.sqrt(n) * k_A + sp.sqrt(n * k_A**2 + 4 * s_A * (s_A + sp.sqrt(1 + s_A**2)))) / 2,
)
rho_W1 = _symbol("rho_W1", r"\rho_{W_1}", "spectral radius of the ball of the MLP's first matrix", STATE**-1)
beta_1 = _symbol("beta_1", r"\beta_1", "radius of the ball of the MLP's first bias")
rho_W2 = _symbol("rho_W2", r"\rho_{W_2}", "spectral radius of the ball of the MLP's second matrix", STATE / DEPTH)
beta_2 = _symbol("beta_2", r"\beta_2", "radius of the ball of the MLP's second bias", STATE / DEPTH)
s_1 = _symbol("s_1", "s_1", "sup |σ'| of the activation")
L_Q = _symbol(
    "L_Q",
    "L_Q",
    "Lipschitz constant of a head in Q",
    STATE**2 / DEPTH,
    indexed=True,
    definition=sp.sqrt(n) * rho_OV * rho_K * R**3 / sp.sqrt(d_k),
)
L_K = _symbol(
    "L_K",
    "L_K",
    "Lipschitz constant of a head in K",
    STATE**2 / DEPTH,
    indexed=True,
    definition=sp.sqrt(n) * rho_OV * rho_Q * R**3 / sp.sqrt(d_k),
)
L_V = _symbol(
    "L_V", "L_V", "Lipschitz constant of a head in V", STATE / DEPTH, indexed=True, definition=sp.sqrt(n) * rho_O * R
)
L_O = _symbol("L_O", "L_O", "Lipschitz constant of a head in O", STATE, indexed=True, definition=sp.sqrt(n) * rho_V * R)
L_W1 = _symbol(
    "L_W1",
    "L_{W_1}",
    "Lipschitz constant of the MLP in its first matrix",
    STATE**2 / DEPTH,
    definition=sp.sqrt(n) * rho_W2 * s_1 * R,
)
L_b1 = _symbol(
    "L_b1",
    "L_{b_1}",
    "Lipschitz constant of the MLP in its first bias",
    STATE / DEPTH,
    definition=sp.sqrt(n) * rho_W2 * s_1,
)
L_W2 = _symbol(
    "L_W2",
    "L_{W_2}",
    "Lipschitz constant of the MLP in its second matrix",
    definition=sp.sqrt(n) * (rho_W1 * R + beta_1),
)
L_b2 = _symbol("L_b2", "L_{b_2}", "Lipschitz constant of the MLP in its second bias", definition=sp.sqrt(n))
L_head = _symbol(
    "L_head",
    r"L_{\mathrm{head}}",
    "Lipschitz constant of a head in its blocks together",
    STATE / DEPTH / CONTROL,
    indexed=True,
    definition=sp.sqrt(
        (L_Q / Unit(1, 0, 1)) ** 2
        + (L_K / Unit(1, 0, 1)) ** 2
        + (L_V / Unit(0, 0, 1)) ** 2
        + (L_O / Unit(0, 1, 1)) ** 2
    ),
)
L_mlp = _symbol(
    "L_mlp",
    r"L_{\mathrm{mlp}}",
    "Lipschitz constant of the MLP in its blocks together",
    STATE / DEPTH / CONTROL,
    definition=sp.sqrt(
        (L_W1 / Unit(1, 0, 1)) ** 2
        + (L_b1 / Unit(0, 0, 1)) ** 2
        + (L_W2 / Unit(-1, 1, 1)) ** 2
        + (L_b2 / Unit(-1, 1, 1)) ** 2
    ),
)
gamma_max = _symbol("gamma_max", r"\gamma_{\max}", "largest gain of a normalisation, in absolute value", STATE)
beta_norm = _symbol("beta_norm", r"\beta_{\mathrm{norm}}", "norm of a normalisation's shift", STATE)
eps_norm = _symbol(
    "eps_norm", r"\varepsilon_{\mathrm{norm}}", "what a normalisation adds to the mean square", STATE**2, POSITIVE
)
r_norm = _symbol("r_norm", "r", "least norm of the tokens that are normalised, after centring", STATE)
R_norm = _symbol(
    "R_norm",
    r"R_{\mathrm{norm}}",
    "radius that contains every normalised token",
    STATE,
    definition=gamma_max * sp.sqrt(d) + beta_norm,
)

# Trajectories.
R_0 = _symbol("R_0", "R_0", "radius of the inputs, token by token", STATE)
g_x = _symbol("g_x", "g", "growth of the field: |F_i| ≤ g|x|_tok + m", DEPTH**-1)
m_x = _symbol("m_x", "m", "growth of the field at 0: |F_i| ≤ g|x|_tok + m", STATE / DEPTH)
Z = _symbol(
    "Z",
    "Z",
    "∫|ζ| over [0, T], or the step sum of |ζ| over the layers: bounds the time that passes",
    DEPTH,
    definition=zeta_bar * T,
)
R_T = _symbol(
    "R_T",
    "R_T",
    "radius that contains every trajectory",
    STATE,
    definition=R_0 * sp.exp(g_x * Z) + m_x * Z * phi1(g_x * Z),
)

# Loss.
C = _symbol("C", "C", "number of classes", PURE, at_least(2), integer=True)
B = _symbol("B", "B", "bound of the logit box [−B, B]")
n_lab = _symbol("n_lab", r"n_{\mathrm{lab}}", "number of labelled tokens", PURE, at_least(1), integer=True)
kappa = _symbol(
    "kappa",
    r"\kappa",
    "least ratio of two probabilities on the box",
    PURE,
    Interval(sp.Integer(0), sp.Integer(1), low_open=True),
    definition=sp.exp(-2 * B),
)
_floor = m + (C - m) * kappa
G_BC = _symbol(
    "G_BC",
    "G(B,C)",
    "largest norm of the softmax residual on the box",
    PURE,
    definition=sp.sqrt(
        MaxOver(
            1 + (1 - kappa) / _floor - C * kappa / _floor**2, m, 1, C - 1, C * kappa * (1 + kappa), (1 - kappa) ** 2
        )
    ),
)
L_ell = _symbol("L_ell", r"L_\ell", "Lipschitz constant of the loss in the logits", PURE, definition=G_BC)
M_ell = _symbol(
    "M_ell",
    r"M_\ell",
    "width of the range of the loss on the box",
    PURE,
    definition=2 * B + sp.log((kappa + C - 1) / (1 + (C - 1) * kappa)),
)
p_min = _symbol(
    "p_min", r"p_{\min}", "least probability on the box", PURE, between(0, 1), definition=kappa / (kappa + C - 1)
)
L_soft = _symbol(
    "L_soft",
    r"L_{\mathrm{softmax}}",
    "Lipschitz constant of softmax on the box: the largest curvature of the loss",
    PURE,
    definition=1 / (2 + (C - 2) * kappa),
)
L_H = _symbol("L_H", "L_H", "Lipschitz constant of the readout", STATE**-1)

# Depth errors.
C_E = _symbol(
    "C_E", "C_E", "depth error per step: |X_k − X(t_k)| ≤ C_E ε", STATE / DEPTH, definition=A * T * phi1(b * T) / 2
)
E_depth = _symbol(
    "E_depth",
    r"E_\varepsilon",
    "depth error at the end, |X(T) − X_K| for every input",
    STATE,
    definition=A * eps**2 / 2 * geom(eps * b, K),
)
C_R = _symbol("C_R", "C_R", "depth error of the risk per step", DEPTH**-1, definition=L_ell * L_H * C_E)
W_theta = _symbol(
    "W_theta",
    r"W_\theta",
    "what the control changes within a layer's cell beyond L_c times the depth passed",
    CONTROL,
    indexed=True,
)
W_zeta = _symbol(
    "W_zeta",
    r"W_\zeta",
    "what the schedule changes within a layer's cell beyond L_ζ times the depth passed",
    PURE,
    indexed=True,
)
zeta_k = _symbol("zeta_k", r"|\zeta|", "|ζ(t_k)|, layer by layer", PURE, indexed=True)
L_k = _symbol("L_k", "L", "Lipschitz constant of layer k in the state", DEPTH**-1, indexed=True)
tau_k = _symbol("tau_k", r"\tau", "bound on the truncation error of layer k", STATE, indexed=True)

# Sampling.
N = _symbol("N", "N", "number of samples", PURE, at_least(1), integer=True)
delta = _symbol("delta", r"\delta", "failure probability", PURE, between(0, 1, open_ends=True))
G_size = _symbol("G_size", r"|\mathcal{G}|", "number of controls in a finite class", PURE, at_least(1), integer=True)
q = _symbol("q", "q", "grid points for one layer's whole control", PURE, at_least(1), integer=True)
a_grid = _symbol(
    "a_grid",
    "a",
    "sampling error over a grid of layers, times the root of the step",
    DEPTH ** sp.Rational(1, 2),
    definition=M_ell * sp.sqrt(T * sp.log(q) / (2 * N)),
)
eps_star = _symbol(
    "eps_star",
    r"\varepsilon_*",
    "step that balances depth error and sampling error",
    DEPTH,
    definition=Ratio(a_grid, 2 * C_R) ** sp.Rational(2, 3),
)
p = _symbol("p", "p", "number of parameters of a layer", PURE, at_least(1), integer=True)
r = _symbol("r", "r", "covering radius", CONTROL, POSITIVE)
rho = _symbol("rho", r"\rho", "half side of the cube that holds the controls", CONTROL)
r_inf = _symbol(
    "r_inf",
    r"r_\infty",
    "covering radius in the largest coordinate, enough for r in the Euclidean norm",
    CONTROL,
    POSITIVE,
    definition=r / sp.sqrt(p),
)
cells = _symbol(
    "cells",
    "c",
    "number of cells on which a centre has one slope",
    PURE,
    at_least(1),
    integer=True,
    definition=sp.Max(1, sp.ceiling(L_c * T / r_inf)),
)
cell = _symbol("cell", r"h", "length of a cell on which a centre has one slope", DEPTH, definition=T / cells)
log_N_cover = _symbol(
    "log_N_cover",
    r"\log\mathcal{N}(r)",
    "logarithm of the number of balls that cover the class, of radius r_inf in the largest coordinate and so of "
    "radius r; their centres are a finite class",
    definition=sp.log(G_size),
)
L_J = _symbol(
    "L_J",
    "L_J",
    "Lipschitz constant of the risk in the control, in the sup norm",
    CONTROL**-1,
    definition=L_ell * L_H * zeta_bar * L_theta * T * phi1(b * T),
)
D_exp = _symbol(
    "D_exp", "D", "distance of two controls, ∫|θ − θ'|, weighted by what the flow makes of it after", CONTROL * DEPTH
)
eta = _symbol("eta", r"\eta_\varepsilon", "approximation error of the control class")
gap = _symbol("gap", r"\mathrm{opt}", "optimisation gap of the trained control")
Delta_eps = _symbol("Delta_eps", r"\Delta_\varepsilon", "depth error of the empirical risk, uniform over the class")
Delta_N = _symbol("Delta_N", r"\Delta_N", "sampling error of the flow's risk, uniform over the class")
J_star = _symbol("J_star", r"\inf J", "infimum of the risk of the flow", PURE, REAL)
