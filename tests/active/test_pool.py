"""Pools: from frames, runs and LETOR files, and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

from rankgauge import files
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.labelling.pool import Pool
from tests.active.pools import pools
from tests.active.test_beliefs import Model
from tests.examples import examples

FRAME = pl.DataFrame(
    {
        "query": ["b", "a", "b", "b", "a"],
        "document": ["1", "1", "2", "3", "2"],
        "score": [1.0, 5.0, 3.0, 3.0, 4.0],
        "length": [10, 100, 1000, 0, 50],
    }
)

LACKING = pl.DataFrame(
    {"query": ["a", "a"], "document": ["1", "2"], "score_1": [1.0, None], "score_2": [2.0, None]},
    schema_overrides={"score_1": pl.Float64, "score_2": pl.Float64},
)


def test_queries_and_documents_stand_as_they_appear() -> None:
    """Queries and documents keep the order of the input; equal scores are ranked in it."""
    pool = Pool.of(FRAME, grades=(0, 1))
    assert list(pool.queries) == ["b", "a"]
    assert list(pool.documents) == ["1", "2", "3", "1", "2"]
    assert list(pool.sizes) == [3, 2]
    assert list(pool.starts) == [0, 3]
    assert list(pool.query) == [0, 0, 0, 1, 1]
    assert list(pool.ranks[:, 0]) == [3, 1, 2, 1, 2]
    assert list(pool.orders[0]) == [1, 2, 0, 3, 4]


def test_two_rankers_share_documents() -> None:
    """An empty cell says that a list lacks the document: it has no rank there, and is there once."""
    frame = pl.DataFrame(
        {"query": ["q"] * 3, "document": list("abc"), "score_1": [1.0, 2.0, None], "score_2": [None, 1.0, 2.0]}
    )
    pool = Pool.of(frame, grades=(0, 1))
    assert np.array_equal(pool.ranks, [[2, np.nan], [1, 2], [np.nan, 1]], equal_nan=True)
    assert np.array_equal(pool.lengths, [[2, 2]])
    assert [list(order) for order in pool.orders] == [[1, 0], [2, 1]]


def test_depth_cuts_the_lists() -> None:
    """Documents past the depth of every list leave the pool."""
    pool = Pool.of(FRAME, grades=(0, 1), depth=1)
    assert list(pool.documents) == ["2", "1"]
    assert list(pool.query_costs) == [1, 1]


@settings(deadline=None, max_examples=examples(40))
@given(pool=pools())
def test_a_frame_gives_the_pool_back(pool: Pool) -> None:
    """`of(to_frame())` is the same pool, to the last bit."""
    back = Pool.of(pool.to_frame())
    assert back.to_frame().equals(pool.to_frame())
    assert np.array_equal(back.ranks, pool.ranks, equal_nan=True)
    assert np.array_equal(back.beliefs, pool.beliefs)
    assert back.queries.equals(pool.queries)


def test_files_give_the_pool_back(tmp_path: Path) -> None:
    """A pool with costs, overhead and texts survives a file of every kind."""
    frame = FRAME.with_columns(title=pl.lit("t"), opening=pl.when(query="a").then(3.0).otherwise(2.0))
    pool = Pool.of(frame, grades=(0, 1), cost="log-length", overhead="opening").scale_costs()
    pool.to_frame().write_parquet(tmp_path / "pool.parquet")
    pool.to_frame().write_csv(tmp_path / "pool.csv")
    pool.to_frame().write_ndjson(tmp_path / "pool.jsonl")
    for path in tmp_path.iterdir():
        back = Pool.of(path)
        assert back.to_frame().equals(pool.to_frame())
        assert back.texts is not None
        assert list(back.texts["title"]) == ["t"] * 5


def test_costs_by_name() -> None:
    """A document costs 1, its share of a query's 1, the logarithm of its length, or what a column says."""
    assert list(Pool.of(FRAME, grades=(0, 1)).costs) == [1] * 5
    assert Pool.of(FRAME, grades=(0, 1), cost="one").query_costs == pytest.approx([1, 1])
    by_length = Pool.of(FRAME, grades=(0, 1), cost="log-length")
    assert by_length.costs == pytest.approx(np.log([10, 1000, 2, 100, 50]))  # nothing to read still takes a look
    assert list(Pool.of(FRAME.with_columns(cost=pl.lit(7)), grades=(0, 1)).costs) == [7] * 5
    assert list(Pool.of(FRAME.rename({"score": "mine"}), scores="mine", grades=(0, 1), cost="mine").costs[:2]) == [1, 3]


