"""The judgments as arrays, and the join of a chunk's lines with them.

Lines and judgments get 64-bit keys from their (query, document): hash above, their own number below. Sorted together,
equal documents are neighbours, and so are documents listed twice. Neighbours are compared byte by byte, so a hash never
decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import NegativeGrade
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.rules import graded
from rankgauge.ranking.scan.ids import Words, hashed, keyed, same
from rankgauge.ranking.scan.lines import Chunk, IrregularFileError, TrecLines
from rankgauge.ranking.scan.numbers import decimals
from rankgauge.threads import spread

DOCUMENT, GRADE, FIELDS = 2, 3, 4

SALTS = range(4)
"""Keys are mixed anew, up to four times, until no two different documents of a chunk share one."""


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
        return cls(
            codes=codes,
            starts=np.cumsum(counts) - counts,
            counts=counts,
            documents=_stacked([part.documents for part in parts]),
            grades=np.concatenate([part.grades for part in parts]),
            descending=np.concatenate([part.descending for part in parts]),
        )

    @property
    def names(self) -> list[str]:
        """The queries' names, in the order of their first judgments."""
        return [name.decode("ascii") for name in self.codes]

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


def join(documents: Words, codes: IndexArray, counts: IndexArray, pool: JudgedPool) -> IndexArray:
    """For each line, its place in the pool, or -1.

    The lines are those of the queries `codes`, `counts` of each. A document listed twice is left to the general
    path, which names it.
    """
    places = spans(pool.starts[codes], pool.counts[codes])
    judged = pool.documents.take(places, axis=0)
    query = np.concatenate([np.repeat(codes, counts), np.repeat(codes, pool.counts[codes])])
    hashes = np.concatenate([hashed(documents), hashed(judged)])
    found = np.full(len(documents), -1)
    for salt in SALTS:
        one, other = _neighbours(keyed(hashes, query, salt))
        if _is_matching(one, other, len(documents)):
            line, place = one, other - len(documents)
            equal = same(documents.take(line, axis=0), judged.take(place, axis=0))
            found[line[equal]] = places[place[equal]]
            return found
        if _is_twice(one, other, documents, judged, query):
            break
    raise IrregularFileError


def _neighbours(keys: Words) -> tuple[IndexArray, IndexArray]:
    """The numbers of neighbours with equal hashes, the smaller first."""
    bits = np.uint64(len(keys).bit_length())
    keys = (keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    upper = keys >> bits
    at = np.flatnonzero(upper[1:] == upper[:-1])
    number = (np.uint64(1) << bits) - np.uint64(1)
    return (keys[at] & number).astype(np.int64), (keys[at + 1] & number).astype(np.int64)


def _is_matching(one: IndexArray, other: IndexArray, lines: int) -> bool:
    """Whether every pair is a line and a judgment, and none has a third of the same hash."""
    return bool((one < lines).all() and (other >= lines).all())


def _is_twice(one: IndexArray, other: IndexArray, documents: Words, judged: Words, query: IndexArray) -> bool:
    """Whether two lines, or two judgments, are of the same query and document."""
    lines = len(documents)
    for rows, chosen, first in ((documents, other < lines, 0), (judged, one >= lines, lines)):
        a, b = one[chosen], other[chosen]
        if bool((same(rows[a - first], rows[b - first]) & (query[a] == query[b])).any()):
            return True
    return False
