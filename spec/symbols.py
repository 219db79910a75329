"""Every symbol of the theory, once: ASCII name, LaTeX, meaning, dimension, range, integrality, definition.

Names that the literature reuses are told apart here: N samples and N_cover nets, C classes, b growth rate and beta_1,
beta_2 biases, L_c the control's Lipschitz constant, A the Lipschitz constant of the velocity and rho_A of the scores.
"""

import sympy as sp

from spec.language.dimension import CONTROL, DEPTH, PURE, STATE
from spec.language.functions import (
    Entry,
    MaxOver,
    Ratio,
    SumOver,
    Unit,
    expectation,
    gauge,
    geom,
    inner,
    norm,
    phi1,
    token_norm,
)
from spec.language.quantity import NONNEGATIVE, POSITIVE, REAL, Interval, Vocabulary, at_least, between
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
j = _variable("j", "j", "an earlier layer, a sample, or a token that is looked at", PURE, NONNEGATIVE, integer=True)
h = _variable("h", "h", "a head", PURE, NONNEGATIVE, integer=True)
e = _variable("e", "e", "an error carried from layer to layer, or a length", STATE, NONNEGATIVE)
w = _variable("w", "w", "a real number", PURE)
v = _variable("v", "v", "another real number", PURE)
i = _variable("i", "i", "an index of a control in a finite class, or of a token", PURE, NONNEGATIVE, integer=True)
level = _variable("level", r"\alpha", "a failure probability", PURE, between(0, 1, open_ends=True))
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
A = _symbol("A", "A", "Lipschitz constant of the velocity in depth", STATE / DEPTH**2, definition=L_zeta * M + zeta_bar * L_theta * L_c + zeta_bar**2 * L_x * M)  # fmt: skip
rho_Q = _symbol("rho_Q", r"\rho_Q", "spectral radius of the ball of Q", STATE**-1, indexed=True)
rho_K = _symbol("rho_K", r"\rho_K", "spectral radius of the ball of K", STATE**-1, indexed=True)
rho_V = _symbol("rho_V", r"\rho_V", "spectral radius of the ball of V", PURE, indexed=True)
rho_O = _symbol("rho_O", r"\rho_O", "spectral radius of the ball of O", DEPTH**-1, indexed=True)
rho_A = _symbol("rho_A", r"\rho_A", "spectral bound on the score form QᵀK/√d_k", STATE**-2, indexed=True, definition=rho_Q * rho_K / sp.sqrt(d_k))  # fmt: skip
rho_OV = _symbol("rho_OV", r"\rho_{OV}", "spectral bound on the product OV", DEPTH**-1, indexed=True, definition=rho_O * rho_V)  # fmt: skip
s_A = _symbol("s_A", "s", "size of a head's scores on K_R, ρ_A R²", indexed=True, definition=rho_A * R**2)
sigma_A = _symbol("sigma_A", r"\sigma", "size of a head's scores, at least ½", PURE, POSITIVE, indexed=True, definition=sp.Max(s_A, sp.Rational(1, 2)))  # fmt: skip
k_A = _symbol("k_A", "k", "root of the sum of squares of what the keys can move a row of softmax means by", PURE, at_least(1), indexed=True, definition=sp.sqrt(1 + (sigma_A - 1 / (4 * sigma_A)) ** 2 / 2))  # fmt: skip
L_A = _symbol("L_A", "L_A", "Lipschitz constant of a head's softmax means in the state", PURE, indexed=True, definition=(sp.sqrt(n) * k_A + sp.sqrt(n * k_A**2 + 4 * s_A * (s_A + sp.sqrt(1 + s_A**2)))) / 2)  # fmt: skip
rho_W1 = _symbol("rho_W1", r"\rho_{W_1}", "spectral radius of the ball of the MLP's first matrix", STATE**-1)
beta_1 = _symbol("beta_1", r"\beta_1", "radius of the ball of the MLP's first bias")
rho_W2 = _symbol("rho_W2", r"\rho_{W_2}", "spectral radius of the ball of the MLP's second matrix", STATE / DEPTH)
beta_2 = _symbol("beta_2", r"\beta_2", "radius of the ball of the MLP's second bias", STATE / DEPTH)
s_1 = _symbol("s_1", "s_1", "sup |σ'| of the activation")
L_Q = _symbol("L_Q", "L_Q", "Lipschitz constant of a head in Q", STATE**2 / DEPTH, indexed=True, definition=sp.sqrt(n) * rho_OV * rho_K * R**3 / sp.sqrt(d_k))  # fmt: skip
L_K = _symbol("L_K", "L_K", "Lipschitz constant of a head in K", STATE**2 / DEPTH, indexed=True, definition=sp.sqrt(n) * rho_OV * rho_Q * R**3 / sp.sqrt(d_k))  # fmt: skip
L_V = _symbol("L_V", "L_V", "Lipschitz constant of a head in V", STATE / DEPTH, indexed=True, definition=sp.sqrt(n) * rho_O * R)  # fmt: skip
L_O = _symbol("L_O", "L_O", "Lipschitz constant of a head in O", STATE, indexed=True, definition=sp.sqrt(n) * rho_V * R)
L_W1 = _symbol("L_W1", "L_{W_1}", "Lipschitz constant of the MLP in its first matrix", STATE**2 / DEPTH, definition=sp.sqrt(n) * rho_W2 * s_1 * R)  # fmt: skip
L_b1 = _symbol("L_b1", "L_{b_1}", "Lipschitz constant of the MLP in its first bias", STATE / DEPTH, definition=sp.sqrt(n) * rho_W2 * s_1)  # fmt: skip
L_W2 = _symbol("L_W2", "L_{W_2}", "Lipschitz constant of the MLP in its second matrix", definition=sp.sqrt(n) * (rho_W1 * R + beta_1))  # fmt: skip
L_b2 = _symbol("L_b2", "L_{b_2}", "Lipschitz constant of the MLP in its second bias", definition=sp.sqrt(n))
L_head = _symbol("L_head", r"L_{\mathrm{head}}", "Lipschitz constant of a head in its blocks together", STATE / DEPTH / CONTROL, indexed=True, definition=sp.sqrt((L_Q / Unit(1, 0, 1)) ** 2 + (L_K / Unit(1, 0, 1)) ** 2 + (L_V / Unit(0, 0, 1)) ** 2 + (L_O / Unit(0, 1, 1)) ** 2))  # fmt: skip
L_mlp = _symbol("L_mlp", r"L_{\mathrm{mlp}}", "Lipschitz constant of the MLP in its blocks together", STATE / DEPTH / CONTROL, definition=sp.sqrt((L_W1 / Unit(1, 0, 1)) ** 2 + (L_b1 / Unit(0, 0, 1)) ** 2 + (L_W2 / Unit(-1, 1, 1)) ** 2 + (L_b2 / Unit(-1, 1, 1)) ** 2))  # fmt: skip
gamma_max = _symbol("gamma_max", r"\gamma_{\max}", "largest gain of a normalisation, in absolute value", STATE)
beta_norm = _symbol("beta_norm", r"\beta_{\mathrm{norm}}", "norm of a normalisation's shift", STATE)
eps_norm = _symbol("eps_norm", r"\varepsilon_{\mathrm{norm}}", "what a normalisation adds to the mean square", STATE**2, POSITIVE)  # fmt: skip
r_norm = _symbol("r_norm", "r", "least norm of the tokens that are normalised, after centring", STATE)
R_norm = _symbol("R_norm", r"R_{\mathrm{norm}}", "radius that contains every normalised token", STATE, definition=gamma_max * sp.sqrt(d) + beta_norm)  # fmt: skip

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
kappa = _symbol("kappa", r"\kappa", "least ratio of two probabilities on the box", PURE, Interval(sp.Integer(0), sp.Integer(1), low_open=True), definition=sp.exp(-2 * B))  # fmt: skip
_floor = m + (C - m) * kappa
G_BC = _symbol(
    "G_BC", "G(B,C)", "largest norm of the softmax residual on the box", PURE,
    definition=sp.sqrt(MaxOver(1 + (1 - kappa) / _floor - C * kappa / _floor**2, m, 1, C - 1, C * kappa * (1 + kappa), (1 - kappa) ** 2)),
)  # fmt: skip
L_ell = _symbol("L_ell", r"L_\ell", "Lipschitz constant of the loss in the logits", PURE, definition=G_BC)
M_ell = _symbol("M_ell", r"M_\ell", "width of the range of the loss on the box", PURE, definition=2 * B + sp.log((kappa + C - 1) / (1 + (C - 1) * kappa)))  # fmt: skip
p_min = _symbol("p_min", r"p_{\min}", "least probability on the box", PURE, between(0, 1), definition=kappa / (kappa + C - 1))  # fmt: skip
L_soft = _symbol("L_soft", r"L_{\mathrm{softmax}}", "Lipschitz constant of softmax on the box: the largest curvature of the loss", PURE, definition=1 / (2 + (C - 2) * kappa))  # fmt: skip
L_H = _symbol("L_H", "L_H", "Lipschitz constant of the readout", STATE**-1)

