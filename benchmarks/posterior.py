"""How well a few runs on a shallow pool are known from few labels: the posterior beside the board and whole queries.

    python -m benchmarks.posterior --pools 40 --seed 1
    python -m benchmarks.posterior --pools 40 --goal best --looks
    python -m benchmarks.posterior --pools 20 --measure P@10 --judge umbrela --board

Each pool is the first documents of some of a collection's runs, drawn at random, as lists of judged documents only; the
truth is the value with all of it judged. By default the collection is TREC DL21, which had no part in the choice of the
model's constants: these are from DL19. For each number of labels and method it prints the root mean squared error and
the bias of the values, half the width of their 95 % intervals and how often these cover; the same of all differences;
the share of pairs that truly differ by 0.02 or more and are settled, each by its own interval; wrong claims among all;
and how often the run with the highest value is the best. Standard errors over the pools are in brackets.

`order` takes labels by the fixed order, `chosen` chooses them in batches of 25 for the goal, `whole` judges whole
queries in random order (Student's t, with the correction for a finite number of queries), `board` is the leaderboard's
stream. `--looks` looks at the chosen labels every 25 and stops at the first look at which a run is the best with a
chance of 0.95. Run it with one BLAS thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankgauge.files import judgments_from
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.posterior import GradePosterior
from rankgauge.numeric import FloatArray
from rankgauge.papers.trec import dl19_runs

DATA = Path(__file__).parents[1].parent / "shared" / "data"
SCALE, BATCH, DIFFERENT, LOOK = (0, 1, 2, 3), 25, 0.02, 0.95
HEADER = (
    "labels | method | pools | RMSE | bias | ± | covers | RMSE of diff. | ± diff. | covers | settled | wrong | best"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A pool that is judged throughout, and the value of each run on each query."""

    posterior: GradePosterior
    grades: FloatArray
    truth: FloatArray
    seed: int

    def labels(self, places: FloatArray) -> FloatArray:
        """The grades of some documents, NaN for the others."""
        found = np.full(len(self.grades), np.nan)
        found[places] = self.grades[places]
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """What a method says: values, half the widths of their intervals and of those of all differences."""

    values: FloatArray
    half: FloatArray
    gaps: FloatArray


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Pools of runs that are drawn at random."""
    folder = options.data
    judged = judgments_from(folder / "qrels.txt")
    known = {(query, document) for query, document in judged.select("query", "document").iter_rows()}
    lists = {
        name: {query: [one for one in found if (query, one) in known] for query, found in run.items()}
        for name, run in sorted(dl19_runs(folder).items())
    }
    runs = {
        name: {query: {one: -float(n) for n, one in enumerate(found)} for query, found in run.items() if found}
        for name, run in lists.items()
    }
    judges = {name: folder / "llm" / f"{name}.qrels" for name in options.judge}
    for seed in range(options.seed, options.seed + options.pools):
        rng = np.random.default_rng(seed)
        chosen = [sorted(runs)[n] for n in rng.choice(len(runs), options.runs, replace=False)]
        pool = BoardPool.from_runs({name: runs[name] for name in chosen}, depth=options.depth, judges=judges)
        grades = np.clip(pool.grades(judged), SCALE[0], SCALE[-1])
        posterior = GradePosterior.of(pool, [options.measure], grades=SCALE, dialect=options.dialect)
        (whole,) = posterior.estimate(grades, seed=seed)
        yield Case(posterior=posterior, grades=grades, truth=whole.by_query, seed=seed)


def by_order(case: Case, labels: list[int]) -> Iterator[Found]:
    """The posterior with labels by the fixed order."""
    order = case.posterior.order(case.seed)
    for n in labels:
        yield _posterior(case, case.labels(order[:n]))


def by_choice(case: Case, labels: list[int], goal: str) -> Iterator[Found]:
    """The posterior with labels that are chosen batch by batch."""
    known, spent, after = np.full(len(case.grades), np.nan), 0, ()
    for n in labels:
        while spent < n:
            size = min(BATCH if spent else case.posterior.first, n - spent)
            places = case.posterior.next(known, size, seed=case.seed, after=after, goal=goal)
            known[places] = case.grades[places]
            spent += size
            after = case.posterior.estimate(known, seed=case.seed)
        yield _posterior(case, known)


def _posterior(case: Case, known: FloatArray) -> Found:
    (found,) = case.posterior.estimate(known, seed=case.seed)
    return Found(values=found.values, half=found.half_widths(), gaps=found.gap_half_widths())


def by_whole_queries(case: Case, labels: list[int]) -> Iterator[Found]:
    """Whole queries in random order, as many as the labels pay for; at least two."""
    pool = case.posterior.pool
    order = np.random.default_rng(case.seed).permutation(len(pool.queries))
    for n in labels:
        count = max(int(np.searchsorted(np.cumsum(pool.sizes[order]), n, side="right")), 2)
        values = case.truth[:, order[:count]]
        left = np.sqrt((1.0 - count / len(order)) / count)
        apart = values[:, np.newaxis] - values
        widths = [
            half_width(one.std(axis=-1, ddof=1) * left, draws=count, freedom=count - 1, level=0.95)
            for one in (values, apart)
        ]
        yield Found(values=values.mean(axis=1), half=widths[0], gaps=widths[1])


def by_board(case: Case, labels: list[int]) -> Iterator[Found]:
    """The leaderboard's stream; its intervals even where a report would not show them yet."""
    target = case.posterior.targets[0]
    board = Board.of(case.posterior.pool, [target.name], grades=SCALE, dialect=target.dialect)
    stream = board.stream(case.seed)
    for n in labels:
        (found,) = board.estimate(board.read(stream, stream.exactly(n), case.grades, budget=n))
        spread = found.covariance
        gaps = half_width(spread.pair_error, draws=n, freedom=spread.pair_freedom, level=0.95)
        yield Found(values=found.values, half=spread.half_widths(0.95), gaps=gaps)


