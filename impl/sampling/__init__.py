"""Sampling errors and covers, computed exactly or with their own error."""

from impl.sampling.binomial import clopper_pearson
from impl.sampling.net import Net, packing_number
from impl.sampling.population import coin_quantile, deviation_quantile
from impl.sampling.risk import objective, risk

__all__ = [
    "Net",
    "clopper_pearson",
    "coin_quantile",
    "deviation_quantile",
    "objective",
    "packing_number",
    "risk",
]
