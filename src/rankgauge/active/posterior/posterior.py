"""The posterior of a pool's grades: what few labels say of every document, and so of every run by any measure.

Every draw grades the whole pool, and the measure, its ideal included, is computed on each draw. The spread of the draws
is the interval. The same draws serve all measures, all differences and all ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankgauge.active.board.pool import BoardPool
from rankgauge.active.board.target import BoardTarget
from rankgauge.active.posterior.estimate import PosteriorEstimate
from rankgauge.active.posterior.grade_draws import GradeDraws, draw_grades
from rankgauge.active.posterior.label_order import label_order
from rankgauge.active.posterior.model import GradeModel
from rankgauge.active.posterior.scorer import GradingScorer
from rankgauge.errors import ParameterError
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
        targets = tuple(BoardTarget.scored(measure, pool, grades=scale, **dialect) for measure in measures)
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
        known = np.where(np.isnan(labels), self.pool.known, labels)
        off = known[~np.isnan(known) & ~np.isin(known, self.grades)]
        if len(off):
            raise ParameterError("a posterior", "labels", "grades of the scale", float(off[0]))
        return draw_grades(self.model, self.grades, known, np.random.default_rng(seed))

    def estimate(self, labels: FloatArray, *, seed: int) -> tuple[PosteriorEstimate, ...]:
        """The estimates of each measure from these labels (documents; NaN where there is none) and earlier ones."""
        drawn = self.draw(labels, seed=seed).grades
        count = int(np.count_nonzero(~np.isnan(np.where(np.isnan(labels), self.pool.known, labels))))
        return tuple(
            PosteriorEstimate.of(target, self.pool.runs, scorer.values(drawn), labels=count, seed=seed)
            for target, scorer in zip(self.targets, self.scorers, strict=True)
        )
