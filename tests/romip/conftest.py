"""A generated collection as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankgauge.demo.romip import RomipCollection, generate_romip, write_romip


@pytest.fixture(scope="session")
def collection() -> RomipCollection:
    """Four tracks, three assessors, three systems."""
    return generate_romip(rng=np.random.default_rng(7), queries=12)


@pytest.fixture(scope="session")
def folder(collection: RomipCollection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection's files."""
    found = tmp_path_factory.mktemp("romip")
    write_romip(collection, found)
    return found
