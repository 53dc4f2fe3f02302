"""The yardstick of campaigns by the posterior: the first labels by its order, later ones by what they would tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.plan import BATCH
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, standing_of


def standings_posterior(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the estimates of the first labels, chosen for the first measure and the goal of the board."""
    board, after = judged.board, tuple[PosteriorEstimate, ...]()
    names, scale = [target.name for target in board.targets], board.grades.tolist()
    posterior = GradePosterior.of(board.pool, names, grades=scale, dialect=board.targets[0].dialect)
    known, spent = np.full(judged.size, np.nan), 0
    for wanted in labels:
        while spent < wanted:
            size = min(wanted - spent, BATCH if spent >= posterior.first else posterior.first - spent)
            places = posterior.next(known, size, seed=seed, after=after, goal=board.goal)
            known[places], spent = judged.grades[places], spent + size
            after = posterior.estimate(known, seed=seed)
        yield tuple(map(standing_of, after))


POSTERIOR = Yardstick(
    name="posterior",
    title="Campaigns by the posterior of the grades, which serves a few runs and shallow pools",
    reference="",
    standings=standings_posterior,
    intervals=True,
    slow=True,
).register()
