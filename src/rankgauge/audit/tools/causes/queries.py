"""Causes in the queries: empty, short, tied, missing, with unjudged documents or negative grades."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.audit.tools.advice import AuditAdvice, fullest, joined
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import LEAVE_OUT, ShortList

if TYPE_CHECKING:
    from rankgauge.audit.tools.overview import Audit


def _empty_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    choice = dialect.choice("empty", measure)
    return "each is left out of the mean" if choice == LEAVE_OUT else f"each counts {float(choice):g}"


def _empty_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    conditions = fullest(audit, "empty")
    empty, n = conditions.count("empty"), len(conditions.queries)
    ways = {dialect.choice("empty", audit.measure) for dialect in audit.dialects}
    counts = [f"{float(way):g}" for way in sorted(ways - {LEAVE_OUT}, key=float)]
    told = [*([f"count each as {joined(counts, 'or')}"] if counts else []), *(["leave it out"] * (LEAVE_OUT in ways))]
    if 0 < empty < n:
        yield AuditAdvice(
            title="Mind the queries without relevant documents",
            words=f"No ranking can be good or bad on {empty} of the {n} queries; tools {', or '.join(told)}. Say how "
            "many there are and what they count, or leave them out.",
        )


EMPTY = Cause(
    name="empty",
    subject="queries without a relevant document",
    setting=_empty_setting,
    kind="empty",
    phrase="have no relevant document",
    remedy=_empty_remedy,
    place=30,
).register()


def _short_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    zeroing = [dialect.name for dialect in audit.dialects if dialect.choice("short", audit.measure) is ShortList.ZERO]
    conditions = fullest(audit, "short")
    short = conditions.count("short")
    if zeroing and short:
        each = "the one query" if short == 1 else f"each of the {short} queries"
        yield AuditAdvice(
            title="Avoid tools that count short lists as 0",
            words=f"In {joined(zeroing)} {each} with fewer than {conditions.cutoff} documents counts 0, however well "
            "it is ranked.",
        )


SHORT = Cause(
    name="short",
    subject="lists of fewer than {k} documents",
    setting=lambda dialect, measure, conditions: str(dialect.choice("short", measure).words),
    kind="short",
    phrase="have a list of fewer than {k} documents",
    remedy=_short_remedy,
    place=40,
).register()


def _ties_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    queries, run = max(
        (part.queries, run)
        for run, gap in audit.gaps.items()
        for found in (gap, *audit.attributions[run].values())
        for part in found.parts
        if part.cause.name == "ties"
    )
    on = ("1 query" if queries == 1 else f"{queries} queries") + (f" of {run}" if audit.several else "")
    yield AuditAdvice(
        title="Don't leave ties to chance",
        words=f"On {on} the order of documents with equal scores changes the value; average over all orders, as "
        "standard does, or make the scores distinct.",
    )


TIES = Cause(
    name="ties",
    subject="queries with tied scores",
    kind="tied",
    phrase="have tied scores",
    remedy=_ties_remedy,
    place=60,
).register()


MISSING = Cause(
    name="missing",
    # The order in which queries are added up moves the last bit of a mean, no more.
    fields=("missing", "query_order"),
    subject="judged queries that are not in the run",
    kind="missing",
    phrase="are judged but not in the run",
    advice="Answer every judged query",
    why="Not in the run: {share}. A tool that leaves them out of the mean rewards a run for silence; answer them, or "
    "say how many are missing.",
    place=90,
).register()


UNJUDGED = Cause(
    name="unjudged",
    subject="queries with unjudged documents",
    kind="unjudged",
    phrase="have unjudged documents in their lists",
    advice="Say what unjudged documents count",
    why="With unjudged documents in their lists: {share}. Some tools count these as not relevant, others take them out "
    "of the ranking.",
    place=100,
).register()


NEGATIVE = Cause(
    name="negative",
    subject="queries with negative grades",
    kind="negative",
    phrase="have negative grades",
    advice="Settle what negative grades mean",
    why="With negative grades: {share}. To some tools they mean not judged, to others not relevant, or a loss; write "
    "0, or leave the line out.",
    place=110,
).register()


DEPTH = Cause(
    name="depth",
    subject="how deep lists are looked at",
    setting=lambda dialect, measure, conditions: (
        "whole lists are looked at" if dialect.depth is None else f"lists are cut at {dialect.depth}"
    ),
    advice="Keep lists short enough that no tool cuts them",
    why="Some tools look at a list down to a depth of their own, whatever the cutoff of the measure.",
    place=180,
).register()
