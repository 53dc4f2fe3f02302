"""The paragraph to publish of a board: what was estimated, what rests on people, and what on a judge."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.evaluation.worths import board_worths
from rankgauge.labelling.judge_alone import JudgeAlone, judges_alone
from rankgauge.labelling.posterior import PosteriorEstimate
from rankgauge.labelling.reports.board_notes import percent
from rankgauge.render.numbers import count, number

if TYPE_CHECKING:
    from rankgauge.labelling.reports.board import BoardReport


MODELLED = (
    "The first documents were drawn at random, later ones chosen by what their labels would tell, and some drawn all "
    "along. Values are means over gradings of the whole pool, drawn from the posterior of a hierarchical model of how "
    "grades follow ranks, runs and queries; intervals are for these queries: the spread of the draws, times 1.25 for "
    "values and 1.15 for differences (1.4 between two runs)."
)


def board_paragraph(report: BoardReport) -> str:
    """The sentences, one after the other; while nothing is judged, that."""
    if report.outlook is None:
        return f"{report.headline()}."
    return " ".join(_sentences(report))


def _sentences(report: BoardReport) -> Iterator[str]:
    pool, settings, progress = report.pool, report.settings, report.progress
    runs, documents = count(len(pool.runs), "run"), len(pool.documents)
    asked = " and ".join(filter(None, (", ".join(settings.measures[:-1]), settings.measures[-1])))
    verb = "were" if len(settings.measures) > 1 else "was"
    yield (
        f"{asked} of {runs} on {count(len(pool.queries), 'query', 'queries')} {verb} estimated with RankGauge "
        f"{version('rankgauge')} (dialect {settings.dialect}, seed {settings.seed}), as if all {documents:,} documents "
        f"of the pool were judged; documents outside the pool count as not relevant."
    )
    before = int(np.count_nonzero(~np.isnan(pool.known)))
    drawn = f"{count(progress.judged, 'document')} ({_share(progress.judged / documents)} of the pool)"
    known = f", beside {before:,} judged before" if before else ""
    each = f", each by {settings.assessors} of them" if settings.assessors > 1 else ""
    moved = "the runs apart" if len(pool.runs) > 1 else "the value"
    yield f"People judged {drawn}{known}{each}."
    if progress.judged:
        chosen = f"the more a label would move {moved}, the likelier"
        by_model = any(isinstance(estimate, PosteriorEstimate) for estimate in report.estimates)
        yield (MODELLED if by_model else f"The documents were drawn at random with known chances: {chosen}.")
    yield from _of_judges(report)
    yield from _values(report)
    targets = [estimate.target for estimate in report.estimates]
    if targets:
        told = board_worths(targets, max(settings.grades))
        said = (words[words.find(": ") + 1 :].strip() for _, words in told)
        yield from (f"{words[0].upper()}{words[1:]}." for words in said)


def _share(part: float) -> str:
    """A share in percent; small ones have two digits."""
    return percent(part) if part >= 0.1 else f"{100 * part:.2g} %"


def _of_judges(report: BoardReport) -> Iterator[str]:
    pool = report.pool
    if not pool.judges:
        yield "No model's grades were used."
        return
    who = ", ".join(f"{judge.name} ({percent(judge.share)} of the pool)" for judge in pool.judges)
    yield (
        f"Grades by {who} served as beliefs: they say which documents people were asked for and what is expected of "
        f"the others; people's labels correct them, and no grade of a model counts as a label."
    )
    yield from (f"{alone_words(alone)}." for alone in judges_alone(report.outlook, report.estimates))


def alone_words(alone: JudgeAlone) -> str:
    """What the judge's grades by themselves would have said."""
    low, high = (f"{shift:+.3f}".replace("-", "−") for shift in (alone.shifts.min(), alone.shifts.max()))
    away = low if low == high else f"{low} to {high}"
    order = f", and {alone.agreed:,} of {alone.settled:,} settled pairs in the same order" if alone.settled else ""
    lacking = "" if alone.share == 1 else " (documents that it did not grade count as its lowest grade)"
    return f"By {alone.judge}'s grades alone{lacking} {alone.measure} would be {away} away from these values{order}"


def _values(report: BoardReport) -> Iterator[str]:
    for estimate, verdicts in zip(report.estimates, report.verdicts, strict=True):
        own = estimate.half_widths(report.level)
        if verdicts is None or own is None:
            yield f"{estimate.target} has no interval: labels are too few."
            continue
        lead, runs = int(np.argmax(estimate.values)), len(estimate.runs)
        pairs = runs * (runs - 1) // 2
        settled = (
            f"; the order of {round(verdicts.settled * pairs):,} of {count(pairs, 'pair')} of runs is settled, with a "
            f"chance of at most {100 * (1 - report.level):.2g} % that any of them is wrong"
            if pairs
            else ""
        )
        yield (
            f"By {estimate.target}, {estimate.runs[lead]} has {number(float(estimate.bounded[lead]))} ± "
            f"{number(float(own[lead]))} ({100 * report.level:.4g} % interval for these queries"
            + (f"; ± {number(float(own.mean()))} on average over the runs)" if pairs else ")")
            + (f", and rank {verdicts.range_texts[lead]}{settled}." if pairs else ".")
        )
    shown = [one for one in report.estimates if one.half_widths(report.level) is not None]
    if shown and not isinstance(shown[0], PosteriorEstimate):
        yield "Intervals are about the choice of the documents that people judged, not about that of the queries."


__all__ = ["alone_words", "board_paragraph"]
