"""Values straight from arrays of grades and scores, without tables or ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError
from rankgauge.input_notes import note
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.judged_lists import JudgedLists, Layout, ListPart, Scored, tabulate
from rankgauge.numeric import EXACT_WHOLE, FloatArray, IndexArray
from rankgauge.policies import HighGrade, MissingQuery, QueryOrder, Ties, Unjudged
from rankgauge.ranking import Block
from rankgauge.ranking.arrays import pad_groups, rank_arrays, refuse_ids
from rankgauge.ranking.keys import TOP, UNGRADED, grade_codes
from rankgauge.threads import keep_freed_memory, spread


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
    """Return the value of each query, in the order in which queries first occur; NaN where the dialect leaves one out.

    Either the arrays have a row for each query, shorter lists filled up with NaN; or they are flat and `group` gives
    the sizes of consecutive lists, as LightGBM has them, or `qid` the query of each document. A grade of NaN is no
    judgment. A score of NaN is an error, but in padding; with `unscored`, such a document is judged and not retrieved.

    >>> score_arrays([[0, 2, 1], [1, 0, 0]], [[0.1, 0.3, 0.2], [0.5, 0.9, 0.1]], "RR")
    array([1. , 0.5])
    """
    try:
        scorer = _scorer(measure, dialect, tuple(overrides.items()))
    except TypeError:  # a choice that cannot be remembered
        scorer = _scorer.__wrapped__(measure, dialect, tuple(overrides.items()))
    judged, scored = _numbers(grades), _scores(scores)
    if group is None and qid is None:
        _check_rows(judged, scored)
        if not unscored:  # else rows are lists on purpose: some of their documents are not retrieved
            _refuse_column(judged)
            _refuse_unscored(scored, judged)
        return scorer.score(judged.ravel(), scored.ravel(), Layout(np.full(*judged.shape)))
    order, sizes = _lists(group, qid)
    _check(judged, scored, sizes)
    if not unscored:
        _refuse_unscored(scored)
    return scorer.score(judged[order], scored[order], Layout(sizes))


def tables(grades: npt.ArrayLike, scores: npt.ArrayLike, dialect: Dialect) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments and a run of arrays with a row for each query: rows number the queries, columns their documents."""
    judged, scored = _numbers(grades), _scores(scores)
    _check_rows(judged, scored)
    _refuse_column(judged)
    _refuse_unscored(scored, judged)
    refuse_ids(dialect.ranking)

    def table(numbers: npt.NDArray[Any], name: str) -> pl.DataFrame:
        query, document = np.nonzero(~np.isnan(numbers))
        return pl.DataFrame({"query": query, "document": document, name: numbers[query, document]})

    return table(judged, "grade"), table(scored, "score")


class ArrayMean:
    """The mean of a measure over flat arrays, as other libraries hand them over, round after round.

    What depends on the judgments alone is kept for the data of the last few calls, known again by its content.
    """

    KEPT = 4
    """How many data sets are kept: one for training, some for validation."""

    def __init__(self, measure: str | Measure, dialect: str | Dialect, **overrides: Any) -> None:
        self.dialect = dialects.get(dialect, **overrides)
        self.measure = _one_measure(self.dialect, measure, "metric")
        refuse_ids(self.dialect.ranking)
        label = self.dialect.label().replace(", changed:", ",")
        self.title = str(measure) if label == "standard" else f"{measure} ({label})"
        self._scorer = ArrayScorer(self.measure, self.dialect)
        self._kept: list[_Kept] = []
        self._told_weights = False

    @property
    def more_is_better(self) -> bool:
        """Whether a higher mean is a better one; libraries that search or stop early have to know."""
        return self.measure.facts.more_is_better

    def __call__(
        self,
        grades: npt.ArrayLike,
        scores: npt.ArrayLike,
        *,
        group: npt.ArrayLike | None = None,
        qid: npt.ArrayLike | None = None,
    ) -> float:
        """Return the mean over the queries that count; `group` or `qid` says which document is in which list."""
        kept, scored = self._data(_numbers(grades), group, qid), _scores(scores)
        _check(kept.grades, scored, kept.layout.sizes)
        _refuse_unscored(scored)
        values = self._scorer.score(kept.ordered, scored[kept.order], kept.layout, kept.judged)
        return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")

    def tell_weights(self, weights: npt.ArrayLike | None, library: str) -> None:
        """Say once that the library weighs the data where this mean does not; equal weights change no mean."""
        if weights is None or self._told_weights or np.size(weights) == 0 or np.ptp(weights) == 0:
            return
        self._told_weights = True
        note(
            f"the data has weights, by which {library} weighs queries in its own metrics; {self.title} does not use"
            " them: its mean counts every query alike"
        )

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
        """Say whether these are the same grades and the same lists."""
        return bool(np.array_equal(self.lists, lists) and np.array_equal(self.grades, grades))


@lru_cache(maxsize=128)
def _scorer(measure: str | Measure, dialect: str | Dialect, overrides: tuple[tuple[str, Any], ...]) -> ArrayScorer:
    from rankgauge.evaluation.evaluation import override_choices  # after arrays: it knows tables, which need polars

    spoken = override_choices(dialect, dict(overrides), score_arrays)
    return ArrayScorer(_one_measure(spoken, measure, "score_arrays"), spoken)


