"""Do intervals of estimates from a sample hold the truth? `python -m benchmarks.sampled_intervals FOLDER`.

The folder has `trec8_adhoc` or `trec_dl19_passage` or both, which are judged throughout, so that the truth is known.
The first documents of every list are one stratum, judged whole; of the rest some are judged. Without a first stratum,
the pool is one stratum. Intervals are those of `rankgauge evaluate --interval sample`. The model behind them and its
limits were chosen on DL19, on eight of its runs and other seeds; TREC-8 is what they are tried on.

--collections TREC-8 DL19   which of them
--repetitions 10            samples of each kind
--runs 8                    of each collection, evenly spaced from the second on
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge import evaluate
from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import FloatArray
from rankgauge.papers.trec import FOLDERS

MEASURES = {
    "TREC-8": {"xinfAP": "AP", "xinfNDCG": "nDCG", "statAP": "AP"},
    "DL19": {"xinfAP(rel=2)": "AP(rel=2)", "xinfNDCG": "nDCG", "statAP(rel=2)": "AP(rel=2)"},
}
"""The estimates, and what each is an estimate of."""

DEPTHS = {"TREC-8": 10, "DL19": 3}
"""How many documents of every list are the first stratum."""

FEW = 10
"""Beside all queries of a collection, so many."""


@dataclass(frozen=True)
class Design:
    """Whether there is a first stratum, the share of the rest that is judged, and how many documents at least."""

    first: bool
    rate: float
    least: int = 5

    def __str__(self) -> str:
        share = f"{self.rate:.0%}" if self.rate else f"{self.least} a query"
        return f"all of the first, {share} of the rest" if self.first else f"{share} of all"

    def drawn(self, pool: BoardPool, grades: FloatArray, depth: int, rng: np.random.Generator) -> pl.DataFrame:
        """The judgments of such a sample."""
        stratum = np.where(pool.best_rank <= depth, 1, 2) if self.first else np.full(len(grades), 2)
        luck, known = rng.random(len(grades)), grades.copy()
        for start, size in zip(pool.starts, pool.sizes, strict=True):
            rest = start + np.flatnonzero(stratum[start : start + size] == 2)
            count = max(min(self.least, len(rest)), round(self.rate * len(rest)))
            known[rest[np.argsort(luck[rest])[count:]]] = -1.0
        return pool.ids.with_columns(grade=pl.Series(known), stratum=pl.Series(stratum).cast(pl.String))


DESIGNS = (
    Design(True, 0.0, 2),
    *(Design(True, rate) for rate in (0.05, 0.1, 0.2, 0.4)),
    *(Design(False, rate) for rate in (0.2, 0.5)),
)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """An estimate, what it estimates, and its interval; NaN where there is none."""

    measure: str
    value: float
    truth: float
    low: float
    high: float


def tried(title: str, design: Design, queries: int | None, told: argparse.Namespace) -> Iterator[Trial]:
    """The intervals of some runs, in so many samples."""
    name, read = FOLDERS[title]
    pool, grades = read(told.folder / name)
    ids = pool.ids
    chosen = np.linspace(1, len(pool.runs) - 2, told.runs).astype(int)
    runs = {
        pool.runs[run]: ids[pool.document[mine]].with_columns(score=pl.Series(-1.0 * pool.rank[mine]))
        for run in chosen
        for mine in [pool.run == run]
    }
    whole, wanted = ids.with_columns(grade=pl.Series(grades)), MEASURES[title]
    for seed in range(told.repetitions):
        rng = np.random.default_rng((seed, 1))
        sample = design.drawn(pool, grades, DEPTHS[title], rng)
        names = ids["query"].unique(maintain_order=True).to_list()
        some = pl.col("query").is_in(names if queries is None else rng.choice(names, queries, replace=False).tolist())
        lists = {run: table.filter(some) for run, table in runs.items()}
        truths = evaluate(whole.filter(some), lists, list(dict.fromkeys(wanted.values())), empty=0)
        for run, found in evaluate(sample.filter(some), lists, list(wanted), empty=0).items():
            for measure, low, high in zip(wanted, *found.sample_intervals(seed).interval, strict=True):
                truth = truths[run][wanted[measure]]
                yield Trial(measure=measure, value=found[measure], truth=truth, low=float(low), high=float(high))


def report(title: str, design: Design, queries: int | None, trials: Sequence[Trial]) -> None:
    """A row for each measure."""
    for measure in MEASURES[title]:
        mine = [trial for trial in trials if trial.measure == measure]
        errors = np.array([trial.value - trial.truth for trial in mine])
        shown = [trial for trial in mine if not np.isnan(trial.low)]
        held = np.mean([trial.low <= trial.truth <= trial.high for trial in shown]) if shown else np.nan
        width = np.mean([trial.high - trial.low for trial in shown]) / 2 if shown else np.nan
        cells = (
            title,
            design,
            "all" if queries is None else queries,
            measure,
            f"{errors.mean():+.4f}",
            f"{np.sqrt((errors**2).mean()):.4f}",
            f"{len(shown) / len(mine):.0%}",
            f"±{width:.4f}",
            f"{held:.3f}",
        )
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--collections", nargs="+", choices=sorted(MEASURES), default=["TREC-8"])
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--runs", type=int, default=8)
    told = parser.parse_args(arguments)
    print("| collection | judged | queries | measure | bias | error | with an interval | half its width | held |")
    print("|---|---|---:|---|---:|---:|---:|---:|---:|")
    for title, queries, design in itertools.product(told.collections, (None, FEW), DESIGNS):
        report(title, design, queries, list(tried(title, design, queries, told)))


if __name__ == "__main__":
    main(sys.argv[1:])
