"""Yahoo! labels and ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge import files as io
from rankgauge.errors import InputError


def pair(folder: Path, labels: str, ranks: str) -> tuple[Path, Path]:
    """The two files."""
    (folder / "labels.txt").write_text(labels)
    (folder / "ranks.txt").write_text(ranks)
    return folder / "labels.txt", folder / "ranks.txt"


def test_lines_are_queries_and_places_are_documents(tmp_path: Path) -> None:
    """A label is the grade of the document in its place; a rank r is the score −r."""
    judgments, run = io.read_pair(*pair(tmp_path, "2 0 1\n0\n", "3 1 2\n1\n"))
    assert judgments.rows() == [("1", "1", 2.0), ("1", "2", 0.0), ("1", "3", 1.0), ("2", "1", 0.0)]
    assert run.rows() == [("1", "1", -3.0), ("1", "2", -1.0), ("1", "3", -2.0), ("2", "1", -1.0)]


def test_a_query_keeps_the_number_of_its_line(tmp_path: Path) -> None:
    """A blank line holds no documents but counts as a line, in both files."""
    judgments, run = io.read_pair(*pair(tmp_path, "2 0 1\n\n1 0\n", "3 1 2\n\n1 2\n"))
    assert judgments["query"].unique(maintain_order=True).to_list() == ["1", "3"]
    assert run["query"].unique(maintain_order=True).to_list() == ["1", "3"]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 6, 7])
def test_lists_of_one_length_are_not_taken_for_other_formats(tmp_path: Path, width: int) -> None:
    """Lines of four or six numbers look like TREC's, of one like scores; beside ranks they are labels."""
    labels = " ".join("0" * width) + "\n"
    ranks = " ".join(str(n) for n in range(width, 0, -1)) + "\n"
    judgments, run = io.read_pair(*pair(tmp_path, labels * 2, ranks * 2))
    assert (len(judgments), len(run)) == (2 * width, 2 * width)
    assert run["score"].to_list()[:width] == [float(-n) for n in range(width, 0, -1)]


@pytest.mark.parametrize(
    ("labels", "ranks", "line", "problem"),
    [
        ("2 0 1\n1 0\n", "3 1 2\n1 2 3\n", 2, "3 ranks for the 2 labels"),
        ("2 0 1\n1 0\n", "3 1 2\n", 2, "0 ranks for the 2 labels"),
        ("2 0 1\n1 0 0\n", "3 1 2\n1 1 3\n", 2, "each of 1 to n once"),
        ("2 0 1\n1 0 0\n", "3 1 2\n1 2 nan\n", 2, "the score 'nan' is not a number"),
    ],
)
def test_ranks_that_do_not_match_are_refused(tmp_path: Path, labels: str, ranks: str, line: int, problem: str) -> None:
    """Every line of ranks is a permutation as long as its line of labels."""
    files = pair(tmp_path, labels, ranks)
    with pytest.raises(InputError, match=problem) as caught:
        io.read_pair(*files, format="yahoo")
    assert (caught.value.path, caught.value.line) == (str(files[1]), line)


def test_other_ids_are_refused_by_the_writer(tmp_path: Path) -> None:
    """A Yahoo file keeps no ids, so only 1, 2, 3, … are written."""
    with pytest.raises(InputError, match="keeps no ids"):
        io.write_judgments({"q": {"d": 1}}, tmp_path / "j.labels", "yahoo")


def test_documents_are_written_in_their_places(tmp_path: Path) -> None:
    """Whatever the order of the rows, a number is written at its document's position."""
    io.write_run([("2", "1", 5), ("1", "2", 9.5), ("1", "1", 3), ("1", "3", 4)], tmp_path / "r.ranks")
    assert (tmp_path / "r.ranks").read_text() == "3 1 2\n1\n"
