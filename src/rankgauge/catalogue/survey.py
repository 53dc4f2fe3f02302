"""What runs show of a catalogue: every statistic of each run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from rankgauge.catalogue.statistic import STATISTICS, CatalogueStatistic, Shown, describe_needs, find
from rankgauge.errors import InputError, ParameterError
from rankgauge.files.columns import find as find_column
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.policies import Ties
from rankgauge.ranking import Ranking
from rankgauge.ranking.frames import order_lists
from rankgauge.statistics.intervals import t_interval

VALUES: Mapping[str, type] = {
    **dict.fromkeys(("statistic", "run"), str),
    **dict.fromkeys(("value", "low", "high"), float),
    "queries": int,
}
"""The columns of the table."""


def survey(
    runs: Mapping[str, Any],
    *,
    items: Any = None,
    judgments: Any = None,
    depth: int = 10,
    users: float | None = None,
    rel: float = 1.0,
    statistics: Iterable[str] | None = None,
) -> CatalogueSurvey:
    """Return what each run shows in the first `depth` documents of its lists.

    `items` is a table of the catalogue, or its file: a column of documents, and where known popularity and category;
    without it the catalogue is whatever the runs show. `users` is how many users popularity counts. `judgments` say
    what is relevant.
    """
    from rankgauge import files

    if depth < 1:
        raise ParameterError("catalogue", "depth", "a whole number, 1 or more", depth)
    chosen = tuple(STATISTICS.values() if statistics is None else map(find, statistics))
    frames = {
        name: order_lists(files.run_from(run), Ranking(ties=Ties.INPUT, depth=depth)) for name, run in runs.items()
    }
    if items is None:
        shown_ids = pl.concat([frame["document"] for frame in frames.values()]).unique(maintain_order=True)
        known = Items(ids=shown_ids.to_list(), listed=False)
    else:
        known = read_items(items)
    if users is not None and not 1 <= users < np.inf:
        raise ParameterError("catalogue", "users", "a number of users, 1 or more", users)
    most = 0.0 if known.popularity is None else float(np.max(known.popularity, initial=0.0))
    if users is not None and users < most:
        expected = f"{most:g} or more: so many users know the most popular item, by the column popularity"
        raise ParameterError("catalogue", "users", expected, users)
    codes = pl.DataFrame({"document": list(known.ids), "item": np.arange(len(known), dtype=np.int64)})
    relevant = None
    if judgments is not None:
        enough = files.judgments_from(judgments).filter(pl.col("grade") >= rel)
        relevant = enough.select("query", "document").unique().with_columns(pl.lit(True).alias("relevant"))
    shown = {}
    for name, frame in frames.items():
        rows = frame.join(codes, on="document", how="left", maintain_order="left")
        if relevant is not None:
            rows = rows.join(relevant, on=["query", "document"], how="left", maintain_order="left")
        strange = rows.filter(pl.col("item").is_null())
        if len(strange):
            row = strange.row(0, named=True)
            raise InputError(
                f"document {row['document']} of query {row['query']} is not in the catalogue",
                hint="--items must list every document that a run may show.",
            )
        query = rows["query"].rank("dense").to_numpy().astype(np.int64) - 1
        order = np.argsort(query, kind="stable")
        shown[name] = Shown(
            queries=rows["query"].n_unique(),
            query=query[order],
            item=rows["item"].to_numpy()[order],
            items=known,
            depth=depth,
            users=users,
            relevant=None if relevant is None else rows["relevant"].fill_null(False).to_numpy()[order],
        )
    survey_ = CatalogueSurvey(shown=shown, items=known, statistics=chosen, depth=depth)
    if statistics is not None and survey_.lacking:
        raise InputError("; ".join(f"{name} needs {describe_needs(needs)}" for name, needs in survey_.lacking.items()))
    return survey_


@dataclass(frozen=True, kw_only=True, eq=False)
class CatalogueSurvey:
    """What runs show, and the statistics to describe it by."""

    shown: Mapping[str, Shown]
    items: Items
    statistics: tuple[CatalogueStatistic, ...]
    depth: int

    @cached_property
    def table(self) -> PlainTable:
        """A row per statistic and run: the value, the interval where it is a mean over queries, and how many."""
        rows = []
        for statistic, (run, shown) in product(self.statistics, self.shown.items()):
            if statistic.lacks(shown):
                continue
            values = np.atleast_1d(statistic.kernel(shown))
            if not statistic.per_query:
                rows.append((statistic.name, run, float(values[0]), np.nan, np.nan, shown.queries))
                continue
            counted = int((~np.isnan(values)).sum())
            mean = float(np.nanmean(values)) if counted else np.nan
            ends = t_interval(values).within(*statistic.bounds, mean)
            rows.append((statistic.name, run, mean, float(ends.low), float(ends.high), counted))
        return PlainTable.of_rows(VALUES, rows)

    @property
    def values(self) -> pl.DataFrame:
        """The values as a polars frame."""
        return self.table.frame

    @property
    def lacking(self) -> dict[str, list[str]]:
        """The statistics that are left out, and what each would need."""
        shown = next(iter(self.shown.values()))
        return {statistic.name: statistic.lacks(shown) for statistic in self.statistics if statistic.lacks(shown)}


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
        """Return the items of a table with a column of documents, and one of popularity or category if there is one."""
        name = find_column(table.columns, "document")
        if name is None:
            raise InputError(
                "the table of items has no column of documents",
                hint="Columns: document (or item_id, docno …), and popularity or category where they are known.",
            )
        ids = table[name].cast(pl.String)
        if ids.n_unique() < len(ids):
            twice = ids.filter(ids.is_duplicated())[0]
            raise InputError(f"the item {twice} is listed twice")
        popularity, column = None, _column(table, POPULARITY)
        if column is not None:
            numbers = column.cast(pl.Float64, strict=False)
            bad = column.filter(numbers.is_null() | (numbers < 0))
            if len(bad):
                hint = "It counts users, and is 0 or more."
                raise InputError(f"the {column.name} of an item is {bad[0]!r}", hint=hint)
            popularity = np.asarray(numbers.to_numpy(), dtype=np.float64)
        kind, kinds = _kinds(table)
        return cls(ids=ids.to_list(), popularity=popularity, kind=kind, kinds=kinds)

    @property
    def without_category(self) -> int:
        """How many items have no category, where others have one."""
        return 0 if self.kind is None else int((self.kind < 0).sum())

    def __len__(self) -> int:
        return len(self.ids)


def read_items(source: Any) -> Items:
    """Return the items in a table or in the file of one."""
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
    named = [column for name in names for column in table.columns if column.lower() == name]
    if len(named) > 1 and named[0].lower() != names[0]:
        raise InputError(
            f"the columns {' and '.join(named)} could each be the {names[0]} of an item",
            hint=f"Name the one that counts {names[0]}.",
        )
    return table[named[0]] if named else None


def _kinds(table: pl.DataFrame) -> tuple[IndexArray | None, tuple[frozenset[str], ...]]:
    """Return which kind each item is of, and the kinds: what the cells of the column of categories say."""
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
