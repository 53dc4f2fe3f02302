"""A comparison for other programs: the pairs as CSV, everything as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TextIO

from rankgauge.report.compare.notes import notes
from rankgauge.report.compare.shown import Shown
from rankgauge.report.formats.json import plain

__all__ = ["write_csv", "write_json"]


def write_csv(shown: Shown, stream: TextIO) -> None:
    """A header, then a line per measure and pair of runs."""
    stream.write(shown.comparison.pairs.write_csv())


def write_json(shown: Shown, stream: TextIO) -> None:
    """The whole comparison; what is not defined is null."""
    comparison = shown.comparison
    settings = asdict(comparison.settings) | {"draws": comparison.settings.drawn(len(comparison.paired[0]))}
    document = {
        "dialect": comparison.dialect.name,
        "baseline": comparison.baseline,
        **settings,
        "runs": list(comparison.runs),
        "measures": [str(measure) for measure in comparison.measures],
        "means": plain(comparison.means),
        "pairs": plain(comparison.pairs),
        "movers": plain(comparison.movers),
        "sensitivity": plain(comparison.sensitivity),
        "agreement": plain(comparison.agreement),
        "notes": [{"subject": subject, "words": words} for subject, words in notes(shown)],
    }
    json.dump(document, stream, ensure_ascii=False, indent=2, allow_nan=False)
    stream.write("\n")
