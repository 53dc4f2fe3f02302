"""Estimates: the board of all runs from a sample of labels, with intervals where they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.board.beliefs import Beliefs, Effects, believe
from rankgauge.labelling.board.covariance import Covariance, RunEstimate
from rankgauge.labelling.board.design import Goal, GoalKind, Slopes, guessed_slopes, scores
from rankgauge.labelling.board.features import Columns, Features
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Readings, Stream
from rankgauge.labelling.board.target import BoardTarget, check_distinct, check_scale, mark_reached, scale_for
from rankgauge.labelling.board.values import SHALLOW_SIZE, value
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

FEWEST, FEWEST_DEEP = (0.01, 2), (0.05, 20)
"""The labels that an interval needs: a share of the pool, and a number per query; more for a share of all relevant
documents. With fewer it was not seen to cover, or is so wide that it says nothing."""


FEWEST_RUNS = 3
"""The runs from which on a measure that divides by nothing has an interval: with fewer, intervals missed too often, and
other methods serve them well."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardEstimate(RunEstimate):
    """An estimate from a board's stream; `slopes` say what a label moves."""

    slopes: Slopes = field(repr=False)

    def like_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        if self.reason:
            return None
        queries = self.by_query.shape[1]
        spread = self.by_query.var(axis=1, ddof=1) / queries
        # Values by query already vary by what labels show of sampling; only the rest is added.
        unseen = np.maximum(np.diag(self.covariance.matrix) - self.covariance.shown, 0.0)
        wide = half_width(np.sqrt(spread + unseen), draws=queries, freedom=queries - 1, level=level)
        return np.maximum(wide, self.covariance.half_widths(level))


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """A pool, the measures that are estimated on it, and all that does not depend on labels yet to come.

    `known` are the grades of documents that were judged before (NaN elsewhere). `shares` say for each measure how much
    each run counts for the goal.
    """

    pool: BoardPool
    targets: tuple[BoardTarget, ...]
    known: FloatArray
    goal: Goal
    shares: tuple[FloatArray, ...]
    features: Features = field(repr=False)
    lists: tuple[RunLists, ...] = field(repr=False)

    @classmethod
    def of(
        cls,
        pool: BoardPool,
        measures: Sequence[Any],
        *,
        grades: Sequence[float],
        known: FloatArray | None = None,
        columns: Columns | None = None,
        goal: str | Goal = GoalKind.RANK,
        **dialect: Any,
    ) -> Board:
        """Return the board of a pool for measures of the registry, on an ascending scale of grades.

        `goal` is what labels settle first: `values`, `rank`, `best`, `best 3`, `beats RUN`.
        """
        scale = scale_for("a board", grades, measures)
        targets = tuple(BoardTarget.of(measure, pool, grades=scale, **dialect) for measure in measures)
        check_distinct(targets)
        if known is not None:
            check_scale(known, scale)
        wanted = Goal.parse(goal)
        wanted.check(pool.runs)
        return cls(
            pool=pool,
            targets=targets,
            goal=wanted,
            shares=(wanted.shares(pool.runs),) * len(targets),
            known=np.full(len(pool.documents), np.nan) if known is None else known,
            features=Features.of(pool, len(scale) - 1, columns or pool.columns(scale)),
            lists=tuple(RunLists.of(pool, target) for target in targets),
        )

    @property
    def grades(self) -> FloatArray:
        """The scale of grades."""
        return self.targets[0].grades

    @cached_property
    def prior(self) -> Beliefs:
        """The beliefs before the stream: from the labels that were there."""
        labelled = np.flatnonzero(~np.isnan(self.known))
        if not len(labelled):
            return Beliefs.of(self.features, Effects.prior(self.features))
        return believe(self.features, labelled, mark_reached(self.known[labelled], self.grades))

    @cached_property
    def scores(self) -> FloatArray:
        """How much each document's label is worth to the goal, before the stream begins."""
        # What costs more is asked for less often: by the root of its cost, as in Neyman's allocation.
        return self.scores_at(self.guess, ~np.isnan(self.known), self.slopes) / np.sqrt(self.pool.costs)

    @cached_property
    def guess(self) -> FloatArray:
        """The best guess before the stream (documents × thresholds): the label where it is known, else the belief."""
        known, best = ~np.isnan(self.known), self.prior.chance.copy()
        best[known] = mark_reached(self.known[known], self.grades)
        return best

    @cached_property
    def slopes(self) -> tuple[Slopes, ...]:
        """What a label moves by each measure, before the stream begins."""
        return tuple(guessed_slopes(lists, self.guess) for lists in self.lists)

    def scores_at(self, best: FloatArray, known: BoolArray, slopes: Sequence[Slopes] = ()) -> FloatArray:
        """Return how much each label is worth at any best guess (documents × thresholds), the label where it is known
        and else the belief; with the slopes there, if somebody has them."""
        moves = slopes or [guessed_slopes(lists, best) for lists in self.lists]
        return scores(moves, self.shares, self.goal, best=best, known=known)

    def stream(self, seed: int) -> Stream:
        """Return the order in which documents are handed out."""
        return Stream.of(self.scores, seed=seed, known=~np.isnan(self.known))

    def refit(self, grades: FloatArray, after: Sequence[BoardEstimate] = (), *, looks: int = 1) -> Board:
        """Return the board for a new stage: what is labelled so far is known, and beliefs and scores start from it.

        Its estimates rest on the new stage's draws alone, so that whatever the earlier stages chose biases nothing.
        `after` are the estimates so far, of as many looks as are planned: runs that are out of the race for the goal
        get no more attention.
        """
        shares = tuple(estimate.race(looks=looks).race(self.goal) for estimate in after) or self.shares
        return replace(self, known=np.where(np.isnan(self.known), grades, self.known), shares=shares)

    def read(
        self,
        stream: Stream,
        sample: IndexArray,
        grades: FloatArray,
        *,
        budget: float,
        start: Readings | None = None,
    ) -> Readings:
        """Read what the grades of a sample at a budget say; `grades` (documents) may hold others, which do not count.

        A label outside the sample came by another way than the stream's chance, and would bias what is estimated.
        `start` are the readings some labels before, which save time.
        """
        # A label that was corrected counts as it is now, though the stream began with the one before.
        given = np.where(np.isnan(grades), self.known, grades)[sample]
        if lacking := int(np.count_nonzero(np.isnan(given))):
            raise InputError(f"{lacking} of the {len(sample)} documents of the sample have no grade yet")
        check_scale(given, self.grades)
        reached, chance = mark_reached(given, self.grades), stream.chances(budget)
        return Readings.learn(self.features, sample, reached, chance=chance, fold=stream.fold, start=start)

    def estimate(self, readings: Readings, *, seed: int = 0) -> tuple[BoardEstimate, ...]:
        """Return the estimates of all measures."""
        estimates = []
        for target, lists in zip(self.targets, self.lists, strict=True):
            whole = bool(readings.judged[target.needed_documents(self.pool)].all())
            told = readings.certain() if whole else readings
            values = value(lists, self.features, told)
            covariance = Covariance.of(values, told)
            made = BoardEstimate(
                target=target,
                runs=self.pool.runs,
                labels=len(readings.labelled),
                by_query=values.by_query,
                covariance=covariance,
                reason=None if whole else self._reason(target, readings, covariance),
                seed=seed,
                slopes=values.slopes,
            )
            estimates.append(made)
        return tuple(estimates)

    def _reason(self, target: BoardTarget, readings: Readings, covariance: Covariance) -> str | None:
        """Return why there is no interval yet, if there is none."""
        if len(self.pool.queries) < 2:
            return "not yet: an interval needs 2 queries or more"
        open_ = int(np.count_nonzero(np.isnan(self.known)))
        before, labels = len(self.known) - open_, len(readings.labelled)
        if len(self.pool.runs) < FEWEST_RUNS and target.ideal is None and labels < len(self.known):
            few = f"no interval of {target} for fewer than {FEWEST_RUNS} runs"
            return f"{few}: plan it by itself, with --method document"
        lacking = self.fewest(target) - labels
        # Labels from before say nothing of how draws vary: some must come from the stream itself.
        undrawn = self._fewest(FEWEST, open_) - (labels - before)
        more = max(lacking, undrawn)
        if more > 0:
            return f"not yet: {more:,} more labels before {target} has an interval"
        # Intervals that are as wide as all values that there may be rule out nothing.
        too_wide = float(covariance.half_widths(LEVEL).max()) >= target.widest
        return f"what labels say of {target} so far is too uncertain to be shown" if too_wide else None

    def fewest(self, target: BoardTarget) -> int:
        """Return the fewest labels, those from before included, with which a measure has an interval."""
        return self._fewest(FEWEST_DEEP if target.deep else FEWEST, len(self.known))

    def is_shallow(self, target: BoardTarget) -> bool:
        """Say whether the pool is too shallow to foretell what the ideal adds to an interval: a forecast is a bound."""
        return bool(self.pool.sizes.mean() < SHALLOW_SIZE) and target.ideal is not None and not target.deep

    def _fewest(self, rule: tuple[float, int], documents: int) -> int:
        """Return the fewest labels by a rule, of so many documents."""
        share, each = rule
        return min(documents, max(int(np.ceil(share * documents)), each * len(self.pool.queries)))
