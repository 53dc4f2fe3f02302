"""The door: whatever holds judgments or a run becomes the same table."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import files
from rankgauge.errors import InputError, InputWarning
from rankgauge.registry import plain
from tests.examples import examples

ROWS = [("1", "a", 2.0), ("1", "b", 0.0), ("2", "a", 1.0)]
COLUMNS = {"query": ["1", "1", "2"], "document": ["a", "b", "a"], "grade": [2, 0, 1]}
Judged = namedtuple("Judged", ["query_id", "doc_id", "relevance"])

FORMS: dict[str, Any] = {
    "polars": pl.DataFrame(COLUMNS),
    "lazy": pl.LazyFrame(COLUMNS),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with number ids": pd.DataFrame({**COLUMNS, "query": [1, 1, 2]}),
    "pandas with objects": pd.DataFrame(COLUMNS, dtype=object),
    "pandas with categories": pd.DataFrame(COLUMNS).astype({"query": "category"}),
    "pandas with nullable numbers": pd.DataFrame(COLUMNS).astype({"grade": "Int64"}),
    "pandas under another index": pd.DataFrame(COLUMNS, index=[7, 7, 9]),
    "PyTerrier": pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": [2, 0, 1]}),
    "pyarrow": pa.table(COLUMNS),
    "dict of dicts": {"1": {"a": 2, "b": 0}, "2": {"a": 1}},
    "dict with number ids": {1: {"a": 2, "b": 0}, 2: {"a": 1}},
    "columns": COLUMNS,
    "arrays": {name: np.array(values) for name, values in COLUMNS.items()},
    "tuples": [("1", "a", 2), ("1", "b", 0), ("2", "a", 1)],
    "lists": [["1", "a", 2], ["1", "b", 0], ["2", "a", 1]],
    "mixed ids": [(1, "a", 2), ("1", "b", False), (2, "a", True)],
    "named tuples": [Judged("1", "a", 2), Judged("1", "b", 0), Judged("2", "a", 1)],
    "ir-measures": [ir_measures.Qrel("1", "a", 2), ir_measures.Qrel("1", "b", 0), ir_measures.Qrel("2", "a", 1)],
    "dicts": [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "a generator": (row for row in ROWS),
    "numbers as text": [("1", "a", "2"), ("1", "b", " 0 "), ("2", "a", "1e0")],
    "a decimal column": pl.DataFrame(COLUMNS).with_columns(pl.col("grade").cast(pl.Decimal(5, 2))),
    "a column of small numbers": pl.DataFrame(COLUMNS).with_columns(pl.col("grade").cast(pl.Int8)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_table(form: str) -> None:
    """Ids are text, grades doubles, and the rows keep their order."""
    judgments = files.as_judgments(FORMS[form])
    assert judgments.schema == {"query": pl.String, "document": pl.String, "grade": pl.Float64}
    assert judgments.rows() == ROWS


def test_a_run_may_come_from_ir_measures_and_pyterrier() -> None:
    """ScoredDoc and PyTerrier's results are runs; the query's text is not its id."""
    scored = [ir_measures.ScoredDoc("1", "a", 2.5), ir_measures.ScoredDoc("1", "b", 1.5)]
    results = pd.DataFrame(
        {"qid": [1, 1], "docid": [7, 8], "docno": ["a", "b"], "rank": [0, 1], "score": [2.5, 1.5], "query": ["x", "x"]}
    )
    assert files.as_run(scored).rows() == [("1", "a", 2.5), ("1", "b", 1.5)]
    assert files.as_run(results).rows() == [("1", "a", 2.5, 0), ("1", "b", 1.5, 1)]


def test_whole_numbers_that_pandas_made_doubles_stay_whole() -> None:
    """Document 7 is called "7" also where the column became 7.0; 7.5 stays 7.5."""
    frame = pd.DataFrame({"query": [1.0, 2.0], "document": [7.0, 7.5], "grade": [1, 0]})
    assert files.as_judgments(frame).rows() == [("1", "7", 1.0), ("2", "7.5", 0.0)]


def test_assessors_may_judge_the_same_document() -> None:
    """With an assessor's column a document is judged once by each."""
    rows = [("q", "d", 1, "anna"), ("q", "d", 2, "ben")]
    assert files.as_judgments(rows)["assessor"].to_list() == ["anna", "ben"]
    with pytest.raises(InputError, match="judged twice by anna: grade 1, then 2"):
        files.as_judgments([("q", "d", 1, "anna"), ("q", "d", 2, "anna")])


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ([("q", "a", 1), ("q", "b", float("nan"))], "row 2: the grade nan is not a finite number"),
        ([("q", "a", 1), ("q", "b", float("inf"))], "row 2: the grade inf is not a finite number"),
        ([("q", "a", 1), (None, "b", 1)], "row 2: there is no query"),
        ([("q", "a", 1), ("q", "", 1)], "row 2: there is no document"),
        ([("q", "a", 1), ("q", "b", "x")], "row 2: the grade 'x' is not a finite number"),
        ([("q", "a", 1), ("q", "a", 2)], "row 2: document a of query q is judged twice: grade 1, then 2"),
        ([("q", "a", None), ("q", "b", None)], "none of the 2 rows has a grade"),
        ([("q", "a", 1), ("q", "b")], "row 2: 3 fields expected"),
        ([("q", "a")], "rows of judgments are"),
        ([1, 2, 3], "rows of judgments are"),
        ([], "there are no rows"),
        (pl.DataFrame(schema={"query": pl.String, "document": pl.String, "grade": pl.Float64}), "there are no rows"),
        ({}, "a dict of judgments is"),
        ({"q": {}}, "there are no rows"),
        ({"q": {"a": 1}, "r": 2}, "a dict of judgments is"),
        ({"q": {"cars": {"a": 1}}}, r"a dict of judgments is {query: {document: grade}}(.|\n)*columns: {.*'subtopic'"),
        (
            {"query": ["q"], "document": ["a", "b"], "grade": [1]},
            "columns of different lengths: 1 in grade, 2 in document",
        ),
        ({"q": ["a"], "r": ["a", "b"]}, r"grade them: \{query: dict.fromkeys\(documents, 1\)"),
        ({"q": {"a"}, "r": {"a", "b"}}, r"grade them: \{query: dict.fromkeys\(documents, 1\)"),
        (
            pd.DataFrame({"query": ["q"], "text": ["a"], "grade": [1]}),
            "no column for document among query, text, grade",
        ),
        (pd.DataFrame({"query": ["q", "r"], "document": ["a", None], "grade": [1, 1]}), "row 2: there is no document"),
        (17, "int cannot be read as judgments"),
        ("qrels.txt", "str cannot be read as judgments"),
    ],
)
def test_what_is_wrong_is_named_with_its_row(source: Any, problem: str) -> None:
    """NaN, holes, text for numbers, duplicates and empty tables are refused at the door."""
    with pytest.raises(InputError, match=problem):
        files.as_judgments(source)


