"""A table as a value: columns with a heading, a key and a format, and rows whose numbers stay numbers.

Terminal, Markdown, LaTeX and HTML show the cells that a column makes of a row; CSV and JSON take the values by key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from rankgauge.records import record, tuple_record
from rankgauge.render.numbers import interval
from rankgauge.render.passages import Cell, Passage

Row = Mapping[str, Any] | Sequence[Any]
"""The values of a row by the keys of the columns, or in the order of the columns."""


@tuple_record
class Column:
    """A column: its heading for people, the key of its values for programs, and how a value is written."""

    name: str
    key: str | tuple[str, ...] = ""
    """The key of the value in a row, if it is not the heading; several keys give a format several values."""
    format: Callable[..., Cell] | None = None
    """Write the value; a column with a format holds numbers, which are aligned to the right."""
    left: bool = False
    """Whether to align the column to the left although it has a format."""
    once: bool = False
    """Whether to leave out a value that the row above has too."""

    @property
    def right(self) -> bool:
        """Whether the column is aligned to the right."""
        return self.format is not None and not self.left

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the values that the column shows."""
        return (self.key or self.name,) if isinstance(self.key, str) else self.key

    def values(self, row: Row, place: int) -> list[tuple[str, Any]]:
        """List the keys and values of a row that the column shows; `place` finds them in a row without keys."""
        return [(key, row[key] if isinstance(row, Mapping) else row[place]) for key in self.keys]

    def cells(self, rows: Sequence[Row], place: int) -> list[Cell]:
        """Write the column's values of each row."""
        shown = [[value for _, value in self.values(row, place)] for row in rows]
        cells = [values[0] if self.format is None else self.format(*values) for values in shown]
        return ["" if self.once and n and cell == cells[n - 1] else cell for n, cell in enumerate(cells)]


@record
class ReportTable(Passage):
    """Columns, and rows of plain values."""

    columns: Sequence[Column | str]
    """The columns; a name alone is a column of texts."""
    rows: Sequence[Row]
    title: str = ""
    caption: str = ""
    """What LaTeX prints above the table."""
    label: str = ""
    """By which LaTeX refers to the table."""
    strong: frozenset[tuple[int, int]] = frozenset()
    """The row and the column of cells that stand out."""
    base: str = ""
    """The first cell of the row that others are compared with."""
    prose: str = ""
    """The column whose words may be broken into lines."""
    sortable: bool = False
    """Whether a reader of a page sorts it by pressing a heading."""

    @cached_property
    def heads(self) -> tuple[Column, ...]:
        """The columns, all as values."""
        return tuple(Column(column) if isinstance(column, str) else column for column in self.columns)

    def records(self) -> list[dict[str, Any]]:
        """Return what programs read: by row, the values under the keys of their columns."""
        return [
            dict(pair for at, column in enumerate(self.heads) for pair in column.values(row, at)) for row in self.rows
        ]

    @cached_property
    def cells(self) -> list[list[Cell]]:
        """What people read: a list of cells for each row."""
        columns = [column.cells(self.rows, place) for place, column in enumerate(self.heads)]
        return [list(row) for row in zip(*columns, strict=True)]


INTERVAL = Column("95 % interval", ("low", "high"), interval, left=True)
"""The interval of a mean."""

QUERIES = Column("queries", format=str)
"""The number of queries that a mean rests on."""
