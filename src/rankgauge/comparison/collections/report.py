"""The report of a comparison over collections: who leads, by more than luck or not, here and beyond.

Its charts are a heat map, ranks with their intervals, and differences by collection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison import gate_report
from rankgauge.comparison.collections import board as boards
from rankgauge.comparison.collections.board import (
    BEYOND,
    HERE,
    HOLES,
    LEAST,
    WEIGHTS,
    CollectionsComparison,
    MeasuredRuns,
)
from rankgauge.comparison.gate_report import GateCase
from rankgauge.comparison.report_tables import UNTOLD_WORDS, describe_rules, ranges
from rankgauge.comparison.tables import PairVerdict
from rankgauge.evaluation import judged_share
from rankgauge.evaluation.notes import collection_notes, unjudged_words
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.lazy_polars import pl
from rankgauge.records import entity
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, decimal, interval, number, p_value, percent, thousands, with_sign
from rankgauge.render.passages import Figure, Heading, Latex, Notes, Paragraph, Passage
from rankgauge.render.svg import LETTER, WIDTH, Axis, Drawing, list_drawings, margin, sheet, short, ticks
from rankgauge.render.table import Column, ReportTable
from rankgauge.statistics.intervals import student_quantile

if TYPE_CHECKING:
    from rankgauge.comparison.gate import CollectionsGate
    from rankgauge.evaluation.result import Result

TABLES: Mapping[str, str] = {
    "means": "the mean of each run over collections, with its ranks",
    "pairs": "the difference of each two runs",
    "collections": "runs by collections",
    "averages": "other ways to average",
    "influence": "what each collection decides",
}
"""The tables by name, in their order."""

FRAMES: Mapping[str, str] = {name: name for name in TABLES} | {"averages": "means", "collections": "scores"}
"""What the comparison calls the tables."""

MOST = 40
"""How many runs or pairs a table for people lists, and how many runs a chart shows, the best first."""

ACROSS = 12
"""Up to how many collections stand beside each other in a terminal."""

NAMED = 5

WHERE = {HERE: "these collections", BEYOND: "collections like these"}

HEAT = """Blue is above the collection's mean over these runs, red below it; darker is further away."""
RANKS = """The dot is a run's rank, the bar spans those that it may have on {where}. They hold for all runs at once: in
95 of 100 samples no run's true rank is outside."""
LINES = """ The line below a bar spans the ranks on collections like these."""
DIFFERENCES = """The difference on each collection with its 95 % interval over queries; below them the mean on these
collections, and where there are enough of them on collections like these, and on one more."""


