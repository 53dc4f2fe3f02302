"""What a sample of judgments leaves open: intervals of xinfAP, xinfNDCG and statAP for the queries at hand.

The estimates are ratios, skewed and biased where few relevant documents were drawn, so that neither their spread over
queries nor resampling the drawn documents says how far they are from the truth. So the sample is drawn again and again:
documents that were not drawn are given grades at random, as likely as the drawn ones of their stratum tell (by query
and by rank in the run); then everything is judged, and a new sample of the same sizes is drawn from it. How far its
estimates are from what they estimate has a mean, the bias, and a spread. The interval holds whatever part of that bias
the estimate has: grades that are made up follow the run's ranks less closely than true ones, which makes the bias look
larger than it is.

How likely documents are relevant is a logistic regression with an effect for each query. Coefficients have a wide
normal prior, so that no sample is too small for them. The effects of queries are normal with a variance that is found
by expectation and maximisation; the curvature at the maximum (Laplace) says how far all of them are known, and `drawn`
gives others that the sample would allow as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.constraints import whole_number
from rankgauge.dialects import Dialect
from rankgauge.evaluation.scoring import find_counted, is_empty
from rankgauge.measures import Measure
from rankgauge.measures.binary.infap import infAP
from rankgauge.measures.strata import FromStrata, Strata
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import UNJUDGED, Hits
from rankgauge.records import entity
from rankgauge.statistics.intervals import Interval, student_quantile

SAMPLES = 100
"""How many samples are drawn again; the spread of their errors is then known to 7 %."""

QUERIES, DRAWN = 10, 50
"""With fewer queries, or fewer documents drawn from strata that were judged in part, there is no interval yet."""

LEVELS = 10
"""From so many levels on, grades that are made up are one of as many, evenly chosen among those that were given."""

_HALF = 2.0
"""How many documents with the overall share of relevant ones a query's own share is taken with."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleIntervals:
    """By measure an interval, NaN where there is none, and the reason for that."""

    interval: Interval
    reasons: tuple[str | None, ...]


def sample_intervals(
    hits: Hits, measures: Sequence[Measure], matrix: FloatArray, dialect: Dialect, *, seed: int = 0, level: float = 0.95
) -> SampleIntervals:
    """Return the intervals of the means of `matrix` (queries that count × measures), for the judgments' whole pools."""
    whole_number(least=0).check("sample_intervals", "seed", seed)
    low, high = np.full((2, len(measures)), np.nan)
    used, queries = ~np.isnan(matrix), find_counted(hits, dialect)
    reasons = [_reason(hits, measure, dialect, queries[used[:, at]]) for at, measure in enumerate(measures)]
    columns = [column for column, reason in enumerate(reasons) if reason is None]
    if columns:
        chosen = [measures[column] for column in columns]
        off = _Redrawn(hits, np.random.default_rng(seed)).errors(chosen, dialect, queries, used[:, columns])
        means, bias, spread = np.nanmean(matrix[:, columns], axis=0), off.mean(axis=0), off.std(axis=0, ddof=1)
        reach = student_quantile(used[:, columns].sum(axis=0) - 1.0, 0.5 + level / 2) * spread
        low[columns] = np.maximum(means - np.maximum(bias, 0.0) - reach, 0.0)
        high[columns] = means - np.minimum(bias, 0.0) + reach
    return SampleIntervals(interval=Interval(low, high), reasons=tuple(reasons))


def _reason(hits: Hits, measure: Measure, dialect: Dialect, queries: IndexArray) -> str | None:
    """Return why there is no interval of the mean over these queries."""
    if isinstance(measure, infAP):
        return "its sample is told by grades of −1, not by strata; xinfAP reads strata"
    if not isinstance(measure, FromStrata) or hits.facets is None:
        return "it does not estimate from a sample"
    if measure.judged_only:
        return "with judged_only it leaves out what was not drawn"
    pool = SampledPool(hits)
    if np.any(hits.facets.weights[~np.isnan(hits.facets.weights)] != 1.0):
        return "the documents that were not drawn are not listed"
    known = np.bincount(pool.query[~pool.is_drawn], minlength=len(hits.names)) == 0
    anchored = np.bincount(pool.query[~pool.is_open], minlength=len(hits.names)) > 0
    empty = is_empty(hits, [measure], dialect)[:, 0] & ~known
    if len(queries) < QUERIES:
        return f"{len(queries)} queries are too few, {QUERIES} will do"
    if (drawn := int(pool.is_open[pool.is_drawn].sum())) < DRAWN and pool.is_open.any():
        return f"{drawn} documents drawn from strata judged in part are too few, {DRAWN} will do"
    if none := int((~anchored[queries]).sum()):
        return f"of {none} of the queries no stratum was judged throughout"
    if none := int(empty[queries].sum()):
        return f"of {none} of the queries no relevant document was drawn; --empty leave-out takes them out of the mean"
    return None


