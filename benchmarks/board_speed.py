"""How long a board takes, and how much memory: one more label's estimate, and a refit with a new stage.

    python -m benchmarks.board_speed
    python -m benchmarks.board_speed --queries 100 --documents 5000 --runs 60

The collection is made up: each query has as many documents, each run ranks 435 of them by a noisy view of their
relevance. By default it has the size of TREC-8's pool of 129 runs. Times are of the processor; run it with one BLAS
thread. Memory is the most that the process ever held.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import polars as pl

from rankgauge.active.board import Board, BoardPool
from rankgauge.numeric import FloatArray

T = TypeVar("T")
LENGTH = 435
"""The documents of a run per query that are in the pool: as many as in TREC-8's."""


def collection(queries: int, documents: int, runs: int) -> tuple[BoardPool, FloatArray]:
    """A pool and its grades."""
    rng = np.random.default_rng(1)
    length, size = min(LENGTH, documents), queries * documents
    worth = rng.normal(size=(queries, documents)).astype(np.float32) + rng.normal(size=(queries, 1))
    places = np.empty((runs, queries, length), dtype=np.int64)
    for run in range(runs):
        seen = worth + rng.normal(size=worth.shape).astype(np.float32) * (0.5 + run / runs)
        places[run] = np.argsort(-seen, axis=1)[:, :length] + documents * np.arange(queries)[:, np.newaxis]
    pool = BoardPool(
        runs=tuple(f"run {n}" for n in range(runs)),
        queries=pl.Series([f"q{n}" for n in range(queries)]),
        documents=pl.Series(np.arange(size)).cast(pl.String),
        sizes=np.full(queries, documents),
        run=np.repeat(np.arange(runs), queries * length),
        document=places.ravel(),
        rank=np.tile(np.arange(1, length + 1), runs * queries),
        lengths=np.full((runs, queries), length),
    )
    return pool, (worth.ravel() > 2.2).astype(np.float64)


def timed(what: str, act: Callable[[], T]) -> T:
    """What the act gives; prints how long it took."""
    began = time.process_time()
    found = act()
    print(f"{what}: {time.process_time() - began:.2f} s", flush=True)
    return found


def main() -> None:
    """Prints times and memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--documents", type=int, default=1737)
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "AP"])
    parser.add_argument("--labels", type=int, default=500)
    options = parser.parse_args()
    pool, grades = collection(options.queries, options.documents, options.runs)
    print(f"{len(pool.runs)} runs, {len(pool.queries)} queries, {len(grades)} documents, {len(pool.run)} hits")
    board = timed("board", lambda: Board.of(pool, options.measures, grades=(0, 1), goal="best"))
    stream = timed("stream", lambda: board.stream(1))
    n = options.labels
    before = timed("first readings", lambda: board.read(stream, stream.exactly(n), grades, budget=n))
    board.estimate(before)
    start, more = before.beliefs.effects, n + 1
    sample = stream.exactly(more)
    readings = timed("one more label", lambda: board.read(stream, sample, grades, budget=more, start=start))
    estimates = timed(f"estimate of {len(options.measures)} measures", lambda: board.estimate(readings))
    timed("intervals of all runs at once", lambda: [estimate.joint_half_widths() for estimate in estimates])
    timed("verdicts", lambda: [estimate.race().best for estimate in estimates])
    known = np.full(len(grades), np.nan)
    known[readings.labelled] = grades[readings.labelled]
    timed("refit and new stage", lambda: board.refitted(known, estimates).stream(2).order)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
