"""What the document level saves against the paper's method on MQ2008: python -m benchmarks.active_savings.

--data DIR          the folder of MQ2008 (S1.txt … S5.txt)
--parts 1           on how many of the five parts a model is trained; the other four parts are its pool
--repetitions 200   of each method at each budget, on each pool
--only ERR,DCG      some of the measures
--beliefs model     only these beliefs: model, uniform, reversed
--rng 0             the seed of the first repetition

Documents cost alike, and a list 1 on average; lists are judged to rank 40. A saving is 1 − b/B, with B what
the paper's method spends of a budget of 90, and b what another one spends to have the same mean absolute error.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge import training
from rankgauge.files.formats.letor import read_features
from rankgauge.files.source import Source
from rankgauge.labelling import methods
from rankgauge.labelling.beliefs import mixture, predict
from rankgauge.labelling.method import Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.simulations.study import ErrorCurve, saving
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

PARTS, DEPTH, BUDGET = 5, 40, 90.0
SCALE = np.array([0.0, 1.0, 2.0])
MEASURES: Mapping[str, tuple[str, int]] = {
    "ERR": (f"ERR(max_grade=2)@{DEPTH}", 1),
    "ΔERR": (f"ERR(max_grade=2)@{DEPTH}", 2),
    "DCG": (f"DCG(gain='exp')@{DEPTH}", 1),
    "ΔDCG": (f"DCG(gain='exp')@{DEPTH}", 2),
}
BUDGETS: Mapping[str, tuple[float, ...]] = {
    "passive": (BUDGET,),
    "paper": (BUDGET,),
    "paper+defensive": (BUDGET,),
    "greg": (45.0, 60.0, 75.0, BUDGET),
    "document": (10.0, 15.0, 20.0, 30.0, BUDGET),
    "auto": (15.0, 20.0, 30.0, BUDGET),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Opinion:
    """The pool of the parts that the models did not see: scores, each model's beliefs, and grades."""

    frame: pl.DataFrame
    beliefs: tuple[FloatArray, ...]
    grades: FloatArray

    def pool(self, rankers: int, beliefs: str) -> Pool:
        """The pool of one or two rankers with beliefs of that name."""
        believed = mixture(*self.beliefs[:rankers])
        changed = {"model": believed, "uniform": np.full_like(believed, 1 / 3), "reversed": believed[:, ::-1]}
        frame = self.frame.select("query", "document", *[f"score_{r + 1}" for r in range(rankers)])
        return Pool.of(frame, grades=SCALE, beliefs=changed[beliefs], depth=DEPTH).scale_costs()

    def known(self, pool: Pool) -> FloatArray:
        """The grades of the pool's documents."""
        return pool.find(self.frame.select("query", "document", pl.Series("grade", self.grades)))


def opinions(data: Path, count: int) -> Iterator[Opinion]:
    """A forest and an ordered logit trained on each of the first parts; a pair's beliefs are the mixture of both's."""
    parts = [read_features(Source.of(data / f"S{number}.txt")) for number in range(1, PARTS + 1)]
    for seen in range(count):
        train = parts[seen]
        models = [
            training.get("forest-regression")(trees=150, min_leaf=8, share=1.0, rng=0),
            training.get("ordered-logit")(rng=0),
        ]
        for model in models:
            model.fit(train.matrix, train.grades, qid=train.queries)
        rest = [part for number, part in enumerate(parts) if number != seen]
        matrix = np.concatenate([part.matrix for part in rest])
        beliefs = [predict(model, matrix, SCALE) for model in models]
        frame = pl.DataFrame(
            {
                "query": np.concatenate([part.queries for part in rest]),
                "document": [str(row) for row in range(len(matrix))],
                **{f"score_{n}": believed @ SCALE for n, believed in enumerate(beliefs, start=1)},
            }
        )
        grades = np.concatenate([part.grades for part in rest]).astype(float)
        yield Opinion(frame=frame, beliefs=tuple(beliefs), grades=grades)


