"""Values straight from arrays of grades and scores, without tables or ids."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.array_scorer import ArrayScorer
from rankgauge.measures import Measure, parse
from rankgauge.measures.judged_lists import EvenLayout, Layout
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking.arrays import refuse_ids


def score_arrays(
    grades: npt.ArrayLike,
    scores: npt.ArrayLike,
    measure: str | Measure,
    *,
    group: npt.ArrayLike | None = None,
    qid: npt.ArrayLike | None = None,
    unscored: bool = False,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> FloatArray:
    """The value of each query, NaN for those that the dialect leaves out.

    Either the arrays have a row for each query, shorter lists filled up with NaN; or they are flat and `group` gives
    the sizes of consecutive lists, as LightGBM has them, or `qid` the query of each document. A grade of NaN is no
    judgment. A score of NaN is an error, but in padding; with `unscored`, such a document is judged and not retrieved.

        score_arrays([[0, 2, 1]], [[0.1, 0.3, 0.2]], "nDCG@10")
    """
    try:
        scorer = _scorer(measure, dialect, tuple(overrides.items()))
    except TypeError:  # a choice that cannot be remembered
        scorer = ArrayScorer(parse(measure), dialects.get(dialect, **overrides))
    judged, scored = _numbers(grades), _numbers(scores)
    if group is None and qid is None:
        _check_rows(judged, scored)
        if not unscored:
            _refuse_unscored(scored, judged)
        return scorer.score(judged.ravel(), scored.ravel(), EvenLayout(*judged.shape))
    order, sizes = _lists(group, qid)
    _check(judged, scored, sizes)
    if not unscored:
        _refuse_unscored(scored)
    return scorer.score(judged[order], scored[order], Layout(sizes))


class ArrayMean:
    """The mean of a measure over flat arrays, as other libraries hand them over, round after round.

    What depends on the judgments alone is kept for the data of the last few calls, known again by its content.
    """

    KEPT = 4
    """How many data sets are kept: one for training, some for validation."""

    def __init__(self, measure: str | Measure, dialect: str | Dialect, **overrides: Any) -> None:
        self.measure, self.dialect = parse(measure), dialects.get(dialect, **overrides)
        refuse_ids(self.dialect.ranking)
        label = self.dialect.label().replace(", changed:", ",")
        self.title = str(measure) if label == "standard" else f"{measure} ({label})"
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
        _refuse_unscored(scored)
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
    found = _array(values)
    if found.dtype.char in "fd":
        return found
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"grades and scores have to be numbers: {error}") from None


def _array(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The values as an array; masked ones and rows of different lengths are refused."""
    if np.ma.is_masked(values):
        raise InputError("an array has masked values", hint="Say what they are: array.filled(numpy.nan) for padding.")
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(
            "the rows are of different lengths",
            hint="Fill up the shorter ones with NaN, or give flat arrays and group=the length of each list.",
        ) from None


def _lists(group: npt.ArrayLike | None, qid: npt.ArrayLike | None) -> tuple[slice | IndexArray, IndexArray]:
    """The order that puts each query's documents together, and the sizes of the lists, in order of appearance."""
    if group is not None and qid is not None:
        raise InputError("both group and qid say which documents make a list", hint="Give one of them.")
    if qid is None:
        return slice(None), _sizes(_array(group))  # type: ignore[arg-type]
    queries = _array(qid)
    if queries.ndim != 1 or (queries != queries).any():  # NaN differs from itself
        raise InputError(
            f"qid of shape {queries.shape}" if queries.ndim != 1 else "qid has NaN",
            hint="Give the query of each document: a number or a text.",
        )
    try:
        names, first, number = np.unique(queries, return_index=True, return_inverse=True)
    except TypeError:
        raise InputError("qid mixes numbers, texts or nothing", hint="Give all queries as texts.") from None
    place = np.argsort(np.argsort(first))[number]
    sizes = np.bincount(place, minlength=len(names))
    return slice(None) if (place[1:] >= place[:-1]).all() else np.argsort(place, kind="stable"), sizes


def _sizes(group: npt.NDArray[Any]) -> IndexArray:
    if group.ndim != 1 or group.dtype.kind not in "iuf" or (group < 0).any() or (group % 1 != 0).any():
        odd = group[(group < 0) | (group % 1 != 0)] if group.ndim == 1 and group.dtype.kind in "iuf" else []
        raise InputError(
            f"group has {odd[0]:g}" if len(odd) else f"group of type {group.dtype} and shape {group.shape}",
            hint="Give the number of documents of each list, whole and not negative.",
        )
    return group.astype(np.int64)


def _refuse_unscored(scores: npt.NDArray[Any], padded: npt.NDArray[Any] | None = None) -> None:
    """Raise an error if a document has no score; where lists are `padded`, those without a grade need none."""
    lacking = np.isnan(scores)
    if lacking.any() and (padded is None or (lacking := lacking & ~np.isnan(padded)).any()):
        first = ", ".join(map(str, np.argwhere(lacking)[0]))
        raise InputError(
            f"{int(lacking.sum())} of {lacking.size} scores are NaN, the first at [{first}]",
            hint="A ranking needs numbers. In score_arrays, unscored=True takes such documents for not retrieved.",
        )


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
            hint="Give two arrays of the same shape: a row for each query, a column for each document; or flat ones "
            "with group=the sizes of the lists or qid=the query of each document.",
        )
