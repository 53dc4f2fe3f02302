"""The tables of an audit: scores, causes, cutoffs, the queries on which tools are furthest apart, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rankgauge.audit.tools import Attribution, Audit, Consensus, Mover, ToolPreferences, advise
from rankgauge.audit.tools.advice import joined
from rankgauge.audit.tools.attribution import NOTHING
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.preferences import Contest
from rankgauge.dialects import Dialect
from rankgauge.render.numbers import number, signed
from rankgauge.render.passages import ReportTable

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
    """A part of a difference: nothing for none, and `~0` for one that four decimals do not show."""
    if abs(amount) <= NOTHING:
        return ""
    return "~0" if abs(amount) < 5e-5 else signed(amount)


def scores(audit: Audit) -> ReportTable:
    """What each run gets from each dialect; the best of several runs is marked."""
    rows = []
    for dialect in _sorted(audit):
        means = [audit.mean(run, dialect) for run in audit.scores]
        best = max(means) if len({round(mean, 12) for mean in means}) > 1 else np.inf
        marks = [" *" if mean == best else "  " if audit.several else "" for mean in means]
        rows.append((dialect.name, *(number(mean) + mark for mean, mark in zip(means, marks, strict=True))))
    rows += [(name, *("–" for _ in audit.scores)) for name in audit.refused]
    names = tuple(audit.scores) if audit.several else (str(audit.measure),)
    return ReportTable(header=("tool", *names), rows=tuple(rows), numbers=names, base=audit.base.name)


def why(audit: Audit, run: str) -> ReportTable:
    """By dialect: its mean, how far it is from the base, and what each cause adds to that; finally the gap."""
    base = f"− {audit.base.name}"
    causes = [cause.name for cause in audit.told_causes]
    header = ("tool", str(audit.measure), base, *causes)
    rows = [
        (dialect.name, number(audit.mean(run, dialect)), *_amounts(audit, audit.attributions[run].get(dialect.name)))
        for dialect in reversed(audit.ranked(run))
    ]
    return ReportTable(header=header, rows=(*rows, *_gap(audit, run)), numbers=header[1:], base=audit.base.name)


def _amounts(audit: Audit, found: Attribution | None) -> Iterator[str]:
    """The difference, and what each cause adds to it; nothing for the base."""
    if found is None:
        return iter([""] * (1 + len(audit.told_causes)))
    return map(contribution, (found.difference, *(found.amount(cause) for cause in audit.told_causes)))


def _gap(audit: Audit, run: str) -> Iterator[tuple[str, ...]]:
    """The gap that the headline splits, unless the base is at one end of it: then a row has it already."""
    found = audit.gaps.get(run)
    if found is not None and audit.base not in (found.base, found.other):
        difference, *parts = _amounts(audit, found)
        yield ("highest − lowest", difference, "", *parts)


def settings(audit: Audit) -> list[tuple[str, str]]:
    """For each cause, how many queries it concerns and what each tool does."""
    return [(cause.name, _setting(audit, cause)) for cause in audit.told_causes]


def lacking(audit: Audit) -> list[tuple[str, str]]:
    """The tools that do not have the measure: they are left out, unless they were asked for."""
    names = audit.lacking
    away = f"{joined(list(names))} {'have' if len(names) > 1 else 'has'} no {audit.measure}" if names else ""
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
    """What to do, and why."""
    agreed = "the tools agree on this data" if len(audit.dialects) > 1 else "one tool alone has none to differ from"
    if audit.refused:
        agreed = f"this data is refused by {joined(list(audit.refused))}; tools that take it differ in nothing"
    return [(one.title, one.words) for one in advise(audit)] or [
        ("Nothing" if not audit.refused else "Look at what is refused", f"{agreed[0].upper()}{agreed[1:]}.")
    ]


def cutoffs(audit: Audit, run: str) -> ReportTable:
    """What the run gets from each dialect at each cutoff."""
    header = ("tool", *(f"@{measure.depth}" for measure in audit.cutoffs))
    rows = [
        (dialect.name, *(number(audit.mean(run, dialect, measure)) for measure in audit.cutoffs))
        for dialect in reversed(audit.ranked(run))
    ]
    return ReportTable(header=header, rows=tuple(rows), numbers=header[1:], base=audit.base.name)


def moving(found: Iterable[Mover]) -> ReportTable:
    """Queries on which the tools are furthest apart: the lowest and the highest value, and a tool that gives each."""
    header = ("query", "same values", "documents", "relevant", "lowest", "highest", "traits")
    rows = []
    for mover in found:
        known = [value for value in mover.values.values() if not np.isnan(value)]
        ends = (_with_tools(mover, value) for value in (min(known), max(known)))
        kinds = ", ".join(KINDS[kind] for kind in mover.kinds) or "–"
        rows.append((mover.query, str(mover.like), str(mover.documents), str(mover.relevant), *ends, kinds))
    return ReportTable(header=header, rows=rows, numbers=header[1:4])


def _with_tools(mover: Mover, value: float) -> str:
    names = mover.at(value)
    more = f" + {len(names) - 1}" if len(names) > 1 else ""
    return f"{value:.4f} ({names[0]}{more})"


def orders(audit: Audit, verdict: ToolPreferences) -> ReportTable:
    """The runs from the best down under each dialect; at the asked cutoff, and where that changes, at others."""
    shown = [measure for measure in verdict.measures if measure == audit.measure or verdict.disputed(measure)]
    header = ("tool", *(str(measure) for measure in shown))
    rows = [
        (dialect.name, *(" > ".join(verdict.orders[dialect.name, str(measure)]) for measure in shown))
        for dialect in _sorted(audit)
    ]
    return ReportTable(header=header, rows=tuple(rows), base=audit.base.name)


def verdicts(verdict: ToolPreferences) -> list[tuple[str, str]]:
    """Each pair of runs: by which measures the tools disagree, and whether by more than luck."""
    found = []
    for runs in dict.fromkeys(contest.runs for contest in verdict.contests):
        contests = [contest for contest in verdict.contests if contest.runs == runs]
        found.append((f"{runs[0]}, {runs[1]}", " ".join(_verdict(contests))))
    return found


def _verdict(contests: list[Contest]) -> Iterator[str]:
    """The outcomes, each with its measures."""
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


def _sorted(audit: Audit) -> list[Dialect]:
    """The dialects by what they give the first run, the highest first."""
    return list(reversed(audit.ranked(next(iter(audit.scores)))))
