"""Flows of every control from every sample: where they start, so that claims about one flow hold of each."""

import sympy as sp

from spec.language.functions import token_norm
from spec.language.proof import identity, inequality, use
from spec.objects.flow import X, theta
from spec.objects.risk import flow_of, input_of, value_of
from spec.symbols import R_0, j, t, vartheta

EACH = (vartheta, j)
OF_EACH = {X: sp.Lambda(t, flow_of(vartheta, j, t)), theta: sp.Lambda(t, value_of(vartheta, t))}
_start = token_norm(flow_of(vartheta, j, 0))

INPUTS = (
    identity("input-size", sp.Eq(_start, token_norm(input_of(j))), use("start-of"), free=EACH),
    inequality("input", sp.Le(_start, R_0), use("samples-bounded"), use("input-size"), free=EACH),
)
"""Every flow starts in K_{R_0}; proofs name `start-of` and `samples-bounded`."""
