"""What a dashboard shows of a campaign that takes long to compute.

With many labels it takes most of a second, and every open dashboard asks every few seconds: computed for each of them,
it would keep assessors waiting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import polars as pl

from rankgauge.judgments.agreement import Agreement
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import FEWEST
from rankgauge.labelling.methods import Estimate
from rankgauge.labelling.reports.board import BoardReport
from rankgauge.labelling.reports.campaign import movement
from rankgauge.render.passages import ReportTable
from rankgauge.render.svg import Drawing
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
    def of(cls, opened: OpenCampaign) -> Self:
        """The campaign as it is now."""
        campaign, estimate, review = opened.campaign, opened.estimate(), opened.review
        board = BoardReport.of(campaign, level=LEVEL) if isinstance(campaign, BoardCampaign) else None
        label = f"The estimate of {campaign.settings.measure} and its interval, over the cost"
        curve = opened.curve().filter(pl.col("draws") >= FEWEST)
        disputed, unsettled = review.disputed()
        return cls(
            estimate=estimate,
            lacking=campaign.lacking(estimate) if isinstance(campaign, Campaign) else None,
            board=board,
            matter=None if board is None else _matter(opened, board),
            chart=movement(curve, campaign.settings.budget, label),
            agreement=review.agreement(),
            disagreements=disputed,
            unsettled=unsettled,
            assessors=_assessors(review),
        )


def _matter(opened: OpenCampaign, board: BoardReport) -> ReportTable:
    """The open documents that a board hinges on most, by what people read of them."""
    pairs, titles = board.next_documents(), opened.texts.titles(board.next_documents())
    rows = [(opened.texts.queries[query], titles[query, document]) for query, document in pairs]
    return ReportTable(header=("query", "document"), rows=rows)


def _assessors(review: Review) -> ReportTable:
    own = review.everybody()
    rows = [(name, f"{one.done:,}", decimals(one.pace, 0)) for name, one in sorted(own.items())]
    numbers = ("Documents", "Per hour, lately")
    return ReportTable(header=("Assessor", *numbers), rows=rows, numbers=numbers)
