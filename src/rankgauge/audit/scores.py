"""One run under any dialect, each stage computed once.

An audit evaluates hundreds of dialects that differ in a field or two. What the ranking stage gives depends on few of
the fields, what the kernels give on a few more; only the last step, which settles empty queries and short lists, is
done anew for each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import io
from rankgauge.dialects import Dialect
from rankgauge.dialects import get as get_dialect
from rankgauge.evaluate import Result, score
from rankgauge.measures import Measure
from rankgauge.policies import NegativeGrade
from rankgauge.ranking import Hits, Ranking, rank
from rankgauge.ranking.lists import FloatArray

__all__ = ["Scores", "bare"]

REPORTED = ("name", "title", "reference", "printed", "lists_missing")
"""The fields of a dialect that say how values are shown, not what they are."""

LATE = ("gain", "discount", "rel", "max_grade", "readings", "empty", "short", "missing", "query_order")
"""The fields that only the measures and the summary read."""

RANKING = {f.name for f in fields(Ranking)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """A run's values under any dialect."""

    judgments: pl.DataFrame
    run: pl.DataFrame
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, judgments: Any, run: Any) -> Scores:
        """The scores of a run that is a path, a frame or a dict."""
        judged, ranked = io.pair_from(judgments, run)
        return cls(judgments=judged, run=ranked)

    def mean(self, dialect: Dialect, measure: Measure) -> float:
        """The measure's one number under the dialect."""
        key = ("mean", bare(dialect), measure)
        if key not in self._kept:
            self._kept[key] = self.result(dialect, measure)[measure]
        return float(self._kept[key])

    def values(self, dialect: Dialect, measure: Measure) -> FloatArray:
        """The value of each of `queries` under the dialect; NaN where the query does not count."""
        result = self.result(dialect, measure)
        values = np.full(len(result.hits.queries), np.nan)
        values[result.counted] = result.matrix[:, 0]
        if result.hits.queries.equals(self.queries):
            return values
        # A tool that groups lines in its own way has other queries; those of the same name are compared.
        named = pl.DataFrame({"query": result.hits.queries, "value": values})
        asked = pl.DataFrame({"query": self.queries})
        return asked.join(named, on="query", how="left", maintain_order="left")["value"].fill_null(np.nan).to_numpy()

    def only(self, query: str) -> Scores:
        """The scores of one query alone."""
        judgments, run = (table.filter(pl.col("query") == query) for table in (self.judgments, self.run))
        return Scores(judgments=judgments, run=run)

    @cached_property
    def queries(self) -> pl.Series:
        """The judged queries."""
        return self.judgments["query"].unique(maintain_order=True).rename("query")

    def result(self, dialect: Dialect, measure: Measure) -> Result:
        """What `evaluate` gives for the one measure under the dialect."""
        hits = self.hits(dialect)
        self.prepare(dialect, [measure])
        raw, errors = self._kept[self._key(dialect, measure)]
        return Result(dialect=dialect, measures=(measure,), hits=hits, raw=raw, errors=errors)

    def hits(self, dialect: Dialect) -> Hits:
        """The judged hits under the dialect."""
        key = ("hits", self._early(dialect))
        if key not in self._kept:
            self._kept[key] = rank(self.run, dialect.prepare(self.judgments), dialect.ranking)
        hits: Hits = self._kept[key]
        return hits

    def prepare(self, dialect: Dialect, measures: Iterable[Measure]) -> None:
        """Computes the measures together, which is faster than one after the other."""
        wanted = {self._key(dialect, measure): measure for measure in measures}
        fresh = [(key, measure) for key, measure in wanted.items() if key not in self._kept]
        if fresh:
            values, errors = score(self.hits(dialect), [measure for _, measure in fresh], dialect)
            for column, (key, _) in enumerate(fresh):
                self._kept[key] = values[:, [column]], errors[:, [column]]

    def _key(self, dialect: Dialect, measure: Measure) -> Hashable:
        """Dialects that read the measure alike share what the kernel gives."""
        return "raw", self._early(dialect), dialect.read(measure)

    def _early(self, dialect: Dialect) -> Dialect:
        """The dialect as the stages before the kernels see it: choices that this data never asks for are all one."""
        standard = get_dialect("standard")
        late = (name for name in LATE if name not in RANKING)
        seen = replace(bare(dialect), **{name: getattr(standard, name) for name in late})
        negative = dialect.negative if self._has_negative else NegativeGrade.ZERO
        return replace(seen, negative=negative, single_precision=dialect.single_precision and self._is_fine)

    @cached_property
    def _has_negative(self) -> bool:
        return bool((self.judgments["grade"] < 0).any())

    @cached_property
    def _is_fine(self) -> bool:
        """Whether scores become equal as 32-bit numbers that are not."""
        score = self.run["score"]
        return score.n_unique() != score.cast(pl.Float32).n_unique()


def bare(dialect: Dialect) -> Dialect:
    """The dialect without what does not change a value: equal ones compute alike."""
    return replace(dialect, name="", title="", reference="", printed=(), lists_missing=True)
