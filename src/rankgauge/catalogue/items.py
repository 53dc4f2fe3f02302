"""The documents of a catalogue, and what is known of each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import find
from rankgauge.numeric import FloatArray, IndexArray

POPULARITY = ("popularity", "interactions", "users", "clicks", "count")
CATEGORY = ("category", "categories", "genre", "genres", "brand", "type")
"""What the columns may be called, the likeliest first."""

SEPARATOR = "|"
"""What stands between the categories of an item that has several, as in MovieLens: Action|Comedy."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Items:
    """The documents of a catalogue by id.

    `popularity` counts the users or interactions of each, `kind` says which of the `kinds` each is of (−1 for none), or
    is None where nobody says it. A kind is a set of categories. `listed` tells whether the catalogue was given or
    gathered from the runs.
    """

    ids: Sequence[str]
    popularity: FloatArray | None = None
    kind: IndexArray | None = None
    kinds: tuple[frozenset[str], ...] = ()
    listed: bool = True

    @classmethod
    def of(cls, table: pl.DataFrame) -> Items:
        """The items of a table with a column of documents, and one of popularity or category if there is one."""
        name = find(table.columns, "document")
        if name is None:
            raise InputError(
                "the table of items has no column of documents",
                hint="Columns: document (or item_id, docno …), and popularity or category where they are known.",
            )
        ids = table[name].cast(pl.String)
        if ids.n_unique() < len(ids):
            twice = ids.filter(ids.is_duplicated())[0]
            raise InputError(f"the item {twice} is listed twice")
        kind, kinds = _kinds(table)
        return cls(ids=ids.to_list(), popularity=_popularity(table), kind=kind, kinds=kinds)

    @property
    def without_category(self) -> int:
        """How many items have no category, where others have one."""
        return 0 if self.kind is None else int((self.kind < 0).sum())

    def __len__(self) -> int:
        return len(self.ids)


def read_items(source: Any) -> Items:
    """The items in a table or in the file of one."""
    if isinstance(source, Items):
        return source
    if not isinstance(source, str | os.PathLike):
        return Items.of(pl.DataFrame(source))
    from rankgauge import files

    try:
        return Items.of(files.read_table(source))
    except InputError as error:
        error.path = error.path or os.fspath(source)
        raise


def _column(table: pl.DataFrame, names: Sequence[str]) -> pl.Series | None:
    """The column of one of the names; of several that with the first name, and else none is taken for another."""
    found = [column for name in names for column in table.columns if column.lower() == name]
    if len(found) > 1 and found[0].lower() != names[0]:
        raise InputError(
            f"the columns {' and '.join(found)} could each be the {names[0]} of an item",
            hint=f"Name the one that counts {names[0]}.",
        )
    return table[found[0]] if found else None


def _popularity(table: pl.DataFrame) -> FloatArray | None:
    column = _column(table, POPULARITY)
    if column is None:
        return None
    numbers = column.cast(pl.Float64, strict=False)
    bad = column.filter(numbers.is_null() | (numbers < 0))
    if len(bad):
        raise InputError(f"the {column.name} of an item is {bad[0]!r}", hint="It counts users, and is 0 or more.")
    return np.asarray(numbers.to_numpy(), dtype=np.float64)


def _kinds(table: pl.DataFrame) -> tuple[IndexArray | None, tuple[frozenset[str], ...]]:
    """Which kind each item is of, and the kinds: what the cells of the column of categories say."""
    column = _column(table, CATEGORY)
    if column is None:
        return None, ()
    text = column.cast(pl.List(pl.String)).list.join(SEPARATOR) if column.dtype == pl.List else column.cast(pl.String)
    cells = text.fill_null("").rename("cell")
    sets = {cell: frozenset(filter(None, map(str.strip, cell.split(SEPARATOR)))) for cell in cells.unique()}
    kinds = tuple(sorted({*filter(None, sets.values())}, key=sorted))
    if not kinds:
        return None, ()
    numbers = {kind: number for number, kind in enumerate(kinds)}
    named = cells.replace_strict({cell: numbers.get(kind, -1) for cell, kind in sets.items()}, return_dtype=pl.Int64)
    return np.asarray(named.to_numpy(), dtype=np.int64), kinds