class SampledPool:
    """The documents of all queries' pools: their query, stratum and grade, and whether they were drawn."""

    def __init__(self, hits: Hits) -> None:
        assert hits.facets is not None
        assert hits.place is not None
        facets = hits.facets
        self.query = np.asarray(facets.query)
        self.column = np.argmax(~np.isnan(facets.grades), axis=1)
        self.grade = np.where(np.isnan(facets.grades), UNJUDGED, facets.grades).max(axis=1, initial=UNJUDGED)
        self.is_drawn: BoolArray = self.grade > UNJUDGED
        names = [facets.names[q][c] for q, c in zip(self.query.tolist(), self.column.tolist(), strict=True)]
        self.names, stratum = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
        self.stratum: IndexArray = stratum.astype(np.int64)
        self.rank = np.full(len(self.query), np.nan)
        self.rank[hits.place] = hits.rank

    @cached_property
    def is_open(self) -> BoolArray:
        """Which documents are in a part of their query's pool that was judged in part."""
        part = self.query * (self.stratum.max(initial=0) + 1) + self.stratum
        return np.asarray(np.bincount(part, ~self.is_drawn)[part] > 0)


class StratumModel:
    """How likely the documents of a stratum reach each level that was given, from those that were drawn.

    It knows the document's rank in the run, or that the run lacks it, and how many documents of the query's other
    strata reach the level; what else is about the query is its effect.
    """

    def __init__(self, pool: SampledPool, stratum: int, levels: FloatArray, rng: np.random.Generator) -> None:
        inside = pool.stratum == stratum
        known, queries = inside & pool.is_drawn, int(pool.query.max()) + 1
        listed = ~np.isnan(pool.rank)
        self._listed = listed.astype(np.int64)
        depth = np.where(listed, np.log(np.where(listed, pool.rank, 1.0)), 0.0)
        self._depth = np.where(listed, depth - (depth[known & listed].mean() if (known & listed).any() else 0.0), 0.0)
        self._fits = []
        for level in levels:
            reached = (pool.grade >= level).astype(np.float64)
            columns = self._columns(_richness(pool, ~inside & pool.is_drawn, reached, queries))
            fit = QueryEffects.fit(columns[known], reached[known], pool.query[known], queries)
            coefficients, effects = fit.draw(rng, SAMPLES)
            shift = self._shift(columns, coefficients, effects, pool, known, reached)
            self._fits.append((float(level), columns, coefficients, effects, shift))

    def grades(self, rows: IndexArray, query: int, rng: np.random.Generator) -> FloatArray:
        """Return grades of documents of one query (samples × documents)."""
        luck = rng.random((SAMPLES, len(rows)))
        grades = np.zeros(luck.shape)
        for level, columns, coefficients, effects, shift in self._fits:
            odds = coefficients @ columns[rows].T + effects[:, query, np.newaxis] + shift[self._listed[rows]]
            grades = np.where(luck < odds_to_chance(odds), level, grades)
        return grades

    def _columns(self, richness: FloatArray) -> FloatArray:
        listed, depth = self._listed, self._depth
        return np.column_stack(
            [np.ones(len(depth)), listed, depth, depth**2 / 4, richness, richness * listed, richness * depth]
        )

    def _shift(
        self,
        columns: FloatArray,
        coefficients: FloatArray,
        effects: FloatArray,
        pool: SampledPool,
        known: BoolArray,
        reached: FloatArray,
    ) -> FloatArray:
        """What makes as many of the drawn documents reach the level on average as did: of those that the run lacks, and
        of those that it lists. Drawn effects would make them too many, since chances are convex in small odds."""
        shift = np.zeros(2)
        for part in (0, 1):
            rows = np.flatnonzero(known & (self._listed == part))
            if len(rows):
                odds = coefficients @ columns[rows].T + effects[:, pool.query[rows]]
                wanted = (reached[rows].sum() + 0.25) / (len(rows) + 0.5)
                shift[part] = _match_mean(odds, wanted)
        return shift