def _one_measure(dialect: Dialect, measure: str | Measure, owner: str) -> Measure:
    first, *more = dialect.select(measure)
    if more:
        raise ParameterError(owner, "measure", "one measure, such as nDCG@10", measure)
    return first


def _numbers(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the values as an array of 32 or 64 bits; no other is made if they are one."""
    numbers = _array(values)
    if numbers.dtype.char in "fd":
        return numbers
    if numbers.dtype.kind in "mM":
        raise InputError(f"grades and scores have to be numbers: got {numbers.dtype}")
    try:
        return numbers.astype(np.float64, casting="same_kind" if numbers.dtype.kind == "c" else "unsafe")
    except (TypeError, ValueError) as error:
        raise InputError(f"grades and scores have to be numbers: {error}") from None


def _scores(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The scores as an array of 32 or 64 bits; whole numbers that a double would round have their order instead."""
    given = _array(values)
    if given.dtype.kind in "iu" and given.size and max(int(given.max()), -int(given.min())) > EXACT_WHOLE:
        return np.unique(given, return_inverse=True)[1].reshape(given.shape).astype(np.float64)
    return _numbers(given)


def _array(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the values as an array; masked ones and rows of different lengths are refused."""
    if np.ma.is_masked(values):
        raise InputError("an array has masked values", hint="Say what they are: array.fill_in(numpy.nan) for padding.")
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
    if grades.ndim != 1 or scores.ndim != 1:
        raise InputError(
            f"grades of shape {grades.shape} and scores of shape {scores.shape}",
            hint="With group or qid give flat arrays: one grade and one score for each document, as in scores.ravel().",
        )
    if not len(grades) == len(scores) == int(sizes.sum()):
        raise InputError(
            f"{len(grades)} grades, {len(scores)} scores and lists of {int(sizes.sum())} documents together",
            hint="Give one grade and one score for each document, and sizes that add up to their number.",
        )


def _check_rows(grades: npt.NDArray[Any], scores: npt.NDArray[Any]) -> None:
    if grades.shape != scores.shape or grades.ndim != 2:
        raise InputError(
            f"grades of shape {grades.shape} and scores of shape {scores.shape}",
            hint="Give two arrays of the same shape: a row for each query, a column for each document; or flat ones "
            "with group=the sizes of the lists or qid=the query of each document.",
        )


def _refuse_column(grades: npt.NDArray[Any]) -> None:
    """Raise an error if there are many lists of one document: a model's column of predictions, which is no ranking."""
    if grades.shape[1] == 1 and len(grades) > 1:
        raise InputError(
            f"{len(grades)} lists of one document each",
            hint="An array has a row for each query. Of a column of documents give score_arrays the flat one, and "
            "group=the sizes of the lists or qid=the query of each document.",
        )


Numbers: TypeAlias = npt.NDArray[Any]
"""Flat grades or scores, of 32 or 64 bits."""

TASKS, PARTS = 8, 16
"""Into how many tasks parts are divided at least, and how many parts a task has at most."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Raw:
    """What is known of each list before the dialect settles its value."""

    values: FloatArray
    best: FloatArray
    retrieved: FloatArray

    @classmethod
    def of(cls, count: int, value: float = np.nan) -> _Raw:
        return cls(values=np.full(count, value), best=np.full(count, -np.inf), retrieved=np.zeros(count))

    def put(self, index: slice | IndexArray, values: FloatArray, best: FloatArray, retrieved: FloatArray) -> None:
        self.values[index], self.best[index], self.retrieved[index] = values, best, retrieved


class ArrayScorer:
    """Scores the consecutive lists of flat arrays by one measure in one dialect."""

    def __init__(self, measure: Measure, dialect: Dialect) -> None:
        self.measure = measure
        self.dialect = dialect.changed(query_order=QueryOrder.APPEARANCE, missing=MissingQuery.ZERO)
        self.how = self.dialect.ranking
        self._spoken = self.dialect.speak(measure)
        self._kernel = self._spoken.kernel
        whole = self.how.depth is None and self.how.unjudged is not Unjudged.SKIP and not self.how.single_arithmetic
        self._quick = whole and self.how.ties not in (Ties.DOCID, Ties.ASCENDING) and not measure.needs_top
        self._highest = self.dialect.top(TOP) if self.dialect.high is not HighGrade.KEEP else TOP
        self._unlisted = 0.0 if self._kernel.ideal() is None else np.nan  # the value of a list without documents
        self._table = lru_cache(maxsize=8)(partial(tabulate, self._kernel))

    def judge(self, grades: Numbers, layout: Layout) -> list[JudgedLists] | None:
        """The lists with all that scoring needs of their judgments; None if there is no quick way to score them."""
        judging = self._judging(grades, layout)
        parts = [None] if judging is None else list(map(judging, layout.parts()))
        known = [lists for lists in parts if lists is not None]
        return known if len(known) == len(parts) else None

    def score(
        self, grades: Numbers, scores: Numbers, layout: Layout, judged: Sequence[JudgedLists] | None = None
    ) -> FloatArray:
        """Return the value of each list; `judged` is what `judge` made of the grades, if they came before."""
        if judged is not None:
            values = self._by_keys(judged, lambda lists: lists, grades, scores, layout)
        else:
            judging = self._judging(grades, layout)
            values = None if judging is None else self._by_keys(list(layout.parts()), judging, grades, scores, layout)
        values = self._by_ranks(grades, scores, layout) if values is None else values
        if self.dialect.fewest > 1:
            retrieved = values.retrieved
            self.dialect.check_lists(range(len(retrieved)), retrieved, retrieved > 0)
        return self._spoken.settle(values.values, values.best, values.retrieved)

    def _judging(self, grades: Numbers, layout: Layout) -> Callable[[ListPart], JudgedLists | None] | None:
        """Return how a part gets its judgments; None if there is no quick way for the measure, or for the grades."""
        depth = min(self.measure.depth or layout.longest, layout.longest)
        table = self._table(depth) if self._quick and depth else None
        if table is None:
            return None
        coded = partial(grade_codes, negative=self.how.negative, highest=self._highest)
        if layout.width is not None:
            return lambda part: JudgedLists.of(part, coded(part.rows(grades)), table)
        codes = coded(grades)
        if codes is None:
            return None
        padded = layout.pad(codes, UNGRADED)
        return lambda part: JudgedLists.of(part, part.rows(padded), table)

    def _by_keys(
        self,
        items: Sequence[Any],
        judging: Callable[[Any], JudgedLists | None],
        grades: Numbers,
        scores: Numbers,
        layout: Layout,
    ) -> _Raw | None:
        """Return the lists by keys, those of which these leave a doubt by ranks; None if some grade has no code."""
        flat = layout.pad(_single(scores) if self.how.single_precision else scores, np.nan)

        def work(task: Sequence[Any]) -> list[tuple[JudgedLists, Scored] | None]:
            made = map(judging, task)
            return [None if lists is None else (lists, lists.score(flat, self.how)) for lists in made]

        if len(items) == 1 and layout.width is not None:  # one list, or a few
            (one,) = work(items)
            if one is not None and not len(one[1].doubtful):
                return _Raw(values=one[1].values, best=one[0].best, retrieved=one[1].retrieved)
        elif len(items) > 1:
            keep_freed_memory()
        raw, doubtful = _Raw.of(layout.count, self._unlisted), []
        step = max(1, min(PARTS, len(items) // TASKS))
        for done in spread(work, [items[at : at + step] for at in range(0, len(items), step)]):
            for one in done:
                if one is None:
                    return None
                lists, scored = one
                raw.put(lists.part.index, scored.values, lists.best, scored.retrieved)
                if len(scored.doubtful):
                    doubtful.append(lists.part.numbers(scored.doubtful))
        if doubtful:
            chosen = np.zeros(layout.count, dtype=bool)
            chosen[np.concatenate(doubtful)] = True
            documents = np.repeat(chosen, layout.sizes)
            ranked = self._by_ranks(grades[documents], scores[documents], Layout(layout.sizes[chosen]))
            raw.put(np.flatnonzero(chosen), ranked.values, ranked.best, ranked.retrieved)
        return raw

    def _by_ranks(self, grades: Numbers, scores: Numbers, layout: Layout) -> _Raw:
        """Return the lists by the kernels, as those of tables are."""
        grades, scores = np.asarray(grades, dtype=np.float64), np.asarray(scores, dtype=np.float64)
        if np.isinf(grades).any():
            raise InputError("a grade is infinite", hint="Give grades that are numbers; NaN is no judgment.")
        grades = self.dialect.rescaled(grades) if self.dialect.rescales else grades
        dialect = self.dialect
        if self.measure.needs_top:
            dialect = dialect.topped(float(np.max(grades, initial=0.0, where=grades > 0)))
        kernel, raw = dialect.read(self.measure), _Raw.of(layout.count)

        def work(block: Block) -> tuple[IndexArray, FloatArray, FloatArray, FloatArray]:
            lists = block.lists
            best = lists.ideal[:, 0] if lists.ideal.shape[1] else np.full(len(block.index), np.nan)
            return block.index, kernel.score(lists), np.where(np.isnan(best), -np.inf, best), lists.retrieved

        for index, values, best, retrieved in spread(work, self._blocks(grades, scores, layout)):
            raw.put(index, values, best, retrieved)
        return raw

    def _blocks(self, grades: FloatArray, scores: FloatArray, layout: Layout) -> Iterator[Block]:
        cutoff = None if self.measure.judged_only else self.measure.depth or None  # the last rank that it looks at
        if layout.width is not None:
            shape = layout.count, layout.width
            yield from rank_arrays(grades.reshape(shape), scores.reshape(shape), self.how, cutoff=cutoff)
            return
        for rows, (judged, scored) in pad_groups(layout.sizes, grades, scores):
            for block in rank_arrays(judged, scored, self.how, cutoff=cutoff):
                yield Block(index=rows[block.index], lists=block.lists)


def _single(scores: Numbers) -> Numbers:
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)
