"""The features of LETOR files, straight from their bytes: the fast path.

A line is a head (grade and query), features and perhaps a comment. NumPy finds these parts for all lines of a block of
some megabytes at once. Head and comment go on as short lines to the expressions of the general path. The rest is
`number:value` between blanks: with line ends for blanks it is a table of two columns, which polars reads at the speed
of its CSV reader, whether lines are dense or sparse, in order or not.

For an irregular file `scan` gives None. The general path then reads it, with the same result or with an error that
names the line.
"""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.files.source import Source, damage
from rankgauge.threads import keep_freed_memory, spread

BLOCK = 1 << 21
LONGEST = 64
"""How long the id of a query may be."""

BLANK, NEWLINE, RETURN, HASH, COLON, ZERO, PLUS = b" \n\r#:0+"
ERASED = 255
"""A byte that no text has."""

_FIRST = b"1:0\n"
"""A row before the others: it tells polars that there are two columns, even if the first line is blank."""

Bytes: TypeAlias = npt.NDArray[np.uint8]
Indices: TypeAlias = npt.NDArray[np.intp]
Matrix: TypeAlias = npt.NDArray[np.floating[Any]]


class IrregularLetor(Exception):  # noqa: N818 - no error: the general path reads such files
    """The file cannot be scanned."""


class Scanned(NamedTuple):
    """The lines of a file without their features, and these as a matrix."""

    lines: pl.DataFrame
    matrix: Matrix


class _BlockFeatures(NamedTuple):
    """What one block adds."""

    texts: pl.Series
    matrix: Matrix


class _Anatomy(NamedTuple):
    """Where the parts of each line begin: the line, what follows its query, its comment (or end), and its end."""

    start: Indices
    features: Indices
    comment: Indices
    end: Indices
    counts: Indices
    """How many features each line has."""


def scan(source: Source, dtype: npt.DTypeLike = np.float64, *, block: int = BLOCK) -> Scanned | None:
    """Return the file's lines without their features, and the features as a matrix; None if the file is irregular.

    About `block` bytes are worked on at a time.
    """
    keep_freed_memory()
    try:
        with source.open() as stream:
            parts = deque(spread(partial(_part, dtype=np.dtype(dtype)), blocks(stream, block)))
    except IrregularLetor:
        return None
    except damage():
        return None
    if not sum(len(part.texts) for part in parts):
        return None
    lines = pl.concat([part.texts for part in parts]).to_frame("line").with_row_index("number", offset=1)
    return Scanned(lines=lines, matrix=_stack(parts, len(lines), np.dtype(dtype)))


