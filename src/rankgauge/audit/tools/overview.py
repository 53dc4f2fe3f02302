"""The audit: runs under every tool side by side, why the tools differ, which run each prefers, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects as known
from rankgauge.audit.tools.cause import UNSEEN, Attribution, Cause, attribute
from rankgauge.audit.tools.scores import FRAMEWORKS, Conditions, Scores, accepting, averaged, fitting, taking_copies
from rankgauge.dialects import Dialect
from rankgauge.evaluation import display
from rankgauge.measures import Cutoff, Measure
from rankgauge.numeric import FloatArray
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates
from rankgauge.statistics.paired_test import TESTS

CUTOFFS = range(1, 11)
"""The cutoffs that a measure is shown at, besides its own."""


def audit(
    judgments: Any,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    dialects: Iterable[str | Dialect] | None = None,
    base: str | Dialect = "standard",
    scale: Any = None,
) -> Audit:
    """Compute one measure of runs as every tool does, and split the differences between tools into their causes.

    >>> judgments = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 0}}
    >>> run = {"q1": {"b": 9.0, "a": 8.0}, "q2": {"d": 1.0}}
    >>> parts = audit(judgments, run, dialects=["standard", "ranx", "letor4"]).parts
    >>> [(row["tool"], round(row["mean"], 3)) for row in parts.iter_rows(named=True)]
    [('ranx', 0.24), ('standard', 0.24), ('letor4', 0.0)]

    `judgments` and each run are paths, frames or dicts of dicts; `runs` is one run or a mapping of names to runs.
    `dialects` are those to compare (default: those that fit the files and have the measure), `base` is the one to
    compare with.
    `scale` is that of `evaluate`: its threshold counts for every tool that has none of its own.
    """
    named: Mapping[str, Any] = runs if _is_mapping_of_runs(runs) else {"run": runs}
    (wanted,) = averaged([measure])
    first, kind = next(iter(named.values())), wanted.facts.judgments
    scores = Scores.of(judgments, named, kind)
    lacking: tuple[str, ...] = ()
    if dialects is None:
        asked = list(fitting(judgments, first, kind))
        if any(score.repeats for score in scores.values()):
            asked += [known.get(name) for name in FRAMEWORKS if known.get(name) not in asked]  # others refuse such runs
        lacking = tuple(dialect.name for dialect in asked if not dialect.has(wanted))
        asked = [dialect for dialect in asked if dialect.name not in lacking]
    else:
        asked = [known.get(name) for name in dialects]
    against, *asked = (dialect.on_scale(scale, wanted).provider(wanted) for dialect in (known.get(base), *asked))
    if any(dialect.duplicates is not Duplicates.REFUSE for dialect in asked):  # else every tool refuses copies alike
        against, plain = taking_copies(against, scores.values()), against
        asked = [dialect for dialect in asked if dialect != plain]
    taking, refused = accepting(dict.fromkeys((against, *asked)), scores.values(), wanted)
    base = against if against in taking else taking[0]
    return Audit(measure=wanted, scores=scores, dialects=tuple(taking), base=base, refused=refused, lacking=lacking)


def _is_mapping_of_runs(runs: Any) -> bool:
    """Say whether it maps names to runs; a dict of dicts of scores, or of lists of documents, is a single run."""
    if not isinstance(runs, Mapping) or not runs:
        return False
    inner = next(iter(runs.values()))
    if isinstance(inner, Mapping):
        return isinstance(next(iter(inner.values()), None), Mapping | list | tuple)
    return not isinstance(inner, list | tuple)


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """Runs under several dialects by one measure."""

    measure: Measure
    scores: Mapping[str, Scores]
    dialects: tuple[Dialect, ...]
    """Those that accept every run, `base` first."""
    base: Dialect
    refused: Mapping[str, str]
    """By the dialect's name, why its tool refuses the input."""
    lacking: tuple[str, ...] = ()
    """The tools that fit the files, but do not have the measure."""

    @property
    def several(self) -> bool:
        """Whether there is more than one run."""
        return len(self.scores) > 1

    def mean(self, run: str, dialect: Dialect, measure: Measure | None = None) -> float:
        """Return what the run gets from the dialect."""
        return self.scores[run].mean(dialect, measure or self.measure)

    def values(self, run: str, dialect: Dialect, measure: Measure | None = None) -> FloatArray:
        """Return the value of each judged query; NaN where it does not count."""
        return self.scores[run].values(dialect, measure or self.measure)

    def rank_dialects(self, run: str) -> list[Dialect]:
        """Return the dialects by what they give the run, the lowest first."""
        return sorted(self.dialects, key=lambda dialect: np.nan_to_num(self.mean(run, dialect), nan=-np.inf))

    @cached_property
    def conditions(self) -> Mapping[str, Conditions]:
        """By run, what its queries are like."""
        return {run: Conditions.of(scores, self.base, self.measure) for run, scores in self.scores.items()}

    def attribution(self, run: str, other: Dialect, base: Dialect | None = None) -> Attribution:
        """Return why a dialect gives the run another number than `base` does."""
        return attribute(self.scores[run], base or self.base, other, self.measure)

    @cached_property
    def attributions(self) -> Mapping[str, Mapping[str, Attribution]]:
        """By run and dialect, why the dialect differs from the base."""
        return {
            run: {dialect.name: self.attribution(run, dialect) for dialect in self.dialects if dialect != self.base}
            for run in self.scores
        }

    @cached_property
    def gaps(self) -> Mapping[str, Attribution]:
        """By run, why the highest dialect differs from the lowest; runs to which all give the same are left out."""
        gaps = {}
        for run in self.scores:
            known = [dialect for dialect in self.rank_dialects(run) if not np.isnan(self.mean(run, dialect))]
            if known and self.mean(run, known[-1]) - self.mean(run, known[0]) > UNSEEN:
                gaps[run] = self.attribution(run, known[-1], known[0])
        return gaps

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causes that visibly move some run's number under some dialect, in the order of their list."""
        return self._moving(())

    @cached_property
    def told_causes(self) -> tuple[Cause, ...]:
        """The causes, and those that matter only between the highest and the lowest dialect, not against the base.

        An empty query with a short list is one: `standard` counts it 0 for the first reason, a tool that counts short
        lists as 0 for both, and only a tool that counts empty queries as 1 shows that there are two.
        """
        return self._moving(self.gaps.values())

    def _moving(self, more: Iterable[Attribution]) -> tuple[Cause, ...]:
        attributions = [*(one for by_tool in self.attributions.values() for one in by_tool.values()), *more]
        moving = dict.fromkeys(part.cause for one in attributions for part in one.parts if part.shows)
        return tuple(sorted(moving, key=lambda cause: cause.place))

    @cached_property
    def parts(self) -> pl.DataFrame:
        """A row per run and dialect: its mean, the difference from the base, and what each cause adds to that."""
        rows = []
        for run, attributions in self.attributions.items():
            for dialect in reversed(self.rank_dialects(run)):
                attribution = attributions.get(dialect.name)
                amounts = {
                    cause.name: 0.0 if attribution is None else attribution.amount(cause) for cause in self.causes
                }
                difference = 0.0 if attribution is None else attribution.difference
                mean = self.mean(run, dialect)
                rows.append({"run": run, "tool": dialect.name, "mean": mean, "difference": difference, **amounts})
        return pl.DataFrame(rows)

    def to_pandas(self, table: str = "parts") -> Any:
        """Return the `parts` as a pandas frame."""
        return display.pandas(self, ("parts",), table)

    def _repr_html_(self) -> str:
        rows = [
            (row["run"], row["tool"], *(f"{row[name]:.4f}" for name in self.parts.columns[2:]))
            for row in self.parts.iter_rows(named=True)
        ]
        return display.table(self.parts.columns, rows, f"{self.measure}; differences from {self.base.name}, by cause")

    @cached_property
    def cutoffs(self) -> tuple[Measure, ...]:
        """The measure at the cutoffs 1 to 10 and at its own; empty if it takes no rank as a cutoff."""
        if self.measure.facts.cutoff not in (Cutoff.OPTIONAL, Cutoff.REQUIRED):
            return ()
        depths = sorted({*CUTOFFS, *([self.measure.depth] if self.measure.depth else [])})
        return tuple(replace(self.measure, cutoff=depth) for depth in depths)  # type: ignore[call-arg]


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
    difference = audit.gaps.get(run)
    if difference is None:
        return Headline(gap=f"{the} scores {np.nanmax(means):.4f} by {audit.measure}, {whichever}.", cause="")
    low, high = audit.mean(run, difference.base), audit.mean(run, difference.other)
    decimals = 2 if f"{low:.2f}" != f"{high:.2f}" else 4
    ends = f"{low:.{decimals}f} ({difference.base.name}) to {high:.{decimals}f} ({difference.other.name})"
    gap = f"{the} scores {ends} by {audit.measure}, depending on the tool."
    return Headline(gap=gap, cause=_sources(difference, audit.conditions[run]))


