"""A comparison as one HTML page that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import TextIO

import numpy as np
import polars as pl

from rankgauge.comparison import Comparison, MeanCurve, cutoff_curves, recall_curves
from rankgauge.measures import Measure
from rankgauge.report.compare import charts, content
from rankgauge.report.compare.content import Table
from rankgauge.report.compare.notes import notes
from rankgauge.report.compare.shown import Shown

__all__ = ["write"]

LONG = 24
"""A table with more rows than that scrolls by itself."""

DRAWN = 6
"""Of how many pairs the differences are drawn query by query."""

MEANS = "Each bar is a mean over queries, the line in it its 95 % interval; <b>above</b> names the runs that it beats."
PAIRS = """Each column is a query, the largest gain of the first run to the left. The table has the mean of these
differences, its 95 % interval, and whether a test takes it for more than luck."""
MATRIX = """Blue: the run of the row is above that of the column by more than luck. Red: below it. Grey: the difference
may be luck. The best run stands first."""
CURVES = "Means over queries: what a reader gets who stops early, and precision as more of the relevant is found."
AGREEMENT = """A measure that separates more pairs is steadier over queries; that alone does not make it the right one.
Kendall's tau-b counts the pairs of runs that two measures order alike; in tau-AP the top counts more."""


def write(shown: Shown, stream: TextIO) -> None:
    """The page."""
    style = (files(__package__ or "") / "page.css").read_text(encoding="utf-8")
    runs = ", ".join(shown.comparison.runs)
    stream.write(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(runs)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{''.join(_sections(shown))}</main>\n</body>\n</html>\n"
    )


def _sections(shown: Shown) -> Iterator[str]:
    comparison = shown.comparison
    tables = {table.title: table for table in content.tables(shown)}
    settings = comparison.settings
    facts = (
        f"{len(comparison.runs)} runs",
        f"{len(comparison.queries)} queries",
        settings.paired_test.title,
        f"{settings.family_correction.title} at {settings.alpha:g}",
    )
    yield f'<p class="eyebrow">{escape(" · ".join(facts))}</p>\n<h1>{escape(content.headline(comparison))}</h1>\n'
    yield _section("Means", MEANS, _grid(_bars(comparison)) + _table(tables["Means"]))
    yield _section("Pairs", PAIRS, _grid(_differences(comparison)) + _pairs(comparison))
    if shown.matrix:
        yield _section("Who is above whom", MATRIX, _matrices(comparison))
    yield _section("By cutoff and by recall", CURVES, _curves(comparison))
    moving = tables["Queries that differ most"]
    if moving.rows:
        yield _section(moving.title, "", _table(moving))
    if shown.agreement:
        told = [table for title, table in tables.items() if title.startswith("How ")]
        parts = (f"<figure><figcaption>{escape(table.title)}</figcaption>{_table(table)}</figure>" for table in told)
        yield _section("Measures", AGREEMENT, _grid(parts))
    listed = "".join(f"<dt>{escape(subject)}</dt><dd>{escape(words)}</dd>" for subject, words in notes(shown))
    yield _section("What the numbers rest on", "", f"<dl>{listed}</dl>")


def _bars(comparison: Comparison) -> Iterator[str]:
    for measure in comparison.measures:
        found = comparison.means.filter(pl.col("measure") == str(measure))
        rows = found.sort("mean", descending=True, maintain_order=True).select("run", "mean", "low", "high").iter_rows()
        drawn: list[charts.Bar] = [(run, mean, low, high, run == comparison.baseline) for run, mean, low, high in rows]
        yield _figure(str(measure), charts.bars(drawn, f"{measure} of each run"))


def _differences(comparison: Comparison) -> Iterator[str]:
    for row, measure in enumerate(comparison.measures):
        for run, other in _chosen(comparison, measure):
            one, two = (comparison.values[row][:, comparison.runs.index(name)] for name in (run, other))
            known = ~np.isnan(one - two)
            queries = [query for query, kept in zip(comparison.queries, known, strict=True) if kept]
            title = f"{measure}: {run} − {other}"
            yield _figure(title, charts.differences((one - two)[known], queries, title))


def _chosen(comparison: Comparison, measure: Measure) -> list[tuple[str, str]]:
    """The pairs to draw: the best runs against the baseline, or the best run against those after it."""
    order = comparison.ordered(measure)
    most = max(1, DRAWN // len(comparison.measures))
    if comparison.baseline is not None:
        return [(run, comparison.baseline) for run in order if run != comparison.baseline][:most]
    return [(order[0], run) for run in order[1:]][:most]


def _pairs(comparison: Comparison) -> str:
    table = content.pairs(comparison)
    whole = content.pairs(comparison, most=None)
    if len(whole.rows) == len(table.rows):
        return _table(table)
    hint = f'<p class="hint">The {content.MOST} pairs of each measure with the least p-values.</p>'
    return f"{hint}{_table(table)}<details><summary>all {len(whole.rows):,} pairs</summary>{_table(whole)}</details>"


def _matrices(comparison: Comparison) -> str:
    labels = {run: content.label(comparison, run) for run in comparison.runs}
    figures = [
        _figure(
            str(measure),
            '<div class="scroll">'
            + charts.matrix(
                comparison.ordered(measure),
                labels,
                content.grid(comparison, measure),
                f"who is above whom by {measure}",
            )
            + "</div>",
        )
        for measure in comparison.measures
    ]
    return _grid(figures) if len(comparison.runs) <= 12 else "".join(figures)


def _curves(comparison: Comparison) -> str:
    order = comparison.ordered(comparison.measures[0])
    coloured = [run for place, run in enumerate(order) if charts.colour(place)]
    legend = charts.legend(coloured, rest=len(order) - len(coloured))
    drawn = (cutoff_curves(comparison.results), recall_curves(comparison.results))
    return legend + _grid(_figure(_title(curve), charts.curves(curve, order, _title(curve))) for curve in drawn)


def _title(curve: MeanCurve) -> str:
    return f"{curve.measure} by {curve.over}"


def _grid(figures: Iterator[str] | list[str]) -> str:
    return f'<div class="charts">{"".join(figures)}</div>'


def _figure(title: str, drawn: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawn}</figure>"


def _table(shown: Table) -> str:
    rows = "".join(_row(shown, row, "td") for row in shown.rows)
    kind = "tall" if len(shown.rows) > LONG else "scroll"
    return f'<div class="{kind}"><table>{_row(shown, shown.header, "th")}{rows}</table></div>'


def _row(shown: Table, row: tuple[str, ...], tag: str) -> str:
    cells = (
        f"<{tag}{' class=num' if name in shown.numbers else ''}>{escape(cell)}</{tag}>"
        for name, cell in zip(shown.header, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _section(title: str, hint: str, body: str) -> str:
    told = f'<p class="hint">{hint}</p>' if hint else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{told}{body}\n</section>\n"
