"""Parameters of a fusion tuned on judged queries, and what it gains on queries that it has not seen.

Queries are dealt into folds. For each fold, parameters and the best single run are chosen on the other folds; the fold
itself is fused with these. So every query has a value that owes nothing to its own judgments, and the gain over the
best single run and over the untuned fusion is that of paired values, with an interval and a test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from rankgauge import dialects, files
from rankgauge.comparison import Comparison
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.comparison.tables import verdicts
from rankgauge.constraints import whole_number
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, TooFewQueriesError
from rankgauge.evaluation.evaluation import weigh_subtopics
from rankgauge.evaluation.judged_hits import HitFinder
from rankgauge.evaluation.result import Result
from rankgauge.fusion.fusing import DEFAULT, Fusion, FusionPlan
from rankgauge.fusion.judged_queries import JudgedQueries, Lessons, SlotScorer
from rankgauge.fusion.method import FusionMethod, LearnedMethod, WeightedMethod
from rankgauge.fusion.run_pool import RunPool, Watch, silent
from rankgauge.measures import Aggregate, Measure
from rankgauge.measures.measure import kind_asked
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.policies import JudgmentKind
from rankgauge.statistics.effects import cohen_dz, queries_needed
from rankgauge.statistics.intervals import moments

SINGLE, FUSED, UNTUNED, TUNED = "best single run", "fused", "untuned", "tuned"
"""The names of what is compared."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldChoice:
    """What was chosen for one fold from the others."""

    fold: int
    queries: int
    method: FusionMethod
    single: str
    """The run that was best on the other folds."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgedFusion:
    """A fusion as it is, and the best single run, which is chosen for each fold on the others."""

    name: ClassVar[str] = FUSED
    """What the fusion is called where it is compared."""

    plan: FusionPlan
    """The plan, with what the method learned from all judged queries."""
    pool: RunPool
    task: TuningTask
    choices: tuple[FoldChoice, ...]
    comparison: Comparison
    """The best single run and the fusion on queries that no choice has seen."""
    queries: int
    unjudged: int
    """How many queries of the runs nobody judged."""

    def __repr__(self) -> str:
        gains = ", ".join(f"{row['difference']:+.4f} over {row['other']}" for row in self.gains.named())
        what = f"{self.method.name}, {self.name}, by {self.comparison.measures[0]}"
        return f"<{what} on {self.queries} queries: {gains}>"

    @property
    def method(self) -> FusionMethod:
        """The method, with its parameters."""
        return self.plan.method

    @property
    def folds(self) -> int:
        """How many folds the judged queries were dealt into."""
        return len(self.choices)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters."""
        return self.method.parameters

    @cached_property
    def gains(self) -> PlainTable:
        """What the fusion gains over what it is compared with, on unseen queries."""
        return self.pairs.where("run", self.name)

    @cached_property
    def pairs(self) -> PlainTable:
        """The difference of each two that are compared; intervals and tests know that folds share queries."""
        return held_out_gains(self.comparison, self.folds)

    @cached_property
    def fusion(self) -> Fusion:
        """All queries of the runs, fused."""
        return self.plan.run(self.pool)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TunedFusion(JudgedFusion):
    """A tuned fusion: its parameters from all judged queries, and how those of each fold did on the fold."""

    name: ClassVar[str] = TUNED

    untuned: FusionMethod
    in_sample: float
    """The value of the tuned fusion on the very queries that it was tuned on."""


REFERENCE = "Nadeau & Bengio, Inference for the generalization error, Machine Learning 2003"


FEWEST = 5
"""Fewer queries that tell two apart carry no interval: in simulations it missed too often."""


def widening(folds: int) -> float:
    """Return the factor on the standard error of a mean over that many folds."""
    return math.sqrt(1 + folds / (folds - 1))


