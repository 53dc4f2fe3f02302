"""Probabilities of subtopics: their files and tables, what they do to values, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import ir_measures
import polars as pl
import pytest

from rankgauge import compare, evaluate
from rankgauge.errors import InputError, ParameterError

QRELS = "1 1 a 1\n1 2 b 1\n2 1 c 1\n"
RUN = {"1": ["b", "a"], "2": ["c"]}
GIVEN = {"1": {"1": 0.75, "2": 0.25}, "2": {"1": 1.0}}
ROWS = [(query, subtopic, p) for query, found in GIVEN.items() for subtopic, p in found.items()]


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    """Diversity qrels."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path / "qrels.txt"


def test_every_way_to_give_them(qrels: Path, tmp_path: Path) -> None:
    """Lines, a table, a frame, a dict and rows are the same; weights need not add up to 1."""
    text, table = tmp_path / "intents.txt", tmp_path / "intents.csv"
    text.write_text("# query subtopic probability\n" + "".join(f"{q} {s} {p}\n" for q, s, p in ROWS))
    table.write_text("topic,intent_id,probability\n" + "".join(f"{q},{s},{p}\n" for q, s, p in ROWS))
    frame = pl.DataFrame(ROWS, schema=["query", "subtopic", "probability"], orient="row")
    tripled = frame.with_columns(probability=3 * pl.col("probability"))
    given: list[Any] = [text, table, frame, GIVEN, ROWS, tripled]
    for intents in given:
        assert evaluate(qrels, RUN, "StRecall@1", intents=intents).matrix[:, 0].tolist() == [0.25, 1.0]
    assert evaluate(qrels, RUN, "StRecall@1").matrix[:, 0].tolist() == [0.5, 1.0]
    both = compare(qrels, {"one": RUN, "two": {"1": ["a"], "2": ["c"]}}, "StRecall@1", intents=GIVEN)
    assert both.means["mean"].to_list() == pytest.approx([(0.25 + 1) / 2, (0.75 + 1) / 2])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 2 -0.5", "subtopic 2 of query 1 is -0.5"),
        ("1 2 often", "'often' is not a number"),
        ("1 2", "three fields"),
        ("", "subtopic 2 of query 1 has no probability"),
    ],
)
def test_what_is_refused(line: str, said: str, qrels: Path, tmp_path: Path) -> None:
    """An error names the file and what is wrong with it."""
    (tmp_path / "intents.txt").write_text(f"1 1 0.75\n{line}\n2 1 1\n")
    with pytest.raises(InputError, match=f"intents.txt.*{said}"):
        evaluate(qrels, RUN, "StRecall@1", intents=tmp_path / "intents.txt")


def test_plain_measures_have_no_intents(qrels: Path) -> None:
    """A measure that looks at documents as a whole takes no probabilities; plain judgments have no subtopics."""
    with pytest.raises(ParameterError, match="only measures of diversity"):
        evaluate(qrels, RUN, "nDCG@1", intents=GIVEN)
    with pytest.raises(InputError, match="these judgments have none"):
        evaluate({"1": {"a": 1}}, RUN, "StRecall@1", intents=GIVEN)


def test_subtopics_that_nobody_judged(qrels: Path) -> None:
    """A subtopic without judgments does not count, and that is said."""
    more = {**GIVEN, "2": {"1": 1.0, "9": 3.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert evaluate(qrels, RUN, "StRecall@1", intents=more).matrix[1, 0] == 1


def test_iteration_of_ir_measures_is_the_subtopic() -> None:
    """Qrels of ir-measures have the subtopic in their iteration."""
    qrels = [ir_measures.Qrel("1", "a", 1, "1"), ir_measures.Qrel("1", "a", 0, "2"), ir_measures.Qrel("1", "b", 1, "2")]
    assert evaluate(qrels, RUN, "StRecall@1").matrix[0, 0] == 0.5
