"""The gate of a pipeline: whether runs are worse than a baseline by more than luck, or by more than is tolerated.

The rule, by the interval of the mean difference (run − baseline) at the level 1 − α/k for k measures and runs:

- *worse* if the whole interval is below −tolerance;
- *pass* if the whole interval is above −tolerance; without a tolerance, if the mean is not below the baseline's;
- *undecided* otherwise.

A segment of queries that is *worse* by the same rule, or by a tolerance of its own, fails the gate too, at
1 − α/(k · segments); it never makes it undecided, since segments have few queries.

A run whose mean is below a *floor* fails it as well, whatever the baseline has (`settings.py`); if too little of the
run is judged, or so much less than of the baseline that the floor would be reached if unjudged documents were as good
as judged ones, the gate is undecided.

Where fewer queries differ than a coin could put on one side by luck, the interval is widened (`widen_intervals`).

Over collections the gate asks about these, since a pipeline sees the same ones every time. Half of α goes to the means
over collections and half to single collections, which are its parts.

No verdict comes from what nobody judged (`judging`): a gate is *undecided* where too little of a run is judged, where
in more than a few queries nothing of one run is judged, or the verdict needs such queries, and where runs are judged
unequally and the verdict would be another one if unjudged documents were as good as judged ones, or, where one run is
judged far less, had the highest grade.

Nor does it come from next to nothing: a gate is *undecided* where more than a few searches failed, and where fewer than
5 queries are compared, unless nothing differs; nor where neither run answers more than a few of the judged queries, and
the verdict would be another one without these.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rankgauge.comparison.judging import FAILED, FEW_JUDGED, UNANSWERED, UNEQUAL, Places
from rankgauge.comparison.settings import FLOOR_COLUMNS, GateFloor, SegmentTolerance
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.evaluation.judged_share import LEAST, is_many
from rankgauge.lazy_polars import pl
from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.records import entity, record
from rankgauge.statistics.effects import cohen_dz, queries_needed
from rankgauge.statistics.intervals import Interval, largest_share, student_quantile, t_interval

if TYPE_CHECKING:
    from rankgauge.comparison.collections import CollectionsComparison
    from rankgauge.comparison.comparison import Comparison
    from rankgauge.comparison.gate_files import GateLook

COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "run", "other"), str),
    **dict.fromkeys(("tolerance", "difference", "low", "high"), float),
    **dict.fromkeys(("queries", "changed"), int),
    "needed": float,
    "verdict": str,
    **dict.fromkeys(("judged", "other_judged", "as_good", "least", "most"), float),
    "reason": str,
}
SEGMENT_COLUMNS: Mapping[str, type] = {"by": str, "segment": str, **COLUMNS}
FEWER = ("measure", "run", "other", "tolerance", "difference", "low", "high", "queries", "verdict", "reason")
COLLECTIONS_COLUMNS: Mapping[str, type] = {name: COLUMNS[name] for name in FEWER}
"""The columns of a gate's tables.

`judged` and `other_judged` are the shares of the measure's depth that are judged. Where these are unequal, `as_good` is
the difference if unjudged documents are as good as judged ones, `least` and `most` what it can be at all. `reason` says
why there is no verdict: "luck", "failed searches", "few queries", "few judged", "nothing judged" (in more than a few
queries, of one of the runs), "unequally judged" or "not answered" (more than a few queries, by either of the runs).
"""

FEW_QUERIES, LUCK = "few queries", "luck"
FEWEST = 5
"""How many queries must be compared for a verdict."""


class GateVerdict(Enum):
    """What a gate says, and the exit code that says it."""

    PASS = "pass"
    WORSE = "worse"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> int:
        """0 lets a pipeline go on, 1 stops it, 3 leaves it to the pipeline; 2, 4 and 5 are errors."""
        return {GateVerdict.PASS: 0, GateVerdict.WORSE: 1, GateVerdict.UNDECIDED: 3}[self]


@record
class GateRule:
    """A measure that must not get worse, and the loss that is tolerated."""

    measure: str
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < math.inf:
            raise ParameterError("the gate", "tolerance", "a number, 0 or more", self.tolerance)

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the rule that a text such as `nDCG@10` or `nDCG@10:0.01` says."""
        measure, colon, loss = text.rpartition(":")
        if not colon:
            return cls(measure=text)
        try:
            return cls(measure=measure, tolerance=float(loss))
        except ValueError:
            wanted = "a measure and the loss that is tolerated, such as nDCG@10:0.01"
            raise ParameterError("compare", "fail-if-worse", wanted, text) from None


