"""One measure in one dialect, for arrays.

Where the measure is a sum over ranks and the grades are small whole numbers, lists are scored by integer keys; lists
of which that leaves a doubt, and all others, are ranked as those of tables are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.scoring import ValueRule
from rankgauge.measures import Measure
from rankgauge.measures.judged_lists import JudgedLists, Layout, ListPart, Scored
from rankgauge.measures.tabulated import tabulated
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import HighGrade, MissingQuery, QueryOrder, Ties, Unjudged
from rankgauge.ranking import Block
from rankgauge.ranking.arrays import pad_groups, rank_arrays
from rankgauge.ranking.keys import TOP, UNGRADED, grade_codes
from rankgauge.threads import keep_freed_memory, spread

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
        self._kernel, self._settlement = self.dialect.read(measure), ValueRule.of(measure, self.dialect)
        whole = self.how.depth is None and self.how.unjudged is not Unjudged.SKIP and not self.how.single_arithmetic
        self._quick = whole and self.how.ties not in (Ties.DOCID, Ties.ASCENDING) and not measure.needs_top
        self._highest = self.dialect.top(TOP) if self.dialect.high is not HighGrade.KEEP else TOP
        self._unlisted = 0.0 if self._kernel.ideal() is None else np.nan  # the value of a list without documents
        self._table = lru_cache(maxsize=8)(partial(tabulated, self._kernel))

    def judge(self, grades: Numbers, layout: Layout) -> list[JudgedLists] | None:
        """The lists with all that scoring needs of their judgments; None if there is no quick way to score them."""
        judging = self._judging(grades, layout)
        found = [None] if judging is None else list(map(judging, layout.parts()))
        known = [lists for lists in found if lists is not None]
        return known if len(known) == len(found) else None

    def score(
        self, grades: Numbers, scores: Numbers, layout: Layout, judged: Sequence[JudgedLists] | None = None
    ) -> FloatArray:
        """The value of each list; `judged` is what `judge` made of the grades, if they came before."""
        if judged is not None:
            found = self._by_keys(judged, lambda lists: lists, grades, scores, layout)
        else:
            judging = self._judging(grades, layout)
            found = None if judging is None else self._by_keys(list(layout.parts()), judging, grades, scores, layout)
        found = self._by_ranks(grades, scores, layout) if found is None else found
        if self.dialect.fewest > 1:
            retrieved = found.retrieved
            self.dialect.check_lists(range(len(retrieved)), retrieved, retrieved > 0)
        return self._settlement(found.values, found.best, found.retrieved)

    def _judging(self, grades: Numbers, layout: Layout) -> Callable[[ListPart], JudgedLists | None] | None:
        """How a part gets its judgments; None if there is no quick way for the measure, or for the grades."""
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
        padded = layout.padded(codes, UNGRADED)
        return lambda part: JudgedLists.of(part, part.rows(padded), table)

    def _by_keys(
        self,
        items: Sequence[Any],
        judging: Callable[[Any], JudgedLists | None],
        grades: Numbers,
        scores: Numbers,
        layout: Layout,
    ) -> _Raw | None:
        """The lists by keys, those of which these leave a doubt by ranks; None if some grade has no code."""
        flat = layout.padded(_single(scores) if self.how.single_precision else scores, np.nan)

        def work(task: Sequence[Any]) -> list[tuple[JudgedLists, Scored] | None]:
            made = map(judging, task)
            return [None if lists is None else (lists, lists.score(flat, self.how)) for lists in made]

        if len(items) == 1 and layout.width is not None:  # one list, or a few
            (one,) = work(items)
            if one is not None and not len(one[1].doubtful):
                return _Raw(values=one[1].values, best=one[0].best, retrieved=one[1].retrieved)
        elif len(items) > 1:
            keep_freed_memory()
        found, doubtful = _Raw.of(layout.count, self._unlisted), []
        step = max(1, min(PARTS, len(items) // TASKS))
        for done in spread(work, [items[at : at + step] for at in range(0, len(items), step)]):
            for one in done:
                if one is None:
                    return None
                lists, scored = one
                found.put(lists.part.index, scored.values, lists.best, scored.retrieved)
                if len(scored.doubtful):
                    doubtful.append(lists.part.numbers(scored.doubtful))
        if doubtful:
            chosen = np.zeros(layout.count, dtype=bool)
            chosen[np.concatenate(doubtful)] = True
            documents = np.repeat(chosen, layout.sizes)
            ranked = self._by_ranks(grades[documents], scores[documents], Layout(layout.sizes[chosen]))
            found.put(np.flatnonzero(chosen), ranked.values, ranked.best, ranked.retrieved)
        return found

    def _by_ranks(self, grades: Numbers, scores: Numbers, layout: Layout) -> _Raw:
        """The lists by the kernels, as those of tables are."""
        grades, scores = np.asarray(grades, dtype=np.float64), np.asarray(scores, dtype=np.float64)
        if np.isinf(grades).any():
            raise InputError("a grade is infinite", hint="Give grades that are numbers; NaN is no judgment.")
        grades = self.dialect.rescaled(grades) if self.dialect.rescales else grades
        dialect = self.dialect
        if self.measure.needs_top:
            dialect = dialect.topped(float(np.max(grades, initial=0.0, where=grades > 0)))
        kernel, found = dialect.read(self.measure), _Raw.of(layout.count)

        def work(block: Block) -> tuple[IndexArray, FloatArray, FloatArray, FloatArray]:
            lists = block.lists
            best = lists.ideal[:, 0] if lists.ideal.shape[1] else np.full(len(block.index), np.nan)
            return block.index, kernel.score(lists), np.where(np.isnan(best), -np.inf, best), lists.retrieved

        for index, values, best, retrieved in spread(work, self._blocks(grades, scores, layout)):
            found.put(index, values, best, retrieved)
        return found

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
