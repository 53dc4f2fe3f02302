"""msmarco: runs of MS MARCO's passage and document tasks, query⇥document⇥rank without a header."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from rankgauge.files import RUN, lines
from rankgauge.files.format import Format, Head, Kind, SampleFile
from rankgauge.files.lines import BLANK, FIRST, START, WORD
from rankgauge.files.source import Source

_RANKED = (
    rf"{START}(?<query>{FIRST}){BLANK}+(?<document>{WORD}+){BLANK}+(?<score>{WORD}+){BLANK}*$",
    "three fields separated by tabs: query, document, rank",
)
_BY_RANK = -pl.col("score")
RUN_FILE = "1048585\t7187155\t1\n1048585\t7187157\t2\n2\t4339068\t1\n"


def _recognise(head: Head) -> tuple[Kind, ...]:
    """Three fields between tabs, of which the last is the rank: each query has a first document, and no rank twice."""
    tabs = all(line.count("\t") == 2 for line in head.lines)
    if not head.fields or not tabs or any(len(one) != 3 or not one[2].isdecimal() for one in head.fields):
        return ()
    ranks: dict[str, list[float]] = {}
    for query, _, rank in head.fields:
        ranks.setdefault(query, []).append(float(rank))
    ranked = all(min(found) == 1 and len(set(found)) == len(found) for found in ranks.values())
    return (Kind.RUN,) if ranked else ()


def _read(source: Source) -> pl.DataFrame:
    return lines.read(source, RUN, *_RANKED).with_columns(_BY_RANK)


def _batches(source: Source, rows: int) -> Iterator[pl.DataFrame]:
    return (batch.with_columns(_BY_RANK) for batch in lines.batches(source, RUN, *_RANKED, rows))


MSMARCO = Format(
    name="msmarco",
    title="runs of MS MARCO: query, document and rank without a header",
    suffixes=(),
    recognise=_recognise,
    sureness=2,
    read_run=_read,
    batches=_batches,
    locate=lines.locate,
    samples=(SampleFile(title="a run of MS MARCO", kind=Kind.RUN, text=RUN_FILE),),
).register()
