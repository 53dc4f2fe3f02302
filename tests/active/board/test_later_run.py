"""A run that comes later: estimated on the pool, and asked for labels where nothing honest can be said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, BoardPool, LaterRun
from tests.active.board.collection import tables

MEASURES = ["nDCG@5", "P@5", "AP"]


def later(run: pl.DataFrame, *, labels: int = 220, among: int = 4) -> LaterRun:
    """A run beside the first runs of the collection, after so many labels of their pool."""
    judgments, runs, _ = tables()
    pool = BoardPool.from_runs(dict(list(runs.items())[:among]))
    grades = pool.grades(judgments)
    board = Board.of(pool, MEASURES, grades=(0, 1, 2, 3))
    stream = board.stream(5)
    labels = min(labels, len(grades))
    readings = board.read(stream, stream.exactly(labels), grades, budget=labels)
    return LaterRun.of("late", run, board, readings, board.estimate(readings))


def test_a_run_inside_the_pool_is_like_any_other() -> None:
    """A run whose documents are all pooled has the estimate and interval of a run of the board, but that the level of
    all runs together counts it twice."""
    _, runs, _ = tables()
    found = later(runs["run 2"].with_columns(pl.col("score") * 2))
    assert found.outside == 0
    for estimate, other in zip(found.estimate(), found.estimates, strict=True):
        assert estimate.value == pytest.approx(other.values[2], abs=1e-3)
        assert estimate.outside == pytest.approx(np.zeros(10))
        assert estimate.widening == 0
        assert estimate.half_width == pytest.approx(other.half_widths()[2], rel=0.01)
        low, high = estimate.interval
        assert 0 <= low <= estimate.value <= high <= 1


def test_many_documents_outside_have_to_be_judged() -> None:
    """With more outside the pool than may be, there is an estimate but no interval, and the list of what to judge."""
    _, runs, _ = tables()
    moved = runs["run 2"].with_columns(
        document=pl.when(pl.col("score").rank(descending=True).over("query") <= 2)
        .then("new " + pl.col("document"))
        .otherwise("document")
    )
    found = later(moved)
    assert found.outside == 2
    assert found.needed["rank"].to_list() == [1] * 10 + [2] * 10
    assert found.needed["document"].str.starts_with("new ").all()
    for estimate in found.estimate():
        assert "2 of the first 10 documents per query are outside the pool" in estimate.reason
        assert estimate.interval is None
        assert estimate.value < 0.9
    weights = 1 / np.log2(np.arange(2.0, 7.0))
    assert found.estimate()[0].outside == pytest.approx(np.full(10, weights[:2].sum() / weights.sum()))


def test_few_runs_cannot_tell() -> None:
    """With some documents outside, but too few runs to learn from, they have to be judged first."""
    _, runs, _ = tables()
    swap = pl.DataFrame({"query": ["q1"], "document": ["new"], "score": [99.0]})
    found = later(pl.concat([runs["run 3"], swap]))
    assert found.outside == pytest.approx(0.1)
    for estimate in found.estimate():
        assert "too few to tell" in estimate.reason or "may be the best" in estimate.reason
        assert estimate.half_width is None


def test_not_yet_stays_not_yet() -> None:
    """Where the board has no interval yet, the later run has none either."""
    _, runs, _ = tables()
    found = later(runs["run 4"], labels=30)
    assert found.estimate()[2].reason == found.estimates[2].reason


def test_what_is_no_later_run_is_refused() -> None:
    """A name that the board has, and a run that answers none of its queries, are errors."""
    _, runs, _ = tables()
    board = later(runs["run 4"])
    with pytest.raises(InputError, match="already"):
        LaterRun.of("run 1", runs["run 1"], board.board, board.readings, board.estimates)
    with pytest.raises(InputError, match="none of the 10 queries"):
        later(pl.DataFrame({"query": ["elsewhere"], "document": ["x"], "score": [1.0]}))
