"""The figures on preferences: people's grades of two TREC collections, compared by a noisy judge who likes a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.files import read_judgments
from rankgauge.judgments.llm.asking.question import OTHERS, drawn_lists
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.experiment import UNTRIED, Experiment, Measurements, Number, Setting
from rankgauge.papers.trec import collections
from rankgauge.statistics.paired_comparisons import Comparisons, FittedWorths, fit_worths, list_weight

COLLECTIONS = {"DL19": "trec_dl19_passage", "DL21": "trec_dl21_passage"}
DOCUMENTS = 20
"""How many documents of each query are compared."""

NOISE = 0.2
"""The share of answers about two documents that are not what the grades say."""

ODDS = float(np.e)
"""How many times likelier the judge makes the first place than the last."""

BLUR = 1 / (0.8416 * np.sqrt(2))
"""The spread of a listwise judge's view of a grade: a document one grade better comes first in 80 % of the lists."""

SIZES = {"pairwise": 2, "listwise": 5}
ASKED = ("one order", "both orders")


@Experiment.in_file(__file__, trials=20)
def run(setting: Setting) -> Measurements:
    """Let a judge with noise and a liking for the first place compare documents, and fit worths to the answers."""
    there = collections(setting.data, COLLECTIONS)
    if not there:
        return UNTRIED
    rows = [row for title, folder in there.items() for row in _rows(title, folder, setting)]
    numbers = {
        f"{row['collection']}, {row['prompt']}, {row['asked']}: {name}": Number(value=row[name], error=row[f"{name} ±"])
        for row in rows
        for name in ("coverage", "settled right", "bias")
    }
    shown = [{name: value for name, value in row.items() if not name.endswith("±")} for row in rows]
    return Measurements(
        numbers=numbers, tables={"pairwise": pl.DataFrame(shown)}, words=f"{setting.trials} repetitions"
    )


def _rows(title: str, folder: Path, setting: Setting) -> Iterator[dict[str, Any]]:
    """Yield a row for each prompt and way to ask: means over repetitions, with standard errors."""
    judged = read_judgments(folder / "qrels.txt")
    grades = [part["grade"].to_numpy() for part in judged.partition_by("query", maintain_order=True)]
    for prompt, size in SIZES.items():
        for asked in ASKED:
            tried = []
            for trial in range(setting.trials):
                setting.progress(trial, setting.trials, f"{title}, {prompt}, {asked}")
                rng = np.random.default_rng([setting.seed, trial])
                tried.append(_Trial.draw(grades, size, both=asked == ASKED[1], rng=rng).scores(rng))
            yield {"collection": title, "prompt": prompt, "asked": asked, **_means(tried)}


def _means(tried: Sequence[Mapping[str, float]]) -> dict[str, float]:
    table = {name: np.array([row[name] for row in tried]) for name in tried[0]}
    errors = {f"{name} ±": float(values.std(ddof=1) / np.sqrt(len(values))) for name, values in table.items()}
    return {name: float(values.mean()) for name, values in table.items()} | errors


