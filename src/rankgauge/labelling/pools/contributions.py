"""Who made a pool: the runs whose first documents are judged throughout, and what each of them alone brought in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool, BoardTarget
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.target import mark_reached, taken_apart
from rankgauge.labelling.target import form_weights
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Ties


def rank_weights(measure: str, deepest: int, *, dialect: str = "standard") -> FloatArray:
    """Return the weights of the ranks 1, 2, … up to the deepest, 0 past the cutoff.

    They are those of the measure's own formula: 1 / log2(1 + rank) for nDCG, 1 / rank for AP and ERR, 1 for precision
    and recall, p^(rank − 1) for RBP.
    """
    read = dialects.get(dialect).read(parse(measure)).bound(DEFAULTS)
    form = read.numerator() or read.form()
    if form is None:
        expected = "one whose ranks have weights of their own, such as nDCG@10, AP, P@10, RBP or ERR@10"
        raise ParameterError("a pool", "measure", expected, measure)
    return form_weights(form, deepest)


def subset(pool: BoardPool, *, runs: BoolArray, documents: BoolArray) -> BoardPool:
    """Return the pool of these runs and documents alone; queries that have none of the documents are left out."""
    sizes = np.add.reduceat(documents, pool.starts, dtype=np.int64)
    kept, hits = sizes > 0, runs[pool.run] & documents[pool.document]
    number = np.cumsum(runs) - 1
    place = np.cumsum(documents) - 1
    return replace(
        pool,
        runs=tuple(name for name, run in zip(pool.runs, runs, strict=True) if run),
        queries=pool.queries.filter(pl.Series(kept)),
        documents=pool.documents.filter(pl.Series(documents)),
        sizes=sizes[kept],
        run=number[pool.run[hits]],
        document=place[pool.document[hits]],
        rank=pool.rank[hits],
        lengths=pool.lengths[np.ix_(runs, kept)],
        known=pool.known[documents],
        costs=pool.costs[documents],
        overhead=pool.overhead[kept],
        facts=None,
        judges=(),
        texts=None,
    )


def targets_of(
    pool: BoardPool,
    grades: FloatArray,
    measures: Sequence[str],
    *,
    dialect: str | Dialect,
    levels: Sequence[float] = (),
) -> tuple[BoardTarget, ...]:
    """Return the measures as targets on the scale of these grades, and of `levels` that nobody gave."""
    scale = np.unique(np.maximum(np.append(grades[~np.isnan(grades)], 0.0), 0.0))
    if len(scale) < 2:
        raise InputError("no judged document has a grade above 0", hint="Are these the judgments of these runs?")
    scale = np.union1d(scale, np.maximum(np.asarray(levels, dtype=np.float64), 0.0))
    targets = []
    for name in measures:
        with _name_measure_in_errors(name):
            targets.append(BoardTarget.of(name, pool, grades=scale, dialect=dialect))
    return tuple(targets)


def check_measures(measures: Sequence[str], *, dialect: str | Dialect) -> None:
    """Raise an error for a measure that cannot be a target, whatever the runs and the grades are."""
    for name in measures:
        with _name_measure_in_errors(name):
            taken_apart(name, dialects.get(dialect).changed(ties=Ties.INPUT))


@contextmanager
def _name_measure_in_errors(name: str) -> Iterator[None]:
    """Errors have the name that the user wrote."""
    try:
        yield
    except ParameterError as error:
        got = name if error.parameter == "measure" else error.got
        raise ParameterError("pool reuse", error.parameter, error.expected, got) from None


@dataclass(frozen=True, kw_only=True, eq=False)
class RunValues:
    """The runs of a pool, and the measures by which they are valued; means are over `queries` queries.

    A query whose documents are not in the pool is worth 0 to every run.
    """

    pool: BoardPool
    targets: tuple[BoardTarget, ...]
    queries: int

    @cached_property
    def lists(self) -> tuple[RunLists, ...]:
        """The runs' lists as each measure reads them."""
        return tuple(RunLists.of(self.pool, target) for target in self.targets)

    def reach_levels(self, grades: FloatArray) -> FloatArray:
        """Say whether each document reaches each threshold of the scale; one without a grade reaches none."""
        return mark_reached(np.nan_to_num(grades, nan=-np.inf), self.targets[0].grades)

    def by_query(self, at: int, known: FloatArray) -> FloatArray:
        """Return the values (runs × queries) by one measure, with these numbers in place of labels (documents ×
        thresholds)."""
        return self.lists[at].score(known)

    def means(self, known: FloatArray) -> FloatArray:
        """Return the mean of each run by each measure (measures × runs)."""
        return np.array([self.by_query(at, known).sum(axis=1) / self.queries for at in range(len(self.targets))])


DEPTHS = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 1000)
"""The depths to which pools are made."""

QUERIES = 0.9
"""A run counts as pooled to a depth if its first documents are judged in this share of its queries: a few are lost."""

