"""The queries of a campaign."""

from __future__ import annotations

from fastapi import Request, Response

from rankgauge.render.numbers import thousands
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.auth import TheRoom, Viewer
from rankgauge.room.filters import decimals
from rankgauge.room.route import pages

router = pages("queries", place=80, tab="Queries")

HINT = """Queries with documents that were handed out. A query has a value once every document that counts is judged;
the estimate does not need that."""


@router.get("/campaigns/{campaign}/queries")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The queries with documents that were handed out, and the values of those that are fully judged."""
    opened = room.campaigns.get(campaign)
    counts = (Column(name, format=thousands) for name in ("Documents", "Handed out", "Judged"))
    value = Column(opened.campaign.settings.measure, format=decimals)
    rows = [(opened.texts.queries[query], *numbers) for query, *numbers in opened.review.queries().iter_rows()]
    table = ReportTable(columns=("Query", *counts, value), rows=rows, title="Queries")
    return room.table_page(request, opened, table, hint=HINT, empty="No documents were handed out yet.")
