"""The tables of a comparison: means, pairs, who is above whom, queries that differ most, how measures agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rankgauge.comparison.tables import PairVerdict
from rankgauge.dialects import Dialect
from rankgauge.evaluation.query_documents import label_with_id
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.measures import Measure
from rankgauge.plain_table import PlainTable
from rankgauge.policies import ABOVE_ZERO
from rankgauge.render.numbers import count, number, p_value, percent, thousands, with_sign
from rankgauge.render.passages import Cell, Latex, LatexSpan
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison

MOST = 45
"""How many pairs of a measure a table for people lists: all pairs of ten runs."""

NAMED = 6
"""How many beaten runs a table names before it counts them."""

UNTOLD_WORDS = (
    "too little of a run is judged, too many of its searches failed, or one is judged so much less than the other that "
    "they would not be told apart if its unjudged documents were as good as judged ones of about the same rank, or had "
    "the highest grade where the shares are far apart"
)

UP, DOWN, OPEN, UNTOLD = "+", "−", "·", "?"
"""Marks of a matrix: the run of the row is above that of the column by more than luck, below it, or neither."""

MARKS: Mapping[str, str] = {
    PairVerdict.BETTER.value: UP,
    PairVerdict.HIGHER.value: UP,
    PairVerdict.WORSE.value: DOWN,
    PairVerdict.LOWER.value: DOWN,
    PairVerdict.OPEN.value: OPEN,
    PairVerdict.EQUAL.value: "=",
    PairVerdict.UNTOLD.value: UNTOLD,
}
OPPOSITE = {UP: DOWN, DOWN: UP}


def label(comparison: Comparison, run: str) -> str:
    """Return a short name: a letter, or a number where there are more runs than letters."""
    place = comparison.runs.index(run)
    return chr(ord("a") + place) if len(comparison.runs) <= 26 else str(place + 1)


def grid(comparison: Comparison, measure: Measure) -> dict[tuple[str, str], str]:
    """Return the mark of each ordered pair of runs that was tested."""
    cells = {}
    rows = comparison.pair_table.where("measure", str(measure)).rows("run", "other", "verdict")
    for run, other, verdict in rows:
        mark = MARKS[verdict]
        cells[run, other], cells[other, run] = mark, OPPOSITE.get(mark, mark)
    return cells


def beaten(comparison: Comparison, measure: Measure) -> dict[str, list[str]]:
    """Return for each run the labels of the runs that it is above by more than luck."""
    cells = grid(comparison, measure)
    return {
        run: [label(comparison, other) for other in comparison.runs if cells.get((run, other)) == UP]
        for run in comparison.runs
    }


def means(comparison: Comparison) -> ReportTable:
    """List the runs by measure, the highest mean first."""
    rows: list[dict[str, Any]] = []
    for measure in comparison.measures:
        above = beaten(comparison, measure)
        table = comparison.mean_table.where("measure", str(measure)).ordered("mean", falling=True)
        rows += [{**row, "": label(comparison, row["run"]), "above": above[row["run"]]} for row in table.named()]
    columns = (
        Column("measure", once=True),
        *(Column(""), Column("run")),
        Column("mean", format=number),
        INTERVAL,
        QUERIES,
        Column("above", format=_beaten_runs, left=True),
    )
    return ReportTable(title="Means", columns=columns, rows=rows)


def _beaten_runs(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= NAMED else f"{len(labels)} runs"


def pairs(comparison: Comparison, *, most: int | None = MOST) -> ReportTable:
    """List the pairs by measure; of many pairs those with the least p-values."""
    rows: list[dict[str, Any]] = []
    for measure in comparison.measures:
        table = comparison.pair_table.where("measure", str(measure))
        if most is not None and len(table) > most:
            table = table.ordered("corrected", "p").take(range(most))
        rows += table.named()
    better = all(measure.facts.more_is_better for measure in comparison.measures)
    columns = (
        Column("measure", once=True),
        *(Column("run"), Column("other")),
        Column("difference", format=with_sign),
        INTERVAL,
        Column("p", format=p_value),
        Column("corrected", format=p_value),
        Column("verdict"),
        Column("effect", format=lambda effect: with_sign(effect, 2)),
        Column("won/tied/lost" if better else "higher/tied/lower", ("wins", "ties", "losses"), "{}/{}/{}".format),
        Column("needed", format=thousands),
    )
    return ReportTable(title="Pairs", columns=columns, rows=rows)


def matrix(comparison: Comparison, measure: Measure) -> ReportTable:
    """Who is above whom: a row and a column per run, the highest mean first."""
    cells, order = grid(comparison, measure), comparison.ordered(measure)
    labels = [label(comparison, run) for run in order]
    rows = tuple(
        (label(comparison, run), run, *("" if run == other else cells[run, other] for other in order)) for run in order
    )
    return ReportTable(columns=("", "run", *labels), rows=rows, title=f"Who is above whom by {measure}")


def movers(comparison: Comparison, texts: Mapping[str, str] = MappingProxyType({})) -> ReportTable:
    """Return the queries on which two runs are furthest apart; `texts` is what people typed, by query."""
    return _queries("Queries that differ most", comparison.mover_table, texts)


def every_query(comparison: Comparison) -> ReportTable:
    """Return both values of each query and pair, and their difference."""
    return _queries("Every query", comparison.query_table, {})


def _queries(title: str, table: PlainTable, texts: Mapping[str, str]) -> ReportTable:
    def name_query(query: str) -> Cell:
        return label_with_id(texts[query], query) if texts.get(query) else query

    columns = (
        Column("measure", once=True),
        Column("query", format=name_query, left=True),
        *(Column("run"), Column("other")),
        Column("value", format=number),
        Column("other's value", "other_value", number),
        Column("difference", format=with_sign),
    )
    return ReportTable(title=title, columns=columns, rows=[*table.named()])


def sensitivity(comparison: Comparison) -> ReportTable:
    """Show how many pairs of runs each measure separates."""
    columns = (
        Column("measure"),
        Column("pairs", format=str),
        Column("uncorrected", "separated_alone", str),
        Column("separated", format=str),
        Column("share", format=percent),
    )
    rows = [*comparison.sensitivity_table.named()]
    return ReportTable(title="How well measures tell runs apart", columns=columns, rows=rows)


def agreement(comparison: Comparison) -> ReportTable:
    """Show how alike each pair of measures orders the runs."""
    columns = ("measure", "other", Column("tau-b", "tau_b", number), Column("tau-AP", "tau_ap", number))
    rows = [*comparison.agreement_table.named()]
    return ReportTable(title="How alike measures order the runs", columns=columns, rows=rows)


def tell_standing(measure: Measure, base: str, marks: Mapping[str, str]) -> str:
    """Return how the runs stand against the baseline, by the mark of each in the matrix."""
    up, down = directions(measure)
    ways = {up: UP, down: DOWN}
    if len(marks) == 1:
        ((run, mark),) = marks.items()
        way = next((way for way, sign in ways.items() if sign == mark), None)
        if mark == UNTOLD:
            return f"{run} cannot be told from {base}: too little is judged ({measure})"
        if way is None:
            return f"{run} and {base} do not differ by more than luck ({measure})"
        return f"{run} is {way} {base} by more than luck ({measure})"
    counts = {way: sum(mark == sign for mark in marks.values()) for way, sign in ways.items()}
    told = [f"{count} {'are' if count > 1 else 'is'} {way}" for way, count in counts.items() if count]
    untold = sum(mark == UNTOLD for mark in marks.values())
    listed = " and ".join(told) or f"none is {up} or {down}"
    more = f"; {untold} cannot be told from it, as too little is judged" if untold else ""
    return f"Of {len(marks)} runs, {listed} {base} by more than luck{more} ({measure})"


def directions(measure: Measure) -> tuple[str, str]:
    """Return what is said of a run with the higher mean, and of one with the lower mean."""
    return ("above", "below") if measure.facts.more_is_better else ("higher than", "lower than")


DIGITS = 4
"""How many decimals a mean has."""

ROW = 3
"""From how many neighbours on a range is shorter than their names."""


def latex_means(comparison: Comparison, digits: int = DIGITS) -> ReportTable:
    """The means; superscripts name the runs that a run is significantly better than, however many runs there are."""
    columns = [list(_column(comparison, measure, digits)) for measure in comparison.measures]
    names = [(label(comparison, run), run) for run in comparison.runs]
    return ReportTable(
        columns=("", "run", *map(_heading, comparison.measures)),
        rows=[(*name, *cells) for name, *cells in zip(names, *columns, strict=True)],
        title="Means",
        caption=_caption(comparison),
        label="tab:" + "-".join(_key(measure) for measure in comparison.measures),
    )


def ranges(labels: Sequence[str]) -> str:
    """Return labels in their order, three and more neighbours as a range: abc is a–c, and 1, 2, 3 and 7 are 1–3,7."""
    places = {one: int(one) if one.isdigit() else ord(one) for one in labels}
    groups: list[list[str]] = []
    for one, place in places.items():
        if groups and place == places[groups[-1][-1]] + 1:
            groups[-1].append(one)
        else:
            groups.append([one])
    between = "," if any(one.isdigit() for one in labels) else ""
    return between.join(f"{group[0]}–{group[-1]}" if len(group) >= ROW else between.join(group) for group in groups)


def _column(comparison: Comparison, measure: Measure, digits: int) -> Iterator[Latex]:
    """The cells of a measure: the mean, and its marks in a column of their own; if more is better, all means are bold
    that print as the best does, unless they rest on different queries."""
    ranked = measure.facts.more_is_better and measure not in _uneven(comparison)
    above, top = beaten(comparison, measure), comparison.ordered(measure)[0]
    means = dict(comparison.mean_table.where("measure", str(measure)).rows("run", "mean"))
    shown = {run: "--" if means[run] != means[run] else f"{means[run]:.{digits}f}" for run in comparison.runs}
    for run, mean in shown.items():
        bold = ranked and mean == shown[top] != "--"
        marks = ranges(above[run]).replace("–", r"\textrm{--}")
        yield Latex((rf"\textbf{{{mean}}}" if bold else mean) + (f" & $^{{{marks}}}$" if marks else " &"))


def _caption(comparison: Comparison) -> str:
    settings, measures = comparison.settings, ", ".join(map(str, comparison.measures))
    correction = settings.family_correction
    test = correction.title if correction.tests_alone else f"{settings.paired_test.title}, {correction.title}"
    best = "none is bold where runs have different queries" if _uneven(comparison) else "the best means are bold"
    untold = comparison.pair_table["verdict"].count(PairVerdict.UNTOLD.value)
    open_ = (
        f"; {count(untold, 'pair')} that missing judgments alone may separate {'has' if untold == 1 else 'have'} none"
    )
    marks = f"A superscript {_marks(comparison)} ({test} at {settings.alpha:g}){open_ if untold else ''}; {best}."
    means = f"{measures} of {len(comparison.runs)} runs, means over {_query_counts(comparison)}"
    return f"{means}. {describe_rules(comparison.dialect, comparison.measures)} {marks}"


def _uneven(comparison: Comparison) -> tuple[Measure, ...]:
    """Return the measures whose means rest on different queries of the runs."""
    return EvaluationReport(results=comparison.results, unjudged={}).uneven


def _marks(comparison: Comparison) -> str:
    """Say what superscripts mean.

    With a baseline, other runs carry its label alone, and the baseline carries the labels of the runs that it beats.
    """
    base = comparison.baseline
    if base is None or comparison.rivals:
        held = f"; every other run is held against {' and '.join(comparison.bases)} alone" if base else ""
        return f"names the runs that a run is significantly above{held}"
    marks = f"{label(comparison, base)} marks runs that are significantly above {base}"
    beats = any(beaten(comparison, measure)[base] for measure in comparison.measures)
    return f"{marks}, those of {base} name the runs that it is significantly above" if beats else marks


def _query_counts(comparison: Comparison) -> str:
    """Over how many queries the means are; where runs or measures differ, which have fewer."""
    columns = ("measure", "run", "queries")
    counts = {(measure, run): n for measure, run, n in comparison.mean_table.rows(*columns)}
    least, most = min(counts.values()), max(counts.values())
    if least == most:
        return f"{most} queries"
    by_run = {run: {counts[str(measure), run] for measure in comparison.measures} for run in comparison.runs}
    if all(len(distinct) == 1 for distinct in by_run.values()):
        fewer = [f"{run} {n}" for run, (n,) in by_run.items() if n < most]
    else:
        fewer = [f"{measure} of {run} {n}" for (measure, run), n in counts.items() if n < most]
    return f"{least} to {most} queries ({', '.join(fewer)}, otherwise {most})"


def describe_rules(dialect: Dialect, measures: Sequence[Measure]) -> str:
    """Return the dialect, and from which grade on documents are relevant where that is not 1."""
    rels: dict[float, list[str]] = {}
    for measure in measures:
        if (rel := dialect.threshold(measure)) not in (None, 1.0, ABOVE_ZERO):
            rels.setdefault(rel, []).append(str(measure))
    told = (f"; a grade of {rel:g} or more counts as relevant ({', '.join(names)})" for rel, names in rels.items())
    return f"Dialect: {dialect.label(besides='rel')}{''.join(told)}."


def _heading(measure: Measure) -> LatexSpan:
    from rankgauge.render.formats.tex import escape

    return LatexSpan(rf"\multicolumn{{2}}{{c}}{{{escape(str(measure))}}}")


def _key(measure: Measure) -> str:
    return re.sub(r"\W+", "", str(measure)).lower()
