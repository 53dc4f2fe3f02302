"""Ids as rows of 64-bit words: loaded, compared, hashed and ordered many at a time, and never made Python objects.

An id's row is its bytes, filled up with zeros. No id holds a zero byte, so equal rows are equal ids; and since the
fill is less than any character, the order of rows as big-endian numbers is the byte order of the ids.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import BoolArray, IndexArray

Words: TypeAlias = npt.NDArray[np.uint64]
"""Ids × words, or one word per id."""

LONGEST = 64
MARGIN = 64
"""How many bytes around a chunk may be read."""

_ODD = np.array(
    [
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93),
        *(0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3),
    ],
    dtype=np.uint64,
)
"""Odd multipliers without a pattern in their bits, one for each word of an id."""

_HALF = np.uint64(32)
_EACH, _HIGH, _ALL = (np.uint64(bits) for bits in (0x0101010101010101, 0x8080808080808080, 0xFFFFFFFFFFFFFFFF))
"""The lowest bit of each byte, the highest, and all bits."""


def window(data: bytearray, start: IndexArray, width: int) -> Words:
    """Return the `width` words that begin at each place; words may begin at any byte."""
    size = 8 * width
    every = np.ndarray((len(data) - size + 1,), dtype=f"V{size}", buffer=data, strides=(1,))
    return every[start].view(np.uint64).reshape(-1, width)


def words(data: bytearray, start: IndexArray, length: IndexArray) -> Words | None:
    """Return the ids as rows of words; None where one is longer than any should be."""
    shortest, longest = int(length.min(initial=LONGEST)), int(length.max(initial=1))
    if longest > LONGEST:
        return None
    width = -(-longest // 8)
    rows = window(data, start, width)
    for column in range(shortest // 8, width):
        rows[:, column] &= _masks(column).take(length)
    return rows


def until(data: bytearray, start: IndexArray, blank: int, length: int) -> tuple[Words, IndexArray] | None:
    """Return the ids that begin at each place and end before the first blank, as rows of words, and their lengths.

    `length` is about how long they are; None where one is longer than any should be.
    """
    width = length // 8 + 1
    if width > LONGEST // 8:
        return None
    rows = window(data, start, width)
    lengths, goes_on = np.zeros(len(start), dtype=np.int64), np.ones(len(start), dtype=bool)
    for column in range(width):
        kept = _before(rows[:, column], np.uint64(blank) * _EACH)
        if column:
            kept *= goes_on
        rows[:, column] &= kept
        lengths += np.bitwise_count(kept) >> 3
        goes_on = kept == _ALL
    return until(data, start, blank, 8 * width) if bool(goes_on.any()) else (rows, lengths)


def _before(text: Words, blanks: np.uint64) -> Words:
    """Masks of the bytes before the first one that equals those of `blanks`."""
    other = text ^ blanks
    marks = other - _EACH
    np.invert(other, out=other)
    marks &= other
    marks &= _HIGH  # the lowest bit is that of the first byte that is 0 in `other`
    np.negative(marks, out=other)
    marks &= other
    marks >>= np.uint64(7)
    marks -= np.uint64(1)
    return marks


@cache
def _masks(column: int) -> Words:
    """For each length of an id, the mask that keeps its bytes in that column."""
    kept = 8 * column + np.arange(8) < np.arange(LONGEST + 1)[:, np.newaxis]
    return np.where(kept, np.uint8(255), np.uint8(0)).view(np.uint64).ravel()


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


def descending(rows: Words) -> list[Words]:
    """Sort keys, least significant first as `np.lexsort` wants them, for the falling byte order of the ids."""
    return [~key for key in ascending(rows)]


def ascending(rows: Words) -> list[Words]:
    """Sort keys, least significant first as `np.lexsort` wants them, for the rising byte order of the ids."""
    return [rows[:, column].byteswap() for column in reversed(range(rows.shape[1]))]
