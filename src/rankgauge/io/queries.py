"""The queries that responses of a search engine answer, listed in the order of the requests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rankgauge.errors import InputError
from rankgauge.io.format import Head
from rankgauge.io.source import Source
from rankgauge.io.tabular import header, records
from rankgauge.tables import find

Queries = str | os.PathLike[str] | Iterable[str]
"""A file with a query per line, or the queries themselves."""


def listed_queries(queries: Queries) -> tuple[str, ...]:
    """The queries in their order, from a list or a file.

    A file has one query per line, as the judgments call it, or is a table with a column for it; of fields separated by
    tabs, the first is the query's id.
    """
    if not isinstance(queries, str | os.PathLike):
        return tuple(str(query) for query in queries)
    source = Source.of(os.fspath(queries))
    names, _ = header(Head(source=source))
    column = find(names, "query") if len(names) > 1 else None
    if column is not None:
        found = [row[column] for _, row in records(source)]
    else:
        found = [line.split("\t")[0].strip() for line in source.text().splitlines()]
    listed = tuple(query for query in found if query)
    if not listed:
        raise InputError("lists no queries", path=source.name, hint="Write one query per line.")
    return listed


def list_beside(source: Source) -> Path | None:
    """The list of queries beside a file: NAME.queries.txt for it alone, or queries.txt for all in the folder."""
    if source.path is None:
        return None
    folder = source.path.parent
    names = [f"{stem}{ending}" for stem in (f"{source.stem}.queries", "queries") for ending in (".txt", ".tsv", ".csv")]
    return next((folder / name for name in names if (folder / name).is_file()), None)
