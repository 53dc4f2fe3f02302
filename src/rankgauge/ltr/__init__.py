"""Rankers that learn from graded documents, under any measure and any tool's dialect. Dropping a file in registers it.

A ranker loads on first use: `from rankgauge.ltr import CoordinateAscent`, or `ltr.get("coordinate-ascent")`.
"""

from typing import Any

from rankgauge.errors import UnknownNameError
from rankgauge.ltr.base import Ranker, get, registry
from rankgauge.ltr.documents import Documents
from rankgauge.ltr.files import load
from rankgauge.ltr.objective import Objective

__all__ = ["Documents", "Objective", "Ranker", "get", "load", "registry"]


def __getattr__(name: str) -> Any:
    try:
        found = None if name.startswith("_") else get(name)
    except UnknownNameError:
        found = None
    if found is None or found.__name__ != name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