# Depth errors.
C_E = _symbol("C_E", "C_E", "depth error per step: |X_k − X(t_k)| ≤ C_E ε", STATE / DEPTH, definition=A * T * phi1(b * T) / 2)  # fmt: skip
E_depth = _symbol("E_depth", r"E_\varepsilon", "depth error at the end, |X(T) − X_K| for every input", STATE, definition=A * eps**2 / 2 * geom(eps * b, K))  # fmt: skip
C_R = _symbol("C_R", "C_R", "depth error of the risk per step", DEPTH**-1, definition=L_ell * L_H * C_E)
W_theta = _symbol("W_theta", r"W_\theta", "what the control changes within a layer's cell beyond L_c times the depth passed", CONTROL, indexed=True)  # fmt: skip
W_zeta = _symbol("W_zeta", r"W_\zeta", "what the schedule changes within a layer's cell beyond L_ζ times the depth passed", PURE, indexed=True)  # fmt: skip
zeta_k = _symbol("zeta_k", r"|\zeta|", "|ζ(t_k)|, layer by layer", PURE, indexed=True)
L_k = _symbol("L_k", "L", "Lipschitz constant of layer k in the state", DEPTH**-1, indexed=True)
tau_k = _symbol("tau_k", r"\tau", "bound on the truncation error of layer k", STATE, indexed=True)

