"""letor: the files of LETOR, MSLR and SVM-rank, and the scores file beside them; and yahoo, a line per query.

    judgments   grade  qid:query  1:value  2:value …  #docid = document  …
    scores      one score per line, for the document on the same line of the other file

The comment may be `#docid = X`, `# docid=X` or `# X`. Without one a document is named after its query and its position
in it: the third document of query 18 is `18-3`. If a list is only made of adjacent lines, the second list of query 18
is named `18 (2)`, which no query of a LETOR file can be.

The Yahoo! Learning to Rank Challenge has a line per query, and a number per document:

    labels   2 0 1     the grades of the query's documents
    ranks    1 3 2     their ranks, a permutation of 1..n

A query is named by its line number, a document by its position in the line; a rank r becomes the score −r.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check, lines
from rankgauge.files.columns import NUMBER, is_number
from rankgauge.files.format import STRICT, Format, Head, Kind, Reading, SampleFile, numbers, ranks, refuse_words
from rankgauge.files.letor_features import Matrix, scan
from rankgauge.files.lines import BLANK, START, WORD
from rankgauge.files.source import Source
from rankgauge.numeric import FloatArray
from rankgauge.policies import Duplicates, FractionalGrade, Grouping

SAMPLE = "2 qid:1 1:0.5 2:0.1 #docid = d1\n0 qid:1 1:0.2 2:0.4 #docid = d7\n"

AGAIN = r" \(\d+\)$"
"""How a list's name ends if it is not the first of its query."""

ODD = 0.1
"""Up to this share of a file's first lines may be no numbers in a file of scores."""

_COMMENT = rf"#{BLANK}*(?:docid{BLANK}*={BLANK}*)?(?<document>{WORD}+)"
_LINE = rf"{START}(?<grade>{WORD}+){BLANK}+qid:(?<query>{WORD}+)(?:{BLANK}[^#]*{_COMMENT})?"
_EXPECTED = "a grade, qid:query and features: 2 qid:10 1:0.5 2:0.1 #docid = X"
_SCORES = Table(name="scores", required={"score": NUMBER}, optional={})
_SCORE = rf"{START}(?<score>{WORD}+){BLANK}*$"
_FEATURES = rf"qid:{WORD}+([^#]*)"
_FEATURE = rf"^([1-9]\d*):({WORD}+)$"


class FeatureTable(NamedTuple):
    """The documents of a LETOR file, line by line; column f − 1 of the matrix holds feature f."""

    grades: FloatArray
    queries: npt.NDArray[Any]
    documents: npt.NDArray[Any]
    matrix: Matrix


def _recognise(head: Head) -> tuple[Kind, ...]:
    if head.lines and re.match(r"\s*\S+\s+qid:", head.lines[0]):
        return (Kind.JUDGMENTS,)
    numbers = [len(fields) == 1 and is_number(fields[0]) for fields in head.fields]
    odd = len(numbers) - sum(numbers)  # a few lines are mistakes, which the reader names
    return (Kind.COMPANION,) if odd < len(numbers) and odd <= ODD * len(numbers) else ()


def read_judgments(source: Source, reading: Reading = STRICT) -> pl.DataFrame:
    """Return the judgments of a LETOR file."""
    rows = _keep(_name_rows(lines.content(source), source, reading), reading)
    return _check(rows, source)


