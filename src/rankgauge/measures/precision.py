"""Precision at the ranks of relevant documents: plain, by grade level, and interpolated at recall levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.ranking import RankedLists, total
from rankgauge.records import entity


def cumulated_precision(lists: RankedLists, relevant: FloatArray, cutoff: float | None = None) -> FloatArray:
    """The precision at each relevant hit's rank, 0 elsewhere.

    Where documents are tied, the mean over their orders (McSherry & Najork 2008): a relevant document of a group that
    begins at rank a with m documents, r of them relevant, is at each of the m ranks equally often, and before it
    in the group (r − 1)/(m − 1) of the places hold relevant documents.
    """
    before, within = lists.earlier(relevant)
    ranks = np.where(lists.hits, lists.ranks, 1.0)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    strict = np.where(inside, lists.rounded(relevant * (before + 1.0) / ranks), 0.0)
    if lists.first is None or lists.size is None:
        return strict
    inverse = lists.weigh(lambda r: 1.0 / r, cutoff)
    places = lists.weigh(np.ones_like, cutoff) - np.where(lists.hits, lists.first, 0.0) * inverse
    mates = (within - 1.0) / np.maximum(np.where(lists.hits, lists.size, 1.0) - 1.0, 1.0)
    return np.where(lists.size > 1, relevant * ((before + 1.0) * inverse + mates * places), strict)


def check_lowest(measure: str, lowest: float) -> None:
    """Raise an error for a lowest grade below 0: many files have negative grades for documents that nobody judged."""
    real_number().check(measure, "lowest", lowest)


@entity
class Levels:
    """The distinct positive grades of each query's judged documents, from the highest down (queries × levels).

    `step` is a grade's distance from the next lower one in use (from 0 for the lowest), `reached` how many judged
    documents have at least that grade. Queries with fewer levels are padded with steps of 0.
    """

    grade: FloatArray
    step: FloatArray
    reached: FloatArray

    @classmethod
    def of(cls, lists: RankedLists) -> Levels:
        """The levels of each query of a block."""
        grade = np.where(lists.ideal > 0, lists.ideal, 0.0)
        step = -np.diff(grade, append=0.0)
        reached = np.broadcast_to(np.arange(1.0, grade.shape[-1] + 1), grade.shape)
        # The last document of each level is the one with a step below it.
        most = int(np.max((step > 0).sum(axis=-1), initial=0))
        order = np.argsort(step <= 0, axis=-1, kind="stable")[..., :most]
        return cls(
            **{
                name: np.take_along_axis(values, order, axis=-1)
                for name, values in (("grade", grade), ("step", step), ("reached", reached))
            }
        )

    def precision(self, lists: RankedLists, weights: FloatArray, cutoff: float | None = None) -> FloatArray:
        """What each hit adds to the sum, over the levels, of weight · precision at the hits that reach the level."""
        added = np.zeros(lists.grades.shape)
        for level in range(self.grade.shape[-1]):
            relevant = lists.grades >= self.grade[..., level, np.newaxis]
            added += weights[..., level, np.newaxis] * cumulated_precision(lists, relevant.astype(float), cutoff)
        return added


def _ceiling(level: float, R: FloatArray) -> FloatArray:
    """The least whole number from level · R on, of the level as it is written: 0.7 · 10 is 7, not a bit more."""
    from fractions import Fraction

    written = Fraction(str(float(level)))
    return np.asarray(-(-R.astype(np.int64) * written.numerator // written.denominator), dtype=np.float64)


ROUNDINGS: Mapping[str, Callable[[float, FloatArray], FloatArray]] = {
    "ceiling": _ceiling,
    "trec_eval": lambda level, R: np.floor(level * R + 0.9),  # up to 9.0: the ceiling, for whole tenths
    "nearest": lambda level, R: np.floor(level * R + 0.5),  # trec_eval 10: lround
}
"""How many of R relevant documents a recall level needs, by name."""


def reached(lists: RankedLists, rel: float, needed: FloatArray) -> BoolArray:
    """Whether a list has as many relevant documents as needed."""
    return np.asarray(lists.relevant(rel).sum(axis=-1) >= needed)


def interpolated_precision(lists: RankedLists, rel: float, needed: FloatArray) -> FloatArray:
    """The greatest precision at any rank from that of the needed-th relevant document on; 0 where it is missing.

    Precision is greatest at relevant documents, so only these are looked at. `lists` are in strict order.
    """
    relevant = lists.relevant(rel)
    precision = cumulated_precision(lists, relevant.astype(float))
    enough = np.cumsum(relevant, axis=-1) >= needed[..., np.newaxis]
    return np.asarray(np.max(np.where(enough, precision, 0.0), axis=-1, initial=0.0))


def mean_over_groups(lists: RankedLists, kernel: Callable[[RankedLists], FloatArray]) -> FloatArray:
    """The mean of a kernel's values over the groups; a group without a value counts 0, NaN if none has one.

    trec_eval's averages over judgment groups (`-R qrels_jg`).
    """
    assert lists.facets is not None
    values, known = kernel(lists.by_facet), ~np.isnan(lists.facets.weights)
    defined = ~np.isnan(values) & known
    summed = total(np.where(defined, values, 0.0))
    mean = ratio(summed, known.sum(axis=-1).astype(np.float64))
    return np.where(defined.any(axis=-1), mean, np.nan)
