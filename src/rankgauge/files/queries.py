"""The queries that responses of a search engine answer, listed in the order of the requests; and what people typed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.format import Head
from rankgauge.files.search_requests import search_texts
from rankgauge.files.source import Source
from rankgauge.files.tabular import header, objects, records
from rankgauge.registry import plain

Queries = str | os.PathLike[str] | Iterable[str]
"""A file with a query per line, or the queries themselves."""

TEXTS = ("text", "query_text", "query", "title", "keywords", "search_term", "search_query")
"""What a column or a key with the text of a query is called."""

JSON_LINES = (".jsonl", ".ndjson")


def listed_queries(queries: Queries) -> tuple[str, ...]:
    """The queries in their order, from a list or a file.

    A file has one query per line, as the judgments call it, or is a table (or JSON lines, as BEIR's) with a column for
    it; of fields separated by tabs, the first is the query's id. The body of an `_msearch` request names each query by
    the text that was typed.
    """
    if not isinstance(queries, str | os.PathLike):
        return tuple(str(query) for query in queries)
    listed = tuple(query for query, _ in _read(Source.of(os.fspath(queries))) if query)
    if not listed:
        raise InputError("lists no queries", path=os.fspath(queries), hint="Write one query per line.")
    return listed


def query_texts(path: str | os.PathLike[str]) -> dict[str, str]:
    """What people typed, by query, as far as a file of queries says it beside their ids."""
    return {query: text for query, text in _read(Source.of(os.fspath(path))) if query and text and text != query}


def _read(source: Source) -> list[tuple[str, str]]:
    """The id of each query and its text, empty where there is none."""
    if source.suffix in JSON_LINES or Head(source=source).is_json:
        rows = list(objects(source))
        if (typed := search_texts(rows, source.name)) is not None:
            return [(text, "") for text in typed]
        return [_named({name: str(cell) for name, cell in found.items()}) for _, _, found in rows]
    names, _ = header(Head(source=source))
    if len(names) > 1 and find(names, "query") is not None:
        return [_named(row) for _, row in records(source)]
    lines = (line.partition("\t") for line in source.text().splitlines())
    return [(query.strip(), text.strip()) for query, _, text in lines]


def _named(row: dict[str, str]) -> tuple[str, str]:
    """The id and the text in a row; a table of texts alone calls its queries by them."""
    key = find(row, "query") or find(row, "document") or ""  # BEIR calls a query's id `_id`, as a document's
    by_name = {plain(name): name for name in row if name != key}
    text = next((by_name[plain(name)] for name in TEXTS if plain(name) in by_name), "")
    return row.get(key, "").strip(), row.get(text, "").strip()


def list_beside(source: Source) -> Path | None:
    """The list of queries beside a file: NAME.queries.txt for it alone, or queries.txt for all in the folder."""
    if source.path is None:
        return None
    folder = source.path.parent
    names = [f"{stem}{ending}" for stem in (f"{source.stem}.queries", "queries") for ending in (".txt", ".tsv", ".csv")]
    return next((folder / name for name in names if (folder / name).is_file()), None)
