"""What the functions in printed bounds mean, each once, in words and in LaTeX."""

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from spec.language import functions as fn


@dataclass(frozen=True)
class Meaning:
    """A function as bounds print it: with arguments, in words, in LaTeX."""

    name: str
    text: str
    latex: str


GLOSSARY: dict[type, Meaning] = {
    fn.phi1: Meaning("phi1(z)", "(e^z − 1)/z, and 1 at z = 0", r"\varphi_1(z)=\frac{e^z-1}{z},\ \varphi_1(0)=1"),
    fn.geom: Meaning(
        "geom(z, k)",
        "1 + (1+z) + … + (1+z)^(k−1) = ((1+z)^k − 1)/z, and k at z = 0",
        r"\frac{(1+z)^k-1}{z}=\sum_{j<k}(1+z)^j",
    ),
    fn.SumOver: Meaning("sum(a for i < n)", "the sum of a over i = 0, …, n−1", r"\sum_{i<n}a=\sum_{i=0}^{n-1}a"),
    fn.MaxOver: Meaning(
        "max(a for l <= i <= n)", "the largest a over the integers i = l, …, n", r"\max_{l\le i\le n}a,\ i\in\mathbb{Z}"
    ),
    fn.Recurrence: Meaning(
        "iterate(e -> s for k < n, from c)",
        "the value after n steps of e ← s(e, k), k = 0, …, n−1, that starts at e = c",
        r"e_n\ \text{with}\ e_{k+1}=s(e_k,k),\ e_0=c",
    ),
    fn.Entry: Meaning("a[i]", "the i-th entry of a, i = 0, 1, …", r"a_{(i)},\ i=0,1,\dots"),
    fn.Ratio: Meaning("Ratio(u, v)", "u/v", r"\frac{u}{v}"),
    fn.norm: Meaning("norm(v)", "the Frobenius norm of v", r"|v|=\sqrt{\langle v,v\rangle}"),
    fn.token_norm: Meaning("token_norm(x)", "the largest norm of a token of x", r"|x|_{\mathrm{tok}}=\max_i|x_i|"),
    fn.gauge: Meaning("gauge(v)", "the least s ≥ 0 with v in sΘ", r"\gamma_\Theta(v)=\min\{s\ge0:v\in s\Theta\}"),
    fn.inner: Meaning("inner(u, v)", "the inner product of u and v", r"\langle u,v\rangle"),
    fn.expectation: Meaning("expectation(D)", "the mean of D over the population", r"\mathbb{E}[D]"),
    fn.quantile: Meaning(
        "quantile(D, delta)",
        "the least s with P(D > s) ≤ delta",
        r"Q_{1-\delta}[D]=\inf\{s:\mathbb{P}(D>s)\le\delta\}",
    ),
    fn.probability: Meaning("probability(D, s)", "the probability of D ≥ s", r"\mathbb{P}(D\ge s)"),
    sp.exp: Meaning("exp(z)", "e^z", r"e^z"),
    sp.log: Meaning("log(z)", "the natural logarithm", r"\log z=\ln z"),
    sp.erf: Meaning(
        "erf(z)", "2/√π times the integral of e^(−t²) from 0 to z", r"\frac2{\sqrt\pi}\int_0^ze^{-t^2}\,dt"
    ),
    sp.sinh: Meaning("sinh(z)", "(e^z − e^(−z))/2", r"\frac{e^z-e^{-z}}2"),
    sp.cosh: Meaning("cosh(z)", "(e^z + e^(−z))/2", r"\frac{e^z+e^{-z}}2"),
    sp.tanh: Meaning("tanh(z)", "sinh(z)/cosh(z)", r"\frac{\sinh z}{\cosh z}"),
    sp.Abs: Meaning("Abs(z)", "the absolute value", r"|z|"),
    sp.Max: Meaning("Max(a, b)", "the larger one", r"\max(a,b)"),
    sp.Min: Meaning("Min(a, b)", "the smaller one", r"\min(a,b)"),
    sp.ceiling: Meaning("ceiling(z)", "the least integer that is at least z", r"\lceil z\rceil"),
    sp.floor: Meaning("floor(z)", "the largest integer that is at most z", r"\lfloor z\rfloor"),
}
_PLAIN = (sp.Add, sp.Mul, sp.Pow, fn.Unit)


def functions_of(expressions: Iterable[sp.Basic]) -> set[type]:
    """Return the functions and nodes that expressions are printed with, sums, products and powers apart."""
    parts = (part for e in expressions for part in sp.preorder_traversal(e) if part.args)
    return {type(part) for part in parts if not isinstance(part, (*_PLAIN, sp.Rel, sp.Tuple))}


def meanings(expressions: Iterable[sp.Basic]) -> list[Meaning]:
    """Return what the functions in expressions mean, in the glossary's order."""
    used = functions_of(expressions)
    return [meaning for kind, meaning in GLOSSARY.items() if kind in used]
