"""Expectations: what runs that did not contribute would be worth, by how it was for those that did.

What is expected is the value that a run would have, had it contributed: its unjudged documents down to the pool's depth
were judged, and those further down count as not relevant, as they do for all other runs. Teams that contributed are
left out one by one. Each of their runs is then foretold by a model of all other teams, and compared with the truth.

An interval is as many standard deviations of the model wide as hold the worst run of 95 % of the teams (conformal
prediction; a team counts once, since its runs are alike), so that it takes 19 teams at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.board import BoardPool, BoardTarget
from rankgauge.labelling.board.bounds import OpenList, bounds, is_bounded
from rankgauge.labelling.pools.contributions import Contributions, RunValues, subset
from rankgauge.labelling.simulations.jobs import Progress
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

RIDGE = 1.0
"""What keeps coefficients from running away; the intercept is free."""

DRAWN = 5.0
"""For how many documents of the query the share of the whole run counts."""

ROUNDS = 25


@dataclass(frozen=True, kw_only=True, eq=False)
class UnjudgedHits:
    """Hits without a grade, or as if without one: the run, the document, and what tells whether it is relevant."""

    run: IndexArray
    document: IndexArray
    features: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, hits: BoolArray, *, known: FloatArray, holders: FloatArray) -> UnjudgedHits:
        """The hits of a mask; `known` (hits) is 1 or 0 for those whose document is relevant or not, NaN where a grade
        is not known, and `holders` (hits) is how many runs of other teams retrieve the document."""
        share = _shares(pool, known)[pool.run, pool.query[pool.document]]
        columns = (np.ones(len(pool.rank)), np.log(pool.rank), np.log1p(holders), np.log(share / (1.0 - share)))
        return cls(run=pool.run[hits], document=pool.document[hits], features=np.column_stack(columns)[hits])


def _shares(pool: BoardPool, known: FloatArray) -> FloatArray:
    """The share of relevant ones among the judged documents of each list (runs × queries), drawn towards the run's."""
    judged, lists = ~np.isnan(known), pool.lengths.size
    relevant = np.bincount(pool.cell[judged], known[judged], minlength=lists).reshape(pool.lengths.shape)
    counts = np.bincount(pool.cell[judged], minlength=lists).reshape(pool.lengths.shape)
    whole = (relevant.sum(axis=1, keepdims=True) + 0.5) / (counts.sum(axis=1, keepdims=True) + 1.0)
    return np.asarray((relevant + DRAWN * whole) / (counts + DRAWN))


@dataclass(frozen=True, kw_only=True, eq=False)
class UnjudgedModel:
    """The coefficients for each threshold of the scale (thresholds × features)."""

    coefficients: FloatArray

    @classmethod
    def fit(cls, features: FloatArray, reached: FloatArray) -> UnjudgedModel:
        """Return the model of hits whose grades are known after all (hits × thresholds)."""
        return cls(coefficients=np.array([_logistic(features, column) for column in reached.T]))

    def chances(self, features: FloatArray) -> FloatArray:
        """The chance that each hit reaches each threshold (hits × thresholds); a higher one is never more likely."""
        chance = 1.0 / (1.0 + np.exp(-(features @ self.coefficients.T)))
        return np.asarray(np.minimum.accumulate(chance, axis=1))


def _logistic(features: FloatArray, labels: FloatArray) -> FloatArray:
    """Return the coefficients of a logistic regression with a ridge, by Newton's method."""
    ridge = np.diag([1e-6, *[RIDGE] * (features.shape[1] - 1)])
    weights = np.zeros(features.shape[1])
    weights[0] = np.log((labels.sum() + 0.5) / (len(labels) - labels.sum() + 0.5))
    for _ in range(ROUNDS):
        chance = 1.0 / (1.0 + np.exp(-(features @ weights)))
        slope = features.T @ (labels - chance) - ridge @ weights
        step = np.linalg.solve(features.T * (chance * (1.0 - chance)) @ features + ridge, slope)
        weights = weights + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-8:
            break
    return weights


