"""The whole flow: tables → ranked lists → values per query → summary.

What a scan of regular files does not need is imported where it is used: readers, summaries and polars are most of the
start, and the start is most of the time that a small run takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from rankgauge import dialects, display
from rankgauge.deferred import pl
from rankgauge.dialects import Dialect
from rankgauge.errors import UngroupedError
from rankgauge.measures import Measure
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, MissingQuery, QueryOrder, ShortList, Ties
from rankgauge.ranking import Block, Hits, rank, rank_stream
from rankgauge.ranking.hits import IndexArray
from rankgauge.ranking.lists import BoolArray, FloatArray, to_single
from rankgauge.ranking.scan import scan
from rankgauge.ranking.threads import spread

__all__ = ["Result", "evaluate", "scored"]


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
    spoken = dialects.get(dialect).changed(**overrides)
    wanted = spoken.select(measures)
    return scored(_hits(judgments, run, spoken).matched(), wanted, spoken)  # assessors; join, order, ties, cut


def scored(hits: Hits, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """What the hits are worth by each of the measures."""
    values, errors = score(dialect.check(hits), measures, dialect)  # kernels; NaN = undefined
    return Result(dialect=dialect, measures=measures, hits=hits, raw=values, errors=errors)


def _hits(judgments: Any, run: Any, dialect: Dialect) -> Hits:
    """The judged hits of the run: regular TREC files are scanned, large files streamed, the rest read whole."""
    files = isinstance(judgments, str | os.PathLike) and isinstance(run, str | os.PathLike)
    plain = files and dialect.assessors is None and not dialect.rescales
    scanned = scan(run, judgments, dialect.ranking) if plain else None
    if scanned is not None:
        return scanned
    from rankgauge import io

    with io.traced(run):
        return _read(judgments, run, dialect)


def _read(judgments: Any, run: Any, dialect: Dialect) -> Hits:
    """The judged hits of a run that is no regular TREC file."""
    from rankgauge import io

    with suppress(UngroupedError):
        if io.is_path(judgments) and io.is_path(run) and io.is_large(run):
            return rank_stream(io.stream_run(run), dialect.prepare(io.read_judgments(judgments)), dialect.ranking)
    judged, ranked = io.pair_from(judgments, run, dialect.reading)
    return rank(ranked, dialect.prepare(judged), dialect.ranking)


def score(hits: Hits, wanted: Sequence[Measure], dialect: Dialect) -> tuple[FloatArray, FloatArray]:
    """The kernels' values (judged queries × measures), NaN where undefined, and their errors where ties are sampled."""
    kernels = [dialect.read(measure) for measure in wanted]
    values, errors = np.full((2, len(hits.names), len(wanted)), np.nan)
    pools = [dialect.choice("ideal", measure) for measure in wanted]
    for pool in dict.fromkeys(pools):
        columns = [column for column, one in enumerate(pools) if one is pool]
        work = partial(_estimated, kernels=[kernels[column] for column in columns])
        for index, found in spread(work, hits.blocks(expected=dialect.ties is Ties.EXPECTED, ideal=pool)):
            for column, (value, error) in zip(columns, found, strict=True):
                values[index, column], errors[index, column] = value, error
    return values, errors


def _estimated(block: Block, kernels: Sequence[Measure]) -> tuple[IndexArray, list[tuple[FloatArray, FloatArray]]]:
    return block.index, [kernel.estimate(block.lists) for kernel in kernels]


