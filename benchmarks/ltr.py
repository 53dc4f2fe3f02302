"""How good the six rankers are and what their training costs, beside others, in one run: python -m benchmarks.ltr.

--only MQ2008,OHSUMED,choice,large   some of the parts
--data ../shared/data                the folder of the real sets; where it is absent, a generated set like MQ2008
--quick                              a small generated set, to see that it works
--jobs 1                             how many trainings run side by side
--folder DIR                         where finished trainings are kept, so that a second run goes on
--write                              into docs/training.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import ltr_choice, ltr_repeats
from benchmarks.costs import ROOT, measure, module
from benchmarks.goals import Reached
from benchmarks.ltr_peers import PEERS
from benchmarks.ltr_peers import train as train_peer
from benchmarks.ltr_sets import SETS, generated
from rankgauge import dialects
from rankgauge.demo.folds import Fold, read_folds
from rankgauge.labelling.simulations.jobs import run_jobs
from rankgauge.papers.experiment import fold_means
from rankgauge.papers.published.ndcg_tools import training
from rankgauge.papers.published.ndcg_tools.findings import HeldOut
from rankgauge.papers.published.ndcg_tools.training import PLAIN, READINGS, RankerSetup
from rankgauge.reference.reference import replace_part
from rankgauge.training import get

PAGE = ROOT / "docs" / "training.md"
PARTS = (*SETS, "choice", "large")
SKIPPED = {"OHSUMED": ("linearsvc",)}
"""Half a million pairs for each fold would take it several minutes."""
RANKLIB = tomllib.loads(Path(__file__).with_name("ranklib.toml").read_text(encoding="utf-8"))
COLUMNS = (("std", 1), ("std", 5), ("std", 10), ("yahoo", 10), ("letor", 10), ("letor4", 10))
LARGE = 300_000
OURS = (RankerSetup(title="AdaRank", name="adarank"), *PLAIN[1:])
"""Our rankers with their own defaults."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came of a ranker on a set: (mean, error) of each column, and its seconds per fold."""

    title: str
    values: tuple[tuple[float, float], ...]
    cpu: float

    @property
    def value(self) -> float:
        """NDCG@10 with the standard reading."""
        return self.values[COLUMNS.index(("std", 10))][0]


