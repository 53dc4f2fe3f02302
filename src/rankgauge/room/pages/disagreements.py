"""Where assessors disagree, and the admin's decision."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import polars as pl
from fastapi import Form, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.render.numbers import percent
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import Settlement
from rankgauge.room.auth import Manager, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.filters import decimals
from rankgauge.room.route import PageNumber, pages

router = pages("disagreements", place=70, tab="Disagreements")

PAGE = 20
"""How many documents a page shows."""


@router.get("/campaigns/{campaign}/disagreements")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int, page: PageNumber = 1) -> Response:
    """A page of the documents that assessors disagree on, those that are open first; the first page also says how well
    they agree overall."""
    opened = room.campaigns.get(campaign)
    disputed, _ = opened.review.disputed()
    return room.page(
        request,
        "disagreements.html",
        opened=opened,
        found=opened.review.disagreements((page - 1) * PAGE, page * PAGE),
        tables=_tables(opened) if page == 1 else [],
        choices=opened.choices(),
        page=page,
        pages=max(-(-disputed // PAGE), 1),
    )


@router.post("/campaigns/{campaign}/disagreements")
def settle(
    room: TheRoom, person: Manager, campaign: int, settled: Annotated[Settlement, Form()], page: PageNumber = 1
) -> Response:
    """Records the grade that replaces those of the assessors, and shows the page again that it was sent from."""
    room.campaigns.get(campaign).answers.record([settled.label(person)], leased=False)
    return RedirectResponse(f"/campaigns/{campaign}/disagreements?page={page}", status_code=303)


def _tables(opened: OpenCampaign) -> list[ReportTable]:
    """The coefficients, pairs of assessors, and how often they gave which different grades."""
    found, level = opened.review.agreement(), opened.level_name
    if found is None:
        return []
    documents, two = Column("Documents", "items", str), partial(decimals, digits=2)
    values = found.coefficients.select("coefficient", "value").rows()
    coefficients = [(COEFFICIENTS[name].title, value) for name, value in values]
    pairs = (
        Column("Assessors", ("assessor", "other"), "{} and {}".format, left=True),
        documents,
        Column("Agree", "observed", percent),
        Column("Kappa", "kappa", two),
    )
    confusion = (
        Column("Assessors", ("assessor", "other"), "{}, {}".format, left=True),
        Column("Grades", ("grade", "other_grade"), lambda own, other: f"{level(own)}, {level(other)}", left=True),
        documents,
    )
    apart = found.confusion.filter((pl.col("grade") != pl.col("other_grade")) & (pl.col("items") != 0))
    return [
        ReportTable(
            columns=("Coefficient", Column("Value", format=two)), rows=coefficients, title="How well assessors agree"
        ),
        ReportTable(columns=pairs, rows=found.pairs.rows(named=True), title="Pairs of assessors"),
        ReportTable(columns=confusion, rows=apart.rows(named=True), title="Confusion"),
    ]
