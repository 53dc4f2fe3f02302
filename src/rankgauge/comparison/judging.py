"""What missing judgments alone can do to a difference: how unequally two runs are judged, and what follows from it.

Documents that nobody judged count as not relevant, so a run with more of them looks worse than it is. The gate asks how
the difference changes if they are *as good as the judged ones*: each gets the grade of a judged document of the same
run from about the same rank (the ranks 1, 2–3, 4–7, 8–15 …), the mean over draws. Runs that were never pooled gain less
than that on TREC collections, so a verdict that stays the same does not come from missing judgments. Where one run is
judged far less than the other (`wide`), as where ids do not match, nothing is known of what is missing: there each
unjudged document of that run gets the highest grade.

A query in which nothing of one run is judged, and something of the other's, shows nothing at all (`blind`), and neither
does one whose search failed (`failed`): a verdict must not need them, and there may be only a few. Nor may a gate's
verdict need many queries that neither run answers (`unanswered`): their differences of 0 make a loss look smaller.

Beside it stand bounds of the difference: whatever the grades of the documents that the two runs show, it is neither
less nor more. They are wider than need be where both runs show the same unjudged document, which is graded twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.judged_share import LEAST, NONE, JudgedShare, is_many, judged_share
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.scoring import score, settle
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking import Hits
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.records import entity, record

FAILED = "failed searches"
FEW_JUDGED, BLIND, UNEQUAL = "few judged", "nothing judged", "unequally judged"
UNANSWERED = "not answered"
JUDGING = (FEW_JUDGED, BLIND, UNEQUAL)
"""The reasons for no verdict that are about judgments."""

GAP = 0.05
"""Runs whose shares differ by more are judged unequally (chosen on TREC DL 2019)."""

WIDE = 0.25
"""Where shares differ by more, a verdict must stay the same if the unjudged documents of the less judged run have the
highest grade (on TREC DL 2019 this costs no true loss from 0.2 on)."""

DRAWS = 20
"""How many times grades are drawn for unjudged documents; fewer where there are many of them."""

WORK = 2_000_000
"""About how many documents are drawn a grade for, all draws together."""

FEWEST = 10
"""From this many judged documents on, ranks have grades of their own to draw from."""

LISTS = 2_000
"""Up to this many lists have bounds: they take a millisecond for each."""


Places: TypeAlias = IndexArray | None
"""The places of some of the queries; None: all of them."""

Turns: TypeAlias = Callable[[FloatArray], bool]
"""Says whether a verdict would be another one by these differences of the queries."""


@record
class JudgedRule:
    """How much must be judged for a verdict.

    `least` is the share of the documents that could be judged; `gap` is the difference of two runs' shares from which
    on a verdict must be the same if unjudged documents are as good as judged ones, and `wide` that from which on those
    of the less judged run are taken to be as good as can be.
    """

    least: float = LEAST
    gap: float = GAP
    wide: float = WIDE

    def __post_init__(self) -> None:
        for name in ("least", "gap", "wide"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError("the gate", f"{name} judged", "a share from 0 to 1", getattr(self, name))

    def is_thin(self, share: JudgedShare) -> bool:
        """Say whether too little is judged for any verdict."""
        return (self.least > 0 and share.misplaced) or share.reach < (
            min(self.least, NONE) if share.relevant_only else self.least
        )

    def is_unequal(self, one: JudgedShare, other: JudgedShare) -> bool:
        """Say whether one run is judged so much less than the other that its unjudged documents matter."""
        return not one.relevant_only and abs(one.share - other.share) > self.gap

    def is_wide(self, one: JudgedShare, other: JudgedShare) -> bool:
        """Say whether one run is judged so much less that its unjudged documents may be anything."""
        return self.is_unequal(one, other) and abs(one.share - other.share) > self.wide

    def suppose(self, one: JudgedShare, other: JudgedShare) -> str:
        """Return what is supposed of the unjudged documents of two runs, in words."""
        return "had the highest grade" if self.is_wide(one, other) else "were as good as judged ones"


TRUSTING = JudgedRule(least=0.0, gap=1.0)
"""The rule where a user says that unjudged documents are not relevant."""


@entity
class MissingJudgments:
    """What documents that nobody judged can do to the differences of runs."""

    results: Mapping[str, Result]
    queries: Sequence[str]
    rule: JudgedRule
    _moved: dict[tuple[str, str, str], tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    _bounds: dict[tuple[str, str, str], tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def shares(self, measure: Measure, *runs: str, places: Places = None) -> list[JudgedShare]:
        """Return how much of what the measure looks at is judged, for each of the runs, on some of the queries."""
        return [self._share(measure, run, places) for run in runs]

    def _share(self, measure: Measure, run: str, places: Places) -> JudgedShare:
        result = self.results[run]
        if places is None:
            return result.judged[str(measure)]
        wanted = {self.queries[at] for at in places}
        kept = np.array([at for at in result.counted.tolist() if str(result.hits.names[at]) in wanted], dtype=np.intp)
        return judged_share(result.hits, measure.depth, kept, result.judged_within(measure))

    def is_thin(self, measure: Measure, *runs: str, places: Places = None) -> bool:
        """Say whether too little of one of the runs is judged for any verdict."""
        return any(map(self.rule.is_thin, self.shares(measure, *runs, places=places)))

    def is_unequal(self, measure: Measure, run: str, other: str, places: Places = None) -> bool:
        """Say whether one run is judged much less than the other, and the measure depends on it."""
        unequal = self.rule.is_unequal(*self.shares(measure, run, other, places=places))
        return unequal and not _ignores_unjudged(self.results[run], measure)

    def blind(self, measure: Measure, run: str, other: str) -> BoolArray:
        """The queries in which nothing that the measure looks at is judged of one run, and something of the other's.

        None where a user trusts all values, and where only relevant documents are listed.
        """
        if not self.rule.least or self.shares(measure, run)[0].relevant_only:
            return np.zeros(len(self.queries), dtype=bool)
        (none, some), (other_none, other_some) = (self._seen_queries(measure, name) for name in (run, other))
        return (none & other_some) | (some & other_none)

    def unanswered(self, run: str, other: str) -> BoolArray:
        """The queries that count, but for which neither run has a document; none where a user trusts all values."""
        if not self.rule.least:
            return np.zeros(len(self.queries), dtype=bool)
        one, rival = (self._place(name, ~self.results[name].answered) == 1 for name in (run, other))
        neither: BoolArray = one & rival
        return neither

    def _seen_queries(self, measure: Measure, run: str) -> tuple[BoolArray, BoolArray]:
        """Return in which queries nothing of what the run retrieved is judged, and in which something is."""
        result = self.results[run]
        counts, listed = result.judged_within(measure)[result.counted], result.answered
        return self._place(run, (counts == 0) & listed) == 1, self._place(run, counts > 0) == 1

    @cached_property
    def failed(self) -> Mapping[str, BoolArray]:
        """By run: the queries that are judged, but whose search failed."""
        return {run: ~np.isin(self.queries, list(map(str, result.hits.names))) for run, result in self.results.items()}

    def has_failed(self, run: str, places: Places = None) -> bool:
        """Say whether more than a few of the searches of a run failed."""
        failed = self.failed[run] if places is None else self.failed[run][places]
        return is_many(int(failed.sum()), len(failed))

    def reason(
        self, measure: Measure, run: str, other: str, differences: FloatArray, turns: Turns, places: Places = None
    ) -> str:
        """Return why missing judgments or failed searches leave no verdict on two runs; empty if they do not.

        `differences` are those of the queries at the places. Where `turns` says that the verdict would be another one,
        it may need neither queries that show nothing nor unjudged documents to be worth nothing.
        """
        if any(self.has_failed(name, places) for name in (run, other)):
            return FAILED
        if self.is_thin(measure, run, other, places=places):
            return FEW_JUDGED
        chosen = slice(None) if places is None else places
        blind = self.blind(measure, run, other)[chosen]
        many = is_many(int(blind.sum()), len(blind))
        if many or (blind.any() and turns(np.where(blind, np.nan, differences))):
            return BLIND
        unequal = self.is_unequal(measure, run, other, places)
        return UNEQUAL if unequal and turns(self.as_good(measure, run, other)[chosen]) else ""

    def as_good(self, measure: Measure, run: str, other: str) -> FloatArray:
        """The differences by query if unjudged documents are as good as judged ones; NaN where a run has no value."""
        first, second = self._as_good_values(measure, run, other)
        return first - second

    def mean_as_good(self, measure: Measure, run: str, other: str) -> float:
        """The mean of a run if unjudged documents are as good as judged ones; NaN unless it is judged much less than
        the other."""
        one, rival = self.shares(measure, run, other)
        if one.share >= rival.share or not self.is_unequal(measure, run, other):
            return float("nan")
        return float(np.nanmean(self._as_good_values(measure, run, other)[0]))

    def _as_good_values(self, measure: Measure, run: str, other: str) -> tuple[FloatArray, FloatArray]:
        key = (str(measure), run, other)
        if key not in self._moved:
            results = [_provider(self.results[name], measure) for name in (run, other)]
            shares = self.shares(measure, run, other)
            best = int(shares[1].share < shares[0].share) if self.rule.is_wide(*shares) else None
            first, second = as_good(results[0], results[1], measure, best=best)
            self._moved[key] = self._place(run, first), self._place(other, second)
        return self._moved[key]

    def bounds(self, measure: Measure, run: str, other: str) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest differences by query, whatever the grades of unjudged documents are."""
        (low, high), (other_low, other_high) = self._ends(measure, run, other), self._ends(measure, other, run)
        return low - other_high, high - other_low

    def _ends(self, measure: Measure, run: str, other: str) -> tuple[FloatArray, FloatArray]:
        key = (str(measure), run, other)
        if key not in self._bounds:
            one, rival = (_provider(self.results[name], measure) for name in (run, other))
            low, high = bounds(one, rival, measure)
            self._bounds[key] = self._place(run, low), self._place(run, high)
        return self._bounds[key]

    def _place(self, run: str, values: FloatArray | BoolArray) -> FloatArray:
        """Return values of the queries of a run at the places of all queries; NaN for those that it lacks."""
        place = {query: row for row, query in enumerate(self.queries)}
        placed = np.full(len(place), np.nan)
        placed[[place[query] for query in self.results[run].names]] = values
        return placed


