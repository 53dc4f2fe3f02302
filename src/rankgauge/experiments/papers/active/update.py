"""Figure 3, left: what an index update changes, after which a tenth of the documents is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.experiments.papers.active.scenario import Scenario

if TYPE_CHECKING:
    from rankgauge.experiments.papers.active.models import Opinions

__all__ = ["GONE", "scenarios"]

GONE = 0.1
RANKER = "RF regression"


def scenarios(found: Opinions, seed: int) -> Iterator[Scenario]:
    """The Random Forest's lists before and after the update; each query keeps a document at least."""
    scores = found.scores[RANKER]
    rng = np.random.default_rng([seed, 1])
    gone = rng.random(len(scores)) < GONE
    _, first = np.unique(found.split.pool.queries.astype(str), return_index=True)
    gone[first] = False
    yield Scenario(
        title="index update",
        figure="figure-3",
        scores=(scores, np.where(gone, np.nan, scores)),
        beliefs=found.believed(RANKER),
        scale=found.scale,
    )
