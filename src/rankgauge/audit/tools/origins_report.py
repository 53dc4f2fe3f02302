"""The report of `rankgauge audit --value`: what may have given a number, and what to ask if nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankgauge.audit.tools.origins import Origin, Origins
from rankgauge.audit.tools.scores import explain_refusals
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable

SHOWN = 10
"""How many ways a table shows."""

DIGITS = 2
"""How many more digits than the number has a table shows."""


NAMED = 6
"""How many tools are named in a row."""


def _list_tools(tools: tuple[str, ...]) -> str:
    """Return the tools, or the first of many."""
    more = len(tools) - NAMED
    return ", ".join(tools) if more < 2 else f"{', '.join(tools[:NAMED])} and {more} more"


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginsReport(Report):
    """What may have given a number."""

    command = "audit --value"

    origins: Origins

    def frame(self) -> pl.DataFrame:
        """Return a row per way."""
        return self.origins.frame

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tools that refuse the data, the ways that give the number or are nearest, and what to ask."""
        found = self.origins
        return ReportDocument(
            title=f"Where {found.claim.text} comes from",
            headline=self._headline,
            facts=(self._asked, found.run, f"{len(found.conditions.queries)} queries"),
            passages=tuple(self._passages(page=medium is Medium.PAGE)),
        )

    def _passages(self, *, page: bool) -> Iterator[Passage]:
        found = self.origins
        if found.refused:
            yield Heading("Refused")
            yield Notes(explain_refusals(found.refused))
        if not page:
            yield Paragraph(self._headline)
        yield self._table()
        if found.claim.taken:
            top = max(measure.facts.bounds[1] for measure in found.measures)
            yield Notes([("value", f"{found.claim.text} is above {top:g}, and so taken for {found.claim.text} %")])
        more = len(found.origins) - SHOWN
        if more > 0:
            yield Paragraph(f"{more} more give it too; -o json or -o csv has all of them.")
        yield Heading("What to ask")
        yield Notes(list(self._questions()))

    @property
    def _asked(self) -> str:
        return " or ".join(map(str, self.origins.measures))

    @property
    def _headline(self) -> str:
        found, n = self.origins, len(self.origins.origins)
        of = f"Of {found.tried} ways to compute {self._asked} of {found.run}"
        if not found.found:
            return f"{of}, none gives {found.claim.text}. The nearest:"
        fewest = "the likeliest first" if n > 1 else ""
        gives = "one gives" if n == 1 else f"{n} give"
        return f"{of}, {gives} {found.claim.text}" + (f", {fewest}:" if fewest else ":")

    def _table(self) -> ReportTable:
        claimed = max(len(f"{self.origins.claim.unit:.15f}".rstrip("0").partition(".")[2]), 2)
        value = Column("value", format=lambda mean: f"{mean:.{claimed + DIGITS}f}")
        rows = [
            (_list_tools((way.tool, *way.also)), str(way.measure), way.options or "–", way.mean)
            for way in self.origins.origins[:SHOWN]
        ]
        return ReportTable(columns=("tool", "measure", "changed", value), rows=rows)

    def _questions(self) -> Iterator[tuple[str, str]]:
        """Yield what would tell the ways apart, or what else may differ, on this data."""
        found, conditions = self.origins, self.origins.conditions
        n = len(conditions.queries)
        if found.found:
            yield "how", self._how(found.origins[0])
            yield from found.why.items()
        if len(found.origins) > 1 or not found.found:
            yield "queries", f"how many queries is the mean over? {self._counts(n)}"
        if not found.found:
            yield "measure", f"is it {self._asked}, at that cutoff, or another measure? -m names it"
            yield "grades", "what is each grade worth, and from which one on is a document relevant?"
            yield "files", "are these the same judgments and the same run: edition, depth, duplicates, ids?"
            yield "mean", "is it the mean over all queries of one run, not of folds, of several runs, or of medians?"
        if len(found.origins) > 1 and found.found:
            yield "choices", "the number alone does not tell these apart: ask for the tool, its version and options"

    def _how(self, one: Origin) -> str:
        """Return the command that gives the number."""
        python = " (in Python)"
        if any(name == "ideal" for name, _ in one.changes):
            changes = ", ".join(f"{name}={str(value)!r}" for name, value in one.changes)
            return f'evaluate(judgments, run, "{one.measure}", dialect="{one.tool}", {changes}){python}'
        options = f" {one.options}" if one.options else ""
        return f'rankgauge evaluate JUDGMENTS RUN -d {one.tool} -m "{one.measure}"{options}'

    def _counts(self, n: int) -> str:
        conditions = self.origins.conditions
        empty, missing = conditions.count("empty"), conditions.count("missing")
        told = [
            *([f"{missing} not in the run"] if missing else []),
            *([f"{empty} without a relevant document"] if empty else []),
        ]
        return f"{n} are judged here" + (f", {' and '.join(told)}" if told else "")

    def data(self) -> dict[str, Any]:
        """Return everything."""
        found = self.origins
        return {
            "value": found.claim.text,
            "percentage": found.claim.taken,
            "measure": self._asked,
            "run": found.run,
            "found": found.found,
            "tried": found.tried,
            "refused": dict(found.refused),
            "why": dict(found.why),
            "origins": found.frame.to_dicts(),
            "questions": [{"subject": subject, "words": words} for subject, words in self._questions()],
        }
