"""A simulation for other programs: the curves as CSV, everything as JSON."""

from __future__ import annotations

import json
from typing import TextIO

from rankgauge.report.formats.json import plain
from rankgauge.report.simulate.content import notes
from rankgauge.report.simulate.shown import Shown

__all__ = ["write_csv", "write_json"]


def write_csv(shown: Shown, stream: TextIO) -> None:
    """A header, then a line per pool, method and budget."""
    stream.write(shown.frame.write_csv())


def write_json(shown: Shown, stream: TextIO) -> None:
    """The whole simulation; what is not defined is null."""
    document = {
        "repetitions": shown.repetitions,
        "seed": shown.seed,
        "studies": [
            {"title": study.title, "measure": study.measure, "truth": study.truth, **study.facts}
            for study in shown.studies
        ],
        "curves": plain(shown.frame),
        "savings": plain(shown.savings),
        "notes": [{"subject": subject, "words": words} for subject, words in notes(shown)],
    }
    json.dump(document, stream, ensure_ascii=False, indent=2, allow_nan=False)
    stream.write("\n")
