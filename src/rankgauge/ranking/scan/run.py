"""Regular TREC files → hits: the judgments as arrays, where the lines of a run are among them, and their ranks."""

from __future__ import annotations

import io
import mmap
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.lazy_polars import pl
from rankgauge.numeric import EXACT_WHOLE, BoolArray, CodeArray, CompactArray, FloatArray, IndexArray
from rankgauge.policies import NegativeGrade, Ties
from rankgauge.ranking.hits import (
    Found,
    Hits,
    Ranking,
    apply_negative,
    arrange,
    comparable_scores,
    tied_by_rounding,
)
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.scan.lines import CHUNK, SPREAD, Chunk, IrregularFileError, TrecLines, Words, chunks, decimals
from rankgauge.ranking.sorts import SORTS
from rankgauge.records import entity
from rankgauge.threads import keep_freed_memory, spread

Made = TypeVar("Made")

DOCUMENT = 2
GRADE, JUDGED_FIELDS = 3, 4
SCORE, FIELDS = 4, 6
"""The fields that are read, and how many there are in a line of judgments and of a run."""

LOOKED_AT = 512
"""How many bytes tell a packed file from text."""


def scan(run: str | Path, judgments: str | Path | pl.DataFrame, how: Ranking, *, chunk: int = CHUNK) -> Hits | None:
    """Return the judged hits of a TREC run file, as `rank` gives them; None where a file is not regular.

    `chunk` is about how many bytes are worked on at a time.
    """
    pool = scan_judgments(judgments, how, chunk=chunk)
    return None if pool is None else scan_run(run, pool, how, chunk=chunk, last=True)


def scan_judgments(judgments: str | Path | pl.DataFrame, how: Ranking, *, chunk: int = CHUNK) -> JudgedPool | None:
    """Return the judged documents of a TREC file, for any number of runs; None where the file is not regular."""
    # Some sorts leave ties as no stable sort does: their lists take the general path.
    if sys.byteorder != "little" or how.ties in SORTS:
        return None
    try:
        with _open_file(judgments) as file:
            parts = _work_on(file, lambda read: _PoolPart.of(read, how.negative), chunk)
            pool = JudgedPool.read(parts, size=_size(file))
            pool.whole  # noqa: B018 - made here, once, and not by each of several threads
            return pool
    except _reasons():  # the general path says what is wrong, and where
        return None


def scan_run(
    run: str | PathLike[Any], pool: JudgedPool, how: Ranking, *, chunk: int = CHUNK, last: bool = False
) -> Hits | None:
    """Return the judged hits of a TREC run file; None where it is not regular. The `last` run uses the pool up."""
    try:
        with _open_file(run) as file:
            hits = _hits(_work_on(file, lambda read: _find_hits(read, pool, how), chunk), pool, last=last)
    except _reasons():
        return None
    return arrange(hits, how)


def scan_lists(run: str | PathLike[Any], *, chunk: int = CHUNK) -> tuple[list[str], IndexArray, Words, FloatArray]:
    """Return all lists of a TREC run file: the queries, how many documents each has, their ids and their scores.

    A file that is not regular is an `IrregularFileError`.
    """
    if sys.byteorder != "little":
        raise IrregularFileError
    names: list[bytes] = []
    parts: list[Any] = []
    try:
        with _open_file(run) as file:
            for part_, *part in _work_on(file, _lists, chunk):
                names += part_
                parts.append(part)
    except _reasons():
        raise IrregularFileError from None
    if not names or len(set(names)) < len(names):
        raise IrregularFileError
    counts, documents, scores = zip(*parts, strict=True)
    width = max(rows.shape[1] for rows in documents)
    wide = [np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in documents]
    return [name.decode() for name in names], np.concatenate(counts), np.concatenate(wide), np.concatenate(scores)


def _lists(chunk: Chunk) -> tuple[list[bytes], IndexArray, Words, FloatArray]:
    """Return the whole lists of one chunk."""
    lines = TrecLines(chunk, FIELDS)
    return lines.names, lines.counts, lines.ids(DOCUMENT), _scores(chunk, lines)


def _scores(chunk: Chunk, lines: TrecLines) -> FloatArray:
    """Return the scores of a chunk's lines; the general path says what doubles do not hold."""
    score = decimals(chunk.data, *lines.field(SCORE))
    if score is None or max(np.max(score), -np.min(score)) > EXACT_WHOLE:
        raise IrregularFileError
    return score


def _open_file(source: str | PathLike[Any] | pl.DataFrame) -> BinaryIO:
    """The file, unpacked if need be; a table of judgments is written as a file, so that both are read in one way."""
    if not isinstance(source, str | PathLike):
        text = io.BytesIO()
        columns = source.select("query", pl.lit("0").alias("iteration"), "document", "grade")
        columns.write_csv(text, include_header=False, separator=" ", quote_style="never")
        text.seek(0)
        return text
    file = Path(source)
    if not file.is_file():
        raise IrregularFileError  # a pipe gives its bytes once, and the general path keeps them
    opened = file.open("rb", buffering=0)
    start = opened.read(LOOKED_AT)
    if start.isascii():
        opened.seek(0)
        return opened
    with opened:
        start += opened.read(LOOKED_AT**2)
    from rankgauge.files.compression import is_bomb, packing_of

    packing = packing_of(start)
    if packing is None or is_bomb(start):  # the general path says what is wrong
        raise IrregularFileError
    return packing.unpack(file, -1)


