"""How well a few runs are known from few labels: the posterior beside the leaderboard, whole queries and pooling.

    python -m benchmarks.posterior --pools 200 --methods order --measures nDCG@10 P@10 RR@10 ERR@10 AP RBP
    python -m benchmarks.posterior --pools 100 --methods chosen --measures P@10
    python -m benchmarks.posterior --pools 100 --methods settle --measures AP
    python -m benchmarks.posterior --pools 40 --judge umbrela --methods order judge whole ppi depth board
    python -m benchmarks.posterior --pools 100 --shapes

Each pool holds the first documents of some of a collection's runs, drawn at random, as lists of judged documents only;
the truth is the value with the whole pool judged. By default the collection is TREC DL21, which had no part in the
choice of the model's constants: these come from DL19. `--near` draws runs that follow one another in the true order,
`--named` takes the same runs for every seed, `--shuffle` shuffles people's grades within each query, and `--judge
inverted:NAME` and `--judge random:NAME` turn a judge's grades upside down or shuffle them over all documents. With
`--before N` as many documents of the runs' lists, of any rank, were judged before.

`order` takes labels by the fixed order. `chosen` chooses them in batches of 25 for the first measure and the goal.
`settle` chooses them for the best run, looks every 25 labels and stops once a run is the best with a chance of 0.95.
`whole` judges whole queries in random order (Student's t with the correction for a finite number of queries), and `ppi`
adds the judge's value of every query as a covariate. `depth` judges the first documents of every list and takes the
others for not relevant, `judge` is the judge alone: both have no interval. `board` is the leaderboard's stream, `auto`
the method for the one value of one run. The goal `beats` is to settle which runs beat the first one of the pool.

`--shapes` measures pools of many shapes by all measures, and prints how often intervals cover in each.

Campaigns draw 400 gradings (80 chains); to spare time a pool is measured with 160 (`--chains 32`).

With `--out FILE` every pool is a line of that file, and pools that are in it already are not measured again: a run can
be stopped and continued. Run it with one BLAS thread. `benchmarks/posterior_tables.py` says what the tables hold.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.posterior_tables import print_shapes, print_tables
from rankgauge.files import judgments_from
from rankgauge.labelling import methods
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.model import LAST
from rankgauge.labelling.posterior.plan import BATCH, SURE, expected_half_widths
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.trec import dl19_runs, trec8

DATA = Path(__file__).parents[1].parent / "shared" / "data"
BETWEEN = 16
"""How many chains sample between two batches, where nothing but the spreads of queries' effects is needed."""

