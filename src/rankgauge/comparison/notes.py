"""What a reader of a comparison's tables should know before quoting a number: only what these tables show."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rankgauge.comparison import Comparison, PairVerdict, risk, segments, similarity
from rankgauge.comparison.report_tables import MOST
from rankgauge.evaluation import notes as common
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.statistics.effects import POWER

TESTED = ("means", "pairs", "matrix", "segments", "measures")
"""The tables that rest on tests."""

OWN = ("*", "no best", "interval")
"""The notes on results that a comparison words in its own way."""


def notes(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a subject and what to know of it, for tables of those names."""
    yield from _tests(comparison, shown)
    yield from _direction(comparison)
    yield from _intervals(comparison, shown)
    if "pairs" in shown:
        yield from _pairs(comparison)
    yield from _gaps(comparison)
    if "similarity" in shown and comparison.alike is not None:
        yield from similarity.notes(comparison)
    if "risk" in shown and comparison.risk is not None:
        yield from risk.notes(comparison)
    if "segments" in shown and comparison.by:
        yield from segments.pair_notes(comparison)
    strangers = {run: result.hits.strangers for run, result in comparison.results.items()}
    report = EvaluationReport(results=comparison.results, unjudged=strangers)
    yield from (note for note in common.notes(report) if note[0] not in OWN)


def _tests(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    """How differences are tested, where a table shows it."""
    if not any(name in shown for name in TESTED):
        return
    settings, pairs = comparison.settings, len(comparison.paired[0])
    test, correction = settings.paired_test, settings.family_correction
    counted = "the one pair" if pairs == 1 else f"the {pairs} pairs"
    yield "test", f"{test.title}: {test.words}; {test.reference}"
    yield "corrected", f"{correction.title}, over {counted} of each measure: {correction.words}"
    below = f"where the corrected p is below {settings.alpha:g}; otherwise open"
    risked = "; in the table of risk TRisk decides" if "risk" in shown and comparison.risk is not None else ""
    yield "verdict", f"of the run against the other, {below}{risked}"
    if PairVerdict.UNTOLD.value in comparison.pair_table["verdict"]:
        yield (
            PairVerdict.UNTOLD.value,
            "too little of a run is judged, or one is judged so much less than the other that they would not be told "
            "apart if unjudged documents were as good as judged ones of about the same rank",
        )
    yield from _sampled(comparison)


def _sampled(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """How far p-values from random draws may be off, and the least that they can be."""
    settings, pairs = comparison.settings, len(comparison.paired[0])
    draws, error = settings.drawn(pairs), max(comparison.pair_table["p_error"])
    if error > 0:
        yield "draws", f"{draws:,}, seed {settings.seed}; the standard error of a p-value is {error:.4f} at most"
        if settings.family_correction.magnifies and pairs / (draws + 1) >= settings.alpha:
            yield "too few", f"after the correction no p-value can be below {settings.alpha:g}: raise --draws"


def _direction(comparison: Comparison) -> Iterator[tuple[str, str]]:
    if neutral := [str(measure) for measure in comparison.measures if not measure.facts.more_is_better]:
        left_out = "" if comparison.risk is None else ", and risk leaves it out"
        yield "direction", f"by {', '.join(neutral)} a higher value is not a better one{left_out}"


def _intervals(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    """What the intervals of the tables are of."""
    kind = {"t": "Student's t", "bca": f"BCa bootstrap, seed {comparison.settings.seed}"}[comparison.settings.interval]
    alike = "similarity" in shown and comparison.alike is not None
    means = ["of the mean over queries"] if "means" in shown or alike else []
    paired = ["of the mean of paired differences"] if "pairs" in shown or "segments" in shown else []
    if means or paired:
        yield "interval", f"95 %, {', and '.join(means + paired)} ({kind})" + ("; not corrected" if paired else "")


def _pairs(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What the columns of the pairs are, and whether all of them are there."""
    yield "effect", "Cohen's d_z: the mean difference over the standard deviation of the differences"
    aim = f"{100 * POWER:.0f} % power in a paired t test at {comparison.settings.alpha:g}"
    yield "needed", f"how many queries would give {aim}, if the effect found were the true one"
    if (pairs := len(comparison.paired[0])) > MOST:
        yield "pairs", f"the {MOST} with the least p-values of {pairs}; -o csv and -o json have them all"


def _gaps(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Pairs that rest on fewer queries than there are."""
    total, least = len(comparison.queries), min(comparison.pair_table["queries"])
    if least < total:
        yield "queries", f"a pair rests on the queries that both runs have: {least} of {total} at least"
