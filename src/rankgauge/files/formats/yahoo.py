"""yahoo: the files of the Yahoo! Learning to Rank Challenge: a line per query, a number per document.

    labels   2 0 1     the grades of the query's documents
    ranks    1 3 2     their ranks, a permutation of 1..n

A query is named by its line number, a document by its position in the line; a rank r becomes the score −r.
"""

from __future__ import annotations

from typing import BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check, lines
from rankgauge.files.format import STRICT, Format, Head, Kind, Reading, SampleFile, numbers, ranks
from rankgauge.files.lines import WORD
from rankgauge.files.source import Source
from rankgauge.policies import FractionalGrade


def _recognise(head: Head) -> tuple[Kind, ...]:
    if not head.numeric:
        return ()
    permutations = all(sorted(map(float, fields)) == list(range(1, len(fields) + 1)) for fields in head.fields)
    return (Kind.JUDGMENTS, Kind.COMPANION) if permutations else (Kind.JUDGMENTS,)


def _cells(source: Source, table: Table, column: str, reading: Reading = STRICT) -> pl.DataFrame:
    """Return one row per number: its query, document and what it says."""
    rows = lines.content(source)
    cells = rows.select(pl.col("number"), pl.col("line").str.extract_all(rf"{WORD}+").alias(column))
    long = cells.with_columns(pl.int_ranges(1, pl.col(column).list.len() + 1).alias("document")).explode(
        column, "document"
    )
    owner = long["number"]
    places = rows.select("number", "line")
    if reading.fractional is FractionalGrade.REFUSE:
        lines.refuse_fractions(long.join(places, on="number", how="left", maintain_order="left"), source)

    def locate(row: int) -> tuple[int, str]:
        number, text = places.filter(pl.col("number") == owner[row]).row(0)
        return number, text

    named = long.select(pl.col("number").cast(pl.String).alias("query"), pl.col("document").cast(pl.String), column)
    return check(named, table, path=source.name, locate=locate, spelling=source.spelling, whole=True)


def _read_run(source: Source) -> pl.DataFrame:
    run = _cells(source, RUN, "score")
    place = pl.int_range(1, pl.len() + 1)
    permuted = run.group_by("query", maintain_order=True).agg((pl.col("score").sort() == place).all())
    odd = permuted.filter(~pl.col("score"))
    if len(odd):
        number = int(odd["query"][0])
        text = " ".join(run.filter(pl.col("query") == odd["query"][0]).select(numbers("score")).to_series())
        problem = "expected the ranks of the documents, each of 1 to n once"
        raise InputError(problem, path=source.name, line=number, text=text)
    return run.with_columns(-pl.col("score"))


def _read_pair(labels: Source, placed: Source, reading: Reading) -> tuple[pl.DataFrame, pl.DataFrame]:
    judgments, run = _cells(labels, JUDGMENTS, "grade", reading), _read_run(placed)
    counts = [frame.group_by("query", maintain_order=True).len() for frame in (judgments, run)]
    both = counts[0].join(counts[1], on="query", how="full", coalesce=True, suffix="_ranks").fill_null(0)
    odd = both.filter(pl.col("len") != pl.col("len_ranks")).sort(pl.col("query").cast(pl.Int64))
    if len(odd):
        query, expected, got = odd.row(0)
        problem = f"{got} ranks for the {expected} labels on the same line of {labels.name}"
        raise InputError(problem, path=placed.name, line=int(query))
    return judgments, run


def _write(frame: pl.DataFrame, number: pl.Expr, file: BinaryIO) -> None:
    """A line per query. Other ids than positions in the file would be lost, so they are refused."""
    ordered = frame.with_columns(
        line=pl.col("query").cast(pl.Int64, strict=False), place=pl.col("document").cast(pl.Int64, strict=False)
    ).sort("line", "place")
    expected = ordered.select(
        query=pl.col("query").rle_id() + 1, document=pl.int_range(1, pl.len() + 1).over("query")
    ).cast(pl.String)
    if not expected.equals(ordered.select("query", "document")):
        raise InputError(
            "a Yahoo file keeps no ids: queries and documents must be called 1, 2, 3, …",
            hint="Write TREC, CSV, JSONL or Parquet, which keep ids.",
        )
    joined = ordered.group_by("query", maintain_order=True).agg(number.alias("number").str.join(" "))
    joined.select("number").write_csv(file, include_header=False, quote_style="never")


YAHOO = Format(
    name="yahoo",
    title="Yahoo! Learning to Rank Challenge labels and ranks",
    suffixes=(".labels", ".ranks"),
    recognise=_recognise,
    sureness=0,
    read_judgments=lambda source: _cells(source, JUDGMENTS, "grade"),
    read_run=_read_run,
    read_pair=_read_pair,
    write_judgments=lambda frame, file: _write(frame, numbers("grade"), file),
    write_run=lambda frame, file, tag: _write(frame.with_columns(ranks()), pl.col("rank").cast(pl.String), file),
    samples=(SampleFile(title="labels of the challenge", kind=Kind.JUDGMENTS, text="2 0 1\n0 1\n"),),
).register()
