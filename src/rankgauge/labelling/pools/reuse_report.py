"""The report of `rankgauge pool reuse`: whether judgments can score runs that had no part in making them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.errors import InputError
from rankgauge.evaluation.notes import thresholds
from rankgauge.labelling.pools import Reuse
from rankgauge.labelling.pools import reuse_tables as tables
from rankgauge.labelling.pools.reuse import LeftOut
from rankgauge.measures import parse
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, number
from rankgauge.render.passages import Figure, Heading, Notes, Paragraph, Passage
from rankgauge.render.svg import Drawing, sheet

LEFT_OUT = """All runs are scored without the documents that one {kind} alone contributed. The change is that of its own
runs: what a run loses by not having contributed."""
FORETOLD = """Each team that contributed is left out, and its runs are foretold from the others. "As is" counts unjudged
documents as not relevant; the model gives each a chance."""
NEW = """The bounds hold whatever the grades of the run's unjudged documents are; the ideal order of nDCG and the number
of relevant documents of AP and recall move with them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolReuseReport(Report):
    """A pool's reuse."""

    command = "pool reuse"

    reuse: Reuse
    foretell: bool = False
    """Whether to show how well runs are foretold though there is no new one."""

    @cached_property
    def parts(self) -> tuple[LeftOut, ...]:
        """What was left out: teams where they are known, and runs; of one alone nothing would be left."""
        both = (self.reuse.without_teams, self.reuse.without_runs)
        several = [left for left in both if left is not None and len(left.contributors) > 1]
        if not several and self.reuse.new_runs is None:
            raise InputError(
                "only one run contributed to the judgments: without it nothing is left to score it by",
                hint="Give two or more runs that contributed, or name a run that did not with --new.",
            )
        return tuple(several)

    def frame(self) -> pl.DataFrame:
        """The new runs, a row per run and measure; without any, a row per run that contributed and measure."""
        found = self.reuse.new_runs
        return self.parts[0].by_run() if found is None else found.frame()

    def data(self) -> dict[str, Any]:
        """All tables, and what they rest on."""
        reuse, made = self.reuse, self.reuse.contributions
        found: dict[str, Any] = {
            "runs": list(made.pool.runs),
            "measures": list(reuse.measures),
            "dialect": dialects.get(reuse.dialect).name,
            "queries": len(made.pool.queries),
            "judged": len(reuse.judged_grades),
            "relevant": int(reuse.relevant.sum()),
            "pool_depth": made.depth,
            "contributors": [run for run, one in zip(made.pool.runs, made.contributed, strict=True) if one],
            "unclaimed": dict(zip(("judged", "relevant"), self._unclaimed, strict=True)),
        }
        for left in self.parts:
            found[f"without_{left.kind}"] = {
                "by_measure": left.by_measure(),
                "by_group": left.by_group(),
                "by_run": left.by_run(),
            }
        if self._foretells:
            found["foretold"] = self._foretold()
        if reuse.new_runs is not None:
            found["new"] = reuse.new_runs.frame()
        return found | {"notes": [{"subject": subject, "words": words} for subject, words in self.notes()]}

    @property
    def _foretells(self) -> bool:
        return bool(self.parts) and (self.foretell or self.reuse.new_runs is not None)

    def _foretold(self) -> pl.DataFrame:
        found = self.reuse.expectations
        return pl.concat(
            [
                pl.DataFrame(
                    {
                        "measure": measure,
                        "run": [self.reuse.contributions.pool.runs[run] for run in found.run],
                        "team": [self.reuse.contributions.teams[team] for team in found.team],
                        "truth": found.truth[at],
                        "as_is": found.plain[at],
                        "expected": found.expected[at],
                        "half_width": found.factor(at) * found.deviation[at],
                    }
                )
                for at, measure in enumerate(found.measures)
            ]
        )

    def picture(self) -> Drawing:
        """The change of each run, and the new runs' bounds."""
        return sheet(self.headline(), dict(self._charts()))

    def document(self, medium: Medium) -> ReportDocument:
        """The tables and the notes; a page also has pictures."""
        made = self.reuse.contributions
        page = medium is Medium.PAGE
        return ReportDocument(
            title="Can these judgments score a new run?",
            headline=self.headline(),
            facts=(
                count(len(made.pool.runs), "run"),
                count(len(made.pool.queries), "query", "queries"),
                count(len(self.reuse.judged_grades), "judgment"),
                f"pool depth {made.depth}",
            ),
            passages=tuple(self._page() if page else self._text(brief=medium is Medium.TERMINAL)),
        )

    def headline(self) -> str:
        """What a run loses by not having contributed, by the measure that it matters most to, and the largest fall."""
        if not self.parts:
            first = self.frame().row(0, named=True)
            ends = f"{number(first['worst'])} to {number(first['best'])}"
            return (
                f"{first['run']} has {first['measure']} {number(first['value'])}, or {ends} by its unjudged documents"
            )
        left = self.parts[0]
        frame = left.by_measure()
        worst = frame.row(int(np.nanargmax(np.abs(frame["relative"].fill_nan(0.0).to_numpy()))), named=True)
        whose = "its" if left.kind == "run" else "its team's"
        fall = frame.row(int(frame["most_fall"].arg_max() or 0), named=True)
        by = f" (by {fall['measure']})" if len(frame) > 1 else ""
        falls = f", and falls by {count(fall['most_fall'], 'rank')} at most{by}" if fall["most_fall"] > 0 else ""
        moved = f"{'gains' if worst['change'] > 0 else 'loses'} {number(abs(worst['change']))} {worst['measure']}"
        return f"Without {whose} own documents a run {moved} on average{falls}"

    def _text(self, *, brief: bool) -> Iterator[Passage]:
        yield Paragraph(self.headline() + ".") if brief else Heading(self.headline(), level=1)
        yield Notes(list(self._facts()))
        for left in self.parts:
            yield Heading(tables.by_measure(left).title)
            yield tables.by_measure(left)
        for left in self.parts if not brief else self.parts[:1]:
            groups = tables.by_group(left, brief=brief)
            yield Heading(groups.title)
            yield groups
        shown = [tables.calibration(self.reuse)] if self._foretells else []
        for table in (*shown, *([tables.new_runs(self.reuse)] if self.reuse.new_runs is not None else [])):
            yield Heading(table.title)
            yield table
        yield Notes(self.notes())

    def _page(self) -> Iterator[Passage]:
        if self.reuse.new_runs is not None:
            yield Heading("New runs", hint=NEW)
            yield from (Figure(title, drawn) for title, drawn in self._new_charts())
            yield tables.new_runs(self.reuse)
        for left in self.parts:
            yield Heading(f"Without a {left.kind}", hint=LEFT_OUT.format(kind=left.kind))
            yield from (Figure(measure, tables.changes(left, at)) for at, measure in enumerate(left.measures))
            yield tables.by_measure(left)
            yield tables.by_group(left, brief=False)
        if self._foretells:
            yield Heading("How well runs are foretold", hint=FORETOLD)
            yield tables.calibration(self.reuse)
        yield Heading("What the numbers rest on")
        yield Notes([*self._facts(), *self.notes()])

    def _charts(self) -> Iterator[tuple[str, Drawing]]:
        yield from self._new_charts()
        for left in self.parts[:1]:
            whose = "its own documents" if left.kind == "run" else "its team's documents"
            for at, measure in enumerate(left.measures):
                yield f"{measure} of each run without {whose}", tables.changes(left, at)

    def _new_charts(self) -> Iterator[tuple[str, Drawing]]:
        if self.reuse.new_runs is None:
            return
        frame = self.reuse.new_runs.frame()
        for measure in self.reuse.measures:
            rows = frame.filter(pl.col("measure") == measure).rows(named=True)
            yield f"{measure} of the new runs", tables.bounds(rows)

    @cached_property
    def _unclaimed(self) -> tuple[int, int]:
        """How many judged documents no contributing run brought in, and how many of them are relevant."""
        unclaimed = self.reuse.contributions.unclaimed
        return int(unclaimed.sum()), int(self.reuse.relevant[unclaimed].sum())

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield from self._origin()
        judged, relevant = self._unclaimed
        if judged:
            first = f"among its first {self.reuse.contributions.depth}"
            yield (
                "others",
                f"{count(judged, 'judged document')} ({relevant:,} relevant) that no contributing run has {first}",
            )

    def _origin(self) -> Iterator[tuple[str, str]]:
        made, grades = self.reuse.contributions, self.reuse.judged_grades
        relevant = int((grades > 0).sum())
        yield (
            "judgments",
            f"{len(grades):,} of {count(len(made.pool.queries), 'query', 'queries')}, {relevant:,} above 0",
        )
        alone = len(set(made.pool.runs) - set(self.reuse.teams or made.pool.runs))
        if alone:
            yield "teams", f"{count(alone, 'run')} in no team; each counts as a team of its own"
        if made.assumed:
            yield (
                "pool",
                f"no run's first {made.depth} documents are all judged: every run is taken to have contributed",
            )
            return
        found = "as it was said" if self.reuse.depth is not None else "as the judgments show"
        teams = len(np.unique(made.team[made.contributed]))
        team = f", {count(teams, 'team')}" if self.reuse.teams else ""
        part, whole = int(made.contributed.sum()), len(made.pool.runs)
        who = f"all {whole} runs{team}" if part == whole else f"{part} of {whole} runs{team}"
        others = "" if part == whole else "; the others did not contribute"
        yield "pool", f"the first {made.depth} documents ({found}) of {who}{others}"

    def notes(self) -> list[tuple[str, str]]:
        """What to know of the numbers."""
        found = [
            *self._left_out_notes(),
            *thresholds(dialects.get(self.reuse.dialect), [parse(name) for name in self.reuse.measures]),
            ("equal scores", "keep the order of the file; a query that a run does not answer counts 0"),
        ]
        if self.reuse.levels:
            found.append(
                ("scale", f"its highest grade is {max(self.reuse.levels):g}, also for ERR; the judgments' may be lower")
            )
        if self._foretells:
            found.append(("expected", self._model()))
            found.append(("holds", "intervals from the other teams, tried on the runs of each team"))
        if self.reuse.new_runs is not None:
            found += [
                ("worst, best", "bounds for all grades of the run's unjudged documents; ideal orders move with them"),
                ("outside", "documents that are neither judged nor in the run's list count as not relevant"),
            ]
            if unbounded := self.reuse.new_runs.unbounded:
                why = "what a grade adds to the list and to its ideal order depends on all other grades"
                found.append((tables.NOT_KNOWN, f"bounds of {', '.join(unbounded)}: {why}"))
            if self.reuse.new_runs.reason:
                found.append((tables.NOT_YET, self.reuse.new_runs.reason))
        if self._foretells and (poor := self.reuse.expectations.unhelpful):
            why = "the model foretells runs that were left out worse than counting their documents as not relevant"
            found.append((tables.NOT_YET, f"{', '.join(poor)}: {why}"))
        return found

    def _left_out_notes(self) -> Iterator[tuple[str, str]]:
        if not self.parts:
            yield "alone", "only one run contributed: what a run loses by not contributing is not known"
            return
        whose = "it" if self.parts[0].kind == "run" else "its team"
        yield "change", f"of a run's value if the documents that {whose} alone contributed had no grade"
        yield "ranks", "how many places a run moves on average, and the largest fall, among all runs rescored"
        yield "τ", "lowest: all runs with and without one's documents; of all: each run without its own"

    def _model(self) -> str:
        fitted = self.reuse.expectations
        if fitted.model is None:
            return tables.NOT_YET
        words = f"had the run been pooled too: its documents are relevant as the {fitted.documents:,} that one"
        who = "team" if self.reuse.teams else "run"
        return f"{words} {who} alone brought were, by rank, other runs that have them, and the run's precision"
