"""The result of an evaluation: values by query, their summary, and the hits that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import UnknownNameError
from rankgauge.evaluation import display
from rankgauge.evaluation.judged_share import (
    JudgedShare,
    judged_share,
    judged_within,
    percent,
    remedy,
    thinnest,
    too_few,
)
from rankgauge.evaluation.notes import NO_EFFECT, describe_by_measure, describe_missing, shorten_list, worths
from rankgauge.evaluation.scoring import find_counted, is_empty, is_short, is_zeroed, score, settle
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.policies import ABOVE_ZERO, IdealPool, Ties
from rankgauge.ranking import Hits
from rankgauge.records import entity

if TYPE_CHECKING:
    from rankgauge.evaluation.sample_intervals import SampleIntervals
    from rankgauge.evaluation.segments import Segmentation


@entity
class Result:
    """The values of some measures on the queries of one run, and the hits that they come from.

    `result["nDCG@10"]` is a mean, `result.values` has a row for each query and measure, `result.summary` a row for each
    measure with its interval, `result.by_query` is a dict of dicts; `print(result)` and notebooks show a table.
    """

    dialect: Dialect
    measures: tuple[Measure, ...]
    hits: Hits
    raw: FloatArray
    """What the kernels gave (judged queries × measures); NaN = undefined."""
    errors: FloatArray
    """The standard errors of the values for which orders of tied documents were sampled, 0 elsewhere."""
    matrix: FloatArray
    """The values (queries that count × measures); NaN where a query is left out of a measure's mean."""
    by: tuple[Segmentation, ...] = ()
    """How the queries are grouped, where that was asked for."""
    bounds: Mapping[Ties, FloatArray] | None = None
    """What the kernels gave under the worst and the best order of tied documents, if it is known already."""
    parts: tuple[Result, ...] = ()
    """The results of the dialect's providers, where it takes measures from them."""
    judged_counts: FloatArray | None = None
    """How many judged documents each measure looks at (judged queries × measures), where the hits have no ranks."""
    integer_queries: bool = False
    """Whether the queries were given as integers, so that tables of values have them as integers too."""
    _sampled: dict[int, SampleIntervals] = field(default_factory=dict, repr=False)
    """What a sample of judgments leaves open, by seed, once somebody has asked."""

    @cached_property
    def counted(self) -> IndexArray:
        """The positions among the judged queries of those that count, in the dialect's order."""
        return find_counted(self.hits, self.dialect)

    @classmethod
    def join(cls, parts: Sequence[Result], measures: tuple[Measure, ...], dialect: Dialect) -> Result:
        """Return one result of those by the providers of a dialect, which are of the same run and judgments."""
        if len(parts) == 1 and parts[0].dialect is dialect:
            return parts[0]
        of = {measure: (part, column) for part in parts for column, measure in enumerate(part.measures)}
        raw, errors, matrix = (
            np.column_stack([getattr(of[measure][0], name)[:, of[measure][1]] for measure in measures])
            for name in ("raw", "errors", "matrix")
        )
        notes = dict.fromkeys(note for part in parts for note in part.hits.notes)
        hits = replace(parts[0].hits, notes=tuple(notes))
        return cls(
            dialect=dialect, measures=measures, hits=hits, raw=raw, errors=errors, matrix=matrix, parts=tuple(parts)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of its files and measures: that hardly anything is judged, queries that only the run or the
        judgments have, rows that were left out, measures that the dialect's tool lacks, choices that change nothing."""
        files = (self.thin_words("the run"), *self.unmatched_words, *self.hits.notes)
        idle = (words for subject, words in worths(self.dialect, self.measures, 0.0) if subject == NO_EFFECT)
        told = (*files, self.dialect.lacked(self.measures), self.ideal_words, *idle)
        return tuple(words for words in told if words is not None)

    @property
    def unmatched_words(self) -> Iterator[str]:
        """Say how many queries only the run has, and how many only the judgments have."""
        strangers, lacking = self.hits.strangers, int((~self.hits.is_answered).sum())
        if strangers:
            plural = "query" if len(strangers) == 1 else "queries"
            yield f"{len(strangers):,} {plural} of the run that nobody judged, ignored: {shorten_list(strangers)}"
        if lacking:
            judged, decision = len(self.hits.names), describe_by_measure(self.dialect, self.measures, describe_missing)
            yield f"{lacking:,} of {judged:,} queries are judged but not in the run; {decision}"

    def noted(self, notes: Sequence[str]) -> Result:
        """Return the result with more notes on its files and tables, before its own."""
        known = tuple(dict.fromkeys((*notes, *self.hits.notes)))
        return replace(self, hits=replace(self.hits, notes=known)) if notes else self

    def thin_words(self, run: str) -> str | None:
        """That so little is judged that the values mean nothing, why, and what to do; None if enough is."""
        few = too_few(run, self.judged)
        return None if few is None else f"{few}. {remedy(self.hits.mismatch)}"

    @cached_property
    def queries(self) -> pl.Series:
        """The queries that count."""
        return self.hits.queries.gather(self.counted)

    @cached_property
    def names(self) -> list[str]:
        """The queries that count, as a list."""
        return [str(self.hits.names[at]) for at in self.counted.tolist()]

    @cached_property
    def answered(self) -> BoolArray:
        """For which of the queries the run has documents."""
        return self.hits.is_answered[self.counted]

    @cached_property
    def judged(self) -> dict[str, JudgedShare]:
        """How much of what each measure looks at is judged, by the measure's name."""
        shares: dict[tuple[int, Ties], JudgedShare] = {}
        keys = [(measure.depth, self.dialect.provider(measure).ties) for measure in self.measures]
        for key, measure in zip(keys, self.measures, strict=True):
            if key not in shares:
                shares[key] = judged_share(self.hits, measure.depth, self.counted, self.judged_within(measure))
        return {str(measure): shares[key] for key, measure in zip(keys, self.measures, strict=True)}

    def judged_within(self, measure: Measure) -> FloatArray:
        """Count the judged documents that the measure looks at, by judged query."""
        if self.judged_counts is not None:
            return self.judged_counts[:, self.measures.index(measure)]
        return judged_within(self.hits, measure.depth, self.dialect.provider(measure).ties)

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row per query and measure: query, measure, value."""
        n, m = self.matrix.shape
        queries = self.queries.cast(pl.Int64) if self.integer_queries else self.queries
        names = pl.Series("measure", [str(measure) for measure in self.measures], dtype=pl.String)
        rows = pl.DataFrame(
            {
                "query": queries.gather(np.repeat(np.arange(n), m)),
                "measure": names.gather(np.tile(np.arange(m), n)),
                "value": self.matrix.ravel(),
            }
        )
        return rows.filter(pl.col("value").is_not_nan())

    @cached_property
    def by_query(self) -> dict[Any, dict[str, float]]:
        """The values by query and measure, as pytrec_eval gives them, without those that are left out of a mean."""
        names, rows = [str(measure) for measure in self.measures], self.matrix.tolist()
        queries = [int(name) for name in self.names] if self.integer_queries else list[Any](self.names)
        values = {query: dict(zip(names, row, strict=True)) for query, row in zip(queries, rows, strict=True)}
        for row, column in np.argwhere(np.isnan(self.matrix)).tolist():
            del values[queries[row]][names[column]]
        return values

    @property
    def summary(self) -> pl.DataFrame:
        """One row per measure: mean, 95 % t interval, spread, and counts of empty, short, missing and tied queries."""
        return self.summarise()

    def summarise(self, *, interval: str = "t", seed: int = 0) -> pl.DataFrame:
        """The summary with another kind of interval: "t", "bca" for a seeded bootstrap, or "sample" for judgments of a
        sample."""
        return self.summary_table(interval=interval, seed=seed).frame

    def summary_table(self, *, interval: str = "t", seed: int = 0) -> PlainTable:
        """Return the summary as a plain table, which does not need polars."""
        from rankgauge.evaluation.summary import SAMPLE, summarise
        from rankgauge.statistics.intervals import mean_interval

        if interval == SAMPLE:
            ends = self.sample_intervals(seed).interval
        else:
            ends = mean_interval(self.matrix, interval, seed=seed)
        return summarise(
            self.measures,
            self.matrix,
            counts=self.counts,
            judged=[self.judged[str(measure)].share for measure in self.measures],
            bounds=self.tie_bounds,
            errors=self._mean_errors,
            ends=ends,
            single=self.dialect.single_arithmetic,
        )

    def sample_intervals(self, seed: int = 0) -> SampleIntervals:
        """What judgments of a sample leave open for these queries: by measure an interval, or why there is none."""
        from rankgauge.evaluation.sample_intervals import sample_intervals

        if seed not in self._sampled:
            self._sampled[seed] = sample_intervals(self.hits, self.measures, self.matrix, self.dialect, seed=seed)
        return self._sampled[seed]

    def segmented(self, by: Any, ids: str | Iterable[str] | None = None) -> Result:
        """Return the result with its queries grouped, as `evaluate` groups them; `ids` says which are the same."""
        from rankgauge.evaluation.segments import keep_matching, segmentations

        return replace(self, by=keep_matching(segmentations(by, ids), self.names, by))

    @property
    def segments(self) -> pl.DataFrame:
        """One row per segmentation, segment and measure: mean, 95 % t interval, queries."""
        return self.segment_table().frame

    def segment_table(self, *, interval: str = "t", seed: int = 0) -> PlainTable:
        """Return the segments as a plain table, which does not need polars, with any kind of interval."""
        from rankgauge.evaluation.segments import segment_means

        return segment_means(self.by, self.names, self.measures, self.matrix, interval=interval, seed=seed)

    @cached_property
    def counts(self) -> dict[str, IndexArray]:
        """How many of the judged queries were empty, short, missing in the run, or tied, for each measure."""
        missing, m = ~self.hits.is_answered, len(self.measures)
        tied = np.bincount(self.hits.query[self.hits.size > 1], minlength=len(missing)) > 0
        return {
            "empty": is_empty(self.hits, self.measures, self.dialect).sum(axis=0),
            "short": (is_short(self.hits, self.measures) & ~missing[:, np.newaxis]).sum(axis=0),
            "missing": np.full(m, missing.sum()),
            "tied": np.full(m, tied.sum()),
        }

    @cached_property
    def undefined(self) -> IndexArray:
        """For how many of the queries that count each measure has no value, where that is not because they are empty or
        missing and so have one by rule."""
        ruled = is_empty(self.hits, self.measures, self.dialect) | ~self.hits.is_answered[:, np.newaxis]
        ruled &= ~np.array([measure.left_out for measure in self.measures], dtype=bool)
        return np.asarray((np.isnan(self.raw) & ~ruled)[self.counted].sum(axis=0))

    @cached_property
    def tie_bounds(self) -> tuple[FloatArray, FloatArray]:
        """The values under the worst and under the best order of tied documents."""
        return self._reorder(Ties.WORST), self._reorder(Ties.BEST)

    @cached_property
    def ideal_words(self) -> str | None:
        """Say how many relevant documents do not count, where the ideal holds retrieved ones alone."""
        if not any(self.dialect.choice("ideal", measure) is IdealPool.RETRIEVED for measure in self.measures):
            return None
        missed = int((self.hits.pool_grade > 0).sum()) - int((self.hits.grade > 0).sum())
        if missed <= 0:
            return None
        passed_over = "1 relevant document does" if missed == 1 else f"{missed:,} relevant documents do"
        return f"{passed_over} not count, being not retrieved: {IdealPool.RETRIEVED.words}, as in {self.dialect.name}"

    def __repr__(self) -> str:
        usual = {self.dialect.threshold(measure) for measure in self.measures} <= {None, 1.0, ABOVE_ZERO}
        named = self.dialect.label(besides="rel") + self.dialect.unmoved_words(self.measures)
        spoken = named if usual else self.dialect.describe(self.measures)
        share = thinnest(list(self.judged.values()))
        warned = "" if share is None else f"; warning: only {percent(share)} of {share.place} judged, see notes"
        return f"<{display.line(self.summary, spoken + warned)}>"

    def _repr_html_(self) -> str:
        shares = {f"{percent(one)} of {one.place}": one for one in self.judged.values()}
        judged = f"judged: {' and '.join(shares)}"
        return display.html(self.summary, self.dialect.describe(self.measures), [judged, *self.notes])

    @property
    def metrics(self) -> dict[str, float]:
        """Each measure's one number by its name, for experiment trackers."""
        return {str(measure): self[measure] for measure in self.measures}

    def to_mlflow(self, prefix: str = "") -> dict[str, float]:
        """Return the metrics under names that MLflow takes (letters, digits, _ - . and /): nDCG@10 is nDCG_at_10.

        `prefix` tells runs apart, as in "bm25/".
        """
        return {f"{prefix}{logged_name(name)}": value for name, value in self.metrics.items()}

    def to_pandas(self, table: str = "values") -> Any:
        """Return the `values` (a row for each query and measure) or the `summary` (a row for each measure) as a
        pandas frame."""
        return display.pandas(self, ("values", "summary"), table)

    def __getitem__(self, measure: str | Measure) -> float:
        """The measure's one number: its mean over the queries, or its sum or geometric mean, as the measure has it."""
        (wanted,) = self.dialect.select(measure)
        if wanted not in self.measures:
            computed = [str(one) for one in self.measures]
            said = f"It has {', '.join(computed)}; give evaluate() every measure that you need."
            raise UnknownNameError("measure in this result", str(wanted), computed, near=(), otherwise=said)
        column = self.matrix[:, self.measures.index(wanted)]
        return wanted.facts.aggregate.over(column, single=self.dialect.single_arithmetic)

    @cached_property
    def unlisted(self) -> BoolArray:
        """Which values the tool counts but does not list, because the list is too short (queries × measures)."""
        if self.dialect.lists_short:
            return np.zeros(self.matrix.shape, dtype=bool)
        return np.asarray(is_zeroed(self.hits, self.measures, self.dialect)[self.counted])

    def _reorder(self, ties: Ties) -> FloatArray:
        if not (self.hits.size > 1).any():
            return self.matrix
        # Bounds are shown, not printed as the tool prints its means: they stay in double precision.
        exact = replace(self.dialect, single_arithmetic=False)
        return settle(self.reordered(ties), self.hits, self.measures, exact)

    def reordered(self, ties: Ties) -> FloatArray:
        """What the kernels give (judged queries × measures) under the worst or the best order of tied documents."""
        if self.bounds is not None:
            return self.bounds[ties]
        if self.parts:
            pairs = (zip(part.measures, part.reordered(ties).T, strict=True) for part in self.parts)
            columns = dict(chain.from_iterable(pairs))
            return np.column_stack([columns[measure] for measure in self.measures])
        return score(self.hits.ordered(ties), self.measures, replace(self.dialect, ties=ties))[0]

    @cached_property
    def _mean_errors(self) -> FloatArray:
        """The standard error of each measure's mean that comes from sampling orders of ties."""
        used = ~np.isnan(self.matrix)
        squares = np.where(used, np.nan_to_num(self.errors[self.counted]) ** 2, 0.0).sum(axis=0)
        return np.asarray(np.sqrt(squares) / np.maximum(used.sum(axis=0), 1))


def logged_name(name: str) -> str:
    """Return the name without the characters that trackers refuse: AP(rel=2)@10 is AP_rel_2_at_10."""
    return re.sub(r"(?:[^\w.-]|_)+", "_", name.replace("@", "_at_"), flags=re.ASCII).strip("_")
