"""Files and tables: formats, their detection, and the frames that flow through the package.

Ids are strings, grades and scores doubles. Whatever comes in (a file, a pandas frame, a dict of dicts) passes `check`
before anything is computed. The names load on first use: a scan of regular files needs to know how files are packed,
and none of the readers.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.files.columns import ALIASES, JUDGMENTS, RUN, Table, find, raters
    from rankgauge.files.conversion import as_judgments, as_run
    from rankgauge.files.format import FORMATS, Format, Head, Kind, Reading
    from rankgauge.files.intents import with_intents
    from rankgauge.files.ir_datasets import label, named_runs
    from rankgauge.files.reading import (
        detect,
        explain_unnamed,
        is_large,
        is_path,
        judgments_from,
        keep_rereadable,
        locating_repeats,
        pair_from,
        read_answered,
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
        write_judgments,
        write_run,
    )
    from rankgauge.files.spelling import Spelling
    from rankgauge.files.validation import check

__all__ = [
    "ALIASES",
    "FORMATS",
    "JUDGMENTS",
    "RUN",
    "Format",
    "Head",
    "Kind",
    "Reading",
    "Spelling",
    "Table",
    "as_judgments",
    "as_run",
    "check",
    "detect",
    "explain_unnamed",
    "find",
    "is_large",
    "is_path",
    "judgments_from",
    "keep_rereadable",
    "label",
    "locating_repeats",
    "named_runs",
    "pair_from",
    "raters",
    "read_answered",
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
    "with_intents",
    "write_judgments",
    "write_run",
]

_HOMES = {
    "columns": "ALIASES JUDGMENTS RUN Table find raters",
    "conversion": "as_judgments as_run",
    "spelling": "Spelling",
    "validation": "check",
    "format": "FORMATS Format Head Kind Reading",
    "intents": "with_intents",
    "ir_datasets": "label named_runs",
}
"""The modules of the names that are not in `reading`."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'reading')}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
