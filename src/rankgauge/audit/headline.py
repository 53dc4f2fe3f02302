"""What an audit found, in two sentences: how far apart the tools are, and what the gap comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.audit.advice import LEAST
from rankgauge.audit.attribution import Attribution
from rankgauge.audit.conditions import Conditions
from rankgauge.audit.overview import Audit

__all__ = ["Headline", "headline"]

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
        return Headline(gap=f"{audit.measure} is not defined on this data, whatever the tool.", cause="")
    the = f"The same ranking ({run})" if audit.several else "The same ranking"
    found = audit.gaps.get(run)
    if found is None:
        return Headline(gap=f"{the} scores {np.nanmax(means):.4f} by {audit.measure}, whatever the tool.", cause="")
    bottom, top = _apart(audit.mean(run, found.base), audit.mean(run, found.other))
    ends = f"{bottom} ({found.base.name}) to {top} ({found.other.name})"
    gap = f"{the} scores {ends} by {audit.measure}, depending on the tool."
    return Headline(gap=gap, cause=_sources(found, audit.conditions[run]))


def _apart(low: float, high: float) -> tuple[str, str]:
    """The two numbers with as many decimals as tell them apart."""
    short = f"{low:.2f}", f"{high:.2f}"
    return short if short[0] != short[1] else (f"{low:.4f}", f"{high:.4f}")


def _sources(found: Attribution, conditions: Conditions) -> str:
    """The causes that widen the gap most with their shares, and what the others add or take back: 100 % in all."""
    shares = [(part.amount / found.difference, part.cause.about(conditions)) for part in found.mattering]
    named = [(share, subject) for share, subject in shares if share > LEAST][:MOST]
    if not named:
        return ""
    rest = round(100 * (1 - sum(share for share, _ in named)))
    if len(named) == 1 and not rest:
        return f"All of the gap comes from {named[0][1]}."
    first, *others = (f"{100 * share:.0f} % {{}}from {subject}" for share, subject in named)
    told = [first.format("of the gap comes "), *(other.format("") for other in others)]
    if rest > 0:
        told.append(f"{rest} % from other choices")
    return ", ".join(told) + (f"; other choices take {-rest} % of it back." if rest < 0 else ".")
