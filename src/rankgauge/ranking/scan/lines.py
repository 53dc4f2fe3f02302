"""The lines of a chunk: where the fields begin and end, and where a query's lines begin.

Most chunks are uniform: the second field and the tag are as long as those of the first line. There only the newlines
are searched for. A field of any length ends at the first blank of the words that begin with it, and since all
separators are counted, there are no others. Elsewhere one comparison finds every separator. A chunk whose lines do
not all have the same number of fields between single separators is irregular.

Ids are rows of 64-bit words, loaded many at a time and never made Python objects: an id's bytes, filled up with zeros.
No id holds a zero byte, so equal rows are equal ids; and since the fill is less than any character, the order of rows
as big-endian numbers is the byte order of the ids.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.records import entity
from rankgauge.threads import THREADS

Words: TypeAlias = npt.NDArray[np.uint64]
"""Ids × words, or one word per id."""

LONGEST_ID = 64
MARGIN = 64
"""How many bytes around a chunk may be read."""

_EACH, _TOPS, _ALL = (np.uint64(bits) for bits in (0x0101010101010101, 0x8080808080808080, 0xFFFFFFFFFFFFFFFF))
"""The lowest bit of each byte, the highest, and all bits."""


def window(data: bytearray, start: IndexArray, width: int) -> Words:
    """Return the `width` words that begin at each place; words may begin at any byte."""
    size = 8 * width
    every = np.ndarray((len(data) - size + 1,), dtype=f"V{size}", buffer=data, strides=(1,))
    return every[start].view(np.uint64).reshape(-1, width)


def words(data: bytearray, start: IndexArray, length: IndexArray) -> Words | None:
    """Return the ids as rows of words; None where one is longer than any should be."""
    shortest, longest = int(length.min(initial=LONGEST_ID)), int(length.max(initial=1))
    if longest > LONGEST_ID:
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
    if width > LONGEST_ID // 8:
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
    """Return masks of the bytes before the first one that equals those of `blanks`."""
    other = text ^ blanks
    marks = other - _EACH
    np.invert(other, out=other)
    marks &= other
    marks &= _TOPS  # the lowest bit is that of the first byte that is 0 in `other`
    np.negative(marks, out=other)
    marks &= other
    marks >>= np.uint64(7)
    marks -= np.uint64(1)
    return marks


@cache
def _masks(column: int) -> Words:
    """Return for each length of an id the mask that keeps its bytes in that column."""
    kept = 8 * column + np.arange(8) < np.arange(LONGEST_ID + 1)[:, np.newaxis]
    return np.where(kept, np.uint8(255), np.uint8(0)).view(np.uint64).ravel()


BLANKS = (32, 9)
SECOND, TAG = 1, 5
"""The fields that are as long as those of the first line: Q0 or the iteration, and a run's last one."""


class TrecLines:
    """The lines of a chunk: their fields, and the queries that they belong to."""

    begins: IndexArray
    stops: list[IndexArray]
    """Where each field ends, for every line."""

    def __init__(self, chunk: Chunk, fields: int) -> None:
        self.data, self.end, self.fields = chunk.data, chunk.end, fields
        self.bytes = np.frombuffer(chunk.data, dtype=np.uint8)
        self.loaded: dict[int, Words] = {}
        # Signed, so that bytes above ASCII are taken for separators, and then refused with all that is odd.
        separates = self.bytes[: chunk.end].view(np.int8) <= BLANKS[0]
        if not self._is_uniform(int(np.count_nonzero(separates))):
            self._separate(separates)
        self.starts, self.names = self._queries()
        self.counts = np.diff(self.starts, append=len(self))

    def __len__(self) -> int:
        return len(self.begins)

    def field(self, number: int) -> tuple[IndexArray, IndexArray]:
        """Return where the field begins and where it ends, for every line."""
        return self.stops[number - 1] + 1 if number else self.begins, self.stops[number]

    def ids(self, number: int) -> Words:
        """Return the field's bytes as rows of words."""
        if number in self.loaded:
            return self.loaded[number]
        start, end = self.field(number)
        made = words(self.data, start, end - start)
        if made is None:
            raise IrregularFileError
        return made

    def _is_uniform(self, separators: int) -> bool:
        """Say whether the lines are like the first one; if so, their fields are found."""
        first = bytes(self.data[MARGIN : max(self.data.find(b"\n", MARGIN, self.end), MARGIN)])
        blank = next((one for one in BLANKS if one in first), 0)
        lengths = [len(field) for field in first.split(bytes([blank]))]
        ends = _newlines(self.bytes, self.end)
        if len(lengths) != self.fields or not all(lengths) or separators != self.fields * len(ends):
            return False
        # A tag is found from the line's end, which leaves the field before it as the one that ends there.
        last = ends - (lengths[TAG] + 1) if self.fields > TAG else ends
        start, stops = (begins := np.concatenate([[MARGIN], ends[:-1] + 1])), []
        for number in range(TAG - 1 if self.fields > TAG else self.fields - 1):
            stop = start + lengths[number] if number == SECOND else self._until(number, start, blank, lengths[number])
            if stop is None or int(stop.max()) >= self.end:
                return False
            stops.append(stop)
            start = stop + 1
        self.begins, self.stops = begins, [*stops, last, *([ends] if self.fields > TAG else [])]
        guessed = (SECOND, TAG - 1) if self.fields > TAG else (SECOND,)
        return bool((last > start).all()) and all(self._ends_at(number, blank) for number in guessed)

    def _until(self, number: int, start: IndexArray, blank: int, length: int) -> IndexArray | None:
        """Return where the field ends, if it is neither empty nor too long."""
        stops = until(self.data, start, blank, length)
        if stops is None or not int(stops[1].min()):
            return None
        self.loaded[number] = stops[0]
        return start + stops[1]

    def _ends_at(self, number: int, blank: int) -> bool:
        """Say whether the field ends at a blank in every line."""
        return bool((self.bytes.take(self.stops[number]) == blank).all())

    def _separate(self, separates: BoolArray) -> None:
        """Find every separator."""
        self.loaded.clear()  # what was found before a line turned out to be unlike the first
        places = np.flatnonzero(separates)
        if len(places) % self.fields or not len(places):
            raise IrregularFileError
        table = places.reshape(-1, self.fields)
        self.begins = np.concatenate([[MARGIN], table[:-1, -1] + 1])
        self.stops = [np.ascontiguousarray(column) for column in table.T]
        self._check(places)

    def _check(self, places: IndexArray) -> None:
        """Every line has the same separators, and something between any two."""
        ends = self.bytes[places]
        blank, lines = int(ends[0]), len(self)
        shaped = np.count_nonzero(ends == blank) == len(places) - lines and bool(
            (ends[self.fields - 1 :: self.fields] == NEWLINE).all()
        )
        filled = places[0] > MARGIN and int(np.diff(places).min()) > 1
        if blank not in BLANKS or not shaped or not filled:
            raise IrregularFileError

    def _queries(self) -> tuple[IndexArray, list[bytes]]:
        """Return the first line of each query, and the queries' names."""
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


