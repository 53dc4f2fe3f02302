"""Tables of a comparison: the queries that differ most, how alike measures order runs, what each tells apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation import display
from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.statistics.correlation import kendall_tau, tau_ap_b
from rankgauge.statistics.effects import separated_share

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison
    from rankgauge.evaluation.result import Result

FEWEST = 3
"""Two runs have one order or the other; from three on it makes sense to ask how alike two orders are."""

DECIMALS = 12
"""Values that are equal but for the order in which they were added up are equal to this many decimals."""

MOST = 5
"""How many queries of a measure are named."""

SHOWN = 3
"""How many pairs stand in the line that Python shows of a comparison."""

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


def paired_places(runs: Sequence[str], bases: Sequence[str]) -> tuple[IndexArray, IndexArray]:
    """Return the places of both runs of each pair: each with each, or all others with each of the bases."""
    if not bases:
        other, run = np.triu_indices(len(runs), 1)
        order = np.lexsort((other, run))
        return run[order], other[order]
    places = np.array([runs.index(name) for name in bases])
    rest = np.setdiff1d(np.arange(len(runs)), places)
    return np.tile(rest, len(places)), np.repeat(places, len(rest))


def refuse_unpaired(measures: Sequence[Measure]) -> None:
    """Refuse measures whose values by query have no mean, and those that are the same for all runs."""
    for measure in measures:
        if measure.facts.aggregate is Aggregate.GEOMETRIC or not measure.is_amount:
            wanted = "measures with a mean over queries, such as AP: a paired test is about means"
            raise ParameterError("compare", "measures", wanted, str(measure))
        if len(set(measure.facts.bounds)) == 1:
            wanted = "measures by which runs can differ, such as AP: a count of queries is the same for all"
            raise ParameterError("compare", "measures", wanted, str(measure))


def choose_tables(names: Iterable[str] | None, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the names of the tables to show, None for all; a name that is not known is an error."""
    chosen = None if names is None else tuple(names)
    for name in chosen or ():
        if name not in known:
            raise UnknownNameError("table of a comparison", name, known)
    return chosen


def pair_line(pairs: PlainTable) -> str:
    """Describe the first pairs in a line, and say how many more there are."""
    lines = [
        f"{row['measure']} {row['run']} − {row['other']} {row['difference']:+.4f} ({row['verdict']})"
        for row in islice(pairs.named(), SHOWN)
    ]
    more = [f"{len(pairs) - SHOWN:,} more"] if len(pairs) > SHOWN else []
    return ", ".join([*lines, *more])


def pair_html(pairs: PlainTable, note: str) -> str:
    """Show the pairs in a notebook, with a note below them."""
    heads = ("measure", "run", "other", "difference", "95 % interval", "corrected p", "verdict")
    columns = ("measure", "run", "other", "difference", "low", "high", "corrected", "verdict")
    rows = [
        (*named, f"{gap:+.4f}", display.interval(low, high), "–" if p != p else f"{p:.4f}", verdict)
        for *named, gap, low, high, p, verdict in pairs.rows(*columns)
    ]
    return display.table(heads, rows, note)


def counted_queries(results: Mapping[str, Result]) -> list[str]:
    """List the queries that count for at least one run."""
    return list(dict.fromkeys(query for result in results.values() for query in result.names))


def stacked_values(results: Mapping[str, Result], queries: Sequence[str]) -> FloatArray:
    """Stack the values of runs (measures × queries × runs); NaN where a run has none for the query."""
    place = {query: row for row, query in enumerate(queries)}
    measures = max((len(result.measures) for result in results.values()), default=0)
    values = np.full((measures, len(place), len(results)), np.nan)
    for column, result in enumerate(results.values()):
        values[:, [place[query] for query in result.names], column] = result.matrix.T
    return values


def movers(comparison: Comparison) -> PlainTable:
    """Return for each measure the queries with the largest difference, each with the pair that it parts most."""
    (run, other), rows = comparison.paired, []
    for measure, table in zip(comparison.measures, comparison.values, strict=True):
        apart = np.abs(np.nan_to_num(table[:, run] - table[:, other], nan=0.0))
        pair, largest = apart.argmax(axis=1), apart.max(axis=1)
        for query in np.argsort(-largest, kind="stable")[:MOST]:
            first, second = run[pair[query]], other[pair[query]]
            one, two = float(table[query, first]), float(table[query, second])
            if largest[query] > 0:
                named = (str(measure), comparison.queries[query], comparison.runs[first], comparison.runs[second])
                rows.append((*named, one, two, one - two))
    return PlainTable.of_rows(MOVERS, rows)


def differences(comparison: Comparison) -> PlainTable:
    """List both values of every query and pair, and their difference; NaN where a run has none."""
    rows = []
    for measure, table in zip(comparison.measures, comparison.values, strict=True):
        for first, second in zip(*comparison.paired, strict=True):
            both = zip(comparison.queries, table[:, first].tolist(), table[:, second].tolist(), strict=True)
            named = (comparison.runs[first], comparison.runs[second])
            rows += [(str(measure), query, *named, one, two, round(one - two, DECIMALS)) for query, one, two in both]
    return PlainTable.of_rows(MOVERS, rows)


def orders(comparison: Comparison) -> PlainTable:
    """A row per pair of measures: Kendall's τ_b and the symmetric τ_AP of the runs' means; NaN where one is flat."""
    means = comparison.mean_table
    by_measure = {
        str(measure): np.array(means.where("measure", str(measure))["mean"]) for measure in comparison.measures
    }
    rows = []
    for one, other in combinations(by_measure, 2):
        x, y = by_measure[one], by_measure[other]
        usable = not (math.isnan(x.sum()) or math.isnan(y.sum()))
        rows.append((one, other, *((kendall_tau(x, y), tau_ap_b(x, y)) if usable else (math.nan, math.nan))))
    return PlainTable.of_rows(ORDERS, rows)


def sensitivity(comparison: Comparison) -> PlainTable:
    """A row per measure: the pairs, how many are separated before and after the correction, and the latter's share.

    Pairs that nobody can tell apart, as too little of them is judged, are not separated.
    """
    rows, alpha = [], comparison.settings.alpha
    for measure in comparison.measures:
        tested = comparison.pair_table.where("measure", str(measure))
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
    """Return the word for each pair; `untold` are those that may be separated only because documents are not judged."""
    better = (PairVerdict.BETTER, PairVerdict.WORSE)
    up, down = better if measure.facts.more_is_better else (PairVerdict.HIGHER, PairVerdict.LOWER)
    words = np.where(separated, np.where(mean > 0, up.value, down.value), PairVerdict.OPEN.value)
    words = words if untold is None else np.where(untold, PairVerdict.UNTOLD.value, words)
    return [str(word) for word in np.where(alike, PairVerdict.EQUAL.value, words)]
