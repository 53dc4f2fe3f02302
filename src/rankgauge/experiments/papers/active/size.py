"""Figure 3, right: whether twice as much training data makes a better Random Forest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.experiments.papers.active.scenario import Scenario

if TYPE_CHECKING:
    from rankgauge.experiments.papers.active.models import Opinions

__all__ = ["scenarios"]


def scenarios(found: Opinions, seed: int) -> Iterator[Scenario]:
    """All of the training queries against half of them; the paper has 200,000 documents against 100,000."""
    pair = ("RF regression", "RF regression, half")
    yield Scenario(
        title="training size",
        figure="figure-3",
        scores=(found.scores[pair[0]], found.scores[pair[1]]),
        beliefs=found.believed(*pair),
        scale=found.scale,
    )
