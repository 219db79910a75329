"""Sampling errors and covers, computed exactly or with their own error."""

from impl.sampling.binomial import clopper_pearson
from impl.sampling.net import Net, log_packing_number
from impl.sampling.population import coin_quantile, deviation_quantile
from impl.sampling.risk import objective, risk

__all__ = [
    "Net",
    "clopper_pearson",
    "coin_quantile",
    "deviation_quantile",
    "log_packing_number",
    "objective",
    "risk",
]
