"""A campaign for other programs: everything as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any, TextIO

from rankgauge.report.active.content import notes
from rankgauge.report.active.shown import Shown
from rankgauge.report.formats.json import plain

__all__ = ["write"]


def write(shown: Shown, stream: TextIO) -> None:
    """One object; what is not defined is null."""
    estimate = None if shown.estimate is None else _plain(shown.estimate.to_json())
    document = {
        "campaign": shown.name,
        "settings": asdict(shown.settings),
        "rankers": shown.rankers,
        "estimate": estimate,
        "expected_half_width": _plain({"": shown.outlook})[""],
        "progress": _plain(shown.progress.to_json()),
        "curve": plain(shown.curve),
        "notes": [{"subject": subject, "words": words} for subject, words in notes(shown)],
    }
    json.dump(document, stream, ensure_ascii=False, indent=2, allow_nan=False)
    stream.write("\n")


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in found.items()
    }
