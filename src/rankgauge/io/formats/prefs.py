"""prefs: preferences as trec_eval reads them (`-R prefs`): query, group, subgroup, document, level.

    1  judge1  A  doc1  2.0        within a subgroup, a document of a higher level is preferred

They are recognised so that nothing takes them for a run, whose lines have as many fields. No measure uses them.
"""

from __future__ import annotations

from collections import Counter

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.format import Format, Head, Kind, is_number
from rankgauge.io.formats.prels import is_prels
from rankgauge.io.source import Source


def is_prefs(head: Head) -> bool:
    """Whether a document's name stands where a run has the rank, or lines share what would be a run's document."""
    if len(head.fields) < 2 or any(len(fields) != 5 for fields in head.fields) or is_prels(head):
        return False
    if any(fields[1].lower() == "q0" or not is_number(fields[4]) for fields in head.fields):
        return False
    named = not any(is_number(fields[3]) for fields in head.fields)
    shared = max(Counter((fields[0], fields[2]) for fields in head.fields).values()) > 1
    return named or (shared and len({tuple(fields[:4]) for fields in head.fields}) == len(head.fields))


def _refuse(source: Source) -> pl.DataFrame:
    raise InputError(
        "contains preferences of trec_eval (query, group, subgroup, document, level), which no measure here uses",
        path=source.name,
        hint="Give graded judgments: query 0 document grade",
    )


PREFS = Format(
    name="prefs",
    title="preferences of trec_eval, which are recognised but not used",
    suffixes=(".prefs", ".qrels", ".qrel"),
    recognise=lambda head: (Kind.JUDGMENTS,) if is_prefs(head) else (),
    sureness=2,
    read_judgments=_refuse,
).register()