@entity
class CollectionsReport(Report):
    """A comparison over collections, and how much of it to show."""

    command = "compare"

    comparison: CollectionsComparison
    chosen: tuple[str, ...] | None = None
    gate: CollectionsGate | None = None
    digits: int = 4

    def frame(self) -> pl.DataFrame:
        """Return the table that was chosen, else the means."""
        frame: pl.DataFrame = getattr(self.comparison, FRAMES[(self.chosen or ("means",))[0]])
        return frame

    def data(self) -> dict[str, Any]:
        """Return the choices, all tables and the notes."""
        comparison = self.comparison
        return {
            "runs": list(comparison.all_runs),
            "collections": [
                {"collection": one.name, "queries": len(one.queries), "group": one.group, "judged": one.judged}
                for one in comparison.given
            ],
            "compared": [one.name for one in comparison.collections],
            "measures": list(comparison.measures),
            "baselines": list(comparison.bases),
            "weights": comparison.weights,
            "holes": comparison.holes,
            "missing": {run: list(names) for run, names in comparison.missing.items()},
            "answers": {HERE: comparison.answers_here, BEYOND: comparison.answers_beyond},
            "level": boards.LEVEL,
            "alpha": comparison.settings.alpha,
            "seed": comparison.settings.seed,
            "draws": comparison.draws,
            "means": comparison.mean_table,
            "pairs": comparison.pair_table,
            "scores": comparison.score_table,
            "influence": comparison.influence_table,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
            **({} if self.gate is None else {"gate": gate_report.data(self.gate)}),
        }

    def cases(self) -> list[GateCase]:
        """Return what the gate looks at, as tests."""
        return [] if self.gate is None else gate_report.cases(self.gate)

    def warnings(self) -> list[tuple[str, str]]:
        """Return what has to be said beside bare values: holes, and questions without an answer."""
        judged = [("judged", words) for words in judged_share.warnings(self._results())]
        notes = [note for note in self.notes() if note[0] in ("holes", "not yet")]
        return [*judged, *notes, *(note for note in self._evaluation_notes() if note[0] != "gain")]

    def _results(self) -> dict[str, Result]:
        """Return what was evaluated, by run and collection; nothing where scores are all that is known."""
        given = self.comparison.collections
        return {f"{run} on {one.name}": result for one in given for run, result in (one.results or {}).items()}

    def picture(self) -> Drawing:
        """Return the heat map, the ranks and some differences by the first measure."""
        measured = self.comparison.of_measure(self.comparison.measures[0])
        charts = {"Ranks": rank_chart(measured), **forests(measured)}
        return sheet(self.headline(), {f"{measured.measure} by collection": heat_map(measured), **charts})

    def headline(self) -> str:
        """Return one sentence on the first measure."""
        board = self.comparison
        measured = board.of_measure(board.measures[0])
        lead, told = board.runs[measured.order[0]], dict[str, str]()
        for question in measured.resamples:
            above = measured.above(question)[measured.order[0]]
            first, *rest = measured.order.tolist()
            rivals = [board.runs[run] for run in rest if not above[run]]
            words = f"not told from {_some(rivals)}" if rivals else "above every other run"
            if any(measured.is_untold(first, run) for run in rest if not above[run]):
                words += ", as too little is judged,"
            told[words] = (
                f"{told[words]} and on {WHERE[question]}" if told.get(words) else f"{words} on {WHERE[question]}"
            )
        among = " among the runs that lack no collection" if len(board.runs) < len(board.all_runs) else ""
        said = "; ".join(told.values()) or "by how much luck nobody can tell"
        return f"{lead} leads by {measured.measure}{among}: {said}"

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tables and the notes; a page also has charts."""
        comparison = self.comparison
        queries = sum(len(one.queries) for one in comparison.collections)
        return ReportDocument(
            title=f"{len(comparison.runs)} runs on {len(comparison.collections)} collections",
            headline=self.headline(),
            facts=(
                count(len(comparison.runs), "run"),
                count(len(comparison.collections), "collection"),
                *([count(queries, "query", "queries")] if queries else []),
                WEIGHTS[comparison.weights],
            ),
            passages=tuple(self._passages(medium)),
            sortable=True,
        )

    def _passages(self, medium: Medium) -> Iterator[Passage]:
        if results := self._results():
            dialect, measures = (getattr(next(iter(results.values())), name) for name in ("dialect", "measures"))
            yield from judged_share.passages(results, always=True, unjudged=unjudged_words(dialect, measures))
        if self.gate is not None:
            yield from gate_report.passages(self.gate)
        if medium is not Medium.PAGE:
            yield Paragraph(f"{self.headline()}.")
        shown = self.chosen or (("collections",) if medium is Medium.LATEX else tuple(TABLES))
        for name in shown:
            if name == "means" and medium is Medium.PAGE:
                yield from self._charts()
            if name == "collections" and medium is Medium.TERMINAL and len(self.comparison.collections) > ACROSS:
                continue
            for measure in self.comparison.measures:
                if name == "collections" and medium is Medium.LATEX:
                    table = latex_scores(self.comparison, measure, self.digits)
                else:
                    table = WRITTEN[name](self.comparison, measure)
                yield Heading(table.title)
                yield table
        if medium is not Medium.TERMINAL:
            yield Heading("What the numbers rest on")
        yield Notes(list(self.notes()))

    def _charts(self) -> Iterator[Passage]:
        for measure in self.comparison.measures:
            measured = self.comparison.of_measure(measure)
            yield Heading(f"{measure} by collection", hint=HEAT)
            yield Figure("Runs by falling mean", heat_map(measured))
            if measured.resamples:
                both = LINES if len(measured.resamples) > 1 else ""
                yield Heading(f"Ranks by {measure}", hint=RANKS.format(where=WHERE[measured.question]) + both)
                yield Figure("Ranks that hold for all runs at once", rank_chart(measured))
            yield Heading(f"Differences by {measure}", hint=DIFFERENCES)
            yield from list_drawings(forests(measured))

    def notes(self) -> Iterator[tuple[str, str]]:
        """Yield what to know before quoting a number."""
        board = self.comparison
        effective = 1 / float((board.weight**2).sum())
        idle = board.weights != "given" and any(one.weight is not None for one in board.given)
        hint = "; the weights that collections were given count with --weights given"
        yield "weights", f"{WEIGHTS[board.weights]}{hint if idle else ''}"
        yield from _hole_notes(board)
        if board.answers_here:
            yield "here", "on these collections: 95 %, if their queries were drawn anew (Welch and Satterthwaite's t)"
        else:
            yield "here", f"{board.silent_words}, so that nothing is said of other queries on these collections"
        if board.answers_beyond:
            yield (
                "beyond",
                f"on a collection like these: 95 %, if the {len(board.collections)} collections were drawn anew too, "
                "from those that one cares about (t by Bell and McCaffrey)",
            )
        else:
            uneven = f" count for {effective:.1f}" if effective < len(board.collections) - 0.05 else ""
            yield (
                boards.NOT_YET,
                f"{count(len(board.collections), 'collection')}{uneven} cannot say what would be so on others: that "
                f"takes {LEAST}. Intervals and claims from fewer do not hold as often as they say",
            )
        family = f"each run against {', '.join(board.bases)}" if board.bases else "all pairs"
        yield "corrected", f"over {family} of a measure at once: the largest |t| of {board.draws:,} resamples"
        yield "ranks", "95 % for all runs at once, from all pairs; the same letter: not told apart, by these ranks"
        yield "best", "the share of resamples in which a run has the highest mean"
        if board.answers_here:
            yield "spread", "τ, the standard deviation of the true difference between collections (Paule and Mandel)"
        else:
            yield (
                "spread",
                "the standard deviation of the difference between collections, with the luck of their queries",
            )
        if board.answers_beyond:
            yield "one more", "95 %, where the difference on one more collection would lie"
        yield from _decisive(board)
        if board.knows_judged and any(
            PairVerdict.UNTOLD.value in told
            for told in (board.pair_table["verdict"], board.pair_table["verdict_beyond"])
        ):
            yield PairVerdict.UNTOLD.value, UNTOLD_WORDS
        yield "seed", f"{board.settings.seed}"
        yield from self._evaluation_notes()

    def _evaluation_notes(self) -> Iterator[tuple[str, str]]:
        """Yield what to know of the values: the dialect, thresholds, and queries that needed a decision."""
        kept = self.comparison.collections
        if uneven := [f"{one.uneven} on {one.name}" for one in kept if one.uneven]:
            yield "queries", f"those without a value in one of the runs do not count: {_some(uneven)}"
        reports = {
            one.name: EvaluationReport(
                results=one.results, unjudged={run: found.hits.strangers for run, found in one.results.items()}
            )
            for one in kept
            if one.results
        }
        if reports:
            yield from collection_notes(reports)


def _hole_notes(board: CollectionsComparison) -> Iterator[tuple[str, str]]:
    if not board.missing:
        return
    lacking = [f"{run} lacks {_some(names)}" for run, names in board.missing.items()]
    more = f"; and {len(lacking) - NAMED} other runs lack some" if len(lacking) > NAMED else ""
    left = [one.name for one in board.given if one.name not in {kept.name for kept in board.collections}]
    out = f"; left out: {_some(left)}" if left else ""
    yield "holes", f"{'; '.join(lacking[:NAMED])}{more}. {board.holes}: {HOLES[board.holes]}{out}"


def _decisive(board: CollectionsComparison) -> Iterator[tuple[str, str]]:
    """Say where a single collection decides who leads."""
    for measure in board.measures:
        measured = board.of_measure(measure)
        lead = board.runs[int(measured.order[0])]
        rows = [row for row in measured.influence().named() if row["leader_without"] not in (lead, "")]
        for row in rows[:NAMED]:
            yield "decides", f"without {row['collection']}, {row['leader_without']} leads by {measure}, not {lead}"


def _some(names: Sequence[str]) -> str:
    return (
        ", ".join(names)
        if len(names) <= NAMED
        else f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    )


def _title(board: CollectionsComparison, words: str, measure: str) -> str:
    return f"{words}, {measure}" if len(board.measures) > 1 else words


def _ranks(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def means(board: CollectionsComparison, measure: str) -> ReportTable:
    """List the runs, the highest mean first, then those that lack collections."""
    rows = list(board.mean_table.where("measure", measure).named())
    rows.sort(key=lambda row: (row["missing"] > 0, -row["mean"] if not row["missing"] else -row["high"]))
    for row in rows:
        row["bounds"] = (row["low"], row["high"]) if row["missing"] else ()
        row |= {"low": math.nan, "high": math.nan} if row["missing"] else {}
    ends = [end for end, known in (("", board.answers_here), ("_beyond", board.answers_beyond)) if known]
    columns = (
        *(Column("run"), Column("mean", ("mean", "bounds"), _mean)),
        *_answers(board),
        *(Column("beyond" if end > ends[0] else "rank", (f"rank_low{end}", f"rank_high{end}"), _ranks) for end in ends),
        *((Column("group", "letters"),) if any(row["letters"] for row in rows) else ()),
        *(Column("beyond" if end > ends[0] else "best", f"best{end}", percent) for end in ends),
        *((Column("lacks", "missing", thousands),) if len(board.runs) < len(board.all_runs) else ()),
    )
    title = _title(board, "Means over collections", measure)
    return ReportTable(title=_count_words(title, len(rows)), columns=columns, rows=rows[:MOST])


def _mean(mean: float, bounds: tuple[float, float] | tuple[()]) -> str:
    """Write a mean; of a run that lacks collections between what it must lie."""
    return interval(*bounds) if bounds else number(mean)


def _answers(board: CollectionsComparison, *more: tuple[str, Any]) -> Iterator[Column]:
    """Yield the columns of both questions: none for queries that nobody knows, and that it is too early for others."""
    questions = (("on these", "", board.answers_here), ("on ones like these", "_beyond", board.answers_beyond))
    for title, end, known in questions:
        if known:
            yield Column(title, (f"low{end}", f"high{end}"), interval, left=True)
            yield from (Column(name, f"{name}{end}", write, left=write is str) for name, write in more)
        elif end:
            yield Column(title, "run", lambda run: boards.NOT_YET, left=True)


def _count_words(title: str, rows: int) -> str:
    return f"{title}, the first {MOST} of {rows}" if rows > MOST else title


def pairs(board: CollectionsComparison, measure: str) -> ReportTable:
    """List the pairs; of many those with the least p-values."""
    table = board.pair_table.where("measure", measure)
    rows = list(table.named())
    if len(rows) > MOST:
        rows.sort(key=lambda row: min(x for x in (row["p"], row["p_beyond"], math.inf) if not math.isnan(x)))
    columns = (
        *(Column("run"), Column("other")),
        Column("difference", format=with_sign),
        *_answers(board, ("corrected", _chance), ("verdict", str)),
        Column("won/tied/lost", ("wins", "ties", "losses"), "{}/{}/{}".format),
        Column("spread", "tau", lambda tau: decimal(tau, 3)),
        *((Column("one more", ("low_next", "high_next"), interval, left=True),) if board.answers_beyond else ()),
    )
    return ReportTable(
        title=_count_words(_title(board, "Pairs", measure), len(rows)), columns=columns, rows=rows[:MOST]
    )


def _chance(p: float) -> str:
    return "–" if math.isnan(p) else p_value(p)


def scores(board: CollectionsComparison, measure: str) -> ReportTable:
    """List the runs by collections, the best of each standing out."""
    measured = board.of_measure(measure)
    order, names = measured.order[:MOST], [one.name for one in board.collections]
    rows = [(board.runs[run], *measured.by_collection[:, run].tolist(), float(measured.mean[run])) for run in order]
    columns = (Column("run"), *(Column(name, format=number) for name in (*names, "mean")))
    return ReportTable(
        title=_count_words(_title(board, "Runs by collections", measure), len(board.runs)),
        columns=columns,
        rows=rows,
        strong=_best(rows),
    )


def _best(rows: Sequence[Sequence[Any]]) -> frozenset[tuple[int, int]]:
    """Find the highest value of each column, as it is printed."""
    best = set()
    for column in range(1, len(rows[0])):
        most = max(round(row[column], 4) for row in rows)
        best |= {(place, column) for place, row in enumerate(rows) if round(row[column], 4) == most}
    return frozenset(best)


def latex_scores(board: CollectionsComparison, measure: str, digits: int) -> ReportTable:
    """The table of a paper: runs × collections, the best bold, the mean with its interval and whom it is above."""
    from rankgauge.render.formats.tex import escape

    measured, question = board.of_measure(measure), board.of_measure(measure).question
    above, (low, high) = measured.above(question), measured.ends(question)
    order = measured.order.tolist()
    labels = [chr(ord("a") + place) if len(order) <= 26 else str(place + 1) for place in range(len(order))]
    values = np.vstack([measured.by_collection, measured.mean]).round(digits)
    rows = []
    for place, run in enumerate(order):
        cells = [_bold(value[run], value.max(), digits) for value in values]
        beaten = ranges([labels[n] for n, other in enumerate(order) if above[run, other]])
        raised = rf"\textsuperscript{{{escape(beaten)}}}" if beaten else ""
        ends = "" if math.isnan(low[run]) else rf"{{\scriptsize [{low[run]:.{digits}f}, {high[run]:.{digits}f}]}}"
        rows.append((labels[place], board.runs[run], *cells[:-1], Latex(f"{cells[-1]}{raised}"), Latex(ends)))
    cells_of = (Column(one.name, format=lambda cell: cell) for one in board.collections)
    columns = (Column(""), Column("run"), *cells_of, Column("mean"), Column("95 % interval"))
    results = next((one.results for one in board.collections if one.results), {})
    spoken = next(iter(results.values()), None)
    named = [one for one in spoken.measures if str(one) == measure] if spoken else []
    rules = f" {describe_rules(spoken.dialect, named)}" if spoken else ""
    caption = (
        f"{measure} of {len(board.runs)} runs on {len(board.collections)} collections; the best of each column is "
        f"bold. The mean ({WEIGHTS[board.weights]}) has its interval on {WHERE[question]}; superscripts name the "
        f"runs that a run is above by more than luck, all pairs at once (the largest t of {board.draws:,} resamples, "
        f"{board.settings.alpha:g}).{rules}"
    )
    label = "tab:collections-" + "".join(one for one in measure.lower() if one.isalnum())
    title = _title(board, "Runs by collections", measure)
    return ReportTable(title=title, columns=columns, rows=rows, caption=caption, label=label)


def _bold(value: float, most: float, digits: int) -> Latex:
    text = f"{value:.{digits}f}"
    return Latex(rf"\textbf{{{text}}}" if value == most else text)


def averages(board: CollectionsComparison, measure: str) -> ReportTable:
    """List the runs by other ways to average, each with the rank that it gives."""
    rows = [row for row in board.mean_table.where("measure", measure).named() if not row["missing"]]
    for name in ("mean", "z", "median", "trimmed", "mean_rank", "borda"):
        falling = sorted((row[name] for row in rows), reverse=name != "mean_rank")
        for row in rows:
            row[f"{name}_place"] = 1 + falling.index(row[name])
    rows.sort(key=lambda row: row["mean_place"])

    def both(write: Any) -> Any:
        return lambda value, place: f"{write(value)} ({place})"

    kinds = {"mean": number, "z": lambda z: with_sign(z, 2), "median": number, "trimmed": number}
    columns = [Column(name, (name, f"{name}_place"), both(write)) for name, write in kinds.items()]
    columns.append(Column("mean rank", ("mean_rank", "mean_rank_place"), both(lambda rank: decimal(rank, 2))))
    columns.append(Column("Borda", ("borda", "borda_place"), both(lambda points: f"{points:g}")))
    title = _count_words(_title(board, "Other ways to average, and the rank by each", measure), len(rows))
    return ReportTable(title=title, columns=(Column("run"), *columns), rows=rows[:MOST])


def influence(board: CollectionsComparison, measure: str) -> ReportTable:
    """List the collections: what would change without each."""
    columns = (
        Column("collection"),
        Column("queries", format=lambda n: thousands(n) if n else "–"),
        Column("weight", format=lambda part: f"{100 * part:.1f} %"),
        *(Column("mean", format=number), Column("spread of runs", "spread", number)),
        Column("tau without", "tau_without", lambda tau: decimal(tau, 3)),
        Column("leads without", "leader_without"),
        Column("moves most", "moved"),
        Column("by", "moved_mean", with_sign),
        Column("ranks", "moved_ranks", lambda ranks: with_sign(ranks, 1)),
    )
    rows = list(board.influence_table.where("measure", measure).named())
    return ReportTable(title=_title(board, "What each collection decides", measure), columns=columns, rows=rows)


WRITTEN: Mapping[str, Callable[[CollectionsComparison, str], ReportTable]] = {
    "means": means,
    "pairs": pairs,
    "collections": scores,
    "averages": averages,
    "influence": influence,
}
"""What makes a table of a measure."""

FORESTS = 4
"""How many pairs have a forest plot."""

ROW, CELL = 22, 46


def heat_map(measured: MeasuredRuns) -> Drawing:
    """Return a cell for each run and collection: the darker, the further from the collection's mean over these runs."""
    board, order = measured.board, measured.order[:MOST]
    scores, names = measured.by_collection, [one.name for one in board.collections]
    left = margin(board.runs[run] for run in order)
    top = 14 + 0.72 * LETTER * max(len(short(name)) for name in names)
    title = f"{measured.measure} by collection"
    lean = 0.72 * LETTER * len(short(names[-1]))
    cell = CELL if len(names) <= 24 else 26
    drawn = Drawing(max(WIDTH, left + cell * len(names) + lean), top + ROW * len(order) + 6, title)
    gap = scores - scores[:, order].mean(axis=1, keepdims=True)
    largest = np.abs(gap[:, order]).max(axis=1, keepdims=True)
    shade = gap / np.where(largest > 0, largest, 1.0)
    for column, name in enumerate(names):
        x = left + (column + 0.5) * cell
        turn = f"rotate(-45 {x:.1f} {top - 6:.1f})"
        drawn.text((x, top - 6), short(name), transform=turn, kind="tick", title=name)
    for row, run in enumerate(order):
        y = top + row * ROW
        drawn.text((left - 8, y + 15), short(board.runs[run]), anchor="end", title=board.runs[run])
        for column, name in enumerate(names):
            x, depth = left + column * cell, float(shade[column, run])
            told = f"{board.runs[run]}, {name}: {decimal(scores[column, run])} ({with_sign(gap[column, run])})"
            kind = "down" if depth < 0 else "up"
            drawn.rect((x + 0.5, y + 0.5), cell - 1, ROW - 1, kind=kind, opacity=0.04 + 0.54 * abs(depth), title=told)
            if cell == CELL:
                drawn.text((x + cell / 2, y + 15), decimal(scores[column, run], 3), anchor="middle", kind="value")
    return drawn