def held_out_gains(comparison: Comparison, folds: int) -> PlainTable:
    """Return the pairs of a comparison of one measure, with the variance of values that were held out by fold.

    Low and high are NaN where too few queries tell two apart.
    """
    pairs, settings = comparison.pair_table, comparison.settings
    # Spread about their mean, differences give whatever is made of them that much more error.
    centre = moments(comparison.differences[0]).mean
    spread = np.asarray(centre + widening(folds) * (comparison.differences[0] - centre))
    tested, effect, mean = comparison.tested(0, spread), cohen_dz(spread), np.array(pairs["difference"])
    reach, decided = np.ptp(comparison.limits(0)), np.array(pairs["wins"]) + np.array(pairs["losses"])
    ends, few = comparison.interval(spread).within(-reach, reach, mean), decided < FEWEST
    separated = (tested["corrected"] < settings.alpha) & ~few
    changed = tested | {
        "low": np.where(few, np.nan, ends.low),
        "high": np.where(few, np.nan, ends.high),
        "verdict": verdicts(comparison.measures[0], mean, separated, decided == 0),
        "effect": effect,
        "needed": queries_needed(effect, alpha=settings.alpha),
    }
    return PlainTable.of(pairs.kinds, {**pairs.columns, **changed})


STEPS = {2: 20, 3: 10, 4: 6}
"""Into how many steps the weight of one is cut, by the number of runs: all ways to deal them out are tried."""

FACTORS = (0.0, 0.25, 0.5, 2.0, 4.0)
"""By what a weight is multiplied where runs are many."""

ROUNDS = 10
"""How often all weights are gone through at most."""

Worth = Callable[[FusionMethod], float]
"""What a method is worth on the queries to learn from."""


def best_of(method: FusionMethod, runs: int, worth: Worth, *, fixed: Collection[str] = ()) -> FusionMethod:
    """Return the method with the best parameters; of equally good ones the first that was tried, its own before all.

    Parameters that are `fixed` keep their values.
    """
    if not isinstance(method, WeightedMethod):
        tries = {name: values for name, values in method.tries().items() if name not in fixed}
        others = [replace(method, **dict(zip(tries, values, strict=True))) for values in product(*tries.values())]
        return max([method, *others], key=worth)  # of equals, max gives the first
    begun = replace(method, weights=tuple(method.weighing(runs).tolist()))
    if runs in STEPS:
        dealt = [replace(method, weights=weights) for weights in deal_weights(runs, STEPS[runs])]
        return max([begun, *dealt], key=worth)
    alone = [replace(method, weights=tuple(row)) for row in np.eye(runs).tolist()]
    return _climb(max([begun, *alone], key=worth), worth)


def deal_weights(runs: int, steps: int) -> Iterator[tuple[float, ...]]:
    """Yield all weights that are multiples of 1 / steps and add up to 1."""
    for rest in product(range(steps + 1), repeat=runs - 1):
        if sum(rest) <= steps:
            yield tuple(part / steps for part in (*rest, steps - sum(rest)))


def _climb(method: WeightedMethod, worth: Worth) -> WeightedMethod:
    """Return the method after its weights were changed one at a time, as long as that helps."""
    best, reached = method, worth(method)
    for _ in range(ROUNDS):
        before = reached
        for run in range(len(best.weights)):
            for tried in list(_move(best, run)):
                if (value := worth(tried)) > reached:
                    best, reached = tried, value
        if not reached > before:
            break
    return best


def _move(method: WeightedMethod, run: int) -> Iterator[WeightedMethod]:
    """Yield the method with other weights of one run; they add up to 1."""
    weights = np.array(method.weights)
    others = np.delete(weights, run)
    begun = weights[run] or float(others[others > 0].mean())
    for factor in FACTORS if weights[run] else (1.0, *FACTORS[1:]):
        weights[run] = begun * factor
        if weights.sum() > 0:
            yield replace(method, weights=tuple((weights / weights.sum()).round(6).tolist()))


FOLDS = 5
"""How many folds there are, unless it is said or fewer queries are judged."""