LEVEL = 0.95
FEWEST_TEAMS = 19
"""With fewer teams no number of them is 95 % of one more."""

FEWEST_FITTED = 5
"""The teams from which on a model is fitted: with fewer, it would be a model of one or two of them."""

FEWEST = 20
"""The relevant documents among those that one team alone contributed, from which on a model is fitted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Expectations:
    """Runs of teams that were left out, one row each: the truth, what is had without a model, and with it.

    All are measures × rows; `team` (rows) is each run's. `model` is that of all teams, None if too little is known.
    """

    measures: tuple[str, ...]
    run: IndexArray
    team: IndexArray
    truth: FloatArray
    plain: FloatArray
    expected: FloatArray
    deviation: FloatArray
    model: UnjudgedModel | None
    documents: int
    """How many documents the model was fitted to."""

    @cached_property
    def off(self) -> FloatArray:
        """How far each row is off, in standard deviations of the model."""
        gap, spread = np.abs(self.truth - self.expected), self.deviation
        return np.divide(gap, spread, out=np.where(gap > 1e-12, np.inf, 0.0), where=spread > 0)

    def helps(self, at: int) -> bool:
        """Whether the model foretells runs better by the measure than counting unjudged documents as not relevant."""
        if self.model is None:
            return False
        off, plain = (float(np.square(guess[at] - self.truth[at]).mean()) for guess in (self.expected, self.plain))
        return off <= plain

    @property
    def unhelpful(self) -> list[str]:
        """The measures by which a model does harm."""
        return [name for at, name in enumerate(self.measures) if self.model is not None and not self.helps(at)]

    def factor(self, at: int, *, without: int | None = None) -> float:
        """Return how many standard deviations an interval takes; NaN if there are too few teams, not counting one."""
        teams = [team for team in np.unique(self.team).tolist() if team != without]
        if len(teams) < FEWEST_TEAMS:
            return np.nan
        worst = np.sort([self.off[at, self.team == team].max() for team in teams])
        return float(worst[int(np.ceil(LEVEL * (len(teams) + 1))) - 1])

    def coverage(self, at: int) -> float:
        """Return the share of the rows that an interval from the other teams holds; NaN if there are too few teams."""
        factors = np.array([self.factor(at, without=team) for team in self.team.tolist()])
        return np.nan if np.isnan(factors).any() else float((self.off[at] <= factors).mean())


def expectations(
    made: Contributions, grades: FloatArray, targets: Sequence[BoardTarget], *, progress: Progress
) -> Expectations:
    """Return what the runs of every team that contributed would be expected to be worth, had it not."""
    valued = RunValues(pool=made.pool, targets=tuple(targets), queries=len(made.pool.queries))
    known = valued.reach_levels(grades)
    hits = _own_hits(made, known)
    labels = known[hits.document]
    runs = np.flatnonzero(made.contributed)
    expected = np.zeros((4, len(targets), len(runs)))
    enough = labels[:, 0].sum() >= FEWEST and len(np.unique(made.team[runs])) >= FEWEST_FITTED
    fitted = UnjudgedModel.fit(hits.features, labels) if enough else None
    for team in np.unique(made.team[runs]).tolist():
        progress(int(np.searchsorted(runs, runs[made.team[runs] == team][0])), len(runs), f"without {made.teams[team]}")
        mine = made.team[hits.run] == team
        model = UnjudgedModel.fit(hits.features[~mine], labels[~mine]) if enough else None
        less = np.where((made.by_team == team)[:, np.newaxis], 0.0, known)
        for place in np.flatnonzero(made.team[runs] == team).tolist():
            rows = hits.run == runs[place]
            chances = None if model is None else model.chances(hits.features[rows])
            truth = less.copy()
            truth[hits.document[rows]] = labels[rows]
            expected[:, :, place] = score_run(valued, int(runs[place]), truth, less, hits.document[rows], chances)
    return Expectations(
        measures=tuple(target.name for target in targets),
        run=runs,
        team=made.team[runs],
        truth=expected[0],
        plain=expected[1],
        expected=expected[2],
        deviation=expected[3],
        model=fitted,
        documents=len(np.unique(hits.document)),
    )


def _own_hits(made: Contributions, known: FloatArray) -> UnjudgedHits:
    """The hits of runs that contributed, down to the pool's depth, on documents that only their team brought in."""
    pool, owner = made.pool, made.by_team[made.pool.document]
    own = made.contributed[pool.run] & (owner == made.team[pool.run]) & (pool.rank <= made.depth)
    relevant = np.where(owner == made.team[pool.run], np.nan, known[pool.document, 0])
    relevant[~made.judged[pool.document]] = np.nan
    return UnjudgedHits.of(pool, own, known=relevant, holders=other_holders(made))


