"""The tables of a simulation of boards: labels for a good order, marks by number of labels, and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankgauge.labelling.simulations.board_study import GOOD_ORDER, INTERVALS, MARKS, BoardCurve, BoardStudy, Needed
from rankgauge.labelling.yardstick import YARDSTICKS
from rankgauge.render.passages import ReportTable

DECIMALS = {"rmse": 4, "bias": 4, "half_width": 4}
"""Of the marks that have other than three."""

HEADS = {
    "coverage": "a run covered",
    "joint_coverage": "all covered",
    "family_error": "any pair wrong",
    "settled": "pairs settled",
    "half_width": "half-width",
}
"""The columns of the table of intervals."""

SMALL_ERROR = 0.03
"""The root mean squared error that counts as small."""

LACKING = "not yet"
"""Where no interval is shown."""


def needed(study: BoardStudy) -> ReportTable:
    """A row per yardstick, a column per measure: the labels for a good order."""
    found = {measure: study.of(measure) for measure in study.measures}
    rows = [(method, *(_needed(curves[method].needed()) for curves in found.values())) for method in study.methods]
    title = f"Labels for τ ≥ {GOOD_ORDER:g}: {study.title}, {study.documents:,} documents"
    return ReportTable(title=title, header=("method", *found), rows=rows, numbers=tuple(found))


def precise(study: BoardStudy) -> ReportTable:
    """The same for a small error."""
    found = {measure: study.of(measure) for measure in study.measures}
    rows = [
        (method, *(_needed(curves[method].enough(SMALL_ERROR)) for curves in found.values()))
        for method in study.methods
    ]
    title = f"Labels for a root mean squared error of {SMALL_ERROR:g}: {study.title}, {study.documents:,} documents"
    return ReportTable(title=title, header=("method", *found), rows=rows, numbers=tuple(found))


def marks(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """A table for each mark that needs no interval: a row per yardstick, a column per number of labels."""
    curves = study.of(measure)
    heads = _heads(study, next(iter(curves.values())))
    for mark, words in MARKS.items():
        if mark not in INTERVALS:
            rows = [(name, *_cells(curve, mark)) for name, curve in curves.items()]
            yield ReportTable(
                title=f"{words}: {study.title}, {measure}", header=("method", *heads), rows=rows, numbers=heads
            )


def intervals(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """A table for each yardstick that has intervals: a row per number of labels."""
    for name, curve in study.of(measure).items():
        if not YARDSTICKS[name].intervals:
            continue
        shown = list(_cells(curve, "coverage", LACKING))
        # What a yardstick lacks beside its intervals it never has; what is lacking with them is not there yet.
        columns = [
            [
                "–" if cell == LACKING != own else cell
                for cell, own in zip(_cells(curve, mark, LACKING), shown, strict=True)
            ]
            for mark in HEADS
        ]
        rows = list(zip(_heads(study, curve), *columns, strict=True))
        title = f"95 % intervals of {name}: {study.title}, {measure}"
        yield ReportTable(title=title, header=("labels", *HEADS.values()), rows=rows, numbers=tuple(HEADS.values()))


def _heads(study: BoardStudy, curve: BoardCurve) -> tuple[str, ...]:
    return tuple(f"{n:,} ({100 * n / study.documents:.3g} %)" for n in curve.labels)


def _cells(curve: BoardCurve, mark: str, lacking: str = "–") -> Iterator[str]:
    decimals = DECIMALS.get(mark, 3)
    for value, error in zip(*curve.mark(mark), strict=True):
        if math.isnan(value):
            yield lacking
        else:
            signed = f"{value:+.{decimals}f}" if mark == "bias" else f"{value:.{decimals}f}"
            yield f"{signed.replace('-', '−')} ± {error:.{decimals}f}"


def _needed(found: Needed) -> str:
    if math.isnan(found.labels):
        return "–"
    if found.bound:
        return f"{found.bound} {found.labels:,.0f}"
    if math.isnan(found.error):  # without one repetition or another it would not be reached
        return f"about {found.labels:,.0f}"
    return f"{found.labels:,.0f} ± {found.error:,.0f}"
