"""Whether intervals and ranks over collections hold: python -m benchmarks.collections.

--repetitions 1000         simulated samples of each world
--collections 4,8,16,40    how many collections a sample has
--queries 30,500,0         the queries of each collection; 0: from 30 to 500 in one world
--runs 6                   runs; the first two are equally good
--looks 100                looks at a gate, 300 times, 0 to leave it out
--show-few                 show what intervals for other collections would do where the program says "not yet"
--seed 0

A world has collections whose difficulty is between 0 and 1, queries that vary around it, and runs whose differences
from each other change from collection to collection: not at all, a little (τ = 0.01), much (τ = 0.05), or much and
lopsided (a gamma of skewness 1). In "equal" worlds all runs are equally good, which is hardest for claims. Coverage is
the share of intervals that hold the truth; ranks hold where no run's true rank is outside (equal runs share theirs);
a pair is claimed falsely where two runs are told apart that are equally good, or the wrong way round. All of it is
what `rankgauge.compare` computes: no second implementation.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from rankgauge.comparison.collections import Collection, CollectionsComparison, board
from rankgauge.comparison.gate import CollectionsGate, GateRule, GateVerdict
from rankgauge.comparison.gate_files import GateLook
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.numeric import FloatArray

HETEROGENEITY = {"none": 0.0, "little": 0.01, "much": 0.05, "lopsided": 0.05, "none, equal": 0.0, "much, equal": 0.05}
GAINS = (0.0, 0.0, 0.02, 0.04, 0.05, 0.08, 0.1, 0.12)
"""How much better each run is."""

WHAT = ("means", "pairs", "ranks", "false claims")
HARDEST = ("none, equal", "much, equal")
"""For each question the worlds in which no two runs differ."""

HEADS = tuple(f"{question}: {what}" for question in ("here", "beyond") for what in WHAT)

REPEATED = 300
"""How often a hundred looks are simulated."""

SHAPE = 4.0
"""Of the gamma distribution of lopsided differences: its skewness is 2/√4."""


def sample(
    rng: np.random.Generator, count: int, queries: int, runs: int, kind: str
) -> tuple[list[FloatArray], FloatArray, FloatArray]:
    """Draw values by collection, the runs' true means on these collections, and those on all like these."""
    gains, spread = np.array(GAINS[:runs]) * (not kind.endswith("equal")), HETEROGENEITY[kind]
    difficulty = rng.beta(4, 4, (count, 1))
    shift = rng.normal(0, 1, (count, runs))
    if kind == "lopsided":
        shift = (rng.gamma(SHAPE, 1, (count, runs)) - SHAPE) / np.sqrt(SHAPE)
    true = difficulty + gains + spread * shift
    sizes = np.full(count, queries) if queries else np.geomspace(30, 500, count).round().astype(int)
    values = [
        at + rng.normal(0, 0.2, (n, 1)) + rng.normal(0, 0.15, (n, runs)) for at, n in zip(true, sizes, strict=True)
    ]
    return values, true.mean(axis=0), 0.5 + gains


def compared(values: list[FloatArray], draws: int, seed: int, base: tuple[str, ...] = ()) -> CollectionsComparison:
    """Compare the runs of such values."""
    names = tuple(f"r{n}" for n in range(values[0].shape[1]))
    listed = [
        Collection(
            name=f"c{n}",
            runs=names,
            scores=one.mean(axis=0)[np.newaxis],
            values=one[np.newaxis],
            queries=tuple(map(str, range(len(one)))),
        )
        for n, one in enumerate(values)
    ]
    settings = ComparisonSettings(seed=seed, draws=draws)
    return CollectionsComparison(
        given=tuple(listed), measures=("m",), bases=base, bounds={"m": (-np.inf, np.inf)}, settings=settings
    )


def held(found: CollectionsComparison, question: str, truth: FloatArray) -> tuple[float, float, bool, bool]:
    """Return the share of means and of differences within their intervals, whether all ranks are, and a false claim."""
    measured, (run, other) = found.of_measure("m"), found.paired
    (low, high), (least, most) = measured.ends(question), measured.ranks(question)
    error = measured.mean[run] - measured.mean[other] - (truth[run] - truth[other])
    gap = np.round(truth[:, np.newaxis] - truth, 12)
    first, last = 1 + (gap < 0).sum(axis=1), len(truth) - (gap > 0).sum(axis=1)
    return (
        float(((low <= truth) & (truth <= high)).mean()),
        float((np.abs(error) <= measured.pair_reach(question)).mean()),
        bool(((least <= first) & (most >= last)).all()),
        bool((measured.above(question) & (gap <= 0)).any()),
    )


def simulated(options: argparse.Namespace) -> Iterator[tuple[str, str, str, FloatArray]]:
    """Yield for each world what holds and what is claimed (2 questions × 4); NaN where the program says "not yet"."""
    for count, queries, kind in product(options.collections, options.queries, HETEROGENEITY):
        rng = np.random.default_rng([options.seed, count, queries, list(HETEROGENEITY).index(kind)])
        total = np.zeros((2, 4))
        for place in range(options.repetitions):
            values, *truths = sample(rng, count, queries, options.runs, kind)
            found = compared(values, options.draws, place)
            total[0] += held(found, board.HERE, truths[0])
            total[1] += held(found, board.BEYOND, truths[1]) if found.answers_beyond else np.nan
        yield str(count), str(queries or "30–500"), kind, total / options.repetitions


