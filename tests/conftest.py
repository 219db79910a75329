"""A user's package of theorems, on the path where a test asks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from properties import campaign
from spec.language import registry

PACKAGES = Path(__file__).parent / "packages"
collect_ignore = ["packages"]


@pytest.fixture
def packages() -> Path:
    """Return the folder where a user's packages lie, as if installed."""
    return PACKAGES


@pytest.fixture
def toys(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Put the package `toy` on the path; return the slugs of its theorems."""
    monkeypatch.syspath_prepend(packages)
    registry.modules.cache_clear()
    campaign.property_of.cache_clear()
    yield registry.slugs(("toys",))
    registry.modules.cache_clear()
    campaign.property_of.cache_clear()
