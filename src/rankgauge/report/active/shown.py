"""What every report of a campaign is given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import polars as pl

from rankgauge.active.campaign import Campaign, CampaignSettings, Progress
from rankgauge.active.methods import Estimate

__all__ = ["Shown"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """A campaign as it stands: settings, progress, estimate, and how the estimate moved with the cost."""

    name: str
    settings: CampaignSettings
    progress: Progress
    estimate: Estimate | None
    curve: pl.DataFrame
    rankers: int
    pool: tuple[int, int]
    """The pool's queries and documents."""
    finished: bool
    """Whether the last draw of the plan is complete."""

    @classmethod
    def of(cls, campaign: Campaign, *, level: float, interval: str) -> Self:
        """The campaign as it stands now."""
        progress, length = campaign.progress(), campaign.plans[-1].length
        return cls(
            name=campaign.name,
            settings=campaign.settings,
            progress=progress,
            estimate=campaign.estimate(level=level, interval=interval),
            curve=campaign.curve(level=level, interval=interval),
            rankers=campaign.pool.rankers,
            pool=(len(campaign.pool.queries), len(campaign.pool.documents)),
            finished=length is not None and progress.complete >= length,
        )

    @property
    def value(self) -> str:
        """What is estimated."""
        measure = self.settings.measure
        return measure if self.rankers == 1 else f"{measure}, first ranker − second"

    @property
    def half(self) -> float:
        """How far the interval reaches to either side."""
        return math.nan if self.estimate is None else (self.estimate.high - self.estimate.low) / 2

    @property
    def used(self) -> float:
        """What the draws cost that the estimate rests on."""
        return 0.0 if self.curve.is_empty() else float(self.curve["cost"][-1])

    @property
    def outlook(self) -> float:
        """About how far the interval will reach once the budget is spent: widths fall with the root of the cost."""
        return self.half * math.sqrt(self.used / self.progress.budget)
