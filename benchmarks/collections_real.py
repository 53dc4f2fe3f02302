"""Ways to fuse runs on five judged collections: python -m benchmarks.collections_real ../shared/data OUT.

Writes a folder for each collection that `rankgauge compare --collections OUT` reads: judgments, and a run for each way
to fuse the same lists. TREC-8, DL19 and DL21: ten participants' lists, drawn with seed 0 (of TREC-8 the judged
documents alone, which is all that is there). MQ2008 and OHSUMED: six rankers, each trained on four of five parts and
applied to the fifth. `alone` is the first of the lists. All ways look at ranks: scores of some lists are not known.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.fusion import fuse
from rankgauge.training import get
from rankgauge.training.documents import read

WAYS: dict[str, dict[str, Any]] = {
    "rrf": {},
    "rrf-10": {"method": "rrf", "k": 10},
    "borda": {},
    "condorcet": {},
    "isr": {},
    "rbc": {},
    "combmed": {},
}
RANKERS: dict[str, dict[str, Any]] = {
    "ranksvm": {},
    "ordered-logit": {},
    "adarank": {},
    "coordinate-ascent": {"restarts": 1},
    "rankboost": {"rounds": 100},
    "lambdamart": {"trees": 100},
}
DRAWN, DEPTH = 10, 100

Lists = dict[str, dict[str, dict[str, float]]]
"""Scores by run, query and document."""


def drawn(names: list[str]) -> list[str]:
    """Draw ten of the runs."""
    return np.random.default_rng(0).choice(sorted(names), DRAWN, replace=False).tolist()


def trec_8(data: Path) -> tuple[str, Lists]:
    """Read TREC-8's judgments and some of its runs."""
    judged = pl.read_parquet(data / "trec8_adhoc/judgments.parquet")
    hits = pl.read_parquet(data / "trec8_adhoc/hits.parquet").with_columns(pl.col("run").cast(str))
    kept = hits.filter(pl.col("run").is_in(drawn(hits["run"].unique().to_list())) & (pl.col("rank") <= DEPTH))
    names, lists = judged["document"].to_list(), {}
    for topic, place, rank, run in kept.iter_rows():
        lists.setdefault(run, {}).setdefault(str(topic), {})[names[place]] = 1.0 / rank
    return "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in judged.iter_rows()), lists


def deep_learning(data: Path, year: str) -> tuple[str, Lists]:
    """Read the judgments of a Deep Learning track and some of its runs."""
    folder = data / f"trec_dl{year}_passage"
    with lzma.open(folder / "runs_order_top100.txt.xz", "rt") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream]
    chosen, lists = set(drawn(list({run for run, *_ in rows}))), {}
    for run, topic, *documents in rows:
        listed = " ".join(documents).split()
        if run in chosen:  # a dash is a document that nobody judged
            scored = {f"unjudged-{run}-{n}" if d == "-" else d: 1.0 / (1 + n) for n, d in enumerate(listed)}
            lists.setdefault(run, {})[topic] = scored
    return (folder / "qrels.txt").read_text(), lists


def learned(folder: Path) -> tuple[str, Lists]:
    """Train the rankers on four parts of a set for learning to rank, and rank the fifth."""
    parts = [read(folder / f"S{part}.txt") for part in range(1, 6)]
    lines, lists = [], {name: {} for name in RANKERS}
    for held, part in enumerate(parts):
        rest = [one for place, one in enumerate(parts) if place != held]
        matrix, grades, queries = (
            np.concatenate([np.asarray(getattr(one, what)) for one in rest]) for what in ("matrix", "grades", "queries")
        )
        lines += [f"{q} 0 d{n} {g:g}\n" for n, (q, g) in enumerate(zip(part.queries, part.grades, strict=True))]
        for name, settings in RANKERS.items():
            ranker = get(name)(metric="nDCG@10", rng=0, **settings)
            ranker.fit(matrix, grades, qid=queries)
            for n, (query, score) in enumerate(zip(part.queries, ranker.predict(part.matrix), strict=True)):
                lists[name].setdefault(str(query), {})[f"d{n}"] = float(score)
    return "".join(lines), lists


def collections(data: Path) -> Iterator[tuple[str, tuple[str, Lists]]]:
    """Yield each collection's name, judgments and lists."""
    yield "trec-8", trec_8(data)
    yield "dl19", deep_learning(data, "19")
    yield "dl21", deep_learning(data, "21")
    yield "mq2008", learned(data / "mq2008")
    yield "ohsumed", learned(data / "ohsumed/QueryLevelNorm")


def main(data: Path, out: Path) -> None:
    """Write the folders."""
    for name, (judgments, lists) in collections(data):
        (out / name / "runs").mkdir(parents=True, exist_ok=True)
        (out / name / "qrels.txt").write_text(judgments)
        made = {way: fuse(lists, **{"method": way, "depth": DEPTH} | settings).frame for way, settings in WAYS.items()}
        for way, frame in made.items():
            write(out / name / "runs" / f"{way}.txt", frame.select("query", "document", "score").iter_rows(), way)
        first = next(iter(lists.values()))
        write(
            out / name / "runs" / "alone.txt",
            ((q, d, s) for q, found in first.items() for d, s in found.items()),
            "alone",
        )
        print(f"{name}: {len(lists)} lists of {len(first)} queries: {', '.join(lists)}", flush=True)


def write(path: Path, rows: Any, tag: str) -> None:
    """Write a run in TREC's format; readers order it by score."""
    path.write_text("".join(f"{query} Q0 {document} 0 {score!r} {tag}\n" for query, document, score in rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
