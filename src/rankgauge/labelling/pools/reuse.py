"""Reuse: whether judgments can score runs that had no part in making them.

Values and ranks are also computed as if some runs had not contributed to the pool.
"""

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
from rankgauge.labelling.simulations.jobs import Progress, report_nothing
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.statistics.correlation import kendall_tau


@dataclass(frozen=True, kw_only=True, eq=False)
class LeftOut:
    """The runs scored as if groups of them, one after the other, had not contributed.

    `groups` are the names, `group` (runs) the number of each run's own; `unique` and `relevant` (groups) count the
    documents that a group alone contributed, and the relevant ones of these. `values` (measures × runs) are those with
    all judgments, `without` (groups × measures × runs) those without a group's own documents.
    """

    kind: str
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    groups: tuple[str, ...]
    group: IndexArray
    contributed: IndexArray
    unique: IndexArray
    relevant: IndexArray
    values: FloatArray
    without: FloatArray

    @cached_property
    def contributors(self) -> IndexArray:
        """The groups that contributed at all."""
        return np.unique(self.group[self.contributed])

    @cached_property
    def own(self) -> FloatArray:
        """The value of each run without the documents of its own group (measures × runs)."""
        return self.without[self.group, :, np.arange(len(self.runs))].T

    @cached_property
    def taus(self) -> FloatArray:
        """Kendall's τ between the order of all runs and that without a group (groups × measures)."""
        return np.array(
            [[_tau(full, less) for full, less in zip(self.values, without, strict=True)] for without in self.without]
        )

    @cached_property
    def changes(self) -> FloatArray:
        """By how much each value changes if the run's own group is left out (measures × runs)."""
        return self.own - self.values

    @cached_property
    def ranks(self) -> IndexArray:
        """The rank of each run with all judgments (measures × runs)."""
        return np.array([_ranks(values) for values in self.values])

    @cached_property
    def falls(self) -> IndexArray:
        """By how many ranks each run falls if its own group is left out (measures × runs)."""
        after = [[_ranks(values) for values in without] for without in self.without]  # groups × measures × runs
        return np.array(after)[self.group, :, np.arange(len(self.runs))].T - self.ranks

    def by_run(self) -> pl.DataFrame:
        """A row for each run that contributed and each measure: its value and rank, with and without its group."""
        rows = [
            {
                "left_out": self.groups[self.group[run]],
                "run": self.runs[run],
                "measure": measure,
                "value": self.values[at, run],
                "without": self.own[at, run],
                "change": self.changes[at, run],
                "rank": int(self.ranks[at, run]),
                "rank_without": int(self.ranks[at, run] + self.falls[at, run]),
            }
            for at, measure in enumerate(self.measures)
            for run in self.contributed.tolist()
        ]
        return pl.DataFrame(rows)

    def by_group(self) -> pl.DataFrame:
        """A row for each group that contributed and each measure: what its own runs lose, and what the order does."""
        rows = []
        for at, measure in enumerate(self.measures):
            for group in self.contributors.tolist():
                mine = self.contributed[self.group[self.contributed] == group]
                rows.append(
                    {
                        "left_out": self.groups[group],
                        "runs": len(mine),
                        "unique": int(self.unique[group]),
                        "unique_relevant": int(self.relevant[group]),
                        "measure": measure,
                        "change": float(self.changes[at, mine].mean()),
                        "most": float(max(self.changes[at, mine], key=abs)),
                        "falls": int(self.falls[at, mine].max()),
                        "tau": float(self.taus[group, at]),
                    }
                )
        return pl.DataFrame(rows)

    def by_measure(self) -> pl.DataFrame:
        """Return a row for each measure: the bias of a run that did not contribute, and what it does to ranks.

        `change` is the mean over the runs that contributed, `relative` the same as a share of their values, `most` the
        largest one; `fall` and `most_fall` are ranks; `tau` is the lowest over the groups, and `own_tau` that of the
        order in which each run has the value without its own group.
        """
        rows, mine = [], self.contributed
        for at, measure in enumerate(self.measures):
            change, falls = self.changes[at, mine], self.falls[at, mine]
            worst = int(np.argmax(np.abs(change)))
            value = self.values[at][mine]
            rows.append(
                {
                    "measure": measure,
                    "change": float(change.mean()),
                    "relative": float(change.sum() / value.sum()) if value.sum() else np.nan,
                    "most": float(change[worst]),
                    "most_run": self.runs[mine[worst]],
                    "fall": float(np.abs(falls).mean()),
                    "most_fall": int(falls.max()),
                    "most_fall_run": self.runs[mine[int(np.argmax(falls))]],
                    "tau": float(self.taus[self.contributors, at].min()),
                    "own_tau": _tau(self.values[at], self.own[at]),
                }
            )
        return pl.DataFrame(rows)


def _tau(one: FloatArray, other: FloatArray) -> float:
    """Kendall's τ, where there are two runs or more."""
    return kendall_tau(one, other) if len(one) > 1 else np.nan


def _ranks(values: FloatArray) -> IndexArray:
    """Return the rank of each value, the highest first; equal ones share the better rank."""
    return np.asarray(len(values) - np.searchsorted(np.sort(values), values, side="right") + 1)


MEASURES = ("nDCG@10", "AP", "RBP")

KEYS = ["query", "document"]


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
    progress: Progress = report_nothing

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
        """The runs as if each team, by itself, had not contributed; None if no team is named."""
        return self._left_out("team") if self.teams else None

    def _left_out(self, kind: str) -> LeftOut:
        """Score the runs without each of the runs, or each of the teams, that contributed (`kind`: run or team)."""
        made, grades = self.contributions, self.judged_grades
        pool, worthy = made.pool, grades > 0
        every = np.arange(len(pool.runs))
        by_run = kind == "run"
        groups, group, owner = (pool.runs, every, made.by_run) if by_run else (made.teams, made.team, made.by_team)
        # Documents that are worth nothing change no value.
        small = subset(pool, runs=every >= 0, documents=worthy)
        targets = targets_of(pool, grades, self.measures, dialect=self.dialect)
        valued = RunValues(pool=small, targets=targets, queries=len(pool.queries))
        known, owned = valued.reach_levels(grades[worthy]), owner[worthy]
        values = valued.means(known)
        without = np.repeat(values[np.newaxis], len(groups), axis=0)
        for number, name in enumerate(groups):
            self.progress(number, len(groups), f"without {name}")
            if (owned == number).any():
                without[number] = valued.means(np.where((owned == number)[:, np.newaxis], 0.0, known))
        return LeftOut(
            kind=kind,
            measures=self.measures,
            runs=pool.runs,
            groups=groups,
            group=group,
            contributed=np.flatnonzero(made.contributed),
            unique=np.bincount(owner[owner >= 0], minlength=len(groups)),
            relevant=np.bincount(owner[(owner >= 0) & self.relevant], minlength=len(groups)),
            values=values,
            without=without,
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
    progress: Progress = report_nothing,
) -> Reuse:
    """Say whether judgments can score runs that did not contribute to them.

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
    reuse_ = Reuse(
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
    targets_of(pool, grades, reuse_.measures, dialect=dialect)  # and what grades make wrong, before the work begins
    return reuse_
