"""Features: what ranks, judges and a pool's own table say of each document before anyone judges, and what is believed
of their effects. No estimate's unbiasedness rests on any of this.

Beliefs about the grades (p_0, p_1, …) become one feature, the mean logit of reaching each threshold. Labels show how
far to trust them. Any other numbers are put on a common scale, and no effect is expected of them before labels show
one.

A judge becomes a step for each level of its scale: how far a document reaches it. Before the first label all steps of
all judges together are expected to add 4 to a logit, whoever the judge is; or the effects are those that the same judge
had on another collection. Labels of people then show how far to believe it, so that a useless judge costs next to
nothing, and certainty that no label supports is never believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.judgments.llm.machine_judge import place_on_scale, steps
from rankgauge.labelling.beliefs import belief_column
from rankgauge.numeric import FloatArray, Grouped, IndexArray, SingleArray

if TYPE_CHECKING:
    from rankgauge.labelling.board.pool import BoardPool

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
    def join(cls, parts: Sequence[Columns]) -> Columns | None:
        """Return the columns of all parts; None if there are none."""
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
        """Return the columns of a table whose rows are the documents of a pool; None if it says nothing of them."""
        names = [belief_column(grade) for grade in grades]
        given = [name for name in names if name in frame.columns]
        if given and len(given) < len(names):
            lacking = ", ".join(name for name in names if name not in frame.columns)
            raise InputError(f"there are beliefs in {', '.join(given)}, but none in {lacking}")
        others = [_standard(frame[name]) for name in frame.columns if name not in given]
        features = ([_logit(frame.select(names))] if given else []) + others
        if not features:
            return None
        effect = [TRUST] * bool(given) + [0.0] * len(others)
        precision = [PRECISION] * bool(given) + [OTHER_PRECISION] * len(others)
        return cls(values=np.column_stack(features), mean=np.array(effect), precision=np.array(precision))


def _logit(beliefs: pl.DataFrame) -> FloatArray:
    """Return the mean logit of reaching each threshold, centred; 0 where nothing is believed of a document."""
    known = beliefs.fill_nan(None).to_numpy().astype(np.float64)
    whole = known.sum(axis=1, keepdims=True)
    reached = 1.0 - np.cumsum(known / np.where(whole > 0, whole, 1.0), axis=1)[:, :-1]
    soft = np.clip(reached, SOFTEST, 1.0 - SOFTEST)
    return _centre(np.log(soft / (1.0 - soft)).mean(axis=1))


def _standard(column: pl.Series) -> FloatArray:
    """Return the numbers in standard deviations from their mean; 0 where there is none."""
    centred = _centre(column.cast(pl.Float64).fill_null(np.nan).to_numpy())
    spread = float(centred.std())
    return np.clip(centred / (spread if spread > 0 else 1.0), -FARTHEST, FARTHEST)


def _centre(values: FloatArray) -> FloatArray:
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
        values = np.full(len(given), np.nan)
        values[known] = scale[place_on_scale(given[known], np.unique(given[known]), scale)]
        return values

    @property
    def share(self) -> float:
        """The share of the documents that it has graded."""
        return 1.0 - self.said["grade"].null_count() / len(self.said)


def judge_columns(judges: Sequence[PooledJudge], thresholds: int) -> Columns | None:
    """Return the steps of all judges as features; a document without a grade counts as the judge's mean."""
    parts = [_columns(judge, thresholds, len(judges)) for judge in judges]
    return Columns.join([part for part in parts if part.values.shape[1]])


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


FUSION = 60.0
"""Reciprocal rank fusion adds 1 / (60 + rank) over the runs (Cormack, Clarke & Büttcher, SIGIR 2009)."""

UNSEEN = 200.0
"""The best rank that stands for "in no run's list"."""

TOP = 10
"""The first ranks of a run that count as its top."""

