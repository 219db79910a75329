"""The sampling error over a grid of layers, checked: exact quantiles over all words of K layers."""

from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from impl.readout import cross_entropy
from properties import checking, digits
from properties.checking import HOLDS, VIOLATED, Batch, Exhibit, Property
from properties.descriptor import Descriptor, Integer, Space
from properties.sampling import trained
from properties.sampling.coins import BOX, BOXES, needs, thrown
from properties.sampling.populations import KNOBS, draw
from properties.suite import suite

SPACE = Space({**KNOBS, "q": Integer(1, 4), "K": Integer(1, 3)})


def of_both(batch: Batch) -> dict[str, Batch]:
    """Return a batch for both bounds."""
    return {"radius": batch, "growth": batch}


def coins(q: int, K: int, N: int, delta: Fraction, boxes: tuple[tuple[Fraction, int], ...]) -> dict[str, Batch]:
    """Return words that point at independent coins: a counter driven by the layers reads the word in base q."""
    return of_both(thrown(N, delta, boxes, coins=q**K, q=q, K=K))


def equal_words() -> dict[str, Batch]:
    """Return words that all point at one coin: half of both bounds, hardly more, so that anything looser shows."""
    return of_both(thrown(60, Fraction(7, 905630), BOX, q=6, K=4))


def words(descriptor: Descriptor) -> npt.NDArray[np.float64]:
    """Return what each word of K layers adds to the state: its grid points, each grown to the end of the flow."""
    q, K, b = descriptor["q"], descriptor["K"], descriptor["growth"]
    points = descriptor.generator("grid").standard_normal((descriptor["batch"], q, 2))
    chosen = points[:, np.array(list(product(range(q), repeat=K)))]
    grown = np.exp(b * (1 - np.arange(1, K + 1) / K)) / K
    return np.einsum("bgki,k->bgi", chosen, grown)


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the exact quantiles of the largest deviations over all words of a descriptor's grid."""
    population = draw(descriptor, descriptor["q"] ** descriptor["K"], words(descriptor))
    measured, error = population.deviations()
    return of_both(Batch(measured, error, {**population.values, "q": descriptor["q"], "K": descriptor["K"]}))


def real() -> dict[str, Batch]:
    """Return quantiles over two grids of layers for both trained Transformers.

    Every word of kept and dropped layers (q = 2, K = 8), and controls with 8 bits for each of a layer's p parameters
    (q = 2^{8p}).
    """
    K, p = digits.PLAIN.K, digits.PLAIN.layout.parameter_count
    kept = trained.of_classes(trained.words(), q=2, K=K)
    return of_both(trained.joined(kept, trained.of_classes(trained.rounded(), q=2 ** (trained.BITS * p), K=K)))


PROPERTY = Property(
    slug="sampling/layerwise-grid",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("two points, one layer", lambda: coins(2, 1, 40000, Fraction(1, 10**100), BOX)),
        Exhibit("one point", lambda: coins(1, 5, 40000, Fraction(1, 10**100), BOX)),
        Exhibit("one point, other boxes", lambda: coins(1, 5, 40000, Fraction(1, 10**100), BOXES)),
        Exhibit("two points, other boxes", lambda: coins(2, 1, 40000, Fraction(1, 10**100), BOXES)),
        Exhibit("many words", lambda: coins(4, 5, 400, Fraction(1, 2), BOXES)),
        Exhibit("many layers", lambda: coins(2, 400, 40000, Fraction(1, 100), (*BOX, *BOXES))),
        Exhibit("many letters", lambda: coins(1000, 1, 400, Fraction(1, 2), BOXES)),
        Exhibit("equal words", equal_words),
        Exhibit("one throw", lambda: coins(1, 3, 1, Fraction(99, 100), BOXES)),
        Exhibit("one loss", lambda: coins(2, 2, 5, Fraction(1, 2), ((Fraction(0), 2), (Fraction(0), 1000)))),
    ),
    sharp={"radius": "two points, one layer", "growth": "equal words"},
    needs=needs("radius", "growth", q=1, K=1),
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    verdicts = checking.judged(PROPERTY, real())["radius"]
    assert set(verdicts.verdict) == {HOLDS}
    coarse, fine = np.split(np.array(verdicts.ratio), 2)
    assert (coarse > 0.02).all()
    assert (fine < 1e-3).all()


def test_one_word_with_ten_thousand_times_the_samples_is_too_few_for_trained_transformers() -> None:
    batch = real()["radius"]
    claimed = trained.claiming(batch, q=1, N=[10000 * N for N in batch.values["N"]])
    verdicts = checking.judged(PROPERTY, {"radius": claimed})["radius"].verdict
    assert set(verdicts[: len(verdicts) // 2]) == {VIOLATED}


def test_words_hold_the_trained_transformer_and_none_of_it() -> None:
    """The last word keeps every layer, the first drops all: what their losses are is known."""
    for net, found in zip(digits.both(), trained.words(), strict=True):
        images = slice(net.train, net.train + trained.FEW_IMAGES)
        labels = net.labels[images]
        whole = cross_entropy(net.logits()[images], labels).numpy()
        none = cross_entropy(net.readout(net.inputs[images]), labels).numpy()
        # Layers one by one round as layers at once do: 1e4 roundings of numbers below 1e2 leave 2^-33.
        assert np.abs(found.losses[[-1, 0]] - np.stack([whole, none])).max() < 2.0**-33
