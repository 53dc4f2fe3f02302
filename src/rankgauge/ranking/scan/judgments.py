"""The judgments as arrays, and where the lines of a run are among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import CodeArray, CompactArray, FloatArray, IndexArray, compact
from rankgauge.policies import NegativeGrade
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.rules import graded
from rankgauge.ranking.scan.chunks import Chunk, IrregularFileError
from rankgauge.ranking.scan.ids import Words
from rankgauge.ranking.scan.lines import TrecLines
from rankgauge.ranking.scan.lookup import JudgedLookup
from rankgauge.ranking.scan.numbers import decimals
from rankgauge.threads import spread

DOCUMENT, GRADE, FIELDS = 2, 3, 4
SHORTEST = 2 * FIELDS
"""How many bytes a line has at least."""

SMALL = 1 << 18
"""Up to this many judgments have one lookup for every run and chunk, which the cache holds; more have one per chunk."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPool:
    """The judged documents, query by query: those of query `i` begin at `starts[i]` and are `counts[i]`."""

    codes: dict[bytes, int]
    starts: IndexArray
    counts: IndexArray
    documents: Words
    grades: CompactArray
    descending: CompactArray
    """The same grades, descending within each query; unjudged ones last."""

    @classmethod
    def read(cls, source: Iterable[Chunk], negative: NegativeGrade, *, size: int = 0) -> JudgedPool:
        """The pool of a judgments file of `size` bytes, if that is known; parts are let go once they are copied."""
        names: list[bytes] = []
        counts: list[IndexArray] = []
        documents, grades, descending = (_Column(room=size // SHORTEST) for _ in range(3))
        for part in spread(lambda chunk: _PoolPart.of(chunk, negative), source):
            names += part.names
            counts.append(part.counts)
            documents.add(part.documents)
            grades.add(part.grades[:, np.newaxis])
            descending.add(part.descending[:, np.newaxis])
        codes = {name: code for code, name in enumerate(names)}
        if not names or len(codes) < len(names):
            raise IrregularFileError
        each = np.concatenate(counts)
        return cls(
            codes=codes,
            starts=np.cumsum(each) - each,
            counts=each,
            documents=documents.rows,
            grades=grades.rows[:, 0],
            descending=descending.rows[:, 0],
        )

    @cached_property
    def names(self) -> list[str]:
        """The queries' names, in the order of their first judgments."""
        return [name.decode("ascii") for name in self.codes]

    @cached_property
    def whole(self) -> JudgedLookup | None:
        """The lookup of all judged documents, unless there are too many."""
        return self._lookup(np.arange(len(self.counts))) if len(self.grades) <= SMALL else None

    def places(self, documents: Words, codes: IndexArray, counts: IndexArray) -> IndexArray:
        """For each line its place in the pool, or -1; the lines are those of the queries `codes`, `counts` of each."""
        lookup = self._lookup(codes) if self.whole is None else self.whole
        return lookup.find(documents, np.repeat(codes, counts))

    def check(self, codes: IndexArray) -> None:
        """Refuses a document that is judged twice for one of these queries."""
        if self.whole is None and len(codes):
            self._lookup(codes)

    def _lookup(self, codes: IndexArray) -> JudgedLookup:
        places = spans(self.starts[codes], self.counts[codes])
        documents = self.documents.take(places, axis=0)
        return JudgedLookup.of(documents, np.repeat(codes, self.counts[codes]), places)

    @cached_property
    def judged(self) -> tuple[CodeArray, CompactArray]:
        """The query and the grade of every judged document, by query and falling grade."""
        query = np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)
        known = self.descending > UNJUDGED
        return (query, self.descending) if known.all() else (query[known], self.descending[known])


@dataclass(frozen=True, kw_only=True, eq=False)
class _PoolPart:
    """What one chunk adds to the pool."""

    names: list[bytes]
    counts: IndexArray
    documents: Words
    grades: CompactArray
    descending: CompactArray

    @classmethod
    def of(cls, chunk: Chunk, negative: NegativeGrade) -> _PoolPart:
        lines = TrecLines(chunk, FIELDS)
        grades = decimals(chunk.data, *lines.field(GRADE))
        # The general path names the line that it refuses, and keeps unjudged documents in the pool.
        general = negative in (NegativeGrade.REFUSE, NegativeGrade.POOLED)
        if grades is None or (general and bool((grades < 0).any())):
            raise IrregularFileError
        grades = graded(grades, negative)
        return cls(
            names=lines.names,
            counts=lines.counts,
            documents=lines.ids(DOCUMENT),
            grades=compact(grades),
            descending=compact(_descending(grades, lines.counts)),
        )


def _descending(grades: FloatArray, counts: IndexArray) -> FloatArray:
    """The grades, descending within each query: grades are few, so (query, grade) is one number to sort by."""
    ordered = np.sort(-grades)
    levels = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    keys = np.repeat(np.arange(len(counts)) * len(levels), counts) + np.searchsorted(levels, -grades)
    keys.sort()
    return np.asarray(-levels[keys % len(levels)])


class _Column:
    """Rows that are added at the end; room that is never filled costs no memory."""

    def __init__(self, *, room: int) -> None:
        self.room, self.size = room, 0
        self.kept: npt.NDArray[Any] = np.empty((0, 0), dtype=np.float32)

    @property
    def rows(self) -> npt.NDArray[Any]:
        """What was added."""
        return self.kept[: self.size]

    def add(self, part: npt.NDArray[Any]) -> None:
        """Adds rows; those that are narrower than others are filled up with zeros."""
        start, end, width = self.size, self.size + len(part), part.shape[1]
        if end > len(self.kept) or width > self.kept.shape[1] or not np.can_cast(part.dtype, self.kept.dtype):
            self._make_room(end, part)
        self.kept[start:end, :width], self.kept[start:end, width:] = part, 0
        self.size = end

    def _make_room(self, end: int, part: npt.NDArray[Any]) -> None:
        rows, width = max(self.room, 2 * end), max(part.shape[1], self.kept.shape[1])
        made = np.empty((rows, width), dtype=np.result_type(part, self.kept) if self.size else part.dtype)
        made[: self.size, : self.kept.shape[1]], made[: self.size, self.kept.shape[1] :] = self.rows, 0
        self.kept = made


def spans(starts: IndexArray, counts: IndexArray) -> IndexArray:
    """The numbers from each start on, as many as are counted: the places of several slices in one array."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - (ends - counts), counts))
