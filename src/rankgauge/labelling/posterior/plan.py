"""The plan of a posterior: which pools it serves, in which order documents are handed out, and what labels bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.plan import MORE
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.method import DocumentDraws
from rankgauge.labelling.posterior.estimate import WIDER, PosteriorEstimate
from rankgauge.labelling.posterior.posterior import GradePosterior
from rankgauge.labelling.posterior.sampler import draw_grades
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

TRUTHS, STEP = 2, 50
"""How many gradings stand for the truth in a forecast, and how many labels of it are taken at a time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorOutlook:
    """A posterior, the labels so far (documents; NaN where there is none), the estimates that follow, and the goal."""

    posterior: GradePosterior
    labels: FloatArray
    estimates: Sequence[PosteriorEstimate]
    goal: Goal
    seed: int

    @property
    def pool(self) -> BoardPool:
        """The pool."""
        return self.posterior.pool

    @property
    def grades(self) -> FloatArray:
        """The scale of grades."""
        return self.posterior.grades

    @property
    def open_documents(self) -> int:
        """How many documents are not judged."""
        return int(np.count_nonzero(np.isnan(self.labels)))

    def values_of(self, grades: FloatArray) -> tuple[FloatArray, ...]:
        """The value of each run by each measure if these were the grades of all documents."""
        return tuple(scorer.values(grades[np.newaxis])[0].mean(axis=1) for scorer in self.posterior.scorers)

    def next(self, count: int) -> IndexArray:
        """The open documents whose labels would tell most of the goal, first the one that would tell most."""
        return self.posterior.next(
            self.labels, count, seed=self.seed, after=self.estimates, goal=self.goal, by_order=0.0
        )

    def half_widths(self, more: int = MORE, level: float = LEVEL) -> tuple[FloatArray | None, ...]:
        """Half the width that each run's own interval is expected to have after so many more labels, for each measure;
        None where labels cannot be chosen for a measure."""
        choice = self.posterior.choice(self.labels, self.estimates, self.goal)
        if choice is None:
            return (None,) * len(self.estimates)
        before = choice.errors()
        choice.choose(more, self.posterior.order(self.seed), np.random.default_rng(self.seed))
        factors = [np.sqrt(then / np.maximum(now, 1e-18)) for now, then in zip(before, choice.errors(), strict=True)]
        aimed = dict(zip(self.posterior.aimed, factors, strict=True))
        return tuple(one.half_widths(level) * aimed[n] if n in aimed else None for n, one in enumerate(self.estimates))


def expected_half_widths(posterior: GradePosterior, labels: Sequence[int], *, seed: int) -> FloatArray:
    """Half the width that a run's own interval is expected to have after each of these rising numbers of labels, on
    average over the runs (numbers × measures), as the model sees it before the first label; NaN for measures that
    labels cannot be chosen for.

    Some gradings that the model finds possible stand for the truth in turn, and labels are taken from each as a
    campaign would take them.
    """
    rng, known = np.random.default_rng(seed), posterior.pool.known
    truths = draw_grades(posterior.model, posterior.grades, known, rng, chains=TRUTHS, per_chain=1).grades
    found = np.full((len(truths), len(labels), len(posterior.targets)), np.nan)
    for n, truth in enumerate(truths):
        found[n] = _along(posterior, truth, labels, seed)
    return np.asarray(found.mean(axis=0))


def _along(posterior: GradePosterior, truth: FloatArray, labels: Sequence[int], seed: int) -> FloatArray:
    """The expected half-widths (numbers × measures) if that is the truth."""
    known, order, goal = posterior.pool.known.copy(), posterior.order(seed), Goal(kind=GoalKind.VALUES)
    found, rng, spent = np.full((len(labels), len(posterior.targets)), np.nan), np.random.default_rng(seed), 0
    for row, wanted in enumerate(labels):
        while spent < min(wanted, len(order)):
            begun = spent >= posterior.first
            size = min(wanted - spent, max(STEP, spent // 2) if begun else posterior.first - spent)
            choice = posterior.choice(known, (), goal) if begun else None
            places = order[np.isnan(known[order])][:size] if choice is None else choice.choose(size, order, rng)
            known[places] = truth[places]
            spent += size
        choice = posterior.choice(known, (), goal)
        if choice is not None:
            errors = [WIDER * np.sqrt(one) for one in choice.errors()]
            widths = [half_width(one, draws=1, freedom=np.inf, level=LEVEL).mean() for one in errors]
            found[row, list(posterior.aimed)] = widths
    return found


METHOD = "posterior"
"""What the method is called."""

MOST_RUNS, DEEPEST, DEEPEST_SHARE = 8, 20, 10
"""Up to how many runs and which depth it was tried and held, and the depth for a share of all relevant documents."""

MOST_DOCUMENTS = 10_000
"""Up to how many documents an estimate takes a few seconds."""

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
    small = len(pool.runs) <= MOST_RUNS and len(pool.documents) <= MOST_DOCUMENTS
    return small and depth <= deepest and not calibrated


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
        return bool(estimate.best_chances()[np.argmax(estimate.values)] >= SURE)
    return estimate.race().reached(goal)


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
        widths = expected_half_widths(self.posterior, labels, seed=self.seed)
        return np.minimum(widths, [target.widest for target in self.targets])

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