def main(arguments: list[str] | None = None) -> int:
    """Runs the parts that were asked for, and prints the page."""
    asked = _parser().parse_args(arguments)
    page = []
    for line in _page(asked):
        print(line, flush=True)
        page.append(line)
    if asked.write:
        text = replace_part(PAGE.read_text(encoding="utf-8"), "rankers", "\n".join(page) + "\n")
        PAGE.write_text(text, encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write", action="store_true")
    return parser


def _page(asked: argparse.Namespace) -> Iterator[str]:
    yield from _facts()
    goals: list[Reached] = []
    for name, place in SETS.items():
        if name in asked.only:
            yield from _set(name, asked.data / place, asked, goals)
    if "choice" in asked.only:
        yield from _choice(asked)
    if "large" in asked.only:
        yield from _large(2_000 if asked.quick else LARGE, goals)
    yield from _goals(goals)
    yield from _settings()


def _facts() -> Iterator[str]:
    yield "## Rankers: how good, how fast"
    yield ""
    yield "Made by `python -m benchmarks.ltr --write`; `make bench-ltr` prints it. Each ranker is trained for NDCG@10"
    yield "on five folds, its rounds or its C are chosen on the validation set, and it is evaluated on the test set."
    yield "`std`, `yahoo` and `letor` are the readings of NDCG of the paper in [ndcg-tools](ndcg-tools.md), `letor4`"
    yield "is the script of LETOR 4.0. ± is the standard error over queries, added in quadrature over the folds; two"
    yield "rankers on the same queries differ by far less by chance than these errors say."
    yield ""
    yield f"- {datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores, load of"
    yield f"  {os.getloadavg()[0]:.1f} at the start; one thread for each training, CPU seconds"
    names = ("numpy", "scikit-learn", "lightgbm", "xgboost-cpu", "catboost")
    yield f"- Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in names)
    yield "- RankLib's numbers (for RankSVM: LinearSVC's) come from another machine, 2 shared cores of an AMD EPYC, so"
    yield "  ratios to them are rough. They compare whole trainings, each with its own settings and stopping rule, not"
    yield "  the same number of rounds. All other numbers were measured on this machine;"
    yield "  trainings that were kept from an earlier run are not repeated."
    yield "- Tables have seed 0; below each is the mean over seeds of the rankers that draw random numbers. Not all"
    yield "  choices were blind: defaults of RankNet (15 variants), LambdaMART (25), AdaRank's `skip_dead` and the"
    yield "  tolerance of Coordinate Ascent were chosen with these test folds in view. Ignore differences of .005."
    yield ""


def _set(name: str, place: Path, asked: argparse.Namespace, goals: list[Reached]) -> Iterator[str]:
    real = place.is_dir() and not asked.quick
    if not real and name != "MQ2008":
        return
    folds = read_folds(place) if real else generated(60 if asked.quick else 784)
    yield f"### {name}" if real else "### A generated set like MQ2008"
    yield ""
    tested = HeldOut.of(folds)
    yield f"{len(tested.fold)} queries, {len(tested.judgments):,} documents; {tested.is_empty.mean():.1%} of the"
    yield f"queries without a relevant document, {(tested.sizes < 10).mean():.1%} with fewer than 10 documents."
    yield ""
    rows = _rows(folds, tested, asked, name if real else "generated")
    known = RANKLIB[name] if real else {}
    yield from _table(rows, known)
    means: dict[str, float] = {}
    yield from _repeats(folds, tested, asked, name if real else "generated", goals, means)
    goals += [reached for row in rows for reached in _reached(row, name, means)] if real else []
    if real and name == "MQ2008":
        goals.append(_beside({row.title: row.cpu for row in rows}))


def _repeats(
    folds: tuple[Fold, ...],
    tested: HeldOut,
    asked: argparse.Namespace,
    name: str,
    goals: list[Reached],
    means: dict[str, float],
) -> Iterator[str]:
    """Other seeds, whose means go into `means`, and Coordinate Ascent for AP."""
    known, seeds = RANKLIB.get(name, {}), 1 if asked.quick else ltr_repeats.SEEDS
    drawn = {ranker.name: ranker for ranker in OURS if ranker.name in ltr_repeats.DRAWN}
    with TemporaryDirectory() as passing:
        folder = (asked.folder or Path(passing)) / name
        repeats = ltr_repeats.Repeats(folds=folds, tested=tested, folder=folder, workers=asked.jobs, tell=_tell)
        yield from repeats.table(tuple(drawn.values()), known, seeds)
        means |= {ranker.title: repeats.mean(ranker, seeds) for ranker in drawn.values()}
        if "coordinate-ascent" in drawn:
            seconds = repeats.seconds(drawn["coordinate-ascent"], "AP")
            yield f"Coordinate Ascent for AP instead of NDCG@10: {seconds:.1f} CPU s/fold."
            yield ""
            what = f"Coordinate Ascent for AP on {name}, a fold"
            goals.append(Reached(what=what, measured=seconds, goal=10.0, stretch=None, unit=" s", more=False))


def _rows(folds: tuple[Fold, ...], tested: HeldOut, asked: argparse.Namespace, name: str) -> list[Row]:
    """Every ranker of ours, then the others."""
    skipped = SKIPPED.get(name, ())
    peers = tuple(RankerSetup(title=title, name=peer) for peer, (title, _) in PEERS.items() if peer not in skipped)
    with TemporaryDirectory() as passing:
        folder = (asked.folder or Path(passing)) / name
        found: dict[str, Any] = {}
        for rankers, work in ((OURS, training.train), (peers, train_peer)):
            jobs = training.jobs(folds, rankers, ("std",))
            found |= run_jobs(jobs, work, folds, folder=folder, workers=asked.jobs, progress=_tell)
    scores = np.array([training.scores(found, ranker.title, "std", folds) for ranker in (*OURS, *peers)])
    spoken = {**READINGS, "letor4": dialects.get("letor4")}
    values = {reading: tested.values(scores, dialect) for reading, dialect in spoken.items()}
    cells = [fold_means(values[reading][:, k - 1], tested.fold) for reading, k in COLUMNS]
    return [
        Row(
            title=ranker.title,
            values=tuple((float(mean[at]), float(error[at])) for mean, error in cells),
            cpu=float(np.mean([found[training.name(ranker.title, "std", fold)]["cpu"] for fold in folds])),
        )
        for at, ranker in enumerate((*OURS, *peers))
    ]


def _tell(done: int, jobs: int, name: str) -> None:
    if name:
        print(f"  {done}/{jobs} {name}", file=sys.stderr, flush=True)


def _table(rows: list[Row], known: Mapping[str, Any]) -> Iterator[str]:
    named = [f"{reading}@{k}" for reading, k in COLUMNS]
    yield "| | " + " | ".join(named) + " | CPU s/fold | RankLib there: std@10 | CPU s/fold | ratio |"
    yield "|---|" + "---|" * (len(named) + 4)
    for row in rows:
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in row.values]
        other = known.get(row.title)
        beside = ["", "", ""] if other is None else [f"{other['std']:.4f}", f"{other['cpu']:g}"]
        ratio = [] if other is None else [f"{other['cpu'] / row.cpu:.1f} ×"]
        yield f"| {row.title} | " + " | ".join([*cells, f"{row.cpu:.2f}", *beside, *ratio]) + " |"
    yield ""
    if known:
        yield "RankLib was set to: " + _settings_of(known) + "."
        yield ""


