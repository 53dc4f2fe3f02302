"""A document that a run lists twice: the error names the file and both lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from rankgauge import evaluate, files
from rankgauge.audit.tools.scores import Scores
from rankgauge.dialects import get
from rankgauge.errors import RepeatedError
from rankgauge.files import reading

JUDGMENTS = {"1": {"d1": 1.0, "d2": 0.0}, "2": {"d1": 1.0}}

TREC = "# a comment\n1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n\n1 Q0 d1 3 1 a\n2 Q0 d1 1 1 a\n"

WRITTEN = {
    "run.txt": (TREC.encode(), 2, 5, "1 Q0 d1 3 1 a"),
    "run.txt.gz": (gzip.compress(TREC.encode()), 2, 5, "1 Q0 d1 3 1 a"),
    "plain.txt": (b"1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n1 Q0 d1 3 1 a\n2 Q0 d1 1 1 a\n", 1, 3, "1 Q0 d1 3 1 a"),
    "apart.txt": (b"1 Q0 d1 1 3 a\n2 Q0 d1 1 1 a\n1 Q0 d1 3 1 a\n", 1, 3, "1 Q0 d1 3 1 a"),
    "run.csv": (b'query,document,score\n1,d1,3\n1,"d2",2\n1,d1,1\n', 2, 4, "1,d1,1"),
    "run.jsonl": (
        b'{"query": "1", "document": "d1", "score": 2}\n{"query": "1", "document": "d1", "score": 1}\n',
        1,
        2,
        '{"query": "1", "document": "d1", "score": 1}',
    ),
}


@pytest.fixture(params=WRITTEN)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int, int, str]:
    """A file, the two lines with the document, and the text of the second."""
    content, first, line, text = WRITTEN[request.param]
    path = tmp_path / request.param
    path.write_bytes(content)
    return path, first, line, text


@pytest.mark.parametrize("large", [False, True])
def test_the_lines_of_a_repeated_document(
    case: tuple[Path, int, int, str], large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the file, the line, its text and the line before, whether the file is scanned, read or streamed.

    The document may be in query 2 as well: only the same query counts.
    """
    path, first, line, text = case
    if large:
        monkeypatch.setattr(reading, "LARGE", 0)
    files.write_judgments(JUDGMENTS, tmp_path / "qrels.txt")
    with pytest.raises(RepeatedError) as caught:
        evaluate(tmp_path / "qrels.txt", path, "AP")
    assert str(caught.value).splitlines() == [
        f"{path}:{line}: the run lists document d1 more than once for query 1, first on line {first}",
        f"  {text}",
        "  A ranking holds each document once: remove the duplicates, or say what they count: --duplicates first or "
        "count-once of 'rankgauge evaluate' and 'compare' (duplicates='first' in Python).",
    ]


def test_an_audit_names_the_lines_too(tmp_path: Path) -> None:
    """Every way to rank a file names the lines of the document."""
    (tmp_path / "run.txt").write_text(TREC)
    scores = Scores(judgments=JUDGMENTS, run=tmp_path / "run.txt")
    with pytest.raises(RepeatedError, match=r"run\.txt:5: "):
        scores.hits(get("standard"))


def test_what_has_no_lines(tmp_path: Path) -> None:
    """A binary table has a name and no lines, a frame neither."""
    run = pl.DataFrame({"query": ["1", "1"], "document": ["d1", "d1"], "score": [2.0, 1.0]})
    run.write_parquet(tmp_path / "run.parquet")
    with pytest.raises(RepeatedError, match=r"run\.parquet: the run lists document d1 more than once for query 1\n"):
        evaluate(JUDGMENTS, tmp_path / "run.parquet", "AP")
    with pytest.raises(RepeatedError, match=r"^the run lists document d1 more than once"):
        evaluate(JUDGMENTS, run, "AP")