Lists = dict[str, dict[str, list[str]]]
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection:
    """The runs' lists of judged documents, people's judgments, and the scale."""

    folder: Path
    runs: Lists
    judged: pl.DataFrame
    scale: tuple[float, ...]

    @classmethod
    def read(cls, folder: Path) -> Collection:
        """Read a folder of TREC-8, or of a Deep Learning track."""
        if (folder / "hits.parquet").exists():
            return cls._from_trec8(folder)
        judged = judgments_from(folder / "qrels.txt")
        known = {(query, document) for query, document in judged.select("query", "document").iter_rows()}
        runs = {
            name: {query: [one for one in documents if (query, one) in known] for query, documents in lists.items()}
            for name, lists in sorted(dl19_runs(folder).items())
        }
        return cls(folder=folder, runs=runs, judged=judged, scale=(0.0, 1.0, 2.0, 3.0))

    @classmethod
    def _from_trec8(cls, folder: Path) -> Collection:
        pool, grades = trec8(folder)
        queries, documents = pool.queries.gather(pool.query).to_list(), pool.documents.to_list()
        runs: Lists = {name: {} for name in pool.runs}
        for run, place in zip(pool.run.tolist(), pool.document.tolist(), strict=True):
            runs[pool.runs[run]].setdefault(queries[place], []).append(documents[place])
        judged = pl.DataFrame({"query": queries, "document": documents, "grade": np.clip(grades, 0, 1)})
        return cls(folder=folder, runs=runs, judged=judged, scale=(0.0, 1.0))

    def pool(
        self,
        names: list[str],
        depth: int,
        *,
        judges: dict[str, pl.DataFrame] | None = None,
        before: pl.DataFrame | None = None,
    ) -> BoardPool:
        """Return the pool of the first documents of some runs, and of those that were judged before."""
        runs = {
            name: {
                query: {one: -float(n) for n, one in enumerate(documents)}
                for query, documents in self.runs[name].items()
                if documents
            }
            for name in names
        }
        return BoardPool.from_runs(runs, depth=depth, judges=judges, also=before)

    def judged_before(self, names: list[str], count: int, rng: np.random.Generator) -> pl.DataFrame | None:
        """Return judgments of some documents of these runs' lists, whatever their rank."""
        listed = {
            (query, one) for name in names for query, documents in self.runs[name].items() for one in documents[:LAST]
        }
        keys = pl.DataFrame(sorted(listed), schema=["query", "document"], orient="row")
        rows = self.judged.join(keys, on=["query", "document"], how="semi").sort("query", "document")
        return rows[np.sort(rng.choice(len(rows), count, replace=False))] if count else None

    def judge(self, name: str, rng: np.random.Generator) -> pl.DataFrame:
        """Return the judgments of a judge, upside down or shuffled if its name asks for that."""
        how, _, plain = name.rpartition(":")
        grades = judgments_from(self.folder / "llm" / f"{plain}.qrels").select("query", "document", "grade")
        values = grades["grade"].to_numpy().astype(np.float64)
        if how == "inverted":
            values = values.max() + values.min() - values
        if how == "random":
            values = rng.permutation(values)
        return grades.with_columns(grade=pl.Series(values))

    def by_level(self, measure: str, dialect: str, depth: int) -> list[str]:
        """Return the names of all runs by falling value of a measure."""
        pool = self.pool(sorted(self.runs), depth)
        posterior = GradePosterior.of(pool, [measure], grades=self.scale, dialect=dialect)
        grades = np.clip(pool.grades(self.judged), self.scale[0], self.scale[-1])
        values = posterior.scorers[0].values(grades[np.newaxis])[0].mean(axis=1)
        return [pool.runs[n] for n in np.argsort(-values, kind="stable")]


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A pool that is judged throughout. Labels are chosen for the first measure, all are estimated."""

    posterior: GradePosterior
    grades: FloatArray
    seed: int
    chosen_for: str
    chains: int

    @cached_property
    def chooser(self) -> GradePosterior:
        """The posterior of the first measure alone."""
        first = self.posterior.targets[0]
        return GradePosterior.of(
            self.posterior.pool, [first.name], grades=self.posterior.grades.tolist(), dialect=first.dialect
        )

    @cached_property
    def truth(self) -> list[FloatArray]:
        """The value of each run on each query, by each measure (runs × queries)."""
        return self.values(self.grades)

    def values(self, grades: FloatArray) -> list[FloatArray]:
        """The same if these were the grades of all documents."""
        return [scorer.values(grades[np.newaxis])[0] for scorer in self.posterior.scorers]

    @property
    def goal(self) -> str:
        """The goal that labels are chosen for; one that needs a baseline takes the first run."""
        return f"beats {self.posterior.pool.runs[0]}" if self.chosen_for == "beats" else self.chosen_for

    def estimate(self, labels: FloatArray) -> tuple[PosteriorEstimate, ...]:
        """Return the estimates of all measures."""
        return self.posterior.estimate(labels, seed=self.seed, chains=self.chains)

    def labels(self, places: IndexArray) -> FloatArray:
        """The grades of some documents, NaN for the others."""
        labels = np.full(len(self.grades), np.nan)
        labels[places] = self.grades[places]
        return labels

    @property
    def judge(self) -> FloatArray:
        """The first judge's grades on the scale, the lowest where it gave none."""
        said = self.posterior.pool.judges[0].on(self.posterior.grades)
        return np.where(np.isnan(said), self.posterior.grades[0], said)

    def row(self, measure: int, method: str, labels: int, values: FloatArray, **more: FloatArray) -> Row:
        """Return what a method says of a measure; of matrices of pairs only what is above the diagonal."""
        upper = np.triu_indices(len(values), 1)
        shown = {
            name: one[upper] if one.shape == (len(values),) * 2 else one
            for name, one in {"values": values, **more}.items()
        }
        rounded = {name: np.round(one, 5).tolist() for name, one in shown.items()}
        return {"method": method, "labels": labels, "measure": self.posterior.targets[measure].name, **rounded}


