"""Do intervals of estimates from a sample hold the truth? `python -m benchmarks.sampled_intervals FOLDER [SEEDS]`.

The folder has `trec8_adhoc` or `trec_dl19_passage` or both, which are judged throughout. The first documents of every
list are one stratum, judged whole; of the rest a share is judged. Intervals are by resampling the judged documents of
each stratum with Rao and Wu's weights (JASA 1988): n − 1 of n are drawn with replacement, and how often each was is
drawn towards 1 by √(1 − f), f being the judged share. They hold the truth too seldom, so that no command shows them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge import evaluate
from rankgauge.active.board import BoardPool
from rankgauge.experiments.trec import FOLDERS
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.measures.strata import Strata
from rankgauge.numeric import FloatArray
from rankgauge.ranking import UNJUDGED, Hits

MEASURES = {
    "TREC-8": {"xinfAP": "AP", "xinfNDCG": "nDCG", "statAP": "AP"},
    "DL19": {"xinfAP(rel=2)": "AP(rel=2)", "xinfNDCG": "nDCG", "statAP(rel=2)": "AP(rel=2)"},
}
"""The estimates, and what each is an estimate of."""

DEPTHS = {"TREC-8": 10, "DL19": 3}
RATES = (0.1, 0.2, 0.4)
RUNS, SEEDS, REPLICATES = 6, 6, 60


def times(hits: Hits, rng: np.random.Generator) -> FloatArray:
    """How often each document of the pool counts in each replicate (replicates × documents)."""
    facets = hits.facets
    assert facets is not None
    found = np.ones((REPLICATES, len(facets.query)))
    for query in range(len(hits.names)):
        rows = np.flatnonzero(facets.query == query)
        for stratum in range(facets.grades.shape[1]):
            grades = facets.grades[rows, stratum]
            drawn, size = rows[grades > UNJUDGED], int((~np.isnan(grades)).sum())
            n = len(drawn)
            if 1 < n < size:
                counts = rng.multinomial(n - 1, np.full(n, 1.0 / n), size=REPLICATES)
                found[:, drawn] = 1.0 + np.sqrt(1.0 - n / size) * (n / (n - 1) * counts - 1.0)
    return found


def half_widths(hits: Hits, measures: Sequence[str], counted: FloatArray) -> FloatArray:
    """Half the width of the run's 95 % interval by each measure."""
    facets, place = hits.facets, hits.place
    assert facets is not None
    assert place is not None
    kernels = [parse(name).bound(DEFAULTS) for name in measures]
    variance = np.zeros(len(kernels))
    for query in range(len(hits.names)):
        mine, rows = np.flatnonzero(hits.query == query), np.flatnonzero(facets.query == query)
        strata = Strata(
            ranks=np.asarray(hits.rank[mine], dtype=np.float64),
            hits=facets.grades[place[mine]],
            pool=facets.grades[rows],
            chance=facets.weights[query],
            hit_times=counted[:, place[mine], np.newaxis],
            pool_times=counted[:, rows, np.newaxis],
        )
        variance += [np.nan_to_num(kernel.inferred(strata)).var(ddof=1) for kernel in kernels]  # type: ignore[attr-defined]
    return np.asarray(1.96 * np.sqrt(variance) / len(hits.names))


def sampled(pool: BoardPool, grades: FloatArray, stratum: FloatArray, rate: float, seed: int) -> pl.DataFrame:
    """The judgments of a sample: all of the first stratum, and that share of the second, five documents at least."""
    luck, known = np.random.default_rng(seed).random(len(grades)), grades.copy()
    for start, size in zip(pool.starts, pool.sizes, strict=True):
        rest = start + np.flatnonzero(stratum[start : start + size] == 2)
        drawn = max(min(5, len(rest)), round(rate * len(rest)))
        known[rest[np.argsort(luck[rest])[drawn:]]] = -1.0
    return pool.ids.with_columns(grade=pl.Series(known), stratum=pl.Series(stratum).cast(pl.String))


def main(folder: Path, seeds: int) -> None:
    """Prints a line for each collection, rate and measure."""
    print("collection, judged of the rest: measure: held by the interval, bias, error, half the width")
    for title, (name, read) in FOLDERS.items():
        if not (folder / name).is_dir():
            continue
        pool, grades = read(folder / name)
        names, chosen = list(MEASURES[title]), np.linspace(0, len(pool.runs) - 1, RUNS).astype(int)
        rows = {pool.runs[run]: pool.run == run for run in chosen}
        runs = {
            run: pool.ids[pool.document[mine]].with_columns(score=pl.Series(-1.0 * pool.rank[mine]))
            for run, mine in rows.items()
        }
        whole = pool.ids.with_columns(grade=pl.Series(grades))
        wanted = list(dict.fromkeys(MEASURES[title].values()))
        truths = {run: evaluate(whole, table, wanted, empty=0) for run, table in runs.items()}
        at = [wanted.index(MEASURES[title][one]) for one in names]
        truth = np.array([found.matrix.mean(axis=0)[at] for found in truths.values()])
        stratum = np.where(pool.best_rank <= DEPTHS[title], 1, 2)
        for rate in RATES:
            errors, halves = np.zeros((2, seeds, RUNS, len(names)))
            for seed in range(seeds):
                found = evaluate(sampled(pool, grades, stratum, rate, seed), runs, names, empty=0)
                hits = [one.hits for one in found.values()]
                counted = times(hits[0], np.random.default_rng(seed))
                errors[seed] = np.array([one.matrix.mean(axis=0) for one in found.values()]) - truth
                halves[seed] = [half_widths(one, names, counted) for one in hits]
            for n, measure in enumerate(names):
                held = (np.abs(errors[..., n]) <= halves[..., n]).mean()
                rms = np.sqrt((errors[..., n] ** 2).mean())
                words = f"{held:.2f}, {errors[..., n].mean():+.4f}, {rms:.4f}, {halves[..., n].mean():.4f}"
                print(f"{title}, {rate:.0%}: {measure}: {words}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else SEEDS)
