"""Files and tables: formats, their detection, and the frames that flow through the package.

Ids are strings, grades and scores doubles. Whatever comes in (a file, a pandas frame, a dict of dicts) passes `check`
before anything is computed. The names load on first use: a scan of regular files needs to know how files are packed,
and none of the readers.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.files.columns import ALIASES, JUDGMENTS, RUN, Table, find, missing_columns, raters, recognise
    from rankgauge.files.conversion import as_judgments, as_run
    from rankgauge.files.detection import Detection
    from rankgauge.files.format import FORMATS, Format, Head, Kind, Reading, get
    from rankgauge.files.intents import with_intents
    from rankgauge.files.ir_datasets import label, named_runs
    from rankgauge.files.reading import (
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
    from rankgauge.files.spelling import Spelling
    from rankgauge.files.validation import check
    from rankgauge.policies import Duplicates

__all__ = [
    "ALIASES",
    "FORMATS",
    "JUDGMENTS",
    "RUN",
    "Detection",
    "Duplicates",
    "Format",
    "Head",
    "Kind",
    "Reading",
    "Spelling",
    "Table",
    "answered",
    "as_judgments",
    "as_run",
    "check",
    "detect",
    "find",
    "get",
    "is_large",
    "is_path",
    "judgments_from",
    "kept",
    "label",
    "missing_columns",
    "named_runs",
    "pair_from",
    "raters",
    "read_judgments",
    "read_letor",
    "read_pair",
    "read_run",
    "read_table",
    "recognise",
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
    "rankgauge.files.columns": [
        "ALIASES",
        "JUDGMENTS",
        "RUN",
        "Table",
        "find",
        "missing_columns",
        "raters",
        "recognise",
    ],
    "rankgauge.files.conversion": ["as_judgments", "as_run"],
    "rankgauge.files.spelling": ["Spelling"],
    "rankgauge.files.validation": ["check"],
    "rankgauge.files.detection": ["Detection"],
    "rankgauge.files.format": ["FORMATS", "Format", "Head", "Kind", "Reading", "get"],
    "rankgauge.files.intents": ["with_intents"],
    "rankgauge.files.ir_datasets": ["label", "named_runs"],
    "rankgauge.policies": ["Duplicates"],
}
"""The modules of the names that are not in `reading`."""

_FOUND = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_FOUND.get(name, "rankgauge.files.reading")), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