def cases(collection: Collection, options: argparse.Namespace, seeds: list[int]) -> Iterator[Case]:
    """Yield pools of runs that are drawn at random."""
    names = sorted(collection.runs)
    if options.near:
        names = collection.by_level(options.measures[0], options.dialect, options.depth)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        start = int(rng.integers(len(names) - options.runs + 1))
        drawn = [names[n] for n in rng.choice(len(names), options.runs, replace=False)]
        chosen = options.named or (names[start : start + options.runs] if options.near else drawn)
        judges = {name: collection.judge(name, rng) for name in options.judge}
        before = collection.judged_before(list(chosen), options.before, rng)
        pool = collection.pool(list(chosen), options.depth, judges=judges, before=before)
        grades = np.clip(pool.grades(collection.judged), collection.scale[0], collection.scale[-1])
        if options.shuffle:
            grades = np.concatenate([rng.permutation(one) for one in np.split(grades, pool.starts[1:])])
        posterior = GradePosterior.of(pool, options.measures, grades=collection.scale, dialect=options.dialect)
        yield Case(posterior=posterior, grades=grades, seed=seed, chosen_for=options.goal, chains=options.chains)


def _estimated(case: Case, method: str, labels: int, estimates: tuple[PosteriorEstimate, ...]) -> Iterator[Row]:
    for n, one in enumerate(estimates):
        yield case.row(
            n,
            method,
            labels,
            one.values,
            half=one.half_widths(),
            ends=np.array(one.ends()),
            gaps=one.gap_half_widths(),
            pairs=one.pair_half_widths(),
            like=one.like_half_widths(),
            chance=one.best_chances(),
        )


def by_order(case: Case, labels: list[int]) -> Iterator[Row]:
    """The posterior with labels by the fixed order."""
    order = case.posterior.order(case.seed)
    for n in labels:
        yield from _estimated(case, "order", n, case.estimate(case.labels(order[:n])))


def by_choice(case: Case, labels: list[int]) -> Iterator[Row]:
    """The posterior with labels that are chosen batch by batch."""
    known, spent = np.full(len(case.grades), np.nan), 0
    foretold = dict(zip(labels, expected_half_widths(case.chooser, labels, seed=case.seed)[:, 0], strict=True))
    chains = BETWEEN if case.goal in ("values", "rank") else case.chains
    for n in labels:
        while spent < n:
            after = case.chooser.estimate(known, seed=case.seed, chains=chains) if spent else ()
            size = min(BATCH if spent else case.posterior.first, n - spent)
            places = case.chooser.next(known, size, seed=case.seed, after=after, goal=case.goal)
            known[places] = case.grades[places]
            spent += size
        first, *rest = _estimated(case, "chosen", n, case.estimate(known))
        yield from ({**first, "foretold": round(float(foretold[n]), 5)}, *rest)


def until_settled(case: Case, labels: list[int]) -> Iterator[Row]:
    """Labels for the best run, with a look every 25; a row for each look, the last one where it is settled."""
    known, after, spent = np.full(len(case.grades), np.nan), (), 0
    while spent < max(labels):
        size = min(BATCH if spent else case.posterior.first, max(labels) - spent)
        places = case.chooser.next(known, size, seed=case.seed, after=after, goal="best")
        known[places], spent = case.grades[places], spent + size
        after = case.chooser.estimate(known, seed=case.seed, chains=case.chains)
        yield from _estimated(case, "settle", spent, after)
        if after[0].best_chances().max() >= SURE:
            return


