"""Files → chunks: a few megabytes of whole lines, cut at a query's first line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from rankgauge.ranking.scan.ids import MARGIN
from rankgauge.threads import THREADS

CHUNK = 1 << 22
"""About how many bytes are worked on at a time: enough that NumPy's calls cost little, little enough for the cache."""

NEWLINE = 10


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
        if len(data) < 2 * (MARGIN + len(tail)):
            data = _buffer(2 * len(tail))
        data[MARGIN : MARGIN + len(tail)] = tail
        data, filled, cut = _fill(file, data, MARGIN + len(tail))
        tail = bytes(data[cut:filled]) if cut else b""
        if filled > MARGIN:
            yield Chunk(data=data, end=cut or filled)
        ring.append(data)


def _buffer(size: int) -> bytearray:
    """Room for that many bytes and the margins; what is never filled costs no memory."""
    data = bytearray(size + 2 * MARGIN)
    data[:MARGIN] = b"~" * MARGIN
    return data


def _fill(file: BinaryIO, data: bytearray, filled: int) -> tuple[bytearray, int, int]:
    """The buffer with more of the file in it, how far it is filled, and where to cut it; 0 at the file's end."""
    while True:
        if filled == len(data) - MARGIN:
            if cut := _last_query(data, filled):
                return data, filled, cut
            data = data + bytearray(len(data))
        got = file.readinto(memoryview(data)[filled : len(data) - MARGIN])  # type: ignore[attr-defined]
        if not got:
            break
        filled += got
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
