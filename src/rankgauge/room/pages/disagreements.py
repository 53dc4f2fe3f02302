"""Where assessors disagree, and the admin's decision."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.render.numbers import share
from rankgauge.render.passages import ReportTable
from rankgauge.room.answers import Settlement
from rankgauge.room.auth import Manager, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.filters import decimals
from rankgauge.room.route import PageNumber, pages

router = pages("disagreements", place=70, tab="Disagreements")

PAGE = 20
"""How many documents a page shows."""

PAIR = ("assessor", "other", "items", "observed", "kappa")
"""What is shown of two assessors."""


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
    values = found.coefficients.select("coefficient", "value").rows()
    coefficients = [(COEFFICIENTS[name].title, decimals(value, 2)) for name, value in values]
    pairs = [
        (f"{one} and {other}", str(items), share(observed, 1), decimals(kappa, 2))
        for one, other, items, observed, kappa in found.pairs.select(PAIR).rows()
    ]
    confusion = [
        (f"{row['assessor']}, {row['other']}", f"{level(row['grade'])}, {level(row['other_grade'])}", str(row["items"]))
        for row in found.confusion.iter_rows(named=True)
        if row["grade"] != row["other_grade"] and row["items"]
    ]
    agree, count = ("Documents", "Agree", "Kappa"), ("Documents",)
    return [
        ReportTable(
            title="How well assessors agree", header=("Coefficient", "Value"), rows=coefficients, numbers=("Value",)
        ),
        ReportTable(title="Pairs of assessors", header=("Assessors", *agree), rows=pairs, numbers=agree),
        ReportTable(title="Confusion", header=("Assessors", "Grades", *count), rows=confusion, numbers=count),
    ]
