"""The plan of a posterior: which pools it serves, in which order documents are handed out, and what labels bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.board.design import Goal, GoalKind
from rankgauge.labelling.board.later_run import LaterRun
from rankgauge.labelling.board.plan import MORE, RunsOutlook, RunsPlan
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.posterior.choice import LabelChoice
from rankgauge.labelling.posterior.posterior import CHANCES, WIDER, GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.sampler import draw_grades
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.statistics.intervals import normal_quantile

TRUTHS, STEP = 4, 50
"""How many gradings stand for the truth in a forecast, and how many labels of it are taken at a time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorOutlook(RunsOutlook):
    """The outlook of a posterior after some labels (documents; NaN where there is none)."""

    posterior: GradePosterior
    labels: FloatArray
    estimates: Sequence[PosteriorEstimate]
    goal: Goal
    seed: int

    @classmethod
    def of(
        cls,
        posterior: GradePosterior,
        labels: FloatArray,
        estimates: Sequence[PosteriorEstimate],
        goal: Goal,
        seed: int,
    ) -> PosteriorOutlook:
        """Return the outlook from the labels so far, those from before included, and the estimates that follow."""
        known: dict[str, Any] = {"pool": posterior.pool, "grades": posterior.grades, "judged": ~np.isnan(labels)}
        return cls(**known, posterior=posterior, labels=labels, estimates=estimates, goal=goal, seed=seed)

    def values_of(self, grades: FloatArray) -> tuple[FloatArray, ...]:
        return tuple(scorer.values(grades[np.newaxis])[0].mean(axis=1) for scorer in self.posterior.scorers)

    def next(self, count: int) -> IndexArray:
        return self.posterior.next(
            self.labels, count, seed=self.seed, after=self.estimates, goal=self.goal, by_order=0.0
        )

    def half_widths(self, more: int = MORE, level: float = LEVEL) -> tuple[FloatArray | None, ...]:
        choice = self.posterior.choice(self.labels, self.estimates, self.goal)
        if choice is None:
            return (None,) * len(self.estimates)
        before = choice.errors()
        choice.choose(more, self.posterior.order(self.seed), np.random.default_rng(self.seed))
        factors = [np.sqrt(then / np.maximum(now, 1e-18)) for now, then in zip(before, choice.errors(), strict=True)]
        aimed = dict(zip(self.posterior.aimed, factors, strict=True))
        return tuple(
            estimate.half_widths(level) * aimed[n] if n in aimed else None for n, estimate in enumerate(self.estimates)
        )

    def later(self, name: str, run: Any) -> LaterRun:
        raise InputError(
            f"the method {METHOD} knows nothing of documents that only a later run retrieves",
            hint="Plan a campaign of all runs, with these labels as --judgments; or use --method leaderboard.",
        )


def expected_half_widths(posterior: GradePosterior, labels: Sequence[int], *, seed: int) -> FloatArray:
    """Half the width that a run's own interval is expected to have after each of these rising numbers of labels, on
    average over the runs (numbers × measures), as the model sees it before the first label; NaN for measures that
    labels cannot be chosen for.

    Some gradings that the model finds possible stand for the truth in turn, and labels are taken from each as a
    campaign would take them.
    """
    rng, known, goal = np.random.default_rng(seed), posterior.pool.known, Goal(kind=GoalKind.VALUES)
    truths = draw_grades(posterior.model, posterior.grades, known, rng, chains=TRUTHS, per_chain=1).grades
    half_widths = np.full((len(truths), len(labels), len(posterior.targets)), np.nan)
    for by_number, truth in zip(half_widths, truths, strict=True):
        choices = _choices_along(posterior, truth, labels, lambda seen: posterior.choice(seen, (), goal), seed=seed)
        for widths, choice in zip(by_number, choices, strict=True):
            if choice is not None:
                errors = [WIDER * np.sqrt(variance) for variance in choice.errors()]
                halves = [half_width(error, draws=1, freedom=np.inf, level=LEVEL).mean() for error in errors]
                widths[list(posterior.aimed)] = halves
    return np.asarray(half_widths.mean(axis=0))


C = TypeVar("C", bound=LabelChoice | None)