def other_holders(made: Contributions) -> FloatArray:
    """Return for each hit how many runs of other teams retrieve its document."""
    pool, teams = made.pool, len(made.teams)
    every = np.bincount(pool.document, minlength=len(pool.documents))
    pair = pool.document * teams + made.team[pool.run]
    same = np.bincount(pair, minlength=len(pool.documents) * teams)
    return np.asarray(every[pool.document] - same[pair], dtype=np.float64)


def score_run(
    valued: RunValues, run: int, known: FloatArray, less: FloatArray, open_: IndexArray, chances: FloatArray | None
) -> FloatArray:
    """Return a run's truth, its value without the open documents, its expected value, and that one's deviation (4 ×
    measures)."""
    counts = (known.max(axis=1) > 0) | (less.max(axis=1) > 0)
    counts[open_] = True  # documents that are worth nothing, now or perhaps, change no value
    only = np.arange(len(valued.pool.runs)) == run
    one = replace(valued, pool=subset(valued.pool, runs=only, documents=counts))
    known, less, open_ = known[counts], less[counts], (np.cumsum(counts) - 1)[open_]
    scores = np.full((4, len(valued.targets)), np.nan)
    scores[0], scores[1] = one.means(known)[:, 0], one.means(less)[:, 0]
    if chances is not None:
        guess = less.copy()
        guess[open_] = chances
        scores[2] = one.means(guess)[:, 0]
        scores[3] = [deviation(one, at, guess, open_) for at in range(len(valued.targets))]
    return scores


def deviation(one: RunValues, at: int, guess: FloatArray, open_: IndexArray) -> float:
    """Return the standard deviation of a run's mean if each open document reaches its thresholds by its chance alone.

    To the first order: a document's grade moves the numerator by its slope, and the divisor by that of the ideal.
    """
    target, lists, pool = one.targets[at], one.lists[at], one.pool
    worth = guess @ target.steps
    hit = np.zeros(len(guess))
    hit[lists.document] = lists.slopes(worth)
    counts = np.add.reduceat(guess, pool.starts, axis=0)
    variance = np.zeros(len(open_))
    divisor, level = np.ones(len(pool.queries)), np.zeros(len(pool.queries))
    if target.ideal is not None:
        divisor = np.maximum(target.ideal.at(counts), target.ideal.least)
        level = lists.values(worth)[0] / divisor
    query, shift = pool.query[open_], np.zeros(len(open_))
    for t, step in enumerate(target.steps):
        if target.ideal is not None:
            more = counts.copy()
            more[:, t] += 1.0
            shift = (level * (target.ideal.at(more) - target.ideal.at(counts)))[query]
        chance = guess[open_, t]
        variance += chance * (1.0 - chance) * ((step * hit[open_] - shift) / divisor[query]) ** 2
    return float(np.sqrt(variance.sum()) / one.queries)


