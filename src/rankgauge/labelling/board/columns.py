"""Columns: what a table or a judge says of the documents beside the runs' ranks, as features of the beliefs.

Beliefs about the grades (p_0, p_1, …) become one feature, the mean logit of reaching each threshold. Labels show how
far to trust them. Any other numbers are put on a common scale, and no effect is expected of them before labels show
one. No estimate's unbiasedness rests on any of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.labelling.beliefs import belief_column
from rankgauge.numeric import FloatArray

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
