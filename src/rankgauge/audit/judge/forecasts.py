"""What people would say of the documents that they have not seen, from few labels, and which documents to show them.

The model is that of a board's beliefs: the chance to reach each threshold of people's scale, from the judge's grade in
steps, the query's own effects, and the ranks. Labels say how far the judge is to be trusted; what they leave unknown is
drawn, not ignored, so that few labels give wide answers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge.pairs import KEYS, GradedPairs, people_scale
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.board.beliefs import EffectsPosterior
from rankgauge.labelling.board.features import Columns, Features
from rankgauge.labelling.board.plan import expected_half_widths
from rankgauge.labelling.posterior import GradePosterior
from rankgauge.labelling.posterior.plan import expected_half_widths as expected_by_posterior
from rankgauge.labelling.posterior.plan import serves
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray

RUN_PRECISION = 5.0
"""How firmly a single run's effect is held to none: looser than on a board, where an estimate must not follow a few
labels. Here it is the differences between runs that are foretold."""

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
    def from_judges(
        cls, pairs: GradedPairs, judges: Sequence[str], runs: Mapping[str, Any], worth: FloatArray
    ) -> JudgeBoard:
        """Return the board of some judges; `worth` (runs) is the value of each run by them."""
        rows = pairs.frame().with_row_index("pair")
        said = {name: pairs.machines[name] for name in judges}
        pool = BoardPool.from_runs(runs, only=rows.select(*KEYS, grade=pl.lit(0.0)), judges=said)
        place = pool.ids.join(rows, on=KEYS, how="left", maintain_order="left")["pair"].to_numpy().astype(np.int64)
        # People's scale goes up to the highest grade of anyone.
        scale = people_scale(pairs.scale, max(float(np.ceil(pairs.judges[name].max())) for name in judges))
        parts = [one for one in (pool.columns(scale), _company(pool, worth)) if one is not None]
        columns = Columns.join(parts)
        assert columns is not None
        return cls(pairs=pairs, pool=pool, place=place, scale=scale, columns=columns)

    @property
    def known(self) -> FloatArray:
        """People's grades of the documents of the pool, NaN where they gave none."""
        return np.asarray(self.pairs.people[self.place])

    def draw_people(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Draw sets of judgments that people may give (draws × pairs): their labels, and the rest by a model.

        The model of a judge's errors is fitted to people's labels.
        """
        known, thresholds = self.known, self.scale[1:]
        labelled = np.flatnonzero(~np.isnan(known))
        features = Features.of(self.pool, len(thresholds), self.columns)
        runs = np.arange(len(features.precision)) >= len(features.precision) - len(self.pool.runs)
        features = replace(features, precision=np.where(runs, RUN_PRECISION, features.precision))
        reached = (known[labelled, np.newaxis] >= thresholds).astype(np.float64)
        posterior = EffectsPosterior.of(features, labelled, reached)
        drawn = np.zeros((count, len(self.pairs.people)))
        for row, chances in zip(drawn, posterior.chances(rng, count), strict=True):
            levels = (rng.random((len(chances), 1)) < chances).sum(axis=1)
            row[self.place] = np.where(np.isnan(known), self.scale[levels], known)
        return drawn


def _company(pool: BoardPool, worth: FloatArray) -> Columns:
    """Say whether good or poor runs have a document near their tops, in standard deviations."""
    centred = worth - worth.mean()
    near = 1.0 - np.log(np.minimum(pool.rank, DEEP)) / np.log(DEEP)
    summed = np.bincount(pool.document, centred[pool.run] * near, minlength=len(pool.documents))
    values = summed[:, np.newaxis] / (summed.std() or 1.0)
    return Columns(values=values, mean=np.zeros(1), precision=np.ones(1))


HALF_WIDTH = 0.03
"""How wide half an interval may be, unless another width is asked for."""

FEW, POINTS = 25, 12
"""The fewest labels for which the posterior's widths are foretold, and for how many numbers of labels they are."""

SUSPECTED = 0.5
"""The share of attention that runs get together which are suspected to be made by a judge."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelPlan:
    """A board that is planned with the judges' grades as beliefs and people's labels as known."""

    judged: JudgeBoard
    measure: Measure
    suspects: Sequence[str] = ()
    afresh: bool = False
    """Whether to plan as if people had judged nothing yet."""
    rel: float = 1.0
    dialect: str = "standard"

    @cached_property
    def board(self) -> Board:
        """The plan's board; documents of suspected runs count for more."""
        known = None if self.afresh else self.judged.known
        made = Board.of(
            self.judged.pool,
            [self.measure],
            grades=[float(grade) for grade in self.judged.scale],
            known=known,
            columns=self.judged.columns,
            rel=self.rel,
            dialect=self.dialect,
        )
        if not self.suspects:
            return made
        watched = np.isin(list(made.pool.runs), list(self.suspects))
        shares = SUSPECTED * watched / watched.sum() + (1 - SUSPECTED) * ~watched / max(1, (~watched).sum())
        return replace(made, shares=(shares / shares.sum(),))

    @cached_property
    def posterior(self) -> GradePosterior | None:
        """The posterior, if a campaign of these runs would estimate the measure by it rather than by the board."""
        pool = replace(self.judged.pool, known=self.board.known)
        if not serves(pool, self.board.targets):
            return None
        scale = self.judged.scale.tolist()
        made = GradePosterior.of(pool, [self.measure], grades=scale, rel=self.rel, dialect=self.dialect)
        return made if made.aimed else None

    @property
    def is_bound(self) -> bool:
        """Whether the labels that are needed are only the least that will be."""
        return self.posterior is None and self.board.is_shallow(self.board.targets[0])

    def labels_needed(self, half_width: float = HALF_WIDTH, *, seed: int = 0) -> int | None:
        """Return how many further labels bring half of a run's interval to that width, on average over the runs.

        None if not even all of them are expected to. It is a forecast by the beliefs, not a promise.
        """
        size, stream = int(np.count_nonzero(np.isnan(self.board.known))), self.board.stream(0)

        def is_enough(labels: int) -> bool:
            return expected_half_widths(self.board, stream, max(1, labels))[0] <= half_width

        if self.posterior is not None and size > 0:
            labels = np.unique(np.geomspace(min(FEW, size), size, POINTS).round().astype(np.int64))
            widths = expected_by_posterior(self.posterior, labels.tolist(), seed=seed)[:, 0]
            rising = -np.minimum.accumulate(widths)
            return round(float(np.exp(np.interp(-half_width, rising, np.log(labels)))))
        if size < 1 or not is_enough(size - 1):
            return None
        return 1 + bisect_left(range(1, size), True, key=is_enough)

    def first(self, count: int) -> pl.DataFrame:
        """The open documents whose labels are worth most: query, document, the grade by each judge, doubt, worth.

        The worth is what a label moves runs apart, times the doubt about the grade, in per cent of all documents'.
        """
        board, place = self.board, self.judged.place
        worth = np.where(np.isnan(board.known), board.scores, 0.0)
        chosen = np.argsort(-worth, kind="stable")[: min(count, int((worth > 0).sum()))]
        chance = board.guess[chosen]
        variance = (chance * (1 - chance)).sum(axis=1)
        # "by": a column that is called like a judge would make it an assessor where people add their grades.
        judges = {f"by {name}": grades[place[chosen]] for name, grades in self.judged.pairs.own.items()}
        pool = board.pool
        return pl.DataFrame(
            {
                "query": pool.queries.gather(pool.query[chosen]),
                "document": pool.documents.gather(chosen),
                **judges,
                "expected": np.round(chance @ np.diff(board.grades) + board.grades[0], 4),
                "doubt": np.round(np.sqrt(variance), 4),
                "worth": np.round(100 * worth[chosen] / (worth.sum() or 1.0), 4),
            }
        )
