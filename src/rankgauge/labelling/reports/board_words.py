"""What a board says in words: the best run, the paragraph to publish, and notes on its pool and its judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.evaluation.notes import board_worths
from rankgauge.judgments.llm.machine_judge import is_stretched
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.standings import JudgeAlone, Standings
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import count, decimal, fitting_decimals

if TYPE_CHECKING:
    from rankgauge.labelling.reports.board import BoardReport

LISTED = 6
"""How many looks are listed; of more, only how far apart they are is said."""

TINY = 1e-9
"""Shares that differ from 1 by less are 1, but for rounding."""


SAID_BY = re.compile(r", (as you said|that of the scale [\d., -]*\d)")
"""Where the top of the scale comes from: no reader of a paragraph asks."""

MOST_NAMED = 4
"""How many runs that may be the best are named; of more, only the first ones are."""


def standing_words(standings: Standings, *, labels: int) -> str:
    """Return in one line which run is the best by a measure, or which may be, and how many pairs are settled."""
    if len(standings.runs) == 1:
        return f"{standings.measure} {value_words(standings, 0)} (95 % interval), from {count(labels, 'label')}"
    runs = count(len(standings.runs), "run")
    if standings.estimate.reason:
        return f"{standings.measure}: {count(labels, 'label is', 'labels are')} too few to say which of {runs} is best"
    pairs = f"{standings.settled_pairs:,} of {count(standings.pairs, 'pair')} settled"
    return f"{standings.measure}: {_best(standings)} of {runs}{_where(standings)}; {pairs}"


def _best(standings: Standings) -> str:
    """Return which run is the best, or which may be, with their chances."""
    named, more = _named(standings), len(standings.candidates) - len(_named(standings))
    runs = [
        standings.runs[run] + ("" if standings.chances is None else f" ({_chance(standings, run)})") for run in named
    ]
    if standings.is_settled:
        return f"{runs[0]} is best"
    if more > 0:
        return f"{', '.join(runs)} or one of {more:,} more is best"
    return f"{_either(runs)} is best"


def _named(standings: Standings) -> list[int]:
    """Return the runs to name among those that may be the best: the first ones, or all where one more would be left."""
    return standings.candidates if len(standings.candidates) <= MOST_NAMED + 1 else standings.candidates[:MOST_NAMED]


def _where(standings: Standings) -> str:
    """On which queries the best run is settled."""
    if not standings.is_settled:
        return ""
    return ", also on new queries like these" if standings.is_settled_on_new_queries else " on these queries"


def best_words(standings: Standings) -> str:
    """Return which run is best with its lead, or which may be and how close they are."""
    if len(standings.runs) == 1:
        return standings.runs[0]
    if standings.is_settled:
        best = standings.candidates[0]
        second = next(int(run) for run in standings.order if run != best)
        lead, half = standings.lead(best, second)
        digits = max(standings.decimals, fitting_decimals(half))
        sure = "" if standings.chances is None else f" ({_chance(standings, best)})"
        ahead = f"{decimal(lead, digits)} ± {decimal(half, digits)}"
        sides = " (the chance is one-sided, the interval two-sided)" if half >= lead else ""
        return f"{standings.runs[best]}{sure}, ahead of {standings.runs[second]} by {ahead}{sides}"
    named, apart = [standings.runs[run] for run in standings.candidates], standings.apart()
    near = f"within {decimal(apart, fitting_decimals(apart))} of each other (95 %)"
    many = len(named) > len(_named(standings))
    return f"{f'one of {len(named):,} runs' if many else _either(named)}, {near}"


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _chance(standings: Standings, run: int) -> str:
    """Return the chance that a run is the best; no run is ever certain to be."""
    chance = 0.0 if standings.chances is None else float(standings.chances[run])
    return "over 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def value_words(standings: Standings, run: int) -> str:
    """Return a run's value with its interval: ±, or its ends where one of them is a bound of the measure."""
    value, half = decimal(float(standings.values[run]), standings.decimals), float(standings.half_widths[run])
    if not np.isnan(half) and standings.ends[1][run] - standings.ends[0][run] > 2 * half - TINY:
        return f"{value} ± {decimal(half, standings.decimals)}"
    ends = zip((standings.ends[0][run], standings.ends[1][run]), standings.bounds, strict=True)
    low, high = (
        f"{bound:g}" if end == bound and bound.is_integer() else decimal(float(end), standings.decimals)
        for end, bound in ends
    )
    return f"{value} ({low} to {high})"


DRAWN = "The documents were drawn at random, those at first ranks likelier."
CHOSEN = (
    "The first documents were drawn at random, later ones chosen by what their labels would tell, and some drawn all "
    "along."
)
MODELLED = (
    "Values are means over gradings of the whole pool, drawn from the posterior of a hierarchical model of how grades "
    "follow ranks, runs and queries; intervals are for these queries: the spread of the draws, times 1.25."
)


def board_paragraph(report: BoardReport) -> str:
    """Return the publishable paragraph, or a one-line headline if nothing has been judged yet."""
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
    several = report.agreement is not None or settings.assessors > 1
    people = f"each by {settings.assessors}" if settings.assessors > 1 else "some by several"
    each = f", {people} of them (grades combined by {settings.combine})" if several else ""
    moved = "the runs apart" if len(pool.runs) > 1 else "the value"
    yield f"People judged {drawn}{known}{each}."
    if progress.judged:
        chosen = f"the more a label would move {moved}, the likelier"
        by_model = any(standing.estimate.by_model for standing in report.standings)
        if by_model:
            yield f"{CHOSEN if progress.stages > 1 else DRAWN} {MODELLED}"
        else:
            yield f"The documents were drawn at random with known chances: {chosen}."
    yield from _of_judges(report)
    yield from _values(report)
    targets = [estimate.target for estimate in report.estimates]
    if targets:
        told = board_worths(targets, max(settings.grades))
        for subject, words in told:
            said = SAID_BY.sub("", words[words.find(": ") + 1 :].strip())
            yield f"The top grade is {said}." if subject == "top grade" else f"{said[0].upper()}{said[1:]}."


