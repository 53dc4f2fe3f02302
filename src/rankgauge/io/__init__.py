"""FILES ↔ TABLES: one file per format. Dropping a file in registers it.

The names load on first use: a scan of regular files needs to know how files are packed, and none of the readers.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.io.detection import Detection
    from rankgauge.io.files import (
        answered,
        detect,
        is_large,
        is_path,
        judgments_from,
        kept,
        pair_from,
        read_judgments,
        read_letor,
        read_pair,
        read_run,
        read_table,
        run_beside,
        run_from,
        shown_words,
        spell,
        spell_all,
        stream_run,
        table_suffixes,
        traced,
        unnamed,
        write_judgments,
        write_run,
    )
    from rankgauge.io.format import FORMATS, Format, Head, Kind, Reading, get
    from rankgauge.io.intents import with_intents
    from rankgauge.io.ir_datasets import label, labelled
    from rankgauge.policies import Duplicates

__all__ = [
    "FORMATS",
    "Detection",
    "Duplicates",
    "Format",
    "Head",
    "Kind",
    "Reading",
    "answered",
    "detect",
    "get",
    "is_large",
    "is_path",
    "judgments_from",
    "kept",
    "label",
    "labelled",
    "pair_from",
    "read_judgments",
    "read_letor",
    "read_pair",
    "read_run",
    "read_table",
    "run_beside",
    "run_from",
    "shown_words",
    "spell",
    "spell_all",
    "stream_run",
    "table_suffixes",
    "traced",
    "unnamed",
    "with_intents",
    "write_judgments",
    "write_run",
]

_HOMES = {
    "rankgauge.io.detection": ["Detection"],
    "rankgauge.io.format": ["FORMATS", "Format", "Head", "Kind", "Reading", "get"],
    "rankgauge.io.intents": ["with_intents"],
    "rankgauge.io.ir_datasets": ["label", "labelled"],
    "rankgauge.policies": ["Duplicates"],
}
"""The modules of the names that are not in `files`."""

_FOUND = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_FOUND.get(name, "rankgauge.io.files")), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
