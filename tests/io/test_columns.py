"""Columns by any of their common names, and by the names that a user says they have."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import rankgauge
from rankgauge import files
from rankgauge.errors import InputError, InputWarning, ParameterError, UnknownNameError
from rankgauge.files import ALIASES

QUERIES = ("query_text", "Query Text", "keyword", "search_term", "Search Query", "qid", "query-id", "QueryID", "topic")
DOCUMENTS = ("product_id", "sku", "url", "_id", "doc id", "docno", "corpus-id", "Doc ID", "docId", "id", "pid", "asin")
GRADES = ("rating", "Label", "relevance", "judgement", "Judgment", "grade", "rel", "esci_label")
ORDERS = ("score", "_score", "Score", "similarity", "rank", "position", "Doc Position", "result_position")


def written(path: Path, *lines: str) -> Path:
    """A file of these lines."""
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("query", QUERIES)
def test_the_common_names_of_queries(tmp_path: Path, query: str) -> None:
    """In any case, with blanks, hyphens or underscores."""
    assert files.read_judgments(written(tmp_path / "j.csv", f"{query},document,grade", "q,d,1")).rows() == [
        ("q", "d", 1)
    ]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_common_names_of_documents(tmp_path: Path, document: str) -> None:
    """Ids of products, addresses, and what search engines call them."""
    path = written(tmp_path / "j.csv", f"query,{document},grade", "q,d,1")
    assert files.read_judgments(path).rows() == [("q", "d", 1)]


@pytest.mark.parametrize("grade", GRADES)
def test_the_common_names_of_grades(tmp_path: Path, grade: str) -> None:
    """In any spelling."""
    path = written(tmp_path / "j.csv", f"query,document,{grade}", "q,d,1")
    assert files.read_judgments(path).rows() == [("q", "d", 1)]


@pytest.mark.parametrize("order", ORDERS)
def test_the_common_names_of_scores_and_ranks(tmp_path: Path, order: str) -> None:
    """A run has scores, or ranks, which are scores turned round."""
    path = written(tmp_path / "r.csv", f"query,document,{order}", "q,d,1", "q,e,2")
    first = 1.0 if "s" in order.lower()[:2] else -1.0
    assert files.read_run(path)["score"].to_list() == [first, 2 * first]


def test_the_page_lists_every_name() -> None:
    """In the same order, with a semicolon between groups."""
    page = (Path(__file__).parents[2] / "docs" / "tables.md").read_text()
    for name, groups in ALIASES.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
        listed = re.sub(r" \(or \w+\)|; in judgments also score", "", row.split("|")[2].strip())
        assert listed == "; ".join(", ".join(group) for group in groups)


def test_the_surest_name_comes_first(tmp_path: Path) -> None:
    """An id goes before a text, a product's number before its address; `score` is surer than `_score`."""
    header = "query_text,query_id,url,sku,product_id,_score,score"
    path = written(tmp_path / "r.csv", header, "black cat,7,http://a,s1,p1,0.5,2")
    assert files.read_run(path).rows() == [("7", "p1", 2.0)]


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("query,document,rating,relevance", "the columns relevance and rating could each be the grade"),
        ("keyword,search_term,document,grade", "the columns keyword and search_term could each be the query"),
    ],
)
def test_two_columns_that_are_equally_likely_are_an_error(tmp_path: Path, header: str, problem: str) -> None:
    """The error names both, and the option that decides."""
    path = written(tmp_path / "j.csv", header, "1,2,3,4")
    with pytest.raises(InputError, match=f"{problem}\n  Say which: --columns") as caught:
        files.read_judgments(path)
    assert caught.value.path == str(path)


