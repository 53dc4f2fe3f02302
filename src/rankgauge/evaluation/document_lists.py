"""The documents behind the values of some queries: what each run has at the top, and what was judged.

A result keeps no ids, so that the files are read once more; a report does so for the few queries that it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rankgauge.dialects import Dialect
from rankgauge.errors import UngroupedError
from rankgauge.lazy_polars import pl
from rankgauge.ranking.documents import ranked_documents


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentLists:
    """Some queries' documents."""

    runs: Mapping[str, pl.DataFrame]
    """By run: query, rank, document, score, grade (null where nobody judged), tied."""
    judged: pl.DataFrame
    """All that are judged: query, document, grade."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What documents are called, by id, where it is known."""


def document_lists(
    judgments: Any, runs: Mapping[str, Any], dialect: Dialect, queries: Sequence[str]
) -> DocumentLists | None:
    """The documents of the queries in the order in which the dialect ranks them; None if there are no runs."""
    asked, found, judged = pl.col("query").is_in(list(queries)), {}, None
    for name, run in runs.items():
        pool, ranked = _read(judgments, run, dialect, asked)
        judged = dialect.prepare(pool).filter(asked)
        found[name] = ranked_documents(ranked.filter(asked), judged, dialect.ranking)
    return None if judged is None else DocumentLists(runs=found, judged=judged)


def _read(judgments: Any, run: Any, dialect: Dialect, asked: pl.Expr) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments and run; of a large run only what is asked for is kept."""
    from rankgauge import files

    if files.is_path(judgments) and files.is_path(run) and files.is_large(run):
        with suppress(UngroupedError):
            return files.read_judgments(judgments), pl.concat([batch.filter(asked) for batch in files.stream_run(run)])
    return files.pair_from(judgments, run, dialect.reading)
