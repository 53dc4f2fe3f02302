"""The tables of an audit: scores, causes, cutoffs, the queries on which tools are furthest apart, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from rankgauge.audit.tools import Attribution, Audit, Consensus, Mover, ToolPreferences, advise
from rankgauge.audit.tools.advice import join_words
from rankgauge.audit.tools.attribution import NOTHING
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.preferences import Contest
from rankgauge.dialects import Dialect
from rankgauge.render.numbers import number, with_sign
from rankgauge.render.passages import Track
from rankgauge.render.table import Column, ReportTable

KINDS = {
    "empty": "nothing relevant",
    "short": "short list",
    "tied": "tied scores",
    "missing": "not in the run",
    "unjudged": "unjudged documents",
    "negative": "negative grades",
}
"""What a query is like, in words."""


def contribution(amount: float) -> str:
    """Return a part of a difference: nothing for none, and `~0` for one that four decimals do not show."""
    if abs(amount) <= NOTHING:
        return ""
    return "~0" if abs(amount) < 5e-5 else with_sign(amount)


def scores(audit: Audit) -> ReportTable:
    """Show what each run gets from each dialect; the best of several runs is marked."""
    rows: list[tuple[Any, ...]] = []
    for dialect in _sort_dialects(audit):
        means = [audit.mean(run, dialect) for run in audit.scores]
        best = max(means) if len({round(mean, 12) for mean in means}) > 1 else np.inf
        marks = [" *" if mean == best else "  " if audit.several else "" for mean in means]
        rows.append((dialect.name, *zip(means, marks, strict=True)))
    rows += [(name, *((np.nan, "") for _ in audit.scores)) for name in audit.refused]
    names = tuple(audit.scores) if audit.several else (str(audit.measure),)
    marked = (Column(name, format=lambda cell: number(cell[0]) + cell[1]) for name in names)
    return ReportTable(columns=("tool", *marked), rows=rows, base=audit.base.name)


def why(audit: Audit, run: str) -> ReportTable:
    """Show the mean of each dialect, how far it is from the base, and what each cause adds; finally the gap."""
    rows: list[tuple[Any, ...]] = [
        (dialect.name, number(audit.mean(run, dialect)), *_amounts(audit, audit.attributions[run].get(dialect.name)))
        for dialect in reversed(audit.ranked(run))
    ]
    gap = audit.gaps.get(run)
    if gap is not None and audit.base not in (gap.base, gap.other):  # else a row has it already
        difference, *parts = _amounts(audit, gap)
        rows.append(("highest − lowest", contribution(difference), 0.0, *parts))
    amounts = (f"− {audit.base.name}", *(cause.name for cause in audit.told_causes))
    mean = Column(str(audit.measure), format=str)
    parted = (Column(name, format=contribution) for name in amounts)
    return ReportTable(columns=("tool", mean, *parted), rows=rows, base=audit.base.name)


def _amounts(audit: Audit, found: Attribution | None) -> list[float]:
    """Return the difference, and what each cause adds to it; nothing for the base."""
    if found is None:
        return [0.0] * (1 + len(audit.told_causes))
    return [found.difference, *(found.amount(cause) for cause in audit.told_causes)]


def settings(audit: Audit) -> list[tuple[str, str]]:
    """For each cause, how many queries it concerns and what each tool does."""
    return [(cause.name, _setting(audit, cause)) for cause in audit.told_causes]


def lacking(audit: Audit) -> list[tuple[str, str]]:
    """Return the tools that do not have the measure: they are left out, unless they were asked for."""
    names = audit.lacking
    away = f"{join_words(list(names))} {'have' if len(names) > 1 else 'has'} no {audit.measure}" if names else ""
    asked = [words for one in audit.dialects if (words := one.lacked([audit.measure]))]
    return [("left out", away)] * bool(names) + [("lacking", "; ".join(asked))] * bool(asked)


def _setting(audit: Audit, cause: Cause) -> str:
    ways: dict[str, list[str]] = {}
    for dialect in audit.dialects:
        conditions = next(iter(audit.conditions.values()))
        ways.setdefault(cause.chosen(dialect, audit.measure, conditions), []).append(dialect.name)
    counts = {run: cause.counted(conditions) for run, conditions in audit.conditions.items()}
    alike = len(set(counts.values())) == 1
    head = "; ".join(dict.fromkeys(count if alike else f"{count} ({run})" for run, count in counts.items()))
    told = "; ".join(f"{words} ({', '.join(names)})" for words, names in ways.items())
    return f"{head}: {told}" if head else told


def advice(audit: Audit) -> list[tuple[str, str]]:
    """Return what to do, and why."""
    agreed = "the tools agree on this data" if len(audit.dialects) > 1 else "one tool alone has none to differ from"
    if audit.refused:
        agreed = f"this data is refused by {join_words(list(audit.refused))}; tools that take it differ in nothing"
    return [(one.title, one.words) for one in advise(audit)] or [
        ("Nothing" if not audit.refused else "Look at what is refused", f"{agreed[0].upper()}{agreed[1:]}.")
    ]


def cutoffs(audit: Audit, run: str) -> ReportTable:
    """Show what the run gets from each dialect at each cutoff."""
    rows = [
        (dialect.name, *(audit.mean(run, dialect, measure) for measure in audit.cutoffs))
        for dialect in reversed(audit.ranked(run))
    ]
    means = (Column(f"@{measure.depth}", format=number) for measure in audit.cutoffs)
    return ReportTable(columns=("tool", *means), rows=rows, base=audit.base.name)


def moving(found: Iterable[Mover], track: Callable[[Mover], Track] | None = None) -> ReportTable:
    """List the queries on which tools are furthest apart, with the lowest and the highest value and a tool for each.

    A page also draws each query's values as a track.
    """
    counts = (Column(name, format=str) for name in ("same values", "documents", "relevant"))
    drawn = () if track is None else (Column("0 to 1", "mover", track, left=True),)
    columns = ("query", *counts, *drawn, "lowest", "highest", "traits")
    prose = "" if track is None else "traits"
    return ReportTable(columns=columns, rows=[_mover(mover) for mover in found], prose=prose)


def _mover(mover: Mover) -> dict[str, Any]:
    known = [value for value in mover.values.values() if not np.isnan(value)]
    return {
        "query": mover.query,
        "same values": mover.like,
        "documents": mover.documents,
        "relevant": mover.relevant,
        "mover": mover,
        "lowest": _with_tools(mover, min(known)),
        "highest": _with_tools(mover, max(known)),
        "traits": ", ".join(KINDS[kind] for kind in mover.kinds) or "–",
    }


def _with_tools(mover: Mover, value: float) -> str:
    names = mover.at(value)
    more = f" + {len(names) - 1}" if len(names) > 1 else ""
    return f"{value:.4f} ({names[0]}{more})"


def orders(audit: Audit, verdict: ToolPreferences) -> ReportTable:
    """Return the runs from the best down under each dialect; at the asked cutoff, and where that changes, at others."""
    shown = [measure for measure in verdict.measures if measure == audit.measure or verdict.disputed(measure)]
    header = ("tool", *(str(measure) for measure in shown))
    rows = [
        (dialect.name, *(" > ".join(verdict.orders[dialect.name, str(measure)]) for measure in shown))
        for dialect in _sort_dialects(audit)
    ]
    return ReportTable(columns=header, rows=rows, base=audit.base.name)


def verdicts(verdict: ToolPreferences) -> list[tuple[str, str]]:
    """Return each pair of runs: by which measures the tools disagree, and whether by more than luck."""
    found = []
    for runs in dict.fromkeys(contest.runs for contest in verdict.contests):
        contests = [contest for contest in verdict.contests if contest.runs == runs]
        found.append((f"{runs[0]}, {runs[1]}", " ".join(_verdict(contests))))
    return found


def _verdict(contests: list[Contest]) -> Iterator[str]:
    """Yield the outcomes, each with its measures."""
    first, second = contests[0].runs
    for outcome in Consensus:
        alike = [contest for contest in contests if contest.outcome is outcome]
        if not alike:
            continue
        whole = len(alike) == len(contests) > 2
        listed = [str(contest.measure) for contest in alike]
        measures = f"{listed[0]} to {listed[-1]}" if whole else ", ".join(listed)
        yield f"{measures}: {outcome.value}" + ("." if outcome is Consensus.AGREE else "")
        if outcome is Consensus.AGREE:
            continue
        last = alike[-1]
        for winner, run in ((1, first), (-1, second)):
            sure = [duel.dialect for duel in last.duels if duel.winner == winner and duel.significant]
            by_luck = "" if not sure else f", beyond luck under {', '.join(sure)}"
            yield f"({last.measure}: {run} is better under {', '.join(last.preferring(winner))}{by_luck})"


def _sort_dialects(audit: Audit) -> list[Dialect]:
    """Return the dialects by what they give the first run, the highest first."""
    return list(reversed(audit.ranked(next(iter(audit.scores)))))