def curves(opinions: list[Opinion], measure: str, beliefs: str, count: int, rng: int) -> dict[str, ErrorCurve]:
    """The curve of each method over all pools."""
    name, rankers = MEASURES[measure]
    found: dict[str, list[ErrorCurve]] = {method: [] for method in BUDGETS}
    for number, opinion in enumerate(opinions):
        pool = opinion.pool(rankers, beliefs)
        target, grades = Target.of(name, pool, "papers"), opinion.known(pool)
        truth, seeds = float(target.values(pool, grades).mean()), rng + 100_000 * number + np.arange(count)
        for method, budgets in BUDGETS.items():
            # Methods that draw whole queries are quick, and their noise would blur every saving.
            many = seeds if method in ("document", "auto") else rng + 100_000 * number + np.arange(10 * count)
            parts: dict[float, Repetitions] = {
                budget: methods.get(method).repeat(pool, target, grades, budget=budget, seeds=many)
                for budget in budgets
            }
            found[method].append(ErrorCurve.of(method, parts, truth))
    return {method: ErrorCurve.join(parts) for method, parts in found.items()}


def show(measure: str, beliefs: str, found: Mapping[str, ErrorCurve], seconds: float) -> None:
    """A row per method: its error at 90, savings against the paper's method and against greg, coverage, cost."""
    print(f"\n{measure}, {beliefs} beliefs ({seconds:.0f} s)")
    print(f"{'method':16} {'error at 90':>19} {'against paper':>16} {'against greg':>16}  coverage by budget")
    for method, curve in found.items():
        frame = curve.to_frame()
        last = frame.row(-1, named=True)
        savings = [_saved(curve, found[other]) if method != other else "" for other in ("paper", "greg")]
        coverage = " ".join(f"{b:g}:{c:.3f}" for b, c in frame.select("budget", "coverage").iter_rows())
        print(
            f"{method:16} {last['error']:9.5f} ± {last['error_se']:.5f} {savings[0]:>16} {savings[1]:>16}  {coverage}"
        )


def _saved(curve: ErrorCurve, other: ErrorCurve) -> str:
    if len(curve.budgets) < 2:
        return ""
    # Both curves need as many repetitions for the jackknife.
    count = min(curve.values.shape[1], other.values.shape[1])
    if curve.values.shape[1] != other.values.shape[1]:
        other = _thinned(other, count)
        curve = _thinned(curve, count)
    found = saving(curve, other, budget=BUDGET)
    return f"{found.bound}{100 * found.value:.0f} ± {100 * found.error:.0f} %"


def _thinned(curve: ErrorCurve, count: int) -> ErrorCurve:
    """The curve with its repetitions averaged down to so many: each stands for the mean of its share of them."""
    size = curve.values.shape[1] // count
    if size <= 1:
        return curve
    errors = curve.error.reshape(len(curve.budgets), count, size).mean(axis=-1)
    costs = curve.costs.reshape(len(curve.budgets), count, size).mean(axis=-1)
    first = curve.truth.reshape(count, size)[:, 0]
    return replace(
        curve, values=errors + first, costs=costs, labels=costs, covered=np.ones_like(costs, dtype=bool), truth=first
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/mq2008"))
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--only", default=",".join(MEASURES))
    parser.add_argument("--beliefs", default="model,uniform,reversed")
    parser.add_argument("--rng", type=int, default=0)
    chosen = parser.parse_args()
    pools = list(opinions(chosen.data, chosen.parts))
    print(f"{len(pools)} pools, {chosen.repetitions} repetitions on each, seeds from {chosen.rng} on")
    for measure in chosen.only.split(","):
        for beliefs in chosen.beliefs.split(","):
            begun = time.perf_counter()
            found = curves(pools, measure, beliefs, chosen.repetitions, chosen.rng)
            show(measure, beliefs, found, time.perf_counter() - begun)


if __name__ == "__main__":
    main()
