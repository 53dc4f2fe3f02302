"""Who made a pool: the runs whose first documents are judged throughout, and what each of them alone brought in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

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
        """What the grades (documents, NaN where there is none) say of who was pooled."""
        judged = ~np.isnan(grades)
        reach = judged_depths(pool, judged)
        if depth is None:
            depth = _inferred(reach, pool.deepest)
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
        """For each document the one group of runs that alone contributed it, −1 where none or several did."""
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


def _inferred(reach: FloatArray, deepest: int) -> int:
    """The greatest usual depth to which a tenth of the runs are judged."""
    fewest = max(1, int(np.ceil(RUNS * len(reach))))
    found = [depth for depth in DEPTHS if depth <= deepest and np.count_nonzero(reach >= depth) >= fewest]
    if not found:
        raise InputError(
            f"no run's first {DEPTHS[0]} documents are all judged, so that the depth of the pool is not known",
            hint="Say to which depth the runs were pooled, as in --pool-depth 10.",
        )
    return max(found)


def read_teams(lines: Sequence[str], path: str | None = None) -> dict[str, str]:
    """The team of each run, from lines of a run and its team; a first line may name the columns."""
    found: dict[str, str] = {}
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
        if found.setdefault(parts[0], parts[1]) != parts[1]:
            raise InputError(
                f"run {parts[0]} is in two teams, {found[parts[0]]} and {parts[1]}", path=path, line=number
            )
    return found
