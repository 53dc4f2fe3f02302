"""The report of `rankgauge pool reuse`: whether judgments can score runs that had no part in making them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.errors import InputError
from rankgauge.evaluation.notes import thresholds
from rankgauge.labelling.pools import Reuse
from rankgauge.labelling.pools.reuse import LeftOut
from rankgauge.measures import parse
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, interval, number, percent, thousands, with_sign
from rankgauge.render.passages import Figure, Heading, Notes, Paragraph, Passage
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, Point, colour, margin, sheet, short, ticks
from rankgauge.render.table import Column, ReportTable

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
        """Return the new runs, a row per run and measure; without any, a row per run that contributed and measure."""
        runs = self.reuse.new_runs
        return self.parts[0].by_run() if runs is None else runs.frame()

    def data(self) -> dict[str, Any]:
        """Return all tables, and what they rest on."""
        reuse, made = self.reuse, self.reuse.contributions
        data: dict[str, Any] = {
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
            data[f"without_{left.kind}"] = {
                "by_measure": left.by_measure(),
                "by_group": left.by_group(),
                "by_run": left.by_run(),
            }
        if self._foretells:
            data["foretold"] = self._foretold()
        if reuse.new_runs is not None:
            data["new"] = reuse.new_runs.frame()
        return data | {"notes": [{"subject": subject, "words": words} for subject, words in self.notes()]}

    @property
    def _foretells(self) -> bool:
        return bool(self.parts) and (self.foretell or self.reuse.new_runs is not None)

    def _foretold(self) -> pl.DataFrame:
        expectations = self.reuse.expectations
        return pl.concat(
            [
                pl.DataFrame(
                    {
                        "measure": measure,
                        "run": [self.reuse.contributions.pool.runs[run] for run in expectations.run],
                        "team": [self.reuse.contributions.teams[team] for team in expectations.team],
                        "truth": expectations.truth[at],
                        "as_is": expectations.plain[at],
                        "expected": expectations.expected[at],
                        "half_width": expectations.factor(at) * expectations.deviation[at],
                    }
                )
                for at, measure in enumerate(expectations.measures)
            ]
        )

    def picture(self) -> Drawing:
        """Return the change of each run, and the new runs' bounds."""
        return sheet(self.headline(), dict(self._charts()))

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tables and the notes; a page also has pictures."""
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
        for table in self._tables(brief=brief):
            yield Heading(table.title)
            yield table
        yield Notes(self.notes())

    def _tables(self, *, brief: bool) -> Iterator[ReportTable]:
        yield from map(by_measure, self.parts)
        yield from (by_group(left, brief=brief) for left in self.parts[: 1 if brief else None])
        if self._foretells:
            yield calibration(self.reuse)
        if self.reuse.new_runs is not None:
            yield new_runs(self.reuse)

    def _page(self) -> Iterator[Passage]:
        if self.reuse.new_runs is not None:
            yield Heading("New runs", hint=NEW)
            yield from (Figure(title, drawn) for title, drawn in self._new_charts())
            yield new_runs(self.reuse)
        for left in self.parts:
            yield Heading(f"Without a {left.kind}", hint=LEFT_OUT.format(kind=left.kind))
            yield from (Figure(measure, changes(left, at)) for at, measure in enumerate(left.measures))
            yield by_measure(left)
            yield by_group(left, brief=False)
        if self._foretells:
            yield Heading("How well runs are foretold", hint=FORETOLD)
            yield calibration(self.reuse)
        yield Heading("What the numbers rest on")
        yield Notes([*self._facts(), *self.notes()])

    def _charts(self) -> Iterator[tuple[str, Drawing]]:
        yield from self._new_charts()
        for left in self.parts[:1]:
            whose = "its own documents" if left.kind == "run" else "its team's documents"
            for at, measure in enumerate(left.measures):
                yield f"{measure} of each run without {whose}", changes(left, at)

    def _new_charts(self) -> Iterator[tuple[str, Drawing]]:
        if self.reuse.new_runs is None:
            return
        frame = self.reuse.new_runs.frame()
        for measure in self.reuse.measures:
            rows = frame.filter(pl.col("measure") == measure).rows(named=True)
            yield f"{measure} of the new runs", bounds(rows)

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
        origin = "as it was said" if self.reuse.depth is not None else "as the judgments show"
        teams = len(np.unique(made.team[made.contributed]))
        team = f", {count(teams, 'team')}" if self.reuse.teams else ""
        part, whole = int(made.contributed.sum()), len(made.pool.runs)
        who = f"all {whole} runs{team}" if part == whole else f"{part} of {whole} runs{team}"
        others = "" if part == whole else "; the others did not contribute"
        yield "pool", f"the first {made.depth} documents ({origin}) of {who}{others}"

    def notes(self) -> list[tuple[str, str]]:
        """Return what to know of the numbers."""
        notes = [
            *self._left_out_notes(),
            *thresholds(dialects.get(self.reuse.dialect), [parse(name) for name in self.reuse.measures]),
            ("equal scores", "keep the order of the file; a query that a run does not answer counts 0"),
        ]
        if self.reuse.levels:
            notes.append(
                ("scale", f"its highest grade is {max(self.reuse.levels):g}, also for ERR; the judgments' may be lower")
            )
        if self._foretells:
            notes.append(("expected", self._model()))
            notes.append(("holds", "intervals from the other teams, tried on the runs of each team"))
        if self.reuse.new_runs is not None:
            notes += [
                ("worst, best", "bounds for all grades of the run's unjudged documents; ideal orders move with them"),
                ("outside", "documents that are neither judged nor in the run's list count as not relevant"),
            ]
            if unbounded := self.reuse.new_runs.unbounded:
                why = "what a grade adds to the list and to its ideal order depends on all other grades"
                notes.append((NOT_KNOWN, f"bounds of {', '.join(unbounded)}: {why}"))
            if self.reuse.new_runs.reason:
                notes.append((NOT_YET, self.reuse.new_runs.reason))
        if self._foretells and (poor := self.reuse.expectations.unhelpful):
            why = "the model foretells runs that were left out worse than counting their documents as not relevant"
            notes.append((NOT_YET, f"{', '.join(poor)}: {why}"))
        return notes

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
            return NOT_YET
        words = f"had the run been pooled too: its documents are relevant as the {fitted.documents:,} that one"
        who = "team" if self.reuse.teams else "run"
        return f"{words} {who} alone brought were, by rank, other runs that have them, and the run's precision"


SHOWN = 10
"""How many runs or teams a terminal shows: those whose values change most."""

NOT_YET, NOT_KNOWN = "not yet", "not known"
"""What is known with more runs, and what no number of runs tells."""


def by_measure(left: LeftOut) -> ReportTable:
    """Return a row per measure: the change of values and ranks."""
    columns = (
        Column("measure"),
        Column("change", format=with_sign),
        Column("of the value", "relative", _per_cent),
        Column("largest", ("most", "most_run"), lambda most, run: f"{with_sign(most)} ({run})", left=True),
        Column("ranks", "fall", "{:.1f}".format),
        Column("largest fall", ("most_fall", "most_fall_run"), _fall, left=True),
        Column("lowest τ", "tau", _tau),
        Column("τ of all", "own_tau", _tau),
    )
    return ReportTable(columns=columns, rows=left.by_measure().rows(named=True), title=f"Without a {left.kind}")


def _fall(ranks: int, run: str) -> str:
    return f"{ranks} ({run})" if ranks > 0 else "0"


def by_group(left: LeftOut, *, brief: bool) -> ReportTable:
    """A row per run or team that contributed: what its own runs lose by each measure, most by the last one first."""
    frame = left.by_group()
    parts = {measure: frame.filter(pl.col("measure") == measure).rows(named=True) for measure in left.measures}
    first = parts[left.measures[0]]
    order = np.argsort([max(-parts[one][at]["change"] for one in left.measures) for at in range(len(first))])[::-1]
    rows = [
        {
            **first[at],
            **{measure: parts[measure][at]["change"] for measure in left.measures},
            "fall": max(parts[measure][at]["falls"] for measure in left.measures),
            "tau": min(parts[measure][at]["tau"] for measure in left.measures),
        }
        for at in order.tolist()
    ]
    columns = (
        Column(left.kind, "left_out"),
        *((Column("runs", format=str),) if left.kind == "team" else ()),
        Column("unique", format=thousands),
        Column("relevant", "unique_relevant", thousands),
        *(Column(measure, measure, with_sign) for measure in left.measures),
        Column("fall", format=str),
        Column("lowest τ", "tau", _tau),
    )
    shown = rows[:SHOWN] if brief else rows
    return ReportTable(columns=columns, rows=shown, title=f"Each {left.kind} that contributed")


def calibration(reuse: Reuse) -> ReportTable:
    """Return how well values of runs that did not contribute are foretold: a row per measure."""
    expectations = reuse.expectations
    rows = []
    for at, measure in enumerate(expectations.measures):
        off = (expectations.plain[at] - expectations.truth[at], expectations.expected[at] - expectations.truth[at])
        errors = [error for one in off for error in (one.mean(), np.sqrt(np.mean(np.square(one))))]
        half = expectations.factor(at) * expectations.deviation[at].mean()
        rows.append((measure, *errors, half, math.nan if math.isnan(half) else expectations.coverage(at)))
    columns = (
        Column("measure"),
        Column("bias as is", format=with_sign),
        Column("error as is", format=number),
        Column("bias", format=with_sign),
        Column("error", format=number),
        Column("interval", format=lambda half: NOT_YET if math.isnan(half) else f"±{half:.4f}"),
        Column("holds", format=lambda share: NOT_YET if math.isnan(share) else percent(share)),
    )
    return ReportTable(columns=columns, rows=rows, title="Runs that were left out, foretold")


def new_runs(reuse: Reuse) -> ReportTable:
    """List the new runs by measure."""
    assert reuse.new_runs is not None
    columns = (
        Column("run"),
        Column("measure"),
        Column("unjudged", format=lambda share: f"{100 * share:.1f} %"),
        Column("value", format=number),
        Column("worst to best", ("worst", "best"), partial(_interval_or, NOT_KNOWN)),
        Column("expected", format=lambda value: NOT_YET if math.isnan(value) else number(value)),
        Column("95 % interval", ("low", "high"), partial(_interval_or, NOT_YET)),
    )
    return ReportTable(columns=columns, rows=reuse.new_runs.frame().rows(named=True), title="New runs")


def _interval_or(lacking: str, low: float, high: float) -> str:
    return lacking if math.isnan(low) else interval(low, high)


def _per_cent(share: float) -> str:
    return "–" if math.isnan(share) else with_sign(100 * share, 1) + " %"


def _tau(tau: float) -> str:
    return "–" if math.isnan(tau) else f"{tau:.3f}".replace("-", "−")


def changes(left: LeftOut, at: int) -> Drawing:
    """Return a dot for each run that contributed: its value across, its value without its own documents upwards."""
    rows = left.by_run().filter(measure=left.measures[at]).rows(named=True)
    ends = [row[name] for row in rows for name in ("value", "without")]
    low, high = math.floor(10 * min(ends)) / 10, math.ceil(10 * max(ends)) / 10
    high = max(high, low + 0.1)
    x, y = Axis(low=low, high=high, start=44, end=WIDTH - 12), Axis(low=low, high=high, start=318, end=28)
    plot = Plot(f"{left.measures[at]} with and without own documents", x, y, (WIDTH, 362))
    plot.grid()
    plot.caption("with all judgments")
    plot.tick(
        (x.start - 36, y.end - 14),
        "without its own documents" if left.kind == "run" else "without its team's own documents",
    )
    plot.line((x(low), y(low)), (x(high), y(high)), kind="zero", stroke_dasharray="5 4")
    for row in rows:
        words = f"{row['run']}: {number(row['value'])}, without {number(row['without'])} ({with_sign(row['change'])})"
        plot.dot(plot.at((row["value"], row["without"])), r=4.0, fill=colour(0), fill_opacity=0.7, title=words)
    return plot


KEYS = 112.0
"""The least room on the left: the key of the colours begins there."""


def bounds(rows: Sequence[Mapping[str, Any]]) -> Drawing:
    """Draw for each new run a bar from its worst to its best value, its interval, and dots for both its values."""
    left, step = max(margin(row["run"] for row in rows), KEYS), 30.0
    known = [row[name] for row in rows for name in ("worst", "best", "value") if math.isfinite(row[name])]
    reach = Axis(low=min([*known, 0.0]), high=beyond(*known, 0.1), start=left, end=WIDTH - 20.0)
    bottom = step * len(rows) + 8
    drawn = Drawing(WIDTH, bottom + 46, "where new runs may lie")
    for level in ticks(reach.low, reach.high):
        drawn.line((reach(level), 0), (reach(level), bottom), kind="grid")
        drawn.tick((reach(level), bottom + 15), f"{level:g}", "middle")
    for place, row in enumerate(rows):
        y = place * step + 18
        drawn.text((left - 8, y + 4), short(row["run"]), anchor="end", title=row["run"])
        if math.isfinite(row["worst"]):
            words = f"worst {number(row['worst'])}, best {number(row['best'])}"
            width = max(reach(row["best"]) - reach(row["worst"]), 1.0)
            drawn.rect((reach(row["worst"]), y - 5), width, 10, rx=3, kind="bar", title=words)
        if math.isfinite(row["low"]):
            drawn.line((reach(row["low"]), y), (reach(row["high"]), y), stroke=colour(1), style="stroke-width:3")
        drawn.dot((reach(row["value"]), y), r=4.0, fill=colour(0), title=f"as is {number(row['value'])}")
        if math.isfinite(row["expected"]):
            drawn.dot((reach(row["expected"]), y), r=4.0, fill=colour(1), title=f"expected {number(row['expected'])}")
    _key(drawn, rows, (left, bottom + 38))
    return drawn


def beyond(*values: float) -> float:
    """Return the round value at or above the highest, where a scale may end."""
    high = max(values)
    levels = ticks(0.0, high)
    return levels[-1] if math.isclose(levels[-1], high) else 2 * levels[-1] - levels[-2]


def _key(drawn: Drawing, rows: Sequence[Mapping[str, Any]], at: Point) -> None:
    """Say what the colours stand for that are there."""
    hues: dict[str, tuple[str, dict[str, str]]] = {
        "as is": ("value", {"fill": colour(0)}),
        "expected": ("expected", {"fill": colour(1)}),
        "worst to best": ("worst", {"kind": "bar"}),
    }
    there = [words for words, (name, _) in hues.items() if any(math.isfinite(row[name]) for row in rows)]
    for place, words in enumerate(there):
        drawn.dot((at[0] - 100 + 130 * place, at[1] - 4), r=4.0, **hues[words][1])
        drawn.tick((at[0] - 100 + 130 * place + 9, at[1]), words)
