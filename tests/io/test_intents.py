"""Probabilities of subtopics: their files and tables, what they do to values, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import polars as pl
import pytest

from rankgauge import compare, evaluate
from rankgauge.errors import InputError, InputWarning, ParameterError

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
    """A subtopic without judgments is an intent that no list serves: it counts in intent recall alone, which is said;
    one of probability 0 does not count."""
    more = {**GIVEN, "2": {"1": 1.0, "9": 3.0, "8": 0.0}}
    names = ["StRecall@1", "D_nDCG@1", "P_IA@1", "I_rec@1", "Dsharp_nDCG@1"]
    with pytest.warns(InputWarning, match="1 subtopic has .* it counts in I_rec and Dsharp_nDCG alone"):
        result = evaluate(qrels, RUN, names, intents=more)
    assert result.matrix[1].tolist() == [1, 1, 1, 1 / 2, (1 / 2 + 1) / 2]


def test_iteration_of_ir_measures_is_the_subtopic() -> None:
    """Qrels of ir-measures have the subtopic in their iteration."""
    qrels = [ir_measures.Qrel("1", "a", 1, "1"), ir_measures.Qrel("1", "a", 0, "2"), ir_measures.Qrel("1", "b", 1, "2")]
    assert evaluate(qrels, RUN, "StRecall@1").matrix[0, 0] == 0.5


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["0.75", "", "1"], "subtopic 2 of query 1 has no probability"),
        (["0.75", "often", "1"], "'often' is not a number"),
        (["0.75", "-1", "1"], "subtopic 2 of query 1 is -1"),
        (["0.75", "inf", "1"], "subtopic 2 of query 1 is inf"),
        (["0.75", "0.25", "0"], "all judged subtopics of query 2 have the probability 0"),
    ],
)
def test_a_column_of_the_judgments_is_refused_alike(column: list[str], said: str, tmp_path: Path) -> None:
    """Probabilities beside the judgments are held to what --intents is held to, and an error names the judgments."""
    rows = zip(("1,1,a,1", "1,2,b,1", "2,1,c,1"), column, strict=True)
    table = tmp_path / "judged.csv"
    table.write_text("query,subtopic,document,grade,probability\n" + "".join(f"{row},{p}\n" for row, p in rows))
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 b 1 2 r\n2 Q0 c 1 2 r\n")
    for runs in (run, {"one": str(run), "two": str(run)}):
        with pytest.raises(InputError, match=rf"judged\.csv.*{said}"):
            evaluate(table, runs, "StRecall@1")


def test_a_subtopic_has_one_probability() -> None:
    """Rows of one subtopic that give it different probabilities contradict each other."""
    rows = {"query": ["1", "1"], "subtopic": ["1", "1"], "document": ["a", "b"], "grade": [1, 1]}
    with pytest.raises(InputError, match=r"subtopic 1 of query 1 has several probabilities: 0\.7 and 0\.3"):
        evaluate({**rows, "probability": [0.7, 0.3]}, RUN, "StRecall@1")
    assert evaluate({**rows, "probability": [0.7, 0.7]}, RUN, "StRecall@1")["StRecall@1"] == 1


def test_a_query_whose_probabilities_are_all_0(qrels: Path) -> None:
    """Nothing counts for such a query, and that is an error, not a value of 0."""
    with pytest.raises(InputError, match="all judged subtopics of query 1 have the probability 0"):
        evaluate(qrels, RUN, "StRecall@1", intents={**GIVEN, "1": {"1": 0.0, "2": 0.0}})


def test_a_subtopic_twice_in_a_file(qrels: Path, tmp_path: Path) -> None:
    """Two lines on one subtopic that contradict each other are an error with both lines; the same twice counts once."""
    table, text = tmp_path / "intents.csv", tmp_path / "intents.txt"
    table.write_text("query,subtopic,probability\n1,1,0.7\n1,2,0.2\n1,1,0.1\n2,1,1\n")
    text.write_text("1 1 0.7\n1 2 0.2\n1 1 0.1\n2 1 1\n")
    for path, first, second in ((table, 2, 4), (text, 1, 3)):
        said = (
            rf"{path.name}:{second}: subtopic 1 of query 1 is there twice: probability 0\.7, then 0\.1; .* line {first}"
        )
        with pytest.raises(InputError, match=said):
            evaluate(qrels, RUN, "StRecall@1", intents=path)
    again = tmp_path / "again.txt"
    again.write_text("1 1 0.75\n1 1 0.75\n1 2 0.25\n2 1 1\n")
    with pytest.warns(InputWarning, match="1 row repeats an earlier one with the same probability"):
        assert evaluate(qrels, RUN, "StRecall@1", intents=again).matrix[0, 0] == 0.25


def test_a_table_under_any_name(qrels: Path, tmp_path: Path) -> None:
    """A table with a header is one whatever its file is called; with other columns an error names the file and ours."""
    table, odd = tmp_path / "intents.txt", tmp_path / "odd.csv"
    table.write_text("query,subtopic,probability\n" + "".join(f"{q},{s},{p}\n" for q, s, p in ROWS))
    assert evaluate(qrels, RUN, "StRecall@1", intents=table).matrix[:, 0].tolist() == [0.25, 1.0]
    odd.write_text("topic,intent,weight\n1,1,0.75\n")
    with pytest.raises(InputError, match=r"odd\.csv: no column for subtopic, probability") as refused:
        evaluate(qrels, RUN, "StRecall@1", intents=odd)
    assert refused.value.hint == "Name its columns query, subtopic, probability."


def test_an_empty_dict_of_intents(qrels: Path) -> None:
    """The error says what a dict of intents looks like."""
    with pytest.raises(InputError, match=r"a dict of intents is {query: {subtopic: probability}}"):
        evaluate(qrels, RUN, "StRecall@1", intents={})