def _sources(attribution: Attribution, conditions: Conditions) -> str:
    """The causes that widen the gap most with their shares, 100 % in all, and by how much the others narrow it."""
    amounts = [(part.amount / attribution.difference, part.cause.about(conditions)) for part in attribution.mattering]
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


Remedy = Callable[[Audit], Iterator[AuditAdvice]]


def advise(audit: Audit) -> list[AuditAdvice]:
    """Return what to do on this data; nothing if the tools agree and the values mean something."""
    remedies_ = (remedy for cause in _weighty(audit) for remedy in remedies(cause, audit))
    return list(dict.fromkeys([*_vain(audit), *remedies_, *definition(audit)]))


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
        for shares, weighed in ((between, [gap]), (beside, audit.attributions[run].values())):
            for part in (part for one in weighed for part in one.mattering):
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


LEVEL = 0.05
"""The p-value below which a difference is more than luck."""

DRAWS = 2000
"""Random signs per test: enough to tell a p-value from 0.05."""

EQUAL = 1e-12
"""Means that differ by less are equal."""


class Consensus(Enum):
    """What the tools together say of two runs."""

    AGREE = "every tool prefers the same run"
    NOISE = "tools disagree which run is better, but under none of them is the difference more than luck"
    LEANING = "tools disagree which run is better, and under some of them the difference is more than luck"
    CONTRADICTION = "tools disagree which run is better, and on either side the difference is more than luck"


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Two runs under one dialect."""

    dialect: str
    difference: float
    """The mean of the first run − that of the second."""
    t: float
    """The p-value of Student's paired t test."""
    randomisation: float
    """The p-value of Fisher's randomisation test."""

    @property
    def winner(self) -> int:
        """1 if the first run is better, −1 if the second is, 0 if they are equal."""
        return 0 if not abs(self.difference) > EQUAL else (1 if self.difference > 0 else -1)

    @property
    def significant(self) -> bool:
        """Whether both tests say that the difference is more than luck."""
        return max(self.t, self.randomisation) < LEVEL


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Two runs under every dialect, by one measure."""

    measure: Measure
    runs: tuple[str, str]
    duels: tuple[Duel, ...]

    @property
    def outcome(self) -> Consensus:
        """What the tools together say."""
        if len({duel.winner for duel in self.duels} - {0}) < 2:
            return Consensus.AGREE
        sure = {duel.winner for duel in self.duels if duel.significant}
        return (Consensus.NOISE, Consensus.LEANING, Consensus.CONTRADICTION)[len(sure)]

    def preferring(self, winner: int) -> list[str]:
        """Return the dialects under which the first (1) or the second (−1) run is better."""
        return [duel.dialect for duel in self.duels if duel.winner == winner]


@dataclass(frozen=True, kw_only=True)
class ToolPreferences:
    """The order of the runs under each dialect at each cutoff, and every pair of runs."""

    measures: tuple[Measure, ...]
    orders: dict[tuple[str, str], tuple[str, ...]]
    """By dialect and measure, the runs from the best down."""
    contests: tuple[Contest, ...]
    seed: int

    def has_dispute(self, measure: Measure) -> bool:
        """Say whether two dialects put the runs in different orders by the measure."""
        return any(one.outcome is not Consensus.AGREE for one in self.of(measure))

    def of(self, measure: Measure) -> list[Contest]:
        """Return every pair of runs by the measure."""
        return [contest for contest in self.contests if contest.measure == measure]


def preferences(audit: Audit, *, seed: int = 0) -> ToolPreferences:
    """Return which of the audit's runs the tools prefer; all tests share their random signs."""
    measures = tuple(dict.fromkeys((*audit.cutoffs, audit.measure)))
    cells = [(dialect, measure) for dialect in audit.dialects for measure in measures]
    for scores in audit.scores.values():
        for dialect in audit.dialects:
            scores.prepare(dialect, measures)
    means = {cell: {run: audit.mean(run, *cell) for run in audit.scores} for cell in cells}
    contests = []
    for first, second in combinations(audit.scores, 2):
        apart = np.stack([audit.values(first, *cell) - audit.values(second, *cell) for cell in cells], axis=1)
        t, randomisation = (
            TESTS.find(name)(apart, rng=np.random.default_rng(seed), draws=DRAWS).p for name in ("t", "randomisation")
        )
        duels = {
            cell: Duel(
                dialect=cell[0].name,
                difference=means[cell][first] - means[cell][second],
                t=float(t[place]),
                randomisation=float(randomisation[place]),
            )
            for place, cell in enumerate(cells)
        }
        contests += [
            Contest(measure=one, runs=(first, second), duels=tuple(duels[dialect, one] for dialect in audit.dialects))
            for one in measures
        ]
    orders = {
        (dialect.name, str(measure)): tuple(sorted(by_run, key=lambda run: -np.nan_to_num(by_run[run], nan=-np.inf)))
        for (dialect, measure), by_run in means.items()
    }
    return ToolPreferences(measures=measures, orders=orders, contests=tuple(contests), seed=seed)
