"""agreement: how far the assessors of some judgments agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.judgments.coefficient import COEFFICIENTS, Coefficient, Tally
from rankgauge.judgments.panel import WEIGHTS, Confusion, Panel, cohen
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Agreement:
    """How far assessors agree, with the counts behind it.

    `coefficients` has a row per coefficient: coefficient, value, low, high, items (those that two assessors judged);
    NaN if it is undefined or no interval was asked for. `pairs` has a row per two assessors with items in common:
    assessor, other, items, observed, kappa, kappa_linear, kappa_quadratic. `confusion` counts their items by grade and
    other_grade. `assessors` has each assessor's judgments and mean grade, `items` how many items were judged by how
    many assessors.
    """

    level: float
    coefficients: pl.DataFrame
    pairs: pl.DataFrame
    confusion: pl.DataFrame
    assessors: pl.DataFrame
    items: pl.DataFrame

    def __getitem__(self, coefficient: str) -> float:
        """The value of a coefficient."""
        values = dict(self.coefficients.select("coefficient", "value").iter_rows())
        if coefficient not in values:
            raise UnknownNameError("coefficient of agreement", coefficient, values)
        return float(values[coefficient])


def agreement(
    judgments: Any,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> Agreement:
    """Measure how far assessors agree; with `rng`, the coefficients get bootstrap intervals.

    >>> rows = [("q1", d, grade, who) for d, grades in {"a": (1, 1), "b": (0, 1), "c": (0, 0)}.items()
    ...         for who, grade in zip(("ann", "bob"), grades)]
    >>> import polars as pl
    >>> judgments = pl.DataFrame(rows, schema=["query", "document", "grade", "assessor"], orient="row")
    >>> round(agreement(judgments)["observed"], 4)
    0.6667

    An interval resamples the items, as Zapf et al. (BMC Medical Research Methodology 2016) advise, and skips
    resamples in which the coefficient is undefined.
    """
    if not 0 < level < 1:
        raise ParameterError("agreement", "level", "between 0 and 1", level)
    if resamples < 1:
        raise ParameterError("agreement", "resamples", "a whole number, 1 or more", resamples)
    panel = Panel.of(judgments)
    tally, confusion = panel.tally(), panel.confusion()
    samples = None if rng is None else _resampled(tally, rng, resamples)
    rows = [_row(coefficient, tally, samples, level) for coefficient in COEFFICIENTS.values()]
    return Agreement(
        level=level,
        coefficients=pl.DataFrame(rows),
        pairs=_pairs(confusion, panel),
        confusion=_cells(confusion, panel),
        assessors=_assessors(panel),
        items=_items(tally),
    )


def _resampled(tally: Tally, rng: np.random.Generator, resamples: int) -> Tally:
    """Equally many items drawn with replacement, `resamples` times; only the number of each kind matters."""
    items = tally.weights[0].sum()
    drawn = rng.multinomial(int(items), tally.weights[0] / items, size=resamples)
    return replace(tally, weights=drawn.astype(np.float64))


def _row(coefficient: Coefficient, tally: Tally, samples: Tally | None, level: float) -> dict[str, object]:
    values = np.empty(0) if samples is None else coefficient.kernel(samples)
    low, high = _percentiles(values[~np.isnan(values)], level)
    return {
        "coefficient": coefficient.name,
        "value": float(coefficient.kernel(tally)[0]),
        "low": low,
        "high": high,
        "items": int(tally.shared.weights.sum()),
    }


def _percentiles(values: FloatArray, level: float) -> tuple[float, float]:
    if not len(values):
        return np.nan, np.nan
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _pairs(confusion: Confusion, panel: Panel) -> pl.DataFrame:
    items = confusion.counts.sum(axis=(-2, -1))
    return pl.DataFrame(
        {
            "assessor": panel.assessors.gather(confusion.first),
            "other": panel.assessors.gather(confusion.second),
            "items": items.astype(np.int64),
            "observed": np.trace(confusion.counts, axis1=-2, axis2=-1) / items,
            **{name: cohen(confusion.counts, panel.grades, name) for name in WEIGHTS},
        }
    )


def _cells(confusion: Confusion, panel: Panel) -> pl.DataFrame:
    """Every cell of the confusion matrices, including empty ones, so that they can be pivoted without gaps."""
    pair, grade, other = (axis.ravel() for axis in np.indices(confusion.counts.shape))
    return pl.DataFrame(
        {
            "assessor": panel.assessors.gather(confusion.first[pair]),
            "other": panel.assessors.gather(confusion.second[pair]),
            "grade": panel.grades[grade],
            "other_grade": panel.grades[other],
            "items": confusion.counts.ravel().astype(np.int64),
        }
    )


def _assessors(panel: Panel) -> pl.DataFrame:
    judged = np.bincount(panel.assessor, minlength=len(panel.assessors))
    summed = np.bincount(panel.assessor, weights=panel.grades[panel.level], minlength=len(panel.assessors))
    return pl.DataFrame({"assessor": panel.assessors, "judgments": judged, "mean_grade": summed / judged})


def _items(tally: Tally) -> pl.DataFrame:
    numbers, kind = np.unique(tally.judged.astype(np.int64), return_inverse=True)
    items = np.bincount(kind, weights=tally.weights[0], minlength=len(numbers))
    return pl.DataFrame({"assessors": numbers, "items": items.astype(np.int64)})
