"""The judgments as arrays, and where the lines of a run are among them."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import CodeArray, CompactArray, FloatArray, IndexArray, compact
from rankgauge.policies import NegativeGrade
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.rules import apply_negative
from rankgauge.ranking.scan.ids import Words, hash_ids, make_keys, same
from rankgauge.ranking.scan.lines import SPREAD, Chunk, IrregularFileError, TrecLines, decimals
from rankgauge.records import entity
from rankgauge.threads import spread

DOCUMENT, GRADE, FIELDS = 2, 3, 4
SHORTEST = 2 * FIELDS
"""How many bytes a line has at least."""

SMALL = 1 << 18
"""Up to this many judgments have one lookup for every run and chunk, which the cache holds; more have one per chunk."""

LARGE = 1 << 22
"""Arrays of at least so many bytes lie in pages of their own."""


@entity
class JudgedPool:
    """The judged documents, query by query: those of query `i` begin at `starts[i]` and are `counts[i]`."""

    codes: dict[bytes, int]
    starts: IndexArray
    counts: IndexArray
    documents: Words
    grades: CompactArray
    descending: CompactArray
    """The same grades, descending within each query; unjudged ones last."""
    negative: int
    """How many grades are below 0."""

    @classmethod
    def read(cls, source: Iterable[Chunk], negative: NegativeGrade, *, size: int = 0) -> JudgedPool:
        """The pool of a judgments file of `size` bytes, if that is known; parts are let go once they are copied."""
        names: list[bytes] = []
        counts: list[IndexArray] = []
        documents, grades, descending = (_Column(room=size // SHORTEST) for _ in range(3))
        below = 0
        for part in spread(lambda chunk: _PoolPart.of(chunk, negative), source, least=SPREAD):
            names += part.names
            counts.append(part.counts)
            below += part.negative
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
            negative=below,
        )

    @property
    def is_fractional(self) -> bool:
        """Whether a grade is no whole number."""
        return bool((self.grades[np.isfinite(self.grades)] % 1 != 0).any())

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

    def release(self, codes: IndexArray) -> None:
        """Give back the memory of these queries' ids, whole pages of it: no run will ask for them any more."""
        mapping = mapping_of(self.documents)
        if mapping is None or self.whole is not None:
            return
        codes, row = np.sort(codes), self.documents.strides[0]
        breaks = np.flatnonzero(np.diff(codes) != 1)
        for first, last in zip(codes[np.append(0, breaks + 1)], codes[np.append(breaks, -1)], strict=True):
            start = -(-int(self.starts[first]) * row // mmap.PAGESIZE) * mmap.PAGESIZE
            end = int(self.starts[last] + self.counts[last]) * row // mmap.PAGESIZE * mmap.PAGESIZE
            if start < end:
                mapping.madvise(mmap.MADV_DONTNEED, start, end - start)

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


@entity
class _PoolPart:
    """What one chunk adds to the pool."""

    names: list[bytes]
    counts: IndexArray
    documents: Words
    grades: CompactArray
    descending: CompactArray
    negative: int

    @classmethod
    def of(cls, chunk: Chunk, negative: NegativeGrade) -> _PoolPart:
        lines = TrecLines(chunk, FIELDS)
        grades = decimals(chunk.data, *lines.field(GRADE))
        # The general path names the line that it refuses, and keeps unjudged documents in the pool.
        general = negative in (NegativeGrade.REFUSE, NegativeGrade.POOLED)
        if grades is None or (general and bool((grades < 0).any())):
            raise IrregularFileError
        below = int((grades < 0).sum())
        grades = apply_negative(grades, negative)
        return cls(
            names=lines.names,
            counts=lines.counts,
            documents=lines.ids(DOCUMENT),
            grades=compact(grades),
            descending=compact(_descending(grades, lines.counts)),
            negative=below,
        )


def _descending(grades: FloatArray, counts: IndexArray) -> FloatArray:
    """Return the grades, descending within each query: grades are few, so (query, grade) is one number to sort by."""
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
        made = _allocate((rows, width), np.result_type(part, self.kept) if self.size else part.dtype)
        made[: self.size, : self.kept.shape[1]], made[: self.size, self.kept.shape[1] :] = self.rows, 0
        self.kept = made


def _allocate(shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Room for an array, in pages that can be given back one by one where the system can do that."""
    size = shape[0] * shape[1] * dtype.itemsize
    if not hasattr(mmap, "MADV_DONTNEED") or size < LARGE:
        return np.empty(shape, dtype=dtype)
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(mapping, dtype=dtype).reshape(shape)


def mapping_of(array: npt.NDArray[Any]) -> mmap.mmap | None:
    """Return the pages that hold an array, if it was allocated in such."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    owner = owner.obj if isinstance(owner, memoryview) else owner
    return owner if isinstance(owner, mmap.mmap) else None


def spans(starts: IndexArray, counts: IndexArray) -> IndexArray:
    """Return the numbers from each start on, as many as are counted: the places of several slices in one array."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - (ends - counts), counts))


ROOM = 2
"""A table has at least 2² times as many slots as there are keys, so that few share one."""


@entity
class JudgedLookup:
    """Judged documents by their keys: `places` are theirs in the pool, `begins` where the keys of each slot begin."""

    keys: Words
    places: IndexArray
    documents: Words
    begins: npt.NDArray[np.int32]
    bits: int

    @classmethod
    def of(cls, documents: Words, queries: IndexArray, places: IndexArray) -> JudgedLookup:
        """Return the lookup of these documents; one that is judged twice for a query is left to the general path."""
        keys = make_keys(hash_ids(documents), queries)
        order = _order(keys)
        keys = keys.take(order)
        if bool((keys[1:] == keys[:-1]).any()):
            raise IrregularFileError
        bits = len(keys).bit_length() + ROOM
        begins = np.zeros((1 << bits) + 1, dtype=np.int32)
        np.cumsum(np.bincount((keys >> np.uint64(64 - bits)).astype(np.int64), minlength=1 << bits), out=begins[1:])
        return cls(
            keys=keys,
            places=places.take(order),
            documents=documents.take(order, axis=0),
            begins=begins,
            bits=bits,
        )

    def find(self, documents: Words, queries: IndexArray) -> IndexArray:
        """For each line its place in the pool, or -1; a document listed twice is left to the general path."""
        keys = make_keys(hash_ids(documents), queries)
        if _is_twice(keys):
            raise IrregularFileError
        slot = (keys >> np.uint64(64 - self.bits)).astype(np.int64)
        at, end = self.begins.take(slot), self.begins.take(slot + 1)
        found = np.full(len(keys), -1)
        lines = np.flatnonzero(at < end)
        at, end = at[lines], end[lines]
        while len(lines):
            hit = np.flatnonzero(self.keys.take(at) == keys[lines])
            line, judged = lines[hit], at[hit]
            equal = same(documents.take(line, axis=0), self.documents.take(judged, axis=0))
            found[line[equal]] = self.places[judged[equal]]
            at = at + 1
            more = np.flatnonzero(at < end)
            lines, at, end = lines[more], at[more], end[more]
        return found


def _order(keys: Words) -> IndexArray:
    """The order of the keys, whose last bits are their numbers meanwhile: a sort takes less time than an `argsort`."""
    bits = np.uint64(len(keys).bit_length())
    packed = (keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    leading = packed >> bits
    if bool((leading[1:] == leading[:-1]).any()):  # the last bits decide
        return np.argsort(keys)
    return (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)


def _is_twice(keys: Words) -> bool:
    """Say whether two keys are equal; of different documents they are so once in millions of files.

    Every line writes its number into its slot and reads it again: those that read another's compare their keys, and
    try again among themselves, as there may be a third one.
    """
    bits = max(len(keys).bit_length() + ROOM, 1)
    slots = (keys >> np.uint64(64 - bits)).astype(np.int64)
    owners = np.empty(1 << bits, dtype=np.int32)
    rest = np.arange(len(keys), dtype=np.int32)
    while len(rest):
        owners[slots] = rest
        found = owners.take(slots)
        shared = np.flatnonzero(found != rest)
        if bool((keys[rest[shared]] == keys[found[shared]]).any()):
            return True
        rest, slots = rest[shared], slots[shared]
    return False
