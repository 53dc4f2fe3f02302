"""Tables 1 and 2 and the example of equation 4: small lists worked out by the paper's three measures. Figures 4 and 5:
orders from ideal to random, graded on scales of 2 to 50 levels.

A trial is a walk: it begins with the ideal order of 100 documents and swaps a random pair at each step. All numbers of
levels share the same walks, so only the grading differs between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from math import log2
from typing import Any

import numpy as np
import polars as pl

from rankgauge.evaluation.arrays import score_arrays
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.experiment import Measurements, Number, jackknife
from rankgauge.render import plots

MEASURES: Mapping[str, str] = {"NDCG": "nDCG", "µMAP": "muAP", "NDCNG": "NDCNG"}
"""The paper's measures under its names, in the dialect `papers`. Its NDCG has gains of 2^g − 1 and logarithms to
base 10; the base cancels out when the sum is divided by the ideal."""

BESIDES: Mapping[str, str] = {"linear NDCG": "nDCG(dcg='log2')"}
"""Measured in addition: NDCG with the grade as gain. Multiplying all grades by a factor does not change it, so it shows
how much of NDCG's dependence on levels comes from 2^g − 1."""

LISTED = np.array([1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 1.0, 4.0])
"""The grades of the documents A to H in the order of the strategy."""

NAMES = "ABCDEFGH"
THRESHOLDS = range(6)
CUTOFFS = range(1, LISTED.size + 1)

SMALL = (0.3, 0.0, 1.0)
"""A list on the scale 0.0, 0.3, 1.0 of equation 4's example. The paper gives no list; any on which the two thresholds
have different average precisions shows their weights."""


FACTORS: Mapping[str, float] = {"grades": 1.0, "doubled grades": 2.0}
"""The first two examples of Table 2. The third normalises the gains of both, which makes them the same."""


def compute() -> Measurements:
    """Return the numbers of both tables and of the example, and the tables cell by cell.

    In the example µAP = w · AP(t=0.3) + (1 − w) · AP(t=1): the weights are how much each threshold counts.
    """
    first, second, grades = first_table(), second_table(), np.array(SMALL)
    low, high, both = (_value(measure, grades) for measure in ("AP(rel=0.3)", "AP(rel=1)", MEASURES["µMAP"]))
    weight = (both - high) / (low - high)
    apart = [_value(f"AP(rel={t})") for t in np.unique(LISTED[LISTED > 0])]
    values = {
        **{f"AP at t={t}": value for t, value in first.select("t", "AP").rows()},
        "mean of AP": float(np.mean(first["AP"].to_numpy())),
        "µAP": _value(MEASURES["µMAP"]),
        "highest less lowest AP, thresholds from 1 to 4": max(apart) - min(apart),
        **dict(second.filter(row="ndcg").select("example", "mean").rows()),
        "weight of t=0.3": weight,
        "weight of t=1.0": 1.0 - weight,
    }
    return Measurements(
        numbers={name: Number(value=value) for name, value in values.items()},
        tables={"table-1": first, "table-2": second},
    )


def first_table() -> pl.DataFrame:
    """Return a row per threshold, from 5 down to 0: which of A to H are relevant, and average precision."""
    rows = [
        {"t": t, **dict(zip(NAMES, np.where(t <= LISTED, "+", "-"), strict=True)), "AP": _value(f"AP(rel={t})")}
        for t in reversed(THRESHOLDS)
    ]
    return pl.DataFrame(rows)


def second_table() -> pl.DataFrame:
    """Return five rows per example: gain, DCG of the first 1 to 8 documents, both also in the ideal order, and DCG
    against the ideal, whose mean is the last column."""
    rows = []
    for measure, (words, factor) in product(("NDCG", "NDCNG"), FACTORS.items()):
        grades = factor * LISTED
        gains = grades if measure == "NDCG" else grades / grades.max()  # what stands in the exponent
        ideal = np.sort(gains)[::-1]
        ndcg = [_value(f"{MEASURES[measure]}@{k}", grades) for k in CUTOFFS]
        cells = {"gain": gains, "gain_opt": ideal, "dcg": _dcg(gains), "dcg_opt": _dcg(ideal), "ndcg": ndcg}
        for name, row in cells.items():
            mean = float(np.mean(row)) if name == "ndcg" else None
            example = {"example": f"{measure}, {words}", "row": name}
            rows.append({**example, **dict(zip(NAMES, row, strict=True)), "mean": mean})
    return pl.DataFrame(rows)