def rank_chart(measured: MeasuredRuns) -> Drawing:
    """Each run's rank with the ranks that it may have: a bar for the first question that has an answer, else a line."""
    board, order = measured.board, measured.order[:MOST]
    left, right, bottom = margin(board.runs[run] for run in order), 14, 8 + ROW * len(order)
    drawn = Drawing(WIDTH, bottom + 38, f"ranks by {measured.measure}")
    ends = {question: measured.ranks(question) for question in (BEYOND, HERE)}
    last = max(2, len(order), *(int(high[order].max()) for _, high in ends.values() if math.isfinite(high[0])))
    across = Axis(low=1, high=last, start=left + 8, end=WIDTH - right)
    for level in sorted({1, *(round(one) for one in ticks(1, last))} - {0}):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    drawn.tick(((left + WIDTH - right) / 2, bottom + 32), "rank", "middle")
    for row, run in enumerate(order):
        y = 8 + row * ROW + 7
        drawn.text((left - 8, y + 5), short(board.runs[run]), anchor="end", title=board.runs[run])
        for question, (low, high) in ends.items():
            if math.isfinite(low[run]):
                told = f"{board.runs[run]}: rank {low[run]:.0f} to {high[run]:.0f}"
                x, width = across(low[run]) - 3, across(high[run]) - across(low[run]) + 6
                told += " on these collections" if question == HERE else " on ones like these"
                if question == measured.question:
                    drawn.rect((x, y - 4), width, 8, kind="bar", rx=4, title=told)
                else:
                    drawn.line((x, y + 7), (x + width, y + 7), kind="whisker", title=told)
        drawn.dot((across(row + 1), y), r=4.2, kind="dot")
    return drawn


