"""The tests that every theorem has, made from its property: ``TestTheorem = suite(PROPERTY)``."""

import pytest
from hypothesis import given

from properties import checking, mutants
from properties.checking import Property
from properties.descriptor import Descriptor


def suite(prop: Property) -> type:
    """Return the tests of a property: random instances, exhibits, sharpness, the need of every assumption, mutants."""

    class Suite:
        @given(prop.space.strategy())
        def test_holds(self, descriptor: Descriptor) -> None:
            checking.assert_holds(prop, descriptor)

        def test_exhibits_hold(self) -> None:
            checking.assert_exhibits_hold(prop)

        def test_sharp(self) -> None:
            checking.assert_sharp(prop)

        def test_every_assumption_has_its_need(self) -> None:
            checking.assert_every_assumption_has_its_need(prop)

        @pytest.mark.parametrize("assumption", sorted(prop.needs))
        def test_needs(self, assumption: str) -> None:
            checking.assert_need(prop, assumption)

        def test_mutants_are_caught(self) -> None:
            mutants.assert_mutants_are_caught(prop)

    return Suite