def _size(file: BinaryIO) -> int:
    """Return how many bytes the file has, 0 if nobody knows before they are unpacked."""
    return os.fstat(file.fileno()).st_size if isinstance(file, io.FileIO) else 0


def _work_on(file: BinaryIO, work: Callable[[Chunk], Made], size: int) -> Iterator[Made]:
    """Yield what `work` makes of each chunk of the file; that of a small one is no work for threads."""
    if 0 < _size(file) < size:
        return map(work, chunks(file, size))
    keep_freed_memory()
    return spread(work, chunks(file, size), least=SPREAD)


def _reasons() -> tuple[type[BaseException], ...]:
    """Return the errors that mean that a file cannot be scanned."""
    from rankgauge.files.source import damage

    return (IrregularFileError, *damage())


def _hits(scanned: Iterable[Found], pool: JudgedPool, *, last: bool) -> Hits:
    pool_query, pool_grade = pool.judged
    parts = _check_parts(scanned, pool, last=last)
    return Hits.gather(parts, names=pool.names, pool_query=pool_query, pool_grade=pool_grade, most=len(pool.grades))


def _check_parts(parts: Iterable[Found], pool: JudgedPool, *, last: bool) -> Iterator[Found]:
    """Yield the judged hits chunk by chunk; a query that comes back makes the file irregular."""
    seen, empty = np.zeros(len(pool.counts), dtype=bool), True
    for part in parts:
        if bool(seen[part.listed].any()):
            raise IrregularFileError
        seen[part.listed], empty = True, False
        if last and len(part.listed):
            pool.release(part.listed)
        yield part
    if empty:
        raise IrregularFileError
    pool.check(np.flatnonzero(~seen))


def _find_hits(chunk: Chunk, pool: JudgedPool, how: Ranking) -> Found:
    """Return the judged hits of one chunk."""
    lines = TrecLines(chunk, FIELDS)
    score, documents = _scores(chunk, lines), lines.ids(DOCUMENT)
    codes = np.array([pool.codes.get(name, -1) for name in lines.names], dtype=np.int64)
    known = codes >= 0
    strangers = tuple(name.decode() for name, judged in zip(lines.names, known, strict=True) if not judged)
    codes, counts = codes[known], lines.counts[known]
    if len(set(codes.tolist())) < len(codes):
        raise IrregularFileError
    if not known.all():
        kept = spans(lines.starts[known], counts)
        score, documents = score[kept], documents[kept]
    place = pool.places(documents, codes, counts)
    hits = _order_lines(comparable_scores(score, how), documents, place, codes, counts, pool=pool, ties=how.ties)
    return replace(hits, strangers=strangers, rounded=tied_by_rounding(np.repeat(codes, counts), score, how))


def _order_lines(
    score: FloatArray,
    documents: Words,
    place: IndexArray,
    codes: IndexArray,
    counts: IndexArray,
    *,
    pool: JudgedPool,
    ties: Ties,
) -> Found:
    """Return the judged lines (whose `place` in the pool is not -1) with their ranks and tie groups."""
    starts = np.cumsum(counts) - counts
    opens = np.zeros(len(score), dtype=bool)
    opens[starts] = True
    order = _falling(score, opens, starts, counts)
    if order is not None:
        score, place = score[order], place[order]
    opens[1:] |= score[1:] != score[:-1]
    groups = np.flatnonzero(opens)
    sizes = np.diff(groups, append=len(score))
    group = np.repeat(np.arange(len(groups)), sizes)
    if ties in (Ties.DOCID, Ties.ASCENDING) and len(groups) < len(score):
        tied = np.flatnonzero((np.bincount(group[place >= 0], minlength=len(groups)) > 0) & (sizes > 1))
        listed = documents if order is None else documents[order]
        place = _order_by_id(place, listed, groups[tied], sizes[tied], falling=ties is Ties.DOCID)
    at = np.flatnonzero(place >= 0)
    query, group = np.repeat(np.arange(len(counts)), counts)[at], group[at]
    return Found(
        listed=codes,
        retrieved=counts.astype(np.float64),
        query=codes[query],
        rank=at - starts[query] + 1.0,
        grade=pool.grades[place[at]],
        first=groups[group] - starts[query] + 1.0,
        size=sizes[group].astype(np.float64),
    )