# Sampling.
N = _symbol("N", "N", "number of samples", PURE, at_least(1), integer=True)
delta = _symbol("delta", r"\delta", "failure probability", PURE, between(0, 1, open_ends=True))
G_size = _symbol("G_size", r"|\mathcal{G}|", "number of controls in a finite class", PURE, at_least(1), integer=True)
q = _symbol("q", "q", "grid points for one layer's whole control", PURE, at_least(1), integer=True)
a_grid = _symbol("a_grid", "a", "sampling error over a grid of layers, times the root of the step", DEPTH ** sp.Rational(1, 2), definition=M_ell * sp.sqrt(T * sp.log(q) / (2 * N)))  # fmt: skip
eps_star = _symbol("eps_star", r"\varepsilon_*", "step that balances depth error and sampling error", DEPTH, definition=Ratio(a_grid, 2 * C_R) ** sp.Rational(2, 3))  # fmt: skip
p = _symbol("p", "p", "number of parameters of a layer", PURE, at_least(1), integer=True)
r = _symbol("r", "r", "covering radius", CONTROL, POSITIVE)
rho = _symbol("rho", r"\rho", "half side of the cube that holds the controls", CONTROL)
r_inf = _symbol("r_inf", r"r_\infty", "covering radius in the largest coordinate, enough for r in the Euclidean norm", CONTROL, POSITIVE, definition=r / sp.sqrt(p))  # fmt: skip
cells = _symbol("cells", "c", "number of cells on which a centre has one slope", PURE, at_least(1), integer=True, definition=sp.Max(1, sp.ceiling(L_c * T / r_inf)))  # fmt: skip
cell = _symbol("cell", r"h", "length of a cell on which a centre has one slope", DEPTH, definition=T / cells)
log_N_cover = _symbol("log_N_cover", r"\log\mathcal{N}(r)", "logarithm of the number of balls that cover the class, of radius r_inf in the largest coordinate and so of radius r; their centres are a finite class", definition=sp.log(G_size))  # fmt: skip
L_J = _symbol("L_J", "L_J", "Lipschitz constant of the risk in the control, in the sup norm", CONTROL**-1, definition=L_ell * L_H * zeta_bar * L_theta * T * phi1(b * T))  # fmt: skip
D_exp = _symbol("D_exp", "D", "distance of two controls, ∫|θ − θ'|, weighted by what the flow makes of it after", CONTROL * DEPTH)  # fmt: skip
eta = _symbol("eta", r"\eta_\varepsilon", "approximation error of the control class")
gap = _symbol("gap", r"\mathrm{opt}", "optimisation gap of the trained control")
Delta_eps = _symbol("Delta_eps", r"\Delta_\varepsilon", "depth error of the empirical risk, uniform over the class")
Delta_N = _symbol("Delta_N", r"\Delta_N", "sampling error of the flow's risk, uniform over the class")
J_star = _symbol("J_star", r"\inf J", "infimum of the risk of the flow", PURE, REAL)

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
nearest = _function("nearest", r"\operatorname{nearest}", "the index of the centre nearest to a control", vector=False, integer=True)  # fmt: skip
trained = _function("trained", r"\hat\theta", "the control trained at a step and a sample", CONTROL, vector=True)
near = _function("near", r"\theta", "controls of the class whose risks come near what the class can reach", CONTROL, vector=True)  # fmt: skip
flow_of = _function("flow_of", r"\Phi", "the flow of a control from the input of a sample, at a depth", STATE, vector=True, arity=3)  # fmt: skip
input_of = _function("input_of", "x", "the input of a sample", STATE, vector=True)
value_of = _function("value_of", r"\theta", "the value of a control at a depth", CONTROL, vector=True, arity=2)
sup_dist = _function("sup_dist", r"d_\infty", "sup over the depth of the distance of two controls", CONTROL, vector=False, arity=2)  # fmt: skip
member = _function("member", r"\vartheta", "the controls of a finite class, by index", CONTROL, vector=True)
sees = _function("sees", r"\mathrm{sees}", "1 for what depends on the sample, 0 for what is fixed before it", vector=False)

# Objects of the field: what matrices do to tokens, and what is made of it.
token = _function("token", r"\operatorname{token}", "token i of a state", STATE, vector=True, arity=2)
longest = _function("longest", r"\operatorname{longest}", "the index of a longest token of a state", vector=False, integer=True)
query = _function("query", r"\operatorname{query}", "Q times a token", vector=True, arity=2)
key = _function("key", r"\operatorname{key}", "K times a token", vector=True, arity=2)
visible = _function("visible", r"\operatorname{visible}", "1 where token i looks at token j, else 0", vector=False, arity=2)  # fmt: skip
mix = _function("mix", r"\operatorname{mix}", "every token's softmax mean of the tokens it looks at, by Q and K", STATE, vector=True, arity=3)  # fmt: skip
mix_slope = _function("mix_slope", r"D\operatorname{mix}", "derivative of the softmax means at a state, in a direction", STATE, vector=True, arity=4)  # fmt: skip
attends = _function("attends", "P", "softmax weight that token i gives to token j, by Q and K", vector=False, arity=5)
sought = _function("sought", "u", "KᵀQ/√d_k times token i: its score with a token is their product", STATE**-1, vector=True, arity=4)  # fmt: skip
heading = _function("heading", r"\operatorname{heading}", "a unit vector along a vector", vector=True)
leader = _function("leader", r"\operatorname{leader}", "the row of the means that the other tokens move most, at a state, in a direction", vector=False, arity=4, integer=True)  # fmt: skip
value = _function("value", r"\operatorname{value}", "V times every token", STATE, vector=True, arity=2)
output = _function("output", r"\operatorname{output}", "O times every token", STATE / DEPTH, vector=True, arity=2)
inward = _function("inward", r"\operatorname{inward}", "W1 times every token", vector=True, arity=2)
sigma = _function("sigma", r"\sigma", "the activation, entry by entry", vector=True)
outward = _function("outward", r"\operatorname{outward}", "W2 times every token's hidden values", STATE / DEPTH, vector=True, arity=2)  # fmt: skip
spread_1 = _function("spread_1", r"\operatorname{spread}", "b1 at every token", vector=True)
spread_2 = _function("spread_2", r"\operatorname{spread}", "b2 at every token", STATE / DEPTH, vector=True)
ball = _function("ball", r"\operatorname{ball}", "norm of a block of head h over the radius of its ball", vector=False, arity=2)  # fmt: skip
block_Q = _function("block_Q", "Q", "the block Q of head h", STATE**-1, vector=True, arity=2)
block_K = _function("block_K", "K", "the block K of head h", STATE**-1, vector=True, arity=2)
block_V = _function("block_V", "V", "the block V of head h", vector=True, arity=2)
block_O = _function("block_O", "O", "the block O of head h", DEPTH**-1, vector=True, arity=2)
block_W1 = _function("block_W1", "W_1", "the block W1", STATE**-1, vector=True)
block_b1 = _function("block_b1", "b_1", "the block b1", vector=True)
block_W2 = _function("block_W2", "W_2", "the block W2", STATE / DEPTH, vector=True)
block_b2 = _function("block_b2", "b_2", "the block b2", STATE / DEPTH, vector=True)
assembled = _function("assembled", "F", "the field with its first h heads", STATE / DEPTH, vector=True, arity=3)
normed = _function("normed", r"\operatorname{norm}", "a state normalised token by token", STATE, vector=True)
axis = _function("axis", "a", "what a normalisation takes out of tokens of width d: the unit vector (1, …, 1)/√d in LayerNorm, 0 in RMSNorm", vector=True)  # fmt: skip
centred = _function("centred", r"\operatorname{centred}", "a token without its part along the axis", STATE, vector=True)
deviation = _function("deviation", r"\operatorname{dev}", "what a token is divided by: the root of ε plus its mean square after centring", STATE, vector=False)  # fmt: skip
scaled = _function("scaled", r"\operatorname{scaled}", "a token centred and divided by its deviation", vector=True)
gain = _function("gain", r"\operatorname{gain}", "a scaled token times the gains, coordinate by coordinate", STATE, vector=True)  # fmt: skip
shift = _function("shift", r"\beta", "what a normalisation adds to tokens of width d", STATE, vector=True)
shortest = _function("shortest", r"\operatorname{shortest}", "the index of a token that is shortest after centring", vector=False, integer=True)  # fmt: skip

