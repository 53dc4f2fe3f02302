"""What an audit found, in short: how far apart the tools are and why, and the queries on which they differ most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.audit.tools.attribution import Attribution
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.overview import Audit
from rankgauge.audit.tools.scores import Conditions
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT

SLIGHT = 0.02
"""What narrows a gap by less is not worth a word."""

MOST = 3
"""How many causes a headline names."""


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What an audit found, in two sentences."""

    gap: str
    cause: str

    def __str__(self) -> str:
        return f"{self.gap} {self.cause}".strip()


def headline(audit: Audit, run: str) -> Headline:
    """Return how far apart the tools are on a run, and what most of the gap comes from."""
    means = [audit.mean(run, dialect) for dialect in audit.dialects]
    whichever = "whatever the tool that accepts it" if audit.refused else "whatever the tool"
    if np.isnan(means).all():
        return Headline(gap=f"{audit.measure} is not defined on this data, {whichever}.", cause="")
    the = f"The same ranking ({run})" if audit.several else "The same ranking"
    found = audit.gaps.get(run)
    if found is None:
        return Headline(gap=f"{the} scores {np.nanmax(means):.4f} by {audit.measure}, {whichever}.", cause="")
    low, high = audit.mean(run, found.base), audit.mean(run, found.other)
    decimals = 2 if f"{low:.2f}" != f"{high:.2f}" else 4
    ends = f"{low:.{decimals}f} ({found.base.name}) to {high:.{decimals}f} ({found.other.name})"
    gap = f"{the} scores {ends} by {audit.measure}, depending on the tool."
    return Headline(gap=gap, cause=_sources(found, audit.conditions[run]))


def _sources(found: Attribution, conditions: Conditions) -> str:
    """The causes that widen the gap most with their shares, 100 % in all, and by how much the others narrow it."""
    amounts = [(part.amount / found.difference, part.cause.about(conditions)) for part in found.mattering]
    widening = sum(amount for amount, _ in amounts if amount > 0)
    named = [(amount / widening, subject) for amount, subject in amounts if amount > LEAST][:MOST]
    if not named:
        return ""
    rest, back = round(100 * (1 - sum(share for share, _ in named))), 1 - 1 / widening
    end = f"; other choices narrow it by {100 * back:.0f} %." if back > SLIGHT else "."
    if len(named) == 1 and not rest:
        return f"All of the gap comes from {named[0][1]}{end}"
    told = [f"{100 * share:.0f} % from {subject}" for share, subject in named]
    told[0] = told[0].replace(" % from", " % of the gap comes from", 1)
    return ", ".join([*told, *[f"{rest} % from other choices"] * (rest > 0)]) + end


@dataclass(frozen=True, kw_only=True)
class Mover:
    """One query under every dialect."""

    query: str
    values: dict[str, float]
    """By dialect; NaN where the query is left out of the mean."""
    kinds: tuple[str, ...]
    """What the query is like: empty, short, tied, missing, unjudged, negative."""
    documents: int
    relevant: int
    like: int
    """How many queries get the same values, this one among them."""

    @property
    def spread(self) -> float:
        """The highest value − the lowest."""
        known = [value for value in self.values.values() if not np.isnan(value)]
        return max(known) - min(known) if known else 0.0

    def at(self, value: float) -> list[str]:
        """Return the dialects that give the query that value."""
        return [name for name, given in self.values.items() if abs(given - value) < 5e-5]


def movers(audit: Audit, run: str, *, most: int = 10) -> list[Mover]:
    """Return the queries with the largest spread; of those to which every tool gives the same values only the first.

    Where hundreds of empty queries go from 0 to 1, ten of them say no more than one.
    """
    matrix = np.stack([audit.values(run, dialect) for dialect in audit.dialects], axis=1)
    known = ~np.isnan(matrix)
    top, low = np.where(known, matrix, -np.inf).max(axis=1), np.where(known, matrix, np.inf).min(axis=1)
    spread = np.maximum(top - low, 0.0)
    pattern = np.where(known, np.round(matrix, 9), -1.0)
    _, first, counts = np.unique(pattern, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts, -spread[first]))
    hits, conditions = audit.scores[run].hits(audit.base), audit.conditions[run]
    return [
        Mover(
            query=str(conditions.queries[query]),
            values={dialect.name: float(value) for dialect, value in zip(audit.dialects, matrix[query], strict=True)},
            kinds=tuple(kind for kind, held in conditions.holds.items() if held[query]),
            documents=int(hits.retrieved[query]),
            relevant=int((hits.pool_grade[hits.pool_query == query] > 0).sum()),
            like=like,
        )
        for query, like in zip(first[order[:most]].tolist(), counts[order[:most]].tolist(), strict=True)
        if spread[query] > 0
    ]


LEAST = 0.05
"""The least share of a gap that is worth mentioning."""


@dataclass(frozen=True, kw_only=True)
class AuditAdvice:
    """One thing to do, and why on this data."""

    title: str
    words: str


Remedy = Callable[["Audit"], Iterator[AuditAdvice]]


def advise(audit: Audit) -> list[AuditAdvice]:
    """Return what to do on this data; nothing if the tools agree and the values mean something."""
    found = (one for cause in _weighty(audit) for one in remedies(cause, audit))
    return list(dict.fromkeys([*_vain(audit), *found, *definition(audit)]))


def remedies(cause: Cause, audit: Audit) -> Iterator[AuditAdvice]:
    """Yield what to do about the cause on this data."""
    if cause.remedy is not None:
        yield from cause.remedy(audit)
    elif cause.advice:
        conditions = fullest(audit, cause.kind) if cause.kind else None
        share = f"{conditions.count(cause.kind or '')} of the {len(conditions.queries)} queries" if conditions else ""
        yield AuditAdvice(title=cause.advice, words=cause.why.format(share=share))


def _weighty(audit: Audit) -> list[Cause]:
    """Return the causes of a gap by falling share, then those that move only tools between its ends."""
    between, beside = dict[Cause, float](), dict[Cause, float]()
    for run, gap in audit.gaps.items():
        for shares, found in ((between, [gap]), (beside, audit.attributions[run].values())):
            for part in (part for one in found for part in one.mattering):
                shares[part.cause] = max(shares.get(part.cause, 0.0), abs(part.amount / gap.difference))
    ranked = [sorted(shares, key=lambda cause: -shares[cause]) for shares in (between, beside)]
    large = {cause for shares in (between, beside) for cause, share in shares.items() if share > LEAST}
    return [cause for cause in dict.fromkeys([*ranked[0], *ranked[1]]) if cause in large]


def _vain(audit: Audit) -> Iterator[AuditAdvice]:
    """Yield what to check when the values say nothing about the run, because nothing in it could be judged."""
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
    """Yield the advice that applies whatever the cause: what a paper has to state, said of the tool compared with."""
    if not audit.gaps:
        return
    means = {run: f"{audit.mean(run, audit.base):.4f}" for run in audit.scores}
    told = ", ".join(mean + (f" ({run})" if audit.several else "") for run, mean in means.items())
    dialect, measure = audit.base, audit.measure
    kernel, empty = dialect.read(measure), dialect.choice("empty", measure)
    named = {"gain": "gain", "discount": "discount", "rel": "relevant from grade"}
    stated = {word: value for name, word in named.items() if (value := getattr(kernel, name, None))}
    written = {word: f"{value:g}" if isinstance(value, float) else str(value) for word, value in stated.items()}
    own = [f"{word} {'above 0' if stated[word] == ABOVE_ZERO else words}" for word, words in written.items()]
    void = "are left out" if empty == LEAVE_OUT else f"count {float(empty):g}"
    rules = (dialect.ties.words, dialect.unjudged.words, f"queries with nothing relevant {void}", dialect.missing.words)
    choices = "; ".join([str(measure), *own, *rules])
    yield AuditAdvice(
        title="State how the number was computed",
        words="No tool's way is the definition. Beside a number name the tool and its version, the measure and its "
        "cutoff, the gain and the discount, and what becomes of ties, unjudged documents, queries with nothing "
        f"relevant and queries that are not in the run. For {dialect.name}: {choices}; {told}.",
    )


def fullest(audit: Audit, kind: str) -> Conditions:
    """Return the conditions of the run with the most queries of the kind."""
    return max(audit.conditions.values(), key=lambda conditions: conditions.count(kind))


def join_words(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