def by_whole_queries(case: Case, labels: list[int], judge: list[FloatArray] | None = None) -> Iterator[Row]:
    """Whole queries in random order, as many as the labels pay for; at least two, or four beside a judge."""
    pool = case.posterior.pool
    order = np.random.default_rng(case.seed).permutation(len(pool.queries))
    for n in labels:
        paid = int(np.searchsorted(np.cumsum(pool.sizes[order]), n, side="right"))
        mine = order[: max(paid, 2 if judge is None else 4)]
        left = np.sqrt((1.0 - len(mine) / len(order)) / len(mine))
        for measure, truth in enumerate(case.truth):
            values, moved, freedom = truth[:, mine], 0.0, len(mine) - 1
            if judge is not None:
                said = judge[measure]
                off = said[:, mine] - said[:, mine].mean(axis=1, keepdims=True)
                slope = float((off * values).sum() / max(float((off**2).sum()), 1e-12))
                moved = slope * (said.mean(axis=1) - said[:, mine].mean(axis=1))
                values, freedom = values - slope * said[:, mine], freedom - 1
                mean = truth[:, mine].mean(axis=1) + moved
            else:
                mean = values.mean(axis=1)
            widths = [
                half_width(one.std(axis=-1, ddof=1) * left, draws=len(mine), freedom=freedom, level=0.95)
                for one in (values, values[:, np.newaxis] - values)
            ]
            yield case.row(measure, "whole" if judge is None else "ppi", n, mean, half=widths[0], gaps=widths[1])


def by_ppi(case: Case, labels: list[int]) -> Iterator[Row]:
    """The same with the judge's value of each query as a covariate, with one slope for all runs."""
    yield from by_whole_queries(case, labels, case.values(case.judge))


def by_depth(case: Case, labels: list[int]) -> Iterator[Row]:
    """The first documents of every list, as deep as the labels pay for; all others count as not relevant."""
    best = case.posterior.pool.best_rank
    order = np.lexsort((np.random.default_rng(case.seed).random(len(best)), best))
    for n in labels:
        known = case.labels(order[:n])
        for measure, values in enumerate(case.values(np.nan_to_num(known))):
            yield case.row(measure, "depth", n, values.mean(axis=1))


def by_judge(case: Case, labels: list[int]) -> Iterator[Row]:
    """The judge alone, which no label changes."""
    said = case.values(case.judge)
    for n in labels:
        for measure, values in enumerate(said):
            yield case.row(measure, "judge", n, values.mean(axis=1))


def by_board(case: Case, labels: list[int]) -> Iterator[Row]:
    """The leaderboard's stream; its intervals even where a report would not show them yet."""
    targets = case.posterior.targets
    scale = case.posterior.grades.tolist()
    board = Board.of(case.posterior.pool, [one.name for one in targets], grades=scale, dialect=targets[0].dialect)
    stream = board.stream(case.seed)
    for n in labels:
        for measure, one in enumerate(board.estimate(board.read(stream, stream.exactly(n), case.grades, budget=n))):
            spread = one.covariance
            gaps = half_width(spread.pair_error, draws=n, freedom=spread.pair_freedom, level=0.95)
            yield case.row(measure, "board", n, one.values, half=spread.half_widths(0.95), gaps=gaps)


def by_one_value(case: Case, labels: list[int]) -> Iterator[Row]:
    """The method `auto` for the one value of one run: draws of documents or queries, by beliefs that know nothing."""
    board, scale = case.posterior.pool, case.posterior.grades
    ranks = np.zeros(len(case.grades))
    ranks[board.document] = board.rank
    frame = board.ids.with_columns(score=-pl.Series(ranks))
    pool = Pool.of(frame, grades=scale)
    grades = pool.find(frame.with_columns(grade=pl.Series(case.grades)))
    for measure, target in enumerate(case.posterior.targets):
        wanted = Target.of(target.name, pool, target.dialect)
        for n in labels:
            one = methods.get("auto").repeat(pool, wanted, grades, budget=float(n), seeds=np.array([case.seed]))
            half = np.nan_to_num((one.high - one.low) / 2, nan=1.0)
            yield case.row(measure, "auto", n, np.asarray(one.value), half=half, gaps=np.zeros((1, 1)))


METHODS: dict[str, Callable[[Case, list[int]], Iterator[Row]]] = {
    "order": by_order,
    "chosen": by_choice,
    "settle": until_settled,
    "whole": by_whole_queries,
    "ppi": by_ppi,
    "depth": by_depth,
    "judge": by_judge,
    "board": by_board,
    "auto": by_one_value,
}