@dataclass(frozen=True, kw_only=True, eq=False)
class _Trial:
    """A judge's answers about documents of every query, their grades, and the shares that the judge would give them if
    every two were shown in both orders, again and again. `early` marks the half that one order shows first."""

    worths: FittedWorths
    grades: FloatArray
    truth: FloatArray
    early: FloatArray

    @classmethod
    def draw(cls, queries: list[FloatArray], size: int, *, both: bool, rng: np.random.Generator) -> _Trial:
        """Draw documents, lists and answers; in one order, always the same documents are shown first."""
        parts, truth, early, start = [], [], [], 0
        grades: list[FloatArray] = []
        for query, every in enumerate(queries):
            known = every[rng.choice(len(every), min(DOCUMENTS, len(every)), replace=False)]
            score = rng.normal(size=len(known))
            lists = list(drawn_lists(len(known), size, OTHERS, rng))
            lists = [tuple(sorted(one, key=lambda place, by=score: -by[place])) for one in lists]  # type: ignore[misc]
            if both:
                lists += [one[::-1] for one in lists]
            first, second, better = _answers(known, lists, size, rng)
            weights = np.full(len(first), list_weight(size))
            parts.append((np.full(len(known), query), first + start, second + start, better, weights))
            truth.append(_true_shares(known, size))
            early.append((score > np.median(score)).astype(np.float64))
            grades.append(known)
            start += len(known)
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        names = ("query", "first", "second", "better", "weight")
        held = Comparisons(**dict(zip(names, columns, strict=True)))
        return cls(
            worths=fit_worths(held, biased=both),
            grades=np.concatenate(grades),
            truth=np.concatenate(truth),
            early=np.concatenate(early),
        )

    def scores(self, rng: np.random.Generator) -> dict[str, float]:
        """Return how often intervals hold, how many pairs are settled, how many of these rightly, and the bias."""
        drawn, shares = self.worths.draws(rng), self.worths.shares()
        low, high = np.quantile(self.worths.shares(drawn), [0.025, 0.975], axis=0)
        settled, right, pairs = 0, 0, 0
        for documents, _ in self.worths.comparisons.blocks:
            mine = drawn[:, documents]
            sure = (mine[:, :, np.newaxis] > mine[:, np.newaxis, :]).mean(axis=0) > 0.975
            apart = self.grades[documents][:, np.newaxis] - self.grades[documents]
            settled, right = settled + int(sure.sum()), right + int((sure & (apart >= 0)).sum())
            pairs += int((apart > 0).sum())
        error = shares - self.truth
        return {
            "coverage": float(((low <= self.truth) & (self.truth <= high)).mean()),
            "settled": settled / max(pairs, 1),
            "settled right": right / max(settled, 1),
            "bias": float(error[self.early > 0].mean() - error[self.early == 0].mean()),
        }


def _answers(
    grades: FloatArray, lists: list[tuple[int, ...]], size: int, rng: np.random.Generator
) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Draw a judge's answers about lists: every two of each, as shown, and which is better."""
    shown = np.array(lists)
    first, second = (np.concatenate([shown[:, i[at]] for i in _twos(size)]) for at in (0, 1))
    if size == 2:
        won, lost = _chances(grades, first, second, ODDS)
        drawn = rng.random(len(first))
        return first, second, np.where(drawn < won, 1.0, np.where(drawn < won + lost, -1.0, 0.0))
    seen = grades[shown] + rng.normal(scale=BLUR, size=shown.shape) + _liking(size) * np.arange(size)[::-1]
    better = np.concatenate([np.sign(seen[:, i] - seen[:, j]) for i, j in _twos(size)])
    return first, second, better


def _true_shares(grades: FloatArray, size: int) -> FloatArray:
    """Return the share of the others that each document is preferred to, over all lists and both orders."""
    places = np.arange(len(grades))
    if size == 2:
        first, second = (axis.ravel() for axis in np.meshgrid(places, places, indexing="ij"))
        won, lost = _chances(grades, first, second, ODDS)
        forth = (won + (1 - won - lost) / 2).reshape(len(grades), -1)
        preferred = (forth + 1 - forth.T) / 2
    else:
        from scipy.special import ndtr

        gap = grades[:, np.newaxis] - grades
        twos = [(j - i) * side for i, j in _twos(size) for side in (1, -1)]
        preferred = np.mean([ndtr((gap + _liking(size) * apart) / (BLUR * np.sqrt(2))) for apart in twos], axis=0)
    np.fill_diagonal(preferred, 0.0)
    return np.asarray(preferred.sum(axis=1) / (len(grades) - 1))


def _chances(grades: FloatArray, first: IndexArray, second: IndexArray, odds: float) -> tuple[FloatArray, FloatArray]:
    """Return the chances that the first and that the second is preferred: what grades say, noise, then the liking."""
    apart = np.sign(grades[first] - grades[second])
    won, lost, tied = (np.where(apart == sign, 1 - NOISE, NOISE / 2) for sign in (1, -1, 0))
    won, lost = won * np.sqrt(odds), lost / np.sqrt(odds)
    total = won + lost + tied
    return won / total, lost / total


def _liking(size: int) -> float:
    """Return how many grades a place is worth to a listwise judge beside the next: half a grade from end to end."""
    return 0.5 / (size - 1)


def _twos(size: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(size) for j in range(i + 1, size)]