def _match_mean(odds: FloatArray, wanted: float) -> float:
    """Return what to add to log odds so that the mean of their chances is the wanted one."""
    low, high = -8.0, 8.0
    for _ in range(30):
        middle = (low + high) / 2
        if odds_to_chance(odds + middle).mean() < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _richness(pool: SampledPool, others: BoolArray, reached: FloatArray, queries: int) -> FloatArray:
    """The log odds with which documents of the other strata of each document's query reach the level, centred."""
    counts = np.bincount(pool.query[others], minlength=queries)
    relevant = np.bincount(pool.query[others], reached[others], queries)
    overall = (relevant.sum() + 0.5) / (counts.sum() + 1.0)
    share = (relevant + _HALF * overall) / (counts + _HALF)
    odds = np.log(share / (1.0 - share))[pool.query]
    return np.asarray(odds - odds.mean())


class _Redrawn:
    """Samples that are drawn anew from pools whose grades are made up where nobody gave them."""

    def __init__(self, hits: Hits, rng: np.random.Generator) -> None:
        assert hits.facets is not None
        self.hits, self.rng, self.pool = hits, rng, SampledPool(hits)
        levels = np.unique(self.pool.grade[self.pool.grade > 0])
        if len(levels) > LEVELS:
            levels = levels[np.linspace(0, len(levels) - 1, LEVELS).astype(int)]
        waiting = np.unique(self.pool.stratum[~self.pool.is_drawn]).tolist() if len(levels) else []
        self.models = {stratum: StratumModel(self.pool, stratum, levels, rng) for stratum in waiting}

    def errors(self, measures: Sequence[Measure], dialect: Dialect, queries: IndexArray, used: BoolArray) -> FloatArray:
        """Return how far the means over the queries are from what they estimate (samples × measures).

        `used` (queries × measures) says which queries count in which mean.
        """
        spoken = dialect.topped(self.hits.highest)
        kernels = [spoken.read(measure) for measure in measures]
        rules = [dialect.speak(measure).settle for measure in measures]
        drawn, true = np.full((2, SAMPLES, len(queries), len(measures)), np.nan)
        for place, query in enumerate(queries.tolist()):
            for values, (strata, best) in zip((true, drawn), self._draw(query), strict=True):
                for column, (kernel, rule) in enumerate(zip(kernels, rules, strict=True)):
                    assert isinstance(kernel, FromStrata)
                    raw = np.broadcast_to(kernel.infer(strata), SAMPLES)
                    values[:, place, column] = rule(raw, best, self.hits.retrieved[query])
        drawn, true = np.where(used, drawn, np.nan), np.where(used, true, np.nan)
        return np.asarray(np.nanmean(drawn, axis=1) - np.nanmean(true, axis=1))

    def _draw(self, query: int) -> Iterator[tuple[Strata, FloatArray]]:
        """Yield the strata of a query with everything judged, and with new samples; and the best grade of each."""
        hits, pool = self.hits, self.pool
        assert hits.facets is not None
        assert hits.place is not None
        rows, mine = np.flatnonzero(pool.query == query), np.flatnonzero(hits.query == query)
        grades, kept = self._fill_grades(rows, query), self._draw_documents(rows)
        where = np.searchsorted(rows, hits.place[mine])
        member = pool.column[rows, np.newaxis] == np.arange(hits.facets.grades.shape[1])
        for drawn in (grades, np.where(kept, grades, UNJUDGED)):
            by_stratum = np.where(member, drawn[..., np.newaxis], np.nan)
            strata = Strata(
                ranks=np.asarray(hits.rank[mine], dtype=np.float64),
                hits=by_stratum[:, where],
                pool=by_stratum,
                chance=hits.facets.weights[query],
            )
            yield strata, drawn.max(axis=1, initial=UNJUDGED)

    def _fill_grades(self, rows: IndexArray, query: int) -> FloatArray:
        """Return the documents' grades, made up where they were not drawn (samples × documents)."""
        grades = np.repeat(self.pool.grade[np.newaxis, rows], SAMPLES, axis=0)
        for stratum, model in self.models.items():
            blank = np.flatnonzero((self.pool.stratum[rows] == stratum) & ~self.pool.is_drawn[rows])
            if len(blank):
                grades[:, blank] = model.grades(rows[blank], query, self.rng)
        return grades

    def _draw_documents(self, rows: IndexArray) -> BoolArray:
        """Return which documents are drawn anew: of each stratum as many as before (samples × documents)."""
        strata, drawn = self.pool.stratum[rows], self.pool.is_drawn[rows]
        kept = np.ones((SAMPLES, len(rows)), dtype=bool)
        for stratum in np.unique(strata[~drawn]).tolist():
            inside = np.flatnonzero(strata == stratum)
            order = np.argsort(self.rng.random((SAMPLES, len(inside))), axis=1)
            chosen = np.zeros(order.shape, dtype=bool)
            np.put_along_axis(chosen, order[:, : int(drawn[inside].sum())], True, axis=1)
            kept[:, inside] = chosen
        return kept


