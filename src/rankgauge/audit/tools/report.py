"""The report of `rankgauge audit`: what runs get from every tool, and why the tools differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.tools import (
    Attribution,
    Audit,
    Consensus,
    Mover,
    ToolPreferences,
    advise,
    figures,
    headline,
    movers,
    preferences,
)
from rankgauge.audit.tools.cause import CAUSES, NOTHING, UNSEEN
from rankgauge.audit.tools.overview import join_words
from rankgauge.audit.tools.scores import explain_refusals
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.html import render
from rankgauge.render.numbers import number, with_sign
from rankgauge.render.passages import (
    Details,
    Heading,
    Legend,
    Markup,
    Notes,
    Paragraph,
    Passage,
    Recommendations,
    Track,
)
from rankgauge.render.svg import Drawing
from rankgauge.render.table import Column, ReportTable

WHY = """Each bar is the difference between a tool and {base}, or another tool that you choose, taken apart into the
choices that cause it: to the right what lifts the score, to the left what lowers it. The sentence at the top of the
page splits the gap between the lowest and the highest tool."""
CUTOFFS = "How the score changes with the number of documents that count. Tools that agree everywhere share a line."
MOVERS = """Queries on which the tools are furthest apart. Each dot is what one or more tools give the query, from 0 on
the left to 1 on the right; "same values" counts the queries to which every
tool gives exactly these."""
EVERY_TOOL = "Every other line is what one tool computes for the very same documents in the same order."
FOOTER = """The parts of a difference are Shapley values: the mean, over all orders in which the choices can be switched
from one tool's to the other's, of what each switch changes. They sum to the difference exactly. Every tool is computed
by RankGauge's dialect of it; rankgauge dialects show NAME says what each does."""
LUCK = "paired t test and randomisation test (seed {}) over queries, both at 5 %; no correction for many tests"

