"""The plan of a posterior: which pools it serves, and the documents in the order in which they are handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.draws import DocumentDraws
from rankgauge.labelling.posterior.estimate import PosteriorEstimate
from rankgauge.labelling.posterior.outlook import expected_half_widths
from rankgauge.labelling.posterior.posterior import GradePosterior
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

METHOD = "posterior"
"""What the method is called."""

MOST_RUNS, DEEPEST, DEEPEST_SHARE = 8, 20, 10
"""Up to how many runs and which depth it was tried and held, and the depth for a share of all relevant documents."""

BATCH, AHEAD = 25, 50
"""After how many labels the next documents are chosen again, and how many are chosen at a time: assessors who are
faster get documents by the fixed order."""

SURE = 0.95
"""The chance with which a run is the best, at a look, that settles it."""


def serves(pool: BoardPool, targets: Sequence[BoardTarget]) -> bool:
    """Whether the posterior was tried on pools of this shape and held there: few runs, and lists that are shallow.

    A judge that was calibrated on another collection is left to the method that knows how.
    """
    depth = int(np.max(pool.best_rank[pool.best_rank <= pool.deepest], initial=1))
    deepest = DEEPEST_SHARE if any(target.deep for target in targets) else DEEPEST
    calibrated = any(judge.effects is not None for judge in pool.judges)
    return len(pool.runs) <= MOST_RUNS and depth <= deepest and not calibrated


def planned_looks(posterior: GradePosterior, goal: Goal, labels: int) -> tuple[int, ...]:
    """The numbers of labels at which a goal is looked at, the last with the whole budget; once, if nothing stops it."""
    if goal.kind in (GoalKind.VALUES, GoalKind.RANK):
        return (labels,)
    return (*range(posterior.first, labels, BATCH), labels)


def is_reached(estimate: PosteriorEstimate, goal: Goal) -> bool:
    """Whether a goal is settled: for the best run by its chance, for others by intervals of all differences at once.

    Draws condition on the labels, whenever they are looked at: where the best run was settled at the first of 11 looks,
    it was another one in 1 of 109 pools.
    """
    if goal.kind is GoalKind.BEST and goal.top == 1:
        return bool(estimate.best_chances().max() >= SURE)
    return estimate.verdicts().reached(goal)


class PosteriorPlan(DocumentDraws):
    """Documents in an order that may follow the labels before; those after the chosen ones come by the fixed order."""

    pool: BoardPool
    lacking: ClassVar[str] = "–"
    """What is shown where it is not known which interval to expect."""

    def __init__(self, posterior: GradePosterior, *, seed: int, order: IndexArray | None = None) -> None:
        """The order of a stage; that of the first stage is the fixed one."""
        self.posterior, self.pool, self.seed = posterior, posterior.pool, seed
        self._order = posterior.order(seed) if order is None else order

    @property
    def needed(self) -> BoolArray:
        return np.isnan(self.pool.known)

    @property
    def targets(self) -> tuple[BoardTarget, ...]:
        """What is estimated of each run."""
        return self.posterior.targets

    def expected(self, labels: Sequence[int]) -> FloatArray:
        """Half the width that a run's interval is expected to have after each number of labels, on average over the
        runs (numbers × measures); NaN where that is not known."""
        return expected_half_widths(self.posterior, labels, seed=self.seed)

    def is_bound(self, target: BoardTarget) -> bool:
        """Whether what is expected of a measure's intervals is only the least that they will be."""
        return False


def next_order(
    posterior: GradePosterior,
    labels: FloatArray,
    *,
    pending: IndexArray,
    seed: int,
    goal: Goal,
    after: Sequence[PosteriorEstimate],
) -> IndexArray:
    """The order of the next stage: documents that are out already, those that are chosen, and the rest."""
    chosen = posterior.next(labels, AHEAD, seed=seed, after=after, goal=goal, pending=pending.tolist())
    order = posterior.order(seed)
    rest = order[np.isnan(labels[order]) & ~np.isin(order, [*pending, *chosen])]
    return np.concatenate([pending, chosen, rest])
