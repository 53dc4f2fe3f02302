"""The tables of a simulation of boards: labels for a good order, marks by number of labels, and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

from rankgauge.labelling.simulations.board_study import GOOD_ORDER, INTERVALS, MARKS, BoardCurve, BoardStudy, Needed
from rankgauge.labelling.yardstick import YARDSTICKS
from rankgauge.render.table import Column, ReportTable

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
    """Show the labels that each yardstick needs for a good order, by measure."""
    return _labels(study, f"τ ≥ {GOOD_ORDER:g}", lambda curve: curve.needed())


def precise(study: BoardStudy) -> ReportTable:
    """Show the labels that each yardstick needs for a small error, by measure."""
    return _labels(study, f"a root mean squared error of {SMALL_ERROR:g}", lambda curve: curve.enough(SMALL_ERROR))


def _labels(study: BoardStudy, goal: str, enough: Callable[[BoardCurve], Needed]) -> ReportTable:
    by_measure = [study.of(measure) for measure in study.measures]
    rows = [(method, *(enough(curves[method]) for curves in by_measure)) for method in study.methods]
    columns = (Column(measure, format=_needed) for measure in study.measures)
    title = f"Labels for {goal}: {study.title}, {study.documents:,} documents"
    return ReportTable(columns=("method", *columns), rows=rows, title=title)


def marks(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """Show each mark that needs no interval: a row per yardstick, a column per number of labels."""
    curves = study.of(measure)
    heads = _heads(study, next(iter(curves.values())))
    for mark, words in MARKS.items():
        if mark not in INTERVALS:
            rows = [(name, *zip(*curve.mark(mark), strict=True)) for name, curve in curves.items()]
            columns = (Column(head, format=partial(_mark, mark)) for head in heads)
            yield ReportTable(columns=("method", *columns), rows=rows, title=f"{words}: {study.title}, {measure}")


def intervals(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """A table for each yardstick that has intervals: a row per number of labels."""
    for name, curve in study.of(measure).items():
        if not YARDSTICKS[name].intervals:
            continue
        # What a yardstick lacks beside its intervals it never has; what is lacking with them is not there yet.
        lacking = [LACKING if math.isnan(share) else "–" for share in curve.mark("coverage")[0]]
        marked = [list(zip(*curve.mark(mark), lacking, strict=True)) for mark in HEADS]
        columns = (Column(head, format=partial(_mark, mark)) for mark, head in HEADS.items())
        rows = list(zip(_heads(study, curve), *marked, strict=True))
        title = f"95 % intervals of {name}: {study.title}, {measure}"
        yield ReportTable(columns=("labels", *columns), rows=rows, title=title)


def _heads(study: BoardStudy, curve: BoardCurve) -> tuple[str, ...]:
    return tuple(f"{n:,} ({100 * n / study.documents:.3g} %)" for n in curve.labels)


def _mark(mark: str, measured: tuple[float, float] | tuple[float, float, str]) -> str:
    """Write a mark and its standard error, or what stands for one that is lacking."""
    value, error, *lacking = measured
    if math.isnan(value):
        return lacking[0] if lacking else "–"
    decimals = DECIMALS.get(mark, 3)
    signed = f"{value:+.{decimals}f}" if mark == "bias" else f"{value:.{decimals}f}"
    return f"{signed.replace('-', '−')} ± {error:.{decimals}f}"


def _needed(found: Needed) -> str:
    if math.isnan(found.labels):
        return "–"
    if found.bound:
        return f"{found.bound} {found.labels:,.0f}"
    if math.isnan(found.error):  # without one repetition or another it would not be reached
        return f"about {found.labels:,.0f}"
    return f"{found.labels:,.0f} ± {found.error:,.0f}"
