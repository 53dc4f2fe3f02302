"""The report of `rankgauge audit judge`: what a machine judge is worth beside people, and what to do with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.audit.judge import JudgeAudit, tables
from rankgauge.audit.judge.agreement import FEWEST
from rankgauge.evaluation.notes import NO_EFFECT, lowest_relevant, worths
from rankgauge.measures import Measure
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, percent, share
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
fitted to their labels: a forecast, not a measurement.""".replace("\n", " ")
PANELS = """A panel's score is the mean of its judges' grades. Which is best was chosen on the same labels: expect
somewhat less elsewhere.""".replace("\n", " ")
MOVED = "The judge's grade now less its earlier one of the same document. Queries are shown where they moved otherwise."
CIRCULAR = """A judge overrates the runs that it made. The excess is how far a run is above the line that the other
runs' bias follows; p is its chance for a run that the judge had no part in."""


USABLE = 0.05
"""A judge's values are good enough to quote if they are off by no more than this, at worst."""

ALIKE = 0.7
"""The lowest τ from which on an order is called probably right."""

SURE = 0.95
"""A difference may be claimed on a judge's word if it holds with this chance."""

NAMED = 3
"""How many pairs are named that should not be claimed."""


class _Section(NamedTuple):
    """Tables that belong together; a page has a heading and figures too, and folds tables under these words."""

    tables: Sequence[ReportTable]
    hint: str = ""
    title: str | None = None
    """The heading; the title of the first table if it is None, and no heading if it is empty."""
    figures: Iterable[Figure] = ()
    """What is drawn when a page asks for it."""
    folds: Sequence[str] | None = None


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
        return None if plan is None else plan.labels_needed(self.audit.half_width, seed=self.audit.seed)

    def frame(self) -> pl.DataFrame:
        """Return a row per judge and coefficient of agreement."""
        return self.audit.agreement

    def data(self) -> dict[str, Any]:
        """Return all tables, and the notes."""
        audit = self.audit
        settings = ("sampled", "rel", "dialect", "seed")
        every = ("agreement", "confusion", "errors", "query_spread", "combined", "panels")
        of_runs = ("values", "orders", "differences", "circularity")
        held: dict[str, Any] = {"judges": list(audit.judges), "labels": int(audit.pairs.labelled.sum())}
        held |= {name: getattr(audit, name) for name in settings} | {"coverage": audit.pairs.coverage}
        held |= {name: getattr(audit, name) for name in every}
        if audit.independence is not None:
            held["independent_judges"] = audit.independence._asdict()
        if audit.drift is not None:
            held["drift"] = vars(audit.drift) | {"code": audit.drift.code}
        if audit.runs:
            held |= {
                "runs": list(audit.runs),
                "measures": [str(measure) for measure in audit.measures],
                **{name: getattr(audit, name) for name in of_runs},
                "advice": list(self.advice),
                "needed": {"half_width": audit.half_width, "labels": self.needed},
                "first": self.first_documents,
            }
        return held | {"notes": [{"subject": subject, "words": words} for subject, words in self.notes()]}

    def picture(self) -> Drawing:
        """Return the confusion of each judge, and the values of the runs."""
        charts = {f"Grades of {judge}": tables.draw_confusion(self.audit, judge) for judge in self.audit.judges}
        return sheet(self.headline(), charts | self._scatters())

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tables and the notes; a page also has pictures."""
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
        """Return one or two sentences: how good the best judge is, and what it does to the board."""
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
        order = tables.rows_of(audit.orders, best).row(0, named=True)
        bias = float(np.mean(tables.rows_of(audit.values, best, order["measure"])["bias"].to_numpy()))
        level = f"{abs(bias):.3f} too {'high' if bias > 0 else 'low'}" if abs(bias) >= 0.0005 else "as people do"
        forecast = f"the forecast from {labels:,} labels is that " if audit.sampled else ""
        ordered = "" if np.isnan(order["tau"]) else f" and orders them with τ {tables.two_decimals(order['tau'])}"
        return f"{told}; {forecast}it rates runs {level} on average by {order['measure']}{ordered}"

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What to do with the best judge, and whether it is as good as it was."""
        best = self.audit.combined.filter(pl.col("best"))["judge"][0] if self.audit.has_board else ""
        judge = best if best in self.audit.judges else self.audit.judges[0]
        drift = self.audit.drift
        return (*(() if drift is None else (drift.words,)), *advise(self.audit, judge, self.needed))

    def _text(self, *, brief: bool) -> Iterator[Passage]:
        yield Paragraph(self.headline() + ".") if brief else Heading(self.headline(), level=1)
        if self.advice:
            yield Paragraph(" ".join(self.advice))
        if self.audit.sampled and self.audit.has_board:
            yield Paragraph(PREDICTED)
        for section in self._sections(brief=brief):
            for table in section.tables:
                yield Heading(table.title)
                yield table if table.rows else Paragraph("None.")
        yield Notes(self.notes())

    def _page(self) -> Iterator[Passage]:
        if self.advice:
            yield Heading("What to do")
            yield from map(Paragraph, self.advice)
        for section in self._sections(brief=False):
            title = section.tables[0].title if section.title is None else section.title
            if title:
                yield Heading(title, hint=section.hint)
            yield from section.figures
            if section.folds is None:
                yield from section.tables
            else:
                yield from (Details(name, [fold]) for name, fold in zip(section.folds, section.tables, strict=False))
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def _sections(self, *, brief: bool) -> Iterator[_Section]:
        audit = self.audit
        yield _Section([tables.coverage(audit)])
        yield _Section([tables.agreement(audit)], AGREEMENT)
        if audit.enough:
            yield from self._grades(brief=brief)
            if audit.has_board:
                yield from self._board(brief=brief)

    def _grades(self, *, brief: bool) -> Iterator[_Section]:
        """Agreement and errors of each judge."""
        audit = self.audit
        if len(audit.judges) > 1:
            drawn = [Figure("AUC with 95 % intervals", tables.draw_separations(audit))]
            yield _Section([tables.combinations(audit)], COMBINED, figures=drawn)
        if len(audit.panels):
            yield _Section([tables.panels(audit)], PANELS)
        if audit.drift is not None:
            yield _Section([tables.drift(audit.drift.parts)], MOVED)
        confused = [tables.confusion(audit, judge) for judge in audit.judges]
        maps = (Figure(judge, tables.draw_confusion(audit, judge)) for judge in audit.judges)
        yield _Section(confused, CONFUSION, "Confusion of grades", maps, folds=())
        facets = audit.errors["facet"].unique(maintain_order=True).to_list()
        short = [facet for facet in facets if facet not in tables.LONG]
        parts = [tables.errors(audit, judge, brief=brief) for judge in audit.judges]
        words = ", ".join(short)
        bars = (Figure(f"{judge}: {words}", tables.draw_errors(audit, judge, short)) for judge in audit.judges)
        yield _Section(parts, ERRORS, "Where the judges err", bars, [f"{judge}: every part" for judge in audit.judges])

    def _board(self, *, brief: bool) -> Iterator[_Section]:
        """Yield what the errors do to the runs, and what to do about it."""
        audit = self.audit
        each = [(judge, str(measure)) for judge in audit.judges for measure in audit.measures]
        drawn = (Figure(title, chart) for title, chart in self._scatters().items())
        ordered = [tables.orders(audit)] if len(audit.runs) > 1 else []
        yield _Section(ordered, VALUES, "What that does to the board", drawn)
        valued = [tables.values(audit, *one, brief=brief) for one in each]
        yield _Section(valued, title="", folds=[table.title for table in valued])
        if len(audit.runs) > 1:
            flips = [tables.flips(audit, *one, brief=brief) for one in each]
            named = zip(each, flips, strict=True)
            folds = [f"{', '.join(one)}: {count(len(table.rows), 'pair')} of runs" for one, table in named]
            yield _Section(flips, FLIPS, "Differences that the judges get wrong", folds=folds)
        if audit.suspects:
            yield _Section([tables.circularity(audit)], CIRCULAR)
        if audit.sampled:
            shown = self.first_documents.head(tables.SHOWN) if brief else self.first_documents
            yield _Section([tables.first_documents(shown, audit.judges)], FIRST)

    def _scatters(self) -> dict[str, Drawing]:
        audit = self.audit
        if not audit.has_board:
            return {}
        measure = str(audit.measures[0])
        return {f"{measure} by {judge}": tables.draw_values(audit, judge, measure) for judge in audit.judges}

    def notes(self) -> list[tuple[str, str]]:
        """Return what a reader should know before quoting a number."""
        return [*self._label_notes(), *self._judge_notes(), *(self._board_notes() if self.audit.has_board else ())]

    def _label_notes(self) -> Iterator[tuple[str, str]]:
        audit, labels = self.audit, int(self.audit.pairs.labelled.sum())
        if not audit.enough:
            yield "not yet", f"{count(labels, 'label')} of people; from {FEWEST} on there is something to say"
        if audit.sampled:
            part = share(labels, len(audit.pairs.people))
            how = "weighed by 1 / probability, as the file says how they were chosen"
            if audit.pairs.probability is None:
                how = "taken as a plain sample: chosen without regard to their grades"
            yield "sample", f"people judged {labels:,} of {len(audit.pairs.people):,} pairs ({part}), {how}"
        for judge, number in audit.pairs.left_out.items():
            yield "examples", f"{count(number, 'label')} that {judge} was shown as examples are left out"
        whole = int(audit.pairs.coverage["people"][0])
        if audit.pairs.shared < whole:
            graded = "the judge graded too" if len(audit.judges) == 1 else "every judge graded too"
            yield "pairs", f"everything here is of the {audit.pairs.shared:,} of {whole:,} judged pairs that {graded}"
        if audit.runs and not audit.covered:
            yield "no board", "values of runs would not be people's: that is less than half of what people judged"
        yield "interval", f"95 %, over queries like these: bootstrap of whole queries, or t; seed {audit.seed}"
        yield "relevant", f"{lowest_relevant(audit.rel)}, for AUC and measures that need it"

    def _judge_notes(self) -> Iterator[tuple[str, str]]:
        audit = self.audit
        if (alone := audit.independence) is not None:
            yield (
                "panel",
                f"the judges' errors correlate by {alone.correlation:.2f} on average: {len(audit.judges)} judges are "
                f"worth {alone.number:.1f} [{alone.low:.1f}, {alone.high:.1f}] whose errors have nothing in common",
            )
        if len(audit.panels):
            yield "panels", PANELS
        yield from ((judge, compared.words) for judge, compared in audit.comparable.items() if compared.words)
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
            safe = "take τ and the kept differences as what is safe to say"
            yield "model", f"{drawn}. On TREC DL 2021 good judges kept more of the order than was foretold: {safe}"
        if audit.suspects:
            others = audit.circularity.filter(~pl.col("suspected"))
            wrong, number = int((others["p"] < 0.05).sum()), len(others)
            yield "no effect", f"of the other runs, each suspected in turn, {wrong} of {number} have p < 0.05"
        yield "labels", self._labels()

    def _labels(self) -> str:
        plan, needed = self.audit.plan, self.needed
        width = f"± {self.audit.half_width:g} on each run's {self.audit.measures[0]}"
        if plan is None or needed is None:
            return f"not even all labels are expected to give {width}"
        about = "at least" if plan.is_bound else "about"
        further, give = (
            ("further ", "are expected to give") if self.audit.sampled else ("", "would have been enough for")
        )
        by = "labels of people, chosen by a plan with these judges as beliefs,"
        return f"{about} {needed:,} {further}{by} {give} {width} for these queries"


