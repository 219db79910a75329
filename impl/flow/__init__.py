"""The Transformer and the flow that it discretises."""

from impl.flow.depth import DepthError, depth_error, layer_rounding
from impl.flow.euler import euler_kernel, layer_values, step_weights, transformer
from impl.flow.reference import ReferenceFlow, reference_flow

__all__ = [
    "DepthError",
    "ReferenceFlow",
    "depth_error",
    "euler_kernel",
    "layer_rounding",
    "layer_values",
    "reference_flow",
    "step_weights",
    "transformer",
]
