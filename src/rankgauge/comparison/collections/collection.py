"""One collection of a comparison: the values of its runs by query, or their scores alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.records import entity

if TYPE_CHECKING:
    from rankgauge.evaluation.result import Result


@entity
class Collection:
    """A collection with its runs; `scores` are measures × runs, `values` measures × queries × runs, where known."""

    name: str
    runs: tuple[str, ...]
    scores: FloatArray
    values: FloatArray | None = None
    queries: tuple[str, ...] = ()
    weight: float | None = None
    """The weight that it was given."""
    group: str = ""
    """The task that it belongs to."""
    results: Mapping[str, Result] | None = None
    """What the values are from."""

    @classmethod
    def from_results(cls, name: str, results: Mapping[str, Result], **said: Any) -> Collection:
        """Make a collection of evaluated runs; queries without a value in one of the runs are left out."""
        names = list(dict.fromkeys(query for result in results.values() for query in result.names))
        place = {query: row for row, query in enumerate(names)}
        measures = next(iter(results.values())).measures
        values = np.full((len(measures), len(names), len(results)), np.nan)
        for column, result in enumerate(results.values()):
            values[:, [place[query] for query in result.names], column] = result.matrix.T
        known = ~np.isnan(values).any(axis=(0, 2))
        kept = tuple(query for query, whole in zip(names, known, strict=True) if whole)
        shown = values[:, known]
        scores = shown.mean(axis=1) if len(kept) else np.full((len(measures), len(results)), np.nan)
        return cls(name=name, runs=tuple(results), scores=scores, values=shown, queries=kept, results=results, **said)

    @classmethod
    def from_scores(cls, name: str, scores: Mapping[str, Sequence[float]], **said: Any) -> Collection:
        """Make a collection of scores alone, a list by measure for each run."""
        return cls(name=name, runs=tuple(scores), scores=np.array(list(scores.values()), dtype=np.float64).T, **said)

    @property
    def judged(self) -> float:
        """The least share of what a measure looks at that is judged in a run; NaN where nobody knows."""
        shares = [one.share for result in (self.results or {}).values() for one in result.judged.values()]
        return min((one for one in shares if not math.isnan(one)), default=math.nan)

    @property
    def is_thin(self) -> bool:
        """Whether too little of a run is judged for its values to mean anything."""
        return any(one.is_thin for result in (self.results or {}).values() for one in result.judged.values())

    def of_runs(self, runs: Sequence[str]) -> Collection:
        """Return the collection with these runs, in this order."""
        from dataclasses import replace

        places = [self.runs.index(run) for run in runs]
        values = None if self.values is None else self.values[:, :, places]
        return replace(self, runs=tuple(runs), scores=self.scores[:, places], values=values)
