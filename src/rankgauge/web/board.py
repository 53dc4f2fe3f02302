"""What the dashboard shows of a campaign."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from rankgauge.active.campaign import Progress
from rankgauge.active.campaign.review import Disagreement
from rankgauge.active.methods import Estimate
from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.report.active.charts import movement
from rankgauge.web.campaigns import Opened

__all__ = ["Board", "Worker", "board", "how_they_agree"]


@dataclass(frozen=True, kw_only=True)
class Worker:
    """An assessor at work."""

    name: str
    done: int
    pace: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """A campaign at a glance."""

    progress: Progress
    estimate: Estimate | None
    chart: Markup
    agreement: Agreement | None
    disagreements: list[Disagreement]
    workers: list[Worker]

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval; None while there is none, as one that may be watched needs many draws."""
        half = math.inf if self.estimate is None else (self.estimate.high - self.estimate.low) / 2
        return half if math.isfinite(half) else None

    @property
    def unsettled(self) -> int:
        """How many disagreements nobody has ended."""
        return sum(one.settled is None for one in self.disagreements)


def board(opened: Opened) -> Board:
    """The campaign as it stands now."""
    progress, estimate = opened.campaign.progress(), opened.estimate()
    curve = opened.campaign.curve(interval=opened.interval)
    words = f"The estimate of {opened.campaign.settings.measure} and its interval, over what was spent"
    judgments = opened.review.judgments()
    names = judgments["assessor"].unique().sort()
    return Board(
        progress=progress,
        estimate=estimate,
        chart=Markup(movement(curve, progress.budget, words)),
        agreement=how_they_agree(judgments),
        disagreements=opened.review.disagreements(),
        workers=[_worker(opened, name) for name in names],
    )


def how_they_agree(judgments: pl.DataFrame) -> Agreement | None:
    """How far assessors agree; None where no two have judged the same document."""
    several = judgments.filter(pl.len().over("query", "document") > 1)
    return None if several.is_empty() else agreement(several)


def _worker(opened: Opened, name: str) -> Worker:
    own = opened.review.own(name)
    return Worker(name=name, done=own.done, pace=own.pace)
