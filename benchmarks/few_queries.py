"""Whether intervals cover where queries and labels are few: python -m benchmarks.few_queries.

--data DIR          the folder of TREC 2019's passage task (qrels.txt, runs_order_top100.txt.xz)
--run p_bert        the run that is evaluated
--depth 10          how far down its lists are pooled
--beliefs good      calibrated beliefs; or uniform ones, or reversed ones, which are wrong
--methods auto      some of the methods, separated by commas
--measures nDCG@10,AP
--budgets 60,150,400
--campaigns 100     of each method at each budget
--rng 0             the seed of the first campaign

The pool is the run's 43 lists, and the value is the pool's: documents outside it do not count, not even in the ideal.
Good beliefs are calibrated: an ordered logit of the grades on the ranks that the track's runs give a document. Coverage
is over the campaigns that show an interval; `none` says how many of them do not.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.labelling import methods
from rankgauge.labelling.method import Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from rankgauge.training import OrderedLogit

BELIEFS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "good": np.asarray,
    "uniform": lambda beliefs: np.full_like(beliefs, 1 / beliefs.shape[1]),
    "reversed": lambda beliefs: beliefs[:, ::-1].copy(),
}
HEADER = ("method", "measure", "budget", "coverage", "± mean", "± largest", "none")
TINY = 1e-9
"""An interval whose end is the truth holds it."""


def ranked(folder: Path) -> pl.DataFrame:
    """The runs of the track: run, query, document, rank."""
    packed = (folder / "runs_order_top100.txt.xz").read_bytes()
    rows = (line.split("\t") for line in lzma.decompress(packed).decode().splitlines())
    frame = pl.DataFrame(
        [(run.removesuffix(".run"), query, " ".join(cells).split()) for run, query, *cells in rows],
        schema=["run", "query", "document"],
        orient="row",
    )
    return frame.with_columns(rank=pl.int_ranges(1, pl.col("document").list.len() + 1)).explode("document", "rank")


def features(runs: pl.DataFrame, run: str, depth: int) -> pl.DataFrame:
    """The documents of the run's lists, with what the ranks of all runs say of them."""
    fused = runs.group_by("query", "document").agg(
        fused=(1 / (pl.col("rank") + 10)).sum(), named=pl.len(), best=pl.col("rank").min().log()
    )
    mine = runs.filter((pl.col("run") == run) & (pl.col("rank") <= depth)).sort("query", "rank")
    return mine.join(fused, on=["query", "document"], how="left", maintain_order="left").with_columns(
        score=-pl.col("rank").cast(pl.Float64), place=pl.col("rank").log()
    )


def judged_pool(folder: Path, run: str, depth: int) -> tuple[Pool, FloatArray]:
    """The run's pool with calibrated beliefs, and the grades of its documents; one that was not judged has 0."""
    listed = features(ranked(folder), run, depth)
    judgments = files.read_judgments(folder / "qrels.txt").select("query", "document", pl.col("grade").cast(pl.Float64))
    known = listed.join(judgments, on=["query", "document"], how="left", maintain_order="left")
    known = known.filter(pl.col("query").is_in(judgments["query"].unique().implode()))
    grades = known["grade"].fill_null(0.0).to_numpy()
    matrix = known.select("place", "fused", "named", "best").cast(pl.Float64).to_numpy()
    model = OrderedLogit().fit(matrix, grades)
    frame = known.select("query", "document", "score")
    pool = Pool.of(frame, grades=model.classes_, beliefs=model.predict_proba(matrix))
    return pool, pool.find(frame.with_columns(grade=pl.Series(grades)))


def row(name: str, measure: str, budget: float, found: Repetitions, truth: float) -> tuple[str, ...]:
    """Coverage with its standard error, the mean half-width and the largest, and how many show no interval."""
    half = (found.high - found.low) / 2
    shown = np.isfinite(half)
    n, none = int(shown.sum()), int((~shown).sum())
    if not n:
        return name, measure, f"{budget:g}", "–", "–", "–", str(none)
    held = int(((found.low <= truth + TINY) & (truth <= found.high + TINY))[shown].sum())
    # Two more of either kind, so that a coverage of 1 has an error too (Agresti & Coull 1998).
    share = (held + 2) / (n + 4)
    covered = f"{held / n:.3f} ± {np.sqrt(share * (1 - share) / (n + 4)):.3f}"
    return name, measure, f"{budget:g}", covered, f"{half[shown].mean():.4f}", f"{half[shown].max():.4f}", str(none)


def rows(args: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """A row for each method, measure and budget."""
    pool, grades = judged_pool(args.data, args.run, args.depth)
    pool = pool.with_beliefs(BELIEFS[args.beliefs](pool.beliefs))
    seeds = args.rng + np.arange(args.campaigns)
    for measure in args.measures:
        target = Target.of(measure, pool, "papers")
        truth = float(target.values(pool, grades).mean())
        for name in args.methods:
            for budget in args.budgets:
                found = methods.get(name).repeat(pool, target, grades, budget=budget, seeds=seeds)
                yield row(name, measure, budget, found, truth)


def names(text: str) -> list[str]:
    """The names in a list with commas."""
    return text.split(",")


def numbers(text: str) -> list[float]:
    """The numbers in a list with commas."""
    return [float(part) for part in text.split(",")]


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trec_dl19_passage"))
    parser.add_argument("--run", default="p_bert")
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--beliefs", choices=BELIEFS, default="good")
    parser.add_argument("--methods", type=names, default=["auto"])
    parser.add_argument("--measures", type=names, default=["nDCG@10", "AP"])
    parser.add_argument("--budgets", type=numbers, default=[60.0, 150.0, 400.0])
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument("--rng", type=int, default=0)
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    for cells in rows(parser.parse_args(argv)):
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