def _logged(name: str) -> str:
    """The name with words for what a tracker's names may not hold: AP(rel=2)@10 is AP_rel_2_at_10."""
    return re.sub(r"(?:[^\w.-]|_)+", "_", name.replace("@", "_at_"), flags=re.ASCII).strip("_")


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """The values of some measures on the queries of one run, and what they rest on."""

    dialect: Dialect
    measures: tuple[Measure, ...]
    hits: Hits
    raw: FloatArray
    """What the kernels gave (judged queries × measures); NaN = undefined."""
    errors: FloatArray
    """The standard errors of the values for which orders of tied documents were sampled, 0 elsewhere."""
    bounds: Mapping[Ties, FloatArray] | None = None
    """What the kernels gave under the worst and the best order of tied documents, where that is known already."""

    @cached_property
    def counted(self) -> IndexArray:
        """The positions of the queries that count among the judged ones, in the dialect's order."""
        counted = np.flatnonzero(self.hits.is_answered | (self.dialect.missing is MissingQuery.ZERO))
        match self.dialect.query_order:
            case QueryOrder.LEXICAL:
                # The order of characters is that of their bytes in UTF-8.
                ordered = sorted(counted.tolist(), key=lambda row: str(self.hits.names[row]))
                return np.array(ordered, dtype=np.int64)
            case QueryOrder.NUMERIC:
                # Perl takes a name that is no number for 0.
                numbers = self.hits.queries.gather(counted).cast(pl.Float64, strict=False).fill_null(0.0)
                return np.asarray(counted[np.argsort(numbers.to_numpy(), kind="stable")])
        return counted

    @cached_property
    def queries(self) -> pl.Series:
        """The queries that count."""
        return self.hits.queries.gather(self.counted)

    @cached_property
    def answered(self) -> BoolArray:
        """For which of the queries the run has documents."""
        return self.hits.is_answered[self.counted]

    @cached_property
    def matrix(self) -> FloatArray:
        """The values (queries × measures); NaN where a query is left out of a measure's mean."""
        settled = self._settled(self.raw)
        return to_single(settled) if self.dialect.single_arithmetic else settled

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row per query and measure: query, measure, value."""
        n, m = self.matrix.shape
        names = pl.Series("measure", [str(measure) for measure in self.measures], dtype=pl.String)
        rows = pl.DataFrame(
            {
                "query": self.queries.gather(np.repeat(np.arange(n), m)),
                "measure": names.gather(np.tile(np.arange(m), n)),
                "value": self.matrix.ravel(),
            }
        )
        return rows.filter(pl.col("value").is_not_nan())

    @cached_property
    def by_query(self) -> dict[str, dict[str, float]]:
        """The values by query and measure, as pytrec_eval gives them; what is left out of a mean is not there."""
        names, rows = [str(measure) for measure in self.measures], self.matrix.tolist()
        queries = [str(self.hits.names[at]) for at in self.counted.tolist()]
        found = {query: dict(zip(names, row, strict=True)) for query, row in zip(queries, rows, strict=True)}
        for row, column in np.argwhere(np.isnan(self.matrix)).tolist():
            del found[queries[row]][names[column]]
        return found

    @property
    def summary(self) -> pl.DataFrame:
        """One row per measure: mean, its 95 % t interval, spread, and what the queries were like."""
        return self.summarise()

    def summarise(self, *, interval: str = "t", seed: int = 0) -> pl.DataFrame:
        """The summary with another kind of interval: "t", or "bca" for a seeded bootstrap."""
        from rankgauge.summary import summarise

        return summarise(
            self.measures,
            self.matrix,
            counts=self.counts,
            bounds=self.tie_bounds,
            errors=self._mean_errors,
            single=self.dialect.single_arithmetic,
            interval=interval,
            seed=seed,
        )

    @cached_property
    def counts(self) -> dict[str, IndexArray]:
        """How many of the judged queries were empty, short, missing in the run, or tied, for each measure."""
        missing, m = ~self.hits.is_answered, len(self.measures)
        tied = np.bincount(self.hits.query[self.hits.size > 1], minlength=len(missing)) > 0
        return {
            "empty": self._empty.sum(axis=0),
            "short": (self._short & ~missing[:, np.newaxis]).sum(axis=0),
            "missing": np.full(m, missing.sum()),
            "tied": np.full(m, tied.sum()),
        }

    @cached_property
    def tie_bounds(self) -> tuple[FloatArray, FloatArray]:
        """The values under the worst and under the best order of tied documents."""
        return self._reordered(Ties.WORST), self._reordered(Ties.BEST)

    def __repr__(self) -> str:
        return f"<{display.line(self.summary, self.dialect.name)}>"

    def _repr_html_(self) -> str:
        return display.html(self.summary, self.dialect.name)

    @property
    def metrics(self) -> dict[str, float]:
        """Each measure's one number by its name, as trackers of experiments log them."""
        return {str(measure): self[measure] for measure in self.measures}

    def to_mlflow(self, prefix: str = "") -> dict[str, float]:
        """The metrics under names that MLflow takes (letters, digits, _ - . and /): nDCG@10 is nDCG_at_10.

        `prefix` tells runs apart, as in "bm25/".
        """
        return {f"{prefix}{_logged(name)}": value for name, value in self.metrics.items()}

    def to_pandas(self, table: str = "summary") -> Any:
        """The `summary` or the `values` as a pandas frame."""
        return display.pandas(self, ("summary", "values"), table)

    def __getitem__(self, measure: str | Measure) -> float:
        """The measure's one number: its mean over the queries (a sum or geometric mean where the measure says so)."""
        (wanted,) = self.dialect.select(measure)
        column = self.matrix[:, self.measures.index(wanted)]
        return wanted.facts.aggregate.over(column, single=self.dialect.single_arithmetic)

    @cached_property
    def _empty(self) -> BoolArray:
        """Where a query has no document that the measure counts as relevant (judged queries × measures)."""
        best = np.full(len(self.hits.names), -np.inf)
        counts = np.bincount(self.hits.pool_query, minlength=len(best))
        judged = counts > 0
        best[judged] = self.hits.pool_grade[(np.cumsum(counts) - counts)[judged]]  # the first of each query is the best
        levels = [getattr(self.dialect.read(measure), "rel", None) or ABOVE_ZERO for measure in self.measures]
        return best[:, np.newaxis] < np.array(levels)

    @cached_property
    def _short(self) -> BoolArray:
        """Where a query's list is shorter than the measure's cutoff (judged queries × measures)."""
        return self.hits.retrieved[:, np.newaxis] < np.array([measure.depth for measure in self.measures])

    def _settled(self, values: FloatArray) -> FloatArray:
        """The values after the dialect's word on empty queries, undefined values and short lists."""
        choices = [self.dialect.choice("empty", measure) for measure in self.measures]
        leaves = np.array([choice == LEAVE_OUT for choice in choices], dtype=bool)
        numbers = np.array([np.nan if choice == LEAVE_OUT else float(choice) for choice in choices])
        stays = np.array([measure.left_out for measure in self.measures], dtype=bool)
        settled = np.where(self._empty & leaves, np.nan, values)
        settled = np.where(np.isnan(values) & ~stays & ~leaves, numbers, settled)
        return np.asarray(np.where(self._zeroed, 0.0, settled)[self.counted])

    @cached_property
    def _zeroed(self) -> BoolArray:
        """Where a value is 0 because the list is shorter than the cutoff (judged queries × measures)."""
        zero = [self.dialect.choice("short", measure) is ShortList.ZERO for measure in self.measures]
        return np.asarray(self._short & np.array(zero, dtype=bool))

    @cached_property
    def unlisted(self) -> BoolArray:
        """Which values the tool counts but does not list, as the list is too short (queries × measures)."""
        return np.asarray(self._zeroed[self.counted] & (not self.dialect.lists_short))

    def _reordered(self, ties: Ties) -> FloatArray:
        if not (self.hits.size > 1).any():
            return self.matrix
        return self._settled(self.reordered(ties))

    def reordered(self, ties: Ties) -> FloatArray:
        """What the kernels give (judged queries × measures) under the worst or the best order of tied documents."""
        if self.bounds is not None:
            return self.bounds[ties]
        return score(self.hits.ordered(ties), self.measures, replace(self.dialect, ties=ties))[0]

    @cached_property
    def _mean_errors(self) -> FloatArray:
        """The standard error of each measure's mean that comes from sampling orders of ties."""
        used = ~np.isnan(self.matrix)
        squares = np.where(used, np.nan_to_num(self.errors[self.counted]) ** 2, 0.0).sum(axis=0)
        return np.asarray(np.sqrt(squares) / np.maximum(used.sum(axis=0), 1))
