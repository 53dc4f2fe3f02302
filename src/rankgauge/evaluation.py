"""The whole flow in five stages: read, rank, score, settle, summarise.

    files → tables → ranked lists → values of the kernels → values of the queries → summary

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import UngroupedError
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.ranking import Hits, rank, rank_stream
from rankgauge.ranking.scan import scan
from rankgauge.result import Result
from rankgauge.scoring import score, settle


def evaluate(
    judgments: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> Result:
    """How good a run is, by each of the measures.

    `judgments` and `run` are paths, polars, pandas or pyarrow frames, dicts of dicts, rows, or data sets of
    ir_datasets ("irds:" and an id). `measures` are names, or measures of ours or of ir-measures. `dialect` names the
    tool to compute as; `overrides` replace single choices of it, such as `ties="expected"` or `empty="leave-out"`.
    """
    spoken = dialects.get(dialect, **overrides)
    wanted = spoken.select(measures)
    hits = _hits(judgments, run, spoken)  # 1 read: files, assessors; 2 rank: join, order, ties, cut
    return scored(hits.matched(), wanted, spoken)


def scored(hits: Hits, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """The result of hits: what they are worth by each of the measures."""
    raw, errors = score(dialect.check(hits), measures, dialect)  # 3 score: kernels; NaN is undefined
    matrix = settle(raw, hits, measures, dialect)  # 4 settle: empty queries, short lists, undefined values
    # 5 summarise: `Result.summary`, when it is asked for
    return Result(dialect=dialect, measures=measures, hits=hits, raw=raw, errors=errors, matrix=matrix)


def _hits(judgments: Any, run: Any, dialect: Dialect) -> Hits:
    """The judged hits of the run: regular TREC files are scanned, large files streamed, the rest read whole."""
    files = isinstance(judgments, str | os.PathLike) and isinstance(run, str | os.PathLike)
    plain = files and dialect.assessors is None and not dialect.rescales
    scanned = scan(run, judgments, dialect.ranking) if plain else None
    if scanned is not None:
        return scanned
    from rankgauge import io

    with io.traced(run):
        with suppress(UngroupedError):
            if io.is_path(judgments) and io.is_path(run) and io.is_large(run):
                judged = io.read_judgments(judgments)
                streamed = rank_stream(io.stream_run(run), dialect.prepare(judged), dialect.ranking)
                return replace(streamed, top=dialect.highest(judged))
        return joined(*io.pair_from(judgments, run, dialect.reading), dialect)


def joined(judgments: pl.DataFrame, run: pl.DataFrame, dialect: Dialect) -> Hits:
    """The judged hits of a run in a table."""
    hits = rank(run, dialect.prepare(judgments), dialect.ranking)
    return replace(hits, top=dialect.highest(judgments))