def _ignores_unjudged(result: Result, measure: Measure) -> bool:
    """Whether unjudged documents change nothing in the measure, as for bpref; so it is for judgments by facet, where
    nothing can be drawn for them."""
    return result.hits.facets is not None or measure.judged_only or measure.facts.ignores_unjudged


def _provider(result: Result, measure: Measure) -> Result:
    """Return the part of a result that the measure comes from, where a dialect takes measures from several tools."""
    return next((part for part in result.parts if measure in part.measures), result)


def as_good(
    run: Result, other: Result, measure: Measure, *, best: int | None = None, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Return the values of two runs' queries if unjudged documents are as good as judged ones of about the same rank.

    Those of the run at the place `best` have the highest grade instead. What one run brings in is also missed by the
    other: both are held against the same ideal. Where ties are averaged, each draw has another order of tied documents.
    """
    rng = np.random.default_rng(seed)
    hits = [_break_ties(result, rng) for result in (run, other)]
    missing = [_Unjudged.of(hit, measure.depth) for hit in hits]
    draws = int(np.clip(WORK // max(sum(len(one.query) for one in missing), 1), 1, DRAWS))
    place = {name: row for row, name in enumerate(hits[1].names)}
    there = np.array([place.get(name, -1) for name in hits[0].names])
    back = np.full(len(place), -1)
    back[there[there >= 0]] = np.flatnonzero(there >= 0)
    totals = [np.zeros(len(result.counted)) for result in (run, other)]
    for draw in range(draws):
        if draw and any(map(_averages_ties, (run, other))):
            hits = [_break_ties(result, rng) for result in (run, other)]
            missing = [_Unjudged.of(hit, measure.depth) for hit in hits]
        drawn = [one.grades(rng) for one in missing]
        if best is not None:
            drawn[best] = np.full(len(drawn[best]), max(one.pool_grade.max(initial=0.0) for one in hits))
        for at, (result, ways) in enumerate(((run, back), (other, there))):
            missed = ways[missing[1 - at].query]
            filled = missing[at].fill_in(hits[at], drawn[at], missed[missed >= 0], drawn[1 - at][missed >= 0])
            plain = replace(result.dialect, ties=Ties.INPUT)
            totals[at] += settle(score(filled, [measure], plain)[0], filled, [measure], plain)[:, 0]
    return totals[0] / draws, totals[1] / draws


def _averages_ties(result: Result) -> bool:
    return result.dialect.ties is Ties.EXPECTED and bool((result.hits.size > 1).any())


def _break_ties(result: Result, rng: np.random.Generator) -> Hits:
    """Return the judged hits, each at its own rank; where ties are averaged, in an order that is drawn."""
    hits, kept = result.hits, result.hits.grade > UNJUDGED
    rank = (_drawn_ranks(hits, rng) if _averages_ties(result) else hits.rank)[kept]
    return replace(hits, query=hits.query[kept], rank=rank, grade=hits.grade[kept], first=rank, size=np.ones(len(rank)))


def _drawn_ranks(hits: Hits, rng: np.random.Generator) -> FloatArray:
    """Draw a rank for each hit among those of its tie group, which may hold unjudged documents too."""
    opens = np.diff(hits.query, prepend=-1).astype(bool) | np.diff(hits.first, prepend=-1).astype(bool)
    starts = np.flatnonzero(opens)
    sizes, counts = hits.size[starts].astype(np.int64), np.diff(starts, append=len(opens))
    group = np.repeat(np.arange(len(sizes)), sizes)
    begins = np.cumsum(sizes) - sizes
    # A place of the group for each of its documents, in a random order; the judged ones take the first of these.
    places = np.lexsort((rng.random(len(group)), group)) - begins[group]
    within = np.arange(len(opens)) - np.repeat(starts, counts)
    return np.asarray(hits.first + places[np.repeat(begins, counts) + within], dtype=np.float64)


@entity
class _Unjudged:
    """The places of unjudged documents (`query`, `rank`) within a depth, and the judged grades to draw from."""

    query: IndexArray
    rank: IndexArray
    judged_grade: FloatArray
    judged_band: IndexArray

    @classmethod
    def of(cls, hits: Hits, depth: int) -> _Unjudged:
        """Find the ranks that no judged hit has."""
        listed = np.minimum(hits.retrieved, depth or np.inf).astype(np.int64)
        starts = np.cumsum(listed) - listed
        open_ = np.ones(int(listed.sum()), dtype=bool)
        inside = hits.rank <= listed[hits.query]
        open_[starts[hits.query[inside]] + hits.rank[inside].astype(np.int64) - 1] = False
        query = np.repeat(np.arange(len(listed)), listed)
        rank = np.arange(len(query)) - starts[query] + 1
        return cls(
            query=query[open_],
            rank=rank[open_],
            judged_grade=np.asarray(hits.grade[inside], dtype=np.float64),
            judged_band=_bands(np.asarray(hits.rank[inside], dtype=np.float64)),
        )

    def grades(self, rng: np.random.Generator) -> FloatArray:
        """Draw a grade for each unjudged document, from those of its band of ranks, or from all if they are few.

        Where hardly anything of a band is judged, such as every first document, the highest grade is taken.
        """
        bands, drawn = _bands(self.rank), np.zeros(len(self.rank))
        if not len(self.judged_grade):
            return drawn
        for band in sorted(set(bands.tolist())):
            mine, known = bands == band, self.judged_grade[self.judged_band == band]
            if len(known) < FEWEST:
                known = self.judged_grade if len(known) >= mine.sum() else self.judged_grade.max(keepdims=True)
            drawn[mine] = known[rng.integers(len(known), size=int(mine.sum()))]
        return drawn

    def fill_in(self, hits: Hits, grades: FloatArray, missed: IndexArray, missed_grades: FloatArray) -> Hits:
        """The hits and these, as if they had been judged; `missed` are the queries of documents that only the pool
        gains."""
        query: IndexArray = np.concatenate([hits.query, self.query]).astype(np.int64)
        rank: FloatArray = np.concatenate([hits.rank, self.rank]).astype(np.float64)
        grade = np.concatenate([hits.grade, grades])
        order = np.lexsort((rank, query))
        pool_query: IndexArray = np.concatenate([hits.pool_query, self.query, missed]).astype(np.int64)
        pool_grade: FloatArray = np.concatenate([hits.pool_grade, grades, missed_grades]).astype(np.float64)
        pooled = np.lexsort((-pool_grade, pool_query))
        return replace(
            hits,
            query=query[order],
            rank=rank[order],
            grade=grade[order],
            first=rank[order],
            size=np.ones(len(rank)),
            pool_query=pool_query[pooled],
            pool_grade=pool_grade[pooled],
        )


def _bands(ranks: IndexArray | FloatArray) -> IndexArray:
    return np.floor(np.log2(np.maximum(ranks, 1))).astype(np.int64)


def bounds(result: Result, other: Result, measure: Measure) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest value of the queries that count, whatever the grades of unjudged documents are.

    Those that only the other run shows may raise the ideal. Where ties are averaged, so are the bounds, over a few
    orders of the tied documents. NaN where bounds are not known.
    """
    rng = np.random.default_rng(0)
    tied = _averages_ties(result) or _averages_ties(other)
    draws = int(np.clip(LISTS // (4 * max(len(result.counted), 1)), 1, DRAWS)) if tied else 1
    every = [_bounds(result, _break_ties(result, rng), _break_ties(other, rng), measure) for _ in range(draws)]
    least, most = np.mean(every, axis=0)
    return least, most


def _bounds(result: Result, hits: Hits, other: Hits, measure: Measure) -> tuple[FloatArray, FloatArray]:
    from rankgauge.labelling.board.bounds import bounds as bounds_of
    from rankgauge.labelling.board.bounds import is_bounded
    from rankgauge.labelling.board.target import BoardTarget, mark_reached

    unknown = np.full(len(result.counted), np.nan)
    if len(result.counted) > LISTS or hits.facets is not None:
        return unknown, unknown
    grades = np.maximum(hits.pool_grade, 0.0)
    deepest = max(int(hits.retrieved.max(initial=0)), measure.depth, 1)
    missed = _count_missed(hits, other, measure.depth)
    most = int(np.bincount(hits.pool_query, minlength=1).max()) + deepest + int(missed.max(initial=0))
    try:
        target = BoardTarget.of_size(
            measure,
            deepest=deepest,
            most=most,
            grades=np.asarray(sorted({0.0, *grades.tolist()})),
            dialect=result.dialect,
        )
    except (ParameterError, InputError):
        return unknown, unknown  # a measure, or a choice of the dialect, of which no bounds are known
    if not is_bounded(target):
        return unknown, unknown
    known = mark_reached(np.asarray(grades, dtype=np.float64), target.grades)
    counts = np.zeros((len(hits.names), known.shape[1]))
    np.add.at(counts, hits.pool_query, known)
    lists = list(_lists(hits, measure.depth, counts, target.grades, missed))
    bounds = np.array([bounds_of(target, lists[at]) for at in result.counted.tolist()]).reshape(-1, 2)
    return bounds[:, 0], bounds[:, 1]


def _count_missed(hits: Hits, other: Hits, depth: int) -> IndexArray:
    """Count by query of the hits the unjudged documents that another run shows."""
    shown = np.bincount(_Unjudged.of(other, depth).query, minlength=len(other.names))
    place = {name: row for row, name in enumerate(other.names)}
    return np.array([shown[place[name]] if name in place else 0 for name in hits.names], dtype=np.int64)


def _lists(hits: Hits, depth: int, counts: FloatArray, scale: FloatArray, missed: IndexArray) -> Iterator[object]:
    """Yield the list of each judged query, with its judged and its unjudged ranks."""
    from rankgauge.labelling.board.bounds import OpenList
    from rankgauge.labelling.board.target import mark_reached

    missing = _Unjudged.of(hits, depth)
    inside: BoolArray = hits.rank <= (depth or np.inf)
    query, rank, grade = hits.query[inside], hits.rank[inside].astype(np.int64), hits.grade[inside]
    places: Sequence[int] = range(len(hits.names) + 1)
    judged, open_ = np.searchsorted(query, places), np.searchsorted(missing.query, places)
    for at in places[:-1]:
        mine = slice(judged[at], judged[at + 1])
        yield OpenList(
            ranks=rank[mine],
            reached=mark_reached(np.maximum(np.asarray(grade[mine], dtype=np.float64), 0.0), scale),
            unjudged=missing.rank[open_[at] : open_[at + 1]],
            counts=counts[at],
            missed=int(missed[at]),
        )