def _newlines(text: npt.NDArray[np.uint8], end: int) -> IndexArray:
    """Return where the newlines are, the first one of any eight bytes: no line of four fields is shorter."""
    newlines = (text[: -(-end // 8) * 8] == NEWLINE).view(np.uint64)
    at = np.flatnonzero(newlines != 0)
    # One byte is 1, and each byte before it has eight bits below that.
    ends: IndexArray = (at << 3) + (np.bitwise_count(newlines.take(at) - np.uint64(1)) >> 3)
    return ends[:-1] if len(ends) and ends[-1] >= end else ends


CHUNK = 1 << 21
"""About how many bytes are worked on at a time: enough that NumPy's calls cost little, little enough for the cache."""

SPREAD = 3
"""Fewer chunks are not worth a second thread, which takes longer to start."""

NEWLINE = 10


class IrregularFileError(Exception):
    """The file cannot be scanned; the general path reads it."""


@entity
class Chunk:
    """Whole lines of whole queries: `data[MARGIN:end]`, with room around it that may be read."""

    data: bytearray
    end: int


def chunks(file: BinaryIO, size: int) -> Iterator[Chunk]:
    """Yield the file's chunks. Buffers are used again: a chunk lasts until `THREADS` more are taken."""
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
    """Return the buffer with more of the file in it, how far it is filled, and where to cut it; 0 at the file's end."""
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
    """Return where the last whole line's query begins, 0 if it begins the chunk.

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


DIGITS = 19
"""10^19 is less than 2^64."""

LONGEST = 24
MINUS, POINT = ord("-"), ord(".")

_PLAIN = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

_ZEROS, _SIXES, _HIGH = (np.uint64(b * 0x0101010101010101) for b in (0x30, 0x06, 0xF0))


def decimals(data: bytearray, start: IndexArray, end: IndexArray) -> FloatArray | None:
    """Parse the fields as numbers; return None if one of them is not a finite number."""
    negative = np.frombuffer(data, dtype=np.uint8).take(start) == MINUS
    first = start + negative
    places = _places(bytes(data[int(first[0]) : int(end[0])]))
    values = _short(data, first, end, places)
    if values is not None:
        return np.where(negative, -values, values) if negative.any() else values
    values = _parse(data, first, end, places)
    others = np.flatnonzero(np.isnan(values))
    each = _each_places(data, first[others], end[others]) if len(others) else others
    for one in sorted(set(each.tolist())):
        lines = others[each == one]
        values[lines] = _parse(data, first[lines], end[lines], one)
    if negative.any():
        values = np.where(negative, -values, values)
    for line in others[np.isnan(values[others])].tolist():
        field = bytes(data[int(start[line]) : int(end[line])])
        if not _PLAIN.fullmatch(field) or math.isinf(float(field)):
            return None
        values[line] = float(field)
    return values


def _short(data: bytearray, first: IndexArray, end: IndexArray, places: int) -> FloatArray | None:
    """Return the numbers, if each has that many digits after the point and at most eight in all."""
    length = end - first
    longest = 8 + (places >= 0)
    if places > 7 or int(length.min()) < longest - 7 or int(length.max()) > longest:
        return None
    tail = window(data, end - 8, 1)[:, 0]
    digits = tail
    if places >= 0:
        # The bytes before the point, moved to where it stood, beside those that follow it.
        digits = window(data, end - (places + 9), 1)[:, 0]
        digits >>= np.uint64(8 * places)
        digits |= (tail >> np.uint64(64 - 8 * places) << np.uint64(64 - 8 * places)) if places else np.uint64(0)
    digits ^= _ZEROS
    digits &= _last(1)[:, 0].take(length - (longest - 8))
    odd = digits + _SIXES
    odd |= digits
    odd &= _HIGH
    if places >= 0:
        tail >>= np.uint64(56 - 8 * places)
        tail &= np.uint64(0xFF)
        tail ^= np.uint64(POINT)
        odd |= tail
    return None if bool(odd.any()) else _eight(digits).astype(np.float64) / float(10 ** max(places, 0))


def _places(field: bytes) -> int:
    """Return how many digits follow the point, -1 if there is no point: most lines are like the first."""
    return len(field) - 1 - field.find(b".") if b"." in field else -1


def _each_places(data: bytearray, first: IndexArray, end: IndexArray) -> IndexArray:
    """Return how many digits follow the point of each field, where fields are not alike."""
    points = window(data, end - LONGEST, LONGEST // 8).view(np.uint8).reshape(-1, LONGEST)[:, ::-1] == POINT
    places = points.argmax(axis=1)
    return np.where(points.any(axis=1) & (end - first > places), places, -1)


def _parse(data: bytearray, first: IndexArray, end: IndexArray, places: int) -> FloatArray:
    """Read the fields that have `places` digits after the point; NaN for all others, which are left to `float`."""
    if places > DIGITS:
        return np.full(len(end), np.nan)
    point = end - places - 1 if places >= 0 else end
    mantissa, regular = _digits(data, point, point - first)
    given = end - first - (places >= 0)
    regular &= (given > 0) & (given <= DIGITS)
    if places >= 0:
        regular &= (point >= first) & (np.frombuffer(data, dtype=np.uint8)[point] == POINT)
    if places > 0:
        part, digits = _digits(data, end, places)
        mantissa = mantissa * np.uint64(10**places) + part
        regular &= digits
    return np.where(regular, _quotient(mantissa, max(places, 0)), np.nan)


def _digits(data: bytearray, end: IndexArray, count: IndexArray | int) -> tuple[Words, BoolArray]:
    """Return the whole numbers that the `count` bytes before `end` spell, and where these are digits indeed."""
    width = min(max(-(-int(np.max(count, initial=0)) // 8), 1), LONGEST // 8)
    rows = window(data, end - 8 * width, width)
    rows ^= _ZEROS
    rows &= _last(width)[np.clip(count, 0, 8 * width)]
    odd = (rows | (rows + _SIXES)) & _HIGH
    rows = _eight(rows)
    value, irregular = rows[:, 0].copy(), odd[:, 0].copy()
    for column in range(1, width):
        value = value * np.uint64(10**8) + rows[:, column]
        irregular |= odd[:, column]
    return value, irregular == 0


@cache
def _last(width: int) -> Words:
    """Return for each count the mask that keeps as many bytes at the end."""
    kept = np.arange(8 * width)[::-1] < np.arange(8 * width + 1)[:, np.newaxis]
    return np.where(kept, np.uint8(255), np.uint8(0)).view(np.uint64)


def _eight(rows: Words) -> Words:
    """Return the number that the eight digits of each word spell: pairs, then fours, then all eight at once."""
    pairs = rows * np.uint64(10) + (rows >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    upper = (pairs & mask) * np.uint64(0x000F424000000064)  # 100 + (1,000,000 << 32)
    lower = ((pairs >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)  # 1 + (10,000 << 32)
    return np.asarray((upper + lower) >> np.uint64(32))


def _quotient(mantissa: Words, places: int) -> FloatArray:
    """m / 10^f, correctly rounded; NaN where that cannot be told."""
    scale = float(10**places)
    if int(mantissa.max(initial=0)) < 1 << 53:
        return mantissa.astype(np.float64) / scale
    low = np.uint64(0x7FF)
    high, rest = (mantissa & ~low).astype(np.float64), (mantissa & low).astype(np.float64)
    quotient = (high + rest) / scale
    product, error = _product(quotient, scale)
    correction = ((high - product) + rest - error) / scale
    # Ziv's test: the sum is right if an error far larger than the correction's own does not change it.
    below, above = quotient + correction * (1 - 2.0**-40), quotient + correction * (1 + 2.0**-40)
    return np.where(below == above, below, np.nan)


def _product(one: FloatArray, other: float) -> tuple[FloatArray, FloatArray]:
    """Return the rounded product and its error, which is a double too (Dekker 1971)."""
    product = one * other
    (a, b), (c, d) = _halves(one), _halves(np.asarray(other))
    return product, b * d - (((product - a * c) - b * c) - a * d)


def _halves(number: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two doubles of at most 26 bits that add up to the number (Veltkamp 1968)."""
    far = number * 134217729.0
    upper = far - (far - number)
    return upper, number - upper
