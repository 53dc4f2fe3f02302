"""Intents: how likely each subtopic of a query is what a user looks for.

    query  subtopic  probability          white space between fields, as NTCIREVAL's Iprob files have it

A table with these columns, and {query: {subtopic: probability}} in Python, are read too.
"""

from __future__ import annotations

import os
from typing import Any

import polars as pl

from rankgauge.errors import InputError, JudgmentsError
from rankgauge.files import lines
from rankgauge.files.columns import NUMBER, TEXT, Table, find
from rankgauge.files.conversion import as_table
from rankgauge.files.format import Head
from rankgauge.files.lines import BLANK, FIRST, START, WORD
from rankgauge.files.reading import is_path, judgments_from, read_judgments, read_table, table_suffixes
from rankgauge.files.source import Source, suffix_of
from rankgauge.files.tabular import TableReader, header, locate_record, scan_delimited
from rankgauge.files.validation import KEY, check_probabilities, refuse_negative
from rankgauge.input_notes import note
from rankgauge.policies import JudgmentKind

INTENTS = Table(
    name="intents",
    required={"query": TEXT, "subtopic": TEXT, "probability": NUMBER},
    optional={},
    key=("query", "subtopic"),
)

_GAP = f"{BLANK}+"
_LINE = (
    rf"{START}(?<query>{FIRST}){_GAP}(?<subtopic>{WORD}+){_GAP}(?<probability>{WORD}+){BLANK}*$",
    "three fields: query, subtopic, probability",
)


def with_intents(judgments: Any, intents: Any, format: str | None = None) -> pl.DataFrame:
    """The judgments by subtopic, with the probability of each; `format` is that of the judgments, if it was named."""
    judged = (
        judgments_from(judgments, JudgmentKind.SUBTOPICS)
        if format is None
        else read_judgments(judgments, format, kind=JudgmentKind.SUBTOPICS)
    )
    if "subtopic" not in judged.columns:
        raise InputError(
            "probabilities are those of subtopics, and these judgments have none",
            hint="Give diversity qrels (query subtopic document grade), or a table with a column subtopic.",
        )
    named = os.fspath(intents) if is_path(intents) else None
    known = read_intents(intents)
    joined = judged.drop("probability", strict=False).join(known, on=KEY, how="left", maintain_order="left")
    _refuse(joined, known, named)
    unjudged = known.filter(pl.col("probability") > 0).join(judged, on=KEY, how="anti")
    unjudged = unjudged.join(judged, on="query", how="semi", maintain_order="left")
    if len(unjudged):
        said = "subtopic has a probability and no judgments: it counts"
        plural = "subtopics have a probability and no judgments: they count"
        note(f"{len(unjudged)} {said if len(unjudged) == 1 else plural} in I_rec and Dsharp_nDCG alone", named)
    return pl.concat([joined, _unserved_rows(joined, unjudged)], how="diagonal")


def _unserved_rows(rows: pl.DataFrame, subtopics: pl.DataFrame) -> pl.DataFrame:
    """Rows that make known subtopics part of their queries: a document that is judged anyway is not relevant to them.

    Its grade there is none that could change what the document is worth as a whole.
    """
    low = pl.min_horizontal(pl.col("grade"), pl.lit(0)).cast(rows.schema["grade"])
    first = rows.unique("query", keep="first", maintain_order=True).select("query", "document", low)
    return subtopics.join(first, on="query", how="inner", maintain_order="left")


def read_intents(source: Any) -> pl.DataFrame:
    """Return the probabilities in a file, a frame, a dict of dicts or rows."""
    if not is_path(source):
        return as_table(source, INTENTS)
    given = Source.of(source)
    if _has_header(given):
        return _TABLE.read(INTENTS, given)
    if suffix_of(os.fspath(source)) not in table_suffixes():
        return lines.read(given, INTENTS, *_LINE)
    try:
        return as_table(read_table(source), INTENTS)
    except InputError as error:
        raise InputError(error.problem, path=error.path or given.name, hint=error.hint) from None


def _has_header(source: Source) -> bool:
    """Say whether it is a delimited text that begins with the names of our columns, whatever the file is called."""
    head = Head(source=source)
    return not head.binary and all(find(header(head)[0], name) for name in INTENTS.required)


_TABLE = TableReader(scan=scan_delimited, careful=None, locate=locate_record, comma=lambda source: None)


def _refuse(rows: pl.DataFrame, known: pl.DataFrame, path: str | None) -> None:
    """Raise an error for probabilities below 0, for a subtopic without one, and for a query whose are all 0."""
    try:
        refuse_negative(known)
        check_probabilities(rows)
    except JudgmentsError as error:
        raise InputError(error.problem, path=path, hint=error.hint) from None
