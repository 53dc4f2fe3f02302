"""The posterior of a pool's grades: what few labels say of every document, and so of every run by any measure.

Every draw grades the whole pool, and the measure, its ideal included, is computed on each draw. The spread of the draws
is the interval. The same draws serve all measures, all differences and all ranks. A model is surer than it may be, so
intervals are wider than the draws by a factor that was chosen on TREC DL19 and then tried on TREC DL21 and TREC-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.labelling.board.covariance import Covariance, RunEstimate
from rankgauge.labelling.board.design import Goal, GoalKind
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget, check_distinct, check_scale, scale_for
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.posterior.choice import BY_ORDER, LabelChoice, label_order
from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.labelling.posterior.sampler import CHAINS, GradeDraws, draw_grades
from rankgauge.measures import Measure
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import IdealPool, Unjudged
from rankgauge.ranking import RankedLists
from rankgauge.ranking.hits import apply_negative

WIDER, CHANCES = 1.25, 1.15
"""By how much intervals are wider than the draws, and by how much draws are widened where chances are counted."""

ROUNDING = 1e-9
"""Differences in a draw that are smaller are none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorEstimate(RunEstimate):
    """An estimate from drawn gradings.

    `drawn` (draws × runs) are the means over the queries in each draw, `by_query` (runs × queries) the means over the
    draws. `spread` (runs × runs) is the mean over the draws of the variance over the queries: of a run's values on the
    diagonal, of the differences of a pair elsewhere.
    """

    by_model: ClassVar[bool] = True

    drawn: FloatArray
    spread: FloatArray
    learnt: FloatArray = field(repr=False)
    """The spreads of queries' effects as labels show them (steps × effects)."""

    @classmethod
    def of(
        cls,
        target: BoardTarget,
        runs: tuple[str, ...],
        values: FloatArray,
        *,
        labels: int,
        seed: int,
        learnt: FloatArray,
    ) -> PosteriorEstimate:
        """Return the estimate from the values of the drawn gradings (draws × runs × queries)."""
        drawn = values.mean(axis=2)
        whole = np.atleast_2d(np.cov(drawn.T)) * WIDER**2
        return cls(
            target=target,
            runs=runs,
            labels=labels,
            drawn=drawn,
            by_query=values.mean(axis=0),
            spread=_query_spread(values),
            seed=seed,
            learnt=learnt,
            covariance=Covariance.without_luck(np.where(np.abs(whole) < ROUNDING**2, 0.0, whole)),
        )

    def half_widths(self, level: float = LEVEL) -> FloatArray:
        return self.covariance.half_widths(level)

    def gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Return half the width of the interval of each difference by itself (runs × runs)."""
        return half_width(self.covariance.pair_error, draws=len(self.drawn), freedom=np.inf, level=level)

    def lead_half_widths(self, run: int, level: float = LEVEL) -> FloatArray:
        return np.asarray(self.gap_half_widths(level)[run])

    def pair_half_widths(self, level: float = LEVEL) -> FloatArray:
        joint = self.covariance.joint_pair_half_widths(level, self._rng())
        return np.maximum(joint, self.gap_half_widths(level))

    def like_half_widths(self, level: float = LEVEL) -> FloatArray:
        return self._like(np.diag(self.covariance.matrix), np.diag(self.spread), level)

    def like_gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Return half the width for queries like these of the difference of each pair (runs × runs)."""
        apart = np.where(np.eye(len(self.runs), dtype=bool), 0.0, self.spread)
        return self._like(self.covariance.pair_error**2, apart, level)

    def like_pair_half_widths(self, level: float = LEVEL) -> FloatArray:
        # As much wider as those of all pairs at once are on these queries.
        own = np.maximum(self.gap_half_widths(level), ROUNDING)
        return self.like_gap_half_widths(level) * np.maximum(self.pair_half_widths(level) / own, 1.0)

    def best_chances(self) -> FloatArray:
        """Return the chance that each run is the best; draws are widened about their mean, runs that tie share it."""
        middle = self.drawn.mean(axis=0)
        wide = middle + (self.drawn - middle) * CHANCES
        best = np.take_along_axis(self.drawn, wide.argmax(axis=1)[:, np.newaxis], axis=1)
        tied = np.abs(self.drawn - best) < ROUNDING
        return np.asarray((tied / tied.sum(axis=1, keepdims=True)).mean(axis=0))

    def _like(self, variance: FloatArray, spread: FloatArray, level: float) -> FloatArray:
        queries = self.by_query.shape[1]
        error = np.sqrt(variance + spread / queries)
        return half_width(error, draws=queries, freedom=queries - 1, level=level)


def _query_spread(values: FloatArray) -> FloatArray:
    """The mean over the draws of the variance over the queries, of each run's values and each pair's differences."""
    draws, runs, queries = values.shape
    if queries < 2:
        return np.full((runs, runs), np.nan)
    off = values - values.mean(axis=2, keepdims=True)
    products = np.einsum("dsq,dtq->st", off, off) / (draws * (queries - 1))
    own: BoolArray = np.eye(runs, dtype=bool)
    each = np.diag(products)
    return np.asarray(np.where(own, products, np.maximum(np.add.outer(each, each) - 2 * products, 0.0)))


