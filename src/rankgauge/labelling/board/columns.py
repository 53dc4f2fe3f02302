"""Columns: what judges other than people and a pool's own table say of its documents.

Beliefs about the grades (p_0, p_1, …) become one feature, the mean logit of reaching each threshold. Labels show how
far to trust them. Any other numbers are put on a common scale, and no effect is expected of them before labels show
one. No estimate's unbiasedness rests on any of this.

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
from rankgauge.labelling.beliefs import belief_column
from rankgauge.numeric import FloatArray

INTERCEPTS, DEVIATIONS = (0.3, -1.2, -3.2), (1.3, 1.4, 2.2)
"""For three thresholds: the mean logit of reaching them, and how far queries deviate from it."""

CORRELATIONS = ((1.0, 0.75, 0.50), (0.75, 1.0, 0.62), (0.50, 0.62, 1.0))
"""How alike a query's deviations are from threshold to threshold."""

_AS = {1: np.array([1.0]), 2: np.array([0.0, 1.0]), 3: np.array([0.0, 1.0, 2.0])}
"""Which of the three thresholds those of a coarser scale are like."""

SLOPE_DEVIATION = 0.5
"""How far queries deviate in the slope of the logarithm of the fused rank."""


def query_prior(thresholds: int) -> tuple[FloatArray, FloatArray]:
    """The intercepts, and the prior covariance of a query's effects: (intercept, slope) for each threshold in turn.

    One threshold is like the second of three, two like the first two. More than three divide the same range of logits
    evenly, and their correlation falls to one half from the first to the last: scales differ in how finely they are
    cut more than in where they begin and end.
    """
    known, last = np.arange(len(INTERCEPTS)), len(INTERCEPTS) - 1
    at = _AS.get(thresholds, np.linspace(0.0, last, thresholds))
    means, spread = (np.interp(at, known, values) for values in (INTERCEPTS, DEVIATIONS))
    places = at.astype(np.int64)
    stated = np.array(CORRELATIONS)[np.ix_(places, places)]
    alike = stated if thresholds in _AS else 0.5 ** (np.abs(np.subtract.outer(at, at)) / last)
    effects = np.zeros((2 * thresholds, 2 * thresholds))
    effects[::2, ::2] = alike * np.outer(spread, spread)
    effects[1::2, 1::2] = np.eye(thresholds) * SLOPE_DEVIATION**2
    return means, effects


SOFTEST = 0.02
"""No belief is taken as surer than this: certainty that no label supports is not believed."""

TRUST = 0.5
"""The expected effect of given beliefs on the logit, before labels show how good they are."""

PRECISION, OTHER_PRECISION = 1.0, 2.0
"""How firmly the effects of beliefs and of other numbers are held to what is expected of them."""

FARTHEST = 4.0
"""Standard deviations from the mean beyond which a number counts as that far: an outlier is no argument."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Columns:
    """Further columns that say something of the documents, such as a judge's grades.

    `mean` is the expected effect of each column, on every threshold alike or on each (thresholds × columns);
    `precision` how sure that is; `shift` what they add to every intercept, or to each.
    """

    values: FloatArray
    mean: FloatArray
    precision: FloatArray
    shift: float | FloatArray = 0.0

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns | None:
        """The columns of all parts; None if there are none."""
        if len(parts) < 2:
            return parts[0] if parts else None
        thresholds = max(len(np.atleast_2d(part.mean)) for part in parts)
        return cls(
            values=np.hstack([part.values for part in parts]),
            mean=np.hstack([np.broadcast_to(part.mean, (thresholds, len(part.precision))) for part in parts]),
            precision=np.concatenate([part.precision for part in parts]),
            shift=np.asarray(sum(np.broadcast_to(part.shift, thresholds) for part in parts), dtype=np.float64),
        )

    @classmethod
    def of(cls, frame: pl.DataFrame, grades: FloatArray) -> Columns | None:
        """The columns of a table whose rows are the documents of a pool; None if it says nothing of them."""
        names = [belief_column(grade) for grade in grades]
        given = [name for name in names if name in frame.columns]
        if given and len(given) < len(names):
            lacking = ", ".join(name for name in names if name not in frame.columns)
            raise InputError(f"there are beliefs in {', '.join(given)}, but none in {lacking}")
        others = [_standard(frame[name]) for name in frame.columns if name not in given]
        found = ([_logit(frame.select(names))] if given else []) + others
        if not found:
            return None
        effect = [TRUST] * bool(given) + [0.0] * len(others)
        precision = [PRECISION] * bool(given) + [OTHER_PRECISION] * len(others)
        return cls(values=np.column_stack(found), mean=np.array(effect), precision=np.array(precision))


def _logit(beliefs: pl.DataFrame) -> FloatArray:
    """The mean logit of reaching each threshold, centred; 0 where nothing is believed of a document."""
    known = beliefs.fill_nan(None).to_numpy().astype(np.float64)
    whole = known.sum(axis=1, keepdims=True)
    reached = 1.0 - np.cumsum(known / np.where(whole > 0, whole, 1.0), axis=1)[:, :-1]
    soft = np.clip(reached, SOFTEST, 1.0 - SOFTEST)
    return _centred(np.log(soft / (1.0 - soft)).mean(axis=1))


def _standard(column: pl.Series) -> FloatArray:
    """The numbers in standard deviations from their mean; 0 where there is none."""
    centred = _centred(column.cast(pl.Float64).fill_null(np.nan).to_numpy())
    spread = float(centred.std())
    return np.clip(centred / (spread if spread > 0 else 1.0), -FARTHEST, FARTHEST)


def _centred(values: FloatArray) -> FloatArray:
    known = np.isfinite(values)
    middle = float(values[known].mean()) if known.any() else 0.0
    return np.where(known, values - middle, 0.0)


JUDGED, SHIFT = 4.0, -2.4
"""What all steps of the judges together are expected to add to a logit, and what that takes from every intercept."""

JUDGE_PRECISION, CALIBRATED = 1.0, 4.0
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
            precision=np.full(width, JUDGE_PRECISION),
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
