"""Hits: the judged documents of a run in flat arrays, and the blocks of ranked lists made of them.

Memory follows the judgments, not the run: documents that nobody judged are only counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import UnmatchedError
from rankgauge.lazy_polars import pl
from rankgauge.numeric import BoolArray, CodeArray, CompactArray, FloatArray, IndexArray
from rankgauge.policies import Duplicates, IdealPool, JudgedTwice, NegativeGrade, RunOrder, Ties, Unjudged
from rankgauge.ranking.facets import FacetLists, Facets
from rankgauge.ranking.lists import UNJUDGED, Names, RankedLists, to_single
from rankgauge.records import entity, record

CELLS = 1 << 17
"""How many cells a block may have: 1 MB for a column of doubles, so that the cache of a core holds several."""

TELLING = 3
"""How many judgments a query needs so that a list can be told to be rather its own."""

SPARSE = 5
"""If not one in so many documents is judged, ids may be spelled differently."""

TOP = 10

FLAT = ("rank", "grade", "first", "size")

EXACT = 1 << 24
"""Up to this rank, single precision holds every one."""


@record
class Ranking:
    """How a run becomes ranked lists."""

    duplicates: Duplicates = Duplicates.REFUSE
    judged_twice: JudgedTwice = JudgedTwice.REFUSE
    order: RunOrder = RunOrder.SCORE
    ties: Ties = Ties.EXPECTED
    single_precision: bool = False
    unjudged: Unjudged = Unjudged.NOT_RELEVANT
    negative: NegativeGrade = NegativeGrade.ZERO
    ideal: IdealPool = IdealPool.JUDGED
    depth: int | None = None
    single_arithmetic: bool = False
    levels: bool = False
    """Whether grades by facet are levels of preferences: then those below 0 are levels like any other."""


@entity
class Found:
    """The judged hits of some queries' whole lists, by query and rank: what one batch of a run gives.

    `listed` are the positions of the queries that the batch has lists for, `retrieved` counts the documents of these;
    `strangers` are its queries that nobody judged; `rounded` counts queries with ties that only single precision makes;
    `copies` counts the lines of documents that are listed before, and `again` says which hits are such lines and count
    as judged documents of their own.
    """

    listed: IndexArray
    retrieved: FloatArray
    query: CodeArray
    rank: FloatArray
    grade: CompactArray
    first: FloatArray
    size: FloatArray
    strangers: tuple[str, ...] = ()
    rounded: int = 0
    place: IndexArray | None = None
    copies: int = 0
    again: BoolArray | None = None


@entity
class Hits:
    """The judged hits of every judged query, sorted by query and rank.

    `names` are those of the judged queries; `query` (hits) is the position of each hit's query in them. `rank` is the
    place under the run's own order, `first` and `size` describe the hit's tie group. `retrieved` (queries) counts the
    documents of each list. `pool_query` and `pool_grade` are the judged grades, sorted by query and then descending.
    `answered` (queries) says for which queries the run has documents, even if none of them is left in the list; None:
    those whose list is not empty. `strangers` are queries of the run that nobody judged. `rounded` counts the queries
    with ties that only single precision makes. `single` says that measures divide and add in single precision. `top` is
    the highest grade that an assessor gave, where several were combined; None: that of the pool. `notes` are what the
    readers of the files had to say, and `mismatch` why next to nothing of the run is judged, where it looks like a
    mistake; `misplaced` says that lists hold what is judged for other queries. `failed` are judged queries that are
    left out as their search failed. Where documents are judged by subtopic, `facets` are their
    grades by facet, and `place` (hits) is the place of each hit among these. `copies`
    counts the lines of documents that a list held before; `again` (hits) says which hits are such lines and count as
    judged documents of their own, None if none does.
    """

    names: Names
    query: CodeArray
    rank: CompactArray
    grade: CompactArray
    first: CompactArray
    size: CompactArray
    retrieved: FloatArray
    pool_query: CodeArray
    pool_grade: CompactArray
    answered: BoolArray | None = None
    strangers: tuple[str, ...] = ()
    rounded: int = 0
    single: bool = False
    top: float | None = None
    notes: tuple[str, ...] = ()
    mismatch: str | None = None
    misplaced: bool = False
    failed: tuple[str, ...] = ()
    place: IndexArray | None = None
    facets: Facets | None = None
    copies: int = 0
    again: BoolArray | None = None

    @classmethod
    def gather(
        cls,
        parts: Iterable[Found],
        *,
        names: Names,
        pool_query: CodeArray,
        pool_grade: CompactArray,
        most: int,
        facets: Facets | None = None,
    ) -> Hits:
        """The hits of all batches, `most` unless copies are hits too; no two batches have lists for the same query.

        Each batch is let go once its hits are copied; room that is never filled costs no memory.
        """
        query, flat = np.empty(most, dtype=pool_query.dtype), {name: np.empty(most, dtype=np.float32) for name in FLAT}
        flat["grade"] = np.empty(most, dtype=pool_grade.dtype)
        if facets is not None:
            flat["place"] = np.empty(most, dtype=np.float64)
        retrieved, end = np.zeros(len(names)), 0
        strangers: list[str] = []
        rounded = copies = 0
        again: list[BoolArray] = []
        for part in parts:
            start, end = end, end + len(part.query)
            if end > len(query):
                query, flat = np.resize(query, 2 * end), {name: np.resize(one, 2 * end) for name, one in flat.items()}
            if np.max(part.retrieved, initial=0.0) > EXACT:
                flat = {name: column.astype(np.float64) for name, column in flat.items()}
            query[start:end] = part.query
            for name, column in flat.items():
                column[start:end] = getattr(part, name)
            retrieved[part.listed] = part.retrieved
            strangers.extend(part.strangers)
            rounded += part.rounded
            copies += part.copies
            again.append(np.zeros(len(part.query), dtype=bool) if part.again is None else part.again)
        query = query[:end]
        order: IndexArray | slice = slice(None)
        if bool((query[1:] < query[:-1]).any()):
            order = np.argsort(query, kind="stable")
        elif 2 * end < most:
            order = np.arange(end)  # a copy lets room go that was not filled: many runs may be kept
        return cls(
            names=names,
            query=query[order],
            rank=flat["rank"][:end][order],
            grade=flat["grade"][:end][order],
            first=flat["first"][:end][order],
            size=flat["size"][:end][order],
            retrieved=retrieved,
            pool_query=pool_query,
            pool_grade=pool_grade,
            strangers=tuple(dict.fromkeys(strangers)),  # one may be in several batches
            rounded=rounded,
            place=None if facets is None else flat["place"][:end][order].astype(np.int64),
            facets=facets,
            copies=copies,
            again=np.concatenate(again)[order] if any(one.any() for one in again) else None,
        )

    @classmethod
    def together(cls, runs: Sequence[Hits]) -> Hits:
        """Return the hits of several runs on the same judgments, as if each run had queries of its own."""
        if len(runs) == 1:
            return runs[0]
        n = len(runs[0].names)
        flat: dict[str, Any] = {
            name: np.concatenate([getattr(run, name) for run in runs]) for name in (*FLAT, "retrieved", "pool_grade")
        }
        if any(run.again is not None for run in runs):
            flat["again"] = np.concatenate([run.is_again for run in runs])
        for name in ("query", "pool_query"):
            flat[name] = np.concatenate([getattr(run, name) + number * n for number, run in enumerate(runs)])
        names: list[Any] = [name for run in runs for name in run.names]
        return replace(runs[0], names=names, answered=np.concatenate([run.is_answered for run in runs]), **flat)

    @cached_property
    def queries(self) -> pl.Series:
        """The judged queries."""
        return pl.Series("query", self.names).cast(pl.String)

    @cached_property
    def highest(self) -> float:
        """The highest grade of the judgments, at least 0: the top of the scale if nobody declares it."""
        return float(np.max(self.pool_grade, initial=0.0)) if self.top is None else self.top

    @cached_property
    def whole(self) -> Hits:
        """The hits without facets, for measures of whole documents; of a sample those that were drawn."""
        if self.facets is None:
            return self
        if not self.facets.sampled:
            return replace(self, place=None, facets=None)
        kept, pooled = self.grade > UNJUDGED, self.pool_grade > UNJUDGED
        flat = {name: getattr(self, name)[kept] for name in ("query", *FLAT)}
        return replace(
            self,
            **flat,
            pool_query=self.pool_query[pooled],
            pool_grade=self.pool_grade[pooled],
            place=None,
            facets=None,
        )

    @cached_property
    def is_answered(self) -> BoolArray:
        """For which of the judged queries the run has documents."""
        return self.retrieved > 0 if self.answered is None else self.answered

    @property
    def is_again(self) -> BoolArray:
        """Which hits are copies that count as judged documents of their own."""
        return np.zeros(len(self.query), dtype=bool) if self.again is None else self.again

    @property
    def is_sparse(self) -> bool:
        """Whether next to none of the retrieved documents is judged, and more could be."""
        possible = min(float(self.retrieved.sum()), len(self.pool_query))
        return len(self.query) * SPARSE < possible or (bool(self.strangers) and not self.is_answered.any())

    @property
    def is_patchy(self) -> bool:
        """Whether over a third of the lists have less than half of their first ten judged, and could have more.

        Such lists may be other queries'; but where few queries have as many judgments as show that, nobody can tell.
        """
        queries, pooled = len(self.names), self.pool_grade > UNJUDGED
        pool = np.bincount(self.pool_query[pooled], minlength=queries)
        judged = np.bincount(self.query[self.rank <= TOP], minlength=queries)
        patchy = 2 * judged < np.minimum(np.minimum(self.retrieved, TOP), pool)
        third = float(self.is_answered.sum()) / 3
        return bool(patchy.sum() > third and (pool >= TELLING).sum() >= third)

    @property
    def is_evenly_tied(self) -> bool:
        """Whether all documents of each list have the same score, as far as the judged ones show."""
        if not len(self.query) or self.retrieved[self.query[0]] != self.size[0]:
            return False  # as almost always
        lists = self.retrieved[self.query]
        return bool((lists == self.size).all() and (lists > 1).any())

    def check_matched(self) -> Hits:
        """Return the hits, unless no query of the run is judged: all values would be 0 and mean nothing."""
        if self.strangers and len(self.names) and not self.is_answered.any():
            listed, judged = _some(self.strangers), _some(self.names)
            hint = "Are both from the same collection, with query ids written alike?"
            if all(" " in str(query) for query in self.strangers) and not any(" " in str(name) for name in self.names):
                hint += " The run calls them by their texts; so does --columns query=text for a dataset of LlamaIndex."
            raise UnmatchedError(
                f"no query of the run is judged: the run has {listed}, the judgments {judged}", hint=hint
            )
        return self

    def ordered(self, ties: Ties, worth: FloatArray | None = None) -> Hits:
        """Return the hits with their ties resolved as best or worst for the run; other policies keep the order.

        Documents are worth their grade as a whole, unless `worth` says what each document that is judged by facet is.
        """
        tied = np.flatnonzero(self.size > 1)
        if ties not in (Ties.BEST, Ties.WORST) or not len(tied):
            return self
        # The hits of a group are together, so that only these change places.
        query, first, size, grade = self.query[tied], self.first[tied], self.size[tied], self.grade[tied]
        keys = [*self._sum_facets(tied), grade] if worth is None or self.place is None else [worth[self.place[tied]]]
        order = np.lexsort((*(-key if ties is Ties.BEST else key for key in keys), first, query))
        grade = grade[order]
        starts = np.flatnonzero(np.diff(query, prepend=-1).astype(bool) | np.diff(first, prepend=-1).astype(bool))
        counts = np.diff(starts, append=len(query))
        within = np.arange(len(query)) - np.repeat(starts, counts)
        # The best order has the judged documents before the unjudged, the worst has them after.
        shift = 0 if ties is Ties.BEST else size - np.repeat(counts, counts)
        ranks, grades = self.rank.copy(), self.grade.copy()
        ranks[tied], grades[tied] = first + within + shift, grade
        if self.again is not None:
            again = self.again.copy()
            again[tied] = self.again[tied][order]
            return replace(self, rank=ranks, grade=grades, again=again)
        if self.place is None:
            return replace(self, rank=ranks, grade=grades)
        places = self.place.copy()
        places[tied] = self.place[tied][order]
        return replace(self, rank=ranks, grade=grades, place=places)

    def _sum_facets(self, tied: IndexArray) -> tuple[FloatArray, ...]:
        """Return what orders tied hits of one grade: the grades on all facets together."""
        if self.facets is None or self.place is None:
            return ()
        return (self.facets.worth(lambda grades: np.maximum(grades, 0.0))[self.place[tied]],)

    def condense(self, *, pooled: bool = False) -> Hits:
        """The hits of the same lists without their unjudged documents; `pooled` keeps those that were in the pool."""
        kept = np.full(len(self.grade), pooled) | (self.grade > UNJUDGED)
        query, first, grade = self.query[kept], self.first[kept], self.grade[kept]
        counts = tally(query, len(self.names))
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        rank = np.arange(len(query)) - starts[query] + 1.0
        opens = np.diff(query, prepend=-1).astype(bool) | np.diff(first, prepend=-1).astype(bool)
        sizes = np.diff(np.flatnonzero(opens), append=len(query))
        return replace(
            self,
            query=query,
            rank=rank,
            grade=grade,
            first=np.repeat(rank[opens], sizes),
            size=np.repeat(sizes, sizes).astype(np.float64),
            retrieved=counts.astype(np.float64),
            answered=self.is_answered,
            place=None if self.place is None else self.place[kept],
            again=None if self.again is None else self.again[kept],
        )

    def cut(self, depth: int) -> Hits:
        """The hits of the first `depth` documents of each list; a tie group that the cut divides keeps its order."""
        kept = self.rank <= depth
        whole = (self.first + self.size - 1 <= depth)[kept]
        return replace(
            self,
            query=self.query[kept],
            rank=self.rank[kept],
            grade=self.grade[kept],
            first=np.where(whole, self.first[kept], self.rank[kept]),
            size=np.where(whole, self.size[kept], 1.0),
            retrieved=np.minimum(self.retrieved, depth),
            place=None if self.place is None else self.place[kept],
            again=None if self.again is None else self.again[kept],
        )

    def _first_lists(self) -> IndexArray:
        """Return for each list the position of the first list of its query, itself where there is no other."""
        from rankgauge.files.formats.letor import AGAIN

        place = np.arange(len(self.names))
        names = pl.DataFrame({"query": self.queries, "first": place})
        owners = names.select(pl.col("query").cast(pl.String).str.replace(AGAIN, ""))
        first = owners.join(names, on="query", how="left", maintain_order="left")["first"]
        return np.asarray(first.fill_null(pl.Series(place)).to_numpy())

    def blocks(self, *, expected: bool, ideal: IdealPool) -> Iterator[Block]:
        """Yield the queries in blocks of like length, so that one long list does not pad them all."""
        n = len(self.names)
        hit_counts = tally(self.query, n)
        if ideal is IdealPool.RETRIEVED:
            known = self.grade > UNJUDGED
            order = np.lexsort((-self.grade[known], self.query[known]))
            pool_query, pool_grade = self.query[known][order], self.grade[known][order]
        else:
            pool_query, pool_grade = self.pool_query, self.pool_grade
        pool_counts = tally(pool_query, n)
        tied = np.bincount(self.query[self.size > 1], minlength=n) > 0 if expected else np.zeros(n, dtype=bool)
        hit_ends, pool_ends = np.cumsum(hit_counts), np.cumsum(pool_counts)
        if ideal is IdealPool.FIRST:
            owner = self._first_lists()
            pool_ends, pool_counts = pool_ends[owner], pool_counts[owner]
        for index in _of_like_length(hit_counts, pool_counts, tied):
            hits = _Padding(hit_ends[index] - hit_counts[index], hit_counts[index])
            pool = _Padding(pool_ends[index] - pool_counts[index], pool_counts[index])
            averaged = bool(tied[index[0]]) if len(index) else False
            named = averaged or self.facets is not None
            lists = RankedLists(
                ranks=hits.fill(self.rank),
                grades=hits.fill(self.grade),
                ideal=pool.fill(pool_grade),
                retrieved=self.retrieved[index],
                first=hits.fill(self.first) if averaged else None,
                size=hits.fill(self.size) if averaged else None,
                single=self.single,
                names=[self.names[row] for row in index.tolist()] if named else None,
                facets=self._facet_lists(index, hits, ideal),
            )
            if self.again is not None and ideal is not IdealPool.RETRIEVED:
                lists = lists.with_copies(hits.fill(self.again.astype(np.float64)) == 1.0)
            yield Block(index=index, lists=lists)

    def _facet_lists(self, index: IndexArray, hits: _Padding, ideal: IdealPool) -> FacetLists | None:
        """Return the facets of the lists of some queries."""
        if self.facets is None or self.place is None:
            return None
        weights = self.facets.weights[index]
        width = int((~np.isnan(weights)).any(axis=0).sum())
        grades, n = self.facets.grades[:, :width], len(self.names)
        kept = np.arange(len(grades))
        if ideal is IdealPool.RETRIEVED:
            kept = np.sort(self.place)
        counts = np.bincount(self.facets.query[kept], minlength=n)
        starts = np.cumsum(counts) - counts
        pool = _Padding(starts[index], counts[index])
        groups = self.facets.groups
        return FacetLists(
            grades=hits.fill(grades, self.place),
            pool=pool.fill(grades, kept),
            weights=weights[:, :width],
            places=hits.fill((np.searchsorted(kept, self.place) - starts[self.query]).astype(np.float64)),
            groups=None if groups is None else groups[index][:, :width],
        )


def arrange(hits: Hits, how: Ranking) -> Hits:
    """Return the hits after the policies that act on whole lists: ties, depth, unjudged documents.

    The depth is that of the run, so it is cut before unjudged documents are taken out (trec_eval's -M and -J).
    """
    hits = replace(hits.ordered(how.ties), single=how.single_arithmetic)
    if how.depth is not None:
        hits = hits.cut(how.depth)
    pooled = how.negative is NegativeGrade.POOLED or how.levels or (hits.facets is not None and hits.facets.sampled)
    return hits.condense(pooled=pooled) if how.unjudged is Unjudged.SKIP else hits


def apply_negative(grades: FloatArray, negative: NegativeGrade) -> FloatArray:
    """Return the grades after the policy on negative ones."""
    match negative:
        case NegativeGrade.UNJUDGED | NegativeGrade.POOLED:
            return np.where(grades < 0, UNJUDGED, grades)
        case NegativeGrade.ZERO:
            return np.maximum(grades, 0.0)
    return grades


def comparable_scores(score: FloatArray, how: Ranking) -> FloatArray:
    """Return the scores as they are compared."""
    if not how.single_precision:
        return score
    with np.errstate(over="ignore"):
        return to_single(score)


def tied_by_rounding(query: IndexArray, score: FloatArray, how: Ranking) -> int:
    """Count the queries with scores that differ, but not in single precision, if they are compared in that."""
    if not how.single_precision:
        return 0
    if bool(((query[1:] == query[:-1]) & (score[1:] > score[:-1])).any()):
        order = np.lexsort((-score, query))
        query, score = query[order], score[order]
    single = comparable_scores(score, how)
    merged = (query[1:] == query[:-1]) & (single[1:] == single[:-1]) & (score[1:] != score[:-1])
    return len(np.unique(query[1:][merged]))


def tie_groups(code: IndexArray, score: FloatArray, ranks: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first rank and the size of each row's tie group."""
    opens = np.ones(len(code), dtype=bool)
    opens[1:] = (code[1:] != code[:-1]) | (score[1:] != score[:-1])
    at = np.flatnonzero(opens)
    sizes = np.diff(at, append=len(code))
    return np.repeat(ranks[at], sizes), np.repeat(sizes, sizes).astype(np.float64)


@entity
class Block:
    """Queries by their position, and their ranked lists."""

    index: IndexArray
    lists: RankedLists


def tally(codes: CodeArray, n: int) -> IndexArray:
    """Count how often each code below `n` is among these, which ascend, without the copy that `bincount` makes."""
    return np.diff(np.searchsorted(codes, np.arange(n + 1, dtype=codes.dtype)))


class _Padding:
    """Where the cells of a padded block find their values in a flat array."""

    def __init__(self, starts: IndexArray, counts: IndexArray) -> None:
        columns = np.arange(int(counts.max(initial=0)))
        self.filled = columns < counts[:, np.newaxis]
        self.source = (starts[:, np.newaxis] + columns)[self.filled]

    def fill(self, flat: CompactArray, place: IndexArray | None = None) -> FloatArray:
        """Return the flat values as rows in double precision, padded with NaN; those of facets stay on the last axis.

        `place` says where the values are, if not in their order.
        """
        source = self.source if place is None else place[self.source]
        shape = (*self.filled.shape, *flat.shape[1:])
        if self.filled.all():
            return np.asarray(flat[source].reshape(shape), dtype=np.float64)
        cells = np.full(shape, np.nan)
        cells[self.filled] = flat[source]
        return cells


def _of_like_length(hits: IndexArray, pool: IndexArray, tied: npt.NDArray[np.bool_]) -> Iterator[IndexArray]:
    """Yield positions of queries, cut into runs whose padding at most doubles the cells."""
    order = np.lexsort((hits, pool, tied))
    widths = (hits + pool)[order]
    start = 0
    while start < len(order):
        end = _block_end(widths, tied[order], start, hits[order], pool[order])
        yield order[start:end]
        start = end


def _block_end(widths: IndexArray, tied: npt.NDArray[np.bool_], start: int, hits: IndexArray, pool: IndexArray) -> int:
    """Return where the block that begins at `start` ends: the longest run that is neither too large nor too padded."""
    chunk = slice(start, start + CELLS)
    rows = np.arange(1, len(widths[chunk]) + 1)
    padded = (np.maximum.accumulate(hits[chunk]) + np.maximum.accumulate(pool[chunk])) * rows
    used = np.cumsum(widths[chunk])
    fits = (padded <= CELLS) & ((padded <= 2 * used) | (padded <= CELLS // 16)) & (tied[chunk] == tied[start])
    return start + max(1, int(np.argmin(fits)) if not fits.all() else len(fits))


def _some(names: Names) -> str:
    """Return the first few of the names."""
    return ", ".join(str(name) for name in names[:3]) + (", …" if len(names) > 3 else "")