def advise(audit: JudgeAudit, judge: str, needed: int | None) -> Iterator[str]:
    """Yield sentences on what a judge may and may not be used for; none where there are no runs, or too few labels.

    `needed` is how many labels bring the intervals of the runs to the width that was asked for.
    """
    if not audit.has_board:
        return
    measure, of_judge = audit.measures[0], partial(tables.rows_of, judge=judge, measure=str(audit.measures[0]))
    yield _on_values(of_judge(audit.values), measure)
    labels = count(int(audit.pairs.labelled.sum()), "label")
    if len(audit.runs) > 2:
        yield _on_order(of_judge(audit.orders).row(0, named=True), labels, sampled=audit.sampled)
    if len(audit.runs) > 1:
        yield from _on_claims(of_judge(audit.differences).filter(pl.col("significant")), sampled=audit.sampled)
    if (depth := audit.shallow_labels) is not None:
        yield (
            f"People's labels are all of documents at rank {depth} or above in some run, and the judge graded deeper: "
            "nothing here says how it grades what is further down."
        )
    if audit.sampled and needed:
        yield (
            f"{count(needed, 'further label')} of people, with this judge as a first guess, should bring each run's "
            f"{measure} to ± {audit.half_width:g}: "
            f"rankgauge active plan RUN… --judge {judge}=FILE --judgments LABELS -m {measure} --budget {needed}"
        )


