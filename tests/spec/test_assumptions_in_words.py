"""The words of an assumption say what its statement says: the same constants, numbers, direction and objects."""

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
import sympy as sp

from spec.assumptions import ASSUMPTIONS
from spec.language.assumption import Assumption
from spec.symbols import VOCABULARY

STATED = [pytest.param(a, id=a.name) for a in ASSUMPTIONS.by_name.values() if a.statement is not None]
each = pytest.mark.parametrize("assumption", STATED)

GLYPHS = {
    "zeta_bar": "ζ̄",
    "L_zeta": "L_ζ",
    "L_c": "L_c",
    "R_0": "R_0",
    "g_x": "g",
    "m_x": "m",
    "M": "M",
    "R_T": "R_T",
    "L_x": "L_x",
    "L_theta": "L_θ",
    "B": "B",
    "rho_Q": "ρ_Q",
    "rho_K": "ρ_K",
    "rho_A": "ρ_A",
    "rho_V": "ρ_V",
    "rho_O": "ρ_O",
    "rho_OV": "ρ_OV",
    "V_theta": "V_θ",
    "V_zeta": "V_ζ",
    "L_H": "L_H",
    "zeta_k": "|ζ|_(k)",
    "L_k": "L_(k)",
    "tau_k": "τ_(k)",
    "rho": "ρ",
    "r": "r",
    "Delta_eps": "Δ_ε",
    "Delta_N": "Δ_N",
    "gap": "`gap`",
    "eta": "η",
    "J_star": "inf J",
    "rho_W1": "ρ_W1",
    "rho_W2": "ρ_W2",
    "beta_1": "β_1",
    "beta_2": "β_2",
    "s_1": "s_1",
    "gamma_max": "γ_max",
    "beta_norm": "β_norm",
    "R_norm": "K_R",
}
"""How words write a constant."""
SIZES = {"T", "K", "N", "n", "d", "d_k", "eps", "W_theta", "W_zeta"}
"""Constants that need no word: lengths of sums, and what a cell adds to a variation."""
DEFINED = {"W_theta": "L_c", "W_zeta": "L_ζ", "R_norm": "γ_max β_norm"}
"""Glyphs of what a constant is made of, which words may name with it."""
BELOW = (
    "≤",
    "at most",
    "bounded",
    "Lipschitz",
    "lie in",
    "lies in",
    "values in",
    "no longer than",
    "No gain",
    "close",
    "within",
    "below",
    "no token",
)
ABOVE = ("≥", "at least", "above", "larger", "unbounded", "more often", "one token at least")
EQUAL = ("fixed", "add up", "is its risk")
SIGNS = {"<=": (BELOW, ABOVE), "==": (EQUAL, ABOVE), ">": (ABOVE, BELOW)}
NOUNS = {
    "zeta": "schedule|layer",
    "theta": "control|layer|Layer",
    "F": "field|layer",
    "X": "Inputs|flow",
    "input_of": "inputs",
    "outcome": "ogits|losses|loss",
    "outcome_eps": "logits of the Transformer",
    "H": "readout",
    "sigma": "activation",
    "gain": "gain",
    "shift": "shift",
    "query": "Q_h|Every token looks",
    "key": "K_h|Every token looks",
    "value": "V_h",
    "output": "O_h",
    "inward": "W1",
    "outward": "W2",
    "value_of": "controls",
    "member": "ontrols|centres",
    "nearest": "centres",
    "sup_dist": "sup norm",
    "coord": "control",
    "trained": "Training",
    "near": "some control",
    "J_N": "empirical risk|sampling error",
    "J_epsN": "risk of the Transformer|depth error",
    "J": "risk|sampling error",
    "visible": "looks",
    "sees": "fixed",
    "b1_vec": "b1",
    "b2_vec": "b2",
}
"""How words name an object."""
SPOKEN = {
    "schedule": {"zeta", "V_zeta"},
    "readout": {"H"},
    "activation": {"sigma"},
    "Training": {"trained"},
    "gain": {"gain"},
    "shift": {"shift"},
    "ogits": {"outcome", "outcome_eps"},
    "cube": {"coord"},
    "W1": {"inward"},
    "W2": {"outward"},
    "b1": {"b1_vec"},
    "b2": {"b2_vec"},
    "Q_h": {"query"},
    "K_h": {"key"},
    "V_h": {"value"},
    "O_h": {"output"},
    "ransformer": {"outcome_eps", "J_epsN"},
    "centres": {"nearest"},
}
"""What the statement has to speak of where words do."""


