"""What a campaign is planned from (runs or a table, judges, documents, earlier judgments), and what follows from it.

The command line and the judging room plan by the same rules: which grades people give, how deep lists are pooled, and
whether one value or a board of runs is estimated, wherever nobody says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from rankgauge import files
from rankgauge.errors import RankGaugeError, UnknownNameError
from rankgauge.judgments.llm.machine_judge import MachineJudge, judges_in, read_judges
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.pool_table import KEYS, PoolTable, unranked
from rankgauge.labelling.posterior.plan import serves
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS

LARGEST_SCALE = 20
"""With more different grades a judge's own are no scale for people to judge on."""

USUAL_GRADES = (0.0, 1.0, 2.0, 3.0)
"""The scale where neither beliefs nor judges nor earlier judgments show one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolSources:
    """The runs by name (paths, frames) or a pool's table, and what else is known of their documents and queries."""

    runs: Mapping[str, Any] = field(default_factory=dict)
    table: PoolTable | None = None
    judges: tuple[MachineJudge, ...] = ()
    documents: Any = None
    judged: Any = None
    query_texts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The runs, in the order of the files or columns."""
        return tuple(self.runs) or (() if self.table is None else tuple(self.table.runs))

    @cached_property
    def usual_grades(self) -> tuple[tuple[float, ...], str]:
        """The scale that people judge on unless another is named, ascending, and where it comes from."""
        if self.table is not None and self.table.grades:
            return self.table.grades, "those of the table's beliefs"
        judged = set() if self.judged is None else {max(grade, 0.0) for grade in self._judged_grades()}
        told = [set(judge.grades) for judge in (*self.judges, *self.told_judges())]
        scales = [scale for scale in (judged, *told) if scale and _is_scale(scale)]
        if scales:
            highest = max(1, *(int(max(scale)) for scale in scales))
            who = " and ".join(["earlier judgments"] * _is_scale(judged) + ["the judge"] * any(map(_is_scale, told)))
            return tuple(float(grade) for grade in range(highest + 1)), f"as {who} grade{'s' * who.endswith('judge')}"
        if judged:
            return tuple(sorted({0.0, *judged})), "those of earlier judgments"
        return USUAL_GRADES, "as nothing says which grades people give"

    def usual_depth(self, measures: Sequence[str]) -> int | None:
        """How deep lists are pooled unless another depth is named: as deep as the measures look; None: completely."""
        cutoffs = [getattr(parse(name), "cutoff", None) for name in measures]
        known = [cutoff for cutoff in cutoffs if cutoff is not None]
        return max(known) if self.table is None and len(known) == len(cutoffs) > 0 else None

    def is_board(
        self, measures: Sequence[str], goal: str | None = None, *, depth: int | None = None, alone: bool = False
    ) -> bool:
        """Whether these files and measures take a board: the other methods estimate one value of one or two runs.

        Where they could give it as well, runs whose pool the posterior serves take a board too: it needs fewer labels.
        `alone` says that something is asked for that only the other methods have.
        """
        needs = len(self.names) > 2 or len(measures) > 1 or goal is not None or self.judged is not None
        needs = needs or any(parse(name).bound(DEFAULTS).form() is None for name in measures)
        return needs or (not (alone or self.table is not None) and self._is_served(measures, depth))

    def _is_served(self, measures: Sequence[str], depth: int | None) -> bool:
        try:
            pool, grades = self.board_pool(measures, cost=None, depth=depth), np.array(self.usual_grades[0])
            return serves(pool, [BoardTarget.scored(name, pool, grades=grades) for name in measures])
        except RankGaugeError:
            return False  # whoever makes the pool says what is wrong with it

    def pool(self, *, grades: Sequence[float] | np.ndarray | None, cost: str | None, depth: int | None) -> Pool:
        """The pool for one value."""
        options: dict[str, Any] = {"grades": grades, "cost": cost, "depth": depth}
        if self.table is not None:
            columns = list(self.table.runs.values())
            if not columns:
                raise unranked(self.table.frame.columns)
            pool = Pool.of(self.table.frame, scores=columns, **options)
        else:
            pool = Pool.from_runs(*self.runs.values(), texts=self.documents, **options)
        pool = pool.with_query_texts(self.query_texts)
        return pool.judged_by({judge.name: judge for judge in self.judges}) if self.judges else pool

    def board_pool(self, measures: Sequence[str], *, cost: str | None, depth: int | None) -> BoardPool:
        """The pool for a board of runs, as deep as the measures look unless a depth is given."""
        options: dict[str, Any] = {
            "depth": self.usual_depth(measures) if depth is None else depth,
            "also": self.judged,
            "judges": {judge.name: judge for judge in self.judges},
            "cost": cost,
        }
        if self.table is not None:
            pool = self.table.board_pool(**options)
        else:
            pool = BoardPool.from_runs(self.runs, texts=self.documents, **options)
        return pool.with_query_texts(self.query_texts)

    def told_judges(self) -> tuple[MachineJudge, ...]:
        """The judges whose grades are columns of a table."""
        frames = [self.table.frame if self.table is not None else None, self.documents]
        told = [
            judges_in(frame)
            for frame in frames
            if hasattr(frame, "columns") and set(KEYS) <= set(getattr(frame, "columns", ()))
        ]
        return tuple(judge for named in told for judge in read_judges(named))

    def _judged_grades(self) -> list[float]:
        return [float(grade) for grade in files.judgments_from(self.judged)["grade"].unique().to_list()]


def _is_scale(grades: set[float]) -> bool:
    """Whether these are whole numbers that people could choose among."""
    return bool(grades) and all(grade == int(grade) for grade in grades) and max(grades) <= LARGEST_SCALE


UNITS: dict[str, tuple[Callable[[PooledDocuments], float], str]] = {
    "document": (lambda pool: float(pool.costs.mean()), "a document costs 1 on average"),
    "query": (lambda pool: float(pool.query_costs.mean()), "a query costs 1 on average"),
    "none": (lambda pool: 1.0, "costs as given in the pool"),
}
"""By name the size of a unit in the pool's own costs, and what it is in words."""

P = TypeVar("P", Pool, BoardPool)


def in_units(pool: P, unit: str, overhead: float | None = None) -> tuple[P, str]:
    """The pool with its costs in the unit, and what they are in words; `overhead` is the cost of opening a query, in
    documents."""
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if overhead is not None:
        opening = np.full(len(pool.queries), overhead * float(pool.costs.mean()))
        pool = pool.with_costs(pool.costs, opening)
    measured, words = UNITS[unit]
    size = measured(pool)
    return (pool if size == 1.0 else pool.with_costs(pool.costs / size, pool.overhead / size)), words