def test_lengths_are_counted_where_there_are_texts() -> None:
    """Without lengths, the words of title and text are counted."""
    frame = FRAME.drop("length").with_columns(title=pl.lit("two words"), text=pl.lit("and three more"))
    assert Pool.of(frame, grades=(0, 1), cost="log-length").costs == pytest.approx(np.log([5] * 5))
    with pytest.raises(InputError, match="'length' or 'text'"):
        Pool.of(FRAME.drop("length"), grades=(0, 1), cost="log-length")


def test_overhead_is_added_to_each_query() -> None:
    """A query costs its overhead and its documents; scaled, the mean query costs 1."""
    pool = Pool.of(FRAME, grades=(0, 1), overhead=5)
    assert list(pool.query_costs) == [5 + 3, 5 + 2]
    assert pool.scale_costs().query_costs == pytest.approx([8 / 7.5, 7 / 7.5])
    assert pool.scale_costs().overhead == pytest.approx([5 / 7.5] * 2)


def test_runs_and_texts_make_a_pool() -> None:
    """The documents of two runs together, with the texts that are known of them."""
    texts = pl.DataFrame({"document": ["x", "y"], "title": ["ex", "why"], "length": [3, 4]})
    pool = Pool.from_runs(
        {"1": {"x": 2.0, "y": 1.0}, "2": {"z": 1.0}}, {"1": {"y": 9.0, "w": 3.0}}, texts=texts, grades=(0, 1)
    )
    assert list(pool.queries) == ["1", "2"]
    assert sorted(pool.documents) == ["w", "x", "y", "z"]
    assert pool.texts is not None
    frame = pool.to_frame()
    assert frame.filter(document="y").select("rank_1", "rank_2", "title").row(0) == (2.0, 1.0, "why")
    assert frame.filter(document="z").select("rank_1", "rank_2", "title").row(0) == (1.0, None, None)


def test_run_files_make_a_pool(tmp_path: Path) -> None:
    """Runs are read from files of any format."""
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.4 t\n")
    assert list(Pool.from_runs(path, grades=(0, 1)).documents) == ["a", "b"]


def test_letor_and_models_make_a_pool(tmp_path: Path) -> None:
    """Fitted rankers score the documents of a LETOR file, relevance models give the beliefs; the grades are found by
    the ids that its judgments have."""

    class Ranker:
        def __init__(self, feature: int) -> None:
            self.feature = feature

        def predict(self, X: np.ndarray) -> np.ndarray:
            return X[:, self.feature]

    path = tmp_path / "letor.txt"
    path.write_text("2 qid:7 1:0.1 2:0.9 #docid = a\n0 qid:7 1:0.2 2:0.8 #docid = b\n1 qid:8 1:0.3 2:0.1\n")
    models = [Model([0, 1, 2], [0.2, 0.3, 0.5]), Model([0, 2], [0.5, 0.5])]
    pool = Pool.from_letor(path, Ranker(0), Ranker(1), model=models)
    assert np.array_equal(pool.ranks, [[2, 1], [1, 2], [1, 1]])
    assert pool.beliefs == pytest.approx(np.tile([0.35, 0.15, 0.5], (3, 1)))
    assert list(pool.find(files.read_judgments(path))) == [2, 0, 1]
    assert list(Pool.from_letor(path, Ranker(0), grades=(0, 1, 2, 3)).grades) == [0, 1, 2, 3]


def test_unknown_grades_are_nan() -> None:
    """A document that nobody judged has no grade."""
    judged = pl.DataFrame({"query": ["a"], "document": ["2"], "grade": [1.0]})
    pool = Pool.of(FRAME, grades=(0, 1))
    assert np.array_equal(pool.find(judged), [np.nan] * 4 + [1.0], equal_nan=True)
    with pytest.raises(InputError, match="judged twice"):
        pool.find(pl.concat([judged, judged]))


