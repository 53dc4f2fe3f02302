"""Parameters of a fusion tuned on judged queries, and what the tuning gains on queries that it has not seen.

Queries are dealt into folds. For each fold, parameters and the best single run are chosen on the other folds; the fold
itself is fused with these. So every query has a value that owes nothing to its own judgments, and the gain over the
best single run and over the untuned fusion is that of paired values, with an interval and a test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.comparison import Comparison
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError
from rankgauge.fusion.fusing import Fusion, FusionPlan, Watch
from rankgauge.fusion.judged_queries import JudgedQueries
from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.method import FusionMethod, LearnedMethod, WeightedMethod, made
from rankgauge.fusion.run_pool import RunPool, run_names
from rankgauge.fusion.search import best_of
from rankgauge.fusion.slot_scorer import SlotScorer
from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable

SINGLE, UNTUNED, TUNED = "best single run", "untuned", "tuned"
"""The names of what is compared."""


def tune_fusion(
    judgments: Any,
    runs: Mapping[str, Any] | Iterable[Any],
    measure: str | Measure = "nDCG@10",
    *,
    method: str | FusionMethod = "weighted-sum",
    norm: str | None = None,
    folds: int = 5,
    seed: int = 0,
    dialect: str | Dialect = "standard",
    settings: ComparisonSettings | None = None,
    **overrides: Any,
) -> TunedFusion:
    """A fusion whose parameters make the measure large on judged queries, and what that gains on others.

    `folds` are those of the cross-validation, dealt by the `seed`. `settings` are those of `compare`: the test, the
    correction, the level. `overrides` replace choices of the dialect. The other arguments are those of `fuse`.
    """
    chosen = method if isinstance(method, FusionMethod) else made(method)
    plan = FusionPlan.of(chosen, norm=norm, depth=None)
    task = TuningTask(
        measure=measure, dialect=dialects.get(dialect, **overrides), folds=folds, seed=seed, settings=settings
    )
    return task.run(plan, RunPool.of(run_names(runs)), judgments)


@dataclass(frozen=True, kw_only=True, eq=False)
class TuningTask:
    """What to tune for, and how to find out what it gains."""

    measure: str | Measure
    dialect: Dialect
    folds: int = 5
    seed: int = 0
    settings: ComparisonSettings | None = None

    def run(self, plan: FusionPlan, pool: RunPool, judgments: Any, *, watch: Watch | None = None) -> TunedFusion:
        """The tuned fusion of the runs."""
        (measure,) = self._measures
        if not plan.method.tries() and not isinstance(plan.method, WeightedMethod | LearnedMethod):
            expected = "one with parameters or weights: this one has nothing to tune"
            raise ParameterError("tune", "method", expected, plan.method.name)
        plan.checked(pool)
        turned = plan.turned(pool)
        judged = JudgedQueries.of(turned, judgments)
        if not 2 <= self.folds <= len(judged):
            raise ParameterError("tune", "folds", f"from 2 to the {len(judged)} judged queries", self.folds)
        stack = plan.stack(turned, judged.positions)
        scorer = SlotScorer(stack=stack, judged=judged, measure=measure, dialect=self.dialect)
        trials = _Trials(plan=plan, scorer=scorer, tell=watch or (lambda done, parts, name: None), steps=self.folds + 1)
        return trials.tuned(pool, self)

    @property
    def _measures(self) -> tuple[Measure, ...]:
        found = self.dialect.select([self.measure])
        if len(found) != 1 or found[0].facts.aggregate is Aggregate.GEOMETRIC:
            raise ParameterError("tune", "measure", "one measure with a mean over queries", str(self.measure))
        return found

    def dealt(self, queries: int) -> IndexArray:
        """The fold of each query: as many in each, up to one."""
        return np.random.default_rng(self.seed).permutation(np.arange(queries) % self.folds)


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldChoice:
    """What was chosen for one fold from the others."""

    fold: int
    queries: int
    method: FusionMethod
    single: str
    """The run that was best on the other folds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TunedFusion:
    """A tuned fusion: its parameters from all judged queries, and how those of each fold did on the fold."""

    plan: FusionPlan
    """The plan with the tuned method."""
    untuned: FusionMethod
    pool: RunPool
    task: TuningTask
    choices: tuple[FoldChoice, ...]
    comparison: Comparison
    """The best single run, the untuned and the tuned fusion on queries that their choice has not seen."""
    in_sample: float
    """The value of the tuned fusion on the very queries that it was tuned on."""
    queries: int
    unjudged: int
    """How many queries of the runs nobody judged."""

    @property
    def method(self) -> FusionMethod:
        """The tuned method."""
        return self.plan.method

    @property
    def parameters(self) -> dict[str, Any]:
        """The tuned parameters."""
        return self.method.parameters

    @cached_property
    def gains(self) -> PlainTable:
        """What the tuned fusion gains over the best single run and over the untuned one, on unseen queries."""
        return self.comparison.pair_table.where("run", TUNED)

    @cached_property
    def fusion(self) -> Fusion:
        """All queries of the runs, fused with the tuned parameters."""
        return self.fused()

    def fused(self, watch: Watch | None = None) -> Fusion:
        """The same; `watch` is told how far it is."""
        return self.plan.run(self.pool, watch=watch)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Trials:
    """The values of parameters on the judged queries; what was tried is not tried again for another fold."""

    plan: FusionPlan
    scorer: SlotScorer
    tell: Watch
    steps: int
    known: dict[FusionMethod, FloatArray] = field(default_factory=dict)
    lessons: dict[tuple[bytes, float], Lessons] = field(default_factory=dict)
    """What was taught, by the queries and the lowest relevant grade."""

    def tuned(self, pool: RunPool, task: TuningTask) -> TunedFusion:
        scorer, untuned = self.scorer, self.plan.method
        dealt, everything = task.dealt(len(scorer.names)), np.ones(len(scorer.names), dtype=bool)
        singles = {name: self._single(number) for number, name in enumerate(pool.runs)}
        values = {name: scorer.values(scores, exact=True) for name, scores in singles.items()}
        tuned_scores, single_scores, plain_scores = (np.full(scorer.stack.slots, np.nan) for _ in range(3))
        choices = []
        for fold in range(task.folds):
            self.tell(fold, self.steps, f"fold {fold + 1}")
            train, held = dealt != fold, (dealt == fold)[scorer.stack.slot_query]
            best = max(singles, key=lambda name: _worth(scorer.overall(values[name][train])))
            method = self._best(train)
            tuned_scores[held] = method.scores(scorer.stack)[held]
            single_scores[held] = singles[best][held]
            plain_scores[held] = self._learned(untuned, train).scores(scorer.stack)[held]
            choices.append(FoldChoice(fold=fold + 1, queries=int((dealt == fold).sum()), method=method, single=best))
        self.tell(task.folds, self.steps, "all queries")
        final = self._best(everything)
        scores = {SINGLE: single_scores, UNTUNED: plain_scores, TUNED: tuned_scores}
        results = {name: scorer.result(one, exact=name == SINGLE) for name, one in scores.items()}
        if isinstance(untuned, LearnedMethod) and not untuned.tries():
            del results[UNTUNED]  # learning is all there is to it
        return TunedFusion(
            plan=replace(self.plan, method=final),
            untuned=untuned,
            pool=pool,
            task=task,
            choices=tuple(choices),
            comparison=Comparison(results=results, settings=task.settings or ComparisonSettings(seed=task.seed)),
            in_sample=scorer.overall(scorer.values(final.scores(scorer.stack))),
            queries=len(scorer.names),
            unjudged=len(pool.queries) - len(scorer.names),
        )

    def _best(self, train: BoolArray) -> FusionMethod:
        """The method with the parameters that are best on these queries, and what it learns from them."""

        def worth(method: FusionMethod) -> float:
            return _worth(self.scorer.overall(self._values(self._learned(method, train))[train]))

        return self._learned(best_of(self.plan.method, self.scorer.stack.runs, worth), train)

    def _learned(self, method: FusionMethod, train: BoolArray) -> FusionMethod:
        if not isinstance(method, LearnedMethod):
            return method
        key = train.tobytes(), method.rel
        if key not in self.lessons:
            judged = self.scorer.judged
            part = replace(judged, positions=judged.positions[train])
            self.lessons[key] = part.lessons(self.plan.stack(judged.pool, part.positions), method.rel)
        return method.learn(self.lessons[key])

    def _values(self, method: FusionMethod) -> FloatArray:
        if isinstance(method, LearnedMethod):  # what it learned differs from fold to fold
            return self.scorer.values(method.scores(self.scorer.stack))
        if method not in self.known:
            self.known[method] = self.scorer.values(method.scores(self.scorer.stack))
        return self.known[method]

    def _single(self, number: int) -> FloatArray:
        """The scores of one run alone, NaN for documents that it does not list."""
        stack = self.scorer.judged.pool.chosen(self.scorer.judged.positions)
        return stack.spread(stack.score, np.nan)[:, number]


def _worth(value: float) -> float:
    """A value to compare; a run without any value on these queries is not chosen."""
    return -np.inf if np.isnan(value) else value
