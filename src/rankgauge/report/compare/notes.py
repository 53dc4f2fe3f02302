"""What a reader should know before quoting a comparison: the notes under the tables, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from rankgauge.report import notes as common
from rankgauge.report.base import Report
from rankgauge.report.compare.content import MOST
from rankgauge.report.compare.shown import Shown
from rankgauge.stats.effects import POWER

__all__ = ["notes"]

OWN = ("*", "interval")
"""The notes on results that a comparison words in its own way."""


def notes(shown: Shown) -> list[tuple[str, str]]:
    """Pairs of a subject and what to know of it."""
    comparison = shown.comparison
    report = Report(
        results=comparison.results,
        unjudged={run: result.hits.strangers for run, result in comparison.results.items()},
    )
    return [*_own(shown), *(note for note in common.notes(report) if note[0] not in OWN)]


def _own(shown: Shown) -> Iterator[tuple[str, str]]:
    comparison, settings = shown.comparison, shown.comparison.settings
    test, correction = settings.paired_test, settings.family_correction
    pairs = len(comparison.paired[0])
    yield "test", f"{test.title}: {test.words}; {test.reference}"
    yield "corrected", f"{correction.title}, over {_counted(pairs)} of each measure: {correction.words}"
    yield "verdict", f"of the run against the other, where the corrected p is below {settings.alpha:g}; else it is open"
    yield from _sampled(shown)
    kind = {"t": "Student's t", "bca": f"BCa bootstrap, seed {settings.seed}"}[settings.interval]
    yield "interval", f"95 %, of the mean over queries, and of the mean of paired differences ({kind}); not corrected"
    yield "effect", "Cohen's d_z: the mean difference over the standard deviation of the differences"
    aim = f"{100 * POWER:.0f} % power in a paired t test at {settings.alpha:g}"
    yield "needed", f"how many queries would give {aim}, if the effect found were the true one"
    if pairs > MOST:
        yield "pairs", f"the {MOST} with the least p-values of {pairs}; -o csv and -o json have them all"
    yield from _gaps(shown)


def _counted(pairs: int) -> str:
    return "the one pair" if pairs == 1 else f"the {pairs} pairs"


def _sampled(shown: Shown) -> Iterator[tuple[str, str]]:
    """How far p-values from random draws may be off, and the least that they can be."""
    comparison, settings = shown.comparison, shown.comparison.settings
    pairs = len(comparison.paired[0])
    draws, error = settings.drawn(pairs), float(comparison.pairs["p_error"].to_numpy().max())
    if error > 0:
        yield "draws", f"{draws:,}, seed {settings.seed}; the standard error of a p-value is {error:.4f} at most"
        if settings.family_correction.magnifies and pairs / (draws + 1) >= settings.alpha:
            yield "too few", f"after the correction no p-value can be below {settings.alpha:g}: raise --draws"


def _gaps(shown: Shown) -> Iterator[tuple[str, str]]:
    """Pairs that rest on fewer queries than there are."""
    total = len(shown.comparison.queries)
    fewer = shown.comparison.pairs.filter(pl.col("queries") < total)
    if len(fewer):
        least = fewer["queries"].to_numpy().min()
        yield "queries", f"a pair rests on the queries that both runs have: {least} of {total} at least"
