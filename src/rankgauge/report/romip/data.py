"""csv and json: ROMIP's figures for other programs."""

from __future__ import annotations

import json
from typing import TextIO

import polars as pl

from rankgauge.report.formats.json import plain
from rankgauge.report.romip.words import Words
from rankgauge.romip import TrackResult
from rankgauge.romip.result import MACRO

__all__ = ["write_csv", "write_json"]


def write_csv(outcome: TrackResult, words: Words, stream: TextIO) -> None:
    """A line per figure and per point of a curve: track, table, average, metric, run, value, n."""
    points = outcome.curves.select(
        "table",
        pl.lit(MACRO).alias("average"),
        pl.format("{}@{}", "curve", pl.col("recall").round(1).cast(pl.String)).alias("metric"),
        "run",
        pl.col("precision").alias("value"),
        "n",
    )
    rows = pl.concat([outcome.figures, points])
    stream.write(rows.select(pl.lit(outcome.track).alias("track"), pl.all()).write_csv())


def write_json(outcome: TrackResult, words: Words, stream: TextIO) -> None:
    """One object: which queries counted, figures, curves, values per query or category, notes."""
    document = {
        "track": outcome.track,
        "runs": list(outcome.runs),
        "metrics": {metric.key: words.name(metric) for metric in outcome.metrics},
        "tables": plain(outcome.used),
        "figures": plain(outcome.figures),
        "curves": plain(outcome.curves),
        "values": plain(outcome.values),
        "notes": [words.note(note) for note in outcome.notes],
    }
    json.dump(document, stream, ensure_ascii=False, indent=2)
    stream.write("\n")
