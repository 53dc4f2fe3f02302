"""What a machine judge says of the documents of a pool, and what is expected of it before people's labels show more.

A judge becomes a step for each level of its scale: how far a document reaches it. Before the first label all steps of
all judges together are expected to add 4 to a logit, whoever the judge is; or the effects are those that the same judge
had on another collection. Labels of people then show how far to believe it, so that a useless judge costs next to
nothing, and certainty that no label supports is never believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.judgments.llm.machine_judge import placed, steps
from rankgauge.labelling.board.columns import Columns
from rankgauge.labelling.board.query_prior import query_prior
from rankgauge.numeric import FloatArray

JUDGED, SHIFT = 4.0, -2.4
"""What all steps of the judges together are expected to add to a logit, and what that takes from every intercept."""

PRECISION, CALIBRATED = 1.0, 4.0
"""How firmly the effects of steps are held to what is expected of any judge, and of one known from elsewhere."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledJudge:
    """A judge's grades of a pool's documents, a row each: `said` has the columns of a `MachineJudge` but the ids.

    `effects` (thresholds × 1 + levels) are the intercepts and those of its steps on another collection, if they are
    known, and `levels` the levels that these steps have.
    """

    name: str
    said: pl.DataFrame
    effects: FloatArray | None = None
    levels: FloatArray | None = None

    @property
    def grades(self) -> FloatArray:
        """The grade of each document, NaN where it gave none."""
        return np.asarray(self.said["grade"].fill_null(np.nan).to_numpy(), dtype=np.float64)

    def on(self, scale: FloatArray) -> FloatArray:
        """The grade of each document on our scale, stretched if the judge's own is another one; NaN if it gave none."""
        given = self.grades
        known = ~np.isnan(given)
        found = np.full(len(given), np.nan)
        found[known] = scale[placed(given[known], np.unique(given[known]), scale)]
        return found

    @property
    def share(self) -> float:
        """The share of the documents that it has graded."""
        return 1.0 - self.said["grade"].null_count() / len(self.said)


def judge_columns(judges: Sequence[PooledJudge], thresholds: int) -> Columns | None:
    """The steps of all judges as features; a document without a grade counts as the judge's mean."""
    parts = [_columns(judge, thresholds, len(judges)) for judge in judges]
    return Columns.joined([part for part in parts if part.values.shape[1]])


def _columns(judge: PooledJudge, thresholds: int, judges: int) -> Columns:
    values = steps(judge.said, judge.levels)
    known = ~np.isnan(values)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    values, width = np.where(known, values, mean), values.shape[1]
    if judge.effects is None:
        expected = np.full((thresholds, width), JUDGED / max(width, 1) / judges)
        return Columns(
            values=values,
            mean=expected,
            precision=np.full(width, PRECISION),
            shift=np.full(thresholds, SHIFT / judges if width else 0.0),
        )
    if judge.effects.shape != (thresholds, width + 1):
        raise InputError(
            f"the judge {judge.name} was calibrated for {len(judge.effects)} thresholds and {judge.effects.shape[1]} "
            f"grades; here are {thresholds} and {width + 1}",
            hint="Both collections must be judged on one scale.",
        )
    intercepts, effects = judge.effects[:, 0], judge.effects[:, 1:]
    shift = intercepts - query_prior(thresholds)[0]
    return Columns(values=values, mean=effects, precision=np.full(width, CALIBRATED), shift=shift)