# Objects of the loss.
readout = _function("H", "H", "the readout: logits of a state", vector=True)
softmax = _function("softmax", r"\operatorname{softmax}", "probabilities of logits", vector=True)
label = _function("Y", "Y", "a label: probabilities of the classes", vector=True)
loss = _function("ell", r"\ell", "cross-entropy of logits and a label", vector=False, arity=2)
peak = _function("peak", r"\operatorname{peak}", "largest absolute logit", vector=False)
outcome = _function("outcome", "h", "logits of a sample, or of a labelled token, under a control at the end of the flow", vector=True, arity=2)
outcome_eps = _function("outcome_eps", r"h_\varepsilon", "logits of a sample under a control, after the last layer", vector=True, arity=2)  # fmt: skip
ones = _function("ones", r"\mathbf{1}", "the vector of C ones", vector=True)
entry = _function("entry", r"\operatorname{entry}", "entry j of a vector of C numbers", vector=False, arity=2)
square = _function("square", r"\operatorname{square}", "squares of the entries of a vector", vector=True)
variance = _function("variance", r"\operatorname{Var}", "variance of the entries of a vector under probabilities: ⟨ω, ∇²ℓ ω⟩ for those of a softmax", vector=False, arity=2)  # fmt: skip
on_top = _function("on_top", r"\operatorname{ontop}", "a vector at the top of a direction, 0 elsewhere", vector=True, arity=2)
highest = _function("highest", r"\operatorname{highest}", "index of a largest entry", vector=False, integer=True)
lowest = _function("lowest", r"\operatorname{lowest}", "index of a least entry", vector=False, integer=True)
reach = _function("reach", r"\operatorname{reach}", "largest mean of a vector under a softmax of the box", vector=False)
top = _function("top", r"\operatorname{top}", "0/1 vector of the classes at B at the corner of the box whose softmax reaches farthest in a direction", vector=True)  # fmt: skip

VOCABULARY.is_random(outcome, outcome_eps, label, input_of, flow_of, J_N, J_epsN, iota, trained)

_given_depths = (sp.Le(s, t, evaluate=False), sp.Le(t, T, evaluate=False))
FLOW = _define("flow", Statement(sp.Eq(X(t) - X(s), sp.Integral(zeta(u) * F(X(u), theta(u)), (u, s, t)), evaluate=False), (s, t), _given_depths))  # fmt: skip
TRANSFORMER = _define("transformer", Statement(sp.Eq(Xhat(k + 1), Xhat(k) + eps * zeta(k * eps) * F(Xhat(k), theta(k * eps)), evaluate=False), (k,), (sp.Le(k, K - 1, evaluate=False),)))  # fmt: skip
START = _define("start", Statement(sp.Eq(norm(Xhat(0) - X(0)), 0, evaluate=False)))
_in_cell = (sp.Le(k, K - 1, evaluate=False), sp.Ge(u, k * eps, evaluate=False), sp.Lt(u, k * eps + eps, evaluate=False))
CONTROL_IN_CELL = _define("control-in-cell", Statement(sp.Le(norm(theta(u) - theta(k * eps)), L_c * (u - k * eps) + Entry(W_theta, k), evaluate=False), (k, u), _in_cell))  # fmt: skip
SCHEDULE_IN_CELL = _define("schedule-in-cell", Statement(sp.Le(sp.Abs(zeta(u) - zeta(k * eps)), L_zeta * (u - k * eps) + Entry(W_zeta, k), evaluate=False), (k, u), _in_cell))  # fmt: skip

