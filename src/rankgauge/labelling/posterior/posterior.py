"""The posterior of a pool's grades: what few labels say of every document, and so of every run by any measure.

Every draw grades the whole pool, and the measure, its ideal included, is computed on each draw. The spread of the draws
is the interval. The same draws serve all measures, all differences and all ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget, check_distinct, check_scale
from rankgauge.labelling.posterior.choice import BY_ORDER, LabelChoice
from rankgauge.labelling.posterior.estimate import PosteriorEstimate
from rankgauge.labelling.posterior.grade_draws import GradeDraws, draw_grades
from rankgauge.labelling.posterior.label_order import label_order
from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.labelling.posterior.scorer import GradingScorer
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray


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
        """The posterior of a pool for measures of the registry, on an ascending scale of grades."""
        scale = np.asarray(grades, dtype=np.float64)
        if len(scale) < 2 or (np.diff(scale) <= 0).any():
            raise ParameterError("a posterior", "grades", "two or more ascending grades", tuple(grades))
        if not len(measures):
            raise ParameterError("a posterior", "measures", "at least one name, such as nDCG@10", measures)
        targets = tuple(BoardTarget.scored(measure, pool, grades=scale, **dialect) for measure in measures)
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

    def draw(self, labels: FloatArray, *, seed: int) -> GradeDraws:
        """Gradings of the whole pool that these labels (documents; NaN where there is none) leave possible."""
        known = self._known(labels)
        return draw_grades(self.model, self.grades, known, np.random.default_rng(seed))

    def estimate(self, labels: FloatArray, *, seed: int) -> tuple[PosteriorEstimate, ...]:
        """The estimates of each measure from these labels (documents; NaN where there is none) and earlier ones."""
        drawn = self.draw(labels, seed=seed)
        count = int(np.count_nonzero(~np.isnan(self._known(labels))))
        return tuple(
            PosteriorEstimate.of(
                target, self.pool.runs, scorer.values(drawn.grades), labels=count, seed=seed, learnt=drawn.spread
            )
            for target, scorer in zip(self.targets, self.scorers, strict=True)
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
            out = np.isin(order, pending) | ~np.isnan(self._known(labels)[order])
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
            self._known(labels),
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

    def _known(self, labels: FloatArray) -> FloatArray:
        """The labels with those from before; a grade below the scale is worth as little as its lowest."""
        known = np.where(np.isnan(labels), self.pool.known, labels)
        check_scale(known, self.grades)
        return np.asarray(np.maximum(known, self.grades[0]))
