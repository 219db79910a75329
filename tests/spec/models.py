"""Every model, and for which statements a bound variable runs over other things: tokens where others are states."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from models_field import field_model
from models_flow import cover_model, flow_model, risk_model
from models_loss import loss_model
from models_norm import norm_model
from numeric import Instance, vector

from spec.language.template import Statement

MODELS = {
    "field": (field_model, (0, 1)),
    "norm": (norm_model, (0, 1, 2, 3)),
    "loss": (loss_model, (0, 1)),
    "flow": (flow_model, (0, 1, 2)),
    "risk": (risk_model, (0,)),
    "cover": (cover_model, (0, 1, 2)),
}
TOKENS = [vector(np.random.Generator(np.random.Philox(key=9)).normal(size=(1, 2)))]
OTHERWISE: dict[str, dict[str, Any]] = {"sought": {"y": TOKENS}}


@lru_cache(maxsize=32)
def built(model: str, seed: int) -> Instance:
    return MODELS[model][0](seed)


def names(statement: Statement) -> set[str]:
    """Return what a statement speaks of."""
    relations = (statement.relation, *statement.given)
    spoken = {s.name for r in relations for s in r.free_symbols}
    return spoken | {e.func.__name__ for r in relations for e in r.atoms(sp.core.function.AppliedUndef)}


def models_of(name: str, statement: Statement) -> Iterator[Instance]:
    """Yield the models in which a statement has a meaning."""
    for model, (_, seeds) in MODELS.items():
        for seed in seeds:
            instance = built(model, seed)
            known = {*instance.values, *instance.runs, "sees", "gauge"}
            if names(statement) <= known:
                yield replace(instance, runs={**instance.runs, **OTHERWISE.get(name, {})})