def _choices_along(
    posterior: GradePosterior, truth: FloatArray, labels: Sequence[int], choose: Callable[[FloatArray], C], *, seed: int
) -> Iterator[C]:
    """Take labels from a grading that stands for the truth, as a campaign would, and yield the choice after each of
    these rising numbers of them."""
    known, order = posterior.pool.known.copy(), posterior.order(seed)
    rng, spent = np.random.default_rng(seed), 0
    for wanted in labels:
        while spent < min(wanted, len(order)):
            begun = spent >= posterior.first
            size = min(wanted - spent, max(STEP, spent // 2) if begun else posterior.first - spent)
            choice = choose(known) if begun else None
            places = order[np.isnan(known[order])][:size] if choice is None else choice.choose(size, order, rng)
            known[places] = truth[places]
            spent += size
        yield choose(known)


BEGUN, FACTOR, LOOKS = 100, 2, 4
"""The first number of labels that is looked at, and how many numbers are, each so many times the one before."""

ROUND = 50
"""To a multiple of how many labels a forecast is rounded: it is no better."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SettlingForecast:
    """The share of the gradings in which the best run is settled after each number of labels."""

    labels: tuple[int, ...]
    shares: tuple[float, ...]

    def labels_for(self, share: float) -> int | None:
        """About how many labels settle the best run in that share of the cases; None if more than were looked at."""
        if share > self.shares[-1]:
            return None
        at = np.interp(share, np.maximum.accumulate(self.shares), np.log(np.maximum(self.labels, 1)))
        return int(round(np.exp(at) / ROUND) * ROUND)

    def words(self, unit: str = "labels") -> str:
        """Return the forecast as a sentence; `unit` is what is counted."""
        half, most = self.labels_for(0.5), self.labels_for(0.75)
        if half is None:
            return f"more than {self.labels[-1]:,} {unit} in half of such pools"
        first = f"{half:,} {unit} or fewer" if half <= self.labels[0] else f"about {half:,} {unit}"
        if most is not None and most <= self.labels[0]:
            return f"{most:,} {unit} or fewer in three of four such pools"
        rest = f"more than {self.labels[-1]:,}" if most is None else f"{most:,}"
        return f"{first} in half of such pools, {rest} in three of four"


def settling_forecast(posterior: GradePosterior, *, seed: int) -> SettlingForecast | None:
    """Return how many labels would settle the best run by the first measure; None if labels cannot be chosen for it."""
    from scipy.special import ndtr

    open_ = int(np.count_nonzero(np.isnan(posterior.pool.known)))
    labels = sorted({min(BEGUN * FACTOR**look, open_) for look in range(LOOKS)})
    if 0 not in posterior.aimed or len(posterior.pool.runs) < 2:
        return None
    rng = np.random.default_rng(seed)
    drawn = draw_grades(posterior.model, posterior.grades, posterior.pool.known, rng)
    values = posterior.scorers[0].values(drawn.grades).mean(axis=2)
    ahead = np.sort(values, axis=1)
    by_gap = np.argsort(ahead[:, -1] - ahead[:, -2])
    truths = [by_gap[len(values) * part // 3] for part in (1, 2)]
    errors = np.mean([_gap_errors(posterior, drawn.grades[n], values[n], labels, seed=seed) for n in truths], axis=0)
    gaps = (ahead[:, -1] - ahead[:, -2])[:, np.newaxis] / np.maximum(CHANCES * errors, 1e-12)
    shares = ndtr(gaps - normal_quantile(SURE)).mean(axis=0)
    return SettlingForecast(labels=tuple(labels), shares=tuple(shares.tolist()))


def _gap_errors(
    posterior: GradePosterior, truth: FloatArray, values: FloatArray, labels: Sequence[int], *, seed: int
) -> list[float]:
    """The standard error of the gap between the first two runs after each number of labels, if that is the truth."""
    model, goal = posterior.model, Goal(kind=GoalKind.BEST)
    first, second = np.argsort(-values)[:2]

    def choose(known: FloatArray) -> LabelChoice:
        return LabelChoice.of(
            posterior.pool, model, posterior.targets[:1], known, spread=model.query_spread, goal=goal, values=[values]
        )

    errors = []
    for choice in _choices_along(posterior, truth, labels, choose, seed=seed):
        whole = choice.covariance()
        variance = whole[first, first] + whole[second, second] - 2 * whole[first, second]
        errors.append(float(np.sqrt(max(float(variance), 0.0))))
    return errors


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
    """Say whether the posterior was tried on pools of this shape and held there: few runs, and lists that are shallow.
    Documents that were judged before may be of any depth: nobody is asked about them.

    A judge that was calibrated on another collection is left to the method that knows how.
    """
    asked = pool.best_rank[np.isnan(pool.known)]
    depth = int(np.max(asked[asked <= pool.deepest], initial=1))
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
    return estimate.race().is_reached(goal)


class PosteriorPlan(RunsPlan):
    """Documents in an order that may follow the labels before; those after the chosen ones come by the fixed order."""

    lacking = "–"

    def __init__(self, posterior: GradePosterior, *, seed: int, order: IndexArray | None = None) -> None:
        """The order of a stage; that of the first stage is the fixed one."""
        self.posterior, self.pool, self.seed = posterior, posterior.pool, seed
        self._order = posterior.order(seed) if order is None else order

    @property
    def needed(self) -> BoolArray:
        return np.isnan(self.pool.known)

    @property
    def targets(self) -> tuple[BoardTarget, ...]:
        return self.posterior.targets

    def expect(self, labels: Sequence[int]) -> FloatArray:
        widths = expected_half_widths(self.posterior, labels, seed=self.seed)
        return np.minimum(widths, [target.widest for target in self.targets])

    def settling(self, unit: str = "labels") -> str:
        told = settling_forecast(self.posterior, seed=self.seed)
        return "" if told is None else told.words(unit)


def next_order(
    posterior: GradePosterior,
    labels: FloatArray,
    *,
    pending: IndexArray,
    seed: int,
    goal: Goal,
    after: Sequence[PosteriorEstimate],
) -> IndexArray:
    """Return the order of the next stage: documents that are out already, those that are chosen, and the rest."""
    chosen = posterior.next(labels, AHEAD, seed=seed, after=after, goal=goal, pending=pending.tolist())
    order = posterior.order(seed)
    rest = order[np.isnan(labels[order]) & ~np.isin(order, [*pending, *chosen])]
    return np.concatenate([pending, chosen, rest])