RUNS = 0.1
"""The share of the runs that must be judged to a depth for it to be the pool's."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions:
    """The runs of a judged pool, its depth, which runs contributed to it, and each run's team (`team`, by number).

    `judged` are the documents of the pool that have a grade.
    """

    pool: BoardPool
    judged: BoolArray
    depth: int
    contributed: BoolArray
    team: IndexArray
    teams: tuple[str, ...]
    assumed: bool = False
    """Whether every run is taken to have contributed, as none is judged to that depth."""

    @classmethod
    def of(
        cls, pool: BoardPool, grades: FloatArray, *, depth: int | None = None, teams: Mapping[str, str] | None = None
    ) -> Contributions:
        """Return what the grades (documents, NaN where there is none) say of who was pooled."""
        judged = ~np.isnan(grades)
        reach = judged_depths(pool, judged)
        if depth is None:
            depth = _infer_depth(reach, pool.deepest)
        elif depth < 1:
            raise ParameterError("pool reuse", "pool_depth", "a whole number, 1 or more", depth)
        contributed = reach >= depth
        names = [(teams or {}).get(run, run) for run in pool.runs]
        known = tuple(dict.fromkeys(names))
        return cls(
            pool=pool,
            judged=judged,
            depth=depth,
            contributed=contributed if contributed.any() else np.ones_like(contributed),
            team=np.array([known.index(name) for name in names]),
            teams=known,
            assumed=not contributed.any(),
        )

    def owners(self, groups: IndexArray) -> IndexArray:
        """Return for each document the one group of runs that alone contributed it, −1 where none or several did."""
        pool, mine = self.pool, self._pooled
        document, group = pool.document[mine], groups[pool.run[mine]]
        first, last = np.full(len(pool.documents), groups.max() + 1), np.full(len(pool.documents), -1)
        np.minimum.at(first, document, group)
        np.maximum.at(last, document, group)
        return np.where(first == last, first, -1)

    @cached_property
    def _pooled(self) -> BoolArray:
        """The hits on judged documents by which runs contributed."""
        pool = self.pool
        return (pool.rank <= self.depth) & self.contributed[pool.run] & self.judged[pool.document]

    @cached_property
    def unclaimed(self) -> BoolArray:
        """The judged documents that no contributing run has among its first: other runs, or another way, found them."""
        claimed = np.zeros(len(self.pool.documents), dtype=bool)
        claimed[self.pool.document[self._pooled]] = True
        return self.judged & ~claimed

    @cached_property
    def by_run(self) -> IndexArray:
        """The run that alone contributed each document."""
        return self.owners(np.arange(len(self.pool.runs)))

    @cached_property
    def by_team(self) -> IndexArray:
        """The team that alone contributed each document."""
        return self.owners(self.team)


def judged_depths(pool: BoardPool, judged: BoolArray) -> FloatArray:
    """How deep each run is judged without a gap, in nine of ten of its queries; a list that is judged to its end is
    judged to any depth."""
    hits = judged[pool.document]
    cell, rank = pool.cell[hits], pool.rank[hits]
    lists = len(pool.runs) * len(pool.queries)
    counts = np.bincount(cell, minlength=lists)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    prefix = np.bincount(cell, rank == place, minlength=lists).reshape(pool.lengths.shape)
    whole = np.where(prefix >= pool.lengths, np.inf, prefix)
    return np.array(
        [
            np.sort(depths[lengths > 0])[int((1 - QUERIES) * np.count_nonzero(lengths > 0))] if lengths.any() else 0.0
            for depths, lengths in zip(whole, pool.lengths, strict=True)
        ]
    )


def _infer_depth(reach: FloatArray, deepest: int) -> int:
    """Return the greatest usual depth to which a tenth of the runs are judged."""
    fewest = max(1, int(np.ceil(RUNS * len(reach))))
    depths = [depth for depth in DEPTHS if depth <= deepest and np.count_nonzero(reach >= depth) >= fewest]
    if not depths:
        raise InputError(
            f"no run's first {DEPTHS[0]} documents are all judged, so that the depth of the pool is not known",
            hint="Say to which depth the runs were pooled, as in --pool-depth 10.",
        )
    return max(depths)


def read_teams(lines: Sequence[str], path: str | None = None) -> dict[str, str]:
    """Return the team of each run, from lines of a run and its team; a first line may name the columns."""
    teams: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        mark = next((sign for sign in "\t," if sign in line), None)
        parts = [part.strip() for part in line.split(mark)]
        if len(parts) != 2 or not all(parts):
            raise InputError(
                f"expected a run and its team, got {line.strip()!r}",
                path=path,
                line=number,
                hint="Two columns, separated by a tab.",
            )
        if number == 1 and parts[1].lower() in ("team", "group", "participant"):
            continue
        if teams.setdefault(parts[0], parts[1]) != parts[1]:
            raise InputError(
                f"run {parts[0]} is in two teams, {teams[parts[0]]} and {parts[1]}", path=path, line=number
            )
    return teams
