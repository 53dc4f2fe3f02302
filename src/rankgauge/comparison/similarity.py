"""How alike the lists of runs are, query by query, and how alike measures order the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankgauge.comparison.tables import FEWEST
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.ranking import Ranking
from rankgauge.ranking.frames import ordered
from rankgauge.statistics.intervals import Interval
from rankgauge.statistics.ranked_pair import RankedPair, TiedList
from rankgauge.statistics.similarity import PERSISTENCE, SIMILARITIES, Similarity

Tell = Callable[[int, int, str], None]
"""Hears how many pairs are done, of how many, and the name of the current run."""

PAIRS: Mapping[str, type] = {
    **dict.fromkeys(("run", "other"), str),
    **dict.fromkeys(("similarity", "low", "high"), float),
    "queries": int,
    **dict.fromkeys(("shared", "minimum", "residual"), float),
}
BOARDS: Mapping[str, type] = {"measure": str, "other": str, "similarity": float, "runs": int}
"""The columns of each table."""


@dataclass(frozen=True, kw_only=True)
class SimilaritySettings:
    """Which similarity, by name; a wrong one shows when it is made."""

    similarity: str = "rbo"
    p: float = PERSISTENCE
    shared_only: bool = False
    """Whether documents that only one of two lists has are taken out first."""

    def __post_init__(self) -> None:
        self.kind(RankedPair.scored([1.0], [1.0]), self.p)

    @property
    def kind(self) -> Similarity:
        """The similarity of that name."""
        return SIMILARITIES.find(self.similarity)

    @property
    def label(self) -> str:
        """The name as reports show it."""
        return self.kind.label(self.p)


@dataclass(frozen=True, kw_only=True, eq=False)
class RunSimilarity:
    """How alike the lists of each two runs are (queries × pairs); NaN where a run does not answer the query.

    `shared` is the share of documents that both lists have; `minimum` and `residual` are those of similarities that
    foresee how lists go on.
    """

    settings: SimilaritySettings
    runs: tuple[str, ...]
    values: FloatArray
    shared: FloatArray
    minimum: FloatArray
    residual: FloatArray

    @classmethod
    def of(
        cls,
        runs: Mapping[str, pl.DataFrame],
        queries: Sequence[str],
        settings: SimilaritySettings,
        ranking: Ranking,
        tell: Tell = lambda done, parts, name: None,
    ) -> RunSimilarity:
        """The similarity of each two runs, on these queries."""
        lists = [_QueryLists.of(frame, ranking) for frame in _coded(runs.values())]
        pairs = list(combinations(range(len(lists)), 2))
        found = np.full((4, len(queries), len(pairs)), np.nan)
        names = tuple(runs)
        for column, (one, other) in enumerate(pairs):
            tell(column, len(pairs), names[other])
            for row, query in enumerate(queries):
                if query in lists[one].spans and query in lists[other].spans:
                    found[:, row, column] = _likeness(lists[one].beside(lists[other], query), settings)
        values, minimum, residual, shared = found
        return cls(settings=settings, runs=names, values=values, shared=shared, minimum=minimum, residual=residual)

    def table(self, interval: Callable[[FloatArray], Interval]) -> PlainTable:
        """A row per pair of runs: the mean over queries, its interval, and what it rests on."""
        known = ~np.isnan(self.values)
        count = known.sum(axis=0)
        mean = _mean(self.values)
        ends = interval(self.values).within(self.settings.kind.lowest, 1.0, mean)
        first, second = zip(*combinations(self.runs, 2), strict=True)
        return PlainTable.of(
            PAIRS,
            {
                "run": list(first),
                "other": list(second),
                "similarity": mean,
                "low": ends.low,
                "high": ends.high,
                "queries": count,
                "shared": _mean(self.shared),
                "minimum": _mean(self.minimum),
                "residual": _mean(self.residual),
            },
        )


def boards(means: PlainTable, settings: SimilaritySettings) -> PlainTable:
    """A row per pair of measures: how alike they order the runs by their means, where there are enough runs."""
    by_measure: dict[str, list[float]] = {}
    for measure, mean in means.rows("measure", "mean"):
        by_measure.setdefault(measure, []).append(mean)
    rows = []
    for one, other in combinations(by_measure, 2):
        x, y = by_measure[one], by_measure[other]
        if len(x) >= FEWEST:
            usable = not math.isnan(sum(x) + sum(y))
            value = settings.kind(RankedPair.scored(x, y), settings.p).value if usable else math.nan
            rows.append((one, other, value, len(x)))
    return PlainTable.of_rows(BOARDS, rows)


def _likeness(pair: RankedPair, settings: SimilaritySettings) -> tuple[float, ...]:
    """The value, its bounds, and the share of documents in both lists; the same list twice agrees, if it has an order
    or not."""
    found = settings.kind(pair.of_shared() if settings.shared_only else pair, settings.p)
    if math.isnan(found.value) and pair.is_same and not settings.shared_only:
        # Left out, they would leave the mean to the lists that differ.
        found = found._replace(value=1.0)
    return (*found, pair.share)


def _mean(values: FloatArray) -> FloatArray:
    """The mean of each column without NaN; NaN where there is nothing else."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    return np.asarray(np.where(known, values, 0.0).sum(axis=0) / np.where(count, count, np.nan))


def _coded(frames: Any) -> list[pl.DataFrame]:
    """The runs with a number for each document, the same in all of them."""
    listed = list(frames)
    ids = pl.concat([frame["document"] for frame in listed]).unique().sort()
    codes = pl.DataFrame({"document": ids, "number": np.arange(len(ids), dtype=np.int64)})
    return [frame.join(codes, on="document", how="left", maintain_order="left") for frame in listed]


@dataclass(frozen=True, kw_only=True, eq=False)
class _QueryLists:
    """The lists of a run: where each query's documents are, by rising number, in flat arrays."""

    spans: Mapping[str, slice]
    number: IndexArray
    first: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, run: pl.DataFrame, ranking: Ranking) -> _QueryLists:
        """The lists of a run whose documents have numbers."""
        rows = ordered(run, ranking).sort("query", "number")
        lengths = rows["query"].rle()
        counts = lengths.struct.field("len").to_numpy().astype(np.int64)
        ends = np.cumsum(counts)
        spans = zip(lengths.struct.field("value"), ends - counts, ends, strict=True)
        return cls(
            spans={query: slice(int(start), int(end)) for query, start, end in spans},
            number=rows["number"].to_numpy(),
            first=rows["first"].to_numpy(),
            size=rows["size"].to_numpy(),
        )

    def beside(self, other: _QueryLists, query: str) -> RankedPair:
        """The lists of a query in this run and in another."""
        here, there = self.spans[query], other.spans[query]
        _, left, right = np.intersect1d(self.number[here], other.number[there], assume_unique=True, return_indices=True)
        return RankedPair(
            one=TiedList(first=self.first[here], size=self.size[here]),
            other=TiedList(first=other.first[there], size=other.size[there]),
            shared=(left, right),
        )
