"""agreement: how far the assessors of some judgments agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.files import JUDGMENTS, check, judgments_from
from rankgauge.judgments.coefficient import COEFFICIENTS, Coefficient, Tally
from rankgauge.numeric import FloatArray, IndexArray, ratio

ITEM = ("query", "document")
"""The columns that identify what was judged."""

WEIGHTS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "kappa": lambda apart: (apart != 0).astype(np.float64),
    "kappa_linear": np.abs,
    "kappa_quadratic": np.square,
}
"""The weight of a disagreement by the difference of the grades, for each kind of kappa."""

LEVELS = 256
"""The most grades that a scale may have; more must be means or scores, on which nobody agrees by chance."""


class Confusion(NamedTuple):
    """For each two assessors with items in common, how often they gave which grades.

    `first` and `second` (pairs) are their positions among the assessors; `counts` is pairs × levels × levels.
    """

    first: IndexArray
    second: IndexArray
    counts: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """Judgments by item: `item`, `assessor` and `level` (judgments) are positions, sorted by item and assessor.

    `assessors` are in order of first appearance, `grades` ascend. Nothing here grows with items × assessors: in a
    crowd almost all of those cells are empty.
    """

    items: int
    assessors: pl.Series
    grades: FloatArray
    item: IndexArray
    assessor: IndexArray
    level: IndexArray

    @classmethod
    def from_judgments(cls, judgments: Any) -> Panel:
        """Return the panel of the assessors of some judgments."""
        frame = as_table(judgments)
        if "assessor" not in frame.columns:
            raise InputError("it is not known who judged", hint="Name them in a column 'assessor'.")
        item, items = _positions(frame, list(ITEM))
        assessor, names = _positions(frame, ["assessor"])
        grades, level = np.unique(frame["grade"].to_numpy(), return_inverse=True)
        if len(grades) > LEVELS:
            raise InputError(
                f"judgments have {len(grades)} different grades, which is no scale that assessors can agree on",
                hint=f"Round the grades, or make them binary: up to {LEVELS} levels are compared.",
            )
        order = np.lexsort((assessor, item))
        return cls(
            items=len(items),
            assessors=names["assessor"],
            grades=grades,
            item=item[order],
            assessor=assessor[order],
            level=level.astype(np.int64)[order],
        )

    def tally(self) -> Tally:
        """Return how many assessors gave each grade, items of a kind together."""
        levels = len(self.grades)
        counts = np.bincount(self.item * levels + self.level, minlength=self.items * levels)
        kinds, items = np.unique(counts.reshape(self.items, levels), axis=0, return_counts=True)
        weights = items[np.newaxis].astype(np.float64)
        return Tally(grades=self.grades, counts=kinds.astype(np.float64), weights=weights)

    def confusion(self) -> Confusion:
        """Return the confusion matrix of each two assessors who have items in common."""
        assessors, levels = len(self.assessors), len(self.grades)
        meetings = [np.empty(0, dtype=np.int64)]  # for every two judgments of an item the assessors and their grades
        for lag in range(1, int(np.bincount(self.item).max(initial=1))):
            left, right = slice(None, -lag), slice(lag, None)
            pair = self.assessor[left] * assessors + self.assessor[right]
            key = (pair * levels + self.level[left]) * levels + self.level[right]
            meetings.append(key[self.item[left] == self.item[right]])
        keys, counts = np.unique(np.concatenate(meetings), return_counts=True)
        pairs, number = np.unique(keys // levels**2, return_inverse=True)
        matrix = np.zeros((len(pairs), levels**2))
        matrix[number, keys % levels**2] = counts
        return Confusion(*np.divmod(pairs, max(1, assessors)), matrix.reshape(len(pairs), levels, levels))


def cohen(confusion: FloatArray, grades: FloatArray, weights: str = "kappa") -> FloatArray:
    """1 − Σ w o / Σ w e: the weighted disagreement over that of two assessors who guess with the same habits.

    `confusion` (… × levels × levels) counts the items by the two grades. Weights follow the grades themselves, so a
    level that nobody used changes nothing. Cohen, Educational and Psychological Measurement 1960; weighted,
    Psychological Bulletin 1968.
    """
    apart = WEIGHTS[weights](grades[:, np.newaxis] - grades)
    items = confusion.sum(axis=(-2, -1))
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    guessed = rows[..., :, np.newaxis] * columns[..., np.newaxis, :]
    return 1.0 - ratio((confusion * apart).sum(axis=(-2, -1)) * items, (guessed * apart).sum(axis=(-2, -1)))


def _positions(frame: pl.DataFrame, keys: list[str]) -> tuple[IndexArray, pl.DataFrame]:
    """Return the position of each row's key among the distinct keys, and these keys, in order of first appearance."""
    known = frame.select(keys).unique(maintain_order=True)
    numbered = known.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64))
    rows = frame.select(keys).join(numbered, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return rows["position"].to_numpy(), known


def as_table(judgments: Any) -> pl.DataFrame:
    """Return judgments with their assessors as a checked table, from whatever `evaluate` takes."""
    if isinstance(judgments, pl.DataFrame):
        return check(judgments, JUDGMENTS, whole=True)
    return judgments_from(judgments)


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
        """Return the value of a coefficient."""
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
    panel = Panel.from_judgments(judgments)
    tally, confusion, samples = panel.tally(), panel.confusion(), None
    if rng is not None:  # equally many items, drawn with replacement; only the number of each kind matters
        items = tally.weights[0].sum()
        drawn = rng.multinomial(int(items), tally.weights[0] / items, size=resamples)
        samples = replace(tally, weights=drawn.astype(np.float64))
    judged = np.bincount(panel.assessor, minlength=len(panel.assessors))
    summed = np.bincount(panel.assessor, weights=panel.grades[panel.level], minlength=len(panel.assessors))
    first, second = panel.assessors.gather(confusion.first), panel.assessors.gather(confusion.second)
    shared = confusion.counts.sum(axis=(-2, -1))
    pairs = {
        "assessor": first,
        "other": second,
        "items": shared.astype(np.int64),
        "observed": np.trace(confusion.counts, axis1=-2, axis2=-1) / shared,
        **{name: cohen(confusion.counts, panel.grades, name) for name in WEIGHTS},
    }
    # Every cell of the confusion matrices, including empty ones, so that they can be pivoted without gaps.
    pair, grade, other = (axis.ravel() for axis in np.indices(confusion.counts.shape))
    cells = {
        "assessor": first.gather(pair),
        "other": second.gather(pair),
        "grade": panel.grades[grade],
        "other_grade": panel.grades[other],
        "items": confusion.counts.ravel().astype(np.int64),
    }
    numbers, kind = np.unique(tally.judged.astype(np.int64), return_inverse=True)
    by_number = np.bincount(kind, weights=tally.weights[0], minlength=len(numbers)).astype(np.int64)
    return Agreement(
        level=level,
        coefficients=pl.DataFrame([_row(coefficient, tally, samples, level) for coefficient in COEFFICIENTS.values()]),
        pairs=pl.DataFrame(pairs),
        confusion=pl.DataFrame(cells),
        assessors=pl.DataFrame({"assessor": panel.assessors, "judgments": judged, "mean_grade": summed / judged}),
        items=pl.DataFrame({"assessors": numbers, "items": by_number}),
    )


def _row(coefficient: Coefficient, tally: Tally, samples: Tally | None, level: float) -> dict[str, object]:
    values = np.empty(0) if samples is None else coefficient.kernel(samples)
    known, low, high = values[~np.isnan(values)], np.nan, np.nan
    if len(known):
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    value, items = float(coefficient.kernel(tally)[0]), int(tally.shared.weights.sum())
    return {"coefficient": coefficient.name, "value": value, "low": low, "high": high, "items": items}
