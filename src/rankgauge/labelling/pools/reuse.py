"""Reuse: whether judgments can score runs that had no part in making them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.judged_hits import whole_judgments
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pools.contributions import Contributions, RunValues, check_measures, subset, targets_of
from rankgauge.labelling.pools.expectation import Expectations, NewRuns, expectations
from rankgauge.labelling.pools.left_out import LeftOut, Progress, leave_out
from rankgauge.numeric import BoolArray, FloatArray

MEASURES = ("nDCG@10", "AP", "RBP")

KEYS = ["query", "document"]


def _untold(done: int, parts: int, name: str) -> None:
    """Nobody is told how far the work is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reuse:
    """Judged runs, and perhaps runs that are new (`new`, runs), under the measures of a dialect.

    `grades` are those of the pool's documents, NaN for documents of new runs that nobody judged.
    """

    pool: BoardPool
    grades: FloatArray
    new: BoolArray
    measures: tuple[str, ...]
    dialect: str | Dialect = "standard"
    levels: tuple[float, ...] = ()
    """The grades of the scale, if it is declared: unjudged documents may have any of them."""
    depth: int | None = None
    """To which depth the runs were pooled; None: as the judgments show."""
    teams: Mapping[str, str] | None = None
    """The team of each run by its name; one that is not named is its own."""
    progress: Progress = _untold

    @cached_property
    def contributions(self) -> Contributions:
        """Who made the pool."""
        judged = ~np.isnan(self.grades)
        pool = self.pool
        if self.new.any():
            pool = subset(pool, runs=~self.new, documents=judged)
        return Contributions.of(pool, self.grades[judged], depth=self.depth, teams=self.teams)

    @property
    def judged_grades(self) -> FloatArray:
        """The grades of the judged documents."""
        return self.grades[~np.isnan(self.grades)]

    @property
    def relevant(self) -> BoolArray:
        """Which of the judged documents are relevant: those from the dialect's threshold on."""
        return np.asarray(self.judged_grades >= dialects.get(self.dialect).rel)

    @cached_property
    def without_runs(self) -> LeftOut:
        """The runs as if each of them, by itself, had not contributed."""
        return self._left_out("run")

    @cached_property
    def without_teams(self) -> LeftOut | None:
        """The same for teams, if there are any."""
        return self._left_out("team") if self.teams else None

    def _left_out(self, kind: str) -> LeftOut:
        return leave_out(
            self.contributions,
            self.judged_grades,
            self.measures,
            dialect=self.dialect,
            kind=kind,
            progress=self.progress,
        )

    @cached_property
    def expectations(self) -> Expectations:
        """How well the values of runs that did not contribute can be foretold."""
        made = self.contributions
        targets = targets_of(made.pool, self.judged_grades, self.measures, dialect=self.dialect)
        return expectations(made, self.judged_grades, targets, progress=self.progress)

    @cached_property
    def new_runs(self) -> NewRuns | None:
        """What can be said of the new runs, if there are any."""
        if not self.new.any():
            return None
        targets = targets_of(self.pool, self.grades, self.measures, dialect=self.dialect)
        valued = RunValues(pool=self.pool, targets=targets, queries=len(self.pool.queries))
        whole = targets_of(self.pool, self.grades, self.measures, dialect=self.dialect, levels=self.levels)
        return NewRuns(
            valued=valued,
            bounded=replace(valued, targets=whole),
            grades=self.grades,
            new=self.new,
            depth=self.contributions.depth,
            expectations=self.expectations,
        )


def reuse(
    judgments: Any,
    runs: Mapping[str, Any],
    measures: Sequence[str] = MEASURES,
    *,
    new: Mapping[str, Any] | None = None,
    teams: Mapping[str, str] | None = None,
    depth: int | None = None,
    dialect: str | Dialect = "standard",
    levels: Sequence[float] = (),
    progress: Progress = _untold,
) -> Reuse:
    """Whether judgments can score runs that did not contribute to them.

    `runs` (paths, frames, dicts; by name) are those that may have contributed, `new` those that did not. `teams` has
    the team of each run by its name. `depth` is to which depth runs were pooled; by default the greatest usual depth to
    which a tenth of the runs are judged. `levels` are the grades of the scale, by default those in the judgments: what
    is unjudged may have the highest of them, which is also the top for ERR.
    """
    fresh = dict(new or {})
    for name in fresh.keys() & runs.keys():
        raise InputError(f"{name} is both a run that may have contributed and a new one", hint="Name it only once.")
    check_measures(measures, dialect=dialect)  # before the files are read, which takes a while
    judged = whole_judgments(judgments)
    documents, sources = judged.select(*KEYS, "grade"), {**runs, **fresh}
    if fresh:
        for name, source in fresh.items():
            sources[name] = files.run_from(source)
        asked = documents.select(pl.col("query").unique())
        theirs = [
            sources[name].select(pl.col(KEYS).cast(pl.String), grade=pl.lit(0.0)).join(asked, on="query", how="semi")
            for name in fresh
        ]
        documents = pl.concat([documents.with_columns(pl.col("grade").cast(pl.Float64)), *theirs]).unique(
            KEYS, keep="first", maintain_order=True
        )
    pool = BoardPool.from_runs(sources, only=documents, unanswered=True)
    grades = pool.grades(judged)
    if levels:
        dialect = dialects.get(dialect).topped(float(np.nanmax([*grades, *levels])))
    if np.isnan(grades[pool.document]).all():
        raise InputError(
            "no judged document is in the runs",
            path=os.fspath(judgments) if isinstance(judgments, str | os.PathLike) else None,
            hint="Are both from the same collection, with ids of queries and documents spelled alike?",
        )
    found = Reuse(
        pool=pool,
        grades=grades,
        new=np.array([name in fresh for name in pool.runs]),
        measures=tuple(measures),
        dialect=dialect,
        levels=tuple(levels),
        depth=depth,
        teams=teams,
        progress=progress,
    )
    targets_of(pool, grades, found.measures, dialect=dialect)  # and what grades make wrong, before the work begins
    return found
