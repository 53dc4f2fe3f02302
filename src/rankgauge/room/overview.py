"""What a dashboard shows of a campaign that takes long to compute.

With many labels it takes most of a second, and every open dashboard asks every few seconds: computed for each of them,
it would keep assessors waiting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import polars as pl

from rankgauge.judgments.agreement import Agreement
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import FEWEST
from rankgauge.labelling.methods import Estimate
from rankgauge.labelling.reports.board import BoardReport, board_report
from rankgauge.labelling.reports.campaign import movement
from rankgauge.render.numbers import thousands
from rankgauge.render.svg import Drawing
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.filters import decimals


@dataclass(frozen=True, kw_only=True, eq=False)
class Overview:
    """A campaign as a dashboard shows it, besides its progress."""

    estimate: Estimate | None
    lacking: int | None
    board: BoardReport | None
    matter: ReportTable | None
    """The open documents that a board hinges on most."""
    chart: Drawing | None
    agreement: Agreement | None
    disagreements: int
    unsettled: int
    assessors: ReportTable

    @classmethod
    def now(cls, opened: OpenCampaign) -> Self:
        """Return the campaign as it is now, computed once for the API and all dashboards."""
        kept: Self = opened.overview.now(opened.version, partial(cls.of, opened))
        return kept

    @classmethod
    def lately(cls, opened: OpenCampaign) -> Self:
        """Return the campaign as it is now or, where that takes long, as it was a moment ago."""
        kept: Self = opened.overview.lately(opened.version, partial(cls.of, opened))
        return kept

    @classmethod
    def of(cls, opened: OpenCampaign) -> Self:
        """Compute what dashboards show of the campaign."""
        campaign, estimate, review = opened.campaign, opened.estimate(), opened.review
        board = board_report(campaign, level=LEVEL)
        label = f"The estimate of {campaign.settings.measure} and its interval, over the cost"
        curve = opened.curve().filter(pl.col("draws") >= FEWEST)
        disputed, unsettled = review.disputed()
        return cls(
            estimate=estimate,
            lacking=campaign.lacking(estimate),
            board=board,
            matter=None if board is None else ReportTable(columns=("query", "document"), rows=board.matter),
            chart=movement(curve, campaign.settings.budget, label),
            agreement=review.agreement(),
            disagreements=disputed,
            unsettled=unsettled,
            assessors=_assessors(review),
        )


def _assessors(review: Review) -> ReportTable:
    own = review.everybody()
    rows = [(name, progress.done, progress.pace) for name, progress in sorted(own.items())]
    pace = Column("Per hour, lately", format=lambda pace: decimals(pace, 0))
    return ReportTable(columns=("Assessor", Column("Documents", format=thousands), pace), rows=rows)
