"""The charts of a comparison: means, differences query by query, who is above whom, curves by cutoff and recall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rankgauge.comparison import Comparison, MeanCurve, cutoff_curves, recall_curves
from rankgauge.comparison.verdict_grid import VerdictGrid
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
from rankgauge.render.bars import BARS, mean_bars
from rankgauge.render.numbers import signed
from rankgauge.render.svg import COLOURS, GREY, WIDTH, Axis, Drawing, Plot

DRAWN = 6
"""How many pairs have their differences drawn query by query."""


def means(comparison: Comparison) -> dict[str, Drawing]:
    """By measure, a bar for each run with the interval of its mean, the best run first."""
    found = comparison.mean_table.ordered("mean", falling=True)
    return mean_bars(found.rows(*BARS), comparison.measures, comparison.baseline)


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
