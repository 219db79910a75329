"""Real instances: Transformers trained on the UCI digits that scikit-learn ships, reproducible from a seed.

An image is 8 tokens, its rows; a fixed random embedding of width 16 and fixed positions make the state. Eight layers
with two heads and an MLP act on it, a pooled linear readout gives 10 logits. One Transformer is trained plainly, one
with a penalty on the variation of its control in depth. ``python -m properties.digits`` trains both and prints what
they reach.
"""

import argparse
import hashlib
import json
import math
import os
import tempfile
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path as FilePath

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.datasets import load_digits
from torch import Tensor

from impl.control import Path
from impl.field.layout import Layout
from impl.field.transformer import TransformerField
from impl.flow import transformer
from impl.readout import PooledReadout, cross_entropy

CLASSES, TOKENS, TEST_SHARE = 10, 8, 0.25


@dataclass(frozen=True)
class Recipe:
    """Everything that determines a trained Transformer.

    `penalty` weighs ``Σ_k |θ_{k+1} − θ_k|²/ε`` in the loss.
    """

    name: str
    penalty: float = 0.0
    seed: int = 0
    width: int = 16
    heads: int = 2
    head_width: int = 8
    hidden: int = 32
    activation: str = "tanh"
    K: int = 8
    T: float = 1.0
    epochs: int = 30
    batch: int = 128
    rate: float = 0.01
    decay: float = 1e-3

    @property
    def layout(self) -> Layout:
        """The layout of a layer's parameters."""
        return Layout(self.width, self.heads, self.head_width, self.hidden)


PLAIN = Recipe("plain")
SMOOTH = Recipe("smooth", penalty=0.01)
RECIPES = {r.name: r for r in (PLAIN, SMOOTH)}


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained Transformer and its data.

    Attributes
    ----------
    layers : Tensor
        ``(K, p)``: the layers' parameters (Control).
    inputs : Tensor
        ``(1797, n, d)``: embedded images (State); the first `train` of them were trained on.
    labels : Tensor
        ``(1797,)`` classes.
    """

    recipe: Recipe
    field: TransformerField
    layers: Float[Tensor, "K p"]
    readout: PooledReadout
    inputs: Float[Tensor, "N n d"]
    labels: Int[Tensor, " N"]
    train: int

    @property
    def control(self) -> Path:
        """The control in depth: linear between its layers, constant on the last cell; Lipschitz."""
        return Path.piecewise_linear(torch.cat([self.layers, self.layers[-1:]]), self.recipe.T)

    def logits(self) -> Float[Tensor, "N C"]:
        """Return the logits of every image."""
        states = transformer(self.field, self.layers, None, self.inputs, self.recipe.K, self.recipe.T)
        return self.readout(states)

    def accuracy(self) -> float:
        """Return the share of test images classified correctly."""
        found = self.logits()[self.train :].argmax(-1)
        return float((found == self.labels[self.train :]).double().mean())


def _data(recipe: Recipe) -> tuple[Float[Tensor, "N n d"], Int[Tensor, " N"], int]:
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(recipe.seed).permutation(len(labels))
    rows = torch.from_numpy(images[order].reshape(-1, TOKENS, 8)) / 16
    generator = torch.Generator().manual_seed(recipe.seed)
    embedding = torch.randn(8, recipe.width, generator=generator, dtype=torch.float64) / math.sqrt(8)
    positions = torch.randn(TOKENS, recipe.width, generator=generator, dtype=torch.float64) / math.sqrt(recipe.width)
    train = len(labels) - int(TEST_SHARE * len(labels))
    return rows @ embedding + positions, torch.from_numpy(labels[order]).long(), train


def _train(recipe: Recipe, inputs: Tensor, labels: Tensor, train: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(recipe.seed + 1)
    layout = recipe.layout
    start = torch.randn(recipe.K, layout.parameter_count, generator=generator, dtype=torch.float64)
    start = start * 0.5 / math.sqrt(recipe.width)
    weight = torch.randn(CLASSES, recipe.width, generator=generator, dtype=torch.float64) / math.sqrt(recipe.width)
    if recipe.penalty:  # a control that starts smooth in depth stays so
        start = start[:1].expand_as(start).clone()
    layers, weight, bias = (p.requires_grad_() for p in (start, weight, torch.zeros(CLASSES, dtype=torch.float64)))
    field = TransformerField(layout, recipe.activation)
    optimiser = torch.optim.AdamW([layers, weight, bias], lr=recipe.rate, weight_decay=recipe.decay)
    steps = recipe.epochs * math.ceil(train / recipe.batch)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=steps)
    for _ in range(recipe.epochs):
        for chosen in torch.randperm(train, generator=generator).split(recipe.batch):
            states = transformer(field, layers, None, inputs[chosen], recipe.K, recipe.T)
            loss = cross_entropy(PooledReadout(weight, bias)(states), labels[chosen]).mean()
            loss = loss + recipe.penalty * layers.diff(dim=0).square().sum() * recipe.K / recipe.T
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            plan.step()
    return {"layers": layers.detach(), "weight": weight.detach(), "bias": bias.detach()}


def cache_folder() -> FilePath:
    """Return where trained Transformers are kept: $MFC_CACHE, else the user's cache folder."""
    home = os.environ.get("MFC_CACHE") or FilePath(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "mfc-transformers"
    return FilePath(home).expanduser()


def _cached(recipe: Recipe) -> FilePath:
    text = json.dumps({**asdict(recipe), "torch": str(torch.__version__), "version": 1}, sort_keys=True)
    return cache_folder() / f"digits-{recipe.name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.npz"


def _keep(path: FilePath, weights: dict[str, Tensor]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".npz")
    with os.fdopen(handle, "wb") as file:
        np.savez(file, layers=weights["layers"], weight=weights["weight"], bias=weights["bias"])
    FilePath(temporary).replace(path)


@lru_cache(maxsize=8)
def trained(recipe: Recipe) -> Trained:
    """Return the Transformer of a recipe, trained once and cached as plain arrays."""
    inputs, labels, train = _data(recipe)
    path = _cached(recipe)
    if path.exists():
        with np.load(path, allow_pickle=False) as arrays:
            weights = {name: torch.from_numpy(arrays[name]) for name in ("layers", "weight", "bias")}
    else:
        weights = _train(recipe, inputs, labels, train)
        try:
            _keep(path, weights)
        except OSError as error:
            warnings.warn(
                f"{path} cannot be written ({error.strerror}): set MFC_CACHE to spare a training", stacklevel=2
            )
    field = TransformerField(recipe.layout, recipe.activation)
    readout = PooledReadout(weights["weight"], weights["bias"])
    return Trained(recipe, field, weights["layers"], readout, inputs, labels, train)


def both(seed: int = 0) -> list[Trained]:
    """Return the plain and the smooth Transformer of a seed."""
    return [trained(Recipe(**{**asdict(r), "seed": seed})) for r in RECIPES.values()]


def main() -> None:
    """Train both Transformers and print what they reach."""
    parser = argparse.ArgumentParser(description="Train the Transformers that real ratios are measured on.")
    parser.add_argument("--seed", type=int, default=0)
    torch.set_num_threads(1)
    for net in both(parser.parse_args().seed):
        variation = float(net.control.variation())
        box = float(net.logits().abs().max())
        print(
            f"{net.recipe.name:8} test accuracy {net.accuracy():.3f}, variation {variation:.3g}, max |logit| {box:.3g}"
        )


if __name__ == "__main__":
    main()
