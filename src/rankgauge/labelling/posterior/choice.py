"""Which documents are judged next: by a fixed order, and by what their labels would tell.

Every prefix of the fixed order is a sample, so that any number of labels that is fixed in advance will do, and no label
is needed to plan. Balance over the queries matters because each query has effects of its own.

The model conditions on labels, not on how their documents were chosen, so that labels may be chosen by earlier ones. To
be robust against what the model does not know, some of them come by the fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.design import Goal, GoalKind, guessed_slopes
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.posterior.model import TOP, GradeModel, StepBeliefs
from rankgauge.labelling.posterior.sampler import merged_levels
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

LEAST = 0.1
"""The least score of a document, as a share of the mean."""


def label_order(pool: BoardPool, seed: int) -> IndexArray:
    """Return the documents that were not judged before, in the order in which they are handed out.

    In each query documents follow one another with chances in proportion to their scores, where noise of Gumbel's kind
    on the logarithm does the drawing; then each round takes the next one of every query, the queries in random order.
    """
    rng = np.random.default_rng(seed)
    open_ = np.flatnonzero(np.isnan(pool.known))
    key = np.log(label_scores(pool)) + rng.gumbel(size=len(pool.documents))
    falling = open_[np.lexsort((-key[open_], pool.query[open_]))]
    sizes = np.bincount(pool.query[open_], minlength=len(pool.queries))
    turn = np.arange(len(falling)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(falling[np.lexsort((rng.random(len(falling)), turn))])


def label_scores(pool: BoardPool) -> FloatArray:
    """How much each document may move the runs' values or move them apart: √(mean ω² + var ω), with ω = 1 / log2(r + 1)
    among a run's first ten."""
    weight = np.zeros((len(pool.documents), len(pool.runs)))
    top = pool.rank <= TOP
    weight[pool.document[top], pool.run[top]] = 1.0 / np.log2(pool.rank[top] + 1.0)
    score = np.sqrt((weight**2).mean(axis=1) + weight.var(axis=1))
    return np.asarray(np.maximum(score, LEAST * score.mean()))


BY_ORDER = 0.15
"""The chance that the next label is that of the fixed order."""

OUT = 0.01
"""A run whose chance to overtake the leader is no larger is out of the race."""

RACE = 1.15
"""By how much differences may be farther from what is believed."""

LEAST_NOISE, LEAST_OWN = 0.1, 0.2
"""The least noise of a label behind its predictor's variance, and the least share of its variance that is its own."""


@dataclass(kw_only=True, eq=False)
class _Step:
    """One step during a batch; `reach` is the chance that a document comes to it, `worth` (values × documents) what
    passing it adds to each value, `pull` (values × documents) how values follow the predictor, `shared` (values ×
    documents) how they vary with it."""

    beliefs: StepBeliefs
    reach: FloatArray
    worth: FloatArray
    pull: FloatArray
    shared: FloatArray
    variance: FloatArray
    taken: FloatArray
    """What each label that is counted as given tells of every document (a room of rows × documents)."""
    count: int = 0

    @classmethod
    def of(cls, beliefs: StepBeliefs, reach: FloatArray, worth: FloatArray, open_: BoolArray) -> _Step:
        pull = np.where(open_, reach * worth * beliefs.slope, 0.0)
        shared, variance = beliefs.times(pull), beliefs.variance.copy()
        room = np.empty((8, len(variance)))
        return cls(beliefs=beliefs, reach=reach, worth=worth, pull=pull, shared=shared, variance=variance, taken=room)

    @property
    def doubt(self) -> FloatArray:
        return self.beliefs.chance * (1.0 - self.beliefs.chance)

    def covariance(self, open_: BoolArray) -> FloatArray:
        """Return how values vary together through this step (values × values)."""
        own = np.maximum(self.doubt - self.beliefs.slope**2 * self.variance, LEAST_OWN * self.doubt)
        return np.asarray(
            self.pull @ self.shared.T + (self.worth * np.where(open_, self.reach * own, 0.0)) @ self.worth.T
        )

    def gain(self, goals: FloatArray) -> FloatArray:
        """Return by how much each document's label is expected to lower the variance of the goals together."""
        others = self.beliefs.slope * (self.shared - self.pull * self.variance)
        told = goals @ (others + self.worth * self.doubt)
        return np.asarray(self.reach * (told**2).sum(axis=0) / self.doubt)

    def take(self, place: int) -> None:
        """Count a label as given: what it will say is not known, but how much it leaves open is."""
        before = self.taken[: self.count]
        column = self.beliefs.row(place) - before[:, place] @ before
        chance, slope = self.beliefs.chance[place], self.beliefs.slope[place]
        noise = max(chance * (1.0 - chance) / slope**2 - self.variance[place], LEAST_NOISE) / self.reach[place]
        whole = self.variance[place] + noise
        self.shared -= np.outer(self.pull @ column, column) / whole
        self.shared -= np.outer(self.pull[:, place], column * (1.0 - column[place] / whole))
        self.variance = np.maximum(self.variance - column**2 / whole, 1e-12)
        self.pull[:, place] = 0.0
        if self.count == len(self.taken):
            self.taken = np.concatenate([self.taken, np.empty_like(self.taken)])
        self.taken[self.count] = column / np.sqrt(whole)
        self.count += 1


