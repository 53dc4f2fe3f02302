"""A run that is too large for memory, in batches of whole queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from rankgauge.errors import UngroupedError


def whole_queries(
    batches: Iterable[pl.DataFrame], *, rows: int, name: str, by: str = "query"
) -> Iterator[pl.DataFrame]:
    """Yield the same rows in batches of at least `rows` rows that never cut a query in two.

    `by` is the column whose equal values stay together. Only the ids of finished queries are kept, so a query that
    comes back is an error. Each batch is looked at once, even if one query spans many of them.
    """
    ended: set[str] = set()
    whole: list[pl.DataFrame] = []
    last: list[pl.DataFrame] = []  # the rows of a query that may continue
    for batch in batches:
        cut = _last_query(batch[by])
        if cut or (last and last[-1][by][-1] != batch[by][0]):
            whole += [*last, batch[:cut]]
            last = []
        last.append(batch[cut:])
        if sum(map(len, whole)) >= rows:
            yield _end_batch(whole, ended, name, by)
            whole = []
    if whole or last:
        yield _end_batch([*whole, *last], ended, name, by)


def _last_query(query: pl.Series) -> int:
    """Return the first row of the last query."""
    others = (query != query[-1]).arg_true()
    return int(others[-1]) + 1 if len(others) else 0


def _end_batch(parts: list[pl.DataFrame], ended: set[str], name: str, by: str) -> pl.DataFrame:
    """Return the parts as one frame. Its queries are noted as ended; each must be new and in one piece."""
    frame = pl.concat(parts)
    for query in frame[by].rle().struct.field("value"):
        if query in ended:
            raise UngroupedError(
                f"query {query} comes back after it ended",
                path=name,
                hint="A run that is read in pieces must be grouped by query: sort it, or read it as a whole.",
            )
        ended.add(query)
    return frame