def decide(difference: float, low: float, high: float, *, tolerance: float = 0.0) -> GateVerdict:
    """Return the verdict on a run by its mean difference from the baseline and the interval of that."""
    if high < -tolerance:
        return GateVerdict.WORSE
    if low > -tolerance or (not tolerance and difference >= 0):
        return GateVerdict.PASS
    return GateVerdict.UNDECIDED


def fewest(alpha: float) -> int:
    """Return how many queries must differ: with fewer, equal runs have them all on one side more often than `alpha`."""
    return math.ceil(math.log2(2 / alpha))


def widen_intervals(ends: Interval, differences: FloatArray, alpha: float) -> Interval:
    """Return the intervals, wider where so few queries differ that their spread says little.

    They reach as far as the mean could lie if as many queries differed as may well do, each by the largest difference
    that was seen.
    """
    known = ~np.isnan(differences)
    counts, changed = known.sum(axis=0), (known & (differences != 0)).sum(axis=0)
    most = np.abs(np.where(known, differences, 0.0)).max(axis=0, initial=0.0)
    pairs = zip(counts.tolist(), changed.tolist(), most.tolist(), strict=True)
    few = fewest(alpha)
    reach = [largest_share(m, n, alpha=alpha / 2) * size if m < few else -np.inf for n, m, size in pairs]
    far = np.where(counts, np.array(reach), np.nan)  # of no query nothing is known
    return Interval(np.fmin(ends.low, -far), np.fmax(ends.high, far))


@entity
class RuleGate:
    """What the gates over queries and over collections share: rules, parts that fail it alone, and a verdict."""

    part_kind: ClassVar[str]
    """What the parts are: segments or collections."""

    comparison: Any
    rules: tuple[GateRule, ...]
    tolerances: tuple[SegmentTolerance, ...] = ()
    """The losses that parts may have, in the place of the rules' own."""
    look: GateLook | None = None
    """Which look this is, where the gate is looked at again and again."""

    @property
    def bases(self) -> tuple[str, ...]:
        """The runs that the others are held against."""
        return tuple(self.comparison.bases)

    @property
    @abstractmethod
    def part_count(self) -> int:
        """How many parts there are."""

    @property
    @abstractmethod
    def rows(self) -> PlainTable:
        """A row per rule and run: tolerance, difference, interval, queries, verdict, reason."""

    @property
    @abstractmethod
    def part_rows(self) -> PlainTable:
        """A row per rule, run and part: tolerance, difference, interval, queries, verdict, reason."""

    @property
    def floor_rows(self) -> PlainTable:
        """A row per floor, measure and run; none, unless a gate has floors."""
        return PlainTable.of_rows(FLOOR_COLUMNS, [])

    @property
    def level(self) -> float:
        """The level of all mistakes together."""
        level: float = self.comparison.settings.alpha
        return level if self.look is None else self.look.spent

    @property
    def tests(self) -> int:
        """How many runs, baselines and measures the level is divided over; 1 without a correction or a rule."""
        return max(1, len(self.rules) * len(self.comparison.paired[0])) if self._corrects else 1

    @property
    def _corrects(self) -> bool:
        return bool(self.comparison.settings.correction != "none")

    @property
    def alpha(self) -> float:
        """The level of one interval's mistakes."""
        return self.level / self.tests

    @property
    def part_alpha(self) -> float:
        """The level of the mistakes of the interval of a part."""
        return self.alpha / (max(self.part_count, 1) if self._corrects else 1)

    @property
    def lost(self) -> PlainTable:
        """The parts that are worse."""
        return self.part_rows.where("verdict", GateVerdict.WORSE.value)

    @cached_property
    def verdict(self) -> GateVerdict:
        """Worse if a run is by a rule, overall or in a part, or below a floor; else undecided if any; else pass."""
        words = {*self.rows["verdict"], *self.lost["verdict"], *self.floor_rows["verdict"]}
        order = (GateVerdict.WORSE, GateVerdict.UNDECIDED)
        return next((verdict for verdict in order if verdict.value in words), GateVerdict.PASS)

    def _check_losses(self, bounds: Mapping[str, tuple[float, float]]) -> None:
        """Refuse a loss that no run can have."""
        for rule in self.rules:
            reach = float(np.ptp(bounds[rule.measure]))
            own = [(f"{self.part_kind[:-1]}-tolerance", one.segment, one.loss) for one in self.tolerances]
            for name, subject, loss in [("fail-if-worse", rule.measure, rule.tolerance), *own]:
                if loss >= reach:
                    wanted = f"a loss below {reach:g}, the range of {rule.measure}{_points(subject, loss)}"
                    raise ParameterError("the gate", name, wanted, f"{subject}:{loss:g}")

    def _within(self, rule: GateRule, by: str, part: str) -> GateRule:
        own = [one.loss for one in self.tolerances if one.concerns(by, part)]
        return replace(rule, tolerance=own[0]) if own else rule