@pytest.mark.parametrize(
    "source",
    [
        [("q", "a", 1), ("q", "b", None)],
        pd.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "grade": [1, None]}),
        [("q", "a", "1"), ("q", "b", " ")],
    ],
)
def test_a_row_without_a_grade_is_left_out_and_counted(source: Any) -> None:
    """A document that nobody got to is no judgment; pandas writes its holes as NaN."""
    with pytest.warns(InputWarning, match="^1 row has no grade and is left out$"):
        assert files.as_judgments(source).rows() == [("q", "a", 1.0)]


def test_judgments_that_say_the_same_are_merged_and_counted() -> None:
    """The same document with the same grade is one judgment; another grade is a contradiction."""
    rows = [("q", "a", 1), ("q", "b", 0), ("q", "a", 1), ("q", "a", "1.0")]
    with pytest.warns(InputWarning, match="^2 judgments repeat earlier ones with the same grade"):
        assert files.as_judgments(rows).rows() == [("q", "a", 1.0), ("q", "b", 0.0)]


def test_a_run_refuses_nan_but_not_infinity() -> None:
    """NaN has no place in an order; infinity does."""
    assert files.as_run([("q", "a", float("-inf"))])["score"].to_list() == [float("-inf")]
    with pytest.raises(InputError, match="row 1: the score nan is not a number"):
        files.as_run([("q", "a", float("nan"))])


@settings(max_examples=examples(50), deadline=None)
@given(
    st.dictionaries(
        st.one_of(st.integers(), st.text(min_size=1)),
        st.dictionaries(st.one_of(st.integers(), st.text(min_size=1)), st.floats(-9, 9), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_a_dict_of_dicts_goes_in_and_out(run: dict[Any, dict[Any, float]]) -> None:
    """Every pair of a nested dict is a row, in its order, its ids as text."""
    expected = [(str(query), str(document), score) for query, found in run.items() for document, score in found.items()]
    assert files.as_run(run).rows() == expected


def test_nothing_given_is_changed() -> None:
    """The door makes a table of its own."""
    frame = pd.DataFrame(COLUMNS)
    before = frame.copy()
    files.as_judgments(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_pandas_needs_no_pyarrow() -> None:
    """Where pyarrow is not installed a pandas frame is read all the same."""
    script = """
import sys
sys.modules["pyarrow"] = None
import pandas, rankgauge.files
frame = pandas.DataFrame({"qid": [1, 2], "docno": ["a", None], "label": [1, 0]}).head(1)
print(rankgauge.files.as_judgments(frame).rows())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[('1', 'a', 1.0)]\n"


def test_the_door_imports_neither_pandas_nor_pyarrow() -> None:
    """Frames are known by their shape, so that starting costs nothing."""
    script = "import sys, rankgauge.files, rankgauge.files; print({'pandas', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_alias_leads_to_one_column() -> None:
    """No name means two of our columns."""
    names = [plain(alias) for groups in files.ALIASES.values() for aliases in groups for alias in aliases]
    assert len(names) == len(set(names))
    assert all((name,) in groups for name, groups in files.ALIASES.items())
