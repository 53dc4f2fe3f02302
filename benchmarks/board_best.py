"""How soon the best run is settled: campaigns with the goal `best` on collections whose pools are judged throughout.

    python -m benchmarks.board_best trec8 --measure AP --repetitions 10 --seed 300

A first stage is labelled for the order of all runs; then beliefs are refitted once, and labels go to the runs that are
still in the race. The looks are planned in advance and share an error of 5 %. It prints the share of the pool at which
each campaign settled the best run, the mean with its standard error, and how many settled the wrong one. A campaign
that settles none by the last look counts as the whole pool. Run it with one BLAS thread.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from rankgauge.labelling.board import Board
from rankgauge.labelling.board.plan import AIMED
from rankgauge.numeric import FloatArray
from rankgauge.papers.trec import dl19, trec8

DATA = Path(__file__).parents[1].parent / "shared" / "data"
COLLECTIONS = {"dl19": (dl19, DATA / "trec_dl19_passage"), "trec8": (trec8, DATA / "trec8_adhoc")}
LOOKS = (0.08, 0.1, 0.125, 0.15, 0.2, 0.3)


def settled(board: Board, grades: FloatArray, seed: int) -> tuple[float, int | None]:
    """The share of the pool at which one campaign settles the best run, and that run's number."""
    size = len(grades)
    first, stream = int(AIMED * size), board.stream(seed)
    sample = stream.exactly(first)
    estimates = board.estimate(board.read(stream, sample, grades, budget=first))
    known = np.full(size, np.nan)
    known[sample] = grades[sample]
    stage = board.refit(known, estimates, looks=len(LOOKS))
    stream = stage.stream(seed)
    for look in LOOKS:
        labels = int(look * size) - first
        (estimate,) = stage.estimate(stage.read(stream, stream.exactly(labels), grades, budget=labels))
        verdicts = estimate.verdicts(looks=len(LOOKS))
        best = None if verdicts is None else verdicts.top(1)
        if best is not None:
            return look, int(np.argmax(best))
    return 1.0, None


def main() -> None:
    """Prints the table of one collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", choices=COLLECTIONS)
    parser.add_argument("--measure", default="AP")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    read, folder = COLLECTIONS[options.collection]
    pool, grades = read(folder)
    scale = np.unique(np.maximum(grades, 0.0))
    board = Board.of(pool, [options.measure], grades=scale, dialect="standard", goal="best")
    every = np.arange(len(grades))
    (truth,) = board.estimate(board.read(board.stream(0), every, grades, budget=len(every)))
    best = int(np.argmax(truth.values))
    shares, wrong = [], 0
    for n in range(options.repetitions):
        share, run = settled(board, grades, options.seed + n)
        shares.append(share)
        wrong += run not in (None, best)
        print(f"campaign {n + 1}: {share:.1%}", flush=True)
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    print(f"mean {np.mean(shares):.1%} ({error:.1%}) of the pool, {wrong} of {len(shares)} wrong")


if __name__ == "__main__":
    main()
