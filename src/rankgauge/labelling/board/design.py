"""The design: what labels shall settle first, and how much the label of each document is worth for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.lists import RunLists
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Policy


class GoalKind(Policy):
    """Goal: what labels settle first."""

    VALUES = "values", "narrow intervals of all runs"
    RANK = "rank", "the order of all runs"
    BEST = "best", "which runs are the best"
    BEATS = "beats", "which runs beat a baseline"


EXPECTED = "values, rank, best, best K for the first K runs, or beats RUN"


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A goal; `top` is how many runs are to be settled as the best, `baseline` the run that others are to beat."""

    kind: GoalKind = GoalKind.RANK
    top: int = 1
    baseline: str | None = None

    @classmethod
    def parse(cls, goal: str | Goal) -> Goal:
        """Return the goal that a text names, such as `rank`, `best 3` or `beats bm25`."""
        if isinstance(goal, Goal):
            return goal
        name, _, rest = goal.strip().partition(" ")
        kind = GoalKind.parse(name)
        match kind, rest.strip():
            case GoalKind.BEATS, baseline if baseline:
                return cls(kind=kind, baseline=baseline)
            case GoalKind.BEST, top if top.isdecimal() and int(top) > 0:
                return cls(kind=kind, top=int(top))
            case ((GoalKind.VALUES | GoalKind.RANK | GoalKind.BEST), ""):
                return cls(kind=kind)
        raise ParameterError("a board", "goal", EXPECTED, goal)

    def __str__(self) -> str:
        further = {GoalKind.BEATS: f" {self.baseline}", GoalKind.BEST: f" {self.top}" if self.top > 1 else ""}
        return f"{self.kind}{further.get(self.kind, '')}"

    def check(self, runs: Sequence[str]) -> None:
        """Raise an error if the goal cannot be one for these runs."""
        if self.baseline is not None and self.baseline not in runs:
            raise UnknownNameError("run", self.baseline, runs)
        if self.kind is GoalKind.BEST and not self.top < max(len(runs), 2):
            raise ParameterError("a board", "goal", f"fewer than the {len(runs)} runs that there are", str(self))

    def place(self, runs: Sequence[str]) -> int | None:
        """Return the position of the baseline among the runs."""
        return None if self.baseline is None else list(runs).index(self.baseline)

    def shares(
        self, runs: Sequence[str], leaders: BoolArray | None = None, rest: BoolArray | None = None
    ) -> FloatArray:
        """How much each run counts (adding up to 1): documents are worth what they move runs apart, by these shares.

        Half goes to the runs that others are measured against, half to those: the leaders and the rest of the race, or
        the baseline and the others. Who is in the race is known from an estimate; before the first one all runs are.
        """
        n = len(runs)
        even = np.full(n, 1.0 / n)
        if self.kind is GoalKind.BEATS and n > 1:
            leaders = np.arange(n) == self.place(runs)
            rest = ~leaders if rest is None else rest & ~leaders
        elif self.kind is not GoalKind.BEST:
            return even
        if leaders is None or rest is None or not leaders.any() or not rest.any():
            return even
        return np.asarray((leaders / np.count_nonzero(leaders) + rest / np.count_nonzero(rest)) / 2)


