"""The report of `rankgauge audit`: what runs get from every tool, and why the tools differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.tools import Attribution, Audit, advise, headline, movers, preferences
from rankgauge.audit.tools import figures as figures
from rankgauge.audit.tools import tables as tables
from rankgauge.audit.tools.cause import CAUSES
from rankgauge.audit.tools.figures import picture
from rankgauge.audit.tools.preferences import Contest
from rankgauge.audit.tools.scores import explain_refusals
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.html import render
from rankgauge.render.passages import Details, Heading, Legend, Markup, Notes, Paragraph, Passage, Recommendations
from rankgauge.render.svg import Drawing

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
FURTHEST = "Queries on which tools are furthest apart"


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditReport(Report):
    """An audit."""

    command = "audit"

    audit: Audit

    @property
    def _first(self) -> str:
        return next(iter(self.audit.scores))

    def frame(self) -> pl.DataFrame:
        """Return a row per run and tool: its mean, and what each cause adds to the difference from the base."""
        return self.audit.parts

    def picture(self) -> Drawing:
        """Return each tool's mean, and what leads there from the base, cause by cause."""
        return picture(self.audit)

    def document(self, medium: Medium) -> ReportDocument:
        """Return the scores, the causes, and what to do; a page is for people who have never heard of dialects."""
        audit, found = self.audit, headline(self.audit, self._first)
        runs, queries = ", ".join(audit.scores), len(audit.conditions[self._first].queries)
        page = medium is Medium.PAGE
        return ReportDocument(
            title=f"{audit.measure} of {runs} by tool",
            headline=found.gap,
            lead=found.cause,
            facts=(str(audit.measure), runs, f"{queries} queries"),
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
            yield tables.scores(audit)
        for run in audit.scores:
            yield from self._why(run, brief=brief)
        if not brief:
            yield Heading("What the choices are")
        yield Notes([*tables.settings(audit), *tables.lacking(audit)])
        if audit.several:
            verdict = preferences(audit)
            yield Heading("Which run is better")
            yield tables.orders(audit, verdict)
            yield Notes([*tables.verdicts(verdict), *[("luck", LUCK.format(verdict.seed))] * brief])
        yield Heading("What to do")
        yield Recommendations(tables.advice(audit))

    def _why(self, run: str, *, brief: bool) -> Iterator[Passage]:
        audit = self.audit
        if audit.several or not brief:
            yield Heading(f"Why: {run}" if audit.several else "Why")
        yield tables.why(audit, run)
        if audit.cutoffs and not brief:
            yield Heading("By cutoff", level=3)
            yield tables.cutoffs(audit, run)
        moving = tables.moving(movers(audit, run, most=5 if brief else 8))
        if not brief or (moving.rows and not audit.several):
            yield Heading(FURTHEST, level=3)
            yield moving

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
        if told := tables.lacking(audit):
            yield Notes(told)
        yield Heading("What to do")
        yield Recommendations(tables.advice(audit))
        if len(audit.dialects) > 1:
            yield Heading("Why the tools differ", hint=WHY.format(base=audit.base.name))
            yield from self._parts()
        if audit.several:
            verdict = preferences(audit)
            yield Heading("Which run is better")
            yield tables.orders(audit, verdict)
            yield Notes(tables.verdicts(verdict))
            test = LUCK.format(verdict.seed)
            yield Paragraph(f"{test[0].upper()}{test[1:]}.")
        if audit.cutoffs:
            yield Heading("By cutoff", hint=CUTOFFS)
            yield from (figures.lines(audit, run) for run in audit.scores)
        yield Heading("The queries that matter most", hint=MOVERS)
        for run in audit.scores:
            yield from self._heading_of(run)
            yield figures.movers(audit, run)
        yield Heading("All numbers")
        for run in audit.scores:
            yield from self._heading_of(run)
            yield tables.why(audit, run)
            if audit.cutoffs:
                yield Details("by cutoff", [tables.cutoffs(audit, run)])

    def _heading_of(self, run: str) -> Iterator[Passage]:
        if self.audit.several:
            yield Heading(run, level=3)

    def _parts(self) -> Iterator[Passage]:
        """Yield what a reader chooses, the colours, and where the script draws."""
        audit, hues = self.audit, self._hues()
        yield Markup(render("audit.html", audit=audit, choosing=True))
        yield Legend({cause.name: hues[cause.name] for cause in audit.told_causes})
        yield Markup(render("audit.html", audit=audit, table=tables.why(audit, self._first)))
        yield Heading("What the choices are", level=3)
        yield Notes(tables.settings(audit))

    def _hues(self) -> dict[str, str]:
        """Return each cause's colour; visible causes come first."""
        order = [*self.audit.told_causes, *(cause for cause in CAUSES.values() if cause not in self.audit.told_causes)]
        return {cause.name: figures.hue(place) for place, cause in enumerate(order)}

    def _script(self) -> str:
        """What draws the parts of the differences, and its data: by run, base and tool the difference and its parts."""
        data = {
            "first": self._first,
            "colours": self._hues(),
            "runs": {run: self._differences(run) for run in self.audit.scores},
        }
        embedded = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("</", "<\\/")  # no end of the script
        return render("audit.html", audit=self.audit, data=embedded)

    def _differences(self, run: str) -> dict[str, dict[str, Any]]:
        """Return every pair of tools; the parts of B − A are those of A − B with the other sign."""
        ranked = list(reversed(self.audit.ranked(run)))
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for one, other in combinations(ranked, 2):
            parts = self.audit.attribution(run, other, one)
            found[one.name, other.name] = self._difference(run, parts, 1.0)
            found[other.name, one.name] = self._difference(run, parts, -1.0)
        return {
            base.name: {tool.name: found[base.name, tool.name] for tool in ranked if tool is not base}
            for base in ranked
        }

    def _difference(self, run: str, found: Attribution, sign: float) -> dict[str, Any]:
        conditions = self.audit.conditions[run]
        base, other = (found.base, found.other) if sign > 0 else (found.other, found.base)
        parts = [
            (part.cause.name, sign * part.amount, part.cause.told(base, other, self.audit.measure, conditions))
            for part in found.mattering
        ]
        return {"difference": None if np.isnan(found.difference) else sign * found.difference, "parts": parts}

    def data(self) -> dict[str, Any]:
        """Return everything: means, causes, the queries that matter most, the verdict, and what to do."""
        audit = self.audit
        return {
            "measure": str(audit.measure),
            "base": audit.base.name,
            "dialects": [dialect.name for dialect in audit.dialects],
            "refused": dict(audit.refused),
            "lacking": list(audit.lacking),
            "runs": [_run(audit, run) for run in audit.scores],
            "verdict": _verdict(audit) if audit.several else None,
            "advice": [{"title": advice.title, "words": advice.words} for advice in advise(audit)],
        }


def _run(audit: Audit, run: str) -> dict[str, Any]:
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
        "gap": _attribution(audit.gaps[run]) if run in audit.gaps else None,
        "attributions": [_attribution(found) for found in audit.attributions[run].values()],
        "movers": [vars(mover) for mover in movers(audit, run)],
    }


def _attribution(found: Attribution) -> dict[str, Any]:
    parts = [{"cause": part.cause.name, "amount": part.amount, "queries": part.queries} for part in found.parts]
    return {"base": found.base.name, "dialect": found.other.name, "difference": found.difference, "parts": parts}


def _verdict(audit: Audit) -> dict[str, Any]:
    verdict = preferences(audit)
    orders = [{"dialect": d, "measure": m, "runs": list(runs)} for (d, m), runs in verdict.orders.items()]
    return {"seed": verdict.seed, "orders": orders, "contests": [_contest(one) for one in verdict.contests]}


def _contest(contest: Contest) -> dict[str, Any]:
    return {
        "measure": str(contest.measure),
        "runs": list(contest.runs),
        "outcome": contest.outcome.name.lower(),
        "duels": [{**vars(duel), "significant": duel.significant} for duel in contest.duels],
    }
