"""letor: the files of LETOR, MSLR and SVM-rank, and the scores file beside them.

    judgments   grade  qid:query  1:value  2:value …  #docid = document  …
    scores      one score per line, for the document on the same line of the other file

The comment may be `#docid = X`, `# docid=X` or `# X`; without one a document is called after its query and its place
in it: the third document of query 18 is `18-3`.
"""

from __future__ import annotations

import re
from typing import BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io import lines
from rankgauge.io.base import Format, Head, Kind, refuse_words
from rankgauge.io.lines import BLANK, START, WORD
from rankgauge.io.source import Source
from rankgauge.io.texts import numbers
from rankgauge.policies import Policy
from rankgauge.tables import JUDGMENTS, Table, check
from rankgauge.tables.columns import NUMBER

__all__ = ["LETOR", "Duplicates", "read_judgments", "read_pair"]

_COMMENT = rf"#{BLANK}*(?:docid{BLANK}*={BLANK}*)?(?<document>{WORD}+)"
_LINE = rf"{START}(?<grade>{WORD}+){BLANK}+qid:(?<query>{WORD}+)(?:{BLANK}[^#]*{_COMMENT})?"
_EXPECTED = "a grade, qid:query and features: 2 qid:10 1:0.5 2:0.1 #docid = X"
_SCORES = Table(name="scores", required={"score": NUMBER}, optional={})
_SCORE = rf"{START}(?<score>{WORD}+){BLANK}*$"


class Duplicates(Policy):
    """Duplicates: lines of one query with the same document."""

    REFUSE = "refuse", "a document that stands twice in a query is an error"
    LAST = "last", "of a document that stands twice in a query the last line counts, as in LETOR's scripts"
    ROWS = "rows", "every line is a document of its own, called after its place, as in MSLR's script"


def _recognise(head: Head) -> tuple[Kind, ...]:
    if head.lines and re.match(r"\s*\S+\s+qid:", head.lines[0]):
        return (Kind.JUDGMENTS,)
    return (Kind.COMPANION,) if head.numeric and all(len(fields) == 1 for fields in head.fields) else ()


def read_judgments(source: Source, duplicates: Duplicates = Duplicates.REFUSE) -> pl.DataFrame:
    """The judgments of a LETOR file."""
    rows = _kept(_named(lines.content(source), source, duplicates), duplicates)
    return check(rows, JUDGMENTS, path=source.name, locate=lambda row: lines.place(rows, row))


def _kept(rows: pl.DataFrame, duplicates: Duplicates) -> pl.DataFrame:
    if duplicates is not Duplicates.LAST:
        return rows
    return rows.unique(["query", "document"], keep="last", maintain_order=True)


def _named(rows: pl.DataFrame, source: Source, duplicates: Duplicates) -> pl.DataFrame:
    """Grade, query and document of each line, beside the line."""
    found = rows.select(pl.col("line").str.extract_groups(_LINE)).unnest("line")
    named = pl.concat([found, rows.select("number", "line")], how="horizontal")
    if named["query"].null_count():
        number, text = lines.place(named.filter(pl.col("query").is_null()), 0)
        raise InputError(f"expected {_EXPECTED}", path=source.name, line=number, text=text)
    place = pl.int_range(1, pl.len() + 1).over("query").cast(pl.String)
    called = pl.col("query") + "-" + place
    return named.with_columns(
        called.alias("document") if duplicates is Duplicates.ROWS else pl.col("document").fill_null(called)
    )


def read_pair(
    source: Source, scores: Source, duplicates: Duplicates = Duplicates.REFUSE
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judgments of a LETOR file, and the run that its scores file makes of its documents."""
    named = _named(lines.content(source), source, duplicates)
    rows = _kept(named.with_columns(_scores(scores, len(named), source)), duplicates)
    judgments = check(rows, JUDGMENTS, path=source.name, locate=lambda row: lines.place(rows, row))
    return judgments, judgments.select("query", "document").with_columns(rows["score"])


def _scores(scores: Source, expected: int, source: Source) -> pl.Series:
    """The scores, one for each of the expected documents."""
    numbered = lines.content(scores)
    column = lines.records(numbered, _SCORES, _SCORE, "one score per line", scores)
    if len(column) != expected:
        few = len(column) < expected
        raise InputError(
            f"too {'few' if few else 'many'} scores: {len(column)} for the {expected} documents of {source.name}",
            path=scores.name,
            line=None if few else numbered["number"][expected],
            hint="A scores file has one line for each line of its LETOR file, in the same order.",
        )
    return column["score"]


def _write_judgments(frame: pl.DataFrame, file: BinaryIO) -> None:
    refuse_words(frame, r"[\s\x00]", "holds white space, which separates fields in a LETOR file", "Write CSV or JSONL.")
    line = pl.format("{} qid:{} #docid = {}", numbers("grade"), "query", "document")
    frame.select(line).write_csv(file, include_header=False, quote_style="never")


def _write_run(frame: pl.DataFrame, file: BinaryIO, tag: str) -> None:
    frame.select(numbers("score")).write_csv(file, include_header=False, quote_style="never")


LETOR = Format(
    name="letor",
    title="LETOR, MSLR and SVM-rank files, and files of scores",
    suffixes=(".letor", ".svm", ".svmlight", ".scores"),
    recognise=_recognise,
    sureness=2,
    read_judgments=read_judgments,
    read_pair=read_pair,
    write_judgments=_write_judgments,
    write_run=_write_run,
).register()