# Covers: a coordinate of a control, followed by a centre that moves up or down in every cell.
coord = _function("coord", "f", "a coordinate of the control", CONTROL, vector=False)
centre = _function("centre", "g", "the coordinate's centre, before it is clipped to the cube", CONTROL, vector=False)
turn = _function("turn", r"\sigma", "1 where the centre moves up in a cell, -1 where it moves down", vector=False)
_moving = (sp.Ge(t, k * cell), sp.Le(t, k * cell + cell), sp.Le(k, cells - 1))
COORDINATE = _define("coordinate", Statement(sp.Le(sp.Abs(coord(t) - coord(s)), norm(theta(t) - theta(s)), evaluate=False), (s, t)))  # fmt: skip
CENTRE_START = _define("centre-start", Statement(sp.Eq(centre(0), r_inf * (2 * sp.Max(1, sp.ceiling((coord(0) + rho) / (2 * r_inf))) - 1) - rho, evaluate=False)))  # fmt: skip
CENTRE_SLOPE = _define("centre-slope", Statement(sp.Eq(centre(t) - centre(k * cell), turn(k) * L_c * (t - k * cell), evaluate=False), (k, t), _moving))  # fmt: skip
TURN = _define("turn", Statement(sp.Eq(turn(k) ** 2, 1, evaluate=False), (k,)))
TURN_TOWARDS = _define("turn-towards", Statement(sp.Ge(turn(k) * (coord(k * cell + cell) - centre(k * cell)), 0, evaluate=False), (k,), (sp.Le(k, cells - 1),)))  # fmt: skip

# Two finite classes: words of K letters, a grid point a layer; the centres of a cover.
GRID_SIZE = _define("grid-size", Statement(sp.Eq(G_size, q**K, evaluate=False)))
NEAREST = _define("nearest", Statement(sp.Le(nearest(vartheta), G_size - 1, evaluate=False), (vartheta,)))
EMPIRICAL_RISK = _define("empirical-risk", Statement(sp.Eq(J_N(vartheta), SumOver(loss(outcome(vartheta, j), label(j)), j, N) / N, evaluate=False), (vartheta,)))  # fmt: skip
LAYERED_EMPIRICAL_RISK = _define("layered-empirical-risk", Statement(sp.Eq(J_epsN(vartheta), SumOver(loss(outcome_eps(vartheta, j), label(j)), j, N) / N, evaluate=False), (vartheta,)))  # fmt: skip
# Samples 0, …, N − 1 are at hand; sample N is a fresh draw from the population, over which the risks take their mean.
RISK = _define("risk", Statement(sp.Eq(J(vartheta), expectation(loss(outcome(vartheta, N), label(N))), evaluate=False), (vartheta,)))  # fmt: skip
LAYERED_RISK = _define("layered-risk", Statement(sp.Eq(J_eps(vartheta), expectation(loss(outcome_eps(vartheta, N), label(N))), evaluate=False), (vartheta,)))  # fmt: skip
# X and the Transformer are those of the control and the sample that is spoken of.
OUTCOME = _define("outcome", Statement(sp.Eq(outcome(vartheta, j), readout(X(T)), evaluate=False), (vartheta, j)))
LAYERED_OUTCOME = _define("layered-outcome", Statement(sp.Eq(outcome_eps(vartheta, j), readout(Xhat(K)), evaluate=False), (vartheta, j)))  # fmt: skip

# The same for any control and any sample, where several controls are compared.
_velocity_of = zeta(u) * F(flow_of(vartheta, j, u), value_of(vartheta, u))
FLOW_OF = _define("flow-of", Statement(sp.Eq(flow_of(vartheta, j, t) - flow_of(vartheta, j, 0), sp.Integral(_velocity_of, (u, 0, t)), evaluate=False), (vartheta, j, t), (sp.Le(t, T, evaluate=False),)))  # fmt: skip
START_OF = _define("start-of", Statement(sp.Eq(flow_of(vartheta, j, 0), input_of(j), evaluate=False), (vartheta, j)))
OUTCOME_OF = _define("outcome-of", Statement(sp.Eq(outcome(vartheta, j), readout(flow_of(vartheta, j, T)), evaluate=False), (vartheta, j)))  # fmt: skip
SUP_DIST = _define("sup-dist", Statement(sp.Le(norm(value_of(vartheta, u) - value_of(varphi, u)), sup_dist(vartheta, varphi), evaluate=False), (vartheta, varphi, u), (sp.Le(u, T, evaluate=False),)))  # fmt: skip

