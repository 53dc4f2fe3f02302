"""A run too large for memory, some whole queries at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from rankgauge.errors import UngroupedError

__all__ = ["whole_queries"]


def whole_queries(batches: Iterable[pl.DataFrame], *, rows: int, name: str) -> Iterator[pl.DataFrame]:
    """The same rows in batches of at least `rows` rows that never cut a query in two.

    Only the ids of the queries are kept, so a query that comes back after it ended is an error.
    """
    ended: set[str] = set()
    held: list[pl.DataFrame] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) < rows:
            continue
        whole, rest = _split(pl.concat(held))
        held = [rest]
        if len(whole):
            _end(whole, ended, name)
            yield whole
    if held:
        last = pl.concat(held)
        _end(last, ended, name)
        yield last


def _split(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows before the last query, and those of the last query, which may go on."""
    query = frame["query"]
    others = (query != query[-1]).arg_true()
    cut = int(others[-1]) + 1 if len(others) else 0
    return frame[:cut], frame[cut:]


def _end(frame: pl.DataFrame, ended: set[str], name: str) -> None:
    """Notes the frame's queries as ended; each must be new and in one piece."""
    for query in frame["query"].rle().struct.field("value"):
        if query in ended:
            raise UngroupedError(
                f"query {query} comes back after it ended",
                path=name,
                hint="A run that is read in pieces must be grouped by query: sort it, or read it whole.",
            )
        ended.add(query)