KINDS = {
    "empty": "nothing relevant",
    "short": "short list",
    "tied": "tied scores",
    "missing": "not in the run",
    "unjudged": "unjudged documents",
    "negative": "negative grades",
}
"""What a query is like, in words."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditReport(Report):
    """An audit."""

    command = "audit"

    audit: Audit

    def frame(self) -> pl.DataFrame:
        """Return a row per run and tool: its mean, and what each cause adds to the difference from the base."""
        return self.audit.parts

    def picture(self) -> Drawing:
        """Return each tool's mean, and what leads there from the base, cause by cause."""
        return figures.picture(self.audit)

    def document(self, medium: Medium) -> ReportDocument:
        """Return the scores, the causes, and what to do; a page is for people who have never heard of dialects."""
        audit, runs, page = self.audit, ", ".join(self.audit.scores), medium is Medium.PAGE
        first = next(iter(audit.scores))
        sentence = headline(audit, first)
        return ReportDocument(
            title=f"{audit.measure} of {runs} by tool",
            headline=sentence.gap,
            lead=sentence.cause,
            facts=(str(audit.measure), runs, f"{len(audit.conditions[first].queries)} queries"),
            passages=tuple(self._page() if page else self._text(brief=medium is Medium.TERMINAL)),
            footer=FOOTER,
            script=self._script() if page and len(audit.dialects) > 1 else "",
        )

    def _text(self, *, brief: bool) -> Iterator[Passage]:
        audit = self.audit
        if not brief:
            yield Heading(f"{audit.measure} by tool", level=1)
        yield from self._refused_tools()
        yield from (Paragraph(str(headline(audit, run))) for run in audit.scores)
        if audit.several:
            yield scores_table(audit)
        for run in audit.scores:
            if audit.several or not brief:
                yield Heading(f"Why: {run}" if audit.several else "Why")
            yield why_table(audit, run)
            if audit.cutoffs and not brief:
                yield Heading("By cutoff", level=3)
                yield cutoffs_table(audit, run)
            moving = movers_table(movers(audit, run, most=5 if brief else 8))
            if not brief or (moving.rows and not audit.several):
                yield Heading("Queries on which tools are furthest apart", level=3)
                yield moving
        if not brief:
            yield Heading("What the choices are")
        yield Notes([*_told_settings(audit), *contrary(audit), *lacking(audit)])
        if audit.several:
            verdict = preferences(audit)
            yield Heading("Which run is better")
            yield orders_table(audit, verdict)
            yield Notes([*verdict_notes(verdict), *[("luck", LUCK.format(verdict.seed))] * brief])
        yield Heading("What to do")
        yield Recommendations(_told_advice(audit))

    def _refused_tools(self) -> Iterator[Passage]:
        """Yield the tools that do not take the data, before anything is said of the others."""
        if self.audit.refused:
            yield Heading("Refused")
            yield Notes(explain_refusals(self.audit.refused))

    def _page(self) -> Iterator[Passage]:
        audit = self.audit
        yield from self._refused_tools()
        standard = f"Differences are against {audit.base.name}. " if audit.base.name == "standard" else ""
        yield Heading(f"{audit.measure} by tool", hint=standard + EVERY_TOOL)
        yield from figures.scores(audit)
        if told := [*contrary(audit), *lacking(audit)]:
            yield Notes(told)
        yield Heading("What to do")
        yield Recommendations(_told_advice(audit))
        if len(audit.dialects) > 1:
            hues = self._hues()
            yield Heading("Why the tools differ", hint=WHY.format(base=audit.base.name))
            yield Markup(render("audit.html", audit=audit, choosing=True))
            yield Legend({cause.name: hues[cause.name] for cause in audit.told_causes})
            yield Markup(render("audit.html", audit=audit, table=why_table(audit, next(iter(audit.scores)))))
            yield Heading("What the choices are", level=3)
            yield Notes(_told_settings(audit))
        if audit.several:
            verdict = preferences(audit)
            yield Heading("Which run is better")
            yield orders_table(audit, verdict)
            yield Notes(verdict_notes(verdict))
            test = LUCK.format(verdict.seed)
            yield Paragraph(f"{test[0].upper()}{test[1:]}.")
        if audit.cutoffs:
            yield Heading("By cutoff", hint=CUTOFFS)
            yield from (figures.lines(audit, run) for run in audit.scores)
        yield Heading("The queries that matter most", hint=MOVERS)
        for run in audit.scores:
            yield from self._heading_of(run)
            moving = movers_table(movers(audit, run, most=12), figures.strip)
            yield moving if moving.rows else Paragraph("None: every query has one value.")
        yield Heading("All numbers")
        for run in audit.scores:
            yield from self._heading_of(run)
            yield why_table(audit, run)
            if audit.cutoffs:
                yield Details("by cutoff", [cutoffs_table(audit, run)])

    def _heading_of(self, run: str) -> Iterator[Passage]:
        if self.audit.several:
            yield Heading(run, level=3)

    def _hues(self) -> dict[str, str]:
        """Return each cause's colour; visible causes come first."""
        order = dict.fromkeys([*self.audit.told_causes, *CAUSES.values()])
        return {cause.name: figures.hue(place) for place, cause in enumerate(order)}

    def _script(self) -> str:
        """What draws the parts of the differences, and its data: by run, base and tool the difference and its parts."""
        data = {
            "first": next(iter(self.audit.scores)),
            "colours": self._hues(),
            "runs": {run: self._differences(run) for run in self.audit.scores},
        }
        embedded = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("</", "<\\/")  # no end of the script
        return render("audit.html", audit=self.audit, data=embedded)

    def _differences(self, run: str) -> dict[str, dict[str, Any]]:
        """Return every pair of tools; the parts of B − A are those of A − B with the other sign."""
        ranked = list(reversed(self.audit.rank_dialects(run)))
        differences: dict[tuple[str, str], dict[str, Any]] = {}
        for one, other in combinations(ranked, 2):
            parts = self.audit.attribution(run, other, one)
            differences[one.name, other.name] = self._difference(run, parts, 1.0)
            differences[other.name, one.name] = self._difference(run, parts, -1.0)
        return {
            base.name: {tool.name: differences[base.name, tool.name] for tool in ranked if tool is not base}
            for base in ranked
        }

    def _difference(self, run: str, attribution: Attribution, sign: float) -> dict[str, Any]:
        conditions = self.audit.conditions[run]
        base, other = (attribution.base, attribution.other) if sign > 0 else (attribution.other, attribution.base)
        parts = [
            (
                part.cause.name,
                sign * part.amount,
                part.cause.describe_change(base, other, self.audit.measure, conditions),
            )
            for part in attribution.mattering
        ]
        return {
            "difference": None if np.isnan(attribution.difference) else sign * attribution.difference,
            "parts": parts,
        }

    def data(self) -> dict[str, Any]:
        """Return everything: means, causes, the queries that matter most, the verdict, and what to do."""
        audit = self.audit
        return {
            "measure": str(audit.measure),
            "base": audit.base.name,
            "dialects": [dialect.name for dialect in audit.dialects],
            "refused": dict(audit.refused),
            "lacking": list(audit.lacking),
            "runs": [_run_data(audit, run) for run in audit.scores],
            "verdict": _verdict_data(preferences(audit)) if audit.several else None,
            "advice": [vars(advice) for advice in advise(audit)],
        }