def measured(case: Case, options: argparse.Namespace) -> Row:
    """Return the row of a pool: its truth, and what each method says at each number of labels."""
    began = time.process_time()
    says = [row for name in options.methods for row in METHODS[name](case, options.labels)]
    truth = {
        target.name: np.round(one.mean(axis=1), 5).tolist()
        for target, one in zip(case.posterior.targets, case.truth, strict=True)
    }
    seconds = round(time.process_time() - began, 2)
    return {"pool": case.seed, "documents": len(case.grades), "cpu": seconds, "truth": truth, "says": says}


def cell(options: argparse.Namespace) -> Row:
    """Return what a pool is measured for: pools of the same cell belong into one table."""
    names = (
        "runs",
        "depth",
        "labels",
        "measures",
        "dialect",
        "goal",
        "judge",
        "near",
        "named",
        "shuffle",
        "before",
        "methods",
        "chains",
    )
    return {"data": options.data.name, **{name: getattr(options, name) for name in names}}


def rows(options: argparse.Namespace) -> list[Row]:
    """Return the rows of all pools, those of the file first."""
    kept = options.out.read_text().splitlines() if options.out and options.out.exists() else []
    found = [one for one in map(json.loads, kept) if one["cell"] == cell(options)]
    wanted = range(options.seed, options.seed + options.pools)
    found = [one for one in found if one["pool"] in wanted]
    missing = sorted(set(wanted) - {one["pool"] for one in found})
    for case in cases(Collection.read(options.data), options, missing) if missing else ():
        found.append({"cell": cell(options), **measured(case, options)})
        if options.out:
            with options.out.open("a") as file:
                file.write(json.dumps(found[-1]) + "\n")
    return found


DL19, TREC8 = {"data": DATA / "trec_dl19_passage"}, {"data": DATA / "trec8_adhoc"}
SHAPES: dict[str, dict[str, Any]] = {
    "DL21, 5 runs": {},
    "3 runs": {"runs": 3},
    "8 runs": {"runs": 8},
    "depth 20": {"depth": 20},
    "near-equal runs": {"near": True},
    "judge umbrela": {"judge": ["umbrela"]},
    "judge upside down": {"judge": ["inverted:umbrela"]},
    "judge at random": {"judge": ["random:umbrela"]},
    "grades shuffled": {"shuffle": True},
    "100 judged before": {"before": 100},
    "DL19, 5 runs": DL19,
    "DL19, 3 runs": {**DL19, "runs": 3},
    "DL19, 8 runs": {**DL19, "runs": 8},
    "DL19, depth 20": {**DL19, "depth": 20},
    "TREC-8, 5 runs": TREC8,
    "TREC-8, 3 runs": {**TREC8, "runs": 3},
    "TREC-8, 8 runs": {**TREC8, "runs": 8},
    "TREC-8, depth 20": {**TREC8, "depth": 20},
}
"""What differs from pools of the first ten documents of five runs of DL21 without a judge."""

EVERY = ("nDCG@10", "P@10", "RR@10", "ERR@10", "AP", "RBP")
"""The measures of the shapes; labels are chosen for the first."""


def cover(options: argparse.Namespace) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield each shape, how its labels come, and its pools."""
    for method in ("order", "chosen"):
        for shape, differs in SHAPES.items():
            asked = {**vars(options), **differs, "methods": [method], "measures": list(EVERY)}
            yield shape, method, rows(argparse.Namespace(**asked))


def main() -> None:
    """Measure the pools that are missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "trec_dl21_passage")
    parser.add_argument("--pools", type=int, default=40)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--measures", nargs="+", default=["nDCG@10"])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=["order", "whole"])
    parser.add_argument("--dialect", default="papers")
    parser.add_argument("--goal", default="values")
    parser.add_argument("--judge", nargs="*", default=[])
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--named", nargs="*", default=[])
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--before", type=int, default=0)
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--chains", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.shapes:
        print_shapes(cover(options))
    else:
        print_tables(cell(options), rows(options))


if __name__ == "__main__":
    main()
