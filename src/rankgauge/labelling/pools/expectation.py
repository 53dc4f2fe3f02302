"""The expected value of a run of which not everything is judged, and how far such expectations have been off.

What is expected is the value that a run would have, had it contributed: its unjudged documents down to the pool's depth
were judged, and those further down count as not relevant, as they do for all other runs. Teams that contributed are
left out one by one. Each of their runs is then foretold by a model of all other teams, and compared with the truth.

An interval is as many standard deviations of the model wide as hold the worst run of 95 % of the teams (conformal
prediction; a team counts once, since its runs are alike), so that it takes 19 teams at least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.labelling.board import BoardTarget
from rankgauge.labelling.pools.contributions import Contributions
from rankgauge.labelling.pools.unjudged_model import UnjudgedHits, UnjudgedModel
from rankgauge.labelling.pools.values import RunValues, subset
from rankgauge.numeric import FloatArray, IndexArray

LEVEL = 0.95
FEWEST_TEAMS = 19
"""With fewer teams no number of them is 95 % of one more."""

FEWEST_FITTED = 5
"""The teams from which on a model is fitted: with fewer, it would be a model of one or two of them."""

FEWEST = 20
"""The relevant documents among those that one team alone contributed, from which on a model is fitted."""

Progress = Callable[[int, int, str], None]


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
    relevant: int

    @cached_property
    def off(self) -> FloatArray:
        """How far each row is off, in standard deviations of the model."""
        gap, spread = np.abs(self.truth - self.expected), self.deviation
        return np.divide(gap, spread, out=np.where(gap > 1e-12, np.inf, 0.0), where=spread > 0)

    def helps(self, at: int) -> bool:
        """Whether the model foretells runs better by the measure than counting unjudged documents as not relevant."""
        if self.model is None:
            return False
        off, plain = (float(np.square(found[at] - self.truth[at]).mean()) for found in (self.expected, self.plain))
        return off <= plain

    @property
    def unhelpful(self) -> list[str]:
        """The measures by which a model does harm."""
        return [name for at, name in enumerate(self.measures) if self.model is not None and not self.helps(at)]

    def factor(self, at: int, *, without: int | None = None) -> float:
        """How many standard deviations an interval takes; NaN if there are too few teams, not counting one."""
        teams = [team for team in np.unique(self.team).tolist() if team != without]
        if len(teams) < FEWEST_TEAMS:
            return np.nan
        worst = np.sort([self.off[at, self.team == team].max() for team in teams])
        return float(worst[int(np.ceil(LEVEL * (len(teams) + 1))) - 1])

    def coverage(self, at: int) -> float:
        """The share of the rows that an interval from the other teams holds; NaN if there are too few teams."""
        factors = np.array([self.factor(at, without=team) for team in self.team.tolist()])
        return np.nan if np.isnan(factors).any() else float((self.off[at] <= factors).mean())


def expectations(
    made: Contributions, grades: FloatArray, targets: Sequence[BoardTarget], *, progress: Progress
) -> Expectations:
    """What the runs of every team that contributed would be expected to be worth, had it not."""
    valued = RunValues(pool=made.pool, targets=tuple(targets), queries=len(made.pool.queries))
    known = valued.reached(grades)
    hits = _own_hits(made, known)
    labels = known[hits.document]
    runs = np.flatnonzero(made.contributed)
    found = np.zeros((4, len(targets), len(runs)))
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
            found[:, :, place] = scored(valued, int(runs[place]), truth, less, hits.document[rows], chances)
    return Expectations(
        measures=tuple(target.name for target in targets),
        run=runs,
        team=made.team[runs],
        truth=found[0],
        plain=found[1],
        expected=found[2],
        deviation=found[3],
        model=fitted,
        documents=len(np.unique(hits.document)),
        relevant=int((known[np.unique(hits.document), 0] > 0).sum()),
    )


def _own_hits(made: Contributions, known: FloatArray) -> UnjudgedHits:
    """The hits of runs that contributed, down to the pool's depth, on documents that only their team brought in."""
    pool, owner = made.pool, made.by_team[made.pool.document]
    own = made.contributed[pool.run] & (owner == made.team[pool.run]) & (pool.rank <= made.depth)
    relevant = np.where(owner == made.team[pool.run], np.nan, known[pool.document, 0])
    relevant[~made.judged[pool.document]] = np.nan
    return UnjudgedHits.of(pool, own, known=relevant, holders=other_holders(made))


def other_holders(made: Contributions) -> FloatArray:
    """For each hit how many runs of other teams retrieve its document."""
    pool, teams = made.pool, len(made.teams)
    every = np.bincount(pool.document, minlength=len(pool.documents))
    pair = pool.document * teams + made.team[pool.run]
    same = np.bincount(pair, minlength=len(pool.documents) * teams)
    return np.asarray(every[pool.document] - same[pair], dtype=np.float64)


def scored(
    valued: RunValues, run: int, known: FloatArray, less: FloatArray, open_: IndexArray, chances: FloatArray | None
) -> FloatArray:
    """A run's truth, its value without the open documents, its expected value, and that one's deviation (4 ×
    measures)."""
    counts = (known.max(axis=1) > 0) | (
        less.max(axis=1) > 0
    )  # documents that are worth nothing, now or perhaps, change no value
    counts[open_] = True
    only = np.arange(len(valued.pool.runs)) == run
    one = replace(valued, pool=subset(valued.pool, runs=only, documents=counts))
    known, less, open_ = known[counts], less[counts], (np.cumsum(counts) - 1)[open_]
    found = np.full((4, len(valued.targets)), np.nan)
    found[0], found[1] = one.means(known)[:, 0], one.means(less)[:, 0]
    if chances is not None:
        guess = less.copy()
        guess[open_] = chances
        found[2] = one.means(guess)[:, 0]
        found[3] = [deviation(one, at, guess, open_) for at in range(len(valued.targets))]
    return found


def deviation(one: RunValues, at: int, guess: FloatArray, open_: IndexArray) -> float:
    """The standard deviation of a run's mean if each open document reaches its thresholds by its chance alone.

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