def _run_data(audit: Audit, run: str) -> dict[str, Any]:
    conditions = audit.conditions[run]
    return {
        "run": run,
        "headline": str(headline(audit, run)),
        "queries": len(conditions.queries),
        "conditions": {kind: conditions.count(kind) for kind in conditions.holds},
        "means": {dialect.name: audit.mean(run, dialect) for dialect in audit.dialects},
        "cutoffs": {
            dialect.name: {str(measure): audit.mean(run, dialect, measure) for measure in audit.cutoffs}
            for dialect in audit.dialects
        },
        "gap": _attribution_data(audit.gaps[run]) if run in audit.gaps else None,
        "attributions": [_attribution_data(attribution) for attribution in audit.attributions[run].values()],
        "movers": [vars(mover) for mover in movers(audit, run)],
    }


def _attribution_data(attribution: Attribution) -> dict[str, Any]:
    parts = [{"cause": part.cause.name, "amount": part.amount, "queries": part.queries} for part in attribution.parts]
    return {
        "base": attribution.base.name,
        "dialect": attribution.other.name,
        "difference": attribution.difference,
        "parts": parts,
    }


def _verdict_data(verdict: ToolPreferences) -> dict[str, Any]:
    contests = [
        {
            "measure": str(contest.measure),
            "runs": list(contest.runs),
            "outcome": contest.outcome.name.lower(),
            "duels": [{**vars(duel), "significant": duel.significant} for duel in contest.duels],
        }
        for contest in verdict.contests
    ]
    orders = [{"dialect": d, "measure": m, "runs": list(runs)} for (d, m), runs in verdict.orders.items()]
    return {"seed": verdict.seed, "orders": orders, "contests": contests}


def contribution(amount: float) -> str:
    """Return a part of a difference: nothing for none, and `~0` for one that four decimals do not show."""
    if abs(amount) <= NOTHING:
        return ""
    return "~0" if abs(amount) < UNSEEN else with_sign(amount)


def scores_table(audit: Audit) -> ReportTable:
    """Show what each run gets from each dialect, the highest first; the best of several runs is marked."""
    rows: list[tuple[Any, ...]] = []
    for dialect in reversed(audit.rank_dialects(next(iter(audit.scores)))):
        means = [audit.mean(run, dialect) for run in audit.scores]
        best = max(means) if len({round(mean, 12) for mean in means}) > 1 else np.inf
        rows.append((dialect.name, *((mean, " *" if mean == best else "  ") for mean in means)))
    rows += [(name, *((np.nan, "") for _ in audit.scores)) for name in audit.refused]
    marked = (Column(name, format=lambda cell: number(cell[0]) + cell[1]) for name in audit.scores)
    return ReportTable(columns=("tool", *marked), rows=rows, base=audit.base.name)


def why_table(audit: Audit, run: str) -> ReportTable:
    """Show the mean of each dialect, how far it is from the base, and what each cause adds; finally the gap."""

    def amounts(attribution: Attribution | None) -> list[float]:
        if attribution is None:  # the base
            return [0.0] * (1 + len(audit.told_causes))
        return [attribution.difference, *(attribution.amount(cause) for cause in audit.told_causes)]

    rows: list[tuple[Any, ...]] = [
        (dialect.name, number(audit.mean(run, dialect)), *amounts(audit.attributions[run].get(dialect.name)))
        for dialect in reversed(audit.rank_dialects(run))
    ]
    gap = audit.gaps.get(run)
    if gap is not None and audit.base not in (gap.base, gap.other):  # else a row has it already
        difference, *parts = amounts(gap)
        rows.append(("highest − lowest", contribution(difference), 0.0, *parts))
    parted = (f"− {audit.base.name}", *(cause.name for cause in audit.told_causes))
    columns: list[Column | str] = ["tool", Column(str(audit.measure), format=str)]
    columns += [Column(name, format=contribution) for name in parted]
    return ReportTable(columns=columns, rows=rows, base=audit.base.name)


def cutoffs_table(audit: Audit, run: str) -> ReportTable:
    """Show what the run gets from each dialect at each cutoff."""
    rows = [
        (dialect.name, *(audit.mean(run, dialect, measure) for measure in audit.cutoffs))
        for dialect in reversed(audit.rank_dialects(run))
    ]
    means = (Column(f"@{measure.depth}", format=number) for measure in audit.cutoffs)
    return ReportTable(columns=("tool", *means), rows=rows, base=audit.base.name)


