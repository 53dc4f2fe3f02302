"""Which choices a data set asks for: where no scores are tied, all rules for ties are one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.dialects import get as get_dialect
from rankgauge.measures import Measure
from rankgauge.policies import IdealPool, MissingQuery, NegativeGrade, QueryOrder, Ties, Unjudged

__all__ = ["Asked"]

OPEN = ("gain", "discount", "rel", "max_grade")
"""The parameters that a measure may leave to the dialect."""

PAIR = ["query", "document"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the data has that tools treat each in its own way."""

    negative: bool
    """Grades below 0."""
    tied: bool
    close: bool
    """Scores that are equal as 32-bit numbers, but not as they are."""
    missing: bool
    unjudged: bool
    unretrieved: bool
    """Judged documents that the run lacks."""

    @classmethod
    def of(cls, judged: pl.DataFrame, ranked: pl.DataFrame) -> Asked:
        """What judgments and a run have."""
        score = ranked["score"]
        single = score.cast(pl.Float32)
        listed = ranked.join(judged, on="query", how="semi")
        return cls(
            negative=bool((judged["grade"] < 0).any()),
            tied=bool(ranked.select("query", pl.col("score").cast(pl.Float32)).is_duplicated().any()),
            close=score.n_unique() != single.n_unique(),
            missing=len(judged.join(ranked, on="query", how="anti")) > 0,
            unjudged=len(listed.join(judged, on=PAIR, how="anti")) > 0,
            unretrieved=len(judged.join(ranked, on=PAIR, how="anti")) > 0,
        )

    def ranked(self, dialect: Dialect) -> Dialect:
        """The dialect with the ranking's choices that the data never asks for set to one and the same."""
        return replace(dialect, **dict(self._ranking(dialect)))

    def simplest(self, dialect: Dialect, measure: Measure) -> Dialect:
        """The dialect with every choice that the data and the measure never ask for set to one and the same.

        Two dialects that become equal give the same values, but for the last bits of a mean: the order in which the
        queries are added is one of the choices.
        """
        standard = get_dialect("standard")
        idle = [name for name in OPEN if not self._is_open(name, dialect, measure)]
        own = {name: chosen for name, chosen in dialect.readings.items() if name == measure.facts.name}
        changed = {name: getattr(standard, name) for name in idle}
        missing = dialect.missing if self.missing else MissingQuery.ZERO
        seen = replace(dialect, **changed, readings=own, missing=missing, query_order=QueryOrder.APPEARANCE)
        return self.ranked(seen)

    def _ranking(self, dialect: Dialect) -> Iterator[tuple[str, Any]]:
        if not self.negative:
            yield "negative", NegativeGrade.ZERO
        if not self.close:
            yield "single_precision", False
        if not self.tied:
            yield "ties", Ties.EXPECTED
        if not self.unjudged and not self.negative:
            yield "unjudged", Unjudged.NOT_RELEVANT
        if dialect.ideal is IdealPool.RETRIEVED and not self.unretrieved and dialect.depth is None:
            yield "ideal", IdealPool.JUDGED

    def _is_open(self, name: str, dialect: Dialect, measure: Measure) -> bool:
        """Whether the dialect's word on a parameter can matter to the measure."""
        return getattr(measure, name, "set") is None or (name == "rel" and dialect.cut_ideal)
