"""Whether a judge that is calibrated on other queries does better: TREC 2019's queries in two halves.

    python -m benchmarks.judge_calibration --repetitions 60

On each half of the queries a board has no judge, a judge of which nothing is known, and the same judge calibrated on
the other half. It prints the Brier score of the first beliefs for each threshold, and the root mean squared error, the
bias and the coverage by nDCG@10 with 5 % of the pool judged. The data are those of ../shared/data.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.board.calibration import calibrate
from rankgauge.labelling.yardstick import JudgedBoard
from rankgauge.papers.trec import dl19_runs

FOLDER = Path(__file__).parents[1].parent / "shared" / "data" / "trec_dl19_passage"
GRADES = np.arange(4.0)
SHARE = 0.05


def pools(judge: pl.DataFrame, half: int) -> Iterator[tuple[str, BoardPool, pl.DataFrame]]:
    """The three pools of a half of the queries, with its judgments."""
    people = files.read_judgments(FOLDER / "qrels.txt")
    mine = sorted(people["query"].unique().to_list())[half::2]
    here, there = (people.filter(pl.col("query").is_in(mine) == inside) for inside in (True, False))
    runs = {name: {q: hits for q, hits in lists.items() if q in set(mine)} for name, lists in dl19_runs(FOLDER).items()}
    plain = BoardPool.from_runs(runs, only=here)
    told = plain.judged_by({"judge": judge})
    yield "none", plain, here
    yield "any judge", told, here
    yield "calibrated", calibrate(told, there, judge, grades=GRADES), here


def row(pool: BoardPool, people: pl.DataFrame, repetitions: int, seed: int) -> str:
    """The marks of a pool."""
    board = Board.of(pool, ["nDCG@10", "AP(rel=2)"], grades=GRADES.tolist(), dialect="standard")
    grades = pool.grades(people)
    judged = JudgedBoard(board=board, grades=grades)
    brier = ((board.prior.chance - judged.reached) ** 2).mean(axis=0)
    labels, errors, held = round(SHARE * judged.size), [], []
    for number in range(repetitions):
        stream = board.stream(int(np.random.default_rng([seed, number]).integers(1 << 31)))
        found = board.estimate(board.read(stream, stream.exactly(labels), grades, budget=labels))[0]
        errors.append(found.values - judged.truth[0])
        own = found.half_widths()
        held.append(np.nan if own is None else np.mean(np.abs(errors[-1]) <= own))
    off = np.array(errors)
    scores = " ".join(f"{score:.3f}" for score in brier)
    return f"{scores} | {np.sqrt(np.mean(off**2)):.4f} | {off.mean():+.4f} | {np.mean(held):.3f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=78)
    asked = parser.parse_args()
    print("judge | half | beliefs | Brier scores | RMSE | bias | coverage")
    for file in sorted((FOLDER / "llm").glob("*.qrels")):
        for half in (0, 1):
            for name, pool, people in pools(files.read_judgments(file), half):
                print(
                    f"{file.stem} | {half + 1} | {name} | {row(pool, people, asked.repetitions, asked.seed)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
