"""The report of `rankgauge catalogue`: what runs show of a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankgauge.catalogue import CatalogueSurvey
from rankgauge.catalogue.statistic import describe_needs
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, decimal, interval
from rankgauge.render.passages import Heading, Notes, Passage
from rankgauge.render.svg import list_drawings, mean_bars
from rankgauge.render.table import Column, ReportTable

HINT = "Each bar is a run, the line in it the 95 % interval of a mean over queries."


@dataclass(frozen=True, kw_only=True, eq=False)
class CatalogueReport(Report):
    """What runs show of a catalogue."""

    command = "catalogue"

    found: CatalogueSurvey

    def document(self, medium: Medium) -> ReportDocument:
        """Return the statistics of each run, and what they are."""
        runs = count(len(self.found.shown), "run")
        return ReportDocument(
            title="What the runs show of the catalogue",
            headline="What the runs show of the catalogue",
            facts=(runs, f"first {self.found.depth} documents", count(len(self.found.items), "item")),
            passages=tuple(self._page() if medium is Medium.PAGE else (self._table(), Notes(list(self._notes())))),
        )

    def _page(self) -> Iterator[Passage]:
        yield Heading("Each statistic", hint=HINT)
        bars = self.found.table.rows("statistic", "run", "value", "low", "high")
        yield from list_drawings(mean_bars(bars, dict.fromkeys(self.found.table["statistic"])))
        yield self._table()
        yield Heading("What the numbers rest on")
        yield Notes(list(self._notes()))

    def frame(self) -> pl.DataFrame:
        """Return a row per statistic and run."""
        return self.found.values

    def data(self) -> dict[str, Any]:
        """Return the table, what it rests on, and the notes."""
        return {
            "depth": self.found.depth,
            "items": len(self.found.items),
            "values": self.found.values,
            "notes": [{"subject": subject, "words": words} for subject, words in self._notes()],
        }

    def _table(self) -> ReportTable:
        columns = (
            Column("statistic", once=True),
            Column("run"),
            Column("value", format=decimal),
            Column("95 % interval", ("low", "high"), lambda low, high: interval(low, high, decimal), left=True),
            Column("queries", format=str),
        )
        return ReportTable(columns=columns, rows=[*self.found.table.named()])

    def _notes(self) -> Iterator[tuple[str, str]]:
        lacking = self.found.lacking
        for statistic in self.found.statistics:
            if statistic.name not in lacking:
                yield statistic.name, f"{statistic.words}; {statistic.reference}"
        items = count(len(self.found.items), "item")
        gathered = items if self.found.items.listed else f"the {items} that the runs show; --items gives the real one"
        yield "catalogue", gathered
        if without := self.found.items.without_category:
            for statistic in self.found.statistics:
                if "category" in statistic.needs:
                    yield (
                        "category",
                        f"{without:,} of {items} have none; {statistic.name} leaves out pairs with one of them",
                    )
        yield "shown", f"the first {self.found.depth} documents of each list; tied ones in the order of the file"
        yield "interval", "of means over queries (Student's t); none yet for what all lists have together"
        for name, needs in lacking.items():
            yield "left out", f"{name}: it needs {describe_needs(needs)}"
