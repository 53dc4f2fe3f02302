"""How many examples a property is tried on: fewer while you work, more in a study."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""The examples of a property that names no number, in `make test`."""


def examples(usual: int) -> int:
    """So many in `make test`, and in proportion under another profile: `pytest --hypothesis-profile=quick`."""
    return max(1, usual * settings().max_examples // USUAL)
