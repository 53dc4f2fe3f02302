"""What an audit found, in short: how far apart the tools are and why, and the queries on which they differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.audit.tools.advice import LEAST
from rankgauge.audit.tools.attribution import Attribution
from rankgauge.audit.tools.conditions import Conditions
from rankgauge.audit.tools.overview import Audit

SLIGHT = 0.02
"""What narrows a gap by less is not worth a word."""

MOST = 3
"""How many causes a headline names."""


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What an audit found, in two sentences."""

    gap: str
    cause: str

    def __str__(self) -> str:
        return f"{self.gap} {self.cause}".strip()


def headline(audit: Audit, run: str) -> Headline:
    """How far apart the tools are on a run, and what most of the gap comes from."""
    means = [audit.mean(run, dialect) for dialect in audit.dialects]
    if np.isnan(means).all():
        return Headline(gap=f"{audit.measure} is not defined on this data, {_whichever(audit)}.", cause="")
    the = f"The same ranking ({run})" if audit.several else "The same ranking"
    found = audit.gaps.get(run)
    if found is None:
        return Headline(gap=f"{the} scores {np.nanmax(means):.4f} by {audit.measure}, {_whichever(audit)}.", cause="")
    bottom, top = _apart(audit.mean(run, found.base), audit.mean(run, found.other))
    ends = f"{bottom} ({found.base.name}) to {top} ({found.other.name})"
    gap = f"{the} scores {ends} by {audit.measure}, depending on the tool."
    return Headline(gap=gap, cause=_sources(found, audit.conditions[run]))


def _whichever(audit: Audit) -> str:
    """How many tools that holds for: not for those that refuse the data."""
    return "whatever the tool that accepts it" if audit.refused else "whatever the tool"


def _apart(low: float, high: float) -> tuple[str, str]:
    """The two numbers with as many decimals as tell them apart."""
    short = f"{low:.2f}", f"{high:.2f}"
    return short if short[0] != short[1] else (f"{low:.4f}", f"{high:.4f}")


def _sources(found: Attribution, conditions: Conditions) -> str:
    """The causes that widen the gap most with their shares, 100 % in all, and by how much the others narrow it."""
    amounts = [(part.amount / found.difference, part.cause.about(conditions)) for part in found.mattering]
    widening = sum(amount for amount, _ in amounts if amount > 0)
    named = [(amount / widening, subject) for amount, subject in amounts if amount > LEAST][:MOST]
    if not named:
        return ""
    rest, back = round(100 * (1 - sum(share for share, _ in named))), 1 - 1 / widening
    end = f"; other choices narrow it by {100 * back:.0f} %." if back > SLIGHT else "."
    if len(named) == 1 and not rest:
        return f"All of the gap comes from {named[0][1]}{end}"
    first, *others = (f"{100 * share:.0f} % {{}}from {subject}" for share, subject in named)
    told = [first.format("of the gap comes "), *(other.format("") for other in others)]
    if rest > 0:
        told.append(f"{rest} % from other choices")
    return ", ".join(told) + end


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
    hits, conditions = audit.scores[run].hits(audit.base), audit.conditions[run]
    return [
        Mover(
            query=str(conditions.queries[query]),
            values={dialect.name: float(value) for dialect, value in zip(audit.dialects, matrix[query], strict=True)},
            kinds=tuple(conditions.of_query(query)),
            documents=int(hits.retrieved[query]),
            relevant=int((hits.pool_grade[hits.pool_query == query] > 0).sum()),
            like=like,
        )
        for query, like in zip(first[order[:most]].tolist(), counts[order[:most]].tolist(), strict=True)
        if spread[query] > 0
    ]
