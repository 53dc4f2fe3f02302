"""What people would say of the documents that they have not seen: a judge's errors, learnt from few labels.

The model is that of a board's beliefs: the chance to reach each threshold of people's scale, from the judge's grade in
steps, the query's own effects, and the ranks. Labels say how far the judge is to be trusted; what they leave unknown is
drawn, not ignored, so that few labels give wide answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankgauge.audit.judge.judge_board import JudgeBoard
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.posterior import EffectsPosterior
from rankgauge.numeric import FloatArray

RUN_PRECISION = 5.0
"""How firmly a single run's effect is held to none: looser than on a board, where an estimate must not follow a few
labels. Here it is the differences between runs that are foretold."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorModel:
    """What people's labels say of a judge's errors."""

    board: JudgeBoard
    posterior: EffectsPosterior

    @classmethod
    def fit(cls, board: JudgeBoard) -> ErrorModel:
        """The model, fitted to people's labels."""
        known = board.known
        labelled = np.flatnonzero(~np.isnan(known))
        reached = (known[labelled, np.newaxis] >= board.scale[1:]).astype(np.float64)
        features = Features.of(board.pool, len(board.scale) - 1, board.columns)
        runs = np.arange(len(features.precision)) >= len(features.precision) - len(board.pool.runs)
        features = replace(features, precision=np.where(runs, RUN_PRECISION, features.precision))
        return cls(board=board, posterior=EffectsPosterior.of(features, labelled, reached))

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Sets of judgments that people may give (draws × pairs): their labels, and the rest as the model draws it."""
        known, place = self.board.known, self.board.place
        found = np.zeros((count, len(self.board.pairs.people)))
        for row, chances in zip(found, self.posterior.chances(rng, count), strict=True):
            levels = (rng.random((len(chances), 1)) < chances).sum(axis=1)
            row[place] = np.where(np.isnan(known), self.board.scale[levels], known)
        return found
