"""The figures on preferences: people's grades of two TREC collections, compared by a noisy judge who likes a place."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl

from rankgauge.files import read_judgments
from rankgauge.judgments.llm.asking.question import OTHERS, drawn_lists
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.experiment import UNTRIED, Experiment, Measurements, Number, Setting
from rankgauge.papers.trec import collections
from rankgauge.render import plots
from rankgauge.statistics.paired_comparisons import Comparisons, fit_worths, list_weight

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
SHOWN = {"pairwise": "pairs", "listwise": "lists"}
BIASES = (-0.01, 0.06)
"""The ends of the figure's scale."""


@Experiment.in_file(__file__, trials=20)
def run(setting: Setting) -> Measurements:
    """Let a judge with noise and a liking for the first place compare documents, and fit worths to the answers."""
    rows, numbers = list[dict[str, Any]](), dict[str, Number]()
    for title, folder in collections(setting.data, COLLECTIONS).items():
        judged = read_judgments(folder / "qrels.txt")
        grades = [part["grade"].to_numpy() for part in judged.partition_by("query", maintain_order=True)]
        for (prompt, size), asked in product(SIZES.items(), ASKED):
            tried = []
            for trial in range(setting.trials):
                setting.progress(trial, setting.trials, f"{title}, {prompt}, {asked}")
                rng = np.random.default_rng([setting.seed, trial])
                tried.append(try_judge(grades, size, both=asked == ASKED[1], rng=rng))
            table = {name: np.array([row[name] for row in tried]) for name in tried[0]}
            means = {name: float(values.mean()) for name, values in table.items()}
            errors = {name: float(values.std(ddof=1) / np.sqrt(len(tried))) for name, values in table.items()}
            rows.append({"collection": title, "prompt": prompt, "asked": asked, **means, "bias error": errors["bias"]})
            for name in ("coverage", "settled right", "bias"):
                numbers[f"{title}, {prompt}, {asked}: {name}"] = Number(value=means[name], error=errors[name])
    if not rows:
        return UNTRIED
    frame, words = pl.DataFrame(rows), f"{setting.trials} repetitions"
    figures = {"position-bias": partial(draw_bias, frame)}
    return Measurements(numbers=numbers, tables={"pairwise": frame}, figures=figures, words=words)


def draw_bias(frame: pl.DataFrame) -> plots.Chart:
    """Draw what documents gain by being shown first, asked in one order and in both."""
    gain = "gain of the half shown first"
    shown = frame.rename({"bias": gain}).with_columns(about=pl.col("prompt").replace(SHOWN))
    panels = []
    for (name,), part in shown.group_by("collection", maintain_order=True):
        panel = plots.bar_panel(part, x="about", y=gain, error="bias error", series="asked", limits=BIASES)
        panels.append(panel.properties(title=name))
    return plots.beside(*panels, title="A liking for the first place, asked in one order and in both")


def try_judge(queries: list[FloatArray], size: int, *, both: bool, rng: np.random.Generator) -> dict[str, float]:
    """Draw documents, lists and answers, and return how often intervals hold, how many pairs are settled, how many of
    these rightly, and the bias for documents that are shown first; in one order, these are always the same.

    The truth is the shares that the judge would give if every two were shown in both orders, again and again.
    """
    parts, start = [], 0
    known, truths, firsts = list[FloatArray](), list[FloatArray](), list[FloatArray]()
    for query, every in enumerate(queries):
        grades = every[rng.choice(len(every), min(DOCUMENTS, len(every)), replace=False)]
        score = rng.normal(size=len(grades))
        lists = list(drawn_lists(len(grades), size, OTHERS, rng))
        lists = [tuple(sorted(one, key=lambda place, by=score: -by[place])) for one in lists]  # type: ignore[misc]
        if both:
            lists += [one[::-1] for one in lists]
        first, second, better = _answers(grades, lists, size, rng)
        weights = np.full(len(first), list_weight(size))
        parts.append((np.full(len(grades), query), first + start, second + start, better, weights))
        known.append(grades)
        truths.append(_true_shares(grades, size))
        firsts.append((score > np.median(score)).astype(np.float64))
        start += len(grades)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    names = ("query", "first", "second", "better", "weight")
    worths = fit_worths(Comparisons(**dict(zip(names, columns, strict=True))), biased=both)
    grades, truth, early = (np.concatenate(values) for values in (known, truths, firsts))
    drawn = worths.draws(rng)
    low, high = np.quantile(worths.shares(drawn), [0.025, 0.975], axis=0)
    settled, right, pairs = 0, 0, 0
    for documents, _ in worths.comparisons.blocks:
        mine = drawn[:, documents]
        sure = (mine[:, :, np.newaxis] > mine[:, np.newaxis, :]).mean(axis=0) > 0.975
        apart = grades[documents][:, np.newaxis] - grades[documents]
        settled, right = settled + int(sure.sum()), right + int((sure & (apart >= 0)).sum())
        pairs += int((apart > 0).sum())
    error = worths.shares() - truth
    return {
        "coverage": float(((low <= truth) & (truth <= high)).mean()),
        "settled": settled / max(pairs, 1),
        "settled right": right / max(settled, 1),
        "bias": float(error[early > 0].mean() - error[early == 0].mean()),
    }


def _answers(
    grades: FloatArray, lists: list[tuple[int, ...]], size: int, rng: np.random.Generator
) -> tuple[IndexArray, IndexArray, FloatArray]:
    """Draw a judge's answers about lists: each pair of a list's documents, as shown, and which one is better."""
    shown = np.array(lists)
    first, second = (np.concatenate([shown[:, two[at]] for two in combinations(range(size), 2)]) for at in (0, 1))
    if size == 2:
        won, lost = _chances(grades, first, second, ODDS)
        drawn = rng.random(len(first))
        return first, second, np.where(drawn < won, 1.0, np.where(drawn < won + lost, -1.0, 0.0))
    seen = grades[shown] + rng.normal(scale=BLUR, size=shown.shape) + _liking(size) * np.arange(size)[::-1]
    better = np.concatenate([np.sign(seen[:, i] - seen[:, j]) for i, j in combinations(range(size), 2)])
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
        twos = [(j - i) * side for i, j in combinations(range(size), 2) for side in (1, -1)]
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