BLOCK = 8192
"""How many documents of whole queries are worked on at a time: runs × documents fit into the cache of a core or two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Slopes:
    """The parts of the slopes: `hit` (hits), `level` A (runs × queries), `curve` c (queries × thresholds), and
    `divisor` (queries), the ideal sum I that is divided by."""

    lists: RunLists
    hit: FloatArray
    level: FloatArray
    curve: FloatArray
    divisor: FloatArray

    @property
    def query(self) -> IndexArray:
        """The query of each document."""
        return self.lists.pool.query

    @property
    def scale(self) -> FloatArray:
        """1 / (I·Q) of each query."""
        return 1.0 / (self.divisor * len(self.divisor))

    def move(self, errors: FloatArray, documents: IndexArray) -> FloatArray:
        """Return what errors of the labels of some documents (documents × thresholds) move each run's value by (runs ×
        documents)."""
        query = self.query[documents]
        by_ideal = np.einsum("zt,zt->z", errors, self.curve[query])
        slopes = -self.level[:, query] * by_ideal
        place = np.full(len(self.query), -1)
        place[documents] = np.arange(len(documents))
        columns = place[self.lists.document]
        inside = np.flatnonzero(columns >= 0)
        columns = columns[inside]
        slopes[self.lists.run[inside], columns] += self.hit[inside] * (errors @ self.lists.target.steps)[columns]
        return np.asarray(slopes * self.scale[query])

    def spread(self, covariance: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Average ψ'Cψ of each document over the runs by their shares; return it, and that of the runs' mean slope.

        `covariance` is documents × thresholds × thresholds; shares add up to 1.
        """
        worth, both, ideal = self._forms(covariance)
        documents, q = len(self.query), self.query
        counted = self.hit * shares[self.lists.run]
        linear = np.bincount(self.lists.document, counted, minlength=documents)
        square = np.bincount(self.lists.document, counted * self.hit, minlength=documents)
        mixed = np.bincount(self.lists.document, counted * self.level.ravel()[self.lists.cell], minlength=documents)
        mean, squared = (shares @ self.level)[q], (shares @ self.level**2)[q]
        scale = self.scale[q] ** 2
        whole = scale * (square * worth - 2 * mixed * both + squared * ideal)
        shared = scale * (linear**2 * worth - 2 * linear * mean * both + mean**2 * ideal)
        return whole, shared

    def squares(self, covariance: FloatArray) -> FloatArray:
        """Σ_z ψ_s'C_zψ_s (runs): the diagonal of `gram`, for a fraction of its time."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        document, sums = self.lists.document, self.lists.sums
        mixed = 2 * self.level * sums(self.hit * both[document])
        by_query = np.bincount(self.query, ideal, minlength=len(self.scale))
        return np.asarray((sums(self.hit**2 * worth[document]) - mixed).sum(axis=1) + self.level**2 @ by_query)

    def fourths(self, covariance: FloatArray, weight: FloatArray) -> FloatArray:
        """Σ_z (ψ_s'C_zψ_s)² · weight_z (runs)."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        document, level = self.lists.document, self.level.ravel()[self.lists.cell]
        rest = level**2 * ideal[document]
        own = self.hit * (self.hit * worth[document] - 2 * level * both[document]) + rest
        by_query = np.bincount(self.query, ideal**2 * weight, minlength=len(self.scale))
        return np.asarray(self.lists.sums((own**2 - rest**2) * weight[document]).sum(axis=1) + self.level**4 @ by_query)

    def gram(self, covariance: FloatArray) -> FloatArray:
        """Σ_z ψ_s'C_zψ_t (runs × runs), for a covariance of each document's errors."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        cross = self.lists.sums(self.hit * both[self.lists.document]) @ self.level.T
        by_query = np.bincount(self.query, ideal, minlength=len(self.scale))
        return np.asarray(self._hit_gram(worth) - cross - cross.T + (self.level * by_query) @ self.level.T)

    def _forms(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """step'C step, step'C c and c'C c of each document."""
        steps, curve = self.lists.target.steps, self.curve[self.query]
        stepped, ideal = covariance @ steps, np.einsum("zt,ztu,zu->z", curve, covariance, curve)
        return stepped @ steps, np.einsum("zt,zt->z", stepped, curve), ideal

    def _hit_gram(self, worth: FloatArray) -> FloatArray:
        """Σ_z H_sz H_tz worth_z, block by block in single precision: it is a variance, and the products are many."""
        lists, (runs, queries) = self.lists, self.lists.shape
        values = (self.hit * np.sqrt(worth)[lists.document]).astype(np.float32)
        seen = np.zeros(len(self.query) + 1, dtype=bool)
        seen[lists.document] = True
        before = np.cumsum(seen) - seen  # how many documents before each one are retrieved
        place, columns = before[lists.document], before[np.searchsorted(self.query, np.arange(queries + 1))]
        edges = np.searchsorted(lists.cell, np.arange(runs * queries + 1))
        gram = np.zeros((runs, runs))
        cuts = np.unique(np.append(np.searchsorted(columns, np.arange(0, columns[-1], BLOCK)), queries))
        for first, last in pairwise(cuts.tolist()):
            dense = np.zeros((runs, columns[last] - columns[first]), dtype=np.float32)
            for run, row in enumerate(dense):
                hits = slice(edges[run * queries + first], edges[run * queries + last])
                row[place[hits] - columns[first]] = values[hits]
            gram += dense @ dense.T
        return gram


DOUBT = 0.02
"""What is added to the variance of a label under the beliefs, which may be too sure of themselves."""


def scores(
    slopes: Sequence[Slopes], shares: Sequence[FloatArray], goal: Goal, *, best: FloatArray, known: BoolArray
) -> FloatArray:
    """Return the score of each document: the chance that it is judged is in proportion to it.

        score² = max_f v_f / (Σ_z √v_f)²

    The largest of the measures f and not their sum: several that look at the top alike count once, so that AP does not
    go short beside them. v is the mean over runs of ψ'Cψ, by the share of each run, less that of their mean slope where
    labels are to move runs apart. `best` (documents × thresholds) is the label where it is known, else the
    belief; a known label is worth nothing.
    """
    gaps = np.abs(np.subtract.outer(*[np.arange(best.shape[1])] * 2))
    covariance = covariances(best) + DOUBT * 0.5**gaps
    covariance[known] = 0.0
    total = np.zeros(len(best))
    for moves, share in zip(slopes, shares, strict=True):
        whole, shared = moves.spread(covariance, share)
        # Values and a single run take the whole of a slope. So do shares of all relevant documents, whose number is
        # then not left to chance; but once few runs are in a race, only what moves these apart settles it.
        deep = moves.lists.target.deep and not np.ptp(share) > 0
        alike = goal.kind is GoalKind.VALUES or deep or len(share) == 1
        moved = np.maximum(whole if alike else whole - shared, 0.0)
        total = np.maximum(total, moved / (np.sqrt(moved).sum() ** 2 or 1.0))
    return np.sqrt(total)


def guessed_slopes(lists: RunLists, best: FloatArray) -> Slopes:
    """Return the slopes at the best guess."""
    target, starts, worth = lists.target, lists.pool.starts, best @ lists.target.steps
    level, curve, divisor = np.zeros(lists.shape), np.zeros((len(starts), best.shape[1])), np.ones(len(starts))
    if target.ideal is not None:
        counts = np.add.reduceat(best, starts, axis=0)
        noise = np.sqrt(np.add.reduceat(best * (1.0 - best), starts, axis=0))
        divisor = np.maximum(target.ideal.at(counts), target.ideal.least)
        level = lists.values(worth) / divisor
        curve = target.ideal.smooth_slopes(counts, np.maximum(noise, 0.5))
    return Slopes(lists=lists, hit=lists.slopes(worth), level=level, curve=curve, divisor=divisor)
