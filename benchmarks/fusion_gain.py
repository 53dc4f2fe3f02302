"""How often the interval of a tuned fusion's gain holds the mean gain: `python -m benchmarks.fusion_gain`.

Collections are generated anew for each repetition: queries with graded documents, and two runs that score them with
noise. Where too few queries tell the two apart, there is no interval: `shown` is the share with one. The gain that
intervals are held against is the mean over all repetitions, since cross-validation estimates the gain of tuning on as
many queries without bias.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge import tune_fusion

DOCUMENTS = 30


@dataclass(frozen=True)
class Pair:
    """How strongly each of two runs follows the grades, and how much of their noise they share."""

    first: float
    second: float
    shared: float


PAIRS: Mapping[str, Pair] = {
    "two that differ": Pair(1.0, 1.0, 0.0),
    "two alike": Pair(1.0, 1.0, 0.95),
    "one is noise": Pair(1.0, 0.0, 0.0),
    "both are noise": Pair(0.0, 0.0, 0.0),
}


def collection(pair: Pair, queries: int, rng: np.random.Generator) -> tuple[dict[str, dict[str, int]], dict[str, dict]]:
    """Judgments and two runs."""
    judgments, first, second = {}, {}, {}
    for number in range(queries):
        ids, grades = [f"d{at}" for at in range(DOCUMENTS)], rng.choice(4, DOCUMENTS, p=(0.7, 0.15, 0.1, 0.05))
        shared, *own = rng.normal(size=(3, DOCUMENTS))
        noise = [np.sqrt(pair.shared) * shared + np.sqrt(1 - pair.shared) * one for one in own]
        query = f"q{number:04}"
        judgments[query] = dict(zip(ids, grades.tolist(), strict=True))
        first[query] = dict(zip(ids, (pair.first * grades + noise[0]).tolist(), strict=True))
        second[query] = dict(zip(ids, (pair.second * grades + noise[1]).tolist(), strict=True))
    return judgments, {"first": first, "second": second}


def trial(pair: Pair, queries: int, rng: np.random.Generator) -> tuple[float, float, float, str]:
    """The gain of the tuned fusion over the best single run, its interval and verdict."""
    judgments, runs = collection(pair, queries, rng)
    tuned = tune_fusion(judgments, runs, "nDCG@10", seed=int(rng.integers(1 << 31)))
    row = next(row for row in tuned.gains.named() if row["run"] == "tuned" and row["other"] == "best single run")
    return row["difference"], row["low"], row["high"], row["verdict"]


def main() -> None:
    """The table, a row for each pair of runs and number of queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--queries", default="10,25,50")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'runs':16} {'queries':>7} {'gain':>8} {'shown':>6} {'held':>14} {'better':>7} {'worse':>6}")
    for name, pair in PAIRS.items():
        for queries in map(int, options.queries.split(",")):
            rng = np.random.default_rng([options.seed, queries, list(PAIRS).index(name)])
            found = [trial(pair, queries, rng) for _ in range(options.repetitions)]
            gain, low, high = (np.array([row[at] for row in found]) for at in range(3))
            shown = ~np.isnan(low)
            held = float(np.mean((low <= gain.mean())[shown] & (gain.mean() <= high)[shown]))
            error = 1.96 * np.sqrt(held * (1 - held) / shown.sum())
            verdicts = [row[3] for row in found]
            better, worse = (verdicts.count(word) / len(found) for word in ("better", "worse"))
            row = f"{name:16} {queries:7d} {gain.mean():+8.4f} {shown.mean():6.2f} {f'{held:.3f} ± {error:.3f}':>14}"
            print(f"{row} {better:7.3f} {worse:6.3f}", flush=True)


if __name__ == "__main__":
    main()