_classes, _weight = (sp.Le(j, C - 1, evaluate=False),), sp.exp(entry(logit, j))
_excess, _at_top = entry(omega, j) - reach(omega), norm(top(omega)) ** 2
_share = entry(softmax(logit), j)
SOFTMAX_POSITIVE = _define("softmax-positive", Statement(sp.Ge(_share, 0, evaluate=False), (logit, j), _classes))
SOFTMAX_SUM = _define("softmax-sum", Statement(sp.Eq(SumOver(_share, j, C), 1, evaluate=False), (logit,)))
SOFTMAX_RATIO = _define("softmax-ratio", Statement(sp.Eq(sp.exp(entry(logit, k)) * _share, _weight * entry(softmax(logit), k), evaluate=False), (logit, j, k), (*_classes, sp.Le(k, C - 1, evaluate=False))))  # fmt: skip
INNER_ENTRIES = _define("inner-entries", Statement(sp.Eq(inner(omega, omega_alt), SumOver(entry(omega, j) * entry(omega_alt, j), j, C), evaluate=False), (omega, omega_alt)))  # fmt: skip
PEAK = _define("peak", Statement(sp.Le(sp.Abs(entry(logit, j)), peak(logit), evaluate=False), (logit, j), _classes))
REACH = _define("reach", Statement(sp.Eq(SumOver(sp.Max(_excess, 0) + kappa * sp.Min(_excess, 0), j, C), 0, evaluate=False), (omega,)))  # fmt: skip
CORNER = _define("corner", Statement(sp.Eq((C * kappa + (1 - kappa) * _at_top) * reach(omega), kappa * inner(ones(C), omega) + (1 - kappa) * inner(top(omega), omega), evaluate=False), (omega,)))  # fmt: skip
TOP_SOME = _define("top-some", Statement(sp.Ge(_at_top, 1, evaluate=False), (omega,)))
TOP_NOT_ALL = _define("top-not-all", Statement(sp.Le(_at_top, C - 1, evaluate=False), (omega,)))
TOP_WHOLE = _define("top-whole", Statement(sp.Eq(sp.ceiling(_at_top), _at_top, evaluate=False), (omega,)))
TOP_COUNT = _define("top-count", Statement(sp.Eq(inner(ones(C), top(omega)), _at_top, evaluate=False), (omega,)))
VARIANCE = _define("variance", Statement(sp.Eq(variance(softmax(logit), omega), inner(softmax(logit), square(omega)) - inner(softmax(logit), omega) ** 2, evaluate=False), (logit, omega)))  # fmt: skip
SQUARES = _define("squares", Statement(sp.Eq(inner(ones(C), square(omega)), norm(omega) ** 2, evaluate=False), (omega,)))
SQUARE = _define("square", Statement(sp.Eq(inner(omega_alt, square(omega)), SumOver(entry(omega_alt, j) * entry(omega, j) ** 2, j, C), evaluate=False), (omega, omega_alt)))  # fmt: skip
_on_top = on_top(omega, omega_alt)
TOP_SQUARES = _define("top-squares", Statement(sp.Eq(inner(top(omega), square(omega_alt)), norm(_on_top) ** 2, evaluate=False), (omega, omega_alt)))  # fmt: skip
TOP_VALUES = _define("top-values", Statement(sp.Eq(inner(top(omega), omega_alt), inner(top(omega), _on_top), evaluate=False), (omega, omega_alt)))  # fmt: skip
TOP_PART = _define("top-part", Statement(sp.Eq(inner(omega_alt, _on_top), norm(_on_top) ** 2, evaluate=False), (omega, omega_alt)))  # fmt: skip
ONE_LEFT = _define("one-left", Statement(sp.Eq(norm(omega_alt - _on_top) ** 2, (inner(ones(C), omega_alt) - inner(top(omega), omega_alt)) ** 2, evaluate=False), (omega, omega_alt), (sp.Ge(_at_top, C - 1, evaluate=False),)))  # fmt: skip
ONES = _define("ones", Statement(sp.Eq(norm(ones(C)) ** 2, C, evaluate=False)))
HIGHEST = _define("highest", Statement(sp.Le(highest(omega), C - 1, evaluate=False), (omega,)))
HIGHEST_ENTRY = _define("highest-entry", Statement(sp.Le(entry(omega, j), entry(omega, highest(omega)), evaluate=False), (omega, j), _classes))  # fmt: skip
LOWEST = _define("lowest", Statement(sp.Le(lowest(omega), C - 1, evaluate=False), (omega,)))
LABEL_HIGH = _define("label-high", Statement(sp.Le(inner(omega, label(i)), entry(omega, highest(omega)), evaluate=False), (omega, i)))  # fmt: skip
LABEL_LOW = _define("label-low", Statement(sp.Le(entry(omega, lowest(omega)), inner(omega, label(i)), evaluate=False), (omega, i)))  # fmt: skip
CROSS_ENTROPY = _define("cross-entropy", Statement(sp.Eq(loss(logit, label(i)), sp.log(SumOver(_weight, j, C)) - inner(logit, label(i)), evaluate=False), (logit, i)))  # fmt: skip
LABEL_SUM = _define("label-sum", Statement(sp.Eq(inner(ones(C), label(i)), 1, evaluate=False), (i,)))
LABEL_TOP = _define("label-top", Statement(sp.Ge(inner(top(omega), label(i)), 0, evaluate=False), (omega, i)))
LABEL_LENGTH = _define("label-length", Statement(sp.Le(norm(label(i)), 1, evaluate=False), (i,)))

_token_range, _key_range = (sp.Le(i, n - 1, evaluate=False),), (sp.Le(j, n - 1, evaluate=False),)


