"""trec: the qrels and run files of TREC, as trec_eval 10 reads them.

    judgments   query  iteration  document  grade            the iteration is ignored
    run         query  Q0  document  rank  score  tag        only query, document and score count

`trec-assessors` reads the iteration as the assessor, as trec_eval's judgment groups (qrels_jg) do, and
`trec-subtopics` as the subtopic, as ndeval does; for measures of diversity that is so without saying it.

Fields are separated by any white space; blank lines and lines that begin with `#` are skipped, while an id may hold a
`#`. trec_eval demands the tag and ignores what follows it; here a run may lack the tag.

MS MARCO's runs have three fields, query⇥document⇥rank, and no header.
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, lines
from rankgauge.files.format import LINES, Format, Head, Kind, SampleFile, numbers, ranks, refuse_words
from rankgauge.files.lines import BLANK, FIRST, START, WORD
from rankgauge.files.source import Source
from rankgauge.input_notes import collecting_notes, note
from rankgauge.policies import JudgmentKind

_GAP = f"{BLANK}+"
_QRELS, _ASSESSED, _SUBTOPICS = (
    (
        rf"{START}(?<query>{FIRST}){_GAP}{field}{_GAP}(?<document>{WORD}+){_GAP}(?<grade>{WORD}+){BLANK}*$",
        f"four fields: query, {second}, document, grade",
    )
    for second, field in (
        ("iteration", f"{WORD}+"),
        ("assessor", f"(?<assessor>{WORD}+)"),
        ("subtopic", f"(?<subtopic>{WORD}+)"),
    )
)
_RUN = (
    rf"{START}(?<query>{FIRST}){_GAP}{WORD}+{_GAP}(?<document>{WORD}+){_GAP}{WORD}+{_GAP}(?<score>{WORD}+)",
    "six fields: query, Q0, document, rank, score, tag",
)
_RANKED = (
    rf"{START}(?<query>{FIRST}){_GAP}{WORD}+{_GAP}(?<document>{WORD}+){_GAP}(?<rank>{WORD}+){_GAP}(?<score>{WORD}+)",
    _RUN[1],
)


def read_ranked(source: Source) -> pl.DataFrame:
    """Return a run with the ranks that the file states, which evaluation ignores; null if a rank is no number."""
    return lines.read(source, RUN, *_RANKED)


def _recognise(head: Head) -> tuple[Kind, ...]:
    widths = {len(fields) for fields in head.fields}
    if not widths or head.is_json or (head.numeric and len(widths) > 1):
        return ()
    width = len(head.fields[0])
    if head.numeric and width > 6:
        return ()
    return (Kind.JUDGMENTS,) if width == 4 else (Kind.RUN,) if width >= 5 else ()


def _nearly(head: Head) -> str | None:
    """Return how the lines should look, if they are too few fields between blanks."""
    ids = len(head.lines) > 1 and all(len(fields) == 1 and not set(",;{[<") & {*fields[0]} for fields in head.fields)
    if not ids and not (head.fields and 1 < len(head.fields[0]) < 4):
        return None
    run, judgments = LINES[Kind.RUN], LINES[Kind.JUDGMENTS]
    alone = "Ids alone do not say which query they are for. " if ids else ""
    return f"{alone}A line of a TREC run is: {run}; one of TREC judgments: {judgments}"


def _read_judgments(source: Source) -> pl.DataFrame:
    """Return the judgments, unless the second field tells several of one document apart."""
    with collecting_notes() as notes:
        try:
            rows = lines.read(source, JUDGMENTS, *_QRELS)
        except InputError:
            _refuse_groups(source)
            raise
    if notes:  # judgments may have been merged
        _refuse_groups(source)
    for words in notes:
        note(words)
    return rows


def _read_subtopics(source: Source) -> pl.DataFrame:
    """Return the judgments by subtopic, unless the second field is the same everywhere: then it is no subtopic."""
    rows = lines.read(source, JUDGMENTS, *_SUBTOPICS)
    if rows["subtopic"].n_unique() < 2:
        raise InputError(
            f"the second field is {rows['subtopic'][0]} in every line, so that it names no subtopics",
            path=source.name,
            hint="Measures of diversity need diversity qrels: query subtopic document grade. If every query does have "
            "one subtopic only, name the format: trec-subtopics.",
        )
    return rows


def _refuse_groups(source: Source) -> None:
    """Raise an error for qrels of several subtopics or assessors, which are no judgments of a document as a whole."""
    rows = lines.content(source)
    fields = rows.select("number", "line", pl.col("line").str.extract_groups(_ASSESSED[0]).alias("f")).unnest("f")
    pair = ["query", "document"]
    several = fields.filter(pl.col("assessor").n_unique().over(pair) > 1)
    if several.is_empty():
        return
    query, document, group, grade = several.select(*pair, "assessor", "grade").row(0)
    same = several.filter(pl.col("query") == query, pl.col("document") == document, pl.col("assessor") != group)
    line, text = lines.place(same, 0)
    raise InputError(
        f"document {document} of query {query} is judged twice: grade {grade}, then {same['grade'][0]}, "
        f"for {group} and for {same['assessor'][0]} in the second field",
        path=source.name,
        line=line,
        text=text,
        hint="If these are assessors (qrels_jg), name the format: --format-judgments trec-assessors. If they are "
        "subtopics (diversity qrels), measures of diversity such as alpha_nDCG@10 read them as such; for others name "
        "the format trec-subtopics, and the highest grade of a document counts.",
    )


def _refuse_fractions(source: Source) -> None:
    grade = pl.col("line").str.extract_groups(_QRELS[0]).struct.field("grade")
    lines.refuse_fractions(lines.content(source).with_columns(grade), source)


def _write_judgments(frame: pl.DataFrame, file: BinaryIO, second: str = "") -> None:
    """Write qrels whose second field is that column, or 0 without such a column."""
    _refuse(frame)
    if second in frame.columns:
        _refuse(frame.select(pl.lit("q").alias("query"), document=second))
    field = pl.col(second) if second in frame.columns else pl.lit("0")
    _write(frame.select("query", field, "document", numbers("grade")), file)


def _write_run(frame: pl.DataFrame, file: BinaryIO, tag: str) -> None:
    _refuse(frame)
    columns = [pl.lit("Q0").alias("Q0"), pl.col("document"), ranks(), numbers("score"), pl.lit(tag).alias("tag")]
    _write(frame.select("query", *columns), file)


def _write(frame: pl.DataFrame, file: BinaryIO) -> None:
    frame.write_csv(file, include_header=False, separator=" ", quote_style="never")


def _refuse(frame: pl.DataFrame) -> None:
    hint = "Write CSV, JSONL or Parquet, which can hold any id."
    refuse_words(frame, r"[\s\x00\x{FEFF}]", "holds white space, which separates fields in a TREC file", hint)
    refuse_words(frame.select("query", document="query"), "^#", "begins with '#', which begins a comment", hint)


TREC = Format(
    name="trec",
    title="TREC qrels and run files",
    suffixes=(".qrels", ".qrel", ".run", ".trec"),
    recognise=_recognise,
    sureness=1,
    nearly=_nearly,
    read_judgments=_read_judgments,
    readers={
        JudgmentKind.SUBTOPICS: _read_subtopics,
        # trec_eval's qrels_jg and qrels_prefs
        JudgmentKind.GROUPS: lambda source: lines.read(source, JUDGMENTS, *_SUBTOPICS),
        JudgmentKind.PREFERENCES: lambda source: lines.read(source, JUDGMENTS, *_SUBTOPICS),
    },
    read_run=lambda source: lines.read(source, RUN, *_RUN),
    read_ranked=read_ranked,
    refuse_fractions=_refuse_fractions,
    batches=lambda source, rows: lines.batches(source, RUN, *_RUN, rows),
    locate=lines.locate,
    write_judgments=_write_judgments,
    write_run=_write_run,
    samples=(
        SampleFile(title="qrels of TREC", kind=Kind.JUDGMENTS, text="q1 0 d1 2\nq1 0 d7 0\nq2 0 d3 1\n"),
        SampleFile(
            title="a run of TREC",
            kind=Kind.RUN,
            text="q1 Q0 d7 1 1.5 bm25\nq1 Q0 d1 2 0.5 bm25\nq2 Q0 d3 1 0.25 bm25\n",
        ),
    ),
).register()

TREC_ASSESSORS, TREC_SUBTOPICS = (
    Format(
        name=f"trec-{second}s",
        title=f"TREC qrels whose second field names the {second}",
        suffixes=(),
        recognise=lambda head: (),  # nothing in the file distinguishes an iteration from another second field
        sureness=0,
        keeps_assessors=second == "assessor",
        keeps_subtopics=second == "subtopic",
        read_judgments=partial(lines.read, table=JUDGMENTS, pattern=pattern[0], expected=pattern[1]),
        write_judgments=partial(_write_judgments, second=second),
    ).register()
    for second, pattern in (("assessor", _ASSESSED), ("subtopic", _SUBTOPICS))
)

_MSMARCO = (
    rf"{START}(?<query>{FIRST}){BLANK}+(?<document>{WORD}+){BLANK}+(?<score>{WORD}+){BLANK}*$",
    "three fields separated by tabs: query, document, rank",
)
_BY_RANK = -pl.col("score")
RUN_FILE = "1048585\t7187155\t1\n1048585\t7187157\t2\n2\t4339068\t1\n"


def _is_msmarco(head: Head) -> tuple[Kind, ...]:
    """Three fields between tabs, of which the last is the rank: each query has a first document, and no rank twice."""
    tabs = all(line.count("\t") == 2 for line in head.lines)
    if not head.fields or not tabs or any(len(field) != 3 or not field[2].isdecimal() for field in head.fields):
        return ()
    ranks: dict[str, list[float]] = {}
    for query, _, rank in head.fields:
        ranks.setdefault(query, []).append(float(rank))
    ranked = all(
        min(ranked_places) == 1 and len(set(ranked_places)) == len(ranked_places) for ranked_places in ranks.values()
    )
    return (Kind.RUN,) if ranked else ()


MSMARCO = Format(
    name="msmarco",
    title="runs of MS MARCO: query, document and rank without a header",
    suffixes=(),
    recognise=_is_msmarco,
    sureness=2,
    read_run=lambda source: lines.read(source, RUN, *_MSMARCO).with_columns(_BY_RANK),
    batches=lambda source, rows: (
        batch.with_columns(_BY_RANK) for batch in lines.batches(source, RUN, *_MSMARCO, rows)
    ),
    locate=lines.locate,
    samples=(SampleFile(title="a run of MS MARCO", kind=Kind.RUN, text=RUN_FILE),),
).register()
