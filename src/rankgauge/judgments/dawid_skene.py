"""Dawid and Skene's model of a crowd: each assessor's habits, and the grade that each item most likely has.

Every item has one true grade, and an assessor who sees that grade gives each grade with a chance of his own. Chances
and true grades are estimated together by expectation maximisation, which starts from the shares of the assessors'
grades. An assessor with few judgments is fitted badly: from a crowd of such, a majority may be nearer the truth.

Dawid & Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied Statistics 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.judgments.combination import ITEM, Rule
from rankgauge.judgments.panel import Panel
from rankgauge.numeric import FloatArray

ROUNDS, TOLERANCE = 1000, 1e-6
"""The most rounds, and the change of a chance below which they end."""

TINY = 1e-100
"""What stands for a chance of 0, so that its logarithm is finite."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CrowdModel:
    """What the model says of a panel: `chances` (items × grades), `prior` (grades), `confusion` and its `rounds`."""

    panel: Panel
    chances: FloatArray
    prior: FloatArray
    confusion: FloatArray
    """Assessors × true grades × given grades; each row sums to 1, or is 0 where an assessor saw no such item."""
    rounds: int

    @property
    def grades(self) -> FloatArray:
        """The most likely grade of each item; of equals the lowest."""
        return np.asarray(self.panel.grades[np.argmax(self.chances, axis=1)])

    @property
    def confusions(self) -> pl.DataFrame:
        """A row per assessor, true grade and given grade: assessor, true_grade, grade, share; judgments of each."""
        assessor, true, given = (axis.ravel() for axis in np.indices(self.confusion.shape))
        judged = np.bincount(self.panel.assessor, minlength=len(self.panel.assessors))
        return pl.DataFrame(
            {
                "assessor": self.panel.assessors.gather(assessor),
                "judgments": judged[assessor],
                "true_grade": self.panel.grades[true],
                "grade": self.panel.grades[given],
                "share": self.confusion.ravel(),
            }
        )


def dawid_skene(judgments: pl.DataFrame) -> CrowdModel:
    """The model of some judgments that name their assessors."""
    return fitted(Panel.of(judgments))


def fitted(panel: Panel) -> CrowdModel:
    """The model of a panel, when no chance moves any more."""
    levels = len(panel.grades)
    said = np.bincount(panel.item * levels + panel.level, minlength=panel.items * levels)
    chances = said.reshape(panel.items, levels) / np.bincount(panel.item, minlength=panel.items)[:, np.newaxis]
    before, rounds = np.full_like(chances, np.inf), 0
    while rounds < ROUNDS and np.abs(chances - before).max(initial=0.0) >= TOLERANCE:
        prior, confusion = chances.mean(axis=0), _confusion(panel, chances)
        before, chances, rounds = chances, _chances(panel, prior, confusion), rounds + 1
    prior, confusion = chances.mean(axis=0), _confusion(panel, chances)
    return CrowdModel(panel=panel, chances=chances, prior=prior, confusion=confusion, rounds=rounds)


def _confusion(panel: Panel, chances: FloatArray) -> FloatArray:
    """By assessor and true grade, the share of each grade that was given (equation 2.3)."""
    shape = (len(panel.assessors), len(panel.grades))
    cell = panel.assessor * shape[1] + panel.level
    weights = [np.bincount(cell, weights=column, minlength=shape[0] * shape[1]) for column in chances[panel.item].T]
    counts = np.stack(weights).reshape(shape[1], *shape).transpose(1, 0, 2)
    whole = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(whole > 0, whole, 1.0))


def _chances(panel: Panel, prior: FloatArray, confusion: FloatArray) -> FloatArray:
    """The chance of each true grade of an item, given what was said of it (equation 2.5)."""
    logs = np.log(np.maximum(confusion, TINY))[panel.assessor, :, panel.level]
    sums = np.stack([np.bincount(panel.item, weights=column, minlength=panel.items) for column in logs.T], axis=1)
    sums += np.log(np.maximum(prior, TINY))
    likely = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def _combined(judgments: pl.DataFrame) -> pl.DataFrame:
    """The most likely grade of each item, in the order in which the items first appear."""
    items = judgments.select(ITEM).unique(maintain_order=True)
    return items.with_columns(grade=pl.Series(dawid_skene(judgments).grades, dtype=pl.Float64))


Rule(
    name="dawid-skene",
    words="the grade that is most likely if each assessor errs in his own way (Dawid & Skene 1979)",
    panel=_combined,
).register()
