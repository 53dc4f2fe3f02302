"""What only the lines of a LETOR file show: features that never change, torn queries, repeated documents.

The file is read in pieces, so that its size does not matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.files.letor_features import blocks
from rankgauge.files.source import Source
from rankgauge.numeric import FloatArray

PIECE = 1 << 24
"""How many bytes are read at a time."""

_NAMES = re.compile(rb"(\d+):")
_HEAD = rb"^[ \t]*(\S+)[ \t]+qid:(\S+)[^#\n]*(?:#[ \t]*(?:docid[ \t]*=[ \t]*)?(\S+))?"
_LINE = re.compile(_HEAD, re.MULTILINE)


@dataclass(frozen=True, kw_only=True, eq=False)
class LetorFile:
    """The lines of a LETOR file."""

    rows: pl.DataFrame
    """A row per line: grade as it is written, query, document (null if no comment names it)."""
    features: tuple[int, ...]
    constant: tuple[int, ...]
    """The features that have one value in the whole file."""
    idle: tuple[int, ...]
    """The features that differ between queries but never within one: they cannot rank."""

    @classmethod
    def of(cls, source: Source) -> LetorFile:
        """The lines of a file."""
        rows, ranges, columns = [], _Ranges(), dict.fromkeys(("grade", "query", "document"), pl.String)
        with source.open() as stream:
            for piece in blocks(stream, PIECE):
                found = [tuple(part.decode("utf-8", "replace") for part in match) for match in _LINE.findall(piece)]
                frame = pl.DataFrame(found, schema=columns, orient="row")
                rows.append(frame.with_columns(pl.col("document").replace("", None)))
                ranges.add(piece, frame["query"])
        return cls(
            rows=pl.concat(rows),
            features=tuple(ranges.low),
            constant=tuple(f for f in ranges.low if ranges.low[f] == ranges.high[f]),
            idle=tuple(f for f in ranges.low if ranges.low[f] < ranges.high[f] and f not in ranges.moving),
        )


class _Ranges:
    """The least and the highest value of each feature, and whether it moves within some query."""

    def __init__(self) -> None:
        self.low: dict[int, float] = {}
        self.high: dict[int, float] = {}
        self.moving: set[int] = set()

    def add(self, piece: bytes, queries: pl.Series) -> None:
        """Adds the lines of a piece."""
        names, values = _dense(piece)
        if not len(values):
            return
        changes = (queries != queries.shift(1)).fill_null(True).to_numpy()
        starts = np.flatnonzero(changes)
        least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        for column, name in enumerate(names):
            low, high = float(least[:, column].min()), float(most[:, column].max())
            self.low[name] = min(low, self.low.get(name, low))
            self.high[name] = max(high, self.high.get(name, high))
            if bool((least[:, column] < most[:, column]).any()):
                self.moving.add(name)


def _dense(piece: bytes) -> tuple[list[int], FloatArray]:
    """The features of the lines as rows; a feature that a line lacks is 0, as in SVM-rank."""
    bodies = [
        line.split(b"#", 1)[0].split(b"qid:", 1)[-1].split(None, 1)[1:]
        for line in piece.splitlines()
        if b"qid:" in line
    ]
    texts = [body[0] if body else b"" for body in bodies]
    named = [_NAMES.findall(text) for text in texts]
    if len({tuple(names) for names in named}) == 1:
        flat = np.fromstring(_NAMES.sub(b"", b" ".join(texts)).decode(), sep=" ")
        return [int(name) for name in named[0]], flat.reshape(len(texts), -1)
    names = sorted({int(name) for found in named for name in found})
    values, column = np.zeros((len(texts), len(names))), {name: place for place, name in enumerate(names)}
    for row, text in enumerate(texts):
        for pair in text.split():
            name, _, value = pair.partition(b":")
            values[row, column[int(name)]] = float(value)
    return names, values
