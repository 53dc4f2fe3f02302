"""What a data set has that tools treat differently: where no scores are tied, say, all rules for ties agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.dialects import get as get_dialect
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray
from rankgauge.policies import ABOVE_ZERO, HighGrade, IdealPool, MissingQuery, NegativeGrade, QueryOrder, Ties, Unjudged

if TYPE_CHECKING:
    from rankgauge.audit.tools.scores import Scores

OPEN = ("gain", "discount", "rel", "max_grade")
"""The parameters that a measure may leave to the dialect."""

READING = ("duplicates", "judged_twice", "grouping", "extra_scores", "fractional")
"""The choices of a tool that reads files which are not plain."""

PAIR = ["query", "document"]


@dataclass(frozen=True, kw_only=True)
class DataTraits:
    """What the data has that tools treat differently."""

    odd: bool
    """Lines that tools read differently: repeated documents, torn queries, grades such as 1.0, surplus scores."""
    negative: bool
    """Grades below 0."""
    high: bool
    """Grades above the top of the dialect's scale."""
    tied: bool
    close: bool
    """Scores that are equal in 32 bits, but not in 64."""
    missing: bool
    unjudged: bool
    unretrieved: bool
    """Judged documents that the run lacks."""

    @classmethod
    def of(cls, judged: pl.DataFrame, ranked: pl.DataFrame, *, odd: bool, dialect: Dialect) -> DataTraits:
        """Return the traits of judgments and a run, as the dialect's tool reads them."""
        score = ranked["score"]
        single = score.cast(pl.Float32)
        listed = ranked.join(judged, on="query", how="semi")
        return cls(
            odd=odd,
            negative=bool((judged["grade"] < 0).any()),
            high=not dialect.knows(float(np.max(judged["grade"].to_numpy(), initial=0.0))),
            tied=bool(ranked.select("query", pl.col("score").cast(pl.Float32)).is_duplicated().any()),
            close=score.n_unique() != single.n_unique(),
            missing=len(judged.join(ranked, on="query", how="anti")) > 0,
            unjudged=len(listed.join(judged, on=PAIR, how="anti")) > 0,
            unretrieved=len(judged.join(ranked, on=PAIR, how="anti")) > 0,
        )

    def __or__(self, other: DataTraits) -> DataTraits:
        """The traits of either: two tools may read the same files as different tables."""
        return DataTraits(**{f.name: getattr(self, f.name) or getattr(other, f.name) for f in fields(self)})

    def ranked(self, dialect: Dialect) -> Dialect:
        """The dialect with those choices made neutral that the ranking makes and that never matter to this data."""
        return replace(dialect, **dict(self._idle(dialect)))

    def simplest(self, dialect: Dialect, measure: Measure) -> Dialect:
        """Return the dialect with every choice made neutral that matters neither to the data nor to the measure.

        Two dialects that become equal give the same values, but for the last bits of a mean: the order in which the
        queries are added is one of the choices.
        """
        dialect, standard = dialect.provider(measure), get_dialect("standard")
        held = {name: dialect.choice(name, measure) for name in ("empty", "short", "ideal")}
        idle = {name: getattr(standard, name) for name in OPEN if not self._is_open(name, dialect, measure)}
        own = {name: chosen for name, chosen in dialect.readings.items() if name == measure.facts.name}
        missing = dialect.missing if self.missing else MissingQuery.ZERO
        order = QueryOrder.APPEARANCE
        return self.ranked(
            replace(
                dialect, **held, **idle, only_for={}, providers=(), readings=own, missing=missing, query_order=order
            )
        )

    def _idle(self, dialect: Dialect) -> Iterator[tuple[str, Any]]:
        standard = get_dialect("standard")
        if not self.odd:
            yield from ((name, getattr(standard, name)) for name in READING)
        if not self.negative:
            yield "negative", NegativeGrade.ZERO
        if not self.high:
            yield "high", HighGrade.KEEP
        if not self.close:
            yield "single_precision", False
        if not self.tied:
            yield "ties", Ties.EXPECTED
        if not self.unjudged and not self.negative:
            yield "unjudged", Unjudged.NOT_RELEVANT
        if dialect.ideal is IdealPool.RETRIEVED and not self.unretrieved and dialect.depth is None:
            yield "ideal", IdealPool.JUDGED
        if dialect.ideal is IdealPool.FIRST and not self.odd:
            yield "ideal", IdealPool.JUDGED

    def _is_open(self, name: str, dialect: Dialect, measure: Measure) -> bool:
        """Say whether the dialect's word on a parameter can matter to the measure."""
        if getattr(measure, name, "set") is None:
            return True
        return (name == "rel" and dialect.cut_ideal) or (name == "max_grade" and self.high)


CUTOFF = 10
"""The length below which a list is short, if the measure has no cutoff."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Conditions:
    """Which of the judged queries are of a kind, by the name of the kind."""

    queries: pl.Series
    holds: Mapping[str, BoolArray]
    grades: tuple[float, ...]
    """The grades in use, rising."""
    cutoff: int
    judges_twice: bool = False

    @classmethod
    def of(cls, scores: Scores, dialect: Dialect, measure: Measure) -> Conditions:
        """Return the conditions of a run, by the measure's cutoff and by what the dialect counts as relevant."""
        hits, cutoff = scores.hits(dialect), measure.depth or CUTOFF
        n = len(hits.queries)
        rel = dialect.threshold(measure) or ABOVE_ZERO
        judged, _ = scores.tables(dialect)
        below = hits.queries.is_in(judged.filter(pl.col("grade") < 0)["query"].implode()).to_numpy()
        return cls(
            queries=hits.queries,
            holds={
                "empty": np.bincount(hits.pool_query[hits.pool_grade >= rel], minlength=n) == 0,
                "short": hits.is_answered & (hits.retrieved < cutoff),
                "tied": np.bincount(hits.query[hits.size > 1], minlength=n) > 0,
                "missing": ~hits.is_answered,
                "unjudged": np.bincount(hits.query, minlength=n) < hits.retrieved,
                "negative": below,
            },
            grades=tuple(sorted(judged["grade"].unique().to_list())),
            cutoff=cutoff,
            judges_twice=scores.judges_twice,
        )

    def count(self, kind: str) -> int:
        """Return how many queries are of the kind."""
        return int(self.holds[kind].sum())

    def of_query(self, position: int) -> list[str]:
        """Return the kinds that a query is of."""
        return [kind for kind, held in self.holds.items() if held[position]]
