"""Objects of the theory, once: paths, fields, risks, and the relations that define them."""

from spec.objects import attention, blocks, cover, flow, loss, normalisation, perceptron, risk

__all__ = ["attention", "blocks", "cover", "flow", "loss", "normalisation", "perceptron", "risk"]
