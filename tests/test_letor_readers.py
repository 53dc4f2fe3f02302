"""The benchmark of LETOR readers: its files, and every reader on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.letor_readers import READERS, generate
from rankgauge.files.formats.letor import read_features
from rankgauge.files.letor_features import scan
from rankgauge.files.source import Source


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_generated_files_are_seeded_and_regular(tmp_path: Path, share: float) -> None:
    """The same seed gives the same file, which takes the fast way and has about the share of features."""
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    for path in (one, other):
        generate(path, rows=250, features=20, share=share)
    assert one.read_text() == other.read_text()
    assert scan(Source.of(one)) is not None
    found = read_features(Source.of(one))
    assert found.matrix.shape == (250, 20)
    assert len(set(found.queries)) == 3
    assert one.read_text().count(":") - 250 == pytest.approx(250 * 20 * share, rel=0.1)


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_reads_them(tmp_path: Path, reader: str) -> None:
    """Each reader gets through a file."""
    path = tmp_path / "dense.txt"
    generate(path, rows=60, features=5, share=1.0)
    READERS[reader](path)