def _keep(rows: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    if reading.duplicates is not Duplicates.LAST:
        return rows
    return rows.unique(["query", "document"], keep="last", maintain_order=True)


def _name_rows(rows: pl.DataFrame, source: Source, reading: Reading) -> pl.DataFrame:
    """Grade, query and document of each line, beside the line."""
    parts = rows.select(pl.col("line").str.extract_groups(_LINE)).unnest("line")
    named = pl.concat([parts, rows.select("number", "line")], how="horizontal")
    if named["query"].null_count():
        number, text = lines.place(named.filter(pl.col("query").is_null()), 0)
        raise InputError(f"expected {_EXPECTED}", path=source.name, line=number, text=text)
    if reading.fractional is FractionalGrade.REFUSE:
        lines.refuse_fractions(named, source)
    if reading.grouping is Grouping.CHANGE:
        named = named.with_columns(_lists(named["query"]))
    place = pl.int_range(1, pl.len() + 1).over("query").cast(pl.String)
    called = pl.col("query") + "-" + place
    every = reading.duplicates is Duplicates.ROWS
    return named.with_columns(called.alias("document") if every else pl.col("document").fill_null(called))


def _lists(query: pl.Series) -> pl.Series:
    """Name the list of each line: by its query, with a number from the query's second list on."""
    runs = query.to_frame().with_columns(pl.col("query").rle_id().alias("run"))
    firsts = runs.unique("run", keep="first", maintain_order=True)
    number = firsts.with_columns(pl.int_range(1, pl.len() + 1).over("query").alias("number")).select("run", "number")
    numbered = runs.join(number, on="run", how="left", maintain_order="left")
    again = pl.format("{} ({})", "query", "number")
    return numbered.select(pl.when(pl.col("number") > 1).then(again).otherwise("query").alias("query")).to_series()


def _check(rows: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return the judgments of the rows; an error names the line."""
    return check(
        rows,
        JUDGMENTS,
        path=source.name,
        locate=lambda row: lines.place(rows, row),
        spelling=source.spelling,
        whole=True,
    )


def read_pair(source: Source, scores: Source, reading: Reading = STRICT) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the judgments of a LETOR file, and the run that its scores file makes of its documents."""
    named = _name_rows(lines.content(source), source, reading)
    rows = _keep(named.with_columns(_scores(scores, len(named), source, reading)), reading)
    judgments = _check(rows, source)
    return judgments, judgments.select("query", "document").with_columns(rows["score"])


def _scores(scores: Source, expected: int, source: Source, reading: Reading) -> pl.Series:
    """Return the scores, one for each of the expected documents."""
    numbered = lines.content(scores)
    if reading.extra_scores:
        numbered = numbered.head(expected)
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


def read_features(source: Source, reading: Reading = STRICT, *, dtype: npt.DTypeLike = np.float64) -> FeatureTable:
    """Return the documents of a LETOR file with their features; one that a line lacks is 0, as in SVM-rank.

    With dtype=np.float32 the matrix takes half the memory.
    """
    return _scan(source, reading, dtype) or read_carefully(source, reading, dtype)


def _scan(source: Source, reading: Reading, dtype: npt.DTypeLike) -> FeatureTable | None:
    """Read documents straight from the file's bytes; None if the file is irregular or to be refused."""
    scanned = scan(source, dtype)
    if scanned is None:
        return None
    try:
        rows = _name_rows(scanned.lines, source, reading)
        return _features(check(rows, JUDGMENTS, whole=True), scanned.matrix)
    except InputError:
        return None


def _features(judged: pl.DataFrame, matrix: Matrix) -> FeatureTable:
    grades, queries, documents = (judged[name].to_numpy() for name in ("grade", "query", "document"))
    return FeatureTable(grades=grades, queries=queries, documents=documents, matrix=matrix)


def read_carefully(source: Source, reading: Reading = STRICT, dtype: npt.DTypeLike = np.float64) -> FeatureTable:
    """Read what `read_features` reads by expressions over whole lines; an error names the line."""
    rows = _name_rows(lines.content(source), source, reading)
    judged = _check(rows, source)
    texts = rows.select(pl.col("line").str.extract(_FEATURES).str.extract_all(rf"{WORD}+")).with_row_index("row")
    pairs = texts.explode("line", empty_as_null=False)
    number, value = (pl.col("line").str.extract(_FEATURE, group) for group in (1, 2))
    features = pairs.select(
        "row", number.cast(pl.Int64, strict=False), value.cast(pl.Float64, strict=False).alias("value")
    )
    broken = features.filter(pl.col("line").is_null() | pl.col("value").is_null())["row"]
    if len(broken):
        line, text = lines.place(rows, broken[0])
        raise InputError("expected features as number:value", path=source.name, line=line, text=text)
    row, column, values = (features[name].to_numpy() for name in features.columns)
    matrix = np.zeros((len(rows), int(column.max(initial=0))), dtype=dtype)
    matrix[row, column - 1] = values
    return _features(judged, matrix)


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
    samples=(SampleFile(title="a file of LETOR", kind=Kind.JUDGMENTS, text=SAMPLE),),
).register()


def _recognise_yahoo(head: Head) -> tuple[Kind, ...]:
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
    recognise=_recognise_yahoo,
    sureness=0,
    read_judgments=lambda source: _cells(source, JUDGMENTS, "grade"),
    read_run=_read_run,
    read_pair=_read_pair,
    write_judgments=lambda frame, file: _write(frame, numbers("grade"), file),
    write_run=lambda frame, file, tag: _write(frame.with_columns(ranks()), pl.col("rank").cast(pl.String), file),
    samples=(SampleFile(title="labels of the challenge", kind=Kind.JUDGMENTS, text="2 0 1\n0 1\n"),),
).register()