@dataclass(kw_only=True, eq=False)
class LabelChoice:
    """A choice under way: the steps of the model, the goals (goals × values), and the documents that are open."""

    steps: list[_Step]
    goals: FloatArray
    open_: BoolArray
    runs: int

    @classmethod
    def of(
        cls,
        pool: BoardPool,
        model: GradeModel,
        targets: Sequence[BoardTarget],
        labels: FloatArray,
        *,
        spread: FloatArray,
        goal: Goal,
        values: Sequence[FloatArray | None],
    ) -> LabelChoice:
        """The choice after these labels. `spread` (steps × effects) and `values`, those of the runs by each target, are
        what the draws say."""
        believed = _beliefs(model, targets[0].grades, labels, spread)
        open_ = np.isnan(labels)
        chances = np.array([one.chance for one in believed])
        reach = np.cumprod(np.vstack([np.ones(len(labels)), chances]), axis=0)
        moves = np.concatenate([_moves(pool, target, labels, reach) for target in targets], axis=1)
        steps, worth = list[_Step](), np.zeros_like(moves[0])
        for step in reversed(range(model.steps)):
            worth = moves[step] + (0.0 if step + 1 == model.steps else chances[step + 1]) * worth
            steps.insert(0, _Step.of(believed[step], reach[step], worth, open_))
        whole = np.sum([step.covariance(open_) for step in steps], axis=0)
        return cls(steps=steps, goals=_goals(goal, pool.runs, whole, values), open_=open_, runs=len(pool.runs))

    def errors(self) -> tuple[FloatArray, ...]:
        """Return the variances of the runs' values, for each target, with what is chosen as if it were judged."""
        return tuple(np.diag(self.covariance()).reshape(-1, self.runs))

    def covariance(self) -> FloatArray:
        """Return how the values vary together (values × values)."""
        return np.asarray(np.sum([step.covariance(self.open_) for step in self.steps], axis=0))

    def choose(
        self, count: int, order: IndexArray, rng: np.random.Generator, *, by_order: float = BY_ORDER
    ) -> IndexArray:
        """Choose up to `count` documents; a share of them, `by_order`, are the next open ones of the order."""
        chosen: list[int] = []
        while len(chosen) < count and self.open_.any():
            if rng.random() < by_order:
                place = int(order[np.argmax(self.open_[order])])
            else:
                place = int(np.argmax(np.where(self.open_, sum(step.gain(self.goals) for step in self.steps), -1.0)))
            self.take(place)
            chosen.append(place)
        return np.array(chosen, dtype=np.int64)

    def take(self, place: int) -> None:
        """Count a document as chosen."""
        for step in self.steps:
            step.take(place)
        self.open_[place] = False