def forests(measured: MeasuredRuns) -> dict[str, Drawing]:
    """Return for some pairs the difference on each collection, the mean on these, and on collections like these.

    Without a baseline the run with the higher mean comes first.
    """
    board, drawn = measured.board, dict[str, Drawing]()
    run, other = board.paired
    place = measured.order.argsort()
    nearest = sorted(range(len(run)), key=lambda pair: sorted((place[run[pair]], place[other[pair]])))
    for pair in nearest[:FORESTS]:
        places = (run[pair], other[pair])
        first, second = places if board.bases else sorted(places, key=lambda one: place[one])
        named = f"{board.runs[first]} − {board.runs[second]}"
        drawn[f"{measured.measure}: {named}"] = _forest(measured, pair, 1 if first == run[pair] else -1, named)
    return drawn


def _forest(measured: MeasuredRuns, pair: int, sign: int, named: str) -> Drawing:
    board, differences = measured.board, measured.pair_differences[:, pair]
    row = list(measured.pairs().named())[pair]
    lines: list[tuple[str, float, float, float, str]] = []
    for at, one in enumerate(board.collections):
        half = math.nan
        if measured.pair_variances is not None:
            freedom = len(measured.values[at]) - 1
            half = float(student_quantile(freedom, 0.975)) * math.sqrt(measured.pair_variances[at, pair])
        lines.append(
            (one.name, float(differences[at]), float(differences[at]) - half, float(differences[at]) + half, "dot")
        )
    lines.sort(key=lambda line: -line[1] * sign)
    lines.append(("on these", row["difference"], row["low"], row["high"], "up"))
    lines.append(("on ones like these", row["difference"], row["low_beyond"], row["high_beyond"], "up"))
    lines.append(("on one more", math.nan, row["low_next"], row["high_next"], "up"))
    shown = [
        (name, sign * value, sign * low, sign * high, kind)
        for name, value, low, high, kind in lines
        if math.isfinite(low) or kind == "dot"
    ]
    return _whiskers(shown, len(differences), f"{named} by collection")


