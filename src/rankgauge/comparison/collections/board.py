"""Runs over many collections: means with two kinds of interval, pairs, ranks, and which collection decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.judging import JudgedRule, MissingJudgments
from rankgauge.comparison.settings import ComparisonSettings, SegmentTolerance
from rankgauge.comparison.tables import (
    PairVerdict,
    choose_tables,
    counted_queries,
    pair_html,
    pair_line,
    paired_places,
    stacked_values,
)
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.evaluation import display
from rankgauge.evaluation.judged_share import is_many
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable, as_frame
from rankgauge.records import entity
from rankgauge.statistics import collection_means as levels
from rankgauge.statistics.collection_means import (
    Resamples,
    adjust_p,
    collection_resamples,
    group_letters,
    query_resamples,
    rank_ends,
)
from rankgauge.statistics.correlation import kendall_tau, mean_ranks
from rankgauge.statistics.intervals import limits, student_quantile, t_interval

if TYPE_CHECKING:
    from rankgauge.comparison.gate import CollectionsGate
    from rankgauge.evaluation.result import Result

LEAST = 6
"""With fewer collections nothing is said of others like these: `make bench-collections` shows why."""

RESAMPLES = 2000
LEVEL = 0.95

HERE, BEYOND = "here", "beyond"
"""The two questions: on these collections, and on a collection like these."""

NOT_YET = "not yet"
"""The verdict where there are too few collections, or no values by query, for an answer."""

WEIGHTS: Mapping[str, str] = {
    "each": "each collection has one vote",
    "queries": "a collection counts as often as it has queries",
    "groups": "each group has one vote, and in a group each collection",
    "given": "the weights that the collections were given",
}
HOLES: Mapping[str, str] = {
    "common": "compare on the collections that every run has",
    "bounds": "keep all collections; a run that lacks some has bounds of its mean and rank, and no test",
}

LETTERED = 80
"""Up to how many runs are put into groups with letters."""

INFLUENCE: Mapping[str, type] = {
    **dict.fromkeys(("measure", "collection"), str),
    "queries": int,
    **dict.fromkeys(("weight", "mean", "spread", "tau_without"), float),
    **dict.fromkeys(("leader_without", "moved"), str),
    **dict.fromkeys(("moved_mean", "moved_ranks"), float),
}
SCORES: Mapping[str, type] = {
    **dict.fromkeys(("measure", "collection", "run"), str),
    "queries": int,
    **dict.fromkeys(("mean", "low", "high"), float),
}


@entity
class Collection:
    """A collection with its runs; `scores` are measures × runs, `values` measures × queries × runs, where known."""

    name: str
    runs: tuple[str, ...]
    scores: FloatArray
    values: FloatArray | None = None
    """NaN where a query does not count for a measure, as one of the runs has no value."""
    queries: tuple[str, ...] = ()
    uneven: int = 0
    """How many queries have a value in some of the runs alone, and do not count."""
    weight: float | None = None
    """The weight that it was given."""
    group: str = ""
    """The task that it belongs to."""
    results: Mapping[str, Result] | None = None
    """What the values are from."""

    @classmethod
    def from_results(cls, name: str, results: Mapping[str, Result], **said: Any) -> Collection:
        """Make a collection of evaluated runs; by each measure the queries count that have a value in every run."""
        names = counted_queries(results)
        values = stacked_values(results, names)
        known = ~np.isnan(values)
        whole: BoolArray = np.asarray(known.all(axis=2))
        kept: BoolArray = np.asarray(whole.any(axis=0))
        found = cls(
            name=name,
            runs=tuple(results),
            scores=np.full((len(values), len(results)), np.nan),
            values=np.where(whole[:, :, np.newaxis], values, np.nan)[:, kept],
            queries=tuple(query for query, one in zip(names, kept, strict=True) if one),
            uneven=int((known.any(axis=2) & ~whole).any(axis=0).sum()),
            results=results,
            **said,
        )
        for row in np.flatnonzero(whole.any(axis=1)).tolist():
            found.scores[row] = found.counted_values(row).mean(axis=0)
        return found

    @classmethod
    def from_scores(cls, name: str, scores: Mapping[str, Sequence[float]], **said: Any) -> Collection:
        """Make a collection of scores alone, a list by measure for each run."""
        return cls(name=name, runs=tuple(scores), scores=np.array(list(scores.values()), dtype=np.float64).T, **said)

    def is_counted(self, row: int) -> BoolArray:
        """Return which queries count for a measure."""
        assert self.values is not None
        return np.asarray(~np.isnan(self.values[row]).any(axis=1))

    def counted_values(self, row: int) -> FloatArray:
        """Return the values (queries × runs) of the queries that count for a measure."""
        assert self.values is not None
        return np.asarray(self.values[row][self.is_counted(row)])

    def count(self, row: int) -> int:
        """Return how many queries count for a measure; 0 where nobody knows."""
        return 0 if self.values is None else int(self.is_counted(row).sum())

    @property
    def judged(self) -> float:
        """The least share of what a measure looks at that is judged in a run; NaN where nobody knows."""
        shares = [one.share for result in (self.results or {}).values() for one in result.judged.values()]
        return min((one for one in shares if not math.isnan(one)), default=math.nan)

    def judging(self, rule: JudgedRule, measure: str, run: str, other: str) -> tuple[str, FloatArray | None]:
        """Return why missing judgments leave no verdict on two runs (empty if they do not), and where these are judged
        unequally their differences by query if unjudged documents were as good as judged ones."""
        if not self.results:
            return "", None
        missing = self._missing(self.results, rule)
        wanted = next(one for one in self.results[run].measures if str(one) == measure)
        reason = missing.reason(wanted, run, other, np.zeros(len(missing.queries)), lambda values: False)
        if reason or not missing.is_unequal(wanted, run, other):
            return reason, None
        return "", missing.as_good(wanted, run, other)[self._places(missing, measure)]

    def unanswered(self, rule: JudgedRule, measure: str, run: str, other: str) -> BoolArray:
        """Return which of the queries that count neither of two runs answers; none where these are only a few."""
        if not self.results:
            return np.zeros(0, dtype=bool)
        missing = self._missing(self.results, rule)
        lacking = missing.unanswered(run, other)[self._places(missing, measure)]
        return lacking & is_many(int(lacking.sum()), len(lacking))

    @staticmethod
    def _missing(results: Mapping[str, Result], rule: JudgedRule) -> MissingJudgments:
        return MissingJudgments(results=results, queries=counted_queries(results), rule=rule)

    def _places(self, missing: MissingJudgments, measure: str) -> BoolArray:
        """Return which queries of the results count for a measure."""
        row = next(at for at, one in enumerate(next(iter(missing.results.values())).measures) if str(one) == measure)
        return np.isin(missing.queries, np.array(self.queries)[self.is_counted(row)])

    def of_runs(self, runs: Sequence[str]) -> Collection:
        """Return the collection with these runs, in this order."""
        places = [self.runs.index(run) for run in runs]
        values = None if self.values is None else self.values[:, :, places]
        return replace(self, runs=tuple(runs), scores=self.scores[:, places], values=values)


@entity
class CollectionsComparison:
    """Runs that were evaluated on several collections by the same measures.

    `means`, `pairs`, `influence` and `scores` are its tables. Whatever ends in `beyond` is about a collection like
    these, the rest about these collections.
    """

    given: tuple[Collection, ...]
    """The collections as they were given, with or without all runs."""
    measures: tuple[str, ...]
    bases: tuple[str, ...] = ()
    weights: str = "each"
    holes: str = "common"
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By measure, between what a value can lie; from 0 to 1 where nothing is said."""
    ascending: frozenset[str] = frozenset()
    """The measures of which more is not better."""
    settings: ComparisonSettings = field(default_factory=ComparisonSettings)
    judged_rule: JudgedRule = field(default_factory=JudgedRule)

    def __post_init__(self) -> None:
        for name, known in (("weights", WEIGHTS), ("holes", HOLES)):
            if getattr(self, name) not in known:
                raise UnknownNameError(f"rule for {name}", getattr(self, name), known)
        if len({one.name for one in self.given}) < len(self.given) or not self.given:
            raise ParameterError("compare", "collections", "some, with different names", [c.name for c in self.given])
        if len(self.all_runs) < 2:
            raise ParameterError("compare", "runs", "at least two, with different names", list(self.all_runs))
        for name in self.bases:
            if name not in self.runs:
                raise UnknownNameError("run with all collections", name, self.runs)
        if self.bases and not set(self.runs) - set(self.bases):
            raise ParameterError("compare", "baseline", "fewer than all runs", list(self.bases))
        if not np.isfinite([c.scores for c in self.collections]).all():
            bad = next(c.name for c in self.collections if not np.isfinite(c.scores).all())
            raise InputError(f"the collection {bad} has no query with a value in every run")

    @cached_property
    def all_runs(self) -> tuple[str, ...]:
        """Every run of any collection, in the order in which they were given."""
        return tuple(dict.fromkeys(run for one in self.given for run in one.runs))

    @cached_property
    def missing(self) -> dict[str, tuple[str, ...]]:
        """By run, the collections that lack it; only runs that are lacking somewhere."""
        lacking = {run: tuple(c.name for c in self.given if run not in c.runs) for run in self.all_runs}
        return {run: names for run, names in lacking.items() if names}

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The runs that are tested: all, or with bounds those that no collection lacks."""
        if self.holes == "common" or not self.missing:
            return self.all_runs
        whole = tuple(run for run in self.all_runs if run not in self.missing)
        if len(whole) < 2:
            raise InputError(
                f"only {len(whole)} of {len(self.all_runs)} runs has every collection, and bounds compare those",
                hint=f"Leave out collections or runs. {self._lacking()}",
            )
        return whole

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        """The collections that are compared, each with the runs in the same order."""
        kept = [one for one in self.given if set(self.runs) <= set(one.runs)]
        if not kept:
            raise InputError(
                "no collection has all runs, so that there is no common part to compare",
                hint=f"Leave out runs, or say --holes bounds. {self._lacking()}",
            )
        return tuple(one.of_runs(self.runs) for one in kept)

    def _lacking(self) -> str:
        most = sorted(self.missing.items(), key=lambda pair: -len(pair[1]))[:3]
        return "Most is lacking for " + ", ".join(f"{run} ({len(names)} collections)" for run, names in most) + "."

    @cached_property
    def weight(self) -> FloatArray:
        """The weight of each collection; they add up to 1."""
        return self._weights(self.collections)

    def _weights(self, collections: Sequence[Collection]) -> FloatArray:
        weights = np.ones(len(collections))
        match self.weights:
            case "queries":
                if bare := [c.name for c in collections if not c.queries]:
                    raise InputError(f"nobody knows how many queries {bare[0]} has, and the weights are by queries")
                weights = np.array([float(len(c.queries)) for c in collections])
            case "groups":
                groups = [c.group for c in collections]
                if not all(groups):
                    bare = [c.name for c in collections if not c.group]
                    hint = 'group = "…" in its part of the board, or a table for --weights with a column group'
                    raise InputError(f"the collection {bare[0]} has no group, and the weights are by groups", hint=hint)
                weights = np.array([1 / groups.count(name) for name in groups])
            case "given":
                if bare := [c.name for c in collections if c.weight is None]:
                    hint = "weight = 1 in its part of the board"
                    raise InputError(f"the collection {bare[0]} has no weight", hint=hint)
                weights = np.array([float(c.weight or 0.0) for c in collections])
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise ParameterError("compare", "weights", "numbers, 0 or more, and not all 0", weights.tolist())
        return np.asarray(weights / weights.sum())

    @property
    def answers_here(self) -> bool:
        """Whether there is an answer for these collections."""
        return not self.silent_words

    @cached_property
    def silent_words(self) -> str:
        """Why there is no answer for these collections: queries are too few, or not known; empty if there is one."""
        for one in self.collections:
            if one.values is None:
                return "no values by query are known"
            if any(one.count(row) < 2 for row in range(len(self.measures))):
                return f"{one.name} has a single query that counts"
        return ""

    @cached_property
    def knows_judged(self) -> bool:
        """Whether anybody knows which documents are judged: not of scores alone."""
        return any(one.results for one in self.collections)

    @property
    def answers_beyond(self) -> bool:
        """Whether there are enough collections for an answer about others like these: by their weights, too."""
        return 1 / float((self.weight**2).sum()) >= LEAST - 1e-9

    @cached_property
    def scored(self) -> FloatArray:
        """The collections' scores (measures × collections × runs)."""
        return np.stack([one.scores for one in self.collections], axis=1)

    @cached_property
    def paired(self) -> tuple[IndexArray, IndexArray]:
        """The places of the runs of each pair; with baselines every other run against each of them."""
        return paired_places(self.runs, self.bases)

    def of_measure(self, measure: str) -> MeasuredRuns:
        """Return what one measure says."""
        return self._measured[measure]

    @cached_property
    def _measured(self) -> dict[str, MeasuredRuns]:
        return {measure: MeasuredRuns(board=self, row=row) for row, measure in enumerate(self.measures)}

    @property
    def draws(self) -> int:
        """How many resamples ranks and corrections rest on."""
        return self.settings.draws or RESAMPLES

    mean_table = cached_property(lambda self: _by_measure(self, MeasuredRuns.means))
    pair_table = cached_property(lambda self: _by_measure(self, MeasuredRuns.pairs))
    influence_table = cached_property(lambda self: _by_measure(self, MeasuredRuns.influence))
    score_table = cached_property(lambda self: _by_measure(self, MeasuredRuns.scores))

    means = as_frame("mean_table", "A row per measure and run: the mean over collections, its intervals and ranks.")
    pairs = as_frame("pair_table", "A row per measure and pair of runs.")
    influence = as_frame("influence_table", "A row per measure and collection: what each collection decides.")
    scores = as_frame("score_table", "A row per measure, collection and run.")

    def to_pandas(self, table: str = "pairs") -> Any:
        """Return the `pairs`, `means`, `scores` or `influence` as a pandas frame."""
        return display.pandas(self, ("pairs", "means", "scores", "influence"), table)

    def table(self, format: str = "table", *, tables: Iterable[str] | None = None, digits: int = 4) -> str:
        """Write the comparison as text: "table", "latex" (or "tex"), "md", "csv" or "json", as `-o` does.

        `tables` names some of "means", "pairs", "collections", "averages" and "influence"; `digits` are a mean's in
        LaTeX.
        """
        from rankgauge.comparison.collections.report import TABLES, CollectionsReport

        return CollectionsReport(comparison=self, chosen=choose_tables(tables, TABLES), digits=digits).text(format)

    def __repr__(self) -> str:
        compared = f"{', '.join(self.runs)} on {len(self.collections)} collections"
        return f"<CollectionsComparison of {compared}: {pair_line(self._shown_pairs)}>"

    def _repr_html_(self) -> str:
        where = "on collections like these" if self._shown_end else "on these collections"
        return pair_html(self._shown_pairs, f"{where}; {WEIGHTS[self.weights]}")

    @property
    def _shown_end(self) -> str:
        """The end of the columns' names for the first question that has an answer."""
        return "_beyond" if self.answers_beyond and not self.answers_here else ""

    @property
    def _shown_pairs(self) -> PlainTable:
        """The pairs with their intervals, p-values and verdicts by that question."""
        columns = {name: name for name in ("measure", "run", "other", "difference")}
        columns |= {name: f"{name}{self._shown_end}" for name in ("low", "high", "corrected", "verdict")}
        return PlainTable.from_columns({name: self.pair_table[key] for name, key in columns.items()})

    def gate(self, *rules: str, collections: Mapping[str, float] | None = None) -> CollectionsGate:
        """Say whether runs are worse than the baselines: `nDCG@10`, or `nDCG@10:0.01` with a tolerance.

        `collections` are the tolerances of single collections.
        """
        from rankgauge.comparison.gate import CollectionsGate, GateRule

        own = tuple(SegmentTolerance(segment=name, loss=loss) for name, loss in (collections or {}).items())
        return CollectionsGate(comparison=self, rules=tuple(map(GateRule.of, rules)), tolerances=own)