def stated(assumption: Assumption) -> tuple[set[str], set[str], str]:
    """Return the constants and the objects of a statement, and its relation."""
    statement = assumption.statement
    assert statement is not None
    relations = (statement.relation, *statement.given)
    symbols = {s.name for r in relations for s in r.free_symbols}
    constants = {name for name in symbols if VOCABULARY[name].role == "constant"}
    functions = {e.func.__name__ for e in statement.relation.atoms(sp.core.function.AppliedUndef)}
    return constants, functions | {s for s in symbols if s in NOUNS} | constants, statement.relation.rel_op


def written(glyph: str, words: str) -> bool:
    """Say whether words have a glyph by itself: not as the part of a longer one."""
    return (
        re.search(rf"(?<![\w\u0304]){re.escape(glyph)}(?![\w\u0304(])", words.replace("{", " ").replace("}", " "))
        is not None
    )


def complaints(assumption: Assumption) -> Iterable[str]:
    """Yield what words and statement do not have in common."""
    words = assumption.words
    constants, objects, sign = stated(assumption)
    made = " ".join(DEFINED.get(name, "") for name in constants).split()
    yield from (f"{c} is not in words" for c in constants - SIZES if not written(GLYPHS[c], words))
    for name, glyph in GLYPHS.items():
        if name not in constants and glyph not in made and len(glyph) > 1 and written(glyph, words):
            yield f"{glyph} is in words only"
    numbers = {
        str(n) for n in assumption.statement.relation.atoms(sp.Number) if abs(n) not in (0, 1, sp.Rational(1, 2))
    }  # type: ignore[union-attr]
    if numbers != set(re.findall(r"(?<![\w.])(?:[2-9]|\d\d+|\d+[./]\d+)(?![\w.])|[½⅓¼]", words)):
        yield f"numbers {numbers}"
    needed, refused = SIGNS[sign]
    if not any(word in words for word in needed):
        yield f"nothing says {sign}"
    yield from (f"{word} says something else than {sign}" for word in refused if word in words and sign != ">")
    if not constants - SIZES and sign == "<=" and "≤" not in words and "Θ" not in words:
        yield "a statement without a constant needs its formula"
    yield from (f"{o} is not in words" for o in objects if o in NOUNS and not re.search(NOUNS[o], words))
    yield from (f"{word} is in words only" for word, of in SPOKEN.items() if word in words and not of & objects)


@each
def test_words_say_what_the_statement_says(assumption: Assumption) -> None:
    assert list(complaints(assumption)) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("activation-contracts", "≤", "≥"),
        ("activation-contracts", "≤ |w|", "≤ 2|w|"),
        ("activation-contracts", "lies below the identity: |σ(w)| ≤ |w|", "is odd"),
        ("activation-contracts", "The activation", "The readout"),
        ("schedule-bounded", "ζ̄", "ζ̄/3"),
        ("schedule-lipschitz", "L_ζ", "L_c"),
        ("query-ball", "ρ_Q", "ρ_K"),
        ("visible-key", "at least", "at most"),
        ("samples-bounded", "R_0", "R_T"),
    ],
)
def test_other_words_would_show(name: str, old: str, new: str) -> None:
    assumption = ASSUMPTIONS.by_name[name]
    assert old in assumption.words
    assert list(complaints(replace(assumption, words=assumption.words.replace(old, new)))) != []