def speed(models: int = 332, tasks: int = 41) -> str:
    """Time the means and rank intervals of a leaderboard, and say how much memory they took, by number of resamples."""
    rng, told = np.random.default_rng(0), []
    scores = rng.random((tasks, 1)) / 2 + rng.random(models) * 0.3 + rng.normal(0, 0.03, (tasks, models))
    names = tuple(f"r{n}" for n in range(models))
    listed = tuple(Collection(name=f"c{n}", runs=names, scores=row[np.newaxis]) for n, row in enumerate(scores))
    for draws in (1000, 10_000):
        start, settings = time.process_time(), ComparisonSettings(draws=draws)
        _ = CollectionsComparison(given=listed, measures=("m",), settings=settings).mean_table
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told.append(f"{draws:,} resamples {time.process_time() - start:.2f} s, peak memory {peak:.0f} MB")
    return f"means and rank intervals of {models} models on {tasks} tasks, one core: " + "; ".join(told)


def false_alarms(looks: int, repetitions: int, seed: int, loss: float = 0.02) -> tuple[float, float, float]:
    """Return how often a gate over eight collections is ever *worse* in so many looks at a run that is as good.

    Without and with spending; and how often the last look, with spending, finds a run that lost so much. Commits build
    on each other: half of the variance of a look's differences is that of the look before.
    """
    rng, rules = np.random.default_rng(seed), (GateRule.of("m"),)
    ever = np.zeros((repetitions, 3), dtype=bool)
    for row in ever:
        gap = np.zeros((8, 50, 1))
        for number in range(1, looks + 1):
            fresh = rng.normal(0, 0.1, gap.shape)
            gap = fresh if number == 1 else (gap + fresh) / np.sqrt(2)
            found = compared([np.concatenate([one * 0 + 0.5, 0.5 + one], axis=1) for one in gap], 1, 0, base=("r0",))
            look = GateLook(path=Path("looks.json"), level=0.05, seen=(), number=number)
            for place, spent in enumerate((None, look)):
                gate = CollectionsGate(comparison=found, rules=rules, look=spent)
                row[place] |= gate.verdict is GateVerdict.WORSE
        lost = compared([np.concatenate([one * 0 + 0.5, 0.5 + one - loss], axis=1) for one in gap], 1, 0, base=("r0",))
        row[2] = CollectionsGate(comparison=lost, rules=rules, look=look).verdict is GateVerdict.WORSE
    plain, spent, caught = ever.mean(axis=0).tolist()
    return plain, spent, caught


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = {"type": lambda text: [int(part) for part in text.split(",")]}
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--collections", default=[4, 8, 16, 40], **numbers)
    parser.add_argument("--queries", default=[30, 500, 0], **numbers)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--looks", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show-few", action="store_true")
    options = parser.parse_args()
    if options.show_few:
        board.LEAST = 3
    start = time.process_time()
    print(
        f"{options.repetitions:,} repetitions, {options.runs} runs, {options.draws:,} resamples, seed {options.seed}\n"
    )
    print(f"| collections | queries | heterogeneity |{''.join(f' {n} |' for n in HEADS)}\n|---:|---:|---|{8 * '---:|'}")
    worlds, kinds = [], []
    for *world, shares in simulated(options):
        cells = ["not yet" if np.isnan(share) else f"{share:.1%}" for share in shares.ravel()]
        print(f"| {' | '.join([*world, *cells])} |", flush=True)
        worlds.append(shares)
        kinds.append(world[-1])
    low, high, mean = (bound(worlds, axis=0) for bound in (np.nanmin, np.nanmax, np.nanmean))
    for row, question in enumerate(("on these collections", "on collections like these")):
        told = [f"{name} {low[row, n]:.1%}–{high[row, n]:.1%} ({mean[row, n]:.1%})" for n, name in enumerate(WHAT)]
        print(f"\n{question}, least, most and mean over worlds: {'; '.join(told)}")
        hardest = [shares[row, 3] for shares, kind in zip(worlds, kinds, strict=True) if kind == HARDEST[row]]
        print(f"false claims where all runs are equal ({HARDEST[row]}), mean over worlds: {np.nanmean(hardest):.2%}")
    print(f"\n{speed()}")
    if options.looks:
        plain, spent, caught = false_alarms(options.looks, REPEATED, options.seed)
        print(
            f"\n{options.looks} looks at a gate over 8 collections and a run that is as good, {REPEATED:,} "
            f"times: a false alarm in {plain:.1%} at 5 % each, in {spent:.1%} with spending; a loss of 0.02 at look "
            f"{options.looks} is caught in {caught:.1%}"
        )
    print(f"\n{time.process_time() - start:.0f} s of CPU", file=sys.stderr)


if __name__ == "__main__":
    main()