PRIOR = 9.0
"""The prior variance of a coefficient: three units of log odds."""

SPREADS = (0.05, 9.0)
"""Between these lies the variance of the effects."""

ROUNDS, STEPS, LEAP, CLOSE = 8, 25, 4.0, 1e-6
"""Rounds of expectation and maximisation, steps of Newton in each, how far a step may go, and when they end."""


@entity
class QueryEffects:
    """The fitted log odds: `coefficients` of the columns, an effect for each query, and how far they are known.

    `fixed` (columns × columns) is the precision of the coefficients once the effects are averaged over; `shared`
    (columns × queries) and `own` (queries) are what the effects' precision has in common with theirs, and their own.
    """

    coefficients: FloatArray
    effects: FloatArray
    fixed: FloatArray
    shared: FloatArray
    own: FloatArray

    @classmethod
    def fit(cls, columns: FloatArray, is_relevant: FloatArray, query: IndexArray, queries: int) -> QueryEffects:
        """Return the fit to documents (rows), each of which is relevant or not and belongs to one of the queries.

        The first column is 1 throughout.
        """
        variance, fit = 1.0, cls._start(columns, is_relevant, queries)
        for _ in range(ROUNDS):
            fit = fit._improve(columns, is_relevant, query, variance)
            each = 1.0 / fit.own + np.einsum("jq,jk,kq->q", fit._slope, np.linalg.inv(fit.fixed), fit._slope)
            variance = float(np.clip((fit.effects**2 + each).mean(), *SPREADS))
        return fit._improve(columns, is_relevant, query, variance)

    def draw(self, rng: np.random.Generator, count: int) -> tuple[FloatArray, FloatArray]:
        """Return coefficients (count × columns) and effects (count × queries) that the sample allows."""
        root = np.linalg.cholesky(np.linalg.inv(self.fixed))
        moved = rng.standard_normal((count, len(self.coefficients))) @ root.T
        own = rng.standard_normal((count, len(self.effects))) / np.sqrt(self.own)
        return self.coefficients + moved, self.effects + own - moved @ self._slope

    @property
    def _slope(self) -> FloatArray:
        return self.shared / self.own

    @classmethod
    def _start(cls, columns: FloatArray, is_relevant: FloatArray, queries: int) -> QueryEffects:
        width, share = columns.shape[1], (is_relevant.sum() + 0.5) / (len(is_relevant) + 1.0)
        coefficients = np.zeros(width)
        coefficients[0] = np.log(share / (1.0 - share))
        shared = np.zeros((width, queries))
        return cls(
            coefficients=coefficients, effects=shared[0], fixed=np.eye(width), shared=shared, own=np.ones(queries)
        )

    def _improve(
        self, columns: FloatArray, is_relevant: FloatArray, query: IndexArray, variance: float
    ) -> QueryEffects:
        """Return the maximum for that variance of the effects, by Newton's method from here."""
        now, queries = self, len(self.effects)
        for _ in range(STEPS):
            chance = odds_to_chance(columns @ now.coefficients + now.effects[query])
            weight, miss = chance * (1.0 - chance) + 1e-9, is_relevant - chance
            own = np.asarray(np.bincount(query, weight, queries) + 1.0 / variance, dtype=np.float64)
            shared = np.array([np.bincount(query, weight * column, queries) for column in columns.T])
            fixed = (columns.T * weight) @ columns + np.eye(len(shared)) / PRIOR - (shared / own) @ shared.T
            pull = np.bincount(query, miss, queries) - now.effects / variance
            push = columns.T @ miss - now.coefficients / PRIOR
            step = np.linalg.solve(fixed, push - (shared / own) @ pull)
            other = (pull - step @ shared) / own
            far = max(float(np.abs(step).max()), float(np.abs(other).max()))
            share = min(1.0, LEAP / max(far, 1e-12))
            now = QueryEffects(
                coefficients=now.coefficients + share * step,
                effects=now.effects + share * other,
                fixed=fixed,
                shared=shared,
                own=own,
            )
            if far < CLOSE:
                break
        return now


def odds_to_chance(log_odds: FloatArray) -> FloatArray:
    """Return the chance that has these log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0))))
