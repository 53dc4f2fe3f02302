"""How well a board of many runs does with few labels: the stream on collections whose pools are judged throughout.

    python -m benchmarks.board dl19 --shares 0.02 0.05 0.1 --repetitions 20 --seed 1

The truth of each run is its value with every document of the pool judged. For each measure and share of the pool it
prints, over the repetitions, the root mean squared error, the bias, the coverage of each run's own interval and of all
intervals at once, Kendall's τ with the true order, and the share of wrong signs among settled pairs; standard errors
over the repetitions in brackets. The collections are those of ../shared/data. Run it with one BLAS thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rankgauge.labelling.board import Board, BoardEstimate, BoardPool
from rankgauge.numeric import FloatArray
from rankgauge.papers.trec import dl19, trec8
from rankgauge.statistics import kendall_tau

DATA = Path(__file__).parents[1].parent / "shared" / "data"


COLLECTIONS: dict[str, Callable[[], tuple[BoardPool, FloatArray]]] = {
    "dl19": partial(dl19, DATA / "trec_dl19_passage"),
    "trec8": partial(trec8, DATA / "trec8_adhoc"),
}
MEASURES = ["nDCG@10", "AP(rel=2)", "P(rel=2)@10", "RBP(rel=2)", "ERR@10"]


class Tally:
    """What the repetitions of one measure at one share found."""

    def __init__(self, truth: FloatArray) -> None:
        self.truth = truth
        self.rows: list[tuple[float, ...]] = []
        self.errors: list[FloatArray] = []

    def add(self, estimate: BoardEstimate) -> None:
        """One more repetition."""
        off = estimate.values - self.truth
        self.errors.append(off)
        own, joint, pairs = estimate.half_widths(), estimate.joint_half_widths(), estimate.pair_half_widths()
        covered = np.nan if own is None else float(np.mean(np.abs(off) <= own))
        held = np.nan if joint is None else float(np.all(np.abs(off) <= joint))
        width = np.nan if own is None else float(np.mean(own))
        settled, wrong = (np.nan, np.nan) if pairs is None else self._pairs(estimate.values, pairs)
        self.rows.append((covered, held, width, kendall_tau(estimate.values, self.truth), settled, wrong))

    def _pairs(self, values: FloatArray, widths: FloatArray) -> tuple[float, float]:
        gaps, true = np.subtract.outer(values, values), np.subtract.outer(self.truth, self.truth)
        upper = np.triu_indices(len(values), 1)
        claimed = (np.abs(gaps) > widths)[upper]
        false = (gaps * true < 0)[upper] & claimed
        return float(claimed.mean()), float(false.any())

    def __str__(self) -> str:
        errors, rows = np.array(self.errors), np.array(self.rows)
        n = len(rows)
        squares, means = (errors**2).mean(axis=1), errors.mean(axis=1)
        rmse = float(np.sqrt(squares.mean()))
        spread = [squares.std(ddof=1) / 2 / rmse / n**0.5, means.std(ddof=1) / n**0.5]
        cells = [f"{rmse:.4f} ({spread[0]:.4f})", f"{means.mean():+.4f} ({spread[1]:.4f})"]
        cells += [
            f"{column.mean():.3f} ({column.std(ddof=1) / n**0.5:.3f})" if np.isfinite(column).all() else "not yet"
            for column in rows.T
        ]
        return " | ".join(cells)


def main() -> None:
    """Prints the table of one collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", choices=COLLECTIONS)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.05])
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pool, grades = COLLECTIONS[options.collection]()
    scale = np.unique(np.maximum(grades, 0.0))
    board = Board.of(pool, options.measures, grades=scale, dialect="standard")
    stream = board.stream(options.seed)
    whole = np.arange(len(grades))
    truths = [e.values for e in board.estimate(board.read(stream, whole, grades, budget=len(grades)))]
    print(f"{len(pool.runs)} runs, {len(pool.queries)} queries, {len(grades)} documents, seed {options.seed}")
    print("measure | share | RMSE | bias | coverage | all at once | half-width | tau | pairs settled | any wrong")
    for share in options.shares:
        labels = int(np.ceil(share * len(grades)))
        tallies, began = [Tally(truth) for truth in truths], time.process_time()
        for n in range(options.repetitions):
            stream = board.stream(1000 * options.seed + n)
            readings = board.read(stream, stream.exactly(labels), grades, budget=labels)
            for tally, estimate in zip(tallies, board.estimate(readings), strict=True):
                tally.add(estimate)
        seconds = (time.process_time() - began) / options.repetitions
        for target, tally in zip(board.targets, tallies, strict=True):
            print(f"{target} | {share:.0%} | {tally}", flush=True)
        print(f"{labels} labels, {options.repetitions} repetitions, {seconds:.2f} s each", flush=True)


if __name__ == "__main__":
    main()
