"""The body of an `_msearch` request (Elasticsearch, OpenSearch): a line for the index and one for the search, in turn.

    {"index": "shop"}
    {"query": {"match": {"title": "red dress"}}}

A search is named for what was typed: the one text in its clauses, or in the parameters of its template.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rankgauge.errors import InputError

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
    """The text of each search in an `_msearch` body; None if the lines are no such body."""
    searches = [line for line in lines if _is_search(line[2])]
    headers = [line for line in lines if not _is_search(line[2])]
    if not searches or (headers and lines[1::2] != searches):
        return None
    return [_text(line, path) for line in searches]


def _is_search(found: dict[str, Any]) -> bool:
    return any(isinstance(found.get(key), dict) for key in SEARCHES)


def _text(line: Line, path: str) -> str:
    number, text, search = line
    params = search.get("params")
    typed = [value for value in params.values() if isinstance(value, str)] if isinstance(params, dict) else []
    typed = list(dict.fromkeys(typed or _typed(search)))
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


def _typed(part: Any, key: str = "") -> Iterator[str]:
    """The texts in a search that somebody typed."""
    if isinstance(part, list):
        for one in part:
            yield from _typed(one, key)
    elif isinstance(part, str) and key in TEXT_KEYS:
        yield part
    elif isinstance(part, dict):
        for name, value in part.items():
            if key in FIELD_CLAUSES and isinstance(value, str):
                yield value
            elif name not in ASIDE:
                yield from _typed(value, name)
