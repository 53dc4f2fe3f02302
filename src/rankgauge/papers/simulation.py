"""A simulation on the user's own data: rankers are trained on a part of a LETOR file, methods tried on the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from rankgauge import training
from rankgauge.demo import learning_rows
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.files.formats.letor import read_features
from rankgauge.files.source import Source
from rankgauge.labelling import methods
from rankgauge.labelling.beliefs import UNIFORM, uniform
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pool_rows import COSTS
from rankgauge.labelling.simulations.jobs import Progress, cores, report_nothing
from rankgauge.labelling.simulations.report import SimulationReport
from rankgauge.papers.published.active.benchmark import Scenario, Split, known_grades, pool_of
from rankgauge.papers.published.active.rankers import Predictions, Recipe, train_and_predict
from rankgauge.papers.published.active.trials import METHODS, Case, Trials

SHORT = {"rf": "forest-regression", "logit": "ordered-logit"}
"""Short names of rankers."""

MODEL = "model"
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0, 4 / 3)
"""The budgets, as shares of the one at which savings are measured."""

LEAST = 2.0
"""With a budget for fewer than two queries there is no confidence interval."""

DEFAULT = 0.15
"""The default budget, as a share of the cost of the whole pool."""


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """What is simulated: which rankers are judged by which measures, which methods are tried, and how often.

    The rankers learn from a random `share` of the queries, or from the file `train`. Of two rankers, each is judged by
    itself, and their difference too. `budget` is in units of a query's mean cost.
    """

    path: Path
    measures: tuple[str, ...] = ("ERR",)
    rankers: tuple[str, ...] = ("rf",)
    methods: tuple[str, ...] = ("passive", "passive-iid", "paper", "greg", "document")
    train: Path | None = None
    share: float = 0.2
    budget: float | None = None
    cost: str = "documents"
    length: int | None = None
    overhead: float = 0.0
    depth: int | None = None
    dialect: str = DIALECT
    beliefs: str = MODEL
    repetitions: int = 400
    seed: int = 0
    workers: int = field(default_factory=cores)
    progress: Progress = report_nothing

    def run(self) -> SimulationReport:
        """Train the rankers, tries the methods, and gathers the results."""
        self.check()
        split = self._split()
        recipes = {}
        for name in self.rankers:
            kind = training.get(SHORT.get(name, name))
            jobs = {"n_jobs": self.workers} if "n_jobs" in kind().get_params(deep=False) else {}
            recipes[name] = Recipe(ranker=kind.name, parameters={"rng": self.seed, **jobs})
        predictions = train_and_predict(split, recipes)
        cases: dict[str, tuple[Case, ...]] = {}
        at = self.budget or 0.0
        for rankers in ((self.rankers[0],), self.rankers[1:], self.rankers) if self.rankers[1:] else (self.rankers,):
            pool = self._pool(predictions, rankers)
            at = self.budget or float(max(round(DEFAULT * len(pool.queries)), 8))
            grades = known_grades(pool, split)
            made = partial(Case, title=" − ".join(rankers), pool=pool, grades=grades, dialect=self.dialect)
            simulations = [made(label=measure, measure=measure) for measure in self.measures]
            cases |= {case.name: (case,) for case in simulations}
        trials = Trials(
            methods=self.methods,
            budgets=tuple(share * at for share in SHARES if share * at >= LEAST),
            repetitions=self.repetitions,
            seed=self.seed,
            workers=self.workers,
            progress=self.progress,
        )
        facts = {
            "dialect": self.dialect,
            "cost": f"{self.cost}, {self.overhead:g} for opening a query" if self.overhead else self.cost,
            "beliefs": "uniform" if self.beliefs == UNIFORM else f"those of {' and '.join(self.rankers)}",
            "trained on": f"{len(set(split.train.queries)):,} queries, none of them in the pool",
        }
        return trials.report(cases, f"{self.path.name} {self.seed}", facts, at=at)

    def check(self) -> None:
        """Raise an error for settings that make no sense, before anything is read."""
        rankers, budget = ",".join(self.rankers), self.budget
        length = "the number of the feature that is a document's length, for costs by length"
        for parameter, holds, expected, given in (
            ("rankers", len(self.rankers) in (1, 2), "one or two rankers", rankers),
            ("rankers", len(set(self.rankers)) == len(self.rankers), "two different rankers", rankers),
            ("repetitions", self.repetitions >= 2, "a whole number, 2 or more", self.repetitions),
            ("share", 0 < self.share < 1, "a number between 0 and 1", self.share),
            ("budget", budget is None or budget >= LEAST, f"a number, {LEAST:g} or more", budget),
            ("beliefs", self.beliefs in (MODEL, UNIFORM), f"{MODEL} or {UNIFORM}", self.beliefs),
            ("length-feature", self.cost != "log-length" or self.length is not None, length, self.length),
        ):
            if not holds:
                raise ParameterError("simulate", parameter, expected, given)
        known = [*METHODS, *methods.METHODS]
        if unknown := [name for name in self.methods if name not in known]:
            raise UnknownNameError("method", unknown[0], known)
        if self.cost not in COSTS:
            raise UnknownNameError("cost", self.cost, COSTS)
        for name in self.rankers:
            training.get(SHORT.get(name, name))

    def _split(self) -> Split:
        data = read_features(Source.of(self.path))
        if self.length is not None and not 1 <= self.length <= data.matrix.shape[1]:
            expected = f"a feature from 1 to {data.matrix.shape[1]}"
            raise ParameterError("simulate", "length-feature", expected, self.length)
        if self.train is not None:
            train, pool = read_features(Source.of(self.train)), data
        else:
            queries, place = np.unique(data.queries.astype(str), return_inverse=True)
            count = round(self.share * len(queries))
            if count < 1 or count >= len(queries):
                hint = "Give more queries, another share, or a file to train on."
                raise InputError(
                    f"{len(queries)} queries are too few to train and to judge on", path=self.path, hint=hint
                )
            seen = np.isin(place, np.random.default_rng(self.seed).permutation(len(queries))[:count])
            train, pool = learning_rows(data, seen), learning_rows(data, ~seen)
        return Split(name=self.path.name, train=train, pool=pool, length=self.length)

    def _pool(self, predictions: Predictions, rankers: tuple[str, ...]) -> Pool:
        """Return the pool of one ranker or of a pair, with the rankers' own beliefs; those of the other ranker, or
        uniform ones, if a ranker has none. Opening a query costs so many documents of mean cost."""
        known = [name for name in rankers if name in predictions.beliefs] or list(predictions.beliefs)
        if self.beliefs == UNIFORM or not known:
            beliefs = uniform(len(predictions.split.pool.grades), predictions.scale)
        else:
            beliefs = predictions.mixture(*known)
        scores = tuple(predictions.scores[name] for name in rankers)
        scenario = Scenario(title="", figure="", scores=scores, beliefs=beliefs, scale=predictions.scale)
        pool = pool_of(scenario, predictions.split, cost=self.cost, depth=self.depth)
        if not self.overhead:
            return pool
        opening = np.full(len(pool.queries), self.overhead * float(pool.costs.mean()))
        return replace(pool, overhead=opening).scale_costs()
