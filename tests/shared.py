"""Data that lies beside the project and is too large to be part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[1].parent / "shared"


def shared(path: str) -> Path:
    """The file of that name; the test is skipped where it is absent."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"../shared/{path} is not here")
    return found
