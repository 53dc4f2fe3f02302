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
from rankgauge.comparison.verdicts import is_valued
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError
from rankgauge.fusion.fusing import Fusion, FusionPlan
from rankgauge.fusion.gains import held_out_gains
from rankgauge.fusion.judged_queries import JudgedQueries
from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.loaded_run import Watch
from rankgauge.fusion.method import FusionMethod, LearnedMethod, WeightedMethod, made
from rankgauge.fusion.run_pool import RunPool, run_names
from rankgauge.fusion.search import best_of
from rankgauge.fusion.slot_scorer import SlotScorer
from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.result import Result

SINGLE, UNTUNED, TUNED = "best single run", "untuned", "tuned"
"""The names of what is compared."""


def tune_fusion(
    judgments: Any,
    runs: Mapping[str, Any] | Iterable[Any],
    measure: str | Measure = "nDCG@10",
    *,
    method: str | FusionMethod = "weighted-sum",
    norm: str | None = None,
    depth: int | None = None,
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
    plan = FusionPlan.of(chosen, norm=norm, depth=depth)
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

    def check(self, plan: FusionPlan) -> None:
        """An error where there is nothing to tune, or nothing to tune for."""
        found = self.dialect.select([self.measure])
        if len(found) != 1 or found[0].facts.aggregate is Aggregate.GEOMETRIC or not is_valued(found[0]):
            expected = "one measure with a mean over queries, of which more is better"
            raise ParameterError("tune", "measure", expected, str(self.measure))
        if not plan.method.tries() and not isinstance(plan.method, WeightedMethod | LearnedMethod):
            expected = "one with parameters or weights: this one has nothing to tune"
            raise ParameterError("tune", "method", expected, plan.method.name)

    def run(self, plan: FusionPlan, pool: RunPool, judgments: Any, *, watch: Watch | None = None) -> TunedFusion:
        """The tuned fusion of the runs."""
        self.check(plan)
        plan.checked(pool)
        turned = plan.turned(pool)
        judged = JudgedQueries.of(turned, judgments)
        if not 2 <= self.folds <= len(judged):
            raise ParameterError("tune", "folds", f"from 2 to the {len(judged)} judged queries", self.folds)
        stack, (measure,) = plan.stack(turned, judged.positions), self.dialect.select([self.measure])
        scorer = SlotScorer(stack=stack, judged=judged, measure=measure, dialect=self.dialect)
        trials = _Trials(plan=plan, scorer=scorer, dealt=self.dealt(len(judged)))
        tell = watch or (lambda done, parts, name: None)
        choices = []
        for fold in range(self.folds):
            tell(fold, self.folds + 1, f"fold {fold + 1}")
            choices.append(trials.choice(fold))
        tell(self.folds, self.folds + 1, "all queries")
        final = trials.best(np.ones(len(judged), dtype=bool))
        settings = self.settings or ComparisonSettings(seed=self.seed)
        return TunedFusion(
            plan=replace(plan, method=final),
            untuned=plan.method,
            pool=pool,
            task=self,
            choices=tuple(choices),
            comparison=Comparison(results=trials.unseen(choices), settings=settings),
            in_sample=scorer.overall(trials.values(final)),
            queries=len(judged),
            unjudged=len(pool.queries) - len(judged),
        )

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
        return self.pairs.where("run", TUNED)

    @cached_property
    def pairs(self) -> PlainTable:
        """The same of each two that are compared; intervals and tests know that folds share queries."""
        return held_out_gains(self.comparison, self.task.folds)

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
    dealt: IndexArray
    """The fold of each judged query."""
    known: dict[FusionMethod, FloatArray] = field(default_factory=dict)
    lessons: dict[tuple[bytes, float], Lessons] = field(default_factory=dict)
    """What was taught, by the queries and the lowest relevant grade."""

    def choice(self, fold: int) -> FoldChoice:
        """The parameters and the single run that are best on the other folds."""
        train = self.dealt != fold
        worths = {name: _worth(self.scorer.overall(found[train])) for name, (_, found) in self.singles.items()}
        single = max(worths, key=worths.__getitem__)
        return FoldChoice(fold=fold + 1, queries=int((~train).sum()), method=self.best(train), single=single)

    def best(self, train: BoolArray) -> FusionMethod:
        """The method with the parameters that are best on these queries, and what it learns from them."""

        def worth(method: FusionMethod) -> float:
            return _worth(self.scorer.overall(self.values(self._learned(method, train))[train]))

        return self._learned(best_of(self.plan.method, self.scorer.stack.runs, worth), train)

    def values(self, method: FusionMethod) -> FloatArray:
        """The value of each judged query."""
        if isinstance(method, LearnedMethod):  # what it learned differs from fold to fold
            return self.scorer.values(self._scores(method))
        if method not in self.known:
            self.known[method] = self.scorer.values(self._scores(method))
        return self.known[method]

    def unseen(self, choices: list[FoldChoice]) -> dict[str, Result]:
        """The results of what was chosen for each fold, on the queries of that fold."""
        untuned, slots = self.plan.method, self.scorer.stack.slots
        scores = {name: np.full(slots, np.nan) for name in (SINGLE, UNTUNED, TUNED)}
        for one in choices:
            here = self.dealt == one.fold - 1
            held = here[self.scorer.stack.slot_query]
            scores[SINGLE][held] = self.singles[one.single][0][held]
            scores[UNTUNED][held] = self._scores(self._learned(untuned, ~here))[held]
            scores[TUNED][held] = self._scores(one.method)[held]
        if isinstance(untuned, LearnedMethod) and not untuned.tries():
            del scores[UNTUNED]  # learning is all there is to it
        return {name: self.scorer.result(found, exact=name == SINGLE) for name, found in scores.items()}

    @cached_property
    def singles(self) -> dict[str, tuple[FloatArray, FloatArray]]:
        """By run, its scores alone, NaN for documents that it does not list, and the values of the queries."""
        judged = self.scorer.judged
        stack = judged.pool.chosen(judged.positions)
        columns = stack.spread(stack.score, np.nan).T
        return {
            name: (scores, self.scorer.values(scores, exact=True))
            for name, scores in zip(judged.pool.runs, columns, strict=True)
        }

    def _scores(self, method: FusionMethod) -> FloatArray:
        """The fused scores; NaN for what the plan cuts off."""
        stack, depth = self.scorer.stack, self.plan.depth
        scores = method.scores(stack)
        if depth is None:
            return scores
        order, _ = stack.ordered(scores)
        rank = np.arange(len(order)) - np.repeat(np.cumsum(stack.pooled) - stack.pooled, stack.pooled)
        scores = scores.copy()
        scores[order[rank >= depth]] = np.nan
        return scores

    def _learned(self, method: FusionMethod, train: BoolArray) -> FusionMethod:
        """The method after it has learned from these queries, if it does."""
        if not isinstance(method, LearnedMethod):
            return method
        key = train.tobytes(), method.rel
        if key not in self.lessons:
            judged = self.scorer.judged
            part = replace(judged, positions=judged.positions[train])
            self.lessons[key] = part.lessons(self.plan.stack(judged.pool, part.positions), method.rel)
        return method.learn(self.lessons[key])


def _worth(value: float) -> float:
    """A value to compare; a run without any value on these queries is not chosen."""
    return -np.inf if np.isnan(value) else value
