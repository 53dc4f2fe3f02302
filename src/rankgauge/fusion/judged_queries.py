"""The judged queries of runs to fuse: their grades, what they teach, and what fused scores are worth on them.

For that, judgments and documents are joined once. Then scores are only sorted, and the judged documents get their new
ranks; the rest is what every evaluation does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import UnmatchedError
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.result import Result
from rankgauge.fusion.run_pool import RunPool
from rankgauge.fusion.stack import Stack, falling, round_scores
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray, ratio
from rankgauge.policies import Ties
from rankgauge.ranking import Hits, rank
from rankgauge.ranking.facets import whole
from rankgauge.ranking.hits import Found, Ranking, arrange, comparable_scores, tie_groups
from rankgauge.ranking.sorts import SORTS


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedQueries:
    """The queries that runs and judgments share, by their positions in the pool, and the judgments.

    The dialect says what their grades mean.
    """

    pool: RunPool
    positions: IndexArray
    judgments: pl.DataFrame
    dialect: Dialect

    @classmethod
    def of(cls, pool: RunPool, judgments: pl.DataFrame, dialect: str | Dialect = "standard") -> JudgedQueries:
        """Return the judged queries; an error if there are none."""
        judged = set(judgments["query"].unique())
        places = {name: at for at, name in enumerate(pool.queries) if name in judged}
        if not places:
            ours, theirs = ", ".join(pool.queries[:3]), ", ".join(sorted(judged)[:3])
            raise UnmatchedError(
                f"no query of the runs is judged: the runs have {ours} …, the judgments {theirs} …",
                hint="Are both from the same collection, with query ids written alike?",
            )
        # By name: folds are dealt in this order, which must not depend on that of the runs.
        positions = np.array([places[name] for name in sorted(places)], dtype=np.int64)
        return cls(pool=pool, positions=positions, judgments=judgments, dialect=dialects.get(dialect))

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def names(self) -> list[str]:
        """The names of the queries."""
        return [self.pool.queries[at] for at in self.positions.tolist()]

    @cached_property
    def _whole(self) -> pl.DataFrame:
        """The judgments with one grade for each document: the highest of its subtopics."""
        return whole(self.dialect.prepare(self.judgments))

    def grades(self, stack: Stack) -> FloatArray:
        """Return the grade of each document of the stack of these queries; NaN where nobody judged it."""
        rows = pl.DataFrame(
            {
                "query": pl.Series(self.names).gather(stack.slot_query),
                "document": self.pool.spelled(stack.documents[stack.heads]),
            }
        )
        known = self._whole.select("query", "document", "grade")
        graded = rows.join(known, on=["query", "document"], how="left", maintain_order="left")
        return graded["grade"].fill_null(np.nan).to_numpy()

    def lessons(self, stack: Stack, rel: float) -> Lessons:
        """Return what the stack of these queries teaches; documents of the grade `rel` and above are relevant."""
        relevant = (self.grades(stack) >= rel).astype(np.float64)
        enough = self._whole.filter(pl.col("grade") >= rel)
        counts = enough.group_by("query").agg(pl.len().alias("n"))
        joined = pl.DataFrame({"query": self.names}).join(counts, on="query", how="left", maintain_order="left")
        return Lessons(stack=stack, relevant=relevant, found=joined["n"].fill_null(0).to_numpy().astype(np.float64))


@dataclass(frozen=True, kw_only=True, eq=False)
class Lessons:
    """The lists of judged queries, which of their documents are relevant, and how many relevant ones each query has."""

    stack: Stack
    relevant: FloatArray
    """1 for each relevant document (slots), else 0."""
    found: FloatArray
    """How many relevant documents the judgments of each query have."""

    @cached_property
    def hits(self) -> FloatArray:
        """1 for each entry that is relevant; tied entries share theirs."""
        return self.stack.average_ties(self.relevant.take(self.stack.slot))

    def chances(self) -> FloatArray:
        """Return the share of relevant documents at each rank, among the lists that reach it (runs × ranks)."""
        reached = self._count(np.ones(len(self.hits)))
        return np.nan_to_num(ratio(self._count(self.hits), reached))

    def shares(self, cuts: tuple[int, ...]) -> FloatArray:
        """Return the mean share of relevant documents between cuts, in segments that all lists are taken to fill."""
        by_rank = self._count(self.hits, width=cuts[-1])
        sums = np.add.reduceat(by_rank, cuts[:-1], axis=1)
        return np.asarray(sums / np.diff(cuts) / max(self.stack.queries, 1))

    def segment_chances(self, segments: int) -> FloatArray:
        """Return the mean share of relevant documents in each of equal segments of the lists (runs × segments)."""
        stack, size = self.stack, -(-self.stack.length // segments)
        segment = (stack.rank - 1) // size
        # The last segment that has documents may not be full.
        filled = np.minimum(stack.length - segment * size, size)
        return self._table(segment, self.hits / filled, segments) / max(stack.queries, 1)

    def average_precision(self) -> FloatArray:
        """Return the mean average precision of each run; of tied documents, the mean over their orders.

        McSherry & Najork, Computing information retrieval performance measures efficiently in the presence of tied
        scores, ECIR 2008: at place i of a group of m with k relevant, k / m · (before + 1 + (i − 1)(k − 1) / (m − 1)).
        """
        stack = self.stack
        hits, groups = self.relevant.take(stack.slot), stack.tie_groups
        sizes = np.diff(groups, append=len(hits))
        inside, sums = np.add.reduceat(hits, groups), np.cumsum(hits) - hits
        before = np.repeat(sums[groups], sizes) - np.repeat(sums[stack.starts], stack.sizes)
        number = np.arange(len(hits)) - np.repeat(groups, sizes)
        others = np.repeat((inside - 1) / np.maximum(sizes - 1, 1), sizes)
        gains = np.repeat(inside / sizes, sizes) * (before + 1 + number * others) / stack.rank
        values = np.nan_to_num(ratio(np.add.reduceat(gains, stack.starts), self.found[stack.list_query]))
        return np.bincount(stack.list_run, weights=values, minlength=self.stack.runs) / max(stack.queries, 1)

    def _count(self, values: FloatArray, *, width: int | None = None) -> FloatArray:
        ranks = self.stack.rank - 1
        width = int(self.stack.sizes.max(initial=1)) if width is None else width
        kept = ranks < width
        return self._table(ranks[kept], values[kept], width, self.stack.run[kept])

    def _table(self, column: IndexArray, values: FloatArray, width: int, run: IndexArray | None = None) -> FloatArray:
        rows = self.stack.run if run is None else run
        flat = np.bincount(rows * width + column, weights=values, minlength=self.stack.runs * width)
        return np.asarray(flat.reshape(self.stack.runs, width), dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class SlotScorer:
    """The documents of judged queries, as a stack has them, and how lists of them are evaluated."""

    stack: Stack
    judged: JudgedQueries
    measure: Measure
    dialect: Dialect
    depth: int | None = None
    """How many documents of each list count; fewer where the dialect says so."""

    def values(self, scores: FloatArray, *, ranks: FloatArray | None = None) -> FloatArray:
        """Return the value of each judged query, NaN where it does not count; a score of NaN leaves a document out."""
        result = self.result(scores, ranks=ranks)
        place = {name: at for at, name in enumerate(self.judged.names)}
        values = np.full(len(place), np.nan)
        values[[place[name] for name in result.names]] = result.matrix[:, 0]
        return values

    def overall(self, values: FloatArray) -> float:
        """Return the measure's one number from the values of some queries."""
        return self.measure.facts.aggregate.over(values, single=self.dialect.single_arithmetic)

    def result(self, scores: FloatArray, *, ranks: FloatArray | None = None) -> Result:
        """Return the result of lists that are ordered by these scores of the slots.

        Fused scores are rounded. Those of a single run are not, and come with its `ranks`, which order its ties.
        """
        how, base = self._how, self._joined
        settled = comparable_scores(round_scores(scores) if ranks is None else scores, how)[self._order]
        # What is not listed sorts last, and is cut off.
        listed = ~np.isnan(settled)
        counts = self.stack.pooled
        numbers = np.arange(len(settled))
        keys = np.where(listed, settled, -np.inf)
        if ranks is None:
            order = falling(keys, numbers, counts=counts, spans=counts)
        else:
            ties = numbers if self._ties_by_id else ranks[self._order]
            order = np.lexsort((ties, -keys, self.stack.slot_query[self._order]))
        order = order[listed[order]]
        query, values = self.stack.slot_query[self._order][order], settled[order]
        kept = np.bincount(query, minlength=len(counts))
        if how.ties in SORTS:  # lists that fall already are sorted as another tool sorts them
            ends = np.cumsum(kept)
            sorted_ = [SORTS[how.ties](part) for part in np.split(values, ends[:-1]) if len(part)]
            order = order[np.repeat(ends - kept, kept) + np.concatenate(sorted_).astype(np.int64)]
            values = settled[order]
        places = (np.arange(len(order)) - np.repeat(np.cumsum(kept) - kept, kept) + 1).astype(np.float64)
        first, size = tie_groups(query, values, places)
        grades, facet_places = self._judged_slots
        grade = grades[order]
        hit = ~np.isnan(grade)
        tested = Found(
            listed=self._codes[kept > 0],
            retrieved=kept[kept > 0].astype(np.float64),
            query=self._codes[query[hit]],
            rank=places[hit],
            grade=grade[hit],
            first=first[hit],
            size=size[hit],
            place=None if base.facets is None else facet_places[order][hit],
        )
        hits = Hits.gather(
            [tested],
            names=base.names,
            pool_query=base.pool_query,
            pool_grade=base.pool_grade,
            most=len(base.query),
            facets=base.facets,
        )
        return score_hits(
            replace(arrange(hits, how), top=self._top), (self.measure,), self.dialect.provider(self.measure)
        )

    @cached_property
    def _how(self) -> Ranking:
        """How lists are ranked for the measure, and cut."""
        how = self.dialect.provider(self.measure).ranking_for(self.measure.facts.judgments)
        depths = [depth for depth in (how.depth, self.depth) if depth is not None]
        return replace(how, depth=min(depths, default=None))

    @property
    def _ties_by_id(self) -> bool:
        return self._how.ties in (Ties.DOCID, Ties.ASCENDING)

    @cached_property
    def _order(self) -> IndexArray:
        """The slots by query, and within a query as tied documents are ordered."""
        stack, ties = self.stack, self._how.ties
        if not self._ties_by_id:
            return np.lexsort((stack.heads, stack.slot_query))
        ids = self.judged.pool.spelled(stack.documents[stack.heads])
        rows = pl.DataFrame({"query": stack.slot_query, "document": ids, "slot": np.arange(stack.slots)})
        return rows.sort("query", "document", descending=[False, ties is Ties.DOCID])["slot"].to_numpy()

    @cached_property
    def _joined(self) -> Hits:
        """The judged documents of all lists; their ranks are their places in `_order`."""
        stack, order = self.stack, self._order
        place = np.arange(stack.slots) - np.repeat(np.cumsum(stack.pooled) - stack.pooled, stack.pooled)
        rows = pl.DataFrame(
            {
                "query": pl.Series(self.judged.names).gather(stack.slot_query[order]),
                "document": self.judged.pool.spelled(stack.documents[stack.heads[order]]),
                "score": -place.astype(np.float64),
            }
        )
        kept = self.judged.judgments.filter(pl.col("query").is_in(pl.Series(self.judged.names).implode()))
        return rank(rows, self.dialect.prepare(kept), Ranking(negative=self._how.negative, levels=self._how.levels))

    @cached_property
    def _top(self) -> float | None:
        return self.dialect.highest(self.judged.judgments)

    @cached_property
    def _codes(self) -> IndexArray:
        """The position of each query among those of the hits."""
        place: Mapping[str, int] = {str(name): at for at, name in enumerate(self._joined.names)}
        return np.array([place[name] for name in self.judged.names], dtype=np.int64)

    @cached_property
    def _judged_slots(self) -> tuple[FloatArray, IndexArray]:
        """The grade of each slot in the order of `_order`, NaN where nobody judged it, and its place among facets."""
        hits, pooled = self._joined, self.stack.pooled
        begins = np.empty(len(hits.names), dtype=np.int64)
        begins[self._codes] = np.cumsum(pooled) - pooled
        slots = begins[hits.query] + hits.rank.astype(np.int64) - 1
        grades, places = np.full(self.stack.slots, np.nan), np.full(self.stack.slots, -1)
        grades[slots] = hits.grade
        if hits.place is not None:
            places[slots] = hits.place
        return grades, places