def _on_values(rows: pl.DataFrame, measure: Measure) -> str:
    """Say whether the judge's values may be published."""
    low, high = float(rows["low"].min() or 0.0), float(rows["high"].max() or 0.0)  # type: ignore[arg-type]
    publish = f"Do not publish its values of {measure}"
    if np.isnan([low, high]).any():
        return f"{publish}: too few queries to say how far off they are."
    if (worst := abs(max(-low, high))) <= USABLE:
        return f"Its values of {measure} may be quoted: they are off by {worst:.2f} at most, on any run."
    if (rows["low"] > 0).all():
        return f"{publish}: they are {low:.2f} to {high:.2f} too high."
    if (rows["high"] < 0).all():
        return f"{publish}: they are {-high:.2f} to {-low:.2f} too low."
    return f"{publish}: on some run they may be {max(-low, 0):.2f} too low or {max(high, 0):.2f} too high."


def _on_order(row: dict[str, Any], labels: str, *, sampled: bool) -> str:
    """Say how far the judge's order of the runs can be trusted."""
    low, high = float(row["tau_low"]), float(row["tau_high"])
    if np.isnan([low, high]).any():
        return f"How well it orders your runs is not known yet with {labels}."
    rests_on = f"is possible with {labels}" if sampled else "on queries like these"
    span = f"τ {low:.2f} to {high:.2f} {rests_on}".replace("-", "−")
    return f"Its order of your runs is {'probably right' if low >= ALIKE else 'not to be relied on'} ({span})."


