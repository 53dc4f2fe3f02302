"""What fused scores of judged queries are worth, by a measure under a dialect: the ordinary evaluation, many times.

Judgments and documents are joined once. After that, scores are only sorted, and the judged documents get their new
ranks; the rest is what every evaluation does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.result import Result
from rankgauge.fusion.judged_queries import JudgedQueries
from rankgauge.fusion.stack import Stack, falling, round_scores
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking import Hits, rank
from rankgauge.ranking.hits import Found, Ranking, arrange, comparable_scores, tie_groups
from rankgauge.ranking.sorts import SORTS


@dataclass(frozen=True, kw_only=True, eq=False)
class SlotScorer:
    """The documents of judged queries, as a stack has them, and how lists of them are evaluated."""

    stack: Stack
    judged: JudgedQueries
    measure: Measure
    dialect: Dialect
    depth: int | None = None
    """How many documents of each list count; fewer where the dialect says so."""

    @cached_property
    def names(self) -> list[str]:
        """The judged queries, in the order of the values."""
        return self.judged.names

    def values(self, scores: FloatArray, *, ranks: FloatArray | None = None) -> FloatArray:
        """The value of each judged query, NaN where it does not count; a score that is NaN leaves a document out."""
        result = self.result(scores, ranks=ranks)
        place = {name: at for at, name in enumerate(self.names)}
        found = np.full(len(place), np.nan)
        found[[place[name] for name in result.names]] = result.matrix[:, 0]
        return found

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
        if how.ties in SORTS:
            order = order[_resort(values, kept[kept > 0], how.ties)]
            values = settled[order]
        places = (np.arange(len(order)) - np.repeat(np.cumsum(kept) - kept, kept) + 1).astype(np.float64)
        first, size = tie_groups(query, values, places)
        grade = self._grades[order]
        hit = ~np.isnan(grade)
        found = Found(
            listed=self._codes[kept > 0],
            retrieved=kept[kept > 0].astype(np.float64),
            query=self._codes[query[hit]],
            rank=places[hit],
            grade=grade[hit],
            first=first[hit],
            size=size[hit],
            place=None if base.facets is None else self._places[order][hit],
        )
        hits = Hits.gathered(
            [found],
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
                "query": pl.Series(self.names).gather(stack.slot_query[order]),
                "document": self.judged.pool.spelled(stack.documents[stack.heads[order]]),
                "score": -place.astype(np.float64),
            }
        )
        kept = self.judged.judgments.filter(pl.col("query").is_in(pl.Series(self.names).implode()))
        return rank(rows, self.dialect.prepare(kept), Ranking(negative=self._how.negative, levels=self._how.levels))

    @cached_property
    def _top(self) -> float | None:
        return self.dialect.highest(self.judged.judgments)

    @cached_property
    def _codes(self) -> IndexArray:
        """The position of each query among those of the hits."""
        place: Mapping[str, int] = {str(name): at for at, name in enumerate(self._joined.names)}
        return np.array([place[name] for name in self.names], dtype=np.int64)

    @cached_property
    def _grades(self) -> FloatArray:
        """The grade of each slot in the order of `_order`, NaN where nobody judged it."""
        grades = np.full(self.stack.slots, np.nan)
        grades[self._hit_slots] = self._joined.grade
        return grades

    @cached_property
    def _places(self) -> IndexArray:
        """The place of each slot among the facets of the judged documents, −1 where nobody judged it."""
        places = np.full(self.stack.slots, -1)
        places[self._hit_slots] = self._joined.place
        return places

    @cached_property
    def _hit_slots(self) -> IndexArray:
        """The slots of the joined hits, in the order of `_order`."""
        hits, pooled = self._joined, self.stack.pooled
        begins = np.empty(len(hits.names), dtype=np.int64)
        begins[self._codes] = np.cumsum(pooled) - pooled
        return np.asarray(begins[hits.query] + hits.rank.astype(np.int64) - 1)


def _resort(values: FloatArray, counts: IndexArray, ties: Ties) -> IndexArray:
    """Return the places of lists that fall already, after the sort of another tool."""
    starts = np.cumsum(counts) - counts
    orders = [SORTS[ties](values[start : start + n]) for start, n in zip(starts, counts, strict=True)]
    return np.repeat(starts, counts) + np.concatenate(orders).astype(np.int64)