def _falling(score: FloatArray, opens: BoolArray, starts: IndexArray, counts: IndexArray) -> IndexArray | None:
    """The lines by query and falling score, those of equal score in their order; None if they are sorted already."""
    rises = np.zeros(len(score), dtype=bool)
    np.greater(score[1:], score[:-1], out=rises[1:])
    rises &= ~opens
    if not bool(rises.any()):
        return None
    chosen = np.logical_or.reduceat(rises, starts)
    lines = spans(starts[chosen], counts[chosen])
    query = np.repeat(np.arange(len(counts))[chosen], counts[chosen])
    order = np.arange(len(score))
    order[lines] = lines[np.lexsort((-score[lines], query))]
    return order


def _order_by_id(
    place: IndexArray, documents: Words, groups: IndexArray, sizes: IndexArray, *, falling: bool
) -> IndexArray:
    """The places after the documents of these tie groups were put in the falling or rising byte order of their ids."""
    lines = spans(groups, sizes)
    rows, place = documents[lines], place.copy()
    keys = [rows[:, column].byteswap() for column in reversed(range(rows.shape[1]))]  # the least significant first
    order = np.lexsort((*(~key if falling else key for key in keys), np.repeat(groups, sizes)))
    place[lines] = place[lines[order]]
    return place


SHORTEST = 2 * JUDGED_FIELDS
"""How many bytes a line of judgments has at least."""

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
    def read(cls, parts: Iterable[_PoolPart], *, size: int = 0) -> JudgedPool:
        """The pool of a judgments file of `size` bytes, if that is known; parts are let go once they are copied."""
        names: list[bytes] = []
        counts: list[IndexArray] = []
        documents, grades, descending = (_Column(room=size // SHORTEST) for _ in range(3))
        below = 0
        for part in parts:
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
        """Find each line's place in the pool, or -1; `codes` are the lines' queries, `counts` how many each has."""
        lookup = self._lookup(codes) if self.whole is None else self.whole
        return lookup.find(documents, np.repeat(codes, counts))

    def check(self, codes: IndexArray) -> None:
        """Refuse a document that is judged twice for one of these queries."""
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
        lines = TrecLines(chunk, JUDGED_FIELDS)
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
            grades=_compact(grades),
            descending=_compact(_descending(grades, lines.counts)),
            negative=below,
        )


def _compact(values: FloatArray) -> CompactArray:
    """Return the same numbers in half the room, if all are small whole ones."""
    singles = values.astype(np.float32)
    return singles if bool(((singles == values) & (singles == np.rint(singles))).all()) else values


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
        """Add rows; those that are narrower than others are filled up with zeros."""
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
        """Return for each line its place in the pool, or -1; a document listed twice is left to the general path."""
        keys = make_keys(hash_ids(documents), queries)
        if _is_twice(keys):
            raise IrregularFileError
        slot = (keys >> np.uint64(64 - self.bits)).astype(np.int64)
        at, end = self.begins.take(slot), self.begins.take(slot + 1)
        places = np.full(len(keys), -1)
        lines = np.flatnonzero(at < end)
        at, end = at[lines], end[lines]
        while len(lines):
            hit = np.flatnonzero(self.keys.take(at) == keys[lines])
            line, judged = lines[hit], at[hit]
            equal = same(documents.take(line, axis=0), self.documents.take(judged, axis=0))
            places[line[equal]] = self.places[judged[equal]]
            at = at + 1
            more = np.flatnonzero(at < end)
            lines, at, end = lines[more], at[more], end[more]
        return places


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
        owner = owners.take(slots)
        shared = np.flatnonzero(owner != rest)
        if bool((keys[rest[shared]] == keys[owner[shared]]).any()):
            return True
        rest, slots = rest[shared], slots[shared]
    return False


_ODD = np.array(
    [
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93),
        *(0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3),
    ],
    dtype=np.uint64,
)
"""Odd multipliers without a pattern in their bits, one for each word of an id."""

_HALF = np.uint64(32)


def hash_ids(rows: Words) -> Words:
    """Return a hash of each id; a wider row of the same id has the same hash."""
    sums = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        mixed = rows[:, column] >> _HALF
        mixed ^= rows[:, column]
        mixed *= _ODD[column]
        mixed ^= mixed >> _HALF
        sums += mixed
    return sums


def make_keys(hashes: Words, queries: IndexArray) -> Words:
    """Return a key of each (query, document); its upper bits are the better ones."""
    keys: Words = hashes + queries.astype(np.uint64) * _ODD[1]
    keys ^= keys >> _HALF
    keys *= _ODD[0]
    keys ^= keys >> _HALF
    keys *= _ODD[1]
    return keys


def same(one: Words, other: Words) -> BoolArray:
    """Return where two ids are equal, byte by byte."""
    differs = np.zeros(len(one), dtype=np.uint64)
    for column in range(max(one.shape[1], other.shape[1])):
        if column < one.shape[1] and column < other.shape[1]:
            differs |= one[:, column] ^ other[:, column]
        else:
            differs |= (one if column < one.shape[1] else other)[:, column]
    return np.asarray(differs == 0)
