"""The sampling error over a finite class, checked: exact quantiles of the largest deviation against the union bound."""

from fractions import Fraction

import numpy as np

from properties import checking
from properties.checking import HOLDS, VIOLATED, Batch, Exhibit, Property
from properties.descriptor import Descriptor, Space, size
from properties.sampling import trained
from properties.sampling.coins import BOX, BOXES, needs, thrown
from properties.sampling.lattice import lattice_quantiles, simulated_quantile
from properties.sampling.populations import KNOBS, draw
from properties.suite import suite
from spec.language.binding import substitute
from spec.language.checker import Checker
from spec.language.proof import inequality, use
from spec.symbols import delta, i, iota, level

SPACE = Space({**KNOBS, "controls": size(1, 6, 16, 40)})


def coins(count: int, N: int, delta: Fraction, boxes: tuple[tuple[Fraction, int], ...]) -> dict[str, Batch]:
    """Return classes of controls that read independent coins."""
    return {"radius": thrown(N, delta, boxes, coins=count, G_size=count)}


def check(descriptor: Descriptor) -> dict[str, Batch]:
    """Return the exact quantiles of the largest deviations over a descriptor's classes."""
    population = draw(descriptor, descriptor["controls"])
    measured, error = population.deviations()
    return {"radius": Batch(measured, error, {**population.values, "G_size": descriptor["controls"]})}


def real() -> dict[str, Batch]:
    """Return quantiles over classes of each trained Transformer's versions, for samples of test images."""
    classes = trained.classes()
    return {"radius": trained.of_classes(classes, G_size=len(classes[0].losses))}


PROPERTY = Property(
    slug="sampling/finite-class",
    space=SPACE,
    check=check,
    exhibits=(
        Exhibit("two coins", lambda: coins(2, 40000, Fraction(1, 10**100), BOX)),
        Exhibit("two coins, other boxes", lambda: coins(2, 40000, Fraction(1, 10**100), BOXES)),
        Exhibit("many coins", lambda: coins(1000, 400, Fraction(1, 2), BOXES)),
        Exhibit("one throw", lambda: coins(1, 1, Fraction(99, 100), BOXES)),
        Exhibit("one loss", lambda: coins(3, 5, Fraction(1, 2), ((Fraction(0), 2), (Fraction(0), 1000)))),
    ),
    sharp={"radius": "two coins"},
    needs=needs("radius", G_size=1),
    real=real,
)
TestTheorem = suite(PROPERTY)


def test_trained_transformers() -> None:
    verdicts = checking.judged(PROPERTY, real())["radius"]
    assert set(verdicts.verdict) == {HOLDS}
    assert min(verdicts.ratio) > 0.01


def test_ten_thousand_times_the_samples_are_too_many_for_trained_transformers() -> None:
    batch = real()["radius"]
    claimed = trained.claiming(batch, N=[10000 * N for N in batch.values["N"]])
    assert set(checking.judged(PROPERTY, {"radius": claimed})["radius"].verdict) == {VIOLATED}


def test_simulated_quantiles_are_the_convolved_ones() -> None:
    for losses in (each.losses[:1] for each in trained.classes()):
        for N in trained.SAMPLES:
            found, error = simulated_quantile(losses, N, trained.COMMON, np.random.default_rng(N), 0.0)
            exact, exact_error = lattice_quantiles(losses[0], N, (trained.COMMON,), 0.0)
            assert abs(found - exact[0]) <= error + exact_error[0]
            assert error < 0.7 * found


def test_a_chosen_control_does_not_pass_for_a_fixed_one() -> None:
    """The bound of one control, claimed for the one that is chosen after looking, has no proof."""
    theorem = PROPERTY.theorem
    premise = theorem.facts[0]
    claimed = substitute(premise.statement.relation, {i: iota, level: delta})
    cheat = inequality("cheat", claimed, use(premise.name, i=iota, level=delta), free=(iota,))
    report = Checker((premise, cheat), theorem.vocabulary).check(cheat)
    assert report.status == "failed"
    assert "sees" in report.detail