def tune_fusion(
    judgments: Any,
    runs: Mapping[str, Any] | Iterable[Any],
    measure: str | Measure = "nDCG@10",
    *,
    method: str | FusionMethod = "weighted-sum",
    norm: str | None = None,
    depth: int | None = None,
    fixed: Collection[str] = (),
    folds: int | None = None,
    seed: int = 0,
    dialect: str | Dialect = "standard",
    settings: ComparisonSettings | None = None,
    intents: Any = None,
    **overrides: Any,
) -> TunedFusion:
    """Tune a fusion's parameters for a measure on judged queries, and estimate the gain on other queries.

    Parameters that are `fixed` keep the method's values. `folds` are those of the cross-validation, dealt by the
    `seed`: five, or as many as there are judged queries. `settings` are those of `compare`: the test, the correction,
    the level. `intents` are those of `evaluate`, and `overrides` replace choices of the dialect. The other arguments
    are those of `fuse`.
    """
    plan = FusionPlan.of(method, norm=norm, depth=depth)
    task = TuningTask(
        measure=measure,
        dialect=dialects.get(dialect, **overrides),
        folds=folds,
        seed=seed,
        settings=settings,
        intents=intents,
        fixed=frozenset(fixed),
    )
    return task.tune(plan, RunPool.of(files.named_runs("tune_fusion", runs)), judgments)


def fusion_gain(
    judgments: Any,
    runs: Mapping[str, Any] | Iterable[Any],
    measure: str | Measure = "nDCG@10",
    *,
    method: str | FusionMethod = DEFAULT,
    norm: str | None = None,
    depth: int | None = None,
    folds: int | None = None,
    seed: int = 0,
    dialect: str | Dialect = "standard",
    settings: ComparisonSettings | None = None,
    intents: Any = None,
    **overrides: Any,
) -> JudgedFusion:
    """Estimate what a fusion, as it is, gains over the best single run, which each fold chooses on the other folds.

    The arguments are those of `tune_fusion`. A method that learns does so on the other folds too.
    """
    plan = FusionPlan.of(method, norm=norm, depth=depth)
    spoken = dialects.get(dialect, **overrides)
    task = TuningTask(measure=measure, dialect=spoken, folds=folds, seed=seed, settings=settings, intents=intents)
    return task.test(plan, RunPool.of(files.named_runs("fusion_gain", runs)), judgments)


