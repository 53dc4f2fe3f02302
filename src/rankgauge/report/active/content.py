"""What a campaign's reports say, whatever their format: a headline, and subjects with their words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankgauge.active.campaign import Unjudgeable
from rankgauge.active.intervals import IntervalKind
from rankgauge.report.active.shown import Shown
from rankgauge.report.numbers import number

__all__ = ["amount", "count", "headline", "notes"]


def headline(shown: Shown) -> str:
    """The estimate in one line."""
    found = shown.estimate
    if found is None:
        return f"{shown.value}: no estimate yet, as fewer than two draws are complete"
    if not math.isfinite(shown.half):
        return f"{shown.value} {number(found.value)}; too few draws for an interval"
    ends = f"{number(found.low)} to {number(found.high)}"
    return f"{shown.value} {number(found.value)} ± {number(shown.half)} ({100 * found.level:g} % interval {ends})"


def notes(shown: Shown) -> Iterator[tuple[str, str]]:
    """Subjects, and what there is to know of them."""
    progress, settings = shown.progress, shown.settings
    yield "spent", _spent(shown)
    yield "draws", _draws(shown)
    yield "left", _left(shown)
    yield "pool", f"{shown.pool[0]:,} queries, {shown.pool[1]:,} documents"
    yield "method", _method(shown)
    if shown.estimate is not None:
        yield "interval", IntervalKind.parse(shown.estimate.interval).words
    if settings.assessors > 1:
        yield "assessors", f"{settings.assessors} judge each document; one grade of theirs: {settings.combine}"
    if progress.unjudgeable:
        rule = Unjudgeable.parse(settings.unjudgeable).words
        yield "not judged", f"{count(progress.unjudgeable, 'document')} could not be judged; {rule}"
    if progress.replaced:
        yield "replaced", f"{count(progress.replaced, 'label')}; the old ones are kept"
    if progress.unasked:
        yield (
            "not asked",
            (f"{count(progress.unasked, 'document')} with labels that no draw has asked for; kept, and not used"),
        )
    if progress.paused:
        yield "paused", "nothing is handed out"


def amount(cost: float) -> str:
    """A cost with at most one decimal."""
    return f"{cost:,.1f}".removesuffix(".0")


def _spent(shown: Shown) -> str:
    progress = shown.progress
    documents = f"{count(progress.asked, 'document')} of {count(progress.queries, 'query', 'queries')}"
    labels = f"{count(progress.labels, 'label')} of {count(progress.assessors, 'assessor')}"
    return f"{amount(progress.spent)} of {amount(progress.budget)}: {documents}; {labels}"


def _draws(shown: Shown) -> str:
    progress = shown.progress
    words = f"{progress.complete:,} complete; the estimate rests on these, which cost {amount(shown.used)}"
    return words + (f"; {count(progress.out, 'document')} asked for and not yet judged" if progress.out else "")


def _left(shown: Shown) -> str:
    left = amount(shown.progress.left)
    if shown.finished:
        return f"{left}, as every draw of the plan is complete"
    if not math.isfinite(shown.half) or shown.progress.left <= 0:
        return left
    return f"{left}; with the whole budget spent the interval should be about ± {number(shown.outlook)}"


def _method(shown: Shown) -> str:
    settings = shown.settings
    stages = f", {shown.progress.stages} stages" if shown.progress.stages > 1 else ""
    return f"{settings.method}, seed {settings.seed}{stages}; {settings.measure} as in the dialect {settings.dialect}"


def count(n: int, one: str, many: str | None = None) -> str:
    """So many of something, in words."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
