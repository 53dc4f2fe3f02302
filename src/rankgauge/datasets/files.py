"""A collection as files, in the formats that the field's tools read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from rankgauge.datasets.collection import Collection

__all__ = ["FILES", "write"]


def _qrels(collection: Collection) -> str:
    rows = collection.judgments.iter_rows()
    return "".join(f"{query} 0 {document} {grade:g}\n" for query, document, grade in rows)


def _trec_run(run: pl.DataFrame, tag: str) -> str:
    rank = run.select(pl.int_range(1, pl.len() + 1).over("query")).to_series()
    rows = zip(run.iter_rows(), rank, strict=True)
    return "".join(f"{query} Q0 {document} {place} {score:g} {tag}\n" for (query, document, score), place in rows)


def _jsonl_run(run: pl.DataFrame) -> str:
    return "".join(json.dumps(row) + "\n" for row in run.iter_rows(named=True))


def _joined(collection: Collection) -> pl.DataFrame:
    """The judged documents of the dense run, as a learned ranker's test set."""
    pair = collection.judgments.join(collection.runs["dense"], on=["query", "document"], maintain_order="left")
    return pair.with_columns(length=pl.col("document").str.slice(1).cast(pl.Float64) / 1000)


def _letor(collection: Collection) -> str:
    rows = _joined(collection).iter_rows(named=True)
    return "".join(
        f"{row['grade']:g} qid:{row['query'][1:].lstrip('0')} 1:{row['score']:g} 2:{row['length']:g} "
        f"#docid = {row['document']}\n"
        for row in rows
    )


def _scores(collection: Collection) -> str:
    return "".join(f"{score:g}\n" for score in _joined(collection)["score"])


FILES: Mapping[str, tuple[str, Callable[[Collection], str]]] = {
    "qrels.txt": ("judgments as TREC writes them: query, 0, document, grade", _qrels),
    "ratings.csv": ("the same documents, graded by three assessors", lambda c: c.ratings.write_csv(float_precision=0)),
    "bm25.txt": ("a run as TREC writes it, with tied scores", lambda c: _trec_run(c.runs["bm25"], "bm25")),
    "dense.txt.gz": ("a better run, compressed", lambda c: _trec_run(c.runs["dense"], "dense")),
    "dense.jsonl": ("the same run, a JSON object a line", lambda c: _jsonl_run(c.runs["dense"])),
    "test.txt": ("a learned ranker's test set in the LETOR format", _letor),
    "scores.txt": ("a score for each line of test.txt", _scores),
    "pool.csv": (
        "documents that nobody has judged, and what a model believes of them",
        lambda c: c.pool.drop("grade").write_csv(),
    ),
    "grades.csv": ("what an assessor would say of them", lambda c: c.pool["query", "document", "grade"].write_csv()),
}
"""The files of a collection: what each is, and what it holds."""


def write(collection: Collection, folder: Path) -> list[Path]:
    """The collection's files in the folder, which is made where it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (_, content) in FILES.items():
        data = content(collection).encode()
        # No time stamp: the same seed gives the same bytes.
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        paths.append(folder / name)
    return paths
