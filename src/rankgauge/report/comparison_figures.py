"""The charts of a comparison: means, differences query by query, who is above whom, curves by cutoff and recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.comparison import Comparison, MeanCurve, cutoff_curves, recall_curves
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
from rankgauge.report.numbers import number, signed
from rankgauge.report.passages import Figure
from rankgauge.report.svg import COLOURS, GREY, WIDTH, Axis, Drawing, Plot, ticks
from rankgauge.report.verdict_grid import VerdictGrid, short

DRAWN = 6
"""How many pairs have their differences drawn query by query."""

BARS = ("measure", "run", "mean", "low", "high")
"""What a bar is drawn from."""

LETTER = 8.6
"""The width of a letter on a phone, in the units of a chart."""


def listed(drawings: Mapping[str, Drawing | VerdictGrid]) -> Iterator[Figure]:
    """The drawings under their captions."""
    return (Figure(title, drawn) for title, drawn in drawings.items())


def means(comparison: Comparison) -> dict[str, Drawing]:
    """By measure, a bar for each run with the interval of its mean, the best run first."""
    found = comparison.mean_table.ordered("mean", falling=True)
    return mean_bars(found.rows(*BARS), comparison.measures, comparison.baseline)


def mean_bars(
    rows: Iterable[tuple[Any, ...]], measures: Iterable[Measure | str], baseline: str | None = None
) -> dict[str, Drawing]:
    """By measure or statistic, a bar for each run with its interval; the rows have the columns `BARS`."""
    listed = list(rows)
    found = {}
    for measure in map(str, measures):
        bars = [bar for name, *bar in listed if name == measure]
        found[measure] = _bars(bars, baseline, f"{measure} of each run")
    return found


def _bars(rows: Sequence[Sequence[Any]], base: str | None, title: str) -> Drawing:
    left, step = margin(run for run, *_ in rows), 24
    right = max(66.0, 10 + LETTER * max(len(number(mean)) for _, mean, *_ in rows))
    ends = [end for _, *values in rows for end in values if math.isfinite(end)]
    low, high = min(0.0, *ends, 0.0), max(ends, default=1.0) or 1.0
    across = Axis(low=low, high=high, start=left, end=WIDTH - right)
    bottom = step * len(rows) + 6
    drawn = Drawing(WIDTH, bottom + 20, title)
    for level in ticks(low, high):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    for place, (run, mean, least, most) in enumerate(rows):
        y = place * step + 4
        drawn.text((left - 8, y + 13), short(run), anchor="end", title=run)
        if math.isfinite(mean):
            start, end = sorted((across(0.0), across(mean)))
            drawn.rect((start, y), end - start, 16, kind="bar is-base" if run == base else "bar", rx=2)
        if math.isfinite(least) and math.isfinite(most):
            drawn.line((across(least), y + 8), (across(most), y + 8), kind="whisker")
        drawn.text((WIDTH - right + 8, y + 13), number(mean), kind="value")
    return drawn


def differences(comparison: Comparison) -> dict[str, Drawing]:
    """For some pairs of each measure, a bar for each query, the largest gain first."""
    found = {}
    for row, measure in enumerate(comparison.measures):
        for run, other in _chosen(comparison, measure):
            one, two = (comparison.values[row][:, comparison.runs.index(name)] for name in (run, other))
            known = ~np.isnan(one - two)
            queries = [query for query, kept in zip(comparison.queries, known, strict=True) if kept]
            title = f"{measure}: {run} − {other}"
            found[title] = _columns((one - two)[known], queries, title)
    return found


def _chosen(comparison: Comparison, measure: Measure) -> list[tuple[str, str]]:
    """Choose the pairs to draw: the best runs against the baseline, or the best run and those after it.

    The run that was named later is held against the one before it, as in every table.
    """
    order = comparison.ordered(measure)
    most = max(1, DRAWN // len(comparison.measures))
    if comparison.baseline is not None:
        return [(run, comparison.baseline) for run in order if run != comparison.baseline][:most]
    pairs = [sorted((order[0], run), key=comparison.runs.index) for run in order[1:]]
    return [(later, earlier) for earlier, later in pairs][:most]


def _columns(values: FloatArray, queries: Sequence[str], title: str) -> Drawing:
    left, right, top, height = 54, 6, 8, 150
    reach = float(np.abs(values).max(initial=0.0)) or 1.0
    up = Axis(low=-reach, high=reach, start=top + height, end=top)
    drawn = Drawing(WIDTH, top + height + 10, title)
    if not values.any():
        words = "the same value on every query" if len(values) else "no query that both runs have"
        drawn.text(((left + WIDTH - right) / 2, up(0.0) - 10), words, anchor="middle")
    for level in (reach, 0.0, -reach):
        drawn.line((left, up(level)), (WIDTH - right, up(level)), kind="grid" if level else "zero")
        drawn.tick((left - 6, up(level) + 4), signed(level, 2) if level else "0", "end")
    width = (WIDTH - left - right) / max(len(values), 1)
    for place, query in enumerate(np.argsort(-values, kind="stable")):
        value = float(values[query])
        drawn.rect(
            (left + place * width, up(max(value, 0.0))),
            max(width * 0.82, 0.5),
            abs(up(value) - up(0.0)),
            kind="up" if value > 0 else "down",
            title=f"{queries[query]} {signed(value)}",
        )
    return drawn


def matrices(comparison: Comparison) -> dict[str, VerdictGrid]:
    """By measure, a square for each pair of runs: filled where the run of the row is above or below the column's."""
    return {str(measure): VerdictGrid(comparison, measure) for measure in comparison.measures}


def curves(comparison: Comparison) -> dict[str, Drawing]:
    """The means by cutoff and the precision by recall: a line for each run, the best ones in colour and in front."""
    found, hues = (cutoff_curves(comparison.results), recall_curves(comparison.results)), _hues(comparison)
    return {f"{curve.measure} by {curve.over}": _curve(curve, hues) for curve in found}


def _curve(curve: MeanCurve, hues: Mapping[str, str]) -> Drawing:
    known = [float(y) for line in curve.y.values() for y in line if math.isfinite(y)]
    x = Axis(low=curve.x[0], high=curve.x[-1], start=40, end=WIDTH - 10)
    y = Axis(low=min(0.0, *known, 0.0), high=max([*known, 0.0]) or 1.0, start=258, end=8)
    plot = Plot(f"{curve.measure} by {curve.over}", x, y, (WIDTH, 300))
    plot.grid(across=curve.x[:: max(1, math.ceil(len(curve.x) / 11))])
    plot.caption(curve.over)
    for run in sorted(curve.y, key=hues.__contains__):  # those in colour are drawn last, above the others
        kind = "curve" if run in hues else "curve rest"
        plot.curve(zip(curve.x, curve.y[run], strict=True), title=run, kind=kind, stroke=hues.get(run, GREY))
    return plot


def _hues(comparison: Comparison) -> dict[str, str]:
    """The colour of each run, by the order in which they were named; of many runs only the best have one."""
    best = comparison.ordered(comparison.measures[0])[: len(COLOURS)]
    return dict(zip(sorted(best, key=comparison.runs.index), COLOURS, strict=False))


def colours(comparison: Comparison) -> dict[str, str]:
    """The colours of the runs for a legend, and how many more there are in grey."""
    hues = _hues(comparison)
    more = len(comparison.runs) - len(hues)
    return hues | ({f"{more} other runs": GREY} if more else {})


def margin(runs: Iterable[str]) -> float:
    """Room for the longest name in the letters of a phone, which are larger than those of a desk."""
    return 14 + LETTER * max((len(short(run)) for run in runs), default=0)