def _settings_of(known: Mapping[str, Any]) -> str:
    """How RankLib was set for a table, ranker by ranker."""
    return "; ".join(f"{title} {other['set']}" for title, other in known.items())


def _reached(row: Row, name: str, means: Mapping[str, float]) -> Iterator[Reached]:
    goal, other = RANKLIB["goals"][name].get(row.title, {}), RANKLIB[name].get(row.title, {})
    if "std" in goal:
        what = f"{row.title} on {name}, NDCG@10" + (", mean over seeds" if row.title in means else "")
        value = means.get(row.title, row.value)
        yield Reached(what=what, measured=value, goal=goal["std"], stretch=None, unit="")
    if "times" in goal:
        what = f"{row.title} on {name}, times as fast as {other.get('tool', 'RankLib')} there"
        yield Reached(what=what, measured=other["cpu"] / row.cpu, goal=goal["times"], stretch=None)


def _beside(seconds: Mapping[str, float]) -> Reached:
    """RankSVM against the same loss on explicit pairs, in this run."""
    ratio = seconds["LinearSVC on pairs"] / seconds["RankSVM"]
    return Reached(what="RankSVM, times as fast as LinearSVC here", measured=ratio, goal=10, stretch=None)


def _choice(asked: argparse.Namespace) -> Iterator[str]:
    """How AdaRank's defaults were chosen."""
    yield "### How AdaRank's defaults were chosen"
    yield ""
    yield "By `python -m benchmarks.ltr_choice`, which reads no test set: NDCG@10 on the validation queries of each"
    yield "fold, after training on two thirds of the training queries and choosing the round on the other third; 15"
    yield "trials for each set. In brackets, the paired difference from RankLib's rules, with its standard error over"
    yield "trials. The largest mean of the sets is the default, and of equal ones the quicker. A fold's validation set"
    yield "is the test set of another, so the choice is blind within each fold, but not for all of them together."
    yield "About 50 other variants were tried before in the same way, none of them on a test set: tolerances, features"
    yield "in their own units, other orders of setting aside. With errors like these no variant is shown to be best."
    yield ""
    yield from ltr_choice.table(asked.data, quick=asked.quick)
    yield ""


def _large(documents: int, goals: list[Reached]) -> Iterator[str]:
    """RankSVM on many documents, in a process of its own."""
    yield "### RankSVM on a generated set like MSLR"
    yield ""
    print(f"  RankSVM on {documents:,} documents", file=sys.stderr, flush=True)
    cost = measure(module("benchmarks.ltr_large", documents))
    found = json.loads(cost.output)
    yield "| documents | features | seconds of training | CPU s | peak memory of the process | NDCG@10 on validation |"
    yield "|---|---|---|---|---|---|"
    yield (
        f"| {found['documents']:,} | {found['features']} | {found['wall']:.1f} | {found['cpu']:.1f} | "
        f"{cost.memory:,.0f} MB | {found['value']:.4f} |"
    )
    yield ""
    if documents == LARGE:
        limits = (
            (f"RankSVM on {LARGE:,} documents", found["wall"], 120.0, " s"),
            ("its memory", cost.memory, 2048.0, " MB"),
        )
        for what, measured, goal, unit in limits:
            goals.append(Reached(what=what, measured=measured, goal=goal, stretch=None, unit=unit, more=False))


def _goals(goals: list[Reached]) -> Iterator[str]:
    if not goals:
        return
    yield "### Goals"
    yield ""
    yield "| | measured | goal | |"
    yield "|---|---|---|---|"
    for one in goals:
        digits = ".4f" if not one.unit else ".1f"
        yield f"| {one.what} | {one.measured:{digits}}{one.unit} | {one.goal:g}{one.unit} | {one.verdict} |"
    yield ""


def _settings() -> Iterator[str]:
    yield "### Settings"
    yield ""
    for ranker in OURS:
        skipped = {"metric", "dialect", "rng"}
        chosen = {name: value for name, value in get(ranker.name)().get_params().items() if name not in skipped}
        shown = ", ".join(f"{name} {value}" for name, value in chosen.items())
        yield f"- {ranker.title}: {shown}."
    yield "- LightGBM: 10 leaves, rate .1, 20 documents in a leaf; regularised: rate .03, 50 documents, half of the"
    yield "  features, .7 of the documents, L2 of 5. XGBoost: depth 4, rate .1, pairs of the top 10. CatBoost: depth 4,"
    yield "  rate .1. All: 1000 trees at most, stop after 100 without a gain."
    yield "- LinearSVC: squared hinge on the differences of all pairs, no intercept, tolerance 1e-3, 11 values of C."


if __name__ == "__main__":
    sys.exit(main())
