"""The outlook of a posterior: what more labels would bring, and what the first ones will."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.outlook import MORE
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.posterior.estimate import LEVELS, PosteriorEstimate
from rankgauge.labelling.posterior.grade_draws import draw_grades
from rankgauge.labelling.posterior.posterior import GradePosterior
from rankgauge.numeric import FloatArray, IndexArray

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
            errors = [LEVELS * np.sqrt(one) for one in choice.errors()]
            widths = [half_width(one, draws=1, freedom=np.inf, level=LEVEL).mean() for one in errors]
            found[row, list(posterior.aimed)] = widths
    return found
