"""evidently: frames of recommendations as Evidently and Microsoft's recommenders take them.

    user_id,item_id,target,prediction      Evidently: judgments and run in one frame
    userID,itemID,rating                   recommenders: the ratings that are held out
    userID,itemID,prediction               recommenders: what a model predicts

A user is a query, an item a document. `prediction` is a score, unless the predictions of every user are the numbers
1, 2, 3 …: then it is a rank, and a note says so. Rows without a target are no judgments, those without a prediction not
in the run.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankgauge.files.columns import find
from rankgauge.files.format import Head, Kind, SampleFile
from rankgauge.files.query_rows import PARQUET, SURENESS
from rankgauge.files.source import Source, damage
from rankgauge.files.tabular import header, locate_record, scan_delimited, tabular
from rankgauge.input_notes import note
from rankgauge.registry import plain

FRAME = "user_id,item_id,target,prediction\nu1,d7,0,0.9\nu1,d1,1,0.5\nu2,d3,1,0.4\n"
GRADES, USER, ITEM, SCORE = ("target", "rating"), "userid", "itemid", "prediction"
RANKED = "the predictions of every user are 1, 2, 3 … and are read as ranks"


def _our_names(columns: Iterable[str]) -> dict[str, str]:
    """Our names of a frame's columns; nothing for another table."""
    known = {plain(column): column for column in columns}
    if USER not in known or ITEM not in known or find(known.values(), "query"):
        return {}
    grade = next((known[name] for name in GRADES if name in known), None)
    names = {"query": known[USER], "document": known[ITEM], "grade": grade, "score": known.get(SCORE)}
    present = {ours: column for ours, column in names.items() if column is not None}
    return present if len(present) > 2 else {}


def _recognise(head: Head) -> tuple[Kind, ...]:
    try:
        names = _scan(head.source).collect_schema().names() if head.raw.startswith(PARQUET) else header(head)[0]
    except damage():
        return ()
    kinds = {"grade": Kind.JUDGMENTS, "score": Kind.RUN}
    return tuple(kind for name, kind in kinds.items() if name in _our_names(names))


def _scan(source: Source) -> pl.LazyFrame:
    return pl.scan_parquet(source.scannable()) if source.read(4) == PARQUET else scan_delimited(source)


def _scan_frame(source: Source) -> pl.LazyFrame:
    """Return the frame under our names; predictions that are ranks become falling scores."""
    rows = _scan(source)
    columns = _our_names(rows.collect_schema().names())
    frame = rows.select(pl.col(column).alias(name) for name, column in columns.items())
    if "score" not in columns:
        return frame
    score = pl.col("score").cast(pl.Float64, strict=False)
    place = score.rank("ordinal").over("query").cast(pl.Float64)
    is_ranked = frame.select(((score == place) & (score >= 1)).all() & (score.max() > 1)).collect().item()
    if is_ranked:
        note(RANKED, source.name)
    return frame.with_columns(-score if is_ranked else pl.col("score"))


EVIDENTLY = tabular(
    scan=_scan_frame,
    locate=locate_record,
    name="evidently",
    title="frames of recommendations of Evidently and of recommenders (CSV, Parquet)",
    suffixes=(".parquet", ".pq"),
    recognise=_recognise,
    sureness=SURENESS,
    samples=(SampleFile(title="a frame of Evidently", kind=Kind.RUN, text=FRAME),),
).register()
