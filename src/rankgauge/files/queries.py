"""The queries that responses of a search engine answer, listed in the order of the requests; and what people typed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.detection import JSON_LINES
from rankgauge.files.format import Head
from rankgauge.files.source import Source
from rankgauge.files.tabular import header, objects, records
from rankgauge.registry import plain

Queries = str | os.PathLike[str] | Iterable[str]
"""A file with a query per line, or the queries themselves."""

TEXTS = ("text", "query_text", "query", "title", "keywords", "search_term", "search_query")
"""What a column or a key with the text of a query is called."""


def listed_queries(queries: Queries) -> tuple[str, ...]:
    """Return the queries in their order, from a list or a file.

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
    """Return what people typed, by query, as far as a file of queries says it beside their ids."""
    return {query: text for query, text in _read(Source.of(os.fspath(path))) if query and text and text != query}


def _read(source: Source) -> list[tuple[str, str]]:
    """Return the id of each query and its text, empty where there is none."""
    if source.suffix in JSON_LINES or Head(source=source).is_json:
        rows = list(objects(source))
        if (typed := search_texts(rows, source.name)) is not None:
            return [(text, "") for text in typed]
        return [_query_of({name: str(cell) for name, cell in cells.items()}) for _, _, cells in rows]
    names, _ = header(Head(source=source))
    if len(names) > 1 and find(names, "query") is not None:
        return [_query_of(row) for _, row in records(source)]
    lines = (line.partition("\t") for line in source.text().splitlines())
    return [(query.strip(), text.strip()) for query, _, text in lines]


def _query_of(row: dict[str, str]) -> tuple[str, str]:
    """Return the id and the text in a row; a table of texts alone calls its queries by them."""
    key = find(row, "query") or find(row, "document") or ""  # BEIR calls a query's id `_id`, as a document's
    by_name = {plain(name): name for name in row if name != key}
    text = next((by_name[plain(name)] for name in TEXTS if plain(name) in by_name), "")
    return row.get(key, "").strip(), row.get(text, "").strip()


def list_beside(source: Source) -> Path | None:
    """Return the list of queries beside a file: NAME.queries.txt for it alone, or queries.txt for all in the folder."""
    if source.path is None:
        return None
    folder = source.path.parent
    names = [f"{stem}{ending}" for stem in (f"{source.stem}.queries", "queries") for ending in (".txt", ".tsv", ".csv")]
    return next((folder / name for name in names if (folder / name).is_file()), None)


Line = tuple[int, str, dict[str, Any]]
"""The number and the text of a line, and the object in it."""

TEXT_KEYS = ("query", "query_text", "model_text", "user_query")
"""Keys under which a clause has the text that was typed."""

FIELD_CLAUSES = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix")
"""Clauses of the form {field: text}."""

ASIDE = ("filter", "must_not", "post_filter", "rescore", "aggs", "aggregations", "highlight", "suggest")
"""Parts of a search in which other texts may stand than the one that was typed."""

SEARCHES = ("query", "retriever", "knn", "params", "source")
"""Keys of which a search has one, and the line above it none."""


def search_texts(lines: Sequence[Line], path: str) -> list[str] | None:
    """Return the text of each search in an `_msearch` body; None if the lines are no such body."""
    searches = [line for line in lines if _is_search(line[2])]
    headers = [line for line in lines if not _is_search(line[2])]
    if not searches or (headers and lines[1::2] != searches):
        return None
    return [_text(line, path) for line in searches]


def _is_search(object_: dict[str, Any]) -> bool:
    return any(isinstance(object_.get(key), dict) for key in SEARCHES)


def _text(line: Line, path: str) -> str:
    number, text, search = line
    params = search.get("params")
    typed = [value for value in params.values() if isinstance(value, str)] if isinstance(params, dict) else []
    typed = list(dict.fromkeys(typed or _typed_texts(search)))
    if len(typed) == 1:
        return typed[0]
    raise InputError(
        f"the search has {'several texts' if typed else 'no text'}, so that nothing names its query"
        + (f": {', '.join(typed)}" if typed else ""),
        path=path,
        line=number,
        text=text,
        hint="List the queries yourself: one per line, in the order of the searches, written as in the judgments.",
    )


def _typed_texts(part: Any, key: str = "") -> Iterator[str]:
    """Yield the texts in a search that somebody typed."""
    if isinstance(part, list):
        for one in part:
            yield from _typed_texts(one, key)
    elif isinstance(part, str) and key in TEXT_KEYS:
        yield part
    elif isinstance(part, dict):
        for name, value in part.items():
            if key in FIELD_CLAUSES and isinstance(value, str):
                yield value
            elif name not in ASIDE:
                yield from _typed_texts(value, name)
