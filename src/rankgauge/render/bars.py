"""Values with intervals: a dot with a whisker for each run, or a bar where there is no interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.measures import Measure
from rankgauge.render.numbers import number
from rankgauge.render.passages import Figure
from rankgauge.render.svg import WIDTH, Axis, Drawing, ticks

if TYPE_CHECKING:
    from rankgauge.comparison.figures import VerdictGrid

BARS = ("measure", "run", "mean", "low", "high")
"""What a bar is drawn from."""


LETTER = 8.6
"""The width of a letter on a phone, in the units of a chart."""


def listed(drawings: Mapping[str, Drawing | VerdictGrid]) -> Iterator[Figure]:
    """The drawings under their captions."""
    return (Figure(title, drawn) for title, drawn in drawings.items())


def mean_bars(
    rows: Iterable[tuple[Any, ...]],
    measures: Iterable[Measure | str],
    baseline: str | None = None,
    *,
    write: Callable[[float], str] = number,
) -> dict[str, Drawing]:
    """By measure or statistic, a dot or a bar for each run; the rows have the columns `BARS`."""
    listed = list(rows)
    found = {}
    for measure in map(str, measures):
        bars = [bar for name, *bar in listed if name == measure]
        found[measure] = _bars(bars, baseline, f"{measure} of each run", write)
    return found


def _bars(rows: Sequence[Sequence[Any]], base: str | None, title: str, write: Callable[[float], str]) -> Drawing:
    left, step = margin(run for run, *_ in rows), 24
    right = max(66.0, 10 + LETTER * max(len(write(mean)) for _, mean, *_ in rows))
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
        is_base = " is-base" * (run == base)
        if math.isfinite(least) and math.isfinite(most):
            drawn.line((across(least), y + 8), (across(most), y + 8), kind="whisker")
            drawn.dot((across(mean), y + 8), r=4.2, kind="dot" if base is None else f"bar{is_base}")
        elif math.isfinite(mean):
            start, end = sorted((across(0.0), across(mean)))
            drawn.rect((start, y), end - start, 16, kind=f"bar{is_base}", rx=2)
        drawn.text((WIDTH - right + 8, y + 13), write(mean), kind="value")
    return drawn


def margin(runs: Iterable[str]) -> float:
    """Room for the longest name in the letters of a phone, which are larger than those of a desk."""
    return 14 + LETTER * max((len(short(run)) for run in runs), default=0)


NAME = 20
"""How many letters of a run's name a chart shows."""


def short(run: str) -> str:
    """The run's name, cut where it is long."""
    return run if len(run) <= NAME else run[: NAME - 1] + "…"
