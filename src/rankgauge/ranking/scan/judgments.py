"""The judgments as arrays, and where the lines of a run are among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import NegativeGrade
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.rules import graded
from rankgauge.ranking.scan.ids import Words
from rankgauge.ranking.scan.lines import Chunk, IrregularFileError, TrecLines
from rankgauge.ranking.scan.lookup import JudgedLookup
from rankgauge.ranking.scan.numbers import decimals
from rankgauge.threads import hand_back_memory, spread

DOCUMENT, GRADE, FIELDS = 2, 3, 4

SMALL = 1 << 18
"""Up to this many judgments have one lookup for every run and chunk, which the cache holds; more have one per chunk."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPool:
    """The judged documents, query by query: those of query `i` begin at `starts[i]` and are `counts[i]`."""

    codes: dict[bytes, int]
    starts: IndexArray
    counts: IndexArray
    documents: Words
    grades: FloatArray
    descending: FloatArray
    """The same grades, descending within each query; unjudged ones last."""

    @classmethod
    def read(cls, source: Iterable[Chunk], negative: NegativeGrade) -> JudgedPool:
        """The pool of a judgments file."""
        parts = list(spread(lambda chunk: _PoolPart.of(chunk, negative), source))
        names = [name for part in parts for name in part.names]
        codes = {name: code for code, name in enumerate(names)}
        if not names or len(codes) < len(names):
            raise IrregularFileError
        counts = np.concatenate([part.counts for part in parts])
        columns = [[getattr(part, name) for part in parts] for name in ("documents", "grades", "descending")]
        del parts  # each column lets its parts go when it is whole
        documents = _stacked(columns.pop(0))
        grades, descending = (np.concatenate(columns.pop(0)) for _ in range(2))
        if len(grades) > SMALL:
            hand_back_memory()
        return cls(
            codes=codes,
            starts=np.cumsum(counts) - counts,
            counts=counts,
            documents=documents,
            grades=grades,
            descending=descending,
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
    def judged(self) -> tuple[IndexArray, FloatArray]:
        """The query and the grade of every judged document, by query and falling grade."""
        query = np.repeat(np.arange(len(self.counts)), self.counts)
        known = self.descending > UNJUDGED
        return (query, self.descending) if known.all() else (query[known], self.descending[known])


@dataclass(frozen=True, kw_only=True, eq=False)
class _PoolPart:
    """What one chunk adds to the pool."""

    names: list[bytes]
    counts: IndexArray
    documents: Words
    grades: FloatArray
    descending: FloatArray

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
            grades=grades,
            descending=_descending(grades, lines.counts),
        )


def _descending(grades: FloatArray, counts: IndexArray) -> FloatArray:
    """The grades, descending within each query: grades are few, so (query, grade) is one number to sort by."""
    ordered = np.sort(-grades)
    levels = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    keys = np.repeat(np.arange(len(counts)) * len(levels), counts) + np.searchsorted(levels, -grades)
    keys.sort()
    return np.asarray(-levels[keys % len(levels)])


def _stacked(rows: list[Words]) -> Words:
    """The ids of all parts, in rows of the widest."""
    width = max(part.shape[1] for part in rows)
    stacked = np.zeros((sum(len(part) for part in rows), width), dtype=np.uint64)
    at = 0
    for part in rows:
        stacked[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return stacked


def spans(starts: IndexArray, counts: IndexArray) -> IndexArray:
    """The numbers from each start on, as many as are counted: the places of several slices in one array."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - (ends - counts), counts))
