"""What every test shares: Hypothesis profiles for numeric work, one torch thread, and the profile in the report.

Numeric properties have slow first calls, so no profile has a deadline. `quick` draws the same examples every time;
`deep` draws new ones (`--hypothesis-profile deep`). No profile keeps a database: a failure prints what reproduces it.
"""

import os

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=15, print_blob=True, database=None)
settings.register_profile("deep", settings.get_profile("quick"), derandomize=False, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def _profile() -> str:
    now = settings()
    drawn = "the same ones every time" if now.derandomize else "new ones"
    threads = torch.get_num_threads()
    return f"hypothesis: {now.max_examples} examples, {drawn}, deadline {now.deadline}; torch threads: {threads}"


def pytest_report_header() -> str:
    """Print the profile where the header is shown."""
    return _profile()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the profile where the header is not shown."""
    if not terminalreporter.showheader:
        terminalreporter.write_line(_profile())
