"""The causes of differences between tools: queries, formulas and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.overview import AuditAdvice, definition, fullest, join_words
from rankgauge.audit.tools.scores import Conditions
from rankgauge.dialects import Dialect
from rankgauge.evaluation.notes import lowest_relevant
from rankgauge.measures import Measure
from rankgauge.measures.gains import DISCOUNTS, GAINS
from rankgauge.policies import LEAVE_OUT, HighGrade, JudgedTwice, ShortList
from rankgauge.render.numbers import count

if TYPE_CHECKING:
    from rankgauge.audit.tools.overview import Audit


def _describe_empty(choice: Any) -> str:
    return "each is left out of the mean" if choice == LEAVE_OUT else f"each counts {float(choice):g}"


def _empty_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    conditions = fullest(audit, "empty")
    empty, n = conditions.count("empty"), len(conditions.queries)
    ways = {dialect.choice("empty", audit.measure) for dialect in audit.dialects}
    counts = [f"{float(way):g}" for way in sorted(ways - {LEAVE_OUT}, key=float)]
    told = [f"count each as {join_words(counts, 'or')}"] if counts else []
    told += ["leave it out"] * (LEAVE_OUT in ways)
    if 0 < empty < n:
        yield AuditAdvice(
            title="Mind the queries without relevant documents",
            words=f"No ranking can be good or bad on {empty} of the {n} queries; tools {', or '.join(told)}. Say how "
            "many there are and what they count, or leave them out.",
        )


def _short_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    zeroing = [dialect.name for dialect in audit.dialects if dialect.choice("short", audit.measure) is ShortList.ZERO]
    conditions = fullest(audit, "short")
    short = conditions.count("short")
    if zeroing and short:
        each = "the one query" if short == 1 else f"each of the {short} queries"
        few = f"{each} with fewer than {conditions.cutoff} documents"
        words = f"In {join_words(zeroing)} {few} counts 0, however well it is ranked."
        yield AuditAdvice(title="Avoid tools that count short lists as 0", words=words)


def _ties_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    attributed = ((run, one) for run, gap in audit.gaps.items() for one in (gap, *audit.attributions[run].values()))
    queries, run = max(
        (part.queries, run) for run, one in attributed for part in one.parts if part.cause.name == "ties"
    )
    on = count(queries, "query", "queries") + (f" of {run}" if audit.several else "")
    yield AuditAdvice(
        title="Don't leave ties to chance",
        words=f"On {on} the order of documents with equal scores changes the value; average over all orders, as "
        "standard does, or make the scores distinct.",
    )


def _gain_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """Return what the grades in use are worth."""
    name = getattr(dialect.read(measure), "gain", dialect.gain)
    if name not in GAINS:
        return f"the gain is {name}"
    worth = GAINS[name](np.maximum(np.array(conditions.grades), 0.0))
    unit = next((gain for gain in worth if gain > 0), 1.0) if _is_ratio(measure) else 1.0
    return f"grades {_numbers(conditions.grades)} are worth {_numbers(worth / unit)}"


def _discount_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """Return what the first ranks are divided by."""
    name = getattr(dialect.read(measure), "discount", dialect.discount)
    if name not in DISCOUNTS:
        return f"the discount is {name}"
    divisors = 1 / DISCOUNTS[name](np.arange(1.0, 5.0))
    return f"ranks 1, 2, 3, 4 are divided by {_numbers(divisors / (divisors[0] if _is_ratio(measure) else 1.0))}"


def _top_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    if hasattr(measure, "max_grade"):
        return f"grades go up to {dialect.top(conditions.grades[-1]):g}; {dialect.high.words}"
    cut = dialect.high is HighGrade.ZERO and not dialect.knows(conditions.grades[-1])
    return f"grades above {dialect.max_grade:g} count 0" if cut else "grades are used as they are"


def _top_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    top = max(conditions.grades[-1] for conditions in audit.conditions.values())
    cut: dict[float, list[str]] = {}
    for dialect in audit.dialects:
        if dialect.high is HighGrade.ZERO and not dialect.knows(top):
            cut.setdefault(dialect.top(top), []).append(dialect.name)
    told = ", ".join(f"grades above {known:g} count 0 in {join_words(names)}" for known, names in sorted(cut.items()))
    if cut:
        yield AuditAdvice(
            title="Use a tool on the grades that it knows",
            words=f"{told[0].upper()}{told[1:]}, so the best documents count as the worst: the grades here go up to "
            f"{top:g}.",
        )
    elif hasattr(audit.measure, "max_grade"):
        given = replace(audit.measure, max_grade=top)  # type: ignore[call-arg]
        words = f"Tools assume different top grades; here it is {top:g}, so ask for {given}."
        yield AuditAdvice(title="Say what the highest grade is", words=words)


READ_AS = {
    ("ideal_depth", "list"): "the ideal ranking ends where the list ends",
    ("ideal_depth", "all"): "the ideal ranking is not cut",
    ("ideal_depth", "filled"): "the ideal ranking has a relevant document in every place of the list",
    ("out_of", "found"): "divided by what was found",
    ("out_of", "cutoff"): "divided by the cutoff where more are relevant",
    ("out_of", "list"): "divided by the length of the list where more are relevant",
    ("padded", False): "short lists are not filled up",
}
"""What parameters say, in words."""


def _readings_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    chosen: Mapping[str, Any] = dialect.readings.get(measure.facts.name, {})
    words = ((f"{name}={value!r}", READ_AS.get((name, value), "")) for name, value in chosen.items())
    return ", ".join(f"{said} ({plain})" if plain else said for said, plain in words) or "the measure as defined"


def _is_ratio(measure: Measure) -> bool:
    """Say whether the unit of gains and discounts does not matter, as they appear both above and below the line."""
    return measure.facts.bounds == (0.0, 1.0)


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.3g}" for value in values)


def _duplicates_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    also = conditions.judges_twice and dialect.judged_twice is not JudgedTwice.REFUSE
    return dialect.duplicates.words + (f"; {dialect.judged_twice.words}" if also else "")


def _bare_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    said = {"a query without documents": dialect.unanswered, "one with nothing to find either": dialect.vacant}
    stated = {name: value for name, value in said.items() if value is not None}
    told = (f"{name} {'is left out' if value == LEAVE_OUT else f'counts {value}'}" for name, value in stated.items())
    return ", ".join(told) or "a query without documents has what the formula gives"


USUAL = (
    Cause(name="gain", fields=("gain",), subject="what a grade is worth", setting=_gain_setting, remedy=definition),
    Cause(name="discount", subject="what a rank is worth", setting=_discount_setting, remedy=definition),
    Cause(
        name="empty",
        subject="queries without a relevant document",
        setting=lambda dialect, measure, conditions: _describe_empty(dialect.choice("empty", measure)),
        kind="empty",
        phrase="have no relevant document",
        remedy=_empty_remedy,
    ),
    Cause(
        name="short",
        subject="lists of fewer than {k} documents",
        setting=lambda dialect, measure, conditions: str(dialect.choice("short", measure).words),
        kind="short",
        phrase="have a list of fewer than {k} documents",
        remedy=_short_remedy,
    ),
    Cause(
        name="ideal",
        fields=("ideal", "cut_ideal"),
        subject="what the ideal ranking is made of",
        setting=lambda dialect, measure, conditions: (
            dialect.choice("ideal", measure).words
            + ", down to the depth of the run and without documents that are not relevant" * dialect.cut_ideal
        ),
        advice="Take the ideal ranking from all judged documents",
        why="A tool whose ideal holds only what the run retrieved does not charge the run for what it missed.",
    ),
    Cause(name="ties", subject="queries with tied scores", kind="tied", phrase="have tied scores", remedy=_ties_remedy),
    Cause(
        name="precision",
        fields=("single_precision",),
        subject="the precision of scores",
        setting=lambda dialect, measure, conditions: (
            f"scores are compared as {32 if dialect.single_precision else 64}-bit numbers"
        ),
        advice="Keep scores apart in 32 bits",
        why="Scores that differ from the eighth digit on are ties in tools that keep 32 bits; write scores that differ "
        "earlier.",
    ),
    Cause(
        name="arithmetic",
        fields=("single_arithmetic", "decimals", "half_up"),
        subject="the precision of sums and quotients",
        setting=lambda dialect, measure, conditions: (
            f"values and means are {32 if dialect.single_arithmetic else 64}-bit numbers"
            + ("" if dialect.decimals is None else f", values rounded to {dialect.decimals} decimals")
        ),
        advice="Compare no more than five digits",
        why="Some tools add up in 32 bits, which changes the digits after these.",
    ),
    Cause(
        name="missing",
        # The order in which queries are added up moves the last bit of a mean, no more.
        fields=("missing", "query_order"),
        subject="judged queries that are not in the run",
        kind="missing",
        phrase="are judged but not in the run",
        advice="Answer every judged query",
        why="Not in the run: {share}. A tool that leaves them out of the mean rewards a run for silence; answer them, "
        "or say how many are missing.",
    ),
    Cause(
        name="unanswered",
        fields=("unanswered", "vacant"),
        subject="queries for which nothing was retrieved",
        setting=_bare_setting,
        kind="missing",
        phrase="have no retrieved documents",
        advice="Count queries for which nothing was retrieved",
        why="Without a retrieved document: {share}. Some frameworks leave them out, or count 1 if nothing is relevant.",
    ),
    Cause(
        name="unjudged",
        subject="queries with unjudged documents",
        kind="unjudged",
        phrase="have unjudged documents in their lists",
        advice="Say what unjudged documents count",
        why="With unjudged documents in their lists: {share}. Some tools count these as not relevant, others take them "
        "out of the ranking.",
    ),
    Cause(
        name="negative",
        subject="queries with negative grades",
        kind="negative",
        phrase="have negative grades",
        advice="Settle what negative grades mean",
        why="With negative grades: {share}. To some tools they mean not judged, to others not relevant, or a loss; "
        "write 0, or leave the line out.",
    ),
    Cause(
        name="relevant",
        fields=("rel",),
        subject="which grades are relevant",
        setting=lambda dialect, measure, conditions: f"{lowest_relevant(dialect.rel)} is relevant",
        advice="Say from which grade on a document is relevant",
        why="Tools begin at different grades; name it with the measure, as in P(rel=2)@10.",
    ),
    Cause(
        name="top grade",
        fields=("max_grade", "high"),
        subject="the top of the grading scale",
        setting=_top_setting,
        remedy=_top_remedy,
    ),
    Cause(
        name="fractions",
        fields=("fractional",),
        subject="fractional grades",
        advice="Write grades as whole numbers",
        why="A grade such as 1.5, or 1 written as 1.0, is not a grade to every tool.",
    ),
    Cause(
        name="duplicates",
        # A LETOR file judges what it lists, so that tools choose for both at once.
        fields=("duplicates", "judged_twice"),
        subject="documents that are listed or judged twice in a query",
        setting=_duplicates_setting,
        advice="List and judge each document once in a query",
        why="Of a document that is listed twice, some tools take the last line, others count every line as a document.",
    ),
    Cause(
        name="grouping",
        subject="queries whose lines are not together",
        advice="Keep the lines of a query together",
        why="If they are split up, some tools see several queries.",
    ),
    Cause(
        name="parameters",
        fields=("readings",),
        subject="how the measure is read",
        setting=_readings_setting,
        advice="Write the parameters of the measure out",
        why="For the same name, tools assume different parameters.",
    ),
    Cause(
        name="order",
        subject="what puts the documents of a run in order",
        advice="Let ranks and scores say the same",
        why="Some tools order a run by its scores, others by the ranks that it states.",
    ),
    Cause(
        name="depth",
        subject="how deep lists are looked at",
        setting=lambda dialect, measure, conditions: (
            "whole lists are looked at" if dialect.depth is None else f"lists are cut at {dialect.depth}"
        ),
        advice="Keep lists short enough that no tool cuts them",
        why="Some tools look at a list down to a depth of their own, whatever the cutoff of the measure.",
    ),
    Cause(
        name="assessors",
        subject="how assessors are combined",
        advice="Combine the grades of several assessors first",
        why="Tools that are given more than one grade for a document each combine them differently.",
    ),
)
"""The causes in the order in which they are listed."""

for _place, _cause in enumerate(USUAL):
    replace(_cause, place=10 * _place).register()
