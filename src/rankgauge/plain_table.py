"""Small tables as columns of plain values: what a summary or a comparison has to say, without a table library.

Importing polars takes longer than evaluating a small run. A table that people read needs none of it; `frame` gives the
same table as a polars frame where a caller wants one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.lazy_polars import pl
from rankgauge.records import entity


@entity
class PlainTable:
    """Columns by name, and what each holds: `str`, `int` or `float`."""

    kinds: Mapping[str, type]
    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, kinds: Mapping[str, type], columns: Mapping[str, Any]) -> PlainTable:
        """Return the table of these columns, which may be arrays."""
        plain = {
            name: column.tolist() if isinstance(column, np.ndarray) else column for name, column in columns.items()
        }
        return cls(kinds=kinds, columns={name: plain[name] for name in kinds})

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> PlainTable:
        """Make a table of arrays of numbers and lists of texts: what each holds says what the column is."""
        numbers = {"f": float, "i": int, "u": int}
        kinds = {
            name: numbers[column.dtype.kind] if isinstance(column, np.ndarray) else str
            for name, column in columns.items()
        }
        return cls.of(kinds, columns)

    @classmethod
    def of_rows(cls, kinds: Mapping[str, type], rows: Iterable[Sequence[Any]]) -> PlainTable:
        """Return the table of these rows."""
        columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
        return cls(kinds=kinds, columns=dict(zip(kinds, columns, strict=True)))

    @classmethod
    def stack(cls, tables: Sequence[PlainTable]) -> PlainTable:
        """Return the tables below each other; there is at least one, and all have the same columns."""
        kinds = tables[0].kinds
        return cls(kinds=kinds, columns={name: [value for table in tables for value in table[name]] for name in kinds})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> Sequence[Any]:
        return self.columns[name]

    def rows(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Return the rows, with these columns or with all of them."""
        return zip(*(self.columns[name] for name in names or self.kinds), strict=True)

    def named(self) -> Iterator[dict[str, Any]]:
        """Return the rows, each with the columns' names."""
        return (dict(zip(self.kinds, row, strict=True)) for row in self.rows())

    def where(self, name: str, value: Any) -> PlainTable:
        """Return the rows with this value in a column."""
        return self.take([place for place, held in enumerate(self.columns[name]) if held == value])

    def ordered(self, *names: str, falling: bool = False) -> PlainTable:
        """Sort the rows by these columns of numbers, in their old order where these are equal; NaN is above numbers."""
        keys = list(zip(*([(math.isnan(x), x) for x in self.columns[name]] for name in names), strict=True))
        return self.take(sorted(range(len(self)), key=keys.__getitem__, reverse=falling))

    def take(self, places: Sequence[int]) -> PlainTable:
        """Return the rows at these places."""
        columns = {name: [column[place] for place in places] for name, column in self.columns.items()}
        return PlainTable(kinds=self.kinds, columns=columns)

    def with_label(self, name: str, value: str) -> PlainTable:
        """Return the table with a first column that has the same words in every row."""
        columns = {name: [value] * len(self), **self.columns}
        return PlainTable(kinds={name: str, **self.kinds}, columns=columns)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The table as a polars frame."""
        types = {str: pl.String, int: pl.Int64, float: pl.Float64}
        return pl.DataFrame(dict(self.columns), schema={name: types[kind] for name, kind in self.kinds.items()})


def as_frame(table: str, words: str) -> property:
    """Make a property that gives a table of its owner as a polars frame."""
    return property(lambda owner: getattr(owner, table).frame, doc=words)
