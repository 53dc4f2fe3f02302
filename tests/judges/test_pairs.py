"""Pairs with their texts: from a table, or from runs and tables of texts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm.asking.pairs import TextPairs
from tests.judges.pools import pool


def test_a_table_keeps_its_order(tmp_path: Path) -> None:
    """Every column is there as text, in the order of the file."""
    pool().with_columns(score=pl.int_range(20, 0, -1)).write_csv(tmp_path / "pool.csv")
    pairs = TextPairs.from_pool(tmp_path / "pool.csv")
    assert pairs.frame["document"].to_list() == pool()["document"].to_list()
    assert pairs.columns == ["query_text", "title", "text", "score"]
    assert pairs.texts()[0]["text"].startswith("passage 0-0.\n")
    assert len(TextPairs.from_pool(tmp_path / "pool.csv", depth=2)) == 8


def test_pyterriers_frames() -> None:
    """The id is in `qid`, the text in `query`."""
    frame = pl.DataFrame({"qid": ["1"], "query": ["how far"], "docno": ["d"], "text": ["far"], "rank": [0]})
    pairs = TextPairs.from_pool(frame)
    assert pairs.frame.select("query", "document", "query_text").row(0) == ("1", "d", "how far")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs, and the texts as MS MARCO and as tables have them."""
    (tmp_path / "a.txt").write_text("1 Q0 d1 1 9 a\n1 Q0 d2 2 8 a\n2 Q0 d1 1 9 a\n")
    (tmp_path / "b.txt").write_text("1 Q0 d3 1 9 b\n1 Q0 d1 2 8 b\n2 Q0 d4 1 9 b\n")
    (tmp_path / "queries.tsv").write_text('1\thow far\n2\twho said "so\n')
    (tmp_path / "collection.tsv").write_text("".join(f"d{n}\ttext {n}\n" for n in range(1, 9)))
    pl.DataFrame({"qid": ["1", "2"], "query": ["how far", "who"]}).write_csv(tmp_path / "queries.csv")
    pl.DataFrame({"doc_id": [f"d{n}" for n in range(1, 9)], "title": "T", "text": "x"}).write_ndjson(
        tmp_path / "docs.jsonl"
    )
    return [tmp_path / "a.txt", tmp_path / "b.txt"]


@pytest.mark.parametrize(("documents", "queries"), [("collection.tsv", "queries.tsv"), ("docs.jsonl", "queries.csv")])
def test_runs_with_texts(runs: list[Path], documents: str, queries: str) -> None:
    """The pairs of all runs, each once, those of a query together."""
    folder = runs[0].parent
    pairs = TextPairs.from_pool(runs, documents=folder / documents, queries=folder / queries)
    found = list(pairs.frame.select("query", "document").iter_rows())
    assert found == [("1", "d1"), ("1", "d2"), ("1", "d3"), ("2", "d1"), ("2", "d4")]
    assert pairs.frame["query_text"].to_list()[:4:3] == [
        "how far",
        'who said "so' if queries == "queries.tsv" else "who",
    ]
    top = TextPairs.from_pool(runs, documents=folder / documents, queries=folder / queries, depth=1)
    assert len(top) == 4


def test_what_is_missing_is_named(runs: list[Path]) -> None:
    """No texts, no such column, a document without a text, the same pair twice: one clear error."""
    folder = runs[0].parent
    with pytest.raises(InputError, match=r"no column query_text.*\n.*--queries"):
        TextPairs.from_pool(runs)
    with pytest.raises(InputError, match="no column text or title"):
        TextPairs.from_pool(runs, queries=folder / "queries.tsv")
    (folder / "few.tsv").write_text("d1\ttext 1\n")
    with pytest.raises(InputError, match="3 of 5 pairs have no text of their document, the first being document d2"):
        TextPairs.from_pool(runs, queries=folder / "queries.tsv", documents=folder / "few.tsv")
    with pytest.raises(InputError, match="row 21: document d0-0 is listed twice"):
        TextPairs.from_pool(pl.concat([pool(), pool()]))
    with pytest.raises(InputError, match="no column for document"):
        TextPairs.from_pool(pool().drop("document"))
    with pytest.raises(InputError, match="no column of scores or ranks"):
        TextPairs.from_pool(pool(), depth=3)
    with pytest.raises(ParameterError):
        TextPairs.from_pool(pool(), depth=0)
    with pytest.raises(InputError, match="a row has no query"):
        TextPairs.from_pool(pool().with_columns(query=pl.lit("")))


def test_an_unknown_kind_of_pool_is_an_error(tmp_path: Path) -> None:
    """A file that is neither a table nor a run, or that is not there."""
    with pytest.raises(InputError, match="there is no such file"):
        TextPairs.from_pool(tmp_path / "none.csv")
    with pytest.raises(InputError):
        TextPairs.from_pool([tmp_path / "none.txt"])
    with pytest.raises(InputError, match="no rows"):
        TextPairs.from_pool(pool().head(0))