def _by_measure(board: CollectionsComparison, table: Callable[[MeasuredRuns], PlainTable]) -> PlainTable:
    return PlainTable.stack([table(board.of_measure(measure)) for measure in board.measures])


@entity
class MeasuredRuns:
    """One measure of a comparison over collections."""

    board: CollectionsComparison
    row: int
    _untold: dict[tuple[int, int], bool] = field(default_factory=dict)

    @property
    def measure(self) -> str:
        """Its name."""
        return self.board.measures[self.row]

    @property
    def by_collection(self) -> FloatArray:
        """The scores (collections × runs)."""
        return np.asarray(self.board.scored[self.row])

    @cached_property
    def mean(self) -> FloatArray:
        """Each run's mean over collections."""
        return np.asarray(self.board.weight @ self.by_collection)

    @cached_property
    def order(self) -> IndexArray:
        """The places of the runs by falling mean."""
        return np.argsort(-self.mean, kind="stable")

    @cached_property
    def values(self) -> list[FloatArray]:
        """The values (queries × runs) of each collection; none where they are not known."""
        return [one.counted_values(self.row) for one in self.board.collections if one.values is not None]

    @cached_property
    def errors(self) -> dict[str, levels.MeanErrors]:
        """The errors by question; NaN where there is no answer."""
        runs, weight = len(self.mean), self.board.weight
        nothing = levels.MeanErrors(np.full((runs, runs), np.nan), np.full((runs, runs), np.nan))
        return {
            HERE: levels.query_errors(self.values, weight) if self.board.answers_here else nothing,
            BEYOND: levels.collection_errors(self.by_collection, weight) if self.board.answers_beyond else nothing,
        }

    @cached_property
    def resamples(self) -> dict[str, Resamples]:
        """The resamples by question, for those that have an answer."""
        board, resampled = self.board, {}
        chosen = board.paired if board.bases else None
        if board.answers_here:
            rng = board.settings.rng()
            resampled[HERE] = query_resamples(self.mean, self.errors[HERE], chosen, rng=rng, draws=board.draws)
        if board.answers_beyond:
            scores, rng = self.by_collection, board.settings.rng()
            resampled[BEYOND] = collection_resamples(scores, board.weight, chosen, rng=rng, draws=board.draws)
        return resampled

    def t(self, question: str) -> FloatArray:
        """Return the t of each two runs (runs × runs); 0 where they never differ."""
        gap, error = self.mean[:, np.newaxis] - self.mean, self.errors[question].paired
        fixed = np.where(np.abs(gap) > 1e-12, np.copysign(np.inf, gap), 0.0)
        return np.where(np.isnan(error), np.nan, np.where(error > 0, gap / np.where(error > 0, error, 1.0), fixed))

    def above(self, question: str) -> BoolArray:
        """Return which run of a row is above a column's, for all pairs at once; none where there is no answer."""
        if question not in self.resamples:
            return np.zeros((len(self.mean), len(self.mean)), dtype=bool)
        t = self.t(question)
        above = (t > 0) & (adjust_p(t, self.resamples[question].largest) < self.board.settings.alpha)
        for run, other in np.argwhere(above).tolist() if self.board.knows_judged else ():
            above[run, other] = not self.is_untold(run, other)
        return np.asarray(above & self.above(HERE) if question == BEYOND and self.board.answers_here else above)

    def judging(self, run: int, other: int) -> tuple[str, list[FloatArray] | None]:
        """Return why missing judgments leave no verdict on two runs (empty if they do not), and where these are judged
        unequally their differences by collection if unjudged documents were as good as judged ones."""
        board, names = self.board, (self.board.runs[run], self.board.runs[other])
        parts = [one.judging(board.judged_rule, self.measure, *names) for one in board.collections]
        reason = next((why for why, _ in parts if why), "")
        if reason or all(moved is None for _, moved in parts):
            return reason, None
        plain = [values[:, run] - values[:, other] for values in self.values]
        return "", [gap if moved is None else moved for gap, (_, moved) in zip(plain, parts, strict=True)]

    def answered_gaps(self, run: int, other: int) -> list[FloatArray] | None:
        """Return the differences of two runs by collection without queries that neither answers; None if that changes
        nothing, or leaves a collection without a query."""
        board, names = self.board, (self.board.runs[run], self.board.runs[other])
        lacking = [one.unanswered(board.judged_rule, self.measure, *names) for one in board.collections]
        if not any(one.any() for one in lacking) or any(one.all() and len(one) for one in lacking):
            return None
        gaps = [values[:, run] - values[:, other] for values in self.values]
        return [gap[~one] if len(one) else gap for gap, one in zip(gaps, lacking, strict=True)]

    def moved_error(self, moved: Sequence[FloatArray]) -> tuple[float, float, float]:
        """Return the mean of such differences over collections, its standard error and degrees of freedom."""
        errors = levels.query_errors([one[:, np.newaxis] for one in moved], self.board.weight)
        gap = float(self.board.weight @ [one.mean() for one in moved])
        return gap, float(errors.alone[0]), float(errors.freedom[0, 0])

    def is_untold(self, run: int, other: int) -> bool:
        """Say whether two runs may be separated only because documents are not judged."""
        if (run, other) not in self._untold:
            reason, moved = self.judging(run, other)
            turned = False
            if moved is not None:
                gap, error, freedom = self.moved_error(moved)
                p = levels.p_values(*(np.array([one]) for one in (gap, error, freedom)))[0]
                turned = not p < self.board.settings.alpha or (gap > 0) != (self.mean[run] > self.mean[other])
            self._untold[run, other] = self._untold[other, run] = bool(reason) or turned
        return self._untold[run, other]

    def ranks(self, question: str) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest rank of each run; NaN where there is no answer."""
        if question not in self.resamples:
            return np.full(len(self.mean), np.nan), np.full(len(self.mean), np.nan)
        low, high = rank_ends(self.above(question))
        return low.astype(np.float64), high.astype(np.float64)

    def ends(self, question: str) -> tuple[FloatArray, FloatArray]:
        """Return the interval of each run's mean, as far as a mean can lie."""
        half, (least, most) = self.errors[question].half_widths(LEVEL), self.reach
        if question == BEYOND:  # what other queries could change, other collections could change too
            half = np.where(np.isnan(half), np.nan, np.fmax(half, self.errors[HERE].half_widths(LEVEL)))
        return np.maximum(self.mean - half, least), np.minimum(self.mean + half, most)

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Between what values can lie: the measure's bounds, unless scores are beyond them."""
        scores = np.concatenate([one.scores[self.row] for one in self.board.given])
        return limits(self.board.bounds.get(self.measure, (0.0, 1.0)), scores)

    @property
    def question(self) -> str:
        """The question that letters and headlines answer: that of these collections, if their queries are known."""
        return HERE if self.board.answers_here else BEYOND

    def letters(self) -> list[str]:
        """Return the groups of runs that cannot be told apart."""
        if len(self.mean) > LETTERED or self.question not in self.resamples:
            return [""] * len(self.mean)
        above = self.above(self.question)
        return group_letters(above | above.T, self.order)

    def means(self) -> PlainTable:
        """Return the runs with all that is known of their means and ranks, then those that lack collections."""
        scores, count = self.by_collection, len(self.mean)
        places = np.apply_along_axis(_rank_values, 1, -scores)
        spread = scores.std(axis=1, keepdims=True)
        z = (scores - scores.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
        partial = [self._bounds_of_run(run) for run in self.board.missing if run not in self.board.runs]
        ends, ranks, best = dict[str, FloatArray](), dict[str, FloatArray](), dict[str, FloatArray]()
        for question, end in ((HERE, ""), (BEYOND, "_beyond")):
            (low, high), (least, most) = self.ends(question), self.ranks(question)
            ends |= {f"low{end}": low, f"high{end}": high}
            # A run with holes may be above or below.
            ranks[f"rank_low{end}"] = least + sum((row["low"] > high).astype(float) for row in partial)
            ranks[f"rank_high{end}"] = most + sum((row["high"] > low).astype(float) for row in partial)
            resamples = self.resamples.get(question)
            best[f"best{end}"] = (
                np.full(count, np.nan) if resamples is None else self._share_best(question, resamples.first)
            )
            for row in partial if resamples is not None else ():  # where other runs have intervals, by those
                row[f"rank_low{end}"] = 1.0 + float((low > row["high"]).sum())
                row[f"rank_high{end}"] = float(len(self.board.all_runs) - (high < row["low"]).sum())
        columns = {
            "measure": [self.measure] * count,
            "run": list(self.board.runs),
            "mean": self.mean,
            **ends,
            "rank": _rank_values(-self.mean),
            **ranks,
            "letters": self.letters(),
            **best,
            "mean_rank": self.board.weight @ places,
            "borda": (count - places).sum(axis=0),
            "z": self.board.weight @ z,
            "median": np.median(scores, axis=0),
            "trimmed": _trim_mean(scores),
            "missing": np.zeros(count, dtype=np.int64),
        }
        rows = PlainTable.from_columns(columns)
        holes = PlainTable.of_rows(rows.kinds, [[one.get(name, math.nan) for name in rows.kinds] for one in partial])
        return PlainTable.stack([rows, holes])

    def _share_best(self, question: str, first: FloatArray) -> FloatArray:
        """Return the shares of resamples that runs won, divided evenly among runs that never differ."""
        same = (self.t(question) == 0) & (self.errors[question].paired == 0)
        return np.asarray(same @ first / same.sum(axis=1))

    def _bounds_of_run(self, run: str) -> dict[str, Any]:
        """Return what is known of a run that lacks collections: between what its mean and its rank must lie."""
        weight = self.board._weights(self.board.given)
        known = np.array([run in one.runs for one in self.board.given])
        score = [one.scores[self.row, one.runs.index(run)] for one in self.board.given if run in one.runs]
        least, most = (end if math.isfinite(end) else math.nan for end in self.reach)
        sure, open_ = float(weight[known] @ np.array(score)), float(weight[~known].sum())
        low, high = sure + open_ * least, sure + open_ * most
        return {
            "measure": self.measure,
            "run": run,
            "low": low,
            "high": high,
            "rank_low": 1.0 + float((self.mean > high).sum()),
            "rank_high": float(len(self.board.all_runs) - (self.mean < low).sum()),
            "letters": "",
            "missing": int((~known).sum()),
        }

    @cached_property
    def pair_differences(self) -> FloatArray:
        """The differences of the pairs (collections × pairs)."""
        run, other = self.board.paired
        return np.asarray(self.by_collection[:, run] - self.by_collection[:, other])

    @cached_property
    def pair_variances(self) -> FloatArray | None:
        """The variances of these differences over queries; None where no queries are known."""
        if not self.board.answers_here:
            return None
        run, other = self.board.paired
        return np.stack([(v[:, run] - v[:, other]).var(axis=0, ddof=1) / len(v) for v in self.values])

    def pairs(self) -> PlainTable:
        """Return the pairs, with both questions and how much the difference changes from collection to collection."""
        board, won = self.board, np.round(self.pair_differences, 12)
        run, other = board.paired
        difference = self.mean[run] - self.mean[other]
        columns: dict[str, Any] = {
            "measure": [self.measure] * len(run),
            "run": [board.runs[place] for place in run],
            "other": [board.runs[place] for place in other],
            "difference": difference,
        }
        here, beyond = self._p_values(HERE), self._p_values(BEYOND)
        if board.answers_here and board.answers_beyond:  # what other queries could change, other collections could too
            beyond = np.maximum(here, beyond)
        columns |= self._answer(HERE, here, difference, "") | self._answer(BEYOND, beyond, difference, "_beyond")
        columns |= {"wins": (won > 0).sum(axis=0), "ties": (won == 0).sum(axis=0), "losses": (won < 0).sum(axis=0)}
        return PlainTable.from_columns(columns | self._spread(difference))

    def _p_values(self, question: str) -> FloatArray:
        """Return each pair's p-value, plain and corrected (2 × pairs); NaN where there is no answer."""
        (run, other), errors, resamples = self.board.paired, self.errors[question], self.resamples.get(question)
        if resamples is None:
            return np.full((2, len(run)), np.nan)
        p = levels.p_values(self.mean[run] - self.mean[other], errors.paired[run, other], errors.freedom[run, other])
        return np.stack([p, np.maximum(adjust_p(self.t(question)[run, other], resamples.chosen), p)])

    def pair_reach(self, question: str = HERE, level: float = LEVEL) -> FloatArray:
        """Return half the width of each pair's interval; NaN where there is no answer."""
        run, other = self.board.paired
        errors = self.errors[question]
        half = student_quantile(errors.freedom[run, other], (1 + level) / 2) * errors.paired[run, other]
        if question == HERE or not self.board.answers_here:
            return half
        return np.where(np.isnan(half), np.nan, np.fmax(half, self.pair_reach(HERE, level)))

    def _answer(self, question: str, tested: FloatArray, difference: FloatArray, end: str) -> dict[str, Any]:
        """Return the columns of one question: the interval, the p-values and the verdict."""
        (p, corrected), half = tested, self.pair_reach(question)
        words = (PairVerdict.BETTER, PairVerdict.WORSE)
        up, down = words if self.measure not in self.board.ascending else (PairVerdict.HIGHER, PairVerdict.LOWER)
        told = np.where(difference > 0, up.value, down.value)
        separated = corrected < self.board.settings.alpha
        pairs = zip(separated.tolist(), *(side.tolist() for side in self.board.paired), strict=True)
        known = self.board.knows_judged
        untold = [known and apart and self.is_untold(run, other) for apart, run, other in pairs]
        verdict = np.where(separated, np.where(untold, PairVerdict.UNTOLD.value, told), PairVerdict.OPEN.value)
        verdict = np.where((half == 0) & (np.abs(difference) < 1e-12), PairVerdict.EQUAL.value, verdict)
        verdict = np.where(np.isnan(p), NOT_YET, verdict)
        columns = {"low": difference - half, "high": difference + half, "p": p, "corrected": corrected}
        return {name + end: column for name, column in columns.items()} | {f"verdict{end}": verdict.tolist()}

    def _spread(self, difference: FloatArray) -> dict[str, FloatArray]:
        """Return how much differences change over collections, and where that of one more collection would lie."""
        differences, count = self.pair_differences, len(self.pair_differences)
        names = ("tau", "i2", "p_heterogeneity", "low_next", "high_next")
        unknown = np.full(len(difference), np.nan)
        if count < 3:
            return dict.fromkeys(names, unknown)
        factors, _ = levels.leverage(self.board.weight)
        error = np.sqrt(factors @ (differences - self.board.weight @ differences) ** 2)
        if self.pair_variances is None:  # the score on one more collection, with the luck of its queries
            between = differences.var(axis=0, ddof=1)
            told = levels.Heterogeneity(between, unknown, unknown)
        else:
            told = levels.heterogeneity(differences, self.pair_variances)
            error = np.fmax(error, self.errors[HERE].paired[self.board.paired])
        reach = levels.prediction_reach(told.variance, error, count, LEVEL)
        reach = reach if self.board.answers_beyond else unknown
        columns = (np.sqrt(told.variance), told.share, told.p, difference - reach, difference + reach)
        return dict(zip(names, columns, strict=True))

    def influence(self) -> PlainTable:
        """Return for each collection: how the runs differ on it, and who would lead and move without it."""
        scores, weight, rank = self.by_collection, self.board.weight, _rank_values(-self.mean)
        rows = []
        for place, one in enumerate(self.board.collections):
            without = np.delete(weight, place)
            alone = not len(without) or without.sum() <= 0
            mean = self.mean if alone else without @ np.delete(scores, place, axis=0) / without.sum()
            # A collection moves a run by more than it moves the others.
            shift = (self.mean - mean) - np.mean(self.mean - mean)
            most = int(np.abs(shift).argmax())
            moved = float(_rank_values(-mean)[most] - rank[most])
            tau = math.nan if alone or np.ptp(mean) == 0 or np.ptp(self.mean) == 0 else kendall_tau(self.mean, mean)
            leader = "" if alone else self.board.runs[int(mean.argmax())]
            numbers = (float(weight[place]), float(scores[place].mean()), float(scores[place].std()), float(tau))
            names = (leader, self.board.runs[most])
            rows.append((self.measure, one.name, one.count(self.row), *numbers, *names, float(shift[most]), moved))
        return PlainTable.of_rows(INFLUENCE, rows)

    def scores(self) -> PlainTable:
        """Return every run's mean on every collection, with its interval over queries."""
        rows: list[tuple[Any, ...]] = []
        for one in self.board.given:
            ends = None if one.values is None else t_interval(one.counted_values(self.row))
            queries, means = one.count(self.row), one.scores[self.row].tolist()
            for place, run in enumerate(one.runs):
                low, high = (math.nan, math.nan) if ends is None else (float(end[place]) for end in ends)
                rows.append((self.measure, one.name, run, queries, means[place], low, high))
        return PlainTable.of_rows(SCORES, rows)


def _rank_values(values: FloatArray) -> FloatArray:
    """Return the ranks of values, 1 for the least; equal ones share the mean of their ranks."""
    return mean_ranks(np.round(values, 12))


TRIMMED = 0.1


def _trim_mean(scores: FloatArray) -> FloatArray:
    """Return the mean over collections without the highest and the lowest tenth, at least one of each from three on."""
    cut = max(int(TRIMMED * len(scores)), 1) if len(scores) > 2 else 0
    return np.asarray(np.sort(scores, axis=0)[cut : len(scores) - cut].mean(axis=0))
