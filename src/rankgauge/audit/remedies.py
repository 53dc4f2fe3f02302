"""What to do about each cause, where it has a share of the gap.

The advice on short lists, on empty queries and to report the standard definition is that of the study which found the
problem: Busa-Fekete, Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in terms of
normalized discounted cumulative gain, ECAI workshop on preference learning, 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankgauge.audit.conditions import Conditions
from rankgauge.audit.overview import Audit
from rankgauge.policies import LEAVE_OUT, HighGrade, ShortList

__all__ = ["REMEDIES", "Advice", "definition"]


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One thing to do, and why on this data."""

    title: str
    words: str


Remedy = Callable[[Audit], Iterator[Advice]]


def definition(audit: Audit) -> Iterator[Advice]:
    """What holds whatever the cause is."""
    standard = next((dialect for dialect in audit.dialects if dialect.name == "standard"), None)
    beside = "Name the tool, its version, the gain, the discount and the cutoff beside any"
    if audit.gaps and standard is None:
        yield Advice(title="Name the tool", words=f"{beside} number.")
    elif audit.gaps and standard is not None:
        means = {run: f"{audit.mean(run, standard):.4f}" for run in audit.scores}
        told = ", ".join(mean + (f" ({run})" if audit.several else "") for run, mean in means.items())
        yield Advice(
            title="Report the standard definition",
            words=f"By the papers' definition {audit.measure} is {told}. {beside} other number.",
        )


def _short(audit: Audit) -> Iterator[Advice]:
    zeroing = [dialect.name for dialect in audit.dialects if dialect.choice("short", audit.measure) is ShortList.ZERO]
    conditions = _fullest(audit, "short")
    short = conditions.count("short")
    if zeroing and short:
        each = "the one query" if short == 1 else f"each of the {short} queries"
        yield Advice(
            title="Avoid tools that count short lists as 0",
            words=f"In {_joined(zeroing)} {each} with fewer than {conditions.cutoff} documents counts 0, however well "
            "it is ranked.",
        )


def _empty(audit: Audit) -> Iterator[Advice]:
    conditions = _fullest(audit, "empty")
    empty, n = conditions.count("empty"), len(conditions.queries)
    ways = {dialect.choice("empty", audit.measure) for dialect in audit.dialects}
    counts = [f"{float(way):g}" for way in sorted(ways - {LEAVE_OUT}, key=float)]
    told = [*([f"count each as {_joined(counts, 'or')}"] if counts else []), *(["leave it out"] * (LEAVE_OUT in ways))]
    if 0 < empty < n:
        yield Advice(
            title="Mind the queries without relevant documents",
            words=f"No ranking can be good or bad on {empty} of the {n} queries; tools {', or '.join(told)}. Say how "
            "many there are and what they count, or leave them out.",
        )


def _top(audit: Audit) -> Iterator[Advice]:
    top = max(conditions.grades[-1] for conditions in audit.conditions.values())
    cut: dict[float, list[str]] = {}
    for dialect in audit.dialects:
        if dialect.high is HighGrade.ZERO and dialect.max_grade < top:
            cut.setdefault(dialect.max_grade, []).append(dialect.name)
    told = ", ".join(f"grades above {known:g} count 0 in {_joined(names)}" for known, names in sorted(cut.items()))
    if cut:
        yield Advice(
            title="Use a tool on the grades that it knows",
            words=f"{told[0].upper()}{told[1:]}, so the best documents count as the worst: the grades here go up to "
            f"{top:g}.",
        )
    elif hasattr(audit.measure, "max_grade"):
        given = replace(audit.measure, max_grade=top)  # type: ignore[call-arg]
        words = f"Tools take different grades for the highest; here it is {top:g}, so ask for {given}."
        yield Advice(title="Say what the highest grade is", words=words)


def _ties(audit: Audit) -> Iterator[Advice]:
    queries, run = max(
        (part.queries, run)
        for run, gap in audit.gaps.items()
        for found in (gap, *audit.attributions[run].values())
        for part in found.parts
        if part.cause.name == "ties"
    )
    on = ("1 query" if queries == 1 else f"{queries} queries") + (f" of {run}" if audit.several else "")
    yield Advice(
        title="Break no ties by accident",
        words=f"On {on} the order of documents with equal scores changes the value; average over all orders, as "
        "standard does, or make the scores distinct.",
    )


def _plain(title: str, words: str, *, kind: str = "") -> Remedy:
    """Advice that is the same on any data, but for how many queries are of the kind."""

    def remedy(audit: Audit) -> Iterator[Advice]:
        conditions = _fullest(audit, kind) if kind else None
        share = f"{conditions.count(kind)} of the {len(conditions.queries)} queries" if conditions else ""
        yield Advice(title=title, words=words.format(share=share))

    return remedy


REMEDIES: Mapping[str, Remedy] = {
    "gain": definition,
    "discount": definition,
    "empty": _empty,
    "short": _short,
    "ideal": _plain(
        "Take the ideal ranking from all judged documents",
        "A tool whose ideal holds only what the run retrieved does not charge the run for what it missed.",
    ),
    "ties": _ties,
    "precision": _plain(
        "Keep scores apart in 32 bits",
        "Scores that differ from the eighth digit on are ties in tools that keep 32 bits; write scores that differ "
        "earlier.",
    ),
    "arithmetic": _plain(
        "Compare no more than five digits",
        "Some tools add up in 32 bits, which moves the digits behind these.",
    ),
    "missing": _plain(
        "Answer every judged query",
        "Not in the run: {share}. A tool that leaves them out of the mean rewards a run for silence; answer them, or "
        "say how many are missing.",
        kind="missing",
    ),
    "unjudged": _plain(
        "Say what unjudged documents count",
        "With unjudged documents in their lists: {share}. Some tools count these as not relevant, others take them out "
        "of the ranking.",
        kind="unjudged",
    ),
    "negative": _plain(
        "Settle what negative grades mean",
        "With negative grades: {share}. To some tools they mean not judged, to others not relevant, or a loss; write "
        "0, or leave the line out.",
        kind="negative",
    ),
    "relevant": _plain(
        "Say from which grade on a document is relevant",
        "Tools begin at different grades; name it with the measure, as in P(rel=2)@10.",
    ),
    "top grade": _top,
    "fractions": _plain(
        "Write grades as whole numbers",
        "A grade such as 1.5, or 1 written as 1.0, is not a grade to every tool.",
    ),
    "duplicates": _plain(
        "List each document once in a query",
        "Of a document that stands twice some tools take the last line, others take every line for a document.",
    ),
    "grouping": _plain(
        "Keep the lines of a query together",
        "Where they are torn apart some tools see several queries.",
    ),
    "parameters": _plain(
        "Write the parameters of the measure out",
        "Tools read its name each with parameters of their own.",
    ),
    "depth": _plain(
        "Hand in lists that no tool cuts",
        "Some tools look at a list down to a depth of their own, whatever the cutoff of the measure.",
    ),
    "assessors": _plain(
        "Combine the grades of several assessors first",
        "Tools that are given more than one grade for a document combine them each in its own way.",
    ),
}
"""By the cause's name."""


def _fullest(audit: Audit, kind: str) -> Conditions:
    """The conditions of the run with the most queries of the kind."""
    return max(audit.conditions.values(), key=lambda conditions: conditions.count(kind))


def _joined(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
