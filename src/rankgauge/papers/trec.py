"""TREC collections whose pools are judged throughout, as folders of files."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pools.contributions import read_teams
from rankgauge.numeric import FloatArray

TREC8_DEPTH = 100
"""How many documents of a list went into the pool of TREC-8."""


def dl19(folder: Path) -> tuple[BoardPool, FloatArray]:
    """TREC 2019 Deep Learning, passages: 37 runs, 43 queries, and the grades of the pool.

    The folder has the judgments as qrels.txt, and the first 100 documents of each list in runs_order_top100.txt.xz: a
    line for each list with the run, the query and the documents, separated by tabs, and the documents by blanks.
    """
    judgments = _file(folder, "qrels.txt")
    pool = BoardPool.from_runs(dl19_runs(folder), only=judgments)
    return pool, pool.grades(judgments)


def dl19_runs(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return the runs of TREC Deep Learning by name: for each query its documents with falling scores.

    A document that nobody judged may be listed as `-`, as often as there are such.
    """
    packed = _file(folder, "runs_order_top100.txt.xz").read_bytes()
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for line in lzma.decompress(packed).decode().splitlines():
        run, query, documents = line.split("\t")
        listed = (name if name != "-" else f"unjudged {n}" for n, name in enumerate(documents.split()))
        runs.setdefault(run, {})[query] = {document: -float(n) for n, document in enumerate(listed)}
    return runs


def trec8(folder: Path) -> tuple[BoardPool, FloatArray]:
    """TREC-8 ad hoc: 129 runs, 50 queries, and the grades of the pool.

    The folder has judgments.parquet (topic, document, grade) and hits.parquet (run, topic, rank, and the row of the
    judgment), in which only judged documents are listed. A list that is judged without a gap and ends inside the pool's
    depth has ended there: had it gone on, its next document would have been judged too.
    """
    judgments, hits = (pl.read_parquet(_file(folder, f"{name}.parquet")) for name in ("judgments", "hits"))
    # The numbers of categories depend on how the file was read, their names do not.
    hits = hits.with_columns(pl.col("run").cast(pl.String)).sort("run", "topic", "rank")
    topics = judgments["topic"].unique(maintain_order=True)
    sizes = judgments.group_by("topic", maintain_order=True).len()["len"].to_numpy().astype(np.int64)
    names = hits["run"].unique(maintain_order=True)
    run, document, rank = (
        column.to_numpy().astype(np.int64) for column in (hits["run"].rle_id(), hits["judgment"], hits["rank"])
    )
    cell = run * len(topics) + np.repeat(np.arange(len(topics)), sizes)[document]
    last = np.zeros(len(names) * len(topics), dtype=np.int64)
    np.maximum.at(last, cell, rank)
    ended = (np.bincount(cell, minlength=len(last)) == last) & (last < TREC8_DEPTH)
    pool = BoardPool(
        runs=tuple(names),
        queries=topics.cast(pl.String),
        documents=judgments["document"],
        sizes=sizes,
        run=run,
        document=document,
        rank=rank,
        lengths=np.where(ended, last, rank.max()).reshape(len(names), len(topics)),
    )
    return pool, judgments["grade"].to_numpy().astype(np.float64)


FOLDERS: Mapping[str, tuple[str, Callable[[Path], tuple[BoardPool, FloatArray]]]] = {
    "TREC-8": ("trec8_adhoc", trec8),
    "DL19": ("trec_dl19_passage", dl19),
}
"""By their titles the folders of the collections, and how each is read."""

TEAMS = "teams.tsv"
"""The file of a collection that says who made which run, where that is known."""


def collections(folder: Path | None, names: Mapping[str, str] | None = None) -> dict[str, Path]:
    """Return the folders of the collections that are in the folder, by title; no folder at all has none of them."""
    if folder is None:
        return {}
    wanted = names or {title: name for title, (name, _) in FOLDERS.items()}
    there = {title: folder / name for title, name in wanted.items() if (folder / name).is_dir()}
    if not there:
        raise InputError(f"there is no folder {' or '.join(wanted.values())}", path=folder)
    return there


def teams_of(folder: Path) -> dict[str, str]:
    """Return the team of each run of a collection; empty where teams are not known."""
    named = folder / TEAMS
    return read_teams(named.read_text(encoding="utf-8").splitlines(), str(named)) if named.exists() else {}


def _file(folder: Path, name: str) -> Path:
    if not (folder / name).exists():
        raise InputError("there is no such file", path=folder / name, hint="The folder is not complete.")
    return folder / name
