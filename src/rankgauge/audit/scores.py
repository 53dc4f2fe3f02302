"""One run under any dialect, each stage computed once.

An audit evaluates hundreds of dialects that differ in a field or two. What the ranking stage gives depends on few of
the fields, what the kernels give on a few more; only the last step, which settles empty queries and short lists, is
done anew for each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge import io
from rankgauge.audit.asked import Asked
from rankgauge.dialects import Dialect
from rankgauge.dialects import get as get_dialect
from rankgauge.evaluate import Result, score
from rankgauge.io.base import STRICT, Reading
from rankgauge.measures import Measure
from rankgauge.ranking import Hits, Ranking, rank
from rankgauge.ranking.lists import FloatArray

__all__ = ["Scores", "bare"]

REPORTED = ("name", "title", "reference", "printed", "lists_missing")
"""The fields of a dialect that say how values are shown, not what they are."""

REFUSING = ("fewest",)
"""The fields that say which input the tool refuses; where both of two dialects take it, they change no value."""

LATE = ("gain", "discount", "rel", "max_grade", "readings", "empty", "short", "missing", "query_order")
"""The fields that only the measures and the summary read."""

RANKING = {f.name for f in fields(Ranking)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Scores:
    """A run's values under any dialect; judgments and run are paths, frames or dicts."""

    judgments: Any
    run: Any
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def tables(self, dialect: Dialect) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The judgments, one grade for each document, and the run, as the dialect's tool reads them."""
        judged, ranked = self._read(dialect)
        return dialect.prepare(judged), ranked

    def _read(self, dialect: Dialect) -> tuple[pl.DataFrame, pl.DataFrame]:
        key = ("tables", _reading(dialect))
        if key not in self._kept:
            self._kept[key] = io.pair_from(self.judgments, self.run, _reading(dialect))
        judged, ranked = self._kept[key]
        return judged, ranked

    def asked(self, dialect: Dialect) -> Asked:
        """Which choices the data asks for, as the dialect's tool reads it."""
        key = ("asked", _reading(dialect))
        if key not in self._kept:
            self._kept[key] = Asked.of(*self.tables(dialect))
        asked: Asked = self._kept[key]
        return asked

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

    def only(self, query: str, dialect: Dialect) -> Scores:
        """The scores of one query alone, as the dialect's tool reads the files."""
        judged, ranked = (table.filter(pl.col("query") == query) for table in self.tables(dialect))
        return Scores(judgments=judged, run=ranked)

    @property
    def queries(self) -> pl.Series:
        """The judged queries, as the first dialect has them that took the files."""
        queries: pl.Series = self._kept["queries"]
        return queries

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
            judged, ranked = self.tables(dialect)
            self._kept[key] = dialect.check(rank(ranked, judged, dialect.ranking))
            self._kept.setdefault("queries", self._kept[key].queries)
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
        return self.asked(dialect).ranked(seen)


def bare(dialect: Dialect) -> Dialect:
    """The dialect without what does not change a value: equal ones compute alike."""
    return replace(dialect, name="", title="", reference="", printed=(), lists_missing=True)


def _reading(dialect: Dialect) -> Reading:
    """How the dialect's tool reads its files."""
    return getattr(dialect, "reading", STRICT)
