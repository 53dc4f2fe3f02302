"""The tables that flow through RankGauge: polars frames with fixed column names and types.

Ids are strings, grades and scores doubles. Whatever comes in (a file, a pandas frame, a dict of dicts)
passes `check` before anything is computed.
"""

from rankgauge.tables.columns import ALIASES, JUDGMENTS, RUN, Table, find, missing_columns, raters, recognise
from rankgauge.tables.conversion import as_judgments, as_run
from rankgauge.tables.spelling import Spelling
from rankgauge.tables.validation import check

__all__ = [
    "ALIASES",
    "JUDGMENTS",
    "RUN",
    "Spelling",
    "Table",
    "as_judgments",
    "as_run",
    "check",
    "find",
    "missing_columns",
    "raters",
    "recognise",
]
