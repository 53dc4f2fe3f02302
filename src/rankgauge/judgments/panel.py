"""Judgments as arrays, the confusion of each two assessors, and Cohen's kappa of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, check, judgments_from
from rankgauge.judgments.coefficient import Tally
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Confusion:
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
    def of(cls, judgments: Any) -> Panel:
        """The panel of the assessors of some judgments."""
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
        """How many assessors gave each grade, items of a kind together."""
        levels = len(self.grades)
        counts = np.bincount(self.item * levels + self.level, minlength=self.items * levels)
        kinds, items = np.unique(counts.reshape(self.items, levels), axis=0, return_counts=True)
        return Tally(
            grades=self.grades,
            counts=kinds.astype(np.float64),
            weights=items[np.newaxis].astype(np.float64),
        )

    def confusion(self) -> Confusion:
        """The confusion matrix of each two assessors who have items in common."""
        assessors, cells = len(self.assessors), len(self.grades) ** 2
        keys, counts = np.unique(self._meetings(), return_counts=True)
        pairs, pair = np.unique(keys // cells, return_inverse=True)
        matrix = np.zeros((len(pairs), cells))
        matrix[pair, keys % cells] = counts
        return Confusion(
            first=pairs // max(1, assessors),
            second=pairs % max(1, assessors),
            counts=matrix.reshape(len(pairs), len(self.grades), len(self.grades)),
        )

    def _meetings(self) -> IndexArray:
        """One number for every two judgments of one item: (assessor, other assessor, grade, other grade)."""
        most = int(np.bincount(self.item).max(initial=1))
        found = [np.empty(0, dtype=np.int64)]
        for lag in range(1, most):
            left, right = slice(None, -lag), slice(lag, None)
            pair = self.assessor[left] * len(self.assessors) + self.assessor[right]
            key = (pair * len(self.grades) + self.level[left]) * len(self.grades) + self.level[right]
            found.append(key[self.item[left] == self.item[right]])
        return np.concatenate(found)


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
    """The position of each row's key among the distinct keys, and these keys, in order of first appearance."""
    known = frame.select(keys).unique(maintain_order=True)
    numbered = known.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64))
    rows = frame.select(keys).join(numbered, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return rows["position"].to_numpy(), known


def as_table(judgments: Any) -> pl.DataFrame:
    """Return judgments with their assessors as a checked table, from whatever `evaluate` takes."""
    if isinstance(judgments, pl.DataFrame):
        return check(judgments, JUDGMENTS, whole=True)
    return judgments_from(judgments)
