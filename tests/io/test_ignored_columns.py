"""Columns of a TREC run that evaluation ignores: tags and ranks, and what is said where they contradict the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError

OTHER = "q2 Q0 d1 1 9 a\n"
"""The list of the other judged query: no note says that a query is missing."""

RUN = "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\n" + OTHER


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    """Judgments of two queries."""
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RUN, None),
        (RUN.replace("9 a", "9 b"), "have the tags a and b"),
        ("q1 Q0 d1 1 0.1 a\nq1 Q0 d2 2 0.2 a\n", r"ranks contradict its scores \(query q1: rank 1 has the score 0.1"),
        ("q1 Q0 d1 2 0.1 a\nq1 Q0 d2 1 0.2 a\n", None),
        ("q1 Q0 d1 0 0.2 a\nq1 Q0 d2 0 0.3 a\nq2 Q0 d1 0 9 a\n", None),
    ],
)
def test_notes(judgments: Path, tmp_path: Path, text: str, words: str | None) -> None:
    """Two tags, and ranks that rise with the scores, are noted; ranks that agree or say nothing are not."""
    run = tmp_path / "run.txt"
    run.write_text(text if "q2" in text else text + OTHER)
    notes = evaluate(judgments, run, "AP").notes
    assert [bool(re.search(words or "", note)) for note in notes] == ([] if words is None else [True])


def test_the_end_of_a_long_run_is_seen(judgments: Path, tmp_path: Path) -> None:
    """A second run that was appended to a long file has another tag at its end."""
    run = tmp_path / "run.txt"
    lines = [f"q{q} Q0 d{d} {d + 1} {50 - d} a\n" for q in range(40) for d in range(50)]
    run.write_text("".join(lines) + "z9 Q0 d1 1 1 b\n")
    assert any("the tags a and b" in note for note in evaluate(judgments, run, "AP").notes)


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
@pytest.mark.parametrize("ids", [None, "trim"])
def test_a_tag_in_the_middle_is_seen(tmp_path: Path, end: str, ids: str | None) -> None:
    """One list with another tag is noted wherever it is, whatever is said of the file's ids; one tag is not."""
    judgments, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    judgments.write_text("".join(f"q{q} 0 d1 1\n" for q in range(40)))
    lines = [f"q{q} Q0 d{d} {d + 1} {50 - d} {'b' if q == 20 else 'a'}{end}" for q in range(40) for d in range(50)]
    run.write_text("".join(lines), newline="")
    assert any("the tags a and b" in note for note in evaluate(judgments, run, "AP", ids=ids).notes)
    run.write_text("".join(lines).replace(f" b{end}", f" a{end}"), newline="")
    assert evaluate(judgments, run, "AP", ids=ids).notes == ()


def test_ranks_that_are_asked_for_are_not_noted(judgments: Path, tmp_path: Path) -> None:
    """With order=rank the ranks count, and nothing is to be said of them."""
    run = tmp_path / "run.txt"
    run.write_text("q1 Q0 d1 1 0.1 a\nq1 Q0 d2 2 0.2 a\n" + OTHER)
    assert not evaluate(judgments, run, "AP", order="rank").notes


def test_json_lines_have_no_tags(judgments: Path, tmp_path: Path) -> None:
    """A line of JSON may have six words, and its last one is a score."""
    run = tmp_path / "run.jsonl"
    run.write_text("".join(f'{{"query": "q{q}", "document": "d1", "score": {3 - q}}}\n' for q in (1, 2)))
    assert evaluate(judgments, run, "AP").notes == ()


@pytest.mark.parametrize("before", ["", OTHER])
def test_ids_with_white_space_are_refused(judgments: Path, tmp_path: Path, before: str) -> None:
    """An id of two words puts the rank where the score is read, so that the last document would be the first."""
    run = tmp_path / "run.txt"
    run.write_text(before + "q1 Q0 d1 (new) 1 3.5 a\nq1 Q0 d2 (new) 2 2.5 a\n")
    with pytest.raises(InputError, match=r"read as 1, the fifth field of 7, and 3.5 follows.*does an id hold white"):
        evaluate(judgments, run, "AP")
    run.write_text(before + "q1 Q0 d1 12 1 3.5 a\nq1 Q0 d2 12 2 2.5 a\n")
    assert any("read as 1, the fifth field of 7" in note for note in evaluate(judgments, run, "AP").notes)
    run.write_text("q1 Q0 d1 1 3.5 my best run\nq1 Q0 d2 2 2.5 my best run\n" + OTHER)
    assert evaluate(judgments, run, "AP").notes == ()
