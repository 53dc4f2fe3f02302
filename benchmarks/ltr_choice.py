"""How AdaRank's defaults were chosen, without any test set: python -m benchmarks.ltr_choice.

In each fold it learns from two thirds of the training queries, the best round is chosen on the other third, and the
result is evaluated on the validation queries: 15 trials on each set. The largest mean of the two sets is the choice.

--data ../shared/data   the folder of the sets; where it is absent, a generated set like MQ2008
--quick                 a small generated set, to see that it works
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.costs import ROOT
from benchmarks.ltr_sets import SETS, generated
from rankgauge.demo.folds import Fold, read_folds
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.numeric import FloatArray
from rankgauge.papers.published.ndcg_tools.training import READINGS
from rankgauge.training import AdaRank

THIRDS = 3
RANKLIB: Mapping[str, Any] = {"rules": "ranklib"}
VARIANTS: tuple[Mapping[str, Any], ...] = (
    RANKLIB,
    *({"rest": rest, "patience": patience} for rest in (1, 2, 3, 5, 8) for patience in (20, 50)),
)


def main(arguments: list[str] | None = None) -> int:
    """Prints a row for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(arguments)
    for line in table(asked.data, quick=asked.quick):
        print(line, flush=True)
    return 0


def table(data: Path, *, quick: bool = False) -> Iterator[str]:
    """A row for each variant; the first has RankLib's rules, and the differences are from it."""
    sets = dict(_sets(data, quick=quick))
    yield "| AdaRank | " + " | ".join(sets) + " | mean of the sets |"
    yield "|---|" + "---|" * (len(sets) + 1)
    first: list[FloatArray] = []
    for variant in VARIANTS:
        found = [values(folds, variant) for folds in sets.values()]
        first = first or found
        cells = [_cell(trials, of_first) for trials, of_first in zip(found, first, strict=True)]
        name = "RankLib's rules" if variant is RANKLIB else ", ".join(f"{k} {v}" for k, v in variant.items())
        yield f"| {name} | " + " | ".join([*cells, f"{np.mean([trials.mean() for trials in found]):.4f}"]) + " |"


def values(folds: tuple[Fold, ...], variant: Mapping[str, Any]) -> FloatArray:
    """NDCG@10 on the validation queries in each trial; no test set is read."""
    found = []
    for fold in folds:
        third = _third(fold.train)
        for held in range(THIRDS):
            learned, chosen = _rows(fold.train, third != held), _rows(fold.train, third == held)
            ranker = AdaRank(metric="nDCG@10", dialect=READINGS["std"], **variant)
            kept = (chosen.matrix, chosen.grades, chosen.queries)
            ranker.fit(learned.matrix, learned.grades, qid=learned.queries, validation=kept)
            judged = fold.validation
            found.append(ranker.score(judged.matrix, judged.grades, qid=judged.queries))
    return np.array(found)


def _sets(data: Path, *, quick: bool) -> Iterator[tuple[str, tuple[Fold, ...]]]:
    found = {} if quick else {name: data / place for name, place in SETS.items() if (data / place).is_dir()}
    for name, place in found.items():
        yield name, read_folds(place)
    if not found:
        yield "a generated set", generated(60 if quick else 784)


def _third(data: FeatureTable) -> Any:
    """The third of the training queries, in the order of the file, that each document is in."""
    _, first, number = np.unique(data.queries, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[number]
    return place * THIRDS // len(first)


def _rows(data: FeatureTable, rows: Any) -> FeatureTable:
    return FeatureTable(*(column[rows] for column in data))


def _cell(trials: FloatArray, first: FloatArray) -> str:
    """The mean, and by how much it is above that of the first variant, with the standard error over trials."""
    apart = trials - first
    if not apart.any():
        return f"{trials.mean():.4f}"
    return f"{trials.mean():.4f} ({apart.mean():+.4f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.4f})"


if __name__ == "__main__":
    sys.exit(main())