def means(values: Mapping[str, FloatArray], **labels: Any) -> pl.DataFrame:
    """Return a row per measure and labelled case: the mean over trials or queries (the last axis), its error."""
    parts = []
    for name in MEASURES:
        of_measure = values[name]
        error = of_measure.std(axis=-1, ddof=1) / np.sqrt(of_measure.shape[-1])
        columns = {**labels, "mean": of_measure.mean(axis=-1).ravel(), "error": error.ravel()}
        parts.append(pl.DataFrame(columns).select(pl.lit(name).alias("measure"), pl.all()))
    return pl.concat(parts)


def _dcg(gains: FloatArray) -> list[float]:
    """Return DCG at each cutoff with logarithms to base 10, as Table 2 prints it: those to base 2 times log2(10)."""
    return [log2(10) * _value(f"DCG@{k}", gains) for k in CUTOFFS]


def _value(measure: str, grades: FloatArray = LISTED) -> float:
    return float(_in_order(grades[np.newaxis], measure)[0])


DOCUMENTS, SWAPS, LEVELS = 100, 100, (2, 10, 20, 50)
"""Orders are measured after 0 to 99 swaps."""

SHOWN = "Mean over trials, with two standard errors: "


def simulate(trials: int, rng: np.random.Generator) -> Measurements:
    """Return both figures, and how much each measure changes with the number of levels."""
    outcome = Measurements(numbers=dict(_single_swaps()))
    by_scale: dict[str, dict[str, FloatArray]] = {}
    for scale, (figure, grades) in SCALES.items():
        orders = walks(trials, rng)
        scales = [grades(levels, trials, rng) for levels in LEVELS]
        # All orders of a scale are scored as one block: levels × swaps × trials.
        values = by_scale[scale] = {
            name: np.stack([_score_swaps(graded, orders, measure) for graded in scales])
            for name, measure in {**MEASURES, **BESIDES}.items()
        }
        levels, swaps = (grid.ravel() for grid in np.meshgrid(LEVELS, np.arange(SWAPS), indexing="ij"))
        frame = means(values, levels=levels, swaps=swaps)
        names = {"x": "swaps", "y": "mean", "error": "error", "series": "levels", "panel": "measure"}
        draw = partial(plots.lines, frame, **names, title=f"{SHOWN}{scale} grades")
        numbers = dict([*_moves(scale, values), *_falls(scale, values)])
        apart = np.abs(values["µMAP"][0] - _score_swaps(scales[0], orders, "AP(rel=1)")).max()
        numbers[f"{scale}: µMAP and AP on two levels, farthest apart"] = Number(value=float(apart))
        ideal = min(float(values[name][:, 0].min()) for name in MEASURES)
        numbers[f"{scale}: the ideal list, lowest value of any measure"] = Number(value=ideal)
        outcome |= Measurements(numbers=numbers, tables={figure: frame}, figures={figure: draw})
    return outcome | Measurements(numbers=dict(_apart(by_scale["uniform"], by_scale["uneven"])))


def walks(trials: int, rng: np.random.Generator) -> IndexArray:
    """Return the document at each rank, after each number of swaps, in each trial (swaps × trials × documents)."""
    order = np.tile(np.arange(DOCUMENTS), (trials, 1))
    trial, orders = np.arange(trials), []
    for _ in range(SWAPS):
        orders.append(order.copy())
        one = rng.integers(DOCUMENTS, size=trials)
        other = (one + rng.integers(1, DOCUMENTS, size=trials)) % DOCUMENTS  # never the same document
        order[trial, one], order[trial, other] = order[trial, other], order[trial, one]
    return np.stack(orders)


def uniform(levels: int, trials: int, rng: np.random.Generator) -> FloatArray:
    """Return falling grades, each level equally often (trials × documents)."""
    return np.tile(ladder(levels), (trials, 1))


