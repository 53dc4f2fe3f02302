"""Files → chunks of lines: where every field of every line begins and ends, and where a query's lines begin.

A chunk is a few hundred kilobytes cut at a query's first line, small enough that all that is made of it stays in a
core's cache. One comparison finds its separators; a chunk whose lines do not all have the same number of fields
between single separators is irregular.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import IndexArray
from rankgauge.ranking.scan.ids import MARGIN, words
from rankgauge.threads import THREADS

CHUNK = 1 << 22
"""About how many bytes are worked on at a time: enough that NumPy's calls cost little, little enough for the cache."""

NEWLINE, BLANKS = 10, (32, 9)


class IrregularFileError(Exception):
    """The file cannot be scanned; the general path reads it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunk:
    """Whole lines of whole queries: `data[MARGIN:end]`, with room around it that may be read."""

    data: bytearray
    end: int


def chunks(file: BinaryIO, size: int) -> Iterator[Chunk]:
    """The file's chunks. Buffers are used again: a chunk lasts until `THREADS` more are taken."""
    ring: deque[bytearray] = deque()
    tail, cut = b"", MARGIN
    while cut:
        data = ring.popleft() if len(ring) == THREADS + 2 else _buffer(size)
        data[MARGIN : MARGIN + len(tail)] = tail
        data, filled, cut = _fill(file, data, MARGIN + len(tail), size)
        tail = bytes(data[cut:filled]) if cut else b""
        if filled > MARGIN:
            yield Chunk(data=data, end=cut or filled)
        ring.append(data)


def _buffer(size: int) -> bytearray:
    """Room for that many bytes and the margins; what is never filled costs no memory."""
    data = bytearray(size + 2 * MARGIN)
    data[:MARGIN] = b"~" * MARGIN
    return data


def _fill(file: BinaryIO, data: bytearray, filled: int, size: int) -> tuple[bytearray, int, int]:
    """The buffer with more of the file in it, how far it is filled, and where to cut it; 0 at the file's end."""
    while True:
        if len(data) - MARGIN - filled < size // 2:
            data = data + bytearray(len(data))
        got = file.readinto(memoryview(data)[filled : len(data) - MARGIN])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
        if cut := _last_query(data, filled):
            return data, filled, cut
    if filled > MARGIN and data[filled - 1] != NEWLINE:
        data[filled] = NEWLINE
        filled += 1
    return data, filled, 0


def _last_query(data: bytearray, filled: int) -> int:
    """Where the last whole line's query begins, 0 if it begins the chunk.

    A binary search: it assumes that a query's lines are together. If they are not, the query comes
    back in a later chunk, which is noticed there.
    """
    last = data.rfind(b"\n", MARGIN, max(data.rfind(b"\n", MARGIN, filled), 0)) + 1
    if not last:
        return 0
    begins = bytes(data[last : last + 512]).split(None, 1)
    if not begins:
        raise IrregularFileError  # a line of blanks
    query = bytes(data[last : last + len(begins[0]) + 1])
    if data.startswith(query, MARGIN):
        return 0
    low, high = MARGIN, last
    while low < high:
        middle = (low + high) // 2
        line = data.find(b"\n", middle, high) + 1
        if line and not data.startswith(query, line):
            low = line
        else:
            last, high = line or last, middle
    return last


class TrecLines:
    """The lines of a chunk: their fields, and the queries that they belong to."""

    def __init__(self, chunk: Chunk, fields: int) -> None:
        self.data = chunk.data
        self.bytes = np.frombuffer(chunk.data, dtype=np.uint8)
        # Signed, so that bytes above ASCII are taken for separators, and then refused with all that is odd.
        found = np.flatnonzero(self.bytes[: chunk.end].view(np.int8) <= BLANKS[0])
        if len(found) % fields or not len(found):
            raise IrregularFileError
        self.stops = found.reshape(-1, fields)
        self.begins = np.concatenate([[MARGIN], self.stops[:-1, -1] + 1])
        self._check(found)
        self.starts, self.names = self._queries()
        self.counts = np.diff(self.starts, append=len(self))

    def __len__(self) -> int:
        return len(self.stops)

    def field(self, number: int) -> tuple[IndexArray, IndexArray]:
        """Where the field begins and where it ends, for every line."""
        end = np.ascontiguousarray(self.stops[:, number])
        return self.stops[:, number - 1] + 1 if number else self.begins, end

    def ids(self, number: int) -> npt.NDArray[np.uint64]:
        """The field's bytes as rows of words."""
        start, end = self.field(number)
        made = words(self.data, start, end - start)
        if made is None:
            raise IrregularFileError
        return made

    def _check(self, found: IndexArray) -> None:
        """Every line has the same separators, and something between any two."""
        ends = self.bytes[found]
        blank, lines = int(ends[0]), len(self)
        shaped = np.count_nonzero(ends == blank) == len(found) - lines and bool(
            (ends[self.stops.shape[1] - 1 :: self.stops.shape[1]] == NEWLINE).all()
        )
        filled = found[0] > MARGIN and int(np.diff(found).min()) > 1
        if blank not in BLANKS or not shaped or not filled:
            raise IrregularFileError

    def _queries(self) -> tuple[IndexArray, list[bytes]]:
        """The first line of each query, and the queries' names."""
        ids = self.ids(0)
        changes = (ids[1:] != ids[:-1]).any(axis=1) if ids.shape[1] > 1 else ids[1:, 0] != ids[:-1, 0]
        first = np.concatenate([[0], np.flatnonzero(changes) + 1])
        start, end = self.field(0)
        spans = zip(start[first].tolist(), end[first].tolist(), strict=True)
        names = [bytes(self.data[a:b]) for a, b in spans]
        # A query id that begins with # may as well begin a comment.
        if any(name.startswith(b"#") for name in names):
            raise IrregularFileError
        return first, names