RUN_PRECISION = 20.0
"""The prior precision of a single run's effect: 4 overfits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Features(Grouped):
    """The features of each document and the prior of their effects on the logits of the thresholds.

    `x` is documents × features, `w` documents × 2: what a query's own effect is multiplied by. `mean` is thresholds ×
    features; `precision` one number for each feature; `effects` the prior covariance of a query's effects, all
    thresholds' intercepts and slopes in turn.
    """

    sizes: IndexArray
    x: SingleArray
    w: FloatArray
    mean: FloatArray
    precision: FloatArray
    effects: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, thresholds: int, columns: Columns | None = None) -> Features:
        """Return the features of a pool, with a column for each run."""
        given = Columns(values=np.zeros((len(pool.documents), 0)), mean=np.zeros(0), precision=np.zeros(0))
        given = given if columns is None else columns
        if given.values.shape != (len(pool.documents), len(given.precision)):
            raise InputError(f"columns of shape {given.values.shape} for a pool of {len(pool.documents)} documents")
        ranks = _Ranks(pool=pool)
        shared, precision, slope = ranks.columns()
        x = np.empty((len(pool.documents), shared.shape[1] + len(given.precision) + len(pool.runs)), dtype=np.float32)
        x[:, : shared.shape[1]] = shared
        x[:, shared.shape[1] : -len(pool.runs)] = given.values
        ranks.write_runs(x[:, -len(pool.runs) :])
        intercepts, effects = query_prior(thresholds)
        effect = np.concatenate([slope, np.zeros(len(given.precision) + len(pool.runs))])
        mean = np.tile(effect, (thresholds, 1))
        mean[:, 0] = intercepts + given.shift
        mean[:, shared.shape[1] : -len(pool.runs)] = given.mean
        return cls(
            sizes=pool.sizes,
            x=x,
            w=np.column_stack([np.ones(len(x)), shared[:, 1]]),
            mean=mean,
            precision=np.concatenate([precision, given.precision, np.full(len(pool.runs), RUN_PRECISION)]),
            effects=effects,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Ranks:
    """Sums over the runs that retrieve a document."""

    pool: BoardPool

    def _sum(self, amounts: FloatArray | None = None) -> FloatArray:
        return np.bincount(self.pool.document, amounts, minlength=len(self.pool.documents)).astype(np.float64)

    @cached_property
    def nearness(self) -> FloatArray:
        """1 at the first rank, 0 at rank 1001, by the logarithm of the rank."""
        ranks = np.arange(1, self.pool.deepest + 1)
        return np.asarray(1.0 - np.log(np.minimum(ranks, 1001)) / np.log(1001.0))[self.pool.rank - 1]

    @cached_property
    def close(self) -> FloatArray:
        """The mean nearness of all runs to each document."""
        return self._sum(self.nearness) / len(self.pool.runs)

    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the shared features (documents × 10), their prior precisions, and their expected effects."""
        pool, runs = self.pool, len(self.pool.runs)
        fused = self._sum(np.asarray(1.0 / (FUSION + pool.rank), dtype=np.float64))
        best = np.full(len(pool.documents), UNSEEN)
        np.minimum.at(best, pool.document, pool.rank.astype(np.float64))  # of one type: several times as fast
        share, close = self._sum() / runs, self.close
        # By name: the column, its precision, its expected effect. The intercept's effect depends on the threshold.
        columns: dict[str, tuple[FloatArray, float, float]] = {
            "intercept": (np.ones(len(best)), 0.25, 0.0),
            "fused rank": (np.log(_places(pool, fused)) - 3.5, 1.0, -0.5),
            "best rank": (np.log(best) - 2.0, 1.0, 0.0),
            "tops": (np.log1p(self._sum((pool.rank <= TOP).astype(np.float64))) - 1.0, 1.0, 0.0),
            "share": (share - 0.3, 2.0, 0.0),
            "nearness": (close - 0.3, 2.0, 0.0),
            "fusion squared": ((np.log(61 * fused / runs + 1e-4) + 3) ** 2 / 4 - 1, 2.0, 0.0),
            "share squared": (2 * (share - 0.3) ** 2, 2.0, 0.0),
            "in no list": ((share == 0).astype(np.float64), 1.0, 0.0),
        }
        values, precision, effect = zip(*columns.values(), strict=True)
        return np.column_stack(values), np.array(precision), np.array(effect)

    def write_runs(self, out: SingleArray) -> None:
        """Each run's nearness to the document less the mean of all runs, into the columns of `out`."""
        out[:] = (-self.close)[:, np.newaxis]
        out[self.pool.document, self.pool.run] += self.nearness.astype(np.float32)  # a run has a document once


def _places(pool: BoardPool, fused: FloatArray) -> FloatArray:
    """Return the rank of each document in its query by the fused score, equal ones in the order of the pool."""
    order = np.lexsort((-fused, pool.query))
    places = np.empty(len(fused))
    places[order] = np.arange(len(fused)) - pool.starts[pool.query[order]] + 1.0
    return places