class Tally:
    """What one method said at one number of labels, pool by pool."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []

    def add(self, case: Case, found: Found) -> None:
        """One more pool."""
        truth = case.truth.mean(axis=1)
        upper = np.triu_indices(len(truth), 1)
        off, gaps = found.values - truth, np.subtract.outer(found.values, found.values)[upper]
        true, wide = np.subtract.outer(truth, truth)[upper], found.gaps[upper]
        claimed, differ = np.abs(gaps) > wide, np.abs(true) >= DIFFERENT
        errors = (np.mean(off**2), off.mean(), found.half.mean(), np.mean(np.abs(off) <= found.half))
        pairs = (np.mean((gaps - true) ** 2), wide.mean(), np.mean(np.abs(gaps - true) <= wide)) if len(gaps) else ()
        counts = (np.sum(claimed & differ), np.sum(differ), np.sum(claimed & (gaps * true < 0)), np.sum(claimed))
        best = truth[np.argmax(found.values)] == truth.max()
        self.rows.append(tuple(map(float, (*errors, *(pairs or (0.0, 0.0, 1.0)), *counts, best))))

    def __str__(self) -> str:
        rows = np.array(self.rows)
        mean, total = rows.mean(axis=0), rows.sum(axis=0)
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.full(len(mean), np.nan)
        cells = [f"{len(rows)}", f"{np.sqrt(mean[0]):.3f}", f"{mean[1]:+.3f}", f"{mean[2]:.3f}"]
        cells += [f"{mean[3]:.3f} ({error[3]:.3f})", f"{np.sqrt(mean[4]):.3f}", f"{mean[5]:.3f}"]
        cells += [f"{mean[6]:.3f} ({error[6]:.3f})", f"{100 * total[7] / max(total[8], 1):.0f} %"]
        return " | ".join([*cells, f"{total[9]:.0f}/{total[10]:.0f}", f"{100 * mean[11]:.0f} %"])


def compare(options: argparse.Namespace) -> None:
    """Prints the table of all methods."""
    methods = {
        "order": by_order,
        "chosen": lambda case, labels: by_choice(case, labels, options.goal),
        "whole": by_whole_queries,
        **({"board": by_board} if options.board else {}),
    }
    tallies = {(n, name): Tally() for n in options.labels for name in methods}
    sizes, began = [], time.process_time()
    for case in cases(options):
        sizes.append(len(case.grades))
        for name, method in methods.items():
            for n, found in zip(options.labels, method(case, options.labels), strict=True):
                tallies[n, name].add(case, found)
    print(f"{np.mean(sizes):.0f} documents a pool; {time.process_time() - began:.0f} s of CPU")
    print(HEADER)
    for (n, name), tally in tallies.items():
        print(f"{n} | {name} | {tally}")


def look(options: argparse.Namespace) -> None:
    """Prints after how many labels the best run is known, and how often it is another one."""
    stops, wrong, most = [], [], max(options.labels)
    for case in cases(options):
        known, after, spent, truth = np.full(len(case.grades), np.nan), (), 0, case.truth.mean(axis=1)
        while spent < most and not (after and after[0].best_chances().max() >= LOOK):
            size = BATCH if spent else case.posterior.first
            places = case.posterior.next(known, size, seed=case.seed, after=after, goal=options.goal)
            known[places], spent = case.grades[places], spent + size
            after = case.posterior.estimate(known, seed=case.seed)
        named = int(np.argmax(after[0].best_chances()))
        settled = after[0].best_chances()[named] >= LOOK
        stops.append(spent if settled else np.inf)
        wrong += [truth.max() - truth[named]] * int(settled)
    shares = ", ".join(f"{100 * np.mean(np.array(stops) <= n):.0f} % within {n}" for n in options.labels)
    print(f"{len(stops)} pools: the best run is settled in {shares} labels; median {np.median(stops):g}")
    print(f"wrong {np.count_nonzero(np.array(wrong) > 0)} of {len(wrong)}, by {max(wrong, default=0.0):.3f} at most")


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "trec_dl21_passage")
    parser.add_argument("--pools", type=int, default=40)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--dialect", default="papers")
    parser.add_argument("--goal", default="values")
    parser.add_argument("--judge", nargs="*", default=[])
    parser.add_argument("--board", action="store_true")
    parser.add_argument("--looks", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    what = f"{options.measure} ({options.dialect}) of {options.runs} runs, the first {options.depth}"
    judges = f", judged by {', '.join(options.judge)}" if options.judge else ""
    print(
        f"{what}{judges}: {options.pools} pools of {options.data.name}, seeds from {options.seed}, goal {options.goal}"
    )
    (look if options.looks else compare)(options)


if __name__ == "__main__":
    main()
