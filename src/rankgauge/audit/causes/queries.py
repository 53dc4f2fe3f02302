"""Causes in the queries: empty, with short lists, missing from the run, with unjudged documents, cut at a depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.audit.advice import Advice, fullest, joined, same_on_any_data
from rankgauge.audit.cause import Cause, policy
from rankgauge.audit.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import LEAVE_OUT, ShortList

if TYPE_CHECKING:
    from rankgauge.audit.overview import Audit

__all__ = ["DEPTH", "EMPTY", "MISSING", "SHORT", "UNJUDGED"]


def _empty_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    choice = dialect.choice("empty", measure)
    return "each is left out of the mean" if choice == LEAVE_OUT else f"each counts {float(choice):g}"


def _empty_remedy(audit: Audit) -> Iterator[Advice]:
    conditions = fullest(audit, "empty")
    empty, n = conditions.count("empty"), len(conditions.queries)
    ways = {dialect.choice("empty", audit.measure) for dialect in audit.dialects}
    counts = [f"{float(way):g}" for way in sorted(ways - {LEAVE_OUT}, key=float)]
    told = [*([f"count each as {joined(counts, 'or')}"] if counts else []), *(["leave it out"] * (LEAVE_OUT in ways))]
    if 0 < empty < n:
        yield Advice(
            title="Mind the queries without relevant documents",
            words=f"No ranking can be good or bad on {empty} of the {n} queries; tools {', or '.join(told)}. Say how "
            "many there are and what they count, or leave them out.",
        )


EMPTY = Cause(
    name="empty",
    fields=("empty",),
    subject="queries without a relevant document",
    setting=_empty_setting,
    kind="empty",
    phrase="have no relevant document",
    remedy=_empty_remedy,
    place=30,
).register()


def _short_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    words: str = dialect.choice("short", measure).words
    return words


def _short_remedy(audit: Audit) -> Iterator[Advice]:
    zeroing = [dialect.name for dialect in audit.dialects if dialect.choice("short", audit.measure) is ShortList.ZERO]
    conditions = fullest(audit, "short")
    short = conditions.count("short")
    if zeroing and short:
        each = "the one query" if short == 1 else f"each of the {short} queries"
        yield Advice(
            title="Avoid tools that count short lists as 0",
            words=f"In {joined(zeroing)} {each} with fewer than {conditions.cutoff} documents counts 0, however well "
            "it is ranked.",
        )


SHORT = Cause(
    name="short",
    fields=("short",),
    subject="lists of fewer than {k} documents",
    setting=_short_setting,
    kind="short",
    phrase="have a list of fewer than {k} documents",
    remedy=_short_remedy,
    place=40,
).register()


MISSING = Cause(
    name="missing",
    # The order in which queries are added up moves the last bit of a mean, no more.
    fields=("missing", "query_order"),
    subject="judged queries that are not in the run",
    setting=policy("missing"),
    kind="missing",
    phrase="are judged but not in the run",
    remedy=same_on_any_data(
        "Answer every judged query",
        "Not in the run: {share}. A tool that leaves them out of the mean rewards a run for silence; answer them, or "
        "say how many are missing.",
        kind="missing",
    ),
    place=90,
).register()


UNJUDGED = Cause(
    name="unjudged",
    fields=("unjudged",),
    subject="queries with unjudged documents",
    setting=policy("unjudged"),
    kind="unjudged",
    phrase="have unjudged documents in their lists",
    remedy=same_on_any_data(
        "Say what unjudged documents count",
        "With unjudged documents in their lists: {share}. Some tools count these as not relevant, others take them out "
        "of the ranking.",
        kind="unjudged",
    ),
    place=100,
).register()


def _depth_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return "whole lists are looked at" if dialect.depth is None else f"lists are cut at {dialect.depth}"


DEPTH = Cause(
    name="depth",
    fields=("depth",),
    subject="how deep lists are looked at",
    setting=_depth_setting,
    remedy=same_on_any_data(
        "Hand in lists that no tool cuts",
        "Some tools look at a list down to a depth of their own, whatever the cutoff of the measure.",
    ),
    place=180,
).register()
