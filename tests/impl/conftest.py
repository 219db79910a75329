"""What the tests of impl share: one thread, seeded generators, random Transformer instances."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

torch.set_num_threads(1)

Draw = Callable[..., Tensor]


@pytest.fixture
def draw() -> Draw:
    """Standard normal tensors (float64) from one seed."""
    generator = torch.Generator().manual_seed(20260623)

    def normal(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)

    return normal
