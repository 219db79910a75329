"""The tests made from a property: every theorem has the same ones, and each fails when the property does."""

from typing import Any

import pytest
from test_checking import GOOD, batch, claims, toy

from properties import mutants
from properties.checking import Need
from properties.suite import suite

TIGHT = claims(tight=True)
TESTS = ("test_exhibits_hold", "test_sharp", "test_every_assumption_has_its_need", "test_needs")


def test_a_suite_has_every_test() -> None:
    tests = suite(GOOD)
    names = {name for name in vars(tests) if name.startswith("test_")}
    assert names == {"test_holds", *TESTS, "test_mutants_are_caught"}
    (marker,) = vars(tests)["test_needs"].pytestmark
    assert marker.args == ("assumption", sorted(GOOD.needs))


def test_a_good_property_passes_its_suite() -> None:
    tests = suite(GOOD)()
    tests.test_holds()
    for name in TESTS[:-1]:
        getattr(tests, name)()
    tests.test_needs("small")
    assert GOOD.exhibits


@pytest.mark.parametrize(
    ("name", "changes", "arguments"),
    [
        ("test_holds", {"check": lambda _: batch([1.0, 2.0])}, ()),
        ("test_exhibits_hold", {"exhibits": ()}, ()),
        ("test_sharp", {}, ()),
        ("test_every_assumption_has_its_need", {"needs": {}}, ()),
        ("test_needs", {"needs": {"small": Need(lambda: (batch([1.0]), {"small": False}))}}, ("small",)),
    ],
)
def test_each_test_fails_when_it_should(name: str, changes: dict[str, Any], arguments: tuple[str, ...]) -> None:
    theorem = claims(tight=True, bound=2 * TIGHT.headline.bound) if name == "test_sharp" else TIGHT
    with pytest.raises(AssertionError):
        getattr(suite(toy(theorem, **changes))(), name)(*arguments)


def test_mutants_are_judged_by_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(mutants, "assert_mutants_are_caught", seen.append)
    suite(GOOD)().test_mutants_are_caught()
    assert seen == [GOOD]