def _on_claims(claimed: pl.DataFrame, *, sampled: bool) -> Iterator[str]:
    """Say which of the differences that the judge calls significant may be claimed on its word."""
    kept, number = float(claimed["kept"].sum()), len(claimed)
    if not number:
        yield "It calls no difference between your runs significant."
    elif number == 1:
        holds = f"holds with a chance of {kept:.2f}" if sampled else "holds" if kept > 0.5 else "does not hold"
        yield f"The only difference that it calls significant {holds}."
    else:
        holding = f"about {kept:,.0f} should hold" if sampled else f"{kept:,.0f} hold"
        yield f"Of {number:,} differences that it calls significant, {holding}."
    doubtful = claimed.filter(pl.col("kept") < SURE).sort("kept")
    if doubtful.is_empty():
        return
    pairs = []
    for run, other, judge, chance in doubtful.head(NAMED).select("run", "other", "judge", "kept").iter_rows():
        better, worse = (run, other) if judge > 0 else (other, run)
        pairs.append(f"{better} beats {worse}" + (f" ({percent(chance)} likely)" if sampled else ""))
    listed = " or ".join(filter(None, (", ".join(pairs[:-1]), pairs[-1])))
    below = f" that are less than {percent(SURE)} likely" if sampled else ""
    more = (
        f"; the same goes for {len(doubtful) - NAMED} more{below} (-o json lists them)" if len(doubtful) > NAMED else ""
    )
    yield f"Do not claim on its word that {listed}{more}."
