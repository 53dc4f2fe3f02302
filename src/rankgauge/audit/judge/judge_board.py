"""Judges and runs as a board: the pool of the graded pairs, and the judges' grades as what is believed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge.common_scale import people_scale
from rankgauge.audit.judge.pairs import KEYS, GradedPairs
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.columns import Columns
from rankgauge.numeric import FloatArray, IndexArray

DEEP = 1001.0
"""The rank at which a run no longer says anything of a document."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeBoard:
    """The pool of some runs over the pairs; `place` (documents of the pool) is the pair of each, `scale` people's.

    `columns` are what the judges say: a step for each level, and the company that a document is in. Documents that good
    runs find are better than the judges alone can tell, and poor runs' are worse; how much of that the judges' own
    order of the runs foretells is one more effect that labels show.
    """

    pairs: GradedPairs
    pool: BoardPool
    place: IndexArray
    scale: FloatArray
    columns: Columns

    @classmethod
    def of(cls, pairs: GradedPairs, judges: Sequence[str], runs: Mapping[str, Any], worth: FloatArray) -> JudgeBoard:
        """The board of some judges; `worth` (runs) is the value of each run by them."""
        rows = pairs.frame().with_row_index("pair")
        said = {name: pairs.machines[name] for name in judges}
        pool = BoardPool.from_runs(runs, only=rows.select(*KEYS, grade=pl.lit(0.0)), judges=said)
        place = pool.ids.join(rows, on=KEYS, how="left", maintain_order="left")["pair"].to_numpy().astype(np.int64)
        scale = scale_of(pairs, judges)
        parts = [one for one in (pool.columns(scale), _company(pool, worth)) if one is not None]
        columns = Columns.joined(parts)
        assert columns is not None
        return cls(pairs=pairs, pool=pool, place=place, scale=scale, columns=columns)

    @property
    def known(self) -> FloatArray:
        """People's grades of the documents of the pool, NaN where they gave none."""
        return np.asarray(self.pairs.people[self.place])


def scale_of(pairs: GradedPairs, judges: Sequence[str]) -> FloatArray:
    """People's scale: 0 and 1 if they used no other grade; else every whole grade up to the highest of anyone."""
    return people_scale(pairs.scale, max(float(np.ceil(pairs.judges[name].max())) for name in judges))


def _company(pool: BoardPool, worth: FloatArray) -> Columns:
    """Whether good or poor runs have a document near their tops, in standard deviations."""
    centred = worth - worth.mean()
    near = 1.0 - np.log(np.minimum(pool.rank, DEEP)) / np.log(DEEP)
    summed = np.bincount(pool.document, centred[pool.run] * near, minlength=len(pool.documents))
    values = summed[:, np.newaxis] / (summed.std() or 1.0)
    return Columns(values=values, mean=np.zeros(1), precision=np.ones(1))