def ladder(levels: int) -> FloatArray:
    """Return the grades of the ideal order with each level equally often."""
    return (np.arange(DOCUMENTS)[::-1] * levels // DOCUMENTS).astype(np.float64)


def uneven(levels: int, trials: int, rng: np.random.Generator) -> FloatArray:
    """Return falling grades that use only half of the levels, some more often than others.

    The lowest and the highest level are always used, so that the scale keeps its range; the others are drawn. Each used
    level has one document; the others are distributed by weights from the flat Dirichlet distribution.
    """
    inner = [rng.choice(np.arange(1, levels - 1), max(levels // 2 - 2, 0), replace=False) for _ in range(trials)]
    used = np.sort([[0, *row, levels - 1] for row in inner], axis=1)
    shares = rng.dirichlet(np.ones(used.shape[1]), size=trials)
    counts = 1 + rng.multinomial(DOCUMENTS - used.shape[1], shares)
    rows = [np.repeat(row, count)[::-1] for row, count in zip(used, counts, strict=True)]
    return np.array(rows, dtype=np.float64)


SCALES: Mapping[str, tuple[str, Callable[[int, int, np.random.Generator], FloatArray]]] = {
    "uniform": ("figure-4", uniform),
    "uneven": ("figure-5", uneven),
}
"""How grades are distributed: the figure, and the grades of the ideal order."""


def _score_swaps(grades: FloatArray, orders: IndexArray, measure: str) -> FloatArray:
    listed = np.take_along_axis(grades[np.newaxis], orders, axis=-1).reshape(-1, DOCUMENTS)
    return _in_order(listed, measure).reshape(orders.shape[:2])


def _in_order(listed: FloatArray, measure: str) -> FloatArray:
    falling = -np.arange(float(listed.shape[1]))
    return score_arrays(listed, np.broadcast_to(falling, listed.shape), measure, dialect="papers")


def _moves(scale: str, values: Mapping[str, FloatArray]) -> Iterator[tuple[str, Number]]:
    """Yield how far apart the levels' mean curves are, averaged over the swaps, also as a share of NDCG's; and how far
    apart the levels' values of a single order are."""
    for name, of_measure in values.items():
        yield f"{scale}: {name} moves by", jackknife(of_measure, _spread)
        # A mean may stay the same while the values behind it change.
        alone = np.ptp(of_measure, axis=0).mean(axis=0, keepdims=True)
        yield f"{scale}: {name} of a single order moves by", jackknife(alone, lambda means: means[0])
    for name in ("µMAP", "NDCNG"):
        both = np.stack([values[name], values["NDCG"]])
        yield f"{scale}: {name} against NDCG", jackknife(both, lambda means: _spread(means[0]) / _spread(means[1]))


def _falls(scale: str, values: Mapping[str, FloatArray]) -> Iterator[tuple[str, Number]]:
    """Yield how NDCG changes from the fewest levels to the most; and the largest change of each measure, on any scale,
    from a fifth of the swaps to the next, which is below 0 if the measure falls all the way."""
    fewest, most = LEVELS[0], LEVELS[-1]
    change = jackknife(values["NDCG"][[0, -1]], lambda means: np.asarray((means[1] - means[0]).mean(axis=0)))
    yield f"{scale}: NDCG from {fewest} to {most} levels changes by", change
    for name in MEASURES:
        fifths = values[name].reshape(len(LEVELS), 5, -1, values[name].shape[-1]).mean(axis=2)
        steps = jackknife(np.diff(fifths, axis=1), lambda means: np.asarray(means.max(axis=(0, 1))))
        yield f"{scale}: {name} by fifths, largest change", steps


def _apart(uniform: Mapping[str, FloatArray], uneven: Mapping[str, FloatArray]) -> Iterator[tuple[str, Number]]:
    """Yield how far uneven grades move each mean from that on uniform grades, for the levels where it is most."""
    for name in MEASURES:
        change = uneven[name] - uniform[name]
        farthest = jackknife(change, lambda means: np.asarray(np.abs(means.mean(axis=1)).max(axis=0)))
        yield f"uneven: {name} from uniform, farthest", farthest


def _single_swaps() -> Iterator[tuple[str, Number]]:
    """Yield what is found of all swaps of two documents of different grades in the ideal order: the share that leaves
    average precision as it is, with the upper half of the levels relevant; and the mean loss of those across more than
    half of the scale over that of the others, where it is least."""
    ratios: dict[str, list[float]] = {name: [] for name in MEASURES}
    for levels in LEVELS[1:]:
        ideal = ladder(levels)
        one, other = np.triu_indices(DOCUMENTS, k=1)
        distance = ideal[one] - ideal[other]
        one, other, distance = one[distance > 0], other[distance > 0], distance[distance > 0]
        row, swapped = np.arange(len(one)), np.tile(ideal, (len(one), 1))
        swapped[row, one], swapped[row, other] = ideal[other], ideal[one]
        same = _in_order(swapped, f"AP(rel={levels // 2})") == 1.0
        yield f"share of swaps that a threshold does not see, {levels} levels", Number(value=float(same.mean()))
        far = distance > (levels - 1) / 2
        for name, measure in MEASURES.items():
            loss = 1.0 - _in_order(swapped, measure)
            ratios[name].append(float(loss[far].mean() / loss[~far].mean()))
    for name, values in ratios.items():
        yield f"{name} lost by swaps of far levels, against near ones, least", Number(value=min(values))


def _spread(means: FloatArray) -> FloatArray:
    """Return the highest less the lowest mean of the levels, averaged over the swaps (levels × swaps × …)."""
    return np.asarray(np.ptp(means, axis=0).mean(axis=0))