@dataclass(frozen=True, kw_only=True, eq=False)
class TuningTask:
    """What to tune or test for, and how to find out what is gained."""

    measure: str | Measure
    dialect: Dialect
    folds: int | None = None
    """How many; without a number, five, or as many as there are judged queries."""
    seed: int = 0
    settings: ComparisonSettings | None = None
    intents: Any = None
    """How likely subtopics are, if the judgments do not say it."""
    fixed: frozenset[str] = frozenset()
    """The parameters that are not tuned."""

    @property
    def asks(self) -> JudgmentKind:
        """What the measure asks judgments to say."""
        return kind_asked(self.dialect.select([self.measure]))

    def check(self) -> None:
        """Refuse a task without anything to tune or test for."""
        whole_number(least=0).check("fuse", "seed", self.seed)
        measure, *others = self.dialect.select([self.measure])
        if others or measure.facts.aggregate is Aggregate.GEOMETRIC or not measure.facts.more_is_better:
            expected = "one measure with a mean over queries, of which more is better"
            raise ParameterError("fuse", "measure", expected, str(self.measure))
        if self.intents is not None and self.asks is not JudgmentKind.SUBTOPICS:
            expected = "left out: only measures of diversity, such as alpha_nDCG@10, look at subtopics"
            raise ParameterError("fuse", "intents", expected, str(self.intents))

    def check_tunable(self, method: FusionMethod) -> None:
        """Refuse a method without anything to tune."""
        if isinstance(method, WeightedMethod | LearnedMethod) or method.tries().keys() - self.fixed:
            return
        if not method.tries():
            expected = "one with parameters or weights: this one has nothing to tune. Without --tune its gain is tested"
            raise ParameterError("fuse", "method", expected, method.name)
        given = ", ".join(f"{name}={getattr(method, name)}" for name in method.tries())
        raise ParameterError("fuse", "set", f"left out: {method.name} has nothing else to tune", given)

    def tune(self, plan: FusionPlan, pool: RunPool, judgments: Any, *, watch: Watch = silent) -> TunedFusion:
        """Return the tuned fusion of the runs."""
        self.check_tunable(plan.method)
        trials = self._trials(plan, pool, judgments)
        choices = []
        for fold in range(trials.folds):
            watch(fold, trials.folds + 1, f"fold {fold + 1}")
            choices.append(trials.choice(fold))
        watch(trials.folds, trials.folds + 1, "all queries")
        final = trials.best(trials.everywhere)
        reached = trials.values(final)
        if not np.nan_to_num(reached).any():
            raise self._nothing("every fusion of the runs is worth nothing, so that there is nothing to choose")
        return TunedFusion(
            **self._findings(trials, pool, choices, (UNTUNED, TUNED)),
            plan=replace(plan, method=final),
            untuned=plan.method,
            in_sample=trials.scorer.overall(reached),
        )

    def test(self, plan: FusionPlan, pool: RunPool, judgments: Any, *, watch: Watch = silent) -> JudgedFusion:
        """Return the fusion of the runs as it is, beside the best single run."""
        trials = self._trials(plan, pool, judgments)
        watch(0, 1, "judged queries")
        choices = [trials.choice(fold, tunes=False) for fold in range(trials.folds)]
        final = trials.teach(plan.method, trials.everywhere)
        values = [trials.values(final), *(run.values for run in trials.singles.values())]
        if not np.nan_to_num(values).any():
            raise self._nothing("the runs and their fusion are worth nothing, so that there is nothing to compare")
        return JudgedFusion(**self._findings(trials, pool, choices, (FUSED,)), plan=replace(plan, method=final))

    def _trials(self, plan: FusionPlan, pool: RunPool, judgments: Any) -> _Trials:
        self.check()
        plan.method.check(len(pool.runs))
        turned, (measure,) = plan.turn_over(pool), self.dialect.select([self.measure])
        given = weigh_subtopics(judgments, self.intents, (measure,))
        table = HitFinder(given=given, dialect=self.dialect, measures=(measure,)).judgments
        judged = JudgedQueries.of(turned, table, self.dialect)
        dealt, stack = self.deal_folds(len(judged)), plan.stack(turned, judged.positions)
        scorer = SlotScorer(stack=stack, judged=judged, measure=measure, dialect=self.dialect, depth=plan.depth)
        return _Trials(plan=plan, scorer=scorer, dealt=dealt, fixed=self.fixed)

    def _findings(
        self, trials: _Trials, pool: RunPool, choices: list[FoldChoice], names: Sequence[str]
    ) -> dict[str, Any]:
        settings = self.settings or ComparisonSettings(seed=self.seed)
        judged = len(trials.dealt)
        return {
            "pool": pool,
            "task": self,
            "choices": tuple(choices),
            "comparison": Comparison(results=trials.evaluate_choices(choices, names), settings=settings),
            "queries": judged,
            "unjudged": len(pool.queries) - judged,
        }

    def _nothing(self, words: str) -> InputError:
        hint = "Is a document of the runs judged relevant? Are the ids of both spelled alike?"
        return InputError(f"by {self.dialect.select([self.measure])[0]} {words}", hint=hint)

    def deal_folds(self, queries: int) -> IndexArray:
        """Return the fold of each query: as many in each, up to one."""
        if queries < 2:
            raise TooFewQueriesError("only one query of the runs is judged, and folds take two at least")
        folds = min(FOLDS, queries) if self.folds is None else self.folds
        if not 2 <= folds <= queries:
            raise ParameterError("fuse", "folds", f"from 2 to {queries}, the number of judged queries", folds)
        return np.random.default_rng(self.seed).permutation(np.arange(queries) % folds)


