"""Decimal numbers from bytes, many at a time, each the double nearest to what is written, as `float` gives it.

A number is digits with a point among them: m / 10^f. Where m has at most 53 bits, one division rounds correctly
(Clinger, How to read floating point numbers accurately, PLDI 1990); up to 19 digits the quotient is corrected by its
own remainder; what is written otherwise (exponents, more digits), or lies too near to the middle between two
doubles, is left to `float`.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.scan.ids import Words, window

DIGITS = 19
"""10^19 is less than 2^64."""

LONGEST = 24
MINUS, POINT = ord("-"), ord(".")

_PLAIN = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

_ZEROS, _SIXES, _HIGH = (np.uint64(b * 0x0101010101010101) for b in (0x30, 0x06, 0xF0))


def decimals(data: bytearray, start: IndexArray, end: IndexArray) -> FloatArray | None:
    """The numbers that the fields spell; None where one is no finite number."""
    negative = np.frombuffer(data, dtype=np.uint8).take(start) == MINUS
    first = start + negative
    places = _places(bytes(data[int(first[0]) : int(end[0])]))
    values = _short(data, first, end, places)
    if values is not None:
        return np.where(negative, -values, values) if negative.any() else values
    values = _parsed(data, first, end, places)
    others = np.flatnonzero(np.isnan(values))
    each = _each_places(data, first[others], end[others]) if len(others) else others
    for one in sorted(set(each.tolist())):
        lines = others[each == one]
        values[lines] = _parsed(data, first[lines], end[lines], one)
    if negative.any():
        values = np.where(negative, -values, values)
    for line in others[np.isnan(values[others])].tolist():
        field = bytes(data[int(start[line]) : int(end[line])])
        if not _PLAIN.fullmatch(field) or math.isinf(float(field)):
            return None
        values[line] = float(field)
    return values


def _short(data: bytearray, first: IndexArray, end: IndexArray, places: int) -> FloatArray | None:
    """The numbers, if each has that many digits after the point and at most eight in all."""
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
    """How many digits follow the point, -1 if there is no point: most lines are like the first."""
    return len(field) - 1 - field.find(b".") if b"." in field else -1


def _each_places(data: bytearray, first: IndexArray, end: IndexArray) -> IndexArray:
    """The same for fields that are not alike."""
    points = window(data, end - LONGEST, LONGEST // 8).view(np.uint8).reshape(-1, LONGEST)[:, ::-1] == POINT
    places = points.argmax(axis=1)
    return np.where(points.any(axis=1) & (end - first > places), places, -1)


def _parsed(data: bytearray, first: IndexArray, end: IndexArray, places: int) -> FloatArray:
    """The numbers with that many digits after the point; NaN for what is not written so, or is left to `float`."""
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
    """The whole numbers that the `count` bytes before `end` spell, and where these are digits indeed."""
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
    """For each count, the mask that keeps as many bytes at the end."""
    kept = np.arange(8 * width)[::-1] < np.arange(8 * width + 1)[:, np.newaxis]
    return np.where(kept, np.uint8(255), np.uint8(0)).view(np.uint64)


def _eight(rows: Words) -> Words:
    """The number that the eight digits of each word spell: pairs, then fours, then all eight at once."""
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
    """The rounded product and its error, which is a double too (Dekker 1971)."""
    product = one * other
    (a, b), (c, d) = _halves(one), _halves(np.asarray(other))
    return product, b * d - (((product - a * c) - b * c) - a * d)


def _halves(number: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two doubles of at most 26 bits that add up to the number (Veltkamp 1968)."""
    far = number * 134217729.0
    upper = far - (far - number)
    return upper, number - upper