@dataclass(frozen=True, kw_only=True, eq=False)
class NewRuns:
    """Runs among those of a pool that had no part in it (`new`), and the grades of its documents, NaN for none."""

    valued: RunValues
    bounded: RunValues
    """The values on the whole scale: unjudged documents may have grades that no judged one has."""
    grades: FloatArray
    new: BoolArray
    depth: int
    """To which depth runs were pooled."""
    expectations: Expectations

    def frame(self) -> pl.DataFrame:
        """Return a row for each new run and measure.

        `unjudged` is the share of the weight of its ranks without a grade, `value` that with these as not relevant,
        `worst` and `best` its bounds whatever their grades; `expected` is its value had it contributed, by the model,
        `low` and `high` an interval of that where there is one. What is not known is NaN.
        """
        return self._frame

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame([row for run in np.flatnonzero(self.new).tolist() for row in self._rows(run)])

    @property
    def unbounded(self) -> list[str]:
        """The measures whose bounds cannot be found."""
        return [target.name for target in self.valued.targets if not is_bounded(target)]

    @property
    def reason(self) -> str | None:
        """Why there is no interval, if there is none."""
        if self.expectations.model is None:
            return (
                f"a model of unjudged documents takes {FEWEST_FITTED} teams that contributed (a run without a team is "
                f"one), and {FEWEST} relevant documents that only one of them did"
            )
        teams = len(np.unique(self.expectations.team))
        if teams < FEWEST_TEAMS:
            return f"an interval takes {FEWEST_TEAMS} teams that contributed, and there are {teams}"
        return None

    def _rows(self, run: int) -> Iterator[dict[str, Any]]:
        pool, known = self.valued.pool, self.valued.reach_levels(self.grades)
        mine = pool.run == run
        open_ = mine & np.isnan(self.grades[pool.document])
        pooled = open_ & (pool.rank <= self.depth)
        plain, _, expected, spread = score_run(
            self.valued, run, known, known, pool.document[pooled], self._chances(pooled)
        )
        lists = list(self._lists(mine, self.bounded.reach_levels(self.grades)))
        for at, target in enumerate(self.valued.targets):
            if not self.expectations.helps(at):
                expected[at] = spread[at] = np.nan
            ends = np.array([bounds(self.bounded.targets[at], one) for one in lists]).sum(axis=0) / self.valued.queries
            half = self.expectations.factor(at) * spread[at]
            weights = target.weights
            whole = np.append(0.0, np.cumsum(weights))[pool.lengths[run]].sum()
            yield {
                "run": pool.runs[run],
                "measure": target.name,
                "unjudged": float(weights[pool.rank[open_] - 1].sum() / whole) if whole else np.nan,
                "value": plain[at],
                "worst": ends[0],
                "best": ends[1],
                "expected": expected[at],
                "low": np.fmax(expected[at] - half, ends[0]) if half == half else np.nan,
                "high": np.fmin(expected[at] + half, ends[1]) if half == half else np.nan,
            }

    def _chances(self, open_: BoolArray) -> FloatArray | None:
        """Return the chances of a run's open documents to reach each threshold, by the model."""
        pool, model = self.valued.pool, self.expectations.model
        if model is None:
            return None
        old = ~self.new[pool.run]
        holders = np.bincount(pool.document[old], minlength=len(pool.documents)).astype(np.float64)
        graded = ~np.isnan(self.grades[pool.document])
        relevant = np.where(graded, self.valued.reach_levels(self.grades)[pool.document, 0], np.nan)
        hits = UnjudgedHits.of(pool, open_, known=relevant, holders=holders[pool.document])
        return model.chances(hits.features)

    def _lists(self, mine: BoolArray, known: FloatArray) -> Iterator[OpenList]:
        """Yield the list of each query, with and without grades."""
        pool = self.valued.pool
        documents, ranks = pool.document[mine], pool.rank[mine]
        counts = np.add.reduceat(known, pool.starts, axis=0)
        edges: IndexArray = np.searchsorted(pool.query[documents], np.arange(len(pool.queries) + 1))
        for query, (start, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            here, at = documents[start:end], ranks[start:end]
            judged = ~np.isnan(self.grades[here])
            yield OpenList(ranks=at[judged], reached=known[here[judged]], unjudged=at[~judged], counts=counts[query])