@entity
class Gate(RuleGate):
    """Rules for the runs of a comparison with a baseline."""

    part_kind = "segments"

    comparison: Comparison
    floors: tuple[GateFloor, ...] = ()
    """The least means that runs other than the baseline may have."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where the runs come from, and under the empty name the judgments: what a command to judge more would name."""
    explain: Callable[[str, Sequence[str]], str] = lambda run, queries: ""
    """Why nothing of a run is judged for some queries, where it looks like a mistake; empty if it does not. Without
    queries: whether documents of the run are judged under another spelling."""

    def __post_init__(self) -> None:
        if self.comparison.baseline is None:
            raise ParameterError("the gate", "baseline", "one of the runs, as in --baseline main", None)
        if not self.rules and not self.floors:
            raise ParameterError("the gate", "rules", "at least one, such as nDCG@10:0.01", [])
        bare = [floor.least for floor in self.floors if floor.measure is None]
        if bare and not self.rules:
            raise ParameterError("the gate", "min", "written with its measure, such as nDCG@10:0.62", bare[0])
        for name in (*(rule.measure for rule in self.rules), *(floor.measure for floor in self.floors)):
            measure = self.measure(name) if name is not None else None
            if measure and (not measure.facts.more_is_better or measure.facts.aggregate is not Aggregate.MEAN):
                raise ParameterError("the gate", "measure", "one of which more is better, such as AP", name)
        self._check_segments()
        self._check_ranges()

    def _check_ranges(self) -> None:
        # A floor that none, or every run, reaches.
        self._check_losses({rule.measure: self.measure(rule.measure).facts.bounds for rule in self.rules})
        for floor in self.floors:
            for measure in [floor.measure] if floor.measure else [rule.measure for rule in self.rules]:
                low, high = self.measure(measure).facts.bounds
                if not low <= floor.least <= high:
                    wanted = f"from {low:g} to {high:g}, the range of {measure}{_points(measure, floor.least)}"
                    raise ParameterError("the gate", "min", wanted, f"{measure}:{floor.least:g}")

    def _check_segments(self) -> None:
        known = [(by, segment) for by, segment, _ in self.segments] if self.tolerances else []
        for one in self.tolerances:
            if not any(one.concerns(*segment) for segment in known):
                listed = ", ".join(segment for _, segment in known) or "none, without --by"
                raise ParameterError("the gate", "segment-tolerance", f"of a segment ({listed})", one.segment)

    def measure(self, name: str) -> Measure:
        """Return the measure of the comparison that a rule or a floor names."""
        selected = self.comparison.dialect.select(name)
        if len(selected) != 1 or selected[0] not in self.comparison.measures:
            known = ", ".join(map(str, self.comparison.measures))
            raise ParameterError("the gate", "measure", f"one of those that are compared ({known})", name)
        return selected[0]

    @cached_property
    def rows(self) -> PlainTable:
        return PlainTable.of_rows(COLUMNS, [row for rule in self.rules for row in self._rows(rule, self.alpha)])

    @cached_property
    def segments(self) -> list[tuple[str, str, IndexArray]]:
        """The segmentation, the name and the queries' places of every segment."""
        queries = self.comparison.queries
        return [(one.name, *part) for one in self.comparison.by for part in one.rows(queries).items()]

    @property
    def part_count(self) -> int:
        return len(self.segments)

    @cached_property
    def part_rows(self) -> PlainTable:
        rows = [
            (by, segment, *row)
            for rule in self.rules
            for by, segment, places in self.segments
            for row in self._rows(self._within(rule, by, segment), self.part_alpha, places)
        ]
        return PlainTable.of_rows(SEGMENT_COLUMNS, rows)

    @cached_property
    def floor_rows(self) -> PlainTable:
        """A row per floor, measure and run: the mean, the floor, and whether the run is below it."""
        means = {(row["measure"], row["run"]): row for row in self.comparison.mean_table.named()}
        rows = []
        for floor in self.floors:
            for name in [floor.measure] if floor.measure else [rule.measure for rule in self.rules]:
                measure = self.measure(name)
                for run in self.comparison.runs:
                    if run not in self.comparison.bases:
                        row = means[str(measure), run]
                        verdict = self._floor_verdict(measure, run, row["mean"], floor.least)
                        rows.append((str(measure), run, row["mean"], floor.least, row["queries"], verdict.value))
        return PlainTable.of_rows(FLOOR_COLUMNS, rows)

    def _floor_verdict(self, measure: Measure, run: str, mean: float, least: float) -> GateVerdict:
        """Return whether a run is below a floor, by more than missing judgments can do."""
        if mean >= least:
            return GateVerdict.UNDECIDED if self.comparison.missing.has_failed(run) else GateVerdict.PASS
        unknown = self.comparison.missing.has_failed(run) or self.comparison.missing.is_thin(measure, run)
        return GateVerdict.UNDECIDED if unknown or self.mean_as_good(measure, run) >= least else GateVerdict.WORSE

    def mean_as_good(self, measure: Measure, run: str) -> float:
        """The mean of a run if its unjudged documents were as good as judged ones; NaN unless it is judged much less
        than a baseline."""
        means = [self.comparison.missing.mean_as_good(measure, run, base) for base in self.bases]
        return max((mean for mean in means if not math.isnan(mean)), default=math.nan)

    @cached_property
    def misspelled(self) -> str:
        """Which documents are judged under another spelling, in the first run of which a fifth or more is unjudged."""
        open_ = [
            run
            for run, judged in self.comparison.judged.items()
            if any(share.share <= 1 - LEAST for share in judged.values())
        ]
        return next((f"in {run} {why}" for run in open_ if (why := self.explain(run, ()))), "")

    @property
    def table(self) -> pl.DataFrame:
        """A row per rule and run: tolerance, difference, interval, queries, how many would settle it, verdict."""
        return self.rows.frame

    def _rows(self, rule: GateRule, alpha: float, places: Places = None) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a rule on some of the queries."""
        comparison, measure = self.comparison, self.measure(rule.measure)
        differences = comparison.differences[comparison.measures.index(measure)][_picker(places)]
        ends = widen_intervals(comparison.interval(differences, level=1 - alpha), differences, alpha)
        for pair, (run, other) in enumerate(zip(*comparison.paired, strict=True)):
            column = differences[:, pair]
            known, low, high = column[~np.isnan(column)], float(ends.low[pair]), float(ends.high[pair])
            mean = _mean(column)
            verdict = decide(mean, low, high, tolerance=rule.tolerance)
            judging = self._judging(rule, pair, column, verdict, alpha, places)
            if judging[-1] != FAILED and self._are_few(known, (comparison.runs[run], comparison.runs[other]), places):
                judging = (*judging[:-1], FEW_QUERIES)
            verdict = verdict if judging[-1] in ("", LUCK) else GateVerdict.UNDECIDED
            named = (str(measure), comparison.runs[run], comparison.runs[other], rule.tolerance)
            counts = (len(known), int(np.count_nonzero(known)))
            needed = self._queries_needed(known, rule) if judging[-1] == LUCK else math.nan
            yield *named, mean, low, high, *counts, needed, verdict.value, *judging

    def _are_few(self, known: FloatArray, runs: Sequence[str], places: Places) -> bool:
        """Say whether so few queries are compared that there is no verdict."""
        failed = self.comparison.missing.failed
        alike = len(known) and not known.any() and not any(failed[run][_picker(places)].any() for run in runs)
        return not alike and len(known) < FEWEST

    def _judging(
        self, rule: GateRule, pair: int, plain: FloatArray, verdict: GateVerdict, alpha: float, places: Places
    ) -> tuple[float, float, float, float, float, str]:
        """Return what missing judgments can do to a pair of runs: the last columns of a row."""
        comparison, measure = self.comparison, self.measure(rule.measure)
        missing = comparison.missing
        names = comparison.runs[comparison.paired[0][pair]], comparison.runs[comparison.paired[1][pair]]
        one, other = (share.share for share in missing.shares(measure, *names, places=places))
        luck = LUCK if verdict is GateVerdict.UNDECIDED else ""

        def turns(values: FloatArray) -> bool:
            return not luck and self._decide(values, rule, alpha) is not verdict

        chosen = _picker(places)
        reason = missing.reason(measure, *names, plain, turns, places) or luck
        unanswered = missing.unanswered(*names)[chosen]
        if not reason and is_many(int(unanswered.sum()), len(unanswered)):
            reason = UNANSWERED if turns(np.where(unanswered, np.nan, plain)) else ""
        if reason == FEW_JUDGED or not missing.is_unequal(measure, *names, places=places):
            return one, other, math.nan, math.nan, math.nan, reason
        moved, (least, most) = missing.as_good(measure, *names)[chosen], missing.bounds(measure, *names)
        return one, other, _mean(moved), _mean(least[chosen]), _mean(most[chosen]), reason

    def _decide(self, values: FloatArray, rule: GateRule, alpha: float) -> GateVerdict:
        column = values[:, np.newaxis]
        ends = widen_intervals(self.comparison.interval(column, level=1 - alpha), column, alpha)
        return decide(_mean(values), float(ends.low[0]), float(ends.high[0]), tolerance=rule.tolerance)

    def _queries_needed(self, known: FloatArray, rule: GateRule) -> float:
        """Return how many queries would settle it, if the difference and its spread are those found."""
        changed = np.count_nonzero(known)
        least = math.ceil(len(known) * fewest(self.alpha) / changed) if changed else math.inf
        needed = float(queries_needed(cohen_dz(known + rule.tolerance), alpha=self.alpha))
        return needed if math.isnan(needed) else max(needed, least, len(known) + 1)


@entity
class CollectionsGate(RuleGate):
    """Rules for the runs of a comparison over collections."""

    part_kind = "collections"

    comparison: CollectionsComparison

    def __post_init__(self) -> None:
        board = self.comparison
        if not board.bases:
            raise ParameterError("the gate", "baseline", "one of the runs, as in --baseline main", None)
        if not self.rules:
            raise ParameterError("the gate", "rules", "at least one, such as nDCG@10:0.01", [])
        if not board.answers_here:
            raise InputError(f"a gate needs values of several queries on each collection, and {board.silent_words}")
        if unseen := [run for run in board.all_runs if run not in board.runs]:
            lacked = ", ".join(board.missing[unseen[0]])
            raise InputError(
                f"the gate would not look at {unseen[0]}, which lacks {lacked}",
                hint="Add what it lacks, leave the run out, or compare on the common part: --holes common.",
            )
        for rule in self.rules:
            if rule.measure not in board.measures:
                raise UnknownNameError("measure of the comparison", rule.measure, board.measures)
            if rule.measure in board.ascending:
                raise ParameterError("the gate", "measure", "one of which more is better, such as AP", rule.measure)
        known = [one.name for one in board.collections]
        for one in self.tolerances:
            if one.segment not in known:
                raise UnknownNameError("collection", one.segment, known)
        self._check_losses({rule.measure: board.bounds.get(rule.measure, (0.0, np.inf)) for rule in self.rules})

    @property
    def alpha(self) -> float:
        return self.level / 2 / self.tests

    @property
    def part_count(self) -> int:
        return len(self.comparison.collections)

    @cached_property
    def rows(self) -> PlainTable:
        board, rows = self.comparison, []
        for rule in self.rules:
            measured = board.of_measure(rule.measure)
            queries = sum(map(len, measured.values))
            half = measured.pair_reach(level=1 - self.alpha)
            gap = measured.mean[board.paired[0]] - measured.mean[board.paired[1]]
            for pair, ends in enumerate(np.stack([gap, gap - half, gap + half], axis=1).tolist()):
                rows.append(self._row(rule, pair, ends, queries, self._reason(rule, pair, ends)))
        return PlainTable.of_rows(COLLECTIONS_COLUMNS, rows)

    def _reason(self, rule: GateRule, pair: int, ends: list[float]) -> str:
        """Return why missing judgments leave no verdict on a pair; empty if they do not."""
        run, other = (int(side[pair]) for side in self.comparison.paired)
        measured = self.comparison.of_measure(rule.measure)
        reason, moved = measured.judging(run, other)
        if reason:
            return reason
        for why, gaps in ((UNEQUAL, moved), (UNANSWERED, measured.answered_gaps(run, other))):
            if gaps is not None:
                gap, error, freedom = measured.moved_error(gaps)
                half = float(student_quantile(np.array([freedom]), 1 - self.alpha / 2)[0]) * error
                if decide(gap, gap - half, gap + half, tolerance=rule.tolerance) is not decide(
                    *ends, tolerance=rule.tolerance
                ):
                    return why
        return ""

    @cached_property
    def part_rows(self) -> PlainTable:
        board, rows = self.comparison, []
        for rule in self.rules:
            for one, values in zip(board.collections, board.of_measure(rule.measure).values, strict=True):
                own = self._within(rule, "collection", one.name)
                gaps = values[:, board.paired[0]] - values[:, board.paired[1]]
                for pair, ends in enumerate(self._part_ends(gaps)):
                    run, other = (board.runs[side[pair]] for side in board.paired)
                    reason, moved = one.judging(board.judged_rule, rule.measure, run, other)
                    lacking = one.unanswered(board.judged_rule, rule.measure, run, other)
                    answered = gaps[~lacking, pair] if lacking.any() and not lacking.all() else None
                    for why, supposed in ((UNEQUAL, moved), (UNANSWERED, answered)):
                        if not reason and supposed is not None:
                            turned = decide(*self._part_ends(supposed[:, np.newaxis])[0], tolerance=own.tolerance)
                            reason = "" if turned is decide(*ends, tolerance=own.tolerance) else why
                    few = len(gaps) < FEWEST and bool(gaps.any())
                    row = self._row(own, pair, ends, len(gaps), reason or (FEW_QUERIES if few else ""))
                    rows.append((one.name, *row))
        return PlainTable.of_rows({"collection": str, **COLLECTIONS_COLUMNS}, rows)

    def _part_ends(self, gaps: FloatArray) -> list[list[float]]:
        """List the mean difference on a collection and the ends of its interval, for each pair."""
        low, high = widen_intervals(t_interval(gaps, 1 - self.part_alpha), gaps, self.part_alpha)
        ends: list[list[float]] = np.stack([gaps.mean(axis=0), low, high], axis=1).tolist()
        return ends

    def _row(self, rule: GateRule, pair: int, ends: list[float], queries: int, reason: str) -> tuple[Any, ...]:
        """Return the row of a pair by a rule, from its difference and the ends of its interval."""
        verdict = GateVerdict.UNDECIDED if reason else decide(*ends, tolerance=rule.tolerance)
        why = reason or (LUCK if verdict is GateVerdict.UNDECIDED else "")
        runs = (self.comparison.runs[side[pair]] for side in self.comparison.paired)
        return (rule.measure, *runs, rule.tolerance, *ends, queries, verdict.value, why)


def _points(subject: str, value: float) -> str:
    """Return what to write where points of 100 may be meant."""
    return f" ({subject}:{value / 100:g} for {value:g} points of 100)" if 1 <= value <= 100 else ""


def _picker(places: Places) -> Any:
    return slice(None) if places is None else places


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan
