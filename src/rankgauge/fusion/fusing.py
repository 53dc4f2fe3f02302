"""Several runs → one: the runs are read, their scores normalised, and every document gets its fused score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import files
from rankgauge.constraints import whole_number
from rankgauge.errors import InputError, ParameterError
from rankgauge.fusion.judged_queries import JudgedQueries
from rankgauge.fusion.method import (
    NONE,
    NORMALISATIONS,
    Evidence,
    FusionMethod,
    LearnedMethod,
    Normalisation,
    UnfitListError,
    find,
    make_method,
)
from rankgauge.fusion.run_pool import RunPool, Watch, silent
from rankgauge.fusion.stack import Stack
from rankgauge.input_notes import note
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking.scan.lines import Words
from rankgauge.threads import spread

DEFAULT, WEIGHTED, NORM = "rrf", "weighted-sum", "min-max"
"""The method if none is named, without and with weights, and the normalisation."""

UNNAMED = (
    f"without --method or --weights, runs are fused by {DEFAULT}, which looks at ranks alone; name a method on scores, "
    "such as --method combsum"
)
"""Why there is nothing to normalise."""

LARGEST = 1e100
"""Scores beyond this are not computed with: their sums and squares may be infinite."""


def fuse(
    runs: Mapping[str, Any] | Iterable[Any],
    method: str | FusionMethod | None = None,
    *,
    norm: str | None = None,
    weights: Sequence[float] | None = None,
    judgments: Any = None,
    ties: str = Ties.EXPECTED,
    depth: int | None = None,
    **settings: Any,
) -> Fusion:
    """Make one run of several.

    >>> bm25, dense = {"q1": {"a": 9.0, "b": 8.0}}, {"q1": {"b": 0.7, "c": 0.6}}
    >>> fuse({"bm25": bm25, "dense": dense}, "rrf").frame["document"].to_list()
    ['b', 'a', 'c']

    `runs` are runs by name, or a list of them: paths, frames, dicts of dicts. `method` is one of `rankgauge fuse
    --help`, or ranx's name for it (default: rrf, or weighted-sum if there are weights); `settings` are its parameters,
    such as `k=60`, and `weights` those of the runs.
    `norm` makes scores comparable before they are added (default: min-max); methods that look at ranks alone need
    none. Methods that learn do so from `judgments`. With `ties="expected"` tied documents share what their ranks are
    worth; `ties="input"` takes them in the order of the run. `depth` cuts the fused lists.
    """
    named = method or (DEFAULT if weights is None else WEIGHTED)
    if not isinstance(named, str | FusionMethod):
        raise ParameterError("fuse", "method", "a name, after the runs in one list or dict", type(named).__name__)
    chosen = make_method(named, weights=weights, **settings) if isinstance(named, str) else named
    how = FusionPlan.of(chosen, norm=norm, ties=ties, depth=depth, by_default=method is None)
    pool = RunPool.of(files.named_runs("fuse", runs))
    if judgments is not None and not isinstance(chosen, LearnedMethod):
        note(f"the judgments were not used: {chosen.name} does not learn; tune_fusion finds its settings by them")
    return how.run(pool, judgments=judgments)


@dataclass(frozen=True, kw_only=True, eq=False)
class FusionPlan:
    """How runs are fused."""

    method: FusionMethod
    norm: Normalisation
    ties: Ties = Ties.EXPECTED
    depth: int | None = None

    @classmethod
    def of(
        cls,
        method: str | FusionMethod,
        *,
        norm: str | None,
        ties: str = Ties.EXPECTED,
        depth: int | None,
        by_default: bool = False,
    ) -> FusionPlan:
        """Return the plan; a wrong name shows at once. A method that looks at ranks alone needs no normalisation.

        `by_default` says that nobody named the method.
        """
        method = make_method(method) if isinstance(method, str) else method
        by_rank = method.looks_at is Evidence.RANKS
        normalisation = find(NORMALISATIONS, norm or (NONE if by_rank else NORM))
        if by_rank and not normalisation.inverts and normalisation.name != NONE:
            expected = UNNAMED if by_default else f"{method.name} looks at ranks alone"
            raise ParameterError("fuse", "norm", f"left out: {expected}", norm)
        if ties not in (Ties.EXPECTED, Ties.INPUT):
            raise ParameterError("fuse", "ties", f"{Ties.EXPECTED} or {Ties.INPUT}", ties)
        whole_number(optional=True).check("fuse", "depth", depth)
        return cls(method=method, norm=normalisation, ties=Ties.parse(ties), depth=depth)

    def run(self, pool: RunPool, *, judgments: Any = None, watch: Watch = silent) -> Fusion:
        """Return the fused run; a method that has nothing learned yet learns from the judgments."""
        self.method.check(len(pool.runs))
        turned = self.turn_over(pool)
        method, learned_from = self.method, 0
        if isinstance(method, LearnedMethod) and method.learned is None:
            if judgments is None:
                raise ParameterError(method.name, "judgments", "given: the method learns from judged queries", None)
            judged = JudgedQueries.of(turned, files.judgments_from(judgments))
            lessons = judged.lessons(self.stack(turned, judged.positions), method.rel)
            method, learned_from = method.learn(lessons), len(judged)
        parts, blocks = [], list(turned.blocks())
        for part in spread(lambda block: self._fuse_queries(turned, block, method), blocks):
            parts.append(part)
            watch(len(parts), len(blocks), method.name)
        return Fusion(plan=self, pool=turned, parts=parts, method=method, learned_from=learned_from)

    def turn_over(self, pool: RunPool) -> RunPool:
        """Return the pool, turned over where the least score is the best."""
        return pool.invert() if self.norm.inverts else pool

    def stack(self, pool: RunPool, queries: IndexArray) -> Stack:
        """Return the stack of some queries, with normalised scores."""
        stack = pool.stack(queries, averages=self.ties is Ties.EXPECTED)
        try:
            if self.method.looks_at is not Evidence.RANKS and not (fine := np.abs(stack.score) <= LARGEST).all():
                entry = int(np.argmin(fine))
                number = int(np.searchsorted(stack.starts, entry, side="right")) - 1
                problem = f"has a score of {stack.score[entry]:g}, which is too large to compute with"
                raise UnfitListError(number, problem, "Use a method that looks at ranks alone, such as rrf.")
            return self.norm.apply(stack)
        except UnfitListError as error:
            run, query = int(stack.list_run[error.number]), int(queries[stack.list_query[error.number]])
            problem = f"the list of query {pool.queries[query]} {error.problem}"
            raise InputError(problem, path=list(pool.runs)[run], hint=error.hint) from None

    def _fuse_queries(self, pool: RunPool, queries: IndexArray, method: FusionMethod) -> FusedLists:
        stack = self.stack(pool, queries)
        slots, scores = stack.order(method.scores(stack))
        counts = stack.pooled
        if self.depth is not None and counts.max(initial=0) > self.depth:
            rank = np.arange(len(slots)) - np.repeat(np.cumsum(counts) - counts, counts)
            kept = rank < self.depth
            slots, scores, counts = slots[kept], scores[kept], np.minimum(counts, self.depth)
        return FusedLists(
            queries=queries,
            counts=counts,
            documents=stack.documents.take(stack.heads.take(slots), axis=0),
            scores=scores,
            shared=np.bincount(stack.listed.astype(np.int64), minlength=stack.runs + 1),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class FusedLists:
    """The fused lists of some queries, one after another."""

    queries: IndexArray
    counts: IndexArray
    documents: Words
    scores: FloatArray
    shared: IndexArray
    """How many documents 0, 1, 2 … runs list, before lists are cut."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fusion:
    """A fused run, and how it was made."""

    plan: FusionPlan
    pool: RunPool
    parts: list[FusedLists]
    method: FusionMethod
    """The method, with what it learned."""
    learned_from: int = 0
    """From how many judged queries the method learned."""

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The run: query, document, score, by falling score."""
        names = pl.Series("query", self.pool.queries)
        queries = np.concatenate([np.repeat(part.queries, part.counts) for part in self.parts])
        return pl.DataFrame(
            {
                "query": names.gather(queries),
                "document": self.pool.spelled(np.concatenate([part.documents for part in self.parts])),
                "score": np.concatenate([part.scores for part in self.parts]),
            }
        )

    @cached_property
    def shared(self) -> IndexArray:
        """How many of each run's documents another run lists too."""
        counts = np.zeros(len(self.pool.runs), dtype=np.int64)
        for block in self.pool.blocks():
            stack = self.pool.stack(block)
            counts += np.bincount(stack.run[stack.listed[stack.slot] > 1], minlength=len(counts))
        return counts

    def __repr__(self) -> str:
        made = f"{len(self.pool.runs)} runs, {len(self.pool.queries):,} queries, {self.documents:,} documents"
        return f"<{made}, fused by {self.method.name}>"

    @property
    def documents(self) -> int:
        """How many documents the fused run lists."""
        return sum(len(part.scores) for part in self.parts)

    @property
    def times(self) -> IndexArray:
        """How many documents 0, 1, 2 … runs list."""
        return np.asarray(np.sum([part.shared for part in self.parts], axis=0))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the run as {query: {document: score}}."""
        lists: dict[str, dict[str, float]] = {query: {} for query in self.pool.queries}
        for query, document, score in self.frame.iter_rows():
            lists[query][document] = score
        return lists

    def write(self, path: str | os.PathLike[str], format: str | None = None, *, tag: str | None = None) -> None:
        """Write the run into a file, in the format of its suffix; its tag is the method's name."""
        files.write_run(self.frame, path, format, tag=tag or self.method.name)