def _beliefs(model: GradeModel, scale: FloatArray, labels: FloatArray, spread: FloatArray) -> list[StepBeliefs]:
    judged = np.flatnonzero(~np.isnan(labels))
    label = merged_levels(len(scale))[np.searchsorted(scale, labels[judged])]
    beliefs: list[StepBeliefs] = []
    for step in range(model.steps):
        came, before = label >= step, beliefs[-1] if beliefs else None
        beliefs.append(StepBeliefs.of(model, step, judged[came], label[came] > step, spread[step], before))
    return beliefs


def _moves(pool: BoardPool, target: BoardTarget, labels: FloatArray, reach: FloatArray) -> FloatArray:
    """What passing each step moves each run's value by (steps × runs × documents), where the beliefs are right."""
    merged = merged_levels(len(target.grades))
    within = np.array([(merged[np.newaxis] == level).ravel() for level in range(merged[-1] + 1)], dtype=np.float64)
    # How far a document of each level of the model reaches each threshold of the scale.
    reached = (within[:, ::-1].cumsum(axis=1)[:, ::-1] / within.sum(axis=1, keepdims=True))[:, 1:]
    best = (reach - np.vstack([reach[1:], np.zeros(len(labels))])).T @ reached
    judged = ~np.isnan(labels)
    best[judged] = labels[judged, np.newaxis] >= target.grades[1:]
    slopes = guessed_slopes(RunLists.of(pool, target), best)
    documents = np.arange(len(labels))
    return np.array([slopes.move(np.tile(step, (len(labels), 1)), documents) for step in np.diff(reached, axis=0)])


def _goals(goal: Goal, runs: Sequence[str], whole: FloatArray, values: Sequence[FloatArray | None]) -> FloatArray:
    """Return what is to be settled, as rows of weights on the values (runs of the first target, of the second …)."""
    rows, n = [], len(runs)
    for place, value in enumerate(values):
        mine = slice(place * n, (place + 1) * n)
        own = whole[mine, mine]
        for row in (None if value is None else _race(goal, runs, own, value)) or _both(own):
            rows.append(np.zeros(len(whole)))
            rows[-1][mine] = row
    return np.array(rows)


def _both(whole: FloatArray) -> list[FloatArray]:
    """Return values and differences alike: what moves runs apart, and what moves them all."""
    n = len(whole)
    apart, level = np.eye(n) - 1.0 / n, np.full(n, 1.0 / n)
    spread = float(np.trace(apart @ whole @ apart))
    rows = [row / np.sqrt(spread) for row in apart] if n > 1 and spread > 0 else []
    return [*rows, level / np.sqrt(max(float(level @ whole @ level), 1e-12))]


def _race(goal: Goal, runs: Sequence[str], whole: FloatArray, values: FloatArray) -> list[FloatArray]:
    """Return the differences that decide a race and are open, each by the chance that it is the other way round."""
    from scipy.special import ndtr

    rows = []
    for ahead, behind in _pairs(goal, runs, values):
        row = np.zeros(len(runs))
        row[ahead], row[behind] = 1.0, -1.0
        variance = float(row @ whole @ row)
        if variance > 0:
            chance = float(ndtr(-abs(values[ahead] - values[behind]) / (RACE * np.sqrt(variance))))
            rows += [row * np.sqrt(chance / variance)] * (chance > OUT)
    return rows


def _pairs(goal: Goal, runs: Sequence[str], values: FloatArray) -> list[tuple[int, int]]:
    order, baseline = np.argsort(-values, kind="stable").tolist(), goal.place(runs)
    if goal.kind is GoalKind.BEST:
        return [(ahead, behind) for ahead in order[: goal.top] for behind in order[goal.top :]]
    return [(baseline, other) for other in order if other != baseline] if baseline is not None else []