def test_ids_in_text_files_stay_as_they_are_written(tmp_path: Path) -> None:
    """Document 007 is not document 7."""
    path = tmp_path / "pool.tsv"
    path.write_text("query\tdocument\tscore\n01\t007\t0.5\n01\t7\t0.7\n")
    pool = Pool.of(path, grades=(0, 1))
    assert list(pool.queries) == ["01"]
    assert list(pool.documents) == ["007", "7"]
    assert list(pool.ranks[:, 0]) == [2, 1]


def test_pandas_frames_and_other_names() -> None:
    """pandas frames, and the column names of other tools; NaN in pandas is an empty cell."""
    frame = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score_1": [1.0, np.nan], "score_2": [0.5, 0.7]})
    pool = Pool.of(frame, grades=(0, 1))
    assert list(pool.queries) == ["1"]
    assert np.array_equal(pool.ranks, [[1, 2], [np.nan, 1]], equal_nan=True)


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (FRAME.drop("score"), {}, "no column of scores among query, document, length"),
        (FRAME, {"scores": "bm25"}, "no column 'bm25' for scores"),
        (FRAME.drop("query"), {}, "no column for query"),
        (FRAME.with_columns(score=pl.lit(np.nan)), {}, "row 1: the score of document 1 is not a number"),
        (FRAME.with_columns(score=pl.lit(None, dtype=pl.Float64)), {}, "row 1: the score of document 1"),
        (LACKING, {}, "row 2: document 2 of query a has no score of any ranker"),
        (
            FRAME.with_columns(score=pl.lit("high")),
            {},
            "row 1: 'high' in the column 'score' for scores is not a number",
        ),
        (pl.concat([FRAME, FRAME[:1]]), {}, "row 6: document 1 is listed twice for query b"),
        (FRAME.with_columns(query=pl.lit(None, dtype=pl.String)), {}, "row 1: there is no query"),
        (FRAME.clear(), {}, "no rows"),
        (FRAME, {"cost": "length"}, "costs 0"),
        (FRAME, {"overhead": -1.0}, "overhead"),
        (FRAME, {"overhead": "length"}, "query b has more than one overhead"),
        (FRAME.with_columns(length=pl.lit(-1)), {"cost": "log-length"}, "a length of -1"),
        (FRAME.with_columns(p_0=pl.lit(0.7), p_1=pl.lit(0.7)), {}, "0.7, 0.7"),
    ],
)
def test_nonsense_is_refused(frame: pl.DataFrame, options: dict[str, object], words: str) -> None:
    """An error names the row, the document or the column, and what was expected."""
    with pytest.raises(InputError, match=words):
        Pool.of(frame, **{"grades": (0, 1), **options})


def test_parameters_are_named() -> None:
    """An unknown cost, a depth of nothing, and three runs are refused by name."""
    with pytest.raises(UnknownNameError, match="Did you mean documents"):
        Pool.of(FRAME, grades=(0, 1), cost="document s")
    with pytest.raises(ParameterError, match="depth"):
        Pool.of(FRAME, grades=(0, 1), depth=0)
    with pytest.raises(ParameterError, match="one or two runs"):
        Pool.from_runs({}, {}, {}, grades=(0, 1))
    with pytest.raises(ParameterError, match="one or two fitted rankers"):
        Pool.from_letor("letor.txt")


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    """A file of another kind, a broken one and a missing one are named by their paths."""
    for name, content in (("pool.txt", "1"), ("pool.parquet", "no parquet")):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=name):
            Pool.of(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        Pool.of(tmp_path / "absent.parquet")


def test_pools_made_by_hand_are_checked() -> None:
    """Arrays of the wrong shape, lists with gaps and documents of no list make no pool."""
    pool = Pool.of(FRAME, grades=(0, 1))
    with pytest.raises(InputError, match="costs of shape"):
        replace(pool, costs=np.ones(2))
    with pytest.raises(InputError, match="are not 1, 2, 3"):
        replace(pool, ranks=pool.ranks * 2)
    with pytest.raises(InputError, match="are not 1, 2, 3"):
        replace(pool, ranks=np.ones_like(pool.ranks))
    with pytest.raises(InputError, match="is in no list"):
        replace(pool, ranks=np.array([[np.nan], [1], [2], [1], [2]]))
    with pytest.raises(InputError, match="not of 3"):
        replace(pool, ranks=np.tile(pool.ranks, 3))
