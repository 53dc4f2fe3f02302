"""Figure 1: how good one ranker is, a Random Forest or an ordered logit model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.experiments.papers.active.scenario import Scenario

if TYPE_CHECKING:
    from rankgauge.experiments.papers.active.models import Opinions

__all__ = ["scenarios"]

JUDGED = {"Random Forest": "RF regression", "ordered logit": "ordered logit"}


def scenarios(found: Opinions, seed: int) -> Iterator[Scenario]:
    """Each ranker by itself, with its own beliefs."""
    for title, ranker in JUDGED.items():
        yield Scenario(
            title=title,
            figure="figure-1",
            scores=(found.scores[ranker],),
            beliefs=found.believed(ranker),
            scale=found.scale,
        )
