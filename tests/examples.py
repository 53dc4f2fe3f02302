"""How many examples a property is tried on: few while you work, some in CI, all of them in a study."""

from __future__ import annotations

from hypothesis import settings

ALL = 100
"""The examples of a property that names no number, in `make test-studies`."""


def examples(number: int) -> int:
    """So many in `make test-studies`, and in proportion in other profiles (tests/conftest.py)."""
    return max(1, number * settings().max_examples // ALL)