def test_a_user_says_which_column_is_which(tmp_path: Path) -> None:
    """What is said goes before any other name, in files of every kind and in frames."""
    columns = {"query": "Shop Search", "document": "Article", "grade": "stars"}
    rows = {"query_id": [9, 9], "Shop Search": ["q", "q"], "article": ["d", "e"], "Stars": [2, 0], "rating": [7, 7]}
    frame, wanted = pl.DataFrame(rows), [("q", "d", 2.0), ("q", "e", 0.0)]
    frame.write_csv(tmp_path / "j.csv")
    frame.write_csv(tmp_path / "j.txt", separator="\t")
    frame.write_ndjson(tmp_path / "j.jsonl")
    frame.write_parquet(tmp_path / "j.parquet")
    for name in ("j.csv", "j.txt", "j.jsonl", "j.parquet"):
        assert files.read_judgments(tmp_path / name, columns=columns).rows() == wanted
        assert rankgauge.evaluate(tmp_path / name, {"q": {"d": 1}}, "P@1", columns=columns)["P@1"] == 1
    for table in (frame, pd.DataFrame(rows)):
        assert rankgauge.evaluate(table, {"q": {"d": 1}}, "P@1", columns=columns)["P@1"] == 1


def test_a_file_that_has_the_common_name_may_lack_the_one_that_was_said(tmp_path: Path) -> None:
    """One option serves judgments and run; a note says which column was taken in its place."""
    judgments = written(tmp_path / "j.csv", "term,sku,stars", "q,d,2", "q,e,0")
    run = written(tmp_path / "r.csv", "query,doc_id,position", "q,e,1", "q,d,2")
    said = {"columns": "query=term,grade=stars"}
    found = rankgauge.evaluate(judgments, run, "RR", **said)
    assert found["RR"] == 1 / 2
    assert found.notes == (f"{run}: there is no column term; the query is taken from the column query",)
    compared = rankgauge.compare(judgments, {"a": run, "b": {"q": {"d": 1}}}, "RR", **said)
    assert [result["RR"] for result in compared.results.values()] == [1 / 2, 1]
    with pytest.warns(InputWarning, match="no column term"):
        files.read_run(run, columns={"query": "term"})


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the nearest name; and ours come first."""
    path = written(tmp_path / "j.csv", "query,document,Stars", "q,d,1")
    with pytest.raises(InputError, match=r"no column for grade among .*\n  There is no such column: grade=Sters\. Did"):
        files.read_judgments(path, columns="grade=Sters")
    with pytest.raises(InputError, match=r"Say which column it is: --columns grade=NAME"):
        files.read_judgments(path)
    path = written(tmp_path / "j.csv", "query,document,rating,stars", "q,d,1,3")
    for name in ("grade", "assessor"):  # another column is no answer to a misspelt one
        with pytest.raises(InputError, match=f"There is no such column: {name}=Sters. Did you mean stars"):
            rankgauge.evaluate(path, {"q": {"d": 1}}, "RR", columns=f"{name}=Sters")
    with pytest.raises(UnknownNameError, match="There is no column called 'Stars'"):
        files.read_judgments(path, columns="Stars=grade")
    with pytest.raises(ParameterError, match="written as query=search_term"):
        files.read_judgments(path, columns="grade")


def test_a_rank_that_is_no_number_is_named(tmp_path: Path) -> None:
    """The line and the word in it."""
    path = written(tmp_path / "r.csv", "query,document,position", "q,d,1", "q,e,second")
    with pytest.raises(InputError, match="the rank 'second' is not a number") as caught:
        files.read_run(path)
    assert caught.value.line == 3


def test_a_score_that_is_missing_is_not_called_a_rank() -> None:
    """A frame with ranks and an empty score lacks the score: its rank is a number."""
    rows = {"query": ["q", "q"], "document": ["d", "e"], "rank": [1, 2], "score": [2.0, None]}
    with pytest.raises(InputError, match="there is no score"):
        rankgauge.evaluate({"q": {"d": 1}}, rows, "RR")


def test_a_table_of_a_pool_has_our_names_where_a_user_says_so(tmp_path: Path) -> None:
    """Other columns stay; one that would be taken for the same thing does not."""
    path = written(tmp_path / "pool.csv", "query_id,term,sku,score_1,title", "1,q,d,0.5,A shoe")
    said = {"query": "term", "document": "sku"}
    assert files.read_table(path, columns=said).columns == ["query", "document", "score_1", "title"]
