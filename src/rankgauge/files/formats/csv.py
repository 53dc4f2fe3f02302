"""csv: comma- or tab-separated tables with a header, as ir-measures, PyTerrier, BEIR and Quepid write them."""

from __future__ import annotations

from functools import partial
from typing import Any, BinaryIO

import polars as pl

from rankgauge.files.format import Format, Head, Kind, SampleFile, kinds, numbers
from rankgauge.files.tabular import header, locate_record, scan_delimited, tabular

SNAPSHOT = """Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position
before,2026-03-01T09:00:00.000Z,3,red dress,d7,1
before,2026-03-01T09:00:00.000Z,3,red dress,d1,2
"""


def _recognise_tabs(head: Head) -> tuple[Kind, ...]:
    names, separator = header(head)
    return kinds(names, head.source.said) if separator == "\t" else ()


def _nearly(head: Head) -> str | None:
    """That the first line should be a header, if all lines have equally many cells."""
    cells = {line.count(header(head)[1]) for line in head.lines}
    wanted = (
        "A table begins with the names of its columns: query,document,score or query,document,grade; "
        "--columns query=NAME,document=NAME says which others they are"
    )
    return wanted if len(cells) == 1 and min(cells) > 1 else None


def _write(separator: str, frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    grades = [numbers("grade")] if "grade" in frame.columns else []
    texts = pl.selectors.string()
    padded = frame.select((texts != texts.str.strip_chars()).any())
    # Readers keep the blanks around a cell only where every cell is quoted.
    exact = any(padded.row(0))
    frame.with_columns(grades).write_csv(file, separator=separator, quote_style="always" if exact else "necessary")


def _table(separator: str, **facts: Any) -> Format:
    write = partial(_write, separator)
    return tabular(
        scan=scan_delimited,
        locate=locate_record,
        comma=lambda source: header(Head(source=source))[1] != ",",
        sureness=2,
        write_judgments=write,
        write_run=write,
        **facts,
    ).register()


CSV = _table(
    ",",
    name="csv",
    title="comma-separated tables with a header",
    suffixes=(".csv",),
    recognise=lambda head: kinds(header(head)[0], head.source.said),
    nearly=_nearly,
    samples=(
        SampleFile(
            title="ratings of Quepid", kind=Kind.JUDGMENTS, text="query,docid,rating\nred dress,d1,3\nred dress,d7,0\n"
        ),
        SampleFile(title="a snapshot of Quepid", kind=Kind.RUN, text=SNAPSHOT),
        SampleFile(
            title="a frame of PyTerrier", kind=Kind.RUN, text="qid,docno,rank,score\nq1,d7,0,1.5\nq1,d1,1,0.5\n"
        ),
    ),
)
TSV = _table(
    "\t",
    name="tsv",
    title="tab-separated tables with a header",
    suffixes=(".tsv",),
    recognise=_recognise_tabs,
    samples=(
        SampleFile(
            title="qrels of BEIR", kind=Kind.JUDGMENTS, text="query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td7\t0\n"
        ),
    ),
)
