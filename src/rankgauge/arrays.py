"""Values straight from arrays of grades and scores, without tables or ids."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.array_scorer import ArrayScorer
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import Measure, parse
from rankgauge.measures.judged_lists import EvenLayout, Layout
from rankgauge.numeric import FloatArray, IndexArray


def score_arrays(
    grades: npt.ArrayLike,
    scores: npt.ArrayLike,
    measure: str | Measure,
    *,
    group: npt.ArrayLike | None = None,
    qid: npt.ArrayLike | None = None,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> FloatArray:
    """The value of each query, NaN for those that the dialect leaves out.

    Either the arrays have a row for each query, shorter lists filled up with NaN; or they are flat and `group` gives
    the sizes of consecutive lists, as LightGBM has them, or `qid` the query of each document.

        score_arrays([[0, 2, 1]], [[0.1, 0.3, 0.2]], "nDCG@10")
    """
    try:
        scorer = _scorer(measure, dialect, tuple(overrides.items()))
    except TypeError:  # a choice that cannot be remembered
        scorer = ArrayScorer(parse(measure), dialects.get(dialect, **overrides))
    judged, scored = _numbers(grades), _numbers(scores)
    if group is None and qid is None:
        _check_rows(judged, scored)
        return scorer.score(judged.ravel(), scored.ravel(), EvenLayout(*judged.shape))
    order, sizes = _lists(group, qid)
    _check(judged, scored, sizes)
    return scorer.score(judged[order], scored[order], Layout(sizes))


class ArrayMean:
    """The mean of a measure over flat arrays, as other libraries hand them over, round after round.

    What depends on the judgments alone is kept for the data of the last few calls, known again by its content.
    """

    KEPT = 4
    """How many data sets are kept: one for training, some for validation."""

    def __init__(self, measure: str | Measure, dialect: str | Dialect) -> None:
        self.measure, self.dialect = parse(measure), dialects.get(dialect)
        standard = self.dialect.name == "standard"
        self.title = str(measure) if standard else f"{measure} ({self.dialect.name})"
        self._scorer = ArrayScorer(self.measure, self.dialect)
        self._kept: list[_Kept] = []

    def __call__(
        self,
        grades: npt.ArrayLike,
        scores: npt.ArrayLike,
        *,
        group: npt.ArrayLike | None = None,
        qid: npt.ArrayLike | None = None,
    ) -> float:
        """The mean over the queries that count; `group` or `qid` says which document is in which list."""
        kept, scored = self._data(_numbers(grades), group, qid), _numbers(scores)
        _check(kept.grades, scored, kept.layout.sizes)
        values = self._scorer.score(kept.ordered, scored[kept.order], kept.layout, kept.judged)
        return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")

    def _data(self, grades: npt.NDArray[Any], group: npt.ArrayLike | None, qid: npt.ArrayLike | None) -> _Kept:
        lists = np.asarray(group if qid is None else qid)
        for place, kept in enumerate(self._kept):
            if kept.is_of(grades, lists):
                self._kept.insert(0, self._kept.pop(place))
                return kept
        kept = _Kept(grades, group, qid, self._scorer)
        self._kept = [kept, *self._kept[: self.KEPT - 1]]
        return kept


class _Kept:
    """Judged data as it was given, and what was made of it."""

    def __init__(
        self, grades: npt.NDArray[Any], group: npt.ArrayLike | None, qid: npt.ArrayLike | None, scorer: ArrayScorer
    ) -> None:
        self.grades, self.lists = grades.copy(), np.array(group if qid is None else qid)
        self.order, sizes = _lists(group, qid)
        _check(grades, grades, sizes)
        self.ordered, self.layout = self.grades[self.order], Layout(sizes)
        self.judged = scorer.judge(self.ordered, self.layout)

    def is_of(self, grades: npt.NDArray[Any], lists: npt.NDArray[Any]) -> bool:
        """Whether these are the same grades and the same lists."""
        return bool(np.array_equal(self.lists, lists) and np.array_equal(self.grades, grades))


@lru_cache(maxsize=128)
def _scorer(measure: str | Measure, dialect: str | Dialect, overrides: tuple[tuple[str, Any], ...]) -> ArrayScorer:
    return ArrayScorer(parse(measure), dialects.get(dialect, **dict(overrides)))


def _numbers(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The values as an array of 32 or 64 bits; no other is made if they are one."""
    found = np.asarray(values)
    return found if found.dtype.char in "fd" else found.astype(np.float64)


def _lists(group: npt.ArrayLike | None, qid: npt.ArrayLike | None) -> tuple[slice | IndexArray, IndexArray]:
    """The order that puts each query's documents together, and the sizes of the lists, in order of appearance."""
    if qid is None:
        return slice(None), np.asarray(group, dtype=np.int64)
    names, first, number = np.unique(np.asarray(qid), return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[number]
    sizes = np.bincount(place, minlength=len(names))
    return slice(None) if (place[1:] >= place[:-1]).all() else np.argsort(place, kind="stable"), sizes


def _check(grades: npt.NDArray[Any], scores: npt.NDArray[Any], sizes: IndexArray) -> None:
    if grades.ndim != 1 or grades.shape != scores.shape or int(sizes.sum()) != len(grades):
        raise InputError(
            f"{grades.size} grades, {scores.size} scores and lists of {int(sizes.sum())} documents together",
            hint="Give one grade and one score for each document, and sizes that add up to their number.",
        )


def _check_rows(grades: npt.NDArray[Any], scores: npt.NDArray[Any]) -> None:
    if grades.shape != scores.shape or grades.ndim != 2:
        raise InputError(
            f"grades of shape {grades.shape} and scores of shape {scores.shape}",
            hint="Give two arrays of the same shape: a row for each query, a column for each document.",
        )
