"""Rankers that learn from graded documents, for any measure under any tool's dialect. A file in `rankers/` adds one.

A ranker loads on first use: `from rankgauge.training import CoordinateAscent`, or `ltr.get("coordinate-ascent")`.
"""

from typing import Any

from rankgauge.training.documents import Documents
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import RANKERS, Ranker, load

__all__ = ["RANKERS", "Documents", "Objective", "Ranker", "get", "load"]


get = RANKERS.find


def __getattr__(name: str) -> Any:
    ranker = None if name.startswith("_") else RANKERS.get(name)
    if ranker is None or ranker.__name__ != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return ranker