CELLS = 1 << 18
"""How many hits are scored at a time: what a core's own cache holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GradingScorer:
    """The lists of all runs as places among the documents: `hit` and `rank` (runs × queries × hits), `pooled`
    (queries × documents), padded with the place after the last document; `retrieved` (runs × queries)."""

    measure: Measure
    dialect: Dialect
    hit: IndexArray
    rank: FloatArray
    pooled: IndexArray
    retrieved: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, measure: Measure, dialect: Dialect) -> GradingScorer:
        """The lists of a pool as a dialect cuts and condenses them; the measure is one that the dialect has read."""
        kept = slice(None) if dialect.depth is None else pool.rank <= dialect.depth
        document, cell, lists = pool.document[kept], pool.cell[kept], (len(pool.runs), len(pool.queries))
        counts = np.bincount(cell, minlength=lists[0] * lists[1])
        place = np.arange(len(cell)) - (np.cumsum(counts) - counts)[cell]
        rank, retrieved = pool.rank[kept].astype(np.float64), pool.lengths.astype(np.float64)
        if dialect.depth is not None:
            retrieved = np.minimum(retrieved, dialect.depth)
        if dialect.unjudged is Unjudged.SKIP:
            rank, retrieved = place + 1.0, counts.reshape(lists).astype(np.float64)
        dialect.check_lists(pool.queries.to_list() * lists[0], retrieved.ravel(), retrieved.ravel() > 0)
        if measure.depth and dialect.choice("ideal", measure) is not IdealPool.RETRIEVED:
            seen = rank <= measure.depth
            document, cell, place, rank = document[seen], cell[seen], place[seen], rank[seen]
        shape = (lists[0] * lists[1], int(place.max(initial=0)) + 1)
        hit, ranks = np.full(shape, len(pool.documents)), np.full(shape, np.nan)
        hit[cell, place], ranks[cell, place] = document, rank
        pooled = np.full((len(pool.queries), int(pool.sizes.max())), len(pool.documents))
        pooled[pool.query, np.arange(len(pool.documents)) - pool.starts[pool.query]] = np.arange(len(pool.documents))
        return cls(
            measure=measure,
            dialect=dialect,
            hit=hit.reshape(*lists, -1),
            rank=ranks.reshape(*lists, -1),
            pooled=pooled,
            retrieved=retrieved,
        )

    def values(self, grades: FloatArray) -> FloatArray:
        """Return the value of each list under each grading (gradings × runs × queries); `grades` is gradings ×
        documents."""
        return values_by_measure([self], grades)[0]

    def score(self, known: FloatArray, pool: FloatArray) -> FloatArray:
        """Return the same for gradings with a column after the last document, for lists that end, and for the pools
        of their queries by falling grade (gradings × queries × documents)."""
        grades = known[:, self.hit]
        lists = self._lists(grades, np.broadcast_to(pool[:, np.newaxis], (*grades.shape[:-1], pool.shape[-1])))
        values = self.measure.estimate(lists)[0].reshape(grades.shape[:-1])
        settle = self.dialect.speak(self.measure).settle
        return settle(values, np.nan_to_num(pool[:, np.newaxis, :, 0], nan=-np.inf), self.retrieved)

    def _lists(self, grades: FloatArray, pool: FloatArray) -> RankedLists:
        """Lists one below the other, as every kernel takes them."""
        own = self.dialect.choice("ideal", self.measure) is IdealPool.RETRIEVED
        ideal = -np.sort(-grades, axis=-1) if own else pool
        return RankedLists(
            ranks=np.broadcast_to(self.rank, grades.shape).reshape(-1, grades.shape[-1]),
            grades=grades.reshape(-1, grades.shape[-1]),
            ideal=ideal.reshape(-1, ideal.shape[-1]),
            retrieved=np.broadcast_to(self.retrieved, grades.shape[:-1]).ravel(),
            single=self.dialect.single_arithmetic,
        )


def values_by_measure(scorers: Sequence[GradingScorer], grades: FloatArray) -> list[FloatArray]:
    """Return the values of gradings (gradings × documents) by each measure; all are of one pool and dialect."""
    first = scorers[0]
    scaled = first.dialect.rescaled(grades) if first.dialect.rescales else grades
    known = np.full((len(grades), grades.shape[1] + 1), np.nan)
    known[:, :-1] = apply_negative(scaled, first.dialect.negative)
    size = max(1, CELLS // max(first.pooled.size * len(first.hit), 1))
    blocks = [known[start : start + size] for start in range(0, len(known), size)]
    pools = [-np.sort(-block[:, first.pooled], axis=-1) for block in blocks]
    return [
        np.concatenate([scorer.score(block, pool) for block, pool in zip(blocks, pools, strict=True)])
        for scorer in scorers
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class GradePosterior:
    """A pool, a scale of grades, the measures that are estimated, and the model of the grades.

    posterior = GradePosterior.of(pool, ["nDCG@10"], grades=[0, 1, 2, 3])
    documents = posterior.order(seed=1)[:100]
    estimates = posterior.estimate(labels, seed=1)
    """

    pool: BoardPool
    grades: FloatArray
    targets: tuple[BoardTarget, ...]
    model: GradeModel = field(repr=False)
    scorers: tuple[GradingScorer, ...] = field(repr=False)

    @classmethod
    def of(cls, pool: BoardPool, measures: Sequence[Any], *, grades: Sequence[float], **dialect: Any) -> GradePosterior:
        """Return the posterior of a pool for measures of the registry, on an ascending scale of grades."""
        scale = scale_for("a posterior", grades, measures)
        targets = tuple(BoardTarget.for_any_measure(measure, pool, grades=scale, **dialect) for measure in measures)
        check_distinct(targets)
        check_scale(pool.known, scale)
        return cls(
            pool=pool,
            grades=scale,
            targets=targets,
            model=GradeModel.of(pool, scale),
            scorers=tuple(GradingScorer.of(pool, target.measure, target.dialect) for target in targets),
        )

    def order(self, seed: int) -> IndexArray:
        """The documents in an order in which each prefix is a sample: hand them out by it, whatever the budget."""
        return label_order(self.pool, seed)

    def draw(self, labels: FloatArray, *, seed: int, chains: int = CHAINS) -> GradeDraws:
        """Draw gradings of the whole pool that these labels (documents; NaN where there is none) leave possible."""
        known = self._add_earlier_labels(labels)
        return draw_grades(self.model, self.grades, known, np.random.default_rng(seed), chains=chains)

    def estimate(self, labels: FloatArray, *, seed: int, chains: int = CHAINS) -> tuple[PosteriorEstimate, ...]:
        """Return the estimates of each measure from these labels (documents; NaN where there is none) and earlier
        ones."""
        drawn = self.draw(labels, seed=seed, chains=chains)
        count = int(np.count_nonzero(~np.isnan(self._add_earlier_labels(labels))))
        return tuple(
            PosteriorEstimate.of(target, self.pool.runs, values, labels=count, seed=seed, learnt=drawn.spread)
            for target, values in zip(self.targets, values_by_measure(self.scorers, drawn.grades), strict=True)
        )

    def next(
        self,
        labels: FloatArray,
        count: int,
        *,
        seed: int,
        after: Sequence[PosteriorEstimate],
        goal: str | Goal = GoalKind.VALUES,
        pending: Sequence[int] = (),
        by_order: float = BY_ORDER,
    ) -> IndexArray:
        """The documents to judge next after these labels: the first ones of all by the order, later ones by what they
        tell of the goal, the share `by_order` of them by the order.

        `after` are the estimates from the labels so far, `pending` documents that were handed out and have no label
        yet. Measures that are no sums over documents are left to the order.
        """
        order, judged = self.order(seed), int(np.count_nonzero(~np.isnan(labels)))
        choice = self.choice(labels, after, Goal.parse(goal)) if judged >= self.first or not by_order else None
        if choice is None:
            out = np.isin(order, pending) | ~np.isnan(self._add_earlier_labels(labels)[order])
            return order[~out][:count]
        for place in pending:
            choice.take(int(place))
        rng = np.random.default_rng([seed, judged, len(pending)])
        return choice.choose(count, order, rng, by_order=by_order)

    def choice(self, labels: FloatArray, after: Sequence[PosteriorEstimate], goal: Goal) -> LabelChoice | None:
        """The choice of labels after these, by the estimates that follow from them or, if there are none, by what is
        expected; None if no measure is a sum over documents."""
        if not self.aimed:
            return None
        return LabelChoice.of(
            self.pool,
            self.model,
            [self.targets[n] for n in self.aimed],
            self._add_earlier_labels(labels),
            spread=after[0].learnt if after else self.model.query_spread,
            goal=goal,
            values=[after[n].values if after else None for n in self.aimed],
        )

    @property
    def aimed(self) -> tuple[int, ...]:
        """The places of the measures that labels can be chosen for: sums over documents."""
        return tuple(n for n, target in enumerate(self.targets) if target.shape is not Shape.OTHER)

    @property
    def first(self) -> int:
        """How many labels come by the order before any is chosen: one for each query, half as many for two runs."""
        return len(self.pool.queries) if len(self.pool.runs) > 2 else -(-len(self.pool.queries) // 2)

    def _add_earlier_labels(self, labels: FloatArray) -> FloatArray:
        """Return the labels with those from before; a grade below the scale is worth as little as its lowest."""
        known = np.where(np.isnan(labels), self.pool.known, labels)
        check_scale(known, self.grades)
        return np.asarray(np.maximum(known, self.grades[0]))
