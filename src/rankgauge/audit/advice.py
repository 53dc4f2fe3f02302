"""What to do about it: the headline, and the recommendations of the study that found the problem, where they apply.

Busa-Fekete, Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in terms of normalized
discounted cumulative gain, ECAI workshop on preference learning, 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.audit.attribution import Attribution
from rankgauge.audit.overview import Audit
from rankgauge.policies import LEAVE_OUT, ShortList

__all__ = ["Advice", "Headline", "advise", "headline"]

LEAST, MOST = 0.05, 3
"""The least share of a gap that a headline names, and how many it names."""

AGREED = 5e-5
"""Numbers that differ by less look the same in print."""


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What an audit found, in two sentences."""

    gap: str
    cause: str

    def __str__(self) -> str:
        return f"{self.gap} {self.cause}".strip()


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One thing to do, and why on this data."""

    title: str
    words: str


def headline(audit: Audit, run: str) -> Headline:
    """How far apart the tools are on a run, and what most of the gap comes from."""
    ranked = [dialect for dialect in audit.ranked(run) if not np.isnan(audit.mean(run, dialect))]
    if not ranked:
        return Headline(gap=f"{audit.measure} is not defined on this data, whatever the tool.", cause="")
    low, high = ranked[0], ranked[-1]
    bottom, top = audit.mean(run, low), audit.mean(run, high)
    the = f"The same ranking ({run})" if audit.several else "The same ranking"
    if not top - bottom > AGREED:
        return Headline(gap=f"{the} scores {top:.4f} by {audit.measure}, whatever the tool.", cause="")
    gap = (
        f"{the} scores {bottom:.2f} ({low.name}) to {top:.2f} ({high.name}) by {audit.measure}, depending on the tool."
    )
    if f"{bottom:.2f}" == f"{top:.2f}":
        gap = gap.replace(f"{bottom:.2f} ", f"{bottom:.4f} ", 1).replace(f"{top:.2f} (", f"{top:.4f} (", 1)
    return Headline(gap=gap, cause=_sources(audit, run, audit.attribution(run, high, low)))


def _sources(audit: Audit, run: str, found: Attribution) -> str:
    """The causes that make up most of the gap, with their shares."""
    conditions = audit.conditions[run]
    shares = [(part.amount / found.difference, part.cause) for part in found.mattering]
    widening = [(share, cause) for share, cause in shares if share > LEAST]
    if not widening:
        return ""
    first, cause = widening[0]
    if first > 0.995:
        more = ", and other choices narrow it" if first > 1.005 else ""
        return f"All of the gap comes from {cause.about(conditions)}{more}."
    others = [f"{100 * share:.0f} % from {cause.about(conditions)}" for share, cause in widening[1:MOST]]
    return ", ".join([f"{100 * first:.0f} % of the gap comes from {cause.about(conditions)}", *others]) + "."


def advise(audit: Audit) -> list[Advice]:
    """The recommendations that apply to this data."""
    return [advice for rule in (_short, _empty, _standard, _ties) for advice in rule(audit)]


def _short(audit: Audit) -> Iterator[Advice]:
    zeroing = [dialect.name for dialect in audit.dialects if dialect.choice("short", audit.measure) is ShortList.ZERO]
    short = max(conditions.count("short") for conditions in audit.conditions.values())
    if zeroing and short:
        yield Advice(
            title="Avoid tools that count short lists as 0",
            words=f"In {_joined(zeroing)} {_each(short)} with fewer than {_cutoff(audit)} documents counts 0, however "
            "well it is ranked.",
        )


def _empty(audit: Audit) -> Iterator[Advice]:
    conditions = next(iter(audit.conditions.values()))
    empty, n = conditions.count("empty"), len(conditions.queries)
    ways = {dialect.choice("empty", audit.measure) for dialect in audit.dialects}
    if empty and len(ways) > 1:
        told = ", ".join("left out" if way == LEAVE_OUT else f"{float(way):g}" for way in sorted(ways, key=str))
        yield Advice(
            title="Mind the queries without relevant documents",
            words=f"No ranking can be good or bad on {empty} of the {n} queries; tools count them as {told}. Say how "
            "many there are and what they count, or leave them out.",
        )


def _standard(audit: Audit) -> Iterator[Advice]:
    standard = next((dialect for dialect in audit.dialects if dialect.name == "standard"), None)
    means = [[audit.mean(run, dialect) for dialect in audit.dialects] for run in audit.scores]
    apart = any(np.ptp(some) > AGREED for some in ([m for m in row if not np.isnan(m)] for row in means) if some)
    if standard is not None and apart:
        told = ", ".join(
            f"{audit.mean(run, standard):.4f}" + (f" ({run})" if audit.several else "") for run in audit.scores
        )
        yield Advice(
            title="Report the standard definition",
            words=f"By the papers' definition {audit.measure} is {told}. Name the tool, its version, the gain, the "
            "discount and the cutoff beside any other number.",
        )


def _ties(audit: Audit) -> Iterator[Advice]:
    moved = [
        (run, part.queries)
        for run, found in audit.attributions.items()
        for one in found.values()
        for part in one.mattering
        if part.cause.name == "ties" and abs(part.amount) > AGREED
    ]
    if moved:
        run, queries = max(moved, key=lambda item: item[1])
        of = f" of {run}" if audit.several else ""
        yield Advice(
            title="Break no ties by accident",
            words=f"On {queries} queries{of} the order of documents with equal scores changes the value; average over "
            "all orders, as standard does, or make the scores distinct.",
        )


def _each(n: int) -> str:
    return "the one query" if n == 1 else f"each of the {n} queries"


def _cutoff(audit: Audit) -> int:
    return next(iter(audit.conditions.values())).cutoff


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
