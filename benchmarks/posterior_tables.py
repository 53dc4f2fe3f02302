"""The tables of `benchmarks.posterior`: what the methods said of many pools, beside the truth.

The first table has for each measure, number of labels and method the root mean squared error and the bias of the
values, half the width of their 95 % intervals and how often these cover; the same of all differences; the share of the
pairs that truly differ by 0.02 or more and are settled, each by its own interval; wrong claims among all claims of that
kind; and how often the run with the highest value is the best. Standard errors over the pools are in brackets.

The second table has the coverage and the bias by the true place of a run. The third has the share of right winners by
how far the best run is truly ahead. The fourth counts families of claims: those of all pairs at once, at every look of
a campaign. A campaign is wrong if any claim of any look is. One more says when the best run was settled, and one how
wide the plan foretold intervals to be. Ends are those of the intervals that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.numeric import FloatArray

DIFFERENT = 0.02
"""Runs that differ by less are not worth telling apart."""

GAPS = (0.0, 0.01, 0.02, 0.05, np.inf)
"""The classes of how far the best run is ahead."""

Row = dict[str, Any]
Key = tuple[str, int, str]


def print_tables(cell: Row, pools: Sequence[Row]) -> None:
    """Print all tables of a cell that its rows can fill."""
    said = {name: value for name, value in cell.items() if value not in ([], False)}
    print(
        "; ".join(f"{name} {' '.join(map(str, one)) if isinstance(one, list) else one}" for name, one in said.items())
    )
    if not pools:
        return
    documents, seconds = (np.mean([pool[name] for pool in pools]) for name in ("documents", "cpu"))
    seeds = sorted(pool["pool"] for pool in pools)
    print(
        f"{len(pools)} pools, seeds {seeds[0]} to {seeds[-1]}, {documents:.0f} documents; {seconds:.1f} s of CPU each"
    )
    rows = [(row, np.array(pool["truth"][row["measure"]]), pool["pool"]) for pool in pools for row in pool["says"]]
    looked = [one for one in rows if one[0]["method"] == "settle"]
    groups: dict[Key, list[tuple[Row, FloatArray]]] = {}
    for row, truth, _ in rows:
        if row["method"] != "settle":
            groups.setdefault((row["measure"], row["labels"], row["method"]), []).append((row, truth))
    if groups:
        _print(
            "measure labels method pools RMSE bias ± covers RMSE-diff ±-diff covers settled wrong best", _errors(groups)
        )
        _print("measure labels method best-run second middle worst best–second best–worst", _places(groups))
        bins = [f"{low:g}–{high:g}" for low, high in pairwise(GAPS)]
        _print(" ".join(["measure labels method", *bins, "all"]), _winners(groups))
    families = [one for one in rows if "pairs" in one[0]]
    if families:
        _print("measure method campaigns looks claims wrong-claims wrong-campaigns", _families(families))
    foretold = [one for one in rows if "foretold" in one[0]]
    if foretold:
        _print("measure labels ± foretold ratio 10–90% within-20%", _foretold(foretold))
    ends = np.array([[min(row["ends"][0]), max(row["ends"][1])] for row, *_ in rows if "ends" in row])
    if len(ends):
        known = np.isfinite(ends).all(axis=1).sum()
        print(f"\n{known} of {len(ends)} estimates have intervals, from {ends.min():g} to {ends.max():g}")
    if looked:
        _print("measure pools within median wrong largest-loss covers-at-the-stop", _settled(looked, cell["labels"]))


def _print(header: str, lines: Iterator[Sequence[str]]) -> None:
    rows = [header.split(" "), *map(list, lines)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)))


def _pairs(values: FloatArray) -> FloatArray:
    return np.asarray(np.subtract.outer(values, values)[np.triu_indices(len(values), 1)])


def _share(hits: Sequence[float]) -> str:
    """A mean over pools, with its standard error."""
    error = np.std(hits, ddof=1) / np.sqrt(len(hits)) if len(hits) > 1 else np.nan
    return f"{np.mean(hits):.3f} ({error:.3f})".replace("0.", ".")


def _errors(groups: dict[Key, list[tuple[Row, FloatArray]]]) -> Iterator[Sequence[str]]:
    for (measure, labels, method), found in groups.items():
        values, truth = np.array([row["values"] for row, _ in found]), np.array([one for _, one in found])
        off, best = values - truth, [one[np.argmax(row["values"])] == one.max() for row, one in found]
        gaps, true = np.array([*map(_pairs, values)]), np.array([*map(_pairs, truth)])
        cells = [f"{len(found)}", f"{np.sqrt(np.mean(off**2)):.3f}", f"{off.mean():+.3f}"]
        if "half" in found[0][0]:
            half, wide = (np.array([row[name] for row, _ in found]) for name in ("half", "gaps"))
            cells += [f"{half.mean():.3f}", _share(np.mean(np.abs(off) <= half + 1e-5, axis=1))]
            cells += _differences(gaps, true, wide) if gaps.size else ["–"] * 5
        else:
            cells += ["–", "–", f"{np.sqrt(np.mean((gaps - true) ** 2)):.3f}" if gaps.size else "–", *["–"] * 4]
        yield measure, f"{labels}", method, *cells, f"{100 * np.mean(best):.0f}%"


def _differences(gaps: FloatArray, true: FloatArray, wide: FloatArray) -> list[str]:
    claimed, differ = np.abs(gaps) > wide, np.abs(true) >= DIFFERENT
    settled = 100 * np.sum(claimed & differ) / max(int(differ.sum()), 1)
    wrong = np.sum(claimed & (gaps * true < 0))
    covers = _share(np.mean(np.abs(gaps - true) <= wide + 1e-5, axis=1))
    error = f"{np.sqrt(np.mean((gaps - true) ** 2)):.3f}"
    return [error, f"{wide.mean():.3f}", covers, f"{settled:.0f}%", f"{wrong}/{claimed.sum()}"]


def _places(groups: dict[Key, list[tuple[Row, FloatArray]]]) -> Iterator[Sequence[str]]:
    for (measure, labels, method), found in groups.items():
        runs = len(found[0][1])
        if "half" not in found[0][0] or runs < 3:
            continue
        places = {0: [], 1: [], runs // 2: [], runs - 1: []}  # type: dict[int, list[tuple[float, bool]]]
        pairs = {1: [], runs - 1: []}  # type: dict[int, list[tuple[float, bool]]]
        for row, truth in found:
            order, values, half = np.argsort(-truth, kind="stable"), np.array(row["values"]), np.array(row["half"])
            wide = np.zeros((runs, runs))
            wide[np.triu_indices(runs, 1)] = row["gaps"]
            wide += wide.T
            for place, kept in places.items():
                off = values[order[place]] - truth[order[place]]
                kept.append((off, abs(off) <= half[order[place]] + 1e-5))
            for place, kept in pairs.items():
                first, other = order[0], order[place]
                off = values[first] - values[other] - truth[first] + truth[other]
                kept.append((off, abs(off) <= wide[first, other] + 1e-5))
        cells = [np.mean(kept, axis=0) for kept in (*places.values(), *pairs.values())]
        yield measure, f"{labels}", method, *[f"{covers:.3f} ({bias:+.3f})" for bias, covers in cells]


def _winners(groups: dict[Key, list[tuple[Row, FloatArray]]]) -> Iterator[Sequence[str]]:
    for (measure, labels, method), found in groups.items():
        if len(found[0][1]) < 2:
            continue
        ahead = np.array([np.diff(np.sort(truth)[-2:])[0] for _, truth in found])
        right = np.array([truth[np.argmax(row["values"])] == truth.max() for row, truth in found])
        classes = [(ahead >= low) & (ahead < high) for low, high in pairwise(GAPS)]
        shares = [f"{right[one].sum()}/{one.sum()}" for one in (*classes, np.ones(len(right), dtype=bool))]
        yield measure, f"{labels}", method, *shares


def _families(rows: Sequence[tuple[Row, FloatArray, int]]) -> Iterator[Sequence[str]]:
    campaigns: dict[tuple[str, str], dict[int, list[tuple[int, int]]]] = {}
    for row, truth, pool in rows:
        gaps, true = _pairs(np.array(row["values"])), _pairs(truth)
        claimed = np.abs(gaps) > np.array(row["pairs"])
        wrong = claimed & (gaps * true <= 0)
        mine = campaigns.setdefault((row["measure"], row["method"]), {})
        mine.setdefault(pool, []).append((int(claimed.sum()), int(wrong.sum())))
    for (measure, method), found in campaigns.items():
        counts = [np.sum(looks, axis=0) for looks in found.values()]
        claims, wrong = np.sum(counts, axis=0)
        failed, looks = sum(bool(one[1]) for one in counts), np.mean([len(one) for one in found.values()])
        yield measure, method, f"{len(found)}", f"{looks:.1f}", f"{claims}", f"{wrong}", f"{failed}"


def _foretold(rows: Sequence[tuple[Row, FloatArray, int]]) -> Iterator[Sequence[str]]:
    """How wide intervals were foretold to be before the first label, and how wide they were."""
    for measure, labels in dict.fromkeys((row["measure"], row["labels"]) for row, *_ in rows):
        mine = [row for row, *_ in rows if (row["measure"], row["labels"]) == (measure, labels)]
        told, half = np.array([row["foretold"] for row in mine]), np.array([np.mean(row["half"]) for row in mine])
        ratio = half / told
        low, high = np.quantile(ratio, [0.1, 0.9])
        near = 100 * np.mean(np.abs(ratio - 1) <= 0.2)
        means = [f"{one.mean():.3f}" for one in (half, told, ratio)]
        yield measure, f"{labels}", *means, f"{low:.2f}–{high:.2f}", f"{near:.0f}%"


def print_shapes(shapes: Iterable[tuple[str, str, Sequence[Row]]]) -> None:
    """Print how often intervals of values and of differences cover, by shape and measure."""
    print("| pools | measure | labels by | number | ± | values cover | ± of differences | differences cover |")
    print("|---|---|---|---|---|---|---|---|")
    for shape, method, pools in shapes:
        for measure in pools[0]["truth"]:
            cells = np.array(
                [[_coverage(pool, row) for row in pool["says"] if row["measure"] == measure] for pool in pools]
            )
            half, wide = (", ".join(f"{one:.3f}" for one in cells[..., n].mean(axis=0)) for n in (0, 1))
            levels, gaps = (", ".join(f"{one:.3f}" for one in cells[..., n].mean(axis=0)) for n in (2, 3))
            print(
                f"| {shape} | {measure} | {method} | {len(pools)} | {half} | {levels} | {wide} | {gaps} |", flush=True
            )


def _coverage(pool: Row, row: Row) -> tuple[float, float, float, float]:
    values, truth = np.array(row["values"]), np.array(pool["truth"][row["measure"]])
    half, wide = np.array(row["half"]), np.array(row["gaps"])
    gaps = np.abs(_pairs(values) - _pairs(truth))
    covers = [float(np.mean(off <= width + 1e-5)) for off, width in ((np.abs(values - truth), half), (gaps, wide))]
    return float(half.mean()), float(wide.mean()), covers[0], covers[1]


def _settled(rows: Sequence[tuple[Row, FloatArray, int]], labels: Sequence[int]) -> Iterator[Sequence[str]]:
    last = {(row["measure"], pool): (row, truth) for row, truth, pool in rows}
    for measure in dict.fromkeys(name for name, _ in last):
        stops, losses, covers = [], [], []
        for row, truth in (one for (name, _), one in last.items() if name == measure):
            named = int(np.argmax(row["chance"]))
            settled = row["chance"][named] >= 0.95
            stops.append(row["labels"] if settled else np.inf)
            if settled:
                losses.append(float(truth.max() - truth[named]))
                upper = np.array(np.triu_indices(len(truth), 1))
                mine = (upper == named).any(axis=0)
                off = np.abs(_pairs(np.array(row["values"])) - _pairs(truth))[mine]
                covers.append(float(np.mean(off <= np.array(row["gaps"])[mine] + 1e-5)))
        shares = ", ".join(f"{n}: {100 * np.mean(np.array(stops) <= n):.0f}%" for n in labels)
        wrong = f"{sum(loss > 0 for loss in losses)}/{len(losses)}"
        yield (
            measure, f"{len(stops)}", shares, f"{np.median(stops):g}", wrong,
            f"{max(losses, default=0.0):.3f}", _share(covers),
        )  # fmt: skip
