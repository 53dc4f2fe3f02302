"""Tables of a comparison: the queries that differ most, how alike measures order runs, what each tells apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import combinations

import numpy as np

from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.statistics import kendall_tau, separated_share, tau_ap_b

FEWEST = 3
"""Two runs have one order or the other; from three on it makes sense to ask how alike two orders are."""

DECIMALS = 12
"""Values that are equal but for the order in which they were added up are equal to this many decimals."""

MOST = 5
"""How many queries of a measure are named."""

MEANS: Mapping[str, type] = {"measure": str, "run": str, "mean": float, "low": float, "high": float, "queries": int}
PAIRS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "run", "other"), str),
    **dict.fromkeys(("difference", "low", "high", "p", "p_error", "corrected"), float),
    "verdict": str,
    "effect": float,
    **dict.fromkeys(("wins", "ties", "losses", "queries"), int),
    "needed": float,
}
MOVERS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "query", "run", "other"), str),
    **dict.fromkeys(("value", "other_value", "difference"), float),
}
ORDERS: Mapping[str, type] = {"measure": str, "other": str, "tau_b": float, "tau_ap": float}
SENSITIVITY: Mapping[str, type] = {
    "measure": str,
    **dict.fromkeys(("pairs", "separated_alone", "separated"), int),
    "share": float,
}
"""The columns of each table."""


def movers(
    measures: Sequence[Measure],
    queries: Sequence[str],
    runs: Sequence[str],
    values: FloatArray,
    paired: tuple[IndexArray, IndexArray],
) -> PlainTable:
    """For each measure the queries with the largest difference, each with the pair that it parts most."""
    run, other = paired
    rows = []
    for measure, table in zip(measures, values, strict=True):
        differences = np.nan_to_num(table[:, run] - table[:, other], nan=0.0)
        pair = np.abs(differences).argmax(axis=1)
        largest = np.abs(differences)[np.arange(len(queries)), pair]
        for query in np.argsort(-largest, kind="stable")[:MOST]:
            first, second = run[pair[query]], other[pair[query]]
            one, two = float(table[query, first]), float(table[query, second])
            if largest[query] > 0:
                rows.append((str(measure), queries[query], runs[first], runs[second], one, two, one - two))
    return PlainTable.of_rows(MOVERS, rows)


def differences(
    measures: Sequence[Measure],
    queries: Sequence[str],
    runs: Sequence[str],
    values: FloatArray,
    paired: tuple[IndexArray, IndexArray],
) -> PlainTable:
    """List both values of every query and pair, and their difference; NaN where a run has none."""
    rows = []
    for measure, table in zip(measures, values, strict=True):
        for first, second in zip(*paired, strict=True):
            both = zip(queries, table[:, first].tolist(), table[:, second].tolist(), strict=True)
            named = (runs[first], runs[second])
            rows += [(str(measure), query, *named, one, two, round(one - two, DECIMALS)) for query, one, two in both]
    return PlainTable.of_rows(MOVERS, rows)


def orders(measures: Sequence[Measure], means: PlainTable) -> PlainTable:
    """A row per pair of measures: Kendall's τ_b and the symmetric τ_AP of the runs' means; NaN where one is flat."""
    by_measure = {str(measure): np.array(means.where("measure", str(measure))["mean"]) for measure in measures}
    rows = []
    for one, other in combinations(by_measure, 2):
        x, y = by_measure[one], by_measure[other]
        usable = not (math.isnan(x.sum()) or math.isnan(y.sum()))
        rows.append((one, other, *((kendall_tau(x, y), tau_ap_b(x, y)) if usable else (math.nan, math.nan))))
    return PlainTable.of_rows(ORDERS, rows)


def sensitivity(measures: Sequence[Measure], pairs: PlainTable, *, alpha: float) -> PlainTable:
    """A row per measure: the pairs, how many are separated before and after the correction, and the latter's share.

    Pairs that nobody can tell apart, as too little of them is judged, are not separated.
    """
    rows = []
    for measure in measures:
        tested = pairs.where("measure", str(measure))
        untold = [verdict == PairVerdict.UNTOLD.value for verdict in tested["verdict"]]
        plain, corrected = (np.where(untold, 1.0, np.array(tested[name])) for name in ("p", "corrected"))
        separated = int((corrected < alpha).sum())
        share = separated_share(corrected, alpha=alpha)
        rows.append((str(measure), len(tested), int((plain < alpha).sum()), separated, share))
    return PlainTable.of_rows(SENSITIVITY, rows)


class PairVerdict(Enum):
    """What a test says of the first run of a pair."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"  # for a measure of which more is not better
    LOWER = "lower"
    OPEN = "open"  # the difference may be luck
    EQUAL = "equal"  # no query tells them apart
    UNTOLD = "cannot tell"  # too little is judged, or one run much less than the other


def verdicts(
    measure: Measure, mean: FloatArray, separated: BoolArray, alike: BoolArray, untold: BoolArray | None = None
) -> list[str]:
    """The word for each pair; `untold` are those that may be separated only because documents are not judged."""
    better = (PairVerdict.BETTER, PairVerdict.WORSE)
    up, down = better if measure.facts.more_is_better else (PairVerdict.HIGHER, PairVerdict.LOWER)
    words = np.where(separated, np.where(mean > 0, up.value, down.value), PairVerdict.OPEN.value)
    words = words if untold is None else np.where(untold, PairVerdict.UNTOLD.value, words)
    return [str(word) for word in np.where(alike, PairVerdict.EQUAL.value, words)]
