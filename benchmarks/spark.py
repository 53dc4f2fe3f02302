"""Spark beside the local engine, on one machine: python -m benchmarks.spark --millions 1,10,50,100.

--millions 10,50,100   millions of run rows: lists of 1,000 documents, 20 judged of each query; 100 take 2 GB of disk
--cores 2              of Spark's local master
--engine local,spark   which of them

Tables are Parquet files that a generator writes in pieces; each engine reads the same two in a process of its own.
Time is that of the evaluation; starting Spark is listed by itself. Seconds of processors, those of the start among
them, and memory are those of the whole tree of processes (JVM and Python workers), each page counted once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.costs import ROOT, module
from benchmarks.generate import near_the_top

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@1000", "ERR@10"]
DEPTH, JUDGED, PIECE = 1_000, 20, 500
TICKS = os.sysconf("SC_CLK_TCK")


def main(arguments: list[str] | None = None) -> None:
    """Prints a line for each size and engine."""
    asked = _parser().parse_args(arguments)
    if asked.child:
        print(json.dumps(_evaluated(*asked.child, cores=asked.cores)))
        return
    print("| million rows | engine | start, s | evaluation, s | CPU, s | peak memory, MB | mean nDCG@10 |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for million in asked.millions:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            write(Path(folder), queries=round(million * 1e6 / DEPTH))
            for engine in asked.engine:
                print(_line(million, engine, folder, asked.cores), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=lambda text: [float(n) for n in text.split(",")], default=[0.1, 1.0])
    parser.add_argument("--engine", type=lambda text: text.split(","), default=["local", "spark"])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser


def write(folder: Path, *, queries: int, seed: int = 8) -> None:
    """judgments.parquet and run.parquet, some queries at a time; rows stand as a search engine writes them."""
    writers: dict[str, pq.ParquetWriter] = {}
    for name, table in _pieces(queries, np.random.default_rng(seed)):
        if name not in writers:
            writers[name] = pq.ParquetWriter(folder / f"{name}.parquet", table.schema)
        writers[name].write_table(table)
    for writer in writers.values():
        writer.close()


def _pieces(queries: int, rng: np.random.Generator) -> Iterator[tuple[str, pa.Table]]:
    for first in range(0, queries, PIECE):
        query = np.arange(first, min(first + PIECE, queries))
        numbers = np.argsort(rng.random((len(query), 2 * DEPTH), dtype=np.float32), axis=1)
        numbers = numbers + 2_000 * (query % 4_000)[:, np.newaxis]
        found = rng.choice(DEPTH, 4 * JUDGED // 5, replace=False, p=near_the_top(DEPTH))
        judged = numbers[:, np.append(found, DEPTH + np.arange(JUDGED // 5))]
        scores = 30.0 - np.cumsum(rng.exponential(0.02, (len(query), DEPTH)), axis=1)
        yield "judgments", _table(query, judged, grade=rng.integers(0, 4, judged.shape).astype(np.float64))
        yield "run", _table(query, numbers[:, :DEPTH], score=scores.round(6))


def _table(query: np.ndarray, numbers: np.ndarray, **values: np.ndarray) -> pa.Table:
    number = pl.Series(numbers.ravel())
    frame = pl.select(
        query=pl.Series(np.repeat(query, numbers.shape[1])).cast(pl.String),
        document=pl.format("msmarco_doc_{}_{}", number % 60, number),
        **{name: pl.Series(value.ravel()) for name, value in values.items()},
    )
    return frame.to_arrow().cast(
        pa.schema([("query", pa.string()), ("document", pa.string()), (*values, pa.float64())])
    )


def _line(million: float, engine: str, folder: str, cores: int) -> str:
    command = module("benchmarks.spark", "--cores", cores, "--child", engine, folder)
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peak = Peak(child.pid)
    output, _ = child.communicate()
    peak.stop()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    told = json.loads(output)
    return (
        f"| {million:g} | {engine} | {told['start']:.1f} | {told['seconds']:.1f} | {peak.cpu:.1f} | "
        f"{peak.memory:,.0f} | {told['mean']:.6f} |"
    )


def _evaluated(engine: str, folder: str, *, cores: int) -> dict[str, float]:
    """One evaluation, in this process."""
    from rankgauge import evaluate

    start = time.perf_counter()
    if engine == "spark":
        from rankgauge.spark import spark
        from rankgauge.spark.runs import evaluate

        spark.session(f"local[{cores}]", spark_driver_memory="2g").range(1).count()
    begun = time.perf_counter()
    files = (Path(folder) / f"{name}.parquet" for name in ("judgments", "run"))
    result = evaluate(*files, MEASURES, dialect="trec_eval")
    return {"start": begun - start, "seconds": time.perf_counter() - begun, "mean": result["nDCG@10"]}


class Peak:
    """The peak of the memory of a process and all that it started, in megabytes, and its seconds; Linux only."""

    def __init__(self, pid: int) -> None:
        self.memory = 0.0
        self._pid, self._seconds, self._ended = pid, dict[int, float](), threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    @property
    def cpu(self) -> float:
        """The seconds of processors of all processes that were seen."""
        return sum(self._seconds.values())

    def stop(self) -> None:
        """No more looks."""
        self._ended.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._ended.wait(0.5):
            seen = _tree(self._pid)
            self._seconds |= seen
            self.memory = max(self.memory, sum(map(_pages, seen)) / 1024)


def _tree(root: int) -> dict[int, float]:
    """The process and its descendants, with the seconds that each has used."""
    parents, seconds = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid], seconds[pid] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    found, last = {root}, 0
    while len(found) > last:
        last = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return {pid: seconds[pid] for pid in found if pid in seconds}


def _pages(pid: int) -> float:
    """Kilobytes of a process; a page that several share is divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((float(line.split()[1]) for line in lines if line.startswith("Pss:")), 0.0)


if __name__ == "__main__":
    sys.exit(main())
