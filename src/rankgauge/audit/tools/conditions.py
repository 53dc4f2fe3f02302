"""The kinds of queries that tools treat differently: empty, short, tied, missing, unjudged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.audit.tools.scores import Scores
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray
from rankgauge.policies import ABOVE_ZERO

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

    @classmethod
    def of(cls, scores: Scores, dialect: Dialect, measure: Measure) -> Conditions:
        """The conditions of a run, by the measure's cutoff and by what the dialect counts as relevant."""
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
        )

    def count(self, kind: str) -> int:
        """How many queries are of the kind."""
        return int(self.holds[kind].sum())

    def of_query(self, position: int) -> list[str]:
        """The kinds that a query is of."""
        return [kind for kind, held in self.holds.items() if held[position]]
