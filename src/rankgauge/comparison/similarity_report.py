"""How alike the runs' lists are, and how alike measures order the runs: tables, heat maps, notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rankgauge.comparison import Comparison
from rankgauge.comparison.report_tables import MOST, label
from rankgauge.comparison.similarity import SimilaritySettings
from rankgauge.plain_table import PlainTable
from rankgauge.render.bars import short
from rankgauge.render.numbers import decimal, interval, share
from rankgauge.render.passages import Figure, Heading, Passage, ReportTable
from rankgauge.render.svg import WIDTH, Drawing

SQUARE = 10
"""Up to this many runs a table for people shows every pair in a square."""

HINT = "The darker a square, the more alike. The best run comes first."
OPPOSED = "The darker a blue square, the more alike; red squares disagree more than agree. The best run comes first."

LETTER, STEP = 8.6, 40
"""The width of a letter on a phone and the side of a square, in the units of a chart."""

Pairs = Mapping[tuple[str, str], float]
"""The similarity of pairs, both ways."""


def tables(comparison: Comparison) -> Iterator[ReportTable]:
    """A square of runs, the pairs with their intervals, and a square of measures."""
    if 2 < len(comparison.runs) <= SQUARE:
        order = comparison.ordered(comparison.measures[0])
        yield _square(_title(comparison, "How alike the runs' lists are"), order, comparison)
    yield _pairs(comparison)
    if len(comparison.board_table):
        yield _boards(comparison)


def passages(comparison: Comparison) -> Iterator[Passage]:
    """A section of a page: the maps and the pairs."""
    yield Heading("How alike the runs' lists are", hint=OPPOSED if _settings(comparison).kind.lowest < 0 else HINT)
    yield from (Figure(title, drawn) for title, drawn in maps(comparison).items())
    yield _pairs(comparison)


def maps(comparison: Comparison) -> dict[str, Drawing]:
    """A map of the runs, and one of the measures where these order enough runs."""
    order, title = comparison.ordered(comparison.measures[0]), _title(comparison, "Lists of runs")
    found = {title: _map(order, _both_ways(comparison.similarity_table, "run"), title)}
    if len(comparison.board_table):
        title, named = _title(comparison, "Orders of the runs"), [str(measure) for measure in comparison.measures]
        found[title] = _map(named, _both_ways(comparison.board_table, "measure"), title)
    return found


def notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What the similarity is, and what its means rest on."""
    settings, kind = _settings(comparison), _settings(comparison).kind
    yield "similarity", f"{settings.label}: {kind.words}; {kind.reference}"
    table, total = comparison.similarity_table, len(comparison.queries)
    kept = "; documents that only one of two lists has were taken out" if settings.shared_only else ""
    least, most = min(table["queries"]), max(table["queries"])
    counted = f"{least}" if least == most else f"{least} to {most}"
    yield "alike", f"the mean over the {counted} of {total} queries for which both runs have a list with an order{kept}"
    yield "shared", "documents that both lists have, as a share of those in either; the mean over queries"


def _pairs(comparison: Comparison) -> ReportTable:
    """The pairs, the most alike first; of many pairs the first ones."""
    found = comparison.similarity_table.ordered("similarity", falling=True)
    few = found.take(range(min(MOST, len(found))))
    rows = [
        (
            row["run"],
            row["other"],
            decimal(row["similarity"]),
            interval(row["low"], row["high"]),
            *((decimal(row["minimum"]), decimal(row["minimum"] + row["residual"])) if _bounded(comparison) else ()),
            str(row["queries"]),
            share(row["shared"], 1) if math.isfinite(row["shared"]) else "–",
        )
        for row in few.named()
    ]
    bounds = ("at least", "at most") if _bounded(comparison) else ()
    name = _settings(comparison).kind.title
    header = ("run", "other", name, "95 % interval", *bounds, "queries", "shared")
    counted = f", the {MOST} most alike of {len(found)} pairs" if len(found) > MOST else ""
    title = _title(comparison, "Pairs of runs") + counted
    return ReportTable(title=title, header=header, rows=rows, numbers=(name, *bounds, "queries", "shared"))


def _bounded(comparison: Comparison) -> bool:
    """Whether the similarity says what it may be at least and at most."""
    return not all(math.isnan(minimum) for minimum in comparison.similarity_table["minimum"])


def _square(title: str, order: Sequence[str], comparison: Comparison) -> ReportTable:
    found = _both_ways(comparison.similarity_table, "run")
    labels = [label(comparison, run) for run in order]
    rows = [
        (label(comparison, run), run, *("" if run == other else decimal(found[run, other]) for other in order))
        for run in order
    ]
    return ReportTable(title=title, header=("", "run", *labels), rows=rows, numbers=labels)


def _boards(comparison: Comparison) -> ReportTable:
    rows = [
        (row["measure"], row["other"], decimal(row["similarity"]), str(row["runs"]))
        for row in comparison.board_table.named()
    ]
    name = _settings(comparison).kind.title
    title = _title(comparison, "How alike measures order the runs")
    return ReportTable(title=title, header=("measure", "other", name, "runs"), rows=rows, numbers=(name, "runs"))


def _map(names: Sequence[str], pairs: Pairs, title: str) -> Drawing:
    """A square for each two of the names, the darker the more alike."""
    left, top = 44 + LETTER * max(len(short(name)) for name in names), 22
    step = min(STEP, (2 * WIDTH - left) / len(names))
    drawn = Drawing(max(WIDTH, left + step * len(names)), top + step * len(names) + 6, title)
    for row, name in enumerate(names):
        middle, place = top + (row + 0.5) * step + 4, str(row + 1)
        drawn.text((left - 26, middle), short(name), anchor="end", title=name)
        if step > 2 * LETTER:
            drawn.tick((left - 8, middle), place, "end")
            drawn.tick((left + (row + 0.5) * step, top - 8), place, "middle")
        for column, other in enumerate(names):
            value = pairs.get((name, other), math.nan)
            if name != other and math.isfinite(value):
                at = left + column * step, top + row * step
                _fill(drawn, at, step, value, f"{name}, {other}: {decimal(value)}")
    return drawn


def _fill(drawn: Drawing, at: tuple[float, float], step: float, value: float, told: str) -> None:
    """The square of two names, with the number if there is room."""
    kind, depth = ("down" if value < 0 else "up"), min(abs(value), 1.0)
    drawn.rect((at[0] + 0.5, at[1] + 0.5), step - 1, step - 1, kind=kind, opacity=0.06 + 0.94 * depth, title=told)
    if step >= STEP:
        middle = at[0] + step / 2, at[1] + step / 2 + 4
        drawn.text(middle, decimal(value, 2), anchor="middle", kind="mark" if depth > 0.5 else None)


def _both_ways(table: PlainTable, of: str) -> Pairs:
    found = {}
    for one, other, value in table.rows(of, "other", "similarity"):
        found[one, other] = found[other, one] = value
    return found


def _title(comparison: Comparison, words: str) -> str:
    return f"{words}: {_settings(comparison).label}"


def _settings(comparison: Comparison) -> SimilaritySettings:
    assert comparison.alike is not None
    return comparison.alike.settings