def _share(part: float) -> str:
    """Return a share in percent; small ones have two digits."""
    return percent(part) if part >= 0.1 else f"{100 * part:.2g} %"


def _of_judges(report: BoardReport) -> Iterator[str]:
    pool = report.pool
    if not pool.judges:
        yield "No model's grades were used."
        return
    who = ", ".join(f"{judge.name} ({percent(judge.share)} of the pool)" for judge in pool.judges)
    by_model = any(standing.estimate.by_model for standing in report.standings)
    asked = "" if by_model and report.progress.stages == 1 else "which documents people were asked for and "
    yield (
        f"Grades by {who} served as beliefs: they say {asked}what is expected of the others; people's labels correct "
        f"them, and no grade of a model counts as a label."
    )
    yield from (f"{alone_words(alone)}." for alone in report.alone)


def alone_words(alone: JudgeAlone) -> str:
    """Return how the runs would stand by the judge's grades alone."""
    low, high = (f"{shift:+.3f}".replace("-", "−") for shift in (alone.shifts.min(), alone.shifts.max()))
    away = low if low == high else f"{low} to {high}"
    order = f", and {alone.agreed:,} of {alone.settled:,} settled pairs in the same order" if alone.settled else ""
    lacking = "" if alone.share == 1 else " (documents that it did not grade count as its lowest grade)"
    return f"By {alone.judge}'s grades alone{lacking} {alone.measure} would be {away} away from these values{order}"


def _values(report: BoardReport) -> Iterator[str]:
    for standing in report.standings:
        if standing.estimate.reason:
            yield f"By {standing.measure} labels are too few to claim anything."
            continue
        named = standing.candidates[:MOST_NAMED]
        values = ", ".join(f"{standing.runs[run]} has {value_words(standing, run)}" for run in named)
        alone = len(standing.runs) == 1
        yield f"By {standing.measure}, {values} ({100 * report.level:.4g} % interval on these queries)."
        if alone:
            continue
        yield f"The best run{_where(standing).removeprefix(',')} is {best_words(standing)}."
        if standing.settled_pairs:
            yield (
                f"The order of {standing.settled_pairs:,} of {count(standing.pairs, 'pair')} of runs is settled on "
                f"these queries, with a chance of at most {100 * (1 - report.level):.2g} % that any of them is wrong."
            )
    if report.standings and not report.standings[0].estimate.by_model:
        yield "Intervals are about the choice of the documents that people judged, not about that of the queries."


def pool_notes(pool: BoardPool, estimates: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield what values rest on: the pool, what is outside of it, and the ideal."""
    before = int(np.count_nonzero(~np.isnan(pool.known)))
    known = f", {before:,} judged before" if before else ""
    sizes = (count(len(pool.runs), "run"), count(len(pool.queries), "query", "queries"))
    yield "pool", f"{', '.join(sizes)}, {count(len(pool.documents), 'document')}{known}"
    targets = [getattr(estimate, "target", estimate) for estimate in estimates]
    yield from judge_notes(pool, targets[0].grades if targets else None)
    for target in targets:
        inside = pool.weight_inside(target.weights)
        if inside.min(initial=1.0) < 1.0 - TINY:
            shares = _shares(inside)
            yield (
                "outside",
                f"{target}: documents outside the pool count as not relevant; inside is {shares} of a run's weight",
            )
    ratios = [str(target) for target in targets if target.ideal is not None]
    if ratios:
        yield "ideal", f"{', '.join(ratios)}: that of the pool, as if all of it were judged"


def judge_notes(pool: BoardPool, scale: FloatArray | None) -> Iterator[tuple[str, str]]:
    """Yield which judges other than people there are, and what they are taken for."""
    if pool.judges:
        graded = ", ".join(f"{judge.name} (graded {percent(judge.share)} of the pool)" for judge in pool.judges)
        yield "judges", f"{graded}: the grades are first guesses; people's labels correct them"
        for judge in pool.judges:
            own = np.unique(judge.grades[~np.isnan(judge.grades)])
            if scale is not None and is_stretched(own, scale):
                told = f"{own[0]:g} to {own[-1]:g} are stretched to {scale[0]:g} to {scale[-1]:g}"
                yield "scale", f"{judge.name}: its grades {told} where it is shown by itself"
        learnt = [judge.name for judge in pool.judges if judge.effects is not None]
        if learnt:
            yield "calibrated", f"{', '.join(learnt)}: expected to do as on the other collection until labels differ"


def look_words(looks: Sequence[int]) -> str:
    """After how many labels a goal is looked at."""
    if len(looks) <= LISTED:
        return f"looked at after {', '.join(map(str, looks))} labels"
    return f"looked at after {looks[0]} labels and every {looks[1] - looks[0]} more"


def percent(share: float) -> str:
    """Return a share in percent; 100 only if nothing is missing."""
    shown = f"{100 * share:.0f}"
    return f"{100 * share:.2f} %" if shown == "100" and share < 1 else f"{shown} %"


def _shares(inside: FloatArray) -> str:
    low, high = (f"{100 * share:.0f}" for share in (inside.min(), inside.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"