@dataclass(frozen=True, kw_only=True, eq=False)
class _SingleRun:
    """The scores and ranks of a run's documents, NaN for those that it does not list, and the values of the queries."""

    scores: FloatArray
    ranks: FloatArray
    values: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class _Trials:
    """The values of parameters on the judged queries; what was tried is not tried again for another fold."""

    plan: FusionPlan
    scorer: SlotScorer
    dealt: IndexArray
    """The fold of each judged query."""
    fixed: frozenset[str] = frozenset()
    known: dict[FusionMethod, FloatArray] = field(default_factory=dict)
    lessons: dict[tuple[bytes, float], Lessons] = field(default_factory=dict)
    """What was taught, by the queries and the lowest relevant grade."""

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return int(self.dealt.max()) + 1

    @property
    def everywhere(self) -> BoolArray:
        """All judged queries."""
        return np.ones(len(self.dealt), dtype=bool)

    def choice(self, fold: int, *, tunes: bool = True) -> FoldChoice:
        """Return the parameters, if they are tuned, and the single run that are best on the other folds."""
        train = self.dealt != fold
        worths = {name: _worth(self.scorer.overall(run.values[train])) for name, run in self.singles.items()}
        single = max(worths, key=worths.__getitem__)
        method = self.best(train) if tunes else self.teach(self.plan.method, train)
        return FoldChoice(fold=fold + 1, queries=int((~train).sum()), method=method, single=single)

    def best(self, train: BoolArray) -> FusionMethod:
        """Return the method with the parameters that are best on these queries, and what it learns from them."""

        def worth(method: FusionMethod) -> float:
            return _worth(self.scorer.overall(self.values(self.teach(method, train))[train]))

        return self.teach(best_of(self.plan.method, self.scorer.stack.runs, worth, fixed=self.fixed), train)

    def values(self, method: FusionMethod) -> FloatArray:
        """Return the value of each judged query."""
        if isinstance(method, LearnedMethod):  # what it learned differs from fold to fold
            return self.scorer.values(self._scores(method))
        if method not in self.known:
            self.known[method] = self.scorer.values(self._scores(method))
        return self.known[method]

    def evaluate_choices(self, choices: list[FoldChoice], names: Sequence[str]) -> dict[str, Result]:
        """Return the results of the best single run and of what was chosen for each fold, on the queries of that fold.

        Untuned is the method as it was before, with what it learns from the other folds.
        """
        if isinstance(self.plan.method, LearnedMethod) and not self.plan.method.tries().keys() - self.fixed:
            names = [name for name in names if name != UNTUNED]  # learning is all there is to it
        slots = self.scorer.stack.slots
        scores, ranks = {name: np.full(slots, np.nan) for name in (SINGLE, *names)}, np.zeros(slots)
        for choice in choices:
            here = self.dealt == choice.fold - 1
            held = here[self.scorer.stack.slot_query]
            single = self.singles[choice.single]
            scores[SINGLE][held], ranks[held] = single.scores[held], single.ranks[held]
            for name in names:
                method = self.teach(self.plan.method, ~here) if name == UNTUNED else choice.method
                scores[name][held] = self._scores(method)[held]
        return {
            name: self.scorer.result(fused, ranks=ranks if name == SINGLE else None) for name, fused in scores.items()
        }

    @cached_property
    def singles(self) -> dict[str, _SingleRun]:
        """Each run by itself, by name; the scorer cuts its lists as the plan cuts the fused ones."""
        judged = self.scorer.judged
        stack = judged.pool.stack(judged.positions)
        scores, ranks = stack.spread(stack.score, np.nan).T, stack.spread(stack.rank.astype(np.float64), np.nan).T
        return {
            name: _SingleRun(
                scores=scores[run], ranks=ranks[run], values=self.scorer.values(scores[run], ranks=ranks[run])
            )
            for run, name in enumerate(judged.pool.runs)
        }

    def _scores(self, method: FusionMethod) -> FloatArray:
        """Return the fused scores; NaN for what the plan cuts off."""
        stack, depth = self.scorer.stack, self.plan.depth
        scores = method.scores(stack)
        if depth is None:
            return scores
        order, _ = stack.order(scores)
        rank = np.arange(len(order)) - np.repeat(np.cumsum(stack.pooled) - stack.pooled, stack.pooled)
        scores = scores.copy()
        scores[order[rank >= depth]] = np.nan
        return scores

    def teach(self, method: FusionMethod, train: BoolArray) -> FusionMethod:
        """Return the method after it has learned from these queries, if it does."""
        if not isinstance(method, LearnedMethod):
            return method
        key = train.tobytes(), method.rel
        if key not in self.lessons:
            judged = self.scorer.judged
            part = replace(judged, positions=judged.positions[train])
            self.lessons[key] = part.lessons(self.plan.stack(judged.pool, part.positions), method.rel)
        return method.learn(self.lessons[key])


def _worth(value: float) -> float:
    """Return a value to compare; a run without any value on these queries is not chosen."""
    return -np.inf if np.isnan(value) else value
