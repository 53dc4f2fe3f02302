"""The features of LETOR files as a matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge.errors import InputError
from rankgauge.files.formats.letor import read_features
from rankgauge.files.source import Source


def source(folder: Path, text: str) -> Source:
    """A file with that text."""
    path = folder / "file.txt"
    path.write_text(text)
    return Source.of(path)


def test_features_become_a_matrix(tmp_path: Path) -> None:
    """Feature f is column f − 1, in any order on its line; what a line lacks is 0; comments are no features."""
    text = "2 qid:10 1:0.5 3:-1e2 #docid = A 2:9\n\n0 qid:10 2:0.25 1:4 # B\n1 qid:7\n"
    found = read_features(source(tmp_path, text))
    assert found.matrix.tolist() == [[0.5, 0.0, -100.0], [4.0, 0.25, 0.0], [0.0, 0.0, 0.0]]
    assert found.grades.tolist() == [2.0, 0.0, 1.0]
    assert found.queries.tolist() == ["10", "10", "7"]
    assert found.documents.tolist() == ["A", "B", "7-1"]


@pytest.mark.parametrize("feature", ["1:x", "a:1", "0:1", "1:", "1"])
def test_broken_features_are_named(tmp_path: Path, feature: str) -> None:
    """What is not number:value, with numbers from 1 on, stops the reading at its line."""
    with pytest.raises(InputError, match="number:value") as stopped:
        read_features(source(tmp_path, f"2 qid:1 1:1 2:2\n1 qid:1 {feature} 2:1\n"))
    assert stopped.value.line == 2
