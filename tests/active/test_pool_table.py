"""A table as a pool: what its columns are taken for."""

from __future__ import annotations

import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pool_sources import PoolTable, document_table


def taken(table: PoolTable) -> dict[str, str]:
    return {role.name: role.words for role in table.roles}


def test_ids_texts_and_runs_under_other_names() -> None:
    """A shop's table: the query by its text, the document by its article number, name and description to read."""
    frame = pl.DataFrame(
        {
            "query": ["lamp", "lamp"],
            "docid": ["a", "b"],
            "name": ["Lamp", "Desk"],
            "description": ["bright", "wide"],
            "rank_bm25": [1, 2],
            "score_dense": [0.2, None],
            "splade_score": [0.1, 0.3],
            "price": [3, 4],
        }
    )
    table = PoolTable.of(frame)
    assert dict(table.runs) == {"bm25": "rank_bm25", "dense": "score_dense", "splade": "splade_score"}
    assert table.texts == ["title", "text"]
    assert taken(table)["name"] == "the document's title"
    assert [role.name for role in table.roles if role.ignored] == ["price"]
    assert table.run("bm25").rows() == [("lamp", "a", -1.0, 1), ("lamp", "b", -2.0, 2)]
    assert table.run("dense").rows() == [("lamp", "a", 0.2)], "an empty cell: not in the list"
    further = {role.name for role in PoolTable.of(frame, board=True).roles if role.ignored}
    assert not further, "numbers of a board's documents may tell relevant ones"


def test_a_run_with_ranks_and_scores_has_its_ranks() -> None:
    """Ranks have no ties."""
    frame = pl.DataFrame({"query": ["q"], "document": ["d"], "score_a": [1.0], "rank_a": [1], "rank_b": [2]})
    assert dict(PoolTable.of(frame).runs) == {"a": "rank_a", "b": "rank_b"}


def test_the_usual_columns_are_rankers() -> None:
    """score, or score_1 and score_2, as ever; beliefs and a judge's grades beside them."""
    frame = pl.DataFrame(
        {"qid": ["1"], "query": ["red shoes"], "docno": ["d"], "score_1": [1.0], "score_2": [2.0]}
        | {"p_0": [0.5], "p_1": [0.5], "llm_grade": [1]}
    )
    table = PoolTable.of(frame)
    assert list(table.runs.values()) == ["score_1", "score_2"]
    assert table.grades == (0.0, 1.0)
    assert table.frame["query"].to_list() == ["1"]
    assert table.frame["query_text"].to_list() == ["red shoes"], "PyTerrier keeps the text in `query`"
    assert taken(table)["llm_grade"] == "a judge's grades: beliefs, never labels"


def test_people_s_grades_are_ignored() -> None:
    """Grades in a pool are neither beliefs nor labels: the page says that they are ignored."""
    frame = pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0], "grade": [2], "ann_rating": [1]})
    for board in (False, True):
        ignored = {role.name for role in PoolTable.of(frame, board=board).roles if role.ignored}
        assert ignored == {"grade", "ann_rating"}


def test_what_the_page_calls_ignored_is_not_used() -> None:
    """A pool that `pool make` wrote may come back as the table of documents: its ranks, people's grades and costs tell
    the model nothing; a spreadsheet's numbers do, though all its cells are text."""
    runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    frame = pl.DataFrame(
        {"query": ["q", "q"], "document": ["x", "y"], "title": ["7", "8"], "place": ["1", "2"], "best_rank": ["1", "1"]}
        | {"runs": ["2", "2"], "rank_a": ["1", "2"], "rank_b": ["2", "1"], "grade": ["3", "0"], "cost": ["1", "2"]}
        | {"clicks": ["12", ""], "note": ["new", "old"]}
    )
    documents, roles = document_table(frame)
    pool = BoardPool.from_runs(runs, texts=documents)
    assert pool.facts is not None
    assert pool.facts.columns == ["clicks"]
    told = {role.name: role.words for role in roles}
    assert told["clicks"] == "a number that may tell relevant documents"
    assert [name for name, words in told.items() if not words] == ["place", "best_rank", "runs", "grade", "note"]


def test_a_table_without_ids_is_one_clear_error() -> None:
    """The error names what is missing."""
    with pytest.raises(InputError, match="no column for document among query, score"):
        PoolTable.of(pl.DataFrame({"query": ["q"], "score": [1.0]}))


def test_a_word_is_no_rank() -> None:
    """A column of scores whose name has the letters of rank in it holds scores; that of a pool's best rank no run."""
    frame = pl.DataFrame({"query": ["q"], "document": ["d"], "ranker_score": [0.5], "best_rank": [1]})
    table = PoolTable.of(frame)
    assert dict(table.runs) == {"ranker": "ranker_score"}
    assert table.run("ranker")["score"].to_list() == [0.5]


def test_texts_of_another_table() -> None:
    """What a table of documents says is added; where both say something, the pool's own stays."""
    pool = pl.DataFrame(
        {"query": ["q", "q", "r"], "document": ["a", "b", "a"], "score": [2.0, 1.0, 1.0], "title": ["A", None, None]}
    )
    documents = pl.DataFrame({"document": ["b", "a"], "title": ["bee", "ay"], "text": ["text b", "text a"]})
    found = PoolTable.of(pool).join(document_table(documents)[0]).frame
    assert found["title"].to_list() == ["A", "bee", "ay"]
    assert found["text"].to_list() == ["text a", "text b", "text a"]
    told = documents.with_columns(query=pl.Series(["q", "r"]), llm_grade=pl.Series([1, 2]))
    assert "llm_grade" not in PoolTable.of(pool).join(document_table(told)[0]).frame.columns, "a judge by itself"