def _stack(parts: deque[_BlockFeatures], rows: int, dtype: np.dtype[Any]) -> Matrix:
    """Return all rows in one matrix; each part is freed as soon as it is copied, so that memory holds the rows once."""
    matrix = np.zeros((rows, max(part.matrix.shape[1] for part in parts)), dtype=dtype)
    at = 0
    while parts:
        part = parts.popleft().matrix
        matrix[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return matrix


def blocks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines, about `size` bytes of them at a time."""
    rest = b""
    while piece := stream.read(size):
        whole = rest + piece
        cut = whole.rfind(b"\n") + 1
        rest = whole[cut:]
        if cut:
            yield whole[:cut]
    if rest:
        yield rest + b"\n"


def _part(block: bytes, dtype: np.dtype[Any]) -> _BlockFeatures:
    if block.startswith(BOM_UTF8):
        raise IrregularLetor
    text = np.frombuffer(block, dtype=np.uint8)
    lines = _anatomy(text)
    # With the blank after the query, which may hold a # itself.
    head = np.minimum(lines.features + 1, lines.comment)
    short = text[_spans(lines.start, head, lines.comment, lines.end + 1)].tobytes()
    left = text[: lines.end[-1] + 1].copy()
    # Blank lines and comments before a line go with its head.
    above = np.append(0, lines.end[:-1] + 1)
    # A blank before the comment, or before the line's end, ends the last feature; else the line's end does.
    ended = text[lines.comment - 1] <= BLANK
    left[_spans(above, lines.features + 1, lines.comment, lines.end + ended)] = ERASED
    left = left[left != ERASED]
    table = np.where(left <= BLANK, np.uint8(NEWLINE), left)
    return _BlockFeatures(texts=_texts(short, len(lines.start)), matrix=_matrix(table, lines.counts, dtype))


def _anatomy(text: Bytes) -> _Anatomy:
    """Return the parts of the lines that are neither blank nor comments."""
    if (text < ord("\t")).any() or ((text > ord("\r")) & (text < BLANK)).any() or (text == ERASED).any():
        raise IrregularLetor
    every = np.flatnonzero(text == NEWLINE)
    starts = np.append(0, every[:-1] + 1)
    first = text[starts]
    kept = (first != NEWLINE) & (first != HASH) & ~((first == RETURN) & (every - starts == 1))
    start, end = starts[kept], every[kept]
    if not len(start):
        raise IrregularLetor
    colons = np.flatnonzero(text == COLON)
    features = _after_query(text, start, end, colons)
    comment = _first(np.flatnonzero(text == HASH), features, end)
    counts = np.searchsorted(colons, comment) - np.searchsorted(colons, features)
    return _Anatomy(start=start, features=features, comment=comment, end=end, counts=counts)


def _first(places: Indices, after: Indices, end: Indices) -> Indices:
    """Return the first of the places in each line, or the line's end."""
    padded = np.append(places, np.iinfo(np.intp).max)
    return np.asarray(np.minimum(padded[np.searchsorted(places, after)], end))


def _after_query(text: Bytes, start: Indices, end: Indices, colons: Indices) -> Indices:
    """Return where `qid:query` ends; its colon is the first of the line."""
    colon = _first(colons, start, end)
    if not ((colon < end) & (colon - start >= len("2 qid"))).all():
        raise IrregularLetor
    named = [text[colon - 3 + place] == byte for place, byte in enumerate(b"qid")]
    if not np.logical_and.reduce([*named, text[colon - 4] <= BLANK]).all():
        raise IrregularLetor
    stop = colon + 1
    for _ in range(LONGEST):
        inside = text[stop] > BLANK
        if not inside.any():
            return stop
        stop += inside
    raise IrregularLetor


def _spans(start: Indices, stop: Indices, again: Indices, end: Indices) -> Indices:
    """Return the places from start to stop and from again to end, line after line."""
    begins = np.column_stack([start, np.maximum(again, stop)]).ravel()
    lengths = np.maximum(np.column_stack([stop, end]).ravel() - begins, 0)
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(int(ends[-1])) + np.repeat(begins - (ends - lengths), lengths))


def _texts(short: bytes, expected: int) -> pl.Series:
    """Return the short lines as text."""
    texts = pl.scan_lines(io.BytesIO(short)).collect().to_series()
    if len(texts) != expected:
        raise IrregularLetor
    return texts


def _matrix(table: Bytes, counts: Indices, dtype: np.dtype[Any]) -> Matrix:
    """Return the features, row by row; each line has as many as are counted."""
    # polars accepts +1 and 01 as feature numbers; the general path does not.
    begins = np.append(True, table[:-1] == NEWLINE)[: len(table)]
    if (begins & ((table == ZERO) | (table == PLUS))).any():
        raise IrregularLetor
    schema = {"number": pl.UInt32(), "value": pl.Float64()}
    pairs = pl.read_csv(_FIRST + table.tobytes(), has_header=False, separator=":", schema=schema, quote_char=None)
    if pairs["number"].null_count():  # a blank line: there were two blanks in a row
        pairs = pairs.drop_nulls("number")
    number, value = pairs["number"].to_numpy()[1:], pairs["value"]
    if len(number) != int(counts.sum()) or value.null_count():
        raise IrregularLetor
    width = int(number.max(initial=0))
    matrix = np.zeros((len(counts), width), dtype=dtype)
    place = np.repeat(np.arange(len(counts)) * width - 1, counts)
    place += number
    matrix.ravel()[place] = value.to_numpy()[1:]
    return matrix