def score(state: sp.Expr, Q: sp.Expr, K: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return the score ⟨Q x_i, K x_j⟩/√d_k."""
    return inner(query(Q, token(state, asking)), key(K, token(state, asked))) / sp.sqrt(d_k)


def weight(state: sp.Expr, Q: sp.Expr, K: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return the weight of a key before it is normalised: e^score where it is visible, else 0."""
    return visible(asking, asked) * sp.exp(score(state, Q, K, asking, asked))


def head(state: sp.Expr, Q: sp.Expr, K: sp.Expr, V: sp.Expr, O: sp.Expr) -> sp.Expr:  # noqa: E741
    """Return O Attn(x; Q, K, V)."""
    return output(O, value(V, mix(state, Q, K)))


def mlp(state: sp.Expr, W1: sp.Expr, b1: sp.Expr, W2: sp.Expr, b2: sp.Expr) -> sp.Expr:
    """Return W2 σ(W1 x + b1) + b2, token by token."""
    return outward(W2, sigma(inward(W1, state) + spread_1(b1))) + spread_2(b2)


def _mean_of(payload: sp.Expr) -> sp.Expr:
    weights = weight(x, Q_mat, K_mat, i, j)
    return Ratio(SumOver(weights * payload, j, n), SumOver(weights, j, n))


MIXING = _define("mixing", Statement(sp.Eq(inner(omega, token(mix(x, Q_mat, K_mat), i)), _mean_of(inner(omega, token(x, j))), evaluate=False), (x, Q_mat, K_mat, i, omega), _token_range))  # fmt: skip
def score_slope(asking: sp.Expr, asked: sp.Expr, Q: sp.Expr, K: sp.Expr) -> sp.Expr:
    """Return ⟨Q a, K b⟩/√d_k for two tokens a and b."""
    return inner(query(Q, asking), key(K, asked)) / sp.sqrt(d_k)


def reach_of(state: sp.Expr, Q: sp.Expr, K: sp.Expr, way: sp.Expr, asking: sp.Expr, asked: sp.Expr) -> sp.Expr:
    """Return what token j can move row i of the means by, along `way`: P_ij |ω + ⟨ω, x_j − mix_i⟩ u_i|."""
    offset = inner(way, token(state, asked)) - inner(way, token(mix(state, Q, K), asking))
    return attends(state, Q, K, asking, asked) * norm(way + offset * sought(state, Q, K, asking))


def led(state: sp.Expr, Q: sp.Expr, K: sp.Expr, step: sp.Expr, asking: sp.Expr) -> sp.Expr:
    """Return Σ_j of what token j can move row i by, along the way it goes, times the length of its own step."""
    way = heading(token(mix_slope(state, Q, K, step), asking))
    return SumOver(reach_of(state, Q, K, way, asking, j) * norm(token(step, j)), j, n)


_offset = inner(omega, token(x, j)) - inner(omega, token(mix(x, Q_mat, K_mat), i))
_scores_move = score_slope(token(direction, i), token(x, j), Q_mat, K_mat) + score_slope(token(x, i), token(direction, j), Q_mat, K_mat)  # fmt: skip
_row_moves = SumOver(attends(x, Q_mat, K_mat, i, j) * (inner(omega, token(direction, j)) + _offset * _scores_move), j, n)
ATTENDS = _define("attends", Statement(sp.Eq(attends(x, Q_mat, K_mat, i, j) * SumOver(weight(x, Q_mat, K_mat, i, j), j, n), weight(x, Q_mat, K_mat, i, j), evaluate=False), (x, Q_mat, K_mat, i, j), (*_token_range, *_key_range)))  # fmt: skip
MEANS_MOVE = _define("means-move", Statement(sp.Eq(inner(omega, token(mix_slope(x, Q_mat, K_mat, direction), i)), _row_moves, evaluate=False), (x, direction, Q_mat, K_mat, i, omega), _token_range))  # fmt: skip
SOUGHT = _define("sought", Statement(sp.Eq(inner(y, sought(x, Q_mat, K_mat, i)), score_slope(token(x, i), y, Q_mat, K_mat), evaluate=False), (x, y, Q_mat, K_mat, i)))  # fmt: skip
HEADING_UNIT = _define("heading-unit", Statement(sp.Eq(norm(heading(x)), 1, evaluate=False), (x,)))
HEADING_ALONG = _define("heading-along", Statement(sp.Eq(inner(x, heading(x)), norm(x), evaluate=False), (x,)))
LEADER = _define("leader", Statement(sp.Le(led(x, Q_mat, K_mat, direction, i), led(x, Q_mat, K_mat, direction, leader(x, Q_mat, K_mat, direction)), evaluate=False), (x, direction, Q_mat, K_mat, i), _token_range))  # fmt: skip
LEADER_INDEX = _define("leader-index", Statement(sp.Le(leader(x, Q_mat, K_mat, direction), n - 1, evaluate=False), (x, direction, Q_mat, K_mat)))  # fmt: skip
VALUE_TOKEN = _define("value-token", Statement(sp.Eq(norm(token(value(V_mat, x), i)), token_norm(value(V_mat, token(x, i))), evaluate=False), (x, V_mat, i)))  # fmt: skip
TOKEN_ALONE = _define("token-alone", Statement(sp.Eq(token_norm(token(x, i)), norm(token(x, i)), evaluate=False), (x, i)))  # fmt: skip
MASK = _define("mask", Statement(sp.Ge(visible(i, j), 0, evaluate=False), (i, j)))
TOKEN_SIZE = _define("token-size", Statement(sp.Le(norm(token(x, i)), token_norm(x), evaluate=False), (x, i), _token_range))  # fmt: skip
LONGEST_TOKEN = _define("longest-token", Statement(sp.Eq(token_norm(x), norm(token(x, longest(x))), evaluate=False), (x,)))  # fmt: skip
LONGEST_INDEX = _define("longest-index", Statement(sp.Le(longest(x), n - 1, evaluate=False), (x,)))
TOKEN_LINEAR = _define("token-linear", Statement(sp.Eq(norm(token(x - y, i)), norm(token(x, i) - token(y, i)), evaluate=False), (x, y, i)))  # fmt: skip
for _name, _of, _mats in (("query-change", query, (Q_mat, Q_alt)), ("key-change", key, (K_mat, K_alt)), ("value-change", value, (V_mat, V_alt)), ("output-change", output, (O_mat, O_alt)), ("inward-change", inward, (W1_mat, W1_alt))):  # fmt: skip
    _define(_name, Statement(sp.Le(norm(_of(_mats[0], x) - _of(_mats[1], x)), norm(_mats[0] - _mats[1]) * norm(x), evaluate=False), (x, *_mats)))  # fmt: skip
_define("outward-change", Statement(sp.Le(norm(outward(W2_mat, hid) - outward(W2_alt, hid)), norm(W2_mat - W2_alt) * norm(hid), evaluate=False), (W2_mat, W2_alt, hid)))  # fmt: skip
_define("first-bias-change", Statement(sp.Eq(norm(spread_1(b1_vec) - spread_1(b1_alt)), sp.sqrt(n) * norm(b1_vec - b1_alt), evaluate=False), (b1_vec, b1_alt)))  # fmt: skip
_define("second-bias-change", Statement(sp.Eq(norm(spread_2(b2_vec) - spread_2(b2_alt)), sp.sqrt(n) * norm(b2_vec - b2_alt), evaluate=False), (b2_vec, b2_alt)))  # fmt: skip
_define("first-bias-size", Statement(sp.Eq(token_norm(spread_1(b1_vec)), norm(b1_vec), evaluate=False), (b1_vec,)))
_define("second-bias-size", Statement(sp.Eq(token_norm(spread_2(b2_vec)), norm(b2_vec), evaluate=False), (b2_vec,)))
CENTRING = _define("centring", Statement(sp.Eq(centred(x), x - inner(axis(d), x) * axis(d), evaluate=False), (x,)))
AXIS_LENGTH = _define("axis-length", Statement(sp.Le(norm(axis(d)), 1, evaluate=False)))
GAIN_LINEAR = _define("gain-linear", Statement(sp.Eq(norm(gain(hid) - gain(hid_alt)), norm(gain(hid - hid_alt)), evaluate=False), (hid, hid_alt)))  # fmt: skip
DEVIATION = _define("deviation", Statement(sp.Eq(deviation(x), sp.sqrt(norm(centred(x)) ** 2 / d + eps_norm), evaluate=False), (x,)))  # fmt: skip
SCALING = _define("scaling", Statement(sp.Eq(centred(x), deviation(x) * scaled(x), evaluate=False), (x,)))
NORMALISATION = _define("normalisation", Statement(sp.Eq(token(normed(x), i), gain(scaled(token(x, i))) + shift(d), evaluate=False), (x, i), _token_range))  # fmt: skip
SHORTEST_TOKEN = _define("shortest-token", Statement(sp.Le(norm(centred(token(x, shortest(x)))), norm(centred(token(x, i))), evaluate=False), (x, i), _token_range))  # fmt: skip
FROBENIUS = _define("frobenius", Statement(sp.Eq(norm(x) ** 2, SumOver(norm(token(x, j)) ** 2, j, n), evaluate=False), (x,)))  # fmt: skip

_head_blocks = {Unit(1, 0, 1): (block_Q, block_K), Unit(0, 0, 1): (block_V,), Unit(0, 1, 1): (block_O,)}
_mlp_blocks = {Unit(1, 0, 1): (block_W1,), Unit(0, 0, 1): (block_b1,), Unit(-1, 1, 1): (block_W2, block_b2)}


def _head_at(state: sp.Expr, control: sp.Expr, index: sp.Expr) -> sp.Expr:
    return head(state, *(block(control, index) for block in (block_Q, block_K, block_V, block_O)))


def _mlp_at(state: sp.Expr, control: sp.Expr) -> sp.Expr:
    return mlp(state, *(block(control) for block in (block_W1, block_b1, block_W2, block_b2)))


_head_range = (sp.Le(h, heads - 1, evaluate=False),)
_define("mlp-first", Statement(sp.Eq(assembled(x, vartheta, 0), _mlp_at(x, vartheta), evaluate=False), (x, vartheta)))
_define("next-head", Statement(sp.Eq(assembled(x, vartheta, h + 1), assembled(x, vartheta, h) + _head_at(x, vartheta, h), evaluate=False), (x, vartheta, h), _head_range))  # fmt: skip
_define("whole-field", Statement(sp.Eq(F(x, vartheta), assembled(x, vartheta, heads), evaluate=False), (x, vartheta)))
for _block in (block_Q, block_K, block_V, block_O):
    _name = f"{_block.__name__.removeprefix('block_')}-in-class"
    _define(_name, Statement(sp.Le(ball(_block(vartheta, h), h), gauge(vartheta), evaluate=False), (vartheta, h), _head_range))  # fmt: skip
for _block in (block_W1, block_b1, block_W2, block_b2):
    _name = f"{_block.__name__.removeprefix('block_')}-in-class"
    _define(_name, Statement(sp.Le(gauge(_block(vartheta)), gauge(vartheta), evaluate=False), (vartheta,)))


def head_distance(control: sp.Expr, other: sp.Expr, index: sp.Expr) -> sp.Expr:
    """Return the squared distance of two controls in the blocks of one head."""
    blocks = [(unit, block) for unit, group in _head_blocks.items() for block in group]
    return sum(((unit * norm(block(control, index) - block(other, index))) ** 2 for unit, block in blocks), sp.Integer(0))


def mlp_distance(control: sp.Expr, other: sp.Expr) -> sp.Expr:
    """Return the squared distance of two controls in the blocks of the MLP."""
    blocks = [(unit, block) for unit, group in _mlp_blocks.items() for block in group]
    return sum(((unit * norm(block(control) - block(other))) ** 2 for unit, block in blocks), sp.Integer(0))


_define("control-norm", Statement(sp.Eq(norm(vartheta - varphi) ** 2, SumOver(head_distance(vartheta, varphi, j), j, heads) + mlp_distance(vartheta, varphi), evaluate=False), (vartheta, varphi)))  # fmt: skip

__all__ = ["REAL", "VOCABULARY", "expectation", "inner", "token_norm"]
