"""The tables that flow through RankGauge: polars frames with fixed column names and types.

Ids are strings, grades and scores doubles. Whatever comes in at the door (a file, a pandas frame, a dict of dicts) has
passed `check` before anything is computed.
"""

from rankgauge.tables.check import check
from rankgauge.tables.columns import ALIASES, FEATURES, JUDGMENTS, RUN, SUMMARY, VALUES, Table, find, raters, recognise
from rankgauge.tables.door import as_judgments, as_run

__all__ = [
    "ALIASES",
    "FEATURES",
    "JUDGMENTS",
    "RUN",
    "SUMMARY",
    "VALUES",
    "Table",
    "as_judgments",
    "as_run",
    "check",
    "find",
    "raters",
    "recognise",
]