def movers_table(movers: Iterable[Mover], track: Callable[[Mover], Track] | None = None) -> ReportTable:
    """List the queries on which tools are furthest apart, with the lowest and the highest value and a tool for each.

    A page also draws each query's values as a track.
    """

    def ends(mover: Mover) -> Iterator[str]:
        known = [value for value in mover.values.values() if not np.isnan(value)]
        for value in (min(known), max(known)):
            first, *others = mover.at(value)
            yield f"{value:.4f} ({first}{f' + {len(others)}' if others else ''})"

    rows = []
    for mover in movers:
        traits = ", ".join(KINDS[kind] for kind in mover.kinds) or "–"
        drawn = () if track is None else (mover,)
        rows.append((mover.query, mover.like, mover.documents, mover.relevant, *drawn, *ends(mover), traits))
    counts = (Column(name, format=str) for name in ("same values", "documents", "relevant"))
    tracks = () if track is None else (Column("0 to 1", "mover", track, left=True),)
    prose = "" if track is None else "traits"
    return ReportTable(columns=("query", *counts, *tracks, "lowest", "highest", "traits"), rows=rows, prose=prose)


def _told_settings(audit: Audit) -> list[tuple[str, str]]:
    """Return for each cause how many queries it concerns and what each tool does."""
    told, first = [], next(iter(audit.conditions.values()))
    for cause in audit.told_causes:
        ways: dict[str, list[str]] = {}
        for dialect in audit.dialects:
            ways.setdefault(cause.describe_choice(dialect, audit.measure, first), []).append(dialect.name)
        counts = {run: cause.count_queries(conditions) for run, conditions in audit.conditions.items()}
        alike = len(set(counts.values())) == 1
        head = "; ".join(dict.fromkeys(count if alike else f"{count} ({run})" for run, count in counts.items()))
        each = "; ".join(f"{words} ({', '.join(names)})" for words, names in ways.items())
        told.append((cause.name, f"{head}: {each}" if head else each))
    return told


def lacking(audit: Audit) -> list[tuple[str, str]]:
    """Return the tools that do not have the measure: they are left out, unless they were asked for."""
    names = audit.lacking
    away = f"{join_words(list(names))} {'have' if len(names) > 1 else 'has'} no {audit.measure}" if names else ""
    asked = [words for dialect in audit.dialects if (words := dialect.lacked([audit.measure]))]
    return [("left out", away)] * bool(names) + [("lacking", "; ".join(asked))] * bool(asked)


def contrary(audit: Audit) -> list[tuple[str, str]]:
    """Return which runs have ranks that contradict their scores, by which most tools order them."""
    named = {run: scores.contrary for run, scores in audit.scores.items() if scores.contrary}
    counts = [f"{count} of {len(audit.conditions[run].queries)} ({run})" for run, count in named.items()]
    words = "queries have ranks that contradict their scores; scores count but in tools that order by ranks, and"
    return [("ranks", f"{', '.join(counts)} {words} evaluate --order rank takes the ranks")] if counts else []


def _told_advice(audit: Audit) -> list[tuple[str, str]]:
    """Return what to do, and why."""
    if advice := advise(audit):
        return [(remedy.title, remedy.words) for remedy in advice]
    if audit.refused:
        words = f"This data is refused by {join_words(list(audit.refused))}; tools that take it differ in nothing."
        return [("Look at what is refused", words)]
    several = len(audit.dialects) > 1
    return [("Nothing", "The tools agree on this data." if several else "One tool alone has none to differ from.")]


def orders_table(audit: Audit, verdict: ToolPreferences) -> ReportTable:
    """Return the runs from the best down under each dialect; at the asked cutoff, and where that changes, at others."""
    shown = [measure for measure in verdict.measures if measure == audit.measure or verdict.has_dispute(measure)]
    rows = [
        (dialect.name, *(" > ".join(verdict.orders[dialect.name, str(measure)]) for measure in shown))
        for dialect in reversed(audit.rank_dialects(next(iter(audit.scores))))
    ]
    return ReportTable(columns=("tool", *map(str, shown)), rows=rows, base=audit.base.name)


def verdict_notes(verdict: ToolPreferences) -> list[tuple[str, str]]:
    """Return each pair of runs: by which measures the tools disagree, and whether by more than luck."""
    notes = []
    for first, second in dict.fromkeys(contest.runs for contest in verdict.contests):
        contests, said = [one for one in verdict.contests if one.runs == (first, second)], []
        for outcome in Consensus:
            if not (alike := [contest for contest in contests if contest.outcome is outcome]):
                continue
            listed, last = [str(contest.measure) for contest in alike], alike[-1]
            whole = len(alike) == len(contests) > 2
            measures = f"{listed[0]} to {listed[-1]}" if whole else ", ".join(listed)
            agreed = outcome is Consensus.AGREE
            said.append(f"{measures}: {outcome.value}" + "." * agreed)
            for winner, run in () if agreed else ((1, first), (-1, second)):
                sure = [duel.dialect for duel in last.duels if duel.winner == winner and duel.significant]
                by_luck = f", beyond luck under {', '.join(sure)}" if sure else ""
                said.append(f"({last.measure}: {run} is better under {', '.join(last.preferring(winner))}{by_luck})")
        notes.append((f"{first}, {second}", " ".join(said)))
    return notes
