"""Figure 2: which of two rankers is better, for three pairs; the beliefs are the mixture of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.experiments.papers.active.scenario import Scenario

if TYPE_CHECKING:
    from rankgauge.experiments.papers.active.models import Opinions

__all__ = ["PAIRS", "scenarios"]

PAIRS = {
    "RF regression − RF classification": ("RF regression", "RF classification"),
    "ordered logit − RankSVM": ("ordered logit", "RankSVM"),
    "ordered logit − Random Forest": ("ordered logit", "RF regression"),
}


def scenarios(found: Opinions, seed: int) -> Iterator[Scenario]:
    """The three pairs."""
    for title, pair in PAIRS.items():
        scores = (found.scores[pair[0]], found.scores[pair[1]])
        yield Scenario(title=title, figure="figure-2", scores=scores, beliefs=found.believed(*pair), scale=found.scale)