def _whiskers(lines: Sequence[tuple[str, float, float, float, str]], single: int, title: str) -> Drawing:
    left, right = margin(name for name, *_ in lines), 62
    ends = [end for _, *values, _ in lines for end in values if math.isfinite(end)]
    across = Axis(low=min(0.0, *ends), high=max(0.0, *ends), start=left, end=WIDTH - right)
    bottom = 6 + ROW * len(lines) + 8
    drawn = Drawing(WIDTH, bottom + 20, title)
    for level in across.ticks():
        drawn.line((across(level), 0), (across(level), bottom), kind="grid" if level else "zero")
        drawn.tick((across(level), bottom + 14), f"{level:g}".replace("-", "−"), "middle")
    for row, (name, value, low, high, kind) in enumerate(lines):
        y = 6 + row * ROW + 8 + (8 if row >= single else 0)
        drawn.text((left - 8, y + 5), short(name), anchor="end", title=name)
        if math.isfinite(low) and math.isfinite(high):
            drawn.line((across(low), y), (across(high), y), kind="whisker")
        if math.isfinite(value):
            drawn.dot((across(value), y), r=3.6 if kind == "dot" else 4.6, kind=kind)
            drawn.text((WIDTH - right + 6, y + 5), with_sign(value, 3), kind="value")
    return drawn
