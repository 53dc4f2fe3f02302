"""The queries that matter most: those on which the tools are furthest apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.audit.overview import Audit
from rankgauge.numeric import FloatArray

__all__ = ["Mover", "movers"]


@dataclass(frozen=True, kw_only=True)
class Mover:
    """One query under every dialect."""

    query: str
    values: dict[str, float]
    """By dialect; NaN where the query is left out of the mean."""
    kinds: tuple[str, ...]
    """What the query is like: empty, short, tied, missing, unjudged, negative."""
    documents: int
    relevant: int
    like: int
    """How many queries get the same values, this one among them."""

    @property
    def spread(self) -> float:
        """The highest value − the lowest."""
        known = [value for value in self.values.values() if not np.isnan(value)]
        return max(known) - min(known) if known else 0.0

    def at(self, value: float) -> list[str]:
        """The dialects that give the query that value."""
        return [name for name, given in self.values.items() if abs(given - value) < 5e-5]


def movers(audit: Audit, run: str, *, most: int = 10) -> list[Mover]:
    """The queries with the largest spread; of those to which every tool gives the same values only the first.

    Where hundreds of empty queries go from 0 to 1, ten of them say no more than one.
    """
    matrix = np.stack([audit.values(run, dialect) for dialect in audit.dialects], axis=1)
    known = ~np.isnan(matrix)
    top, low = (np.where(known, matrix, fill).T for fill in (-np.inf, np.inf))
    spread = np.where(known.any(axis=1), np.max(top, axis=0) - np.min(low, axis=0), 0.0)
    pattern = np.where(known, np.round(matrix, 9), -1.0)
    _, first, counts = np.unique(pattern, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts, -spread[first]))
    return [
        _mover(audit, run, int(first[place]), matrix[first[place]], int(counts[place]))
        for place in order[:most]
        if spread[first[place]] > 0
    ]


def _mover(audit: Audit, run: str, position: int, values: FloatArray, like: int) -> Mover:
    hits, conditions = audit.scores[run].hits(audit.base), audit.conditions[run]
    named = zip(audit.dialects, values, strict=True)
    return Mover(
        query=str(conditions.queries[position]),
        values={dialect.name: float(value) for dialect, value in named},
        kinds=tuple(conditions.of_query(position)),
        documents=int(hits.retrieved[position]),
        relevant=int((hits.pool_grade[hits.pool_query == position] > 0).sum()),
        like=like,
    )
