"""How long a board takes, and how much memory: its plan, one more label's estimate, a refit, and a new stage.

    python -m benchmarks.board_speed
    python -m benchmarks.board_speed --data trec8_adhoc
    python -m benchmarks.board_speed --queries 100 --documents 5000 --runs 60

By default the collection is made up and has the size of TREC-8's pool of 129 runs: each query has as many documents,
each run ranks 435 of them by a noisy view of their relevance. `--data` takes the folder of TREC-8 itself. Times are of
the processor, the best of some repetitions, without the reading of files; run it with one BLAS thread. Memory is the
most that the process ever held.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from rankgauge.labelling.board import Board, BoardEstimate, BoardPool, Stream
from rankgauge.labelling.board.plan import expected_half_widths
from rankgauge.labelling.board.readings import Readings
from rankgauge.numeric import FloatArray
from rankgauge.papers.trec import trec8

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


def timed(what: str, goal: float, act: Callable[[], T], *, times: int = 1) -> T:
    """What the act gives; prints how long it took, and how long it may take."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        found = act()
        best = min(best, time.process_time() - began)
    print(f"{what:44}{best:6.2f} s   goal {goal:.1f} s{'' if best <= goal else ', missed'}", flush=True)
    return found


def planned(pool: BoardPool, measures: Sequence[str], labels: int) -> tuple[Board, Stream]:
    """What `active plan` computes: the board, its stream, and the expected intervals at four budgets."""
    board = Board.of(pool, measures, grades=(0, 1), goal="best")
    stream = board.stream(1)
    for share in (0.5, 1, 2, 4):
        expected_half_widths(board, stream, min(round(share * labels), len(stream.order)))
    return board, stream


def looked_at(board: Board, readings: Readings) -> tuple[BoardEstimate, ...]:
    """The estimates with all that a board shows of them: intervals of all runs at once, and who may be the best."""
    found = board.estimate(readings)
    for estimate in found:
        estimate.joint_half_widths()
        _ = estimate.race().best
    return found


def main() -> None:
    """Prints times and memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of TREC-8")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--documents", type=int, default=1737)
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "AP"])
    parser.add_argument("--labels", type=int, default=4342)
    parser.add_argument("--times", type=int, default=3, help="how often what can be repeated is")
    options = parser.parse_args()
    if options.data is None:
        pool, grades = collection(options.queries, options.documents, options.runs)
    else:
        pool, grades = trec8(options.data)
    known, n, times = (grades > 0).astype(np.float64), options.labels, options.times
    print(f"{len(pool.runs)} runs, {len(pool.queries)} queries, {len(grades)} documents, {len(pool.run)} hits")
    board, stream = timed("plan", 1.0, lambda: planned(pool, options.measures, n), times=times)
    before = board.read(stream, stream.exactly(n), known, budget=n)
    looked_at(board, before)
    more = stream.exactly(n + 1)

    def one_more() -> Readings:
        return board.read(stream, more, known, budget=n + 1, start=before)

    readings = timed("one more label: what it says", 1.0, one_more, times=times)
    timed(
        f"  and the estimates of {len(options.measures)} measures", 1.0, lambda: board.estimate(one_more()), times=times
    )
    timed("  and the verdicts", 1.0, lambda: looked_at(board, one_more()), times=times)
    timed(
        "the same in a process that has just begun",
        1.0,
        lambda: board.estimate(board.read(stream, more, known, budget=n + 1)),
        times=times,
    )
    found, labelled = board.estimate(readings), np.full(len(grades), np.nan)
    labelled[readings.labelled] = known[readings.labelled]
    timed("refit", 1.0, lambda: board.refit(labelled, found).prior, times=times)
    timed("  and a new stage", 1.0, lambda: board.refit(labelled, found).stream(2).order, times=times)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
