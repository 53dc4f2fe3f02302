"""The whole flow in five stages: read, rank, score, settle, summarise.

    files → tables → ranked lists → values of the kernels → values of the queries → summary

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, overload

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UngroupedError, UnmatchedError
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.policies import IdealPool
from rankgauge.ranking import Hits, rank, rank_stream
from rankgauge.ranking.scan import JudgedPool, scan_judgments, scan_run
from rankgauge.result import Result
from rankgauge.scoring import score, settle
from rankgauge.threads import spread

LARGE = 32 << 20
"""From this many bytes on, a run's own blocks keep all threads busy, and two runs at once would take more memory."""

TOGETHER = 8
"""How many small runs are scored at once: NumPy's calls cost more than their lists."""

Names = str | Measure | Iterable[str | Measure]
"""One measure, or several."""


@overload
def evaluate(
    judgments: Any,
    run: Mapping[str, str | os.PathLike[str] | pl.DataFrame] | Mapping[str, Mapping[str, Mapping[str, float]]],
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> dict[str, Result]: ...


@overload
def evaluate(
    judgments: Any, run: Any, measures: Names, *, dialect: str | Dialect = "standard", **overrides: Any
) -> Result: ...


def evaluate(
    judgments: Any, run: Any, measures: Names, *, dialect: str | Dialect = "standard", **overrides: Any
) -> Result | dict[str, Result]:
    """How good a run is, by each of the measures; of several runs by name, how good each is.

    `judgments` and `run` are paths, polars, pandas or pyarrow frames, dicts of dicts, rows, or data sets of
    ir_datasets ("irds:" and an id); several runs are a dict of such: {"bm25": …, "dense": …}. `measures` are names, or
    measures of ours or of ir-measures. `dialect` names the tool to compute as; `overrides` replace single choices of
    it, such as `ties="expected"` or `empty="leave-out"`.
    """
    spoken = dialects.get(dialect, **overrides)
    wanted = spoken.select(measures)
    if _is_several(run):
        return dict(evaluate_runs(judgments, run, wanted, spoken))
    return _Judgments(given=judgments, dialect=spoken).result(run, wanted)


def evaluate_runs(
    judgments: Any, runs: Mapping[str, Any], measures: tuple[Measure, ...], dialect: Dialect
) -> Iterator[tuple[str, Result]]:
    """Each run's name and result, in their order: judgments are read once, and runs by several threads.

    At most a few runs are taken ahead of the one that is asked for.
    """
    files = all(_is_file(source) for source in (judgments, *runs.values()))
    if not files:
        from rankgauge import io

        judgments = io.kept(judgments, io.judgments_from)
    judged = _Judgments(given=judgments, dialect=dialect)

    def evaluated(batch: tuple[tuple[str, Any], ...]) -> list[tuple[str, Result]]:
        found = [judged.named_hits(name, run) for name, run in batch]
        return list(zip((name for name, _ in batch), scored_together(found, measures, dialect), strict=True))

    small = files and judged.pool is not None and all(os.path.getsize(run) <= LARGE for run in runs.values())
    batches = batched(runs.items(), TOGETHER if small else 1)
    return chain.from_iterable((spread if small else map)(evaluated, batches))


def batched(items: Iterable[tuple[str, Any]], size: int) -> Iterator[tuple[tuple[str, Any], ...]]:
    """The items, `size` at a time."""
    rest = iter(items)
    return iter(lambda: tuple(islice(rest, size)), ())


def scored(hits: Hits, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """The result of hits: what they are worth by each of the measures."""
    return scored_together([dialect.check(hits)], measures, dialect)[0]


def scored_together(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> list[Result]:
    """The result of each run's hits on the same judgments: kernels take the lists of all runs at once."""
    if len(hits) > 1 and not _share_queries(hits, measures, dialect):
        return [result for one in hits for result in scored_together([one], measures, dialect)]
    raw, errors = score(Hits.together(hits), measures, dialect)  # 3 score: kernels; NaN is undefined
    results = []
    for one, values, error in zip(hits, np.split(raw, len(hits)), np.split(errors, len(hits)), strict=True):
        matrix = settle(values, one, measures, dialect)  # 4 settle: empty queries, short lists, undefined values
        # 5 summarise: `Result.summary`, when it is asked for
        results.append(Result(dialect=dialect, measures=measures, hits=one, raw=values, errors=error, matrix=matrix))
    return results


def _share_queries(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> bool:
    """Whether all runs were scanned with one pool, and no list looks for another one of its query."""
    lists = {dialect.choice("ideal", measure) for measure in measures}
    return IdealPool.FIRST not in lists and all(one.names is hits[0].names for one in hits)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judgments:
    """Judgments as they were given, and how they are to be understood; what is made of them serves every run."""

    given: Any
    dialect: Dialect

    @cached_property
    def pool(self) -> JudgedPool | None:
        """The judged documents of a regular TREC file."""
        plain = isinstance(self.given, str | os.PathLike) and self.dialect.assessors is None
        return scan_judgments(self.given, self.dialect.ranking) if plain and not self.dialect.rescales else None

    def result(self, run: Any, measures: tuple[Measure, ...]) -> Result:
        """The result of a run."""
        return scored(self.hits(run), measures, self.dialect)

    def hits(self, run: Any) -> Hits:
        """The judged hits of a run with queries that are judged."""
        hits = self._hits(run)  # 1 read: files, assessors; 2 rank: join, order, ties, cut
        try:
            return hits.matched()
        except UnmatchedError as error:
            from rankgauge import io

            error.hint = io.unnamed(run, len(hits.strangers)) or error.hint
            raise

    def named_hits(self, name: str, run: Any) -> Hits:
        """Those of one of several runs; an error names it."""
        try:
            return self.dialect.check(self.hits(run))
        except InputError as error:
            if error.path is None:
                error.path = str(run) if _is_file(run) else name
            raise

    def _hits(self, run: Any) -> Hits:
        """All judged hits: regular TREC files are scanned, large files streamed, the rest read whole."""
        judgments, dialect = self.given, self.dialect
        if isinstance(run, str | os.PathLike) and self.pool is not None:
            scanned = scan_run(run, self.pool, dialect.ranking)
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


def _is_several(run: Any) -> bool:
    """Whether these are several runs by name, not one as {query: {document: score}} or {column: values}."""
    if not isinstance(run, Mapping) or not run:
        return False
    first = next(iter(run.values()))
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping)
    return isinstance(first, str | os.PathLike) or hasattr(first, "columns")


def _is_file(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)


def joined(judgments: pl.DataFrame, run: pl.DataFrame, dialect: Dialect) -> Hits:
    """The judged hits of a run in a table."""
    hits = rank(run, dialect.prepare(judgments), dialect.ranking)
    return replace(hits, top=dialect.highest(judgments))
