"""The charts of an evaluation: how the values of each measure spread over the queries."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
from rankgauge.render.bars import margin, short
from rankgauge.render.numbers import count, value
from rankgauge.render.svg import WIDTH, Axis, Drawing, ticks

BINS = 10
"""How many bars a distribution has."""

ROW, TALLEST = 62, 44
"""The height of a run's row, and of its highest bar."""


def spread(measure: Measure, values: Mapping[str, FloatArray]) -> Drawing:
    """For each run a bar for each tenth of the range, as high as its number of queries, and a line at the mean."""
    known = {run: column[np.isfinite(column)] for run, column in values.items()}
    edges = _edges(measure, np.concatenate(list(known.values())))
    counts = {run: np.histogram(column, bins=edges)[0] for run, column in known.items()}
    most = max(max(int(found.max(initial=0)) for found in counts.values()), 1)
    left, right = (margin(known), 62.0) if len(known) > 1 else (12.0, 62.0)
    across = Axis(low=float(edges[0]), high=float(edges[-1]), start=left, end=WIDTH - right)
    bottom = ROW * len(known)
    drawn = Drawing(WIDTH, bottom + 20, f"how {measure} spreads over the queries")
    for level in ticks(across.low, across.high):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    for place, (run, found) in enumerate(counts.items()):
        floor = place * ROW + ROW - 4
        if len(known) > 1:
            drawn.text((left - 10, floor - 12), short(run), anchor="end", title=run)
        _bars(drawn, across, edges, found, (floor, TALLEST / most))
        _mean(drawn, across, measure, known[run], floor)
    return drawn


def _edges(measure: Measure, values: FloatArray) -> FloatArray:
    """The ends of the bars: the whole range of a measure that has one, else that of the values and 0."""
    low, high = measure.facts.bounds
    if not (math.isfinite(low) and math.isfinite(high)) or (
        len(values) and not low <= values.min() <= values.max() <= high
    ):
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


def _bars(drawn: Drawing, across: Axis, edges: FloatArray, counts: FloatArray, scale: tuple[float, float]) -> None:
    """The bars of a run on the floor, each with its number of queries as a tooltip."""
    floor, unit = scale
    drawn.line((across.start, floor), (across.end, floor), kind="zero")
    for low, high, found in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
        if found:
            said = f"{low:.4g} to {high:.4g}: {count(int(found), 'query', 'queries')}"
            start, width = across(low) + 1, across(high) - across(low) - 2
            drawn.rect((start, floor - unit * found), width, unit * found, kind="bar", title=said)


def _mean(drawn: Drawing, across: Axis, measure: Measure, values: FloatArray, floor: float) -> None:
    mean = measure.facts.aggregate.over(values)
    if across.low <= mean <= across.high:
        drawn.line((across(mean), floor), (across(mean), floor - TALLEST - 6), kind="whisker", title=f"mean {mean:.4f}")
    drawn.text((across.end + 8, floor - 12), value(measure, mean), kind="value")
