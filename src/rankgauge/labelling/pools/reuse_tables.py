"""The tables of a pool's reuse."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from rankgauge.labelling.pools import Reuse
from rankgauge.labelling.pools.left_out import LeftOut
from rankgauge.render.numbers import interval, number, signed
from rankgauge.render.passages import ReportTable

SHOWN = 10
"""How many runs or teams a terminal shows: those whose values change most."""

NOT_YET, NOT_KNOWN = "not yet", "not known"
"""What is known with more runs, and what no number of runs tells."""


def by_measure(left: LeftOut) -> ReportTable:
    """A row per measure: the change of values and ranks."""
    rows = [
        (
            row["measure"],
            signed(row["change"]),
            _per_cent(row["relative"]),
            f"{signed(row['most'])} ({row['most_run']})",
            f"{row['fall']:.1f}",
            f"{row['most_fall']} ({row['most_fall_run']})" if row["most_fall"] > 0 else "0",
            _tau(row["tau"]),
            _tau(row["own_tau"]),
        )
        for row in left.by_measure().iter_rows(named=True)
    ]
    header = ("measure", "change", "of the value", "largest", "ranks", "largest fall", "lowest τ", "τ of all")
    return ReportTable(
        header=header, rows=rows, numbers=(*header[1:3], "ranks", *header[6:]), title=f"Without a {left.kind}"
    )


def by_group(left: LeftOut, *, brief: bool) -> ReportTable:
    """A row per run or team that contributed: what its own runs lose by each measure, most by the last one first."""
    frame = left.by_group()
    parts = {measure: frame.filter(pl.col("measure") == measure).rows(named=True) for measure in left.measures}
    first = parts[left.measures[0]]
    order = np.argsort([max(-parts[one][at]["change"] for one in left.measures) for at in range(len(first))])[::-1]
    rows = [
        (
            first[at]["left_out"],
            *([f"{first[at]['runs']}"] if left.kind == "team" else []),
            f"{first[at]['unique']:,}",
            f"{first[at]['unique_relevant']:,}",
            *(signed(parts[one][at]["change"]) for one in left.measures),
            f"{max(parts[one][at]['falls'] for one in left.measures)}",
            _tau(min(parts[one][at]["tau"] for one in left.measures)),
        )
        for at in order.tolist()
    ]
    header = (
        left.kind,
        *(["runs"] if left.kind == "team" else []),
        "unique",
        "relevant",
        *left.measures,
        "fall",
        "lowest τ",
    )
    shown = rows[:SHOWN] if brief else rows
    return ReportTable(header=header, rows=shown, numbers=header[1:], title=f"Each {left.kind} that contributed")


def calibration(reuse: Reuse) -> ReportTable:
    """How well values of runs that did not contribute are foretold: a row per measure."""
    found = reuse.expectations
    rows = []
    for at, measure in enumerate(found.measures):
        plain, model = found.plain[at] - found.truth[at], found.expected[at] - found.truth[at]
        half = found.factor(at) * found.deviation[at].mean()
        rows.append(
            (
                measure,
                signed(plain.mean()),
                number(_rms(plain)),
                signed(model.mean()),
                number(_rms(model)),
                NOT_YET if math.isnan(half) else f"±{half:.4f}",
                NOT_YET if math.isnan(half) else f"{100 * found.coverage(at):.0f} %",
            )
        )
    header = ("measure", "bias as is", "error as is", "bias", "error", "interval", "holds")
    return ReportTable(header=header, rows=rows, numbers=header[1:], title="Runs that were left out, foretold")


def new_runs(reuse: Reuse) -> ReportTable:
    """A row per new run and measure."""
    assert reuse.new_runs is not None
    rows = [
        (
            row["run"],
            row["measure"],
            f"{100 * row['unjudged']:.1f} %",
            number(row["value"]),
            NOT_KNOWN if math.isnan(row["worst"]) else interval(row["worst"], row["best"]),
            NOT_YET if math.isnan(row["expected"]) else number(row["expected"]),
            NOT_YET if math.isnan(row["low"]) else interval(row["low"], row["high"]),
        )
        for row in reuse.new_runs.frame().iter_rows(named=True)
    ]
    header = ("run", "measure", "unjudged", "value", "worst to best", "expected", "95 % interval")
    return ReportTable(header=header, rows=rows, numbers=header[2:], title="New runs")


def _rms(errors: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def _per_cent(share: float) -> str:
    return "–" if math.isnan(share) else signed(100 * share, 1) + " %"


def _tau(tau: float) -> str:
    return "–" if math.isnan(tau) else f"{tau:.3f}".replace("-", "−")
