"""The audit of machine judges: everything that people's labels say of them, and what that does to a board of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.audit.judge.agreement import (
    FEWEST,
    MOST,
    Comparable,
    Independence,
    agreement,
    combine_judges,
    confusion_table,
    independence,
    panels,
    separation,
)
from rankgauge.audit.judge.consequences import Consequences, JudgedRuns, circularity
from rankgauge.audit.judge.error_slices import Drift, error_slices, query_spread
from rankgauge.audit.judge.forecasts import HALF_WIDTH, JudgeBoard, LabelPlan
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.labelling.board.target import require_plain
from rankgauge.measures import Measure, as_list, parse
from rankgauge.measures.measure import Aggregate
from rankgauge.numeric import FloatArray
from rankgauge.statistics.correlation import kendall_tau

DRAWS = 200
"""How many boards that may be the true one are drawn where people judged only a sample."""

COVERED = 0.5
"""A board needs judges who graded this share of what people judged: on fewer pairs values are not those of the runs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeAudit:
    """Judges held against people; `runs` may be absent. Everything is computed when it is asked for."""

    pairs: GradedPairs
    runs: Mapping[str, Any] = field(default_factory=dict)
    measures: tuple[Measure, ...]
    rel: float = 1.0
    dialect: str = "standard"
    documents: pl.DataFrame | None = None
    suspects: tuple[str, ...] = ()
    half_width: float = HALF_WIDTH
    seed: int = 0
    draws: int = DRAWS
    costs: Mapping[str, float] = field(default_factory=dict)
    """By judge what it took to grade a thousand pairs, where that is known."""
    drift: Drift | None = None
    """How the judge differs from an earlier session, if one was given."""

    def __post_init__(self) -> None:
        for name in self.suspects:
            if name not in self.runs:
                raise UnknownNameError("run", name, list(self.runs))

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges' names."""
        return tuple(self.pairs.judges)

    @property
    def enough(self) -> bool:
        """Whether people gave enough labels to say anything."""
        return int(self.pairs.labelled.sum()) >= FEWEST

    @property
    def sampled(self) -> bool:
        """Whether people judged only a sample of what the judges did."""
        return self.pairs.few

    @cached_property
    def comparable(self) -> dict[str, Comparable]:
        """By judge the pairs that people graded too."""
        return {name: Comparable.from_pairs(self.pairs, name, rel=self.rel) for name in self.judges}

    @cached_property
    def agreement(self) -> pl.DataFrame:
        """A row per judge and coefficient: value, low, high, pairs, queries."""
        return self._each(lambda name: agreement(self.comparable[name], seed=self.seed))

    @cached_property
    def confusion(self) -> pl.DataFrame:
        """A row per judge, people's grade and judge's grade: pairs, share."""
        return self._each(lambda name: confusion_table(self.comparable[name]))

    @cached_property
    def errors(self) -> pl.DataFrame:
        """A row per judge and part of the pairs: the judge's mean error there, and how far it is from the rest."""
        return self._each(lambda name: error_slices(self.comparable[name], self.lists, self.documents))

    @cached_property
    def query_spread(self) -> dict[str, float]:
        """By judge how far its mean error differs from query to query."""
        return {name: query_spread(self.comparable[name]) for name in self.judges}

    @cached_property
    def lists(self) -> JudgedRuns | None:
        """The runs' lists over the pairs."""
        return JudgedRuns.from_runs(self.pairs, self.runs, rel=self.rel, dialect=self.dialect) if self.runs else None

    @cached_property
    def shallow_labels(self) -> int | None:
        """The deepest rank that people judged, where the judges graded twice as deep and more; None otherwise."""
        if self.lists is None or not self.sampled:
            return None
        ranks = self.lists.best_ranks(len(self.pairs.people))
        deepest = ranks[self.pairs.labelled].max()
        return int(deepest) if 2 * deepest <= ranks[np.isfinite(ranks)].max(initial=0.0) else None

    @cached_property
    def _top_lists(self) -> dict[Measure, JudgedRuns]:
        assert self.lists is not None
        return {measure: self.lists.top(measure.depth) for measure in self.measures}

    @property
    def covered(self) -> bool:
        """Whether the judges graded enough of what people did for a board of these pairs to be one of people's."""
        return self.pairs.share >= COVERED

    @property
    def has_board(self) -> bool:
        """Whether there are runs to put on a board, and enough labels to say what people would."""
        return bool(self.runs) and self.enough and self.covered

    def judge_values(self, measure: Measure, grades: FloatArray) -> FloatArray:
        """Return the values of every run by some grades of the pairs: queries × runs, or draws × queries × runs."""
        return self._top_lists[measure].values(grades, measure)

    def board(self, judges: Sequence[str]) -> JudgeBoard:
        """Return the board of some judges together."""
        grades = np.mean([self.pairs.judges[name] for name in judges], axis=0)
        worth = self.judge_values(self.measures[0], grades).mean(axis=0)
        return JudgeBoard.from_judges(self.pairs, judges, self.runs, worth)

    @cached_property
    def consequences(self) -> dict[tuple[str, Measure], Consequences]:
        """By judge and measure what the judge's errors do to the board: people's grades are drawn, but if known."""
        told: dict[tuple[str, Measure], Consequences] = {}
        for name in self.judges if self.has_board else ():
            grades = self.pairs.people[np.newaxis]
            if self.sampled:
                grades = self.board([name]).draw_people(np.random.default_rng(self.seed), self.draws)
            for measure in self.measures:
                told[name, measure] = Consequences(
                    measure=measure,
                    runs=tuple(self.runs),
                    judge=self.judge_values(measure, self.pairs.judges[name]),
                    people=self.judge_values(measure, grades),
                    seed=self.seed,
                    unknown=float((~self.pairs.labelled).mean()),
                )
        return told

    def _stack(self, table: Callable[[Consequences], pl.DataFrame]) -> pl.DataFrame:
        """Return a table of each judge and measure, below each other."""
        parts = [
            table(consequence).select(pl.lit(name).alias("judge_name"), pl.lit(str(measure)).alias("measure"), pl.all())
            for (name, measure), consequence in self.consequences.items()
        ]
        return pl.concat(parts) if parts else pl.DataFrame()

    @cached_property
    def values(self) -> pl.DataFrame:
        """A row per judge, measure and run: people, judge, bias and its interval."""
        return self._stack(Consequences.values)

    @cached_property
    def differences(self) -> pl.DataFrame:
        """A row per judge, measure and pair of runs: what becomes of the judge's verdict under people."""
        return self._stack(Consequences.differences)

    @cached_property
    def orders(self) -> pl.DataFrame:
        """A row per judge and measure: τ, τ_AP, how many differences are kept, lost, found, reversed; the winners."""
        return self._stack(lambda one: pl.DataFrame([one.order()]))

    @cached_property
    def combined(self) -> pl.DataFrame:
        """A row per judge and combination: AUC with its interval, the difference from the best judge, and τ."""
        if not self.enough:
            return pl.DataFrame()
        scores = dict(self.pairs.judges)
        if len(scores) > 1:
            scores |= combine_judges(self.pairs, rel=self.rel, seed=self.seed)
        table = separation(self.pairs, scores | dict(self.pairs.own), rel=self.rel, seed=self.seed)
        if not self.has_board or self.sampled:
            return table
        measure = self.measures[0]
        people = self.judge_values(measure, self.pairs.people).mean(axis=0)
        means = [self.judge_values(measure, grades).mean(axis=0) for grades in scores.values()]
        taus = [kendall_tau(people, judge) if len(self.runs) > 2 else np.nan for judge in means]
        return table.with_columns(
            tau=pl.Series(taus), bias=pl.Series([float((mean - people).mean()) for mean in means])
        )

    @cached_property
    def independence(self) -> Independence | None:
        """How many independent judges several are worth."""
        return independence(self.pairs, seed=self.seed) if self.enough and len(self.judges) > 1 else None

    @cached_property
    def panels(self) -> pl.DataFrame:
        """A row per panel of judges that no cheaper one equals: judge, cost, AUC with its interval."""
        if not self.enough or not 1 < len(self.judges) <= MOST:
            return pl.DataFrame()
        return panels(self.pairs, self.costs, rel=self.rel, seed=self.seed)

    @cached_property
    def circularity(self) -> pl.DataFrame:
        """A row per judge and run: whether the judge overrates it by more than it does other runs of that value."""
        if not self.suspects or not self.has_board:
            return pl.DataFrame()
        of = {name: self.consequences[name, self.measures[0]] for name in self.judges}
        means = {name: (one.judge.mean(axis=0), one.people.mean(axis=1)) for name, one in of.items()}
        return self._each(lambda name: circularity(tuple(self.runs), *means[name], self.suspects))

    @cached_property
    def plan(self) -> LabelPlan | None:
        """The plan of a board with all judges as beliefs; as if afresh where everything was judged."""
        if not self.runs or not self.covered:
            return None
        return LabelPlan(
            judged=self.board(self.judges),
            measure=self.measures[0],
            suspects=self.suspects,
            afresh=not self.sampled,
            rel=self.rel,
            dialect=self.dialect,
        )

    def _each(self, table: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
        parts = [table(name).select(pl.lit(name).alias("judge_name"), pl.all()) for name in self.judges]
        return pl.concat(parts)


def audit_judges(
    people: Any,
    judges: Mapping[str, Any],
    runs: Mapping[str, Any] | None = None,
    measures: str | Measure | Iterable[str | Measure] = "nDCG@10",
    *,
    rel: float = 1.0,
    dialect: str = "standard",
    documents: pl.DataFrame | None = None,
    suspects: Sequence[str] = (),
    examples: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    half_width: float = HALF_WIDTH,
    seed: int = 0,
    draws: int = DRAWS,
    costs: Mapping[str, float] | None = None,
    before: Any = None,
) -> JudgeAudit:
    """Judges (by name: paths, frames, dicts or rows) held against people's judgments, and against them on runs.

    `rel` is the lowest grade that counts as relevant, `dialect` the tool to compute values as. `documents` is a table
    with a column `document` whose other columns divide the pairs. `suspects` are runs that a judge may have helped to
    make, `examples` by judge the pairs that it was shown with people's grades: they are left out. `costs` are by judge
    for a thousand pairs, `before` the earlier grades of the only judge.
    """
    wanted = tuple(parse(measure) for measure in as_list(measures))
    if any(measure.facts.aggregate is Aggregate.GEOMETRIC for measure in wanted):
        raise InputError("a board needs measures with a mean over queries, such as nDCG@10 or AP")
    if dialect != "standard":
        for measure in wanted:
            require_plain(measure, dialects.get(dialect))
    if before is not None and len(judges) != 1:
        raise InputError("earlier grades are those of one judge, and there are several")
    pairs = GradedPairs.from_grades(people, judges, examples)
    _check(pairs, rel=rel, half_width=half_width, documents=documents)
    return JudgeAudit(
        pairs=pairs,
        runs=dict(runs or {}),
        measures=wanted,
        rel=rel,
        dialect=dialect,
        documents=documents,
        suspects=tuple(suspects),
        half_width=half_width,
        seed=seed,
        draws=draws,
        costs=costs or {},
        drift=None if before is None else Drift.between(people, before, *judges.values(), rel=rel, seed=seed),
    )


def _check(pairs: GradedPairs, *, rel: float, half_width: float, documents: pl.DataFrame | None) -> None:
    """Raise an error for a setting that nothing can be computed with."""
    # In a sample people's highest grade may be missing, and a judge on their scale shows it.
    highest = float(max(1.0, pairs.scale[-1], *(grades.max() for grades in pairs.judges.values() if pairs.few)))
    if not 0 < rel <= highest:
        raise ParameterError("audit judge", "rel", f"above 0 and at most people's highest grade, {highest:g}", rel)
    if low := next((name for name, grades in pairs.judges.items() if 0 < grades.max() < rel), None):
        raise InputError(
            f"no grade of the judge {low} is {rel:g} or higher: its highest is {pairs.judges[low].max():g}",
            hint="Write its grades on people's scale: with -l 2, a judge that says relevant or not gives 2 or 0.",
        )
    if not 0 < half_width < np.inf:
        raise ParameterError("audit judge", "half_width", "a number above 0", half_width)
    if documents is None or "document" not in documents.columns:
        return
    known = documents["document"].cast(pl.String)
    if not pairs.documents.is_in(known.implode()).any():
        raise InputError(
            "the table of documents has none of the documents that the judges graded",
            hint=f"Are the ids written alike? The judges graded {pairs.documents[0]}, the table has "
            f"{known[0] if len(known) else 'none'}.",
        )
