"""What to do about the causes that matter, those with the largest shares of the gap first.

The advice to avoid tools that count short lists as 0 follows Busa-Fekete,
Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in terms of normalized discounted
cumulative gain, ECAI workshop on preference learning, 2012. They also ask for benchmark sets without empty queries, if
possible. An audit has the set as it is, so what it says of empty queries, and to name the tool, is our own advice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.conditions import Conditions
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT

if TYPE_CHECKING:
    from rankgauge.audit.tools.overview import Audit

LEAST = 0.05
"""The least share of a gap that is worth mentioning."""


@dataclass(frozen=True, kw_only=True)
class AuditAdvice:
    """One thing to do, and why on this data."""

    title: str
    words: str


Remedy = Callable[["Audit"], Iterator[AuditAdvice]]


def advise(audit: Audit) -> list[AuditAdvice]:
    """What to do on this data; nothing if the tools agree and the values mean something."""
    found = (one for cause in _weighty(audit) for one in remedies(cause, audit))
    return list(dict.fromkeys([*_vain(audit), *found, *definition(audit)]))


def remedies(cause: Cause, audit: Audit) -> Iterator[AuditAdvice]:
    """What to do about the cause on this data."""
    if cause.remedy is not None:
        yield from cause.remedy(audit)
    elif cause.advice:
        conditions = fullest(audit, cause.kind) if cause.kind else None
        share = f"{conditions.count(cause.kind or '')} of the {len(conditions.queries)} queries" if conditions else ""
        yield AuditAdvice(title=cause.advice, words=cause.why.format(share=share))


def _weighty(audit: Audit) -> list[Cause]:
    """The causes of a gap by falling share, then those that move only tools between its ends."""
    between, beside = dict[Cause, float](), dict[Cause, float]()
    for run, gap in audit.gaps.items():
        for shares, found in ((between, [gap]), (beside, audit.attributions[run].values())):
            for part in (part for one in found for part in one.mattering):
                shares[part.cause] = max(shares.get(part.cause, 0.0), abs(part.amount / gap.difference))
    ranked = [sorted(shares, key=lambda cause: -shares[cause]) for shares in (between, beside)]
    large = {cause for shares in (between, beside) for cause, share in shares.items() if share > LEAST}
    return [cause for cause in dict.fromkeys([*ranked[0], *ranked[1]]) if cause in large]


def _vain(audit: Audit) -> Iterator[AuditAdvice]:
    """What to check when the values say nothing about the run, because nothing in it could be judged."""
    for run, conditions in audit.conditions.items():
        of, n = f" of {run}" if audit.several else "", len(conditions.queries)
        zero = not np.nan_to_num([audit.mean(run, dialect) for dialect in audit.dialects]).any()
        if conditions.count("missing") == n:
            yield AuditAdvice(
                title="Check the ids of the queries", words=f"None of the {n} judged queries is in the run{of}."
            )
        elif conditions.count("empty") == n:
            words = f"None of the {n} queries has a relevant document: no ranking of them can be good or bad."
            yield AuditAdvice(title="Check the judgments", words=words)
        elif zero and not len(audit.scores[run].hits(audit.base).query):
            words = f"None of the documents{of} is judged for its query, so there is nothing to count."
            yield AuditAdvice(title="Check the ids of the documents", words=words)
        elif zero and audit.measure.facts.bounds[0] == 0:
            every = "Every tool that accepts the data" if audit.refused else "Every tool"
            words = f"{every} gives 0{of and f' to {run}'}: there is no relevant document where {audit.measure} looks."
            yield AuditAdvice(title="Look at the run first", words=words)


def definition(audit: Audit) -> Iterator[AuditAdvice]:
    """The advice that applies whatever the cause: what a paper has to state, said of the tool compared with."""
    if not audit.gaps:
        return
    means = {run: f"{audit.mean(run, audit.base):.4f}" for run in audit.scores}
    told = ", ".join(mean + (f" ({run})" if audit.several else "") for run, mean in means.items())
    yield AuditAdvice(
        title="State how the number was computed",
        words="No tool's way is the definition. Beside a number name the tool and its version, the measure and its "
        "cutoff, the gain and the discount, and what becomes of ties, unjudged documents, queries with nothing "
        f"relevant and queries that are not in the run. For {audit.base.name}: {_stated(audit)}; {told}.",
    )


def _stated(audit: Audit) -> str:
    """The choices of the tool that others are compared with, as a paper may state them."""
    dialect, measure = audit.base, audit.measure
    kernel, empty = dialect.read(measure), dialect.choice("empty", measure)
    named = {"gain": "gain", "discount": "discount", "rel": "relevant from grade"}
    own = [f"{word} {_plain(getattr(kernel, name))}" for name, word in named.items() if getattr(kernel, name, None)]
    void = "are left out" if empty == LEAVE_OUT else f"count {float(empty):g}"
    rules = (dialect.ties.words, dialect.unjudged.words, f"queries with nothing relevant {void}", dialect.missing.words)
    return "; ".join([str(measure), *own, *rules])


def _plain(value: object) -> str:
    """A parameter in words; any grade above 0 is the least number above 0."""
    if value == ABOVE_ZERO:
        return "above 0"
    return f"{value:g}" if isinstance(value, float) else str(value)


def fullest(audit: Audit, kind: str) -> Conditions:
    """The conditions of the run with the most queries of the kind."""
    return max(audit.conditions.values(), key=lambda conditions: conditions.count(kind))


def joined(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
