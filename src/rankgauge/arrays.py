"""Values straight from arrays of grades and scores, without tables or ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import Measure, parse
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import MissingQuery, QueryOrder
from rankgauge.ranking import Block, Hits
from rankgauge.ranking.arrays import pad_groups, rank_arrays
from rankgauge.scoring import settle


def score_arrays(
    grades: npt.ArrayLike,
    scores: npt.ArrayLike,
    measure: str | Measure,
    *,
    group: npt.ArrayLike | None = None,
    qid: npt.ArrayLike | None = None,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> FloatArray:
    """The value of each query, NaN for those that the dialect leaves out.

    Either the arrays have a row for each query, shorter lists filled up with NaN; or they are flat and `group` gives
    the sizes of consecutive lists, as LightGBM has them, or `qid` the query of each document.

        score_arrays([[0, 2, 1]], [[0.1, 0.3, 0.2]], "nDCG@10")
    """
    spoken = dialects.get(dialect, query_order=QueryOrder.APPEARANCE, missing=MissingQuery.ZERO, **overrides)
    wanted = parse(measure)
    cutoff = None if wanted.judged_only else wanted.depth or None  # the last rank that it looks at
    judged, scored = np.asarray(grades, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    judged = spoken.rescaled(judged) if spoken.rescales else judged
    if wanted.needs_top:
        spoken = spoken.topped(float(np.max(judged, initial=0.0, where=judged > 0)))
    if group is not None or qid is not None:
        judged, scored, sizes = _grouped(judged, scored, group, qid)
        count, blocks = len(sizes), _group_blocks(judged, scored, sizes, spoken, cutoff)
    else:
        count, blocks = len(judged), rank_arrays(judged, scored, spoken.ranking, cutoff=cutoff)
    return _values(blocks, count, wanted, spoken)


class ArrayMean:
    """The mean of a measure over flat arrays, as other libraries hand them over."""

    def __init__(self, measure: str | Measure, dialect: str | Dialect) -> None:
        self.measure, self.dialect = parse(measure), dialects.get(dialect)
        standard = self.dialect.name == "standard"
        self.title = str(measure) if standard else f"{measure} ({self.dialect.name})"

    def __call__(self, grades: npt.ArrayLike, scores: npt.ArrayLike, **lists: Any) -> float:
        """The mean over the queries that count; `lists` says which document is in which: `group` or `qid`."""
        values = score_arrays(grades, scores, self.measure, dialect=self.dialect, **lists)
        return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _grouped(
    grades: FloatArray, scores: FloatArray, group: npt.ArrayLike | None, qid: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, IndexArray]:
    """The flat arrays with each query's documents together, and the sizes of the lists, in order of appearance."""
    if qid is not None:
        names, first, number = np.unique(np.asarray(qid), return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))[number]
        order = np.argsort(place, kind="stable")
        grades, scores, sizes = grades[order], scores[order], np.bincount(place, minlength=len(names))
    else:
        sizes = np.asarray(group, dtype=np.int64)
    if grades.ndim != 1 or grades.shape != scores.shape or int(sizes.sum()) != len(grades):
        raise InputError(
            f"{grades.size} grades, {scores.size} scores and lists of {int(sizes.sum())} documents together",
            hint="Give one grade and one score for each document, and sizes that add up to their number.",
        )
    return grades, scores, sizes


def _group_blocks(
    grades: FloatArray, scores: FloatArray, sizes: IndexArray, dialect: Dialect, cutoff: int | None
) -> Iterator[Block]:
    for rows, (judged, scored) in pad_groups(sizes, grades, scores):
        for block in rank_arrays(judged, scored, dialect.ranking, cutoff=cutoff):
            yield Block(index=rows[block.index], lists=block.lists)


def _values(blocks: Iterator[Block], count: int, measure: Measure, dialect: Dialect) -> FloatArray:
    """The kernel's values, settled as the dialect says; of the judged grades that needs only the best."""
    raw, best, retrieved = np.full((count, 1), np.nan), np.full(count, -np.inf), np.zeros(count)
    kernel = dialect.read(measure)
    for block in blocks:
        raw[block.index, 0] = kernel.score(block.lists)
        retrieved[block.index] = block.lists.retrieved
        if block.lists.ideal.shape[1]:
            best[block.index] = block.lists.ideal[:, 0]
    known, none = ~np.isnan(best), np.zeros(0)
    hits = Hits(
        names=range(count),
        query=np.zeros(0, dtype=np.int64),
        rank=none,
        grade=none,
        first=none,
        size=none,
        retrieved=retrieved,
        pool_query=np.flatnonzero(known),
        pool_grade=best[known],
    )
    return settle(raw, dialect.check(hits), (measure,), dialect)[:, 0]
