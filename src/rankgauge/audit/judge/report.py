"""The report of `rankgauge audit judge`: what a machine judge is worth beside people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.audit.judge import JudgeAudit
from rankgauge.audit.judge import figures as figures
from rankgauge.audit.judge import tables as tables
from rankgauge.audit.judge.advice import advise
from rankgauge.audit.judge.agreement import FEWEST
from rankgauge.audit.judge.drift import MARGIN, Drift
from rankgauge.evaluation.notes import NO_EFFECT, lowest_relevant, worths
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, share
from rankgauge.render.passages import Details, Figure, Heading, Notes, Paragraph, Passage
from rankgauge.render.svg import Drawing, sheet
from rankgauge.render.table import ReportTable

AGREEMENT = """Kappa and alpha are 0 where a judge agrees no more often than by chance, 1 where it always agrees. AUC is
the chance that the judge gives a relevant document the higher grade than one that is not: 0.5 is a coin."""
CONFUSION = "Each row has the documents of one grade by people: which grade the judge gave them."
ERRORS = """The judge's grade less people's: above 0 the judge is generous. Dots in the second colour differ from the
rest by more than luck."""
VALUES = (
    "Each dot is a run. On the dashed line people and judge give it the same value; above it the judge is generous."
)
FLIPS = """Differences between two runs whose verdict changes: lost ones are significant by the judge only, found ones
by people only."""
FIRST = "A label is worth what it moves runs apart, times the doubt about the grade; in per cent of all documents."
COMBINED = "The fitted combination is a regression on all judges' grades; no query takes part in its own fit."
PREDICTED = """People judged only a sample. What they would say of the rest is drawn from a model of the judge's errors,
fitted to their labels: a forecast, not a measurement."""
PANELS = """A panel's score is the mean of its judges' grades. Which is best was chosen on the same labels: expect
somewhat less elsewhere."""
MOVED = "The judge's grade now less its earlier one of the same document. Queries are shown where they moved otherwise."
SAFE = "take τ and the kept differences as what is safe to say"
DRIFT = ("pairs", "same", "parts", "labels", "change", "low", "high", "code")
CIRCULAR = """A judge overrates the runs that it made. The excess is how far a run is above the line that the other
runs' bias follows; p is its chance for a run that the judge had no part in."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeAuditReport(Report):
    """An audit of judges, and how many documents to list for people."""

    command = "audit judge"

    audit: JudgeAudit
    first: int = 20

    @cached_property
    def first_documents(self) -> pl.DataFrame:
        """The documents to show people first; none without runs, and none where they have judged everything."""
        plan = self.audit.plan
        return pl.DataFrame() if plan is None or not self.audit.sampled else plan.first(self.first)

    @cached_property
    def needed(self) -> int | None:
        """How many labels bring intervals to the width that was asked for."""
        plan = self.audit.plan
        return None if plan is None else plan.needed(self.audit.half_width, seed=self.audit.seed)

    def frame(self) -> pl.DataFrame:
        """A row per judge and coefficient of agreement."""
        return self.audit.agreement

    def data(self) -> dict[str, Any]:
        """All tables, and the notes."""
        audit = self.audit
        found: dict[str, Any] = {
            "judges": list(audit.judges),
            "labels": int(audit.pairs.labelled.sum()),
            "sampled": audit.sampled,
            "rel": audit.rel,
            "dialect": audit.dialect,
            "seed": audit.seed,
            "coverage": audit.pairs.coverage,
            "agreement": audit.agreement,
            "confusion": audit.confusion,
            "errors": audit.errors,
            "query_spread": audit.query_spread,
            "combined": audit.combined,
            "panels": audit.panels,
        }
        if audit.independence is not None:
            found["independent_judges"] = audit.independence._asdict()
        if audit.drift is not None:
            found["drift"] = {name: getattr(audit.drift, name) for name in DRIFT}
        if audit.runs:
            found |= {
                "runs": list(audit.runs),
                "measures": [str(measure) for measure in audit.measures],
                "values": audit.values,
                "orders": audit.orders,
                "differences": audit.differences,
                "circularity": audit.circularity,
                "advice": list(self.advice),
                "needed": {"half_width": audit.half_width, "labels": self.needed},
                "first": self.first_documents,
            }
        return found | {"notes": [{"subject": subject, "words": words} for subject, words in self.notes()]}

    def picture(self) -> Drawing:
        """The confusion of each judge, and the values of the runs."""
        charts = {f"Grades of {judge}": figures.heat_map(self.audit, judge) for judge in self.audit.judges}
        charts |= self._scatters()
        return sheet(self.headline(), charts)

    def document(self, medium: Medium) -> ReportDocument:
        """The tables and the notes; a page also has pictures."""
        audit = self.audit
        return ReportDocument(
            title=f"{', '.join(audit.judges)} beside people",
            headline=self.headline(),
            lead=PREDICTED if audit.sampled and audit.has_board else "",
            facts=(
                count(len(audit.judges), "judge"),
                count(int(audit.pairs.labelled.sum()), "label of people", "labels of people"),
                count(len(audit.pairs.queries), "query", "queries"),
                *([count(len(audit.runs), "run")] if audit.runs else []),
                f"seed {audit.seed}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text(brief=medium is Medium.TERMINAL)),
        )

    def headline(self) -> str:
        """One or two sentences: how good the best judge is, and what it does to the board."""
        audit = self.audit
        labels = int(audit.pairs.labelled.sum())
        if not audit.enough:
            return (
                f"People have given {count(labels, 'label')}: too few to say what a judge is worth, {FEWEST} at least"
            )
        rows = audit.combined.filter(pl.col("best"))
        best, auc = str(rows["judge"][0]), float(rows["auc"][0])
        told = f"{best} tells relevant documents from others with an AUC of {auc:.2f}"
        if np.isnan(auc):
            told = f"People's labels are all relevant or all not, so {best} cannot be told from a coin"
        if not audit.has_board:
            return told
        order = audit.orders.filter(pl.col("judge_name") == best).row(0, named=True)
        rows = audit.values.filter(pl.col("judge_name") == best, pl.col("measure") == order["measure"])
        bias = float(rows["bias"].mean())  # type: ignore[arg-type]
        level = f"{abs(bias):.3f} too {'high' if bias > 0 else 'low'}" if abs(bias) >= 0.0005 else "as people do"
        ranked = f"it rates runs {level} on average by {order['measure']}"
        tau = "" if np.isnan(order["tau"]) else tables.two_decimals(order["tau"])
        if audit.sampled:
            ranked = f"the forecast from {labels:,} labels is that {ranked}"
        ordered = f" and orders them with τ {tau}" if tau else ""
        return f"{told}; {ranked}{ordered}"

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What to do with the best judge, and whether it is as good as it was."""
        best = self.audit.combined.filter(pl.col("best"))["judge"][0] if self.audit.has_board else ""
        judge = best if best in self.audit.judges else self.audit.judges[0]
        drift = self.audit.drift
        return (*(() if drift is None else (say_since(drift),)), *advise(self.audit, judge, self.needed))

    def _text(self, *, brief: bool) -> Iterator[Passage]:
        if brief:
            yield Paragraph(self.headline() + ".")
        else:
            yield Heading(self.headline(), level=1)
        if self.advice:
            yield Paragraph(" ".join(self.advice))
        if self.audit.sampled and self.audit.has_board:
            yield Paragraph(" ".join(PREDICTED.split()))
        for table in self._tables(brief=brief):
            yield Heading(table.title)
            yield table if table.rows else Paragraph("None.")
        yield Notes(self.notes())

    def _tables(self, *, brief: bool) -> Iterator[ReportTable]:
        audit = self.audit
        yield tables.coverage(audit)
        yield tables.agreement(audit)
        if not audit.enough:
            return
        if len(audit.judges) > 1:
            yield tables.combined(audit)
        if len(audit.panels):
            yield tables.panels(audit)
        if audit.drift is not None:
            yield tables.drift(audit)
        for judge in audit.judges:
            yield tables.confusion(audit, judge)
            yield tables.errors(audit, judge, brief=brief)
        if not audit.has_board:
            return
        if len(audit.runs) > 1:
            yield tables.orders(audit)
        for judge in audit.judges:
            for measure in audit.measures:
                yield tables.values(audit, judge, str(measure), brief=brief)
                if len(audit.runs) > 1:
                    yield tables.flips(audit, judge, str(measure), brief=brief)
        if audit.suspects:
            yield tables.circularity(audit)
        if audit.sampled:
            shown = self.first_documents.head(tables.SHOWN) if brief else self.first_documents
            yield tables.first_documents(shown, audit.judges)

    def _page(self) -> Iterator[Passage]:
        audit = self.audit
        if self.advice:
            yield Heading("What to do")
            yield from map(Paragraph, self.advice)
        yield Heading("What was graded")
        yield tables.coverage(audit)
        yield Heading("Agreement with people", hint=AGREEMENT)
        yield tables.agreement(audit)
        if audit.enough:
            yield from self._grades()
            if audit.has_board:
                yield from self._board()
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def _grades(self) -> Iterator[Passage]:
        """Agreement and errors of each judge."""
        audit = self.audit
        if len(audit.judges) > 1:
            yield Heading("Judges beside each other, and combined", hint=COMBINED)
            yield Figure("AUC with 95 % intervals", figures.separations(audit))
            yield tables.combined(audit)
        if len(audit.panels):
            yield Heading("The best panels for their price", hint=PANELS)
            yield tables.panels(audit)
        if audit.drift is not None:
            yield Heading("What moved since the earlier grades", hint=MOVED)
            yield tables.drift(audit)
        yield Heading("Confusion of grades", hint=CONFUSION)
        yield from (Figure(judge, figures.heat_map(audit, judge)) for judge in audit.judges)
        yield Heading("Where the judges err", hint=ERRORS)
        facets = audit.errors["facet"].unique(maintain_order=True).to_list()
        short = [facet for facet in facets if facet not in tables.LONG]
        for judge in audit.judges:
            yield Figure(f"{judge}: {', '.join(short)}", figures.error_bars(audit, judge, short))
        for judge in audit.judges:
            yield Details(f"{judge}: every part", [tables.errors(audit, judge, brief=False)])

    def _board(self) -> Iterator[Passage]:
        """What the errors do to the runs, and what to do about it."""
        audit = self.audit
        yield Heading("What that does to the board", hint=VALUES)
        yield from (Figure(title, chart) for title, chart in self._scatters().items())
        if len(audit.runs) > 1:
            yield tables.orders(audit)
        for judge in audit.judges:
            for measure in audit.measures:
                table = tables.values(audit, judge, str(measure), brief=False)
                yield Details(table.title, [table])
        if len(audit.runs) > 1:
            yield Heading("Differences that the judges get wrong", hint=FLIPS)
            for judge in audit.judges:
                for measure in audit.measures:
                    table = tables.flips(audit, judge, str(measure), brief=False)
                    yield Details(f"{judge}, {measure}: {count(len(table.rows), 'pair')} of runs", [table])
        if audit.suspects:
            yield Heading("Runs that a judge may have made", hint=CIRCULAR)
            yield tables.circularity(audit)
        if audit.sampled:
            yield Heading("Documents to show people first", hint=FIRST)
            yield tables.first_documents(self.first_documents, audit.judges)

    def _scatters(self) -> dict[str, Drawing]:
        audit = self.audit
        if not audit.has_board:
            return {}
        measure = str(audit.measures[0])
        return {f"{measure} by {judge}": figures.value_scatter(audit, judge, measure) for judge in audit.judges}

    def notes(self) -> list[tuple[str, str]]:
        """What a reader should know before quoting a number."""
        return [*self._label_notes(), *self._judge_notes(), *(self._board_notes() if self.audit.has_board else ())]

    def _label_notes(self) -> Iterator[tuple[str, str]]:
        audit, labels = self.audit, int(self.audit.pairs.labelled.sum())
        if not audit.enough:
            yield "not yet", f"{count(labels, 'label')} of people; from {FEWEST} on there is something to say"
        if audit.sampled:
            part = share(labels, len(audit.pairs.people))
            how = (
                "weighed by 1 / probability, as the file says how they were chosen"
                if audit.pairs.probability is not None
                else "taken as a plain sample: chosen without regard to their grades"
            )
            yield "sample", f"people judged {labels:,} of {len(audit.pairs.people):,} pairs ({part}), {how}"
        for judge, number in audit.pairs.left_out.items():
            yield "examples", f"{count(number, 'label')} that {judge} was shown as examples are left out"
        yield from self._coverage_notes()
        if (depth := audit.shallow_labels) is not None:
            yield (
                "depth",
                f"every label of people is of a document at rank {depth} or above in some run, and the judge graded "
                "deeper: nothing here says how it grades what is further down",
            )
        yield "interval", f"95 %, over queries like these: bootstrap of whole queries, or t; seed {audit.seed}"
        yield "relevant", f"{lowest_relevant(audit.rel)}, for AUC and measures that need it"

    def _coverage_notes(self) -> Iterator[tuple[str, str]]:
        audit, whole = self.audit, int(self.audit.pairs.coverage["people"][0])
        graded = "the judge graded too" if len(audit.judges) == 1 else "every judge graded too"
        if audit.pairs.shared < whole:
            yield "pairs", f"everything here is of the {audit.pairs.shared:,} of {whole:,} judged pairs that {graded}"
        if audit.runs and not audit.covered:
            yield "no board", "values of runs would not be people's: that is less than half of what people judged"

    def _judge_notes(self) -> Iterator[tuple[str, str]]:
        audit = self.audit
        if (alone := audit.independence) is not None:
            yield (
                "panel",
                f"the judges' errors correlate by {alone.correlation:.2f} on average: {len(audit.judges)} judges are "
                f"worth {alone.number:.1f} [{alone.low:.1f}, {alone.high:.1f}] whose errors have nothing in common",
            )
        if len(audit.panels):
            yield "panels", " ".join(PANELS.split())
        for judge, found in audit.comparable.items():
            if found.words:
                yield judge, found.words
        if audit.enough:
            yield tables.MARK, "differs from the rest by more than luck: Holm's correction over the parts of a division"
            spreads = ", ".join(f"{name} {x:.2f}" for name, x in audit.query_spread.items() if not np.isnan(x))
            if spreads:
                what = "the standard deviation of a judge's mean error from query to query, beyond luck"
                yield "queries", f"{what}: {spreads}"

    def _board_notes(self) -> Iterator[tuple[str, str]]:
        audit = self.audit
        highest = float(audit.pairs.scale[-1])
        told = worths(dialects.get(audit.dialect, rel=audit.rel), audit.measures, highest)
        # The threshold is said of the whole audit, and AUC has it whatever the measures are.
        yield from (note for note in told if note[0] not in ("relevant", NO_EFFECT))
        yield "verdicts", "paired t test over queries, Holm's correction over all pairs of runs, at 0.05"
        if audit.sampled:
            drawn = f"{audit.draws} boards drawn as people's labels leave them possible; seed {audit.seed}"
            yield "model", f"{drawn}. On TREC DL 2021 good judges kept more of the order than was foretold: {SAFE}"
        if audit.suspects:
            others = audit.circularity.filter(~pl.col("suspected"))
            wrong, number = int((others["p"] < 0.05).sum()), len(others)
            yield "no effect", f"of the other runs, each suspected in turn, {wrong} of {number} have p < 0.05"
        yield "labels", self._labels()

    def _labels(self) -> str:
        width = f"± {self.audit.half_width:g} on each run's {self.audit.measures[0]}"
        if self.needed is None:
            return f"not even all labels are expected to give {width}"
        by = "of people, chosen by a plan with these judges as beliefs,"
        plan = self.audit.plan
        about = "at least" if plan is not None and plan.board.is_shallow(plan.board.targets[0]) else "about"
        if not self.audit.sampled:
            return f"{about} {self.needed:,} labels {by} would have been enough for {width} for these queries"
        return f"{about} {self.needed:,} further labels {by} are expected to give {width} for these queries"


def say_since(drift: Drift) -> str:
    """Say whether a judge is still as good as it was."""
    verdict = {
        0: "it is as good as before",
        1: "it is worse than before",
        3: "whether it is as good as before is open",
    }[drift.code]
    moved = f"Of {drift.pairs:,} documents {share(drift.same, 1.0)} have their earlier grade"
    ends = "" if np.isnan(drift.low) else f" [{drift.low:+.3f}, {drift.high:+.3f}]"
    told = f"kappa (quadratic) with people changed by {drift.change:+.3f}{ends}, on {count(drift.labels, 'label')}"
    return f"{moved}; {told}: {verdict} (worse is lower by {MARGIN:g}).".replace("-", "−")
