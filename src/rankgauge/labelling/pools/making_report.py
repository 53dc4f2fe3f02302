"""The report of `rankgauge pool make`: what a pool costs, and how much of each run it covers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.pools import MadePool
from rankgauge.labelling.selection import Selection
from rankgauge.registry import plain
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count
from rankgauge.render.passages import Heading, Notes, Passage, ReportTable

SHOWN = 20
"""How many runs a terminal shows: those with the least weight in the pool."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolMakingReport(Report):
    """A pool, the measures whose weights it covers, and how long a label takes, if that is known."""

    command = "pool make"

    made: MadePool
    measures: tuple[str, ...]
    dialect: str = "standard"
    seconds: float | None = None

    @cached_property
    def coverage(self) -> pl.DataFrame:
        """The share of each run's weight by each measure."""
        return self.made.coverage(self.measures, dialect=self.dialect)

    @property
    def hours(self) -> float | None:
        """How long one assessor takes."""
        return None if self.seconds is None else len(self.made.chosen) * self.seconds / 3600

    def frame(self) -> pl.DataFrame:
        """A row per run and measure."""
        return self.coverage

    def data(self) -> dict[str, Any]:
        """The counts, and the coverage."""
        made, counts = self.made, self.made.counts
        return {
            "runs": list(made.pool.runs),
            "method": made.selection.name,
            "depth": made.depth,
            "budget": made.budget,
            "seed": made.seed,
            "documents": len(made.chosen),
            "judged": int(made.judged.sum()),
            "judged_in_lists": made.listed,
            "queries": len(made.pool.queries),
            "per_query": {"least": int(counts.min()), "median": float(np.median(counts)), "most": int(counts.max())},
            "hours": self.hours,
            "coverage": self.coverage,
        }

    def document(self, medium: Medium) -> ReportDocument:
        """The facts of the pool, and a table of the runs."""
        brief = medium is Medium.TERMINAL
        return ReportDocument(
            title="A pool to judge", headline=self.headline(), passages=tuple(self._passages(brief=brief))
        )

    def headline(self) -> str:
        """How many documents there are to judge."""
        queries = count(int((self.made.counts > 0).sum()), "query", "queries")
        return f"{count(len(self.made.chosen), 'document')} to judge, for {queries}"

    def _passages(self, *, brief: bool) -> Iterator[Passage]:
        yield Heading(self.headline(), level=1)
        yield Notes(list(self._facts()))
        yield Heading("How much of each run will be judged")
        yield self._table(brief=brief)
        yield Notes(list(self._notes(brief=brief)))

    def _facts(self) -> Iterator[tuple[str, str]]:
        made, counts = self.made, self.made.counts
        yield "chosen by", _method(made.selection)
        parts = [f"the first {made.depth} of each list"] if made.depth else ["all that the runs retrieve"]
        yield "taken from", f"{parts[0]}: {count(int((~made.judged).sum()), 'document')} without a grade"
        least, most = int(counts.min()), int(counts.max())
        spread = f"{least:,} to {most:,} documents, median {np.median(counts):g}"
        yield "per query", count(least, "document") if least == most else spread
        for name, missing in made.textless.items():
            yield "no text", f"{count(missing, 'document')} of the pool have no {name.replace('_', ' ')} in the table"
        if made.judged.any():
            yield "judged already", f"{count(int(made.judged.sum()), 'document')}, {_listed(made)}"
        if self.hours is not None:
            yield "takes", f"{self.hours:,.1f} hours of one assessor, at {self.seconds:g} seconds a label"

    def _table(self, *, brief: bool) -> ReportTable:
        """The shares of each run, those with the least by the first measure first."""
        wide = {
            run: [rows.filter(pl.col("measure") == name).row(0, named=True) for name in self.measures]
            for (run,), rows in self.coverage.group_by("run", maintain_order=True)
        }
        runs = sorted(wide, key=lambda run: wide[run][0]["covered"])
        before = bool(self.made.judged.any())
        rows = [(str(run), *(_share(cell, before=before) for cell in wide[run])) for run in runs]
        return ReportTable(header=("run", *self.measures), rows=rows[:SHOWN] if brief else rows, numbers=self.measures)

    def _notes(self, *, brief: bool) -> Iterator[tuple[str, str]]:
        made = self.made
        yield "weight", "the share of what a run's ranks can add to the measure that lies on judged documents"
        if made.judged.any():
            yield "arrow", "from what is judged already to what will be"
        if brief and len(made.pool.runs) > SHOWN:
            yield "runs", f"the {SHOWN} with the least weight in the pool, of {len(made.pool.runs)}"
        if made.selection.adaptive:
            known = "Judge some of these and make the next pool with --judged: its order follows the grades"
            yield made.selection.name, f"a document without a grade {made.selection.unjudged}. {known}"
        yield "seed", str(made.seed)


def _share(cell: dict[str, Any], *, before: bool) -> str:
    after = f"{100 * cell['covered']:.1f} %"
    return f"{100 * cell['judged']:.1f} → {after}" if before else after


def _listed(made: MadePool) -> str:
    """How many of the judged documents the pool would have had, and what to look at if there are none."""
    if not made.listed:
        return "none of which is in these lists: are ids spelled alike, and are these the judgments of these runs?"
    return f"of which {made.listed:,} {'is' if made.listed == 1 else 'are'} in these lists and left out"


def _method(selection: Selection) -> str:
    """The name of a way to choose, what it stands for if that is not the same, and what it does."""
    head, _, words = selection.title.partition(": ")
    spelled = "" if plain(head) == plain(selection.name) else f", {head[0].lower()}{head[1:]}"
    return f"{selection.name}{spelled}: {words}"
